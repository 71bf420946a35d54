"""Versions that a question counts from: "since Django 3.1", "between 3.1 and 4.0", "自 Django 3.1 以来".

Such a version has a day, which only documents know (`epochal.search.version_anchors`). It is one only directly behind a
word of time, so that "errors before login in 2.0" has none. What such a word makes no time of is left: "deprecated
since 3.1" is about that version, "upgrading from 3.1 to 4.0" about both, and "after 2.5 hours" has no version.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from epochal.lazy import lazy_regex
from epochal.reading.shared.detect import detect_language

__all__ = ["VersionAnchor", "find_version_anchors"]


@dataclass(frozen=True, slots=True)
class VersionAnchor:
    """A version that a word of time is about, its `name` ("Django") as far as it is there, and the place of both.

    `text[start:end]` is what a date may replace. `moved` is the part of it that is about the topic, too, and `lead` a
    word of time that replaces one that no date has. `pair` numbers the words of time: two anchors of one are a range.
    """

    version: str
    name: str
    start: int
    end: int
    pair: int
    moved: str = ""
    lead: str = ""


#: Questions without such a sign have no version: this is all that most of them cost.
_HAS_VERSION = lazy_regex(r"[.vV]\d|(?:ers(?:ione?|ión|ão|ie)|elease|assung)\s\d")
#: Versions are looked for in so many characters, and words that say otherwise in so many before them.
_MAX_CHARS = 5000
_LEAD_CHARS = 200
#: Words of time with a version, at most: each is looked up in the index.
_MAX_PAIRS = 4

#: 3.1, 4.0.1, 2.0rc1, and behind "v" or "version" also 8; no address (10.0.0.1), date (3.1.2020) or
#: number with signs between its thousands (50.000).
_NUMBER = (
    r"(?!\d{1,3}(?:\.\d{1,3}){3}(?![\d.]))(?!\d{1,2}\.\d{1,2}\.(?:19|20)\d\d(?!\d))"
    r"(?!\d{1,3}(?:\.\d{3})+(?![\d.]))\d{1,4}(?:\.\d{1,5}){1,3}(?:[-.]?(?:a|b|rc|alpha|beta|post|dev|p)[-.]?\d+)?"
)
_VERSION_WORD = r"(?:version|release|versión|versão|versione|versie|fassung)"
_VERSION = (
    rf"(?:(?:{_VERSION_WORD}|v\.?|ver\.?)\s+[vV]?(?:{_NUMBER}|\d{{1,3}})|[vV]\d{{1,3}}(?:\.\d+){{0,3}}"
    rf"|{_NUMBER})"
)
_UNIT = (
    r"percent|per\s+cent|prozent|por\s+ciento|pour\s+cent|per\s+cento|procent|pct|pp|"
    r"(?:m|b|tr)illi?on(?:s|en|es|i)?|milh(?:ão|ões)|mill(?:ón|ones)|milliarden?|thousand|hundred|dozen|mio|mrd|bn|[mkx]|"
    r"seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|months?|quarters?|years?|decades?|centur(?:y|ies)|"
    r"stunden?|minuten?|sekunden?|tagen?|wochen?|monaten?|jahren?|heures?|jours?|semaines?|mois|ans?|années?|horas?|"
    r"minutos?|d[ií]as?|semanas?|mes(?:es)?|años?|anos?|ore|minuti|giorni|settimane|mesi|anni|uur|uren|dagen|weken|"
    r"maanden|ja(?:ar|ren)|[ap]\.?m\.?|uhr|h|o['’]clock|degrees?|grad|grados|celsius|fahrenheit|kelvin|points?|punkte?n?|"
    r"basis\s+points|kilomet(?:er|re)s?|kilometern?|met(?:er|re)s?|mil(?:e|es|as)|yards?|feet|foot|ft|inch(?:es)?|[kcm]m|"
    r"hectares?|acres?|kilo(?:gram)?s?|[km]?g|tonnes?|tons?|pounds?|lbs?|ounces?|oz|lit(?:er|re)s?|[mc]?l|"
    r"[kmgt]i?b(?:ytes?)?|[kmg]?hz|[km]?wh?|volts?|watts?|amps?|dollars?|euros?|cents?|francs?|franken|pesos|reais|yen|"
    r"eur|usd|gbp|chf|jpy|times|fold|stars?|goals?|people|laps?|magnitude|earthquakes?|quakes?"
)
#: A version that is not yet out, and what somebody did to a version, which had its own day.
_OTHER_DAY = (
    r"alpha|beta|rc|pre|dev|preview|candidate|(?:up|down)grad\w+|updat\w+|migrat\w+|install\w+|deploy\w+|rollout|"
    r"aktualisierung|einführung|umstieg"
)
_NO_VERSION = rf"(?![\w])(?![.,:/]\d|[/:\-]\w|\s*(?:[%°€$£¥‰′″×±]|\+/-)|\s*(?:{_UNIT})(?![\w-])|\s+(?:{_OTHER_DAY})\b)"
#: Words that are no part of a name, and what numbers parts of texts, degrees and places.
_NO_NAME = (
    r"(?!(?:in|on|of|for|with|without|to|and|or|the|an?|by|at|as|from|since|after|before|until|till|between|is|was|were|"
    r"are|be|been|has|have|had|i|we|you|he|she|it|they|my|our|your|his|her|its|their|this|that|than|about|over|under|"
    r"around|only|just|articles?|art|sections?|sec|chapters?|paragraphs?|para|clauses?|rules?|figures?|fig|tables?|pages?|"
    r"annex|appendix|items?|no|nr|number|magnitude|scores?|rooms?|lines?|levels?|grade|phase|ratio|price|value|"
    r"artikel|absatz|kapitel|artículo|articolo|artigo|capítulo|und|oder|et|ou|y|e|o|en|in|im|von|de|der|die|das|dem|des|"
    r"der|du|la|le|les|el|los|las|il|lo|gli|os|as|het|een|een|ein|eine|um|uma|un|una)\b)"
)
_NAME_WORD = rf"{_NO_NAME}[^\W\d_][\w+#'’\-]*(?:\.\w+)*"
_NAME = rf"(?:{_NAME_WORD}(?:\s+|[-@/](?=v?\d+\.\d)))"
_ARTICLE = (
    r"(?:(?:the|der|die|das|dem|la|le|les|el|il|lo|o|a|os|de|del|della|dalla|alla|l['’])\s*(?<=[\s'’]))?"
    r"(?:(?:first|initial|official|final|stable|general)\s+)?"
    r"(?:(?:release|releasing|launch|publication|arrival|appearance|veröffentlichung|lanzamiento|publicación|sortie|uscita|"
    r"lançamento|erscheinen)\s+(?:of|von|de|di|do|da|del)\s+)?"
)
_TAIL = (
    rf"(?:\s+(?:of|von|de|di|do|van)\s+(?P<of{{n}}>{_NAME_WORD})(?!\s+\d))?"
    r"(?:(?:['’]s)?\s+(?:release(?!\s+notes)|(?:was|is|were|got)\s+(?:first\s+)?(?:released|published|out|launched)|"
    r"(?:came|went)\s+out|appeared|shipped|launched|landed|wurde\s+veröffentlicht|erschien(?:en\s+ist)?)\b)?"
)


def _make_anchor(n: int) -> str:
    """The pattern of one version with what belongs to it; its groups are numbered."""
    return (
        rf"(?P<all{n}>{_ARTICLE}(?P<name{n}>{_NAME}{{0,3}}?)(?P<version{n}>{_VERSION}){_NO_VERSION}"
        + _TAIL.replace("{n}", str(n))
        + ")"
    )


_FROM = (
    r"from|starting\s+(?:with|from|at)|beginning\s+with|seit|ab|von|nach|vor|bis|depuis|à\s+partir\s+de|dès|après|avant|"
    r"jusqu['’]à|desde|a\s+partir\s+d[aeo]|después\s+de|antes\s+d[aeo]|depois\s+d[aeo]|hasta|após|até|d[ao]l(?:la)?|"
    r"dopo(?:\s+la)?|prima\s+d(?:i|ella|el)|fino\s+a(?:lla)?|sinds|vanaf|vóór|tot|na"
)
_SINGLE = lazy_regex(
    rf"(?<![\w-])(?P<word>since|after|before|until|till|up\s+to(?:\s+and\s+including)?|prior\s+to|preceding|following|"
    rf"(?P<later>(?:newer|later)\s+than)|(?P<earlier>(?:older|earlier)\s+than)|{_FROM})\s+{_make_anchor(1)}",
    re.IGNORECASE,
)
_RANGE = lazy_regex(
    rf"(?<![\w-])(?P<word>between|from|zwischen|von|entre|de|tra|fra|d[ao]l?|tussen|van)\s+{_make_anchor(1)}\s+"
    rf"(?:and|to|until|till|through|up\s+to|und|bis|et|à|jusqu['’]à|y|e|a|al|hasta|até|en|tot)\s+{_make_anchor(2)}",
    re.IGNORECASE,
)
_HAN_VERSION = rf"(?:版本?\s*)?[vV]?(?P<version{{n}}>{_NUMBER})\s*(?:版本?)?(?:的?(?:发布|發布|發佈|推出))?"
_HAN_NAME = r"(?P<name{n}>(?:[A-Za-z][\w+#\-]*(?:\.[A-Za-z]\w*)*\s*){0,3}?)"
_HAN_ANCHOR = _HAN_NAME + r"(?P<all{n}>" + _HAN_VERSION + ")"
_HAN_SINGLE = lazy_regex(
    rf"(?<![\w.])(?P<word>[自从從](?:\s*))?{_HAN_ANCHOR.replace('{n}', '1')}\s*"
    r"(?:[之以][后後前]|以[来來])",
    re.ASCII,
)
_HAN_PAIR = rf"{_HAN_ANCHOR.replace('{n}', '1')}\s*[到至和与與]\s*{_HAN_ANCHOR.replace('{n}', '2')}"
_HAN_RANGE = lazy_regex(
    rf"(?<![\w.])(?P<word>[自从從介在]\s*)?{_HAN_PAIR}\s*(?:(?:之间|之間|期间|期間)|(?(word)(?!\d)|(?!)))", re.ASCII
)

#: 早于 Django 4.0, whose name follows the date that replaces both.
_HAN_LED = lazy_regex(
    rf"(?P<word>[早晚][于於]|直到)\s*(?P<all1>{_HAN_NAME.replace('{n}', '1')}{_HAN_VERSION.replace('{n}', '1')})"
    r"(?![\w.%]|\s*[万萬亿億元年月日时時点點分秒小天周个個人度米克吨倍岁])",
    re.ASCII,
)

#: What is so since a version is said of it, and need not be repeated later.
_STATE = lazy_regex(
    r"\b(?:support(?:ed|s)?|available|deprecated|required|possible|allowed|obsolete|(?:the\s+)?default|works?|"
    r"unterstützt|verfügbar|veraltet|möglich|disponibles?|obsol[eè]t[oaes]*|dépréciée?s?|possibles?|soportad[oa]s?|"
    r"compatibles?|supportat[oaei]|deprecat[oaei]|disponibil[ei]|suportad[oa]s?|disponíve(?:l|is)|beschikbaar|ondersteund)"
    r"\s+\Z",
    re.IGNORECASE,
)
_SINCE = lazy_regex(
    r"since|from|starting.*|beginning.*|seit|ab|depuis|à.*|dès|desde|a\s+partir.*|d[ao]l.*|sinds|vanaf", re.IGNORECASE
)
#: Who moves from one version to another goes no way in time.
_MOVES = lazy_regex(
    r"\b(?:(?:up|down)grad\w*|bump\w*|updat(?:e|ed|ing)|migr\w+|mov(?:e|es|ed|ing)|switch\w*|port(?:s|ed|ing)?|convert\w*|jump\w*|"
    r"umst(?:eig|ieg|ell)\w*|wechs?el\w*|aktualisier\w*|passer|passage|mettre\s+à\s+jour|pasar|actualiz\w+|aggiorn\w+|"
    r"passare|atualiz\w+|overstap\w*|bijwerk\w*|升级|升級|迁移|遷移)",
    re.IGNORECASE,
)
#: What went from one number to another was measured.
_MEASURED = lazy_regex(
    r"\b(?:rang|increas|decreas|reduc|ris|rose|fell|fall|drop|declin|vari|vary|grew|grow|rais|lower|cut|improv|shr[aiu]nk"
    r")(?:\w*)(?:\s+by\s+\S+)?\s+\Z",
    re.IGNORECASE,
)
#: A choice of both sides, and a comparison of versions that asks for neither: "Is 3.1 newer than 3.0?"
_BOTH_SIDES = lazy_regex(r"\b(?:before|after|since|until)\s+(?:or|and)\s+\Z", re.IGNORECASE)
_COMPARES = lazy_regex(r"\b(?:is|are|was|were)\b(?!\s+there\b)[^,;?]*\Z", re.IGNORECASE)
_MOVING = lazy_regex(
    r"from|to|up\s+to|until|von|nach|bis|de|d[ao].*|naar|na|tot|van|hasta|até|jusqu.*|fino.*|desde|depuis"
)
#: Words of time in one language that are others in another: "na versão 3.1" is "in", in Portuguese.
_LANGUAGES = {"na": "nl", "ab": "de", "von": "de", "vor": "de", "nach": "de", "van": "nl", "tot": "nl", "bis": "de"}
_LEAD = lazy_regex(r"\A\D+")
_POSSESSIVE = lazy_regex(r"['’]s?(?=\s|\Z)")


def find_version_anchors(text: str) -> tuple[VersionAnchor, ...]:
    """The versions that words of time in a question are about, in the order of the text.

    >>> [(item.name, item.version) for item in find_version_anchors("What changed between Django 3.1 and 4.0?")]
    [('Django', '3.1'), ('', '4.0')]
    >>> find_version_anchors("errors before login in 2.0"), find_version_anchors("after 2.5 hours")
    ((), ())
    """
    text = text[:_MAX_CHARS]
    if _HAS_VERSION.search(text) is None:
        return ()
    found: list[VersionAnchor] = []
    taken = 0
    for pair, (match, is_han) in enumerate(_find_relations(text)):
        if match.start() >= taken and pair < _MAX_PAIRS:
            found += _read_chinese(match, pair) if is_han else _read(match, pair)
            taken = match.end()
    return tuple(found)


def _find_relations(text: str) -> list[tuple[re.Match[str], bool]]:
    """The words of time with their versions, in the order of the text, and whether they are Chinese."""
    patterns = [(_RANGE, False), (_SINGLE, False)]
    if not text.isascii():
        patterns += [(_HAN_RANGE, True), (_HAN_SINGLE, True), (_HAN_LED, True)]
    matches = [
        (match, is_han)
        for pattern, is_han in patterns
        for match in pattern.finditer(text)
        if _is_time(text, match, is_han=is_han)
    ]
    return sorted(matches, key=lambda item: (item[0].start(), -item[0].end()))


def _is_time(text: str, match: re.Match[str], *, is_han: bool) -> bool:
    """Whether the word of time of a match is one there."""
    word, lead = (match["word"] or "").strip().lower(), text[max(0, match.start() - _LEAD_CHARS) : match.start()]
    if is_han:
        return _MOVES.search(text, match.start(), match.end() + _LEAD_CHARS) is None and _MOVES.search(lead) is None
    if word in _LANGUAGES and detect_language(text).code != _LANGUAGES[word]:
        return False
    if (_SINCE.fullmatch(word) and _STATE.search(lead)) or (word in ("from", "between") and _MEASURED.search(lead)):
        return False
    groups = match.groupdict()
    if _BOTH_SIDES.search(lead) or ((groups.get("later") or groups.get("earlier")) and _COMPARES.search(lead)):
        return False
    return not (_MOVING.fullmatch(word) and _MOVES.search(lead))


def _read(match: re.Match[str], pair: int) -> list[VersionAnchor]:
    found = []
    groups = match.groupdict()
    for n in ("1", "2"):
        if groups.get(f"version{n}") is None:
            continue
        name = " ".join(_POSSESSIVE.sub("", f"{groups[f'name{n}']} {groups[f'of{n}'] or ''}").split())
        start, lead = match.start(f"all{n}"), ""
        if groups.get("later") or groups.get("earlier"):
            start, lead = match.start(), "after " if groups["later"] else "before "
        found.append(VersionAnchor(_cut(groups[f"version{n}"]), name, start, match.end(f"all{n}"), pair, name, lead))
    return found


def _read_chinese(match: re.Match[str], pair: int) -> list[VersionAnchor]:
    """A name before a Chinese word of time stays where it is: it may be the topic of what is before it, too."""
    groups, found = match.groupdict(), []
    for n in ("1", "2"):
        if groups.get(f"version{n}") is not None:
            name, (start, end) = " ".join(groups[f"name{n}"].split()), match.span(f"all{n}")
            moved = name if start <= match.start(f"name{n}") else ""
            found.append(VersionAnchor(_cut(groups[f"version{n}"]), name, start, end, pair, moved))
    return found


def _cut(version: str) -> str:
    """The number of a version, without the word or letter before it."""
    return _LEAD.sub("", version).lower()
