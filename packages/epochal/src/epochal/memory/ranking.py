"""Rank the turns of a memory for a question: their own words, what they reply to, who speaks, and their session.

What a turn says by itself is often not enough: "Yes, last Friday!" answers the question before it. So a turn is scored
with its neighbours and its session, at lower weights. The weights were fitted on two conversations of LoCoMo, each
evaluated on the other, and rounded; see `studies/memory.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import Encoder
from epochal.memory.catalogue import Catalogue
from epochal.memory.forms import get_forms
from epochal.memory.when import asks_for_future
from epochal.ranking.pool import Window, get_windows
from epochal.ranking.terms import get_topic_terms, weigh_tokens
from epochal.reading.questions.question import Understanding
from epochal.reading.questions.understand import understand
from epochal.storage.protocol import Rows, View, expand_runs, intersect_rows, union_rows
from epochal.times.axis import Grain
from epochal.times.span import Span

Floats = npt.NDArray[np.float64]
_Tense = Literal["past", "future"]

#: Turns that words, and vectors, bring; what is around them is added.
_DEPTH: Final = 80
#: How much each part of a score weighs. "words" is the share of the question's words that a turn has, by rarity,
#: "meaning" the similarity of vectors; "pair_words" and "pair_meaning" are those of a turn together with the one before
#: it, "reply" are both of a question that the turn before asks, "near" both of the other turns around, "session" both
#: of the best turns of the session. For a question for when, "states_time" is whether a turn states a time,
#: "fits_tense" whether that is past or to come as in the question, and "beside_time" the share of the question's words
#: in the sentence that states it.
WEIGHTS: Final = {
    "words": 2.2,
    "meaning": 3.2,
    "pair_words": 2.1,
    "pair_meaning": 3.1,
    "speaker": 2.6,
    "reply": 1.9,
    "near": 0.4,
    "session": 3.8,
    "states_time": 1.0,
    "fits_tense": 1.3,
    "beside_time": 1.2,
    "window": 2.5,
    "length": 1.6,
}
#: The best so many turns of a session say what it is about.
_SESSION_TOP: Final = 3
#: The sum of the similarities of two turns in a row is divided by this, about the length of the sum of their vectors.
_PAIR_SCALE: Final = 1.65
#: The logarithm of the length of a turn is divided by this.
_LENGTH_SCALE: Final = 4.0
#: The probability that a memory answers what is asked about one speaker: a logistic of how far the best turn of that
#: speaker is ahead of the best turn of anybody else, by score and by the share of the question's words, of that share,
#: and of how many of the best turns are that speaker's. Fitted on the questions of two conversations.
_LEAD, _WORD_LEAD, _WORDS, _OWN_TURNS, _INTERCEPT = 0.45, 2.25, 1.0, 2.25, -1.25
_MAX_LEAD: Final = 3.0
#: The same where nobody is named, by the words and the meaning of the best turns, with vectors and without: fitted on
#: the questions of two conversations, without names, put to both, as if 65 of 100 questions had an answer.
_UNNAMED: Final = (3.7, 4.3, -3.15)
_UNNAMED_WORDS: Final = (4.5, 0.0, -1.6)
_BEST_TURNS: Final = 5
#: What it is worth to be said in the time of a question: for a turn that states no time, and for one that does.
_SAID, _SAID_BESIDE = 0.8, 0.4

_FIRST_PERSON: Final = re.compile(r"\b(?:I|I['’](?:m|ve|d|ll)|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself)\b")
_POSSESSIVE: Final = r"(?:['’]s?)?"


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Candidates by their places in the catalogue, best first, with their scores and the parts of these."""

    places: Rows
    scores: Floats
    parts: dict[str, Floats]
    understanding: Understanding
    probability: float
    #: The greatest share of the question's words that a turn has.
    words: float
    unknown_words: tuple[str, ...] = ()
    #: The tokens of what is asked about, in all their forms.
    tokens: tuple[str, ...] = ()


