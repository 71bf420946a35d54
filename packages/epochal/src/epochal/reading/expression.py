"""Time expressions, the words that bind them ("since 1985", "1914年以前", "1939–45"), and the ranges a text states.

A tagger finds "1939" and "1945" in "from 1939 to 1945"; an index needs the seven years between, and their position.
The same words bind in documents and in questions; `questions.constraints` adds those that bind only in questions.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol, get_args, runtime_checkable

from epochal.errors import EpochalError, TimeRangeError
from epochal.lazy import lazy_regex
from epochal.reading.bound_words import JOINING_AND, JOINING_TO, find_binding
from epochal.times.axis import OPEN_END, OPEN_START, Certainty, Grain
from epochal.times.span import Span

__all__ = [
    "CONTEXT_CHARS",
    "FILLER",
    "KINDS",
    "MIN_CONFIDENCE",
    "Cue",
    "Kind",
    "RangeJoin",
    "Relation",
    "StatedRange",
    "Tagger",
    "TimeExpr",
    "apply_relation",
    "drop_fill",
    "fill_blanks",
    "find_cue",
    "find_join",
    "is_modifier",
    "stated_ranges",
]


Kind = Literal["DATE", "TIME", "DURATION", "SET"]
#: The four kinds of TIMEX3.
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class TimeExpr:
    """An expression at `text[start_char:end_char]`, its TIMEX3 `value` and `mod`, and its `span`.

    `span` is None for durations and sets, and for references such as "soon" where nothing can be said. `stated` names
    the parts that the text itself gives ("year", "month", "day", ...), `carried` those taken from the reference time or
    from earlier text.

    >>> TimeExpr("March 1998", 3, 13, "DATE", "1998-03", Span.parse("1998-03")).span.days
    31
    """

    text: str
    start_char: int
    end_char: int
    kind: Kind
    value: str
    span: Span | None = None
    mod: str = ""
    confidence: float = 1.0
    stated: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise EpochalError(f"kind must be one of {', '.join(KINDS)}, but is {self.kind!r}")
        if not 0 <= self.start_char < self.end_char:
            raise EpochalError(f"invalid character range {self.start_char}-{self.end_char}")
        if not 0 < self.confidence <= 1:
            raise EpochalError(f"confidence must lie above 0 and be at most 1, but is {self.confidence}")

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; the keys are documented in docs/reference/json.md. `span` is EDTF, or null.

        >>> record = TimeExpr("March 1998", 3, 13, "DATE", "1998-03", Span.parse("1998-03")).to_dict()
        >>> record["start"], record["end"], record["value"], record["span"]
        (3, 13, '1998-03', '1998-03')
        """
        return {
            "text": self.text,
            "start": self.start_char,
            "end": self.end_char,
            "kind": self.kind,
            "value": self.value,
            "mod": self.mod or None,
            "span": None if self.span is None else self.span.edtf(),
            "confidence": self.confidence,
        }

    def shift(self, offset: int) -> TimeExpr:
        """The same expression in a text that has `offset` characters more before it.

        >>> TimeExpr("1998", 0, 4, "DATE", "1998").shift(10).start_char
        10
        """
        return TimeExpr(
            self.text,
            self.start_char + offset,
            self.end_char + offset,
            self.kind,
            self.value,
            self.span,
            self.mod,
            self.confidence,
            self.stated,
            self.carried,
        )


@dataclass(frozen=True, slots=True)
class Meaning:
    """The value of an expression: the fields of a `TimeExpr` other than its position."""

    kind: Kind
    value: str
    span: Span | None = None
    mod: str = ""
    confidence: float = 0.9


