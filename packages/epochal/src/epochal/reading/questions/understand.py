"""Understanding a question: what it asks of time, by rules and two small linear models, without a language model."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from epochal.lazy import lazy_regex
from epochal.reading.events import EventFinder, Mention
from epochal.reading.expression import MIN_CONFIDENCE, Tagger, TimeExpr, drop_fill, fill_blanks
from epochal.reading.questions.bounds import find_exclusion, get_skipped_unit
from epochal.reading.questions.classifier import decide, load_model
from epochal.reading.questions.constraints import Bound, read_constraints
from epochal.reading.questions.cues import detect_cues, simplify
from epochal.reading.questions.descriptions import find_described, names_occasion
from epochal.reading.questions.ordering import find_order
from epochal.reading.questions.periods import (
    asks_change,
    find_required_periods,
    is_cross_period,
    make_plan,
    names_start_event,
    names_today,
)
from epochal.reading.questions.question import (
    HALF_LIFE,
    RECENCY_CLASSES,
    TEMPORAL_CLASSES,
    Constraint,
    Question,
    Understanding,
)
from epochal.reading.questions.states import asks_present_state, asks_recent, date_states, find_as_of
from epochal.reading.questions.topic import extract_topic, find_signals, keep_times, normalise, strip_times
from epochal.reading.reigns import find_reigns
from epochal.reading.resolve import find_period
from epochal.reading.tagger import tag
from epochal.reading.timex3 import part_of_day, timex3_value
from epochal.times.axis import OPEN_END, Grain
from epochal.times.span import Span

__all__ = [
    "MAX_RECENCY_DISTANCE",
    "classify_focus",
    "classify_intent",
    "classify_reasoning",
    "infer_granularity",
    "understand",
]


#: A recency class that lies further off than this costs no more: between the likeliest and the middle of the likely.
MAX_RECENCY_DISTANCE = 7.0
#: Cues are looked for in so many characters; dates are read from all of the text.
_MAX_CUE_CHARS = 5000

_QUERY_UNIT = lazy_regex(
    r"\b(?:what|which) (?:exact |specific )?(?P<unit>year|date|day|month|decade|century|time)\b|"
    r"(?P<year>哪(?:一)?年)|(?P<day>哪(?:一)?[天日])",
    re.IGNORECASE,
)
_ERA_WORDS = lazy_regex(
    r"\b(?:during|in|under|throughout) (?:the )?(?:\w+ ){0,3}(?:era|period|dynasty|reign|age|ages|empire|"
    r"renaissance|enlightenment|times|"
    r"century|centuries|antiquity|decade)\b|\b(?:medieval|ancient|victorian|roman|tudor|colonial|edo|ming|"
    r"qing|tang)\b|时期|时代|朝",
    re.IGNORECASE,
)
_PROVENANCE = lazy_regex(r"\b(?:provenance|artifacts?|artefacts?|relics?)\b|文物", re.IGNORECASE)
_CAUSE = lazy_regex(
    r"\bwhat (?:were the |was the |are the )?(?:main )?(?:caus|reason|consequence|impact|effect)|\bcauses? of\b", re.I
)
_BEFORE_AFTER = lazy_regex(
    r"\b(?:what|who|which|where|how)\b.{0,60}\b(?:before|after|prior to|following|preceded|succeeded|"
    r"in the wake of)\b"
    r"|\b(?:predecessor|successor|successors|predecessors|aftermath)\b|之前|之后|以前|以后|前任|继任",
    re.IGNORECASE,
)
_NOW_STATE = lazy_regex(
    r"\b(?:current(?:ly)?|right now|at (?:present|the moment)|nowadays|these days|as of (?:now|today)|now|"
    r"today|latest|present(?:ly)?)\b"
    r"|目前|现在|当前|如今|最新",
    re.IGNORECASE,
)
_RECENT = lazy_regex(
    r"\b(?:latest|(?:most )?recent(?:ly)?|newest|current(?:ly)?|nowadays|lately|right now|"
    r"up[- ]to[- ]date|so far|these days|"
    r"at (?:present|the moment)|as of (?:now|today)|breaking|today|tonight|now|this (?:week|month|year))\b"
    r"|最新|最近|近期|目前|现在|当前|如今|今天|近日",
    re.IGNORECASE,
)
_GRANULARITY = (
    (Grain.WEEK, "date"),
    (Grain.HALF, "month"),
    (Grain.YEAR, "year"),
    (Grain.DECADE, "decade"),
    (Grain.CENTURY, "century"),
)

_WITHIN = lazy_regex(r"(?:during|in|within|throughout|at|for)\b", re.IGNORECASE)
_HAN = lazy_regex(r"[\u3400-\u9fff]")
_CHINESE_PACE: tuple[tuple[str, frozenset[str]], ...] = (
    ("A-Day", frozenset(("market", "weather", "news"))),
    ("A-Few-Months", frozenset(("ask_now", "recent_words", "ask_still"))),
    ("A-Year", frozenset(("future_words", "schedule"))),
    ("Never", frozenset(("past_tense", "past_words", "year_ancient", "ask_order", "ask_when"))),
)
_CHINESE_SIGNS: tuple[tuple[str, frozenset[str]], ...] = (
    ("future", frozenset(("future_words", "schedule", "forecast"))),
    ("recent", frozenset(("recent_words", "ask_now", "ask_still", "market", "weather", "news"))),
    ("past", frozenset(("past_tense", "past_words", "year_ancient", "ask_order", "ask_when", "ask_timeline"))),
)


def understand(question: str | Question, now: Span | None = None, tagger: Tagger | None = None) -> Understanding:
    """What a question asks of time. Without `now`, "last year" is not resolved and years are neither past nor future.

    >>> found = understand("How have transaction fees changed since 2017?", Span.parse("2026-11-15"))
    >>> found.temporal_focus, found.cross_period, [period.edtf() for period in found.periods]
    ('change_over_time', True, ['2017', '2026'])
    >>> understand("What is a Merkle tree?").is_temporal
    False
    """
    query = question if isinstance(question, Question) else Question(question, now)
    text, present = fill_blanks(query.text), query.now if query.now is not None else now
    stated, events = _tag_question(text, present, tagger)
    expressions = tuple(sorted([*stated, *events], key=lambda item: item.start_char))
    read = _drop_modifiers(text, read_constraints(text, expressions, present), frozenset(events))
    every = _narrow_to_daytime(text, date_states(text, read))
    if asks_present_state(text):  # the day on which one asks is no day that an answer must be dated to
        every = tuple(bound for bound in every if not names_today(bound))
    named_events = frozenset(events)
    described = find_described(text, every)
    binding = [
        place not in described
        and not names_occasion(text, bound)
        and (bound.constraint.evidence not in named_events or _is_binding(text, bound))
        for place, bound in enumerate(every)
    ]
    bounds = [bound for bound, binds in zip(every, binding, strict=True) if binds]
    head = simplify(text[:_MAX_CUE_CHARS]) if _HAN.search(text[:_MAX_CUE_CHARS]) else text[:_MAX_CUE_CHARS]
    head = _blank_turns(head, expressions)
    cues = frozenset(detect_cues(head, present))
    cross = is_cross_period(head, cues, bounds)
    # "Today" in a comparison is the present at large, not a day that the answer must be dated to.
    constraints = tuple(
        bound.constraint if binds else replace(bound.constraint, binds=False)
        for bound, binds in zip(every, binding, strict=True)
        if not (cross and names_today(bound))
    )
    focus = classify_focus(head, cues, bounds, cross=cross)
    intent = classify_intent(head, cues, bounds)
    # A comparison over a rolling window sets its two ends against each other, which the rules of periods find.
    placed = [bound for place, bound in enumerate(every) if place not in described and not (cross and bound.is_rolling)]
    periods = find_required_periods(head, placed, present, cross=cross, then_now="then_now" in cues)
    named_at = [item.start_char for item in events]
    words = find_signals(text, stated, [bound for bound in every if not _contains_any(bound, named_at)])
    stripped = strip_times(text, words)
    about = drop_fill(extract_topic(text, words, stripped))
    anchors = _collect_anchors(every, periods, cross)
    recency = _classify_recency(head, present, every, periods, cross)
    return Understanding(
        intent=intent,
        temporal_class=_classify_temporal(head, cues, present, constraints),
        recency=recency,
        half_life=HALF_LIFE[recency],
        reasoning_class=classify_reasoning(head, cues, bounds, focus=focus, intent=intent),
        constraints=constraints,
        periods=periods,
        cross_period=cross,
        topic=about,
        plan=make_plan(
            about,
            intent if "ask_when" in cues or intent != "when" else "none",
            periods,
            present,
            published=[item.span for item in constraints if item.axis == "publication"],
            cross=cross,
        ),
        anchors=anchors,
        granularity=infer_granularity(head, intent, periods),
        expressions=expressions,
        variants=(
            ("strip", drop_fill(stripped)),
            ("temporal_only", keep_times(anchors, [item.text for item in events], words)),
            ("normalized", drop_fill(normalise(text, intent, anchors))),
        ),
        temporal_focus=focus,
        order=find_order(head, [(item.start_char, item.end_char) for item in stated], every, present),
        as_of=find_as_of(head, every, present),
        not_understood=_find_unused(text, expressions, every),
        answer_kind=_classify_answer(head, cues),
        asks_recent=not every and asks_recent(text),
    )


#: What asks for a period with a name or a number: an era, a decade, the years of something.
_ASKS_PERIOD = lazy_regex(
    r"\b(?:what|which|whose) (?:\w+ )?(?:time )?(?:periods?|eras?|epochs?|ages?|dynasty|dynasties|decades?|century|"
    r"centuries|seasons?|quarters?|years)\b|\b(?:from|between) (?:when|what years?)\b.{0,20}\b(?:to|until|and)\b|"
    r"哪个?(?:时期|时代|朝代|年代|世纪|季度|季节)",
    re.IGNORECASE,
)
#: What asks for a length in other languages, and for a time.
_ASKS_LENGTH = lazy_regex(
    r"\b(?:wie lange|combien de temps|cuánto tiempo|quanto tempo|hoe lang|как долго|сколько времени)\b|"
    r"どのくらいの期間|何(?:年|か月|ヶ月|週|日|時)間|얼마나 오래|كم من الوقت",
    re.IGNORECASE,
)
_ASKS_TIME = lazy_regex(
    r"\A\W*(?:wann|seit wann|quand|cuándo|desde cuándo|quando|wanneer|когда|متى)\b|いつ|언제|何年に", re.IGNORECASE
)


def _classify_answer(text: str, cues: frozenset[str]) -> str:
    """What an answer to a question is: a time, a length of time, a period, or something else."""
    if "ask_duration" in cues or _ASKS_LENGTH.search(text):
        return "how_long"
    if _ASKS_PERIOD.search(text):
        return "which_period"
    return "when" if "ask_when" in cues or _ASKS_TIME.search(text) else "other"


#: Words that point to a time which the question itself does not state.
_POINTING = lazy_regex(
    r"\b(?:since then|back then|(?:at|around|by) (?:the|that) time|in those days|until then|before then|from then on|"
    r"the (?:same|following|previous|preceding) (?:day|week|month|year|decade)|once upon a time|some day|some time ago|"
    r"a while (?:ago|back)|the other day|(?:long|years|ages|decades) ago)\b|当时|那时|那年|后来|从那以后",
    re.IGNORECASE,
)


def _find_unused(text: str, expressions: Sequence[TimeExpr], bounds: Sequence[Bound]) -> tuple[str, ...]:
    """Words that sound like time and bind nothing: excluded times, amounts and repetitions, "since then"."""
    used = sorted((bound.start_char, bound.end_char) for bound in bounds)
    starts = [start for start, _ in used]
    ends = list(accumulate((end for _, end in used), max))  # how far those that start up to there reach
    places = [match.span() for match in _POINTING.finditer(text[:_MAX_CUE_CHARS])]
    for item in expressions:
        if item.value in ("PRESENT_REF", "PAST_REF", "FUTURE_REF") or item.confidence < 0.5:
            continue
        places.append(find_exclusion(text, item) or (item.start_char, item.end_char))
    found: list[tuple[int, int]] = []
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        count = bisect_left(starts, end)
        is_used = count > 0 and start < ends[count - 1]
        if not is_used and not (found and start < found[-1][1]):
            found.append((start, end))
    return tuple(dict.fromkeys(text[start:end] for start, end in found))


_NOUN = lazy_regex(
    r"\s+(?!(?:and|or|to|in|on|at|of|for|with|by|from|was|were|is|are|did|has|had|than|but|as"
    r"|the)\b)[a-z]{4,}"
)
_MONTH_DAYS = 31


def _drop_modifiers(text: str, bounds: Sequence[Bound], events: frozenset[TimeExpr]) -> tuple[Bound, ...]:
    """The constraints without those of a short event that only names another thing: "the Brexit negotiations"."""
    return tuple(
        bound
        for bound in bounds
        if bound.constraint.evidence not in events
        or bound.constraint.relation != "during"
        or bound.constraint.span.is_open
        or bound.constraint.span.days > _MONTH_DAYS
        or _is_binding(text, bound)
        or _NOUN.match(text, bound.end_char) is None
    )


#: "During the day" beside a date is its daytime; alone, and in "by the day", it is not.
_DAYTIME = lazy_regex(
    r"\b(?:by\s+day|(?:during|in)\s+the\s+day(?:time)?|(?:in\s+)?daytime)\b(?!\s+of\b)", re.IGNORECASE
)


def _narrow_to_daytime(text: str, bounds: tuple[Bound, ...]) -> tuple[Bound, ...]:
    """The constraints; of a day the daytime, where the question says so."""
    if not _DAYTIME.search(text):
        return bounds

    def narrow(bound: Bound) -> Bound:
        constraint = bound.constraint
        if constraint.relation != "during" or constraint.span.grain is not Grain.DAY or bound.is_as_of:
            return bound
        daytime = part_of_day(constraint.span.start // Grain.DAY.seconds, "DT")
        return replace(bound, constraint=replace(constraint, span=daytime), named=(daytime,))

    return tuple(narrow(bound) for bound in bounds)


#: Words of a time that would ask for an order by themselves: "the winter before last".
_TURN = lazy_regex(r"\b(?:before\s+last|after\s+next)$", re.IGNORECASE)


def _blank_turns(text: str, expressions: Iterable[TimeExpr]) -> str:
    """The text with spaces for the words of a time that say which one it is, and ask for no order."""
    for item in expressions:
        if (turn := _TURN.search(item.text)) is not None:
            start = item.start_char + turn.start()
            text = text[:start] + " " * (item.end_char - start) + text[item.end_char :]
    return text


def classify_intent(text: str, named: Collection[str], bounds: Sequence[Bound] = ()) -> str:
    """TEMPO's intent of a question with those cues."""
    if "ask_duration" in named:
        return "duration"
    if "ask_order" in named:
        return "order"
    if "ask_period" in named:
        return "period_definition"
    if "ask_when" in named:
        return "when"
    if asks_change(text, named, bounds) or "ask_timeline" in named or "over_time" in named:
        return "timeline"
    content = {bound.constraint.relation for bound in bounds if bound.constraint.axis == "content"}
    published = any(bound.constraint.axis == "publication" for bound in bounds)
    if names_start_event(text) or {"before", "after"} & content or (_BEFORE_AFTER.search(text) and not published):
        return "before_after"
    if ("ask_still" in named or _NOW_STATE.search(text)) and not _names_only_past(bounds):
        return "ongoing_status"
    return "when" if content else "none"


