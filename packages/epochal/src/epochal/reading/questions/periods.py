"""The periods that an answer must cover, whether it must compare them, and the plan: one step for each period."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.reading.questions.constraints import Bound
from epochal.reading.questions.question import Step
from epochal.times.axis import OPEN_END, OPEN_START, Grain
from epochal.times.span import Span

__all__ = ["asks_change", "find_required_periods", "is_cross_period", "make_plan", "names_start_event", "names_today"]


_WINDOW = lazy_regex(
    r"\b(?:over|in|during|across|for|within) the (?:last|past) (?P<count>\d{1,4}|few|several|"
    r"couple(?: of)?|two|three|four|five|six|"
    r"seven|eight|nine|ten|twenty|thirty|fifty|hundred)?\s*(?P<unit>day|week|month|year|decade|centur)(?:s|y|ies)?\b",
    re.IGNORECASE,
)
_COUNTS = {"few": 3, "several": 5, "couple": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_COUNTS |= {"eight": 8, "nine": 9, "ten": 10, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100}
_BEGINNING = (
    r"(?:launch|inception|introduction|founding|foundation|beginning|start|end|adoption|release|independence|"
    r"(?:\w+ ){0,3}(?:war|pandemic|revolution|crisis|election|merger|reform|fall|crash|takeover|invention|"
    r"discovery|death|"
    r"birth|act|treaty|fork|upgrade))"
)
#: "Since" that means time although no date follows; the causal one ("since it is free, ...") is not among them.
_SINCE_EVENT = lazy_regex(
    rf"\bsince (?:then|its|their|his|her|the)\b(?: {_BEGINNING}\b)|\bever since\b|\bsince then\b", re.I
)
#: "How do I change the oil" asks for no time.
_OWN_DOING = lazy_regex(
    r"\bhow (?:to|do i|do you|do we|can i|can you|can we|should i|would i|could i)\b", re.IGNORECASE
)
_HOW_CHANGED = lazy_regex(
    r"\bhow (?:much |far |fast |quickly |significantly )?(?:has|have|had|did|was|"
    r"were)\b.{0,120}?\b(?:chang(?:e|ed)|evol(?:ve|ved)|develop(?:ed)?|"
    r"shift(?:ed)?|grow[n]?|decline[d]?|increase[d]?|decrease[d]?|rise[n]?|fall(?:en)?|improve[d]?|worsen(?:ed)?|"
    r"transform(?:ed)?|progress(?:ed)?|var(?:y|ied)|adapt(?:ed)?|expand(?:ed)?|spread|differ(?:ed)?)\b"
    r"|\bwhat (?:has |have )?changed\b|\bwhat changes\b|有(?:何|什么|哪些)变化|如何(?:变化|演变|发展)|"
    r"怎样(?:变化|演变)|变化趋势|发生了(?:什么|哪些)变化",
    re.IGNORECASE,
)
_EVOLUTION = lazy_regex(
    r"\bevolution of\b|\bevolved?\b|\b(?:historical )?development of .{1,60}\b(?:over|through|from|"
    r"since)\b|\bhistory of\b"
    r"|演变|沿革|发展历程|变迁",
    re.IGNORECASE,
)
_TODAY = frozenset(("today", "now", "nowadays", "today's", "the present", "present", "现在", "今天", "如今", "当今"))
#: "Recently" asks for what is new, and for nothing before it.
_RECENT = lazy_regex(r"\brecent\b|近年来", re.IGNORECASE)
#: How far back "the recent evolution of ..." looks.
_RECENT_YEARS = 5
_BIOLOGY = lazy_regex(r"\b(?:theory of evolution|natural selection)\b", re.IGNORECASE)
_SPEAKS_OF_NOW = lazy_regex(
    r"\b(?:today|now|nowadays|currently|current|present(?:[- ]day)?|these days|modern|at present)\b|现在|"
    r"如今|今天|当前|目前|至今",
    re.IGNORECASE,
)


def asks_change(text: str, cues: Collection[str], bounds: Sequence[Bound]) -> bool:
    """Whether a question asks how something became different, not merely whether something happened."""
    if _OWN_DOING.search(text) and not bounds:
        return False
    if _HOW_CHANGED.search(text) or "then_now" in cues:
        return True
    if _EVOLUTION.search(text) and not _BIOLOGY.search(text):
        return True
    if "over_time" in cues and ("change" in cues or "trend_noun" in cues or "ask_compare" in cues):
        return True
    if "trend_noun" in cues:
        return True
    stretched = any(bound.constraint.relation in ("since", "between") for bound in bounds)
    return "change" in cues and (stretched or names_start_event(text))


def names_start_event(text: str) -> bool:
    """Whether "since" means time although no date follows; the causal one does not."""
    return bool(_SINCE_EVENT.search(text))


def is_cross_period(text: str, cues: Collection[str], bounds: Sequence[Bound]) -> bool:
    """Whether the answer must compare one time with another."""
    if asks_change(text, cues, bounds):
        return True
    content = [bound for bound in bounds if bound.constraint.axis == "content"]
    if "ask_compare" in cues and any(bound.constraint.relation == "since" for bound in content):
        return True
    compares = {"ask_compare", "ask_order"} & set(cues) or _COMPARED.search(text) or _SETS_AGAINST.search(text)
    if compares and len({named for bound in _select_compared(bounds) for named in bound.named}) >= 2:
        return True
    return "ask_compare" in cues and bool(content) and bool(_COMPARED.search(text))


_COMPARED = lazy_regex(
    r"\b(?:compar(?:e|es|ed|ing|ison|able)|relative|as opposed|in contrast|contrasted)\b|\bthan (?:in|"
    r"during|before|it|they)\b"
    r"|\b(?:vs\.?|versus)\s|\bdiffer(?:ent|ently|ence|s|ed)?\b.{0,40}\b(?:from|than|between)\b|相比|对比|比较",
    re.IGNORECASE,
)


#: What compares where two times are named: "how do they differ", and "what in 1998, and what in 2008", asked twice.
_SETS_AGAINST = lazy_regex(
    r"\bhow (?:do|does|did)\b.{1,160}\bdiffer\b|\band (?:what|who|which|how|where) (?:in|on|during|at|by|between)\b",
    re.IGNORECASE,
)


def _select_compared(bounds: Sequence[Bound]) -> list[Bound]:
    """The constraints that may be compared: times of the content, or all of them where only that gives two.

    "Compare fees in 2017 and 2020 in what was published in 2023" compares two years, and not the third.
    """
    content = [bound for bound in bounds if bound.constraint.axis == "content"]
    alone, together = (len({named for bound in some for named in bound.named}) for some in (content, bounds))
    return list(bounds) if alone < 2 <= together else content


def find_required_periods(
    text: str, bounds: Sequence[Bound], now: Span | None, *, cross: bool, then_now: bool = False
) -> tuple[Span, ...]:
    """The times that an answer must cover, in chronological order; none where the question names none.

    For a question across periods a range gives its two ends, "since X" gives X and the present (all that came after X
    where no present is known), "after X" what came before and what came after.
    """
    content = [bound for bound in bounds if bound.constraint.axis == "content"]
    if not cross:
        return _sort_spans(bound.constraint.span for bound in content)
    periods: list[Span] = []
    for bound in _select_compared(bounds):
        if not names_today(bound):
            periods += _list_sides(bound, now)
    if window := _read_window(text, bounds, now):
        periods += window
    if not periods and now is not None and now.end != OPEN_END and _RECENT.search(text):
        present = _get_present(now, None)
        periods += [present.shift(-_RECENT_YEARS), present]
    distinct = _sort_spans(periods)
    if len(distinct) < 2 and (then_now or (distinct and _compares_with_now(text))):
        distinct = _sort_spans([*distinct, *_contrast_with_now(distinct, now)])
    elif len(distinct) >= 2 and now is not None and _SPEAKS_OF_NOW.search(text):
        present = _get_present(now, distinct[-1])
        if not any(span.overlaps(present) for span in distinct):
            distinct = _sort_spans([*distinct, present])
    return distinct


def _compares_with_now(text: str) -> bool:
    """Whether a lone period is compared, with the present if with nothing else: "how did it change in 2020" is not."""
    return bool(_SPEAKS_OF_NOW.search(text) or _COMPARED.search(text))


def names_today(bound: Bound) -> bool:
    """Whether the words of a constraint mean the present at large: "today", as against "on 3 May"."""
    evidence = bound.constraint.evidence
    return evidence is not None and evidence.text.lower() in _TODAY


def _list_sides(bound: Bound, now: Span | None) -> list[Span]:
    """The periods of one constraint in a question across periods."""
    constraint, named = bound.constraint, bound.named
    if constraint.relation == "since":
        later = _get_present(now, named[0]) if now is not None else _after(named[0])
        return [named[0], *([later] if later is not None and later.end > named[0].end else [])]
    if not constraint.span.is_open and constraint.span not in named and constraint.relation != "between":
        return _get_ends(constraint.span)
    if constraint.relation in ("before", "after", "until"):
        point = named[0]
        return [side for side in (_until(point), _after(point)) if side is not None]
    return list(named)


def _contrast_with_now(found: tuple[Span, ...], now: Span | None) -> list[Span]:
    """What a single period is compared with: the present, or everything after it."""
    if now is None:
        later = _after(found[0]) if found else None
        return [later] if later is not None else []
    if not found:
        present = _get_present(now, None)
        earlier = _until(present)
        return [present, *([earlier] if earlier is not None else [])]
    present = _get_present(now, found[0])
    return [present] if not present.overlaps(found[0]) else []


def _get_present(now: Span, other: Span | None) -> Span:
    """The current year, or the current month or day where what it is compared with is as short."""
    if now.end == OPEN_END:
        return now
    short = other is not None and not other.is_open and other.seconds < Grain.YEAR.seconds * 0.9
    grain = Grain.YEAR if other is None or not short else max(Grain.DAY, min(Grain.YEAR, other.coarsest_grain))
    return Span.unit(now.end - 1, grain)


def _after(span: Span) -> Span | None:
    return None if span.end == OPEN_END else Span(span.end, OPEN_END, span.end_grain)


def _until(span: Span) -> Span | None:
    return None if span.start == OPEN_START else Span(OPEN_START, span.start, span.grain)


def _get_ends(span: Span) -> list[Span]:
    """The first and the last unit of a window; itself where it is one unit, or two."""
    first, last = Span.unit(span.start, span.grain), Span.unit(span.end - 1, span.end_grain)
    return [first, last] if first.start == span.start and last.end == span.end and first.end <= last.start else [span]


def _read_window(text: str, bounds: Sequence[Bound], now: Span | None) -> list[Span]:
    """The first and the last unit of "over the last twenty years"; those "before 1914" are a constraint."""
    match = _WINDOW.search(text)
    if match is not None and any(bound.start_char <= match.start() < bound.end_char for bound in bounds):
        return []
    if match is None or now is None or now.end == OPEN_END:
        return []
    words = (match["count"] or "1").lower().removesuffix(" of")
    count = int(words) if words.isdigit() else _COUNTS[words]
    unit = match["unit"].lower()
    grain = Grain.CENTURY if unit == "centur" else Grain.named(unit)
    step = Grain.YEAR if grain >= Grain.YEAR else grain
    present = Span.unit(now.end - 1, step)
    try:
        return [present.shift(-count, grain), present]
    except TimeRangeError:
        return []


def _sort_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    return tuple(sorted(dict.fromkeys(spans), key=lambda span: (span.start, span.end)))


_LEAD = lazy_regex(
    r"^(?:(?:how|what|which|why|who|in what way)(?: (?:much|far))? (?:has|have|had|did|do|does|is|are|was|"
    r"were)(?: there been)?|compare)\s+"
    r"(?:the (?:state|evolution|history|development|trends?) (?:of|in) )?",
    re.IGNORECASE,
)
_TAIL = lazy_regex(
    r"\s+(?:chang(?:e|ed|ing)|evol(?:ve|ved|ving)|develop(?:ed)?|differ(?:ed|ent)?(?: (?:from|than))?|"
    r"compare(?:d)?(?: (?:with|to))?|"
    r"been changing|grow[n]?|shift(?:ed)?|vary|varied)(?: over)?(?: (?:after|before|since|during|in) .+)?$",
    re.IGNORECASE,
)
_ENDS = {
    "when": "State when it happened, with the passage that dates it",
    "duration": "Find its start and its end, and state how long it lasted",
    "order": "Date each event, and put them in order",
    "before_after": "State what came before and what came after, with dates",
    "ongoing_status": "Check with the newest source whether that still holds",
    "period_definition": "State when the period starts and ends, and by whose reckoning",
    "timeline": "Put the dated events in order",
}


def make_plan(
    topic: str,
    intent: str,
    periods: Sequence[Span],
    now: Span | None = None,
    *,
    published: Sequence[Span] = (),
    cross: bool = False,
) -> tuple[Step, ...]:
    """Steps for a topic: one search a period, then what the intent asks for, or the change that is to be explained."""
    about = f'the state of "{_find_subject(topic)}"' if cross else f'"{topic}"'
    among = f" among what was published {_format_when(published[0], None)}" if published else ""
    steps: list[tuple[str, Span | None]] = [
        (f"Find {about} {_format_when(item, now)}{among}.", item) for item in periods
    ]
    if not periods:
        steps.append((f'Find "{topic}"{among}.', None))
    if cross and len(periods) >= 2:
        first, last = _format_name(periods[0], now), _format_name(periods[-1], now)
        steps.append((f"Explain what changed between {first} and {last}, and why.", None))
    elif cross:
        steps.append(("Explain what changed over time, and why.", None))
    elif intent in _ENDS:
        steps.append((f"{_ENDS[intent]}.", None))
    return tuple(Step(number, action, period) for number, (action, period) in enumerate(steps, 1))


def _find_subject(topic: str) -> str:
    """What a question of change is about: "How have fees changed" is about fees."""
    rest = _TAIL.sub("", _LEAD.sub("", topic)).strip(" ,")
    return rest or topic


def _format_when(span: Span, now: Span | None) -> str:
    """A period as an adverbial: "in 2017", "before 1990", "since May 2004"."""
    if span.start == OPEN_START and span.end == OPEN_END:
        return "at any time"
    words = span.describe()
    if span.start == OPEN_START:
        return words
    if span.end == OPEN_END:
        return words
    if words.startswith(("from ", "since ", "until ")):
        return words
    preposition = "on" if span.grain.name == "DAY" and span.days == 1 else "in"
    return f"{preposition} {words}{_mark_present(span, now)}"


def _format_name(span: Span, now: Span | None) -> str:
    words = span.describe()
    if span.start == OPEN_START:
        return f"the time {words}"
    return f"the time {words}" if span.end == OPEN_END or words.startswith("from ") else words


def _mark_present(span: Span, now: Span | None) -> str:
    return " (the present)" if now is not None and span.overlaps(now) and not span.is_open else ""
