"""What does the service bear, how fast is it, and what does HTTP cost beside a call of the library?

    python studies/service_load.py [--documents 120000] [--connections 32] [--seconds 60] [--encoder static]
                                      [--workers 1] [--folder DIR] [--quick]

Reads current_events of EPOCHAL_DATA. The index is made once and kept in --folder; where there are fewer news items
than asked for, they come again under other ids. The server runs in processes of its own, and this program asks over
loopback: on a machine of two cores it takes a good part of one itself. --quick takes the news that come with the
package, asks them for a moment, and writes nothing.
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
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from _record import save
from search_cost import Question, all_news, news, questions_on

from epochal import Document, Index, Span

SEED = 7
TOKEN = "a-token-for-the-load-of-the-service"
NOW = "2026-11-15"
DOCUMENTS, CONNECTIONS, SECONDS, ASKED = 120_000, 32, 60.0, 500
#: Documents that the writer adds each second, in one request.
ADDED = 100
#: What HTTP may cost at the median, in milliseconds, and by how much memory may grow within a run.
MOST_MS, MOST_GROWTH = 2.0, 1.1
ROUNDS = 300


# ---------------------------------------------------------------- material


def repeated(documents: int) -> Iterator[Document]:
    """News items, again and again under other ids until there are enough."""
    for turn in count():
        for item in all_news():
            yield item if turn == 0 else replace(item, id=f"{item.id}-{turn}", text=f"{item.text} ({turn})")
        if turn * 10_000 > documents:
            return


def made_index(folder: Path, documents: int, encoder: str, quick: bool) -> list[Document]:
    """The index, made or finished where it is not whole; and its documents."""
    items = news(documents, quick) if quick else list(islice(repeated(documents), documents))
    there = (folder / "epochal.db").exists()
    named = None if encoder == "none" else encoder
    with Index.open(folder, write=True) if there else Index.create(folder, encoder=named) as index:
        if len(index) < len(items):
            index.add(items)
    return items


# ---------------------------------------------------------------- the server


class Server:
    """The command in processes of its own."""

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

    def memory(self) -> dict[str, float]:
        """Megabytes of all its processes: their own, and with the files that they share with the disk's cache."""
        own = shared = 0.0
        for pid in self._processes():
            try:
                told = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
            except OSError:
                continue
            own += int(re.findall(r"RssAnon:\s+(\d+)", told)[0]) / 1024
            shared += int(re.findall(r"VmRSS:\s+(\d+)", told)[0]) / 1024
        return {"own": round(own, 1), "resident": round(shared, 1)}

    def _processes(self) -> list[int]:
        found = [self.process.pid]
        for pid in found:
            for path in Path(f"/proc/{pid}/task").glob("*/children"):
                found += [int(child) for child in path.read_text(encoding="ascii").split()]
        return found

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(120)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code


@contextmanager
def serving(folder: Path, workers: int) -> Iterator[Server]:
    server = Server(folder, workers)
    try:
        yield server
    finally:
        code = server.stop()
    if code:
        raise SystemExit(f"the server ended with {code}")


# ---------------------------------------------------------------- asking


@dataclass
class Heard:
    """What came back: how long each took, and the statuses."""

    ms: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)


def request_of(question: Question) -> bytes:
    path = f"/api/v1/search?q={quote(question.text)}&now={NOW}"
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


async def exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sent: bytes) -> tuple[int, bytes]:
    writer.write(sent)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"content-length: (\d+)", head).group(1))  # type: ignore[union-attr]
    return int(head[9:12]), await reader.readexactly(length)


async def closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    await writer.wait_closed()


async def ask(port: int, requests: Sequence[bytes], until: float, heard: Heard) -> None:
    """One connection that asks, waits for the answer, and asks on; opened anew where it breaks, which counts."""
    while time.perf_counter() < until:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
            for sent in requests:
                if time.perf_counter() >= until:
                    break
                start = time.perf_counter()
                status, _ = await exchange(reader, writer, sent)
                heard.ms.append(1000 * (time.perf_counter() - start))
                heard.statuses[str(status)] += 1
            await closed(writer)
        except (OSError, asyncio.IncompleteReadError) as error:
            heard.statuses[type(error).__name__] += 1