def classify_focus(
    text: str, named: Collection[str], bounds: Sequence[Bound] = (), *, cross: bool | None = None
) -> str:
    """TEMPO's temporal focus of a question with those cues; `cross` says whether it compares times, where known."""
    if "ask_duration" in named:
        return "duration"
    if is_cross_period(text, named, bounds) if cross is None else cross:
        return "change_over_time"
    if "ask_when" in named or "ask_period" in named or "ask_order" in named:
        return "specific_time"
    if _RECENT.search(text) or "ask_still" in named:
        return "specific_time" if _names_only_past(bounds) else "recency"
    if bounds or "ask_timeline" in named or _BEFORE_AFTER.search(text) or names_start_event(text):
        return "specific_time"
    return "none"


def classify_reasoning(
    text: str, named: Collection[str], bounds: Sequence[Bound] = (), *, focus: str = "none", intent: str = "none"
) -> str:
    """TEMPO's class of reasoning; empty for a question that time has no part in."""
    speaks_of_past = {"past_tense", "past_words", "ask_attribution", "ask_misread"} & set(named)
    if not (bounds or focus != "none" or intent != "none" or speaks_of_past or _PROVENANCE.search(text)):
        return ""
    if "ask_misread" in named:
        return "historical_misinterpretation_or_reenactment"
    if "ask_object" in named:
        return "artifact_verification" if "ask_verify" in named else "materials_artifacts_and_provenance"
    if focus == "change_over_time":
        origins = "ask_timeline" in named or "ask_compare" in named
        moving = any(bound.constraint.relation in ("since", "between") for bound in bounds) or "trend_noun" in named
        return "origins_evolution_comparative_analysis" if origins and not moving else "trends_changes_and_cross_period"
    if "ask_source" in named:
        return "sources_methods_and_documentation"
    if _CAUSE.search(text):
        return "causation_analysis"
    if "ask_attribution" in named:
        return "historical_attribution_and_context"
    if "ask_timeline" in named:
        return "origins_evolution_comparative_analysis"
    if "ask_verify" in named:
        return "event_verification_and_authenticity"
    if intent == "period_definition" or _ERA_WORDS.search(text):
        return "time_period_contextualization"
    return "event_analysis_and_localization"


