"""The bar of long work: on stderr, in a terminal, and nowhere else."""

from __future__ import annotations

import io
import os
import sys

import pytest

from epochal.cli.common import check_new, check_output, get_encoder_name, is_index, open_for_adding, progress_bar
from epochal.errors import EpochalError


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_in_a_terminal(monkeypatch, capsys):
    output = Terminal()
    monkeypatch.setattr(sys, "stderr", output)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar("indexing", 10) as tell:
        tell(10, "7 documents")
    assert "indexing" in output.getvalue()
    assert "7 documents" in output.getvalue()
    assert capsys.readouterr().out == ""


def test_elsewhere(capsys):
    with progress_bar("indexing", 10) as tell:
        tell(5, "7 documents")
    assert capsys.readouterr() == ("", "")


def test_a_new_index_is_made_in_a_missing_or_an_empty_folder(tmp_path):
    (tmp_path / "empty").mkdir()
    for name in ("empty", "missing/deep"):
        with open_for_adding(tmp_path / name, "none") as index:
            assert get_encoder_name(index) == "none"
        assert is_index(tmp_path / name)


def test_an_index_keeps_its_encoder(tmp_path):
    with open_for_adding(tmp_path / "a", "static"):
        pass
    with open_for_adding(tmp_path / "a", None) as index:
        assert get_encoder_name(index) == "static"
    with (
        pytest.raises(EpochalError, match="was made with the encoder 'static', not 'none'"),
        open_for_adding(tmp_path / "a", "none"),
    ):
        pass


def test_the_default_encoder(tmp_path):
    with open_for_adding(tmp_path / "a", None) as index:
        assert get_encoder_name(index) == "minilm"


def test_outputs(tmp_path):
    check_output("-")
    check_output(str(tmp_path / "new.trec"))
    (tmp_path / "old.trec").write_text("old", encoding="utf-8")
    check_output(str(tmp_path / "old.trec"))
    assert (tmp_path / "old.trec").read_text(encoding="utf-8") == "old"
    check_output(os.devnull)
    with pytest.raises(EpochalError, match="it is a folder"):
        check_output(str(tmp_path))
    with pytest.raises(EpochalError, match="does not exist"):
        check_output(str(tmp_path / "old.trec" / "new.trec"))


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(EpochalError, match="Permission denied"):
        check_output(str(tmp_path / "new.trec"))


def test_where_no_index_can_be_made(tmp_path):
    check_new(tmp_path)
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    with pytest.raises(EpochalError, match="other things in it"):
        check_new(tmp_path)
    with pytest.raises(EpochalError, match="is a file"):
        check_new(tmp_path / "a.txt")
