from __future__ import annotations

import gzip
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal import Index, Span
from epochal.errors import EpochalError, InputError, MissingExtraError, UnknownNameError
from epochal.storage.importers import Reading, read
from epochal.storage.importers.read import IdSet
from epochal.storage.records import Document
from paths import DATA, needs_data


def write(path: Path, *rows: Any) -> Path:
    lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    content = b"\n".join(lines)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def problems(reading: Reading) -> list[tuple[int, str]]:
    list(reading)
    return [(problem.line, problem.problem) for problem in reading.problems]


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.ndjson", "A.JSONL"])
def test_rows_of_json(tmp_path: Path, name: str) -> None:
    full = {
        "id": "a",
        "text": "Rain.",
        "title": "T",
        "published": "1998-03",
        "valid": "1998/..",
        "series": "s",
        "x": [1],
    }
    other = {"_id": 7, "body": "Sun.", "date": None, "timestamp": 1714557600, "created": "kept", "metadata": {"y": 2}}
    third = {"doc_id": "c", "content": "漢", "valid_from": "2001", "valid_to": "2003-05", "meta": "text"}
    reading = read(write(tmp_path / name, full, other, b"", third))
    a, b, c = reading
    assert (a.id, a.text, a.title, str(a.published), str(a.valid), a.series) == (
        "a",
        "Rain.",
        "T",
        "1998-03",
        "1998/..",
        "s",
    )
    assert a.meta == {"x": [1]}
    assert (b.id, b.text, str(b.published)) == ("7", "Sun.", "2024-05-01T10:00:00Z")
    assert b.meta == {"created": "kept", "y": 2}
    assert (c.id, str(c.valid), c.meta) == ("c", "2001/2003-05", {"meta": "text"})
    assert (reading.read, reading.bad, reading.position) == (3, 0, 3)
    assert reading.bytes_read == reading.bytes_total == (tmp_path / name).stat().st_size


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (b"{", "the row is not JSON"),
        (b"[1]", "the row is a list"),
        (b"null", "the row is null"),
        (b'"x"', "the row is a text"),
        (b"5", "the row is a number"),
        (b'{"id": "b", "text": "caf\xe9"}', r"byte 25 \(0xe9\) is not UTF-8"),
        (b'{"id": "b", "text": "x", "n": NaN}', "holds NaN, which JSON does not have"),
        (b'{"id": "b", "text": "x", "n": -Infinity}', "holds -Infinity"),
        (b'{"id": "b", "text": "x\\ud800"}', "half a character"),
        (b'{"id": "b", "text": "x", "n": ' + b"1" * 5000 + b"}", "cannot be read"),
        (b'{"id": "b", "text": "x", "n": ' + b"[" * 100_000 + b"}", "nested too deeply"),
        ({"text": "x"}, "has no id; accepted: a text or a whole number under 'id', '_id' or 'doc_id'"),
        ({"id": "", "text": "x"}, "has no id"),
        ({"id": 1.5, "text": "x"}, "the value under 'id' is of type float"),
        ({"id": "b"}, "has no text; accepted: .* under 'text', 'body' or 'content'"),
        ({"id": "b", "text": " \n"}, "has no text"),
        ({"id": "b", "text": ["x"]}, "the value under 'text' is of type list"),
        ({"id": "a", "text": "x"}, "the id 'a' occurs a second time"),
    ],
)
def test_a_bad_row_is_named_counted_and_passed_over(tmp_path: Path, row: Any, problem: str) -> None:
    path = write(tmp_path / "a.jsonl", {"id": "a", "text": "x"}, row, {"id": "z", "text": "x"})
    reading = read(path)
    assert [document.id for document in reading] == ["a", "z"]
    assert (reading.read, reading.bad, reading.position) == (2, 1, 3)
    assert reading.problems[0].line == 2
    with pytest.raises(InputError, match=problem) as caught:
        list(read(path, strict=True))
    assert str(caught.value).startswith(f"{path}, line 2: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("dates", "problem"),
    [
        ({"date": "2023-02-30"}, "'2023-02-30' names a day .* accepted: ISO 8601 or EDTF"),
        ({"published": "123456789012-01-01"}, "'123456789012-01-01' is not a time"),
        ({"valid": 5}, "the number 5"),
        ({"valid_from": "2003", "valid_to": "2001"}, "valid from 2003 to 2001, which is earlier"),
    ],
)
def test_a_date_that_cannot_be_read_is_noted(tmp_path: Path, dates: Any, problem: str) -> None:
    path = write(tmp_path / "a.jsonl", {"id": "a", "text": "x"}, {"id": "b", "text": "x", **dates})
    reading = read(path)
    documents = list(reading)
    assert documents[1] == Document("b", "x", meta=dates)
    assert (reading.bad, reading.unreadable, reading.notes[0].line) == (0, 1, 2)
    with pytest.raises(InputError, match=problem):
        list(read(path, strict=True))


