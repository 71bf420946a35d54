"""Features of candidates: local evidence for the query windows, and freshness.

A document holds many times (born 1902, prize 1933). What separates "won in 1933" from "born in 1933" is the sentence
or line around the time. So each dating of a candidate has

    match   how well its span matches the query window (`epochal.times.align`)
    local   the share of the question's words, by weight and nearness, in its sentence or in the document's title

and scores match * (floor + local^bend) / (floor + 1); of a candidate's datings the best one counts. For something that
lasted from one time to another, a text that states when it began scores more than one that states a time in between,
and one that states both ends more still; `_FIRST`, `_LAST` and `_BOTH` weigh that. The publication date is evidence
for the passage as a whole: of a news item without a date in its text it is all there is.

Freshness is how new a document is, for questions whose answer goes stale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.ranking.pool import Floats, Pool, Window, scale_to_best
from epochal.ranking.terms import Terms
from epochal.reading.questions.bounds import Edge
from epochal.storage.protocol import Rows, SpanTable, View, expand_runs, locate_rows
from epochal.times.axis import DAY, OPEN_END, OPEN_START, Grain
from epochal.times.kernels import align, measure_ages
from epochal.times.span import Span
from epochal.times.spanset import SpanSet

#: The score of a time none of whose context words answers, and how fast the score grows with the words that do.
_FLOOR: Final = 0.3
_BEND: Final = 0.8
#: A time that matches less than this is another time; the words around it are not read.
_MIN_MATCH: Final = 0.1
#: Candidates whose contexts are read, and the factor of BM25 that replaces them for the others.
_MAX_READ: Final = 100
_UNREAD: Final = 0.5
#: Factors of a match by where the time comes from and the axis of the window: publication date, text, validity.
_PUBLISHED: Final = {"content": 0.9, "publication": 1.0}
_CONTENT: Final = {"content": 1.0, "publication": 0.8}
_VALID: Final = 0.9
#: Weights of the first and the last moment of a range beside a time within it, and of both together.
_FIRST: Final = 1.0
_LAST: Final = 0.3
_BOTH: Final = 0.5
#: The factor of "since 1983" for a time long after 1983.
_OPEN: Final = 0.4
#: Seconds by which clocks of two time zones may differ.
_ZONES: Final = 14 * 3600
#: How much less a text counts for a time that was far ahead when it was published.
_AHEAD: Final = 0.8
#: The factor of a time in a text that was published later, where any time before another is queried.
_PASSING: Final = 0.7
#: The factor of a publication date where the text states only later times.
_FORECAST: Final = 0.3
#: A time within so many characters, or in the title, opens a text: "Friday: rain", "Starting on 3 June, ferries leave".
_OPENING: Final = 12
#: The share of the shorter of two times that is most of it.
_MOST: Final = 0.8
#: Codes in place of a dating: the publication date, and the validity.
PUBLISHED: Final = -2
VALID: Final = -3


@dataclass(frozen=True, slots=True, eq=False)
class BestEvidence:
    """For each candidate its best evidence: the `score`, its `match`, which dating it is, and `local`.

    `local` is the plain share of the question's words around the time; the score weighs words by how well they
    separate contexts. `dating` is an index into the view's content; -1 for none, `PUBLISHED` or `VALID` for a date of
    the document itself.
    """

    score: Floats
    match: Floats
    local: Floats
    dating: Rows

    @classmethod
    def make_empty(cls, count: int) -> BestEvidence:
        """No evidence for any of so many candidates."""
        return cls(np.zeros(count), np.zeros(count), np.zeros(count), np.full(count, -1, dtype=np.int64))


class WindowMatches(NamedTuple):
    """How well datings match a window: by lying in it, by stating its first moment, by stating its last."""

    inside: Floats
    first: Floats | None
    last: Floats | None


def match_window(window: Window, spans: SpanSet) -> WindowMatches:
    """How well each span matches a window; its ends count only where something lasted throughout."""
    return _match_ends(window, spans, _match_inside(window, spans))


def _match_ends(window: Window, spans: SpanSet, inside: Floats) -> WindowMatches:
    if not window.throughout or window.span.start == OPEN_START or window.span.end == OPEN_END:
        return WindowMatches(inside, None, None)
    first = align(Span.unit(window.span.start, window.span.grain), spans)
    last = align(Span.unit(window.span.end - 1, window.span.end_grain), spans)
    return WindowMatches(inside, inside * first, inside * last)


def _match_inside(window: Window, spans: SpanSet) -> Floats:
    return align(window.span, spans) * _discount_open_spans(window.span, spans)


def _discount_open_spans(window: Span, spans: SpanSet) -> Floats:
    """1, and less for spans open at one end ("since 1983") whose other end lies outside the window."""
    low, high = window.start - window.grain.seconds, window.end + window.end_grain.seconds
    since = (spans.ends == OPEN_END) & ((spans.starts < low) | (spans.starts >= high))
    until = (spans.starts == OPEN_START) & ((spans.ends <= low) | (spans.ends > high))
    return np.where(since | until, _OPEN, 1.0)


def find_evidence(pool: Pool, terms: Terms, prior: Floats | None = None) -> BestEvidence:
    """The best evidence of each candidate of a pool for the windows of its question.

    Of several periods that are compared the best counts, of several times in one question their mean. Only the most
    promising candidates are read word by word, by their best match and a `prior` score of each.
    """
    if not pool.windows or not len(pool):
        return BestEvidence.make_empty(len(pool))
    candidates, datings, matches, plain = _match_candidates(pool)
    best = _take_best([match.inside for match in matches])
    read = _select_promising(candidates, best, np.zeros(len(pool)) if prior is None else prior)
    contexts = _match_contexts(pool, terms, read)
    local, plain_local = terms.shares_around(contexts), terms.shares(contexts)
    if len(read) < len(candidates):
        # For candidates that are not read, BM25 of the passage replaces the words around its times.
        shares, plain_shares = local, plain_local
        local, plain_local = _UNREAD * scale_to_best(pool.lexical)[candidates], np.zeros(len(candidates))
        local[read], plain_local[read] = shares, plain_shares
    context_scores = (_FLOOR + local**_BEND) / (_FLOOR + 1)
    scores = [_score_window(len(pool), candidates, match, context_scores) for match in matches]
    is_best = len(scores) == 1 or pool.understanding.cross_period
    first = _pick_best(len(pool), candidates, best * context_scores)
    found, at = BestEvidence.make_empty(len(pool)), candidates[first]
    found.score[:] = _take_best(scores) if is_best else np.mean(scores, axis=0)
    found.match[at], found.local[at], found.dating[at] = _take_best(plain)[first], plain_local[first], datings[first]
    return found


def score_periods(pool: Pool, terms: Terms, positions: Rows, periods: Sequence[Window]) -> Floats:
    """How well some candidates of a pool answer for some of its windows: a row a window, a column a candidate.

    It is the match of the best evidence for that window alone, times the share of the question's words around it.
    """
    candidates, _, matches, plain = _match_candidates(pool)
    places = np.full(len(pool), -1, dtype=np.int64)
    places[positions] = np.arange(len(positions))
    (selected,) = (places[candidates] >= 0).nonzero()
    candidates = candidates[selected]
    present = _match_contexts(pool, terms, selected)
    lexical = _UNREAD * scale_to_best(pool.lexical[positions])
    answers = np.zeros((len(periods), len(positions)))
    for row, window in enumerate(periods):
        at = pool.windows.index(window)
        (close,) = (plain[at][selected] > _MIN_MATCH).nonzero()
        own, match = places[candidates[close]], matches[at].inside[selected[close]]
        read = _select_promising(own, match, np.zeros(len(positions)))
        contexts = present[close[read]]
        local, plain_local = lexical[own], np.zeros(len(own))
        local[read], plain_local[read] = terms.shares_around(contexts), terms.shares(contexts)
        first = _pick_best(len(positions), own, match * ((_FLOOR + local**_BEND) / (_FLOOR + 1)))
        answers[row, own[first]] = plain[at][selected[close[first]]] * plain_local[first]
    return answers


def _take_best(values: Sequence[Floats]) -> Floats:
    """The highest of several values of each."""
    return reduce(np.maximum, values)


@dataclass(frozen=True, slots=True, eq=False)
class PoolTimes:
    """All times of the candidates of a pool.

    `candidates` says of which one each of the times in texts is, which are `content`, at `datings` in that of the view.
    `published` and `valid` are the candidates whose documents have such a date, `dates` and `validities` their spans.
    """

    candidates: Rows
    datings: Rows
    content: SpanSet
    published: Rows
    dates: SpanSet
    valid: Rows
    validities: SpanSet
    is_forecast: npt.NDArray[np.bool_]
    #: Which of these open with a time that was not over on the day of their publication, as a forecast does.
    opens_later: npt.NDArray[np.bool_]
    #: Which open with a later day than that of their publication, as a forecast does.
    is_ahead: npt.NDArray[np.bool_]


def read_times(pool: Pool) -> PoolTimes:
    """All times of the candidates of a pool, read once for all windows."""
    if "times" not in pool.known:
        candidates, datings = _find_datings(pool.view.content, pool.rows)
        content = pool.view.content.spans[datings]
        published, dates = _find_dates(pool, pool.view.published)
        valid, validities = _find_dates(pool, pool.view.valid)
        places = pool.view.content.start_chars[datings]
        forecasts = _mark_forecasts(len(pool), candidates, content, places, published, dates)
        pool.known["times"] = PoolTimes(candidates, datings, content, published, dates, valid, validities, *forecasts)
    times: PoolTimes = pool.known["times"]
    return times


class PoolMatches(NamedTuple):
    """The times of a pool that match any window: their candidates, their indices in the content, and their matches.

    Dates of documents follow all datings, so that of equal evidence the one in the text is reported. For each window,
    `plain` has the match by the time alone, without regard to when the text was published: what users are shown.
    """

    candidates: Rows
    datings: Rows
    matches: list[WindowMatches]
    plain: list[Floats]


def _match_candidates(pool: Pool) -> PoolMatches:
    """The times of a pool that match any of its windows, found once."""
    known: dict[tuple[Window, ...], PoolMatches] = pool.known.setdefault("matches", {})
    if pool.windows not in known:
        known[pool.windows] = _find_matches(pool)
    return known[pool.windows]


def _match_contexts(pool: Pool, terms: Terms, places: Rows) -> npt.NDArray[np.bool_]:
    """Which terms are around some of the times that match a window of a pool; each context is read once."""
    candidates, datings, _, _ = _match_candidates(pool)
    known = pool.known.setdefault("contexts", {})
    key = pool.windows, terms.tokens
    if key not in known:
        known[key] = np.zeros((len(candidates), len(terms.tokens)), np.bool_), np.zeros(len(candidates), np.bool_)
    present, is_read = known[key]
    new = places[~is_read[places]]
    if len(new):
        present[new] = pool.view.match_contexts(pool.rows[candidates[new]], datings[new], terms.tokens)
        is_read[new] = True
    return np.asarray(present[places])


def _find_matches(pool: Pool) -> PoolMatches:
    times = read_times(pool)
    candidates, datings, content = times.candidates, times.datings, times.content
    published, dates, valid, validities = times.published, times.dates, times.valid, times.validities
    published_ends = np.full(len(pool), OPEN_END, dtype=np.int64)
    published_ends[published] = dates.ends
    forecast = np.where(times.opens_later[published], _FORECAST, 1.0)
    worth = [_CONTENT[window.axis] for window in pool.windows]
    inside = [_match_inside(window, content) for window in pool.windows]
    if any(window.edge for window in pool.windows) and len(valid):
        # Where a validity says when something begins and ends, other times in the text say nothing of that.
        is_valid = np.zeros(len(pool), dtype=np.bool_)
        is_valid[valid] = True
        others = ~is_valid[candidates]
        inside = [part * others if window.edge else part for window, part in zip(pool.windows, inside, strict=True)]
    if any(window.throughout for window in pool.windows) and len(valid):
        # Of what lasted, its first day is no time of its own.
        own = ~find_repeated_validity(pool, candidates, content)
        inside = [part * own if window.throughout else part for window, part in zip(pool.windows, inside, strict=True)]
    dated_matches = [
        np.concatenate(
            [
                (_PUBLISHED[window.axis] * (forecast if window.axis == "content" else 1.0)) * align(window.span, dates),
                _VALID * match_validity(window, validities),
            ]
        )
        for window in pool.windows
    ]
    # Most times do not match at all, and need not be compared with the ends of a window.
    by_text = [part if share == 1.0 else share * part for share, part in zip(worth, inside, strict=True)]
    (stated,), (dated,) = ((_take_best(values) > _MIN_MATCH).nonzero() for values in (by_text, dated_matches))
    close = content[stated]
    matches = [
        _append_dates(
            _match_ends(
                window, close, part[stated] * _weigh_hindsight(window.span, close, published_ends[candidates[stated]])
            ),
            share,
            other[dated],
        )
        for window, part, share, other in zip(pool.windows, inside, worth, dated_matches, strict=True)
    ]
    return PoolMatches(
        np.concatenate([candidates[stated], np.concatenate([published, valid])[dated]]),
        np.concatenate([datings[stated], np.where(dated < len(published), PUBLISHED, VALID)]),
        matches,
        [np.concatenate([text[stated], date[dated]]) for text, date in zip(by_text, dated_matches, strict=True)],
    )


def share_most(spans: SpanSet, window: Span) -> npt.NDArray[np.bool_]:
    """Which spans cover most of a window, or lie mostly in it."""
    shared = np.minimum(spans.ends, window.end) - np.maximum(spans.starts, window.start)
    shorter = np.minimum(spans.ends - spans.starts, window.end - window.start)
    return np.asarray(shared >= _MOST * shorter)


def match_validity(window: Window, spans: SpanSet) -> Floats:
    """How well validities match a window: by sharing its time, or, for an edge, by beginning or ending then."""
    if not len(spans):
        return np.zeros(0)
    if window.edge is None or window.edge_span is None:
        match = align(window.span, spans)
        if window.throughout and not window.span.is_open:
            # "From 2004 to 2009" is for what was so most of that time rather than for one of its years.
            shared = np.minimum(spans.ends, window.span.end) - np.maximum(spans.starts, window.span.start)
            match = match * (0.5 + 0.5 * np.maximum(shared, 0) / window.span.seconds)
        # What was valid all that time is no vaguer for having lasted longer.
        return np.maximum(match, find_covering(spans, window.span))
    if window.edge == "whole":
        return np.asarray(find_covering(spans, window.edge_span), dtype=np.float64)
    return align(window.edge_span, get_edges(spans, window.edge))


def find_covering(spans: SpanSet, span: Span) -> npt.NDArray[np.bool_]:
    """Which spans cover all of another."""
    return np.asarray((spans.starts <= span.start) & (spans.ends >= span.end))


def get_edges(spans: SpanSet, edge: Edge) -> SpanSet:
    """The first or the last unit of each span; of one that is open there, the first or the last of the axis."""
    seconds = np.array([grain.seconds for grain in Grain], dtype=np.int64)
    if edge == "start":
        starts = np.maximum(spans.starts, OPEN_START + 1)
        return SpanSet(starts, starts + seconds[spans.grains], grains=spans.grains)
    ends = np.minimum(spans.ends, OPEN_END - 1)
    return SpanSet(ends - seconds[spans.end_grains], ends, grains=spans.end_grains)


def find_repeated_validity(pool: Pool, candidates: Rows, content: SpanSet) -> npt.NDArray[np.bool_]:
    """Which times in the texts of candidates only repeat where the validity of their documents begins or ends."""
    times = read_times(pool)
    valid, validities = times.valid, times.validities
    starts, ends = np.full(len(pool), OPEN_END, dtype=np.int64), np.full(len(pool), OPEN_START, dtype=np.int64)
    starts[valid], ends[valid] = validities.starts, validities.ends
    lasts = np.where((ends == OPEN_END) | (ends == OPEN_START), ends, ends - 1)
    first, last = starts[candidates], lasts[candidates]
    says_start = (content.starts <= first) & (first < content.ends)
    says_end = (content.starts <= last) & (last < content.ends)
    is_short = content.ends - content.starts <= Grain.YEAR.seconds
    return np.asarray((says_start | says_end) & (is_short | (says_start & says_end)))


def find_forecasts(pool: Pool) -> npt.NDArray[np.bool_]:
    """Which candidates state a time that was not over on the day of their publication, and none before that day."""
    return read_times(pool).is_forecast


def _mark_forecasts(
    count: int, candidates: Rows, content: SpanSet, places: npt.NDArray[np.int32], published: Rows, dates: SpanSet
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which candidates state a time that was not over when they were published, and open with it or with a later day.

    A time governs what follows it. Behind the first words of a text ("the board approved a ferry, to be delivered in
    spring") it is a detail of what was known on the day of publication.
    """
    published_days = np.full(count, OPEN_END, dtype=np.int64)
    # Days, since nobody knows in which time zone the clock of a text runs.
    published_days[published] = (dates.ends - 1) // DAY * DAY
    days = published_days[candidates]
    states_later, opens_later, opens_beyond, states_earlier = (np.zeros(count, dtype=np.bool_) for _ in range(4))
    is_later = content.ends > days
    opens = (places <= _OPENING) & (content.grains <= Grain.WEEK)
    states_later[candidates[is_later]] = True
    opens_later[candidates[is_later & opens]] = True
    opens_beyond[candidates[opens & (content.ends - DAY > days + _ZONES)]] = True
    # "This year" had begun long before, and says nothing of what was to come.
    states_earlier[candidates[content.starts <= days - DAY]] = True
    return states_later & ~states_earlier, opens_later & ~states_earlier, opens_beyond & ~states_earlier


