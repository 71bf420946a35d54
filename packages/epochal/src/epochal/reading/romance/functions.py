"""Rule functions that only Romance languages need: decades by the word for years, days by number, "in two days"."""

from __future__ import annotations

from dataclasses import replace

from epochal.reading.romance.hours import frequent_words, is_counted
from epochal.reading.shared.context import detect_direction, look_at
from epochal.reading.shared.language import OTHER
from epochal.reading.shared.match import NO_TIME, Match, NoTime, get_rule, rule
from epochal.reading.shared.parts import Amount, Parsed, Parts, Range, Recurrence, Rolling, TimeUnit, combine
from epochal.times.axis import Grain, to_seconds
from epochal.times.span import Span

__all__: list[str] = []

#: What follows a number that is no time.
_MEASURES = frozenset("%°€$£")
#: What may follow a number that is a day by its article alone.
_ENDS = frozenset(("", ".", "!", "?", ";", ")"))


@rule
def decade_of_years(match: Match) -> Parsed | None:
    """A decade by the word for years: "les années 1920", "los años veinte", "gli anni '20"."""
    unit = match.all("UNIT")
    named = match.value("UNIT")
    is_years = bool(unit) and unit[0].word in match.tokeniser.language.cue_words("decades")
    if not is_years and named != "decade":
        return None
    number = match.number("YEAR", "SMALL_NUMBER", "SHORT_YEAR", "NUMBER_WORD")
    if number is None or number % 10:
        return None
    first = int(number) + (1900 if number < 100 else 0)
    if number < 100 and number < 10 and named != "decade":
        return None
    part = match.value("PART")
    return Parts(span=Span(to_seconds(first), to_seconds(first + 10), Grain.DECADE), mod=str(part or ""))


@rule
def within(match: Match) -> Parsed | NoTime | None:
    """ "En dos días", "in due giorni": a time ahead, unless the words around it look back and it is a duration."""
    first, last = match.items[0].first, match.items[-1].last
    if detect_direction(match.tokeniser.language, match.tokens, first, last) < 0:
        return None
    return get_rule("ahead")(match)


@rule
def day_of_month(match: Match) -> Parsed | None:
    """A day by its number alone: "le 15", "el día 15"; the article alone says so only where nothing follows it."""
    number = match.number("SMALL_NUMBER", "ORDINAL", "NUMBER_WORD")
    if number is None or not 1 <= number <= 31:
        return None
    if match.value("UNIT") not in (None, "day"):
        return None
    if match.value("UNIT") is None and match.after not in _ENDS:
        return None
    if match.has("ORDINAL") and not (match.word("ORDINAL") or "")[0].isdigit():
        return None  # "el primero" is somebody
    return Parts(day=int(number), weekday=match.value("WEEKDAY"))


@rule
def days_of_numbers(match: Match) -> Parsed | None:
    """Days by their numbers alone: "du 3 au 5", where nothing follows."""
    items = [match.number_at(item) for item in match.all("SMALL_NUMBER", "NUMBER_WORD")]
    if len(items) != 2 or match.after not in _ENDS:
        return None
    first, last = items
    if first is None or last is None or not 1 <= first < last <= 31:
        return None
    return Range(Parts(day=int(first)), Parts(day=int(last)))


@rule
def day_of_this_month(match: Match) -> Parsed | None:
    """ "Le 15 du mois": a day of the month at hand."""
    number = match.number("SMALL_NUMBER", "ORDINAL", "NUMBER_WORD")
    if match.value("UNIT") not in ("month", None) or number is None or not 1 <= number <= 31:
        return None
    return Parts(day=int(number), unit=TimeUnit.named("month"), step=0)


@rule
def day_of_period(match: Match) -> Parsed | None:
    """ "Le 30 du mois prochain", "il 5 di questo mese": a day of a month that is counted from today."""
    number, time = match.number("SMALL_NUMBER", "ORDINAL", "NUMBER_WORD"), match.times[0]
    if number is None or not 1 <= number <= 31 or time.unit is None or time.unit.letter != "M" or time.mod:
        return None
    return combine(Parts(day=int(number)), time)


@rule
def month_of_word(match: Match) -> Parsed | NoTime | None:
    """ "Au mois de mai 2020", "le 5 du mois de mai": a month behind the word for month."""
    return None if match.value("UNIT") != "month" else get_rule("date")(match)


