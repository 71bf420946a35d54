"""The English words of time with their classes and values, and the tokeniser that assigns them.

The patterns of `patterns.py` are written in classes (see `epochal.reading.grammar`). A class that is written in small
letters contains that word alone and is quoted there. Internally a class is a code of one character; only `CLASSES` says
which.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from epochal.lazy import lazy_regex
from epochal.reading.grammar import code_words
from epochal.times.axis import Grain
from epochal.times.calendars.arithmetic_tables import ROWS
from epochal.times.geology import list_geological_units

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
    "EnglishTokens",
    "get_codes",
    "tokenise",
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
    "FEAST": "9",  # Good, Black: needs a weekday behind it
    "LORD": "0",  # in the year of our Lord
    "ROMAN": "1",  # VIII
    "date": "+",
    "c": "<",
    "OFFSET": "7",  # +0200, behind a clock time
    "@": "Û",
    "HALF_CODE": "8",  # H1, H2
    "DAY_NUMBER": "Ñ",  # 2451545.0
    "BACK": "Ú",  # two years back, three weeks hence
    "±": "±",
    "oh": "Ô",  # nineteen oh six
    "CAL": "Ó",  # calibrated: 5300 cal BP
    "CHURCH": "Ò",  # Advent, Lent: needs a weekday before it
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
    ("month months", Grain.MONTH, "M"),
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
_CALENDAR_MONTHS = {
    spelling.lower()
    for row in ROWS
    if row.name in ("hebrew", "islamic", "persian", "french_republican", "coptic") and not row.needs_mark
    for month in row.months
    for spelling in month.split("|")
    if spelling.isalpha() and len(spelling) > 3
} - {"ramadan"}

#: The units of geological time that are one word.
_DEEP_TIMES = {name for name in list_geological_units() if name.isalpha()}

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
    "FISCAL": "fiscal calendar fy",
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
    "CALENDAR_MONTH": _CALENDAR_MONTHS,
    "HIJRI": "ah",
    "DEEP_TIME": _DEEP_TIMES,
    "ROMAN_DAY": "ides nones kalends calends",
    "ytd": "ytd",
    "DAY_COUNT": "jd mjd bjd hjd",
    "±": "±",
    "oh": "oh",
    "CAL": "cal",
    "CHURCH": "advent lent trinity",
    "FEAST": "good palm ash shrove maundy holy whit black cyber",
    "COMMENCING": "commencing ending",
    "LORD": "our lord",
    "ROMAN": "ii iii iv vi vii viii ix xi xii xiii xiv",
    "date": "date",
    "c": "c",
    "(": "(",
    ")": ")",
    "AGE_UNIT": "ma ka ga kyr myr gyr mya kya bya bp",
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


def get_codes(*names: str) -> str:
    """The codes of some classes, in order."""
    return "".join(map(CLASSES.__getitem__, names))


_TOKEN = lazy_regex(
    # Nothing inside a word, a hashtag or a handle: "olympics2014", "#Friday", "@may".
    # Words that begin with no letter of the codes come first, since they are most.
    r"((?<![\w#@])(?:[^\W\d_abfhopqt][^\W\d_]+|fy['’]?\d\d(?:\d\d)?(?!\w)|[hq][1-4](?:['’]?\d\d(?:\d\d)?)?(?![^\W_])"
    r"|q\d{1,2}(?:hrs?|h|d|wks?)(?!\w)|o['’]clock(?!\w)|(?:[btq]\.i\.d|q\.d|q\.h\.s)\b\.?"
    r"|[^\W\d_]{2,}|[ap]\.\s?m\.?(?![^\W_])|b\.\s?c\.(?:\s?e\.)?|a\.\s?d\.?(?![^\W_])"
    r"|[^\W\d_]"
    r"|\d{4}-\d\d-\d\dt\d\d(?::?\d\d)*(?:[.,]\d+)?(?:z|[+-]\d\d:?\d\d)?|\d{8}t\d{4}(?:\d\d)?z?"
    r"|\d{4}-\d{3}t\d\d:\d\d(?::\d\d)?z?"
    r"|\d{4}/(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/\d{1,2}(?!\d)"
    r"|\d{1,2}/(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/\d{4}(?::\d\d:\d\d:\d\d(?: [+-]\d{4})?)?"
    r"|\d{1,2}\.\d{1,2}\.(?=\s+[^\W_]|[,;)])"
    # "2007-08" is two years rather than a month.
    r"|\d{4}-\d{1,2}-\d{1,2}(?!\d)"
    r"|(?!\d\d(?:00-01|01-02|02-03|03-04|04-05|05-06|06-07|07-08|08-09|09-10|10-11|11-12))"
    r"\d{4}-(?:0[1-9]|1[0-2])(?![\d-])|\d{4}-w\d\d(?:-[1-7])?"
    r"|\d{1,2}-\d{1,2}-(?:\d{4}|\d\d)(?!\d)|[1-4]q(?:fy)?\d\d(?:\d\d)?(?!\w)|[12]h(?:fy)?\d\d(?:\d\d)?(?!\w)"
    r"|\d{1,2}h[0-5]\d(?!\w)"
    # A day glued to its month, as tickets write it: "15SEP", "Dec31"
    r"|\d{1,2}(?=(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}(?![^\W_]))"
    r"|\d+(?:[:./]\d+|,(?!(?:1\d|20)\d\d(?!\d))\d+)*[^\W\d_]*)"
    # What follows is rare: one look ahead spares most places the looks back.
    r"|(?=[+\-jfmasond\d])(?:(?<=:\d\d)\+(?:0\d|1[0-4]):?[0-5]\d(?!\d)|(?<=:\d\d )[+-](?:0\d|1[0-4])[0-5]\d(?!\d)"
    r"|(?<=\d)(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![^\W\d_])"
    r"|(?<=jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\d{1,2}(?!\w)"
    # Seconds since 1970, as tools write them: "@1731742800"
    r"|(?<=@)1\d{9}(?!\w)"
    # How long or how often a patient had something: "x3 days"
    r"|(?<=[\s(]x)\d{1,2}(?!\w))"
    r"|[^\w\s])"
)
_NUMERIC = tuple(
    (lazy_regex(pattern), name)
    for name, pattern in (
        ("SMALL_NUMBER", r"\d{1,2}"),
        ("YEAR", r"1\d{3}|20\d{2}|21\d{2}"),
        ("ORDINAL", r"\d{1,2}(?:st|nd|rd|th)"),
        ("DECADE", r"(?:\d{3}0|[1-9]\d0|\d0)s"),
        ("THREE_DIGITS", r"[1-9]\d{2}"),
        ("HALF", r"1/2"),
        (
            "NUMERIC_DATE",
            r"\d{4}-\d{1,2}-\d{1,2}(?:t.*)?|\d{1,2}([/-])\d{1,2}\1\d{2,4}|\d{1,2}\.\d{1,2}\.\d{4}|\d\d\.\d\d\.\d\d",
        ),
        ("NUMERIC_DATE", r"\d{4}([/.])\d{1,2}\1\d{1,2}|\d{4}-\d\d|\d{4}-w\d\d(?:-\d)?|\d{3}x|\d\dxx"),
        ("CLOCK", r"\d{1,2}(?::\d\d){1,2}(?:[ap]m?|z)?|\d\d:\d\d:\d\d[.,]\d{1,9}"),
        (
            "CLOCK",
            r"(?:[03-9]|[01]\d|2[0-3])h[0-5]\d|\d{1,2}(?::\d\d)?[ap]|\d{1,2}(?:[:.]\d\d)?[ap]m|\d{3,4}[ap]m|\d{4}h(?:rs)?|\d{1,2}ish",
        ),
        ("QUARTER", r"[1-4]q"),
        ("WHOLE_DURATION", r"\d{1,3}(?:hrs?|mins?|secs?|yrs?|h|mos?|days?|wks?|months?|years?|hours?|minutes?|weeks?)"),
        ("SHORT_DURATION", r"\d{1,3}[dwmsy]"),
        (
            "NUMERIC_DATE",
            r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:t.*)?|\d{4}-\d{3}t.*|\d{1,2}/[a-z]{3}/.*"
            r"|\d{4}/[a-z]{3}/\d{1,2}",
        ),
        ("NUMERIC_DATE", r"(?:0?[1-9]|1[0-2])/(?:19|20)\d\d"),
        ("SLASH_DATE", r"(?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|[12]\d|3[01])"),
        ("DOT_DATE", r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\."),
        ("YEAR_PAIR", r"(?:1\d{3}|20\d\d)/(?:\d{4}|\d\d?)"),
        ("PERIOD_CODE", r"[1-4]q(?:fy)?\d\d(?:\d\d)?|[12]h(?:fy)?\d\d(?:\d\d)?|20\d\d[ef]"),
        ("EPOCH", r"1\d{9}(?:\d{3}|\.\d{1,9})?"),
        ("MILITARY", r"0\d[0-5]\d"),
        ("LONG_COUNT", r"\d{1,2}(?:\.\d{1,2}){4}"),
        ("DAY_NUMBER", r"2[2-5]\d{5}(?:\.\d+)?"),
        ("LARGE_NUMBER", r"\d{1,6}(?:\.\d+)?|\d{1,3}(?:,\d{3}){1,3}(?:\.\d+)?"),
    )
)
#: Codes that start with a letter or a sign.
_CODED = tuple(
    (lazy_regex(pattern), name)
    for name, pattern in (
        ("FISCAL_YEAR", r"fy['’]?\d\d(?:\d\d)?"),
        ("QUARTER", r"q[1-4]"),
        ("HALF_CODE", r"h[12]"),
        ("PERIOD_CODE", r"(?:q[1-4]|h[12])['’]?\d\d(?:\d\d)?"),
        ("DOSING", r"q\d{1,2}(?:hrs?|h|d|wks?)"),
        ("OCLOCK", r"o['’]clock|oclock"),
        ("OFFSET", r"[+-]\d\d:?\d\d"),
    )
)
#: What is spelt like a weekday and is not one.
_TESTS = {"SAT"}
#: Words that are other words too, so that only their capital form counts.
_CAPITAL_ONLY = {"may", "march", "sat", "wed", "fri", "sun", "mon", "mar", "jan", "dec", "jun", "jul", "ad", "ce", "bc"}
_CAPITAL_ONLY |= {"ah", "advent", "jd", "lent", "trinity", *_CALENDAR_MONTHS, *_DEEP_TIMES}


class _Codes(dict[str, str]):
    """Codes by word, with those of numbers and odd tokens worked out once and kept."""

    _MOST = 500_000  # a long run over many texts must not eat the memory

    def __missing__(self, word: str) -> str:
        code = CLASSES[_odd_class(word)]
        if len(self) < self._MOST:
            self[word] = code
        return code


@dataclass(slots=True)
class EnglishTokens:
    """The tokens of a text: their lower-case texts, their codes as one string, and where they start and end.

    A token that means nothing to the grammar has the code `.`.
    """

    text: str
    words: list[str]
    codes: str
    edges: list[int]

    def start(self, place: int) -> int:
        """Where a token starts in the text."""
        return self.edges[2 * place]

    def end(self, place: int) -> int:
        """Where a token ends in the text."""
        return self.edges[2 * place + 1]

    def is_class(self, place: int, *names: str) -> bool:
        """Whether there is a token at a place and it belongs to one of the classes."""
        return 0 <= place < len(self.codes) and self.codes[place] in get_codes(*names)


_SMALL_MONTHS = {"may", "march", "mar", "jan", "dec", "jun", "jul"}
_YEAR_DIGITS = lazy_regex(r"1[0-9]{3}|20[0-9]{2}|21[0-9]{2}")
_DAY_DIGITS = lazy_regex(r"(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?")
_ORDINAL_DIGITS = lazy_regex(r"(?:[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)")
#: Before a month, not before a verb: "in may 2018", but "they march 2000 miles".
_BEFORE_MONTHS = frozenset(
    "in of since from until till by before after during on early late mid to between and through for this last "
    "next".split()
)


def _is_dated_month(words: Sequence[str], place: int) -> bool:
    """Whether a month in small letters is one by the day or the year beside it: "8 may 2011", "march of 2017"."""
    if words[place] not in _SMALL_MONTHS:
        return False
    before = words[place - 1] if place else ""
    ordinal = words[place - 2] if before == "of" and place > 1 else before
    if _ORDINAL_DIGITS.fullmatch(ordinal) or (before == "of" and ordinal in ORDINALS):
        return True
    if words[place + 1 : place + 2] and words[place + 1] in ORDINALS:  # march third 2015
        year = words[place + 2 : place + 4]
        return any(_YEAR_DIGITS.fullmatch(word) for word in year) or words[place + 1] not in ("first", "second")
    rest = [word for word in words[place + 1 : place + 5] if word not in (".", ",", "of")]
    has_day = bool(rest) and _DAY_DIGITS.fullmatch(rest[0]) is not None
    if has_day and len(rest) > 1 and _YEAR_DIGITS.fullmatch(rest[1]):
        return True
    if not rest or not _YEAR_DIGITS.fullmatch(rest[0]):
        return False
    is_verb = words[place] in ("may", "march")
    is_count = is_verb and len(rest) > 1 and rest[1].isalpha() and rest[1].endswith("s")
    return not is_count or before in _BEFORE_MONTHS or _DAY_DIGITS.fullmatch(before) is not None


_SMALL_WEEKDAYS = {"sat", "wed", "fri", "sun", "mon"}
#: What a verb follows, such as "sat" and "wed".
_SUBJECTS = frozenset("he she it they we i who which".split())
_BEFORE_WEEKDAYS = frozenset("next last this on by until till every from -".split())
#: Before a short weekday at the end of a phrase of chat: "see you sat", "free sun?".
_CHAT_WEEKDAYS = _BEFORE_WEEKDAYS | frozenset("you u ya do free til thru through open closed available back".split())
_BETWEEN_WEEKDAYS = frozenset("- – — / & + and or to thru through".split())
_HOUR_DIGITS = lazy_regex(r"\d{1,2}(?::\d\d)?[ap]m?|\d{1,2}:\d\d")


def _is_cued_weekday(words: Sequence[str], place: int) -> bool:
    """Whether a short weekday in small letters is one by what is beside it: "next fri", "on mon at 9", or nothing."""
    if words[place] not in _SMALL_WEEKDAYS or (place and words[place - 1] in _SUBJECTS):
        return False  # "he sat and sun-bathed"
    if words[place] == "fri" or _is_beside_weekday(words, place) or _is_timed(words, place):
        return True
    rest = words[place + 1] if place + 1 < len(words) else "."
    if rest in ("night", "nite", "evening", "afternoon") and words[place] != "sun":
        return True
    if not place:
        return len(words) <= 2 and not rest.isalpha()
    if words[place - 1] in _CHAT_WEEKDAYS and not rest.isalpha():
        return True
    return words[place - 1] in _BEFORE_WEEKDAYS and rest in ("at", "morning", "night", "or")


def _is_timed(words: Sequence[str], place: int) -> bool:
    """Whether an hour follows: "sat 3pm", "sun 10 am"."""
    behind = words[place + 1 : place + 3]
    if not behind or not behind[0][0].isdigit():
        return False
    if behind[0].isdigit() and behind[1:] in (["-"], ["–"]) and not (place and words[place - 1].isalpha()):
        return True  # "sat 10-2"
    return _HOUR_DIGITS.fullmatch(behind[0]) is not None or behind[1:] in (["am"], ["pm"], ["a.m."], ["p.m."])


def _is_beside_weekday(words: Sequence[str], place: int) -> bool:
    """Whether another weekday is beside it: "mon-fri", "sat/sun", "wed or thu"."""
    behind, before = words[place + 1 : place + 3], words[max(0, place - 2) : place]
    if before[:1] and before[0] in _SMALL_WEEKDAYS and place > 2 and words[place - 3] in _SUBJECTS:
        return False  # "he sat and sun-bathed"
    return any(
        len(pair) == 2 and pair[sign] in _BETWEEN_WEEKDAYS and pair[1 - sign] in WEEKDAYS
        for pair, sign in ((behind, 0), (before, 1))
    )


def tokenise(text: str) -> EnglishTokens:
    """Split a text into coded tokens."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters, such as a dotted capital I, grow when they are made small
        lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    # Gaps and tokens in turn: plain strings, which neither cost what match objects do nor burden the collector.
    parts = _TOKEN.split(lowered)
    words = parts[1::2]
    edges = list(accumulate(map(len, parts)))
    codes = "".join(map(_CODES.__getitem__, words))
    if "?" in codes:
        letters = list(codes)
        place = codes.find("?")
        while place >= 0:
            written = text[edges[2 * place] : edges[2 * place + 1]]
            is_meant = (
                (written[0].isupper() and written not in _TESTS)
                or _is_dated_month(words, place)
                or _is_cued_weekday(words, place)
            )
            if words[place] == "sec":
                is_meant = not written.isupper()  # the SEC
            letters[place] = CODES[words[place]] if is_meant else CLASSES["OTHER"]
            place = codes.find("?", place + 1)
        codes = "".join(letters)
    return EnglishTokens(text, words, codes, edges)


def _odd_class(word: str) -> str:
    """The class of a token that is not in the lexicon: numbers, and words with full stops inside."""
    if word[0].isdigit():
        if word[0].isascii():
            for pattern, name in _NUMERIC:
                if pattern.fullmatch(word):
                    return name
        return "OTHER"
    if "." in word:
        if word[-2:] != "m." and word.replace(".", "") in CODES and CODES[word.replace(".", "")] == CLASSES["DOSING"]:
            return "DOSING"
        return "AM_PM" if word[0] in "ap" and "m" in word else "ERA"
    for pattern, name in _CODED:
        if pattern.fullmatch(word):
            return name
    return "OTHER"


_CODES = _Codes({word: "?" if word in _CAPITAL_ONLY or word == "sec" else code for word, code in CODES.items()})