def _weigh_hindsight(window: Span, spans: SpanSet, published_ends: Rows) -> Floats:
    """The factor of a time in a text by when the text was published: less, the longer before that time had passed.

    Of two forecasts for a day the later one knows more, and a report more than either. How long before is counted in
    lengths of the time that is both queried and stated, at least a day. Of a time without a beginning ("before 2015")
    nearly every text mentions something: one that was published later counts less than one that is from then.
    """
    starts, ends = np.maximum(spans.starts, window.start), np.minimum(spans.ends, window.end)
    lengths = np.maximum(ends - starts, Grain.DAY.seconds).astype(np.float64)
    ahead = np.maximum(ends - published_ends, 0) / lengths
    ahead[(starts >= ends) | (ends == OPEN_END)] = 0.0
    worth: Floats = 1 - _AHEAD * ahead / (1 + ahead)
    if window.start == OPEN_START:
        worth[(published_ends > window.end) & (published_ends != OPEN_END)] *= _PASSING
    return worth


def _append_dates(match: WindowMatches, worth: float, dates: Floats) -> WindowMatches:
    """The matches of datings, then those of documents' dates; a date is a time in between, never an end."""
    ends = [None if part is None else np.concatenate([worth * part, np.zeros(len(dates))]) for part in match[1:]]
    return WindowMatches(np.concatenate([worth * match.inside, dates]), *ends)


