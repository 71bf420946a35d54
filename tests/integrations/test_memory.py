"""A memory where agents live: over MCP with its own client, in LangChain and in LlamaIndex."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from epochal import Span
from epochal.memory import Memory
from epochal.times import FixedClock

TODAY = Span.parse("2023-06-10")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory", encoder="static", clock=FixedClock(TODAY)) as memory:
        memory.remember("I ran a charity race yesterday.", at="2023-05-21", speaker="Ana", session="s1", id="a1")
        memory.remember("I painted the kitchen.", at="2023-05-21", speaker="Ben", session="s1", id="a2")
        yield memory


# ---------------------------------------------------------------- MCP


def call(server: Any, tool: str, **arguments: Any) -> Any:
    from mcp import Client

    async def once() -> Any:
        async with Client(server) as client:
            return await client.call_tool(tool, arguments)

    result = anyio.run(once)
    return result.content[0].text if result.is_error else result.structured_content


def test_tools_that_write_are_there_only_where_allowed(memory: Memory) -> None:
    pytest.importorskip("mcp")
    from mcp import Client

    from epochal.integrations.mcp_memory import make_memory_server

    async def names(*, writable: bool) -> list[str]:
        async with Client(make_memory_server(memory, writable=writable)) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert anyio.run(lambda: names(writable=False)) == ["recall", "timeline"]
    assert anyio.run(lambda: names(writable=True)) == ["recall", "timeline", "remember", "forget"]
    assert "Unknown tool" in call(make_memory_server(memory), "remember", text="x")
    assert len(memory) == 2


def test_an_assistant_remembers_recalls_and_forgets(memory: Memory) -> None:
    pytest.importorskip("mcp")
    from epochal.integrations.mcp_memory import make_memory_server

    server = make_memory_server(memory, writable=True, now=TODAY)
    recalled = call(server, "recall", question="When did Ana run a race?", k=1)
    assert [item["id"] for item in recalled["evidence"]] == ["a1"]

    assert "20 May 2023" in recalled["pack"]
    id = call(server, "remember", text="I moved to Porto last week.", speaker="Ana")["id"]
    events = call(server, "timeline", about="Ana")["events"]
    assert [(item["time"], item["turn"]["id"]) for item in events] == [("2023-05-20", "a1"), ("2023-W22", id)]
    assert call(server, "forget", ids=[id]) == {"forgotten": 1}
    assert "forget needs ids" in call(server, "forget")
    assert "a question must be a text" in call(server, "recall", question=" ")
    assert len(memory) == 2


def test_a_client_over_stdio_finds_what_it_stored(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    from mcp import ClientSession, StdioServerParameters, stdio_client

    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "epochal", "mcp", str(tmp_path / "m"), "--memory", "ana", "--writable", "--now", "2023-06-10"],
        env=dict(os.environ),
    )

    async def session() -> None:
        async with stdio_client(command) as streams, ClientSession(*streams) as client:
            await client.initialize()
            await client.call_tool("remember", {"text": "My sister visited me yesterday.", "at": "2023-06-09"})
            result = await client.call_tool("recall", {"question": "When did my sister visit?"})
            assert result.structured_content is not None
            assert result.structured_content["evidence"][0]["text"] == "My sister visited me yesterday."
            assert "8 June 2023" in result.structured_content["pack"]

    anyio.run(session)
    with Memory.open(tmp_path / "m", "ana") as memory:
        assert len(memory) == 1


# ---------------------------------------------------------------- LangChain


def test_langchain_remembers_messages_and_recalls_documents(memory: Memory) -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    from epochal.integrations.langchain_memory import EpochalMemory

    retriever = EpochalMemory(memory=memory, recall_kwargs={"k": 2})
    messages = [
        HumanMessage("My bicycle is red."),
        AIMessage("Noted!"),
        HumanMessage("Mine is blue.", name="Ben"),
        ToolMessage("42", tool_call_id="1"),
    ]
    assert len(retriever.add_messages(messages, session="s2")) == 3
    found = retriever.invoke("What colour is my bicycle?")
    assert found[0].page_content == "My bicycle is red."
    assert (found[0].metadata["speaker"], found[0].metadata["at"]) == ("user", "2023-06-10")
    assert len(found) == 2
    assert anyio.run(retriever.ainvoke, "What colour is my bicycle?")[0].id == found[0].id
    assert "My bicycle is red." in retriever.load_message("What colour is my bicycle?").text


# ---------------------------------------------------------------- LlamaIndex


def test_llamaindex_gets_evidence_and_the_newest_messages(memory: Memory) -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.base.llms.types import ChatMessage, MessageRole

    from epochal.integrations.llamaindex_memory import EpochalMemory

    chat = EpochalMemory.from_defaults(memory, session="s9", recent=2)
    for number, text in enumerate(("One.", "Two.", "Three.")):
        chat.put(ChatMessage(role=MessageRole.ASSISTANT if number % 2 else MessageRole.USER, content=text))
    chat.put(ChatMessage(role=MessageRole.SYSTEM, content="Be kind."))
    assert [message.content for message in chat.get_all()] == ["One.", "Two.", "Three."]
    evidence, *newest = chat.get("When did Ana run a race?")
    assert evidence.role == MessageRole.SYSTEM
    assert "20 May 2023" in evidence.content
    assert [(message.role, message.content) for message in newest] == [
        (MessageRole.ASSISTANT, "Two."),
        (MessageRole.USER, "Three."),
    ]
    chat.set([ChatMessage(role=MessageRole.USER, content="Anew.")])
    assert [message.content for message in chat.get()] == ["Anew."]
    chat.reset()
    chat.reset()
    assert chat.get_all() == []
    assert len(memory) == 2


# ---------------------------------------------------------------- LangGraph


def test_a_langgraph_store_keeps_items_by_namespace(memory: Memory) -> None:
    pytest.importorskip("langgraph.store.base")
    from epochal.integrations.langgraph import EpochalStore

    store = EpochalStore(memory)
    ana, ben = ("users", "ana"), ("users", "ben")
    store.put(ana, "home", {"text": "Ana lives in Porto.", "kind": "place"})
    store.put(ana, "race", {"text": "Ana ran a race yesterday.", "at": "2023-05-21", "kind": "event"})
    store.put(ben, "home", {"text": "Ben lives in Oslo.", "kind": "place", "rank": 3})
    first = store.get(ana, "home")
    assert first is not None
    assert first.value["text"] == "Ana lives in Porto."
    store.put(ana, "home", {"text": "Ana lives in Lisbon.", "kind": "place"})
    second = store.get(ana, "home")
    assert second is not None
    assert (second.value["text"], second.created_at) == ("Ana lives in Lisbon.", first.created_at)
    assert [item.key for item in store.search(ana, query="Who ran a race?", limit=1)] == ["race"]
    assert {(item.namespace, item.key) for item in store.search(("users",), filter={"kind": "place"})} == {
        (ana, "home"),
        (ben, "home"),
    }
    assert [item.namespace for item in store.search(("users",), filter={"rank": {"$gte": 2}})] == [ben]
    assert store.search(("nobody",), query="race") == []
    assert store.list_namespaces(prefix=("users",)) == [ana, ben]
    assert store.list_namespaces(suffix=("ben",)) == [ben]
    assert store.list_namespaces(max_depth=1) == [("users",)]
    store.delete(ana, "home")
    assert store.get(ana, "home") is None
    assert anyio.run(store.aget, ben, "home") == store.get(ben, "home")
    assert len(memory) == 2