def test_a_title_alone_is_enough(tmp_path: Path) -> None:
    (document,) = read(write(tmp_path / "a.jsonl", {"id": "a", "text": "", "title": "T"}))
    assert (document.text, document.title) == ("", "T")


def test_long_lines(tmp_path: Path) -> None:
    long = {"id": "b", "text": "x" * 10_000_000}
    path = write(tmp_path / "a.jsonl", {"id": "a", "text": "x"}, long, {"id": "z", "text": "x"})
    assert [len(document.text) for document in read(path)] == [1, 10_000_000, 1]
    reading = read(path, longest=1000)
    assert problems(reading) == [(2, "the line is longer than the 1,000 bytes that are read")]
    assert reading.read == 2


def test_all_problems_are_counted_and_the_first_are_kept(tmp_path: Path) -> None:
    reading = read(write(tmp_path / "a.jsonl", {"id": "a", "text": "x"}, *[[]] * 500))
    assert len(problems(reading)) == 20
    assert reading.bad == 500


def test_going_on_from_a_position(tmp_path: Path) -> None:
    rows = [{"id": str(number), "text": "x"} for number in range(10)]
    path = write(tmp_path / "a.jsonl", *rows[:5], b"bad", *rows[5:], rows[0])
    reading = read(path)
    documents = iter(reading)
    before = [next(documents).id for _ in range(7)]
    assert reading.position == 8
    again = read(path, start=reading.position)
    after = [document.id for document in again]
    assert before + after == [row["id"] for row in rows]
    assert (again.bad, again.read, again.position) == (2, 3, 12)  # the repeated id is seen across the break
    assert [document.id for document in again] == after
    assert again.position == 12


@pytest.mark.parametrize("content", [b"", b"\n \n", gzip.compress(b"", mtime=0)])
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv"])
def test_nothing_in_it(tmp_path: Path, content: bytes, name: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match="at least one document"):
        list(read(tmp_path / name))


