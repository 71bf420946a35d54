"""Files that are made to freeze or to end an import: each is read in a time that grows with its length, or refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from costs import assert_linear
from epochal.errors import EpochalError
from epochal.server.problems import ProblemError, read_json
from epochal.storage.importers import read
from epochal.storage.importers.html_pages import html_text


@pytest.mark.parametrize("part", ['<a b="', "<!--", "<![CDATA[", "<a", "<![CDATA[>", "<!-- >", "<a b='>", "<a '\">"])
def test_the_time_for_html_grows_with_its_length(part):
    assert_linear(html_text, lambda count: part * count, 500, 4_000)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>In 1998 <![foo bar]> it rained", "In 1998 it rained"),
        ("<![if IE]>a<![endif]>b", "ab"),
        ("<![CDATA[ x > y ]]> z", "z"),
        ("<p>a<!-- b --> c", "a c"),
        ("a<!-- b -- > c", "a c"),
        ("<p>a <!-- b</p> c", "a b\n\nc"),
        ("x < y", "x < y"),
        ("<p>x <b", "x <b"),
    ],
)
def test_markup_that_is_odd_or_never_closed(source, text):
    assert html_text(source) == text


def test_a_table_of_very_many_columns(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("id,text," + ",".join(f"c{number}" for number in range(40_000)) + "\n1,x\n")
    with pytest.raises(EpochalError, match="40002 columns"):
        list(read(path, strict=True))


def make_mail(folder: Path, content: bytes) -> Path:
    path = folder / "mail.eml"
    path.write_bytes(content)
    return path


def test_a_mail_of_quotation_marks(tmp_path):
    path = make_mail(tmp_path, b"From: " + b'"' * 100_000 + b"\nSubject: Rain\n\nIn 1998 it rained.\n")
    (document,) = read(path)
    assert (document.title, document.text.strip()) == ("Rain", "In 1998 it rained.")


def test_a_mail_whose_parts_are_nested_without_end(tmp_path):
    parts = (b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (number, number) for number in range(1_500))
    path = make_mail(tmp_path, b"MIME-Version: 1.0\n" + b"".join(parts) + b"Content-Type: text/plain\n\nIn 1998\n")
    with pytest.raises(EpochalError, match="nested too deeply"):
        list(read(path, strict=True))


def test_json_whose_last_name_of_very_many_is_given_twice():
    names = ",".join(f'"{number}":1' for number in range(60_000))
    with pytest.raises(ProblemError, match="'59999' twice"):
        read_json(f'{{{names},"59999":2}}'.encode())


def test_pipes_devices_and_links_that_lead_nowhere_in_a_folder(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "zero.md").symlink_to("/dev/zero")
    (tmp_path / "gone.md").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "self.md").symlink_to("self.md")
    (tmp_path / "a.md").write_text("Rain fell in 1998.")
    reading = read(tmp_path)
    assert reading.bytes_total == len("Rain fell in 1998.")
    assert [document.id for document in reading] == ["a.md"]
    assert sorted(Path(problem.file).name for problem in reading.problems) == ["gone.md", "self.md"]


@pytest.mark.parametrize("ending", ["jsonl", "csv", "mbox", "md"])
def test_a_file_that_is_removed_while_it_is_read(tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    row = {"jsonl": '{"id": "%d", "text": "rain"}\n', "csv": "%d,rain\n", "mbox": "From %d\n\nrain\n\n", "md": "%d "}
    head = "id,text\n" if ending == "csv" else ""
    path.write_text(head + "".join(row[ending] % number for number in range(30)))
    reading = read(path)
    documents = []
    for document in reading:
        path.unlink(missing_ok=True)
        documents.append(document)
    assert len(documents) == (1 if ending == "md" else 30)


@pytest.mark.parametrize("number", ["9" * 400, "-" + "9" * 400, "1e400", "1e300", "9" * 25])
def test_a_date_that_is_a_number_beyond_measure(tmp_path, number):
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"id": "a", "text": "rain", "published": {number}}}\n')
    reading = read(path)
    assert [(document.id, document.published) for document in reading] == [("a", None)]
    assert all(len(str(note)) < 400 for note in reading.notes)
