"""Rules for times made of others: the second Tuesday of March, the weekend of 4 July, Easter Monday, the Ides of March.

Also dates of other calendars (1 Ramadan 1441, AH 656), which are one expression of several words.
"""

from __future__ import annotations

import re
from dataclasses import replace

from epochal.errors import EpochalError
from epochal.lazy import lazy_regex
from epochal.reading.english.context import EnglishContext
from epochal.reading.english.direction import WRITTEN_THINGS
from epochal.reading.english.lexicon import CARDINALS, CLASSES, MONTHS, ORDINALS, UNITS, WEEKDAYS
from epochal.reading.english.match import RuleMatch, apply_modifier, rule
from epochal.reading.english.patterns import GRAMMAR
from epochal.reading.english.tokens import tokenise
from epochal.reading.english.years import quarter_of_year
from epochal.reading.events import easter, nth_weekday
from epochal.reading.expression import Meaning
from epochal.reading.timex3 import date_value, day_span, duration_value, first_day, timex3_value, year_value
from epochal.times.axis import DAY, Grain, civil_date, day_number, to_seconds
from epochal.times.axis import weekday as weekday_of
from epochal.times.calendars.feasts import place_roman_day
from epochal.times.calendars.registry import calendar
from epochal.times.geology import read_geology
from epochal.times.span import Span