def _score_window(count: int, candidates: Rows, match: WindowMatches, context_scores: Floats) -> Floats:
    """The score of each candidate for one window."""
    inside, first, last = (
        None if part is None else _take_maximum(count, candidates, part * context_scores) for part in match
    )
    if inside is None:
        raise AssertionError("a window has matches")
    if first is None or last is None:
        return inside
    total = 1.0 + _FIRST + _LAST + _BOTH
    return (inside + _FIRST * first + _LAST * last + _BOTH * np.minimum(first, last)) / total


def _take_maximum(count: int, candidates: Rows, values: Floats) -> Floats:
    maximum = np.zeros(count)
    np.maximum.at(maximum, candidates, values)
    return maximum


def _pick_best(count: int, candidates: Rows, worth: Floats) -> Rows:
    """The place of the dating of each of so many candidates that is worth most; of equal ones the first."""
    best = np.full(count, -np.inf)
    np.maximum.at(best, candidates, worth)
    places = np.full(count, -1, dtype=np.int64)
    (equal,) = (worth == best[candidates]).nonzero()
    places[candidates[equal[::-1]]] = equal[::-1]  # the first is written last
    return places[places >= 0]


def _select_promising(candidates: Rows, match: Floats, prior: Floats) -> Rows:
    """Which of the datings belong to the candidates that could come first."""
    if min(len(prior), len(candidates)) <= _MAX_READ:
        return np.arange(len(candidates), dtype=np.int64)
    best = np.full(len(prior), -np.inf)
    np.maximum.at(best, candidates, match)
    potential = best + prior
    # Candidates without a time have none; where few have one, all of them are read.
    least = np.partition(potential, -_MAX_READ)[-_MAX_READ]
    (promising,) = (potential[candidates] >= least).nonzero()
    return np.asarray(promising)


