"""The MCP server, asked by the client of the package mcp: over stdio as an assistant does, and in memory."""

from __future__ import annotations

import json
import os
import sys

import anyio
import pytest
from mcp import Client, ClientSession, StdioServerParameters, stdio_client

from epochal import Document, Index, Span
from epochal.integrations.mcp import INSTRUCTIONS, make_server
from epochal.times import FixedClock

NOW = "2026-03-28"
TOOLS = ["search", "explain", "understand", "when", "coverage", "document"]


@pytest.fixture
def call(index):
    """Calls a tool of a server in this process; its structured answer, or the error as a text."""
    server = make_server(index, now=Span.parse(NOW))

    def called(tool: str, **arguments: object) -> dict | str:
        async def once():
            async with Client(server) as client:
                return await client.call_tool(tool, arguments)

        result = anyio.run(once)
        if result.is_error:
            return result.content[0].text
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content

    return called


# ---------------------------------------------------------------- over stdio


def test_a_client_session_over_stdio(folder):
    arguments = ["-m", "epochal", "mcp", str(folder), "--now", NOW]
    command = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))

    async def session() -> None:
        async with stdio_client(command) as streams, ClientSession(*streams) as client:
            greeting = await client.initialize()
            assert greeting.server_info.name == "epochal"
            assert greeting.instructions == INSTRUCTIONS
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            query = {"question": "What did the bank do to its rate in 2003?", "k": 1}
            result = (await client.call_tool("search", query)).structured_content
            assert (result["now"], result["outcome"]) == (NOW, "recorded")
            assert [hit["id"] for hit in result["hits"]] == ["rate-2003"]
            wrong = await client.call_tool("document", {"id": "nobody"})
            assert wrong.is_error
            assert "no document has the id 'nobody'" in wrong.content[0].text
            again = (await client.call_tool("document", {"id": "rate-2003"})).structured_content
            assert again["text"] == "The bank cut its rate to 2 percent last month."

    anyio.run(session)


# ---------------------------------------------------------------- the tools


def test_every_tool_says_that_it_only_reads_and_what_its_arguments_are(index):
    async def listed():
        async with Client(make_server(index)) as client:
            return (await client.list_tools()).tools

    for tool in anyio.run(listed):
        assert tool.title
        assert tool.description
        assert tool.annotations.read_only_hint
        assert not tool.annotations.destructive_hint
        assert not tool.annotations.open_world_hint
        assert all(item["description"] for item in tool.input_schema["properties"].values()), tool.name


def test_search_tells_what_it_did(call):
    result = call("search", question="bank rate", during="2008", strict=True)
    assert [hit["id"] for hit in result["hits"]] == ["rate-2008"]
    assert result["hidden"]["undated"] == 1
    (hit,) = result["hits"]
    assert (hit["published"], hit["times"][0]["time"], hit["times"][0]["text"]) == (
        *("2008-10-30", "2008-10"),
        "October 2008",
    )


def test_search_takes_times_in_words_and_counts_from_the_present(call):
    question = "What did the bank do to its rate?"
    assert call("search", question=question, during="October 2008", k=1)["hits"][0]["id"] == "rate-2008"
    assert call("search", question=question, during="last year", now="2009", k=1)["hits"][0]["id"] == "rate-2008"
    assert call("search", question="bank rate last year", now="2004-01-01", k=1)["hits"][0]["id"] == "rate-2003"


def test_search_as_of_and_silence(call):
    assert call("search", question="What does a transfer abroad cost?", as_of="2005", k=1)["hits"][0]["id"] == "fees-1"
    silent = call("search", question="What did the bank do to its rate in 1850?")
    assert (silent["outcome"], silent["meaning"]) == ("not_covered", "the collection has no records of that time")


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("search", {"question": "bank", "during": "soonish"}, "during: 'soonish' is not a time"),
        ("search", {"question": "  "}, "a question must be a text that is not empty"),
        ("search", {"question": "bank", "k": 51}, "less than or equal to 50"),
        ("search", {}, "question"),
        ("explain", {"question": "bank", "id": "nobody"}, "no document has the id 'nobody'"),
        ("when", {"expression": "soonish"}, "'soonish' is not a time"),
        ("when", {"expression": "1998", "calendar": "klingon"}, "klingon"),
        ("coverage", {"span": "soonish"}, "span: 'soonish' is not a time"),
        ("document", {"id": "nobody"}, "no document has the id 'nobody'"),
    ],
)
def test_a_mistake_is_said_and_the_server_goes_on(call, tool, arguments, message):
    assert message in call(tool, **arguments)
    assert call("document", id="rate-2003")["id"] == "rate-2003"


def test_explain_says_where_and_why(call):
    message = call("explain", question="What did the bank do to its rate in 2003?", id="rate-2003")
    assert message["rank"] == 1
    assert sum(message["parts"].values()) == pytest.approx(message["hit"]["score"], abs=1e-3)
    assert message["parts"]["alignment"] > 0