@rule
def nth_weekday_of_month(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The second Tuesday of March 2020", "the last Friday in May", "the first Sunday of every month"."""
    word = match.word("WEEKDAY") or ""
    place = match.words.index(word)
    before = RuleMatch(match.tokens, match.first, match.first + place)
    nth = before.ordinal() if before.has("ORDINAL") else -1
    number = WEEKDAYS[word]
    if nth is None or nth > 5:
        return None
    tail = RuleMatch(match.tokens, match.first + place, match.last)
    if match.has("EVERY") or (tail.has("the") and tail.has("UNIT")):
        return Meaning("SET", "P1M", None, "", 0.7)  # the last Friday of the month
    month = match.month()
    rest = RuleMatch(match.tokens, match.first + place, match.last)
    if month is not None:
        year = match.year() or context.year_for_month(month, 1)
    else:
        grain, step = rest.unit()[0], -1 if rest.has("LAST") else 1 if rest.has("NEXT") else 0
        whole = context.unit(Grain.MONTH, step) if grain is Grain.MONTH else None
        if whole is None:
            return None
        year, month, _ = civil_date(whole.start // DAY)
    if year is None:
        return Meaning("DATE", f"XXXX-{month:02d}", None, "", 0.5)
    day = nth_weekday(year, month, number, nth)
    if civil_date(day)[1] != month:
        return None
    return Meaning("DATE", date_value(day_span(day)), day_span(day), "", 0.95)


#: What the last part of a list leads to: "and the third quarter of 1997".
_REST_OF_LIST = (
    '(AND | TO | "-") "the"? ORDINAL "-"? (UNIT | WEEKDAY) ("of" | IN) "the"?'
    ' (MONTH (","? YEAR)? | FISCAL? UNIT? YEAR | (THIS | LAST | NEXT) UNIT)'
)


@rule
def listed_part(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The first and third quarters of 2019": the first part is of the same whole as the last."""
    tokens = match.tokens
    rest = GRAMMAR.compile(_REST_OF_LIST).match(tokens.codes, match.last)
    if rest is None:
        return None
    place = next(at for at in range(match.last, rest.end()) if tokens.is_class(at, "UNIT", "WEEKDAY"))
    unit = _SINGULAR.sub("", tokens.words[place])
    whole = tokenise(f"{match.words[-1]} {unit} {tokens.text[tokens.start(place + 1) : tokens.end(rest.end() - 1)]}")
    part = RuleMatch(whole, 0, len(whole.words))
    if tokens.is_class(place, "WEEKDAY"):
        return nth_weekday_of_month(part, context)
    return quarter_of_year(part, context) or nth_unit_of(part, context)


_SINGULAR = lazy_regex("s$")


@rule
def nth_unit_of(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The last week of July 1997", "the fifth last day of May", "the first weekend of October".

    A week is of the month or year that has most of its days.
    """
    tokens, units = match.tokens, match.all("UNIT")
    place = match.first + match.codes.index(CLASSES["UNIT"])
    which, whole = RuleMatch(tokens, match.first, place), RuleMatch(tokens, place + 1, match.last)
    letter = UNITS[units[0]][1]
    nth = which.ordinal() or 1
    nth = -nth if which.has("LAST") else nth
    is_listed = tokens.is_class(match.first - 1, "AND", "TO") and which.has("ORDINAL")
    if (
        letter not in ("D", "W", "WE")
        or (units[0].endswith("s") and not is_listed)
        or which.word("LAST") not in (None, "last")
    ):
        return None
    outer = _find_whole(whole, context, len(units) > 1, nth if letter == "D" and nth > 0 else None)
    if outer is None or (letter == "D" and outer.grain is Grain.YEAR and abs(nth) > 31):
        return None
    # The day of a week that tells which month it is of.
    mark = {"D": 0, "W": 4, "WE": 6}[letter]
    first, last = outer.start // DAY, outer.end // DAY - 1
    if mark:
        first += (mark - weekday_of(first)) % 7
        last -= (weekday_of(last) - mark) % 7
    step = 7 if mark else 1
    day = first + step * (nth - 1) if nth > 0 else last + step * (nth + 1)
    if which.has("WHOLE"):
        is_working = letter == "D" and which.words[-1] in _WORKING and outer.grain is Grain.MONTH
        found = _find_working_day(first, last, nth) if is_working else None
        if found is None:
            return None
        day = found
    if not outer.start <= day * DAY < outer.end:
        return None
    if letter == "D":
        return Meaning("DATE", date_value(day_span(day)), day_span(day), "", 0.9)
    week = Span.unit(day * DAY, Grain.WEEK)
    if letter == "W":
        return Meaning("DATE", date_value(week), week, "", 0.8)
    return Meaning("DATE", f"{date_value(week)}-WE", Span(week.start + 5 * DAY, week.end, Grain.DAY), "", 0.85)


_WORKING = ("business", "working")


def _find_working_day(first: int, last: int, nth: int) -> int | None:
    """The nth of the days from Monday to Friday in a range, from its end where negative; holidays count as well."""
    days = [day for day in range(first, last + 1) if weekday_of(day) < 6]
    place = nth - 1 if nth > 0 else nth
    return days[place] if -len(days) <= place < len(days) else None


def _find_whole(match: RuleMatch, context: EnglishContext, is_relative: bool, day: int | None = None) -> Span | None:
    """The month or year that "of" leads to: "of July 1997", "in 2021", "of next month"."""
    if is_relative:
        grain = match.unit()[0]
        step = -1 if match.has("LAST") else 1 if match.has("NEXT") else 0
        return context.unit(grain, step) if grain in (Grain.MONTH, Grain.YEAR) else None
    month, year = match.month(), match.year()
    if month is None:
        return None if year is None else Span.year(year)
    year = year if year is not None else context.year_for_month(month, day)
    return None if year is None else Span.month(year, month)


@rule
def day_of_month_named(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The 20th of next month"."""
    whole = _find_whole(match, context, is_relative=True)
    word = match.word("SMALL_NUMBER", "ORDINAL") or ""
    if whole is None or whole.grain is not Grain.MONTH or not word[:1].isdigit():
        return None
    year, month, _ = civil_date(whole.start // DAY)
    day = first_day(year, month, int(re.sub(r"\D", "", word)))
    return None if day is None else Meaning("DATE", date_value(day_span(day)), day_span(day), "", 0.9)


@rule
def church_sunday(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The first Sunday of Advent 2019", "the third Sunday after Trinity"."""
    name, joint = match.word("CHURCH", "HOLIDAY") or "", match.words.index(match.word("WEEKDAY") or "") + 1
    nth = match.ordinal()
    is_after = match.words[joint] == "after"
    home = context.home
    stated = match.year()
    year = stated if stated is not None else None if home is None else home.first_year
    if nth is None or year is None or WEEKDAYS[match.words[joint - 1]] != 7 or match.words[joint] == "before":
        return None
    if name == "advent":
        christmas = day_number(year, 12, 25)
        day = christmas - weekday_of(christmas) + 7 * (nth - 4)  # the fourth is the last Sunday before Christmas
    elif name in _SUNDAYS:
        day = easter(year) + _SUNDAYS[name] + 7 * (nth if is_after else nth - 1)
    else:
        return None
    return Meaning("DATE", date_value(day_span(day)), day_span(day), "", 0.9)


#: The Sunday that the weeks of the church are counted from, in days from Easter.
_SUNDAYS = {"lent": -42, "easter": 0, "pentecost": 49, "trinity": 56}


@rule
def monthly_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The fifth day of each month", "the 15th of every month", "the last day of each quarter"."""
    units = [UNITS[word][0] for word in match.all("UNIT")]
    day = match.ordinal()
    if units[-1] is Grain.MONTH and units[0] in (Grain.DAY, Grain.MONTH) and day is not None and not match.has("LAST"):
        return Meaning("SET", f"XXXX-XX-{day:02d}", None, "", 0.85) if 1 <= day <= 31 else None
    if len(units) == 1 and day is not None:
        return None
    return Meaning("SET", duration_value(1, match.unit()[1]), None, "", 0.7)


@rule
def yearly_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "March 31 of each year"."""
    month, day = match.month(), match.day_of_month()
    if month is None or day is None or match.unit()[0] is not Grain.YEAR:
        return None
    return Meaning("SET", f"XXXX-{month:02d}-{day:02d}", None, "", 0.85)


@rule
def weekday_in_week(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """The weekday of "Wednesday of next week", or of "Monday to Wednesday last week"; the week is read by itself."""
    tokens, home = match.tokens, context.home
    back = 1 + tokens.is_class(match.first - 1, "IN") + 2 * tokens.is_class(match.first - 1, "s")
    if tokens.is_class(match.first - back, "UNIT"):
        place = match.first - back
        rest = RuleMatch(tokens, max(0, place - 1), place + 1)
    else:
        place = tokens.codes.find(CLASSES["UNIT"], match.last)
        rest = RuleMatch(tokens, match.last, max(place, match.last))
    if home is None or place < 0 or UNITS[tokens.words[place]][1] != "W" or tokens.words[place].endswith("s"):
        return None
    step = -1 if rest.has("LAST") else 1 if rest.has("NEXT") else 0
    week = Span.unit(home.start, Grain.WEEK).shift(step)
    day = week.start // DAY + WEEKDAYS[match.words[-1]] - 1
    return Meaning("DATE", date_value(day_span(day)), day_span(day), "", 0.9)


@rule
def weekday_week(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Tuesday week": a week after the next Tuesday, as Britain says it."""
    home, word = context.home, match.words[0]
    if home is None or match.words[1] != "week" or word.endswith("days"):
        return None
    today = home.start // DAY
    day = today + ((WEEKDAYS[word] - weekday_of(today)) % 7 or 7) + 7
    return Meaning("DATE", date_value(day_span(day)), day_span(day), "", 0.75)


@rule
def may_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "May Day"."""
    tokens = match.tokens
    year = match.year() or context.year_for_month(5, 1)
    if match.words[:2] != ["may", "day"] or not tokens.text[tokens.start(match.first + 1)].isupper() or year is None:
        return None
    day = day_number(year, 5, 1)
    return Meaning("DATE", date_value(day_span(day)), day_span(day), "", 0.85)


#: What leads to a day of the month that states no month.
_DAY_CUES = {"on", "by", "from", "to", "until", "till", "since", "before", "after", "through", "and", "between", "for"}
_DAY_CUES |= {"or", "-", "–", ",", "say", "about", "dated"}
#: What does without an article.
_SURE_CUES = {"on", "by", "until", "till", "from", "to"}


@rule
def day_of_this_month(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "On the 12th", "from the 23rd to the 27th": the nearest such day that the words allow."""
    tokens, home = match.tokens, context.home
    word = match.words[-1]
    before = tokens.words[match.first - 1] if match.first else ""
    is_written = before == "of" and match.has("the") and tokens.words[match.first - 2] in WRITTEN_THINGS
    if home is None or not word[0].isdigit():
        return None
    following = tokens.words[match.last] if match.last < len(tokens.words) else "."
    is_stated = before in ("is", "was") and match.has("the") and following in ".,;)"
    if not (is_written or is_stated) and before not in (_DAY_CUES if match.has("the") else _SURE_CUES):
        return None
    if tokens.is_class(match.last, "OTHER") and tokens.words[match.last].isalpha():
        if tokens.words[match.last] not in _DAY_FOLLOWERS:
            return None  # the 12th hole
    elif tokens.is_class(match.last, "UNIT", "PERIOD", "of", "-", "WEEKDAY", "DAYPART", "MORE", "LAST", "'"):
        return None
    year, month, today = civil_date(home.start // DAY)
    number = int(word[:-2])
    if number > 31 or number < 1:
        return None
    month_word = tokens.words[match.last] if match.last < len(tokens.words) else ""
    if month_word in _MONTH_WORDS:
        whole = Span.month(year, month).shift(_MONTH_WORDS[month_word])
        day = first_day(*civil_date(whole.start // DAY)[:2], number)
        return None if day is None else Meaning("DATE", date_value(day_span(day)), day_span(day), "", 0.85)
    if home.grain is Grain.MONTH:
        today = 31 if context.behind else 1  # of a story that is in that month
    step = -1 if context.behind and number > today and before not in ("from", "until", "till", "by") else 0
    if is_stated and before == "is":
        step = int(number < today)
    elif not context.behind and number < today:
        step = 1 if context.ahead or context.lean > 0 else 0
    whole = Span.month(year, month).shift(step)
    start_year, start_month, _ = civil_date(whole.start // DAY)
    day = first_day(start_year, start_month, number)
    return None if day is None else Meaning("DATE", date_value(day_span(day)), day_span(day), "", 0.7)


_DAY_FOLLOWERS = {"is", "was", "will", "if", "but", "because", "so", "with", "please", "instead", "then", "when", "as"}
#: This month, the last and the next, in old letters: "the 10th inst.", "your favour of the 3rd ult.".
_MONTH_WORDS = {"inst": 0, "instant": 0, "ult": -1, "ultimo": -1, "prox": 1, "proximo": 1}
_DAY_FOLLOWERS |= set(_MONTH_WORDS)
_DAY_FOLLOWERS |= {"works", "would", "we", "i", "you", "he", "she", "they", "it"}


#: Days before or after Easter, and days of other rules, by the words before the weekday.
_FEASTS = {("good", 5): -2, ("palm", 7): -7, ("ash", 3): -46, ("shrove", 2): -47, ("maundy", 4): -3, ("holy", 6): -1}
_FEASTS |= {("easter", 1): 1, ("easter", 7): 0, ("easter", 6): -1, ("whit", 7): 49, ("whit", 1): 50}
_SALES = {("black", 5): 1, ("cyber", 1): 4}


@rule
def feast(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Good Friday", "Easter Monday 2021", "Black Friday"."""
    word = match.word("FEAST", "HOLIDAY") or ""
    key = (word, WEEKDAYS[match.word("WEEKDAY") or ""])
    if key not in _FEASTS and key not in _SALES:
        return None

    def in_year(year: int) -> int:
        return easter(year) + _FEASTS[key] if key in _FEASTS else nth_weekday(year, 11, 4, 4) + _SALES[key]

    stated, home = match.year(), context.home
    if stated is None and home is None:
        return None
    year = stated if stated is not None else civil_date(home.start // DAY)[0] if home is not None else 0
    day = in_year(year)
    if stated is None and home is not None:
        ahead = day - home.start // DAY
        if context.behind and ahead > 0 and ahead > 60:
            day = in_year(year - 1)
        elif ahead < 0 and (context.ahead or (ahead < -100 and context.lean > 0 and not context.behind)):
            day = in_year(year + 1)
        elif ahead > 250:
            day = in_year(year - 1)
    return Meaning("DATE", date_value(day_span(day)), day_span(day), "", 0.9)


@rule
def weekend_of(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The weekend of 4 July 2020", "the week commencing 3 May": the one that holds the day, or comes next to it."""
    month, day = match.month(), match.day_of_month()
    letter = match.unit()[1]
    if month is None or day is None or letter not in ("WE", "W") or match.word("BEGINNING") not in (None, "beginning"):
        return None
    year = match.year() or context.year_for_month(month, day)
    number = None if year is None else first_day(year, month, day)
    if number is None:
        return None
    week = Span.unit(number * DAY, Grain.WEEK)
    if letter == "W":
        return Meaning("DATE", date_value(week), week, "", 0.85)
    if weekday_of(number) < 3:
        week = week.shift(-1)  # a Monday closes the weekend before it
    return Meaning("DATE", f"{date_value(week)}-WE", Span(week.start + 5 * DAY, week.end, Grain.DAY), "", 0.85)


@rule
def week_of_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Week 5 of 2004"."""
    year, number = match.year(), int(match.word("SMALL_NUMBER") or "0")
    if year is None or not 1 <= number <= 53 or match.unit()[1] != "W":
        return None
    first = day_number(year, 1, 4)
    week = Span.unit(first * DAY, Grain.WEEK).shift(number - 1)
    return Meaning("DATE", date_value(week), week, "", 0.9)


@rule
def the_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The year 731", "the year of Our Lord 1349"."""
    if match.unit()[0] is not Grain.YEAR:
        return None
    number = int(match.words[-1])
    return None if not number else apply_modifier(Span.year(number), match, 0.9)


@rule
def dated_early(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "24 August 410": a day of a year of three digits."""
    tokens, month, number = match.tokens, match.month(), int(match.word("THREE_DIGITS") or "0")
    day = match.day_of_month()
    following = tokens.words[match.last] if match.last < len(tokens.words) else ""
    is_plural = tokens.is_class(match.last, "OTHER") and following.endswith("s") and len(following) > 3
    if month is None or day is None or is_plural or following == "people":
        return None
    place = first_day(number, month, day)
    return None if place is None else apply_modifier(day_span(place), match, 0.8)


@rule
def worded_date(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The twenty-second day of November, two thousand and nineteen", as deeds spell a date."""
    tokens = match.tokens
    place = match.codes.index(CLASSES["MONTH_NAME"])
    which, whole = match.words[:place], RuleMatch(tokens, match.first + place + 1, match.last)
    nth = RuleMatch(tokens, match.first, match.first + place).ordinal()
    tens = next((CARDINALS[word] for word in which if word in CARDINALS), 0)
    year, month = whole.year(), match.month()
    if year is None:
        numbers = [CARDINALS[word] for word in whole.words if word in CARDINALS]
        if len(numbers) > 1 and 10 <= numbers[0] < 100 and numbers[1] < 100:
            year = numbers[0] * 100 + sum(numbers[1:])  # nineteen forty-six
        else:
            year = int(whole.number() or 0)
    if nth is None or month is None or not 1000 <= year < 3000 or match.unit()[1] != "D":
        return None
    number = first_day(year, month, nth + tens)
    return None if number is None else Meaning("DATE", date_value(day_span(number)), day_span(number), "", 0.95)


@rule
def month_early(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "In August 843": a month of a year of three digits, where nothing is counted."""
    tokens, month, number = match.tokens, match.month(), int(match.word("THREE_DIGITS") or "0")
    before = tokens.words[match.first - 1] if match.first else ""
    following = tokens.words[match.last] if match.last < len(tokens.words) else "."
    if month is None or before not in _BEFORE_EARLY:
        return None
    if following.isalpha() and following not in _AFTER_EARLY:
        return None
    return apply_modifier(Span.month(number, month), match, 0.75)


_BEFORE_EARLY = {"in", "since", "by", "until", "from", "to", "of", "after", "before", "during"}
_AFTER_EARLY = {"a", "and", "at", "but", "by", "he", "his", "in", "it", "she", "the", "they", "to", "until", "when"}


@rule
def century_part(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The last quarter of the 17th century", "the second half of the 1920s"."""
    tokens = match.tokens
    place = match.first + match.codes.index(CLASSES["of"])
    which, whole = RuleMatch(tokens, match.first, place), RuleMatch(tokens, place, match.last)
    parts = 2 if which.has("HALF") else {"quarter": 4, "third": 3, "decade": 10}.get(which.words[-1], 0)
    ordinals = [ORDINALS.get(word) or int(word[:-2]) for word in which.all("ORDINAL")]
    number = parts if which.has("LAST") or "latter" in which.words else ordinals[0] if ordinals else 1
    if not parts or number > parts:
        return None
    if whole.has("DECADE"):
        word = whole.word("DECADE") or ""
        if not word[:-1].isdigit() or len(word) != 5:
            return None
        low, size = int(word[:4]), 10
    else:
        nth = whole.ordinal()
        if nth is None or whole.unit()[0] is not Grain.CENTURY:
            return None
        low, size = (nth - 1) * 100, 100
    step = size // parts
    first = low + step * (number - 1)
    last = low + size - 1 if number == parts else first + step - 1
    if whole.is_bc:
        first, last = -(low + size) + 1 + step * (number - 1), -(low + size) + step * number
    span = Span(to_seconds(first), to_seconds(last + 1), Grain.YEAR)
    return Meaning("DATE", f"{year_value(first)}/{year_value(last)}", span, "", 0.85)


@rule
def half_of_month(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The second half of July": its days up to the 15th, or from the 16th on."""
    nth, month, year = match.ordinal(), match.month(), match.year()
    if month is None or match.word("HALF") != "half" or not (match.has("LAST") or nth in (1, 2)):
        return None
    year = context.year_for_month(month) if year is None else year
    if year is None:
        return Meaning("DATE", f"XXXX-{month:02d}", None, "", 0.5)
    whole = Span.month(year, month)
    middle = whole.start + 15 * DAY
    is_first = nth == 1 and not match.has("LAST")
    span = Span(whole.start, middle, Grain.DAY) if is_first else Span(middle, whole.end, Grain.DAY)
    return Meaning("DATE", date_value(whole), span, "START" if is_first else "END", 0.85)


@rule
def shared_century(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """The first of "the 16th and 17th centuries"."""
    tokens, number = match.tokens, match.ordinal()
    place = tokens.codes.find(CLASSES["UNIT"], match.last)
    grain = UNITS[tokens.words[place]][0] if place >= 0 else None
    if number is None or grain is not Grain.CENTURY:
        return None
    is_bc = tokens.is_class(place + 1, "ERA") and tokens.words[place + 1].startswith("b")
    low = (number - 1) * 100
    span = Span(to_seconds(-(low + 99)), to_seconds(-low + 1), grain) if is_bc else None
    return apply_modifier(span or Span(to_seconds(low), to_seconds(low + 100), grain), match, 0.9)


@rule
def year_to_date(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Year to date", "YTD": from the first day of the unit until now."""
    unit = match.word("UNIT")
    grain = Grain.YEAR if unit is None else UNITS[unit][0]
    if context.now is None or grain is None or grain < Grain.WEEK:
        return None
    span = Span(Span.unit(context.now.start, grain).start, context.now.end, Grain.DAY)
    return Meaning("DATE", timex3_value(span), span, "", 0.8)


_ROMAN_DAYS = {"ides": 13, "nones": 5, "kalends": 1, "calends": 1}


@rule
def deep_time(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The Late Jurassic", "the Holocene"."""
    tokens = match.tokens
    following = tokens.text[tokens.end(match.last - 1) :][:2].strip()
    if not match.has("the", "EARLY") and following[:1].isupper():
        return None  # Permian Corp.
    words = [word for word in match.words if word not in ("the", "period", "time")]
    found = read_geology(" ".join(words)) or read_geology(match.word("DEEP_TIME") or "")
    if found is None:
        return None
    span = Span(found.start, found.end, found.grain, found.end_grain, found.certainty, found.end_certainty)
    return Meaning("DATE", f"{year_value(span.first_year or 0)}/{year_value(span.last_year or 0)}", span, "", 0.85)


@rule
def early_years(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "(618-907)" behind a name: the years of a life, a reign or a dynasty."""
    tokens = match.tokens
    is_first = tokens.is_class(match.first - 1, "(")
    opening = match.first - (1 if is_first else 3)
    first, last = (match.first, match.first + 2) if is_first else (match.first - 2, match.first)
    name = tokens.text[tokens.start(opening - 1)] if opening > 0 else ""
    if not name.isalpha() or not int(tokens.words[first]) < int(tokens.words[last]) < int(tokens.words[first]) + 500:
        return None
    return apply_modifier(Span.year(int(match.words[0])), match, 0.75)


@rule
def reign_years(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "(r. 98-117)" behind a name: the first and the last year of a reign or a life."""
    tokens = match.tokens
    is_first = tokens.is_class(match.first - 1, ".")
    first, last = (match.first, match.first + 2) if is_first else (match.first - 2, match.first)
    if tokens.words[first - 2] not in ("r", "fl") or not int(tokens.words[first]) < int(tokens.words[last]):
        return None
    return apply_modifier(Span.year(int(match.words[0])), match, 0.8)


@rule
def roman_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The Ides of March, 44 BC": in March, May, July and October the Ides are the 15th and the Nones the 7th."""
    month = MONTHS[match.word("MONTH_NAME") or ""]
    day = _ROMAN_DAYS[match.word("ROMAN_DAY") or ""]
    day += 2 if day > 1 and month in (3, 5, 7, 10) else 0
    numbers = match.all("YEAR", "SMALL_NUMBER", "THREE_DIGITS", "LARGE_NUMBER")
    year = int(numbers[-1].replace(",", "")) if numbers else context.year_for_month(month, day)
    if year is None:
        return Meaning("DATE", f"XXXX-{month:02d}-{day:02d}", None, "", 0.7)
    year = 1 - year if match.is_bc else year
    written = first_day(year, month, day)
    if written is None:
        return None
    # TIMEX3 has the date as it is written; the span is that of the Julian calendar.
    meaning = apply_modifier(day_span(written), match, 0.85)
    return replace(meaning, span=day_span(place_roman_day(year, month, day)))


@rule
def other_calendar(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "1 Ramadan 1441", "Tishrei 5785", "18 Brumaire Year VIII", "AH 656"."""
    tokens = match.tokens
    if (
        match.word("HIJRI") == "sh"
        and not match.has("CALENDAR_MONTH")
        and (match.words[-1] != "sh" or len(match.words[0]) != 4)
    ):
        return None  # only 1402 SH
    text = tokens.text[tokens.start(match.first) : tokens.end(match.last - 1)].replace(" of ", " ").replace(",", "")
    for name in ("islamic", "hebrew", "persian", "french_republican", "coptic"):
        system = calendar(name)
        try:
            dates = list(system.parse(text))
        except EpochalError:
            continue
        for date in dates:
            span = system.span(date)
            is_year = span.days is not None and span.days > 300
            value = year_value(span.first_year or 0) if is_year else timex3_value(span)
            return Meaning("DATE", value, span, "", 0.9)
    return None


@rule
def old_style(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "4 July 1776 O.S.", "10 February 1748/9": a date of the Julian calendar, or of the year that began in March."""
    month, day, pair = match.month(), match.day_of_month(), match.word("YEAR_PAIR")
    if month is None or day is None or pair is None:
        return None
    first, second = pair.split("/")
    year = int(first[: 4 - len(second)] + second)
    if year != int(first) + 1:
        return None
    number = first_day(year, month, day)
    return None if number is None else apply_modifier(day_span(number), match, 0.85)
