"""LoCoMo and LongMemEval are read into one shape."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from epochal.errors import EpochalError
from epochal.memory import Memory
from epochal_lab.datasets.conversations import load_locomo, load_longmemeval

TURNS = [
    {"id": "9/D1:1", "text": "Ana: Hi: I ran yesterday.", "published": "2023-05-08T13:56:00", "session": "9/s1"},
    {"id": "9/D1:2", "text": "Ben: Well done!", "published": "2023-05-08T13:56:00", "session": "9/s1"},
]
QUESTIONS = [
    {"id": "9/q0", "kind": "temporal", "text": "When did Ana run?", "answer": 2023, "gold": ["9/D1:1", "9/D7:1"]},
    {"id": "9/q1", "kind": "unanswerable", "text": "When did Ben run?", "answer": None, "gold": ["9/D1:1"]},
]


def write(path: Path, rows: list[dict[str, object]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def test_locomo(tmp_path: Path) -> None:
    (tmp_path / "locomo").mkdir()
    write(tmp_path / "locomo/turns_9.jsonl.gz", TURNS)
    write(tmp_path / "locomo/questions_9.jsonl.gz", [{**row, "now": "2023-10-22T09:55:00"} for row in QUESTIONS])
    (conversation,) = load_locomo(data=tmp_path)
    assert conversation.speakers == ("Ana", "Ben")
    assert conversation.turns[0].text == "Hi: I ran yesterday."
    first, second = conversation.questions
    assert (first.answer, first.evidence, first.is_answerable) == ("2023", ("9/D1:1",), True)
    assert (second.answer, second.is_answerable) == ("", False)
    with pytest.raises(EpochalError, match="no LoCoMo conversation '8'"):
        load_locomo(["8"], tmp_path)


def test_longmemeval(tmp_path: Path) -> None:
    row = {
        "question_id": "q1_abs",
        "question_type": "temporal-reasoning",
        "question": "When did I run?",
        "answer": "You did not say.",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["late", "early"],
        "haystack_dates": ["2023/05/21 (Sun) 02:21", "2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [
            [{"role": "user", "content": "I ran.", "has_answer": True}],
            [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}],
        ],
    }
    path = tmp_path / "longmemeval.json"
    path.write_text(json.dumps([row]))
    (conversation,) = load_longmemeval(path)
    assert [turn.id for turn in conversation.turns] == ["early/0", "early/1", "late/0"]
    assert conversation.questions[0].evidence == ("late/0",)
    assert not conversation.questions[0].is_answerable
    path.write_text("no json")
    with pytest.raises(EpochalError, match="cannot read LongMemEval"):
        list(load_longmemeval(path))


def test_a_memory_answers_from_a_longmemeval_file(tmp_path: Path) -> None:
    """All fields of the published files, with a number as answer, a session that occurs twice, and an empty message."""
    row = {
        "question_id": "gpt4_7f6b06db",
        "question_type": "temporal-reasoning",
        "question": "How many kilometres did I run in May?",
        "answer": 12,
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["answer_1", "shared", "shared"],
        "haystack_dates": ["2023/05/21 (Sun) 02:21", "2023/05/20 (Sat) 02:21", "2023/05/22 (Mon) 10:00"],
        "answer_session_ids": ["answer_1"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I ran 12 kilometres yesterday.", "has_answer": True},
                {"role": "assistant", "content": "Well done!", "has_answer": False},
            ],
            [{"role": "user", "content": "Which tea is best?"}, {"role": "assistant", "content": ""}],
            [{"role": "user", "content": "Which coffee is best?"}],
        ],
    }
    path = tmp_path / "longmemeval_s.json"
    path.write_text(json.dumps([row]))
    (conversation,) = load_longmemeval(path)
    (question,) = conversation.questions
    assert (question.answer, question.evidence) == ("12", ("answer_1/0",))
    assert len({turn.id for turn in conversation.turns}) == len(conversation.turns) == 4
    with Memory.open(tmp_path / "memory", encoder="static") as memory:
        memory.remember_many(
            {"id": turn.id, "text": turn.text, "at": turn.at, "speaker": turn.speaker, "session": turn.session}
            for turn in conversation.turns
        )
        assert memory.recall(question.text, now=question.now, k=1).ids == question.evidence
