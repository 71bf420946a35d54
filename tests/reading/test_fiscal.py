"""Fiscal years by a setting, in texts, questions, commands and indexes."""

from __future__ import annotations

import json

import pytest

import epochal
from epochal.cli import main
from epochal.errors import EpochalError
from epochal.reading import tag
from epochal.reading.fiscal import FISCAL_VARIABLE, read_fiscal_setting, use_fiscal_calendar
from epochal.times import Span

NOW = Span.parse("2024-02-15")


def read(text: str, setting: str | int | None) -> list[str | None]:
    return [item.span and item.span.edtf() for item in tag(text, now=NOW, fiscal_year_start=setting)]


@pytest.mark.parametrize(
    ("text", "setting", "wanted"),
    [
        ("Sales rose in FY24.", "us-federal", "2023-10/2024-09"),
        ("Sales rose in FY24.", "uk", "2023-04/2024-03"),
        ("Sales rose in FY2023.", "japan", "2023-04/2024-03"),
        ("Sales rose in FY2023/24.", "uk", "2023-04/2024-03"),
        ("Q3 FY24 was weak.", 10, "2024-04/2024-06"),
        ("It fell in 3QFY24.", 10, "2024-04/2024-06"),
        ("It fell in H1 FY2024.", 7, "2023-07/2023-12"),
        ("Fiscal 2023 was good.", 10, "2022-10/2023-09"),
        ("It rose in the third quarter of fiscal 2023.", 10, "2023-04/2023-06"),
        ("It rose in the second fiscal quarter.", 10, "2024-01/2024-03"),
        ("It rose this fiscal year.", 4, "2023-04/2024-03"),
        ("It rose last fiscal year.", 10, "2022-10/2023-09"),
        ("It rose last financial year.", 10, "2022-10/2023-09"),
        ("It rose in the financial year 2023.", "uk", "2022-04/2023-03"),
        ("Creció en el año fiscal 2008.", 10, "2007-10/2008-09"),
        ("Es stieg im Geschäftsjahr 2023.", 10, "2022-10/2023-09"),
    ],
)
def test_fiscal_years_and_their_parts_begin_where_the_setting_says(text: str, setting: str | int, wanted: str) -> None:
    assert read(text, setting) == [wanted]


@pytest.mark.parametrize("text", ["Sales rose in FY24.", "Q3 FY24 was weak.", "It rose in the second fiscal quarter."])
def test_without_a_setting_a_fiscal_year_is_the_calendar_year(text: str) -> None:
    assert read(text, None) == read(text, 1)


def test_calendar_years_and_quarters_stay_where_they_are() -> None:
    assert read("In 2023, and in the second quarter of 2021.", 10) == ["2023", "2021-34"]


def test_questions_and_the_environment_follow_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    question = "What did we earn in Q2 FY24?"
    asked = epochal.understand(question, now="2024-02-15", fiscal_year_start=10)
    assert [one.span.edtf() for one in asked.constraints] == ["2024-01/2024-03"]
    monkeypatch.setenv(FISCAL_VARIABLE, "10")
    assert [one.span.edtf() for one in epochal.understand(question, now="2024-02-15").constraints] == [
        "2024-01/2024-03"
    ]
    with use_fiscal_calendar("calendar"):
        assert read("FY24", None) == ["2024"]


def test_an_index_reads_documents_and_questions_by_its_setting(tmp_path) -> None:
    with epochal.Index.create(tmp_path / "index", encoder=None, fiscal_year_start=10) as index:
        index.add([epochal.Document("a", "Profits doubled in Q1 FY24."), epochal.Document("b", "Profits fell.")])
        response = index.search("What became of profits in November 2023?", now="2024-02-15")
        assert response[0].id == "a"
        assert [time.span.edtf() for time in response[0].times if "FY24" in (time.text or "")] == ["2023-10/2023-12"]


def test_the_commands_take_the_setting(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.txt"
    file.write_text("Sales rose in FY24.", encoding="utf-8")
    assert main(["tag", str(file), "--fiscal-year-start", "uk"]) == 0
    assert json.loads(capsys.readouterr().out)["span"] == "2023-04/2024-03"
    assert main(["understand", "sales in FY24", "--now", "2024-02-15", "--fiscal-year-start", "uk", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["constraints"][0]["span"] == "2023-04/2024-03"


def test_a_setting_that_is_no_month_is_refused() -> None:
    with pytest.raises(EpochalError, match="accepted: a month from 1 to 12"):
        read_fiscal_setting("13")
