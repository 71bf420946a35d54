"""Relevance: the probability that a candidate is about the topic of the question, and about its time.

Small logistic models, whose weights keep given signs, each over features with names:

    salience   of a word of the question: does a text have to have it? (`WORD_FEATURES`; words that no passage has are
               judged by a model of their own)
    topic      of a candidate: how far do its title, series, metadata and passage have the salient words, absolutely and
               beside the best candidate? (`TOPIC_FEATURES`)
    time       of a candidate that is on the topic: is it from the query windows? (`TIME_FEATURES`)

The probability of an answer is the product of the last two. A word that no document has cannot be found in any
candidate; if it is salient, every candidate lacks it, and the topic is unknown. `epochal train scorer` fits the weights
on many corpora; they come with the package as JSON.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

import numpy as np

from epochal.errors import EpochalError
from epochal.ranking.pool import Floats, Pool, Relevance, Scored, scale_to_best
from epochal.ranking.terms import blank_dates, get_topic_terms
from epochal.storage.protocol import Rows
from epochal.storage.text import analyse
from epochal.times.spanset import SpanSet

__all__ = [
    "TIME_FEATURES",
    "TOPIC_CAP",
    "TOPIC_FEATURES",
    "WORD_FEATURES",
    "LinearModel",
    "QueryWords",
    "RelevanceModel",
    "TopicFeatures",
    "load_relevance_model",
    "measure_relevance",
    "measure_time",
    "measure_topic",
    "measure_words",
    "read_query_words",
    "select_salient_rows",
]

#: The features of a word, and the sign that a weight must have: what cannot make a word less salient has 1.
WORD_FEATURES: Final[Mapping[str, int]] = {
    "rarity": 1,  # inverse passage frequency, as a share of that of a word in one passage
    "relative_rarity": 1,  # the same beside the rarest word of the question that the index has
    "common": -1,  # its rank among frequent English words
    "uncommon": 1,  # not among them
    "capital": 1,  # a capital letter, not at the beginning
    "digit": 1,
    "identifier": 1,  # letters with digits, or signs inside: CVE-2023-1, gcc-12, v2.0
    "han": 0,
    "in_head": 1,  # some candidate has it in its title, series or metadata
    "head_share": 1,  # of the candidates that have it, those that have it there
    "known_uncommon_head": 1,
}
#: The features of a candidate's topic. A gap is how much better the best candidate is.
TOPIC_FEATURES: Final[Mapping[str, int]] = {
    "covered": 1,  # the share of the salience that it has anywhere
    "largest_missing": -1,  # the most salient word that it lacks
    "covered_gap": -1,
    "head_gap": -1,  # the same in title, series and metadata
    "missing_head_gap": -1,
    "exact_gap": -1,  # words that it has there exactly as written
    "whole_gap": -1,  # a title, series or value that is that word and nothing else
    "lexical": 1,
    "semantic": 1,
}
#: The features of a candidate's time.
TIME_FEATURES: Final[Mapping[str, int]] = {
    "then": 1,  # published or valid in the window
    "elsewhen": -1,  # published or valid, but not in the window
    "stated": 1,  # the match of a time in its text
    "stated_undated": 1,
    "stated_local": 1,  # the same times the words around it
}
_WORD: Final = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff](?:[^\W\u3400-\u9fff]|[.+/:\-](?=\w))*")
_POSSESSIVE: Final = re.compile(r"['’]s$")
_HAN: Final = re.compile("[\u3400-\u9fff]")
#: Above this probability a document is on the topic rather than not, and the other components of a score decide.
TOPIC_CAP: Final = 0.5
#: The weight of the rarity of a word beside its salience, of which no word may have any.
_RARITY_WEIGHT: Final = 0.1
#: Related forms share all but the last two letters, and are looked for in so many of the best candidates.
_MIN_RELATED: Final = 6
_MAX_RELATED: Final = 60
#: Words of a question beyond this many are not read.
_MAX_WORDS: Final = 40
#: Candidates whose titles, series and metadata are read: those with most of the words first.
_MAX_HEADS: Final = 1000


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """A logistic model: named weights on standardised features, and an intercept."""

    weights: Floats
    intercept: float

    def predict(self, features: Floats) -> Floats:
        """The probability of each row of features."""
        logits = features @ self.weights + self.intercept
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits, -50, 50))))


@dataclass(frozen=True, slots=True, eq=False)
class RelevanceModel:
    """The models, what the probability of the topic weighs in a score, and the thresholds of outcomes.

    `salience` is for words that some passage has, `unknown` for the others: they are judged by their form alone.

    A topic is known if the best candidate has a probability of `on_topic`. A candidate is of the same topic as the best
    if its odds are at least `same_topic` of the best one's. Something is recorded from `recorded`.
    """

    salience: LinearModel
    unknown: LinearModel
    topic: LinearModel
    time: LinearModel
    topic_weight: float = 0.0
    on_topic: float = 0.5
    same_topic: float = 0.7
    recorded: float = 0.5

    def weigh_words(self, words: QueryWords) -> Floats:
        """The salience of each word, moved towards 0 and 1: many slightly salient words should not count together."""
        features = words.features
        known = words.frequencies > 0
        salience = np.where(known, self.salience.predict(features), self.unknown.predict(features))
        return np.asarray(salience * salience * (3 - 2 * salience))

    def predict_topic(self, features: TopicFeatures, salience: Floats) -> tuple[Floats, Floats]:
        """The probability that each candidate is on the topic, and its odds beside the best, apart from word scores.

        The second decides which documents belong to one topic: a long text has a low BM25 and is about it all the same.
        A salient word that the index does not have is a veto.
        """
        if not features.words.words:
            return np.ones(len(features.lexical)), np.ones(len(features.lexical))
        columns = measure_topic(features, salience)
        veto = 1.0 - float((salience * features.words.unknown).max(initial=0.0))
        logits = columns[:, :-2] @ self.topic.weights[:-2]
        return veto * self.topic.predict(columns), np.exp(logits - logits.max(initial=-np.inf))

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it, with the names of the features."""
        models = (
            ("salience", self.salience, WORD_FEATURES),
            ("unknown", self.unknown, WORD_FEATURES),
            ("topic", self.topic, TOPIC_FEATURES),
            ("time", self.time, TIME_FEATURES),
        )
        return {
            **{
                name: {
                    "intercept": round(model.intercept, 5),
                    "weights": {key: round(float(value), 5) for key, value in zip(names, model.weights, strict=True)},
                }
                for name, model, names in models
            },
            **{name: round(getattr(self, name), 5) for name in _NUMBERS},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RelevanceModel:
        """A model from what `to_dict` gave."""
        try:
            salience, unknown, topic, time = (
                LinearModel(
                    np.array([float(data[name]["weights"][key]) for key in names]), float(data[name]["intercept"])
                )
                for name, names in (
                    ("salience", WORD_FEATURES),
                    ("unknown", WORD_FEATURES),
                    ("topic", TOPIC_FEATURES),
                    ("time", TIME_FEATURES),
                )
            )
            numbers = {name: float(data[name]) for name in _NUMBERS}
            return cls(salience, unknown, topic, time, **numbers)
        except (KeyError, TypeError, ValueError) as error:
            raise EpochalError(
                f"a relevance model lacks {error}; accepted: what `epochal train scorer` writes"
            ) from error


_NUMBERS: Final = ("topic_weight", "on_topic", "same_topic", "recorded")


@cache
def load_relevance_model() -> RelevanceModel:
    """The model that comes with the package."""
    data = resources.files("epochal.ranking").joinpath("weights/relevance.json").read_text(encoding="utf-8")
    return RelevanceModel.from_dict(json.loads(data))


@cache
def _get_common_ranks() -> Mapping[str, float]:
    """For each frequent English word how frequent it is: 1 for the first, 0.3 for the last; others have 0."""
    text = resources.files("epochal.ranking").joinpath("weights/common_words.txt").read_text(encoding="utf-8")
    words = text.split("\n", 1)[1].split()
    top = math.log(len(words) + 1)
    return {word: 1.0 - 0.7 * math.log(rank) / top for rank, word in enumerate(words, 1)}


# ---------------------------------------------------------------- words of the question


@dataclass(frozen=True, slots=True, eq=False)
class QueryWords:
    """The words of a question without its times, as written, with the tokens of each and their passage frequency."""

    words: tuple[str, ...]
    tokens: tuple[tuple[str, ...], ...]
    frequencies: Floats
    features: Floats

    @property
    def unknown(self) -> Floats:
        """1 for each word that no passage has."""
        return np.asarray(self.frequencies == 0, dtype=np.float64)


def read_query_words(pool: Pool) -> QueryWords:
    """The words of the question of a pool, with the features that need no candidates."""
    text = blank_dates(pool.view, pool.question, pool.times)
    for item in pool.times:
        text = text[: item.start_char] + " " * (item.end_char - item.start_char) + text[item.end_char :]
    words: list[str] = []
    tokens: list[tuple[str, ...]] = []
    starts: list[int] = []
    for match in list(_WORD.finditer(text))[:_MAX_WORDS]:
        word = _POSSESSIVE.sub("", match[0])
        read = tuple(dict.fromkeys(analyse(word)))
        if _HAN.match(word):
            # A pair of characters says more than each of them; a single one is all there is.
            read = tuple(token for token in read if len(token) > 1) or read
        if read and word not in words:
            words.append(word)
            tokens.append(read)
            starts.append(match.start())
    frequency = pool.view.get_document_frequencies({token for read in tokens for token in read})
    rarest = np.array([min(frequency.get(token, 0) for token in read) for read in tokens], dtype=np.float64)
    first = next((match.start() for match in _WORD.finditer(pool.question)), 0)
    return QueryWords(
        tuple(words), tuple(tokens), rarest, _describe_words(words, starts, first, rarest, pool.view.passage_count)
    )


def _describe_words(
    words: Sequence[str], starts: Sequence[int], first: int, frequencies: Floats, passages: int
) -> Floats:
    features = np.zeros((len(words), len(WORD_FEATURES)))
    if not words:
        return features
    names = list(WORD_FEATURES)
    ranks = _get_common_ranks()
    top = math.log(passages + 2)
    known = frequencies > 0
    rarity = np.where(known, np.log((passages + 2) / (frequencies + 1)) / top, 0.0).clip(0.0, 1.0)
    best = float(rarity.max(initial=0.0))
    for row, (word, start) in enumerate(zip(words, starts, strict=True)):
        low, han = word.lower(), bool(_HAN.match(word))
        common = ranks.get(low, 0.0)
        uncommon = float(low not in ranks and not han)
        capital = float(any(sign.isupper() for sign in word) and start != first)
        digit = any(sign.isdigit() for sign in word)
        inner = bool(re.search(r"\w[.+/:\-]\w", word))
        values = {
            "rarity": rarity[row],
            "relative_rarity": rarity[row] / best if best else 0.0,
            "common": common,
            "uncommon": uncommon,
            "capital": capital,
            "digit": float(digit),
            "identifier": float(inner or (digit and any(sign.isalpha() for sign in word))),
            "han": float(han),
        }
        for name, value in values.items():
            features[row, names.index(name)] = value
    return features


# ---------------------------------------------------------------- candidates


@dataclass(frozen=True, slots=True, eq=False)
class TopicFeatures:
    """Which candidate has which word: anywhere, in its head, exactly as written there, and as a whole field.

    Rows are candidates, columns words; the head of a document is its title, series and metadata.
    """

    words: QueryWords
    anywhere: Floats
    head: Floats
    exact: Floats
    whole: Floats
    lexical: Floats
    semantic: Floats
    #: Which candidates have any word of the topic; all of them where it has none.
    matches: Floats


def measure_words(pool: Pool, words: QueryWords | None = None) -> TopicFeatures:
    """Where the candidates of a pool have the words of its question; the features of words are completed."""
    words = words or read_query_words(pool)
    topic_tokens = set(get_topic_terms(pool.view, pool.understanding).tokens)
    if not topic_tokens:
        # What asks for anything at all ("What happened in 1998?") needs no words.
        words = QueryWords((), (), np.zeros(0), np.zeros((0, len(WORD_FEATURES))))
    count, size = len(pool), len(words.words)
    anywhere, head, exact, whole = (np.zeros((count, size)) for _ in range(4))
    # Words of dates and of the frame of a question say nothing of its topic: "on 7 May" must not count beside "Miami".
    on_topic = [word for word, read in zip(words.words, words.tokens, strict=True) if topic_tokens.intersection(read)]
    topic = " ".join(on_topic) if pool.times else ""
    lexical = scale_to_best(pool.view.score_words(topic, pool.rows) if topic and count else pool.lexical)
    semantic = lexical if pool.vector is None else scale_to_best(pool.semantic)
    if not count or not size:
        return TopicFeatures(words, anywhere, head, exact, whole, lexical, semantic, np.ones(count))
    flat = tuple(dict.fromkeys(token for read in words.tokens for token in read))
    at = {token: column for column, token in enumerate(flat)}
    present = pool.view.match_contexts(pool.rows, np.full(count, -1, dtype=np.int64), flat).astype(np.float64)
    for column, read in enumerate(words.tokens):
        part = present[:, [at[token] for token in read]]
        anywhere[:, column] = part.mean(axis=1) if _HAN.match(words.words[column]) else part.min(axis=1)
    _measure_heads(pool, words, anywhere, head, exact, whole, lexical + semantic)
    if identifiers := [column for column, word in enumerate(words.words) if any(sign.isdigit() for sign in word)]:
        words = _match_identifiers(pool, words, identifiers, anywhere, exact)
    np.maximum(anywhere, head, out=anywhere)
    words = _match_related_forms(pool, words, anywhere, lexical + semantic)
    names = list(WORD_FEATURES)
    features = words.features.copy()
    having = anywhere >= 0.5
    counts = having.sum(axis=0)
    in_head = (head >= 0.5).sum(axis=0)
    share = np.where(counts > 0, in_head / np.maximum(counts, 1), 0.0)
    features[:, names.index("in_head")] = in_head > 0
    features[:, names.index("head_share")] = share
    features[:, names.index("known_uncommon_head")] = share * features[:, names.index("uncommon")]
    words = QueryWords(words.words, words.tokens, words.frequencies, features)
    named = [column for column, read in enumerate(words.tokens) if topic_tokens.intersection(read)]
    matches = (anywhere[:, named].max(axis=1) > 0).astype(np.float64) if named else np.ones(count)
    return TopicFeatures(words, anywhere, head, exact, whole, lexical, semantic, matches)


def _measure_heads(
    pool: Pool, words: QueryWords, anywhere: Floats, head: Floats, exact: Floats, whole: Floats, prior: Floats
) -> None:
    """Fill in what titles, series and metadata have, for the candidates that share most words with the question."""
    documents, inverse = np.unique(pool.document_rows, return_inverse=True)
    if len(documents) > _MAX_HEADS:
        best = np.zeros(len(documents))
        np.maximum.at(best, inverse, anywhere.sum(axis=1) + prior)
        selected = np.sort(np.argsort(-best, kind="stable")[:_MAX_HEADS])
    else:
        selected = np.arange(len(documents))
    columns = [
        (column, word.lower(), read) for column, (word, read) in enumerate(zip(words.words, words.tokens, strict=True))
    ]
    small = np.zeros((3, len(documents), len(words.words)))
    for row, document in zip(selected.tolist(), pool.view.get_documents(documents[selected]), strict=True):
        fields = [document.title, document.series or "", *_list_values(document.meta)]
        fields = [field.lower() for field in fields if field]
        if not fields:
            continue
        joined = " \n ".join(fields)
        tokens, raw, entire = set(analyse(joined)), set(_WORD.findall(joined)), set(fields)
        for column, word, read in columns:
            shared = sum(token in tokens for token in read) / len(read)
            small[0, row, column] = shared if _HAN.match(word) else float(shared == 1.0)
            small[1, row, column] = float(word in raw)
            small[2, row, column] = float(word in entire)
    for target, values in zip((head, exact, whole), small, strict=True):
        target[:] = values[inverse]


def _list_values(meta: Mapping[str, Any]) -> list[str]:
    """The texts and numbers among the values of metadata."""
    return [str(value) for value in meta.values() if isinstance(value, str | int | float)]


def _match_identifiers(
    pool: Pool, words: QueryWords, columns: Sequence[int], anywhere: Floats, exact: Floats
) -> QueryWords:
    """An identifier is matched whole: 2488 is not in 2488-5, and gcc-12 not in gcc-1 and 12.

    One of several tokens is as rare as the whole, of which the candidates are a sample: its tokens may be everywhere.
    """
    (rows,) = np.nonzero(anywhere[:, columns].max(axis=1) > 0)
    texts = pool.view.get_texts(pool.rows[rows])
    for column in columns:
        pattern = re.compile(rf"(?<![\w\-]){re.escape(words.words[column])}(?![\w\-])(?![.:/+]\w)", re.IGNORECASE)
        for row, text in zip(rows.tolist(), texts, strict=True):
            if anywhere[row, column] > 0:
                found = pattern.search(text.text) or pattern.search(text.title)
                anywhere[row, column] = float(found is not None or exact[row, column] > 0)
    frequencies, features = words.frequencies.copy(), words.features.copy()
    for column in columns:
        if len(words.tokens[column]) > 1:
            frequencies[column] = min(frequencies[column], float((anywhere[:, column] > 0).sum()))
    known = frequencies > 0
    passages = pool.view.passage_count
    rarity = np.where(known, np.log((passages + 2) / (frequencies + 1)) / math.log(passages + 2), 0.0).clip(0.0, 1.0)
    features[:, list(WORD_FEATURES).index("rarity")] = rarity
    features[:, list(WORD_FEATURES).index("relative_rarity")] = rarity / max(float(rarity.max()), 1e-9)
    return QueryWords(words.words, words.tokens, frequencies, features)


def _match_related_forms(pool: Pool, words: QueryWords, anywhere: Floats, prior: Floats) -> QueryWords:
    """A word that the index lacks may have a related form: Nigerian and Nigeria. Those found are no longer unknown."""
    columns = [
        column
        for column, (word, frequency) in enumerate(zip(words.words, words.frequencies, strict=True))
        if frequency == 0 and len(word) >= _MIN_RELATED and word.isalpha() and word.isascii()
    ]
    if not columns:
        return words
    rows = np.sort(np.argsort(-prior, kind="stable")[:_MAX_RELATED])
    texts = [f"{item.title}\n{item.text}" for item in pool.view.get_texts(pool.rows[rows])]
    frequencies = words.frequencies.copy()
    for column in columns:
        word = words.words[column]
        pattern = re.compile(rf"\b{re.escape(word[: max(5, len(word) - 2)])}", re.IGNORECASE)
        having = np.array([pattern.search(text) is not None for text in texts])
        anywhere[rows[having], column] = 1.0
        frequencies[column] = float(having.sum())
    return QueryWords(words.words, words.tokens, frequencies, words.features)


def measure_topic(features: TopicFeatures, salience: Floats) -> Floats:
    """The features of the topic of each candidate, given the salience of each word."""
    count = len(features.lexical)
    columns = np.zeros((count, len(TOPIC_FEATURES)))
    if not count:
        return columns
    # Where no word is salient, rare ones decide.
    weights = salience + _RARITY_WEIGHT * features.words.features[:, list(WORD_FEATURES).index("rarity")]
    total = float(weights.sum())

    def share(present: Floats) -> Floats:
        return np.asarray(present @ weights / total) if total > 0 else np.ones(count)

    def missing(present: Floats) -> Floats:
        return np.asarray(((1.0 - present) * salience).max(axis=1, initial=0.0))

    def gap(values: Floats) -> Floats:
        return np.asarray(values.max() - values)

    covered = share(features.anywhere)
    columns[:, 0] = covered
    columns[:, 1] = missing(features.anywhere)
    columns[:, 2] = gap(covered)
    columns[:, 3] = gap(share(features.head))
    columns[:, 4] = gap(-missing(features.head))
    columns[:, 5] = gap(share(features.exact))
    columns[:, 6] = gap((features.whole * salience).max(axis=1, initial=0.0))
    columns[:, 7] = features.lexical
    columns[:, 8] = features.semantic
    return columns


def measure_time(pool: Pool, scored: Scored) -> Floats:
    """The features of the time of each candidate; of several windows the best counts where periods are compared."""
    count = len(pool)
    columns = np.zeros((count, len(TIME_FEATURES)))
    if not count or not pool.windows:
        return columns
    view = pool.view
    dated = np.zeros(count, dtype=np.bool_)
    then = np.zeros((len(pool.windows), count))
    for table in (view.published, view.valid):
        if not len(table):
            continue
        at = np.minimum(table.rows.searchsorted(pool.document_rows), len(table) - 1)
        (has,) = np.nonzero(table.rows[at] == pool.document_rows)
        spans: SpanSet = table.spans[at[has]]
        dated[has] = True
        for row, window in enumerate(pool.windows):
            overlaps = (spans.starts < window.span.end) & (spans.ends > window.span.start)
            inside = (spans.starts >= window.span.start) & (spans.ends <= window.span.end)
            # A validity that overlaps is enough; a publication date that is vaguer than the window is half.
            match = np.where(inside | (overlaps if table is view.valid else False), 1.0, 0.5 * overlaps)
            then[row, has] = np.maximum(then[row, has], match)
    combined = then.max(axis=0) if pool.understanding.cross_period else then.min(axis=0)
    stated = np.zeros(count)
    local = np.zeros(count)
    if scored.dating is not None and scored.match is not None and scored.local is not None:
        in_text = scored.dating >= 0
        stated[in_text], local[in_text] = scored.match[in_text], scored.local[in_text]
    columns[:, 0] = combined
    columns[:, 1] = dated & (combined == 0)
    columns[:, 2] = stated
    columns[:, 3] = stated * ~dated
    columns[:, 4] = stated * local
    return columns


# ---------------------------------------------------------------- the model at work


def measure_relevance(pool: Pool, scored: Scored, model: RelevanceModel) -> Relevance:
    """The relevance of the candidates of a pool."""
    features = measure_words(pool)
    salience = model.weigh_words(features.words)
    topic, same = model.predict_topic(features, salience)
    # A text without any word of the topic may be from the right time, and is no record of it.
    timed = model.time.predict(measure_time(pool, scored)) * features.matches if pool.windows else 1.0
    # What has the same words of the topic as the best is as much about it, however well they score.
    shared = np.where(same >= model.same_topic, topic.max(initial=0.0), topic) if pool.windows else topic
    answer = shared * timed
    words = features.words
    unknown = tuple(
        word for word, weight, new in zip(words.words, salience, words.unknown, strict=True) if new and weight >= 0.5
    )
    return Relevance(topic, same, answer, dict(zip(words.words, salience.tolist(), strict=True)), unknown)


def select_salient_rows(pool: Pool, model: RelevanceModel, limit: int) -> Rows:
    """Passages that have the salient words, of which the pool may have the first few only."""
    features = measure_words(pool)
    salience = model.weigh_words(features.words)
    words = features.words
    names = [
        word
        for word, weight, frequency in zip(words.words, salience, words.frequencies, strict=True)
        if weight >= 0.5 and frequency > 0
    ]
    return pool.view.search_words(" ".join(names), limit).rows if names else np.empty(0, dtype=np.int64)
