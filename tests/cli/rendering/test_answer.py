"""An answer as a person reads it, from records made by hand."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace

import pytest

from epochal.cli.rendering.hits import (
    describe_evidence,
    describe_hidden,
    describe_outcome,
    describe_understanding,
    get_date,
    get_time,
)
from epochal.cli.rendering.response import make_timeline, show_response
from epochal.cli.rendering.terminal import Page
from epochal.ranking.coverage import Coverage
from epochal.reading.questions import understand
from epochal.search.response import Applied, Evidence, Hit, Response
from epochal.storage.records import Document
from epochal.times import Span

NOW = Span.parse("2026-11-15")
HELD = Coverage(tuple(Span.year(year) for year in range(1990, 2010)), tuple(range(20)))
TEXT = "The treaty was long discussed. It was signed last month, in haste."


@dataclass
class Asked:
    """Remembers which stretches were asked for."""

    spans: list

    def __call__(self, span):
        self.spans.append(span)
        return HELD


def evidence(words: str, span: str, match: float = 1.0, local: float = 0.5) -> Evidence:
    start = TEXT.index(words)
    return Evidence(Span.parse(span), words, start, start + len(words), TEXT[31:], match, local)


@pytest.fixture
def response() -> Response:
    signed = Document("t1", TEXT, "Treaty", Span.parse("1998-06-02"))
    hits = (
        Hit(signed, 2.5, {"lexical": 1.0, "alignment": 1.5}, TEXT, 0, (evidence("last month", "1998-05"),)),
        Hit(
            Document("t2", "An older draft.", published=Span.parse("1997")),
            1.0,
            {"lexical": 1.25, "undated": -0.25},
            "An older draft.",
            period=Span.year(1997),
            superseded_by="t9",
            folded=("t3", "t4", "t5", "t6"),
        ),
        Hit(Document("t7", "Treaties in general."), 0.5, {"lexical": 0.5}, "Treaties in general."),
    )
    return Response(
        "Which treaty was signed in May 1998?",
        NOW,
        hits,
        understand("Which treaty was signed in May 1998?", NOW),
        (Applied("constraint", "prefers what speaks of May 1998", Span.parse("1998-05")),),
        {"undated": 3, "at another time": 40},
        "recorded",
    )


def shown(response: Response, **how) -> list[str]:
    out = io.StringIO()
    show_response(response, Asked([]), Page(out), **how)
    return out.getvalue().splitlines()


def test_an_answer(response):
    lines = shown(response)
    assert lines[0] == "question    Which treaty was signed in May 1998?   (asked 2026-11-15)"
    assert lines[2] == "applied     prefers what speaks of May 1998"
    assert lines[3] == "hidden      43 documents: 40 at another time, 3 undated"
    assert lines[5:8] == [
        " 1  1998-06-02    2.500  Treaty",
        f"{'':25}The treaty was long discussed. It was signed [last month], in haste.",
        f"{'':25}t1",
    ]
    assert f"{'':25}t2 · for 1997 · a newer version is t9 · represents 4 more: t3, t4, t5, …" in lines
    assert " 3  undated       0.500  Treaties in general." in lines
    assert any(line.startswith("documents") for line in lines)


def test_no_picture_when_none_is_wished_for(response):
    assert not any(line.startswith("documents") for line in shown(response, picture=False))


def test_reasons(response):
    lines = shown(response, explained=3)
    start = lines.index("Why these, and in this order:")
    assert lines[start + 1] == " 1  t1: Treaty"
    assert lines[start + 3] == "    lexical    +1.000  ████████████████          shares words with the question"
    assert lines[start + 4].startswith("    alignment  +1.500  ████████████████████████  has the time")
    assert lines[start + 5].startswith(
        "    “last month” is read as May 1998 (1998-05); it fits the time asked for by 100 %"
    )
    assert "      “It was signed [last month], in haste.”" in lines
    assert any(line.startswith("    undated  −0.250  ▒▒▒▒ ") for line in lines)


def test_reasons_of_the_first_alone(response):
    lines = shown(response, explained=1)
    assert "Why the first:" in lines
    assert not any(line.startswith(" 2  t2: ") for line in lines)


def test_the_neighbourhood_is_drawn_when_all_lies_close(response):
    query = Asked([])
    near = replace(response, hits=response.hits[:1])
    picture = make_timeline(near, HELD, query)
    assert picture.bands == (("asked", Span.parse("1998-05")),)
    assert [span.edtf() for span in query.spans] == [picture.window.edtf()]
    assert picture.window.seconds < Span.parse("1990/2009").seconds / 8


def test_the_whole_is_drawn_when_times_lie_far_apart(response):
    query = Asked([])
    far = replace(response, applied=(*response.applied, Applied("as_of", "sees only", Span.year(2008), True)))
    picture = make_timeline(far, HELD, query)
    assert [label for label, _ in picture.bands] == ["as of", "asked"]
    assert query.spans == []
    assert picture.window == Span.between(HELD.first, HELD.last)


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        ("none_recorded", "None recorded: the index covers May 1998, but holds nothing on this from then."),
        ("not_covered", "Not covered: the index, which reaches from 1991 to 2009, has no records of May 1998."),
    ],
)
def test_silence_is_said_plainly(response, outcome, message):
    silent = replace(response, outcome=outcome)
    assert describe_outcome(replace(silent, hits=()), HELD.first, HELD.last) == message
    assert describe_outcome(silent, HELD.first, HELD.last) == f"{message} What comes nearest follows."
    assert any(line.startswith(message[:40]) for line in shown(silent))


def test_an_index_of_one_year_does_not_reach_from_it_to_itself(response):
    words = describe_outcome(replace(response, outcome="not_covered", hits=()), Span.year(1890), Span.year(1890))
    assert words == "Not covered: the index, whose dated documents are all of 1890, has no records of May 1998."


def test_a_heading_of_markdown_is_displayed_once(response):
    hit = response.hits[0]
    document = replace(hit.document, title="Fees", text="# Fees\n\nThe fee is 12 euros.")
    shown_hit = replace(hit, document=document, passage=document.text, passage_start=0, evidence=(), times=())
    lines = shown(replace(response, hits=(shown_hit,)))
    assert sum("Fees" in line for line in lines) == 1
    assert not any("#" in line for line in lines)


def test_an_index_without_dates_cannot_tell(response):
    sentence = describe_outcome(replace(response, outcome="not_covered", hits=()), None, None)
    assert sentence == "Not covered: the index holds no dated documents, so it says nothing about May 1998."


def test_nothing_is_said_where_something_is_recorded(response):
    assert describe_outcome(response, HELD.first, HELD.last) == ""


def test_the_time_of_a_hit():
    document = Document("a", TEXT, published=Span.parse("1998-06-02"))
    mentioned = Hit(document, 1.0, {}, TEXT, 0, (evidence("last month", "1998-05"),))
    endless = Hit(document, 1.0, {}, TEXT, 0, (evidence("last month", "1998-05/.."),))
    assert (get_time(mentioned).edtf(), get_date(mentioned)) == ("1998-05", "1998-06-02")
    assert get_time(endless).edtf() == "1998-06-02"
    assert get_time(replace(mentioned, evidence=(evidence("last month", "1998"),))).edtf() == "1998-06-02"
    bare = Hit(Document("a", TEXT), 1.0, {}, TEXT, 0, (evidence("last month", "1998-05"),))
    assert get_date(bare) == "(1998-05)"


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ("published", "the document was published May 1998 (1998-05); it fits the time asked for by 100 %"),
        ("valid", "the document holds May 1998 (1998-05); it fits the time asked for by 100 %"),
        ("title", "its title mentions May 1998 (1998-05); it fits the time asked for by 100 %"),
    ],
)
def test_times_that_are_known_of_a_document(axis, message):
    assert describe_evidence(Evidence(Span.parse("1998-05"), "", -1, -1, "", 1.0, 0.5, axis)) == message


def test_one_document_is_one():
    assert describe_hidden({"undated": 1}) == "1 document: 1 undated"


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("the latest tariffs", "wants the newest"),
        ("tariffs since 2017", "about the time since 2017 (from “2017”)"),
        ("How did tariffs in 2004 compare with 2021?", "sets these periods against each other"),
        ("steel", "nothing about time"),
    ],
)
def test_what_was_understood(question, message):
    assert message in describe_understanding(understand(question, NOW)).split("; ")
