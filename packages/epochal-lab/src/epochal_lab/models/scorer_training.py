"""Train the relevance model on questions over several corpora, and calibrate its probabilities by searches."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.ingest import read_times
from epochal.ranking.relevance import RelevanceModel
from epochal_lab.datasets.timed.corpora import load_corpus
from epochal_lab.datasets.timed.other_words import OTHER_WORDS, list_collections
from epochal_lab.datasets.timed.questions import TimedCorpus, TimedQuestion
from epochal_lab.models.calibration import SearchRows, collect_searches, fit_calibration
from epochal_lab.models.relevance import RelevanceExample, collect_examples, fit_relevance, summarise

__all__ = ["CORPORA", "ScorerTraining", "TrainedScorer"]

#: Small collections that say how sure outcomes are, together as one corpus, and nothing else.
CALIBRATING: Final = tuple(f"{OTHER_WORDS}_{name}" for name in list_collections("train"))
CORPORA: Final = (
    "changelogs", "changelogs_series", "current_events", "law_asof", "tdbench", "terms", "forecasts", "timeqa", "tnp",
    "chronoqa", "news_zh", "annals", "scifact", *CALIBRATING,
)  # fmt: skip
#: The encoders by which these are searched.
ENCODERS: Final = ("static", "minilm")
#: Corpora of the same documents: who leaves one out leaves out all of them.
_SAME: Final = (frozenset(("changelogs", "changelogs_series")), frozenset(("chronoqa", "news_zh")))
#: Corpora whose questions name what other corpora do not have.
_NAMING: Final = ("changelogs", "current_events", "law_asof", "tdbench", "terms", "forecasts", "timeqa")
#: Questions of other corpora, as a share of those of a corpus.
_FOREIGN: Final = 6
#: More questions without an answer, as a share.
_UNANSWERABLE: Final = 3


@dataclass(frozen=True, slots=True, eq=False)
class TrainedScorer:
    """The model of all corpora, those without each corpus, and how well each corpus is judged."""

    model: RelevanceModel
    left_out: Mapping[str, RelevanceModel]
    summaries: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ScorerTraining:
    """How to train: the corpora, the folder of their indexes, and how many questions of each.

    Indexes that are in the folder are used as they are. `jobs` processes work at a time. `kept` are models that are
    fitted already, the whole one under "" and those without a corpus under its name: only their probabilities are.
    """

    names: tuple[str, ...]
    home: Path
    questions: int = 160
    encoder: str = "static"
    seed: int = 0
    jobs: int = 1
    kept: Mapping[str, RelevanceModel] = field(default_factory=dict)

    def run(self, *, leave_out: bool, report: Callable[[str], None]) -> TrainedScorer:
        """Collect examples, fit the model with all corpora, and without each of them where that is wanted.

        Probabilities of hits and outcomes are calibrated by searches of each corpus with a model that has not seen it.
        """
        names = [name for name in self.names if name not in CALIBRATING]
        if not names:
            raise EpochalError(
                f"{', '.join(self.names)} say how sure outcomes are and train no model; accepted beside them: any of "
                f"{', '.join(name for name in CORPORA if name not in CALIBRATING)}"
            )
        samples = {name: self._sample(load_corpus(name, seed=self.seed).select("train")) for name in names}
        asked = [[*samples[name], *self._take_foreign(name, samples)] for name in names]
        settings = [(name, self.home / name, self.encoder, self.seed) for name in names]
        with ExitStack() as stack:
            pool = None
            if self.jobs > 1:
                pool = stack.enter_context(ProcessPoolExecutor(self.jobs, get_context("spawn")))
            run: Callable[..., Iterable[Any]] = map if pool is None else pool.map
            sets: dict[str, list[RelevanceExample]] = {}
            for name, items in zip(names, run(_collect, settings, asked), strict=True):
                sets[name] = items
                report(f"epochal: {name}: {len(items)} questions")
            left = [name for name in names if leave_out and set(names) - _get_group(name)]
            models = self._fit(["", *left], sets, run)
            summaries = [
                {"left_out" if name in left else "corpus": name, **summarise(models.get(name, models[""]), items)}
                for name, items in sets.items()
            ]
            report("epochal: the models are fitted; their probabilities follow")
            searching = [models.get(name, models[""]) for name in names]
            searches: dict[str, SearchRows] = dict(zip(names, run(_search, settings, asked, searching), strict=True))
            searches |= self._search_other_words(models[""], run)
            unseen = [_drop_group(searches, name) for name in models]
            calibrated = dict(zip(models, run(fit_calibration, models.values(), unseen), strict=True))
        return TrainedScorer(calibrated.pop(""), calibrated, summaries)

    def _search_other_words(self, model: RelevanceModel, run: Callable[..., Iterable[Any]]) -> dict[str, SearchRows]:
        """Searches of the small collections, as of one corpus: how near a text comes depends on the encoder."""
        names = [name for name in self.names if name in CALIBRATING]
        if not names:
            return {}
        asked = [load_corpus(name, seed=self.seed).questions for name in names]
        settings = [(name, self.home / f"{name}-{item}", item, self.seed) for item in ENCODERS for name in names]
        parts = list(run(_search, settings, asked * len(ENCODERS), repeat(model)))
        return {OTHER_WORDS: SearchRows.join(parts)}

    def _fit(
        self, without: Sequence[str], sets: Mapping[str, list[RelevanceExample]], run: Callable[..., Iterable[Any]]
    ) -> dict[str, RelevanceModel]:
        """The model without each of some corpora, "" for none; those that are kept as they are."""
        new = [name for name in without if name not in self.kept]
        parts = [_drop_group(sets, name) for name in new]
        fitted = dict(zip(new, run(fit_relevance, parts, repeat(self.seed)), strict=True))
        return {name: self.kept.get(name) or fitted[name] for name in without}

    def _sample(self, corpus: TimedCorpus) -> list[TimedQuestion]:
        """Questions of every kind, and more of those that have no answer."""
        sample = list(corpus.sample(self.questions, self.seed).questions)
        taken = {item.id for item in sample}
        others = [item for item in corpus.questions if not item.answerable and item.id not in taken]
        count = min(len(others), self.questions // _UNANSWERABLE)
        return [*sample, *random.Random(self.seed).sample(others, count)]

    def _take_foreign(self, name: str, samples: Mapping[str, Sequence[TimedQuestion]]) -> list[TimedQuestion]:
        """Questions of other corpora, whose topics this one does not have."""
        foreign = [
            item
            for other, items in samples.items()
            if other in _NAMING and other not in _get_group(name)
            for item in items
            if item.answerable
        ]
        count = min(len(foreign), self.questions // _FOREIGN)
        return [
            replace(
                item,
                corpus=name,
                kind="absent_name",
                outcome="topic_unknown",
                relevant=frozenset(),
                on_topic=frozenset(),
                unjudged=frozenset(),
                as_of=None,
                absent="",
            )
            for item in random.Random(f"{name}-{self.seed}").sample(foreign, count)
        ]


def _get_group(name: str) -> frozenset[str]:
    return next((group for group in _SAME if name in group), frozenset((name,)))


def _drop_group(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What belongs to other documents than those of a corpus."""
    return {other: value for other, value in values.items() if other not in _get_group(name)}


#: The name of a corpus, the folder of its index, the encoder and the seed.
_Settings = tuple[str, Path, str, int]


def _collect(settings: _Settings, questions: Sequence[TimedQuestion]) -> list[RelevanceExample]:
    with _open_index(settings) as index:
        return collect_examples(index, questions)


def _search(settings: _Settings, questions: Sequence[TimedQuestion], model: RelevanceModel) -> SearchRows:
    with _open_index(settings) as index:
        return collect_searches(index, questions, model)


def _open_index(settings: _Settings) -> Index:
    """The index of a corpus, which is made where there is none."""
    name, folder, encoder, seed = settings
    if not folder.exists():
        corpus = load_corpus(name, seed=seed)
        # What is read in sequence is in a language that no encoder here knows.
        with Index.create(folder, encoder=encoder if corpus.read is None else None) as index:
            index.add(list(corpus.documents), read=read_times if corpus.read is None else corpus.read)
    return Index.open(folder)
