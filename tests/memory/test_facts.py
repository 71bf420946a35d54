"""Facts that a model reads from turns: cited, linked by time, and forgotten with their turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from epochal.errors import EpochalError
from epochal.memory import Memory
from epochal.memory.facts import learn_facts
from scripted_chats import Scripted

pytest.importorskip("pydantic", reason="needs the extra llm")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory", encoder="static") as memory:
        memory.remember("I live in Porto.", at="2023-05-08", speaker="Ana", session="s1", id="a1")
        memory.remember("Nice weather.", at="2023-05-08", speaker="Ben", session="s1", id="a2")
        memory.remember("I moved to Oslo in June.", at="2023-07-01", speaker="Ana", session="s2", id="b1")
        yield memory


def fact(value: str, *turns: int, **fields: Any) -> dict[str, Any]:
    return {"subject": "Ana", "attribute": "home", "value": value, "turns": turns, **fields}


def reply(*facts: dict[str, Any]) -> str:
    return json.dumps({"facts": facts})


def test_the_later_fact_corrects_the_earlier_one(memory: Memory) -> None:
    chat = Scripted([reply(fact("Porto", 1)), reply(fact("Oslo", 1, since="2023-06"))])
    learned = learn_facts(memory, chat, batch=2)
    assert learned.dropped == ()
    sent = chat.asked[0][0][1].content
    assert '<turn number="1" date="2023-05-08" speaker="Ana">' in sent
    porto, oslo = memory.history("Ana/home")
    assert (porto.text, porto.superseded_by) == ("Ana home: Porto", oslo.id)
    assert (oslo.turn.extra["turns"], oslo.turn.happened.edtf()) == (["b1"], "2023-06/..")
    recalled = memory.recall("Where is Ana's home?", now="2023-08-01")
    assert [item.id for item in recalled][:2] == [oslo.id, porto.id]
    assert memory.recall("Where is Ana's home?", now="2023-08-01", as_of="2023-05-20")[0].id in (porto.id, "a1")


def test_facts_that_come_out_of_order_are_linked_by_time(memory: Memory) -> None:
    learn_facts(memory, Scripted([reply(fact("Oslo", 1, since="2023-06"))]), session="s2")
    learn_facts(memory, Scripted([reply(fact("Porto", 1))]), session="s1")
    assert [item.turn.text.split()[-1] for item in memory.history("Ana/home") if not item.superseded_by] == ["Oslo"]


def test_learning_again_changes_nothing(memory: Memory) -> None:
    replies = [reply(fact("Porto", 1), fact("Oslo", 3, since="2023-06"))]
    first = learn_facts(memory, Scripted(replies))
    before = list(memory)
    assert learn_facts(memory, Scripted(replies)).ids == first.ids
    assert list(memory) == before


def test_what_cites_nothing_is_left_out(memory: Memory) -> None:
    facts = (fact("Rome", 9), fact("Paris"), fact("Lima", 1, since="soonish"), fact(" ", 1))
    learned = learn_facts(memory, Scripted([reply(*facts)]))
    assert learned.ids == ()
    assert len(learned.dropped) == 4
    assert len(memory) == 3


def test_facts_are_forgotten_with_their_turns(memory: Memory) -> None:
    learn_facts(memory, Scripted([reply(fact("Porto", 1), fact("Oslo", 3))]))
    assert memory.forget("a1") == 2
    assert {turn.text for turn in memory} == {"Nice weather.", "I moved to Oslo in June.", "Ana home: Oslo"}


def test_mistakes_are_named(memory: Memory) -> None:
    with pytest.raises(EpochalError, match="llm must have a name"):
        learn_facts(memory, object())  # type: ignore[arg-type]
    with pytest.raises(EpochalError, match="batch must be"):
        learn_facts(memory, Scripted([]), batch=0)
