"""Files that are made to freeze or to end an import: each is read in a time that grows with its length, or refused."""

from __future__ import annotations

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
