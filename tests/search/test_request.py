"""Request: every wrong argument is one sentence that names it; the stretches that a request looks in."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, UnknownNameError
from epochal.search.request import Request, SearchOptions, parse_time
from epochal.times import Span
from epochal.times.filters import build_filter
from spans_strategy import closed_spans

YEAR = Span.year(1998)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"k": 0}, "k must be from 1 to 10,000, but is 0"),
        ({"k": 10_001}, "10001"),
        ({"k": "3"}, "but is '3'"),
        ({"k": True}, "but is True"),
        ({"k": 2.5}, "but is 2.5"),
        ({"now": "1998"}, "now must be a Span or None, but is '1998'"),
        ({"during": 1998}, "during must be a Span or None, but is 1998"),
        ({"as_of": "x" * 500}, "as_of must be a Span"),
        ({"strict": "no"}, "strict must be True or False, but is 'no'"),
        ({"time": 1}, "time must be True or False, but is 1"),
        ({"collapse_versions": None}, "collapse_versions must be True or False, but is None"),
        ({"undated": "maybe"}, "'maybe'; known: neutral, exclude, penalise"),
        (
            {"after": Span.year(2019), "before": Span.year(2018)},
            "no time is both after 2019 and before 2018; give an earlier after or a later before",
        ),
        ({"after": YEAR, "before": YEAR}, f"no time is both after {YEAR.edtf()} and before {YEAR.edtf()}"),
        ({"after": YEAR, "before": Span.year(YEAR.first_year + 1)}, "no time is both after"),
        ({"relation": "before"}, "relation 'before' needs a span that it relates to; give during"),
        ({"relation": "near", "during": YEAR}, "no relation is called 'near'; known: during, overlaps"),
        ({"relation": ["a"], "during": YEAR}, "relation must be a text such as 'contains', but is ['a']"),
        ({"before": Span.parse("../1998")}, "nothing lies before '../1998'"),
        ({"after": Span.parse("1998/..")}, "nothing lies after '1998/..'"),
    ],
)
def test_wrong_wishes_are_one_sentence_that_names_them(options: dict[str, Any], named: str) -> None:
    with pytest.raises(EpochalError) as caught:
        Request("tariffs", **options)
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("question", ["", "  ", "\n" * 10_000, None, 5, b"tariffs", ["tariffs"]])
def test_a_question_must_be_a_text(question: Any) -> None:
    with pytest.raises(EpochalError, match="a question must be a text that is not empty") as caught:
        Request(question)
    assert len(str(caught.value)) < 200


def test_a_question_of_a_megabyte_is_refused_and_a_long_one_is_not() -> None:
    with pytest.raises(EpochalError, match=r"up to 20,000 characters, but has 1,000,000; shorten it"):
        Request("x" * 1_000_000)
    assert Request("x" * 20_000).question == "x" * 20_000


def test_a_text_for_a_time_is_read_and_an_unreadable_one_names_the_argument() -> None:
    assert parse_time("1998-03", "during") == parse_time("March 1998", "during") == Span.parse("1998-03")
    assert parse_time(None, "during") is None
    assert parse_time(YEAR, "during") is YEAR
    with pytest.raises(EpochalError, match="as_of: 'soonish' is not a time"):
        parse_time("soonish", "as_of")
    with pytest.raises(UnknownNameError):
        Request("tariffs", undated="perhaps")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "edtf"),
    [
        (1998, "1998"),
        (-43, "-0043"),
        (dt.date(1998, 3, 5), "1998-03-05"),
        (dt.datetime(1998, 3, 5, 12, tzinfo=dt.timezone.utc), "1998-03-05T12:00:00Z"),
        ("the 1990s", "199X"),
    ],
)
def test_every_form_of_a_time_is_taken(value: Any, edtf: str) -> None:
    request = Request.parse({"question": "tariffs", "during": value, "as_of": value, "now": value})
    assert [span.edtf() for span in (request.during, request.as_of, request.now)] == [edtf] * 3


@pytest.mark.parametrize("value", [1998.5, True, b"1998", ["1998"]])
def test_what_is_no_time_is_named(value: Any) -> None:
    with pytest.raises(EpochalError, match=r"as_of must be a Span, a date, a year or a text such as '1998-03', but is"):
        parse_time(value, "as_of")


def test_words_count_from_the_present_that_is_given() -> None:
    assert Request.parse({"question": "q", "during": "last year", "now": 1998}).during == Span.year(1997)
    assert Request.parse({"question": "q", "during": "last year"}, Span.year(2001)).during == Span.year(2000)


def test_errors_use_the_spelling_of_the_surface() -> None:
    def flag(name: str) -> str:
        return "--" + name.replace("_", "-")

    for wrong, words in (
        ({"valid_at": "soonish"}, "--valid-at: 'soonish' is not a time"),
        ({"k": 0}, "--k must be from 1 to 10,000, but is 0"),
        ({"after": "2019", "before": "2018"}, "no time is both after 2019 and before 2018; give an earlier --after"),
        ({"relation": "meets"}, "--relation 'meets' needs a span that it relates to; give --during"),
        ({"shortlist": 5}, "--shortlist 5 reranks passages found by their first dimensions; give --dims too"),
    ):
        with pytest.raises(EpochalError) as caught:
            SearchOptions.parse(wrong, spell=flag)
        assert words in str(caught.value)


def test_earlier_names_are_accepted_and_warn() -> None:
    with pytest.warns(DeprecationWarning, match="fold is now called collapse_versions"):
        assert not SearchOptions.parse({"fold": False}).collapse_versions
    with pytest.warns(DeprecationWarning, match="settle is now called promote_current_version"):
        assert not SearchOptions.parse({"settle": False}).promote_current_version
    with pytest.raises(EpochalError, match="give collapse_versions alone"):
        SearchOptions.parse({"fold": False, "collapse_versions": False})


@pytest.mark.parametrize(
    ("relation", "sought"),
    [
        (None, "1998"),
        ("during", "1998"),
        ("contains", "1998"),
        ("before", "../1997"),
        ("meets", "../1997"),
        ("after", "1999/.."),
        ("met_by", "1999/.."),
    ],
)
def test_a_relation_looks_on_its_own_side(relation: str | None, sought: str) -> None:
    assert [span.edtf() for span in Request("tariffs", during=YEAR, relation=relation).query_spans] == [sought]


def test_conditions_are_sought_in_what_they_share() -> None:
    both = Request("tariffs", after=Span.year(1990), before=Span.year(2000))
    assert [span.edtf() for span in both.query_spans] == ["1991/1999"]
    apart = Request("tariffs", during=Span.year(2000), before=Span.year(1990))
    assert [span.edtf() for span in apart.query_spans] == ["2000", "../1989"]
    assert Request("tariffs").query_spans == ()


@given(closed_spans(), closed_spans(), st.sampled_from(["before", "after"]))
def test_what_meets_a_condition_reaches_into_the_range_that_is_sought(
    reference: Span, document: Span, side: str
) -> None:
    request = Request("tariffs", during=reference, relation=side)
    ((condition, sought),) = request.filters
    assert condition(document) == build_filter(side, reference)(document)
    assert not condition(document) or sought.overlaps(document)