def infer_granularity(text: str, intent: str, periods: Sequence[Span]) -> str:
    """How finely the answer should be dated: date, month, year, decade, century, multicentury or unknown."""
    if match := _QUERY_UNIT.search(text):
        unit = "year" if match["year"] else "date" if match["day"] else match["unit"].lower()
        return {"day": "date", "time": "date"}.get(unit, unit)
    closed = [span for span in periods if not span.is_open]
    if closed:
        whole = closed[0].hull(closed[-1])
        if whole.days > 36_600 and len(closed) > 1:
            return "multicentury"
        coarse = max(span.coarsest_grain for span in closed)
        return next((name for grain, name in _GRANULARITY if coarse <= grain), "multicentury")
    return "date" if intent == "when" else "unknown"


def _is_binding(text: str, bound: Bound) -> bool:
    """Whether a question is put in terms of an event: "before the Korean War" is, "causes of the Korean War" not."""
    evidence = bound.constraint.evidence
    if bound.constraint.relation != "during" or evidence is None:
        return True
    return bound.end_char > evidence.end_char or bool(_WITHIN.match(text, bound.start_char))


def _contains_any(bound: Bound, places: Sequence[int]) -> bool:
    """Whether one of those places, given in order, lies in the words of a constraint: an event is a topic too."""
    place = bisect_left(places, bound.start_char)
    return place < len(places) and places[place] < bound.end_char


