"""`epochal when`: text and JSON."""

import json

import pytest

from epochal.cli import main
from epochal.times.calendars import calendars
from otto_table import TABLE

READING_KEYS = [
    "calendar",
    "text",
    "words",
    "edtf",
    "start",
    "end",
    "first_day",
    "last_day",
    "first_year",
    "last_year",
    "grain",
    "end_grain",
    "certainty",
    "end_certainty",
    "distance",
    "date",
    "ordinal",
    "in",
]
DATE_KEYS = ["era", "year", "season", "month", "leap", "day", "sexagenary"]


def show(capsys, *arguments: str) -> str:
    assert main(["when", *arguments, "--now", "2026-11-15"]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    return output.out


def record(capsys, *arguments: str) -> dict:
    return json.loads(show(capsys, *arguments, "--json"))


def test_a_month_of_the_annals(capsys):
    assert show(capsys, "魯隱公元年十二月", "--to", "lu", "--to", "gregorian", "--to", "julian") == (
        "魯隱公元年十二月  [lu]\n"
        "  EDTF       -0721-12~\n"
        "  days       -0721-12-01 to -0721-12-31 (31 days)\n"
        "  grain      month, approximate\n"
        "  key        1-1-12 (place 11 on the ordinal axis)\n"
        "  distance   2,746 years ago\n"
        "  gregorian  December 722 BCE\n"
        "  julian     from December 722 BCE (Julian) to January 721 BCE (Julian)\n"
    )


def test_a_day(capsys):
    assert show(capsys, "隱公三年二月己巳", "--to", "julian") == (
        "魯隱公三年二月己巳  [lu]\n"
        "  EDTF      -0719-02-14~\n"
        "  days      -0719-02-14\n"
        "  grain     day, approximate\n"
        "  key       1-3-2 (place 25 on the ordinal axis)\n"
        "  distance  2,745 years ago\n"
        "  julian    22 February 720 BCE (Julian)\n"
    )


def test_ends_of_two_grains_and_certainties(capsys):
    output = show(capsys, "1984~/2004-06", "--to", "nengo")
    assert output == (
        "from about 1984 to June 2004\n"
        "  EDTF      1984~/2004-06\n"
        "  days      1984-01-01 to 2004-06-30 (7,487 days)\n"
        "  grain     year to month, approximate to certain\n"
        "  distance  22 years ago\n"
        "  nengo     from 昭和五十九年一月一日 to 平成十六年六月三十日\n"
    )


def test_an_open_end(capsys):
    output = show(capsys, "1985/..", "--to", "nengo").splitlines()
    assert output[2] == "  days      1985-01-01 to .."
    assert output[-1] == "  nengo     from 昭和六十年 to ?"


def test_several_readings_are_set_apart(capsys):
    output = show(capsys, "永和元年", "--to", "gregorian")
    assert [block.splitlines()[0] for block in output.split("\n\n")] == [
        "東漢永和元年  [chinese]",
        "東晉永和元年  [chinese]",
        "後秦永和元年  [chinese]",
        "閩永和元年  [chinese]",
        "永和元年  [nengo]",
    ]


def test_all_calendars_but_those_of_places_unless_named(capsys):
    output = show(capsys, "1998-03-01")
    assert "  nengo " in output
    assert "civil/" not in output
    assert "civil/soviet-russia" in show(capsys, "1998-03-01", "--to", "civil/soviet-russia")


def test_one_calendar(capsys):
    assert show(capsys, "1752-09-02", "--calendar", "civil/great-britain", "--to", "gregorian").splitlines()[:2] == [
        "2 September 1752 (Great Britain)  [civil/great-britain]",
        "  EDTF       1752-09-13",
    ]


def test_a_year_before_our_era_is_no_option(capsys):
    output = record(capsys, "-0043-03-15", "--to", "julian")
    assert output["text"] == "-0043-03-15"
    assert output["readings"][0]["words"] == "15 March 44 BCE"


def test_relative_expressions(capsys):
    assert show(capsys, "last quarter", "--to", "gregorian").splitlines()[:2] == [
        "the third quarter of 2026",
        "  EDTF      2026-35",
    ]


def test_a_zone(capsys):
    assert record(capsys, "2004-06-11T10:00", "--tz", "Europe/Paris")["readings"][0]["edtf"] == "2004-06-11T08:00Z"
    assert record(capsys, "2004-06-11T10:00", "--tz", "utc")["readings"][0]["edtf"] == "2004-06-11T10:00Z"


def test_a_table_of_your_own(capsys, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TABLE, encoding="utf-8")
    assert show(capsys, "3 Otto I", "--table", str(path), "--to", "gregorian").splitlines()[0] == "3 Otto I  [mine]"
    assert "  mine      3 Otto I\n" in show(capsys, "938", "--table", str(path), "--to", "mine")
    assert "mine" not in calendars()


def test_without_now_the_clock_is_asked(capsys, monkeypatch):
    monkeypatch.setattr("time.time", lambda: 1_794_700_800.0)
    assert main(["when", "yesterday", "--to", "gregorian", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["now"] == "2026-11-15T00:00:00Z"
    assert output["readings"][0]["edtf"] == "2026-11-14"


# ---------------------------------------------------------------- JSON


@pytest.mark.parametrize(
    "text", ["魯隱公元年十二月", "44 BCE", "永和元年", "1985/..", "../1985", "5 Thermidor II", "[1667,1668]"]
)
def test_the_keys_of_json_are_stable(text, capsys):
    output = record(capsys, text)
    assert list(output) == ["text", "now", "readings"]
    assert (output["text"], output["now"]) == (text, "2026-11-15")
    for reading in output["readings"]:
        assert list(reading) == READING_KEYS
        if reading["date"] is not None:
            assert list(reading["date"]) == DATE_KEYS
        if reading["ordinal"] is not None:
            assert list(reading["ordinal"]) == ["key", "place"]
        for item in reading["in"].values():
            assert list(item) == ["first", "last"]


def test_json_of_a_month_of_the_annals(capsys):
    (reading,) = record(capsys, "魯隱公元年十二月", "--to", "lu", "--to", "gregorian")["readings"]
    assert reading == {
        "calendar": "lu",
        "text": "魯隱公元年十二月",
        "words": "about December 722 BCE",
        "edtf": "-0721-12~",
        "start": reading["start"],
        "end": reading["start"] + 31 * 86_400,
        "first_day": "-0721-12-01",
        "last_day": "-0721-12-31",
        "first_year": -721,
        "last_year": -721,
        "grain": "month",
        "end_grain": "month",
        "certainty": "approximate",
        "end_certainty": "approximate",
        "distance": "2,746 years ago",
        "date": {
            "era": "魯隱公", "year": 1, "season": None, "month": 12, "leap": False, "day": None, "sexagenary": None,
        },
        "ordinal": {"key": "1-1-12", "place": 11},
        "in": {
            "lu": {"first": ["魯隱公元年十二月"], "last": ["魯隱公元年十二月"]},
            "gregorian": {"first": ["December 722 BCE"], "last": ["December 722 BCE"]},
        },
    }  # fmt: skip


def test_json_of_open_ends(capsys):
    (reading,) = record(capsys, "1985/..")["readings"]
    assert (reading["start"], reading["end"]) == (473_385_600, None)
    assert (reading["first_day"], reading["last_day"]) == ("1985-01-01", None)
    assert (reading["first_year"], reading["last_year"]) == (1985, None)
    assert reading["in"]["nengo"] == {"first": ["昭和六十年"], "last": []}
    (reading,) = record(capsys, "../1985")["readings"]
    assert (reading["start"], reading["first_day"], reading["first_year"]) == (None, None, None)


@pytest.mark.parametrize(
    "text", ["隱公元年", "隱公元年春", "僖公三十三年正月", "哀公二十七年正月", "Meiji 10", "44 BCE"]
)
def test_no_ordinal_for_years_seasons_and_other_calendars(text, capsys):
    (reading,) = record(capsys, text)["readings"]
    assert reading["ordinal"] is None


def test_json_of_a_leap_month_and_of_a_named_day(capsys):
    (reading,) = record(capsys, "文公六年閏月")["readings"]
    assert (reading["date"]["month"], reading["date"]["leap"], reading["ordinal"]["key"]) == (12, True, "6-6-12")
    (reading,) = record(capsys, "隱公三年二月己巳")["readings"]
    assert (reading["date"]["sexagenary"], reading["date"]["day"]) == (6, None)


def test_json_holds_characters_as_they_are(capsys):
    assert "魯隱公" in show(capsys, "隱公元年", "--json")