def _find_datings(table: SpanTable, rows: Rows) -> tuple[Rows, Rows]:
    """The datings of passages: for each the index of its passage in `rows`, and its own index in the table."""
    low, high = table.rows.searchsorted(rows, side="left"), table.rows.searchsorted(rows, side="right")
    counts = high - low
    return np.repeat(np.arange(len(rows), dtype=np.int64), counts), expand_runs(low, counts)


def _find_dates(pool: Pool, table: SpanTable) -> tuple[Rows, SpanSet]:
    """The candidates whose documents have a span in a table, and those spans."""
    if not len(table):
        return np.empty(0, dtype=np.int64), table.spans
    if table.rows[-1] == len(table) - 1 >= pool.document_rows.max(initial=0):  # every document has one
        return np.arange(len(pool)), table.spans[pool.document_rows]
    is_dated, places = locate_rows(table.rows, pool.document_rows)
    (dated,) = is_dated.nonzero()
    return dated, table.spans[places[dated]]


#: Bounds of the half-life in days: with an hour, all documents but the newest would have no freshness at all.
_MIN_HALF_LIFE: Final = 7.0
_MAX_HALF_LIFE: Final = 365.0


def needs_freshness(pool: Pool) -> bool:
    """Whether the question of a pool asks for what is new, and `now` is given."""
    if pool.now is None or pool.now.end == OPEN_END:
        return False
    return pool.understanding.temporal_focus == "recency" or (not pool.windows and pool.understanding.asks_recent)


