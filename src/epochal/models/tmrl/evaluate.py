"""How well vectors and their prefixes find the right documents of a BEIR folder: exact search, measured by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from epochal.bench.metrics import measure_rankings
from epochal.bench.metrics.significance import bootstrap_mean
from epochal.errors import InputError
from epochal.index.inputs.beir import read_qrels, read_queries
from epochal.index.inputs.jsonl import json_rows
from epochal.index.inputs.rows import Meter
from epochal.models.tmrl.encoding import EncodeTexts

__all__ = ["MEASURES", "BeirSet", "Outcome", "evaluated", "nearest", "read_beir"]

#: What is measured at every prefix, as the paper and trec_eval do.
MEASURES: Final = ("nDCG@10", "R@10", "R@100")

_DEPTH: Final = 100
_AT_ONCE: Final = 1024
_RESAMPLES: Final = 2_000
_SEED: Final = 7

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BeirSet:
    """Documents, questions that have an answer among them, and by question how relevant which document is.

    >>> BeirSet("tiny", ("d1",), ("rain",), ("q1",), ("rain?",), ({0: 1},)).documents
    ('d1',)
    """

    name: str
    documents: tuple[str, ...]
    texts: tuple[str, ...]
    questions: tuple[str, ...]
    asked: tuple[str, ...]
    judged: tuple[Mapping[int, int], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was measured on a set: for each prefix and each measure a number a question.

    >>> made = Outcome("tiny", 3, ("q1", "q2"), {64: {"nDCG@10": np.array([0.5, 1.0])}})
    >>> made.mean(64, "nDCG@10")
    0.75
    """

    name: str
    documents: int
    questions: tuple[str, ...]
    values: Mapping[int, Mapping[str, npt.NDArray[np.float64]]]

    def mean(self, dim: int, measure: str) -> float:
        """The mean of a measure at a prefix.

        >>> Outcome("tiny", 3, ("q1",), {64: {"R@10": np.array([0.5])}}).mean(64, "R@10")
        0.5
        """
        return float(self.values[dim][measure].mean())

    def line(self, measure: str = "nDCG@10") -> str:
        """A measure at every prefix, in a line.

        >>> Outcome("tiny", 3, ("q1",), {64: {"nDCG@10": np.array([0.5])}}).line()
        'tiny nDCG@10: 64 .5000'
        """
        told = "  ".join(f"{dim} {self.mean(dim, measure):.4f}".replace(" 0.", " .") for dim in self.values)
        return f"{self.name} {measure}: {told}"

    def to_dict(self) -> dict[str, Any]:
        """Means with their bounds, and the values of each question, as JSON can hold them.

        >>> Outcome("tiny", 3, ("q1",), {64: {"R@10": np.array([0.5])}}).to_dict()["dims"]["64"]["R@10"]["mean"]
        0.5
        """
        dims: dict[str, Any] = {}
        for dim, measures in self.values.items():
            here = dims[str(dim)] = {}
            for name, values in measures.items():
                found = bootstrap_mean(values, resamples=_RESAMPLES, seed=_SEED)
                here[name] = {"mean": round(found.mean, 5), "low": round(found.low, 4), "high": round(found.high, 4)}
        per_question = {
            name: {
                str(dim): [round(float(value), 5) for value in measures[name]] for dim, measures in self.values.items()
            }
            for name in next(iter(self.values.values()))
        }
        return {
            "set": self.name,
            "documents": self.documents,
            "questions": len(self.questions),
            "dims": dims,
            "ids": list(self.questions),
            "per_question": per_question,
        }


def read_beir(folder: Path | str, split: str = "test") -> BeirSet:
    """A BEIR folder: corpus.jsonl (or .gz), queries.jsonl and qrels/SPLIT.tsv; a title stands before its text.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> _ = (place / "corpus.jsonl").write_text('{"_id": "d1", "title": "Rain", "text": "It fell."}')
    >>> _ = (place / "queries.jsonl").write_text('{"_id": "q1", "text": "What fell?"}')
    >>> (place / "qrels").mkdir()
    >>> _ = (place / "qrels" / "test.tsv").write_text("query-id\\tcorpus-id\\tscore\\nq1\\td1\\t1\\n")
    >>> read_beir(place).texts, read_beir(place).judged
    (('Rain\\nIt fell.',), ({0: 1},))
    """
    place = Path(folder)
    file = next((one for one in (place / "corpus.jsonl", place / "corpus.jsonl.gz") if one.is_file()), None)
    if file is None:
        raise InputError(str(place), 0, "holds no corpus.jsonl; accepted: a BEIR folder")
    documents: dict[str, str] = {}
    for row in json_rows(file, str(file), Meter(0)):
        if row.problem is not None:
            raise InputError(row.file, row.line, row.problem)
        key = row.values.get("_id", row.values.get("id"))
        if not isinstance(key, (str, int)) or isinstance(key, bool):
            raise InputError(row.file, row.line, "the row has no id; accepted: a text or a whole number under '_id'")
        parts = (row.values.get("title"), row.values.get("text"))
        documents[str(key)] = "\n".join(str(part) for part in parts if part)
    judged = read_qrels(place / "qrels" / f"{split}.tsv")
    rows = {name: number for number, name in enumerate(documents)}
    kept = []
    for question in read_queries(place):
        right = {rows[name]: score for name, score in judged.get(question.id, {}).items() if name in rows and score > 0}
        if right:
            kept.append((question.id, question.text, right))
    if not kept:
        raise InputError(str(place), 0, f"holds no question of the split {split!r} with an answer in its corpus")
    return BeirSet(
        place.name,
        tuple(documents),
        tuple(documents.values()),
        tuple(one[0] for one in kept),
        tuple(one[1] for one in kept),
        tuple(one[2] for one in kept),
    )


@torch.no_grad()
def nearest(questions: Tensor, documents: Tensor, dim: int, depth: int = _DEPTH) -> Ints:
    """The rows of the documents nearest to each question by the cosine of the first `dim` numbers, best first.

    >>> nearest(torch.tensor([[1.0, 9.0]]), torch.tensor([[0.1, 9.0], [5.0, 0.0]]), dim=2, depth=1).tolist()
    [[0]]
    """
    there = functional.normalize(documents[:, :dim].float(), dim=-1)
    parts = []
    for start in range(0, len(questions), _AT_ONCE):
        here = functional.normalize(questions[start : start + _AT_ONCE, :dim].float(), dim=-1)
        parts.append((here @ there.T).topk(min(depth, len(there)), dim=1).indices.cpu())
    found: Ints = torch.cat(parts).numpy()
    return found


def evaluated(encode: EncodeTexts, beir: BeirSet, dims: Sequence[int]) -> Outcome:
    """Measure texts' vectors on a set, at every one of some prefixes; those beyond the vectors' width are their whole.

    >>> beir = BeirSet("tiny", ("d1", "d2"), ("rain", "snow"), ("q1",), ("rain",), ({0: 1},))
    >>> letters = lambda texts, side: torch.tensor([[1.0, ord(text[0]) - 112.0] for text in texts])
    >>> made = evaluated(letters, beir, [1, 2])
    >>> made.mean(2, "nDCG@10")
    1.0
    """
    documents, questions = encode(beir.texts, "passage"), encode(beir.asked, "question")
    width = documents.shape[1]
    values: dict[int, dict[str, npt.NDArray[np.float64]]] = {}
    for dim in dict.fromkeys(min(dim, width) for dim in dims):
        values[dim] = measure_rankings(list(nearest(questions, documents, dim)), beir.judged, " ".join(MEASURES))
    return Outcome(beir.name, len(beir.documents), beir.questions, values)
