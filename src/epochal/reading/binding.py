"""How the words around a time expression bind it: "since 1985", "1914年以前", "between 1990 and 2020", "1939–45".

Questions and documents are bound by the same words; what a question makes of them is in `questions.constraints`, what
a document makes of them in `ranges`.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from epochal.errors import TimeRangeError
from epochal.reading.expr import TimeExpr
from epochal.times import OPEN_END, OPEN_START, Certainty, Grain, Span

__all__ = ["FILLER", "LEAST", "LOOK", "Cue", "Join", "Relation", "bounded", "find_cue", "find_join", "modifies"]

Relation = Literal["before", "after", "during", "since", "until", "between", "around"]

#: How many characters before an expression can bind it; a look at the whole text would make long ones slow.
LOOK = 60
#: A reading less sure than this binds nothing: a false date is worse than a missed one.
LEAST = 0.55
#: The longest that may stand between the two ends of a range.
_GAP = 24
#: What may stand between a word that binds and the expression.
FILLER = (
    r"(?:\s+(?:the|about|around|circa|early|late|mid|at least|as late as|year|years|year of|of|start of|end of|"
    r"beginning of|all of))*\s*\Z"
)


class Cue(NamedTuple):
    """The relation that words give an expression, and where the words together with the expression start and end.

    >>> Cue("since", 0, 10).relation
    'since'
    """

    relation: Relation
    start: int
    end: int


class Join(NamedTuple):
    """The two ends of a range, and where its words start and end.

    >>> Join(Span.year(2004), Span.year(2006), 0, 17).span.edtf()
    '2004/2006'
    """

    first: Span
    last: Span
    start: int
    end: int

    @property
    def span(self) -> Span:
        """From the start of the first end to the end of the last.

        >>> Join(Span.year(1939), Span.month(1945, 5), 0, 13).span.edtf()
        '1939/1945-05'
        """
        return Span.between(self.first, self.last)


_BEFORE = re.compile(
    r"(?:(?<![\w-])(?:(?P<between>between|betwixt)"
    r"|(?P<since>(?:ever\s+)?since|(?:starting|beginning)\s+(?:in|from|on))"
    r"|(?P<until>until|till|'til|up\s+to|up\s+until|(?:no|not)\s+later\s+than)"
    r"|(?P<before>before|prior\s+to|earlier\s+than|preceding|pre-?)"
    r"|(?P<after>after|later\s+than|following|post-?|subsequent\s+to|beyond)"
    r"|(?P<around>circa|ca\.?|c\.)"
    rf"|(?P<from>from)){FILLER})"
    r"|(?:(?P<zh_since>(?<!来)自从?)|(?P<zh_until>直[到至])|(?P<zh_before>早于)|(?P<zh_after>晚于)"
    r"|(?P<zh_from>[从由])|(?P<zh_between>介于))\s*\Z",
    re.IGNORECASE,
)
#: The last words that anything above can have: most expressions follow none of them, and are done with.
_LAST_WORDS = frozenset(
    "between betwixt since from until till 'til til than before preceding pre pre- after following post post- beyond "
    "circa ca ca. c.".split()
)
#: Words that bind only behind another.
_PAIRED = {
    "in": frozenset(("starting", "beginning")),
    "on": frozenset(("starting", "beginning")),
    "to": frozenset(("prior", "up", "subsequent")),
}
_FILLERS = frozenset("the about around circa early late mid least as year years of".split())
#: As far back as words can bind that have nothing between them and the expression.
_NEAR = 24
_LAST_SIGNS = frozenset("自从到至于由")
#: "Not until 1990" means 1990 itself, and so does "直到1990年才".
_NEVER = re.compile(r"(?:\b(?:not|never|nor|cannot)\b|n['’]t\b)[^.;!?]*\Z", re.IGNORECASE)
_ONLY_THEN = re.compile(r"[^。；！？]{0,12}?才")
_NOW = r"(?:the\s+)?(?:present(?:[\s-]+(?:day|time))?|now|today|date|this\s+day)\b"
_BEHIND = re.compile(
    r"\s*(?:(?P<since>以来|(?:起|开始)?\s*[-–—～~－]?\s*(?:至今|迄今|到现在|直到现在|到今天|今(?=[)）]))"
    r"|起(?![源初因义草飞点诉伏码])|onwards?\b"
    rf"|,?\s*(?:[-–—~]|\b(?:to|until|till|through|up\s+to)\b)\s*{_NOW}"
    r"|and\s+(?:later|after)\b(?=\W*\Z|[,;.])|or\s+later\b)"
    r"|(?P<until>为止|止(?![境步血]))"
    r"|(?P<before>以前|之前|前(?![后任身往夕期半沿线者锋进来去])|(?:or|and)\s+(?:earlier|before)\b(?=\W*\Z|[,;.]))"
    r"|(?P<after>以后|之后|过后|后(?![来期半者代人裔]))"
    r"|(?P<during>时期|期间|年间)"
    r"|(?P<around>左右|前后|or\s+so\b|or\s+thereabouts\b))"
)
#: What the words behind can start with; most expressions are followed by none of it.
_BEHIND_STARTS = frozenset("以起开至迄到直今为止之前后过时期年左-–—~～－, \n\t\u3000\xa0")
_AND_NOW = re.compile(rf"\s+and\s+{_NOW}", re.IGNORECASE)
_FROM_ON = re.compile(r"\s+on(?=\s*(?:[,.;:)]|\Z))|开始", re.IGNORECASE)

_ROUGHLY = r"(?:\s*(?:the|about|around|circa|c\.|ca\.|at\s+least|as\s+late\s+as|year))*\s*"
_JOIN_TO = re.compile(
    r"\s*(?:[-–—−‐‑~～－]{1,2}|,?\s*\b(?:to|until|till|through|thru|up\s+to|up\s+until)\b|-to-|(?:起|开始)?[,，]?"
    rf"(?:直?至|直?到|迄)){_ROUGHLY}",
    re.IGNORECASE,
)
_JOIN_AND = re.compile(rf"\s*,?\s*(?:and\b|&|和|与){_ROUGHLY}", re.IGNORECASE)
_TWEEN = re.compile(r"\s*之?间")
_ARTICLE = re.compile(r"\b(?:the|a|an|its|their|his|her)\s+\Z", re.IGNORECASE)
_NOUN = re.compile(
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
}


def find_cue(text: str, item: TimeExpr) -> Cue:
    """How the words just before or behind an expression bind it; "during" where none do.

    >>> find_cue("Closed since 1985.", TimeExpr("1985", 13, 17, "DATE", "1985"))
    Cue(relation='since', start=7, end=17)
    >>> find_cue("1914年以前", TimeExpr("1914年", 0, 5, "DATE", "1914"))
    Cue(relation='before', start=0, end=7)
    """
    start, end = item.start_char, item.end_char
    group, begun = _lead(text, start)
    if text[end : end + 1] in _BEHIND_STARTS and (behind := _BEHIND.match(text, end)):
        opened = begun if group in ("from", "since") else start
        return Cue(_RELATIONS[behind.lastgroup or "during"], opened, behind.end())
    if group == "between" and (behind := _AND_NOW.match(text, end)):
        return Cue("since", begun, behind.end())
    if group == "from" and (behind := _FROM_ON.match(text, end)):
        return Cue("since", begun, behind.end())
    if group not in _RELATIONS or (group == "until" and _means_then(text, begun, end)):
        return Cue("during", start, end)
    return Cue(_RELATIONS[group], begun, end)


def find_join(text: str, first: TimeExpr, last: TimeExpr) -> Join | None:
    """The range that two expressions make: "between A and B", "from A to B", "A–B"; None where they make none.

    They make none either where the last comes before the first, or one of them is open already.

    >>> years = [TimeExpr("1990", 8, 12, "DATE", "1990", Span.year(1990))]
    >>> years.append(TimeExpr("2020", 17, 21, "DATE", "2020", Span.year(2020)))
    >>> find_join("between 1990 and 2020", *years).span.edtf()
    '1990/2020'
    >>> find_join("In 1990 and in 2020, ", *years) is None
    True
    """
    one, two = first.span, last.span
    low, high = first.end_char, last.start_char
    if one is None or two is None or not 0 < high - low <= _GAP or min(first.confidence, last.confidence) < LEAST:
        return None
    if _JOIN_TO.fullmatch(text, low, high):
        group, start = _lead(text, first.start_char)
        start = start if group in ("from", "since") else first.start_char
        closed = _TWEEN.match(text, last.end_char)
    elif _JOIN_AND.fullmatch(text, low, high):
        group, start = _lead(text, first.start_char)
        closed = _TWEEN.match(text, last.end_char)
        if group != "between" and closed is None:
            return None
    else:
        return None
    if one.is_open or two.is_open:
        return None
    one, two = _with_year(first, one, last, two), _with_year(last, two, first, one)
    if (one.start, one.end) >= (two.start, two.end):
        return None
    return Join(one, two, start, closed.end() if closed else last.end_char)


def modifies(text: str, item: TimeExpr) -> bool:
    """Whether an expression only says which: "the 1906 earthquake".

    >>> modifies("the 1906 earthquake", TimeExpr("1906", 4, 8, "DATE", "1906"))
    True
    """
    return bool(
        _NOUN.match(text, item.end_char) and _ARTICLE.search(text[max(0, item.start_char - 8) : item.start_char])
    )


def bounded(relation: Relation, span: Span) -> Span | None:
    """The stretch that a relation to a span leaves: the span itself where it is open already, None where nothing is.

    >>> [bounded(relation, Span.year(1914)).edtf() for relation in ("before", "after", "since", "until", "around")]
    ['../1913', '1915/..', '1914/..', '../1914', '1914~']
    """
    if span.is_open:
        return span
    try:
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


def _lead(text: str, end: int) -> tuple[str, int]:
    """Which words that end at a place bind what comes after it, and where they start; no name where none do."""
    low = max(0, end - _NEAR)
    words = text[low:end].split()
    if not words:
        return "", end
    last = words[-1].lstrip('(["“‘—–,').lower()
    if last in _PAIRED:
        if len(words) < 2 or words[-2].lower() not in _PAIRED[last]:
            return "", end
    elif last in _FILLERS:
        low = max(0, end - LOOK)
    elif last not in _LAST_WORDS and words[-1][-1] not in _LAST_SIGNS:
        return "", end
    found = _BEFORE.search(text[low:end])
    return ("", end) if found is None else ((found.lastgroup or "").removeprefix("zh_"), low + found.start())


def _means_then(text: str, start: int, end: int) -> bool:
    """Whether "until" only says how late something came: "not until 1990", "直到1990年才"."""
    return bool(_NEVER.search(text[max(0, start - LOOK) : start]) or _ONLY_THEN.match(text, end))


def _with_year(item: TimeExpr, span: Span, other: TimeExpr, beside: Span) -> Span:
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