@rule
def month_short_year(match: Match) -> Parsed | None:
    """ "Mai 68": a number that is no day is a year."""
    number = match.number("SMALL_NUMBER")
    if number is None or number < 32 or match.after in _MEASURES or is_counted(match):
        return None
    return Parts(year=_add_century(number), month=match.value("MONTH_NAME"), mod=str(match.value("PART") or ""))


@rule
def short_year(match: Match) -> Parsed | None:
    """ "Nel 93", "en el 92": a year of two digits, where they can be no day and count nothing."""
    number = match.number("SMALL_NUMBER")
    if number is None or number < 32 or match.after in _MEASURES or not _ends_phrase(match):
        return None
    mod = str(match.value("PART") or "")
    if match.has("ARTICLES"):  # "mediados de los 90"
        first = 1900 + int(number)
        return (
            Parts(span=Span(to_seconds(first), to_seconds(first + 10), Grain.DECADE), mod=mod)
            if not number % 10
            else None
        )
    return Parts(year=_add_century(number), mod=mod)


@rule
def decade_in_words(match: Match) -> Parsed | None:
    """ "En los noventa", "finales de los ochenta": a decade by its tens, where they count nothing."""
    number = match.number("NUMBER_WORD") or 0
    is_alone = _ends_phrase(match) or (match.has("PART") and not match.after.endswith("s"))
    if not 20 <= number <= 90 or number % 10 or not is_alone:
        return None
    first = 1900 + int(number)
    mod = str(match.value("PART") or "")
    return Parts(span=Span(to_seconds(first), to_seconds(first + 10), Grain.DECADE), mod=mod)


def _ends_phrase(match: Match) -> bool:
    """Whether what follows can be no noun that a number counts: a sign, a word of time, a verb, a frequent word."""
    last, language = match.items[-1].last, match.tokeniser.language
    if last >= len(match.tokens.words) or match.tokens.codes[last] != OTHER:
        return True
    word = match.after
    return not word.isalpha() or word in frequent_words(language.code) or look_at(language, word) != 0


def _add_century(number: float) -> int:
    return int(number) + (1900 if number > 50 else 2000 if number < 32 else 1900)


@rule
def year_in_words(match: Match) -> Parsed | None:
    """ "Mil novecientos noventa": a year in words, with a day and a month or without."""
    month = match.all("MONTH_NAME")
    words = [item for item in match.all("NUMBER_WORD") if not month or item.start > month[0].start]
    number = match.tokeniser.language.add_numbers(match.number_at(item) or 0 for item in words)
    if not 1100 <= number <= 2100 or is_counted(match) or (not month and not number % 100):
        return None
    if not month:
        return Parts(year=int(number))
    days = [item for item in match.all("SMALL_NUMBER", "ORDINAL", "NUMBER_WORD", "A") if item.start < month[0].start]
    day = match.tokeniser.language.add_numbers(match.number_at(item) or 0 for item in days) if days else None
    if day is not None and not 1 <= day <= 31:
        return None
    return Parts(year=int(number), month=match.value("MONTH_NAME"), day=None if day is None else int(day))


@rule
def week_of_day(match: Match) -> Parsed | None:
    """ "La semaine du 7 octobre": the week, or the weekend, of a day."""
    name, day = match.value("UNIT"), match.times[0]
    if name not in ("week", "weekend") or day.has_clock:
        return None
    return Parts(unit=TimeUnit.named(str(name)), step=0, origin=day)


@rule
def half_of_month(match: Match) -> Parsed | None:
    """ "La première quinzaine d'avril": a half of a month."""
    number, month = match.number("ORDINAL", "FIRST", "ORDINAL_WEEKDAY") if not match.has("LAST") else 2, match.times[0]
    if match.has("ORDINAL_WEEKDAY"):
        number = 2 if match.value("ORDINAL_WEEKDAY") == 1 else None
    is_fortnight = match.value("UNIT") == "fortnight" or match.value("FEW") == 15
    is_month = (month.month is not None or (month.unit is not None and month.unit.letter == "M")) and month.day is None
    if not is_fortnight or not is_month or number not in (1, 2) or month.weekday is not None:
        return None
    return replace(month, nth=int(number), share=2)


