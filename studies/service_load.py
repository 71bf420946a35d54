"""How many requests does the service answer, how fast, and what does HTTP add to a call of the library?

    python studies/service_load.py [--documents 120000] [--connections 1 8 32] [--seconds 60] [--encoder static]
                                   [--workers 1] [--folder DIR] [--quick]

Makes the table of load in docs/results/service.md. Reads current_events from EPOCHAL_DATA. The index is made once and
kept in --folder; where there are fewer news items than documents, they are repeated under other ids. The server runs in
its own processes, and this program sends requests over loopback: on a machine of two cores it takes a good part of one
itself. --quick takes the news that come with the package for a moment, and writes nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from _material import Question, make_questions, read_news, sample_news
from _record import CACHE_FOLDER, Row, save

from epochal import Document, Index, Span

SEED = 7
TOKEN = "a-token-for-the-load-of-the-service"
NOW = "2026-11-15"
DOCUMENTS, SECONDS, QUESTIONS = 120_000, 60.0, 500
CONNECTIONS = (1, 8, 32)
#: Documents that the writer adds each second, in one request.
ADDED = 100
#: What HTTP may add at the median, in milliseconds, and by how much memory may grow within a run.
MAX_MS, MAX_GROWTH = 2.0, 1.1
ROUNDS = 300


# ---------------------------------------------------------------- material


def repeat_news(documents: int) -> Iterator[Document]:
    """News items, repeated under other ids until there are enough."""
    for turn in count():
        for item in read_news():
            yield item if turn == 0 else replace(item, id=f"{item.id}-{turn}", text=f"{item.text} ({turn})")
        if turn * 10_000 > documents:
            return


def build_index(folder: Path, documents: int, encoder: str, quick: bool) -> list[Document]:
    """Build the index, or complete it; returns its documents."""
    items = sample_news(documents, quick) if quick else list(islice(repeat_news(documents), documents))
    exists = (folder / "epochal.db").exists()
    name = None if encoder == "none" else encoder
    with Index.open(folder, write=True) if exists else Index.create(folder, encoder=name) as index:
        if len(index) < len(items):
            index.add(items)
    return items


# ---------------------------------------------------------------- the server


class Server:
    """`epochal serve` in its own processes."""

    def __init__(self, folder: Path, workers: int) -> None:
        words = [sys.executable, "-m", "epochal", "serve", str(folder), "--port", "0", "--writable"]
        self.process = subprocess.Popen(
            [*words, "--workers", str(workers)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "EPOCHAL_TOKEN": TOKEN},
        )
        assert self.process.stdout is not None
        self.port = int(re.findall(r":(\d+)/", self.process.stdout.readline())[-1])

    def read_memory(self) -> dict[str, float]:
        """Megabytes of all its processes: their own, and with mapped files."""
        own = shared = 0.0
        for pid in self._list_processes():
            try:
                status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
            except OSError:
                continue
            # A process that was killed and not yet waited for has none.
            own += sum(map(int, re.findall(r"RssAnon:\s+(\d+)", status))) / 1024
            shared += sum(map(int, re.findall(r"VmRSS:\s+(\d+)", status))) / 1024
        return {"own": round(own, 1), "resident": round(shared, 1)}

    def read_cpu(self) -> float:
        """Seconds of CPU that its processes have taken, user and system."""
        ticks = 0
        for pid in self._list_processes():
            with suppress(OSError):  # it ended meanwhile
                fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def _list_processes(self) -> list[int]:
        pids = [self.process.pid]
        for pid in pids:
            for path in Path(f"/proc/{pid}/task").glob("*/children"):
                with suppress(OSError):  # it ended meanwhile
                    pids += [int(child) for child in path.read_text(encoding="ascii").split()]
        return pids

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(120)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code


@contextmanager
def run_server(folder: Path, workers: int) -> Iterator[Server]:
    server = Server(folder, workers)
    try:
        yield server
    finally:
        code = server.stop()
    if code:
        raise SystemExit(f"the server ended with {code}")


# ---------------------------------------------------------------- requests


@dataclass
class Replies:
    """How long each request took, and the statuses."""

    ms: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)


def make_request(question: Question) -> bytes:
    path = f"/api/v1/search?q={quote(question.text)}&now={NOW}"
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


async def exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> tuple[int, bytes]:
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"content-length: (\d+)", head).group(1))  # type: ignore[union-attr]
    return int(head[9:12]), await reader.readexactly(length)


async def close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    await writer.wait_closed()


async def send_requests(port: int, requests: Sequence[bytes], until: float, replies: Replies) -> None:
    """One connection with one request at a time; reopened where it breaks, which is counted."""
    while time.perf_counter() < until:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
            for request in requests:
                if time.perf_counter() >= until:
                    break
                start = time.perf_counter()
                status, _ = await exchange(reader, writer, request)
                replies.ms.append(1000 * (time.perf_counter() - start))
                replies.statuses[str(status)] += 1
            await close(writer)
        except (OSError, asyncio.IncompleteReadError) as error:
            replies.statuses[type(error).__name__] += 1


async def add_documents(port: int, items: Sequence[Document], until: float, replies: Replies) -> None:
    """A writer that adds ADDED documents each second."""
    for turn in count():
        start = time.perf_counter()
        if start >= until:
            return
        selected = (items[(turn * ADDED + number) % len(items)] for number in range(ADDED))
        rows = (
            {
                "id": f"new-{turn}-{number}",
                "text": f"{item.text} ({turn})",
                "published": (item.published or Span.parse(NOW)).edtf(),
            }
            for number, item in enumerate(selected)
        )
        body = "\n".join(json.dumps(row) for row in rows).encode()
        head = (
            f"POST /api/v1/documents HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
            f"Content-Type: application/x-ndjson\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        ).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        status, _ = await exchange(reader, writer, head + body)
        await close(writer)
        replies.ms.append(1000 * (time.perf_counter() - start))
        replies.statuses[str(status)] += 1
        await asyncio.sleep(max(0.0, start + 1 - time.perf_counter()))


async def watch_memory(server: Server, until: float, seen: list[dict[str, float]]) -> None:
    while time.perf_counter() < until:
        seen.append(server.read_memory())
        await asyncio.sleep(1)


async def measure_load(
    server: Server,
    questions: Sequence[Question],
    items: Sequence[Document],
    connections: int,
    arguments: Any,
    *,
    writing: bool,
) -> Row:
    rng = random.Random(SEED)
    lists = [[make_request(item) for item in rng.sample(list(questions), len(questions))] for _ in range(64)]
    warm, replies, writes = Replies(), Replies(), Replies()
    seen: list[dict[str, float]] = []
    warming = time.perf_counter() + min(5.0, arguments.seconds)
    each = range(connections)
    await asyncio.gather(*(send_requests(server.port, lists[number % 64], warming, warm) for number in each))
    start, cpu = time.perf_counter(), server.read_cpu()
    until = start + arguments.seconds
    jobs = [send_requests(server.port, lists[number % 64], until, replies) for number in each]
    jobs.append(watch_memory(server, until, seen))
    if writing:
        jobs.append(add_documents(server.port, items, until, writes))
    await asyncio.gather(*jobs)
    took, cpu = time.perf_counter() - start, server.read_cpu() - cpu
    third = max(1, len(seen) // 3)
    first, last = (statistics.median(item["own"] for item in part) for part in (seen[:third], seen[-third:]))
    row = {
        "what": "searches while a writer adds" if writing else "searches",
        "connections": connections,
        "workers": arguments.workers,
        "seconds": round(took, 1),
        "answers": len(replies.ms),
        "answers a second": round(len(replies.ms) / took, 1),
        "answers per CPU second": round(len(replies.ms) / cpu, 1),
        **format_percentiles(replies.ms),
        "statuses": dict(replies.statuses),
        "failed": sum(number for status, number in replies.statuses.items() if status != "200"),
        "memory MB, first third": first,
        "memory MB, last third": last,
        "resident MB, most": max(item["resident"] for item in seen),
    }
    if writing:
        row |= {
            "documents added": ADDED * writes.statuses["200"],
            "writes failed": sum(number for status, number in writes.statuses.items() if status != "200"),
            "write p50 ms": round(float(np.median(writes.ms)), 1),
        }
    return row


def format_percentiles(values: Sequence[float]) -> dict[str, float]:
    p50, p95, p99 = np.percentile(values, (50, 95, 99))
    return {"p50 ms": round(float(p50), 2), "p95 ms": round(float(p95), 2), "p99 ms": round(float(p99), 2)}


# ---------------------------------------------------------------- the cost of HTTP


async def measure_overhead(server: Server, folder: Path, questions: Sequence[Question], rounds: int) -> Row:
    """The same questions one after another, in turns by a call of the library and over HTTP."""
    by_call, by_http, inside = [], [], []
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1 << 24)
    with Index.open(folder) as index:
        for number in range(rounds + 20):
            question = questions[number % len(questions)]
            start = time.perf_counter()
            json.dumps(index.search(question.text, now=NOW).to_dict(), ensure_ascii=False).encode()
            middle = time.perf_counter()
            _, body = await exchange(reader, writer, make_request(question))
            end = time.perf_counter()
            if number >= 20:  # warm
                by_call.append(1000 * (middle - start))
                by_http.append(1000 * (end - middle))
                inside.append(by_http[-1] - json.loads(body)["took_ms"])
    await close(writer)
    call, http = float(np.median(by_call)), float(np.median(by_http))
    return {
        "what": "one after another",
        "questions": rounds,
        "library p50 ms": round(call, 2),
        "http p50 ms": round(http, 2),
        "difference at p50 ms": round(http - call, 2),
        "p50 of what http adds to each search ms": round(float(np.median(inside)), 2),
    }


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--connections", type=int, nargs="+", default=CONNECTIONS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--encoder", default="static")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args(argv)
    if arguments.quick:
        arguments.documents, arguments.connections, arguments.seconds = 200, [4], 1.0
    name = f"service-{arguments.documents}-{arguments.encoder}"
    cached = arguments.folder or CACHE_FOLDER / name
    rounds = 20 if arguments.quick else ROUNDS
    with tempfile.TemporaryDirectory(prefix="epochal-") as temporary:
        source = Path(temporary) / "built" if arguments.quick else cached
        items = build_index(source, arguments.documents, arguments.encoder, arguments.quick)
        folder = shutil.copytree(source, Path(temporary) / "index")
        questions = make_questions(items, min(QUESTIONS, len(items)), SEED)
        with run_server(folder, arguments.workers) as server:
            rows = [asyncio.run(measure_overhead(server, folder, questions, rounds))]
            for connections, writing in [
                *((number, False) for number in arguments.connections),
                (max(arguments.connections), True),
            ]:
                load = measure_load(server, questions, items, connections, arguments, writing=writing)
                rows.append(asyncio.run(load))
    if arguments.quick:
        print(json.dumps(rows))
        return
    reading = rows[1:]
    save(
        "service_load",
        "How many requests does the service answer, how fast, and what does HTTP add to a call of the library?",
        f"{arguments.documents:,} news items of current_events, encoder {arguments.encoder}; "
        f"{len(questions)} questions in their words, four of five with a time",
        SEED,
        rows,
        failed=sum(row["failed"] for row in reading),
        target_ms=MAX_MS,
        reached={
            "no answer failed": not any(row["failed"] for row in reading),
            "memory flat while reading": rows[-2]["memory MB, last third"]
            <= MAX_GROWTH * rows[-2]["memory MB, first third"],
            "http costs little": rows[0]["p50 of what http adds to each search ms"] <= MAX_MS,
        },
    )


if __name__ == "__main__":
    main()
