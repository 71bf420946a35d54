"""The retriever and the post-processor through LlamaIndex's own interface: retrieve, async, query engines."""

from __future__ import annotations

import asyncio

import pytest
from llama_index.core import Settings
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode

from epochal.errors import EpochalError, StorageError
from epochal.integrations.llamaindex import EpochalPostprocessor, EpochalRetriever

ASKED = "What did the bank do to its rate in 2003?"


@pytest.fixture
def retriever(index) -> EpochalRetriever:
    return EpochalRetriever(index, {"k": 3})


@pytest.fixture
def nodes() -> list[NodeWithScore]:
    rows = (
        ("Merkel is sworn in as chancellor.", "2005-11-22", 0.93),
        ("Scholz is sworn in as chancellor.", "2021-12-08", 0.91),
        ("Schröder is sworn in as chancellor.", "1998-10-27", 0.90),
    )
    return [NodeWithScore(node=TextNode(text=text, metadata={"date": date}), score=score) for text, date, score in rows]


def test_it_is_a_retriever_that_gives_scored_nodes(retriever):
    assert isinstance(retriever, BaseRetriever)
    result = retriever.retrieve(ASKED)
    assert all(isinstance(item, NodeWithScore) for item in result)
    assert len(result) == 3
    assert (result[0].node_id, result[0].text) == ("rate-2003", "The bank cut its rate to 2 percent last month.")
    assert [item.score for item in result] == sorted((item.score for item in result), reverse=True)


def test_the_metadata_has_dates_scores_and_spans(retriever):
    node = retriever.retrieve(QueryBundle(ASKED))[0]
    assert (node.metadata["published"], node.metadata["time"]) == ("2003-07-02", "2003-06")
    assert node.metadata["score"] == node.score
    assert node.metadata["evidence"][0]["text"] == "last month"
    assert node.node.ref_doc_id == "rate-2003"


def test_a_model_is_shown_text_title_and_dates_alone(retriever):
    result = {item.node_id: item.node for item in retriever.retrieve("bank rate in 1998")}
    first, other = result["rate-1998"], result["rate-2003"]
    assert first.get_content(MetadataMode.LLM) == (
        f"title: A rise\npublished: 1998-05-20\ntime: {first.metadata['time']}\n\n{first.text}"
    )
    assert other.metadata["time"] == other.metadata["times"][0]["span"]
    time = other.metadata["time"]
    assert other.get_content(MetadataMode.LLM) == f"published: 2003-07-02\ntime: {time}\n\n{other.text}"


def test_a_node_knows_its_place_in_the_document(index):
    query = "Which mill did the bank buy in 1977?"
    node = EpochalRetriever(index).retrieve(query)[0].node
    assert index.get("long").text[node.start_char_idx : node.end_char_idx] == node.text
    whole = EpochalRetriever(index, full_text=True).retrieve(query)[0].node
    assert (whole.text, whole.start_char_idx) == (index.get("long").text, 0)


def test_filters_go_through_search_kwargs(index):
    strict = EpochalRetriever(index, {"during": "2008", "strict": True})
    assert [item.node_id for item in strict.retrieve("bank rate")] == ["rate-2008"]


def test_async_gives_the_same(retriever):
    output = [(item.node_id, item.score) for item in retriever.retrieve(ASKED)]
    assert [(item.node_id, item.score) for item in asyncio.run(retriever.aretrieve(ASKED))] == output


def test_a_folder_is_enough_and_one_without_an_index_is_said_at_once(folder, tmp_path):
    assert EpochalRetriever(folder, {"k": 1}).retrieve(ASKED)[0].node_id == "rate-2003"
    with pytest.raises(StorageError, match="is not an index"):
        EpochalRetriever(tmp_path)


def test_a_query_engine_takes_both(retriever, monkeypatch):
    monkeypatch.setattr(Settings, "_llm", MockLLM())
    engine = RetrieverQueryEngine(
        retriever,
        get_response_synthesizer(response_mode="no_text"),
        node_postprocessors=[EpochalPostprocessor(search_kwargs={"during": "2003", "strict": True})],
    )
    assert [item.node_id for item in engine.query("bank rate").source_nodes] == ["rate-2003"]


def test_orders_in_a_document_are_data(retriever, order, places_of):
    result = retriever.retrieve("What did the bank write in March 2012?")
    assert result[0].node_id == "orders"
    positions = places_of([{"text": item.text, "metadata": item.metadata} for item in result], order)
    quoted = {f"[].metadata.{name}" for name in ("evidence[].context", "times[].context", "times[].text")}
    assert positions - quoted == {"[].text", "[].metadata.title", "[].metadata.note"}
    assert f"note: {order}" not in result[0].node.get_content(MetadataMode.LLM)


# ---------------------------------------------------------------- the post-processor


def names(matches: list[NodeWithScore]) -> list[str]:
    return [item.text.split()[0] for item in matches]


def test_it_is_a_post_processor_that_follows_the_time(nodes):
    processor = EpochalPostprocessor()
    assert isinstance(processor, BaseNodePostprocessor)
    result = processor.postprocess_nodes(nodes, query_str="Who was sworn in as chancellor in 1998?")
    assert names(result)[0] == "Schröder"
    assert len(result) == 3
    assert [item.score for item in result] == sorted((item.score for item in result), reverse=True)


def test_nodes_stay_as_they_are_without_a_time_and_without_a_question(nodes):
    processor = EpochalPostprocessor()
    assert processor.postprocess_nodes(nodes, query_str="Who was sworn in as chancellor?") == nodes
    assert processor.postprocess_nodes(nodes) == nodes
    assert processor.postprocess_nodes([], query_str="Who was sworn in in 1998?") == []


def test_the_nodes_given_are_not_changed(nodes):
    before = [item.model_dump() for item in nodes]
    EpochalPostprocessor().postprocess_nodes(nodes, query_str="Who was sworn in as chancellor in 1998?")
    assert [item.model_dump() for item in nodes] == before


def test_top_n_and_filters(nodes):
    first = EpochalPostprocessor(top_n=1).postprocess_nodes(nodes, query_str="sworn in as chancellor in 2021")
    assert names(first) == ["Scholz"]
    retained = EpochalPostprocessor(search_kwargs={"before": "2020", "strict": True})
    assert names(retained.postprocess_nodes(nodes, query_str="chancellor")) == ["Merkel", "Schröder"]


def test_it_works_async_and_survives_being_written(nodes):
    query = QueryBundle("Who was sworn in as chancellor in 1998?")
    processor = EpochalPostprocessor.from_dict(EpochalPostprocessor(top_n=2, search_kwargs={"now": "2022"}).to_dict())
    assert (processor.top_n, processor.search_kwargs) == (2, {"now": "2022"})
    assert names(asyncio.run(processor.apostprocess_nodes(nodes, query)))[0] == "Schröder"


def test_a_key_of_ones_own_and_a_date_that_cannot_be_read(nodes):
    nodes[0].node.metadata["date"] = "soonish"
    with pytest.raises(EpochalError, match="text 1 of 3"):
        EpochalPostprocessor().postprocess_nodes(nodes, query_str="chancellor in 1998")
    other = EpochalPostprocessor(date_key="day")
    nodes[1].node.metadata["day"] = "1998-01-01"
    assert names(other.postprocess_nodes(nodes, query_str="sworn in as chancellor in 1998"))[0] == "Scholz"
