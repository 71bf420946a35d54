"""What a model found, as files: runs of TREC, the judgements they are scored by, and figures with their bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from epochal.errors import StorageError
from epochal.index.inputs.trec import ranked, write_run
from epochal.models.ctd.data import Collection
from epochal.models.ctd.searching import MEASURES, Outcome
from epochal.models.training.checkpoint import write_json

__all__ = ["headline", "write_outcomes"]


def write_outcomes(folder: Path, collection: Collection, outcomes: Sequence[Outcome], facts: dict[str, Any]) -> None:
    """Write metrics.json, runs/SPLIT.MODE.SEARCH.trec, and qrels/SPLIT.MODE.tsv with what of the answers was searched.

    >>> import tempfile
    >>> from epochal.models.ctd.axis import MonthAxis
    >>> place = Path(tempfile.mkdtemp())
    >>> write_outcomes(place, Collection("own", MonthAxis.lu(), (), ()), [], {})
    >>> [path.name for path in place.iterdir()]
    ['metrics.json']
    """
    names = [record.id for record in collection.records]
    for outcome in outcomes:
        stem = f"{outcome.split}.{outcome.mode}"
        rows = (
            row
            for question, found in outcome.ranked.items()
            for row in ranked(question, ((names[place], score) for place, score in found), f"ctd-{outcome.search}")
        )
        path = folder / "runs" / f"{stem}.{outcome.search.replace('+', '_')}.trec"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_run(path, rows)
        _write_lines(
            folder / "qrels" / f"{stem}.tsv",
            (f"{question}\t{names[row]}\t1" for question, right in outcome.answers.items() for row in sorted(right)),
        )
    write_json(folder / "metrics.json", {**facts, "outcomes": [outcome.to_dict() for outcome in outcomes]})


def headline(outcome: Outcome) -> str:
    """An outcome in a line.

    >>> from epochal.models.ctd.protocol import Mode
    >>> headline(Outcome(Mode(True, False, True), "ctx", "test", {}, {}, {"q": dict.fromkeys(MEASURES, 1.0)}, {}))
    'test neg1_ne0_dq1 ctx: hit@1 1.0000, hit@5 1.0000, hit@10 1.0000, MRR@10 1.0000, nDCG@10 1.0000, R@10 1.0000'
    """
    told = ", ".join(f"{name} {outcome.mean(name):.4f}" for name in MEASURES[:-1])
    return f"{outcome.split} {outcome.mode} {outcome.search}: {told}"


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in ("query-id\tcorpus-id\tscore", *lines)), encoding="utf-8")
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error
