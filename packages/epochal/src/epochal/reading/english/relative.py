"""Rules for times counted from another time: today, last week, two years ago, the next day, recently."""

from __future__ import annotations

from dataclasses import replace

from epochal.reading.english.context import EnglishContext
from epochal.reading.english.dates import season_of_year
from epochal.reading.english.guards import is_named_after_day
from epochal.reading.english.lexicon import DAYPARTS, HOLIDAYS, NAMED_DAYS, REFERENCES, SEASONS, UNITS, WEEKDAYS
from epochal.reading.english.match import RuleMatch, apply_modifier, rule
from epochal.reading.events import find_holiday, nth_weekday
from epochal.reading.expression import Meaning
from epochal.reading.timex3 import (
    date_value,
    day_span,
    duration_value,
    find_date,
    first_day,
    month_span,
    part_of_day,
    season_span,
)
from epochal.times.axis import DAY, Grain, day_number
from epochal.times.axis import weekday as weekday_of
from epochal.times.span import Span

#: When a night ends.
_DAWN = 5 * 3600
_VAGUE = 5 * 366 * DAY  # "recently" and "currently" reach back no farther than this


@rule
def deictic_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    word = match.word("TODAY") or ""
    end = match.tokens.end(match.last - 1)
    if match.tokens.text[end : end + 1] == "_":
        return None  # today_fmt
    shift = {"y": -1, "t": 0}[word[0]]
    if word in ("tomorrow", "tmr", "tmrw", "tomo"):
        shift = 1
    if match.has("BEFORE"):
        shift += 1 if "after" in match.words else -1
    now = context.now
    is_early = now is not None and now.grain < Grain.DAY and now.start % DAY < _DAWN
    if word == "tonight" and is_early and context.prefer <= 0:
        shift -= 1  # after midnight, tonight is the night that has not ended yet
    span = context.unit(Grain.DAY, shift, now)
    part = "TNI" if word in ("tonight", "tonite") else ""
    if span is None:
        return Meaning("DATE", "XXXX-XX-XX" + part, None, "", 0.8)
    if part:
        return Meaning("TIME", date_value(span) + part, part_of_day(span.start // DAY, "NI"), match.mod(), 0.97)
    return Meaning("DATE", date_value(span), span, match.mod(), 0.97)


@rule
def hyphened_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "To-day", "to-night", "to-morrow", as they were written until about 1930."""
    tokens = match.tokens
    word = tokens.text[tokens.start(match.first) : tokens.end(match.last - 1)].lower()
    if word not in ("to-day", "to-night", "to-morrow") or tokens.is_class(match.first - 1, "-"):
        return None  # day-to-day
    span = context.unit(Grain.DAY, int(word == "to-morrow"), context.now)
    part = "TNI" if word == "to-night" else ""
    if span is None:
        return Meaning("DATE", "XXXX-XX-XX" + part, None, "", 0.8)
    if part:
        return Meaning("TIME", date_value(span) + part, part_of_day(span.start // DAY, "NI"), "", 0.9)
    return Meaning("DATE", date_value(span), span, "", 0.9)


def _step(match: RuleMatch) -> int:
    return -1 if match.has("LAST") else 1 if match.has("NEXT") else 0


_BINDING = {"past", "preceding", "prior", "following", "subsequent"}
#: What counts from the words before, whatever the mode.
_TEXTUAL = {"previous", "preceding", "following", "subsequent", "ensuing", "same", "that"}
_POINTING = {"that", "those", "same", "following", "previous", "preceding", "subsequent", "ensuing"}


def _origin(match: RuleMatch, context: EnglishContext) -> Span | None:
    """What is counted from: "that year" and "the next day" go on from the story, "last year" from the present."""
    if match.has("NEXT") and match.words[-1] == "year" and match.has("the") and context.range_end is not None:
        return context.range_end  # from 1978 to 1986, and died the following year
    if not _POINTING.isdisjoint(match.words) or (match.has("NEXT") and match.has("the")):
        return context.base
    return context.home


@rule
def shifted_unit(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    if match.has("UNIT"):
        return _shifted_plain_unit(match, context)
    if match.year() is not None and match.starts_with("LAST", "NEXT") and match.words[0] in _BINDING:
        return None  # a date with a year of its own cannot be counted from another: "releases preceding May 3, 2013"
    step, origin = _step(match), _origin(match, context)
    if match.has("HOLIDAY"):
        return holiday(match, context)
    if match.word("SEASON", "fall") is not None:
        if match.year() is not None:
            return season_of_year(match, context)
        return _shifted_season(match, origin, step)
    number = match.month()
    if number is None:
        return None
    if origin is None:
        return Meaning("DATE", f"XXXX-{number:02d}", None, match.mod(), 0.7)
    year, month, _ = find_date(origin.start // DAY)
    if step < 0:
        year -= number >= month
    elif step > 0:
        year += number <= month
    elif match.year() is not None:
        year = match.year() or year
    day = match.day_of_month()
    if day is not None:
        place = first_day(year, number, day)
        return None if place is None else Meaning("DATE", date_value(day_span(place)), day_span(place), "", 0.9)
    return Meaning("DATE", date_value(month_span(year, number)), month_span(year, number), match.mod(), 0.9)


def _shifted_season(match: RuleMatch, origin: Span | None, step: int) -> Meaning | None:
    name = SEASONS[match.word("SEASON", "fall") or ""]
    if origin is None:
        return Meaning("DATE", f"XXXX-{name}", None, match.mod(), 0.7)
    year = find_date(origin.start // DAY)[0]
    span = season_span(year, name)
    if step < 0:
        span = span if span.end <= origin.start else season_span(year - 1, name)
    elif step > 0:
        span = span if span.start > origin.start else season_span(year + 1, name)
    return Meaning("DATE", date_value(span), span, match.mod(), 0.85)


def _shifted_plain_unit(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    grain, letter = match.unit()
    step, origin = _step(match), _origin(match, context)
    long = context.last_long
    if grain is not None and long is not None and grain is long.grain and not _TEXTUAL.isdisjoint(match.words):
        origin = long  # the 2010s, and the previous decade
    if origin is None:
        return Meaning("DATE", "XXXX", None, match.mod(), 0.5)
    if match.all("UNIT")[-1].endswith("s"):
        is_followed = match.tokens.words[match.last : match.last + 1] == ["of"]
        if match.words[-1] == "minutes" and match.words[-2] in ("latest", "recent")[: 1 + is_followed]:
            return None  # those of a meeting
        if match.has("SAME") and not match.has("LAST", "NEXT"):
            return Meaning("DATE", "PAST_REF", None, "", 0.7)
        if match.word("THIS") in ("these", "those"):
            return Meaning("DATE", "PRESENT_REF", context.now, "", 0.6)
        return Meaning("DURATION", duration_value(None, letter), None, "", 0.7)
    if letter == "WE":
        span = Span.unit(origin.start, Grain.WEEK).shift(step)
        weekend = Span(span.start + 5 * DAY, span.end, Grain.DAY)
        return Meaning("DATE", f"{date_value(span)}-WE", weekend, match.mod(), 0.85)
    if grain is None:
        return None
    if letter == "2W":
        return Meaning("DURATION", "P2W", None, match.mod(), 0.85)  # no calendar has fortnights
    if grain <= Grain.HOUR:
        if step and origin.coarsest_grain <= grain:
            hour = Span.unit(origin.start, grain).shift(step)
            return Meaning("TIME", hour.edtf().removesuffix("Z"), hour, "", 0.6)
        value = "PRESENT_REF" if step == 0 else f"{date_value(Span.unit(origin.start, Grain.DAY))}TXX"
        return Meaning("TIME", value, None, "", 0.5)
    if match.has("DAYPART"):
        return None
    if "latest" in match.words and grain >= Grain.MONTH:
        step = -1
    span = Span.unit(origin.start, grain).shift(step)
    meaning = apply_modifier(span, match, 0.9)
    return meaning if meaning.mod else replace(meaning, mod=_earlier(match))


def _earlier(match: RuleMatch) -> str:
    return {"earlier": "START", "later": "END"}.get(match.words[0], "")


@rule
def shifted_weekday(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    number = WEEKDAYS[match.word("WEEKDAY", "SHORT_WEEKDAY") or ""]
    origin = _origin(match, context)
    if origin is None:
        return Meaning("DATE", f"XXXX-WXX-{number}", None, "", 0.7)
    today = origin.start // DAY
    back = (weekday_of(today) - number) % 7
    if match.has("LAST"):
        day = today - (back or 7)
    elif match.has("NEXT"):
        day = today - back + 7
        if _is_next_week(context, today, day):
            day += 7
    elif context.behind or context.mode == "narrative":  # "this Friday" is the one of this week
        day = today - weekday_of(today) + number
    else:
        day = today + (-back) % 7
    return Meaning("DATE", date_value(day_span(day)), day_span(day), match.mod(), 0.9)


def _is_next_week(context: EnglishContext, today: int, day: int) -> bool:
    """Whether "next Friday" is not the coming one: said on another day of the same week, it is that of the next."""
    return context.mode == "news" and weekday_of(day) > weekday_of(today)


@rule
def day_ago(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "A year ago today", "two weeks ago Tuesday", "sixty years ago next month"."""
    grain, letter = UNITS[match.all("UNIT")[0]]
    amount, now = match.number(), context.now
    if grain is None or grain < Grain.DAY or now is None or amount is None or amount != int(amount):
        return None
    count = int(amount) * (2 if letter == "2W" else 1)
    word = match.word("WEEKDAY")
    span: Span | None
    if len(match.all("UNIT")) > 1:
        inner, _ = UNITS[match.all("UNIT")[1]]
        if inner is None or not Grain.DAY <= inner < grain:
            return None
        # A year ago this week: the week that today had then.
        then = day_span(now.start // DAY).shift(-count, grain)
        span = Span.unit(then.start, inner).shift(_step(match))
    elif word is None:
        day = deictic_day(RuleMatch(match.tokens, match.last - 1, match.last), context)
        span = None if day is None or day.kind != "DATE" or day.span is None else day.span.shift(-count, grain)
    elif grain is Grain.WEEK:
        week = Span.unit(now.start, Grain.WEEK).shift(-count)
        span = day_span(week.start // DAY + WEEKDAYS[word] - 1)
    else:
        return None
    return None if span is None else Meaning("DATE", date_value(span), span, "", 0.85)


@rule
def week_from(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "A week today", "two weeks on Thursday": so many weeks after the next such day, as Britain says it."""
    grain, letter = match.unit()
    number, now, word = match.number(), context.now, match.word("WEEKDAY")
    if grain is not Grain.WEEK or now is None or number is None or number % 1 or not 1 <= number <= 8:
        return None
    today = now.start // DAY
    if word is None:
        start = deictic_day(RuleMatch(match.tokens, match.last - 1, match.last), context)
        if start is None or start.kind != "DATE" or start.span is None or context.behind:
            return None
        day = start.span.start // DAY
    elif context.behind or match.words[-2] != "on" or word.endswith("days"):
        return None
    else:
        day = today + ((WEEKDAYS[word] - weekday_of(today)) % 7 or 7)
    span = day_span(day + int(number) * (14 if letter == "2W" else 7))
    return Meaning("DATE", date_value(span), span, "", 0.75)


@rule
def unit_skipped(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The year before last", "the winter before last", "the night before last", "the week after next"."""
    joint = match.words[-2:]
    home = context.home
    if joint not in (["before", "last"], ["after", "next"]) or home is None:
        return None
    sign = -1 if joint[0] == "before" else 1
    if match.has("DAYPART"):
        part = DAYPARTS[match.word("DAYPART") or ""]
        day = home.start // DAY + 2 * sign
        return Meaning("TIME", f"{date_value(day_span(day))}T{part}", part_of_day(day, part), "", 0.9)
    if not match.has("UNIT"):
        return _skip_named(match, home, sign)
    grain, letter = match.unit()
    if letter == "2W":
        return None
    if letter == "WE":
        week = Span.unit(home.start, Grain.WEEK).shift(2 * sign)
        return Meaning("DATE", f"{date_value(week)}-WE", Span(week.start + 5 * DAY, week.end, Grain.DAY), "", 0.9)
    if grain is None or grain < Grain.DAY:
        return None
    span = Span.unit(home.start, grain).shift(2 * sign)
    return Meaning("DATE", date_value(span), span, "", 0.9)


def _skip_named(match: RuleMatch, home: Span, sign: int) -> Meaning | None:
    """The season, month or weekday before the last one, or after the next one."""
    word = match.word("WEEKDAY")
    if word is not None:
        today, number = home.start // DAY, WEEKDAYS[word]
        away = (sign * (number - weekday_of(today))) % 7 or 7
        span = day_span(today + sign * (away + 7))
        return Meaning("DATE", date_value(span), span, "", 0.9)
    season, month = match.word("SEASON", "fall"), match.month()

    def in_year(year: int) -> Span:
        return season_span(year, SEASONS[season]) if season is not None else month_span(year, month or 1)

    year = find_date(home.start // DAY)[0]
    spans = [in_year(one) for one in range(year - 3, year + 4)]
    if sign < 0:
        span = [one for one in spans if one.end <= home.start][-2]
    else:
        span = [one for one in spans if one.start > home.start][1]
    return Meaning("DATE", date_value(span), span, "", 0.9)


@rule
def unit_before(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The year before", at the end of a clause: the unit before the one last mentioned."""
    grain, word = match.unit()[0], match.words[-1]
    if grain is None or word not in ("before", "after"):
        return None
    span = context.unit(grain, -1 if word == "before" else 1, context.base)
    return None if span is None else Meaning("DATE", date_value(span), span, "", 0.6)


@rule
def unit_last_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "This day last year", "this week next year": the same unit of another."""
    (one, _), (whole, _) = (UNITS[word] for word in match.all("UNIT"))
    span = None if one is None else context.unit(one)
    if match.words[0] != "this" or one is None or whole is None or not Grain.DAY <= one < whole or span is None:
        return None
    moved = span.shift(_step(match), whole)
    span = Span.unit(moved.start, one)
    return Meaning("DATE", date_value(span), span, "", 0.8)


def is_listed_ahead(match: RuleMatch, context: EnglishContext) -> bool:
    """Whether a day goes on from one that lies ahead: "closed Dec 24-26 and New Year's Day"."""
    last, home = context.last, context.home
    is_list = match.tokens.is_class(match.first - 1, "AND", ",", "TO", "-")
    return is_list and last is not None and home is not None and last.start > home.start


def _is_notice(context: EnglishContext) -> bool:
    """Whether the text looks ahead, and the words near the day do not look back."""
    return context.lean > 0 and not context.behind


@rule
def named_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Labor Day", "New Year's Eve"."""
    name = match.word("NAMED_DAY", "new") or ""
    if {"day", "eve"}.isdisjoint(match.words):
        return None
    home = context.home
    year = match.year() or (None if home is None else home.first_year)
    if year is None:
        return None
    date = (12, 31) if name == "new" and "eve" in match.words else NAMED_DAYS[name]

    def in_year(one: int) -> int:
        return day_number(one, *date) if len(date) == 2 else nth_weekday(one, *date)

    number = in_year(year)
    if match.year() is None and home is not None and home.coarsest_grain < Grain.YEAR:
        distance = number - home.start // DAY
        is_next = context.ahead or is_listed_ahead(match, context)
        if distance < 0 and (is_next or _is_notice(context)):
            number = in_year(year + 1)
        elif distance > 200 and not is_next:
            number = in_year(year - 1)
    return Meaning("DATE", date_value(day_span(number)), day_span(number), "", 0.9)


@rule
def unit_year_before(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Year-earlier", "the year-ago quarter": the same unit a year before."""
    grain = match.unit()[0] if len(match.all("UNIT")) > 1 else None
    first = match.all("UNIT")[0]
    if first not in ("year", "month", "week"):
        return None
    if match.has("SMALL_NUMBER", "NUMBER_WORD"):
        return Meaning("DURATION", duration_value(match.number(), match.unit()[1]), None, "", 0.6)
    last, home = context.last, context.home
    last_quarter = last if last is not None and last.grain is Grain.QUARTER else None
    if home is not None and (grain is Grain.QUARTER or last_quarter is not None):
        span = last_quarter if last_quarter is not None else Span.unit(home.start, Grain.QUARTER).shift(-1)
        span = span.shift(-4) if span.start > home.start - 300 * DAY else span
        return Meaning("DATE", date_value(span), span, "", 0.6)
    whole = context.unit(Grain.named(first), -1)
    return None if whole is None else Meaning("DATE", date_value(whole), whole, "", 0.6)


@rule
def same_period(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    word = match.words[-1]
    if word == "moment":
        return Meaning("DATE", "PRESENT_REF", context.now, "", 0.5) if match.has("THIS") else None
    if word == "time":
        if context.mode != "narrative" or match.has("SAME", "LAST", "NEXT"):
            return None
        before = match.tokens.words[match.first - 1] if match.first else ""
        if before not in ("at", "by", "during", "since", "until", "around"):
            return None
        base = context.base
        return Meaning("DATE", "PRESENT_REF" if base is None else date_value(base), base, "", 0.4)
    earlier = match.has("LAST", "LATER", "ago")
    last = context.last
    if last is not None and last.grain is Grain.QUARTER:
        period = last.shift(-4) if earlier else last
        return Meaning("DATE", date_value(period), period, "", 0.5)
    span = context.unit(Grain.YEAR, -1 if earlier else 0)
    return None if span is None else Meaning("DATE", date_value(span), span, "", 0.4)


@rule
def reference(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    word = match.words[-1]
    value = REFERENCES[word]
    near = (match.tokens.words[match.first - 1 : match.first], match.tokens.words[match.last : match.last + 1])
    if word == "recently" and near == (["as"], ["as"]):
        return None  # as recently as 2015
    if word == "future" and not match.has("the"):
        before = match.tokens.words[match.first - 1] if match.first else ""
        if before not in ("in", "near", "for"):
            return None
    span = None
    if context.now is not None:
        span = context.now if value == "PRESENT_REF" else None
        if value == "PAST_REF":
            span = Span(context.now.start - _VAGUE, context.now.end, Grain.YEAR)
    return Meaning("DATE", value, span, "", 0.6)


@rule
def the_past(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "In the past"."""
    return Meaning("DATE", "PAST_REF", None, "", 0.6) if match.words == ["the", "past"] else None


@rule
def holiday(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    name = match.word("HOLIDAY") or ""
    if is_named_after_day(match.tokens, match.first, match.last):
        return None
    rule_of = HOLIDAYS[name]
    year = match.year()
    if year is None:
        home = context.home
        if home is None:
            value = f"XXXX-{rule_of[0]:02d}-{rule_of[1]:02d}" if isinstance(rule_of, tuple) else "XXXX"
            return Meaning("DATE", value, None, "", 0.6)
        year = find_date(home.start // DAY)[0]
        if home.coarsest_grain >= Grain.YEAR:
            pass  # of a story that is in that year: "In 1066, on Christmas Day"
        elif not _step(match):
            number = find_holiday(rule_of, year)
            distance = 0 if number is None else number - home.start // DAY
            if context.ahead or context.prefer > 0 or (distance < -100 and _is_notice(context)):
                year += distance < 0
            elif distance > 200 or (distance > 0 and context.prefer < 0):
                year -= 1
        else:
            number = find_holiday(rule_of, year)
            if number is not None:
                passed = number * DAY < home.start
                year += {-1: 0 if passed else -1, 1: 1 if passed else 0}[_step(match)]
    number = find_holiday(rule_of, year)
    if number is None:
        return None
    if "eve" in match.words:
        number -= 1
    return Meaning("DATE", date_value(day_span(number)), day_span(number), "", 0.9)


@rule
def holiday_weekend(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The Labor Day weekend", "the weekend of Thanksgiving 1997": the one that adjoins the holiday."""
    read = named_day if match.has("NAMED_DAY") else holiday
    found = read(match, context) if "weekend" in match.all("UNIT") else None
    if found is None or found.span is None:
        return None
    day = found.span.start // DAY
    week = Span.unit(found.span.start, Grain.WEEK)
    if weekday_of(day) < 3:
        week = week.shift(-1)  # a Monday closes the weekend before it
    return Meaning("DATE", f"{date_value(week)}-WE", Span(week.start + 5 * DAY, week.end, Grain.DAY), "", 0.8)


#: What the last letter of EOM and its like means; "COB" is the close of business.
_ENDS = {"d": Grain.DAY, "b": Grain.DAY, "w": Grain.WEEK, "m": Grain.MONTH, "q": Grain.QUARTER, "y": Grain.YEAR}


@rule
def end_of_unit(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "EOD", "by EOM", "COB Friday"."""
    tokens, word = match.tokens, match.word("END_OF") or ""
    place = match.words.index(word)
    written = tokens.text[tokens.start(match.first + place) : tokens.end(match.first + place)]
    before = tokens.words[match.first - 1] if match.first else ""
    if not written.isupper() and before not in ("by", "before", "until", "till"):
        return None
    grain = _ENDS[word[-1]]
    rest = RuleMatch(tokens, match.first + place + 1, match.last)
    if rest.words:
        if grain is not Grain.DAY:
            return None
        if rest.has("MONTH_NAME"):
            return _end_of_date(rest, context)
        return deictic_day(rest, context) if rest.has("TODAY") else _end_of_weekday(rest, context)
    span = context.unit(grain)
    if span is None:
        return None
    late = span.part("late") if grain >= Grain.MONTH else span
    return Meaning("DATE", date_value(span), late, "END", 0.7)


def _end_of_date(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    month, day, year = match.month(), match.day_of_month(), match.year()
    if month is None or day is None:
        return None
    year = context.year_for_month(month, day) if year is None else year
    number = None if year is None else first_day(year, month, day)
    return None if number is None else Meaning("DATE", date_value(day_span(number)), day_span(number), "END", 0.9)


def _end_of_weekday(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    day = context.weekday_day(WEEKDAYS[match.words[0]])
    return None if day is None else Meaning("DATE", date_value(day_span(day)), day_span(day), "END", 0.8)
