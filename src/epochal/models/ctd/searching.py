"""The questions of a split put to the whole gallery, in modes of the protocol and of search, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from epochal.bench.metrics import measure_rankings
from epochal.bench.metrics.significance import bootstrap_mean
from epochal.errors import EpochalError
from epochal.models.ctd.data import Collection, Question, read_collection
from epochal.models.ctd.encoding import Vectors, encoded, gallery_of, question_vectors
from epochal.models.ctd.model import CTD
from epochal.models.ctd.protocol import Mode
from epochal.models.ctd.texts import Tokens

__all__ = [
    "DEPTH",
    "MEASURES",
    "MIXES",
    "Asked",
    "Outcome",
    "best_mix",
    "outcomes",
    "search_split",
    "searched",
    "summarise_measures",
    "transferred",
]

#: How many records a question is answered with.
DEPTH = 100
#: What is measured of each question; hits are what the paper calls recall.
MEASURES: Final = ("hit@1", "hit@5", "hit@10", "MRR@10", "nDCG@10", "R@10", "R@100")
#: The weights that the words may have beside the time.
MIXES = (0.0, 0.1, 0.25, 0.5, 1.0)
_RESAMPLES: Final = 2_000
_SEED: Final = 7


@dataclass(frozen=True, slots=True)
class Asked:
    """Everything of a split that is searched and asked, as vectors, so that many modes need one encoding.

    >>> from epochal.models.ctd.axis import MonthAxis
    >>> rows = Vectors(np.eye(2, dtype=np.float32), np.eye(2, dtype=np.float32), None)
    >>> Asked(Collection("own", MonthAxis.lu(), (), ()), "val", rows, rows, {"q1": 0, "q2": 1}).rows["q2"]
    1
    """

    collection: Collection
    split: str
    records: Vectors
    questions: Vectors
    rows: dict[str, int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a way of searching found: by question the records' rows and scores, and the measures.

    >>> Outcome(Mode(True, True, False), "ctx", "val", {}, {}, {"q": {"hit@1": 1.0}}, {}).mean("hit@1")
    1.0
    """

    mode: Mode
    search: str
    split: str
    ranked: dict[str, list[tuple[int, float]]]
    answers: dict[str, frozenset[int]]
    measures: dict[str, dict[str, float]]
    families: dict[str, str]

    def mean(self, measure: str) -> float:
        """The mean of a measure over all questions; 0 where there are none.

        >>> Outcome(Mode(True, True, False), "ctx", "val", {}, {}, {}, {}).mean("hit@1")
        0.0
        """
        values = [row[measure] for row in self.measures.values()]
        return float(np.mean(values)) if values else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Means with their bounds, of all questions and by family, and the values of each question.

        >>> Outcome(Mode(True, True, False), "ctx", "val", {}, {}, {}, {}).to_dict()["mode"]
        'neg1_ne1_dq0'
        """
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


def searched(
    model: CTD,
    collection: Collection,
    tokens: Tokens,
    split: str,
    precision: str = "fp32",
    records: Vectors | None = None,
) -> Asked:
    """All records and the questions of a split as vectors; the records' may be there already.

    >>> from epochal.models.backbone import Backbone
    >>> from epochal.models.ctd.axis import MonthAxis, Months
    >>> from epochal.models.ctd.data import Record
    >>> from epochal.models.ctd.settings import CTDSettings
    >>> rows = (("rain", 2), ("snow", 3))
    >>> records = tuple(Record(text, text, "event", "train", Months(month, month)) for text, month in rows)
    >>> asked = (Question("q", "rain", "val", Months(2, 2), (0,), "point", False),)
    >>> made = Collection("own", MonthAxis.lu(), records, asked)
    >>> tiny = CTD(Backbone.tiny(["rain", "snow"]), made.axis, CTDSettings.baseline("ft"))
    >>> tokens = tiny.tokenized(["rain"], ["rain", "snow"])
    >>> searched(tiny, made, tokens, "val").records.bare.shape
    (2, 32)
    """
    asked = [number for number, question in enumerate(collection.questions) if question.split == split]
    rows = {collection.questions[number].id: place for place, number in enumerate(asked)}
    told = records or encoded(model, tokens.records, "record", precision)
    return Asked(collection, split, told, encoded(model, tokens.questions.kept(asked), "question", precision), rows)


def search_split(
    model: CTD,
    collection: Collection,
    tokens: Tokens,
    split: str,
    modes: Sequence[Mode],
    searches: Sequence[str],
    *,
    mix: float = 1.0,
    precision: str = "fp32",
) -> list[Outcome]:
    """What each way of searching finds in each mode of the protocol.

    >>> from epochal.models.backbone import Backbone
    >>> from epochal.models.ctd.axis import MonthAxis, Months
    >>> from epochal.models.ctd.data import Record
    >>> from epochal.models.ctd.settings import CTDSettings
    >>> rows = (("rain", 2), ("snow", 3))
    >>> records = tuple(Record(text, text, "event", "train", Months(month, month)) for text, month in rows)
    >>> asked = (Question("q", "rain", "val", Months(2, 2), (0,), "point", False),)
    >>> made = Collection("own", MonthAxis.lu(), records, asked)
    >>> tiny = CTD(Backbone.tiny(["rain", "snow"]), made.axis, CTDSettings.baseline("ft"))
    >>> tokens = tiny.tokenized(["rain"], ["rain", "snow"])
    >>> (found,) = search_split(tiny, made, tokens, "val", [Mode(neg=True, ne=False, dq=True)], ["enc_only"])
    >>> found.mean("hit@1")
    1.0
    """
    asked = searched(model, collection, tokens, split, precision)
    return list(outcomes(model, asked, modes, searches, mix))


def outcomes(
    model: CTD, asked: Asked, modes: Sequence[Mode], searches: Sequence[str], mix: float = 1.0
) -> Iterator[Outcome]:
    """The same, from vectors that are there already; nothing is asked before the first is wanted.

    >>> list(outcomes(None, None, modes=[], searches=[]))  # no way of searching, nothing found
    []
    """
    for search in searches:
        every = gallery_of(model, asked.records, search)
        vectors = question_vectors(model, asked.questions, search, mix)
        for mode in modes:
            rows = np.array(mode.gallery(asked.collection), dtype=np.int64)
            questions = mode.questions(asked.collection, asked.split)
            places = np.array([asked.rows[question.id] for question in questions], dtype=np.int64)
            where = None if asked.questions.places is None else asked.questions.places[places]
            gallery = every.kept(rows)
            found = gallery.search(vectors[places], where, DEPTH)
            ranked = {
                question.id: list(zip(rows[line].tolist(), scores.tolist(), strict=True))
                for question, line, scores in zip(questions, found.rows, found.scores, strict=True)
            }
            yield _outcome(mode, search, asked, questions, ranked, set(rows.tolist()))


def best_mix(model: CTD, asked: Asked, mode: Mode, search: str) -> tuple[float, Outcome]:
    """The weight of the words with which answers stand highest, and what is found with it.

    Words that were trained on say more of their own records than of others, so how much they count is chosen on
    questions that were not. There is nothing to choose where words and time are not side by side.

    >>> from epochal.models.backbone import Backbone
    >>> from epochal.models.ctd.axis import MonthAxis, Months
    >>> from epochal.models.ctd.data import Record
    >>> from epochal.models.ctd.settings import CTDSettings
    >>> records = (Record("a", "rain", "event", "train", Months(2, 2)),)
    >>> asked = (Question("q", "?", "val", Months(2, 2), (0,), "point", False),)
    >>> made = Collection("own", MonthAxis.lu(), records, asked)
    >>> tiny = CTD(Backbone.tiny(["rain"]), made.axis, CTDSettings.improved())
    >>> best_mix(tiny, searched(tiny, made, tiny.tokenized(["?"], ["rain"]), "val"), Mode(True, False, True), "ctx")[0]
    1.0
    """
    side_by_side = model.settings.context in ("concat", "likelihood") and search != "enc_only"
    tried = {mix: next(outcomes(model, asked, [mode], [search], mix)) for mix in (MIXES if side_by_side else (1.0,))}
    best = max(tried, key=lambda mix: (tried[mix].mean("MRR@10"), mix))
    return best, tried[best]


def transferred(model: CTD, folder: Path | str, precision: str = "fp32") -> Outcome:
    """What the bare encoder finds in another set, whose months lie on an axis that the heads know nothing of.

    >>> from epochal.models.backbone import Backbone
    >>> from epochal.models.ctd.axis import MonthAxis
    >>> from epochal.models.ctd.settings import CTDSettings
    >>> transferred(CTD(Backbone.tiny(["rain"]), MonthAxis.lu(), CTDSettings.official()), "nowhere")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: nowhere/corpus.jsonl: cannot be read: No such file or directory
    """
    other = read_collection(folder)
    tokens = model.tokenized([one.text for one in other.questions], [one.text for one in other.records])
    mode = Mode(neg=True, ne=True, dq=False)
    (found,) = search_split(model, other, tokens, "test", [mode], ["enc_only"], precision=precision)
    return found


def summarise_measures(rows: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Means of the measures of some questions with their bootstrap bounds, and how many questions there are."""
    summary: dict[str, Any] = {"questions": len(rows)}
    for name in MEASURES if rows else ():
        found = bootstrap_mean((row[name] for row in rows.values()), resamples=_RESAMPLES, seed=_SEED)
        bounds = (("mean", found.mean), ("low", found.low), ("high", found.high))
        summary[name] = {key: round(value, 4) for key, value in bounds}
    return summary


def _outcome(
    mode: Mode,
    search: str,
    asked: Asked,
    questions: Sequence[Question],
    ranked: dict[str, list[tuple[int, float]]],
    kept: set[int],
) -> Outcome:
    answers = {question.id: frozenset(question.answers) & kept for question in questions}
    if without := [name for name, right in answers.items() if not right]:
        raise EpochalError(f"question {without[0]!r} has no answer in the gallery; accepted: one or more")
    lists = [[row for row, _ in found] for found in ranked.values()]
    values = measure_rankings(lists, [answers[name] for name in ranked], " ".join(MEASURES))
    measures = {
        name: {measure: float(scores[place]) for measure, scores in values.items()} for place, name in enumerate(ranked)
    }
    families = {question.id: question.family for question in questions}
    return Outcome(mode, search, asked.split, ranked, answers, measures, families)
