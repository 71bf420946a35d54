"""Amounts of time in Chinese, 三年, 两个半小时, 十多天, and what happens every so often: 每年, 每两周, 每周一."""

from __future__ import annotations

import re
from dataclasses import dataclass

from epochal.reading.chinese.atoms import DAY_NUMBER, MONTH_NUMBER, NUMBER, Context, Found, number
from epochal.reading.english.values import duration_value
from epochal.times import Grain

__all__ = ["Amount", "amount_at", "every"]

_UNIT = (
    r"(?:(?P<year>年)(?![级代头轻龄糕薪均审检货夜关华卡终宵纪]|度|一度|到头|四季|报(?![道告]))"
    r"|(?P<month>个月|(?<=个多)月)|(?P<quarter>个季度)|(?P<week>周(?![岁年边围期末])|个?(?:星期(?![一二三四五六日天])|礼拜(?![一二三四五六日天])))"
    r"|(?P<day>天(?![津河空下气才使堂窗地文线桥真府性猫然机价台坛涯际生体龙王鹅宫仙理赋赐到])|日(?=前|后|内|之内|以来|来|时间))"
    r"|(?P<hour>个?小时|个?钟头)|(?P<minute>分钟)|(?P<second>秒钟?(?![杀拍针表]))|(?P<century>个世纪))"
)
_AMOUNT = re.compile(
    rf"(?:(?P<number>{NUMBER})(?P<more>个多|多|余|几)?(?P<mid>个?半(?=个|小时|钟头|年|天))?|(?P<half>半)){_UNIT}"
    r"(?:(?P<and_half>半(?![导信数]))|(?P<and_more>多(?=以?[前后来]|之[前后]|的?时间|[，。])))?"
)
_GRAINS = {
    "year": (Grain.YEAR, "Y"),
    "quarter": (Grain.QUARTER, "Q"),
    "month": (Grain.MONTH, "M"),
    "week": (Grain.WEEK, "W"),
    "day": (Grain.DAY, "D"),
    "hour": (Grain.HOUR, "TH"),
    "minute": (Grain.MINUTE, "TM"),
    "second": (Grain.SECOND, "TS"),
    "century": (Grain.CENTURY, ""),
}
_IDIOMS = re.compile(
    r"十年(?:树木|寒窗|磨一?剑)|三天(?:两头|打鱼)|一年(?:到头|四季|一度|半载)|三年五载|一天(?:到晚|天)|百年树人|一日千里|两年半的练习生"
)
#: Before 一天 and its like: a certain day, that day, which day.
_BEFORE_ONE = "有那这每某哪同另头前后"
_EVERY = re.compile(
    rf"每(?:年(?P<month>{MONTH_NUMBER})月(?:(?P<month_day>{DAY_NUMBER})[日号])?|月(?P<day>{DAY_NUMBER})[日号]"
    r"|逢?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])|(?:逢|个)?(?P<weekend>周末)"
    r"|(?P<unit>年|个?月(?!球)|周(?!刊)|个?星期|个?礼拜|天|日(?![经邮电新快商一])|个?季度|个?小时|分钟|(?P<night>晚|夜))"
    rf"|隔?(?P<number>{NUMBER})(?P<units>年|个月|周|个?星期|天|日|个?小时|分钟))|(?P<daily>天天|年年)(?!向上|有余|特价)"
)
_EVERY_UNIT = {
    "年": "Y",
    "月": "M",
    "周": "W",
    "期": "W",
    "拜": "W",
    "天": "D",
    "日": "D",
    "度": "Q",
    "时": "TH",
    "钟": "TM",
}


@dataclass(frozen=True, slots=True)
class Amount:
    """A count of units that ends at a place of the text; `count` is None when it is not a number.

    >>> amount_at("两个半小时", 0)
    Amount(end=5, count=2.5, grain=Grain.HOUR, iso='PT2H30M', is_more=False)
    """

    end: int
    count: float | None
    grain: Grain
    iso: str
    is_more: bool

    @property
    def months(self) -> float | None:
        """Its length in months, where its unit is made of them.

        >>> amount_at("半年", 0).months
        6.0
        """
        return None if self.count is None or not self.grain.months else self.count * self.grain.months


def amount_at(plain: str, at: int) -> Amount | None:
    """The amount that stands at a place; None where none does, or where the words are no amount.

    >>> [amount_at(text, 0) for text in ("三年级", "十分", "一天到晚", "百年", "60周年")]
    [None, None, None, None, None]
    """
    match = _AMOUNT.match(plain, at)
    if match is None or _IDIOMS.match(plain, at):
        return None
    before = plain[at - 1 : at] if at else ""
    if before == "第" or (before and before in _BEFORE_ONE and match["number"] in ("一", "1")):
        return None
    if match["half"]:
        count = 0.5
        if before and before in "上下前后大小一多夜":
            return None  # 上半年 is another thing, and 大半天 no amount
    else:
        found = number(match["number"])
        if not found or not any(char not in "百千" for char in match["number"]):
            return None  # 百年, 千年: as good as for ever
        count = found + (0.5 if match["mid"] or match["and_half"] else 0)
    name = next(name for name in _GRAINS if match[name])
    grain, letter = _GRAINS[name]
    if name == "year" and count >= 1000 and not match["more"]:
        return None  # a year, or a number that is none
    goes_on = (match["and_half"] or match["and_more"]) and not match["half"]
    is_more = bool(match["more"] or match["and_more"])
    value = f"P{round(100 * count)}Y" if name == "century" else duration_value(count, letter)
    return Amount(match.end() if goes_on else match.end(name), count, grain, value, is_more)


def every(context: Context, at: int) -> Found | None:
    """A set: what comes again and again.

    >>> [every(Context(text), 0).value for text in ("每年", "每天", "每周一", "每年5月", "每两年", "每晚")]
    ['P1Y', 'P1D', 'XXXX-WXX-1', 'XXXX-05', 'P2Y', 'XXXX-XX-XXTEV']
    """
    match = _EVERY.match(context.plain, at)
    if match is None:
        return None
    if match["month"]:
        value = f"XXXX-{int(number(match['month']) or 0):02d}"
        if match["month_day"]:
            value += f"-{int(number(match['month_day']) or 0):02d}"
    elif match["day"]:
        value = f"XXXX-XX-{int(number(match['day']) or 0):02d}"
    elif match["weekday"]:
        value = f"XXXX-WXX-{min('一二三四五六日天'.index(match['weekday']), 6) + 1}"
    elif match["weekend"]:
        value = "XXXX-WXX-WE"
    elif match["night"]:
        value = "XXXX-XX-XXTEV"
    elif match["number"]:
        count = number(match["number"])
        if not count:
            return None
        value = duration_value(count, _EVERY_UNIT[match["units"][-1]])
    else:
        value = duration_value(1, _EVERY_UNIT[(match["unit"] or match["daily"])[-1]])
    return Found(match.end(), "SET", value, None, "", 0.9, ("set",))
