"""Files, folders, archives and JSONL as texts."""

from __future__ import annotations

import io
import json
import lzma
import tarfile

import pytest

from epochal.errors import InputError
from epochal_lab.models.annals.passages import read_sources


def texts(*paths):
    return [source.text for source in read_sources(list(paths))]


def test_files_of_every_kind(tmp_path):
    (tmp_path / "a.txt").write_text("甲", encoding="utf-8")
    (tmp_path / "b.txt.xz").write_bytes(lzma.compress("乙".encode()))
    (tmp_path / "c.jsonl").write_text(f"{json.dumps({'text': '丙'})}\n\n{json.dumps({'text': '丁'})}\n", "utf-8")
    (tmp_path / "notes.md").write_text("戊", encoding="utf-8")
    assert texts(tmp_path) == ["甲", "乙", "丙", "丁"]
    assert texts(tmp_path / "c.jsonl", tmp_path / "a.txt") == ["丙", "丁", "甲"]


def test_an_archive_without_its_translations(tmp_path):
    path = tmp_path / "a.tar.xz"
    with tarfile.open(path, "w:xz") as archive:
        for name, text in (
            ("二/source.txt", "乙"),
            ("一/text.txt", "甲"),
            ("一/target.txt", "新"),
            ("一/bitext.txt", "新"),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    found = list(read_sources([path]))
    assert [source.text for source in found] == ["甲", "乙"]
    assert found[0].name == f"{path}:一/text.txt"


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("a.txt", b"\xff\xfe", "byte 0 is not UTF-8"),
        ("a.txt.xz", b"no xz", "no whole .xz file"),
        ("a.tar.xz", b"no tar", "no whole tar archive"),
        ("a.jsonl", b"{", "line 1: the row is no JSON"),
        ("a.jsonl", b'{"text": "x"}\n{"words": 1}', "line 2: the row has no text"),
        ("a.pdf", b"", ".pdf is not read"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, name, data, problem):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=problem) as caught:
        texts(path)
    assert str(path) in str(caught.value)


def test_a_folder_without_texts(tmp_path):
    with pytest.raises(InputError, match=r"holds no \.txt"):
        texts(tmp_path)
