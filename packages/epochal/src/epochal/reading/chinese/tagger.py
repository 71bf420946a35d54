"""Modern Chinese, in both scripts: finds the time expressions of a text.

One pass: a character class finds the characters that can open an expression, a table says which rules to try there.
Every rule looks a bounded way ahead, so the cost is linear in the text. Words that set an expression in relation to
something (截至, 自…以来, 之前, 以后) are no part of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from epochal.lazy import lazy_regex
from epochal.reading.chinese.amounts import counted, every
from epochal.reading.chinese.clocks import DAYTIMES, clock_alone
from epochal.reading.chinese.dates import (
    century_or_decade,
    explicit_year,
    month_day,
    numeric_date,
)
from epochal.reading.chinese.lunar import HOLIDAYS, era_year, holiday_alone, lunar_date
from epochal.reading.chinese.relative import (
    bare_day,
    day_word,
    edge_alone,
    month_word,
    quarter_or_half,
    season_alone,
    vague,
    week_word,
    year_word,
)
from epochal.reading.chinese.text import HAN, TITLE, ChineseContext, RuleResult, plain_text
from epochal.reading.expression import TimeExpr
from epochal.reading.shared.values import Prefer
from epochal.reading.timex3 import year_value
from epochal.times.calendars.date_text import SEASONS
from epochal.times.numerals import BRANCHES, STEMS
from epochal.times.span import Span

__all__ = ["ChineseTagger"]

Rule = Callable[[ChineseContext, int], RuleResult | None]

_JOIN = "[-－–—~～]{1,2}|至|到"
_YEAR_RANGE = lazy_regex(
    rf"(?P<year>[12][0-9]{{3}})(?=(?:{_JOIN})\s?[12][0-9]{{3}}(?:年(?!级)|[）)]))|(?P<last>[12][0-9]{{3}})(?=[）)])"
)
_MONTH_RANGE = lazy_regex(rf"(?P<month>1[0-2]|[1-9])(?=(?:{_JOIN})(?:1[0-2]|[1-9])月(?!球))")
_CONNECTOR = lazy_regex(rf"\s?(?:{_JOIN}|[、和与及])\s?")
_ROUGH_BEFORE = lazy_regex(r"(?:约|大约|大概|大致)$")
#: 1989年前后 is a rough date, 1989年前后两年 a window of stated length.
_ROUGH_AFTER = lazy_regex(
    r"(?:左右|前后|上下(?!文|级|班))"
    rf"(?!(?:的|各|各自|不超过|大?约)*(?:半|(?:[0-9.]{{1,4}}|[{HAN}几数]{{1,5}})[多余]?)(?:个半|个)?(?:[年载月季周旬天日]|星期|礼拜|小时|世纪))"
)
#: Where a number goes on to the left, the right part of it is no number of its own.
_NUMBER_GOES_ON = lazy_regex(
    rf"(?:[0-9{HAN}万亿几数多]|[0-9][.,，:：/]|[A-Za-z][-.]?|[vV]ersion\s?|版本?[号]?\s?|[0-9]-)$"
)
_TITLED_YEAR = lazy_regex(r"(?:公元)?(?:[0-9]{4}|[〇零一二三四五六七八九]{4})年")


def _year_range(context: ChineseContext, at: int) -> RuleResult | None:
    """The years of 2019-2021年 and （1912-1949）."""
    match = _YEAR_RANGE.match(context.plain, at)
    if match is None or (match["last"] and not context.is_range_end):
        return None
    year = int(match[0])
    context.record_date(year, None, None, match.end())
    return RuleResult(match.end(), "DATE", year_value(year), Span.year(year), "", 0.9, ("year",))


def _month_range(context: ChineseContext, at: int) -> RuleResult | None:
    """The first month of 3-5月."""
    match = _MONTH_RANGE.match(context.plain, at)
    if match is None:
        return None
    month = int(match["month"])
    year, confidence = context.year_for(at, month)
    if year is None:
        return RuleResult(match.end(), "DATE", f"XXXX-{month:02d}", None, "", 0.7, ("month",))
    context.record_date(year, month, None, match.end())
    span = Span.month(year, month)
    return RuleResult(
        match.end(), "DATE", f"{year_value(year)}-{month:02d}", span, "", confidence, ("month",), ("year",)
    )


_NUMERIC: tuple[Rule, ...] = (
    era_year,
    numeric_date,
    _year_range,
    explicit_year,
    century_or_decade,
    lunar_date,
    month_day,
    _month_range,
    quarter_or_half,
    counted,
    clock_alone,
    bare_day,
    holiday_alone,
)


#: What can follow a number that opens an expression, near enough to see it.
_AFTER_NUMBER = (
    rf"[0-9{HAN}.]{{0,8}}\s?[年月日号天周时点分秒世季个小星礼多余几半刻:：/Qq至到\-－–—~～.妇劳青儿建夕国)）]"
)
#: Openings: the characters that an expression may begin with, what must follow them, and the rules to try there.
_OPENINGS: tuple[tuple[str, str, tuple[Rule, ...]], ...] = (
    (f"0123456789{HAN.replace('百', '').replace('千', '')}", _AFTER_NUMBER, _NUMERIC),
    ("公西", "[元历]", (explicit_year, century_or_decade)),
    ("前", "[0-9一二三四五六七八九十]", (explicit_year, century_or_decade)),
    ("第上本这新", "[0-9一二三四五六七八九十个世]", (century_or_decade,)),
    ("农阴旧夏", "历", (lunar_date,)),
    ("闰正腊冬", "[月一二三四五六七八九十]", (lunar_date,)),
    (STEMS, f"[{BRANCHES}]年", (lunar_date,)),
    ("大前后", "[前后天日]", (day_word,)),
    ("今昨明次翌当同", "[天日晚晨早夜]", (day_word,)),
    ("听寻琴", "[日晚]", (day_word,)),
    ("今去明前后本上来同次翌大下", "[年前]", (year_word,)),
    ("上下这", "一年", (year_word,)),
    ("上下本这同当次今", "(?:[上下个月周星礼]|一(?:[个周星礼]))", (month_word, week_word)),
    ("周星礼", "[一二三四五六日末期拜]", (week_word,)),
    ("第首Qq上下本这前", "[一二三四两1-4季半个]", (quarter_or_half,)),
    ("今去明", f"[{SEASONS}]", (season_alone,)),
    (SEASONS, "[季天]", (season_alone,)),
    ("每天年", "", (every,)),
    ("过", "[0-9二三四五六七八九十两]{1,3}[天周个年]", (counted,)),
    ("近过最这此未今接", "[0-9一二三四五六七八九十两半去近前来后下的]", (counted,)),
    ("上下前后", "[0-9二三四五六七八九十两]", (counted,)),
    ("之往", "后[0-9一二三四五六七八九十两半的]", (counted,)),
    ("半", "[年个天小月周钟日]", (counted,)),
    ("目现如当眼时近日前不最将未今几数多若好", "[前在今下日期来年几些数不久近后天个周十干]", (vague,)),
    ("此", "刻", (vague,)),
    ("过", "去的?[几数多]年", (vague,)),
    ("而依", "家", (vague,)),
    ("元", "年", (era_year,)),
    ("年月", "[初底末]", (edge_alone,)),
)


def _rules() -> tuple[dict[str, tuple[Rule, ...]], re.Pattern[str]]:
    """The rules to try at each character, in order, and the pattern that finds where to try them."""
    rules: dict[str, list[Rule]] = {}
    follows: dict[str, list[str]] = {}

    def put(chars: str, follow: str, found: tuple[Rule, ...]) -> None:
        for char in chars:
            here = rules.setdefault(char, [])
            here.extend(rule for rule in found if rule not in here)
            follows.setdefault(char, []).append(follow)

    for chars, follow, found in _OPENINGS:
        put(chars, follow, found)
    for word in DAYTIMES.split("|"):
        put(word[0], word[1], (clock_alone,))
    for name in HOLIDAYS:
        put(name[0], name[1], (holiday_alone,))
    branches = (f"{char}(?={'|'.join(dict.fromkeys(follow))})" for char, follow in follows.items())
    return {char: tuple(found) for char, found in rules.items()}, lazy_regex("|".join(branches))


_RULES, _TRIGGER = _rules()


class ChineseTagger:
    """Finds time expressions in modern Chinese. `now` is the text's own date.

    >>> now = Span.parse("2024-02-29")
    >>> [(e.text, e.value) for e in ChineseTagger().tag("去年5月3日上午10点，他在北京；三天前回到上海。", now)]
    [('去年5月3日上午10点', '2023-05-03T10'), ('三天前', '2024-02-26')]
    >>> [(e.text, e.value, e.kind) for e in ChineseTagger().tag("二十世紀九十年代，每週一開會三小時")]
    [('二十世紀九十年代', '199', 'DATE'), ('每週一', 'XXXX-WXX-1', 'SET'), ('三小時', 'PT3H', 'DURATION')]
    """

    def tag(self, text: str, now: Span | None = None, *, prefer: Prefer | None = None) -> list[TimeExpr]:
        """The expressions in order of their place; they do not overlap. `prefer` is that of `epochal.reading.tag`.

        >>> [(e.text, e.value) for e in ChineseTagger().tag("2019-2021年，3月5日至8日", Span.parse("2024-02-29"))]
        [('2019', '2019'), ('2021年', '2021'), ('3月5日', '2021-03-05'), ('8日', '2021-03-08')]
        """
        plain = plain_text(text)
        context = ChineseContext(plain, now, prefer)
        titles = TITLE.finditer(plain)
        title = next(titles, None)
        expressions: list[TimeExpr] = []
        done = 0
        for trigger in _TRIGGER.finditer(plain):
            at = trigger.start()
            if at < done or (at != done + 1 and _continues_number(plain, at)):
                continue
            while title is not None and title.end() <= at:
                title = next(titles, None)
            if title is not None and title.start() <= at and not _dates_title(plain, at, title):
                continue
            context.is_range_end = done > 0 and _CONNECTOR.fullmatch(plain, done, at) is not None
            item = self._first(context, at, done)
            if item is None:
                continue
            start = at if item.start is None else item.start
            done = item.end
            context.last_time = item.span if item.kind == "TIME" and item.span and not item.span.is_open else None
            expressions.append(_make_expression(text, plain, start, item))
        return expressions

    def _first(self, context: ChineseContext, at: int, done: int) -> RuleResult | None:
        """What the first rule that fits reads at a place; nothing that reaches back over `done`."""
        for rule in _RULES[context.plain[at]]:
            item = rule(context, at)
            if item is not None and (item.start is None or item.start >= done):
                return item
        return None


def _dates_title(plain: str, at: int, title: re.Match[str]) -> bool:
    """Whether a title has a year at an offset, and more than that year."""
    year = _TITLED_YEAR.match(plain, at)
    return year is not None and (year.start() > title.start() + 1 or year.end() < title.end() - 1)


def _continues_number(plain: str, at: int) -> bool:
    char = plain[at]
    if not (char.isdigit() or char in HAN):
        return False
    return _NUMBER_GOES_ON.search(plain[max(0, at - 8) : at]) is not None


def _make_expression(text: str, plain: str, start: int, item: RuleResult) -> TimeExpr:
    if item.kind in ("DATE", "TIME", "DURATION") and (
        _ROUGH_BEFORE.search(plain[max(0, start - 2) : start]) or _ROUGH_AFTER.match(plain, item.end)
    ):
        item = item.approximate()
    return TimeExpr(
        text[start : item.end],
        start,
        item.end,
        item.kind,
        item.value,
        item.span,
        item.mod,
        item.confidence,
        item.stated,
        item.carried,
    )
