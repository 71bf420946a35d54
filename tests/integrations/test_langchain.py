"""The retriever through LangChain's own interface: invoke, batch, async, chains, callbacks, tools."""

from __future__ import annotations

import asyncio
import json

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate, format_document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from langchain_core.tools import create_retriever_tool

import epochal
from epochal.errors import EpochalError, StorageError
from epochal.integrations.langchain import EpochalRetriever

ASKED = "What did the bank do to its rate in 2003?"


@pytest.fixture
def retriever(index) -> EpochalRetriever:
    return EpochalRetriever(index, search_kwargs={"k": 3})


def test_it_is_a_retriever_that_gives_documents(retriever):
    assert isinstance(retriever, BaseRetriever)
    result = retriever.invoke(ASKED)
    assert all(isinstance(item, Document) for item in result)
    assert len(result) == 3
    assert (result[0].id, result[0].page_content) == ("rate-2003", "The bank cut its rate to 2 percent last month.")


def test_the_metadata_has_dates_scores_and_spans(retriever):
    metadata = retriever.invoke(ASKED)[0].metadata
    assert (metadata["published"], metadata["time"], metadata["outcome"]) == ("2003-07-02", "2003-06", "recorded")
    assert metadata["score"] > 0
    assert metadata["evidence"][0]["span"] == "2003-06"
    assert json.loads(json.dumps(metadata)) == metadata


def test_scores_descend(retriever):
    scores = [item.metadata["score"] for item in retriever.invoke(ASKED)]
    assert scores == sorted(scores, reverse=True)


def test_filters_go_through_search_kwargs(index):
    strict = EpochalRetriever(index, search_kwargs={"during": "2008", "strict": True})
    assert {item.id for item in strict.invoke("bank rate")} == {"rate-2008"}


def test_what_a_call_is_given_goes_before(retriever):
    assert retriever.invoke("What does a transfer abroad cost?", as_of="2005", k=1)[0].id == "fees-1"
    assert retriever.invoke("What does a transfer abroad cost?", k=1)[0].id == "fees-2"


def test_async_gives_the_same_with_the_same_arguments(retriever):
    assert asyncio.run(retriever.ainvoke(ASKED)) == retriever.invoke(ASKED)
    result = asyncio.run(retriever.ainvoke("What does a transfer abroad cost?", as_of="2005", k=1))
    assert [item.id for item in result] == ["fees-1"]


def test_a_batch_in_threads_gives_what_single_calls_give(retriever):
    questions = [f"What did the bank do to its rate in {year}?" for year in (1998, 2003, 2008)] * 8
    assert retriever.batch(questions, config={"max_concurrency": 8}) == [retriever.invoke(query) for query in questions]


def test_a_folder_is_enough(folder):
    retriever = EpochalRetriever(folder, search_kwargs={"k": 1})
    assert retriever.invoke(ASKED)[0].id == "rate-2003"
    retriever.index.close()


def test_a_folder_without_an_index_is_said_at_once(tmp_path):
    with pytest.raises(StorageError, match="is not an index"):
        EpochalRetriever(tmp_path)


def test_the_whole_text_can_be_had(index):
    query = "Which mill did the bank buy in 1977?"
    passage, whole = (EpochalRetriever(index, full_text=full).invoke(query)[0] for full in (False, True))
    assert passage.id == whole.id == "long"
    assert len(passage.page_content) < len(whole.page_content)
    start = passage.metadata["passage_start"]
    assert whole.page_content[start : start + len(passage.page_content)] == passage.page_content


def test_it_is_a_link_of_a_chain(retriever):
    template = PromptTemplate.from_template("({published}) {page_content}")
    prompt = ChatPromptTemplate.from_template("{sources}\n{question}")
    sources = retriever | (lambda result: "\n".join(format_document(item, template) for item in result[:1]))
    message = ({"sources": sources, "question": RunnablePassthrough()} | prompt).invoke(ASKED).to_string()
    assert message == f"Human: (2003-07-02) The bank cut its rate to 2 percent last month.\n{ASKED}"


def test_it_is_a_tool_for_an_agent(retriever):
    tool = create_retriever_tool(retriever, "bank_papers", "Papers of the bank")
    assert "cut its rate to 2 percent" in tool.invoke({"query": ASKED})


def test_callbacks_hear_of_it(retriever):
    class Listener(BaseCallbackHandler):
        def __init__(self) -> None:
            self.heard: list[object] = []

        def on_retriever_start(self, serialized, query, **_):
            self.heard.append(query)

        def on_retriever_end(self, documents, **_):
            self.heard.append(documents[0].id)

        def on_retriever_error(self, error, **_):
            self.heard.append(type(error).__name__)

    listener = Listener()
    retriever.invoke(ASKED, config={"callbacks": [listener]})
    with pytest.raises(EpochalError):
        retriever.invoke(ASKED, config={"callbacks": [listener]}, during="soonish")
    assert listener.heard == [ASKED, "rate-2003", ASKED, "EpochalError"]


def test_orders_in_a_document_are_data(retriever, order, places_of):
    result = retriever.invoke("What did the bank write in March 2012?")
    messages = [{"page_content": item.page_content, "id": item.id, "metadata": item.metadata} for item in result]
    assert result[0].id == "orders"
    quoted = {f"[].metadata.{name}" for name in ("evidence[].context", "times[].context", "times[].text")}
    assert places_of(messages, order) - quoted == {
        *("[].page_content", "[].metadata.title"),
        "[].metadata.note",
    }


def test_any_retriever_of_langchain_becomes_a_checked_row_of_the_table(tmp_path, retriever):
    from epochal_lab.datasets.records import BenchQuery, BenchSet
    from epochal_lab.runs.submissions import Card, check_submission, write_submission

    class Reversed(BaseRetriever):
        inner: EpochalRetriever

        def _get_relevant_documents(self, query, *, run_manager):
            return self.inner.invoke(query)[::-1]

    documents = [epochal.Document(item.id, item.page_content) for item in retriever.invoke(ASKED)]
    bench_set = BenchSet("own", documents, (BenchQuery("q1", ASKED),), {"q1": {"rate-2003": 1}})
    for system, hits in ((retriever, 1.0), (Reversed(inner=retriever), 0.0)):
        card = Card("mine", "own", ("text", "publication date"), ())
        report = check_submission(write_submission(tmp_path / str(hits), system, bench_set, card), bench_set)
        assert report.problems == ()
        assert report.measures["hit@1"] == hits
