"""Bounds that questions state beyond the words of documents: negated, inclusive and comparing, and rolling windows.

"Not before 1645" begins with that year, "1700 or earlier" ends with it, "newer than 2024" begins after it, "more than
five years ago" ends with the year five years back. "The past 30 days" end with the present. "The contract
ended in 2018" bounds its end, "admitted in May" its beginning.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.reading.expression import CONTEXT_CHARS, FILLER, Cue, Relation, TimeExpr
from epochal.reading.questions.languages import find_language
from epochal.reading.questions.margins import Margin, from_start, to_end
from epochal.times.axis import OPEN_END, Grain
from epochal.times.span import Span

__all__ = [
    "Edge",
    "find_edge",
    "find_event_bound",
    "find_exclusion",
    "find_rolling_window",
    "find_stated_bound",
    "get_skipped_unit",
    "is_edge_word",
    "prefer_tense",
]


_LEAD_WORDS: tuple[tuple[Relation, str], ...] = (
    (
        "since",
        r"(?:not|no|never)\s+(?:before|(?:earlier|sooner|older)\s+than|prior\s+to)|(?:on|in|at"
        r"|during)\s+or\s+(?:after|since)|"
        r"as\s+early\s+as\s+and\s+after",
    ),
    (
        "until",
        r"(?:not|no|never)\s+(?:after|(?:later|newer|more\s+recent(?:ly)?)\s+than|beyond)|(?:on|in|at|during)\s+or\s+before|"
        r"at\s+(?:the\s+)?latest\s+(?:by|in|on)",
    ),
    ("after", r"(?:newer|younger|more\s+recent(?:ly)?|later|sooner)\s+than|postdat(?:e|es|ed|ing)"),
    ("before", r"(?:older|earlier)\s+than|predat(?:e|es|ed|ing)"),
)
_LEADS = tuple(
    (relation, lazy_regex(rf"(?<![\w-])(?:{form}){FILLER}", re.IGNORECASE)) for relation, form in _LEAD_WORDS
)
_LEADS_HAN: tuple[tuple[Relation, re.Pattern[str]], ...] = (
    ("since", lazy_regex(r"(?:不早于|最早(?:在|于)?)\s*\Z")),
    ("until", lazy_regex(r"(?:不晚于|不迟于|最迟(?:在|于)?|至迟)\s*\Z")),
)
#: "Before" and "since" behind a time bind it, unless they bind what follows them: "after 1 May, and before 3 June".
_BEHIND = lazy_regex(
    r"\s*,?\s*(?:at\s+the\s+(?:very\s+)?(?:(?P<latest>latest)|earliest)\b|(?:or|and)\s+(?:(?P<until>earlier|older|before{alone})|(?P<since>later|newer|afterwards?|since{alone}))"
    r"(?!\s+(?:(?:the|an?|in|on)\b|\d))\b)".replace(
        "{alone}", r"(?=\s*(?:[?.!,;:)\]]|\Z)|\s+(?:about|of|by|with|for|from|that|which|who|were|was|is|are)\b)"
    ),
    re.IGNORECASE,
)
_AGO = lazy_regex(
    r"(?:(?P<more>more\s+than|over|at\s+least|upwards?\s+of|longer\s+than)|(?P<less>less\s+than|fewer\s+than"
    r"|under|at\s+most|"
    r"no\s+more\s+than|not\s+more\s+than|within))\s+(?:.+\s)?ago\Z",
    re.IGNORECASE,
)
_COMPARES = lazy_regex(
    r"(?<![\w-])(?:more\s+than|over|at\s+least|less\s+than|fewer\s+than|under|at\s+most|no\s+more\s+than)\s+\Z", re.I
)
_EXCEPT = lazy_regex(
    r"(?<![\w-])(?:other\s+than|except(?:ing)?(?:\s+(?:for|in|on|during))?|excluding|apart\s+from|aside\s+from|besides|"
    r"save(?:\s+for)?|(?:but\s+)?not\s+(?:in|on|during|from|of)|all(?:\s+\w+)?\s+but|any\s+\w+\s+but|outside(?:\s+of)?|"
    rf"除了?){FILLER}",
    re.IGNORECASE,
)
_EXCEPT_BEHIND = lazy_regex(r"(?:之外|以外|除外)|\s+(?:excepted|excluded|aside)\b", re.IGNORECASE)


def find_stated_bound(text: str, item: TimeExpr) -> Cue | None:
    """The relation that a negated, inclusive or comparing bound gives an expression, and where its words lie."""
    start, end = item.start_char, item.end_char
    offset = max(0, start - CONTEXT_CHARS)
    lead = text[offset:start]
    if behind := _BEHIND.match(text, end):
        return Cue("until" if behind["until"] or behind["latest"] else "since", start, behind.end())
    before = _COMPARES.search(lead)
    if match := _AGO.fullmatch((before[0] if before else "") + item.text):
        begun = offset + before.start() if before else start
        return Cue("until" if match["more"] else "since", begun, end)
    for relation, pattern in (*_LEADS, *_LEADS_HAN):
        if found := pattern.search(lead):
            return Cue(relation, offset + found.start(), end)
    return None


def find_exclusion(text: str, item: TimeExpr) -> tuple[int, int] | None:
    """Where the words lie that exclude a time ("other than 2020"), together with it; None where none do."""
    offset = max(0, item.start_char - CONTEXT_CHARS)
    lead = text[offset : item.start_char]
    if found := _EXCEPT.search(lead):
        return offset + found.start(), item.end_char
    if behind := _EXCEPT_BEHIND.match(text, item.end_char):
        return item.start_char, behind.end()
    return None


#: The words that bind something that happened ("before the fire of 1871", "desde la huelga de 1926"), by relation.
_EVENT_WORDS: Final[dict[Relation, str]] = {
    "before": r"before|prior\s+to|ahead\s+of|vor|avant|antes|prima|voor(?:afgaand\s+aan)?",
    "after": r"after|following|subsequent\s+to|in\s+the\s+wake\s+of|nach|après|después|dopo|depois|na",
    "since": r"(?:ever\s+)?since|seit|depuis|desde|sinds",
    "until": r"until|till|up\s+to|bis(?:\s+zu[mr])?|jusqu['’]à|hasta|fino|até|tot",
}
#: What stands before its name: an article, or whose it was.
_EVENT_ARTICLE: Final = (
    r"(?:the|an?|his|her|its|their|our|my|this|that|[\w.]+['’]s|de[rnms]|die|das|la|les?|el|los|las|il|lo|gli|het|de|"
    r"de\s+l[ao]s?|del|del(?:la|lo|le|l['’])|de[gi]l?i|d[ao]s?|al(?:la|lo)?|à|au|zum|zur)\s+"
)
#: Its name or a short clause, in which no other begins: "the Treaty of Ghent", "the mill closed".
_EVENT_NAME: Final = (
    r"(?:(?!(?:and|or|but|that|which|who|whom|whose|when|where|while|as|if|than|to|for|by|with|is|are|was|were|be|been|"
    r"has|have|had|do|does|did|und|oder|et|ou|y|e|o|en|of)\b)[\w'’.&-]+\s+(?:(?:of|de|du|des|von)\s+(?:the\s+)?)?){1,4}?"
)
_EVENT: Final = tuple(
    (
        relation,
        lazy_regex(
            rf"(?<![\w-])(?:{words})\s+{_EVENT_ARTICLE}{_EVENT_NAME}"
            r"(?:(?:of|in|on|from|vo[nm]|de|del|du|do|da|di|van)\s+(?:the\s+)?|(?<=\sof\s)|(?<=\sof\sthe\s)|(?<=\sde\s))\Z",
            re.IGNORECASE,
        ),
    )
    for relation, words in _EVENT_WORDS.items()
)


#: Another time in a list, or the end of a range.
_LISTED: Final = lazy_regex(
    r"\s*(?:,|[-–—]|\b(?:and|or|to|until|till|versus|vs|und|et|y|e|en|bis|à|al?|tot)\b\.?)\s*(?:in\s+)?\d", re.I
)


def find_event_bound(text: str, item: TimeExpr) -> Relation | None:
    """How a question is bound by something that happened at a time ("after the fire of 1871"); None where it is not.

    What began or ended then is bound by that itself: "after the contract ended in 2018".
    """
    if _LISTED.match(text, item.end_char):
        return None  # "compare sales before the crisis in 2007 and 2010"
    lead = text[max(0, item.start_char - CONTEXT_CHARS) : item.start_char]
    for relation, pattern in _EVENT:
        if (found := pattern.search(lead)) is not None:
            return relation if find_edge(found[0]) is None else None
    return None


Side = Literal["past", "future"]
_ROLLING = lazy_regex(
    r"(?:the\s+)?(?:(?P<past>past|last|previous|preceding|trailing|most\s+recent)|(?P<future>next|coming|following|upcoming))\s+"
    r"(?P<rest>.+)",
    re.IGNORECASE,
)
_ROLLING_HAN = lazy_regex(
    r"(?P<past>最近|近|过去|過去|前|这|以往|往前)|(?P<future>未来|未來|今后|今後|接下来|接下來|后|往后)"
)
_VALUE = lazy_regex(r"P(?P<clock>T)?(?P<count>\d{1,4})(?P<unit>[YMWDHQSE]|DE|CE|WE)")
_UNITS: dict[str, tuple[int, Grain]] = {
    "Y": (1, Grain.YEAR),
    "M": (1, Grain.MONTH),
    "W": (1, Grain.WEEK),
    "D": (1, Grain.DAY),
    "Q": (1, Grain.QUARTER),
    "DE": (1, Grain.DECADE),
    "CE": (1, Grain.CENTURY),
    "TH": (1, Grain.HOUR),
    "TM": (1, Grain.MINUTE),
}
_ONE = {
    "hour": Grain.HOUR,
    "day": Grain.DAY,
    "week": Grain.WEEK,
    "fortnight": Grain.WEEK,
    "month": Grain.MONTH,
    "quarter": Grain.QUARTER,
    "year": Grain.YEAR,
    "decade": Grain.DECADE,
    "century": Grain.CENTURY,
}
#: "The last three months of the war" are counted from its end.
_OF = lazy_regex(
    r"\s+(?:of|before|after|prior|leading|following|preceding|until|from|to)\b|的?(?:之)?[前后後]|之内的", re.I
)

_OF_OTHERS = lazy_regex(
    r"\s+(?:de|du|des|del|della|dello|dei|di|do|da|dos|das|van|vor|nach|avant|après|antes|después|prima|dopo|voor|na)\b"
    r"|\s+(?:d|dell)['’]",
    re.I,
)


#: "Due within 10 days": the tagger places such a length only where it lies ahead.
_WITHIN = lazy_regex(r"(?<!\w)within\s+(?:the\s+next\s+)?\Z", re.I)


def find_rolling_window(text: str, item: TimeExpr, now: Span | None) -> Span | None:
    """The window of an amount that is counted from the present: "the past 30 days", 近三年; None for any other."""
    if now is None or now.end == OPEN_END or _OF.match(text, item.end_char):
        return None
    match = _ROLLING.fullmatch(item.text) or _ROLLING_HAN.match(item.text)
    if match is not None:
        margin, is_past = _read_margin(item, match), bool(match["past"])
    elif item.kind == "DURATION" and item.span is not None and _WITHIN.search(text, 0, item.start_char):
        margin, is_past = _read_length(item), item.span.start < now.start
    elif item.kind == "DURATION" and item.span is not None and find_language(text):
        # The readers of other languages place a length only where it is counted from the present.
        is_of = _OF_OTHERS.match(text, item.end_char) is not None
        margin, is_past = None if is_of else _read_length(item), item.span.start < now.start
    else:
        return None
    if margin is None:
        return None
    today = now if margin.grain < Grain.DAY and now.grain < Grain.DAY else Span.unit(now.end - 1, Grain.DAY)
    try:
        return to_end(today, margin) if is_past else from_start(today, margin)
    except TimeRangeError:
        return None


def _read_margin(item: TimeExpr, match: re.Match[str]) -> Margin | None:
    if item.kind == "DURATION":
        return _read_length(item)
    # "The past month" is counted from the present; "last month" is the one of the calendar.
    rest = match.groupdict().get("rest")
    if rest is None or not match[0].lower().removeprefix("the ").startswith("past") or rest.lower() not in _ONE:
        return None
    return Margin.of(2 if rest.lower() == "fortnight" else 1, _ONE[rest.lower()])


def _read_length(item: TimeExpr) -> Margin | None:
    value = _VALUE.fullmatch(item.value)
    if value is None:
        return None
    size, grain = _UNITS.get(("T" if value["clock"] else "") + value["unit"], (0, Grain.DAY))
    count = size * int(value["count"])
    return Margin.of(count, grain) if 0 < count <= 10_000 else None


_SKIPPED = lazy_regex(
    r"\bthe\s+(?P<unit>year|month|week|quarter|decade|century|day)\s+(?:(?P<before>before\s+last)|after\s+next)\b", re.I
)

_THIS_DAY = lazy_regex(
    r"\bthis\s+(?:very\s+)?(?P<unit>day|date"
    r"|month)\s+in\s+(?:the\s+year\s+)?(?P<year>\d{3,4})\b",
    re.I,
)


def get_skipped_unit(text: str, now: Span | None) -> list[tuple[int, int, Span]]:
    """The places and spans of "the year before last", "the week after next" and "on this day in 1969"."""
    if now is None or now.end == OPEN_END:
        return []
    found = [
        (
            *match.span(),
            Span.unit(now.end - 1, Grain.named(match["unit"].lower())).shift(-2 if match["before"] else 2),
        )
        for match in _SKIPPED.finditer(text)
    ]
    for match in _THIS_DAY.finditer(text):
        today = Span.unit(now.end - 1, Grain.named("month" if match["unit"].lower() == "month" else "day"))
        if today.first_year is not None:
            found.append((*match.span(), today.shift(int(match["year"]) - today.first_year, Grain.YEAR)))
    return found


_PAST = lazy_regex(
    r"\b(?:did|was|were|had|happened|occurred|became|won|died|said|came|went|made|sold|bought|fell|rose|took"
    r"|gave|wrote|"
    r"(?:has|have)\s+(?:been|\w+ed)|\w{3,}ed)\b|了[？?。]?|过[？?]",
    re.IGNORECASE,
)
_FUTURE = lazy_regex(
    r"\b(?:will|shall|going\s+to|upcoming|scheduled|planned|due|expect(?:ed)?|forecast)\b|将|会"
    r"|计划",
    re.I,
)


def prefer_tense(text: str, item: TimeExpr, now: Span | None) -> Span | None:
    """A month or day without a year as the tense of a question has it: in "who resigned in March?" it is over."""
    span = item.span
    if span is None or now is None or span.is_open or "year" in item.stated or "month" not in item.stated:
        return span
    past, future = bool(_PAST.search(text)), bool(_FUTURE.search(text))
    try:
        if past and not future and span.start >= now.end:
            return span.shift(-1, Grain.YEAR)
        if future and not past and span.end <= now.start:
            return span.shift(1, Grain.YEAR)
    except TimeRangeError:
        return span
    return span


Edge = Literal["start", "end", "whole"]

#: Verbs and nouns of beginnings and ends, as patterns of whole words.
_START: Final = (
    r"(?:start(?:s|ed|ing)?|beg(?:in|ins|an|un|inning))(?!\s+from\b)|commenc(?:e|es|ed|ing)|becom(?:e|es|ing)|became|join(?:s|ed|ing)?|"
    r"admitted|admission|appointed|inaugurated|assumed|t(?:ake|akes|ook|aking)\s+(?:office|over|effect|up)|"
    r"(?:came|comes?|coming|enter(?:s|ed|ing)?|went)\s+in(?:to)?\s+(?:force|effect|office|power)|"
    r"empezó|empezaron|comenzó|comenzaron|inició|(?:entró|entraron)\s+en\s+vigor|commença|commencé|débuté|"
    r"(?:entrée?s?|entra)\s+en\s+vigueur|begann(?:en)?|begonnen|angetreten|in\s+kraft\s+(?:trat|getreten)|"
    r"cominciat[oa]|iniziat[oa]|entrat[oa]\s+in\s+vigore|começou|entrou\s+em\s+vigor|begon"
)
_END: Final = (
    r"end(?:s|ed|ing)?|conclud(?:e|es|ed|ing)|finish(?:es|ed|ing)?|expir(?:e|es|ed|ing|y|ation)|"
    r"terminat(?:e|es|ed|ing|ion)|"
    r"ceas(?:e|es|ed|ing)|(?<!the )left|leav(?:e|es|ing)|step(?:s|ped|ping)?\s+down|resign(?:s|ed|ing)?|"
    r"complet(?:e|es|ed|ing)\s+(?:his|her|its|their|the|a)\s+(?:\w+\s+)?(?:term|tenure|mandate|presidency|service|stay)|"
    r"retir(?:e|es|ed|ing)|discharged?|repealed|abrogated|revoked|lapsed|"
    r"terminó|terminaron|finalizó|acabó|expiró|concluyó|cesó|derogad[oa]|terminée?|pris\s+fin|finie?|expiré|cessé|"
    r"abrogée?|endete[n]?|beendet|ausgelaufen|terminat[oa]|finit[oa]|scadut[oa]|terminou|acabou|eindigde"
)
#: The words between such a verb and its time: "concluded their leadership one year prior to", "end date that is".
_BETWEEN: Final = (
    r"(?:\s+dates?\s+(?:that|which)\s+(?:is|are|was|were|falls?|fell|lies|lay|comes?|came)\b)?"
    r"(?:[^\S\n]+(?!and\b|or\b|who\b|which\b|that\b|when\b)[\w'’.&-]+){0,10}[^\S\n]*\Z"
)
_CUE: Final = lazy_regex(rf"(?<![\w-])(?:(?P<start>{_START})|(?P<end>{_END}))(?![\w-]){_BETWEEN}", re.IGNORECASE)
#: What was so for all of a time: "throughout 2003", "the entire year of 2003".
_WHOLE: Final = lazy_regex(
    r"(?<![\w-])(?:throughout|all\s+(?:of|through)|(?:entire|whole|full)(?:\s+(?:year|month|day|period)s?)?(?:\s+of)?|"
    r"entirety\s+of)(?:\s+the)?\s*\Z",
    re.IGNORECASE,
)
#: "The end of 2016" is a part of the year; "at the beginning of" likewise.
_PART: Final = lazy_regex(r"(?:the|at|its|their)\s+(?:very\s+)?\Z", re.IGNORECASE)
_PART_OF: Final = lazy_regex(r"\s+of\b", re.IGNORECASE)


def find_edge(lead: str) -> Edge | None:
    """The end that the words before a time speak of, or "whole" for all of it; None where they speak of neither.

    >>> [find_edge(lead) for lead in ("Which team did she join in ", "whose term ended exactly ", "who won in ")]
    ['start', 'end', None]
    >>> find_edge("who was in office during the entire year of ")
    'whole'
    """
    if _WHOLE.search(lead):
        return "whole"
    found: Edge | None = None
    place = 0
    while (match := _CUE.search(lead, place)) is not None:
        kind: Edge = "start" if match["start"] else "end"
        end = match.end(kind)
        if not (_PART.search(lead, 0, match.start()) and _PART_OF.match(lead, end)):
            found = kind
        place = end
    return found


_EDGE_WORD: Final = lazy_regex(rf"(?:{_START}|{_END})", re.IGNORECASE)


def is_edge_word(word: str) -> bool:
    """Whether a word alone says that something begins or ends.

    >>> [is_edge_word(word) for word in ("resigned", "discharged", "elected")]
    [True, True, False]
    """
    return _EDGE_WORD.fullmatch(word) is not None