def _names_only_past(bounds: Sequence[Bound]) -> bool:
    """Whether every time that is named comes to an end: "the latest edition of 1890" asks for nothing recent."""
    return bool(bounds) and all(bound.constraint.span.end != OPEN_END for bound in bounds)


def _classify_temporal(text: str, named: Collection[str], now: Span | None, constraints: Sequence[Constraint]) -> str:
    certain = [item.span for item in constraints if item.evidence is None or item.evidence.confidence >= 0.5]
    place = _compare_to_now(certain, now)
    if _HAN.search(text):
        return _classify_chinese(named, place)
    model = load_model("temporal_class")
    chances = dict(zip(model.labels, model.probabilities(text, now).tolist(), strict=True))
    if place and len(text.split()) >= 5:
        # A whole sentence that names a time is about that time, whatever its words look like to the model.
        chances["atemporal"] *= 0.25
        if place != "recent":
            chances = {name: chance * (name in (place, "atemporal")) for name, chance in chances.items()}
    return max(TEMPORAL_CLASSES, key=lambda name: chances[name])


def _classify_chinese_recency(named: Collection[str], place: str) -> str:
    """The recency class of a Chinese question by rules: the model has learned from English alone."""
    if place == "past":
        return "Never"
    for name, signs in _CHINESE_PACE:
        if signs & set(named):
            return name
    return "A-Year" if place else "Many-Years"


