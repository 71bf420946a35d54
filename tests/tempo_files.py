"""TEMPO's files as the hub has them, written by the tests: one small domain, with the oddities that the data has."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any


def document(place: int, text: str, domain: str = "law") -> dict[str, str]:
    return {"id": f"{domain}/{hashlib.md5(text.encode()).hexdigest()[:8]}_{place:04}.txt", "content": text}


DOCUMENTS = [
    document(0, "The act of 1911 set the term."),
    document(1, "The act of 1956 changed the term."),
    document(2, "A statute of 44 BCE."),
    document(3, "The act of 1911 set the term."),
    document(4, "Terms in general."),
]
IDS = [row["id"] for row in DOCUMENTS]


def guidance(**given: Any) -> dict[str, Any]:
    return {
        "is_temporal_query": True,
        "temporal_intent": "timeline",
        "query_temporal_signals": ["since 1911"],
        "query_temporal_events": ["the act"],
        "query_summary": "How the term changed.",
        "temporal_reasoning_class_primary": "trends_changes_and_cross_period",
        "temporal_reasoning_class_secondary": ["causation_analysis"],
        "retrieval_reasoning": "Compare.",
        "retrieval_plan": [
            {"step": 1, "action": "Find the act of 1911.", "gold_ids": repr([IDS[0]])},
            {"step": 2, "action": "Find the act of 1956.", "gold_ids": repr([IDS[1]])},
            {"step": 3, "action": "Think.", "gold_ids": "[]"},
        ],
        "key_time_anchors": ["1956", "1911", "in the beginning"],
        "expected_granularity": "year",
        "quality_checks": [],
        **given,
    }


def note(start: str, end: str) -> dict[str, Any]:
    return {
        "passage_temporal_signals": [start],
        "passage_temporal_events": [],
        "time_mentions": [start],
        "time_scope_guess": {"start_iso": start, "end_iso": end, "granularity": "year"},
        "tense_guess": "past",
        "confidence": 0.9,
    }


EXAMPLES = [
    {
        "id": "10_1",
        "query": "How did the term change since 1911?\n<p>Please.</p>",
        "gold_ids": [IDS[0], IDS[1]],
        "gold_answers": ["<p>It grew.</p>"],
        "negative_ids": [IDS[4], "N/A", "law/00000000_9999.txt"],
    },
    {
        "id": "11_2",
        "query": "What did Rome do in 44 BCE?",
        "gold_ids": [IDS[2]],
        "gold_answers": [],
        "negative_ids": [],
    },
    {"id": "12_3", "query": "What is a term?", "gold_ids": [IDS[4]], "gold_answers": [], "negative_ids": ["N/A"]},
]

#: As published: a row a question, the plan inside, its gold ids as the text of a Python list.
NESTED = [
    {
        "id": "10_1",
        "query": EXAMPLES[0]["query"],
        "gold_ids": EXAMPLES[0]["gold_ids"],
        "gold_answers": EXAMPLES[0]["gold_answers"],
        "query_guidance": guidance(),
        "gold_passage_annotations": [note("1911", "1911"), note("1956-03", "")],
    },
    {
        "id": "11_2",
        "query": EXAMPLES[1]["query"],
        "gold_ids": EXAMPLES[1]["gold_ids"],
        "gold_answers": [],
        "query_guidance": guidance(
            temporal_reasoning_class_primary="",
            temporal_intent="when",
            key_time_anchors=["44 BCE"],
            query_temporal_signals=None,
            retrieval_plan=[{"step": 1, "action": "Find 44 BCE.", "gold_ids": "['law/unclosed"}],
        ),
        "gold_passage_annotations": [note("-0043", "-0043")],
    },
    {
        "id": "12_3",
        "query": EXAMPLES[2]["query"],
        "gold_ids": EXAMPLES[2]["gold_ids"],
        "gold_answers": [],
        "query_guidance": guidance(
            is_temporal_query=False,
            temporal_intent="none",
            temporal_reasoning_class_primary="something else",
            key_time_anchors=[],
            retrieval_plan=[],
        ),
        "gold_passage_annotations": [note("", "")],
    },
]

#: As the official code for steps expects it: a row a step.
FLAT = [
    {
        "q_id": "10_1",
        "step_id": "1",
        "query": EXAMPLES[0]["query"],
        "step": "Find the act of 1911.",
        "gold_ids": [IDS[0]],
        "excluded_ids": [IDS[4]],
    },
    {
        "q_id": "10_1",
        "step_id": "10_1_step2",
        "query": EXAMPLES[0]["query"],
        "step": "Find the act of 1956.",
        "gold_ids": [IDS[1]],
        "excluded_ids": ["N/A"],
    },
    {
        "q_id": "11_2",
        "step_id": "1",
        "query": EXAMPLES[1]["query"],
        "step": "Find Rome.",
        "gold_ids": [],
        "excluded_ids": [],
    },
]


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    import pyarrow
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
