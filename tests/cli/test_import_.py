"""`epochal import`: back in, nothing lost."""

from __future__ import annotations

from epochal.api import Index


def test_there_and_back(run, news, tmp_path):
    for name in ("a.jsonl", "a.jsonl.gz"):
        assert run("export", news, "-o", tmp_path / name)[0] == 0
        copy = tmp_path / f"copy of {name}"
        code, out, _ = run("import", copy, "--from", tmp_path / name, "--encoder", "none")
        assert code == 0
        assert "4 documents added" in out
        with Index.open(news) as one, Index.open(copy) as other:
            assert list(one.documents()) == list(other.documents())


def test_a_wrong_row_ends_it(complaint, tmp_path):
    source = tmp_path / "a.jsonl"
    source.write_text('{"id": "a", "text": "Rain."}\n{"text": "no id"}\n', encoding="utf-8")
    assert f"{source}, line 2: the row has no id" in complaint(
        "import", tmp_path / "new", "--from", source, "--encoder", "none"
    )


def test_mistakes(complaint, tmp_path):
    assert "there is no such file" in complaint("import", tmp_path / "new", "--from", tmp_path / "none.jsonl")
    assert not (tmp_path / "new").exists()