@rule
def nth_of_unit(match: Match) -> Parsed | None:
    """ "Le premier lundi du mois", "el último día del año": one of the unit at hand."""
    *inner, whole = [TimeUnit.named(str(name)) for name in match.values("UNIT")]
    number = -1.0 if match.has("LAST") else match.number("ORDINAL", "FIRST")
    if number is None or whole.grain <= Grain.DAY or (inner and inner[0].grain >= whole.grain):
        return None
    parsed = Parts(nth=int(number), weekday=match.value("WEEKDAY"), nth_unit=inner[0] if inner else None)
    return replace(parsed, unit=whole, step=0)


@rule
def weekday_of_set(match: Match) -> Parsed | None:
    """ "Todos los martes y jueves": a weekday that follows others that come back."""
    time = match.times[0]
    return Recurrence(f"XXXX-WXX-{time.weekday}") if time == Parts(weekday=time.weekday) else None


@rule
def first_of_period(match: Match) -> Parsed | None:
    """ "Los últimos cuatro meses de 2021", "les dix premiers jours de mai": units from an end of a whole."""
    whole = match.times[-1]
    windows = [item.parsed for item in match.items if isinstance(item.parsed, Rolling)]
    if windows:
        number, unit_of = windows[0].number, windows[0].unit
    elif match.amounts and match.number("ORDINAL", "FIRST") == 1 and len(match.amounts[0].numbers) == 1:
        amount, unit_of = match.amounts[0].numbers[0]
        number = amount or 0
    else:
        return None
    if not number or number != int(number) or abs(number) > 400 or whole.has_clock or whole.mod or whole.states_day:
        return None
    first, last = (1, int(number)) if number > 0 else (int(number), -1)
    if windows and number > 0:
        return None  # the next ones are not of a whole
    return Range(replace(whole, nth=first, nth_unit=unit_of), replace(whole, nth=last, nth_unit=unit_of))


@rule
def first_count_of_period(match: Match) -> Parsed | None:
    """ "Les trois premiers mois de 2018": so many units from the beginning of a whole."""
    number, whole = match.number_at(match.items[0]), match.times[-1]
    is_whole = not whole.has_clock and not whole.mod and not whole.states_day
    if number is None or number != int(number) or not 1 < number <= 400 or not is_whole:
        return None
    if match.number("ORDINAL", "FIRST") != 1:
        return None
    unit_of = TimeUnit.named(str(match.value("UNIT")))
    return Range(replace(whole, nth=1, nth_unit=unit_of), replace(whole, nth=int(number), nth_unit=unit_of))


@rule
def rest_of(match: Match) -> Parsed | None:
    """ "Le reste de la semaine": from today to its last day."""
    unit_of = TimeUnit.named(str(match.value("UNIT")))
    today = Parts(unit=TimeUnit.named("day"), step=0)
    if unit_of.grain <= Grain.DAY:
        return today if unit_of.grain == Grain.DAY else None
    return Range(today, Parts(unit=unit_of, step=0, nth=-1, nth_unit=TimeUnit.named("day")))


@rule
def within_unit(match: Match) -> Parsed | None:
    """ "Dans la semaine", "in giornata": the unit at hand, where nothing follows that says which."""
    if match.after not in _ENDS or match.value("UNIT") == "weekend" or _is_plural(match):
        return None
    return Parts(unit=TimeUnit.named(str(match.value("UNIT"))), step=0)


@rule
def rolling_pointed(match: Match) -> Parsed | None:
    """ "Les trois mois suivants": units counted from the time that the text mentioned last."""
    number = match.number()
    if number is None:
        return None
    sign = int(match.value("POINTING"))
    return Rolling(sign * number, TimeUnit.named(str(match.value("UNIT"))), anchor="text")


@rule
def last_hour(match: Match) -> Parsed | None:
    """ "La dernière heure", "the next minute": one unit below the day."""
    unit_of = TimeUnit.named(str(match.value("UNIT")))
    if unit_of.grain >= Grain.DAY or match.word("UNIT") in match.tokeniser.language.cue_words("plural"):
        return None
    return Rolling(-1 if match.has("LAST") else 1, unit_of)


@rule
def rate(match: Match) -> Parsed | NoTime | None:
    """ "Ocho horas al día", "due volte a settimana": how often, behind a number or a word for times."""
    first, codes = match.items[0].first, match.tokens.codes
    classes = match.tokeniser.language.classes
    numbers = {classes[name] for name in ("SMALL_NUMBER", "NUMBER_WORD", "LARGE_NUMBER", "DECIMAL", "A", "YEAR")}
    near = range(max(0, first - 3), first)
    times = match.tokeniser.language.cue_words("times")
    if not any(codes[at] in numbers or match.tokens.words[at] in times for at in near):
        return None
    unit_of = TimeUnit.named(str(match.value("UNIT")))
    return get_rule("every")(match) if unit_of.grain >= Grain.DAY else None


