"""Windows of stated length that the words around a date make of it.

English: "in the three months before X", "within a year of X", "X, give or take two months". Chinese, behind a date:
之前三個月, 前後各兩年, 的翌年, 起半年內.
"""

from __future__ import annotations

import re

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.reading.chinese.text import HAN, parse_number
from epochal.reading.english.lexicon import CARDINALS
from epochal.reading.expression import FILLER, Relation, TimeExpr, is_modifier
from epochal.reading.questions.margins import (
    Margin,
    after,
    around,
    before,
    first_part,
    from_start,
    get_adjacent_unit,
    last_part,
    shift_away,
    to_end,
)
from epochal.reading.questions.question import StatedWindow
from epochal.times.axis import Certainty, Grain
from epochal.times.span import Span

__all__ = ["find_chinese_window", "find_english_window", "find_window"]


#: As far back as the words of a window are looked for.
_CONTEXT_CHARS = 100
_UNITS: dict[str, tuple[int, Grain]] = {
    "hour": (1, Grain.HOUR),
    "day": (1, Grain.DAY),
    "week": (1, Grain.WEEK),
    "fortnight": (2, Grain.WEEK),
    "month": (1, Grain.MONTH),
    "quarter": (1, Grain.QUARTER),
    "season": (1, Grain.SEASON),
    "half-year": (6, Grain.MONTH),
    "half year": (6, Grain.MONTH),
    "year": (1, Grain.YEAR),
    "decade": (1, Grain.DECADE),
    "centur": (1, Grain.CENTURY),
}
_VAGUE = {"a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "several": 5}
_ONES = "|".join(sorted((word for word, value in CARDINALS.items() if value <= 100), key=len, reverse=True))
_TENS = "|".join(word for word, value in CARDINALS.items() if value in range(20, 100, 10))
_COUNT = rf"\d{{1,4}}(?:\.\d)?|{'|'.join(_VAGUE)}|(?:an?\s+)?(?:hundred|dozen)|an?|(?:(?:{_TENS})[ -])?(?:{_ONES})"
_HALF = r"\s+and\s+a\s+half"
_AMOUNT = (
    rf"(?:(?P<half>half(?:\s+an?|\s+the)?)\s+(?:of\s+)?"
    rf"|(?P<count>{_COUNT})(?P<and_half>{_HALF})?[\s-]+(?:(?:full|whole|entire)\s+)?)?"
    rf"(?P<unit>half[ -]year|hour|day|week|fortnight|month|quarter|season|year|decade|centur(?=y|ies))"
    rf"(?P<many>s|ies)?y?(?P<and_more>{_HALF})?"
)
_WHICH = (
    r"(?:(?P<first>first|initial|opening)|(?P<last>last|final|closing)|(?P<previous>previous|preceding|prior)|"
    r"(?P<next>next|following|subsequent|succeeding)|entire|whole|full|past)"
)
_BEHIND_AMOUNT = (
    r"(?:(?P<both>(?:before|prior\s+to)\s+(?:and|or)\s+after|(?:on\s+)?(?:either|each)\s+side\s+of|"
    r"(?:on\s+)?both\s+sides\s+of|around|surrounding|either\s+way\s+of)"
    r"|(?P<before>before|prior\s+to|previous\s+to|preceding|leading\s+up\s+to|leading\s+to|running\s+up\s+to"
    r"|ahead\s+of)"
    r"|(?P<after>after|following|since|subsequent\s+to|succeeding)"
    r"|(?P<start>from|starting\s+(?:in|on|from|with)|beginning\s+(?:in|on|from|with))"
    r"|(?P<end>to|up\s+to(?:\s+and\s+including)?|until|till|through|ending(?:\s+(?:in|on|with))?"
    r"|ended(?:\s+(?:in|on))?)"
    r"|(?P<inside>of|in))"
)
_LED = lazy_regex(
    r"(?<![\w-])(?P<within>(?:(?:only|just)\s+)?(?:within|inside|during|in|for|(?:over|across"
    r"|throughout)(?=\s+the))\s+)?"
    r"(?P<limit>(?:up\s+to|at\s+most|no\s+more\s+than|not\s+more\s+than|less\s+than|under)\s+)?"
    rf"(?P<the>(?:the|those|that)\s+)?(?:{_WHICH}\s+)?{_AMOUNT}\s+(?:(?:immediately|just|right|directly|shortly)\s+)?"
    rf"{_BEHIND_AMOUNT}{FILLER}",
    re.IGNORECASE,
)
_UNIT_WORD = lazy_regex(r"(?:hour|day|week|fortnight|month|quarter|season|year|decade|centur)", re.IGNORECASE)
_GIVE_OR_TAKE = lazy_regex(
    rf"\s*,?\s*(?:give\s+or\s+take|plus\s+or\s+minus|plus/minus|±|\+/-)\s*{_AMOUNT}(?!\w)", re.IGNORECASE
)
_AND_MORE = lazy_regex(
    rf"\s+and\s+(?:in\s+)?the\s+(?:{_WHICH}\s+)?{_AMOUNT}"
    r"(?:\s+(?:(?P<before>before(?:hand)?|that\s+preceded|leading\s+up\s+to\s+it)|(?P<after>after(?:wards?)?"
    r"|that\s+followed|"
    r"thereafter|following)))?(?=\s*(?:[?.,;:!)]|\Z))",
    re.IGNORECASE,
)
_ROUGHLY = lazy_regex(r"(?<![\w-])(?:around|about|circa|approximately|in|on|from)\s+(?:the\s+)?\Z", re.IGNORECASE)


def find_english_window(
    text: str, start: int, end: int, span: Span, *, names: bool = False, rough: bool = False
) -> StatedWindow | None:
    """The window that words around a date make of it; None where they make none.

    `names` is true where the date only identifies a thing: what came after the 1906 earthquake may lie in 1906.
    `rough` is true where words such as "around" made the date approximate; a stated length says how far.
    """
    if match := _GIVE_OR_TAKE.match(text, end):
        margin = _read_margin(match)
        if rough:
            span = span.with_certainty(
                *(Certainty(doubt & Certainty.UNCERTAIN) for doubt in (span.certainty, span.end_certainty))
            )
        return (
            None
            if margin is None
            else StatedWindow("around", around(span, margin), _find_start(text, start), match.end())
        )
    if match := _AND_MORE.match(text, end):
        return _make_following_window(match, _find_start(text, start), span)
    low = max(0, start - _CONTEXT_CHARS)
    lead = text[low:start]
    if not _UNIT_WORD.search(lead):
        return None
    lead_match = _LED.search(lead)
    if lead_match is None:
        return None
    window = _make_leading_window(lead_match, span, names)
    return None if window is None else StatedWindow(*window, start if names else low + lead_match.start(), end)


def _make_leading_window(match: re.Match[str], span: Span, names: bool) -> tuple[Relation, Span] | None:
    margin = _read_margin(match, alone=bool(match["the"] or match["previous"] or match["next"]))
    if margin is None:
        return None
    within = (match["within"] or "").strip().lower()
    # "Two years after 1998" is 2000; "a few days after" is any of them.
    is_window = bool(match["the"] or within or match["limit"] or match["first"] or match["last"] or margin.is_rough)
    if match["both"] or (match["inside"] and within.endswith("within") and not match["the"]):
        return "around", around(span, margin)
    if match["inside"]:
        return _make_inside_window(match, span, margin)
    if match["before"] or match["after"] or (match["start"] and not is_window):
        if not is_window:
            return "during", shift_away(span, margin, -1 if match["before"] else 1)
        found = before(span, margin) if match["before"] else after(span, margin)
        if names:
            found = Span.between(found, span) if match["before"] else Span.between(span, found)
        return "before" if match["before"] else "after", found
    if not is_window or (match["end"] and not match["the"]):
        return None
    return "during", from_start(span, margin) if match["start"] else to_end(span, margin)


def _make_inside_window(match: re.Match[str], span: Span, margin: Margin) -> tuple[Relation, Span] | None:
    """The first months of a year; the previous year of another."""
    if match["first"] or match["last"]:
        part = (first_part if match["first"] else last_part)(span, margin)
        return None if part is None else ("during", part)
    if match["count"] or match["half"] or not (match["previous"] or match["next"]):
        return None
    return "during", get_adjacent_unit(span, _UNITS[match["unit"].lower()][1], 1 if match["next"] else -1)


def _make_following_window(match: re.Match[str], begin: int, span: Span) -> StatedWindow | None:
    margin = _read_margin(match, alone=True)
    is_before = bool(match["before"] or match["previous"])
    if margin is None or not (is_before or match["after"] or match["next"]):
        return None
    if is_before:
        return StatedWindow("before", Span.between(before(span, margin), span), begin, match.end())
    return StatedWindow("after", Span.between(span, after(span, margin)), begin, match.end())


def _find_start(text: str, start: int) -> int:
    low = max(0, start - 24)
    match = _ROUGHLY.search(text[low:start])
    return start if match is None else low + match.start()


def _read_margin(match: re.Match[str], *, alone: bool = False) -> Margin | None:
    """The length that an amount states; a unit alone is one, where it may stand alone, and several are no length."""
    size, grain = _UNITS[match["unit"].lower()]
    half = 0.5 if match["and_half"] or match["and_more"] else 0.0
    if match["half"]:
        return Margin.of(size / 2, grain)
    if match["count"] is None:
        return None if match["many"] or not alone else Margin.of(size * (1 + half), grain)
    words = " ".join(match["count"].lower().replace("-", " ").split())
    if words in _VAGUE:
        return Margin.of(size * _VAGUE[words], grain, is_rough=True)
    count = 1.0 if words in ("a", "an") else float(words) if words[0].isdigit() else float(_parse_count(words))
    return Margin.of(size * (count + half), grain) if count else None


def _parse_count(words: str) -> int:
    return sum(CARDINALS[word] for word in words.split() if word not in ("a", "an"))


_HAN_UNITS: dict[str, tuple[int, Grain]] = {
    "年": (1, Grain.YEAR),
    "载": (1, Grain.YEAR),
    "月": (1, Grain.MONTH),
    "季": (1, Grain.QUARTER),
    "季度": (1, Grain.QUARTER),
    "周": (1, Grain.WEEK),
    "星期": (1, Grain.WEEK),
    "礼拜": (1, Grain.WEEK),
    "旬": (10, Grain.DAY),
    "天": (1, Grain.DAY),
    "日": (1, Grain.DAY),
    "昼夜": (1, Grain.DAY),
    "小时": (1, Grain.HOUR),
    "钟头": (1, Grain.HOUR),
    "世纪": (1, Grain.CENTURY),
    "甲子": (60, Grain.YEAR),
}
#: Each with what makes it another word: 三年级, 两周年, 三季稻, 五日本.
_UNIT = (
    r"(?:年(?![级代头轻龄糕薪均审检货夜关华卡终宵纪度])|载(?![人物货重客入誉歌])|季度|季(?![节军后稻])"
    r"|周(?![年岁边围期末])|星期(?![一二三四五六日天])|礼拜(?![一二三四五六日天])|旬|天(?![津河下子王主皇])"
    r"|日(?![本军元语历报])|昼夜|小时|钟头|世纪|甲子)"
)
#: 三月 is a month of the year as soon as a day or a part of it follows.
_BARE_MONTH = rf"月(?![份初底末上中下0-9{HAN}])"


def _read_amount(name: str) -> str:
    counted = rf"(?:[0-9]{{1,4}}(?:\.[0-9])?|[{HAN}]{{1,5}}|[几数])"
    return (
        rf"(?:(?P<{name}_half>半)个?(?P<{name}_half_unit>{_UNIT}|月)|(?P<{name}_count>{counted})[多余]?"
        rf"(?:(?P<{name}_mid>个半)(?P<{name}_mid_unit>{_UNIT}|月)|个(?P<{name}_of>{_UNIT}|月份?)"
        rf"|(?P<{name}_unit>{_UNIT}|(?<![0-9]){_BARE_MONTH})(?P<{name}_and>半(?![导信数年天个月]))?))"
    )


_FEW = 3
_DIGITS = "一二三四五六七八九"
_HAN_AMOUNT = _read_amount("one")
#: Words before an amount that add no length to it.
_SOME = (
    r"(?:(?:不超过|不多于|不到|不出|至多|最多|大约|大概|约|近|仅|整整|整|足足|连续|紧接着?|接下来|接着|随后|过去|最近|"
    r"未来|头|最初|最后|那|这)的?){0,3}"
)
_LEAD_ON = r"(?:接下来|接着|随后|过去|最近|其后|此后|此前)"
_TAIL = (
    r"(?:的?(?:时间|光阴|功夫)?(?:之内|以内|内(?![地阁战蒙部容政外务廷乱宫])|之间|期间|间(?![谍接隙距])|之中|当中"
    r"|中(?=[，,。？?；的有发都所])|里头|里面|里(?![约根昂斯程海])|以来)|的?时间)?"
)
#: A date may be taken up once more before it is bound (2014年3月这个月之前, 康熙六年那一年的次年), or be what is
#: counted from (以1998年5月为中心，前后两个月).
_AGAIN = (
    r"\s*份?(?:[这那该](?:一年|个月|一个月|年|月|天|一天|日)|当[年月日天])?"
    r"(?:[为作](?:中心|中点|中轴|轴心?|界限?|分界|准|基准|基点|参照)[，,]?(?:的|在)?(?:其|向)?)?"
)
_BEFORE = r"之前|以前|此前|(?:再?[往向][前回]|上溯|回溯|前推|倒推)(?:推移?|数|算|看|追溯)?"
_AFTER = r"之后|以后|过后|其后|此后|随后|接下来|(?:再?[往向]后|后推|下推)(?:推移?|数|算|看|顺延)?"
_AND = r"(?:以及|及|和|与|暨)?"

_AROUND = lazy_regex(
    rf"{_AGAIN}(?:的|之)?(?:(?:前后|左右|上下)(?:的|这|那)?{_SOME}(?:各|各自)?{_SOME}{_HAN_AMOUNT}"
    rf"|前{_SOME}{_read_amount('low')}(?:[和与及、至到]|以及|直到)?后{_SOME}{_read_amount('high')}){_TAIL}"
)
_SIDE = lazy_regex(
    rf"{_AGAIN}(?P<and>{_AND})(?P<of>的)?"
    rf"(?:(?P<before>{_BEFORE})|(?P<after>{_AFTER})|(?P<first>前)|(?P<last>后))"
    rf"(?:的|之|为止|[，,]\s*(?={_LEAD_ON}))?{_SOME}{_HAN_AMOUNT}(?P<tail>{_TAIL})"
)
_FROM = lazy_regex(
    rf"{_AGAIN}(?:起|以来|开始|起算|伊始|[为作](?:起点|始点|开端))[，,]?(?:的|之)?{_SOME}{_HAN_AMOUNT}{_TAIL}"
)
_UP_TO = lazy_regex(
    rf"{_AGAIN}(?P<end>为止|止|[为作](?:终点|止点))?[，,]?(?:的|之)?(?:前|{_LEAD_ON})?的?{_SOME}{_HAN_AMOUNT}{_TAIL}"
)
_INSIDE = lazy_regex(
    rf"{_AGAIN}(?:的|之)?(?:(?P<first>头|最初|最先|开头|起初)|(?P<last>最后|最末|末尾|末))的?{_HAN_AMOUNT}{_TAIL}"
)
_AWAY = lazy_regex(rf"{_AGAIN}(?:的|之)?{_HAN_AMOUNT}(?:之|以)?(?:(?P<before>前)|(?P<after>后))(?![{HAN}0-9几数后])")
_BESIDE = lazy_regex(
    rf"{_AGAIN}(?P<of>的|之)?(?P<word>(?:(?P<previous>上一?个?)|(?P<next>下一?个?|第二个?|[次翌隔]))"
    r"(?P<unit>年度?|月份?|季度|季(?!节)|周(?![年岁边围期末])|星期|礼拜|日(?!本)|天(?!下)|世纪)"
    r"|(?<=[的之])(?:(?P<last_year>去年)|(?P<next_year>[明来]年)))"
)
_HAN_LED = lazy_regex(r"(?P<until>截[至止]到?)\Z|(?:在|于|自从?|从|由|距离?|以)\Z")


def find_chinese_window(plain: str, start: int, end: int, span: Span) -> StatedWindow | None:
    """The window that words behind a date make of it, in a text of simplified characters; None where they make none."""
    led = _HAN_LED.search(plain[max(0, start - 3) : start])
    begin = start if led is None else start - len(led[0])
    if match := _AROUND.match(plain, end):
        return _make_around_window(match, begin, span)
    if match := _SIDE.match(plain, end):
        return _make_side_window(match, begin, span)
    for pattern, made in _MADE:
        if match := pattern.match(plain, end):
            margin = _read_chinese_margin(match)
            return None if margin is None else made(match, begin, span, margin)
    if match := _BESIDE.match(plain, end):
        return _make_adjacent_window(match, begin, span)
    if (match := _UP_TO.match(plain, end)) and (match["end"] or (led is not None and led["until"])):
        margin = _read_chinese_margin(match)
        return None if margin is None else StatedWindow("during", to_end(span, margin), begin, match.end())
    return None


def _make_around_window(match: re.Match[str], begin: int, span: Span) -> StatedWindow | None:
    both = match["low_count"] or match["low_half"]
    low, high = (
        (_read_chinese_margin(match, "low"), _read_chinese_margin(match, "high"))
        if both
        else (_read_chinese_margin(match), None)
    )
    if low is None or (both and high is None):
        return None
    return StatedWindow("around", around(span, low, high), begin, match.end())


def _make_window_from(match: re.Match[str], begin: int, span: Span, margin: Margin) -> StatedWindow | None:
    return StatedWindow("during", from_start(span, margin), begin, match.end())


def _make_part_window(match: re.Match[str], begin: int, span: Span, margin: Margin) -> StatedWindow | None:
    part = (first_part if match["first"] else last_part)(span, margin)
    return None if part is None else StatedWindow("during", part, begin, match.end())


def _make_shifted_window(match: re.Match[str], begin: int, span: Span, margin: Margin) -> StatedWindow | None:
    """The time three years after another; a few days before one is any of them."""
    is_before = bool(match["before"])
    if margin.is_rough:
        near = before(span, margin) if is_before else after(span, margin)
        return StatedWindow("before" if is_before else "after", near, begin, match.end())
    return StatedWindow("during", shift_away(span, margin, -1 if is_before else 1), begin, match.end())


_MADE = ((_FROM, _make_window_from), (_INSIDE, _make_part_window), (_AWAY, _make_shifted_window))


def _make_side_window(match: re.Match[str], begin: int, span: Span) -> StatedWindow | None:
    margin = _read_chinese_margin(match)
    if margin is None:
        return None
    # 2014年前三个月 are its first months, 2014年3月前三个月 those before it.
    if match["first"] and not match["and"] and (part := first_part(span, margin)):
        return StatedWindow("during", part, begin, match.end())
    inside = match["last"] and not match["and"] and (match["one_half"] or (match["of"] == "的" and not match["tail"]))
    if inside and (part := last_part(span, margin)):
        return StatedWindow("during", part, begin, match.end())
    is_before = bool(match["before"] or match["first"])
    found = before(span, margin) if is_before else after(span, margin)
    if match["and"]:
        found = Span.between(found, span) if is_before else Span.between(span, found)
    return StatedWindow("before" if is_before else "after", found, begin, match.end())


def _make_adjacent_window(match: re.Match[str], begin: int, span: Span) -> StatedWindow | None:
    unit = match["unit"] or "年"
    _, grain = _HAN_UNITS.get(unit) or _HAN_UNITS[unit[0]]
    if 10 * span.seconds > 11 * grain.seconds and span.coarsest_grain > grain:
        return None  # the month after a year is none that anybody names so
    sign = -1 if match["previous"] or match["last_year"] else 1
    # The reader of dates counts 次年 from the date before it, so it knows 次年三月 too; 下个月 it counts from now.
    return StatedWindow("during", get_adjacent_unit(span, grain, sign), begin, match.end(), match["word"][0] in "次翌")


def _read_chinese_margin(match: re.Match[str], name: str = "one") -> Margin | None:
    """The length that an amount states; None where its number is none."""
    unit = match[f"{name}_half_unit"] or match[f"{name}_mid_unit"] or match[f"{name}_of"] or match[f"{name}_unit"]
    size, grain = _HAN_UNITS.get(unit) or _HAN_UNITS[unit[0]]
    if match[f"{name}_half"]:
        return Margin.of(size / 2, grain)
    words = match[f"{name}_count"]
    count: float | None
    if words in ("几", "数"):
        count, is_rough = _FEW, True
    elif len(words) == 2 and words.replace("两", "二") in _DIGITS and words[-1] != "〇":
        count, is_rough = parse_number(words[-1]), True  # 两三天: three at most
    else:
        count, is_rough = parse_number(words), False
    if not count or (grain is Grain.YEAR and count >= 1000):
        return None
    half = 0.5 if match[f"{name}_mid"] or match[f"{name}_and"] else 0.0
    return Margin.of(size * (count + half), grain, is_rough)


def find_window(plain: str, item: TimeExpr) -> StatedWindow | None:
    """The window of an expression in a text of simplified characters; None where there is none, or time ends before
    it.
    """
    span = item.span
    if span is None or span.is_open:
        return None
    try:
        if not plain.isascii():
            found = find_chinese_window(plain, item.start_char, item.end_char, span)
            if found is not None:
                return found
        names, rough = is_modifier(plain, item), item.mod == "APPROX"
        return find_english_window(plain, item.start_char, item.end_char, span, names=names, rough=rough)
    except TimeRangeError:  # the axis has no room for what the words say
        return None
