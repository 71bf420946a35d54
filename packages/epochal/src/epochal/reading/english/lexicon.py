"""The English words of time with their classes and values.

The patterns of `patterns.py` are written in classes (see `epochal.reading.grammar`). A class that is written in small
letters contains that word alone and is quoted there. Internally a class is a code of one character; only `CLASSES` says
which.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from epochal.reading.grammar import code_words
from epochal.times.axis import Grain
from epochal.times.calendars.arithmetic_tables import ROWS
from epochal.times.geology import list_geological_units

__all__ = [
    "CALENDAR_MONTHS",
    "CARDINALS",
    "CLASSES",
    "CODES",
    "DAYPARTS",
    "DEEP_TIMES",
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
    "get_codes",
]


#: Classes of words that make a run of tokens worth matching: by themselves they hint at a time.
TIME_CLASSES: dict[str, str] = {
    "YEAR": "Y",  # 1998
    "THREE_DIGITS": "O",  # 490
    "NUMERIC_DATE": "A",  # 1998-03-05, 3/5/98, 1998-W08, 19980305T1030
    "SLASH_DATE": "À",  # 11/23
    "DOT_DATE": "Á",  # 24.11.
    "YEAR_PAIR": "Â",  # 1998/99, 1748/9
    "FISCAL_YEAR": "Ã",  # FY24, FY2005
    "PERIOD_CODE": "Ä",  # 1Q24, 2H23, 2024E
    "EPOCH": "Å",  # 1731742800, the seconds since 1970
    "MILITARY": "Æ",  # 0715
    "AGE_UNIT": "Ç",  # Ma, kyr, BP
    "DOSING": "È",  # q6h, BID
    "OCLOCK": "É",
    "LONG_COUNT": "Ê",  # 13.0.0.0.0
    "CALENDAR_MONTH": "Ë",  # Tishrei, Brumaire: a month of another calendar
    "HIJRI": "Ì",  # AH
    "DEEP_TIME": "Ï",  # Jurassic
    "ROMAN_DAY": "Í",  # the Ides
    "ytd": "Î",
    "DAY_COUNT": "Ð",  # JD, MJD: the days that astronomers count
    "SHORT_DURATION": "Ü",  # 5m, 3d: needs company
    "h": "Ý",  # hours behind a number: 48 h
    "END_OF": "Þ",  # EOD, EOM: the end of the day, of the month
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
    "oh": "Ô",  # nineteen oh six
    "HALF_CODE": "8",  # H1, H2
}

#: All classes with their codes.
CLASSES: dict[str, str] = TIME_CLASSES | {
    "BEFORE": "B",
    "MORE": "N",
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
    "FEAST": "9",  # Good, Black: needs a weekday behind it
    "LORD": "0",  # in the year of our Lord
    "ROMAN": "1",  # VIII
    "date": "+",
    "c": "<",
    "OFFSET": "7",  # +0200, behind a clock time
    "@": "Û",
    "DAY_NUMBER": "Ñ",  # 2451545.0
    "BACK": "Ú",  # two years back, three weeks hence
    "±": "±",
    "CAL": "Ó",  # calibrated: 5300 cal BP
    "CHURCH": "Ò",  # Advent, Lent: needs a weekday before it
    "morrow": "Ö",  # to-morrow
    "COMMENCING": "Õ",  # the week commencing 3 March
    "(": "(",
    ")": ")",
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
    ("seconds sec secs", Grain.SECOND, "TS"),
    ("minute minutes min mins", Grain.MINUTE, "TM"),
    ("hour hours hr hrs", Grain.HOUR, "TH"),
    ("day days", Grain.DAY, "D"),
    ("week weeks wk wks", Grain.WEEK, "W"),
    ("weekend weekends", None, "WE"),
    ("fortnight fortnights", Grain.WEEK, "2W"),
    ("month months mos mth mths", Grain.MONTH, "M"),
    ("quarter quarters qtr qtrs", Grain.QUARTER, "Q"),
    ("year years yr yrs", Grain.YEAR, "Y"),
    ("decade decades", Grain.DECADE, "DE"),
    ("century centuries", Grain.CENTURY, "CE"),
    ("millennium millennia millenniums", Grain.MILLENNIUM, "ML"),
):
    UNITS |= dict.fromkeys(_names.split(), (_grain, _letter))

DAYPARTS = {
    "morning": "MO",
    "mornings": "MO",
    "forenoon": "MO",
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
    "juneteenth": (6, 19),
    "epiphany": (1, 6),
    "candlemas": (2, 2),
    "michaelmas": (9, 29),
    "martinmas": (11, 11),
    "lammas": (8, 1),
    "hogmanay": (12, 31),
    "pentecost": "pentecost",
    "whitsun": "pentecost",
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
    "mlk": (1, 1, 3),
    "presidents": (2, 1, 3),
    "mother": (5, 7, 2),
    "mothers": (5, 7, 2),
    "father": (6, 7, 3),
    "fathers": (6, 7, 3),
    "groundhog": (2, 2),
    "earth": (4, 22),
    "anzac": (4, 25),
    "bastille": (7, 14),
    "armistice": (11, 11),
    "remembrance": (11, 11),
    "canada": (7, 1),
    "australia": (1, 26),
    "flag": (6, 14),
    "patrick": (3, 17),
    "lady": (3, 25),
    "midsummer": (6, 24),
    "saints": (11, 1),
    "souls": (11, 2),
    "andrew": (11, 30),
    "stephen": (12, 26),
    "bonfire": (11, 5),
    "crispin": (10, 25),
    "bartholomew": (8, 24),
    "barnabas": (6, 11),
    "swithin": (7, 15),
    "swithun": (7, 15),
    "waitangi": (2, 6),
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
ZONES |= {"gmt": 0, "utc": 0, "ut": 0, "bst": 1, "cet": 1, "cest": 2, "eet": 2, "eest": 3, "msk": 3, "ist": 5.5}
ZONES |= {"sgt": 8, "hkt": 8, "awst": 8, "jst": 9, "kst": 9, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13, "hst": -10}

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

#: The months of other calendars that are one word, and no word of ours.
CALENDAR_MONTHS = {
    spelling.lower()
    for row in ROWS
    if row.name in ("hebrew", "islamic", "persian", "french_republican", "coptic") and not row.needs_mark
    for month in row.months
    for spelling in month.split("|")
    if spelling.isalpha() and len(spelling) > 3
} - {"ramadan"} | {"av", "shaban"}

#: The units of geological time that are one word.
DEEP_TIMES = {name for name in list_geological_units() if name.isalpha()}

#: The words of each class, in lower case. What numbers and dates look like is in `tokens.py`.
WORDS: dict[str, Iterable[str]] = {
    "MONTH_NAME": MONTHS,
    "WEEKDAY": [word for word in WEEKDAYS if word not in ("sun", "mon")],
    "SHORT_WEEKDAY": "sun mon",
    "SEASON": [word for word in SEASONS if word != "fall"],
    "fall": "fall",
    "UNIT": UNITS,
    "PERIOD": "period time moment",
    "TODAY": "today yesterday tomorrow tonight tonite tmr tmrw tomo tdy",
    "NOW": REFERENCES,
    "DAYPART": DAYPARTS,
    "HOLIDAY": HOLIDAYS,
    "ERA": "bc bce ad ce",
    "FREQUENCY": (
        "daily weekly monthly yearly hourly annually nightly everyday biweekly quarterly fortnightly semiannually"
        " biannually biennially bimonthly weekdays weekday weeknights weeknight"
    ),
    "DECADE": "twenties thirties forties fifties sixties seventies eighties nineties noughties",
    "NINETEEN": "eighteen nineteen",
    "REIGN": (
        "meiji taisho taishō showa shōwa heisei reiwa tensho tenshō bunroku keicho keichō genna keian kanbun enpo enpō "
        "jokyo jōkyō genroku hoei hōei kyoho kyōhō genbun kanpo kanpō horeki hōreki meiwa tenmei kansei kyowa kyōwa "
        "bunka bunsei tenpo tenpō kaei ansei bunkyu bunkyū keio keiō"
    ),
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
    "LAST": "last past previous preceding prior trailing",
    "NEXT": "next coming following upcoming subsequent ensuing nxt",
    "SAME": "same latest current present recent corresponding comparable",
    "EARLY": "early late mid latter",
    "BEGINNING": "beginning start end middle rest close turn onset outset",
    "NEARLY": "circa nearly almost roughly approximately exactly ca some",
    "ago": "ago",
    "LATER": "later earlier previously afterwards afterward sometime",
    "BEFORE": "before after since by from between for within",
    "h": "h",
    "END_OF": "eod eow eom eoq eoy cob",
    "BACK": "back hence",
    "old": "old",
    "of": "of",
    "IN": "in on at during",
    "AND": "and or &",
    "TO": "to until till through thru into",
    "EVERY": "every each per",
    "FISCAL": "fiscal financial calendar fy",
    "WHOLE": (
        "whole entire full single straight consecutive working business academic school tax near foreseeable distant "
        "immediate"
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
    "CALENDAR_MONTH": CALENDAR_MONTHS,
    "HIJRI": "ah sh",
    "DEEP_TIME": DEEP_TIMES,
    "ROMAN_DAY": "ides nones kalends calends",
    "ytd": "ytd",
    "DAY_COUNT": "jd mjd bjd hjd",
    "±": "±",
    "oh": "oh",
    "CAL": "cal",
    "CHURCH": "advent lent trinity",
    "FEAST": "good palm ash shrove maundy holy whit black cyber",
    "COMMENCING": "commencing ending starting",
    "morrow": "morrow",
    "LORD": "our lord",
    "ROMAN": "ii iii iv vi vii viii ix xi xii xiii xiv",
    "date": "date",
    "c": "c",
    "(": "(",
    ")": ")",
    "AGE_UNIT": "ma ka ga kyr myr gyr mya kya bya gya bp",
    "DOSING": "bid tid qid qd qod qhs qam qpm",
    "@": "@",
    "-": "- – —",
    ",": ",",
    ".": ".",
    "'": "' ’",
    "/": "/",
    "CURRENCY": "$ £ €",
}

#: The code of each word.
CODES: dict[str, str] = code_words(CLASSES, WORDS)


@cache
def get_codes(*names: str) -> str:
    """The codes of some classes, in order."""
    return "".join(map(CLASSES.__getitem__, names))
