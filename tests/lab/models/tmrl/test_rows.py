"""Training rows in their three forms, and what is said of those that cannot be read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from epochal.errors import EpochalError, InputError
from epochal.times import Allen
from epochal_lab.datasets.augment.rows import (
    RELATIONS,
    TemporalQuestion,
    TemporalRow,
    parse_row,
    read_rows,
    relation_name,
    to_row_values,
    write_rows,
)

QUESTION = TemporalQuestion("Who left in 1998?", ("1998",), "Explicit", "Equals")
ROW = TemporalRow("p1", "Ann left in 1998.", ("1998",), (QUESTION,), (TemporalQuestion("Who sat?"),))


def written(folder: Path, *rows: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_every_relation_of_the_algebra_has_a_name():
    assert {relation_name(relation) for relation in Allen} | {"Empty"} == set(RELATIONS)


def test_rows_come_back_as_they_were_written(tmp_path):
    rows = [ROW, TemporalRow("p2", "Ärger, 1998 and 2001.", ("1998", "2001"), (QUESTION,), ())]
    assert write_rows(tmp_path / "rows.jsonl", rows) == 2
    assert list(read_rows(tmp_path / "rows.jsonl")) == rows


def test_the_anchor_is_kept(tmp_path):
    question = TemporalQuestion("Who left in 1998?", ("1998",), "Explicit", "Equals", "1998")
    write_rows(tmp_path / "rows.jsonl", [TemporalRow("p1", "Ann.", (), (question,))])
    assert next(read_rows(tmp_path / "rows.jsonl")).positives == (question,)


def test_what_nobody_said_is_not_written():
    assert to_row_values(ROW)["negatives"] == [{"text": "Who sat?", "temporal": []}]


def test_published_rows_are_read(tmp_path):
    record = {"docid": 4, "text": "Who left in 1998?", "temporal": ["1998"], "temporal_query_type": "Explicit"}
    row = {
        "query_id": 7,
        "query": "Ann left in 1998.",
        "temporal": ["1998"],
        "positive_passages": [{**record, "allen_relation": "Equals"}],
        "negative_passages": [],
    }
    (matches,) = read_rows(written(tmp_path, row))
    assert matches == TemporalRow("7", "Ann left in 1998.", ("1998",), (QUESTION,), ())


def test_triples_are_read_with_their_lines_for_ids(tmp_path):
    row = {"question": "Ann left.", "positive_ctxs": [{"text": "Who left?"}], "negative_ctxs": [{"text": "Who sat?"}]}
    one, two = read_rows(written(tmp_path, row, row))
    assert (one.id, two.id) == ("1", "2")
    assert [question.text for question in one.questions] == ["Who left?", "Who sat?"]
    assert one.positives[0].type == one.positives[0].relation == ""


def test_gzipped_files_are_read(tmp_path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(to_row_values(ROW)).encode()))
    assert list(read_rows(path)) == [ROW]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1], "the row is a list"),
        ({"text": "Rain."}, "the row has the names 'text'; accepted: passage with positives"),
        ({"passage": "", "positives": []}, "'passage' is ''; accepted: the text of a passage"),
        ({"passage": "Rain.", "positives": {}}, "'positives' is {}; accepted: a list of questions"),
        ({"passage": "Rain.", "positives": ["Sun?"]}, r"positives\[0\] is 'Sun\?'; accepted: an object"),
        ({"passage": "Rain.", "positives": [{"text": 3}]}, r"'text' of positives\[0\] is 3"),
        ({"passage": "Rain.", "positives": [], "temporal": "1998"}, "'temporal' is '1998'; accepted: a list of texts"),
        ({"passage": "Rain.", "positives": [{"text": "Sun?", "type": "Odd"}]}, "'Odd'; accepted: Explicit, Implicit"),
        ({"passage": "Rain.", "positives": [{"text": "Sun?", "relation": "Near"}]}, "'Near'; accepted: Before"),
        ({"id": 1.5, "passage": "Rain.", "positives": []}, "'id' is 1.5; accepted: a text or a whole number"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(tmp_path, row, message):
    good = to_row_values(ROW)
    with pytest.raises(InputError, match=rf"rows\.jsonl, line 2: .*{message}"):
        list(read_rows(written(tmp_path, good, row)))


def test_an_id_that_comes_again_is_an_error(tmp_path):
    with pytest.raises(InputError, match="line 2: the id 'p1' is that of line 1 already"):
        list(read_rows(written(tmp_path, to_row_values(ROW), to_row_values(ROW))))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.jsonl: cannot be read"):
        list(read_rows(tmp_path / "none.jsonl"))


def test_a_question_of_an_unknown_type_cannot_be_made():
    with pytest.raises(EpochalError, match="'explicit'; accepted: Explicit"):
        TemporalQuestion("Who?", type="explicit")


def test_nothing_is_written_when_rows_fail_on_the_way(tmp_path):
    def failing():
        yield ROW
        raise EpochalError("no more")

    with pytest.raises(EpochalError, match="no more"):
        write_rows(tmp_path / "rows.jsonl", failing())
    assert list(tmp_path.iterdir()) == []


def test_a_row_takes_the_id_that_it_is_given():
    assert parse_row({"passage": "Rain.", "positives": []}, "x").id == "x"
