"""Does the service keep to its OpenAPI description, whatever the request?

    python studies/service_fuzz.py [--calls 50000] [--seed 7] [--quick]
    python studies/service_fuzz.py --jobs 16
    python studies/service_fuzz.py --resume [--minutes 10]

Makes the table of generated requests in docs/results/service.md. schemathesis generates requests from the description
of a real server on this machine, half of them valid and half invalid, and checks every response: no fault of the server
(5xx), only statuses, types, headers and bodies that are described, no invalid request accepted, no change without the
token. The requests follow from the seed. --quick makes few of them, and writes nothing. They are made in portions by
--jobs processes, each with a server of its own; --resume does only those that no earlier run has done over the same
code of the service, and with --minutes it ends with status 3 after the portions that exceed them.
"""

from __future__ import annotations

import argparse
import atexit
import json
import logging
import multiprocessing
import shutil
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import requests
import schemathesis
from _portions import Portion, add_portion_options, describe_code, run_portions, split
from _record import ROOT, Row, save
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.generation import GenerationMode

from epochal import Index
from epochal.cli.demo import open_corpus
from epochal.server.app import bind_socket, make_server
from epochal.server.settings import Settings
from epochal.storage.importers import read

SEED = 7
CALLS, QUICK = 50_000, 300
TOKEN = "a-token-for-generated-calls"
DOCUMENTS = 300
#: Requests of a portion.
PORTION = 400
COUNTS = ("calls", "2xx", "4xx", "5xx", "failed")
#: Not among them: that valid requests are accepted, for the description says "a string" where only times are accepted.
NAMES = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "ignored_auth",
)
#: Failures whose messages are recorded; all are counted.
MAX_MESSAGES = 20


def build_index(folder: Path) -> None:
    """An index of the first of the news that come with the package."""
    with open_corpus() as path, Index.create(folder, encoder=None) as index:
        index.add(islice(read(path), DOCUMENTS))


@contextmanager
def run_server(original: Path | None = None, **given: Any) -> Iterator[str]:
    """A server over a copy of an index, which is built where there is none; its address."""
    with tempfile.TemporaryDirectory(prefix="epochal-", dir=original and original.parent) as place:
        folder = Path(place) / "index"
        if original is None:
            build_index(folder)
        else:
            shutil.copytree(original, folder)
        listening = bind_socket("127.0.0.1", 0)
        server = make_server(Settings(str(folder), **given))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


class Calls:
    """Calls of one server, the statuses of its responses, and what was wrong with them."""

    def __init__(self, address: str) -> None:
        load_all_checks()
        self.address = address
        self.session = requests.Session()
        self.checks = [CHECKS.get_one(name) for name in NAMES]
        self.statuses: Counter[str] = Counter()
        self.failed = 0
        self.messages: list[str] = []

    def make(self, case: Any) -> None:
        """Make one call, and check the response."""
        authorization = {"Authorization": f"Bearer {TOKEN}"}
        response = case.call(base_url=self.address, session=self.session, headers=authorization)
        self.statuses[f"{response.status_code // 100}xx"] += 1
        # schemathesis does not count "too large" among the ways to refuse a request.
        checks = [item for item in self.checks if response.status_code != 413 or "negative" not in item.__name__]
        try:
            case.validate_response(response, checks=checks, headers=authorization)
        except (Failure, FailureGroup) as error:
            self.failed += 1
            failures = error.exceptions if isinstance(error, FailureGroup) else [error]
            if len(self.messages) < MAX_MESSAGES:
                self.messages += [f"{case.operation.label}: {item.title}: {str(item)[:300]}" for item in failures]


def load_operations(address: str) -> dict[str, Any]:
    """The operations of a server, by their labels."""
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    return {item.label: item for result in schema.get_all_operations() if (item := result.ok())}


