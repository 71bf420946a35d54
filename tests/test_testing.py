"""The conformance suite itself: a tagger that knows the answers passes it, and each way to be wrong is seen."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import pytest

from epochal.errors import EpochalError
from epochal.reading.expression import TimeExpr
from epochal.testing import GROUPS, LANGUAGES, Case, CaseResult, ConformanceReport, Expected, cases, check_tagger
from epochal.times import Span

EVERY = [case for language in LANGUAGES for case in cases(language)]


class Oracle:
    """Knows every case by heart, and finds years in other texts."""

    def __init__(self) -> None:
        self.answers = {(case.text, Span.parse(case.now) if case.now else None): case for case in EVERY}

    def tag(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        case = self.answers.get((text, now))
        if case is None:
            return [TimeExpr(m.group(), *m.span(), "DATE", m.group()) for m in re.finditer(r"\b[12]\d{3}\b", text)]
        found = []
        for item in case.expect:
            start = text.index(item.words)
            span = item.span or item.within
            found.append(
                TimeExpr(
                    item.words,
                    start,
                    start + len(item.words),
                    item.kind or "DATE",
                    item.value[0] if item.value else "1998",
                    Span.parse(span) if span else None,
                )
            )
        return sorted(found, key=lambda item: item.start_char)


class Fixed:
    """Gives the same answer to everything, or raises it."""

    def __init__(self, *answer: object) -> None:
        self.answer = answer

    def tag(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        if self.answer and isinstance(self.answer[0], Exception):
            raise self.answer[0]
        return list(self.answer)


YEAR = TimeExpr("1998", 3, 7, "DATE", "1998", Span.year(1998))


def test_the_cases_are_sound():
    assert len({case.id for case in EVERY}) == len(EVERY)
    assert len({(case.text, case.now) for case in EVERY}) == len(EVERY)
    assert {case.group for case in EVERY} == set(GROUPS) - {"invariants"}
    for case in EVERY:
        assert case.id.startswith(tuple(f"{language}-{case.group}-" for language in LANGUAGES))
        assert (case.group == "false-positive") == (not case.expect), case.id
        assert not case.now or Span.parse(case.now)
        for item in case.expect:
            assert case.text.count(item.words) == 1, case.id
            assert item.value or item.span or item.within, case.id
            for text in filter(None, (item.span, item.within)):
                Span.parse(text)


def test_one_who_knows_the_answers_passes():
    report = check_tagger(Oracle(), languages=LANGUAGES)
    report.assert_passed()
    assert report.failed == []
    assert set(report.groups()) == set(GROUPS)
    assert str(report).splitlines()[0].startswith("reference")


def test_one_who_finds_nothing_passes_only_what_has_nothing():
    report = check_tagger(Fixed())
    groups = report.groups()
    for name, (passed, total) in groups.items():
        assert passed == (total if name in ("false-positive", "invariants") else 0)
    report.assert_passed(groups=("false-positive", "invariants"))
    report.assert_passed(known={result.id for result in report.failed})
    with pytest.raises(AssertionError, match="en-bce-01: '44 BC' is not found"):
        report.assert_passed()


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ([YEAR], ""),
        ([], "'1998' is not found"),
        ([TimeExpr("In", 0, 2, "DATE", "1998"), YEAR], "'In' is taken for DATE 1998"),
        ([TimeExpr("1998", 3, 7, "TIME", "1998", Span.year(1998))], "'1998': kind TIME is not DATE"),
        ([TimeExpr("1998", 3, 7, "DATE", "1999", Span.year(1998))], "'1998': value '1999' is not 1998 or 98"),
        ([TimeExpr("1998", 3, 7, "DATE", "98", Span.year(1999))], "'1998': span 1999 is not 1998"),
        ([TimeExpr("1998", 3, 7, "DATE", "98")], "'1998': span None is not 1998"),
        ([RuntimeError("no")], "raises RuntimeError: no"),
        (["1998"], "gives '1998', which is no TimeExpr"),
    ],
)
def test_what_a_case_finds_wrong(answer, problem):
    case = Case("x", "absolute", "In 1998.", "", (Expected("1998", "DATE", ("1998", "98"), "1998"),))
    assert case.problem(Fixed(*answer)) == problem


@pytest.mark.parametrize(("span", "good"), [("1998-03", True), ("1998", True), ("1997/1998", False), (None, False)])
def test_within(span, good):
    found = TimeExpr("1998", 3, 7, "DATE", "1998", Span.parse(span) if span else None)
    assert Case("x", "bce", "In 1998.", "", (Expected("1998", within="1998"),)).problem(Fixed(found)) == (
        "" if good else f"'1998': span {span} is not within 1998"
    )


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([RuntimeError("no")], "raises RuntimeError"),
        ([TimeExpr("x" * 10, 10**6, 10**6 + 10, "DATE", "1998")], "lies outside the text"),
        ([TimeExpr("\x01", 0, 1, "DATE", "1998")], "is not what the text has there"),
    ],
)
def test_broken_invariants(answer, words):
    report = check_tagger(Fixed(*answer), groups=("invariants",))
    problems = Counter(words in result.problem for result in report.failed)
    assert problems[True] > 100
    assert report.record()["groups"]["invariants"]["passed"] == len(report.results) - len(report.failed)


def test_overlap_and_empty_values_and_moods_are_seen():
    class Twice:
        def tag(self, text, now=None):
            return [TimeExpr(text[:1], 0, 1, "DATE", "1998")] * 2 if text else []

    class Valueless:
        def tag(self, text, now=None):
            return [TimeExpr(text[:1], 0, 1, "DATE", "")] if text else []

    class Moody:
        counter = itertools.count()

        def tag(self, text, now=None):
            return [TimeExpr(text[:1], 0, 1, "DATE", f"{next(self.counter)}")] if text else []

    for tagger, words in ((Twice(), "overlaps"), (Valueless(), "value ''"), (Moody(), "second reading")):
        failed = check_tagger(tagger, groups=("invariants",)).failed
        assert failed
        assert all(words in result.problem for result in failed)


def test_one_who_takes_more_than_linear_time_is_stopped(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("epochal.testing.taggers.time.process_time", lambda: clock[0])

    class Slow:
        longest = 0

        def __init__(self, power: int) -> None:
            self.power = power

        def tag(self, text, now=None):
            self.longest = max(self.longest, len(text))
            clock[0] += (len(text) / 20_000) ** self.power
            return []

    assert check_tagger(Slow(1), groups=("invariants",)).failed == []
    slow = Slow(2)
    failed = check_tagger(slow, groups=("invariants",)).failed
    assert "odd-one-word-undated" in {result.id for result in failed}
    assert {result.problem for result in failed} == {
        "takes 0.25 s for 10,000 characters and 2.25 s for three times as many"
    }
    assert slow.longest == 30_000


def test_names_that_are_not_there():
    with pytest.raises(EpochalError, match="no language of the cases is called 'tlh'; known: en, zh"):
        check_tagger(Fixed(), languages=("tlh",))
    with pytest.raises(EpochalError, match="no group is called 'spam'"):
        check_tagger(Fixed(), groups=("spam",))
    with pytest.raises(EpochalError, match="no group is called 'spam'"):
        ConformanceReport([CaseResult("a", "bce", "")]).assert_passed(groups=("spam",))
    with pytest.raises(EpochalError, match="5 is no tagger"):
        check_tagger(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(("old", "new"), [("Report", ConformanceReport), ("Result", CaseResult)])
def test_old_names_of_the_suites_go_on_working(old, new):
    import epochal.testing

    with pytest.warns(DeprecationWarning, match=f"{old} is now"):
        assert getattr(epochal.testing, old) is new
