"""Every surface has every search option, or the declaration says why it is left out there."""

from __future__ import annotations

import argparse
import inspect
from typing import Any

import pytest

from epochal import Index
from epochal.cli import search
from epochal.search.request import ALIASES, OPTIONS, SURFACES, SearchArguments, list_options


def test_what_is_left_out_has_a_reason_and_a_surface_that_exists() -> None:
    for name, option in OPTIONS.items():
        assert option.left_out.keys() <= set(SURFACES), name
        assert all(reason.strip() for reason in option.left_out.values()), name
        assert option.help
        assert not option.help.endswith(".")


def test_the_arguments_of_search_are_the_options() -> None:
    assert list(SearchArguments.__annotations__) == [*OPTIONS, *ALIASES] == [*list_options("python"), *ALIASES]


@pytest.mark.parametrize(
    ("add", "surface"),
    [(search.add_search, "search"), (search.add_run, "run"), (search.add_answer, "answer")],
)
def test_commands(add: Any, surface: Any) -> None:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    add(commands)
    (made,) = commands.choices.values()
    actions = {action.dest: action for action in made._actions}
    assert [name for name in OPTIONS if name in actions] == list_options(surface)
    for name in list_options(surface):
        assert search.spell_flag(name) in actions[name].option_strings


def test_the_service() -> None:
    pytest.importorskip("fastapi")
    from epochal.server.document_schemas import AnswerBody
    from epochal.server.search_schemas import SearchBody, SearchQuery

    for model, surface in ((SearchQuery, "service"), (SearchBody, "service"), (AnswerBody, "answer")):
        assert [name for name in OPTIONS if name in model.model_fields] == list_options(surface)
        for name in list_options(surface):
            assert model.model_fields[name].description


def test_mcp() -> None:
    pytest.importorskip("mcp")
    from epochal.integrations.mcp import Tools

    own = {"self", "question", "id"}
    assert [name for name in inspect.signature(Tools.search).parameters if name not in own] == list_options("mcp")
    explained = [name for name in inspect.signature(Tools.explain).parameters if name not in own]
    assert explained == [name for name in list_options("mcp") if name != "k"]  # it looks for one document


def test_retrievers(tmp_path: Any) -> None:
    from epochal.integrations.common import check_search_kwargs, search_index

    values: dict[str, Any] = {
        **{name: "1998" for name, option in OPTIONS.items() if option.kind == "time"},
        **{name: 5 for name, option in OPTIONS.items() if option.kind == "number"},
        **{name: True for name, option in OPTIONS.items() if option.kind == "flag"},
        **{"relation": "overlaps", "undated": "exclude", "scorer": "gate", "sort": "newest", "min_relevance": 0.1},
        "where": {"lang": "en"},
        "after": "1990",
    }
    assert set(values) == set(OPTIONS) == set(list_options("retrievers"))
    assert check_search_kwargs(values) == values
    with Index.create(tmp_path, encoder="static") as index:
        for name in ("dims", "shortlist", "before", "after"):
            del values[name]
        assert len(search_index(index, "tariffs", values)) == 0
