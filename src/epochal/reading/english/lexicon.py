"""The English words of time: each has a one-letter code, over which the grammar is written, and a value.

Capital letters are the codes of words that speak of time by themselves and so may start an expression; small ones are
those of words that only help (numbers, determiners, prepositions). The table of codes:

    Y year         A numeric date   C clock time     D decade        G range of years   Q quarter (Q3)
    M month        W weekday        S season         F fall          U unit             T period, time
    K today        R now, recently  P part of a day  H holiday       E BC, AD           V daily, weekly
    I nineteen     L Meiji, Showa   X short forms that need company (Sun, Mon)

    n small number w number word    m large number   o ordinal       q few, several     r half
    t the          a a, an          h this, that     l last, past    x next, coming     s same, latest
    e early, late  b beginning, end c circa, nearly  g ago           j later, earlier   d old
    f of           i in, on, at     & and, or        z to, until     v every, each      k fiscal
    u whole        Z am, pm         y time zone      - hyphen        , comma            ; full stop
    ' apostrophe   $ currency       / slash          B before, after N more, other      O number of 3 digits
    % than         ^ up             = least, most    ! right         _ s (after an apostrophe)
    2 names of days (Labor, Boxing)  3 new            4 long            5 eve
    6 part
"""

from __future__ import annotations

from epochal.times import Grain

__all__ = [
    "CARDINALS",
    "CODES",
    "DAYPARTS",
    "HOLIDAYS",
    "MONTHS",
    "NAMED_DAYS",
    "ORDINALS",
    "REFERENCES",
    "SEASONS",
    "UNITS",
    "WEEKDAYS",
]

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

_GROUPS = {
    "K": "today yesterday tomorrow tonight tmr tmrw tomo tdy",
    "L": "meiji taisho taishō showa shōwa heisei reiwa",
    "T": "period time moment",
    "J": "daylong weeklong monthlong yearlong hourlong",
    "V": "daily weekly monthly yearly hourly annually nightly everyday biweekly",
    "D": "twenties thirties forties fifties sixties seventies eighties nineties",
    "q": "few several couple many dozens hundreds thousands countless",
    "r": "half",
    "t": "the",
    "a": "a an another",
    "h": "this that these those",
    "l": "last past previous preceding prior",
    "x": "next coming following upcoming subsequent ensuing nxt",
    "s": "same latest current present recent corresponding comparable",
    "e": "early late mid latter",
    "b": "beginning start end middle rest close turn onset outset",
    "c": "circa nearly almost roughly approximately exactly ca some",
    "g": "ago",
    "j": "later earlier previously afterwards afterward sometime",
    "d": "old",
    "f": "of",
    "i": "in on at during",
    "&": "and or",
    "z": "to until till through thru",
    "v": "every each per",
    "k": "fiscal calendar",
    "u": "whole entire full single straight consecutive working business academic near foreseeable distant immediate",
    "N": "more other additional further extra less fewer",
    "%": "than",
    "^": "up",
    "=": "least most",
    "!": "right",
    "_": "s",
    "2": "independence memorial labor labour veterans valentine boxing columbus",
    "3": "new",
    "4": "long",
    "5": "eve",
    "6": "part",
    "B": "before after since by from between for within",
    "y": "est edt pst pdt cst cdt mst mdt gmt utc bst cet cest et pt ist jst sgt",
    "Z": "am pm",
}

#: The code of each word, in lower case.
CODES: dict[str, str] = {word: code for code, words in _GROUPS.items() for word in words.split()}
CODES |= dict.fromkeys(CARDINALS, "w") | dict.fromkeys(ORDINALS, "o") | {"eighteen": "I", "nineteen": "I"}
CODES |= dict.fromkeys(MONTHS, "M") | dict.fromkeys(WEEKDAYS, "W") | dict.fromkeys(SEASONS, "S") | {"fall": "F"}
CODES |= dict.fromkeys(UNITS, "U") | dict.fromkeys(DAYPARTS, "P") | dict.fromkeys(REFERENCES, "R")
CODES |= dict.fromkeys(HOLIDAYS, "H") | {"sun": "X", "mon": "X", "bc": "E", "bce": "E", "ad": "E", "ce": "E"}
CODES |= {
    "-": "-",
    "–": "-",
    "—": "-",
    ",": ",",
    ".": ";",
    "'": "'",
    "’": "'",
    "$": "$",
    "£": "$",
    "€": "$",
    "/": "/",
    "&": "&",
}