def measure_freshness(pool: Pool, on_topic: npt.NDArray[np.bool_] | None = None) -> Floats:
    """The freshness of each candidate, in [0, 1]: 1 / (1 + age in half-lives of the answer).

    Age counts from the newest document on the topic that there is by the pool's `now`: where the last word on something
    was said years ago, that is what is new of it. A document without a date gets the median of the pool.
    """
    if pool.now is None:
        raise EpochalError("freshness needs the reference time; give now")
    days = min(max(pool.understanding.half_life or _MAX_HALF_LIFE, _MIN_HALF_LIFE), _MAX_HALF_LIFE)
    table, document_rows = pool.view.published, pool.document_rows
    if not len(table) or not len(document_rows):
        return np.zeros(len(document_rows))
    dated, places = locate_rows(table.rows, document_rows)
    scores = np.zeros(len(document_rows))
    spans = table.spans[places[dated]]
    ages = np.maximum(measure_ages(spans, pool.now), 0).astype(np.float64)
    on_topic_ages = ages if on_topic is None or not on_topic[dated].any() else ages[on_topic[dated]]
    scores[dated] = 1.0 / (1.0 + np.maximum(ages - on_topic_ages.min(initial=np.inf), 0.0) / (days * DAY))
    if dated.any():
        scores[~dated] = float(np.median(scores[dated]))
    return scores


def get_publication_ends(view: View, document_rows: Rows) -> Rows:
    """The second at which the publication date of each document ends; the least integer where it has none."""
    table = view.published
    published_ends = np.full(len(document_rows), np.iinfo(np.int64).min, dtype=np.int64)
    dated, places = locate_rows(table.rows, document_rows)
    published_ends[dated] = table.spans.ends[places[dated]]
    return published_ends
