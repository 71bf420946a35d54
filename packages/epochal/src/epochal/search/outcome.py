"""The outcome of a search, and calibrated probabilities: that the outcome is true, and that each hit answers.

An outcome is recorded, none recorded, a time that the documents do not cover, or a topic that they do not know. The
relevance of a candidate (`epochal.ranking.relevance`) is that of its topic and its time alone; the probability of a
hit also depends on its rank, on whether the hits are ordered by time, and on the outcome. Its weights are fitted to
searches over many corpora by `epochal train scorer`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import itemgetter
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.ranking.coverage import is_covered
from epochal.ranking.pool import Floats, Relevance, Scored, Window
from epochal.ranking.relevance import HIT_FEATURES, OUTCOME_FEATURES, RelevanceModel, load_relevance_model
from epochal.ranking.terms import Terms, get_topic_terms
from epochal.reading.questions.question import Understanding
from epochal.search.ordering import OrderedPool
from epochal.search.request import Request
from epochal.search.response import ESTIMATED_AXIS, Evidence, Hit, Outcome
from epochal.storage.protocol import View
from epochal.storage.text import analyse
from epochal.times.axis import Grain
from epochal.times.span import Span

__all__ = ["answers_topic", "decide_outcome", "find_stated", "get_topic_terms", "has_record", "is_hidden"]

#: Evidence as good as this says that something is recorded: from that time, and about that.
_MATCH: Final = 0.6
_LOCAL: Final = 0.5
_ALL_WORDS: Final = 0.95
#: The share of the best probability of the topic that a record of it has.
_NEARLY_ON_TOPIC: Final = 0.6
#: What is more probable than this is rather so than not.
_RATHER: Final = 0.5
#: The outcomes by which nothing is recorded.
DENIED: Final = ("none_recorded", "not_covered", "topic_unknown")
#: Parts of a score that come from an order of time.
_ORDERS: Final = ("order", "forecast")
#: Log odds, and gaps of scores, beyond these say no more.
_MAX_ODDS: Final = 6.0
_MAX_SURE: Final = 4.0
_MAX_GAP: Final = 3.0
#: Rare words that one document has, and the salience of words beside the unknown ones, beyond this say no more.
_MAX_REST: Final = 2.0
_MAX_KNOWN: Final = 4.0


def decide_outcome(
    view: View,
    request: Request,
    understanding: Understanding,
    windows: tuple[Window, ...],
    hits: tuple[Hit, ...],
    scored: Scored | None = None,
    ordered: OrderedPool | None = None,
    model: RelevanceModel | None = None,
) -> Outcome:
    """Whether the topic is recorded in the query windows, by the probabilities of the candidates.

    Without probabilities, as from a scorer of somebody else, the evidence of the hits decides.
    """
    relevance = None if scored is None else scored.relevance
    is_filtered = request.strict or bool(request.where) or request.as_of is not None or request.valid_at is not None
    # Of what is asked for by an order no document may have a word.
    may_be_unfound = understanding.order is not None and request.time and not is_filtered
    if relevance is not None and len(relevance.topic):
        model = model or load_relevance_model()
        # Without a time or an order nothing is claimed; only a name that no document has is worth saying.
        claims = bool(windows) or ordered is not None or is_filtered or bool(relevance.unknown_words)
        if request.time and claims and relevance.known < model.on_topic:
            return "topic_unknown"
        if is_filtered and (float(relevance.named.max()) < model.on_topic or is_hidden(relevance)):
            return _decide_coverage(view, request, windows)
        if ordered is not None:
            return "recorded" if ordered.ordered else _decide_coverage(view, request, windows)
        if not windows:
            return "topic_unknown" if may_be_unfound and not relevance.same_topic.any() else "no_window"
        if not relevance.salience:
            # Without a topic anything of that time will do, but not what is dated more vaguely.
            return "recorded" if _find_inside(hits, windows) else _decide_coverage(view, request, windows)
        if has_record(relevance, model.recorded) or bool(find_stated(scored, relevance, model.on_topic).any()):
            return "recorded"
        return _decide_coverage(view, request, windows)
    if not windows:
        # Of a question that finds nothing at all no document has a word.
        is_unfound = may_be_unfound or (not is_filtered and bool(get_topic_terms(view, understanding).tokens))
        return "topic_unknown" if is_unfound and not hits and view.passage_count else "no_window"
    # An estimated time is no proof that something is recorded.
    stated = [(hit, item) for hit in hits for item in hit.evidence if item.axis != ESTIMATED_AXIS]
    matching = [(hit, item) for hit, item in stated if item.match >= _MATCH]
    if any(item.local >= _LOCAL for _, item in matching):
        return "recorded"
    topic = get_topic_terms(view, understanding)
    # Without a topic anything of that time will do, but not what is dated more vaguely: "2014" is not in July 2014.
    if not topic.tokens and _find_inside(hits, windows):
        return "recorded"
    if topic.tokens and any(answers_topic(topic, hit, item) for hit, item in matching):
        return "recorded"
    return _decide_coverage(view, request, windows)


def _find_inside(hits: tuple[Hit, ...], windows: tuple[Window, ...]) -> list[Evidence]:
    """The evidence of hits whose time lies in a window, as far as it is stated or given.

    What annals record under a season without a month stands where its first month does: 秋 before 八月.
    """
    stated = [item for hit in hits for item in hit.evidence if item.axis != ESTIMATED_AXIS and item.match >= _MATCH]
    return [item for item in stated if any(_is_inside(item.span, window.span) for window in windows)]


def _is_inside(span: Span, window: Span) -> bool:
    is_season = span.grain is Grain.SEASON and window.grain is Grain.MONTH
    return span in window or (is_season and span.start == window.start)


def has_record(relevance: Relevance, least: float) -> bool:
    """Whether a candidate that is about as much on the topic as the best answers with at least this probability.

    Something else from that time is no record of what other documents are about: a president of another country.
    """
    on_topic = relevance.topic >= _NEARLY_ON_TOPIC * relevance.topic.max()
    return float(relevance.answer[on_topic].max()) >= least


def is_hidden(relevance: Relevance) -> bool:
    """Whether what is on the topic is hidden by a filter, and what is left is clearly less on it."""
    return float(relevance.topic.max()) < _NEARLY_ON_TOPIC * relevance.best_topic


def find_stated(scored: Scored | None, relevance: Relevance, on_topic: float) -> npt.NDArray[np.bool_]:
    """Which texts on the topic state a time of the query windows, in words that answer."""
    if scored is None or scored.local is None or not len(relevance.stated):
        return np.zeros(len(relevance.topic), dtype=np.bool_)
    stated = (relevance.stated >= _MATCH) & (scored.local >= _LOCAL)
    # Where the words around it are all of the question's, no title that fits better matters.
    return np.asarray(stated & ((relevance.named >= on_topic) | (scored.local >= _ALL_WORDS)))


def _decide_coverage(view: View, request: Request, windows: tuple[Window, ...]) -> Outcome:
    """Of a time without a record: none recorded where the index has other records of it, else not covered."""
    if not windows and request.as_of is None:
        return "none_recorded"
    spans = [window.span for window in windows] or [span for span in (request.as_of,) if span is not None]
    return "none_recorded" if any(is_covered(view, span, request.as_of) for span in spans) else "not_covered"


def answers_topic(terms: Terms, hit: Hit, item: Evidence | None = None) -> bool:
    """Whether enough of the words are around the evidence of a hit, or in its passage where none is given.

    Without words, everything answers.
    """
    if not terms.tokens or (item is not None and item.local >= _LOCAL):
        return True
    context = item.context if item is not None and item.axis == "content" else hit.passage
    words = set(analyse(f"{hit.document.title}\n{context}"))
    present = np.array([[token in words for token in terms.tokens]])
    return float(terms.shares(present)[0]) >= _LOCAL


def calibrate_hits(
    hits: tuple[Hit, ...],
    scored: Scored,
    outcome: Outcome,
    model: RelevanceModel,
    *,
    has_window: bool,
    offset: int = 0,
) -> tuple[Hit, ...]:
    """Hits with the probability that each answers; `scored` are the candidates before they were ordered."""
    if model.hit is None or scored.relevance is None or not hits:
        return hits
    features = describe_hits(hits, scored, outcome, has_window=has_window, offset=offset)
    relevance = model.hit.predict(features).tolist()
    return tuple(hit.with_relevance(value) for hit, value in zip(hits, relevance, strict=True))


def calibrate_outcome(
    hits: Sequence[Hit], scored: Scored, outcome: Outcome, model: RelevanceModel, *, has_window: bool, is_open: bool
) -> tuple[Outcome, float | None]:
    """An outcome with the probability that it is true; None where nothing is said or nothing was calibrated.

    Of a question that `is_open`, which asks for no time, order or filter, nothing need be said: that a topic is unknown
    is withdrawn where it is rather not true. The unknown words are reported all the same.
    """
    if model.outcome is None or scored.relevance is None or outcome == "no_window":
        return outcome, None
    features = describe_outcome(hits, scored, outcome, has_window=has_window, is_open=is_open)
    recorded = float(model.outcome.predict(features)[0])
    if is_open and outcome == "topic_unknown" and recorded > _RATHER:
        return "no_window", None
    return outcome, recorded if outcome == "recorded" else 1.0 - recorded


_get_hit_features: Final = itemgetter(*HIT_FEATURES)


def describe_hits(
    hits: Sequence[Hit], scored: Scored, outcome: Outcome, *, has_window: bool, offset: int = 0
) -> Floats:
    """The features of hits among the others: a row a hit, a column for each of `HIT_FEATURES`."""
    assert scored.relevance is not None
    best, best_score = float(scored.relevance.answer.max(initial=0.0)), float(scored.scores.max(initial=0.0))
    best_unsure = min(_get_odds(best), 0.0)
    is_denied = outcome in DENIED
    is_ordered = not is_denied and _are_ordered(hits)
    rows = []
    for place, hit in enumerate(hits, offset):
        relevance, rank = hit.relevance or 0.0, math.log1p(place)
        gap = best_score - (hit.score - hit.parts.get("order", 0.0))
        is_later = is_ordered and place > 0 and not _share_date(hit, hits[0])
        features = {
            "sure": min(max(_get_odds(relevance), 0.0), _MAX_SURE) * (not is_later),
            "best_unsure": best_unsure * (not is_later),
            "behind": max(best - relevance, 0.0) * (not is_later),
            "gap": min(max(gap, 0.0), _MAX_GAP) * (not is_ordered),
            "rank": rank,
            "plain_rank": rank * (not has_window),
            "ordered": is_ordered,
            "ordered_rank": rank * is_ordered,
            "later": is_later,
            "denied": is_denied,
            "local": _get_local(hit) if has_window and not is_later else 0.0,
            "match": _get_match(hit) if has_window and not is_later else 0.0,
        }
        rows.append(_get_hit_features(features))
    return np.array(rows, dtype=np.float64).reshape(len(hits), len(HIT_FEATURES))


def describe_outcome(
    hits: Sequence[Hit], scored: Scored, outcome: Outcome, *, has_window: bool, is_open: bool
) -> Floats:
    """The features of an outcome in one row, a column for each of `OUTCOME_FEATURES`."""
    relevance = scored.relevance
    assert relevance is not None
    is_recorded, is_unknown = outcome not in DENIED, outcome == "topic_unknown"
    is_ordered = is_recorded and _are_ordered(hits)
    by_words = is_recorded and not is_ordered
    is_missing = not is_recorded and not is_unknown
    may_be_worded = is_open and is_unknown and relevance.nearness is not None
    best = _get_odds(float(relevance.answer.max(initial=0.0)))
    without_date = sum(hit.document.published is None and hit.document.valid is None for hit in hits)
    undated = without_date / max(len(hits), 1)
    known = sum(weight for word, weight in relevance.salience.items() if word not in relevance.unknown_words)
    local = max(map(_get_local, hits), default=0.0) if has_window else 0.0
    columns = {
        "none": float(is_missing),
        "unknown": float(is_unknown and not is_open),
        "open_unknown": float(is_unknown and is_open),
        "open_ordinary": float(may_be_worded),
        "open_near": (relevance.nearness or 0.0) * may_be_worded,
        "undated_known": undated * min(known, _MAX_KNOWN) * is_unknown,
        "undated_rest": undated * has_window * min(relevance.rest, _MAX_REST) * is_missing,
        "relevance": best * by_words,
        "local": local * by_words,
        "undated_record": undated * has_window * by_words,
        "ordered": float(is_ordered),
    }
    return np.array([[columns[name] for name in OUTCOME_FEATURES]])


def _are_ordered(hits: Sequence[Hit]) -> bool:
    return any(name in hit.parts for hit in hits for name in _ORDERS)


def _get_odds(probability: float) -> float:
    clipped = min(max(probability, 1e-9), 1 - 1e-9)
    return min(max(math.log(clipped / (1 - clipped)), -_MAX_ODDS), _MAX_ODDS)


def _share_date(hit: Hit, first: Hit) -> bool:
    """Whether a hit is placed in an order of time where the first is: published then, or valid from then on, or as it
    states itself."""
    one, other = hit.document, first.document
    if other.published is not None or one.published is not None:
        return one.published == other.published
    if other.valid is not None or one.valid is not None:
        return one.valid == other.valid
    return hit.date == first.date


def _get_match(hit: Hit) -> float:
    return max([0.0, *[item.match for item in hit.evidence if item.axis != ESTIMATED_AXIS]])


def _get_local(hit: Hit) -> float:
    return max([0.0, *[item.local for item in hit.evidence if item.axis != ESTIMATED_AXIS]])
