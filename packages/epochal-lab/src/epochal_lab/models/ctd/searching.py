"""Search with a CTD model: exact search in numpy, the evaluation of a split, and result files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from epochal.errors import EpochalError, StorageError
from epochal.storage.importers.beir import ranked, write_run
from epochal_lab.metrics.functions import measure_rankings
from epochal_lab.metrics.significance import bootstrap_mean
from epochal_lab.models.ctd.data import Collection, CTDQuestion, ProtocolMode, read_collection
from epochal_lab.models.ctd.model import CTD, Side, check_search_mode
from epochal_lab.models.texts import CollectionTokens, TokenizedTexts
from epochal_lab.models.training.checkpoint import write_json
from epochal_lab.models.training.device import autocast, batches_by_length

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

#: Cells of the bias table: forty per month on an axis of 255 years, so that rounding is negligible.
RESOLUTION = 1 << 17
_MAX_TOKENS = 1 << 16
#: The number of records per ranking.
DEPTH = 100
#: Measures of each question; hit@k is what the paper calls recall.
MEASURES: Final = ("hit@1", "hit@5", "hit@10", "MRR@10", "nDCG@10", "R@10", "R@100")
#: The candidate weights of the text part relative to the time part.
MIXING_WEIGHTS = (0.0, 0.1, 0.25, 0.5, 1.0)
_RESAMPLES: Final = 2_000
_SEED: Final = 7


class GalleryHits(NamedTuple):
    """The best records of each question, best first: rows and scores."""

    rows: Ints
    scores: Floats


@dataclass(frozen=True)
class Gallery:
    """Records to search, as vectors and, with a bias, as positions on the axis (0 to 1).

    `scale` multiplies the inner product (1 / temperature), and `table` holds the bias at even distances from -1 to 1.
    Scores equal those of the model except for the rounding of distances.

    >>> records = np.eye(3, dtype=np.float32)
    >>> table = np.array([0, 0, 0, 9, 0], dtype=np.float32)  # half the axis later is best
    >>> gallery = Gallery(records, np.array([0, 0.5, 1], dtype=np.float32), table, scale=1.0)
    >>> gallery.search(records[:1], np.array([0], dtype=np.float32), 2).rows.tolist()
    [[1, 0]]
    """

    records: Floats
    positions: Floats | None = None
    table: Floats | None = None
    scale: float = 1.0
    block: int = 1 << 15
    _cells: Ints = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.records.ndim != 2:
            raise EpochalError(f"the records are an array of shape {self.records.shape}; accepted: one row a record")
        if (self.positions is None) != (self.table is None):
            raise EpochalError("a bias needs the positions of the records and a table; one of them is missing")
        cells = np.zeros(0, np.int32)
        if self.positions is not None and self.table is not None:
            if self.positions.shape != self.records.shape[:1]:
                raise EpochalError(
                    f"{len(self.records)} records have {self.positions.shape} positions; accepted: one each"
                )
            if len(self.table) % 2 == 0 or self.table.ndim != 1:
                raise EpochalError(f"the table has the shape {self.table.shape}; accepted: an odd number of values")
            cells = np.rint(np.clip(self.positions, 0, 1) * self.resolution).astype(np.int32)
        object.__setattr__(self, "_cells", cells)

    @property
    def resolution(self) -> int:
        """The number of table cells per length of the axis."""
        return 0 if self.table is None else len(self.table) // 2

    def compute_scores(
        self, questions: Floats, positions: Floats | None = None, start: int = 0, stop: int | None = None
    ) -> Floats:
        """Return the scores of questions (rows) with the records from `start` to `stop` (columns).

        >>> Gallery(np.eye(2, dtype=np.float32), scale=20.0).compute_scores(np.eye(2, dtype=np.float32)[:1]).tolist()
        [[20.0, 0.0]]
        """
        # Scaling the questions is cheaper than scaling their scores.
        scored: Floats = (questions * np.float32(self.scale)) @ self.records[start:stop].T
        if self.table is None:
            return scored
        if positions is None or positions.shape != questions.shape[:1]:
            raise EpochalError(f"{len(questions)} questions need a position on the axis each to look up the bias")
        middle = self.resolution
        question_cells = np.rint(np.clip(positions, 0, 1) * middle).astype(np.int64)
        cells = self._cells[start:stop]
        for row, cell in enumerate(question_cells.tolist()):
            # The table, shifted to the question's position, is indexed by the records' cells.
            scored[row] += self.table[middle - cell : 2 * middle - cell + 1].take(cells)
        return scored

    def search(self, questions: Floats, positions: Floats | None, k: int) -> GalleryHits:
        """Return the k best records of each question, exactly; ties go to the earlier record.

        >>> Gallery(np.eye(3, dtype=np.float32)).search(np.eye(3, dtype=np.float32)[1:2], None, 1).rows.tolist()
        [[1]]
        """
        if k < 1:
            raise EpochalError(f"k is {k}; accepted: a whole number from 1")
        if questions.ndim != 2 or questions.shape[1] != self.records.shape[1]:
            raise EpochalError(
                f"questions of shape {questions.shape} do not fit records of {self.records.shape[1]} dimensions"
            )
        rows: list[Ints] = []
        scores: list[Floats] = []
        for start in range(0, len(self.records), self.block):
            scored = self.compute_scores(questions, positions, start, start + self.block)
            best = _select_top(scored, k)
            rows.append(best + start)
            scores.append(np.take_along_axis(scored, best, axis=1))
        if not rows:
            return GalleryHits(np.zeros((len(questions), 0), np.int64), np.zeros((len(questions), 0), np.float32))
        every, scored = np.concatenate(rows, axis=1), np.concatenate(scores, axis=1)
        # By score, then by row: `_select_top` does not sort.
        order = np.lexsort((every, -scored), axis=1)[:, :k]
        return GalleryHits(np.take_along_axis(every, order, axis=1), np.take_along_axis(scored, order, axis=1))

    def select(self, rows: Sequence[int] | Ints) -> Gallery:
        """Return the gallery of some of the records."""
        selected = np.asarray(rows, dtype=np.int64)
        positions = None if self.positions is None else self.positions[selected]
        return Gallery(self.records[selected], positions, self.table, self.scale, self.block)


def _select_top(scored: Floats, k: int) -> Ints:
    """Return the k best columns of each row, ties at the last score by column; in no order."""
    if scored.shape[1] <= k:
        return np.tile(np.arange(scored.shape[1]), (len(scored), 1))
    best = np.argpartition(scored, scored.shape[1] - k, axis=1)[:, -k:].astype(np.int64)
    lowest = np.take_along_axis(scored, best, axis=1).min(axis=1)
    tied = (scored >= lowest[:, None]).sum(axis=1) > k
    for row in np.flatnonzero(tied):
        above = np.flatnonzero(scored[row] > lowest[row])
        equal = np.flatnonzero(scored[row] == lowest[row])
        best[row] = np.concatenate([above, equal])[:k]
    return best


@dataclass(frozen=True, slots=True)
class EncodedTexts:
    """Texts as vectors of the bare encoder (`bare`), vectors with the context (`full`), and positions on the axis."""

    bare: Floats
    full: Floats
    positions: Floats | None


@torch.no_grad()
def encode_texts(model: CTD, texts: TokenizedTexts, side: Side, precision: str = "fp32") -> EncodedTexts:
    """Encode texts of one side, in batches of similar length."""
    device = next(model.parameters()).device
    was_training = model.training
    model.eval()
    bare: Floats = np.zeros((len(texts), model.backbone.width), np.float32)
    full: Floats | None = None
    positions: Floats | None = None
    groups = batches_by_length(texts.lengths.tolist(), max_tokens=_MAX_TOKENS, seed=0, epoch=0)
    for rows in groups:
        batch = texts.batch(rows).to(device)
        with autocast(precision, device):
            output = model(batch.ids, batch.mask, side)
        bare[rows] = model.temporal.compute_vectors(output, side, context=False).cpu().numpy()
        here = model.temporal.compute_vectors(output, side).cpu().numpy()
        if full is None:
            full = np.zeros((len(texts), here.shape[1]), np.float32)
        full[rows] = here
        if output.position is not None:
            positions = np.zeros(len(texts), np.float32) if positions is None else positions
            positions[rows] = output.position.cpu().numpy()
    model.train(was_training)
    return EncodedTexts(bare, bare if full is None else full, positions)


def build_gallery(model: CTD, records: EncodedTexts, mode: str) -> Gallery:
    """Build the gallery of the records for a search mode."""
    check_search_mode(mode)
    scale = 1 / model.settings.temperature
    if mode == "enc_only":
        return Gallery(records.bare, scale=scale)
    bias = model.temporal.bias
    if mode == "ctx" or bias is None:
        return Gallery(records.full, scale=scale)
    if records.positions is None:
        raise EpochalError("the bias needs positions on the axis, and the model has no heads that predict them")
    return Gallery(records.full, records.positions, bias.table(RESOLUTION), scale)


def select_question_vectors(model: CTD, questions: EncodedTexts, mode: str, mix: float = 1.0) -> Floats:
    """Return the questions' vectors for a search mode; `mix` weights the text part where text and time are
    concatenated.
    """
    check_search_mode(mode)
    if mode == "enc_only":
        return questions.bare
    width = model.backbone.width
    if mix == 1.0 or questions.full.shape[1] == width:
        return questions.full
    mixed: Floats = questions.full.copy()
    mixed[:, :width] *= mix
    return mixed


@dataclass(frozen=True, slots=True)
class EncodedSplit:
    """The encoded records and the encoded questions of a split, so that many modes need one encoding."""

    collection: Collection
    split: str
    records: EncodedTexts
    questions: EncodedTexts
    rows: dict[str, int]


@dataclass(frozen=True, slots=True)
class SplitResult:
    """The result of a search mode: ranked rows and scores by question, and the measures."""

    mode: ProtocolMode
    search: str
    split: str
    ranked: dict[str, list[tuple[int, float]]]
    answers: dict[str, frozenset[int]]
    measures: dict[str, dict[str, float]]
    families: dict[str, str]

    def mean(self, measure: str) -> float:
        """Return the mean of a measure over all questions; 0 if there are none."""
        values = [row[measure] for row in self.measures.values()]
        return float(np.mean(values)) if values else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return means with confidence bounds, overall and by family, and the values of each question."""
        groups = {"all": self.measures}
        for family in sorted(set(self.families.values())):
            groups[family] = {name: row for name, row in self.measures.items() if self.families[name] == family}
        return {
            "mode": str(self.mode),
            "search": self.search,
            "split": self.split,
            "families": {name: summarise_measures(rows) for name, rows in groups.items()},
            "questions": {
                name: {key: round(value, 6) for key, value in row.items()} for name, row in self.measures.items()
            },
        }