def rank_turns(
    view: View,
    encoder: Encoder | None,
    catalogue: Catalogue,
    question: str,
    now: Span | None,
    *,
    user: int,
    kept: npt.NDArray[np.bool_],
    asker: str = "user",
) -> Ranking:
    """The turns that answer a question, among those that are kept; `asker` is the speaker called "I" in it."""
    speakers = catalogue.find_speakers(user)
    named = find_named_speakers(question, speakers, asker)
    understanding = understand(question, now)
    names = [name for name in speakers if speakers[name] in named]
    topic = remove_names(question, names)
    topic_understanding = replace(understanding, topic=remove_names(understanding.topic, names))
    places = np.flatnonzero(kept)
    if not len(places):
        return _rank_nothing(understanding)
    rows = None if len(places) == len(catalogue) else union_rows(view.get_passage_rows(catalogue.rows[places]))
    vector = None if encoder is None else encoder.encode_queries([topic])[0]
    # "A sunrise" is no time to look in.
    windows = tuple(window for window in get_windows(understanding) if window.span.grain >= Grain.DAY)
    candidates = _collect(view, catalogue, topic, vector, windows, rows, kept)
    context = _add_neighbours(catalogue, candidates, kept)
    words = _read_words(view, topic_understanding)
    if not len(context):
        return replace(_rank_nothing(understanding), unknown_words=words.unknown, tokens=words.tokens)
    present, meaning = _score_own(view, catalogue, context, words, vector)
    parts = _measure_parts(catalogue, context, words, present, meaning, named)
    if windows or understanding.intent == "when":
        tense = _read_tense(question) if understanding.intent == "when" else None
        parts |= _measure_times(view, catalogue.rows[context], words, windows, tense)
    scores = sum((WEIGHTS[name] * values for name, values in parts.items()), np.zeros(len(context)))
    order = np.lexsort((catalogue.rows[context], -scores))
    probability, best_words = _estimate(catalogue, context, scores, parts, named, has_vectors=vector is not None)
    return Ranking(
        context[order],
        scores[order],
        {name: WEIGHTS[name] * values[order] for name, values in parts.items()},
        understanding,
        probability,
        best_words,
        words.unknown,
        words.tokens,
    )


def find_named_speakers(question: str, speakers: dict[str, int], asker: str) -> frozenset[int]:
    """The codes of the speakers that a question names, by their names or their first names; "I" is who asks.

    >>> sorted(find_named_speakers("When did Ana move?", {"Ana": 0, "Ben": 1}, "user"))
    [0]
    >>> sorted(find_named_speakers("Where did I park?", {"user": 0, "assistant": 1}, "user"))
    [0]
    """
    named = {code for name, code in speakers.items() if _compile_name(name).search(question)}
    if asker in speakers and _FIRST_PERSON.search(question):
        named.add(speakers[asker])
    return frozenset(named)


def remove_names(question: str, names: list[str]) -> str:
    """The question without the names of speakers, which almost no turn of their own has.

    >>> remove_names("When did Ana's sister move?", ["Ana"])
    'When did sister move?'
    """
    for name in sorted(names, key=len, reverse=True):
        question = _compile_name(name).sub(" ", question)
    return " ".join(question.split())


@lru_cache(maxsize=1024)
def _compile_name(name: str) -> re.Pattern[str]:
    whole, first = re.escape(name), re.escape(name.split(maxsplit=1)[0])
    return re.compile(rf"(?<!\w)(?:{whole}|{first}){_POSSESSIVE}(?!\w)")


def _collect(
    view: View,
    catalogue: Catalogue,
    topic: str,
    vector: npt.NDArray[np.float32] | None,
    windows: tuple[Window, ...],
    rows: Rows | None,
    kept: npt.NDArray[np.bool_],
) -> Rows:
    """The places of the turns that words and vectors bring, and of those from a time that the question names."""
    sources = [view.search_words(topic, _DEPTH, rows).rows]
    if vector is not None:
        sources.append(view.search_vectors(vector, _DEPTH, rows).rows)
    for window in windows:
        stated = view.content.rows[view.content.spans.overlapping(window.span).astype(np.int64)]
        said = view.published.rows[view.published.spans.overlapping(window.span).astype(np.int64)]
        close = union_rows(stated, view.get_passage_rows(said))
        close = close if rows is None else intersect_rows(close, rows)
        if 0 < len(close) < view.passage_count:
            sources.append(close if len(close) <= _DEPTH else view.search_words(topic, _DEPTH, close).rows)
    documents = union_rows(view.get_document_rows(union_rows(*sources)))
    places = catalogue.locate(documents)
    return places[kept[places]]


def _add_neighbours(catalogue: Catalogue, places: Rows, kept: npt.NDArray[np.bool_]) -> Rows:
    """The places, and those up to two turns before and after them."""
    around = [places]
    for links in (catalogue.before, catalogue.after):
        at = places
        for _ in range(2):
            at = links[at[at >= 0]]
            around.append(at[at >= 0])
    joined = union_rows(*around)
    return joined[kept[joined]]


@dataclass(frozen=True, slots=True, eq=False)
class _Words:
    """The words of a question: the tokens of all forms, where those of each word start, and how rare each word is."""

    tokens: tuple[str, ...]
    starts: Rows
    rarity: Floats
    unknown: tuple[str, ...]

    def find(self, view: View, rows: Rows, positions: Rows) -> npt.NDArray[np.bool_]:
        """Which of the words each context of `View.match_contexts` has."""
        if not self.tokens or not len(rows):
            return np.zeros((len(rows), len(self.rarity)), np.bool_)
        return np.logical_or.reduceat(view.match_contexts(rows, positions, self.tokens), self.starts, axis=1)

    def share(self, present: npt.NDArray[np.bool_]) -> Floats:
        """The share of the words, by rarity, of those that are present."""
        return np.asarray(present @ self.rarity / self.rarity.sum()) if self.tokens else np.zeros(len(present))