@runtime_checkable
class Tagger(Protocol):
    """Finds the time expressions of a text. `now` is the text's own date, against which relative ones are resolved.

    >>> class Never:
    ...     def tag(self, text: str, now: Span | None = None) -> list[TimeExpr]:
    ...         return []
    >>> isinstance(Never(), Tagger)
    True
    """

    def tag(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        """The expressions in order; they do not overlap."""
        ...


Relation = Literal["before", "after", "during", "since", "until", "between", "around", "except"]

#: How many characters before an expression can bind it; searching the whole text would make long ones slow.
CONTEXT_CHARS = 60
#: An expression of lower confidence binds nothing: a false date is worse than a missed one.
MIN_CONFIDENCE = 0.55
#: The most characters between the two ends of a range.
_GAP = 24
#: What may come between a binding word and the expression.
FILLER = (
    r"(?:\s+(?:the|about|around|circa|early|late|mid|at least|as late as|year|years|year of|the date|of|start of|"
    r"end of|beginning of|all of))*\s*\Z"
)


class Cue(NamedTuple):
    """The relation that words give an expression, and where the words together with the expression start and end."""

    relation: Relation
    start: int
    end: int


class RangeJoin(NamedTuple):
    """The two ends of a range, and where its words start and end."""

    first: Span
    last: Span
    start: int
    end: int

    @property
    def span(self) -> Span:
        """From the start of the first end to the end of the last."""
        return Span.between(self.first, self.last)


_BEFORE = lazy_regex(
    r"(?:(?<![\w-])(?:(?P<between>between|betwixt)"
    r"|(?P<except>other\s+than|except(?:ing)?(?:\s+(?:for|in))?|excluding|apart\s+from|but\s+not(?:\s+in)?)"
    r"|(?P<since>(?:ever\s+)?since|(?:starting|beginning)\s+(?:in|from|on)|with\s+effect\s+from|as\s+from"
    r"|at\s+(?:the\s+)?earliest\s+(?:in|on|from)|(?:on|in|at)\s+or\s+(?:after|later\s+than)"
    r"|(?:no|not|never)\s+(?:before|prior\s+to|(?:earlier|sooner|older)\s+than))"
    r"|(?P<until>until|till|'til|up\s+to(?:\s+and\s+including)?|at\s+(?:the\s+)?latest\s+(?:in|on|by)|up\s+until|(?:on|in|at)\s+or\s+(?:before|prior\s+to|earlier\s+than)"
    r"|(?:no|not)\s+(?:after|beyond|(?:later|newer)\s+than))"
    r"|(?P<before>before|(?:until|till|up\s+to),?\s+but\s+(?:not\s+including|excluding)|prior\s+to|(?:earlier|older)\s+than|preced(?:ing|es?|ed)|predat(?:ing|es?|ed)|pre-?)"
    r"|(?P<after>after|(?:later|newer|more\s+recent)\s+than|following|postdat(?:ing|es?|ed)|post-?"
    r"|subsequent\s+to|beyond|past)"
    r"|(?P<around>circa|ca\.?|c\.)"
    rf"|(?P<from>from)){FILLER})"
    r"|(?:(?P<zh_since>(?<!来)自从?)|(?P<zh_until>直[到至])|(?P<zh_before>早于)|(?P<zh_after>晚于)"
    r"|(?P<zh_from>[从由])|(?P<zh_between>介于))\s*\Z",
    re.IGNORECASE,
)
#: The last words that anything above can have: most expressions follow none of them, and are done with.
_LAST_WORDS = frozenset(
    "between betwixt since from until till 'til til than before preceding precede precedes preceded predating predate "
    "predates predated pre pre- after following postdating postdate postdates postdated post post- beyond past circa "
    "ca ca. c. including except excepting excluding not".split()
)
#: Words that bind only behind another.
_PAIRED = {
    "in": frozenset(("starting", "beginning", "except", "not", "earliest", "latest")),
    "for": frozenset(("except",)),
    "on": frozenset(("starting", "beginning", "earliest", "latest")),
    "by": frozenset(("latest",)),
    "to": frozenset(("prior", "up", "subsequent")),
}
_FILLERS = frozenset("the about around circa early late mid least as year years date of".split())
#: How many characters back a word can bind with nothing between it and the expression.
_NEAR = 24
_LAST_SIGNS = frozenset("自从到至于由")
#: "Not until 1990" means 1990 itself, and so does "直到1990年才".
_NEVER = lazy_regex(r"(?:\b(?:not|never|nor|cannot)\b|n['’]t\b)[^.;!?]*\Z", re.IGNORECASE)
_ONLY_THEN = lazy_regex(r"[^。；！？]{0,12}?才")
_NOW = r"(?:the\s+)?(?:present(?:[\s-]+(?:day|time))?|now|today|date|this\s+day)\b"
_BEHIND = lazy_regex(
    r"\s*(?:(?P<since>以来|以降|以後|から|부터|이후|이래|(?:起|开始)?\s*[-–—～~－]?\s*(?:至今|迄今|到现在|直到现在|到今天|今(?=[)）]))"
    r"|起(?![源初因义草飞点诉伏码])|onwards?\b"
    rf"|,?\s*(?:[-–—~]|\b(?:to|until|till|through|up\s+to)\b)\s*{_NOW}"
    r"|at\s+(?:the\s+)?earliest\b|and\s+(?:later|after|newer)\b(?=\W*\Z|[,;.])|or\s+(?:later|newer)\b"
    r"|or\s+after\b(?=\W*\Z|[,;.]))"
    r"|(?P<until>为止|まで|까지|止(?![境步血])|at\s+(?:the\s+)?latest\b|(?:or|and)\s+(?:earlier|before|older)\b(?=\W*\Z|[,;.]))"
    r"|(?P<before>以前|之前|より前|이전|前(?![后任身往夕期半沿线者锋进来去]))"
    r"|(?P<after>以后|之后|过后|より後|后(?![来期半者代人裔]))"
    r"|(?P<during>时期|期间|年间)"
    r"|(?P<around>左右|前后|or\s+so\b|or\s+thereabouts\b))"
)
#: What the words behind can start with; most expressions are followed by none of it.
_BEHIND_STARTS = frozenset("以起开至迄到直今为止之前后过时期年左かまよ부까이-–—~～－, \n\t\u3000\xa0")
_AND_NOW = lazy_regex(rf"\s+and\s+{_NOW}", re.IGNORECASE)
_FROM_ON = lazy_regex(r"\s+on(?=\s*(?:[,.;:)]|\Z))|开始", re.IGNORECASE)

_ROUGHLY = r"(?:\s*(?:the|dem|den|der|le|la|el|il|het|about|around|circa|c\.|ca\.|at\s+least|as\s+late\s+as|year))*\s*"
_JOIN_TO = lazy_regex(
    r"\s*(?:[-–—−‐‑~～－]{1,2}|,?\s*\b(?:to|until|till|through|thru|up\s+to|up\s+until)\b|-to-|(?:起|开始)?[,，]?"
    rf"(?:直?至|直?到|迄)|から|부터|에서|\s{JOINING_TO}(?!\w)){_ROUGHLY}",
    re.IGNORECASE,
)
_JOIN_AND = lazy_regex(rf"\s*,?\s*(?:and\b|&|和|与|{JOINING_AND}\b){_ROUGHLY}", re.IGNORECASE)
_TWEEN = lazy_regex(r"\s*之?间")
_ARTICLE = lazy_regex(r"\b(?:the|a|an|its|their|his|her)\s+\Z", re.IGNORECASE)
_NOUN = lazy_regex(
    r"\s+(?!(?:and|or|to|in|on|at|of|for|with|by|from|was|were|is|are|did|do|does|has|have|had|than|but|"
    r"as|the|when|what|who|how|until|since|compared|versus|vs)\b)[A-Za-z]{3,}"
)
_RELATIONS: dict[str, Relation] = {
    "since": "since",
    "until": "until",
    "before": "before",
    "after": "after",
    "around": "around",
    "during": "during",
    "except": "except",
}


def find_cue(text: str, item: TimeExpr) -> Cue:
    """How the words just before or behind an expression bind it; "during" where none do."""
    start, end = item.start_char, item.end_char
    group, begun = _find_lead(text, start)
    if text[end : end + 1] in _BEHIND_STARTS and (behind := _BEHIND.match(text, end)):
        opened = begun if group in ("from", "since") else start
        return Cue(_RELATIONS[behind.lastgroup or "during"], opened, behind.end())
    if group == "between" and (behind := _AND_NOW.match(text, end)):
        return Cue("since", begun, behind.end())
    if group == "from" and (behind := _FROM_ON.match(text, end)):
        return Cue("since", begun, behind.end())
    if group not in _RELATIONS or (group == "until" and _means_that_time(text, begun, end)):
        return Cue("during", start, end)
    return Cue(_RELATIONS[group], begun, end)


def find_join(text: str, first: TimeExpr, last: TimeExpr) -> RangeJoin | None:
    """The range that two expressions make: "between A and B", "from A to B", "A–B"; None where they make none.

    They make none either where the last comes before the first, or one of them is open already.
    """
    one, two = first.span, last.span
    low, high = first.end_char, last.start_char
    if (
        one is None
        or two is None
        or not 0 < high - low <= _GAP
        or min(first.confidence, last.confidence) < MIN_CONFIDENCE
    ):
        return None
    if _JOIN_TO.fullmatch(text, low, high):
        group, start = _find_lead(text, first.start_char)
        start = start if group in ("from", "since") else first.start_char
        closed = _TWEEN.match(text, last.end_char)
    elif _JOIN_AND.fullmatch(text, low, high):
        group, start = _find_lead(text, first.start_char)
        closed = _TWEEN.match(text, last.end_char)
        if group != "between" and closed is None:
            return None
    else:
        return None
    if one.is_open or two.is_open:
        return None
    one, two = _add_year(first, one, last, two), _add_year(last, two, first, one)
    if (one.start, one.end) >= (two.start, two.end):
        return None
    return RangeJoin(one, two, start, closed.end() if closed else last.end_char)


def is_modifier(text: str, item: TimeExpr) -> bool:
    """Whether an expression only says which: "the 1906 earthquake"."""
    return bool(
        _NOUN.match(text, item.end_char) and _ARTICLE.search(text[max(0, item.start_char - 8) : item.start_char])
    )


def apply_relation(relation: Relation, span: Span) -> Span | None:
    """The span that a relation leaves: the span itself where it is open already, None where nothing is left."""
    if span.is_open:
        return span
    try:
        if relation == "except":
            return None
        if relation == "since":
            return Span(span.start, OPEN_END, span.grain, span.grain, span.certainty, Certainty.CERTAIN)
        if relation == "after":
            return Span(span.end, OPEN_END, span.grain, span.grain, span.certainty, Certainty.CERTAIN)
        if relation == "before":
            return Span(OPEN_START, span.start, span.grain, span.grain, Certainty.CERTAIN, span.certainty)
        if relation == "until":
            return Span(OPEN_START, span.end, span.end_grain, span.end_grain, Certainty.CERTAIN, span.end_certainty)
        if relation == "around":
            return span.with_certainty(
                span.certainty | Certainty.APPROXIMATE, span.end_certainty | Certainty.APPROXIMATE
            )
    except TimeRangeError:  # nothing lies beyond the end of the axis
        return None
    return span


def _find_lead(text: str, end: int) -> tuple[str, int]:
    """Which words that end at an offset bind what follows, and where they start; an empty name where none do."""
    low = max(0, end - _NEAR)
    words = text[low:end].split()
    if not words:
        return "", end
    last = words[-1].lstrip('(["“‘—–,').lower()
    if last in _PAIRED:
        if len(words) < 2 or words[-2].lower() not in _PAIRED[last]:
            return "", end
    elif last in _FILLERS:
        low = max(0, end - CONTEXT_CHARS)
    elif last not in _LAST_WORDS and words[-1][-1] not in _LAST_SIGNS:
        return find_binding(text, low, end, last)
    match = _BEFORE.search(text[low:end])
    return ("", end) if match is None else ((match.lastgroup or "").removeprefix("zh_"), low + match.start())


def _means_that_time(text: str, start: int, end: int) -> bool:
    """Whether "until" only says how late something came: "not until 1990", "直到1990年才"."""
    return bool(_NEVER.search(text[max(0, start - CONTEXT_CHARS) : start]) or _ONLY_THEN.match(text, end))


def _add_year(item: TimeExpr, span: Span, other: TimeExpr, beside: Span) -> Span:
    """A month or day without a year, put into the year that the other end of the range states.

    "From November to March 2004" starts in 2003: the first end is the last such month before the other, and the last
    end the first such month after it.
    """
    if "month" not in item.stated or "year" in item.stated or "year" not in other.stated:
        return span
    is_first = item.start_char < other.start_char
    here, there = span.first_year, beside.first_year
    if here is None or there is None or beside.coarsest_grain >= Grain.YEAR:
        return span
    try:
        near = span.shift(there - here, Grain.YEAR)
        if is_first and near.start > beside.start:
            return near.shift(-1, Grain.YEAR)
        return near.shift(1, Grain.YEAR) if not is_first and near.start < beside.start else near
    except TimeRangeError:
        return span


#: "After 1945" leaves open how long after: it says less of when than "since 1945" does.
_LOOSE = 0.7
_PRESENT = frozenset(("present", "the present", "present day", "the present day", "the present time"))
_INCLUSIVE: dict[Relation, Relation] = {"before": "until", "after": "since"}


@dataclass(frozen=True, slots=True)
class StatedRange:
    """A span that a text states at `text[start_char:end_char]`, and the expressions that it is made of.

    The range includes the binding words: that of "since 1985" starts at "since". `relation` is what they mean, as in
    the constraints of a question.

    >>> StatedRange(Span.parse("1985/.."), 0, 10, 0.9, ()).span.is_open
    True
    """

    span: Span
    start_char: int
    end_char: int
    confidence: float
    parts: tuple[TimeExpr, ...]
    relation: Relation = "during"


def stated_ranges(text: str, expressions: Sequence[TimeExpr]) -> list[StatedRange]:
    """The ranges that the expressions of a text state, in order; only dates and times with a span count.

    Two expressions that make a range ("from 2004 to 2006", "1939–45", "1998年至2003年") give one. "Since" and
    "until" leave one end open, and so do "before" and "after", at a lower confidence.

    >>> from epochal.reading import tag
    >>> text = "Built between 1904 and May 1906, in use until 1990."
    >>> [(found.relation, found.span.edtf()) for found in stated_ranges(text, tag(text))]
    [('between', '1904/1906-05'), ('until', '../1990')]
    """
    text = fill_blanks(text)
    ranges: list[StatedRange] = []
    placed = [item for item in expressions if item.span is not None and item.kind in ("DATE", "TIME")]
    ends = {item.end_char for item in expressions}
    position, last = 0, len(placed)
    while position < last:
        item = placed[position]
        follower = placed[position + 1] if position + 1 < last else None
        position += 1
        if follower is not None and not _is_present(follower) and (join := find_join(text, item, follower)):
            sure = min(item.confidence, follower.confidence)
            ranges.append(StatedRange(join.span, join.start, join.end, sure, (item, follower), "between"))
            position += 1
            continue
        cue = find_cue(text, item)
        if cue.relation == "except":
            continue
        stated = _make_range(text, item, cue, ends)
        if follower is not None and follower.start_char < stated.end_char:
            stated = _extend_range(stated, item, follower)
            position += len(stated.parts) - 1
        ranges.append(stated)
    return ranges


def _is_present(item: TimeExpr) -> bool:
    """Whether an expression means the present at large: what lasts from 1998 to now has no end yet."""
    return item.value == "PRESENT_REF" or item.text.lower() in _PRESENT


def _extend_range(stated: StatedRange, item: TimeExpr, follower: TimeExpr) -> StatedRange:
    """A range that overlaps the next expression: "1998–now" includes it, "1998 to the present May" does not."""
    if follower.end_char <= stated.end_char:
        return replace(stated, parts=(item, follower))
    return StatedRange(item.span or stated.span, item.start_char, item.end_char, item.confidence, (item,))


def _make_range(text: str, item: TimeExpr, cue: Cue, ends: Container[int]) -> StatedRange:
    """The range of an expression that is no end of another; `ends` are the offsets where expressions end."""
    span = item.span
    if span is None:
        raise AssertionError("the expression has no span")
    relation, confidence = cue.relation, item.confidence
    if relation in _INCLUSIVE:
        # "Shortly after five" is about five: hours locate, they do not bound.
        if span.coarsest_grain < Grain.DAY:
            return StatedRange(span, item.start_char, item.end_char, confidence, (item,))
        if is_modifier(text, item):  # "after the 1906 earthquake" starts within 1906
            relation = _INCLUSIVE[relation]
        confidence *= _LOOSE
        if cue.start - 1 in ends:  # "ten days after 5 May 1998" lies near that day
            return StatedRange(span, item.start_char, item.end_char, confidence, (item,))
    whole = span if relation == "during" else apply_relation(relation, span)
    if whole is None:
        return StatedRange(span, item.start_char, item.end_char, confidence, (item,))
    return StatedRange(whole, cue.start, cue.end, confidence, (item,), relation)


#: What the middle of a run is filled with: neither a blank nor part of a word, so that every place stays what it is.
_BLANK_FILL = "\u2060"
_BLANK_RUN = re.compile(r"(?<=\s\s)\s{6,}(?=\s\s)")
#: No shorter run has a middle that is filled.
_LEAST_BLANKS = 10


def fill_blanks(text: str) -> str:
    """A text of the same length whose runs of blanks are short: no word binds another across a long one.

    >>> len(fill_blanks("May 1998" + 50 * " " + "to now"))
    64
    >>> fill_blanks("May 1998  to now")
    'May 1998  to now'
    """
    if len(text) - len(" ".join(text.split())) < _LEAST_BLANKS - 1:
        return text
    return _BLANK_RUN.sub(lambda match: _BLANK_FILL * len(match[0]), text)


def drop_fill(text: str) -> str:
    """A part of a filled text as people write it."""
    return " ".join(text.replace(_BLANK_FILL, " ").split()) if _BLANK_FILL in text else text
