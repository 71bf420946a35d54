"""Constraints: how the words around a time expression bind it. "Since 2017", "between 1990 and 2020", "2020年以前"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from epochal.errors import TimeRangeError
from epochal.reading.expr import TimeExpr
from epochal.reading.questions.question import Axis, Constraint, Relation
from epochal.times import OPEN_END, OPEN_START, Certainty, Span

__all__ = ["Bound", "read_constraints"]


def _patterns(words: dict[Relation, str], before: str, behind: str) -> tuple[tuple[Relation, re.Pattern[str]], ...]:
    return tuple((name, re.compile(f"{before}(?:{form}){behind}", re.IGNORECASE)) for name, form in words.items())


_FILLER = r"(?:\s+(?:the|about|around|early|late|mid|year|years|year of|of|start of|end of|beginning of|all of))*\s*$"
#: What may stand before an expression, the longest first; the span that it leaves is built by `_bounded`.
_BEFORE = _patterns(
    {
        "between": r"between|betwixt",
        "since": r"(?:ever )?since|starting (?:in|from)|beginning in",
        "before": r"before|prior to|earlier than|preceding|no later than|pre-?",
        "after": r"after|later than|following|post-?|subsequent to|beyond",
        "until": r"until|till|'til|up to|up until|through|by|to",
        "around": r"around|about|circa|ca\.?|c\.|approximately|roughly|near|close to|sometime in",
    },
    r"(?<![\w-])",
    _FILLER,
)
_INSIDE = _patterns(
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
_BEHIND: tuple[tuple[Relation, re.Pattern[str]], ...] = (
    (
        "since",
        re.compile(
            r"\s*(?:以来|至今|起至今|到现在|起(?!源)|onwards?\b|and (?:later|after)\b(?=\W*$|[,;.])|or later\b)"
        ),
    ),
    ("before", re.compile(r"\s*(?:以前|之前|前(?!后|任|身|往)|(?:or|and) (?:earlier|before)\b(?=\W*$|[,;.]))")),
    ("after", re.compile(r"\s*(?:以后|之后|过后|后(?!来))")),
    ("during", re.compile(r"\s*(?:时期|期间|年间)")),
    ("around", re.compile(r"\s*(?:左右|前后|or so\b|or thereabouts\b)")),
)
_ARTICLE = re.compile(r"\b(?:the|a|an|its|their|his|her)\s+$", re.IGNORECASE)
_NOUN = re.compile(
    r"\s+(?!(?:and|or|to|in|on|at|of|for|with|by|from|was|were|is|are|did|do|does|has|have|had|than|but|"
    r"as|the|when|what|"
    r"who|how|until|since|compared|versus|vs)\b)[A-Za-z]{3,}"
)
#: "1939-45" states two ends; "the Korean War" has two, and states none.
_NUMBER = re.compile(r"[0-9〇零一二三四五六七八九十]")
_FROM = re.compile(r"(?<![\w-])from" + _FILLER, re.IGNORECASE)
_CHINESE_FROM = re.compile(r"(?:从|自|由|在)\s*$")
_JOIN_AND = re.compile(r"\s*,?\s*(?:and|&|和|与)(?:\s+the)?\s*", re.IGNORECASE)
_JOIN_TO = re.compile(r"\s*(?:to|until|till|through|thru|up to|[-–—~～]|至|到)(?:\s+the)?\s*", re.IGNORECASE)
_JOIN_DASH = re.compile(r"\s*(?:[-–—~～]|to|through|至|到)\s*", re.IGNORECASE)
#: "Articles published in 2019" bounds the documents; "the book was published in 1851" is what they speak of.
_DOCUMENT = (
    r"(?:articles?|papers?|posts?|reports?|documents?|stud(?:y|ies)|sources?|stories|news|coverage|publications?|"
    r"literature|reviews?|blogs?|press releases?|editorials?|newspapers?|research)"
)
_LINK = r"(?:\s+(?:in|on|during|since|before|after|from|between|until|by|around|as early as|the|early|late|mid))*\s*$"
_PUBLISHED = re.compile(
    r"(?<!was )(?<!were )(?<!is )(?<!be )(?<!been )(?<!first )(?<!being )(?<!originally )"
    rf"\b(?:published|posted|dated|archived){_LINK}|\b{_DOCUMENT}(?: (?:that (?:were|was) )?"
    rf"(?:written|published|released|issued|printed|dated|appearing))?\s+(?:from|dated|in|of|since|before|"
    rf"after|between|until)\b{_LINK}",
    re.IGNORECASE,
)
_PUBLISHED_BEHIND = re.compile(r"\s*(?:发表|刊登|发布|出版|报道)的(?:文章|报道|论文|新闻|文件)")
#: A reading less sure than this binds nothing: a false date is worse than a missed one.
_LEAST = 0.55
#: How many characters before an expression can bind it; a look at the whole text would make long ones slow.
_LOOK = 60
_VAGUE = ("PRESENT_REF", "PAST_REF", "FUTURE_REF")


@dataclass(frozen=True, slots=True)
class Bound:
    """A constraint, where its words start and end in the text, and the times that it names: two for a range.

    >>> from epochal.reading.expr import TimeExpr
    >>> year = TimeExpr("2017", 22, 26, "DATE", "2017", Span.year(2017))
    >>> bound = read_constraints("How did fees do since 2017?", [year])[0]
    >>> bound.constraint.relation, bound.constraint.span.edtf(), [span.edtf() for span in bound.named]
    ('since', '2017/..', ['2017'])
    """

    constraint: Constraint
    start_char: int
    end_char: int
    named: tuple[Span, ...]


def read_constraints(text: str, expressions: Sequence[TimeExpr]) -> tuple[Bound, ...]:
    """The constraints that the expressions of a text make, in the order of the text.

    Durations, sets and words such as "now" make none: they have no place of their own on the axis.

    >>> from epochal.reading.expr import TimeExpr
    >>> first = TimeExpr("1990", 8, 12, "DATE", "1990", Span.year(1990))
    >>> last = TimeExpr("2020", 17, 21, "DATE", "2020", Span.year(2020))
    >>> [bound.constraint.span.edtf() for bound in read_constraints("between 1990 and 2020", [first, last])]
    ['1990/2020']
    """
    usable = [
        item
        for item in expressions
        if item.span is not None
        and item.kind in ("DATE", "TIME")
        and item.value not in _VAGUE
        and item.confidence >= _LEAST
    ]
    found: list[Bound] = []
    place = 0
    while place < len(usable):
        pair = _range(text, usable[place], usable[place + 1]) if place + 1 < len(usable) else None
        found.append(pair or _single(text, usable[place]))
        place += 2 if pair else 1
    return tuple(found)


def _range(text: str, first: TimeExpr, last: TimeExpr) -> Bound | None:
    """The range that two expressions make: "between A and B", "from A to B", "A-B"; None when they make none."""
    offset = max(0, first.start_char - _LOOK)
    lead, gap = text[offset : first.start_char], text[first.end_char : min(last.start_char, first.end_char + _LOOK)]
    opened = _BEFORE[0][1].search(lead)
    if opened and _JOIN_AND.fullmatch(gap):
        start = offset + opened.start()
    elif (came := _FROM.search(lead) or _CHINESE_FROM.search(lead)) and _JOIN_TO.fullmatch(gap):
        start = offset + came.start()
    elif _JOIN_DASH.fullmatch(gap):
        start = first.start_char
    else:
        return None
    one, two = first.span, last.span
    if one is None or two is None or one.is_open or two.is_open or two.end <= one.start:
        return None
    evidence = TimeExpr(
        text[first.start_char : last.end_char],
        first.start_char,
        last.end_char,
        "DATE",
        f"{first.value}/{last.value}",
        Span.between(one, two),
        confidence=min(first.confidence, last.confidence),
    )
    constraint = Constraint("between", Span.between(one, two), _axis(text, first.start_char, last.end_char), evidence)
    return Bound(constraint, start, last.end_char, (one, two))


def _single(text: str, item: TimeExpr) -> Bound:
    span = item.span
    if span is None:
        raise AssertionError("only expressions with a span are asked")
    relation, start, end = _relation(text, item)
    modifies = relation in ("before", "after") and _modifies(text, item)
    # "After the 1906 earthquake" starts within 1906, "after 1906" does not.
    inclusive: dict[Relation, Relation] = {"before": "until", "after": "since"} if modifies else {}
    bounded = _bounded(inclusive.get(relation, relation), span)
    if bounded is None:
        relation, bounded = "during", span
    wide = span.grain == span.end_grain and 2 * span.seconds > 3 * span.grain.seconds
    if relation == "during" and wide and _NUMBER.search(item.text):
        relation = "since" if span.end == OPEN_END else "until" if span.start == OPEN_START else "between"
    constraint = Constraint(relation, bounded, _axis(text, item.start_char, item.end_char), item)
    return Bound(constraint, start, end, _named(span, relation))


def _relation(text: str, item: TimeExpr) -> tuple[Relation, int, int]:
    """How an expression is bound, and where the words that say so start and end."""
    for relation, pattern in _BEHIND:
        if behind := pattern.match(text, item.end_char):
            return relation, item.start_char, behind.end()
    for relation, pattern in _INSIDE:
        if pattern.match(item.text):
            return relation, item.start_char, item.end_char
    offset = max(0, item.start_char - _LOOK)
    lead = text[offset : item.start_char]
    for relation, pattern in _BEFORE[1:]:
        if before := pattern.search(lead):
            start = item.start_char if _modifies(text, item) else offset + before.start()
            return relation, start, item.end_char
    if _modifies(text, item):
        return "during", item.start_char, item.end_char
    if came := re.search(r"(?<![\w-])(?:as of|in|on|at|during|of|from|within|throughout|for)" + _FILLER, lead, re.I):
        return "during", offset + came.start(), item.end_char
    return "during", item.start_char, item.end_char


def _modifies(text: str, item: TimeExpr) -> bool:
    """Whether an expression only says which: "the 1906 earthquake"."""
    return bool(
        _ARTICLE.search(text[max(0, item.start_char - _LOOK) : item.start_char]) and _NOUN.match(text, item.end_char)
    )


def _bounded(relation: Relation, span: Span) -> Span | None:
    """The stretch that a relation to a span leaves; the span itself where it is open already."""
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


def _named(span: Span, relation: Relation) -> tuple[Span, ...]:
    """The times that one expression names: the first and the last unit of a range, else itself."""
    if relation == "between" and not span.is_open and span.coarsest_grain.name != "ERA":
        first = Span.unit(span.start, span.grain)
        last = Span.unit(span.end - 1, span.end_grain)
        if first.end <= last.start:
            return (first, last)
    if span.end == OPEN_END and span.start != OPEN_START and span.grain.name != "ERA":
        return (Span.unit(span.start, span.grain),)
    return (span,)


def _axis(text: str, start: int, end: int) -> Axis:
    lead = text[max(0, start - 80) : start]
    return "publication" if _PUBLISHED.search(lead) or _PUBLISHED_BEHIND.match(text, end) else "content"