def test_damaged_gzip_stops_the_reading(tmp_path: Path) -> None:
    rows = [
        {"id": str(number), "text": hashlib.sha256(str(number).encode()).hexdigest() * 20} for number in range(1000)
    ]
    path = write(tmp_path / "a.jsonl.gz", *rows)
    whole = path.read_bytes()
    flipped = bytes([*whole[: len(whole) // 2], whole[len(whole) // 2] ^ 255, *whole[len(whole) // 2 + 1 :]])
    for damaged in (whole[:-500], flipped):
        path.write_bytes(damaged)
        reading = read(path)
        with pytest.raises(InputError, match=r"line \d+: the compressed data break off or are damaged"):
            list(reading)
        assert 100 < reading.read < 1000


def test_utf16_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a", "text": "x"}', encoding="utf-16")
    with pytest.raises(InputError, match="UTF-16; accepted: UTF-8"):
        list(read(path))


def test_other_names_and_made_ids(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"doc": "A", "text": "x", "series": 1}, {"doc": "A", "text": "y"})
    documents = list(read(path, fields={"series": "doc"}, make_ids=True))
    assert [(document.id, document.series) for document in documents] == [("a.jsonl:1", "A"), ("a.jsonl:2", "A")]
    assert documents[0].meta == {"series": 1}
    with pytest.raises(UnknownNameError, match="no field is called 'chain'"):
        read(path, fields={"chain": "doc"})


def test_fields_within_objects_have_names_with_dots(tmp_path: Path) -> None:
    row = {"_id": "a", "_source": {"body": "Rain.", "when": {"day": "1998-05-02"}, "lang": "en"}, "a.b": "Steel"}
    path = tmp_path / "dump.jsonl"
    path.write_text(json.dumps(row) + "\n")
    fields = {"text": "_source.body", "published": "_source.when.day", "title": "a.b"}
    (document,) = read(path, fields=fields)
    assert (document.id, document.text, document.title) == ("a", "Rain.", "Steel")
    assert document.published == Span.parse("1998-05-02")
    assert document.meta == {"_source": {"when": {}, "lang": "en"}}
    (empty,) = read(path, fields={**fields, "title": "_source.body.deeper"})
    assert empty.title == ""


def test_objects_of_others_are_not_changed(tmp_path: Path) -> None:
    row = {"id": "a", "source": {"body": "Rain."}}
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add([row], fields={"text": "source.body"})
        assert index["a"].text == "Rain."
    assert row == {"id": "a", "source": {"body": "Rain."}}


# ---------------------------------------------------------------- tables


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(
        b'\xef\xbb\xbfid,text,date,kind\r\na,"Rain,\r\n""again"".",1998-03,\r\nb,Sun.,,x\r\n'
        b"c,too few\r\nd,caf\xe9,,\r\ne,Snow.,2023-02-30,\r\n\r\nf," + b"long" * 100_000 + b",,\r\n"
    )
    reading = read(path)
    a, b, e, f = reading
    assert (e.published, e.meta) == (None, {"date": "2023-02-30"})
    assert (a.id, a.text, str(a.published), dict(a.meta)) == ("a", 'Rain,\r\n"again".', "1998-03", {})
    assert (b.published, b.meta) == (None, {"kind": "x"})
    assert len(f.text) == 400_000
    assert [problem.line for problem in reading.problems] == [5, 6]
    assert "the row has 2 fields, but the first line names 4 columns" in str(reading.problems[0])
    assert "byte 6 (0xe9) of line 6 is not UTF-8" in str(reading.problems[1])


def test_csv_with_semicolons_and_bad_quotes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('id;text\na;Rain, again.\nb;"x"y\nc;Sun.\nd;"open\n')
    reading = read(path)
    assert [document.text for document in reading] == ["Rain, again.", "Sun."]
    assert [problem.line for problem in reading.problems] == [3, 5]


def test_tsv_keeps_quotes_within(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(b'id\ttext\na\t"Rain," he said.\nb\t"Say ""x"" y."\nc\t"\n'))
    assert [document.text for document in read(path)] == ['"Rain," he said.', 'Say "x" y.', '"']


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        ("name,text", "no column for the id; accepted: 'id', '_id' or 'doc_id'"),
        ("id,words", "no column for the text; accepted: 'text', 'body' or 'content'"),
        ("id,text,id", "the column 'id' occurs twice"),
    ],
)
def test_a_table_without_the_columns_is_one_problem(tmp_path: Path, head: str, problem: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(head + "\n" + "a,b,c\n" * 3)
    with pytest.raises(InputError, match=problem):
        list(read(path))


def test_parquet(tmp_path: Path) -> None:
    import datetime as dt

    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    noon = dt.datetime(2024, 5, 1, 12)
    table = arrow.table(
        {
            "id": ["a", "b", "c", None],
            "text": ["Rain.", "Sun.", None, "x"],
            "date": arrow.array([noon, None, noon, noon], arrow.timestamp("ns")),
            "day": arrow.array([dt.date(2001, 2, 3)] * 4),
            "number": [1.5, float("nan"), None, 2.0],
            "tags": [["x"], [], None, ["y"]],
        }
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    reading = read(tmp_path / "a.parquet")
    a, b = reading
    assert (str(a.published), b.published) == ("2024-05-01T12:00:00Z", None)
    assert a.meta == {"day": "2001-02-03", "number": 1.5, "tags": ["x"]}
    assert b.meta == {"day": "2001-02-03", "tags": []}
    assert [problem.line for problem in reading.problems] == [3, 4]
    assert reading.bytes_read == reading.bytes_total
    far = arrow.table({"id": ["a", "b"], "text": ["x", "y"], "date": arrow.array([0, 10**12], arrow.timestamp("s"))})
    parquet.write_table(far, tmp_path / "far.parquet")
    assert "'date' cannot be read" in problems(read(tmp_path / "far.parquet"))[0][1]
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        list(read(tmp_path / "bad.parquet"))
    parquet.write_table(arrow.table({"key": ["a"]}), tmp_path / "none.parquet")
    with pytest.raises(InputError, match="no column for the id"):
        list(read(tmp_path / "none.parquet"))


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(MissingExtraError, match=r"pip install 'epochal\[parquet\]'"):
        list(read(tmp_path / "a.parquet"))


# ---------------------------------------------------------------- which format


def test_formats_are_reported_by_names_or_named(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.data", {"id": "a", "text": "x"})
    with pytest.raises(InputError, match=r"in no format that its name tells; accepted: a file that ends in .jsonl"):
        read(path)
    assert len(list(read(path, format="jsonl"))) == 1
    with pytest.raises(UnknownNameError, match="no format is called 'xml'; known: jsonl, json, csv"):
        read(path, format="xml")
    with pytest.raises(InputError, match="there is no such file or folder"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match=r"a folder with corpus\.jsonl"):
        read(path, format="beir")


def test_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds nothing that can be read"):
        read(tmp_path)
    write(tmp_path / "2.jsonl", {"id": "b", "text": "x"})
    write(tmp_path / "1.jsonl.gz", {"id": "a", "text": "x"}, {"id": "b", "text": "x"})
    reading = read(tmp_path)
    assert [document.id for document in reading] == ["a", "b"]
    assert Path(reading.problems[0].file).name == "2.jsonl"
    assert reading.bytes_read == reading.bytes_total
    (tmp_path / "README.md").write_text("About.")
    with pytest.raises(InputError, match=r"several formats \(jsonl, text\)"):
        read(tmp_path)
    assert [document.id for document in read(tmp_path, format="text")] == ["README.md"]
    with pytest.raises(InputError, match="no file of the format csv"):
        read(tmp_path, format="csv")
    with pytest.raises(InputError, match="is no BEIR folder"):
        read(tmp_path, format="beir")
    write(tmp_path / "corpus.jsonl", {"_id": "c", "title": "", "text": "x", "published": "1998", "series": "s"})
    (document,) = read(tmp_path)
    assert (document.id, str(document.published), document.series) == ("c", "1998", "s")


# ---------------------------------------------------------------- ids seen before


@given(st.lists(st.text(max_size=3), max_size=60))
def test_seen_is_a_set(texts: list[str]) -> None:
    seen, told = IdSet(), set[str]()
    for text in texts:
        assert seen.add(text) == (text not in told)
        told.add(text)


def test_seen_remembers_what_it_has_put_away() -> None:
    seen = IdSet()
    assert all(seen.add(str(number)) for number in range(250_000))
    assert not any(seen.add(str(number)) for number in range(0, 250_000, 997))


# ---------------------------------------------------------------- real data


@needs_data("scifact")
@pytest.mark.parametrize(
    ("name", "count", "options"),
    [
        ("tnp", 989, {}),
        ("scifact", 5183, {}),
        ("timeqa/human_train_beir", 15_491, {}),
        ("current_events", 121_670, {"make_ids": True}),
        ("terms", 2609, {"make_ids": True, "fields": {"series": "doc"}}),
    ],
)
def test_real_collections_are_read_whole(name: str, count: int, options: dict[str, Any]) -> None:
    reading = read(DATA / name, strict=True, **options)
    dated = sum(document.published is not None for document in reading)
    assert (reading.read, reading.bad) == (count, 0)
    assert dated == (count if "make_ids" in options else 0)


def test_errors_are_epochal_errors(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [])
    with pytest.raises(EpochalError):
        list(read(path, strict=True))
