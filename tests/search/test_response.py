"""Hit and Response: what they hold, and that their JSON has the keys that others rely on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epochal.api import Index
from epochal.errors import UnknownNameError
from epochal.reading.questions.question import Understanding
from epochal.search import Applied, Evidence, Hit, Response
from epochal.search.response import OUTCOMES
from epochal.storage.records import Document
from epochal.times import Span

ASKED = Understanding("none", "atemporal", "Never")


def test_the_keys_are_stable(tmp_path: Path) -> None:
    with Index.create(tmp_path, encoder=None) as index:
        index.add(
            [
                Document(
                    "a", "Rye was dear in 1998.", "Grain", Span.parse("1998-05"), Span.parse("1998/.."), "s", {"n": [1]}
                ),
                Document("b", "Rye in 44 BC.", published=Span.parse("../2001~")),
            ]
        )
        output = json.loads(
            json.dumps(index.search("Was rye dear in 1998?", now="2026-11-15").to_dict(), allow_nan=False)
        )
    assert list(output) == [
        "question",
        "now",
        "outcome",
        "probability",
        "total",
        "total_is_lower_bound",
        "unknown_words",
        "hits",
        "applied",
        "hidden",
        "missing",
        "understanding",
        "timings",
    ]
    assert list(output["hits"][0]) == [
        *("id", "score", "parts", "passage", "passage_start"),
        *("evidence", "times", "period", "superseded_by", "folded", "relevance", "document"),
    ]
    assert list(output["hits"][0]["evidence"][0]) == [
        *("span", "start", "end", "axis", "text", "start_char", "end_char", "context", "match", "local")
    ]
    assert list(output["applied"][0]) == ["name", "sentence", "strict", "span"]
    assert output["now"] == "2026-11-15"
    assert output["hits"][0]["document"]["id"] == "a"
    assert (output["applied"][0]["name"], output["applied"][0]["span"]["span"]) == ("constraint", "1998")


def test_a_response_is_a_sequence_of_its_hits() -> None:
    hits = tuple(Hit(Document(name, "Rye."), 1.0, {}, "Rye.") for name in "abc")
    result = Response("rye", None, hits, ASKED)
    assert [hit.id for hit in result] == ["a", "b", "c"]
    assert (len(result), result[0].id, result[-1].id) == (3, "a", "c")
    with pytest.raises(IndexError):
        result[3]


def test_there_are_five_outcomes() -> None:
    assert OUTCOMES == ("recorded", "none_recorded", "not_covered", "topic_unknown", "no_window")
    with pytest.raises(UnknownNameError, match="no outcome is called 'maybe'; known: recorded, none_recorded"):
        Response("rye", None, (), ASKED, outcome="maybe")  # type: ignore[arg-type]


def test_open_and_bce_times_are_json() -> None:
    evidence = Evidence(Span.parse("-0043-03-15/.."), "since", 0, 5, "since", 1.0, 0.5).to_dict()
    assert evidence["span"] == "-0043-03-15/.."
    assert evidence["start"] < 0
    assert evidence["end"] is None
    assert Applied("as_of", "sees", None, True).to_dict() == {
        "name": "as_of",
        "sentence": "sees",
        "strict": True,
        "span": None,
    }
