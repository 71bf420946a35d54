"""Does the service stay sound and its memory flat under writers, readers, slow clients and kills of its processes?

    python studies/service_soak.py [--minutes 60] [--workers 3] [--kills-per-minute 4] [--seed 7]

Readers search, a writer adds and deletes documents, slow clients send a request byte by byte or never end it, and one
of the serving processes is killed (SIGKILL) now and then. A request whose connection breaks is sent again; a document
whose deletion is sent again may be gone already, but must have been there before the first time. A fault is a status
that is neither success nor a refusal (429, 503), an answer without hits, a request that fails ten times in a row, a
process that ends without being killed, and an acknowledged document that is missing (or a deleted one that is there)
before it is deleted or at the end.

One process is never killed, and its memory is what is judged: a process that is killed within a minute shows no leak.
Memory is private memory, without mapped files. It is flat if the median of the last quarter of the time is at most 3 %
above that of the third. What is learned of words, dates and questions is bounded and fills up in the first half.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from _record import Row, save
from service_load import TOKEN, Server

from epochal import Index
from epochal.cli.demo import open_corpus
from epochal.storage.check import check
from epochal.storage.importers import read

SEED, MINUTES, WORKERS, KILLS = 7, 60.0, 3, 4.0
READERS, SLOW = 4, 4
#: Documents that are kept: the writer deletes the others, so that memory does not grow with the index.
KEPT, TRIES, GROWTH = 200, 10, 1.03
QUESTIONS = ("election in {}", "earthquake before {}", "who resigned after {}", "storm last year", "peace treaty of {}")
YEARS = range(1996, 2024)
#: Seconds between two looks at memory, and how many values of it are listed in the results.
PAUSE, LISTED = 5.0, 20


class Soak:
    """The clients of one server, and what they saw."""

    def __init__(self, server: Server, seed: int) -> None:
        self.server = server
        self.seed = seed
        self.end = threading.Event()
        self.counts: Counter[str] = Counter()
        self.messages: list[str] = []
        self.acknowledged: dict[str, bool] = {}
        #: The process that is never killed, once all have started, and those that were.
        self.spared = 0
        self.killed: set[int] = set()
        self._guard = threading.Lock()

    def note(self, kind: str, message: str = "") -> None:
        """Count something, and keep what is said about it."""
        with self._guard:
            self.counts[kind] += 1
            if message and len(self.messages) < 20:
                self.messages.append(message)

    def call(self, kind: str, method: str, path: str, record: Any = None) -> Any:
        """The answer to a request, which is sent again while its connection breaks or it is refused; None at last."""
        is_repeated = False
        for _ in range(TRIES):
            connection = HTTPConnection("127.0.0.1", self.server.port, timeout=150)
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
            try:
                connection.request(method, path, None if record is None else json.dumps(record).encode(), headers)
                response = connection.getresponse()
                status, body = response.status, response.read()
            except (OSError, HTTPException):
                self.note(f"{kind} broken")
                is_repeated = True
                time.sleep(0.2)
                continue
            finally:
                connection.close()
            if status in (429, 503):
                self.note(f"{kind} refused")
                time.sleep(0.5)
                continue
            self.note(kind)
            if is_repeated and (method, status) == ("DELETE", 404):
                self.note("deletions done before their connection broke")
            elif status != 200:
                self.note("faults", f"{method} {path}: {status} {body[:200]!r}")
            return json.loads(body)
        self.note("faults", f"{method} {path} fails again and again")
        return None

    def search(self, number: int) -> None:
        """Search again and again."""
        rng = random.Random(self.seed + number)
        while not self.end.is_set():
            question = rng.choice(QUESTIONS).format(rng.choice(YEARS))
            found = self.call("reads", "POST", "/api/v1/search", {"question": question, "k": 5})
            if found is not None and not found.get("hits"):
                self.note("faults", f"{question!r} finds nothing")
            self.end.wait(0.02)

    def write(self) -> None:
        """Add documents, and delete the oldest of them."""
        number = 0
        while not self.end.is_set():
            ids = [f"soak-{number}-{part}" for part in range(5)]
            rows = [{"id": id, "text": f"On 3 May 1998 the bridge {id} was opened."} for id in ids]
            if self.call("writes", "POST", "/api/v1/documents", {"documents": rows}) is not None:
                self.acknowledged.update(dict.fromkeys(ids, True))
            for id in [id for id, is_there in self.acknowledged.items() if is_there][:-KEPT]:
                self.call("reads", "GET", f"/api/v1/documents/{id}")  # it is there: if not, that is a fault
                if self.call("writes", "DELETE", f"/api/v1/documents/{id}") is not None:
                    self.acknowledged[id] = False
            number += 1
            self.end.wait(0.3)

    def dawdle(self, number: int) -> None:
        """Send a request byte by byte, and often never the end of it."""
        rng = random.Random(self.seed + 100 + number)
        request = b"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
        while not self.end.is_set():
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as line:
                for place in range(rng.randint(1, len(request))):
                    line.sendall(request[place : place + 1])
                    if self.end.wait(0.3):
                        return
            self.note("slow clients")

    def kill(self, per_minute: float) -> None:
        """Kill one of the serving processes now and then, but for the one that is spared."""
        rng = random.Random(self.seed + 200)
        while per_minute and not self.end.wait(rng.uniform(0.5, 1.5) * 60 / per_minute):
            workers = [process for process in list_workers(self.server.process.pid) if process != self.spared]
            if workers:
                self.killed.add(victim := rng.choice(workers))
                os.kill(victim, signal.SIGKILL)
                self.note("kills")

    def watch(self, until: float) -> dict[int, list[float]]:
        """The private memory of each serving process in megabytes, at every look."""
        seen: dict[int, list[float]] = {}
        while not (workers := list_workers(self.server.process.pid)):
            time.sleep(0.1)
        self.spared = workers[0]
        while time.monotonic() < until:
            time.sleep(min(PAUSE, max(until - time.monotonic(), 0)))
            workers = list_workers(self.server.process.pid)
            for process in workers:
                if memory := read_private(process):
                    seen.setdefault(process, []).append(memory)
            for process in {*seen} - {*workers} - self.killed:
                self.killed.add(process)
                self.note("faults", f"the process {process} ended by itself")
        return seen


def list_workers(supervisor: int) -> list[int]:
    """The processes that serve."""
    children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text(encoding="ascii").split()
    found = []
    for child in children:
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(int(child))
    return found


def read_private(process: int) -> float:
    """The private memory of a process in megabytes; 0 if it has ended."""
    with suppress(OSError):
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
        return sum(map(int, re.findall(r"RssAnon:\s+(\d+)", status))) / 1024
    return 0.0


def soak(folder: Path, minutes: float, workers: int, kills: float, seed: int) -> Row:
    """Run all clients for so many minutes, stop the service, and look at what is stored."""
    server = Server(folder, workers)
    run = Soak(server, seed)
    work: list[tuple[Callable[..., None], tuple[Any, ...]]] = [(run.write, ()), (run.kill, (kills,))]
    work += [(run.search, (number,)) for number in range(READERS)] + [(run.dawdle, (number,)) for number in range(SLOW)]
    threads = [threading.Thread(target=call, args=given, daemon=True) for call, given in work]
    for thread in threads:
        thread.start()
    seen = run.watch(time.monotonic() + 60 * minutes)
    run.end.set()
    for thread in threads:
        thread.join(200)
    server.process.send_signal(signal.SIGTERM)
    status = server.process.wait(120)
    return {**count_stored(folder, run), **describe(run, seen), "exit status": status, "minutes": minutes}


def count_stored(folder: Path, run: Soak) -> Row:
    """Acknowledged writes that are not there, and what `check` finds."""
    with Index.open(folder) as index:
        wrong = [id for id, is_there in run.acknowledged.items() if (id in index) != is_there]
    return {"acknowledged": len(run.acknowledged), "lost": len(wrong), "is_sound": check(folder, repair=False).is_sound}


def describe(run: Soak, seen: Mapping[int, Sequence[float]]) -> Row:
    """What the clients saw, and whether the memory of the process that was never killed is flat."""
    memory = seen[run.spared]
    quarter = max(len(memory) // 4, 1)
    third, last = (statistics.median(part) for part in (memory[-2 * quarter : -quarter] or memory, memory[-quarter:]))
    step = max(len(memory) // LISTED, 1)
    return {
        **dict(sorted(run.counts.items())),
        "faults": run.counts["faults"],
        "private MB": {
            "third quarter": round(third, 1),
            "last quarter": round(last, 1),
            "most of any process": round(max(map(max, seen.values())), 1),
            "over time": [round(value, 1) for value in memory[step - 1 :: step]],
        },
        "is_flat": last <= GROWTH * third,
        "messages": run.messages,
    }


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("--kills-per-minute", type=float, default=KILLS)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="epochal-soak-") as place:
        folder = Path(place) / "index"
        with open_corpus() as path, Index.create(folder, encoder=None) as index:
            index.add(read(path))
        row = soak(folder, given.minutes, given.workers, given.kills_per_minute, given.seed)
    save(
        "service_soak",
        "Does the service stay sound and its memory flat under writers, readers, slow clients and kills?",
        "the news that come with the package; without an encoder",
        given.seed,
        [row],
        command=f"python studies/service_soak.py --minutes {given.minutes:g} --workers {given.workers} "
        f"--kills-per-minute {given.kills_per_minute:g} --seed {given.seed}",
    )
    is_good = not row["faults"] and not row["lost"] and row["is_sound"] and row["is_flat"] and not row["exit status"]
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
