"""The component through Haystack's own interface: pipelines, async, writing and reading."""

from __future__ import annotations

import asyncio
import os

import pytest
from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder
from haystack.core.errors import DeserializationError
from haystack.telemetry import _telemetry

from epochal.errors import EpochalError, StorageError
from epochal.integrations.haystack import EpochalRetriever

ASKED = "What did the bank do to its rate in 2003?"


@pytest.fixture
def retriever(folder) -> EpochalRetriever:
    return EpochalRetriever(str(folder), top_k=3)


def ids(message: dict) -> list[str]:
    return [item.id for item in message["documents"]]


def test_it_gives_documents_and_the_outcome(retriever):
    message = retriever.run(ASKED)
    assert all(isinstance(item, Document) for item in message["documents"])
    assert (len(message["documents"]), message["outcome"]) == (3, "recorded")
    first = message["documents"][0]
    assert (first.id, first.content) == ("rate-2003", "The bank cut its rate to 2 percent last month.")
    assert (first.meta["published"], first.meta["time"], first.meta["score"]) == ("2003-07-02", "2003-06", first.score)


def test_silence_is_reported_from_not_knowing(retriever):
    assert retriever.run("What did the bank do to its rate in 2005?")["outcome"] == "none_recorded"
    assert retriever.run("What did the bank do to its rate in 1850?")["outcome"] == "not_covered"


def test_what_a_run_is_given_goes_before(folder):
    retriever = EpochalRetriever(folder, search_kwargs={"during": "2008", "strict": True})
    assert ids(retriever.run("bank rate")) == ["rate-2008"]
    assert ids(retriever.run("bank rate", search_kwargs={"during": "1998"})) == ["rate-1998"]
    assert len(ids(retriever.run("bank rate", top_k=1, search_kwargs={"strict": False}))) == 1


def test_the_whole_text_can_be_had(index):
    query = "Which mill did the bank buy in 1977?"
    passage, whole = (EpochalRetriever(index, full_text=full).run(query)["documents"][0] for full in (False, True))
    assert len(passage.content) < len(whole.content)
    assert whole.content == index.get("long").text


def pipeline_of(retriever: EpochalRetriever) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("retriever", retriever)
    template = "{{ outcome }}:{% for found in documents %} {{ found.id }} {{ found.content }}{% endfor %}"
    pipeline.add_component("prompt", PromptBuilder(template, required_variables="*"))
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("retriever.outcome", "prompt.outcome")
    return pipeline


def test_it_is_a_part_of_a_pipeline(retriever):
    message = pipeline_of(retriever).run({"retriever": {"query": ASKED, "top_k": 1}})
    assert message["prompt"]["prompt"] == "recorded: rate-2003 The bank cut its rate to 2 percent last month."


def test_a_pipeline_is_written_and_read_again(folder):
    retriever = EpochalRetriever(folder, 2, {"during": "2008"}, full_text=True)
    written = pipeline_of(retriever).dumps()
    with pytest.raises(DeserializationError, match="epochal"):
        Pipeline.loads(written)
    again = Pipeline.loads(written, allowed_modules=["epochal.integrations.haystack"])
    assert again.get_component("retriever").to_dict() == retriever.to_dict()
    message = again.run({"retriever": {"query": "bank rate"}})["prompt"]["prompt"]
    assert message.startswith("recorded: rate-2008")


def test_only_a_folder_can_be_written(index):
    with pytest.raises(EpochalError, match="make it with the folder"):
        EpochalRetriever(index).to_dict()


def test_making_one_opens_nothing_and_warming_up_does(tmp_path):
    retriever = EpochalRetriever(tmp_path / "none")
    with pytest.raises(StorageError, match="is not an index"):
        retriever.warm_up()
    with pytest.raises(EpochalError, match="must be an Index or the folder of one"):
        EpochalRetriever(7)


def test_async_gives_the_same(retriever):
    assert asyncio.run(retriever.run_async(ASKED)) == retriever.run(ASKED)


def test_orders_in_a_document_are_data_and_no_template(retriever, order, places_of):
    query = "What did the bank write in March 2012?"
    message = retriever.run(query)
    assert message["documents"][0].id == "orders"
    positions = places_of([item.to_dict(flatten=False) for item in message["documents"]], order)
    quoted = {f"[].meta.{name}" for name in ("evidence[].context", "times[].context", "times[].text")}
    assert positions - quoted == {"[].content", "[].meta.title", "[].meta.note"}
    prompt = pipeline_of(retriever).run({"retriever": {"query": query, "top_k": 1}})["prompt"]["prompt"]
    assert order in prompt


def test_these_tests_report_nothing():
    assert os.environ["HAYSTACK_TELEMETRY_ENABLED"] == "False"
    assert _telemetry.telemetry is None
