from __future__ import annotations

import pytest

from epochal.errors import InputError
from epochal_lab.models.training.journal import Journal, read_journal


def test_lines_are_there_at_once(tmp_path):
    journal = Journal(tmp_path / "log.jsonl")
    journal.write({"step": 1, "note": "隐公"})
    assert read_journal(tmp_path / "log.jsonl") == journal.rows == [{"step": 1, "note": "隐公"}]


def test_a_resumed_log_forgets_what_came_after_its_state(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"step": 1}\n{"step": 4}\n{"step": 5}\n{"st')
    journal = Journal(path, keep=2)
    journal.write({"step": 5, "again": True})
    assert read_journal(path) == [{"step": 1}, {"step": 4}, {"step": 5, "again": True}]


def test_a_new_log_begins_empty(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"step": 1}\n')
    Journal(path)
    assert path.read_text() == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"step": 1}\n{"st\n{"step": 2}\n', "line 2: is no JSON"),
        ("[1]\n", "line 1: is no line of a log"),
        ('{"step": "1"}\n', "line 1: is no line of a log"),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, said):
    path = tmp_path / "log.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_journal(path)
