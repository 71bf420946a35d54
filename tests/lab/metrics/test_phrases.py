"""Values of public phrases are compared by what they mean, after the convention of their source."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from epochal.reading import tag
from epochal.times import Span
from epochal_lab.metrics.phrases import (
    CONVENTIONS,
    GoldTime,
    Phrase,
    PhraseAnswer,
    PhraseScores,
    is_right,
    read_phrases,
)


def judge(gold: str, *given: str, source: str = "duckling", is_instant: bool = False) -> bool:
    answers = [
        PhraseAnswer(position, position + 1, (value,), is_instant=is_instant) for position, value in enumerate(given)
    ]
    return is_right(GoldTime(0, len(given), (gold,)), answers, "2013-02-12T04:30:00", CONVENTIONS[source])


@pytest.mark.parametrize(
    ("gold", "given"),
    [
        ("2013-02-12", "2013-02-12"),
        ("2013-02-12T15", "2013-02-12T15:00:00"),
        ("T15:20", "2013-02-12T15:20"),
        ("T23-30-XX", "T23:30"),
        ("2008-04-XX", "2008-04"),
        ("19XX", "19"),
        ("BC0044-03-15", "-0043-03-15"),
        ("PT90S", "PT1M30S"),
        ("P1.5Y", "P18M"),
        ("PT31536000S", "P1Y"),
        ("2013-02-12T18/2013-02-12T23", "2013-02-12TEV"),
        ("2013-02-15T18/2013-02-17T23", "2013-W07-WE"),
        ("2013-06-21/2013-09-23", "2013-SU"),
        ("2012-12/2013-01", "2012-12/2013-01"),
        ("2013-W05/2013-W06", "2013-01-28/2013-02-10"),
        ("(2014-01-01,2018-01-01,P4Y)", "2014/2018"),
        ("(T16,T17,PT1H)", "2013-02-12T16:00/2013-02-12T17:00"),
        ("2013-02-12T14/..", "2013-02-12T14:00/.."),
        ("2013-02-12T14/..", "2013-02-12T14:00"),
        ("../2013-03", "2013-02"),
        ("2013-02-12T04:30:00", "PRESENT_REF"),
        ("2013-02-12T04:30:00/2013-02-12T13:59:59", "../2013-02-12T14:00"),
        ("2013-03-15", "2013-03-11~/2013-03-20~"),
        ("2013-03-01", "2013-03-01~/2013-03-10~"),
        ("2013-03-31", "2013-03-21~/2013-03-31~"),
        ("XXXX-WXX-1", "XXXX-WXX-1"),
        ("XXXX-12-XX", "XXXX-12"),
        ("T23-59-XX", "XXXX-XX-XXT23:59"),
        ("2012-11-12", "2012-11"),
        ("2014-02", "2014"),
        ("2013-02-19T04", "2013-02-19"),
        ("2013-02-05", "2013-W06"),
        ("XXXX-05-01", "2002-05-01"),
        ("SU", "2020-SU"),
        ("(2013-02-13,2013-04-13,P2M)", "P2M"),
    ],
)
def test_the_same_time_in_another_form_is_right(gold: str, given: str) -> None:
    assert judge(gold, given)


@pytest.mark.parametrize(
    ("gold", "given"),
    [
        ("2013-02-12", "2013-02-13"),
        ("2013-02-12", "2013-02"),
        ("2013-02-12T15", "2013-02-12T03:00"),
        ("2013-02-12T15", "2013-02-12TAF"),
        ("2013-02-12T18/2013-02-12T23", "2013-02-12TMO"),
        ("2013-07-13/2013-07-15", "2013-07-13/2013-07-14"),
        ("2013-07-13/2013-07-15", "2013-07-13"),
        ("2013-02-12T14/..", "../2013-02-12T14:00"),
        ("P1Y", "P2Y"),
        ("2013", "P1Y"),
        ("2012-11-13", "2012-11"),
        ("2013-02-12", "2013"),
        ("XXXX-05-01", "2002-05-02"),
        ("(2013-04-13,2013-06-13,P2M)", "P2M"),
    ],
)
def test_another_time_is_wrong(gold: str, given: str) -> None:
    assert not judge(gold, given)


def test_the_ends_of_a_range_may_be_two_expressions() -> None:
    assert judge("2013-07-13/2013-07-15", "2013-07-13", "2013-07-15")
    assert not judge("2013-07-13/2013-07-15", "2013-07-15", "2013-07-13")


def test_the_ends_of_a_range_may_be_two_gold_expressions() -> None:
    phrase = Phrase("9-17 Uhr", "2013-02-12", (GoldTime(0, 1, ("T09",)), GoldTime(2, 8, ("T17",))))
    scores = PhraseScores()
    assert not scores.add(phrase, [PhraseAnswer(0, 8, ("2013-02-12T09/2013-02-12T17",))], CONVENTIONS["krauts"])
    assert scores.record()["value F1"] == 100.0


def test_counted_units_end_behind_the_last_for_recognizers_only() -> None:
    assert judge("(2018-03-24,2018-03-29,P5D)", "2018-03-24/2018-03-28", source="recognizers")
    assert not judge("2018-03-24/2018-03-29", "2018-03-24/2018-03-28")


def test_an_instant_is_right_anywhere_in_the_unit() -> None:
    assert judge("2013-03", "2013-03-12T00:00:00", is_instant=True)
    assert not judge("2013-03", "2013-04-12T00:00:00", is_instant=True)


def test_a_length_is_past_for_dateparser_only() -> None:
    assert judge("2012-11", "P3M", source="dateparser")
    assert not judge("2012-11", "P3M")


def write_rows(path: Path, *rows: dict[str, Any]) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def test_rows_list_what_their_source_accepts(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "a.jsonl.gz",
        {
            "source": "recognizers",
            "text": "at 5",
            "ref": "2020-05-30T12:00:00",
            "spans": [[0, 4, "T05"]],
            "values": [[{"type": "time", "value": "05:00:00"}, {"type": "time", "value": "17:00:00"}]],
        },
        {
            "source": "ja-timex",
            "text": "3日前",
            "ref": None,
            "spans": [[0, 3, "P3D"]],
            "attrs": [{"mod": "BEFORE"}],
        },
    )
    both, ago = read_phrases(path)
    assert both.gold[0].values == ("T05", "T05:00:00", "T17:00:00")
    assert ago.reference == "2010-06-15"
    assert ago.gold[0].values[:2] == ("P3D", "2010-06-12")


def test_scores_count_places_and_values(tmp_path: Path) -> None:
    texts = {"im Mai 2014": "2014-05", "am 3. Juni 2015": "2015-06-04", "nichts": None, "um 1998": "1998"}
    rows = [
        {"source": "krauts", "text": text, "ref": None, "spans": [[0, len(text), value]] if value else []}
        for text, value in texts.items()
    ]
    scores = PhraseScores()
    wrong = []
    for phrase in read_phrases(write_rows(tmp_path / "a.jsonl.gz", *rows)):
        result = tag(phrase.text, now=Span.parse("2016"), lang="de")
        wrong += scores.add(phrase, map(PhraseAnswer.from_expression, result), CONVENTIONS["krauts"])
    assert [gold.values for gold in wrong] == [("2015-06-04",)]
    assert scores.record()["relaxed F1"] == 100.0
    assert scores.record()["value F1"] == 66.7


def test_a_window_of_chrono_is_the_moment_at_its_other_end() -> None:
    expression = tag("les 24 heures passées", now=Span.parse("2017-05-12T11:27:00"), lang="fr")[0]
    gold = GoldTime(0, 21, ("2017-05-11T11:27:00",))
    assert is_right(gold, [PhraseAnswer.from_expression(expression)], "2017-05-12T11:27:00", CONVENTIONS["chrono"])
    assert not is_right(
        gold, [PhraseAnswer.from_expression(expression)], "2017-05-12T11:27:00", CONVENTIONS["duckling"]
    )


def test_a_part_of_a_month_needs_half_of_the_days_of_gold() -> None:
    expression = tag("début avril", now=Span.parse("2013-02-12"), lang="fr")[0]
    answer = PhraseAnswer.from_expression(expression)
    assert is_right(GoldTime(0, 11, ("2013-04-01/2013-04-05",)), [answer], "2013-02-12", CONVENTIONS["duckling"])
    assert not is_right(GoldTime(0, 11, ("2013-04-10/2013-04-19",)), [answer], "2013-02-12", CONVENTIONS["duckling"])
