"""Sources cut into parts: every row in exactly one part, wherever it is cut."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.backends.ray.loading import Work, read_packages
from epochal.backends.ray.sources import SourcePart, list_parts, open_part
from epochal.errors import InputError, UnknownNameError
from epochal.storage.importers import read

LINES = st.lists(st.sampled_from(["", "{", '{"id": "a", "text": "' + "x" * 30 + '"}', '{"id": "b", "text": "Žluť."}']))


def rows(parts: list[SourcePart]) -> list[tuple[int, str, str]]:
    """Line, id and problem of each row, as the process that stores counts them."""
    result, before, name = [], 0, ""
    for part in parts:
        before, name = (0 if part.name != name else before), part.name
        for package in read_packages(part, Work()):
            assert package.failure is None
            result += [(before + item.line, item.id, item.problem) for item in package.items]
            before += package.lines
    return result


@given(LINES, st.integers(1, 60), st.sampled_from(["\n", ""]), st.booleans())
def test_every_line_is_in_one_part(tmp_path_factory, lines, size, end, mark):
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    path.write_text("\n".join(lines) + end, encoding="utf-8-sig" if mark else "utf-8")
    if not path.stat().st_size:
        with pytest.raises(InputError, match="is empty"):
            list_parts(path)
        return
    parts = list_parts(path, part_bytes=size)
    assert [part.number for part in parts] == list(range(len(parts)))
    assert sum(part.size for part in parts) == path.stat().st_size
    assert rows(parts) == rows(list_parts(path))


def test_files_are_found_as_without_ray(tmp_path, monkeypatch):
    for name, id in (("b.jsonl", "b"), ("a.jsonl", "a"), ("c.ndjson.gz", "c")):
        data = (json.dumps({"id": id, "text": "Rain."}) + "\n").encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    (tmp_path / "notes.bin").write_bytes(b"nothing to read")
    assert [id for _, id, _ in rows(list_parts(tmp_path))] == [document.id for document in read(tmp_path)]
    assert [part.name for part in list_parts(f"file://{tmp_path}/[ab].jsonl")] == [
        f"file://{tmp_path}/a.jsonl",
        f"file://{tmp_path}/b.jsonl",
    ]
    monkeypatch.chdir(tmp_path.parent)
    assert list_parts(tmp_path.name)[0].name == f"{tmp_path.name}/a.jsonl"
    (tmp_path / "corpus.jsonl").write_text('{"_id": "z", "text": "Sun."}')
    assert [id for _, id, _ in rows(list_parts(tmp_path, "beir"))] == ["z"]


def test_a_memory_file_system():
    import fsspec

    with fsspec.open("memory://news/a.jsonl", "wb") as file:
        file.write(b'{"id": "a", "text": "Rain."}\n{"id": "b", "text": "Sun."}\n')
    parts = list_parts("memory://news/a.jsonl", part_bytes=10)
    assert len(parts) == 6
    assert [id for _, id, _ in rows(parts)] == ["a", "b"]


def test_a_zipped_file_is_one_part_whatever_its_name(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(gzip.compress(b'{"id": "a", "text": "Rain."}\n' * 9))
    assert len(list_parts(path, part_bytes=5)) == 1
    assert len(rows(list_parts(path, part_bytes=5))) == 9


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("none.jsonl", "none.jsonl: there is no such file or folder"),
        ("a.csv", "is not of a format that Ray's workers read; accepted: JSON Lines"),
        ("empty", "holds nothing that Ray's workers read"),
        ("*.pq", "no file has such a name"),
        ("mixed", r"holds files of several formats \(jsonl, parquet\)"),
        ("nofs://a.jsonl", "cannot be opened: Protocol not known: nofs"),
    ],
)
def test_what_cannot_be_read(tmp_path, name, problem):
    (tmp_path / "a.csv").write_text("id,text\na,Rain.\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "mixed").mkdir()
    for ending in ("jsonl", "parquet"):
        (tmp_path / "mixed" / f"a.{ending}").write_text("x")
    with pytest.raises(InputError, match=problem):
        list_parts(name if "://" in name else tmp_path / name)


def test_formats_and_folders(tmp_path):
    with pytest.raises(UnknownNameError, match="no format for Ray is called 'text'"):
        list_parts(tmp_path, "text")
    with pytest.raises(InputError, match="is no BEIR folder"):
        list_parts(tmp_path, "beir")
    path = Path(tmp_path, "gone.jsonl")
    path.write_text("{}")
    with pytest.raises(InputError, match="is a file; accepted as BEIR"):
        list_parts(path, "beir")
    (part,) = list_parts(path)
    path.unlink()
    with pytest.raises(InputError, match="cannot be read: No such file"), open_part(part):
        pass
