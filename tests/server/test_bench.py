"""Results of benchmarks over HTTP, from a folder that the runner wrote."""

from __future__ import annotations

import pytest

from epochal import Document, Span
from epochal.errors import EpochalError
from epochal_lab.datasets.folder import Manifest, write_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.metrics import parse_measure
from epochal_lab.runs.pages import BenchQuestion, BenchQuestions, BenchResult, BenchResults
from epochal_lab.runs.runner import Runner
from epochal_lab.runs.tasks import SetLoader, Task
from epochal_lab.systems.registry import make_system

YEARS = range(1990, 1996)
SYSTEMS = ("bm25", "epochal(encoder=none)")


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A folder of results, and the names of two of them: one whose set is on disk, and one whose set is gone."""
    place = tmp_path_factory.mktemp("bench")
    bench_set = BenchSet(
        "own/cup",
        tuple(Document(f"d{year}", f"Team {year % 3} won the cup.", published=Span.year(year)) for year in YEARS),
        tuple(BenchQuery(f"q/{year}", f"Who won the cup in {year}?", periods=(Span.year(year),)) for year in YEARS),
        {f"q/{year}": {f"d{year}": 1} for year in YEARS},
    )
    write_folder(place / "cup", bench_set, Manifest("own/cup"))
    runner = Runner(place / "out", (parse_measure("nDCG@10"), parse_measure("R@1")))
    here, gone = Task(str(place / "cup"), SYSTEMS[1]), Task("own/gone", SYSTEMS[0])
    runner.run(here, SetLoader().load(here), make_system(here.system))
    runner.run(gone, bench_set, make_system(gone.system))
    return str(place / "out"), here.slug, gone.slug


@pytest.fixture
def shown(measured, opened):
    return opened(reports=measured[0])


def test_all_results_in_means(shown, measured):
    result = shown.get("/api/v1/bench").json()
    BenchResults.model_validate(result)
    assert {row["name"] for row in result["results"]} == set(measured[1:])
    assert all(row["values"] and row["runs"] for row in result["results"])
    assert all(0 <= row["measures"]["R@1"] <= 1 for row in result["results"])
    assert shown.get("/api/v1/info").json()["bench"] is True


def test_one_result_with_its_values(shown, measured):
    result = shown.get(f"/api/v1/bench/{measured[1]}").json()
    BenchResult.model_validate(result)
    assert set(result["values"]["R@1"]) == {f"q/{year}" for year in YEARS}


def test_one_question_with_what_is_right_and_what_was_found(shown, measured):
    texts = shown.get(f"/api/v1/bench/{measured[1]}/questions").json()
    BenchQuestions.model_validate(texts)
    assert texts["questions"]["q/1991"] == "Who won the cup in 1991?"
    result = shown.get(f"/api/v1/bench/{measured[1]}/questions/q/1991", k=2).json()
    BenchQuestion.model_validate(result)
    assert [item["span"] for item in result["periods"]] == ["1991"]
    assert [(item["id"], item["rank"]) for item in result["relevant"]] == [("d1991", 1)]
    assert [item["rank"] for item in result["found"]] == [1, 2]
    assert (result["found"][0]["id"], result["found"][0]["relevant"]) == ("d1991", True)
    assert [time["span"] for time in result["found"][0]["times"]] == ["1991"]


def test_a_set_that_is_not_there_is_named(shown, measured):
    reply = shown.get(f"/api/v1/bench/{measured[2]}/questions")
    assert (reply.status, reply.json()["detail"]) == (404, "the files of the set 'own/gone' are not here")


@pytest.mark.parametrize("name", ["nothing", "..", "../results/x", "x/../..", "%2e%2e", ".", "a" * 200])
def test_no_name_leads_elsewhere(shown, name):
    for path in (f"/api/v1/bench/{name}", f"/api/v1/bench/{name}/questions", f"/api/v1/bench/{name}/questions/q1"):
        assert shown.get(path).status in (404, 422)


def test_the_page_of_results_and_its_files_are_served(shown):
    page = shown.get("/bench")
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert shown.get("/static/bench.js").status == 200


def test_unknown_questions(shown, measured):
    assert shown.get(f"/api/v1/bench/{measured[1]}/questions/nobody").kind == "not-found"


def test_without_results_there_are_none(client):
    assert client.get("/api/v1/bench").kind == "not-found"
    assert client.get("/api/v1/info").json()["bench"] is False


def test_a_folder_without_results_is_refused(opened, tmp_path):
    with pytest.raises(EpochalError, match="holds no folder results"):
        opened(reports=str(tmp_path))