def _compare_to_now(spans: Sequence[Span], now: Span | None) -> str:
    """Where all those times lie against the present; empty where there are none, or there is no present."""
    if not spans or now is None:
        return ""
    if all(span.end <= now.start for span in spans):
        return "past"
    return "future" if all(span.start >= now.end for span in spans) else "recent"


def _classify_chinese(named: Collection[str], place: str) -> str:
    """The class of a Chinese question by rules: the model has learned from English alone."""
    if place:
        return place
    for name, signs in _CHINESE_SIGNS:
        if signs & set(named):
            return name
    return "atemporal"


def _classify_recency(
    text: str, now: Span | None, bounds: Sequence[Bound], periods: Sequence[Span], cross: bool
) -> str:
    if _HAN.search(text):
        return _classify_chinese_recency(
            frozenset(detect_cues(text, now)), _compare_to_now([bound.constraint.span for bound in bounds], now)
        )
    chances = load_model("recency").probabilities(text, now).copy()
    onward = any(bound.constraint.relation == "since" for bound in bounds)
    if onward or (cross and now is not None and any(period.overlaps(now) for period in periods)):
        # What runs up to the present goes on changing, however old its start.
        chances[RECENCY_CLASSES.index("Many-Years") :] = 0.0
    elif now is not None and any(bound.constraint.span.start >= now.end for bound in bounds):
        chances[RECENCY_CLASSES.index("Never")] = 0.0
    if (slowest := _find_slowest_pace(bounds)) is not None:
        chances[RECENCY_CLASSES.index(slowest) + 1 :] = 0.0
    if not chances.any():
        return slowest or "A-Year"
    return RECENCY_CLASSES[decide(chances, MAX_RECENCY_DISTANCE)]


