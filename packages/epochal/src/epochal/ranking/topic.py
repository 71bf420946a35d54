"""Where candidates have the words of a question: anywhere, in their title, series and metadata, exactly as written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from epochal.ranking.alternatives import join_alternatives, join_events
from epochal.ranking.casing import restore_capitals
from epochal.ranking.identifiers import (
    IN_VERSION,
    VERSION,
    is_exact,
    is_part_of_version,
    match_identifiers,
    match_numbered,
    takes_versions,
)
from epochal.ranking.kinds import measure_kinds
from epochal.ranking.near_words import match_near_words
from epochal.ranking.pool import Floats, Pool, scale_to_best, score_query_words
from epochal.ranking.related_forms import join_abbreviations, match_related_forms
from epochal.ranking.script_words import HAN, WORD, is_unparted
from epochal.ranking.terms import get_topic_terms, has_han
from epochal.ranking.words import (
    WORD_COLUMNS,
    WORD_FEATURES,
    QueryWords,
    is_identifier,
    is_text_kind,
    read_query_words,
)
from epochal.reading.questions.bounds import is_edge_word
from epochal.storage.protocol import NO_HEADING, Rows, get_headings
from epochal.storage.text import analyse, analyse_word

__all__ = ["TopicFeatures", "measure_words"]

#: The share of candidates with a word from which those that have it in titles, series and metadata set a standard.
_FEW_HEADS: Final = 0.2
#: The same of those that have nothing else in a title, a series or a value: two of 300 news of Syria are filed under
#: "Syria", the rest under what happened.
_FEW_WHOLE: Final = 0.05
#: How far a passage has a name that only other passages of its document or title have.
_CONTINUED: Final = 0.8
#: The words of a title that may be a name and kinds of texts.
_NAME_WORDS: Final = 4
#: Candidates whose titles, series and metadata are read: those with most of the words first.
_MAX_HEADS: Final = 1000
#: How surely a word says what kind of thing all documents are that no topic is made of.
_IS_KIND: Final = 0.5
_NO_WORDS: Final = QueryWords((), (), np.zeros(0), np.zeros((0, len(WORD_FEATURES))), np.zeros(0))


@dataclass(frozen=True, eq=False)
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
    #: How many words of the question each candidate's whole titles, series and values of metadata make up.
    phrases: Floats
    #: Which candidates have any of them; all of them where there is none.
    matches: Floats
    #: The number of each candidate's title; documents without one have numbers of their own.
    titles: Rows

    @cached_property
    def best_head(self) -> Floats:
        """How far some candidate has each word in its head."""
        return np.asarray(self.head.max(axis=0, initial=0.0))

    @cached_property
    def has_heads(self) -> bool:
        """Whether some candidate has anything of the question there: texts without titles have not."""
        return any(bool(part.any()) for part in (self.head, self.exact, self.whole, self.phrases))

    @cached_property
    def best_whole(self) -> Floats:
        """1 for the words that are a whole field of some candidate."""
        return np.asarray(self.whole.max(axis=0, initial=0.0))

    def measure_lack(self, head_share: Floats | None) -> Floats:
        """How far each candidate lacks each word: by a share where it has it elsewhere than others, in its text."""
        lack = 1.0 - self.anywhere
        return lack if head_share is None else lack + head_share * (self.anywhere * (self.best_head - self.head))

    def share_by_title(self, values: Floats) -> Floats:
        """The best value among the candidates of each title: what bears one title is about one thing."""
        best = np.zeros(int(self.titles.max(initial=-1)) + 1)
        np.maximum.at(best, self.titles, values)
        return np.asarray(best[self.titles])


def measure_words(pool: Pool) -> TopicFeatures:
    """Where the candidates of a pool have the words of its question; step by step the features are completed."""
    written, pool = pool, restore_capitals(pool)
    words, is_restored = read_query_words(pool), pool is not written
    if is_restored:
        # How documents would write what none of them has is not known.
        words.features[words.unknown > 0, WORD_COLUMNS["small"]] = 0.0
    topic_tokens = set(get_topic_terms(pool.view, pool.understanding).tokens)
    if not topic_tokens:
        # What asks for anything at all ("What happened in 1998?") needs no words.
        words = _NO_WORDS
    count, size = len(pool), len(words.words)
    # The candidates of each word lie side by side: words are few, and what is best among them is asked for often.
    anywhere, head, exact, whole = np.zeros((4, size, count)).transpose(0, 2, 1)
    # Words of dates and of the frame of a question say nothing of its topic: "on 7 May" must not count beside "Miami".
    on_topic = np.array([float(bool(topic_tokens.intersection(read))) for read in words.tokens])
    edges = any(window.edge for window in pool.windows)
    _drop_bounds(words, pool.understanding.topic, edges=edges)
    lexical = scale_to_best(_score_topic(pool, words, on_topic))
    semantic = lexical if pool.vector is None else scale_to_best(pool.semantic)
    if not count or not size:
        none, all_of_them, own = np.zeros(count), np.ones(count), np.arange(count)
        return TopicFeatures(words, anywhere, head, exact, whole, lexical, semantic, on_topic, none, all_of_them, own)
    flat = tuple(dict.fromkeys(token for read in words.tokens for token in read))
    at = {token: column for column, token in enumerate(flat)}
    present = pool.view.match_contexts(pool.rows, np.full(count, -1, dtype=np.int64), flat)
    for column, read in enumerate(words.tokens):
        if len(read) == 1:
            anywhere[:, column] = present[:, at[read[0]]]
            continue
        part = present[:, [at[token] for token in read]]
        anywhere[:, column] = part.mean(axis=1) if HAN.match(words.words[column]) else part.all(axis=1)
    heads, phrases, titles = _measure_heads(pool, words, anywhere, head, exact, whole, lexical + semantic)
    if identifiers := [column for column, word in enumerate(words.words) if is_exact(word)]:
        match_identifiers(pool, words, identifiers, anywhere, exact)
        match_numbered(pool, words, identifiers, anywhere, head, exact, whole)
    np.maximum(anywhere, head, out=anywhere)
    if takes_versions(pool):
        for column in identifiers:
            # Where titles have longer versions that begin with it, what only mentions it is none of them.
            is_series = is_identifier(words.words[column]) and (head[:, column] > exact[:, column]).any()
            if is_series and IN_VERSION.fullmatch(words.words[column].lower()):
                anywhere[:, column] = head[:, column]
    match_related_forms(pool, words, anywhere, lexical + semantic, heads)
    match_near_words(pool, words, anywhere)
    join_alternatives(pool.question, words, anywhere, head)
    join_events(pool.question, words, anywhere)
    join_abbreviations(pool.question, words, anywhere)
    _share_names(pool, words, titles, anywhere, head)
    if heads:
        _describe_heads(words, anywhere, head, exact, whole, is_restored=is_restored)
    words.kinds[:] = measure_kinds(pool, words)
    if on_topic.any() and (words.kinds[on_topic > 0] >= _IS_KIND).all():
        # "Chess in 1989", of a chess club, asks for anything at all.
        words, on_topic = _NO_WORDS, np.zeros(0)
        anywhere = head = exact = whole = np.zeros((count, 0))
    matches = (anywhere @ on_topic > 0).astype(np.float64) if on_topic.any() else np.ones(count)
    return TopicFeatures(words, anywhere, head, exact, whole, lexical, semantic, on_topic, phrases, matches, titles)


def _score_topic(pool: Pool, words: QueryWords, on_topic: Floats) -> Floats:
    """BM25 of the candidates for the words of a question that are of its topic; where it has a time, or is in Chinese.

    A Chinese question without spaces has pairs of characters across its words and frame.
    """
    if not len(pool) or not (pool.times or is_unparted(pool.question)):
        return pool.lexical
    topic = " ".join(word for word, part in zip(words.words, on_topic, strict=True) if part)
    return pool.view.score_words(topic, pool.rows) if topic else score_query_words(pool)


def _describe_heads(
    words: QueryWords, anywhere: Floats, head: Floats, exact: Floats, whole: Floats, *, is_restored: bool
) -> None:
    """The features that say where candidates have each word: in titles, series and metadata, or in texts."""
    counts = (anywhere >= 0.5).sum(axis=0)
    in_head = (head >= 0.5).sum(axis=0)
    share = np.where(counts > 0, in_head / np.maximum(counts, 1), 0.0)
    # Where one of many that have a word has it in its category, that says nothing of the others. What has an identifier
    # in its title is what it identifies: Django 2.0.7.
    whole_share = (whole >= 0.5).sum(axis=0) / np.maximum(counts, 1)
    few = (share < _FEW_HEADS) & (whole_share < _FEW_WHOLE) & (words.get("identifier") == 0)
    head[:, few] = exact[:, few] = whole[:, few] = 0.0
    best_whole = whole.max(axis=0, initial=0.0)
    is_name = best_whole * (words.get("common") == 0) * (words.get("ordinary") == 0)
    if is_restored:  # Whoever writes no capitals may write the name of something else beside "privacy policy".
        is_name *= np.array([word.islower() for word in words.words])
    beside = is_name.sum() - is_name > 0
    # What only metadata have is in no passage, and is known all the same.
    words.frequencies[:] = np.where(words.frequencies > 0, words.frequencies, in_head)
    columns = {"in_head": in_head > 0, "head_share": share, "beside_name": beside, "field": best_whole > 0}
    for name, values in columns.items():
        words.features[:, WORD_COLUMNS[name]] = values


def _drop_bounds(words: QueryWords, topic: str, *, edges: bool) -> None:
    """Words that were read as bounds, and are left out of the topic, are as common as any.

    No text needs "predate" to answer, nor "discharged" where the end of something is meant. Names and numbers remain:
    "article 1872" may be no year.
    """
    kept = set(WORD.findall(topic))
    for row, word in enumerate(words.words if topic else ()):
        if word.isalpha() and word.islower() and (word not in kept or (edges and is_edge_word(word))):
            words.features[row, WORD_COLUMNS["common"]] = 1.0


def _measure_heads(
    pool: Pool, words: QueryWords, anywhere: Floats, head: Floats, exact: Floats, whole: Floats, prior: Floats
) -> tuple[list[str], Floats, Rows]:
    """Fill in what titles, series and metadata have, for the candidates that share most words with the question.

    Returns those that were read, each as one text, and for each candidate how many words of the question its whole
    fields make up, and the number of its title.
    """
    documents, inverse = pool.number_documents()
    if len(documents) > _MAX_HEADS:
        best = np.zeros(len(documents))
        np.maximum.at(best, inverse, anywhere.sum(axis=1) + prior)
        selected = np.sort(np.argsort(-best, kind="stable")[:_MAX_HEADS])
    else:
        selected = np.arange(len(documents))
    titles = np.arange(len(documents))
    headings = [
        (row, heading)
        for row, heading in zip(selected.tolist(), get_headings(pool.view, documents[selected]), strict=True)
        if heading is not NO_HEADING and (heading.title or heading.series or heading.meta)
    ]
    if not headings:
        return [], np.zeros(len(pool)), titles[inverse]
    columns = [
        (column, word.lower(), read) for column, (word, read) in enumerate(zip(words.words, words.tokens, strict=True))
    ]
    small = np.zeros((4, len(documents), len(words.words)))
    heads, names = [], _FieldNames(words.words, tuple(WORD.findall(pool.question.lower())), len(documents))
    with_series, known_titles = takes_versions(pool), dict[str, int]()
    compared: dict[tuple[str, ...], tuple[tuple[Rows, Rows], Floats]] = {}
    for row, heading in headings:
        fields = tuple(filter(None, (heading.title, heading.series, *_list_values(heading.meta))))
        if not fields:
            continue
        if heading.title and _names_thing(heading.title):
            titles[row] = known_titles.setdefault(heading.title, row)
        heads.append("\n".join(fields))
        if fields not in compared:
            read_head = _read_head(fields)
            values = _compare_head(read_head, columns, with_series=with_series)
            compared[fields] = names.find(read_head), values
        (names.lengths[row], names.begun[row]), small[:, row] = compared[fields]
    if not heads:
        return heads, np.zeros(len(pool)), titles[inverse]
    for column, has in names.list_names():
        small[:3, :, column] = has
    # What bears another name has not got this one: "express-session" beside "express".
    small[0, small[3] * small[2].max(axis=0) > 0] = 0.0
    was_read = np.zeros(len(documents), dtype=np.bool_)
    was_read[selected] = True
    for target, values in zip((head, exact, whole), small[:3], strict=True):
        # What was not read is taken to be like the others: it has the word where they have it.
        likely = anywhere * values.max(axis=0, initial=0.0)
        target[:] = np.where(was_read[inverse][:, None], values[inverse], likely)
    return heads, names.covered.sum(axis=1)[inverse], titles[inverse]


def _compare_head(head: _Head, columns: Sequence[tuple[int, str, tuple[str, ...]]], *, with_series: bool) -> Floats:
    """For each word of a question how far a head has its tokens, whether it has the word, and a whole field is it.

    The last says whether it only has it as a part of another name. With `with_series`, a version stands for all that
    begin with it.
    """
    values = np.zeros((4, len(columns)))
    for column, word, read in columns:
        is_word = word in head.words or (VERSION.fullmatch(word) is not None and word.removeprefix("v") in head.words)
        if with_series and (head.versions or is_identifier(word)) and IN_VERSION.fullmatch(word):
            start = word.removeprefix("v").removesuffix(".x")
            shared = float(is_word or any(is_part_of_version(start, version) for version in head.versions))
        elif is_identifier(word):  # 2.2.1 is not in 1.2
            shared = float(is_word)
        elif HAN.match(word):
            shared = sum(token in head.tokens for token in read) / len(read)
        else:
            shared = float(head.tokens.issuperset(read))
        if shared or is_word:
            is_part = not is_word and any(tokens.issuperset(read) for tokens in head.joined)
            values[:, column] = shared, float(is_word), float(word in head.fields), float(is_part)
    return values


class _Head(NamedTuple):
    """The title, series and metadata of a document in small letters: their tokens, words and fields.

    `parts` are the words of each field, and of what signs part in it, if it is several words. `joined` are the tokens
    of each field that is one name made of several: "vue-router". `versions` are the words that are versions.
    """

    tokens: frozenset[str]
    words: frozenset[str]
    fields: frozenset[str]
    parts: frozenset[tuple[str, ...]]
    joined: frozenset[frozenset[str]]
    versions: tuple[str, ...]


@lru_cache(maxsize=8192)
def _read_head(fields: tuple[str, ...]) -> _Head:
    small = [field.lower() for field in fields]
    joined = " \n ".join(small)
    parts = {tuple(WORD.findall(field)) for field in small}
    parts |= {words for field in small for part in _SIGNS.split(field) if len(words := tuple(WORD.findall(part))) > 1}
    names = {*small, *(name for field in small if (name := _get_single_name(field)))}
    compounds = frozenset(frozenset(analyse_word(name)) for name in names if _JOINED.fullmatch(name))
    found = WORD.findall(joined)
    # v4.7.2 is 4.7.2.
    versions = tuple(word.removeprefix("v") for word in found if VERSION.fullmatch(word))
    tokens = frozenset(analyse(joined))
    return _Head(tokens, frozenset((*found, *versions)), frozenset(names), frozenset(parts), compounds, versions)


#: A name made of several that begin with letters: "express-session", "vue/router"; "covid-19" is one name.
_JOINED: Final = re.compile(r"[^\W\d_]\w*(?:[.+/\-][^\W\d_]\w*)+")
#: A number, or a version: 2.9.2, v1.0, r12; "es6-promise" and "log4j" are names.
_NUMBER: Final = re.compile(r"[a-z]?\d.*", re.DOTALL)


def _get_single_name(field: str) -> str:
    """The only word of a field, or of the first of its parts, but for numbers and kinds of texts.

    "requests 2.9.2", "Airbnb: Terms", "curl release notes".
    """
    words = [word for word in WORD.findall(_SIGNS.split(field, 1)[0]) if not _NUMBER.match(word)]
    names = [word for word in words if not is_text_kind(word)] if 1 < len(words) <= _NAME_WORDS else words
    return names[0] if len(names) == 1 else ""


@lru_cache(maxsize=8192)
def _names_thing(title: str) -> bool:
    """Whether a title is more than a number and a kind of text: "v2.0" and "Minutes" are of many things."""
    return any(not _NUMBER.fullmatch(word) and not is_text_kind(word) for word in WORD.findall(title.lower()))


class _FieldNames:
    """Which words of a question are made up by whole fields, or by several words between signs, of which document.

    Several words of the question that are one field of some document are a name ("Terms of Service"), and who has them
    apart does not have it. Of names in each other the longest counts. What begins with the name bears it, too: "Egypt
    gallery closed". A number with more behind it may be another: "Article 38 bis".
    """

    def __init__(self, words: Sequence[str], asked: tuple[str, ...], count: int) -> None:
        self._asked = asked
        self._columns = [[place for place, word in enumerate(asked) if word == name.lower()] for name in words]
        #: For each document and place in the question the words of the longest name there.
        self.lengths: Rows = np.zeros((count, len(asked)), dtype=np.int64)
        #: The same of names that are only the beginning of a field.
        self.begun: Rows = np.zeros((count, len(asked)), dtype=np.int64)

    @property
    def covered(self) -> Floats:
        """1 for each document and each place in the question that one of its names covers."""
        return np.asarray(self.lengths > 0, dtype=np.float64)

    def find(self, head: _Head) -> tuple[Rows, Rows]:
        """For each place in the question the words of the longest name of a document there, and of one that begins."""
        lengths, begun = np.zeros((2, len(self._asked)), dtype=np.int64)
        for part in head.parts:
            if not part or part[0] not in self._asked:
                continue
            for start, word in enumerate(self._asked):
                if word != part[0]:
                    continue
                pairs = zip(self._asked[start:], part, strict=False)
                size = next((at for at, (one, other) in enumerate(pairs) if one != other), 0)
                size = size or min(len(part), len(self._asked) - start)
                found = lengths if size == len(part) else begun
                found[start : start + size] = np.maximum(found[start : start + size], size)
        return lengths, begun

    def list_names(self) -> Iterator[tuple[int, Floats]]:
        """Each column of a word that is part of a name of several words, and 1 for the documents that have it there."""
        longest = self.lengths.max(axis=0, initial=0)
        for column, places in enumerate(self._columns):
            if places and (best := max(longest[place] for place in places)) > 1:
                has = (self.lengths[:, places] == best).any(axis=1)
                if self._asked[places[0]].isalpha():
                    has |= (self.begun[:, places] >= best).any(axis=1)
                yield column, np.asarray(has, dtype=np.float64)


#: What parts the fields of a title: "Airbnb: Terms of Service", "curl - 8.4".
_SIGNS: Final = re.compile(r"(?:(?<!\s)\s+)?[:|/–—·(]\s*|(?<!\s)\s+-+\s+")


_WORDED: Final = (str, int, float)


def _list_values(meta: Mapping[str, Any]) -> list[str]:
    """The texts and numbers among the values of metadata."""
    return [str(value) for value in meta.values() if isinstance(value, _WORDED)]


def _share_names(pool: Pool, words: QueryWords, titles: Rows, anywhere: Floats, head: Floats) -> None:
    """A passage nearly has a name that others of its document have: it goes on about the same thing.

    So do documents of one title, if they bear a name of the question: all laws have an "Article 37".
    """
    is_name = (words.get("ordinary") == 0) & (words.get("common") == 0) & (words.get("digit") == 0)
    is_han = np.array([has_han(word) for word in words.words], dtype=np.bool_)
    columns = np.flatnonzero(is_name & ~is_han)
    documents, numbers = pool.number_documents()
    members = [(numbers, np.arange(len(pool)))] if len(documents) < len(pool) else []
    bears = np.flatnonzero(head[:, columns].max(axis=1, initial=0.0) >= 0.5) if head.any() else ()
    if len(bears):
        members.append((titles, np.asarray(bears)))
    own = anywhere[:, columns] if members else anywhere
    for groups, rows in members:
        best = np.zeros((int(groups.max(initial=-1)) + 1, len(columns)))
        np.maximum.at(best, groups[rows], own[rows])
        anywhere[np.ix_(rows, columns)] = np.maximum(anywhere[np.ix_(rows, columns)], _CONTINUED * best[groups[rows]])
