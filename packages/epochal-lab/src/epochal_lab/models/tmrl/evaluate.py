"""Encode texts with a network, and measure how well prefixes of the vectors retrieve documents of a BEIR folder."""

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

#: Encodes texts of one side to vectors, one row per text.
EncodeTexts = Callable[[Sequence[str], Side], Tensor]

_MAX_TOKENS: Final = 1 << 16

#: The measures at every prefix, as in the paper and trec_eval.
MEASURES: Final = ("nDCG@10", "R@10", "R@100")
_DEPTH: Final = 100
_BLOCK: Final = 1024
_RESAMPLES: Final = 2_000
_SEED: Final = 7
Ints = npt.NDArray[np.int64]


@torch.no_grad()
def encode_texts(network: TMRLNetwork, texts: TimedTexts, side: Side, precision: str = "fp32") -> Tensor:
    """Return the vectors of texts, one row per text, in float32 on the network's device."""
    device = next(network.parameters()).device
    was_training = network.training
    network.eval()
    vectors: Tensor | None = None
    lengths = texts.texts.lengths.tolist()
    for rows in batches_by_length(lengths, max_tokens=_MAX_TOKENS, seed=0) if lengths else []:
        batch = texts.batch(rows).to(device)
        with autocast(precision, device):
            encoded = network.encode(batch, side).vectors.float()
        if vectors is None:
            vectors = torch.zeros(len(texts), encoded.shape[1], device=device)
        vectors[torch.from_numpy(np.asarray(rows))] = encoded
    network.train(was_training)
    return torch.zeros(0, network.width, device=device) if vectors is None else vectors


def build_text_encoder(network: TMRLNetwork, precision: str = "fp32", *, text_only: bool = False) -> EncodeTexts:
    """Return a function from texts to vectors, with the prefixes and lengths of the network's settings.

    If a second encoder reads time expressions, the tagger finds them; with `text_only` it is not used, as for
    collections without times.
    """
    settings = network.settings
    times = settings.has_two_encoders and not text_only

    def encode(texts: Sequence[str], side: Side) -> Tensor:
        tokenized = tokenize_timed(
            network.reader,
            texts,
            [find_time_ranges(text) for text in texts] if times else None,
            prefix=settings.question_prefix if side == "question" else settings.passage_prefix,
            max_length=settings.max_length,
            times=times,
        )
        return encode_texts(network, tokenized, side, precision)

    return encode


@dataclass(frozen=True, slots=True)
class BeirSet:
    """Documents, questions with an answer among them, and relevance grades by question."""

    name: str
    documents: tuple[str, ...]
    texts: tuple[str, ...]
    questions: tuple[str, ...]
    question_texts: tuple[str, ...]
    judged: tuple[Mapping[int, int], ...]


@dataclass(frozen=True, slots=True)
class PrefixResult:
    """Measures of a set: for each prefix and each measure one value per question."""

    name: str
    documents: int
    questions: tuple[str, ...]
    values: Mapping[int, Mapping[str, npt.NDArray[np.float64]]]

    def mean(self, dim: int, measure: str) -> float:
        """Return the mean of a measure at a prefix."""
        return float(self.values[dim][measure].mean())

    def line(self, measure: str = "nDCG@10") -> str:
        """Format a measure at every prefix in one line."""
        means = "  ".join(f"{dim} {self.mean(dim, measure):.4f}".replace(" 0.", " .") for dim in self.values)
        return f"{self.name} {measure}: {means}"

    def to_dict(self) -> dict[str, Any]:
        """Return means with their bounds, and the values of each question, in a form for JSON."""
        dims: dict[str, Any] = {}
        for dim, measures in self.values.items():
            here = dims[str(dim)] = {}
            for name, values in measures.items():
                interval = bootstrap_mean(values, resamples=_RESAMPLES, seed=_SEED)
                here[name] = {
                    "mean": round(interval.mean, 5),
                    "low": round(interval.low, 4),
                    "high": round(interval.high, 4),
                }
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
    """Read a BEIR folder: corpus.jsonl (or .gz), queries.jsonl and qrels/SPLIT.tsv; titles are put before texts."""
    path = Path(folder)
    file = next((one for one in (path / "corpus.jsonl", path / "corpus.jsonl.gz") if one.is_file()), None)
    if file is None:
        raise InputError(str(path), 0, "holds no corpus.jsonl; accepted: a BEIR folder")
    documents: dict[str, str] = {}
    for row in json_rows(file, str(file), Meter(0)):
        if row.problem is not None:
            raise InputError(row.file, row.line, row.problem)
        key = row.values.get("_id", row.values.get("id"))
        if not isinstance(key, (str, int)) or isinstance(key, bool):
            raise InputError(row.file, row.line, "the row has no id; accepted: a text or a whole number under '_id'")
        parts = (row.values.get("title"), row.values.get("text"))
        documents[str(key)] = "\n".join(str(part) for part in parts if part)
    judged = read_qrels(path / "qrels" / f"{split}.tsv")
    rows = {name: number for number, name in enumerate(documents)}
    answered = []
    for question in read_queries(path):
        right = {rows[name]: score for name, score in judged.get(question.id, {}).items() if name in rows and score > 0}
        if right:
            answered.append((question.id, question.text, right))
    if not answered:
        raise InputError(str(path), 0, f"holds no question of the split {split!r} with an answer in its corpus")
    return BeirSet(
        path.name,
        tuple(documents),
        tuple(documents.values()),
        tuple(one[0] for one in answered),
        tuple(one[1] for one in answered),
        tuple(one[2] for one in answered),
    )


@torch.no_grad()
def search_nearest(questions: Tensor, documents: Tensor, dim: int, depth: int = _DEPTH) -> Ints:
    """Return the rows of the documents nearest to each question by cosine of the first `dim` dimensions, best first."""
    there = functional.normalize(documents[:, :dim].float(), dim=-1)
    parts = []
    for start in range(0, len(questions), _BLOCK):
        here = functional.normalize(questions[start : start + _BLOCK, :dim].float(), dim=-1)
        parts.append((here @ there.T).topk(min(depth, len(there)), dim=1).indices.cpu())
    rows: Ints = torch.cat(parts).numpy()
    return rows


def evaluate_prefixes(encode: EncodeTexts, beir: BeirSet, dims: Sequence[int]) -> PrefixResult:
    """Measure vectors on a set at several prefixes; prefixes longer than the vectors are the whole vectors."""
    documents, questions = encode(beir.texts, "passage"), encode(beir.question_texts, "question")
    width = documents.shape[1]
    values: dict[int, dict[str, npt.NDArray[np.float64]]] = {}
    for dim in dict.fromkeys(min(dim, width) for dim in dims):
        values[dim] = measure_rankings(list(search_nearest(questions, documents, dim)), beir.judged, " ".join(MEASURES))
    return PrefixResult(beir.name, len(beir.documents), beir.questions, values)
