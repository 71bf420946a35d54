"""Run a search: understand the question, select and collect candidates, score them, build hits, decide the outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from epochal.encoders.base import Encoder
from epochal.errors import EpochalError
from epochal.ranking.features import needs_freshness
from epochal.ranking.pool import Pool, Proposer, Scored, Scorer, Window, get_windows
from epochal.ranking.registry import load_scorer
from epochal.ranking.relevance import RelevanceModel, find_naming_words, has_identifier, load_relevance_model
from epochal.ranking.rerank import RERANKED, rerank_candidates
from epochal.ranking.versions import asks_for_state, find_current_versions
from epochal.reading.fiscal import FiscalCalendar, get_fiscal_calendar, use_fiscal_calendar
from epochal.reading.questions.ordering import blank_order
from epochal.reading.questions.question import Order, Understanding
from epochal.reading.questions.states import asks_current, find_recent
from epochal.reading.questions.understand import understand
from epochal.search.candidates import Selection, apply_dims, collect_candidates, select
from epochal.search.hits import HitSelector
from epochal.search.inflection import adapt_forms
from epochal.search.ordering import (
    OrderedPool,
    apply_order,
    find_first_in_order,
    find_order,
    promote_current,
    promote_then,
    put_nearest_first,
)
from epochal.search.outcome import calibrate_hits, calibrate_outcome, decide_outcome, find_stated
from epochal.search.request import Request, SearchArguments
from epochal.search.response import (
    Applied,
    FieldCounter,
    Response,
    find_missing_shards,
    read_with_retry,
    report_missing_shards,
    report_pending,
)
from epochal.search.rewriting import Rewriting, replace_words
from epochal.search.script import adapt_script
from epochal.search.spelling import adapt_spelling
from epochal.search.version_anchors import place_versions
from epochal.storage.protocol import Rows, View, drop_repeated, intersect_rows, locate_rows, supports, union_rows
from epochal.times.span import Span

if TYPE_CHECKING:
    from typing_extensions import Unpack


#: Each source brings at least this many passages.
_DEPTH: Final = 100
#: Passages with the words of the topic among which an order is decided.
_ORDER_DEPTH: Final = 1000
#: Passages that are looked at, at most, to count all documents that answer.
_COUNTED: Final = 5000
#: The probability from which a document answers rather than not.
_LIKELY: Final = 0.5
#: The share of the best score that a document without any date loses under the policy "penalise".
_UNDATED_PENALTY: Final = 0.25


def run_search(
    view: View,
    encoder: Encoder | None,
    request: Request,
    scorer: Scorer,
    stopwatch: Callable[[], float] | None = None,
    understanding: Understanding | None = None,
    *,
    counts_all: bool = False,
    edit: Callable[[Understanding], Understanding] | None = None,
) -> Response:
    """The response to a request. An `understanding` replaces what is read from the words of the question.

    What is read may be changed by `edit`, with the constraints that the response to the same request reports.
    With `counts_all` documents that answer are counted beyond the candidates: all of them in a small index.
    """
    question = request.question
    adapted, applied = (question, ()) if question.isascii() else adapt_script(view, question)
    if applied:
        request = replace(request, question=adapted)
        if understanding is not None:
            understanding = replace(understanding, topic=adapt_script(view, understanding.topic)[0])
    forms = adapt_forms(view, adapted, lambda: _list_times(request))
    forms |= adapt_spelling(view, adapted, lambda: _list_times(request))
    rewritings: list[Rewriting] = []
    if forms:
        rewritings.append(replace_words(adapted, forms))
        adapted, applied = rewritings[-1].question, (*applied, *map(_report_form, forms.items()))
        request = replace(request, question=adapted)
        if understanding is not None:
            understanding = replace(understanding, topic=replace_words(understanding.topic, forms).question)
    is_read, placed = understanding is None, None
    if is_read and request.time:
        placed = place_versions(view, adapted, lambda text: understand_request(replace(request, question=text)))
        if placed is not None:
            rewritings.append(placed.rewriting)
            request, understanding = replace(request, question=placed.rewriting.question), placed.understanding
    if edit is not None:
        understanding = edit(understanding or understand_request(request))
    response = _run_adapted(view, encoder, request, scorer, stopwatch, understanding, counts_all)
    if not applied and placed is None:
        return response
    applied = (*(placed.applied if placed is not None else ()), *response.applied, *applied)
    found = response.understanding
    for rewriting in reversed(rewritings) if is_read else ():
        found = rewriting.restore(found)
    return replace(response, question=question, understanding=found, applied=applied)


def _report_form(form: tuple[str, str]) -> Applied:
    return Applied("form", f"reads “{form[0]}” as “{form[1]}”, as the documents write it")


def _list_times(request: Request) -> list[tuple[int, int]]:
    """Where a question has times, and words of order and of news."""
    found = understand_request(request)
    taken = [(item.start_char, item.end_char) for item in found.expressions]
    taken += filter(None, [find_recent(request.question)])
    left = blank_order(request.question) if found.order is not None else request.question
    return taken + [(at, at + 1) for at, (a, b) in enumerate(zip(request.question, left, strict=True)) if a != b]


def _run_adapted(
    view: View,
    encoder: Encoder | None,
    request: Request,
    scorer: Scorer,
    stopwatch: Callable[[], float] | None,
    understanding: Understanding | None,
    counts_all: bool,
) -> Response:
    """The response to a request whose question is written as the documents are."""
    timer = _Timer(stopwatch)
    missing = find_missing_shards(view)
    pending = () if encoder is None else report_pending(view)
    view, encoder, dims_applied = apply_dims(view, encoder, request)
    reads_time = request.time or understanding is not None
    understanding = understanding or understand_request(request)
    given = request.query_spans
    windows = get_windows(understanding, given) if reads_time else tuple(Window(span) for span in given)
    timer.record("understand")
    selection = select(view, request, timed=bool(windows))
    timer.record("select")
    reference = request.as_of or understanding.as_of or request.now
    pool = _collect_pool(view, encoder, request, understanding, windows, selection.rows, scorer)
    order = find_order(request, understanding, pool) if reads_time or request.sort != "relevance" else None
    if selection.rows is not None:
        pool = replace(pool, hidden_rows=_find_hidden(pool, selection.rows))
    model = getattr(scorer, "relevance_model", None) or load_relevance_model()
    promotes = order is None and not windows and reference is not None and reads_time
    # What is the newest of those on the topic is only known of all of them.
    wants_newest = promotes and (asks_current(request.question) or needs_freshness(pool))
    pool = _add_salient(pool, selection.rows, model, Order("newest") if wants_newest else order, reference)
    if request.as_of is not None:
        pool = replace(pool, now=reference)
    timer.record("gather")
    scored = candidates = _penalise_undated(pool, scorer.score(pool), request)
    ordered = None if order is None else apply_order(pool, scored, order, model, reference)
    if promotes and reference is not None:
        scored = promote_current(pool, scored, model, reference)
    scored = promote_then(pool, scored, model) if ordered is None else ordered.scored
    timer.record("score")
    # An order of time is exact; reranking by text would break it.
    if request.rerank and ordered is None:
        from epochal.encoders.cross import load_cross_encoder

        scored = rerank_candidates(pool, scored, load_cross_encoder())
        timer.record("rerank")
    selector = HitSelector(pool, scored, request, is_ordered=ordered is not None)
    hits = selector.build()
    timer.record("choose")
    outcome = decide_outcome(view, request, understanding, windows, hits, scored, ordered, model)
    order_applied = _report_order(order, ordered)
    if ordered is None and outcome in ("none_recorded", "not_covered"):
        nearest = put_nearest_first(pool, scored, model)
        if nearest is not None:
            scored, selector = nearest, HitSelector(pool, nearest, request, is_ordered=True)
            hits = selector.build()
            order_applied = _report_nearest(pool)
    outcome, probability = calibrate_outcome(
        hits,
        candidates,
        outcome,
        model,
        has_window=bool(windows),
        is_open=not windows and order is None and selection.rows is None,
    )
    hits = calibrate_hits(hits, candidates, outcome, model, has_window=bool(windows), offset=request.offset)
    answering, has_more = _find_answering(pool, scored, scorer if counts_all else None, selection.rows, model)
    if request.min_relevance is not None:
        hits = tuple(hit for hit in hits if hit.relevance is None or hit.relevance >= request.min_relevance)
    return Response(
        question=request.question,
        now=request.now,
        hits=hits,
        understanding=understanding,
        applied=(
            *_report_applied(request, understanding, windows, selection, selector, scored),
            *order_applied,
            *dims_applied,
            *pending,
            *report_missing_shards(missing),
        ),
        hidden={**selection.hidden, **selector.hidden},
        outcome=outcome,
        probability=probability,
        timings=timer.timings,
        missing=missing,
        total=None if scored.relevance is None else len(answering),
        total_is_lower_bound=has_more,
        unknown_words=() if scored.relevance is None else scored.relevance.unknown_words,
        counter=FieldCounter(view, answering),
    )


class _Timer:
    """Milliseconds by step, where there is a stopwatch."""

    def __init__(self, stopwatch: Callable[[], float] | None) -> None:
        self._read = stopwatch
        self._last = stopwatch() if stopwatch else 0.0
        self.timings: dict[str, float] = {}

    def record(self, step: str) -> None:
        if self._read is not None:
            now = self._read()
            self.timings[step] = 1000 * (now - self._last)
            self._last = now


def understand_request(request: Request) -> Understanding:
    """What the question of a request asks of time; nothing where time is switched off."""
    if request.time:
        return _understand(request.question, request.now, get_fiscal_calendar())
    return Understanding("none", "atemporal", "Never", topic=request.question)


@lru_cache(maxsize=256)
def _understand(question: str, now: Span | None, fiscal: FiscalCalendar) -> Understanding:
    """What a question asks of time, remembered: pages of a response, and what users compare, ask it again."""
    with use_fiscal_calendar(fiscal):
        return understand(question, now)


def _collect_pool(
    view: View,
    encoder: Encoder | None,
    request: Request,
    understanding: Understanding,
    windows: tuple[Window, ...],
    rows: Rows | None,
    scorer: Scorer,
) -> Pool:
    """The candidates: deeper while they give fewer than k hits, and with the current versions of their series."""
    depth = max(_DEPTH, request.depth)
    proposer = scorer if supports(scorer, Proposer) else None

    def collect() -> Pool:
        return collect_candidates(
            view, encoder, request.question, understanding, request.now, windows, rows, depth, proposer
        )

    pool = collect()
    while depth <= len(pool) < view.passage_count and _count_hits(pool, request) < request.depth:
        depth *= 4
        pool = collect()
    return _add_current_versions(pool, rows) if request.promote_current_version else pool


def _find_hidden(pool: Pool, rows: Rows) -> Rows:
    """The passages that fit the topic best among those that a filter hides."""
    found = pool.view.search_words(pool.understanding.topic or pool.question, _DEPTH).rows
    return np.sort(np.setdiff1d(found, rows))


def _add_salient(
    pool: Pool, rows: Rows | None, model: RelevanceModel, order: Order | None, reference: Span | None
) -> Pool:
    """The pool with all passages that have the words of the topic: an order or an identifier needs every one of them.

    Where there are too many of them, those are added that come first in the order.
    """
    is_needed = order is not None or has_identifier(pool.understanding.topic)
    names = find_naming_words(pool, model) if is_needed else ()
    if not names:
        return pool
    named = pool.view.search_words(" ".join(names), _ORDER_DEPTH).rows
    if order is not None and len(named) >= _ORDER_DEPTH:
        named = union_rows(named, find_first_in_order(pool, names, order, reference))
    return pool.extend(named if rows is None else intersect_rows(named, rows))


def _find_answering(
    pool: Pool, scored: Scored, scorer: Scorer | None, rows: Rows | None, model: RelevanceModel
) -> tuple[Rows, bool]:
    """The documents of the pool that answer rather than not, and whether others are likely to.

    They are all documents where the scorer gives no probabilities. Others are likely to answer where one of the last
    candidates of a source does; with a scorer, what lies beyond the candidates is scored then, too. Where
    none is likely to, those answer for which something is said to be recorded.
    """
    if scored.relevance is None:
        return drop_repeated(pool.document_rows), False
    answers = scored.relevance.answer >= _LIKELY
    if pool.windows and scored.relevance.known >= model.on_topic and not answers.any():
        answers = scored.relevance.answer >= model.recorded
        answers |= find_stated(scored, scored.relevance, model.on_topic)
    has_more = bool(locate_rows(pool.last_rows, pool.rows[answers])[0].any())
    if has_more and scorer is not None:
        wide, has_more = _widen(pool, rows, model)
        relevance = scorer.score(wide).relevance
        if relevance is not None:
            return drop_repeated(wide.document_rows[relevance.answer >= _LIKELY]), has_more
    return drop_repeated(pool.document_rows[answers]), has_more


def _widen(pool: Pool, rows: Rows | None, model: RelevanceModel) -> tuple[Pool, bool]:
    """The pool of all passages or, of very many, of those with words that name the topic; whether there are others."""
    everything = pool.view.alive if rows is None else rows
    if len(everything) <= _COUNTED:
        return pool.extend(everything), False
    names = find_naming_words(pool, model)
    named = pool.view.search_words(" ".join(names), _COUNTED).rows if names else pool.rows
    return pool.extend(named if rows is None else intersect_rows(named, rows)), True


def _report_order(order: Order | None, ordered: OrderedPool | None) -> tuple[Applied, ...]:
    if order is None:
        return ()
    if ordered is None:
        return (Applied("order", "ranks by score: no document on the topic has a date to order by"),)
    words = {
        "newest": "newest first",
        "oldest": "oldest first",
        "nth": f"from number {order.n}{' counted from the end' * order.from_end} on",
        "last_before": "the last before that time first",
        "first_after": "the first after that time first",
    }[order.kind]
    date = "date" if not ordered.own or ordered.own < ordered.ordered else "the date that their text opens with"
    sentence = f"orders {ordered.ordered:,} document{'s' * (ordered.ordered != 1)} on the topic by {date}, {words}"
    if 0 < ordered.own < ordered.ordered:
        sentence += f"; {ordered.own:,} of them by the date that their text opens with"
    if ordered.tied:
        sentence += f"; {ordered.tied:,} more {'has' if ordered.tied == 1 else 'have'} the date of the first"
    if ordered.undated:
        sentence += f"; {ordered.undated:,} without a date follow{'s' * (ordered.undated == 1)}"
    return (Applied("order", sentence),)


def _report_nearest(pool: Pool) -> tuple[Applied, ...]:
    first = "the last before it" if asks_for_state(pool) else "what is nearest in time"
    return (Applied("order", f"nothing on the topic is from then: {first} comes first"),)


def _count_hits(pool: Pool, request: Request) -> int:
    """How many documents remain when those of each series are collapsed into one."""
    documents = pool.number_documents()[0]
    if not request.collapse_versions:
        return len(documents)
    series = pool.view.get_series_codes(documents)
    named = series[series >= 0]
    return len(documents) - len(named) + len(drop_repeated(named))


def _add_current_versions(pool: Pool, rows: Rows | None) -> Pool:
    """The pool with the current versions of the series in it, where their own words did not bring them."""
    view, query_spans = pool.view, [window.span for window in pool.windows]
    series = view.get_series_codes(pool.number_documents()[0])
    codes = drop_repeated(series[series >= 0]).tolist()
    if not codes or len(query_spans) > 1:
        return pool
    versions = [view.get_series_rows(code) for code in codes]
    current = np.concatenate([find_current_versions(view, members, query_spans, pool.now) for members in versions])
    missing = np.sort(view.get_passage_rows(np.setdiff1d(current, pool.document_rows)))
    if rows is not None:
        missing = np.intersect1d(missing, rows, assume_unique=True)
    if not len(missing):
        return pool
    return pool.extend(missing)


def _penalise_undated(pool: Pool, scored: Scored, request: Request) -> Scored:
    """With the policy "penalise", documents without any date lose a share of the best score."""
    if request.undated != "penalise" or not pool.windows or not len(pool):
        return scored
    view = pool.view
    dated = np.isin(pool.document_rows, view.published.rows) | np.isin(pool.document_rows, view.valid.rows)
    dated |= np.isin(pool.document_rows, view.get_document_rows(np.unique(view.content.rows)))
    penalty = np.where(dated, 0.0, -_UNDATED_PENALTY * float(np.abs(scored.scores).max()))
    return replace(scored, scores=scored.scores + penalty, parts={**scored.parts, "undated": penalty})


def _report_applied(
    request: Request,
    understanding: Understanding,
    windows: tuple[Window, ...],
    selection: Selection,
    selector: HitSelector,
    scored: Scored,
) -> tuple[Applied, ...]:
    applied = list(selection.applied)
    filtered = set(request.query_spans) if request.strict else set()
    for window in windows:
        if window.span not in filtered:
            words = window.span.describe()
            when = words if words.startswith(("from ", "since ", "until ", "before ", "after ")) else f"in {words}"
            what = "was published" if window.axis == "publication" else "is about or was published"
            applied.append(Applied("constraint", f"prefers what {what} {when}", window.span))
    for word, near in (scored.relevance.near_words if scored.relevance else {}).items():
        applied.append(Applied("words", f"takes “{near}” for “{word}”, which no document has"))
    if "freshness" in scored.parts:
        pace = understanding.recency.replace("-", " ").lower()
        lasts = "" if pace == "never" else f": such answers are valid for about {pace}"
        applied.append(Applied("freshness", f"prefers what is new{lasts}"))
    if scored.estimate is not None:
        applied.append(Applied("estimate", "where a document has no time, estimates one from its words"))
    if request.undated == "penalise" and windows:
        applied.append(Applied("undated", "ranks documents without any date lower"))
    if "rerank" in scored.parts:
        applied.append(Applied("rerank", f"reads the question with each of the best {RERANKED} passages together"))
    if selector.covers_periods:
        applied.append(Applied("coverage", f"selects documents that cover {selector.period_count} periods"))
    if selector.hidden:
        applied.append(Applied("versions", "collapses versions and near-duplicates into the one that is returned"))
    return tuple(applied)


class Searcher:
    """Everything that a search needs: the views of a store, the encoder of its vectors, and scorers by name.

    `take_view` is called once for each search, so that a search reads one state of the store from start to end.
    """

    def __init__(self, take_view: Callable[[], View], encoder: Encoder | None) -> None:
        self._take_view = take_view
        self._encoder = encoder
        self._scorers: dict[str | None, Scorer] = {}

    def view(self) -> View:
        """The present state of the store; see `epochal.storage.protocol`."""
        return self._take_view()

    @property
    def encoder(self) -> Encoder | None:
        """The encoder of the vectors; None without."""
        return self._encoder

    def search(
        self,
        question: str,
        *,
        stopwatch: Callable[[], float] | None = None,
        **options: Unpack[SearchArguments],
    ) -> Response:
        """The documents that answer a question, from the time that it asks about.

        The options are those of `epochal.search.request.SearchOptions`. `now` is the present that "last year" counts
        from; every time may be a Span, a date, a datetime, a year or a text.
        """
        request = Request.parse({"question": question, **options})
        scorer = request.scorer
        if isinstance(scorer, str) or scorer is None:
            selected = self._load_scorer(scorer)
        elif isinstance(scorer, Scorer):
            selected = scorer
        else:
            raise EpochalError(f"scorer must be a name or have a name and a method score, but is {scorer!r}")
        return read_with_retry(
            self._take_view, lambda view: run_search(view, self._encoder, request, selected, stopwatch)
        )

    def _load_scorer(self, name: str | None) -> Scorer:
        """The scorer of a name, loaded by the first search that names it."""
        if name not in self._scorers:
            self._scorers[name] = load_scorer(name)
        return self._scorers[name]
