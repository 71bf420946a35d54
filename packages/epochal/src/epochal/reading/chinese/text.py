"""What the rules of the Chinese tagger share: normalised text, numbers, results, context, and title marks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from epochal.lazy import lazy_regex
from epochal.reading.expression import Kind
from epochal.reading.scripts import SimplifyTable
from epochal.reading.shared.values import Prefer
from epochal.times.axis import DAY, OPEN_END, OPEN_START, Certainty, Grain, civil_date, days_in_month
from epochal.times.numerals import from_han
from epochal.times.span import Span

__all__ = [
    "DAY_NUMBER",
    "HAN",
    "MONTH_NUMBER",
    "NUMBER",
    "TITLE",
    "ChineseContext",
    "RuleResult",
    "outside_titles",
    "parse_number",
    "plain_text",
]


HAN = "〇○零一二三四五六七八九十百千两廿卅"
#: A count: digits, with a decimal part at most, or characters.
NUMBER = rf"(?:[0-9]{{1,5}}(?:\.[0-9]{{1,2}})?|[{HAN}]{{1,7}})"
MONTH_NUMBER = "(?:1[0-2]|0?[1-9]|十[一二]|[一二三四五六七八九十正])"
DAY_NUMBER = (
    "(?:[12][0-9]|3[01]|0?[1-9]|[一二三]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|[一二三四五六七八九]|三十一?)"
)

_EXTRA = zip(
    "週禮點時個號過現後來內間兩鐘節國慶農曆歷陰紀幾將計劃預萬聖誕勞動婦兒師軍黨陽這頭"
    "當餘剛開級臘閏於歲鍾裡裏約數為０１２３４５６７８９聽尋晝俩仨：",
    "周礼点时个号过现后来内间两钟节国庆农历历阴纪几将计划预万圣诞劳动妇儿师军党阳这头当余刚开级腊闰于岁钟里里约数为0123456789听寻昼两三:",
    strict=True,
)
#: Characters over which a date that the text stated is kept; a bound, so that long texts cost no more.
_FURTHEST = 1000
_PLAIN = SimplifyTable({ord(old): new for old, new in _EXTRA})


def plain_text(text: str) -> str:
    """The text in simplified characters and plain digits, of the same length, so that offsets stay valid."""
    return text if text.isascii() else text.translate(_PLAIN)


def parse_number(text: str) -> float | None:
    """The number of digits or characters; None when it is none."""
    return float(text) if "." in text else from_han(text)


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What a rule has matched: where it ends, and the fields of a time expression."""

    end: int
    kind: Kind
    value: str
    span: Span | None = None
    mod: str = ""
    confidence: float = 0.95
    stated: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    #: Where it begins, when that lies before the offset at which the rule matched.
    start: int | None = None

    def approximate(self) -> RuleResult:
        """The same, only roughly: 约, 左右, 前后."""
        span = self.span and self.span.with_certainty(Certainty.APPROXIMATE)
        return replace(self, span=span, mod=self.mod or "APPROX")


#: A clause, what says that it is over, and what says that it is to come: plans, requests, deadlines and weather.
_CLAUSE = lazy_regex(r"[^，,。;；!！?？\n]{1,24}")
_DONE = lazy_regex(r"了|过(?!后)|已|曾|刚")
_TO_COME = lazy_regex(
    r"将(?![军领士])|即将|预计|有望|可望|拟(?=[于在])|定于|敬请|请[^教问假求]|务必|截止|见$|"
    r"(?:有|转|间)(?:小|中|大|暴|阵|雷阵)?[雨雪雾]|(?:晴|阴|多云)(?:$|[转间到有])|(?:最[高低])?气温|降温"
)
#: What was said then: "周五宣布将裁员" was announced on that Friday.
_REPORTED = lazy_regex(r"宣布|表示|[^名人]称|透露|公布|报道|通报|指出|证实|回应|批准|强调|认为|说")
_PLANS = ("将", "计划", "预计", "拟于", "定于", "预定", "请于", "请在", "务必", "截止")
_HEADING = lazy_regex(r"[^:：]{2,8}[:：]")
_BEGINS = lazy_regex(
    r"[0-9零一二三四五六七八九十]{1,3}月(?:[0-9零一二三四五六七八九十]{1,3}[日号])?起(?![来床火飞义诉草因源点])"
)