#: A time that is named from the present moves on with it: the answer for "yesterday" is another one tomorrow.
_DEICTIC = lazy_regex(
    r"\b(?:yesterday|today|tonight|tomorrow|(?:this|last|next|past|coming|current|previous) "
    r"(?:\w+ )?(?P<unit>hour|morning|afternoon|evening|night|day|weekend|week|month|quarter|season|spring"
    r"|summer|autumn|"
    r"fall|winter|year|decade)s?)\b",
    re.IGNORECASE,
)
_UNIT_PACE = {
    "hour": "A-Few-Hours",
    "week": "A-Week",
    "weekend": "A-Week",
    "month": "A-Month",
    "quarter": "A-Few-Months",
    "year": "A-Year",
    "decade": "A-Few-Years",
} | dict.fromkeys(("season", "spring", "summer", "autumn", "fall", "winter"), "A-Year")


def _find_slowest_pace(bounds: Sequence[Bound]) -> str | None:
    """The slowest recency class that an answer can have whose time is named from the present; None for any."""
    found = [
        _UNIT_PACE.get((match["unit"] or "day").lower(), "A-Day")
        for bound in bounds
        if bound.constraint.evidence is not None and (match := _DEICTIC.search(bound.constraint.evidence.text))
    ]
    return min(found, key=RECENCY_CLASSES.index) if found else None


def _collect_anchors(bounds: Sequence[Bound], periods: Sequence[Span], cross: bool) -> tuple[str, ...]:
    """The times that matter, in words and in their order: those the question names, and the present if it is one."""
    named: dict[Span, str] = {}
    for bound in bounds:
        if cross and names_today(bound):
            continue
        for span in bound.named:
            words, evidence = span.describe(), bound.constraint.evidence
            # A name says more than the days on which it starts and ends.
            long = words.startswith("from ") and len(bound.named) == 1 and evidence is not None
            named[span] = evidence.text if long and evidence is not None else words
    for span in periods:
        if cross and not span.is_open:
            named.setdefault(span, span.describe())
    ordered = sorted(named, key=lambda span: (span.start, span.end))
    return tuple(dict.fromkeys(named[span] for span in ordered))


