"""Texts to vectors by a network: all of them at once, in batches of texts of similar length.

How well vectors and their prefixes find the right documents of a BEIR folder: exact search, measured by question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from epochal.errors import InputError
from epochal.storage.importers.beir import read_qrels, read_queries
from epochal.storage.importers.rows import Meter, json_rows
from epochal_lab.metrics.functions import measure_rankings
from epochal_lab.metrics.significance import bootstrap_mean
from epochal_lab.models.tmrl.batches import TimedTexts, find_time_ranges, tokenize_timed
from epochal_lab.models.tmrl.network import Side, TMRLNetwork
from epochal_lab.models.training.device import autocast, batches_by_length

__all__ = [
    "MEASURES",
    "BeirSet",
    "EncodeTexts",
    "PrefixResult",
    "build_text_encoder",
    "encode_texts",
    "evaluate_prefixes",
    "read_beir",
    "search_nearest",
]


#: Texts of one side to vectors, one row a text.
EncodeTexts = Callable[[Sequence[str], Side], Tensor]

_MAX_TOKENS: Final = 1 << 16


@torch.no_grad()
def encode_texts(network: TMRLNetwork, texts: TimedTexts, side: Side, precision: str = "fp32") -> Tensor:
    """The vectors of texts, one row a text, on the network's device and in float32."""
    device = next(network.parameters()).device
    was_training = network.training
    network.eval()
    found: Tensor | None = None
    lengths = texts.texts.lengths.tolist()
    for rows in batches_by_length(lengths, max_tokens=_MAX_TOKENS, seed=0) if lengths else []:
        batch = texts.batch(rows).to(device)
        with autocast(precision, device):
            made = network.encode(batch, side).vectors.float()
        if found is None:
            found = torch.zeros(len(texts), made.shape[1], device=device)
        found[torch.from_numpy(np.asarray(rows))] = made
    network.train(was_training)
    return torch.zeros(0, network.width, device=device) if found is None else found


def build_text_encoder(network: TMRLNetwork, precision: str = "fp32", *, text_only: bool = False) -> EncodeTexts:
    """A network as a function of texts, with the prefixes and the lengths of its settings.

    Where a second encoder reads time expressions, the tagger finds them; with `text_only` it is left out, as for
    collections that have nothing to do with time.
    """
    settings = network.settings
    times = settings.has_two_encoders and not text_only

    def encode(texts: Sequence[str], side: Side) -> Tensor:
        made = tokenize_timed(
            network.reader,
            texts,
            [find_time_ranges(text) for text in texts] if times else None,
            prefix=settings.question_prefix if side == "question" else settings.passage_prefix,
            max_length=settings.max_length,
            times=times,
        )
        return encode_texts(network, made, side, precision)

    return encode


#: What is measured at every prefix, as the paper and trec_eval do.
MEASURES: Final = ("nDCG@10", "R@10", "R@100")

_DEPTH: Final = 100
_BLOCK: Final = 1024
_RESAMPLES: Final = 2_000
_SEED: Final = 7

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BeirSet:
    """Documents, questions that have an answer among them, and by question how relevant which document is."""

    name: str
    documents: tuple[str, ...]
    texts: tuple[str, ...]
    questions: tuple[str, ...]
    asked: tuple[str, ...]
    judged: tuple[Mapping[int, int], ...]


@dataclass(frozen=True, slots=True)
class PrefixResult:
    """What was measured on a set: for each prefix and each measure a number a question."""

    name: str
    documents: int
    questions: tuple[str, ...]
    values: Mapping[int, Mapping[str, npt.NDArray[np.float64]]]

    def mean(self, dim: int, measure: str) -> float:
        """The mean of a measure at a prefix."""
        return float(self.values[dim][measure].mean())

    def line(self, measure: str = "nDCG@10") -> str:
        """A measure at every prefix, in a line."""
        told = "  ".join(f"{dim} {self.mean(dim, measure):.4f}".replace(" 0.", " .") for dim in self.values)
        return f"{self.name} {measure}: {told}"

    def to_dict(self) -> dict[str, Any]:
        """Means with their bounds, and the values of each question, as JSON can hold them."""
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
    """A BEIR folder: corpus.jsonl (or .gz), queries.jsonl and qrels/SPLIT.tsv; a title stands before its text."""
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
def search_nearest(questions: Tensor, documents: Tensor, dim: int, depth: int = _DEPTH) -> Ints:
    """The rows of the documents nearest to each question by the cosine of the first `dim` numbers, best first."""
    there = functional.normalize(documents[:, :dim].float(), dim=-1)
    parts = []
    for start in range(0, len(questions), _BLOCK):
        here = functional.normalize(questions[start : start + _BLOCK, :dim].float(), dim=-1)
        parts.append((here @ there.T).topk(min(depth, len(there)), dim=1).indices.cpu())
    found: Ints = torch.cat(parts).numpy()
    return found


def evaluate_prefixes(encode: EncodeTexts, beir: BeirSet, dims: Sequence[int]) -> PrefixResult:
    """Measure texts' vectors on a set, at every one of some prefixes; those beyond the vectors' width are their
    whole.
    """
    documents, questions = encode(beir.texts, "passage"), encode(beir.asked, "question")
    width = documents.shape[1]
    values: dict[int, dict[str, npt.NDArray[np.float64]]] = {}
    for dim in dict.fromkeys(min(dim, width) for dim in dims):
        values[dim] = measure_rankings(list(search_nearest(questions, documents, dim)), beir.judged, " ".join(MEASURES))
    return PrefixResult(beir.name, len(beir.documents), beir.questions, values)