def _read_words(view: View, understanding: Understanding) -> _Words:
    tokens = get_topic_terms(view, understanding).tokens
    groups = [(token, *get_forms(token)) for token in tokens]
    weights = weigh_tokens(view, [token for group in groups for token in group])
    starts = np.cumsum([0, *(len(group) for group in groups[:-1])], dtype=np.int64)
    rarity, unknown = [], []
    for group in groups:
        known = [weights[token] ** 2 for token in group if weights[token] > 0]
        if not known:
            unknown.append(group[0])
        rarity.append(min(known) if known else np.log1p(2 * view.passage_count + 1))
    return _Words(tuple(token for group in groups for token in group), starts, np.array(rarity), tuple(unknown))


def _score_own(
    view: View, catalogue: Catalogue, places: Rows, words: _Words, vector: npt.NDArray[np.float32] | None
) -> tuple[npt.NDArray[np.bool_], Floats]:
    """For each turn which of the question's words it has, and how similar its vector is."""
    documents = catalogue.rows[places]
    rows = view.get_passage_rows(documents)
    owners = np.searchsorted(documents, view.get_document_rows(rows))
    found = words.find(view, rows, np.full(len(rows), -1, dtype=np.int64))
    present, meaning = np.zeros((len(places), found.shape[1]), np.bool_), np.zeros(len(places))
    np.logical_or.at(present, owners, found)
    if vector is not None:
        np.maximum.at(meaning, owners, view.score_vectors(vector, rows))
    return present, meaning


def _measure_parts(
    catalogue: Catalogue,
    places: Rows,
    words: _Words,
    present: npt.NDArray[np.bool_],
    meaning: Floats,
    named: frozenset[int],
) -> dict[str, Floats]:
    shares = words.share(present)
    own = shares + meaning

    def find_around(links: Rows, steps: int = 1) -> tuple[npt.NDArray[np.bool_], Rows]:
        at = places
        for _ in range(steps):
            at = np.where(at >= 0, links[at], -1)
        found = np.minimum(places.searchsorted(at), len(places) - 1)
        return (at >= 0) & (places[found] == at), found

    def get_around(values: Floats, links: Rows, steps: int = 1) -> Floats:
        has, found = find_around(links, steps)
        return np.where(has, values[found], 0.0)

    follows, before = find_around(catalogue.before)
    near = get_around(own, catalogue.after) + get_around(own, catalogue.after, 2) + get_around(own, catalogue.before, 2)
    return {
        "words": shares,
        "meaning": meaning,
        "pair_words": words.share(present | (present[before] & follows[:, np.newaxis])),
        "pair_meaning": np.where(follows, (meaning + meaning[before]) / _PAIR_SCALE, meaning),
        "speaker": _match_speakers(catalogue.speaker_codes[places], named),
        "reply": np.where(follows, (own * catalogue.asks[places])[before], 0.0),
        "near": near,
        "session": _measure_sessions(catalogue.session_codes[places], own),
        "length": np.log1p(catalogue.lengths[places]) / _LENGTH_SCALE,
    }


def _read_tense(question: str) -> _Tense:
    return "future" if asks_for_future(question) else "past"


def _match_speakers(codes: Rows, named: frozenset[int]) -> Floats:
    """1 for the turns of who is asked about; a half for all where nobody is, or several are."""
    if len(named) != 1:
        return np.full(len(codes), 0.5)
    return np.asarray(codes == next(iter(named)), dtype=np.float64)


def _measure_sessions(codes: Rows, own: Floats) -> Floats:
    """The mean of the best turns of each turn's session; what was not collected counts like the weakest."""
    _, inverse = np.unique(codes, return_inverse=True)
    order = np.lexsort((-own, inverse))
    starts = np.searchsorted(inverse[order], np.arange(inverse.max(initial=-1) + 1))
    rank = np.arange(len(order)) - starts[inverse[order]]
    low = float(own.min(initial=0.0))
    sums = np.full(len(starts), _SESSION_TOP * low)
    best = order[rank < _SESSION_TOP]
    np.add.at(sums, inverse[best], own[best] - low)
    return np.asarray(sums[inverse] / _SESSION_TOP)


