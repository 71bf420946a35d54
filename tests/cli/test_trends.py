"""`epochal trends`: topics over time as a table, as CSV, as JSON."""

import csv
import io
import json

import pytest


def test_a_table_has_a_line_for_each_period_with_documents(run, news):
    total = json.loads(run("search", news, "steel tariffs", "--json")[1])["total"]
    code, out, err = run("trends", news, "steel tariffs", "wibble")
    assert (code, err) == (0, "")
    head, *lines, whole = out.splitlines()
    assert head.split() == ["steel", "tariffs", "wibble"]
    assert lines[0].split() == ["1998", "1", "0"]
    assert whole.split() == ["at", "any", "time", str(total), "0"]
    assert sum(int(line.split()[1]) for line in lines) == total


def test_csv_and_json_have_the_same_counts(run, news):
    rows = list(csv.DictReader(io.StringIO(run("trends", news, "steel tariffs", "--csv", "--by", "month")[1])))
    (record,) = json.loads(run("trends", news, "steel tariffs", "--json", "--by", "month")[1])
    assert [int(row["count"]) for row in rows] == record["counts"]
    assert [row["period"] for row in rows] == record["periods"]
    assert (record["total"], record["counted"]) == (sum(record["counts"]), "relevance")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--by", "wibble"], "'wibble' is no unit"),
        (["--during", "soonish"], "--during"),
        (
            [
                "--where",
                "=",
            ],
            "--where",
        ),
    ],
)
def test_mistakes_are_one_line(complaint, news, options, words):
    assert words in complaint("trends", news, "steel", *options)
