"""The functions at the top of the package: open, tag, understand."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

import epochal
from epochal.errors import EpochalError, StorageError
from epochal.reading.questions.understand import understand
from epochal.reading.tagger import tag


def test_open_creates_then_opens(tmp_path: Path) -> None:
    folder = tmp_path / "news"
    with epochal.open(folder, encoder="static") as index:
        assert index.add([epochal.Document("a", "Tariffs rose in May 1998.")]) == 1
    with epochal.open(folder) as index:  # keeps the encoder that it was created with
        assert (index.encoder_name, len(index)) == ("static", 1)
        assert index.add([epochal.Document("b", "Tariffs fell in 2003.")]) == 1
        with epochal.open(folder) as reader:  # beside the writer
            assert reader.search("tariffs in 2003")[0].id == "b"
            with pytest.raises(StorageError):
                epochal.open(folder, write=True)


def test_open_takes_a_custom_encoder_again(tmp_path: Path) -> None:
    encoder = epochal.open(tmp_path / "named", encoder="static").encoder
    assert encoder is not None
    epochal.open(tmp_path / "own", encoder).close()
    with pytest.raises(StorageError, match="open it with that encoder"):
        epochal.open(tmp_path / "own")
    with epochal.open(tmp_path / "own", encoder) as index:
        assert index.encoder is encoder


@pytest.mark.parametrize("now", ["1998-06-05", dt.date(1998, 6, 5), epochal.Span.parse("1998-06-05")])
def test_tag_and_understand_take_any_time(now: epochal.Span | dt.date | str) -> None:
    span = epochal.Span.parse("1998-06-05")
    text = "The fee was raised last month."
    assert epochal.tag(text, now=now) == tag(text, span) != tag(text)
    assert epochal.understand(text, now) == understand(text, span)
    with pytest.raises(EpochalError, match="now"):
        epochal.tag(text, now="soonish")


@pytest.mark.parametrize(("made", "given"), [("static", "minilm"), ("static", None), (None, "static")])
def test_another_encoder_than_that_of_the_index_is_refused(tmp_path: Path, made: str | None, given: str | None) -> None:
    epochal.open(tmp_path / "db", encoder=made).close()
    with pytest.raises(StorageError, match=f"made with the encoder {made!r}, not {given!r}"):
        epochal.open(tmp_path / "db", encoder=given)
    with epochal.open(tmp_path / "db", encoder=made) as same, epochal.open(tmp_path / "db") as own:
        assert same.encoder_name == own.encoder_name == (made or "")
