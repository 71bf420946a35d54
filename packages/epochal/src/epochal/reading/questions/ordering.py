"""The order that a question asks for: the newest or oldest of something, the n-th, the last before, the first after."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from epochal.lazy import lazy_regex
from epochal.reading.chinese.text import HAN, parse_number
from epochal.reading.english.lexicon import CARDINALS
from epochal.reading.questions.constraints import Bound
from epochal.reading.questions.languages import find_language, find_order_words
from epochal.reading.questions.question import Order, OrderKind
from epochal.times.span import Span
from epochal.times.words import format_ordinal

__all__ = ["blank_order", "find_order", "list_firsts", "list_numbered"]

_ONES = "second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_ORDINALS = {word: number for number, word in enumerate(_ONES, 2)}
_NTH = rf"(?P<nth>{'|'.join(_ORDINALS)}|\d{{1,3}}(?:st|nd|rd|th))"
_SMALL = [word for word, value in CARDINALS.items() if 2 <= value <= 12]
_COUNT = rf"(?:\s+(?P<count>\d{{1,3}}|{'|'.join(_SMALL)}|few|couple(?:\s+of)?))?"
_OWNED = r"(?:\b(?:the|an?|his|her|its|their|our|my|your|whose|which|what|very|this|that)\s+|['’]s?\s+)"
#: Behind "first" or "last" these make a name, a rank, a share or a place in a text of it, and no order in time.
_NO_FIRST = (
    r"(?!['’\w-]|\s+(?:world\s+war|lad(?:y|ies)|gentleman|names?|aid|class|half|quarter|thirds?|order|floor|"
    r"amendment|nations?|hand|degree|cousins?|languages?|grade|graders?|person\s+(?:singular|plural|narrat\w+|shooter)|"
    r"base(?:man|men)?|responders?|principles?|place(?!\s+(?:in\s+)?(?:where|that))|century|millennium|baptist|"
    r"presbyterian|balkan|punic|crusade|republic|reich|temple|(?:and|or)\s+(?:foremost|last\s+names?)|"
    r"letters?(?!\s+(?:after|since|from|by|to)\b)|lines?|"
    r"of\s+all|come,?\s+first\s+served|sight|thing|minister|secretary|officer|quality|rate(?!\s+(?:of|that|set|was|for|by|in)\b)|principle|mover)\b)"
)
_NO_LAST = (
    r"(?!['’\w-]|\s+(?:names?|minutes?|resort|words?|straw|rites|will|samurai|supper|judg[e]?ment|mohicans?|letters?|"
    r"lines?|places?|long(?:er)?|for\b|until|till|through|from|in\s+(?:line|place)|of\s+the\s+mohicans|unto|"
    r"(?:about|around|almost|over|approximately)\s+\w+\s+(?:hours?|days?|weeks?|months?|years?))\b)"
)
#: "Second largest" is a rank, "second most recent" an order.
_NO_NTH = (
    r"(?!['’\w-]|\s+(?:world\s+war|half|halves|quarter|thirds?|floor|grade|graders?|party|parties|degree|cousins?|"
    r"languages?|person|place|base(?:man|men)?|century|centuries|millennium|amendment|world|of\s+(?:all|the|its|a)|"
    r"hand|class|nature|opinions?|thoughts?|temple|reich|republic|crusade|street|avenue|st\b|ave\b|dimension|row|"
    r"wheel|homes?|generation|infantry|division|regiment|battalion|brigade|army|fleet|corps|parallel|"
    r"(?:to|from)[\s-]|last|latest|newest|most\s+|(?:largest|biggest|highest|tallest|longest|smallest|best"
    r"|richest|deepest|busiest|fastest|"
    r"oldest\s+(?:person|man|woman)|leading|lowest|greatest|strongest|heaviest|worst|top)))"
)
_UNITS = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?|decades?|centur(?:y|ies)|seasons?)"
#: Beside these, an order is none but of a length: "the first few minutes"; "the first board minutes" and "the first
#: minutes of the Harbour Committee" are a text.
_LENGTH_OF_TIME = (
    rf"(?!\s+(?:(?:\w+\s+)?(?!minutes?\b){_UNITS}|"
    rf"(?:(?:\d+|few|couple\s+of|several|{'|'.join(_SMALL)})\s+)?minutes?\b(?!\s+of\s+(?:the\s+|our\s+)?(?-i:[A-Z])))\b)"
)
_PERSON = (
    r"(?!\s+(?:\w+\s+)?(?:person|people|man|men|woman|women|humans?|child|children|kids?|sons?|daughters?|brothers?|"
    r"sisters?|siblings?|siblings|players?|actors?|actress(?:es)?|living|alive|citizens?|animals?|dogs?|cats?"
    r"|trees?)\b)"
)
#: "Who last won", "was last updated": "last" before a verb is the last time, behind "did it" and at the end a length.
_VERB = (
    r"(?:\w+ed|won|win|wins|beat|held|hold|host|hosts|made|make|went|go|got|get|play|saw|seen|see|came|come|met|wrote|"
    r"written|built|found|led|lost|took|taken|shown|sung|spoke|spoken|known|paid|sold|sent|sat|ran|run|rose|fell|"
    r"appear|visit|happen|occur|update|change|release|publish|compete|qualify|reach|score|serve|use|work|meet|"
    r"revise|amend|raise|cut|set|put|hit|erupt|land|fly|flew|flown|sell|speak|write|take|lose|have|had|be|"
    r"elect|vote|check|log|open|close|call|talk|mention|report|issue)"
)

_VERSION = r"(?:version|release|edition|issue|build|draft|revision|iteration|generation|model|text|wording|status)"

#: "By 2018 at the latest" is a limit.
_NO_LIMIT = r"(?<!\bat\sthe\s)(?<!\bat\sthe\svery\s)"

_ENGLISH = lazy_regex(
    r"(?P<penultimate>\b(?:penultimate|(?:second|next)[\s-]to[\s-](?:the[\s-])?last|last\s+but\s+one|"
    r"(?:second|2nd)[\s-](?:last|latest|newest|most[\s-]recent)|(?:one|version|release)\s+before\s+last)\b)"
    rf"|(?P<nth_end>\b{_NTH}[\s-](?:(?:to|from)[\s-](?:the[\s-])?)?(?:last|latest|newest|most[\s-]recent)\b)"
    rf"|(?P<nth_start>\b{_NTH.replace('nth', 'start')}[\s-](?:oldest|earliest)\b{_PERSON})"
    rf"|(?P<latest>(?:\b(?P<before_count>\d{{1,3}}|{'|'.join(_SMALL)})\s+)?\b(?:{_NO_LIMIT}latest|newest"
    rf"|most[\s-]recent(?:ly)?|most[\s-]current|most[\s-]up[\s-]to[\s-]date)\b"
    + _COUNT
    + rf"|\b(?:(?:current|up-to-date)\s+(?:(?!of\b|to\b|on\b|in\b)[\w.+-]+\s+){{0,3}}?|the\s+present\s+){_VERSION}\b"
    + rf"|\b{_VERSION}\b[^?.;]{{0,60}}?\b(?:is|was|are|were)\s+(?:the\s+)?(?:current|up[\s-]to[\s-]date)(?:\s+one)?\b"
    + rf"|\b{_VERSION}\s+current\b|\b{_VERSION}\b(?:\s+[\w.+-]+){{0,6}}?\s+(?:now|today)\b)"
    + rf"|(?P<last>(?:(?<=^)|{_OWNED})last{_NO_LAST}{_LENGTH_OF_TIME}"
    + _COUNT.replace("count", "last_count")
    + rf"|\blast\s+{_VERB}\b|\blast\s+time\b|(?<!\blong\s)"
    r"(?:came|come|happened|published|released|issued|appeared|died)\s+(?:out\s+)?last\b)"
    rf"|(?P<first>{_NO_LIMIT}\bearliest\b|\boldest\b{_PERSON}|(?:\bat\s+)?(?<!\bin\sthe\s)\bfirst{_NO_FIRST}{_LENGTH_OF_TIME}"
    + _COUNT.replace("count", "first_count")
    + r"|\binitial\s+(?:[\w.+-]+\s+){0,3}?(?:version|release|edition|draft|revision|iteration|upload|commit)\b"
    + r"|\b(?:inaugural|maiden|debut)\b(?=\s+\w)|\b(?:came|come|happened)\s+first\b)"
    rf"|(?P<ordinal>(?:(?<=^)|{_OWNED}){_NTH.replace('nth', 'number')}{_NO_NTH}(?=\s+\w))"
    rf"|(?P<next>(?:(?<=^)|{_OWNED})(?:next|upcoming){_NO_LAST}(?!\s+(?:to|door|of\s+kin|few)\b)(?=\s+\w))"
    rf"|(?P<previous>(?:(?<=^)|{_OWNED})(?:previous|preceding|prior)(?=\s+\w)(?!\s+(?:to|{_UNITS})\b))",
    re.IGNORECASE,
)
#: What an English text without other letters has at least one of, in small letters, where it asks for an order.
_ORDER_PARTS = lazy_regex(
    rf"last|latest|newest|recent|current|date|present|now|today|penultimate|first|earliest|oldest|initial|inaugural|maiden|debut|"
    rf"next|upcoming|previous|preceding|prior|{'|'.join(_ORDINALS)}|\d(?:st|nd|rd|th)"
)
_NUMBERED = lazy_regex(rf"\b{_NTH}{_NO_NTH}\s+(?P<noun>\w[\w-]*)", re.IGNORECASE)
#: "The final release before May 2019"; alone, a final is also a match and an examination.
_FINAL = lazy_regex(r"\bthe\s+final\s+\w", re.IGNORECASE)
_AT_FIRST = lazy_regex(r"at\s+first\b", re.IGNORECASE)
#: "How long did it last?"
_LENGTH = lazy_regex(r"\bhow\s+(?:long|many\s+\w+)\b.*\blast\W*\Z", re.IGNORECASE)
#: A name: "the First Balkan War", "the Second Empire".
_NAME = lazy_regex(r"(?:First|Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth|Tenth|Last|Next)\s+[A-Z]")

_HAN_COUNTED = (
    r"[次个位任届版部条家款代座枚场艘批期集本首篇则則份條颗架辆台张幅届轮季章场起例则项种](?!世界大战|(?<=季)度)"
)
_HAN_NUMBER = rf"[0-9]{{1,3}}|[{HAN}]{{1,4}}"
_CHINESE = lazy_regex(
    rf"(?P<nth_end>倒数第(?P<end_number>{_HAN_NUMBER}))"
    r"|(?P<latest>最新|最近(?:的?一|[那这]?)[次个位任届版部条家款代场批期起]|最近的一|最后(?:的?一|[那这]|几)?[次个位任届版部条家款代场批期起]|最晚|上一?次|末代|末任|末次)"
    rf"|(?P<first>最早|最先|最初的|首[次个位届任部家款批座枚场例版]|初次|第[一1]{_HAN_COUNTED}|头[一]?[次个位届])"
    rf"|(?P<ordinal>第(?P<number>{_HAN_NUMBER}){_HAN_COUNTED})"
    r"|(?P<next>下一?[次届任版期场部](?!子))"
    r"|(?P<previous>上一[个位任届版部条款代期]|前一[个位任届版部条款代期]|前任)"
)
#: What a text may call the first of its kind: 首次提到, 首批国家公园, 第一轮投票.
_HAN_FIRST = lazy_regex(rf"(?:首[次个位届任部家款批座枚场例版]|第[一1]{_HAN_COUNTED})[\u3400-\u9fff]{{2}}")
_HAN_NUMBERED = lazy_regex(rf"第(?P<number>{_HAN_NUMBER})(?P<counted>{_HAN_COUNTED})")
#: A choice among what the question names itself, which no order of texts answers: 甲、乙和丙，哪个最早发生？
_WHICH = r"哪(?:个|個|一|项|項|件|些)"
_EXTREME = r"(?:[最更]早|[最更]晚|最先|最后|最後|在先|在前|先发生|先發生)"
_LISTED = r"(?:[、和与與跟及或]|还是|還是)"
_CHOICE = lazy_regex(
    rf"{_LISTED}[^。？?]*{_WHICH}[^。？?]*{_EXTREME}|{_LISTED}[^。？?]*{_EXTREME}(?:发生|發生|出现|出現)的?是{_WHICH}|{_WHICH}[^。？?，,：:]*{_EXTREME}[^。？?]*[，,：:][^？?]*{_LISTED}"
    r"|是(?:在|于)?同一(?:[年天日周]|个?月|個?月)"
)
_HAN_SIGN = lazy_regex(r"[\u3400-\u9fff]")
#: "The text right before 2019" is the last one before; what happened right before 2019 may be much.
_SINGLE = (
    r"\b(?:version|release|edition|revision|draft|text|wording|entry|issue|article|document|report|statement|update|"
    r"letter|record|decision|ruling|law|act|rules?|policy|agreement|terms(?:\s+of\s+\w+)?|contract|guidelines?)"
    r"\s+(?:immediately|right|just|directly)\s+"
)
_RIGHT_BEFORE = lazy_regex(rf"{_SINGLE}(?:before|preceding|prior\s+to)\b", re.IGNORECASE)
_RIGHT_AFTER = lazy_regex(rf"{_SINGLE}(?:after|following)\b", re.IGNORECASE)


class _Sign(NamedTuple):
    kind: OrderKind
    n: int = 1
    from_end: bool = False


#: The orders of the words of other languages.
_WORDS = {
    "newest": _Sign("newest"),
    "oldest": _Sign("oldest"),
    "previous": _Sign("nth", 2, from_end=True),
    "next": _Sign("first_after"),
}


def find_order(
    text: str, taken: Sequence[tuple[int, int]], bounds: Sequence[Bound] = (), now: Span | None = None
) -> Order | None:
    """The order that a question asks for, None where it asks for none.

    `taken` are the places of its time expressions: "last year" and "the first quarter" are times, no orders. `bounds`
    are its constraints in the order of the text: "the last before 1912" counts from that year.
    """
    is_choice = not text.isascii() and _CHOICE.search(text) is not None
    sign = None if is_choice else next(_read_signs(text, taken), None)
    if sign is None:
        if (anchor := _find_anchor(bounds, ("after", "since"))) and _RIGHT_AFTER.search(text):
            return Order("first_after", anchor=anchor)
        if (anchor := _find_anchor(bounds, ("before", "until"))) and (
            _FINAL.search(text) or _RIGHT_BEFORE.search(text)
        ):
            return Order("last_before", anchor=anchor)
        return None
    if sign.kind == "first_after":
        anchor = _find_anchor(bounds, ("after", "since")) or now
        return None if anchor is None else Order("first_after", sign.n, anchor=anchor)
    if sign.kind == "newest" and (anchor := _find_anchor(bounds, ("before", "until"))):
        return Order("last_before", sign.n, anchor=anchor)
    if sign.kind == "oldest" and (anchor := _find_anchor(bounds, ("after", "since"))):
        return Order("first_after", sign.n, anchor=anchor)
    return Order(sign.kind, sign.n, sign.from_end)


#: Words that ask for an order and for nothing else where a question asks for one.
_ORDER_WORD = lazy_regex(
    r"\b(?:first|earliest|oldest|initial|latest|newest|last|penultimate|inaugural|maiden)\b"
    r"|\A(?:First|Earliest|Oldest|Initial|Latest|Newest|Last|Penultimate|Inaugural|Maiden)\b(?!\s+[A-Z])"
)


#: The same in Chinese, with what they count: 最新的一条, 最后一则.
_HAN_ORDER = lazy_regex(
    rf"(?:最新|最近|最早|最先|最后|最後|最晚|最初)的?(?:[一那这]?{_HAN_COUNTED}(?=[的是关關有涉]|\Z|[^\u3400-\u9fff]))?|倒[数數]第(?:{_HAN_NUMBER}){_HAN_COUNTED}"
    rf"|第[一1][则則条條篇份](?!款)"
)


def blank_order(text: str) -> str:
    """The text of a question for an order, with spaces for the words that say which: they are no words of its topic.

    >>> blank_order("What was the first release?")
    'What was the       release?'
    """
    if code := find_language(text):
        for _, start, end in find_order_words(text, code):
            text = text[:start] + " " * (end - start) + text[end:]
    text = _ORDER_WORD.sub(lambda match: " " * len(match[0]), text)
    return text if text.isascii() else _HAN_ORDER.sub(lambda match: " " * len(match[0]), text)


def list_numbered(text: str) -> list[str]:
    """What a question numbers, in small letters and both forms: "the second ferry" may be called so, or the 2nd ferry.

    >>> list_numbered("When was the second ferry delivered?")
    ['second ferry', '2nd ferry']
    """
    found = []
    for match in _NUMBERED.finditer(text):
        number, noun = _parse_ordinal(match["nth"]), match["noun"].lower()
        word = _ONES[number - 2] if 2 <= number < 2 + len(_ONES) else ""
        found += [f"{one} {noun}" for one in (word, format_ordinal(number)) if one]
    if not text.isascii():
        for match in _HAN_NUMBERED.finditer(text):
            number = int(parse_number(match["number"]) or 1)
            found += [f"第{one}{match['counted']}" for one in dict.fromkeys((match["number"], str(number)))]
    return found


def list_firsts(text: str) -> list[str]:
    """What a Chinese question calls the first of its kind: a text that does so, too, is about it, however old it is.

    >>> list_firsts("北约峰会在何时首次提到中国？")
    ['首次提到']
    """
    return [] if text.isascii() else [match[0] for match in _HAN_FIRST.finditer(text)]


def _find_anchor(bounds: Sequence[Bound], relations: tuple[str, ...]) -> Span | None:
    """The time that a constraint of one of those relations counts from; a reference date is none."""
    return next(
        (bound.named[0] for bound in bounds if bound.constraint.relation in relations and not bound.is_as_of), None
    )


def _read_signs(text: str, taken: Sequence[tuple[int, int]]) -> Iterator[_Sign]:
    """The words of order outside time expressions and names, in the order of the text."""
    if code := find_language(text):
        for name, start, end in find_order_words(text, code):
            if not any(low < end and start < high for low, high in taken):
                yield _WORDS[name]
    if text.isascii() and not _ORDER_PARTS.search(text.lower()):
        return
    for match in _ENGLISH.finditer(text):
        word = next(at for at in range(match.start(), match.end()) if text[at].isalpha() or text[at].isdigit())
        # "Recently" is a time, "most recently" an order.
        inside = any(
            low < match.end() and word < high and not match.start() < low < high <= match.end() for low, high in taken
        )
        if inside or _NAME.search(match[0] + text[match.end() : match.end() + 2]) or _AT_FIRST.match(match[0]):
            continue
        if match["last"] and _LENGTH.search(text):
            continue
        yield _read_english(match)
    if text.isascii() or not _HAN_SIGN.search(text):
        return
    for match in _CHINESE.finditer(text):
        # 最近 is a time, 最近一次 an order.
        if not any(
            low < match.end() and match.start() < high and not match.start() <= low < high <= match.end()
            for low, high in taken
        ):
            yield _read_chinese(match)


def _read_english(match: re.Match[str]) -> _Sign:
    if match["penultimate"] or match["previous"]:
        return _Sign("nth", 2, from_end=True)
    if match["nth_end"]:
        return _Sign("nth", _parse_ordinal(match["nth"]), from_end=True)
    if match["nth_start"]:
        return _Sign("nth", _parse_ordinal(match["start"]))
    if match["latest"]:
        return _Sign("newest", _parse_count(match["before_count"] or match["count"]))
    if match["last"]:
        return _Sign("newest", _parse_count(match["last_count"]))
    if match["first"]:
        return _Sign("oldest", _parse_count(match["first_count"]))
    if match["next"]:
        return _Sign("first_after")
    number = _parse_ordinal(match["number"])
    return _Sign("nth", number) if number > 1 else _Sign("oldest")


def _read_chinese(match: re.Match[str]) -> _Sign:
    if match["previous"]:
        return _Sign("nth", 2, from_end=True)
    if match["nth_end"]:
        number = int(parse_number(match["end_number"]) or 1)
        return _Sign("nth", number, from_end=True) if number > 1 else _Sign("newest")
    if match["latest"]:
        return _Sign("newest")
    if match["next"]:
        return _Sign("first_after")
    number = 1 if match["first"] else int(parse_number(match["number"]) or 1)
    return _Sign("nth", number) if number > 1 else _Sign("oldest")


def _parse_ordinal(word: str) -> int:
    return _ORDINALS.get(word.lower()) or max(1, int(re.sub(r"\D", "", word)))


def _parse_count(word: str | None) -> int:
    if word is None:
        return 1
    plain = " ".join(word.lower().split())
    if plain.isdigit():
        return max(1, int(plain))
    return 3 if plain == "few" else 2 if plain.startswith("couple") else CARDINALS[plain]