def list_shares(operations: dict[str, Any], calls: int) -> dict[str, int]:
    """How many valid requests, and how many invalid ones, there are of each operation: those without parameters have
    one, and none that is invalid."""
    is_rich = {label: bool(item.query or item.path_parameters or item.body) for label, item in operations.items()}
    share = max(1, -(-calls // (2 * sum(is_rich.values()))))
    return {label: share if rich else 1 for label, rich in is_rich.items()}


def list_portions(run: Callable[[Task], list[Row]], shares: dict[str, int], number: int) -> Iterator[Portion]:
    """The valid and the invalid requests of each operation, some hundred at a time, each time with another seed."""
    for label, share in shares.items():
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            for part, size in enumerate(split(share, PORTION)):
                task = Task(label, mode, size, number + part)
                yield f"{label} {mode.value} {part} ({size})", partial(run, task)


class Task(NamedTuple):
    """Requests of one operation."""

    label: str
    mode: GenerationMode
    size: int
    seed: int


def run_task(address: str, operations: dict[str, Any], task: Task) -> list[Row]:
    """One row: calls, statuses, failures."""
    built = Calls(address)
    strategy = operations[task.label].as_strategy(generation_mode=task.mode)
    run = seed(task.seed)(
        settings(
            max_examples=task.size,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )(given(case=strategy)(built.make))
    )
    with suppress(Unsatisfiable):  # an operation without parameters has no invalid requests
        run()
    return [
        {
            "operation": task.label,
            "requests": task.mode.value,
            "calls": sum(built.statuses.values()),
            **{name: built.statuses[name] for name in ("2xx", "4xx", "5xx")},
            "failed": built.failed,
            "messages": built.messages,
        }
    ]


@cache
def _start_server(original: Path) -> tuple[str, dict[str, Any]]:
    """The server of this process, over a copy of an index, and its operations; it stops with the process."""
    running = ExitStack()
    address = running.enter_context(run_server(original, writable=True, token=TOKEN))
    atexit.register(running.close)
    return address, load_operations(address)


def run_task_alone(original: Path, task: Task) -> list[Row]:
    """Make requests to the server of this process."""
    return run_task(*_start_server(original), task)


def prepare(original: Path, calls: int) -> dict[str, int]:
    """Build an index and find the shares of all operations, in a process that ends: those that are forked later must
    not inherit threads."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        return pool.submit(_prepare, original, calls).result()


def _prepare(original: Path, calls: int) -> dict[str, int]:
    build_index(original)
    with run_server(original, writable=True, token=TOKEN) as address:
        return list_shares(load_operations(address), calls)


def fuzz(address: str, calls: int, number: int, only: str = "") -> list[Row]:
    """A row for each mode of each operation whose label contains `only`."""
    operations = {label: item for label, item in load_operations(address).items() if only in label}
    run = partial(run_task, address, operations)
    return merge([row for _, work in list_portions(run, list_shares(operations, calls), number) for row in work()])


def merge(rows: Sequence[Row]) -> list[Row]:
    """One row for each mode of each operation, with the sums over all portions."""
    merged: dict[tuple[str, str], Row] = {}
    for row in rows:
        first = merged.setdefault(
            (row["operation"], row["requests"]), {**row, **dict.fromkeys(COUNTS, 0), "messages": []}
        )
        for name in COUNTS:
            first[name] += row[name]
        first["messages"] = (first["messages"] + row["messages"])[:MAX_MESSAGES]
    return list(merged.values())


def describe_run(number: int) -> str:
    """What a run is of: its seed, and the code of the service and of the study."""
    server = ROOT / "packages" / "epochal" / "src" / "epochal" / "server"
    return f"{number} {describe_code([*server.glob('*.py'), Path(__file__)])}"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--quick", action="store_true")
    add_portion_options(parser)
    arguments = parser.parse_args(argv)
    logging.disable(logging.INFO)
    if arguments.quick:
        with run_server(writable=True, token=TOKEN) as address:
            print(json.dumps(fuzz(address, QUICK, arguments.seed)))
        return
    with tempfile.TemporaryDirectory(prefix="epochal-") as place:
        original = Path(place) / "index"
        shares = prepare(original, arguments.calls)
        done = run_portions(
            "service_fuzz",
            describe_run(arguments.seed),
            list_portions(partial(run_task_alone, original), shares, arguments.seed),
            resume=arguments.resume,
            minutes=arguments.minutes,
            jobs=arguments.jobs,
        )
    if done is None:
        sys.exit(3)
    rows = merge(done.rows)
    save(
        "service_fuzz",
        "Does the service keep to its own description, whatever it is asked?",
        f"{DOCUMENTS} news items that come with the package; requests by schemathesis {schemathesis.__version__}",
        arguments.seed,
        rows,
        command=f"python studies/service_fuzz.py --calls {arguments.calls} --seed {arguments.seed}",
        calls=sum(row["calls"] for row in rows),
        server_faults=sum(row["5xx"] for row in rows),
        failed=sum(row["failed"] for row in rows),
        checks=list(NAMES),
        machine=done.machine,
    )


if __name__ == "__main__":
    main()