def encode_split(
    model: CTD,
    collection: Collection,
    tokens: CollectionTokens,
    split: str,
    precision: str = "fp32",
    records: EncodedTexts | None = None,
) -> EncodedSplit:
    """Encode all records (unless given) and the questions of a split."""
    selected = [number for number, question in enumerate(collection.questions) if question.split == split]
    rows = {collection.questions[number].id: row for row, number in enumerate(selected)}
    encoded_records = records or encode_texts(model, tokens.records, "record", precision)
    return EncodedSplit(
        collection,
        split,
        encoded_records,
        encode_texts(model, tokens.questions.select(selected), "question", precision),
        rows,
    )


def search_split(
    model: CTD,
    collection: Collection,
    tokens: CollectionTokens,
    split: str,
    modes: Sequence[ProtocolMode],
    searches: Sequence[str],
    *,
    mix: float = 1.0,
    precision: str = "fp32",
) -> list[SplitResult]:
    """Search a split with every search mode, in every mode of the protocol."""
    encoded = encode_split(model, collection, tokens, split, precision)
    return list(search_encoded(model, encoded, modes, searches, mix))


def search_encoded(
    model: CTD, encoded: EncodedSplit, modes: Sequence[ProtocolMode], searches: Sequence[str], mix: float = 1.0
) -> Iterator[SplitResult]:
    """Yield the result of every search mode in every mode of the protocol, from vectors; computed lazily."""
    for search in searches:
        every = build_gallery(model, encoded.records, search)
        vectors = select_question_vectors(model, encoded.questions, search, mix)
        for mode in modes:
            rows = np.array(mode.select_gallery(encoded.collection), dtype=np.int64)
            questions = mode.select_questions(encoded.collection, encoded.split)
            selected = np.array([encoded.rows[question.id] for question in questions], dtype=np.int64)
            positions = None if encoded.questions.positions is None else encoded.questions.positions[selected]
            gallery = every.select(rows)
            hits = gallery.search(vectors[selected], positions, DEPTH)
            ranked = {
                question.id: list(zip(rows[line].tolist(), scores.tolist(), strict=True))
                for question, line, scores in zip(questions, hits.rows, hits.scores, strict=True)
            }
            yield _build_result(mode, search, encoded, questions, ranked, set(rows.tolist()))


