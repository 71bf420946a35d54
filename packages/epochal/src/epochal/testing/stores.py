"""Conformance: what any backend has to get right, as a suite that runs on yours.

    from epochal.testing import check_backend

    def test_my_backend():
        check_backend(lambda encoder_name, dim: MyBackend(encoder_name, dim)).assert_passed()

A case writes made documents and reads them back. Groups:

- `writing`, `visibility`, `upkeep`: what is added, replaced and deleted, when it is seen, and what tidying leaves;
- `input`: odd documents come back equal, and one wrong entry stores nothing of its call;
- `words`, `vectors`, `times`: answers are exact, whatever rows they are restricted to;
- `differences`: the same documents in the embedded store give the same hits in the same order, up to ties, with scores
  that lie no more than 1e-4 apart.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from epochal.errors import EpochalError
from epochal.storage.store import Store
from epochal.testing.report import CaseResult, ConformanceReport, each_known
from epochal.testing.store_fixtures import Bench, Make, Open, Reopen
from epochal.testing.store_searching import DIFFERENCES, TIMES, VECTORS, WORD_CASES
from epochal.testing.store_writing import INPUT, UPKEEP, VISIBILITY, WRITING

_CASES: dict[str, Sequence[Any]] = {
    "writing": WRITING,
    "visibility": VISIBILITY,
    "upkeep": UPKEEP,
    "input": INPUT,
    "words": WORD_CASES,
    "vectors": VECTORS,
    "times": TIMES,
    "differences": DIFFERENCES,
}
#: The groups of cases.
BACKEND_GROUPS = tuple(_CASES)


def check_backend(
    make: Make,
    *,
    groups: Collection[str] = BACKEND_GROUPS,
    open_backup: Open = Store.open,
    reopen: Reopen | None = None,
) -> ConformanceReport:
    """Run the suite on backends that `make` makes: each call is to give an empty one, open for writing.

    `make` is called with the name of an encoder and the length of its vectors, or with an empty name and 0.
    `open_backup` opens what `Backend.backup` has written; an index in a folder, unless you say otherwise. `reopen`
    opens a backend again that was closed; without it, that is not tried. Nothing that a backend does or raises stops
    the suite, which closes whatever was made.

    >>> from itertools import count
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     numbers = count()
    ...     report = check_backend(
    ...         lambda name, dim: Store.create(Path(folder) / str(next(numbers)), name, dim), groups=("visibility",)
    ...     )
    >>> print(report)
    visibility      6 of 6
    """
    if not callable(make):
        raise EpochalError(f"{make!r} makes no backend; accepted: a function of an encoder's name and a length")
    each_known("group", groups, BACKEND_GROUPS)
    results = []
    with tempfile.TemporaryDirectory(prefix="epochal-check-") as folder:
        bench = Bench(make, Path(folder), open_backup, reopen)
        try:
            for group, cases in _CASES.items():
                if group in groups:
                    results += [
                        CaseResult(case.__name__.replace("_", "-"), group, _run_case(case, bench)) for case in cases
                    ]
        finally:
            bench.close()
    return ConformanceReport(results, BACKEND_GROUPS)


def _run_case(case: Callable[[Bench], Any], bench: Bench) -> str:
    try:
        return next((problem for problem in case(bench) if problem), "")
    except Exception as error:  # noqa: BLE001  # whatever a backend raises is its failure, not that of the suite
        return f"raises {type(error).__name__}: {str(error)[:400]}"
    finally:
        bench.end_case()
