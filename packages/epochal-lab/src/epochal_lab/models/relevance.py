"""Fit the relevance model of the engine on questions by construction over several corpora.

Each question gives the words of the question with labels (does what is on the topic have it, and do other texts lack
it?), candidates with topic labels, and candidates on the topic with time labels. Every corpus weighs the same, and so
does every question in it. Three logistic models with given signs are fitted one after the other, then the weights of
the topic in the score, then the thresholds of outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.api import Index
from epochal.ranking.pool import Floats, Pool, Scored, get_windows
from epochal.ranking.relevance import (
    TIME_FEATURES,
    TOPIC_CAP,
    TOPIC_FEATURES,
    WORD_FEATURES,
    LinearModel,
    RelevanceModel,
    TopicFeatures,
    measure_time,
    measure_topic,
    measure_words,
)
from epochal.ranking.scorer import WeightedScorer
from epochal.reading.questions.understand import understand
from epochal.search.candidates import collect_candidates, extend_pool
from epochal_lab.datasets.timed.questions import TimedQuestion

__all__ = ["RelevanceExample", "collect_examples", "fit_relevance", "measure_calibration", "predict", "summarise"]

Labels = npt.NDArray[np.int64]

_DEPTH: Final = 100
#: Passages with rare words of titles that are added to the candidates, as a search for the latest adds them.
_NAMED: Final = 300
#: Candidates on the topic, and others, that a question contributes.
_MAX_POSITIVE: Final = 30
_MAX_NEGATIVE: Final = 40
#: Unjudged candidates that are taken to be on the topic of a question whose answers alone are known.
_MAX_LIKELY: Final = 15
#: Weights of the topic that are tried.
_TOPIC_WEIGHTS: Final = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
#: Thresholds this much worse than the best count as equal.
_PLATEAU: Final = 0.01
#: Corpora whose questions ask when a validity begins or ends, which no feature of the time measures.
_NO_TIME: Final = ("tdbench",)
_STEPS: Final = 1500
_RATE: Final = 0.05
_DECAY: Final = 1e-3
#: A word is salient if at least this share of the documents on the topic have it, and so much more than the others.
_MIN_SHARE: Final = 0.8
_MIN_LIFT: Final = 0.3
_CAPITALS: Final = list(WORD_FEATURES).index("capital")


@dataclass(frozen=True, slots=True, eq=False)
class RelevanceExample:
    """One question with its candidates; labels are 1, 0, or -1 where nothing is known."""

    question: TimedQuestion
    features: TopicFeatures
    words: Labels
    topic: Labels
    relevant: Labels
    time: Floats
    has_window: bool
    scores: Floats
    ids: tuple[str, ...] = field(repr=False)


def collect_examples(
    index: Index, questions: Sequence[TimedQuestion], progress: Callable[[int], None] | None = None
) -> list[RelevanceExample]:
    """The examples of questions about the documents of an index."""
    view, scorer = index.view(), WeightedScorer(relevance=None)
    examples = []
    for question in questions:
        understanding = understand(question.text, question.now)
        windows = get_windows(understanding)
        pool = collect_candidates(
            view, index.encoder, question.text, understanding, question.now, windows, None, _DEPTH
        )
        features = measure_words(pool)
        names = list(WORD_FEATURES)
        rare = [
            word
            for word, row in zip(features.words.words, features.words.features, strict=True)
            if row[names.index("in_head")] and row[names.index("rarity")] > 0.25
        ]
        if rare:
            pool = extend_pool(pool, view.search_words(" ".join(rare), _NAMED).rows)
        examples.append(_make_example(question, pool, scorer.score(pool)))
        if progress is not None:
            progress(1)
    return examples


def _make_example(question: TimedQuestion, pool: Pool, scored: Scored) -> RelevanceExample:
    documents, inverse = np.unique(pool.document_rows, return_inverse=True)
    names = [document.id for document in pool.view.get_documents(documents)]
    ids = tuple(names[at] for at in inverse.tolist())
    relevant = np.array([int(id in question.relevant) for id in ids], dtype=np.int64)
    relevant[[id in question.unjudged for id in ids]] = -1
    features = measure_words(pool)
    if question.on_topic is None:
        topic = np.where(relevant == 1, 1, -1)
        if question.outcome == "topic_unknown":
            topic = np.zeros(len(ids), dtype=np.int64)
    else:
        topic = np.array([1 if id in question.on_topic else -1 if id in question.unjudged else 0 for id in ids])
    return RelevanceExample(
        question,
        features,
        _label_words(question, features, topic),
        topic.astype(np.int64),
        relevant,
        measure_time(pool, scored),
        bool(pool.windows),
        scored.scores,
        ids,
    )


def _label_words(question: TimedQuestion, features: TopicFeatures, topic: Labels) -> Labels:
    words = features.words.words
    if question.outcome == "topic_unknown" and question.absent:
        absent = question.absent.lower()
        return np.array([int(word.lower() in absent) for word in words], dtype=np.int64)
    on, off = features.anywhere[topic == 1], features.anywhere[topic == 0]
    if not len(on) or not len(off):
        return np.full(len(words), -1, dtype=np.int64)
    having, lift = on.mean(axis=0), on.mean(axis=0) - off.mean(axis=0)
    labels = np.full(len(words), -1, dtype=np.int64)
    labels[(having >= _MIN_SHARE) & (lift >= _MIN_LIFT)] = 1
    labels[(having < 0.4) | (lift < 0.1)] = 0
    return labels


def fit_relevance(sets: Mapping[str, Sequence[RelevanceExample]], seed: int = 0) -> RelevanceModel:
    """The model that fits the examples of several corpora."""
    rng = np.random.default_rng(seed)
    salience, unknown = _fit_salience(sets, unknown=False), _fit_salience(sets, unknown=True)
    empty = LinearModel(np.zeros(len(TOPIC_FEATURES)), 0.0), LinearModel(np.zeros(len(TIME_FEATURES)), 0.0)
    draft = RelevanceModel(salience, unknown, *empty)
    topic_rows, time_rows = _Rows(), _Rows()
    for corpus, item in _iterate(sets):
        features = measure_topic(item.features, draft.weigh_words(item.features.words))
        positive, negative = np.flatnonzero(item.topic == 1), np.flatnonzero(item.topic == 0)
        rest = rng.permutation(negative[20:])[: _MAX_NEGATIVE - 20]
        sample = np.concatenate([rng.permutation(positive)[:_MAX_POSITIVE], negative[:20], rest])
        if item.features.words.unknown.any() and item.question.outcome == "topic_unknown":
            continue  # the veto of unknown words decides, not the candidates
        topic_rows.add(corpus, features[sample], item.topic[sample])
    model = RelevanceModel(salience, unknown, topic_rows.fit(list(TOPIC_FEATURES.values())), draft.time)
    for corpus, item in _iterate(sets):
        if not item.has_window or not _is_ranked(item) or corpus in _NO_TIME:
            continue
        on = np.flatnonzero((item.topic == 1) & (item.relevant >= 0))
        if item.question.on_topic is None and item.question.answerable:
            # Where only answers are judged, the best others by topic are taken to be on it at another time.
            likely = np.argsort(-predict(model, item)[0], kind="stable")[:_MAX_LIKELY]
            on = np.union1d(on, likely[item.relevant[likely] == 0])
        on = rng.permutation(on)[:60]
        time_rows.add(corpus, item.time[on], item.relevant[on])
    model = replace(model, time=time_rows.fit(list(TIME_FEATURES.values())))
    return fit_thresholds(_fit_score(model, sets), sets)


def _iterate(
    sets: Mapping[str, Sequence[RelevanceExample]],
) -> list[tuple[str, RelevanceExample]]:
    return [(corpus, item) for corpus, items in sets.items() for item in items]


class _Rows:
    """Training rows by corpus: each corpus weighs the same, and each question in it."""

    def __init__(self) -> None:
        self._features: dict[str, list[Floats]] = {}
        self._labels: dict[str, list[Labels]] = {}

    def add(self, corpus: str, features: Floats, labels: Labels) -> None:
        if len(labels):
            self._features.setdefault(corpus, []).append(features)
            self._labels.setdefault(corpus, []).append(labels)

    def fit(self, signs: Sequence[int]) -> LinearModel:
        features = np.concatenate([part for parts in self._features.values() for part in parts])
        labels = np.concatenate([part for parts in self._labels.values() for part in parts])
        weights = np.concatenate(
            [np.full(len(part), 1 / (len(part) * len(parts))) for parts in self._labels.values() for part in parts]
        )
        return fit_logistic(features, labels.astype(np.float64), weights, signs)


def fit_logistic(features: Floats, labels: Floats, weights: Floats, signs: Sequence[int]) -> LinearModel:
    """Logistic regression whose weights keep their signs: 1 for at least 0, -1 for at most 0, 0 for any."""
    mean, deviation = features.mean(axis=0), features.std(axis=0) + 1e-6
    scaled = (features - mean) / deviation
    share = weights / weights.sum()
    low = np.array([0.0 if sign > 0 else -np.inf for sign in signs])
    high = np.array([0.0 if sign < 0 else np.inf for sign in signs])
    vector, bias = np.zeros(features.shape[1]), 0.0
    first, second = np.zeros(len(vector) + 1), np.zeros(len(vector) + 1)
    for step in range(1, _STEPS + 1):
        error = share * (1.0 / (1.0 + np.exp(-np.clip(scaled @ vector + bias, -50, 50))) - labels)
        slope = np.append(scaled.T @ error + 2 * _DECAY * vector, error.sum())
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        move = _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-9)
        vector = np.clip(vector - move[:-1], low, high)
        bias -= float(move[-1])
    raw = vector / deviation
    return LinearModel(raw, float(bias - (raw * mean).sum()))


def _fit_salience(sets: Mapping[str, Sequence[RelevanceExample]], *, unknown: bool) -> LinearModel:
    rows = _Rows()
    for corpus, item in _iterate(sets):
        known = (item.words >= 0) & (item.features.words.unknown == float(unknown))
        features = item.features.words.features[known]
        # Names are typed in small letters, too.
        small = features.copy()
        small[:, _CAPITALS] = 0.0
        rows.add(corpus, np.concatenate([features, small]), np.tile(item.words[known], 2))
    return rows.fit(list(WORD_FEATURES.values()))


def predict(model: RelevanceModel, item: RelevanceExample) -> tuple[Floats, Floats]:
    """The probabilities of the topic and of an answer for each candidate of an example."""
    topic, _ = model.predict_topic(item.features, model.weigh_words(item.features.words))
    return topic, topic * model.time.predict(item.time) if item.has_window else topic


def _fit_score(model: RelevanceModel, sets: Mapping[str, Sequence[RelevanceExample]]) -> RelevanceModel:
    """The weight of the topic beside the other components: the one with the best mean reciprocal rank over corpora."""
    ranks: dict[str, list[list[float]]] = {}
    for corpus, item in _iterate(sets):
        keep = item.relevant >= 0
        if not (item.relevant == 1).any() or not _is_ranked(item):
            continue
        scores, topic, truth = item.scores[keep], predict(model, item)[0][keep], item.relevant[keep] == 1
        row = []
        for weight in _TOPIC_WEIGHTS:
            order = np.argsort(-(scores + weight * np.minimum(topic, TOPIC_CAP)), kind="stable")
            row.append(1.0 / (1 + int(np.flatnonzero(truth[order])[0])))
        ranks.setdefault(corpus, []).append(row)
    if not ranks:
        return model
    best = np.mean([np.mean(rows, axis=0) for rows in ranks.values()], axis=0).argmax()
    return replace(model, topic_weight=_TOPIC_WEIGHTS[int(best)])


def _is_ranked(item: RelevanceExample) -> bool:
    """Whether the order of hits is by score: what asks for the latest or the first is ordered by time."""
    return item.question.kind not in (
        "latest", "first", "nth", "last_before", "first_after", "as_of_words", "as_of_option", "current",
    )  # fmt: skip


def fit_thresholds(model: RelevanceModel, sets: Mapping[str, Sequence[RelevanceExample]]) -> RelevanceModel:
    """The thresholds of outcomes: those with the best mean accuracy over corpora, right and wrong counted alike."""
    best_topics: list[tuple[str, bool, float, float, bool, bool]] = []
    for corpus, item in _iterate(sets):
        if not len(item.topic):
            continue
        topic, answer = predict(model, item)
        known = item.question.outcome != "topic_unknown"
        is_recorded = item.question.outcome == "recorded"
        timed = item.has_window and _is_ranked(item)
        best_topics.append((corpus, known, float(topic.max()), float(answer.max()), is_recorded, timed))
    grid = np.arange(0.05, 0.96, 0.025)

    def accuracy(rows: list[tuple[str, bool, float]], threshold: float) -> float:
        by_corpus: dict[tuple[str, bool], list[float]] = {}
        for corpus, truth, value in rows:
            by_corpus.setdefault((corpus, truth), []).append(float((value >= threshold) == truth))
        # A record that is denied weighs as much as two that are made up.
        weights = [2.0 if truth else 1.0 for _, truth in by_corpus]
        return float(np.average([np.mean(values) for values in by_corpus.values()], weights=weights))

    def choose(rows: list[tuple[str, bool, float]]) -> float:
        scores = np.array([accuracy(rows, value) for value in grid])
        # Probabilities lie near 0 and 1: between them every threshold is as good as another, and the middle is safest.
        return float(np.mean(grid[scores >= scores.max() - _PLATEAU]))

    topics = [(corpus, known, top) for corpus, known, top, _, _, _ in best_topics]
    answers = [(corpus, truth, best) for corpus, known, _, best, truth, window in best_topics if window and known]
    on_topic = choose(topics)
    recorded = choose(answers) if answers else 0.5
    return replace(model, on_topic=on_topic, recorded=recorded, same_topic=_fit_same_topic(model, sets))


def _fit_same_topic(model: RelevanceModel, sets: Mapping[str, Sequence[RelevanceExample]]) -> float:
    """The odds from which a candidate is on the same topic as the best: those with the best mean F1 over corpora."""
    grid = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
    scores: dict[str, list[list[float]]] = {}
    for corpus, item in _iterate(sets):
        if item.question.on_topic is None or not (item.topic == 1).any():
            continue
        odds = model.predict_topic(item.features, model.weigh_words(item.features.words))[1]
        judged = item.topic >= 0
        truth = item.topic[judged] == 1
        row = []
        for threshold in grid:
            chosen = odds[judged] >= threshold
            row.append(2 * float((chosen & truth).sum()) / max(float(chosen.sum() + truth.sum()), 1.0))
        scores.setdefault(corpus, []).append(row)
    if not scores:
        return model.same_topic
    return grid[int(np.mean([np.mean(rows, axis=0) for rows in scores.values()], axis=0).argmax())]


def summarise(model: RelevanceModel, items: Sequence[RelevanceExample]) -> dict[str, float]:
    """How well a model does on examples: right outcomes, answers at rank 1, and the calibration of the topic."""
    outcomes, firsts = [], []
    probabilities: list[float] = []
    labels: list[float] = []
    for item in items:
        if not len(item.topic):
            continue
        topic, _ = predict(model, item)
        known = float(topic.max()) >= model.on_topic
        outcomes.append(float(known == (item.question.outcome != "topic_unknown")))
        if item.question.answerable and _is_ranked(item):
            score = item.scores + model.topic_weight * np.minimum(topic, TOPIC_CAP)
            firsts.append(float(item.relevant[int(np.argmax(score))] == 1))
        judged = item.topic >= 0
        probabilities += topic[judged].tolist()
        labels += item.topic[judged].astype(np.float64).tolist()
    return {
        "questions": len(outcomes),
        "topic_known_right": round(float(np.mean(outcomes)), 4),
        "first_right": round(float(np.mean(firsts)), 4) if firsts else 0.0,
        "topic_calibration_error": round(measure_calibration(np.array(probabilities), np.array(labels)), 4),
    }


def measure_calibration(probabilities: Floats, labels: Floats, bins: int = 10) -> float:
    """The expected calibration error: the mean distance of probability and frequency, over bins of probability."""
    if not len(labels):
        return 0.0
    at = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    errors = [abs(float((probabilities[at == one] - labels[at == one]).sum())) for one in range(bins)]
    return float(sum(errors) / len(labels))