def select_mixing_weight(
    model: CTD, encoded: EncodedSplit, mode: ProtocolMode, search: str
) -> tuple[float, SplitResult]:
    """Return the weight of the text part with the highest MRR@10, and its result.

    Words of training records say more about those records than about others, so their weight is chosen on questions
    that were not trained on. There is nothing to choose unless text and time are concatenated.
    """
    side_by_side = model.settings.context in ("concat", "likelihood") and search != "enc_only"
    tried = {
        mix: next(search_encoded(model, encoded, [mode], [search], mix))
        for mix in (MIXING_WEIGHTS if side_by_side else (1.0,))
    }
    best = max(tried, key=lambda mix: (tried[mix].mean("MRR@10"), mix))
    return best, tried[best]


def evaluate_transfer(model: CTD, folder: Path | str, precision: str = "fp32") -> SplitResult:
    """Search another collection with the bare encoder: its months lie on an axis that the heads do not know."""
    other = read_collection(folder)
    tokens = model.tokenize([one.text for one in other.questions], [one.text for one in other.records])
    mode = ProtocolMode(neg=True, ne=True, dq=False)
    (result,) = search_split(model, other, tokens, "test", [mode], ["enc_only"], precision=precision)
    return result


def summarise_measures(rows: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Return the means of the measures with bootstrap bounds, and the number of questions."""
    summary: dict[str, Any] = {"questions": len(rows)}
    for name in MEASURES if rows else ():
        interval = bootstrap_mean((row[name] for row in rows.values()), resamples=_RESAMPLES, seed=_SEED)
        bounds = (("mean", interval.mean), ("low", interval.low), ("high", interval.high))
        summary[name] = {key: round(value, 4) for key, value in bounds}
    return summary


def _build_result(
    mode: ProtocolMode,
    search: str,
    encoded: EncodedSplit,
    questions: Sequence[CTDQuestion],
    ranked: dict[str, list[tuple[int, float]]],
    searched_rows: set[int],
) -> SplitResult:
    answers = {question.id: frozenset(question.answers) & searched_rows for question in questions}
    if without := [name for name, right in answers.items() if not right]:
        raise EpochalError(f"question {without[0]!r} has no answer in the gallery; accepted: one or more")
    lists = [[row for row, _ in hits] for hits in ranked.values()]
    values = measure_rankings(lists, [answers[name] for name in ranked], " ".join(MEASURES))
    measures = {
        name: {measure: float(scores[index]) for measure, scores in values.items()} for index, name in enumerate(ranked)
    }
    families = {question.id: question.family for question in questions}
    return SplitResult(mode, search, encoded.split, ranked, answers, measures, families)


def write_results(folder: Path, collection: Collection, outcomes: Sequence[SplitResult], facts: dict[str, Any]) -> None:
    """Write metrics.json, runs/SPLIT.MODE.SEARCH.trec, and qrels/SPLIT.MODE.tsv with the answers among the searched
    records.
    """
    names = [record.id for record in collection.records]
    for outcome in outcomes:
        stem = f"{outcome.split}.{outcome.mode}"
        rows = (
            row
            for question, hits in outcome.ranked.items()
            for row in ranked(
                question, ((names[row_number], score) for row_number, score in hits), f"ctd-{outcome.search}"
            )
        )
        path = folder / "runs" / f"{stem}.{outcome.search.replace('+', '_')}.trec"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_run(path, rows)
        _write_lines(
            folder / "qrels" / f"{stem}.tsv",
            (f"{question}\t{names[row]}\t1" for question, right in outcome.answers.items() for row in sorted(right)),
        )
    write_json(folder / "metrics.json", {**facts, "outcomes": [outcome.to_dict() for outcome in outcomes]})


def format_result(outcome: SplitResult) -> str:
    """Format a result in one line."""
    means = ", ".join(f"{name} {outcome.mean(name):.4f}" for name in MEASURES[:-1])
    return f"{outcome.split} {outcome.mode} {outcome.search}: {means}"


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in ("query-id\tcorpus-id\tscore", *lines)), encoding="utf-8")
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error
