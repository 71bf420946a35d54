"""The English words of time: the class that each belongs to, and its value.

The patterns of `patterns.py` are written in classes (see `epochal.reading.grammar`). A class that is written in small
letters holds that word alone and stands in quotes there. Inside, a class is a code of one character; `CLASSES` is the
only place that says which.
"""

from __future__ import annotations

from collections.abc import Iterable

from epochal.reading.grammar import code_words
from epochal.times import Grain

__all__ = [
    "CARDINALS",
    "CLASSES",
    "CODES",
    "DAYPARTS",
    "HOLIDAYS",
    "MONTHS",
    "NAMED_DAYS",
    "ORDINALS",
    "REFERENCES",
    "SEASONS",
    "TIME_CLASSES",
    "UNITS",
    "WEEKDAYS",
    "WORDS",
    "ZONES",
    "codes_of",
]

#: Classes of words that make a stretch of text worth looking at: by themselves they hint at a time.
TIME_CLASSES: dict[str, str] = {
    "YEAR": "Y",  # 1998
    "THREE_DIGITS": "O",  # 490
    "NUMERIC_DATE": "A",  # 1998-03-05, 3/5/98, 1998-W08, FY2005
    "CLOCK": "C",  # 10:30, 5pm
    "DECADE": "D",  # 1990s, 80s, nineties
    "QUARTER": "Q",  # Q3, 4Q98
    "MONTH_NAME": "M",
    "WEEKDAY": "W",
    "SHORT_WEEKDAY": "X",  # Sun and Mon are other words too, and need company
    "SEASON": "S",
    "fall": "F",
    "UNIT": "U",
    "PERIOD": "T",
    "TODAY": "K",
    "NOW": "R",
    "DAYPART": "P",
    "HOLIDAY": "H",
    "ERA": "E",
    "FREQUENCY": "V",
    "NINETEEN": "I",  # what a year in words starts with
    "REIGN": "L",
    "WHOLE_DURATION": "J",  # a duration in one word: yearlong, 20mins
    "AM_PM": "Z",
    "BEFORE": "B",
    "MORE": "N",
}

#: All classes with their codes.
CLASSES: dict[str, str] = TIME_CLASSES | {
    "SMALL_NUMBER": "n",  # one or two digits
    "LARGE_NUMBER": "m",
    "NUMBER_WORD": "w",
    "ORDINAL": "o",
    "FEW": "q",
    "HALF": "r",
    "the": "t",
    "A": "a",
    "THIS": "h",
    "LAST": "l",
    "NEXT": "x",
    "SAME": "s",
    "EARLY": "e",
    "BEGINNING": "b",
    "NEARLY": "c",
    "ago": "g",
    "LATER": "j",
    "old": "d",
    "of": "f",
    "IN": "i",
    "AND": "&",
    "TO": "z",
    "EVERY": "v",
    "FISCAL": "k",
    "WHOLE": "u",
    "ZONE": "y",
    "-": "-",
    ",": ",",
    ".": ";",
    "'": "'",
    "/": "/",
    "CURRENCY": "$",
    "than": "%",
    "up": "^",
    "LEAST": "=",
    "right": "!",
    "s": "_",  # after an apostrophe
    "NAMED_DAY": "2",  # needs "Day" behind it
    "new": "3",
    "long": "4",
    "eve": "5",
    "part": "6",
    "OTHER": ".",  # any other word
}

_MONTH_NAMES = "january february march april may june july august september october november december".split()
MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
MONTHS |= {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}

_DAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday".split()
WEEKDAYS = {name: number for number, name in enumerate(_DAY_NAMES, 1)}
WEEKDAYS |= {"mon": 1, "tue": 2, "tues": 2, "wed": 3, "weds": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6}
WEEKDAYS |= {"sun": 7} | {f"{name}s": number for name, number in WEEKDAYS.items() if name in _DAY_NAMES}

SEASONS = {"spring": "SP", "summer": "SU", "autumn": "FA", "fall": "FA", "winter": "WI"}
SEASONS |= {"springtime": "SP", "summertime": "SU", "wintertime": "WI", "summers": "SU", "winters": "WI"}

#: Units: the grain, and the letter of an ISO 8601 duration.
UNITS: dict[str, tuple[Grain | None, str]] = {}
for _names, _grain, _letter in (
    ("seconds secs", Grain.SECOND, "TS"),
    ("minute minutes min mins", Grain.MINUTE, "TM"),
    ("hour hours hr hrs", Grain.HOUR, "TH"),
    ("day days", Grain.DAY, "D"),
    ("week weeks wk wks", Grain.WEEK, "W"),
    ("weekend weekends", None, "WE"),
    ("fortnight fortnights", Grain.WEEK, "2W"),
    ("month months", Grain.MONTH, "M"),
    ("quarter quarters", Grain.QUARTER, "Q"),
    ("year years yr yrs", Grain.YEAR, "Y"),
    ("decade decades", Grain.DECADE, "DE"),
    ("century centuries", Grain.CENTURY, "CE"),
    ("millennium millennia millenniums", Grain.MILLENNIUM, "ML"),
):
    UNITS |= dict.fromkeys(_names.split(), (_grain, _letter))

