"""The tokeniser of English: words, numbers, dates and signs, each with the code of its class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import add
from typing import TypeAlias, TypeVar

from epochal.lazy import lazy_regex
from epochal.reading.chunks import lower_letters, split_chunks
from epochal.reading.english.lexicon import CALENDAR_MONTHS, CLASSES, CODES, DEEP_TIMES, ORDINALS, WEEKDAYS, get_codes
from epochal.reading.english.marks import (
    ALL_MARKS,
    MARKED_WORDS,
    NOTATION,
    PERIOD,
    REIGN,
    SHORTENED_REIGNS,
    find_marks,
)

__all__ = ["EnglishTokens", "tokenise"]

#: Of a chunk of text: its words, their codes behind its marks, and how far it is from the start of each to the next
#: one's; if it does not begin with a word, its first step leads to the first.
_Row: TypeAlias = "tuple[tuple[str, ...], str, tuple[int, ...]]"
_Part: TypeAlias = "str | _Row"
_WITHOUT_MARKS = dict.fromkeys(map(ord, ALL_MARKS))

_TOKEN = lazy_regex(
    # Nothing inside a word, a hashtag or a handle: "olympics2014", "#Friday", "@may".
    # Words that begin with no letter of the codes come first, since they are most.
    r"((?<![\w#@])(?:[^\W\d_abfhopqt][^\W\d_]+|fy['’]?\d\d(?:\d\d)?(?!\w)|[hq][1-4](?:['’]?\d\d(?:\d\d)?)?(?![^\W_])"
    r"|q\d{1,2}(?:hrs?|h|d|wks?)(?!\w)|o['’]clock(?!\w)|(?:[btq]\.i\.d|q\.d|q\.h\.s)\b\.?"
    r"|[^\W\d_]{2,}|[ap]\.\s?m\.?(?![^\W_])|b\.\s?c\.(?!\d)(?:\s?e\.)?|a\.\s?d\.?(?![^\W_])"
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
        (
            "CLOCK",
            r"\d{1,2}(?::\d\d){1,2}(?:[ap]m?|z)?|\d\d:\d\d:\d\d[.,]\d{1,9}|(?:[01]\d|2[0-3])(?:[0-5]\d)?z",
        ),
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
        ("OCLOCK", r"o['’]clock"),
        ("OFFSET", r"[+-]\d\d:?\d\d"),
    )
)
#: What is spelt like a weekday and is not one.
_TESTS = {"SAT"}
#: Words that are other words too, so that only their capital form counts.
_CAPITAL_ONLY = {"may", "march", "sat", "wed", "fri", "sun", "mon", "mar", "jan", "dec", "jun", "jul", "ad", "ce", "bc"}
_CAPITAL_ONLY |= {"ah", "sh", "advent", "jd", "lent", "trinity", *CALENDAR_MONTHS, *DEEP_TIMES}


_OTHER = CLASSES["OTHER"]


class _Codes(dict[str, str]):
    """Codes by word, with those of numbers and odd tokens worked out once and kept."""

    _MOST = 150_000  # a long run over many texts must not eat the memory

    def __missing__(self, word: str) -> str:
        if word.isalpha():  # most words are none of the lexicon
            return _OTHER
        code = CLASSES[_odd_class(word)]
        if len(self) < self._MOST and len(word) <= _LONGEST:
            self[word] = code
        return code


class EnglishTokens:
    """The tokens of a text: their lower-case texts, their codes as one string, and where they start.

    A token that means nothing to the grammar has the code `.`. Most texts hold no time and are done with when their
    codes are known, so words and places are made when they are first asked for.
    """

    __slots__ = ("_parts", "codes", "marks", "starts", "text", "words")
    text: str
    codes: str
    #: The marks that the text has (`marks`), each at least once.
    marks: str
    words: list[str]
    #: Where each token starts in the text, and where one behind the last would.
    starts: list[int]

    def __init__(self, text: str, parts: Sequence[_Part], written: str) -> None:
        self.text = text
        self._parts = parts
        self.marks = ""
        if PERIOD in written or NOTATION in written or REIGN in written:
            self.marks = "".join(mark for mark in ALL_MARKS if mark in written)
            written = written.translate(_WITHOUT_MARKS)
        self.codes = written.replace(_NOTHING, "")

    def __getattr__(self, name: str) -> list[str] | list[int]:
        """Make the words and the places: called for what has no value yet."""
        if name not in ("words", "starts"):
            raise AttributeError(name)
        self.words, self.starts = _place_words(self._parts)
        return self.words if name == "words" else self.starts

    def start(self, place: int) -> int:
        """Where a token starts in the text."""
        return self.starts[place]

    def end(self, place: int) -> int:
        """Where a token ends in the text."""
        return self.starts[place] + len(self.words[place])

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


_Known = TypeVar("_Known")


class _Chunks(dict[str, _Known]):
    """What is known of what lies between two blanks, worked out once and kept: a few thousand are most of any text."""

    def __init__(self, make: Callable[[str], _Known], most: int) -> None:
        super().__init__()
        self._make = make
        self._most = most

    def __missing__(self, chunk: str) -> _Known:
        known = self._make(chunk)
        if len(chunk) <= _LONGEST:
            if len(self) >= self._most:
                for late in list(self)[self._most // 2 :]:  # those that came first are the commonest
                    del self[late]
            self[chunk] = known
        return known


#: Longer chunks hardly come again.
_LONGEST = 24
#: The code of a chunk that may go on behind the blank: "a. m.", "10:30 +0200", "24.11. in".
_OPEN = "\x00"
_OPEN_END = lazy_regex(r"(?:(?<![^\W\d_])[abcp]\.|\.\d{1,2}\.|:\d\d)\s*\Z")
#: The code of what is before the first token of a chunk, or of a chunk without tokens.
_NOTHING = "\x01"
#: Signs that end a word and are tokens by themselves.
_ENDING_SIGNS = frozenset(",.;:!?)")
#: The tokens of a chunk of letters and signs, which have nothing between them.
_PLAIN_TOKEN = lazy_regex(r"[^\W\d_]+|[^\w\s#@.]|\.(?![^\W\d_])")


def _code_chunk(chunk: str) -> str:
    """The marks and codes of a chunk behind a blank that is more than letters."""
    word, sign = chunk[:-1], chunk[-1:]
    if _is_word_with_sign(word, sign):
        return _get_code(word, _OTHER) + _CODES[sign]
    return _ROWS[chunk][1]


def _is_word_with_sign(word: str, sign: str) -> bool:
    return sign in _ENDING_SIGNS and len(word) > 1 and word.isalpha() and word not in SHORTENED_REIGNS


def _make_row(chunk: str) -> _Row:
    """The row of a chunk behind a blank."""
    if chunk.isalpha():
        return (chunk,), _get_code(chunk, _OTHER), (len(chunk) + 1,)
    word, sign = chunk[:-1], chunk[-1:]
    if _is_word_with_sign(word, sign):
        return (word, sign), _get_code(word, _OTHER) + _CODES[sign], (len(word), 2)
    if _OPEN_END.search(chunk) is not None:
        return (chunk,), _OPEN, (len(chunk) + 1,)
    words = _PLAIN_TOKEN.findall(chunk)
    if words and len("".join(words)) == len(chunk) and "clock" not in chunk:
        steps = list(map(len, words))
        steps[-1] += 1  # the blank
        return tuple(words), find_marks(chunk) + "".join(map(_CODES.__getitem__, words)), tuple(steps)
    return _split_chunk(chunk, " ")


def _split_chunk(chunk: str, before: str) -> _Row:
    """The row of a chunk with the character before it, which is empty at the start of a text."""
    # Gaps and tokens in turn: plain strings, which neither cost what match objects do nor burden the collector.
    parts = _TOKEN.split(before + chunk)
    lead = len(parts[0]) - len(before)
    words = tuple(parts[1::2])
    codes = "".join(map(_CODES.__getitem__, words))
    steps = list(map(add, map(len, words), map(len, parts[2::2])))
    if not words or lead:
        codes, steps = _NOTHING + codes, [lead, *steps]
    steps[-1] += 1  # the blank
    return words, find_marks(chunk) + codes, tuple(steps)


#: Most texts need no more than the codes of their chunks.
_CHUNK_CODES = _Chunks(_code_chunk, 50_000)
_ROWS = _Chunks(_make_row, 25_000)


def _place_words(parts: Sequence[_Part]) -> tuple[list[str], list[int]]:
    """The words of a text, and where each starts, and one behind the last would."""
    words: list[str] = []
    starts: list[int] = []
    place = 0
    for part in parts:
        if isinstance(part, str) and part.isalpha():
            words.append(part)
            starts.append(place)
            place += len(part) + 1
            continue
        own, _, steps = _ROWS[part] if isinstance(part, str) else part
        words += own
        if len(steps) > len(own):
            place += steps[0]
            steps = steps[1:]
        for step in steps:
            starts.append(place)
            place += step
    starts.append(place - 1)  # no blank is behind the last
    return words, starts


def _join_open_chunks(lowered: str, chunks: Sequence[str], rows: list[_Row]) -> list[_Row]:
    """The rows of a text, those of chunks that may go on behind a blank joined with the next."""
    lengths = list(accumulate(map(len, chunks), initial=0))
    joined: list[_Row] = []
    done = 0
    for place in [place for place, row in enumerate(rows) if row[1] == _OPEN]:
        if place < done:
            continue
        joined += rows[done:place]
        done = place + 1
        while done < len(rows) and rows[done - 1][1] in (_OPEN, _NOTHING):
            done += 1
        start, end = place + lengths[place], done - 1 + lengths[done]
        joined.append(_split_chunk(lowered[start:end], lowered[start - 1 : start] if start else ""))
    return joined + rows[done:]


def tokenise(text: str) -> EnglishTokens:
    """Split a text into coded tokens."""
    chunks = split_chunks(text)
    # A small table and a look at the letters: one of all words would not stay in the processor's cache.
    written = "".join([_get_code(chunk) or (_OTHER if chunk.isalpha() else _CHUNK_CODES[chunk]) for chunk in chunks])
    parts: Sequence[_Part] = chunks
    if _OPEN in written or chunks[0][:1] == "x":
        rows = list(map(_ROWS.__getitem__, chunks))
        if chunks[0][:1] == "x" and rows[0][1] != _OPEN:
            rows[0] = _split_chunk(chunks[0], "")  # "x3" counts something behind a blank only
        if _OPEN in written:
            rows = _join_open_chunks(lower_letters(text), chunks, rows)
        written = "".join([codes for _, codes, _ in rows])
        parts = rows
    tokens = EnglishTokens(text, parts, written)
    if "?" in tokens.codes:
        _code_short_names(tokens)
    return tokens


def _code_short_names(tokens: EnglishTokens) -> None:
    """Decide which words are months and weekdays that are other words, too."""
    words, codes = tokens.words, tokens.codes
    letters = list(codes)
    place = codes.find("?")
    while place >= 0:
        written = tokens.text[tokens.start(place) : tokens.end(place)]
        is_meant = (
            (written[0].isupper() and written not in _TESTS)
            or _is_dated_month(words, place)
            or _is_cued_weekday(words, place)
        )
        if words[place] == "sec":
            is_meant = not written.isupper()  # the SEC
        letters[place] = CODES[words[place]] if is_meant else CLASSES["OTHER"]
        place = codes.find("?", place + 1)
    tokens.codes = "".join(letters)


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
_CODES["oclock"] = CLASSES["OCLOCK"]
#: The marks and codes of words that have others than most.
_MARKED_CODES = {word: code for word, code in _CODES.items() if word.isalpha()}
_MARKED_CODES |= {word: mark + _CODES[word] for word, mark in MARKED_WORDS.items()}
_get_code = _MARKED_CODES.get
