"""Constraints of a question: how the words around a time expression bind it ("since 2017", "2020年以前")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from epochal.lazy import lazy_regex
from epochal.reading.chinese.text import plain_text
from epochal.reading.expression import (
    CONTEXT_CHARS,
    FILLER,
    MIN_CONFIDENCE,
    Cue,
    Relation,
    TimeExpr,
    apply_relation,
    find_cue,
    find_join,
    is_modifier,
)
from epochal.reading.questions.bounds import (
    find_edge,
    find_event_bound,
    find_exclusion,
    find_rolling_window,
    find_stated_bound,
    prefer_tense,
)
from epochal.reading.questions.languages import find_language, find_state_words, names_provision
from epochal.reading.questions.question import Axis, Constraint, StatedWindow
from epochal.reading.questions.windows import find_window
from epochal.reading.timex3 import timex3_value
from epochal.times.axis import OPEN_END, OPEN_START, Certainty, Grain
from epochal.times.span import Span

__all__ = ["Bound", "read_constraints"]


def _compile_patterns(
    words: dict[Relation, str], before: str, behind: str
) -> tuple[tuple[Relation, re.Pattern[str]], ...]:
    return tuple((name, lazy_regex(f"{before}(?:{form}){behind}", re.IGNORECASE)) for name, form in words.items())


#: Words that bind in a question, where they would say too little in a document.
_BEFORE = _compile_patterns(
    {
        "before": r"ahead of|in advance of|in the run-up to|leading up to",
        "until": r"through|by|(?<!compared\s)(?<!relative\s)(?<!comparison\s)(?<!according\s)to",
        "around": r"around|about|approximately|roughly|near|close to|sometime in",
    },
    r"(?<![\w-])",
    FILLER,
)
_INSIDE = _compile_patterns(
    {
        "between": r"between|from(?=.+\b(?:to|until|till|through)\b)",
        "since": r"(?:ever )?since",
        "before": r"before|prior to|pre",
        "after": r"after|post",
        "until": r"until|till|up to|by",
        "around": r"around|circa|ca\.?|c\.|about|approximately",
    },
    "",
    r"(?!\w)",
)
#: "1939-45" states two ends; "the Korean War" and "the first half of the 19th century" have two, and state none.
_NUMBER = r"[0-9〇零一二三四五六七八九十]"
_TWO_ENDS = lazy_regex(
    rf"{_NUMBER}.*?(?:[-–—−/~～至到和与]|\b(?:to|and|until|till|through|or)\b).*{_NUMBER}|\bsince\b|\buntil\b",
    re.DOTALL,
)
#: "Articles published in 2019" bounds the documents; "the book was published in 1851" is what they speak of, and so is
#: "the prize in literature between 2013 and 2017".
_DOCUMENT = (
    r"(?:articles?|papers?|posts?|reports?|documents?|stud(?:y|ies)|sources?|stories|news|coverage|publications?|"
    r"literature|reviews?|blogs?|press releases?|editorials?|newspapers?|research)"
)
_LINK = r"(?:\s+(?:in|on|during|since|before|after|from|between|until|by|around|as early as|the|early|late|mid))*\s*$"
_PUBLISHED = lazy_regex(
    r"(?<!was )(?<!were )(?<!is )(?<!be )(?<!been )(?<!first )(?<!being )(?<!originally )"
    rf"\b(?:published|posted|dated|archived){_LINK}|"
    rf"(?<!\bin )(?<!\bof )(?<!\bfor )\b{_DOCUMENT}(?: (?:that (?:were|was) )?"
    rf"(?:written|published|released|issued|printed|dated|appearing))?\s+(?:from|dated|in|of|since|before|"
    rf"after|between|until)\b{_LINK}",
    re.IGNORECASE,
)
_PUBLISHED_BEHIND = lazy_regex(r"\s*(?:发表|刊登|发布|出版|报道)的(?:文章|报道|论文|新闻|文件)")
#: Behind these, "about" names the subject: "articles about 2008".
_SUBJECT = lazy_regex(
    rf"\b(?:{_DOCUMENT}|books?|films?|movies?|novels?|songs?|plays?|documentar(?:y|ies)|essays?|videos?|podcasts?|"
    r"facts?|information|details?|questions?|story|tale|know[ns]?|knew|tell|tells|told|telling|learn(?:ed|t|ing)?|"
    r"read(?:ing|s)?|talk(?:s|ed|ing)?|writ(?:e|es|ing|ten)|wrote|hear(?:d|s)?|think(?:s|ing)?|thought|sa(?:y|ys|id)|"
    r"ask(?:s|ed)?|teach|taught|speak|spoke|spoken|curious|more|all|something|anything|everything)"
    r"(?:\s+(?:me|us|you|them|him|her|people))?\s+about\Z",
    re.IGNORECASE,
)
_ABOUT = lazy_regex(r"\babout(?=\s+(?:the\s+)?\Z)", re.IGNORECASE)
#: "As of 2017", "the text in force on 1 May 2020": the state of affairs of that time, of which documents until then
#: report. The second needs a preposition, so that "in effect since 2010" remains a bound of its own.
_AS_OF = lazy_regex(
    r"(?<![\w-])(?:effective\s+)?as\s+(?:of|at|on|per|they\s+stood\s+(?:in|on|at)|it\s+stood\s+(?:in|on|at))"
    rf"(?:\s+(?:late|early|mid))?{FILLER}"
    r"|\b(?:in\s+(?:force|effect|use)|valid|current|applicable|(?:that|which)\s+(?:applied|held|was\s+law))\s+"
    rf"(?:when\s+(?:[\w.'’-]+\s+){{1,6}}?)?(?:on|in|at|during|as\s+(?:of|at)){FILLER}",
    re.IGNORECASE,
)
_AS_OF_HAN = lazy_regex(r"截(?:至|止到?|止至|至到)\Z")
_VAGUE = ("PRESENT_REF", "PAST_REF", "FUTURE_REF")


@dataclass(frozen=True, slots=True)
class Bound:
    """A constraint, where its words start and end in the text, and the times that it names: two for a range.

    `is_as_of` is true where the question is for the state of affairs at the time: "as of 2017"; `is_rolling` that it is
    counted from the present: "the past 30 days".
    """

    constraint: Constraint
    start_char: int
    end_char: int
    named: tuple[Span, ...]
    is_as_of: bool = False
    is_rolling: bool = False


def read_constraints(text: str, expressions: Sequence[TimeExpr], now: Span | None = None) -> tuple[Bound, ...]:
    """The constraints that the expressions of a text make, in the order of the text.

    Durations, sets and words such as "now" make none: they have no place of their own on the axis. Amounts that are
    counted from the present do ("the past 30 days"), and titles and times that are excluded do not.
    """
    rolling = {item: window for item in expressions if (window := find_rolling_window(text, item, now)) is not None}
    usable = [
        item
        for item in expressions
        if item not in rolling and not _is_title(text, item) and find_exclusion(text, item) is None
    ]
    bounds = _read_dates(text, [_apply_tense(text, item, now) for item in usable])
    for item, window in rolling.items():
        if all(item.end_char <= bound.start_char or bound.end_char <= item.start_char for bound in bounds):
            start = _find_preposition(text, item.start_char)
            axis = _find_axis(text, item.start_char, item.end_char)
            constraint = Constraint("during", window, axis, item)
            bounds.append(Bound(constraint, start, item.end_char, (window,), is_rolling=True))
    return _join_ends(text, _mark_edges(text, _drop_contexts(text, sorted(bounds, key=lambda bound: bound.start_char))))


def _mark_edges(text: str, bounds: Sequence[Bound]) -> tuple[Bound, ...]:
    """The constraints with the end that the words before them speak of: "whose term ended before 2010"."""
    marked = []
    place = 0
    for bound in bounds:
        # "Starting in 2015" is read as since then: its own words are among those of the bound.
        evidence = bound.constraint.evidence
        end = bound.start_char if evidence is None else max(bound.start_char, evidence.start_char)
        edge = find_edge(_CLAUSE.split(text[place:end])[-1])
        edge_span = None
        if (
            edge
            and bound.constraint.relation == "since"
            and evidence is not None
            and bound.end_char == evidence.end_char
        ):
            # A contract that starts in 2015 starts in that year; who became president since 2015 may have in 2018.
            is_own = find_edge(_CLAUSE.split(text[place : bound.start_char])[-1]) is None
            edge_span = evidence.span if is_own else None
        marked.append(
            replace(bound, constraint=replace(bound.constraint, edge=edge, edge_span=edge_span)) if edge else bound
        )
        place = bound.end_char
    return tuple(marked)


#: What may come between the two ends of one window: "after 3 May 2010 and before June 2012".
_AND = lazy_regex(r"\s*,?\s*(?:and|but|yet)?\s*", re.IGNORECASE)
_OPEN_AHEAD: tuple[Relation, ...] = ("after", "since")
_OPEN_BACK: tuple[Relation, ...] = ("before", "until")


def _join_ends(text: str, bounds: Sequence[Bound]) -> tuple[Bound, ...]:
    """The constraints, of which two that say after when and before when are one window.

    Where one is about a beginning and the other about an end, both remain: "started before 1999 and ended after 2006".
    """
    joined: list[Bound] = []
    for bound in bounds:
        last = joined[-1] if joined else None
        window = None if last is None else _make_window_of_ends(text, last, bound)
        if last is not None and window is not None:
            joined[-1] = window
        else:
            joined.append(bound)
    return tuple(joined)


def _make_window_of_ends(text: str, one: Bound, other: Bound) -> Bound | None:
    first, second = one.constraint, other.constraint
    relations = {first.relation, second.relation}
    if (
        relations.isdisjoint(_OPEN_AHEAD)
        or relations.isdisjoint(_OPEN_BACK)
        or one.is_as_of
        or other.is_as_of
        or (first.axis, first.edge) != (second.axis, second.edge)
        or _AND.fullmatch(text, one.end_char, other.start_char) is None
    ):
        return None
    begin, end = (first, second) if first.relation in _OPEN_AHEAD else (second, first)
    if begin.span.start >= end.span.end:
        return None
    span = Span.between(begin.span, end.span)
    evidence = TimeExpr(
        text[one.start_char : other.end_char], one.start_char, other.end_char, "DATE", timex3_value(span), span
    )
    constraint = replace(first, relation="between", span=span, evidence=evidence, edge_span=None)
    return Bound(constraint, one.start_char, other.end_char, (*one.named, *other.named))


#: What ends a clause.
_CLAUSE = lazy_regex(r"[;:?!\n]|\.\s|,(?!\s*(?:exactly|precisely|about|around)\b)\s(?=\w+\s+\w)")


def _drop_contexts(text: str, bounds: Sequence[Bound]) -> tuple[Bound, ...]:
    """The constraints without a time that only says in which whole the one before it lies: "Monday last week"."""
    kept: list[Bound] = []
    for bound in bounds:
        finer = kept[-1] if kept else None
        if (
            finer is not None
            and not text[finer.end_char : bound.start_char].strip(" ,")
            and bound.constraint.relation == "during"
            and finer.constraint.relation in ("during", "between")
            and finer.constraint.span in bound.constraint.span
        ):
            continue
        kept.append(bound)
    return tuple(kept)


#: "Who wrote 1984?": a year that something was done to is a title.
_TITLE = lazy_regex(
    r"\b(?:wrote|write|writes|author\s+of|read|reads|watch(?:ed)?|directed|direct|starred\s+in|stars?\s+in|acted\s+in|"
    r"plot\s+of|characters?\s+(?:in|of)|ending\s+of|sequel\s+to|(?:novel|book|film|movie|song|album|game"
    r"|play)(?:\s+called)?)"
    r"\s+['\"“‘]?\Z",
    re.IGNORECASE,
)
_ENDS = lazy_regex(r"['\"”’]?\s*(?:[?.!,;]|\Z)")


def _is_title(text: str, item: TimeExpr) -> bool:
    lead = text[max(0, item.start_char - 40) : item.start_char]
    return item.text.isdecimal() and bool(_TITLE.search(lead)) and bool(_ENDS.match(text, item.end_char))


def _apply_tense(text: str, item: TimeExpr, now: Span | None) -> TimeExpr:
    span = prefer_tense(text, item, now)
    return item if span is None or span == item.span else replace(item, span=span, value=timex3_value(span))


def _find_preposition(text: str, start: int) -> int:
    lead = text[max(0, start - 20) : start]
    found = re.search(r"(?<![\w-])(?:in|over|during|within|for|from|throughout|across|of)\s+(?:the\s+)?\Z", lead, re.I)
    return start if found is None else start - len(lead) + found.start()


def _read_dates(text: str, expressions: Sequence[TimeExpr]) -> list[Bound]:
    usable = [
        item
        for item in expressions
        if item.span is not None
        and item.kind in ("DATE", "TIME")
        and item.value not in _VAGUE
        and item.confidence >= MIN_CONFIDENCE
    ]
    plain = text if text.isascii() else plain_text(text)
    bounds: list[Bound] = []
    position = 0
    while position < len(usable):
        item = usable[position]
        if position + 1 < len(usable) and (pair := _make_range_bound(text, plain, item, usable[position + 1])):
            bounds.append(pair)
            position += 2
            continue
        window = find_window(plain, item)
        position += 1
        if window is None:
            bounds.append(_make_single_bound(plain, item))
            continue
        while bounds and bounds[-1].start_char >= window.start:
            bounds.pop()  # "the previous year" of "the previous year of 1998" counts from 1998
        swallowed = []
        while position < len(usable) and usable[position].start_char < window.end:
            swallowed.append(usable[position])
            position += 1
        bounds.append(_make_window_bound(text, plain, item, window, swallowed))
    return bounds


def _make_window_bound(
    text: str, plain: str, item: TimeExpr, window: StatedWindow, swallowed: Sequence[TimeExpr]
) -> Bound:
    """The constraint of a window; of 次年三月 the month, which the reader of dates has counted from the same date."""
    span, end = window.span, window.end
    if window.goes_on and swallowed and swallowed[-1].end_char > end and swallowed[-1].span is not None:
        span, end = swallowed[-1].span, swallowed[-1].end_char
    start, last = min(window.start, item.start_char), max(end, item.end_char)
    evidence = TimeExpr(
        text[start:last], start, last, "DATE", timex3_value(span), span, confidence=item.confidence, stated=item.stated
    )
    constraint = Constraint(window.relation, span, _find_axis(plain, start, last), evidence)
    return Bound(constraint, start, last, (item.span or span,))


def _make_range_bound(text: str, plain: str, first: TimeExpr, last: TimeExpr) -> Bound | None:
    """The range that two expressions make: "between A and B", "from A to B", "A-B"; None when they make none."""
    join = find_join(plain, first, last)
    if join is None:
        return None
    evidence = TimeExpr(
        text[first.start_char : last.end_char],
        first.start_char,
        last.end_char,
        "DATE",
        f"{first.value}/{last.value}",
        join.span,
        confidence=min(first.confidence, last.confidence),
    )
    constraint = Constraint("between", join.span, _find_axis(plain, first.start_char, last.end_char), evidence)
    return Bound(constraint, join.start, join.end, (join.first, join.last))


def _make_single_bound(text: str, item: TimeExpr) -> Bound:
    span = item.span
    if span is None:
        raise AssertionError("the expression has no span")
    if (as_of := _find_as_of(text, item)) is not None and (until := apply_relation("until", span)) is not None:
        constraint = Constraint("until", until, _find_axis(text, item.start_char, item.end_char), item)
        return Bound(constraint, *as_of, (span,), is_as_of=True)
    relation, start, end = _find_relation(text, item)
    if item.mod == "APPROX" and relation == "during" and _find_subject(text, item) is not None:
        doubts = (Certainty(doubt & Certainty.UNCERTAIN) for doubt in (span.certainty, span.end_certainty))
        span = span.with_certainty(*doubts)
    names = relation in ("before", "after") and is_modifier(text, item)
    if relation == "during" and (event := find_event_bound(text, item)) is not None:
        relation, start, names = event, item.start_char, True
    # "After the 1906 earthquake" and "after the earthquake of 1906" start within that year, "after 1906" does not.
    inclusive: dict[Relation, Relation] = {"before": "until", "after": "since"} if names else {}
    allowed = apply_relation(inclusive.get(relation, relation), span)
    if allowed is None:
        relation, allowed = "during", span
    wide = span.grain == span.end_grain and 2 * span.seconds > 3 * span.grain.seconds
    if relation == "during" and wide and _TWO_ENDS.search(item.text):
        relation = "since" if span.end == OPEN_END else "until" if span.start == OPEN_START else "between"
    constraint = Constraint(relation, allowed, _find_axis(text, item.start_char, item.end_char), item)
    return Bound(constraint, start, end, _list_named_spans(span, relation))


def _find_as_of(text: str, item: TimeExpr) -> tuple[int, int] | None:
    """Where words make an expression the date of a state of affairs, together with it; None where none do."""
    if item.span is None or item.span.is_open:
        return None
    if code := find_language(text):
        found = find_state_words(text, item.start_char, item.end_char, code)
        if found is None and item.span.grain <= Grain.DAY and names_provision(text, item.start_char, code):
            return item.start_char, item.end_char
        if found is not None:
            return found
    offset = max(0, item.start_char - CONTEXT_CHARS)
    lead = text[offset : item.start_char]
    match = _AS_OF.search(lead) or _AS_OF_HAN.search(lead.rstrip())
    return None if match is None else (offset + match.start(), item.end_char)


def _find_relation(text: str, item: TimeExpr) -> Cue:
    """How an expression is bound, and where the words that say so start and end."""
    if (stated := find_stated_bound(text, item)) is not None:
        return stated
    cue = find_cue(text, item)
    if cue.end > item.end_char:
        return cue
    for relation, pattern in _INSIDE:
        if pattern.match(item.text):
            return Cue(relation, item.start_char, item.end_char)
    names = is_modifier(text, item)
    about = _find_subject(text, item)
    if about is not None:
        return Cue("during", item.start_char if names else about, item.end_char)
    if cue.relation != "during":
        return Cue(cue.relation, item.start_char if names else cue.start, cue.end)
    offset = max(0, item.start_char - CONTEXT_CHARS)
    lead = text[offset : item.start_char]
    for relation, pattern in _BEFORE:
        if before := pattern.search(lead):
            return Cue(relation, item.start_char if names else offset + before.start(), item.end_char)
    if names:
        return Cue("during", item.start_char, item.end_char)
    if came := re.search(r"(?<![\w-])(?:in|on|at|during|of|from|within|throughout|for)" + FILLER, lead, re.I):
        return Cue("during", offset + came.start(), item.end_char)
    return Cue("during", item.start_char, item.end_char)


def _find_subject(text: str, item: TimeExpr) -> int | None:
    """Where the "about" starts that makes an expression the subject; None where it is none, or a rough date."""
    offset = max(0, item.start_char - CONTEXT_CHARS)
    lead = text[offset : item.start_char]
    about = _ABOUT.search(lead)
    if about is None or not (is_modifier(text, item) or _SUBJECT.search(lead[: about.end()])):
        return None
    return offset + about.start()


def _list_named_spans(span: Span, relation: Relation) -> tuple[Span, ...]:
    """The times that one expression names: the first and the last unit of a range, else itself."""
    if relation == "between" and not span.is_open and span.coarsest_grain.name != "ERA":
        first = Span.unit(span.start, span.grain)
        last = Span.unit(span.end - 1, span.end_grain)
        if first.end <= last.start:
            return (first, last)
    if span.end == OPEN_END and span.start != OPEN_START and span.grain.name != "ERA":
        return (Span.unit(span.start, span.grain),)
    return (span,)


def _find_axis(text: str, start: int, end: int) -> Axis:
    lead = text[max(0, start - 80) : start]
    return "publication" if _PUBLISHED.search(lead) or _PUBLISHED_BEHIND.match(text, end) else "content"
