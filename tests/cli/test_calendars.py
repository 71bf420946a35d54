"""`epochal calendars`: the list, and the check of a table."""

import json

import pytest

from epochal.cli import main
from epochal.times.calendars import calendars
from otto_table import TABLE

KEYS = ["name", "title", "range", "example"]


def show(capsys, *arguments: str) -> str:
    assert main(["calendars", *arguments]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    return output.out


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TABLE, encoding="utf-8")
    return str(path)


def test_the_list(capsys):
    lines = show(capsys).splitlines()
    assert lines[0].split(maxsplit=1) == ["gregorian", "Gregorian (proleptic before 1582)"]
    text = "\n".join(lines)
    assert "722 BCE to 468 BCE; as in '魯哀公二十七年十二月'" in text
    assert "'昭和四十五年一月一日'" in text
    assert "'18 Elizabeth II'" in text
    count = sum(name.startswith("civil/") for name in calendars())
    assert lines[-1] == f"and {count} civil calendars of places, Julian and then Gregorian: epochal calendars --places"
    assert not any(line.startswith("civil/") for line in lines)
    assert len(lines) == 2 * (len(calendars()) - count) + 1


def test_the_list_with_places(capsys):
    lines = show(capsys, "--places").splitlines()
    assert len(lines) == 2 * len(calendars())
    assert any(line.startswith("civil/great-britain") for line in lines)


def test_json(capsys):
    records = json.loads(show(capsys, "--json"))
    assert all(list(record) == KEYS for record in records)
    assert [record["name"] for record in records] == [name for name in calendars() if not name.startswith("civil/")]
    assert [record["name"] for record in json.loads(show(capsys, "--places", "--json"))] == list(calendars())


def test_examples_are_dates_of_their_calendar(capsys):
    for record in json.loads(show(capsys, "--places", "--json")):
        assert calendars()[record["name"]].parse(record["example"]), record


def test_a_sound_table(capsys, table):
    assert show(capsys, "--check", table) == (
        "mine  My kings\n      936 CE to 973 CE; as in '38 Otto I, month 12, day 31'\n"
    )
    assert "mine" not in calendars()


def test_a_sound_table_in_json(capsys, table):
    assert json.loads(show(capsys, "--check", table, "--json")) == [
        {"name": "mine", "title": "My kings", "range": "936 CE to 973 CE", "example": "38 Otto I, month 12, day 31"}
    ]


@pytest.mark.parametrize("name", ["lu.toml", "chinese.toml", "nengo.toml", "british.toml"])
def test_bundled_tables_are_sound(name, capsys):
    assert show(capsys, "--check", name).startswith(name.removesuffix(".toml"))


def test_a_mistake_names_its_line(capsys, table):
    with open(table, "a", encoding="utf-8") as file:
        file.write("lasts = 3\n")
    assert main(["calendars", "--check", table]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"epochal: {table}, line 10: [[reign]] has an unknown key 'lasts'; accepted: ")
