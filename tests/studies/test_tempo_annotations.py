"""The study of TEMPO's annotations, on a folder that has some: agreement key by key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paths import STUDIES

QUESTION = "How did the term change between 1911 and 1956?"
GUIDANCE = {
    "is_temporal_query": True,
    "temporal_intent": "when",
    "query_temporal_signals": ["between 1911 and 1956"],
    "query_temporal_events": [],
    "query_summary": "How the term changed.",
    "temporal_reasoning_class_primary": "trends_changes_and_cross_period",
    "temporal_reasoning_class_secondary": [],
    "retrieval_reasoning": "Compare both acts.",
    "retrieval_plan": [
        {"step": 1, "action": "Find the term in 1911."},
        {"step": 2, "action": "Find the term in 1956."},
    ],
    "key_time_anchors": ["1911", "1956"],
    "expected_granularity": "year",
    "quality_checks": [],
}
NOTE = {
    "doc_id": "law/a.txt",
    "passage_temporal_signals": ["1911"],
    "passage_temporal_events": [],
    "time_mentions": ["1911"],
    "time_scope_guess": {"start_iso": "1911", "end_iso": "", "granularity": "year"},
    "tense_guess": "past",
    "confidence": 0.9,
}


@pytest.fixture
def rows(tmp_path: Path, load_study, capsys: pytest.CaptureFixture[str]):
    record = {"id": "7_1", "query": QUESTION, "gold_ids": ["law/a.txt", "law/b.txt"]}
    files = {
        "examples": [{**record, "gold_answers": ["<p>It grew from 50 years in 1911 to 70 in 1990.</p>"]}],
        "steps": [
            {**record, "query_guidance": GUIDANCE, "gold_passage_annotations": [NOTE, {**NOTE, "tense_guess": "x"}]}
        ],
        "documents": [
            {"id": "law/a.txt", "content": "The act of 1911 set the term for a fee of 2000 pounds."},
            {"id": "law/b.txt", "content": "The term was changed in 1956."},
            {"id": "law/c.txt", "content": "It rained."},
        ],
    }
    for name, lines in files.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    before = {path: path.stat().st_mtime_ns for path in (STUDIES / "results").glob("*")}
    load_study("tempo_annotations").main(["--from", str(tmp_path)])
    assert {path: path.stat().st_mtime_ns for path in (STUDIES / "results").glob("*")} == before
    return json.loads(capsys.readouterr().out)


def part(message, name):
    return [row for row in message["rows"] if row["part"] == name]


def test_annotations_are_compared_key_by_key(rows):
    (matches,) = part(rows, "annotated question")
    assert matches["is_temporal_query"] == matches["temporal_reasoning_class_primary"] == 1.0
    assert matches["key_time_anchors"] == matches["query_temporal_signals"] == 1.0
    assert matches["temporal_intent"] == 0.0
    assert matches["plan_steps"] == 0.0
    assert 0.5 < matches["retrieval_plan"] < 1.0
    good, bad = part(rows, "annotated passage")
    assert good["time_mentions"] == 1.0
    assert good["time_scope_guess"] == pytest.approx(2 / 3, abs=0.001)
    assert "tense_guess" in bad["unreadable"]
    assert (rows["questions with annotations"], rows["passages with annotations"]) == (1, 2)


def test_periods_steps_passages_and_answers_are_reported_item_by_item(rows):
    assert [(row["period"], row["gold passages"]) for row in part(rows, "period")] == [("1911", 1), ("1956", 1)]
    assert [row["first hit is gold"] for row in part(rows, "step")] == [True, True, True]
    assert (rows["gold found by steps"], rows["gold found by questions"]) == (2, 2)
    (first, second, third) = part(rows, "passage")
    assert (first["years in the text"], first["of them mentioned"], first["not mentioned"]) == (2, 1, ["2000"])
    assert (second["years in the text"], third["years in the text"]) == (1, 0)
    (answer,) = part(rows, "answer")
    assert answer["in a required period"] == ["1911"]
    assert answer["elsewhere"] == ["1990"]
