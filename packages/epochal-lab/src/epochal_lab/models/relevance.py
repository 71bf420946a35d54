"""Fit the relevance model of the engine on questions by construction over several corpora.

Each question gives candidates with topic labels, and candidates on the topic with time labels. Every corpus weighs the
same, and so does every question in it. What requires words is fitted to the topic labels as a whole
(`epochal_lab.models.requirements`), then the model of the time, the weight of the topic in the score, and the
thresholds of outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.api import Index
from epochal.ranking.pool import Floats, Pool, Scored, get_windows
from epochal.ranking.relevance import (
    LogisticModel,
    RelevanceModel,
    Topic,
    grade_topic,
)
from epochal.ranking.scorer import WeightedScorer
from epochal.ranking.time_features import TIME_FEATURES, measure_time
from epochal.ranking.topic import TopicFeatures, measure_words
from epochal.ranking.words import WORD_FEATURES
from epochal.reading.questions.understand import understand
from epochal.search.candidates import collect_candidates
from epochal_lab.datasets.timed.questions import TimedQuestion
from epochal_lab.models.requirements import TopicExample, fit_logistic, fit_topic

Labels = npt.NDArray[np.int64]

_DEPTH: Final = 100
#: Passages with rare words of titles that are added to the candidates, as a search for the latest adds them.
_NAMED: Final = 300
#: Candidates on the topic, and others, that a question contributes.
_MAX_POSITIVE: Final = 15
_MAX_NEGATIVE: Final = 25
#: Those of them that score best; the others are drawn.
_BEST_POSITIVE: Final = 5
_BEST_NEGATIVE: Final = 15
#: Unjudged candidates that are taken to be on the topic of a question whose answers alone are known.
_MAX_LIKELY: Final = 15
#: Beside a time the topic weighs no more than this: a title that fits must not outweigh the wrong year.
_MOST: Final = {"topic_weight": 1.5, "head_weight": 1.0, "plain_topic_weight": 4.0}
#: Weights of the topic that are tried.
_TOPIC_WEIGHTS: Final = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
#: The power of words that other documents have. Chosen greater, it does not carry over to prose.
_KNOWN_STRICTNESS: Final = 0.2
#: Weights this much worse than the best count as equal, and thresholds.
_WEIGHT_PLATEAU: Final = 0.003
_PLATEAU: Final = 0.01
#: The same for knowing a topic, whose accuracy is flat: the first of the best would differ from corpus to corpus.
_WIDE_PLATEAU: Final = 0.02
#: Corpora whose questions ask when a validity begins or ends, which no feature of the time measures.
_NO_TIME: Final = ("tdbench",)


@dataclass(frozen=True, slots=True, eq=False)
class RelevanceExample:
    """One question with its candidates; labels are 1, 0, or -1 where nothing is known."""

    question: TimedQuestion
    features: TopicFeatures
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
    view, scorer = index.view(), WeightedScorer(relevance_model=None)
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
            pool = pool.extend(view.search_words(" ".join(rare), _NAMED).rows)
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
        topic.astype(np.int64),
        relevant,
        measure_time(pool, scored),
        bool(pool.windows),
        scored.scores,
        ids,
    )


def fit_relevance(sets: Mapping[str, Sequence[RelevanceExample]], seed: int = 0) -> RelevanceModel:
    """The model that fits the examples of several corpora."""
    rng = np.random.default_rng(seed)
    examples = {
        corpus: [
            TopicExample(item.features, item.topic, _select_rows(item, rng), item.question.absent) for item in items
        ]
        for corpus, items in sets.items()
    }
    model = fit_topic(examples, rng)
    time_rows = _Rows()
    for corpus, item in _iterate(sets):
        if not item.has_window or not _is_ranked(item) or corpus in _NO_TIME:
            continue
        on = np.flatnonzero((item.topic == 1) & (item.relevant >= 0))
        if item.question.on_topic is None and item.question.answerable:
            # Where only answers are judged, the best others by topic are taken to be on it at another time.
            likely = np.argsort(-predict(model, item)[0].probability, kind="stable")[:_MAX_LIKELY]
            on = np.union1d(on, likely[item.relevant[likely] == 0])
        on = rng.permutation(on)[:60]
        time_rows.add(corpus, item.time[on], item.relevant[on])
    model = replace(model, time=time_rows.fit(list(TIME_FEATURES.values())))
    return fit_thresholds(_fit_score(model, sets), sets)


def _select_rows(item: RelevanceExample, rng: np.random.Generator) -> Labels:
    """The judged candidates from which the topic is learned: the best by score, and some of the others."""
    order = np.argsort(-item.scores, kind="stable")
    selected = []
    for label, best, most in ((1, _BEST_POSITIVE, _MAX_POSITIVE), (0, _BEST_NEGATIVE, _MAX_NEGATIVE)):
        rows = order[item.topic[order] == label]
        selected += [rows[:best], rng.permutation(rows[best:])[: most - best]]
    return np.concatenate(selected)


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

    def fit(self, signs: Sequence[int]) -> LogisticModel:
        if not self._features:
            return fit_logistic(np.zeros((0, len(signs))), np.zeros(0, dtype=np.int64), np.zeros(0), signs)
        features = np.concatenate([part for parts in self._features.values() for part in parts])
        labels = np.concatenate([part for parts in self._labels.values() for part in parts])
        weights = np.concatenate(
            [np.full(len(part), 1 / (len(part) * len(parts))) for parts in self._labels.values() for part in parts]
        )
        return fit_logistic(features, labels, weights, signs)


def predict(model: RelevanceModel, item: RelevanceExample) -> tuple[Topic, Floats]:
    """The topic of each candidate of an example, and the probability of an answer."""
    topic = model.predict_topic(item.features, model.weigh_features(item.features))
    return topic, topic.probability * model.time.predict(item.time) if item.has_window else topic.probability


def _fit_score(model: RelevanceModel, sets: Mapping[str, Sequence[RelevanceExample]]) -> RelevanceModel:
    """The weights of the topic beside the other components: those with the best mean reciprocal rank over corpora."""
    unit = replace(model, topic_weight=1.0, head_weight=1.0, plain_topic_weight=1.0)
    # What is not judged does not answer here: else nothing is learned of the order within a page.
    ranked = [
        (corpus, item, *_score_parts(unit, item))
        for corpus, item in _iterate(sets)
        if (item.relevant == 1).any() and _is_ranked(item)
    ]
    fitted: dict[str, Any] = dict.fromkeys(("topic_weight", "head_weight", "plain_topic_weight"), 0.0)
    for name in list(fitted):
        ranks: dict[str, list[list[float]]] = {}
        for corpus, item, topic, head in ranked:
            if item.has_window == (name == "plain_topic_weight"):
                continue
            row = []
            for weight in _TOPIC_WEIGHTS:
                tried = {**fitted, name: weight}
                topic_weight = tried["topic_weight" if item.has_window else "plain_topic_weight"]
                scores = item.scores + topic_weight * topic + tried["head_weight"] * head
                order = np.argsort(-scores, kind="stable")
                row.append(1.0 / (1 + int(np.flatnonzero(item.relevant[order] == 1)[0])))
            ranks.setdefault(corpus, []).append(row)
        if ranks:
            means = np.mean([np.mean(rows, axis=0) for rows in ranks.values()], axis=0)
            # Of weights that do as well, the largest: the topic should decide where it can.
            best = _TOPIC_WEIGHTS[int(np.flatnonzero(means >= means.max() - _WEIGHT_PLATEAU)[-1])]
            fitted[name] = min(best, _MOST[name])
    return replace(model, **fitted)


def _score_parts(model: RelevanceModel, item: RelevanceExample) -> tuple[Floats, Floats]:
    """What the topic, and bearing its name, add to the scores of the candidates."""
    salience = model.weigh_features(item.features)
    topic = model.predict_topic(item.features, salience)
    subject = grade_topic(item.features.share_by_title(topic.probability))
    weight = model.weigh_topic(item.features, salience, topic.probability, timed=item.has_window)
    head_weight = model.weigh_head(item.features, salience, timed=item.has_window)
    return np.asarray(weight * subject), np.asarray(head_weight * grade_topic(topic.headed))


def _is_ranked(item: RelevanceExample) -> bool:
    """Whether the order of hits is by score: what asks for the latest or the first is ordered by time."""
    return item.question.kind not in (
        "latest", "first", "nth", "last_before", "first_after", "as_of_words", "as_of_option", "current",
    )  # fmt: skip


def fit_thresholds(model: RelevanceModel, sets: Mapping[str, Sequence[RelevanceExample]]) -> RelevanceModel:
    """The thresholds of outcomes: those with the best mean accuracy over corpora."""
    items = [
        # Of questions without a time nothing is said, unless they have words that no document has.
        (corpus, item)
        for corpus, item in _iterate(sets)
        if len(item.topic) and (item.question.kind not in ("plain", "when") or _has_unknown_words(model, item))
    ]
    # What is known elsewhere may be said in another way here.
    model = replace(model, known_strictness=_KNOWN_STRICTNESS)
    known = [
        (corpus, item.question.outcome != "topic_unknown", float(predict(model, item)[0].named.max()))
        for corpus, item in items
    ]
    on_topic = _choose_threshold(known, _WIDE_PLATEAU)[1]
    answers = [
        (corpus, item.question.answerable, float(predict(model, item)[1].max()))
        for corpus, item in items
        if item.has_window
        and _is_ranked(item)
        and item.question.outcome != "topic_unknown"
        and item.question.kind not in ("plain", "when")
    ]
    recorded = _choose_threshold(answers)[1] if any(not truth for _, truth, _ in answers) else 0.5
    same_topic = _fit_same_topic(model, sets)
    return replace(model, on_topic=on_topic, recorded=recorded, same_topic=same_topic)


def _has_unknown_words(model: RelevanceModel, item: RelevanceExample) -> bool:
    return bool((item.features.words.unknown * (model.weigh_features(item.features) >= 0.5)).any())


def _choose_threshold(rows: Sequence[tuple[str, bool, float]], plateau: float = _PLATEAU) -> tuple[float, float]:
    """The best mean accuracy over corpora, and the threshold that gives it."""
    grid = np.arange(0.05, 0.96, 0.025)
    scores = []
    for threshold in grid:
        by_corpus: dict[tuple[str, bool], list[float]] = {}
        for corpus, truth, value in rows:
            by_corpus.setdefault((corpus, truth), []).append(float((value >= threshold) == truth))
        # A record that is denied weighs as much as two that are made up.
        weights = [2.0 if truth else 1.0 for _, truth in by_corpus]
        scores.append(float(np.average([np.mean(values) for values in by_corpus.values()], weights=weights)))
    best = max(scores)
    # Probabilities lie near 0 and 1: between them every threshold is as good as another, and the middle is safest.
    return best, float(np.mean(grid[np.array(scores) >= best - plateau]))


def _fit_same_topic(model: RelevanceModel, sets: Mapping[str, Sequence[RelevanceExample]]) -> float:
    """The odds from which a candidate is on the same topic as the best: those with the best mean F1 over corpora."""
    grid = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
    scores: dict[str, list[list[float]]] = {}
    for corpus, item in _iterate(sets):
        if item.question.on_topic is None or not (item.topic == 1).any():
            continue
        odds = predict(model, item)[0].same
        judged = item.topic >= 0
        truth = item.topic[judged] == 1
        row = []
        for threshold in grid:
            selected = odds[judged] >= threshold
            row.append(2 * float((selected & truth).sum()) / max(float(selected.sum() + truth.sum()), 1.0))
        scores.setdefault(corpus, []).append(row)
    if not scores:
        return model.same_topic
    means = np.mean([np.mean(rows, axis=0) for rows in scores.values()], axis=0)
    return float(np.mean(np.array(grid)[means >= means.max() - _PLATEAU]))


def summarise(model: RelevanceModel, items: Sequence[RelevanceExample]) -> dict[str, float]:
    """How well a model does on examples: right outcomes, answers at rank 1, and the calibration of the topic."""
    outcomes, firsts = [], []
    probabilities: list[float] = []
    labels: list[float] = []
    for item in items:
        if not len(item.topic):
            continue
        topic, _ = predict(model, item)
        known = float(topic.named.max()) >= model.on_topic
        outcomes.append(float(known == (item.question.outcome != "topic_unknown")))
        if item.question.answerable and _is_ranked(item):
            scores = np.sum([item.scores, *_score_parts(model, item)], axis=0)
            firsts.append(float(item.relevant[int(np.argmax(scores))] == 1))
        judged = item.topic >= 0
        probabilities += topic.probability[judged].tolist()
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
