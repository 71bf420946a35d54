"""Does the service keep to its OpenAPI description, whatever the request?

    python studies/service_fuzz.py [--calls 50000] [--seed 7] [--quick]
    python studies/service_fuzz.py --resume [--minutes 10]

Makes the table of generated requests in docs/results/service.md. schemathesis generates requests from the description
of a real server on this machine, half of them valid and half invalid, and checks every response: no fault of the server
(5xx), only statuses, types, headers and bodies that are described, no invalid request accepted, no change without the
token. The requests follow from the seed. --quick makes few of them, and writes nothing. The requests of an operation
are a portion; --resume does only those that no earlier run has done over the same code of the service, and with
--minutes it ends with status 3 after the portion that exceeds them.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import schemathesis
from _portions import Portion, describe_code, run_portions
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


@contextmanager
def run_server(**given: Any) -> Iterator[str]:
    """A server over the first of the news that come with the package; its address."""
    with tempfile.TemporaryDirectory(prefix="epochal-") as folder:
        with open_corpus() as path, Index.create(folder, encoder=None) as index:
            index.add(islice(read(path), DOCUMENTS))
        listening = bind_socket("127.0.0.1", 0)
        server = make_server(Settings(folder, **given))
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
        self.checks = [CHECKS.get_one(name) for name in NAMES]
        self.statuses: Counter[str] = Counter()
        self.failed = 0
        self.messages: list[str] = []

    def make(self, case: Any) -> None:
        """Make one call, and check the response."""
        response = case.call(base_url=self.address, headers={"Authorization": f"Bearer {TOKEN}"})
        self.statuses[f"{response.status_code // 100}xx"] += 1
        # schemathesis does not count "too large" among the ways to refuse a request.
        checks = [item for item in self.checks if response.status_code != 413 or "negative" not in item.__name__]
        try:
            case.validate_response(response, checks=checks, headers={"Authorization": f"Bearer {TOKEN}"})
        except (Failure, FailureGroup) as error:
            self.failed += 1
            failures = error.exceptions if isinstance(error, FailureGroup) else [error]
            if len(self.messages) < MAX_MESSAGES:
                self.messages += [f"{case.operation.label}: {item.title}: {str(item)[:300]}" for item in failures]


def list_portions(address: str, calls: int, number: int, only: str = "") -> Iterator[Portion]:
    """The valid and the invalid requests of each operation whose label contains `only`; each portion makes a row."""
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    operations = [item for result in schema.get_all_operations() if only in (item := result.ok()).label]
    # Operations without parameters have one request, and none that is invalid.
    with_parameters = sum(bool(item.query or item.path_parameters or item.body) for item in operations)
    share = max(1, -(-calls // (2 * with_parameters)))
    for operation in operations:
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            yield f"{operation.label} {mode.value} ({share})", partial(_fuzz, address, operation, mode, share, number)


def _fuzz(address: str, operation: Any, mode: GenerationMode, share: int, number: int) -> list[Row]:
    """One row: calls, statuses, failures."""
    built = Calls(address)
    run = seed(number)(
        settings(
            max_examples=share,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )(given(case=operation.as_strategy(generation_mode=mode))(built.make))
    )
    with suppress(Unsatisfiable):  # an operation without parameters has no invalid requests
        run()
    return [
        {
            "operation": operation.label,
            "requests": mode.value,
            "calls": sum(built.statuses.values()),
            **{name: built.statuses[name] for name in ("2xx", "4xx", "5xx")},
            "failed": built.failed,
            "messages": built.messages,
        }
    ]


def fuzz(address: str, calls: int, number: int, only: str = "") -> list[Row]:
    """A row for each operation and each mode."""
    return [row for _, work in list_portions(address, calls, number, only) for row in work()]


def describe_run(number: int) -> str:
    """What a run is of: its seed, and the code of the service and of the study."""
    server = ROOT / "packages" / "epochal" / "src" / "epochal" / "server"
    return f"{number} {describe_code([*server.glob('*.py'), Path(__file__)])}"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was interrupted")
    parser.add_argument("--minutes", type=float, default=0, help="with --resume: stop after so many minutes")
    arguments = parser.parse_args(argv)
    logging.disable(logging.INFO)
    with run_server(writable=True, token=TOKEN) as address:
        if arguments.quick:
            print(json.dumps(fuzz(address, QUICK, arguments.seed)))
            return
        portions = list_portions(address, arguments.calls, arguments.seed)
        run = describe_run(arguments.seed)
        rows = run_portions("service_fuzz", run, portions, resume=arguments.resume, minutes=arguments.minutes)
    if rows is None:
        sys.exit(3)
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
    )


if __name__ == "__main__":
    main()
