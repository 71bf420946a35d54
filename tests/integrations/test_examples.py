"""Every example runs as it stands, on the corpus of the demo, and shows what it says."""

from __future__ import annotations

import runpy

import pytest
from llama_index.core import Settings

from paths import ROOT

EXAMPLES = ROOT / "examples"
DYLAN = "American singer-songwriter Bob Dylan wins the Nobel Prize in Literature."
#: For each example, lines that it must print, in this order.
SHOWN = {
    "langchain_retriever": [
        f"[1: 2016-10-13-1, 2016-10-13] {DYLAN}",
        "Question: Who won the Nobel Prize in Literature in 2016?",
        "known by 2012: 2005-04-19, ",
        "known by 2020: 2013-03-13, ",
    ],
    "llamaindex_retriever": [
        DYLAN,
        "Who is sworn in as chancellor? Merkel is sworn in as chancellor.",
        "Who is sworn in as chancellor in 1998? Schröder is sworn in as chancellor.",
    ],
    "haystack_pipeline": [
        f"[2016-10-13-1, 2016-10-13] {DYLAN}",
        "Say that nothing of that time is recorded (not_covered).",
        "Question: Who won the Nobel Prize in Literature in 1850?",
    ],
    "beir_search": [
        f"literature, with time: 2016-10-13-1 {DYLAN}",
        "physics, with time: 2025-10-07-2 ",
        "literature, without: ",
        "physics, without: ",
    ],
    "mcp_client": [
        "tools: search, explain, understand, when, coverage, document",
        f"recorded 2016-10-13 {DYLAN}",
        "{'2010': ",
        "not_covered - the collection has no records of that time",
    ],
}


def test_every_example_is_run():
    # The chat is typed into, in the tests of the memory.
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*SHOWN, "chat_memory"}


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_runs(name, monkeypatch, capfd):
    monkeypatch.setattr(Settings, "_llm", None)  # one of them sets it
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    printed = capfd.readouterr().out.splitlines()
    for line in SHOWN[name]:
        positions = [position for position, row in enumerate(printed) if row.startswith(line)]
        assert positions, f"{name} does not print {line!r} after that:\n" + "\n".join(printed)
        printed = printed[positions[0] + 1 :]