@dataclass(slots=True)
class ChineseContext:
    """What a text is read against: the reference time, and the last date that the text itself has stated."""

    plain: str
    now: Span | None = None
    #: Which of several possible times is taken where the words leave it open; by the rule of news without it.
    prefer: Prefer | None = None
    #: The last date, as year, month and day (None where not stated), and where it ended.
    last: tuple[int, int | None, int | None] | None = None
    last_end: int = -1
    #: The last clock time, for the other end of a range.
    last_time: Span | None = None
    #: Whether the current expression comes after 至, 到 or a dash that follows the last date.
    is_range_end: bool = field(default=False)

    @property
    def moment(self) -> int | None:
        """The last second of the reference time; None without one."""
        if self.now is None or self.now.end == OPEN_END:
            return None
        return self.now.end - 1

    @property
    def today(self) -> tuple[int, int, int] | None:
        """The Gregorian date of the reference time; of a longer one, its last day."""
        moment = self.moment
        return None if moment is None or self.now is None or self.now.start == OPEN_START else civil_date(moment // DAY)

    @property
    def knows_day(self) -> bool:
        """Whether the reference time is a day, so that days can be counted from it."""
        return self.now is not None and self.now.end_grain <= Grain.DAY and self.moment is not None

    def text_year(self, start: int) -> int | None:
        """The year that the text itself stated last, in the same paragraph; None when it stated none."""
        if self.last is None or start - self.last_end > _FURTHEST:
            return None
        if self.plain.find("\n", max(self.last_end, 0), start) >= 0:
            return None
        return self.last[0]

    def year_for(self, start: int, month: int, day: int | None = None) -> tuple[int | None, float]:
        """The year of a month or day that states none, and how sure that is.

        The year that the text stated last; else, as news are read, the latest such date that is not after the
        reference time, or the next one where the words before announce something to come.
        """
        stated = self.text_year(start)
        today = self.today
        if stated is not None and (today is None or self._goes_on(start)):
            return stated, 0.85
        if today is None:
            return None, 0.7
        here, there = (today[1], today[2]), (month, day if day is not None else today[2])
        if self.prefer == "nearest" or (self.prefer is None and self._begins_then(start)):
            months = 12 * (there[0] - here[0]) + (there[1] - here[1]) * 12 / 31
            return today[0] + (months < -72) - (months > 72), 0.9
        if self.looks_ahead(start):
            return today[0] + (there < here), 0.9
        return today[0] - (there > here), 0.9

    def looks_ahead(self, start: int) -> bool:
        """Whether a time that can be the last or the next one is the next: as the caller prefers, or the words say."""
        return self.is_announced(start) if self.prefer in (None, "nearest") else self.prefer == "future"

    def _goes_on(self, start: int) -> bool:
        """Whether a month goes on from the last date: that named a month too, or is in the same sentence.

        "生于1929年。……告别仪式于3月14日举行" tells of two different years.
        """
        return self.last is not None and (
            self.last[1] is not None or self.plain.find("。", max(self.last_end, 0), start) < 0
        )

    def is_announced(self, start: int) -> bool:
        """Whether the ten characters before a place speak of what is to come."""
        before = self.plain[max(0, start - 10) : start]
        if any(cue in before for cue in _PLANS):
            return True
        clause = self._read_clause(start)
        if _DONE.search(clause):
            return False
        if (plan := _TO_COME.search(clause)) is not None:
            report = _REPORTED.search(clause)
            return report is None or plan.start() < report.start()
        return _HEADING.match(clause) is not None and self._opens_line(start)

    def _begins_then(self, start: int) -> bool:
        """Whether something begins at a time: what is closed "8月1日起" may have been announced before or after."""
        return _BEGINS.match(self._read_clause(start)) is not None

    def _read_clause(self, start: int) -> str:
        """The clause from a place on, as far as it says something of a time there."""
        match = _CLAUSE.match(self.plain, start)
        return match[0] if match is not None else ""

    def _opens_line(self, start: int) -> bool:
        return not start or self.plain[start - 1] in "\n。;；|•*-"

    def record_date(self, year: int, month: int | None, day: int | None, end: int) -> None:
        """Keep a date that the text stated, for the parts that later ones leave out."""
        self.last, self.last_end = (year, month, day), end

    def has_day(self, year: int, month: int, day: int) -> bool:
        """Whether there is such a day."""
        return 1 <= month <= 12 and 1 <= day <= days_in_month(year, month)


#: Book title marks and what they hold; a number that fills quotation marks is taken for a title too.
TITLE = lazy_regex(r"《[^《》\n]{0,80}》|〈[^〈〉\n]{0,80}〉|「[0-9]{1,4}」|『[0-9]{1,4}』")


def outside_titles(text: str, places: list[tuple[int, int]]) -> list[bool]:
    """For each of the character ranges of a text, given in order, whether it overlaps no title."""
    titles = TITLE.finditer(text)
    title = next(titles, None)
    outside = []
    for start, end in places:
        while title is not None and title.end() <= start:
            title = next(titles, None)
        outside.append(title is None or end <= title.start())
    return outside
