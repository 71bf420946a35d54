"""What a relative expression is counted from: the text's own date, or the date that the text last spoke of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from epochal.reading.grammar import Rule
from epochal.times import Grain, Span
from epochal.times.axis import DAY, civil_date, weekday

__all__ = ["Context", "Mode", "NamedDay", "WaitingTime"]

Mode = Literal["news", "narrative"]


@dataclass(frozen=True, slots=True)
class NamedDay:
    """A day that a text has named, by its number, and `behind`, the token after its words.

    `spreads` says whether it holds beyond its sentence, as a calendar date or "Monday:" does, and `is_alone` whether it
    is a line of its own and so the heading of what follows.

    >>> NamedDay(10358, 4).spreads
    False
    """

    day: int
    behind: int
    spreads: bool = False
    is_alone: bool = False


@dataclass(frozen=True, slots=True)
class WaitingTime:
    """A time of day that stated no day: its rule, its tokens `[first, last)`, and whether its sentence had named none.

    >>> WaitingTime("clock", 1, 3, is_free=True).last
    3
    """

    rule: str
    first: int
    last: int
    is_free: bool


@dataclass(slots=True)
class Context:
    """The reference times while a text is read.

    In news, expressions are counted from the text's date (`now`); in narrative, from the last date in the text.

    >>> Context(Span.parse("1998-03-05")).day
    (1998, 3, 5)
    """

    now: Span | None = None
    mode: Mode = "news"
    last: Span | None = None
    #: Where a story stands: the last date that moved it, which asides such as "(as of 2006)" do not.
    story: Span | None = None
    #: Whether the text is a short message, in which "day" and "night" alone are meant as times.
    brief: bool = False
    #: Whether the words before the expression speak of the future, as "will" does.
    ahead: bool = False
    #: Whether they speak of the past, as "said" does.
    behind: bool = False
    #: The day that the words named last, which times of day without one take.
    named: NamedDay | None = None
    #: The time of day that stated no day, if that is what was read last.
    waiting: WaitingTime | None = None
    #: Where the rules that matched are kept, with what they matched, if somebody wants to know.
    matched: list[tuple[Rule, str]] | None = None

    @property
    def day(self) -> tuple[int, int, int] | None:
        """Year, month and day of the text's date; None when it has none.

        >>> Context().day is None
        True
        """
        return None if self.now is None else civil_date(self.now.start // DAY)

    @property
    def base(self) -> Span | None:
        """What "the next day" and "two weeks later" are counted from.

        >>> Context(Span.parse("1998"), last=Span.parse("1944-06-06")).base.edtf()
        '1944-06-06'
        """
        return self.last if self.last is not None else self.now

    @property
    def home(self) -> Span | None:
        """What "last year" and a month without a year are counted from.

        >>> Context(Span.parse("1998"), "narrative", Span.parse("1945"), Span.parse("1944-06-06")).home.edtf()
        '1944-06-06'
        """
        if self.mode == "news":
            return self.now
        return self.story if self.story is not None else self.base

    def year_for_month(self, month: int) -> int | None:
        """The year of a month that states none: the nearest one that fits the tense, or the story's year.

        >>> Context(Span.parse("1998-03-05")).year_for_month(11)
        1997
        """
        home = self.home
        if home is None:
            return None
        year, home_month, _ = civil_date(home.start // DAY)
        if self.mode == "narrative" and self.last is not None:
            # A story that stood in autumn and speaks of winter has gone on to the next year.
            return year + (home.grain < Grain.YEAR and home_month - month >= 8)
        if self.ahead:
            return year if month >= home_month else year + 1
        # A month just ahead is the coming one, unless the words speak of the past; any other is the last one.
        ahead = (month - home_month) % 12
        if 0 < ahead <= (2 if self.behind else 4):
            return year + (month < home_month)
        return year - (month > home_month)

    def weekday_day(self, number: int) -> int | None:
        """The day number of a bare weekday: today, the last one, or the next one if the words look ahead.

        >>> civil_date(Context(Span.parse("1998-03-05")).weekday_day(3))
        (1998, 3, 4)
        """
        home = self.home
        if home is None:
            return None
        today = home.start // DAY
        back = (weekday(today) - number) % 7
        # The weekday of tomorrow is tomorrow, unless the words speak of the past.
        if (back == 6 and not self.behind) or (self.ahead and back):
            return today - back + 7
        return today - back

    def unit(self, grain: Grain, shift: int = 0, base: Span | None = None) -> Span | None:
        """The unit of a grain that holds the reference time, or one some units off.

        >>> Context(Span.parse("1998-03-05")).unit(Grain.MONTH, -1).edtf()
        '1998-02'
        """
        origin = base if base is not None else self.home
        if origin is None:
            return None
        return Span.unit(origin.start, grain).shift(shift)
