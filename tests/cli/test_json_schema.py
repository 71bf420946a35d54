"""What `--json` prints meets the schemas of the service, which the API reference shows."""

from __future__ import annotations

import json

import pytest


@pytest.mark.parametrize("question", ["steel tariffs", "steel tariffs in 1998", "When were steel tariffs raised?"])
def test_search_and_answer_print_what_the_schemas_say(run, news, question):
    pytest.importorskip("fastapi")
    from epochal.server.document_schemas import AnswerModel
    from epochal.server.search_schemas import SearchModel

    record = json.loads(run("search", news, question, "--json", "--now", "2004-01-01")[1])
    assert record["hits"][0]["times"]
    response = SearchModel.model_validate({**record, "generation": 1, "took_ms": 1.0}, strict=True)
    assert not response.model_extra
    assert not any(hit.model_extra for hit in response.hits)
    assert not any(time.model_extra for hit in response.hits for time in hit.times)
    answer = AnswerModel.model_validate(
        json.loads(run("answer", news, question, "--json", "--now", "2004-01-01")[1]), strict=True
    )
    assert set(answer.model_extra or {}) <= {"dropped"}