@rule
def units_ago(match: Match) -> Parsed | None:
    """ "Anni fa", "años atrás": some time ago."""
    return Parts(reference="PAST_REF") if _is_plural(match) else None


@rule
def these_days(match: Match) -> Parsed | None:
    """ "In questi giorni", "estas semanas": about now."""
    named = TimeUnit.named(str(match.value("UNIT")))
    return Parts(reference="PRESENT_REF") if Grain.DAY <= named.grain <= Grain.YEAR else None


@rule
def day_in_list(match: Match) -> Parsed | None:
    """ "Les 3 et 4 mai": a day whose month follows a later one; see `LanguageTagger`."""
    number = match.number("SMALL_NUMBER")
    return Parts(day=int(number)) if number is not None and 1 <= number <= 31 else None


@rule
def weekday_in_list(match: Match) -> Parsed | None:
    """ "Lundi 11 et mardi 12 mai": a weekday and a day whose month follows a later one; see `LanguageTagger`."""
    number = match.number("SMALL_NUMBER")
    is_day = number is not None and 1 <= number <= 31
    return Parts(day=int(number or 0), weekday=match.value("WEEKDAY")) if is_day else None


@rule
def first_days(match: Match) -> Parsed | None:
    """ "I primi di maggio": the beginning of a month."""
    if match.word("ORDINAL") != "primi":
        return None
    year = match.number("YEAR")
    return Parts(month=match.value("MONTH_NAME"), year=None if year is None else int(year), mod="START")


@rule
def one_second(match: Match) -> Parsed | None:
    """ "Un segundo", where it is not "a second" of something."""
    return Amount(((1.0, TimeUnit.named("second")),))


@rule
def day_and_range(match: Match) -> Parsed | None:
    """A day by its number alone with hours: "le 17 de 14h à 16h"."""
    number = match.number("SMALL_NUMBER")
    hours = match.items[-1].parsed
    if number is None or not 1 <= number <= 31 or not isinstance(hours, Range):
        return None
    day = Parts(day=int(number))
    first, last = (None if end is None else combine(day, end) for end in (hours.first, hours.last))
    is_joined = (first is None) == (hours.first is None) and (last is None) == (hours.last is None)
    is_clock = all(end is None or end.has_clock for end in (hours.first, hours.last))
    return Range(first, last) if is_joined and is_clock else None


@rule
def quarter_code(match: Match) -> Parsed | None:
    """ "T3 2018", "S1 2020": a quarter or a half of a year by its letter."""
    year_number = match.number("YEAR", "SHORT_YEAR")
    if year_number is None:
        return None
    year_number = _add_century(year_number) if year_number < 100 else int(year_number)
    quarter = match.number("QUARTER_CODE")
    if quarter is not None:
        return Parts(quarter=int(quarter), year=year_number)
    half = match.number("HALF_CODE")
    return None if half is None else Parts(half=int(half), year=year_number)


@rule
def middle_of(match: Match) -> Parsed | None:
    """ "Metà maggio": the word for a half that also means the middle."""
    time = match.times[0] if match.times else None
    if time is None and match.value("UNIT") is not None:
        return Parts(unit=TimeUnit.named(str(match.value("UNIT"))), step=0, mod="MID")
    if time is None or time.mod or time.has_clock:
        return None
    return replace(time, mod="MID")


@rule
def age(match: Match) -> Parsed | NoTime | None:
    """ "Ana Ruiz, 20 ans, ...": the years behind a name are an age."""
    text, first = match.tokens.text, match.items[0].first
    if match.value("UNIT") != "year" or first < 2 or match.after not in (",", ".", ")", ";", ""):
        return None
    start, end = match.tokens.starts[first - 2], match.tokens.ends[first - 2]
    return NO_TIME if text[start:end][:1].isupper() and start and text[start - 1] not in ".!?" else None


@rule
def age_of_verb(match: Match) -> NoTime | None:
    """ "Elle a 34 ans", "tiene 34 años": the years that somebody has are an age."""
    is_age = match.value("UNIT") == "year" and match.before in match.tokeniser.language.cue_words("age_verbs")
    return NO_TIME if is_age and (match.number() or 0) < 120 else None


