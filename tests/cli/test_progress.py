"""The bar of long work: on stderr, in a terminal, and nowhere else."""

from __future__ import annotations

import io
import sys

from epochal.cli.common import progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_in_a_terminal(monkeypatch, capsys):
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar("indexing", 10) as tell:
        tell(10, "7 documents")
    assert "indexing" in shown.getvalue()
    assert "7 documents" in shown.getvalue()
    assert capsys.readouterr().out == ""


def test_elsewhere(capsys):
    with progress_bar("indexing", 10) as tell:
        tell(5, "7 documents")
    assert capsys.readouterr() == ("", "")
