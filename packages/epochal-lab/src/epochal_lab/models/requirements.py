"""Fit which words of a question a text must have, and from that which texts are on its topic.

A word is taken to be required if nearly all texts on the topic have it and others lack it, or if it is the name that no
text has. The salience of words is fitted to these labels; given salience, the rest of the probability of the topic
(`epochal.ranking.relevance`) follows the gradient of its likelihood. All weights keep their signs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.ranking.pool import Floats
from epochal.ranking.relevance import (
    HEAD_FEATURES,
    QUESTION_FEATURES,
    TOPIC_FEATURES,
    LogisticModel,
    RelevanceModel,
    get_head_features,
    get_question_features,
    measure_topic,
)
from epochal.ranking.time_features import TIME_FEATURES
from epochal.ranking.topic import TopicFeatures
from epochal.ranking.words import WORD_FEATURES

Labels = npt.NDArray[np.int64]

_STEPS: Final = 500
_RATE: Final = 0.05
_DECAY: Final = 1e-3
_TINY: Final = 1e-6
#: The share of questions whose words are taken as if typed in small letters, and of those whose documents are taken as
#: if they had no titles, series and metadata: corpora differ most in these.
_SMALL: Final = 0.4
_HEADLESS: Final = 0.4
_NAMES: Final = tuple(WORD_FEATURES)
#: A word is required if at least this share of the texts on the topic have it, and so much more than the others.
_MIN_SHARE: Final = 0.8
_MIN_LIFT: Final = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class TopicExample:
    """Where the candidates of a question have its words, their labels, and the candidates to learn from."""

    features: TopicFeatures
    topic: Labels
    rows: Labels
    #: The name that no text has.
    absent: str = ""

    def label_words(self) -> Labels:
        """1 for words that are required, 0 for those that are not, -1 for the others."""
        words = self.features.words.words
        if self.absent:
            absent = self.absent.lower()
            return np.array([int(word.lower() in absent) for word in words], dtype=np.int64)
        # What is a title, series or value of metadata is required there: any text may have "terms" and "service".
        is_field = self.features.whole.max(axis=0, initial=0.0) > 0
        present = np.where(is_field, self.features.head, self.features.anywhere)
        on, off = present[self.topic == 1], present[self.topic == 0]
        labels = np.full(len(words), -1, dtype=np.int64)
        if len(on) and len(off):
            having, lift = on.mean(axis=0), on.mean(axis=0) - off.mean(axis=0)
            labels[(having >= _MIN_SHARE) & (lift >= _MIN_LIFT)] = 1
            labels[(having < 0.4) | (lift < 0.1)] = 0
        return labels


class _Data:
    """All examples in flat arrays: a row a word, a row a candidate, and an entry for each pair of them."""

    def __init__(self, sets: Mapping[str, Sequence[TopicExample]], rng: np.random.Generator) -> None:
        self.examples = [
            (replace(item, features=_drop(item.features, rng)), 1.0 / (len(items) * len(item.rows)))
            for items in sets.values()
            for item in items
            if len(item.rows) and len(item.features.words.words)
        ]
        words, heads, known, labels, weights, word_labels, word_weights = [], [], [], [], [], [], []
        row_questions: list[Labels] = []
        pair_words, pair_rows, present, elsewhere = [], [], [], []
        word_count = row_count = 0
        for item, weight in self.examples:
            features = item.features
            described = features.words.features
            size, count = len(described), len(item.rows)
            words.append(described)
            heads.append(get_head_features(features))
            row_questions.append(np.full(count, len(row_questions)))
            known.append(features.words.frequencies > 0)
            word_labels.append(item.label_words())
            word_weights.append(np.full(size, weight * count / size))
            labels.append(item.topic[item.rows])
            weights.append(np.full(count, weight))
            pair_words.append(np.tile(np.arange(word_count, word_count + size), count))
            pair_rows.append(np.repeat(np.arange(row_count, row_count + count), size))
            present.append(features.anywhere[item.rows].ravel())
            top = features.head.max(axis=0, initial=0.0)
            elsewhere.append((features.anywhere[item.rows] * (top - features.head[item.rows])).ravel())
            word_count, row_count = word_count + size, row_count + count
        self.words, self.heads = np.concatenate(words), np.concatenate(heads)
        self.row_questions = np.concatenate(row_questions)
        self.known = np.concatenate(known)
        self.word_labels, self.word_weights = np.concatenate(word_labels), np.concatenate(word_weights)
        self.labels = np.concatenate(labels).astype(np.float64)
        self.weights = np.concatenate(weights)
        self.weights /= self.weights.sum()
        self.pair_words, self.pair_rows = np.concatenate(pair_words), np.concatenate(pair_rows)
        self.present, self.elsewhere = np.concatenate(present), np.concatenate(elsewhere)

    def measure(self, model: RelevanceModel) -> Floats:
        """The features of the topic of every candidate, by the salience of a model."""
        return np.concatenate(
            [
                measure_topic(item.features, model.weigh_words(item.features.words))[item.rows]
                for item, _ in self.examples
            ]
        )


def _drop(features: TopicFeatures, rng: np.random.Generator) -> TopicFeatures:
    """The features as they would be for a question in small letters, or for documents without titles and metadata."""
    described = features.words.features.copy()
    if rng.random() < _SMALL:
        described[:, [_NAMES.index(name) for name in ("capital", "small")]] = 0.0
    if rng.random() < _HEADLESS:
        described[:, [_NAMES.index(name) for name in ("in_head", "head_share", "beside_name", "field")]] = 0.0
        none = np.zeros_like(features.head)
        features = replace(features, head=none, exact=none, whole=none, phrases=np.zeros(len(none)))
    return replace(features, words=replace(features.words, features=described))


class _Layer:
    """A logistic model on standardised features whose weights keep their signs, with its state of Adam."""

    def __init__(self, features: Floats, signs: Sequence[int], bias: float = 0.0) -> None:
        self.mean, self.deviation = features.mean(axis=0), features.std(axis=0) + 1e-6
        self._low = np.array([0.0 if sign > 0 else -np.inf for sign in signs])
        self._high = np.array([0.0 if sign < 0 else np.inf for sign in signs])
        self.vector, self.bias = np.zeros(len(signs)), bias
        self._first, self._second = np.zeros(len(signs) + 1), np.zeros(len(signs) + 1)
        self._step = 0

    def set(self, features: Floats) -> None:
        """Take other features of the same kind."""
        self._scaled = (features - self.mean) / self.deviation

    def predict(self) -> Floats:
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(self._scaled @ self.vector + self.bias, -30, 30))))

    def move(self, slopes: Floats) -> None:
        """One step along the slopes of the loss by the logit of each row."""
        self._step += 1
        slope = np.append(self._scaled.T @ slopes + 2 * _DECAY * self.vector, slopes.sum())
        self._first = 0.9 * self._first + 0.1 * slope
        self._second = 0.999 * self._second + 0.001 * slope**2
        first, second = self._first / (1 - 0.9**self._step), self._second / (1 - 0.999**self._step)
        step = _RATE * first / (np.sqrt(second) + 1e-9)
        self.vector = np.clip(self.vector - step[:-1], self._low, self._high)
        self.bias -= float(step[-1])

    def export(self) -> LogisticModel:
        raw = self.vector / self.deviation
        return LogisticModel(raw, float(self.bias - (raw * self.mean).sum()))


def fit_topic(sets: Mapping[str, Sequence[TopicExample]], rng: np.random.Generator) -> RelevanceModel:
    """The models of words and topic that make the labels of several corpora most likely."""
    data = _Data(sets, rng)
    salience, unknown = _fit_salience(data, data.known), _fit_salience(data, ~data.known)
    head = _Layer(data.heads, list(HEAD_FEATURES.values()))
    head.set(data.heads)
    no_time = LogisticModel(np.zeros(len(TIME_FEATURES)), 0.0)

    empty = LogisticModel(np.zeros(len(TOPIC_FEATURES)), 0.0)
    draft = RelevanceModel(salience, unknown, head.export(), LogisticModel(np.zeros(2), 0.0), empty, no_time)
    weights = [draft.weigh_words(item.features.words) for item, _ in data.examples]
    required = np.concatenate(weights)
    questions = np.concatenate([get_question_features(own) for own in weights])
    strictness = _Powers(questions)
    columns = data.measure(draft)
    topic = _Layer(columns, list(TOPIC_FEATURES.values()))
    topic.set(columns)
    for _ in range(_STEPS):
        _step(data, required, head, strictness, topic)
    return replace(draft, head=head.export(), strictness=strictness.export(), topic=topic.export())


class _Powers:
    """How strictly the words of each question are required: 1 for a question of few words, less by its features."""

    def __init__(self, questions: Floats) -> None:
        self._questions = questions
        self._layer = _Layer(np.zeros_like(questions), list(QUESTION_FEATURES.values()))
        self._layer.mean, self._layer.deviation = np.zeros(questions.shape[1]), np.ones(questions.shape[1])
        self._layer.set(questions)

    def predict(self) -> Floats:
        return np.asarray(np.exp(self._questions @ self._layer.vector))

    def move(self, slopes: Floats) -> None:
        self._layer.move(slopes)

    def export(self) -> LogisticModel:
        return LogisticModel(self._layer.vector, 0.0)


def _fit_salience(data: _Data, mask: npt.NDArray[np.bool_]) -> LogisticModel:
    (rows,) = np.nonzero(mask & (data.word_labels >= 0))
    return fit_logistic(
        data.words[rows], data.word_labels[rows], data.word_weights[rows], list(WORD_FEATURES.values()), _STEPS
    )


def fit_logistic(
    features: Floats, labels: Labels, weights: Floats, signs: Sequence[int], steps: int = 3 * _STEPS
) -> LogisticModel:
    """Logistic regression whose weights keep their signs: 1 for at least 0, -1 for at most 0, 0 for any."""
    if not len(labels):
        raise EpochalError("the corpora have no labels to fit a part of the model from; give more corpora")
    layer = _Layer(features, signs)
    layer.set(features)
    shares = weights / weights.sum()
    for _ in range(steps):
        layer.move(shares * (layer.predict() - labels))
    return layer.export()


def _step(data: _Data, required: Floats, head: _Layer, strictness: _Powers, topic: _Layer) -> None:
    shares, powers, fit = head.predict(), strictness.predict(), topic.predict()
    lack = 1.0 - data.present + shares[data.pair_words] * data.elsewhere
    loss = np.minimum(required[data.pair_words] * lack, 1 - _TINY)
    logs = np.bincount(data.pair_rows, np.log1p(-loss), len(fit))
    row_powers = powers[data.row_questions]
    chance = np.minimum(np.exp(row_powers * logs + np.log(fit + _TINY)), 1 - _TINY)
    by_log = -data.weights * (data.labels - (1 - data.labels) * chance / (1 - chance))
    by_loss = -(by_log * row_powers)[data.pair_rows] / (1 - loss)
    by_share = np.bincount(data.pair_words, by_loss * required[data.pair_words] * data.elsewhere, len(required))
    by_power = np.bincount(data.row_questions, by_log * logs, len(powers))
    head.move(by_share * shares * (1 - shares))
    strictness.move(by_power * powers)
    topic.move(by_log * (1 - fit))
