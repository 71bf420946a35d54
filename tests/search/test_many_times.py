"""Documents that state more times than are kept: the first are, and the report says so."""

from __future__ import annotations

import json

from epochal import Document, Index, ingest
from epochal.cli import main
from epochal.ingest import read_passages

DATES = ", ".join(f"{day} May {year}" for year in range(1960, 1975) for day in range(1, 11))


def test_times_of_a_title_do_not_multiply(tmp_path):
    """Every passage has the times of the title: 150 times of 300 passages would be 45,000."""
    document = Document("long", "Rain fell.\n\n" * 20_000, f"Report of {DATES}")
    with Index.create(tmp_path / "index", encoder=None) as index:
        report = index.add([document, Document("short", "Rain fell on 3 May 1998.")])
    assert report.warnings == ("document 'long': its title states 150 times; the first 100 are kept",)
    passages = read_passages(document)
    assert len(passages) > 100
    assert {len(passage.datings) for passage in passages} == {100}


def test_times_of_a_text_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(ingest, "MAX_TIMES", 40)
    with Index.create(tmp_path / "index", encoder=None) as index:
        report = index.add([Document("long", f"Rain fell on {DATES}."), Document("short", "Rain fell on 3 May 1998.")])
        assert report.warnings == ("document 'long': its text states 150 times; the first 40 are kept",)
        assert len(index.view().content.rows) == 41
        assert index.search("rain on 2 May 1960").ids[0] == "long"


def test_the_command_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ingest, "MAX_TIMES", 40)
    (tmp_path / "rows.jsonl").write_text(json.dumps({"id": "long", "text": f"Rain fell on {DATES}."}))
    source = str(tmp_path / "rows.jsonl")
    assert main(["index", str(tmp_path / "index"), "--from", source, "--encoder", "none"]) == 0
    assert "epochal: document 'long': its text states 150 times; the first 40 are kept\n" in capsys.readouterr().err


def test_few_times_are_all_kept(tmp_path):
    with Index.create(tmp_path / "index", encoder=None) as index:
        report = index.add([Document("a", f"Rain fell on {DATES}.", "Rain of May 1998")])
        assert report.warnings == ()
        assert index.add([Document("a", f"Rain fell on {DATES}.", "Rain of May 1998")]).warnings == ()
