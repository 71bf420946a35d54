"""LlamaIndex: a retriever over an index, and a post-processor for the nodes of any other retriever.

Needs: pip install 'epochal[llamaindex]'. No language model is asked.
"""

import tempfile

from llama_index.core import Settings
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode

from epochal import Index
from epochal.cli.demo import NOW, open_corpus
from epochal.integrations.llamaindex import EpochalPostprocessor, EpochalRetriever
from epochal.storage.importers import read

with (
    tempfile.TemporaryDirectory() as folder,
    open_corpus() as news,
    Index.create(folder, encoder="static") as index,
):
    index.add(read(news))
    retriever = EpochalRetriever(index, {"k": 2, "now": NOW})
    # "no_text" only gathers the sources. With a model of yours as Settings.llm, leave it out.
    Settings.llm = MockLLM()
    engine = RetrieverQueryEngine(retriever, get_response_synthesizer(response_mode="no_text"))
    for source in engine.query("Who won the Nobel Prize in Literature in 2016?").source_nodes:
        print(f"{source.score:.2f}", source.node.get_content(MetadataMode.LLM), sep="\n", end="\n\n")

# What a vector store might give for "Who is the chancellor?", whatever the time that is asked about.
found = [
    NodeWithScore(node=TextNode(text=text, metadata={"date": date}), score=score)
    for text, date, score in (
        ("Merkel is sworn in as chancellor.", "2005-11-22", 0.93),
        ("Scholz is sworn in as chancellor.", "2021-12-08", 0.91),
        ("Schröder is sworn in as chancellor.", "1998-10-27", 0.90),
    )
]
for question in ("Who is sworn in as chancellor?", "Who is sworn in as chancellor in 1998?"):
    first = EpochalPostprocessor(top_n=1).postprocess_nodes(found, query_str=question)[0]
    print(f"{question} {first.text}")
