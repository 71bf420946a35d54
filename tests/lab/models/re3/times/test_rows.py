"""Labelled sentences on disk, and their splits."""

from __future__ import annotations

import gzip
import io

import pytest

from epochal.errors import EpochalError, InputError
from epochal_lab.models.re3.times.labels import NONE, Label, LabelledSentence, read_rows, split_rows, write_rows

ROWS = [
    LabelledSentence("Malmö, 4 July 2014", Label(2014, 7, 4), "a 1"),
    LabelledSentence("June", Label(None, 6), "a 2"),
    LabelledSentence("None", NONE),
]


@pytest.mark.parametrize("packed", [False, True])
def test_written_and_read(tmp_path, packed):
    path = tmp_path / "rows"
    with path.open("wb") as file:
        assert write_rows(ROWS, file, packed=packed) == 3
    assert list(read_rows(path)) == ROWS
    again = io.BytesIO()
    write_rows(ROWS, again, packed=packed)
    assert again.getvalue() == path.read_bytes()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 2: the row is not JSON"),
        ("[1]", "line 2: the row is a list"),
        ('{"text": "a"}', "line 2: the row needs texts"),
        ('{"text": "a", "time": "soon"}', "line 2: the label 'soon' is no date"),
    ],
)
def test_bad_rows_are_named(tmp_path, line, problem):
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{ROWS[0].to_json()}\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        list(read_rows(path))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(EpochalError, match=r"cannot read the labelled sentences of .*No such file"):
        list(read_rows(tmp_path / "none.jsonl"))
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(b"{}" * 5000)[:-20])
    with pytest.raises(EpochalError, match="cannot read the labelled sentences"):
        list(read_rows(cut))


def test_groups_stay_together():
    rows = [LabelledSentence(f"In {1900 + place}.", Label(1900 + place), f"g {place % 40}") for place in range(200)]
    train, held = split_rows(rows, 0.2)
    assert sorted(row.text for row in train + held) == sorted(row.text for row in rows)
    assert not {row.group for row in train} & {row.group for row in held}
    assert split_rows(rows, 0.2) == (train, held)
    few = split_rows(rows, 0.2, most=10)
    assert few[0] == train
    assert len(few[1]) <= 10
    assert {row.text for row in few[1]} <= {row.text for row in held}


def test_what_cannot_be_split():
    with pytest.raises(EpochalError, match="0 are left to measure on"):
        split_rows([LabelledSentence("a", NONE, "one")], 0.0001)
    with pytest.raises(EpochalError, match="the share to measure on is 1"):
        split_rows(ROWS, 1)