@rule
def age_of_person(match: Match) -> Parsed | NoTime | None:
    """ "Un homme de 20 ans": the years of a person are an age."""
    if match.value("UNIT") != "year" or match.before not in match.tokeniser.language.cue_words("persons"):
        return None
    return NO_TIME


@rule
def pointed_weekday(match: Match) -> Parsed | None:
    """ "Le lundi suivant": counted from the time that the text mentioned last."""
    return Parts(weekday=match.value("WEEKDAY"), turn=int(match.value("POINTING")), anchor="text")


@rule
def day_and_time(match: Match) -> Parsed | None:
    """A day by its number alone with a clock time: "le 16 à 18h"."""
    number = match.number_at(match.all("SMALL_NUMBER")[0])
    if number is None or not 1 <= number <= 31:
        return None
    return replace(match.times[0], day=int(number))


def _is_plural(match: Match) -> bool:
    plural = match.tokeniser.language.cue_words("plural")
    return match.word("UNIT") in plural or match.word("ORDINAL", "LAST") in plural


@rule
def nth_unit(match: Match) -> Parsed | NoTime | None:
    """ "La troisième semaine", which needs a whole to be one of; in the plural see `first_units`."""
    return None if _is_plural(match) else get_rule("ordinal_unit")(match)


@rule
def first_units(match: Match) -> Parsed | None:
    """ "Les premiers mois de 1986": the beginning or the end of a time."""
    time = match.times[0]
    is_last = match.has("LAST")
    if not _is_plural(match) or time.mod or time.has_clock or (not is_last and match.number("ORDINAL", "FIRST") != 1):
        return None
    return replace(time, mod="END" if is_last else "START")


@rule
def slash_date(match: Match) -> Parsed | NoTime | None:
    """A day and a month with a slash: 24/11. With a point they are a decimal number here."""
    return get_rule("numeric_date")(match) if "/" in (match.word("DAY_MONTH") or "") else None


@rule
def padded_date(match: Match) -> Parsed | NoTime | None:
    """A day and a month with a slash, one of which has a zero that no fraction has: 22/04."""
    first, _, last = (match.word("DAY_MONTH") or "").partition("/")
    is_padded = len(first) == len(last) == 2 and "0" in (first[0], last[0])
    return get_rule("numeric_date")(match) if is_padded else None


@rule
def range_in_sentence(match: Match) -> Parsed | NoTime | None:
    """From one time to another; a capital letter on "to" starts another sentence."""
    for item in match.all("AT", "AL"):
        if match.tokens.text[item.start].isupper():
            return None
    return get_rule("range_of")(match)


@rule
def year_or_count(match: Match) -> Parsed | NoTime | None:
    """A year, unless it is a round number that counts what follows: "1500 unidades"."""
    number = match.number("YEAR")
    is_round = len(match.items) == 1 and number is not None and not number % 50
    if is_round and match.before not in match.tokeniser.language.cue_words("year_cues") and is_counted(match):
        return None
    return get_rule("year")(match)


@rule
def year_of_word(match: Match) -> Parsed | NoTime | None:
    """A year behind the word for year, or behind "early", "late"."""
    return None if match.value("UNIT") not in (None, "year") else get_rule("year")(match)


@rule
def days_of_month(match: Match) -> Parsed | None:
    """Days of a month that is named first: "novembre 19-20"."""
    first, last = (match.number_at(item) for item in match.all("SMALL_NUMBER"))
    if first is None or last is None or not 1 <= first < last <= 31:
        return None
    year = match.number("YEAR")
    month, number = match.value("MONTH_NAME"), None if year is None else int(year)
    return Range(Parts(year=number, month=month, day=int(first)), Parts(year=number, month=month, day=int(last)))


@rule
def fourth_quarter(match: Match) -> Parsed | None:
    """ "Cuarto trimestre": one word for a fourth and for a quarter of an hour."""
    if match.value("UNIT") != "quarter" or match.value("QUARTER_HOUR") != 15:
        return None
    year = match.number("YEAR")
    return Parts(quarter=4, year=None if year is None else int(year))


@rule
def since_ago(match: Match) -> Parsed | None:
    """ "Desde hace dos años": how long something has lasted."""
    return match.amounts[0] if match.amounts else None
