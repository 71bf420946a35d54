"""Train the relevance model on questions over several corpora, and calibrate its probabilities by searches."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from epochal.api import Index
from epochal.ingest import read_times
from epochal.ranking.relevance import RelevanceModel
from epochal_lab.datasets.timed.corpora import load_corpus
from epochal_lab.datasets.timed.questions import TimedCorpus, TimedQuestion
from epochal_lab.models.calibration import SearchRows, collect_searches, fit_calibration
from epochal_lab.models.relevance import RelevanceExample, collect_examples, fit_relevance, summarise

__all__ = ["CORPORA", "ScorerTraining", "TrainedScorer"]

CORPORA: Final = (
    "changelogs", "changelogs_series", "current_events", "law_asof", "tdbench", "terms", "forecasts", "timeqa", "tnp",
    "chronoqa", "news_zh", "annals", "scifact",
)  # fmt: skip
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

    Indexes that are in the folder are used as they are. `jobs` processes work at a time.
    """

    names: tuple[str, ...]
    home: Path
    questions: int = 160
    encoder: str = "static"
    seed: int = 0
    jobs: int = 1

    def run(self, *, leave_out: bool, report: Callable[[str], None]) -> TrainedScorer:
        """Collect examples, fit the model with all corpora, and without each of them where that is wanted.

        Probabilities of hits and outcomes are calibrated by searches of each corpus with a model that has not seen it.
        """
        names = self.names
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
            parts = [sets, *(_drop_group(sets, name) for name in left)]
            model, *others = run(fit_relevance, parts, repeat(self.seed))
            left_out: dict[str, RelevanceModel] = dict(zip(left, others, strict=True))
            summaries = [
                {"left_out" if name in left_out else "corpus": name, **summarise(left_out.get(name, model), items)}
                for name, items in sets.items()
            ]
            report("epochal: the models are fitted; their probabilities follow")
            models = [left_out.get(name, model) for name in names]
            searches: dict[str, SearchRows] = dict(zip(names, run(_search, settings, asked, models), strict=True))
            unseen = [searches, *(_drop_group(searches, name) for name in left)]
            model, *others = run(fit_calibration, [model, *others], unseen)
        return TrainedScorer(model, dict(zip(left, others, strict=True)), summaries)

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
    """The examples of a corpus, whose index is made where there is none."""
    name, folder, encoder, seed = settings
    if not folder.exists():
        corpus = load_corpus(name, seed=seed)
        # What is read in sequence is in a language that no encoder here knows.
        with Index.create(folder, encoder=encoder if corpus.read is None else None) as index:
            index.add(list(corpus.documents), read=read_times if corpus.read is None else corpus.read)
    with Index.open(folder) as index:
        return collect_examples(index, questions)


def _search(settings: _Settings, questions: Sequence[TimedQuestion], model: RelevanceModel) -> SearchRows:
    with Index.open(settings[1]) as index:
        return collect_searches(index, questions, model)