def _measure_times(
    view: View, documents: Rows, words: _Words, windows: tuple[Window, ...], tense: _Tense | None
) -> dict[str, Floats]:
    """The parts of a score that are about time: what turns state, beside which words, and in the time of a question.

    `tense` is that of a question for when, None for other questions.

    "A hike last summer" is not an answer for June; a turn that states another time is not from when it was said.
    """
    content, rows = view.content, view.get_passage_rows(documents)
    starts = content.rows.searchsorted(rows)
    stated = expand_runs(starts, content.rows.searchsorted(rows, side="right") - starts)
    stated = stated[(content.spans.grains[stated] >= Grain.DAY) & (content.spans.grains[stated] <= Grain.YEAR)]
    owners = np.searchsorted(documents, view.get_document_rows(content.rows[stated]))
    states = np.zeros(len(documents))
    states[owners] = 1.0
    parts = {}
    if windows:
        parts["window"], inside = _match_windows(view, documents, stated, owners, states, windows)
        stated, owners = stated[inside], owners[inside]
    if tense is not None:
        for name in ("states_time", "fits_tense", "beside_time"):
            parts[name] = np.zeros(len(documents))
        parts["states_time"][owners] = 1.0
        said_until = view.published.spans.ends[view.published.rows.searchsorted(documents[owners])]
        is_to_come = view.content.spans.starts[stated] >= said_until
        parts["fits_tense"][owners[is_to_come == (tense == "future")]] = 1.0
        shares = words.share(words.find(view, content.rows[stated], stated))
        np.maximum.at(parts["beside_time"], owners, shares)
    return parts


def _match_windows(
    view: View, documents: Rows, stated: Rows, owners: Rows, states: Floats, windows: tuple[Window, ...]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """1 for turns that state a time in a window, less for those that were said in it; and which times are in one."""
    begins, ends = view.content.spans.starts[stated], view.content.spans.ends[stated]
    at = view.published.rows.searchsorted(documents)
    said_from, said_until = view.published.spans.starts[at], view.published.spans.ends[at]
    worth = np.where(states > 0, _SAID_BESIDE, _SAID)
    inside = np.zeros(len(stated), np.bool_)
    match = np.zeros(len(documents))
    for window in windows:
        common = np.minimum(ends, window.span.end) - np.maximum(begins, window.span.start)
        inside |= (common > 0) & (2 * common >= ends - begins)
        is_said = (said_from < window.span.end) & (said_until > window.span.start)
        match = np.maximum(match, np.where(is_said, worth, 0.0))
    match[owners[inside]] = 1.0
    return match, inside


def _estimate(
    catalogue: Catalogue,
    places: Rows,
    scores: Floats,
    parts: dict[str, Floats],
    named: frozenset[int],
    *,
    has_vectors: bool,
) -> tuple[float, float]:
    """The probability that the best turn answers, and the greatest share of the question's words that a turn has.

    Where the words of somebody else fit better than any of who is asked about, the question is about the other one.
    What is asked of a speaker ("Did you keep the piano?") is about that speaker, and so not against.
    """
    own = np.isin(catalogue.speaker_codes[places], list(named))
    if len(named) != 1 or own.all():
        return _estimate_unnamed(scores, parts, has_vectors=has_vectors)
    shares = parts["words"]
    if not own.any():
        return 0.0, float(shares.max())
    following = catalogue.after[places]
    is_answered = (following >= 0) & np.isin(catalogue.speaker_codes[following], list(named))
    others = ~own & ~(catalogue.asks[places] & is_answered)
    plain = scores - WEIGHTS["speaker"] * parts["speaker"]
    lead = float(plain[own].max() - plain[others].max()) if others.any() else 0.0
    best = np.argsort(-plain, kind="stable")[:_BEST_TURNS]
    share = float(shares[own].max())
    logit = (
        _LEAD * float(np.clip(lead, -_MAX_LEAD, _MAX_LEAD))
        + _WORD_LEAD * (share - float(shares[others].max(initial=0.0)))
        + _WORDS * share
        + _OWN_TURNS * float(own[best].mean())
        + _INTERCEPT
    )
    return float(1 / (1 + np.exp(-logit))), float(shares.max())


def _estimate_unnamed(scores: Floats, parts: dict[str, Floats], *, has_vectors: bool) -> tuple[float, float]:
    """The same where a question names nobody: by the words and the meaning of the best turns."""
    best = np.argsort(-scores, kind="stable")[:_BEST_TURNS]
    share, meaning = float(parts["words"][best].max()), float(parts["meaning"][best].max())
    by_words, by_meaning, intercept = _UNNAMED if has_vectors else _UNNAMED_WORDS
    logit = by_words * share + by_meaning * meaning + intercept
    return float(1 / (1 + np.exp(-logit))), share


def _rank_nothing(understanding: Understanding) -> Ranking:
    return Ranking(np.zeros(0, dtype=np.int64), np.zeros(0), {}, understanding, 0.0, 0.0)