def _tag_question(text: str, now: Span | None, tagger: Tagger | None) -> tuple[list[TimeExpr], list[TimeExpr]]:
    """What the text states of time, and the events and periods that it names ("the Korean War")."""
    if tagger is not None:
        return tagger.tag(text, now), []
    # Reigns counted in words come first: of "the first year of Duke Yin" the tagger sees a first year.
    sure = [*find_reigns(text), *_find_skipped_units(text, now), *_find_terms_of_office(text)]
    stated = sorted(
        [*sure, *_drop_overlapping(tag(text, now=now, lang="auto"), sure)], key=lambda item: item.start_char
    )
    mentions = EventFinder().find(text)
    if not mentions:
        return stated, []
    every = _drop_overlapping(tag(text, now=now, lang="auto", implicit=True), sure)
    places = {item.start_char for item in stated}
    events = [item for item in every if item.start_char not in places]
    events += _drop_overlapping(list(_read_mentions(mentions)), [*sure, *events])
    events.sort(key=lambda item: item.start_char)
    # "Black Monday 1987" and "9/11" are events: what the tagger sees in them without a year says less, and a year
    # right behind the name says which.
    stated = [
        item
        for item in stated
        if not any(
            ("year" not in item.stated and item.start_char < event.end_char and event.start_char < item.end_char)
            or _says_which(text, event, item)
            for event in events
        )
    ]
    return stated, _drop_overlapping(events, stated)


def _says_which(text: str, event: TimeExpr, item: TimeExpr) -> bool:
    return (
        item.span is not None
        and event.span is not None
        and text[event.end_char : item.start_char].strip(" ,(") in ("", "of", "in")
        and event.end_char <= item.start_char
        and event.span in item.span
    )


#: A name that may mean several events represents all of them, where they lie within so many days.
_MAX_HULL_DAYS = 36_525


def _read_mentions(mentions: Sequence[Mention]) -> Iterator[TimeExpr]:
    """The expressions of names of events: of one that may mean several, the time from the first to the last."""
    for mention in mentions:
        if (item := mention.to_expression()) is not None:
            yield item
            continue
        spans = [event.span for event in mention.candidates if not event.span.is_open]
        if not spans or mention.weak:
            continue
        whole = spans[0]
        for span in spans[1:]:
            whole = whole.hull(span)
        if whole.days <= _MAX_HULL_DAYS:
            place = (mention.text, mention.start_char, mention.end_char)
            yield TimeExpr(*place, "DATE", timex3_value(whole), whole, confidence=MIN_CONFIDENCE)


def _find_skipped_units(text: str, now: Span | None) -> list[TimeExpr]:
    return [
        TimeExpr(text[start:end], start, end, "DATE", timex3_value(span), span, confidence=0.9)
        for start, end, span in get_skipped_unit(text, now)
    ]


_IN_OFFICE = lazy_regex(
    r"\b(?:when|while)\s+(?P<name>[A-Z][\w.'’-]*(?:\s+[A-Z][\w.'’-]*){0,3})\s+(?:was|were|served\s+as|reigned|ruled)"
    r"(?:\s+(?:the\s+)?(?P<office>president|prime\s+minister|king|queen|emperor|empress|pope|chancellor|premier"
    r"|tsar|in\s+office|"
    r"in\s+power|on\s+the\s+throne))?\b"
)


def _find_terms_of_office(text: str) -> list[TimeExpr]:
    """Terms of office and reigns: "when Obama was president"."""
    found = []
    for match in _IN_OFFICE.finditer(text):
        if match["office"] is None and not match[0].endswith(("reigned", "ruled")):
            continue
        name = match["name"]
        for words in (
            f"presidency of {name}",
            f"reign of {name}",
            f"{name} administration",
            f"{name} presidency",
            f"premiership of {name}",
            f"pontificate of {name}",
            f"papacy of {name}",
            f"chancellorship of {name}",
        ):
            if (span := find_period(words)) is not None:
                place = (match[0], match.start(), match.end())
                found.append(TimeExpr(*place, "DATE", timex3_value(span), span, confidence=0.8))
                break
    return found


def _drop_overlapping(items: Sequence[TimeExpr], taken: Sequence[TimeExpr]) -> list[TimeExpr]:
    """The expressions that share no place with those that are taken."""
    return [
        item
        for item in items
        if all(item.end_char <= other.start_char or other.end_char <= item.start_char for other in taken)
    ]