DAYPARTS = {
    "morning": "MO",
    "mornings": "MO",
    "dawn": "MO",
    "sunrise": "MO",
    "daybreak": "MO",
    "afternoon": "AF",
    "afternoons": "AF",
    "evening": "EV",
    "evenings": "EV",
    "dusk": "EV",
    "sunset": "EV",
    "night": "NI",
    "nights": "NI",
    "nite": "NI",
    "overnight": "NI",
    "midnight": "24:00",
    "noon": "12:00",
    "midday": "12:00",
    "lunchtime": "MI",
    "daytime": "DT",
}

REFERENCES = {
    "now": "PRESENT_REF",
    "nowadays": "PRESENT_REF",
    "currently": "PRESENT_REF",
    "presently": "PRESENT_REF",
    "recently": "PAST_REF",
    "lately": "PAST_REF",
    "future": "FUTURE_REF",
}

#: Holidays: month and day, or a rule of `holidays.py`.
HOLIDAYS: dict[str, tuple[int, int] | str] = {
    "christmas": (12, 25),
    "xmas": (12, 25),
    "halloween": (10, 31),
    "easter": "easter",
    "thanksgiving": "thanksgiving",
    "ramadan": "ramadan",
}

#: The days behind words that name one only together with "Day": a date, or month, weekday and which one (-1 the last).
NAMED_DAYS: dict[str, tuple[int, int] | tuple[int, int, int]] = {
    "independence": (7, 4),
    "memorial": (5, 1, -1),
    "labor": (9, 1, 1),
    "labour": (5, 1),
    "veterans": (11, 11),
    "valentine": (2, 14),
    "boxing": (12, 26),
    "columbus": (10, 1, 2),
    "new": (1, 1),
}

#: Hours by which the clocks of a zone are ahead of UTC.
ZONES: dict[str, float] = {
    "est": -5,
    "edt": -4,
    "et": -5,
    "cst": -6,
    "cdt": -5,
    "mst": -7,
    "mdt": -6,
    "pst": -8,
    "pdt": -7,
    "pt": -8,
}
ZONES |= {"gmt": 0, "utc": 0, "bst": 1, "cet": 1, "cest": 2, "ist": 5.5, "jst": 9, "sgt": 8}

_CARDINAL_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
CARDINALS = {word: number for number, word in enumerate(_CARDINAL_WORDS)}
CARDINALS |= {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
CARDINALS |= {"hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12}

_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
ORDINALS = {word: number for number, word in enumerate(_ORDINAL_WORDS, 1)} | {"thirtieth": 30}

#: The words of each class, in lower case. What numbers and dates look like is in `tokens.py`.
WORDS: dict[str, Iterable[str]] = {
    "MONTH_NAME": MONTHS,
    "WEEKDAY": [word for word in WEEKDAYS if word not in ("sun", "mon")],
    "SHORT_WEEKDAY": "sun mon",
    "SEASON": [word for word in SEASONS if word != "fall"],
    "fall": "fall",
    "UNIT": UNITS,
    "PERIOD": "period time moment",
    "TODAY": "today yesterday tomorrow tonight tmr tmrw tomo tdy",
    "NOW": REFERENCES,
    "DAYPART": DAYPARTS,
    "HOLIDAY": HOLIDAYS,
    "ERA": "bc bce ad ce",
    "FREQUENCY": "daily weekly monthly yearly hourly annually nightly everyday biweekly",
    "DECADE": "twenties thirties forties fifties sixties seventies eighties nineties",
    "NINETEEN": "eighteen nineteen",
    "REIGN": "meiji taisho taishō showa shōwa heisei reiwa",
    "WHOLE_DURATION": "daylong weeklong monthlong yearlong hourlong",
    "AM_PM": "am pm",
    "ZONE": ZONES,
    "NAMED_DAY": [word for word in NAMED_DAYS if word != "new"],
    "NUMBER_WORD": [word for word in CARDINALS if word not in ("eighteen", "nineteen")],
    "ORDINAL": ORDINALS,
    "FEW": "few several couple many dozens hundreds thousands countless",
    "HALF": "half",
    "the": "the",
    "A": "a an another",
    "THIS": "this that these those",
    "LAST": "last past previous preceding prior",
    "NEXT": "next coming following upcoming subsequent ensuing nxt",
    "SAME": "same latest current present recent corresponding comparable",
    "EARLY": "early late mid latter",
    "BEGINNING": "beginning start end middle rest close turn onset outset",
    "NEARLY": "circa nearly almost roughly approximately exactly ca some",
    "ago": "ago",
    "LATER": "later earlier previously afterwards afterward sometime",
    "BEFORE": "before after since by from between for within",
    "old": "old",
    "of": "of",
    "IN": "in on at during",
    "AND": "and or &",
    "TO": "to until till through thru",
    "EVERY": "every each per",
    "FISCAL": "fiscal calendar",
    "WHOLE": (
        "whole entire full single straight consecutive working business academic near foreseeable distant immediate"
    ),
    "MORE": "more other additional further extra less fewer",
    "than": "than",
    "up": "up",
    "LEAST": "least most",
    "right": "right",
    "new": "new",
    "long": "long",
    "eve": "eve",
    "part": "part",
    "s": "s",
    "-": "- – —",
    ",": ",",
    ".": ".",
    "'": "' ’",
    "/": "/",
    "CURRENCY": "$ £ €",
}

#: The code of each word.
CODES: dict[str, str] = code_words(CLASSES, WORDS)


def codes_of(*names: str) -> str:
    """The codes of some classes, in order.

    >>> codes_of("the", "UNIT")
    'tU'
    """
    return "".join(map(CLASSES.__getitem__, names))