async def write(port: int, items: Sequence[Document], until: float, heard: Heard) -> None:
    """A writer that adds so many documents each second."""
    for turn in count():
        start = time.perf_counter()
        if start >= until:
            return
        chosen = (items[(turn * ADDED + place) % len(items)] for place in range(ADDED))
        rows = (
            {
                "id": f"new-{turn}-{place}",
                "text": f"{item.text} ({turn})",
                "published": (item.published or Span.parse(NOW)).edtf(),
            }
            for place, item in enumerate(chosen)
        )
        body = "\n".join(json.dumps(row) for row in rows).encode()
        head = (
            f"POST /api/v1/documents HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
            f"Content-Type: application/x-ndjson\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        ).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        status, _ = await exchange(reader, writer, head + body)
        await closed(writer)
        heard.ms.append(1000 * (time.perf_counter() - start))
        heard.statuses[str(status)] += 1
        await asyncio.sleep(max(0.0, start + 1 - time.perf_counter()))


async def watch(server: Server, until: float, seen: list[dict[str, float]]) -> None:
    while time.perf_counter() < until:
        seen.append(server.memory())
        await asyncio.sleep(1)


async def loaded(
    server: Server, questions: Sequence[Question], items: Sequence[Document], arguments: Any, *, writing: bool
) -> dict[str, Any]:
    rng = random.Random(SEED)
    lists = [[request_of(item) for item in rng.sample(list(questions), len(questions))] for _ in range(64)]
    warm, heard, written = Heard(), Heard(), Heard()
    seen: list[dict[str, float]] = []
    warming = time.perf_counter() + min(5.0, arguments.seconds)
    each = range(arguments.connections)
    await asyncio.gather(*(ask(server.port, lists[place % 64], warming, warm) for place in each))
    start = time.perf_counter()
    until = start + arguments.seconds
    jobs = [ask(server.port, lists[place % 64], until, heard) for place in each]
    jobs.append(watch(server, until, seen))
    if writing:
        jobs.append(write(server.port, items, until, written))
    await asyncio.gather(*jobs)
    took = time.perf_counter() - start
    third = max(1, len(seen) // 3)
    first, last = (statistics.median(item["own"] for item in part) for part in (seen[:third], seen[-third:]))
    row = {
        "what": "searches while a writer adds" if writing else "searches",
        "connections": arguments.connections,
        "workers": arguments.workers,
        "seconds": round(took, 1),
        "answers": len(heard.ms),
        "answers a second": round(len(heard.ms) / took, 1),
        **percentiles(heard.ms),
        "statuses": dict(heard.statuses),
        "failed": sum(number for status, number in heard.statuses.items() if status != "200"),
        "memory MB, first third": first,
        "memory MB, last third": last,
        "resident MB, most": max(item["resident"] for item in seen),
    }
    if writing:
        row |= {
            "documents added": ADDED * written.statuses["200"],
            "writes failed": sum(number for status, number in written.statuses.items() if status != "200"),
            "write p50 ms": round(float(np.median(written.ms)), 1),
        }
    return row


def percentiles(values: Sequence[float]) -> dict[str, float]:
    p50, p95, p99 = np.percentile(values, (50, 95, 99))
    return {"p50 ms": round(float(p50), 2), "p95 ms": round(float(p95), 2), "p99 ms": round(float(p99), 2)}


# ---------------------------------------------------------------- what HTTP costs


async def overhead(server: Server, folder: Path, questions: Sequence[Question], rounds: int) -> dict[str, Any]:
    """The same questions one after another, in turns by a call of the library and over one connection."""
    by_call, by_http, inside = [], [], []
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1 << 24)
    with Index.open(folder) as index:
        for place in range(rounds + 20):
            question = questions[place % len(questions)]
            start = time.perf_counter()
            json.dumps(index.search(question.text, now=NOW).to_dict(), ensure_ascii=False).encode()
            middle = time.perf_counter()
            _, body = await exchange(reader, writer, request_of(question))
            end = time.perf_counter()
            if place >= 20:  # the first ones load what is loaded once
                by_call.append(1000 * (middle - start))
                by_http.append(1000 * (end - middle))
                inside.append(by_http[-1] - json.loads(body)["took_ms"])
    await closed(writer)
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
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--encoder", default="static")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args(argv)
    if arguments.quick:
        arguments.documents, arguments.connections, arguments.seconds = 200, 4, 1.0
    name = f"service-{arguments.documents}-{arguments.encoder}"
    kept = arguments.folder or Path(tempfile.gettempdir()) / "epochal-benchmarks" / name
    rounds = 20 if arguments.quick else ROUNDS
    with tempfile.TemporaryDirectory(prefix="epochal-") as passing:
        source = Path(passing) / "made" if arguments.quick else kept
        items = made_index(source, arguments.documents, arguments.encoder, arguments.quick)
        folder = shutil.copytree(source, Path(passing) / "index")
        questions = questions_on(items, min(ASKED, len(items)), SEED)
        with serving(folder, arguments.workers) as server:
            rows = [asyncio.run(overhead(server, folder, questions, rounds))]
            for writing in (False, True):
                rows.append(asyncio.run(loaded(server, questions, items, arguments, writing=writing)))
    if arguments.quick:
        print(json.dumps(rows))
        return
    reading = rows[1:]
    save(
        "service_load",
        "What does the service bear, how fast is it, and what does HTTP cost beside a call of the library?",
        f"{arguments.documents:,} news items of current_events, encoder {arguments.encoder}; "
        f"{len(questions)} questions in their words, four of five with a time",
        SEED,
        rows,
        failed=sum(row["failed"] for row in reading),
        target_ms=MOST_MS,
        reached={
            "no answer failed": not any(row["failed"] for row in reading),
            "memory flat while reading": rows[1]["memory MB, last third"]
            <= MOST_GROWTH * rows[1]["memory MB, first third"],
            "http costs little": rows[0]["p50 of what http adds to each search ms"] <= MOST_MS,
        },
    )


if __name__ == "__main__":
    main()
