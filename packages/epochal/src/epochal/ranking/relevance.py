"""Relevance: the probability that a candidate is about the topic of the question, and about its time.

A word of the question is required with a probability, its salience; a candidate is on the topic if it has every word
that is required:

    P(topic) = P(fit) * product over the words of (1 - salience * how far the candidate lacks the word) ** strictness

`salience` judges words that some passage has, `unknown` those that none has, by `WORD_FEATURES`. A candidate that has a
word in its text, where others have it in their title, series or metadata, lacks it by a share (`head`). P(fit) is a
logistic model of how well the candidate has the words beside the best one (`TOPIC_FEATURES`). A salient word that no
document has is lacking everywhere, and the topic is unknown.

P(time) is a logistic model of a candidate that is on the topic: is it from the query windows (`TIME_FEATURES`)? The
probability of an answer is the product of the two. It says nothing of the others: of ten forecasts for a day one is the
newest, and of ten passages one may answer best. So two more logistic models, calibrated by searches, say how likely a
hit answers, given its place among the others (`HIT_FEATURES`), and how likely something is recorded, given what was
decided (`OUTCOME_FEATURES`). `epochal train scorer` fits all weights on many corpora; those that come with the package
are JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from operator import mul
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from epochal.errors import EpochalError
from epochal.ranking.kinds import measure_nearness
from epochal.ranking.pool import Floats, Pool, Relevance, Scored
from epochal.ranking.script_words import WORD
from epochal.ranking.time_features import STATED, TIME_FEATURES, measure_time
from epochal.ranking.topic import TopicFeatures, measure_words
from epochal.ranking.words import FUNCTION_WORD, WORD_FEATURES, QueryWords, find_placed, is_identifier

__all__ = [
    "HEAD_FEATURES",
    "HIT_FEATURES",
    "OUTCOME_FEATURES",
    "QUESTION_FEATURES",
    "TOPIC_FEATURES",
    "LogisticModel",
    "RelevanceModel",
    "Topic",
    "find_naming_words",
    "get_head_features",
    "get_question_features",
    "grade_topic",
    "has_identifier",
    "load_relevance_model",
    "measure_relevance",
    "measure_rest",
    "measure_topic",
]

#: The features of a word by which it should be in titles, series and metadata rather than in the text.
HEAD_FEATURES: Final[Mapping[str, int]] = {"digit": 0, "capital": 0, "head_share": 1, "whole": 1}
#: The features of a question by which each of its words is required less: who uses many does not insist on all.
QUESTION_FEATURES: Final[Mapping[str, int]] = {"salient_words": -1}
#: So many salient words are required like one; more than the second count as so many.
_FEW_SALIENT: Final = 4.0
_MANY_SALIENT: Final = 10.0
#: The features of a candidate's topic. A gap is how much better the best candidate is.
TOPIC_FEATURES: Final[Mapping[str, int]] = {
    "covered": 1,  # the share of the salience that it has anywhere
    "covered_gap": -1,
    "head_gap": -1,  # the same in title, series and metadata
    "exact_gap": -1,  # words that it has there exactly as written
    "whole_gap": -1,  # a title, series or value that is that word and nothing else
    "phrase_gap": -1,  # words of the question that its whole fields make up: "Terms of Service"
    "lexical": 1,
    "semantic": 1,
}
#: The last of them are scores of texts: they order documents, and say less about which are on one topic.
_TEXT_SCORES: Final = 2
#: The features of a hit among the others. Relevance is that of the product, in log odds where it is not a difference.
HIT_FEATURES: Final[Mapping[str, int]] = {
    "sure": 1,  # how far its relevance is above one half
    "best_unsure": 1,  # how far that of the best candidate is below
    "behind": -1,  # how far its relevance is behind the best
    "gap": -1,  # how far its score is, unless times order the hits
    "rank": -1,  # the logarithm of its rank
    "plain_rank": -1,  # the same for a question without a time
    "ordered": 0,  # hits are in an order of time
    "ordered_rank": -1,
    "later": -1,  # it is of another date than the first of such an order; then nothing but its rank counts
    "denied": -1,  # nothing is recorded by the outcome
    "local": 1,  # how many of the words are around its time
    "match": 1,  # how well its time matches
}
#: The features of an outcome.
OUTCOME_FEATURES: Final[Mapping[str, int]] = {
    "none": -1,  # nothing is recorded then, or that time is not covered
    "unknown": -1,  # the topic is unknown, and a time, an order or a filter is asked for
    "open_unknown": -1,  # likewise, without any of these
    "open_ordinary": 0,  # likewise, and all unknown words are ordinary ones
    "open_near": 1,  # likewise, how much nearer the nearest text comes in meaning than by chance
    # A text without a date may be from any time, and tell the same in other words; of dated ones less is left open.
    "undated_known": 1,  # of an unknown topic, the salience of the other words, by the share of hits without a date
    "undated_rest": 1,  # where nothing is recorded then, how many rare words one document has, times the same share
    "relevance": 1,  # of a record, the best relevance in log odds, unless times order the hits
    "local": 1,  # likewise
    "undated_record": 0,  # likewise, the share of the hits that have no date
    "ordered": 0,
}
#: The salience from which a word names the topic.
_NAMING: Final = 0.5
#: Rare words, by salience and rarity, that a document has of a question beside whose other words are not required.
_RARE_REST: Final = 1.0
#: The salience from which a word that no document has could make the topic unknown.
_MISSED: Final = 0.25
#: How much more salient, in logits, the two parts of an event at a place are: "earthquake in Haiti". A text with one of
#: them is about something else.
_PLACED: Final = 2.5
#: How much the topic counts, in a question without a time, where no document bears its name: at least so much, and all
#: where some document is about it for certain. Below the second number nothing is certain.
_NAMELESS: Final = 0.1
_UNCERTAIN: Final = 0.5
#: The probability of the topic below which one is as bad as another.
_LEAST_TOPIC: Final = 0.01
#: A number of so many digits may identify something: issue 6231.
_LONG: Final = 3
#: The weight of the rarity of a word beside its salience, of which no word may have any.
_RARITY_WEIGHT: Final = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class LogisticModel:
    """A logistic model: named weights on features, and an intercept."""

    weights: Floats
    intercept: float

    def predict(self, features: Floats, more: Floats | float = 0.0) -> Floats:
        """The probability of each row of features; `more` is added to the logits."""
        logits = features @ self.weights + self.intercept + more
        return np.asarray(1.0 / (1.0 + np.exp(-np.minimum(np.maximum(logits, -50.0), 50.0))))


class Topic(NamedTuple):
    """For each candidate the probability that it is on the topic, and what its naming words alone say.

    `same` is how likely it is on the topic of the best candidate: a long text has a low BM25, and may be about it no
    less. `named` says how far it has all naming words, `identified` how far those with capitals, digits or signs, and
    `headed` how far it has in its title, series and metadata those that some candidate has there.
    """

    probability: Floats
    same: Floats
    named: Floats
    identified: Floats
    headed: Floats


@dataclass(frozen=True, slots=True, eq=False)
class RelevanceModel:
    """The models, what the topic and its name weigh in a score, and thresholds.

    A topic is known if a candidate has its naming words with a probability of `on_topic`; one that other documents have
    is required by the power of `known_strictness` only. A candidate is of the same
    topic as the best if it is at least `same_topic` times as likely. Something is recorded from `recorded`. Without
    `hit` and `outcome`, the relevance of hits is not calibrated.
    """

    salience: LogisticModel
    unknown: LogisticModel
    head: LogisticModel
    strictness: LogisticModel
    topic: LogisticModel
    time: LogisticModel
    topic_weight: float = 0.0
    head_weight: float = 0.0
    plain_topic_weight: float = 0.0
    known_strictness: float = 1.0
    on_topic: float = 0.5
    same_topic: float = 0.5
    recorded: float = 0.5
    hit: LogisticModel | None = None
    outcome: LogisticModel | None = None

    def weigh_words(self, words: QueryWords) -> Floats:
        """The salience of each word, moved towards 0 and 1: many slightly salient words should not count together."""
        known = words.frequencies > 0
        placed = _PLACED * find_placed(words).astype(np.float64)
        salience = self.salience.predict(words.features, placed)
        if not known.all():
            # A text in the style of telegrams may have no "at" and no "during": such words name nothing.
            unknown = self.unknown.predict(words.features) * (words.get("common") < FUNCTION_WORD)
            salience = np.where(known, salience, unknown)
        # A text need not say what kind of text it is, unless others do so in their titles.
        salience = salience * (1.0 - words.get("text_kind") * (words.get("in_head") == 0))
        salience = salience * (1.0 - words.kinds)
        return np.asarray(salience * salience * (3 - 2 * salience))

    def weigh_features(self, features: TopicFeatures) -> Floats:
        """The salience of each word; none of ordinary words that no candidate has where one has enough of the others.

        Who asks in which "athletic pasttime" di Resta took part has misspelt a word, or says it in another way. A name
        or a number is required beside whatever else is known.
        """
        words = features.words
        salience = self.weigh_words(words)
        missed = (words.unknown > 0) & (salience >= _MISSED)
        if not missed.any():
            return salience
        named = (words.get("capital") > 0) | (words.get("digit") > 0) | (words.get("identifier") > 0)
        worded = (words.get("ordinary") > 0) | (words.get("small") > 0)
        if (missed & (named | ~worded)).any() or measure_rest(features, salience) < _RARE_REST:
            return salience
        return np.where(missed, 0.0, salience)

    def measure_strictness(self, salience: Floats) -> float:
        """How strictly the words of a question are required: 1 for a few, less for many."""
        features = _describe_question(salience)
        return math.exp(sum(map(mul, features, self.strictness.weights.tolist())))

    def measure_unknown(self, words: QueryWords, salience: Floats) -> float:
        """The factor by which words that no document has lower the probability of every candidate alike."""
        if (words.frequencies > 0).all():
            return 1.0
        factors = 1.0 - np.minimum(salience, 1 - 1e-6) * words.unknown
        return float(np.prod(factors) ** self.measure_strictness(salience))

    def weigh_topic(self, features: TopicFeatures, salience: Floats, topic: Floats, *, timed: bool) -> float:
        """What the probability of the topic weighs in a score: who uses many words does not insist on any of them.

        Without a window it decides only where documents bear the name that the question has, as a title, a series or a
        value of metadata, or as far as some candidate is about the `topic` for certain; else how well words and meaning
        fit says more.
        """
        strictness = self.measure_strictness(salience)
        if timed:
            return strictness * self.topic_weight
        is_naming = salience >= _NAMING
        if (is_naming & (features.words.unknown > 0)).any() and not (is_naming & (features.words.unknown == 0)).any():
            return 0.0  # of what no document names, only meaning tells which comes near
        certainty = (float(topic.max(initial=0.0)) - _UNCERTAIN) / (1.0 - _UNCERTAIN)
        share = 1.0 if _has_bearers(features, salience) else max(_NAMELESS, certainty)
        return strictness * self.plain_topic_weight * share

    def weigh_head(self, features: TopicFeatures, salience: Floats, *, timed: bool) -> float:
        """What it weighs in a score, beside that, to bear the name of the topic; without a window, with an identifier.

        "Django 2.0.7" is what bears both; of other names without a time, how well words and meaning fit says more.
        """
        is_numbered = (salience >= _NAMING) & (features.words.get("identifier") > 0) & (features.best_head > 0)
        if not timed and not (is_numbered.any() and _has_bearers(features, salience)):
            return 0.0
        return self.measure_strictness(salience) * self.head_weight

    def predict_topic(self, features: TopicFeatures, salience: Floats) -> Topic:
        """The topic of each candidate."""
        count = len(features.lexical)
        if not features.words.words or not count:
            return Topic(*(np.ones(count) for _ in Topic._fields))
        head_share = self.head.predict(get_head_features(features)) if features.has_heads else None
        lacks = features.measure_lack(head_share)
        power = self.measure_strictness(salience)

        def combine(logs: Floats) -> Floats:
            return np.asarray(np.exp(power * logs.sum(axis=1)))

        probability = combine(_weigh_lacks(salience, lacks)) * self.topic.predict(measure_topic(features, salience))
        # What names the topic is certain enough to be required; "version" and "current" may be in a text or not.
        naming = np.where(salience >= _NAMING, salience, 0.0)
        naming_logs = _weigh_lacks(naming, lacks)
        columns = measure_topic(features, naming)
        columns[:, -_TEXT_SCORES:] = 1.0
        by_names = combine(naming_logs) * self.topic.predict(columns)
        # A word that is known elsewhere may be said in another way here; numbers, names of fields and what no document
        # has may not.
        words = features.words
        is_exact = (words.unknown > 0) | (words.get("digit") > 0) | (features.best_whole > 0)
        known = combine(np.where(is_exact, 1.0, self.known_strictness) * naming_logs)
        is_name = (words.get("capital") > 0) | (words.get("digit") > 0) | (words.get("identifier") > 0)
        identified = combine(naming_logs * is_name)
        headed = np.ones(count)
        if features.has_heads:
            headed = np.exp(_weigh_lacks(naming, features.best_head - features.head).sum(axis=1))
        same = by_names / max(float(by_names.max()), 1e-9)
        return Topic(probability, same, known, identified, headed)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it, with the names of the features."""
        models: dict[str, Any] = {}
        for name, features in {**_MODELS, **_CALIBRATION}.items():
            model: LogisticModel | None = getattr(self, name)
            if model is None:
                continue
            weights = {key: round(float(value), 5) for key, value in zip(features, model.weights, strict=True)}
            models[name] = {"intercept": round(model.intercept, 5), "weights": weights}
        return {**models, **{name: round(getattr(self, name), 5) for name in _NUMBERS}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RelevanceModel:
        """A model from what `to_dict` gave."""
        try:
            models: dict[str, Any] = {
                name: LogisticModel(
                    np.array([float(data[name]["weights"][key]) for key in features]), float(data[name]["intercept"])
                )
                for name, features in {**_MODELS, **_CALIBRATION}.items()
                if name in _MODELS or name in data
            }
            numbers: dict[str, Any] = {name: float(data[name]) for name in _NUMBERS}
            return cls(**models, **numbers)
        except (KeyError, TypeError, ValueError) as error:
            raise EpochalError(
                f"a relevance model lacks {error}; accepted: what `epochal train scorer` writes"
            ) from error


_MODELS: Final[Mapping[str, Mapping[str, int]]] = {
    "salience": WORD_FEATURES,
    "unknown": WORD_FEATURES,
    "head": HEAD_FEATURES,
    "strictness": QUESTION_FEATURES,
    "topic": TOPIC_FEATURES,
    "time": TIME_FEATURES,
}
_CALIBRATION: Final[Mapping[str, Mapping[str, int]]] = {"hit": HIT_FEATURES, "outcome": OUTCOME_FEATURES}
_NUMBERS: Final = (
    "topic_weight", "head_weight", "plain_topic_weight",
    "known_strictness", "on_topic", "same_topic", "recorded",
)  # fmt: skip


@cache
def load_relevance_model() -> RelevanceModel:
    """The model that comes with the package."""
    data = (Path(__file__).parent / "weights" / "relevance.json").read_text(encoding="utf-8")
    return RelevanceModel.from_dict(json.loads(data))


def _weigh_lacks(weights: Floats, lacks: Floats) -> Floats:
    """The logarithms of the factors by which words that candidates lack lower a probability."""
    return np.asarray(np.log1p(-np.minimum(weights, 1 - 1e-6) * lacks))


def measure_rest(features: TopicFeatures, salience: Floats) -> float:
    """How many of the known words that name the topic, by salience and rarity, some candidate has; numbers count not.

    0 where a number is unknown: beside it no other word says that the topic is known.
    """
    words = features.words
    is_number = words.get("digit") > 0
    known = salience * (words.unknown == 0) * words.get("rarity") * ~is_number
    numbered = float((salience * (words.unknown > 0) * is_number).max(initial=0.0))
    return float((features.anywhere @ known).max(initial=0.0)) * (1.0 - numbered)


def get_head_features(features: TopicFeatures) -> Floats:
    """The features by which a word should be in the title, series or metadata: some candidate may have nothing else."""
    words = features.words
    described = [words.get("digit"), words.get("capital"), words.get("head_share")]
    return np.asarray(np.array([*described, features.best_whole]).T)


def _has_bearers(features: TopicFeatures, salience: Floats) -> bool:
    """Whether a naming word is all of some candidate's title, series or value of metadata."""
    return bool((features.best_whole * (salience >= _NAMING)).any())


def get_question_features(salience: Floats) -> Floats:
    """The features of a question as a whole, in one row: how many words are salient."""
    return np.array([_describe_question(salience)])


def _describe_question(salience: Floats) -> tuple[float]:
    more = min(max(float(salience.sum()) - _FEW_SALIENT, 0.0), _MANY_SALIENT - _FEW_SALIENT)
    return (more / (_MANY_SALIENT - _FEW_SALIENT),)


def measure_topic(features: TopicFeatures, salience: Floats) -> Floats:
    """The features of the topic of each candidate, given the salience of each word."""
    count = len(features.lexical)
    columns: Floats = np.zeros((len(TOPIC_FEATURES), count)).T
    if not count:
        return columns
    # Where no word is salient, rare ones decide.
    weights = salience if salience.max() >= _NAMING else salience + _RARITY_WEIGHT * features.words.get("rarity")
    total = float(weights.sum())

    columns[:, 0] = covered = features.anywhere @ weights / total if total > 0 else np.ones(count)
    columns[:, 1] = covered.max() - covered
    if features.has_heads:
        for column, present in ((2, features.head), (3, features.exact)):
            columns[:, column] = present @ weights / total if total > 0 else 1.0
        columns[:, 4] = (features.whole * salience).max(axis=1, initial=0.0)
        columns[:, 5] = features.phrases
        gaps = columns[:, 2:6]
        np.subtract(gaps.max(axis=0), gaps, out=gaps)
        columns[:, 5] /= max(float(features.phrases.max()), 1.0)
    columns[:, 6] = features.lexical
    columns[:, 7] = features.semantic
    return columns


def grade_topic(topic: Floats) -> Floats:
    """The probability of the topic as a component of a score, in [0, 1]: halving it costs the same anywhere."""
    return np.asarray(1.0 - np.log(np.maximum(topic, _LEAST_TOPIC)) / np.log(_LEAST_TOPIC))


def measure_relevance(pool: Pool, scored: Scored, model: RelevanceModel) -> Relevance:
    """The relevance of the candidates of a pool, beside those that a filter hides."""
    whole = pool.reveal_hidden()
    features = measure_words(whole)
    salience = model.weigh_features(features)
    rest = measure_rest(features, salience)
    topic = model.predict_topic(features, salience)
    subject = features.share_by_title(topic.probability)
    known, best_topic = (float(part.max(initial=0.0)) for part in (topic.named, topic.probability))
    matches = features.matches
    if whole is not pool:
        visible = np.searchsorted(whole.rows, pool.rows)
        topic, matches, subject = Topic(*(part[visible] for part in topic)), matches[visible], subject[visible]
    # A text without any word of the topic may be from the right time, and is no record of it.
    times = measure_time(pool, scored)
    timed = model.time.predict(times) * matches if pool.windows else 1.0
    words = features.words
    unknown = tuple(
        word for word, weight, new in zip(words.words, salience, words.unknown, strict=True) if new and weight >= 0.5
    )
    weights = dict(zip(words.words, salience.tolist(), strict=True))
    answer = topic.probability * timed
    timed_question = bool(pool.windows)
    return Relevance(
        topic=topic.probability,
        subject=subject,
        same_topic=topic.same * matches,
        named=topic.named,
        identified=topic.identified,
        answer=answer,
        salience=weights,
        unknown_words=unknown,
        known=known,
        best_topic=best_topic,
        weight=model.weigh_topic(features, salience, topic.probability, timed=timed_question),
        head_weight=model.weigh_head(features, salience, timed=timed_question),
        stated=times[:, STATED],
        headed=topic.headed,
        unknown_factor=model.measure_unknown(words, salience),
        rest=rest,
        near_words=words.near,
        nearness=measure_nearness(whole, words) if unknown and not _has_unknown_name(words, salience) else None,
    )


def _has_unknown_name(words: QueryWords, salience: Floats) -> bool:
    """Whether a word that no document has may be a name: by its meaning, one earthquake is as good as another."""
    is_worded = (words.get("ordinary") > 0) & (words.get("capital") == 0)
    return bool(((words.unknown > 0) & (salience >= _MISSED) & ~is_worded).any())


def has_identifier(question: str) -> bool:
    """Whether a question names something by digits, which few passages have and BM25 may not find.

    One long number is one word among those of the question, and "8.4.0" is three.
    """
    return any(is_identifier(word) or (word.isdigit() and len(word) >= _LONG) for word in WORD.findall(question))


def find_naming_words(pool: Pool, model: RelevanceModel) -> tuple[str, ...]:
    """The salient words of the question of a pool that the index has."""
    words = measure_words(pool).words
    salience = model.weigh_words(words)
    return tuple(
        word
        for word, weight, frequency in zip(words.words, salience, words.frequencies, strict=True)
        if weight >= _NAMING and (frequency > 0 or is_identifier(word))
    )
