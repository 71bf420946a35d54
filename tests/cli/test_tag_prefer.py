"""`epochal tag --prefer`, with the real tagger."""

from __future__ import annotations

import json

import pytest

from epochal.cli import main


@pytest.mark.parametrize(("prefer", "day"), [("past", "1998-02-27"), ("future", "1998-03-06")])
def test_a_preference_decides_what_the_words_leave_open(tmp_path, capsys, prefer, day):
    file = tmp_path / "note.txt"
    file.write_text("Friday, room 12.", encoding="utf-8")
    assert main(["tag", str(file), "--dct", "1998-03-05", "--prefer", prefer]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == day