def test_explain_says_why_not(call):
    behind = call("explain", question="What does a transfer abroad cost?", id="fees-1")
    assert (behind["rank"], behind["behind"]) == (None, "fees-2")
    out = call("explain", question="bank rate", id="rate-note", during="2008", strict=True)
    assert (out["rank"], out["hidden"]["undated"]) == (None, 1)
    assert "left out" in out["why"]


def test_understand_and_when(call):
    message = call("understand", question="How have fees changed since 2017?")
    assert message["periods"][0]["start"] == Span.year(2017).start
    (reading,) = call("when", expression="Meiji 10")["readings"]
    assert (reading["edtf"], reading["calendar"], reading["in"]["gregorian"]) == ("1877", "nengo", "1877")
    assert call("when", expression="last year")["readings"][0]["edtf"] == "2025"


def test_coverage_is_a_histogram(call):
    message = call("coverage")
    assert message["documents"] == 8
    assert (message["first"], message["last"]) == (message["periods"][0]["period"], message["periods"][-1]["period"])
    assert sum(item["documents"] for item in message["periods"]) == 7
    assert len(call("coverage", most=2)["periods"]) <= 2
    within = call("coverage", span="2000/2009")["periods"]
    assert sum(item["documents"] for item in within) == 4


def test_a_document_is_read_in_pieces(call, index):
    first = call("document", id="long", length=100)
    rest = call("document", id="long", start=100, length=50_000)
    assert (first["more"], rest["more"]) == (True, False)
    assert first["text"] + rest["text"] == index.get("long").text
    assert (first["published"], first["characters"], first["series"]) == (
        "1977-06-01",
        len(index.get("long").text),
        None,
    )
    assert call("document", id="fees-1")["series"] == "fees"


def test_without_a_present_it_is_the_clocks(index):
    server = make_server(index, clock=FixedClock(Span.parse("2009-03-01")))

    async def asked():
        async with Client(server) as client:
            return (await client.call_tool("search", {"question": "bank rate last year"})).structured_content

    result = anyio.run(asked)
    assert (result["now"], result["hits"][0]["id"]) == ("2009-03-01", "rate-2008")


def test_questions_at_once_get_their_own_answers(index):
    years = (1998, 2003, 2008) * 5
    answers: dict[int, str] = {}

    async def asked() -> None:
        async with Client(make_server(index)) as client, anyio.create_task_group() as tasks:

            async def one(position: int, year: int) -> None:
                arguments = {"question": f"What did the bank do to its rate in {year}?", "k": 1}
                answers[position] = (await client.call_tool("search", arguments)).structured_content["hits"][0]["id"]

            for position, year in enumerate(years):
                tasks.start_soon(one, position, year)

    anyio.run(asked)
    assert [answers[position] for position in range(len(years))] == [f"rate-{year}" for year in years]


def test_documents_that_are_added_meanwhile_are_found(tmp_path):
    place = tmp_path / "growing"
    with Index.create(place, encoder=None) as writer, Index.open(place) as reader:
        server = make_server(reader)

        async def asked():
            async with Client(server) as client:
                before = (await client.call_tool("search", {"question": "rain"})).structured_content["hits"]
                writer.add([Document("a", "Rain fell in 1998.")])
                after = (await client.call_tool("search", {"question": "rain"})).structured_content["hits"]
                return len(before), len(after)

        assert anyio.run(asked) == (0, 1)


# ---------------------------------------------------------------- what documents say is data


def test_orders_in_a_document_come_back_in_the_fields_of_documents_alone(call, order, places_of):
    query = "What did the bank write in March 2012?"
    result = call("search", question=query)
    assert result["hits"][0]["id"] == "orders"
    quoted = {"hits[].times[].context", "hits[].times[].text"}
    assert places_of(result, order) - quoted == {"hits[].title", "hits[].passage"}
    explained = places_of(call("explain", question=query, id="orders"), order)
    assert explained - {"hit.times[].context", "hit.times[].text"} == {"hit.title", "hit.passage"}
    assert places_of(call("document", id="orders"), order) == {"title", "text", "meta.note"}


def test_orders_change_neither_the_tools_nor_the_shape_of_an_answer(tmp_path, order):
    shapes = []
    for text in ("In March 2012 the bank wrote a letter.", f"In March 2012 the bank wrote: {order}"):
        with Index.create(tmp_path / str(len(shapes)), encoder=None) as index:
            index.add([Document("a", text), Document("b", "In March 2013 the bank was silent.")])

            async def seen(index=index):
                async with Client(make_server(index, now=Span.parse(NOW))) as client:
                    tools = (await client.list_tools()).model_dump()
                    result = await client.call_tool("search", {"question": "What did the bank write in March 2012?"})
                    account = {key: value for key, value in result.structured_content.items() if key != "hits"}
                    hits = [(hit["id"], sorted(hit)) for hit in result.structured_content["hits"]]
                    return tools["tools"], account, hits

            shapes.append(anyio.run(seen))
    assert shapes[0] == shapes[1]
