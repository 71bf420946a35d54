"""Where candidates have the words of a question: anywhere, in their title, series and metadata, exactly as written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from epochal.ranking.pool import Floats, Pool, scale_to_best
from epochal.ranking.terms import get_topic_terms
from epochal.ranking.words import HAN, WORD, WORD_FEATURES, QueryWords, is_identifier, measure_rarity, read_query_words
from epochal.storage.text import analyse

__all__ = ["TopicFeatures", "measure_words"]

#: Related forms share all but the last two letters, and are looked for in so many of the best candidates.
_MIN_RELATED: Final = 6
_MAX_RELATED: Final = 60
#: Candidates whose titles, series and metadata are read: those with most of the words first.
_MAX_HEADS: Final = 1000
_NAMES: Final = tuple(WORD_FEATURES)


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
    #: 1 for the words that are neither of dates nor of the frame of a question.
    on_topic: Floats
    #: Which candidates have any of them; all of them where there is none.
    matches: Floats

    def measure_lack(self, head_share: Floats) -> Floats:
        """How far each candidate lacks each word: by a share where it has it elsewhere than others, in its text."""
        elsewhere = self.anywhere * (self.head.max(axis=0, initial=0.0) - self.head)
        return np.asarray(1.0 - self.anywhere + head_share * elsewhere)


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
    on_topic = np.array([float(bool(topic_tokens.intersection(read))) for read in words.tokens])
    topic = " ".join(word for word, part in zip(words.words, on_topic, strict=True) if part) if pool.times else ""
    lexical = scale_to_best(pool.view.score_words(topic, pool.rows) if topic and count else pool.lexical)
    semantic = lexical if pool.vector is None else scale_to_best(pool.semantic)
    if not count or not size:
        return TopicFeatures(words, anywhere, head, exact, whole, lexical, semantic, on_topic, np.ones(count))
    flat = tuple(dict.fromkeys(token for read in words.tokens for token in read))
    at = {token: column for column, token in enumerate(flat)}
    present = pool.view.match_contexts(pool.rows, np.full(count, -1, dtype=np.int64), flat).astype(np.float64)
    for column, read in enumerate(words.tokens):
        part = present[:, [at[token] for token in read]]
        anywhere[:, column] = part.mean(axis=1) if HAN.match(words.words[column]) else part.min(axis=1)
    _measure_heads(pool, words, anywhere, head, exact, whole, lexical + semantic)
    if identifiers := [column for column, word in enumerate(words.words) if any(sign.isdigit() for sign in word)]:
        words = _match_identifiers(pool, words, identifiers, anywhere, exact)
    np.maximum(anywhere, head, out=anywhere)
    words = _match_related_forms(pool, words, anywhere, lexical + semantic)
    features = words.features.copy()
    having = anywhere >= 0.5
    counts = having.sum(axis=0)
    in_head = (head >= 0.5).sum(axis=0)
    share = np.where(counts > 0, in_head / np.maximum(counts, 1), 0.0)
    columns = {"in_head": in_head > 0, "head_share": share, "uncommon_head": share * words.get("uncommon")}
    for name, values in columns.items():
        features[:, _NAMES.index(name)] = values
    words = QueryWords(words.words, words.tokens, words.frequencies, features)
    matches = (anywhere @ on_topic > 0).astype(np.float64) if on_topic.any() else np.ones(count)
    return TopicFeatures(words, anywhere, head, exact, whole, lexical, semantic, on_topic, matches)


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
        tokens, raw, entire = set(analyse(joined)), set(WORD.findall(joined)), set(fields)
        for column, word, read in columns:
            if is_identifier(word):  # 2.2.1 is not in 1.2
                small[:, row, column] = float(word in raw), float(word in raw), float(word in entire)
                continue
            shared = sum(token in tokens for token in read) / len(read)
            small[0, row, column] = shared if HAN.match(word) else float(shared == 1.0)
            small[1, row, column] = float(word in raw)
            small[2, row, column] = float(word in entire)
    was_read = np.zeros(len(documents), dtype=np.bool_)
    was_read[selected] = True
    for target, values in zip((head, exact, whole), small, strict=True):
        # What was not read is taken to be like the others: it has the word where they have it.
        likely = anywhere * values.max(axis=0, initial=0.0)
        target[:] = np.where(was_read[inverse][:, None], values[inverse], likely)


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
        if is_identifier(words.words[column]):
            frequencies[column] = min(frequencies[column], float((anywhere[:, column] > 0).sum()))
    rarity, relative = measure_rarity(frequencies, pool.view.passage_count)
    features[:, _NAMES.index("rarity")], features[:, _NAMES.index("relative_rarity")] = rarity, relative
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
