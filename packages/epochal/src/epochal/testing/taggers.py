"""Conformance: what any tagger has to get right, as a suite that runs on yours.

    from epochal.testing import check_tagger

    def test_my_tagger():
        check_tagger(MyTagger(), languages=("en", "zh")).assert_passed()

The cases are data, one JSON object a line in `testing_data/LANGUAGE.jsonl`, each with an id. A case passes when every
expression it expects is found and nothing else is. Found means: an expression shares characters with the expected words
and has the `kind`, one of the `value`s, the `span` (the same start and end) or lies `within` the span that the case
names; a case names only what taggers cannot well differ in. Groups:

- `reference`: relative expressions against the date of the text; `absolute`: dates that need none;
- `bce`, `regnal` and `edtf`: eras, reigns, and ISO 8601 or EDTF in running text;
- `false-positive`: words and numbers that look like times and are none;
- `invariants`: places, order, determinism, calm and linear time, on every text of the other groups and on odd ones.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib import resources

from epochal.errors import EpochalError
from epochal.reading.expression import KINDS, Tagger, TimeExpr
from epochal.testing.report import CaseResult, ConformanceReport, each_known
from epochal.times.span import Span

#: The languages that there are cases for.
LANGUAGES = ("en", "zh", "de")
#: The groups of cases.
GROUPS = ("reference", "absolute", "bce", "regnal", "edtf", "false-positive", "invariants")

_ODD: tuple[tuple[str, str], ...] = (
    ("empty", ""),
    ("blank", " \t\r\n\u3000\u00a0"),
    ("nul", "\x00 1998 \x00"),
    ("emoji", "👩‍👩‍👧 on 3️⃣ March 🗓️ 1998 🎉"),
    ("lone-surrogate", "on \ud800 March 3, 1998 \udfff"),
    ("combining", "M\u0301arch 3\u0308, 1998"),
    ("right-to-left", "في 3 مارس 1998 \u202e8991\u202c"),
    ("other-digits", "on ３ March １９９８, ١٩٩٨, ²⁰⁰⁴ and ①"),
    ("no-such-day", "February 30, 2001; 31 April 1999; 29 February 1900; 00/00/0000; 2001-13-45"),
    ("no-such-time", "at 25:61, 99:99:99 and 24:00:01 on day 0 of week 60"),
    ("huge-number", f"in the year {'9' * 400}, {'9' * 30} years ago, the {'9' * 20}th century"),
    ("far-years", "in 9999999999 BC, 99999 AD, and a trillion years ago"),
    ("zero", "the 0th century, year 0, 0 BC, 0 days ago, the 00s"),
    ("brackets", "((((([[[[[{{{{{1998}}}}}]]]]])))))"),
    ("separators", "1998-/-.-/03-/-.1998--//..::03:::"),
    ("markup", "<TIMEX3 value='1998'>1998</TIMEX3> &amp; <!-- 1998 -->"),
    ("many-years", "1998 " * 20_000),
    ("one-word", "a" * 100_000),
    ("one-number", "1" * 100_000),
    ("many-words", "the last day of the second week of next " * 2_500),
    ("many-numerals", "年月日一二三" * 16_000),
    ("many-hyphens", "1-" * 50_000),
)
#: Texts of this length are read in part first, to see that the time they take grows with their length alone.
_LONG = 10_000
#: The dates of a text under which the odd texts are read: none, a day, a year, a second, and far ones.
_DATES = (None, "1998-01-08", "2004", "2004-02-29T23:59:59Z", "-0043-03-15", "9999-12-31", "1985/..")


@dataclass(frozen=True, slots=True)
class Expected:
    """An expression that a case wants: `words` it must touch, and what must be true of it.

    >>> Expected("last year", value=("1997",)).problem(TimeExpr("last year", 0, 9, "DATE", "1998"))
    "value '1998' is not 1997"
    """

    words: str
    kind: str = ""
    value: tuple[str, ...] = ()
    span: str = ""
    within: str = ""

    def problem(self, expr: TimeExpr) -> str:
        """What is wrong with an expression; nothing when it will do.

        >>> Expected("44 BC", span="-0043").problem(TimeExpr("44 BC", 0, 5, "DATE", "BC0044", Span.year(-43)))
        ''
        """
        if self.kind and expr.kind != self.kind:
            return f"kind {expr.kind} is not {self.kind}"
        if self.value and expr.value not in self.value:
            return f"value {expr.value!r} is not {' or '.join(self.value)}"
        if self.span:
            expected = Span.parse(self.span)
            if expr.span is None or (expr.span.start, expr.span.end) != (expected.start, expected.end):
                return f"span {expr.span} is not {self.span}"
        if self.within and (expr.span is None or expr.span not in Span.parse(self.within)):
            return f"span {expr.span} is not within {self.within}"
        return ""


@dataclass(frozen=True, slots=True)
class Case:
    """A text, its date, and the expressions in it.

    >>> next(case for case in cases("en") if case.group == "bce").text
    'Caesar was killed in 44 BC.'
    """

    id: str
    group: str
    text: str
    now: str = ""
    expect: tuple[Expected, ...] = ()

    def problem(self, tagger: Tagger) -> str:
        """What a tagger gets wrong here; nothing when it passes.

        >>> class Never:
        ...     def tag(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        ...         return []
        >>> next(case for case in cases("en") if case.group == "bce").problem(Never())
        "'44 BC' is not found"
        """
        expr, raised = _run_tagger(tagger, self.text, Span.parse(self.now) if self.now else None)
        if raised:
            return raised
        spurious = list(expr)
        for expected in self.expect:
            start = self.text.index(expected.words)
            end = start + len(expected.words)
            near = [item for item in expr if item.start_char < end and start < item.end_char]
            problems = [expected.problem(item) for item in near]
            if not near:
                return f"{expected.words!r} is not found"
            if all(problems):
                return f"{near[0].text!r}: {problems[0]}"
            spurious = [item for item in spurious if item not in near]
        return "; ".join(f"{item.text!r} is taken for {item.kind} {item.value}" for item in spurious)


def cases(language: str) -> list[Case]:
    """The cases of a language, without those of the group `invariants`.

    >>> len({case.id for case in cases("en")}) == len(cases("en")) > 100
    True
    """
    each_known("language of the cases", [language], LANGUAGES)
    lines = (resources.files("epochal.testing") / "data" / f"{language}.jsonl").read_text(encoding="utf-8")
    loaded = []
    for line in lines.splitlines():
        row = json.loads(line)
        expect = tuple(Expected(**(item | {"value": tuple(item.get("value", ()))})) for item in row["expect"])
        loaded.append(Case(row["id"], row["group"], row["text"], row.get("now", ""), expect))
    return loaded


def check_tagger(
    tagger: Tagger, *, languages: Collection[str] = ("en",), groups: Collection[str] = GROUPS
) -> ConformanceReport:
    """Run the suite on a tagger. Nothing that the tagger does or raises stops it.

    >>> class Never:
    ...     def tag(self, text: str, now: Span | None = None) -> list[TimeExpr]:
    ...         return []
    >>> report = check_tagger(Never(), groups=("bce", "false-positive"))
    >>> [passed == total for passed, total in report.groups().values()]
    [False, True]
    """
    if not isinstance(tagger, Tagger):
        raise EpochalError(f"{tagger!r} is no tagger; accepted: an object with tag(text, now=None)")
    each_known("group", groups, GROUPS)
    every = [case for language in dict.fromkeys(languages) for case in cases(language)]
    results = [CaseResult(case.id, case.group, case.problem(tagger)) for case in every if case.group in groups]
    if "invariants" in groups:
        results += [CaseResult(name, "invariants", problem) for name, problem in _check_invariants(tagger, every)]
    return ConformanceReport(results, GROUPS)


def _check_invariants(tagger: Tagger, every: list[Case]) -> Iterator[tuple[str, str]]:
    for name, text in _ODD:
        # A long text is read under two dates only: it is there for calm, not for sense.
        for date in _DATES if len(text) < _LONG else _DATES[:2]:
            now = None if date is None else Span.parse(date)
            slow = _check_speed(tagger, text, now) if len(text) >= _LONG else ""
            yield f"odd-{name}-{date or 'undated'}", slow or _find_broken_invariant(tagger, text, now)
    for case in every:
        yield (
            f"{case.id}-invariants",
            _find_broken_invariant(tagger, case.text, Span.parse(case.now) if case.now else None),
        )


def _check_speed(tagger: Tagger, text: str, now: Span | None) -> str:
    """Whether three times the text takes far more than three times as long; then the whole may never end.

    It is the processor's time that counts, and only what takes half a second of it is judged: neither the pace of the
    machine nor what else it does matters.
    """
    spent = []
    for part in (text[:_LONG], text[: 3 * _LONG]):
        began = time.process_time()
        _run_tagger(tagger, part, now)
        spent.append(time.process_time() - began)
    if spent[1] < 0.5 or spent[1] < 6 * spent[0]:
        return ""
    return f"takes {spent[0]:.2f} s for {_LONG:,} characters and {spent[1]:.2f} s for three times as many"


def _find_broken_invariant(tagger: Tagger, text: str, now: Span | None) -> str:
    """Which invariant a tagger breaks on a text."""
    expressions, raised = _run_tagger(tagger, text, now)
    if raised:
        return raised
    reached = 0
    for item in expressions:
        location = f"{item.text[:40]!r} at {item.start_char} to {item.end_char}"
        if not 0 <= item.start_char < item.end_char <= len(text):
            return f"{location} lies outside the text of {len(text)} characters"
        if text[item.start_char : item.end_char] != item.text:
            return f"{location} is not what the text has there"
        if item.start_char < reached:
            return f"{location} overlaps the one before, or is out of order"
        if item.kind not in KINDS or not item.value or not 0 < item.confidence <= 1:
            return f"{location} has kind {item.kind!r}, value {item.value!r} and confidence {item.confidence}"
        reached = item.end_char
    return "" if _run_tagger(tagger, text, now)[0] == expressions else "a second reading gives another answer"


def _run_tagger(tagger: Tagger, text: str, now: Span | None) -> tuple[list[TimeExpr], str]:
    """What a tagger finds, or the words for what it raises."""
    try:
        expressions = list(tagger.tag(text, now))
    except Exception as error:  # noqa: BLE001  # whatever a tagger raises is its failure, not that of the suite
        return [], f"raises {type(error).__name__}: {str(error)[:200]}"
    wrong = next((item for item in expressions if not isinstance(item, TimeExpr)), None)
    return ([], f"gives {wrong!r}, which is no TimeExpr") if wrong is not None else (expressions, "")
