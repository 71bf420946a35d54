"""What goes before queries and documents."""

from __future__ import annotations

import pytest

from epochal.encoders.external import Prefixes, get_prefixes

SEARCHING = "Represent this sentence for searching relevant passages: "
TASK = "Given a web search query, retrieve relevant passages that answer the query"


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        ("intfloat/e5-base-v2", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", f"Instruct: {TASK}\nQuery: ", ""),
        ("intfloat/e5-mistral-7b-instruct", f"Instruct: {TASK}\nQuery: ", ""),
        ("BAAI/bge-small-en-v1.5", SEARCHING, ""),
        ("BAAI/bge-large-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("BAAI/bge-m3", "", ""),
        ("thenlper/gte-base", "", ""),
        ("Alibaba-NLP/gte-Qwen2-1.5B-instruct", f"Instruct: {TASK}\nQuery: ", ""),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("Snowflake/snowflake-arctic-embed-m", SEARCHING, ""),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("mixedbread-ai/mxbai-embed-large-v1", SEARCHING, ""),
        ("Qwen/Qwen3-Embedding-0.6B", f"Instruct: {TASK}\nQuery:", ""),
        ("google/embeddinggemma-300m", "task: search result | query: ", "title: none | text: "),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
        ("somebody/base5-model", "", ""),
        ("./models/e5-base-v2/", "query: ", "passage: "),
        (r"C:\models\e5-base-v2", "query: ", "passage: "),
    ],
)
def test_known_models(model, query, document):
    assert get_prefixes(model) == Prefixes(query, document)


def test_an_instruction_takes_the_place_of_the_general_one():
    assert get_prefixes("Qwen/Qwen3-Embedding-8B", "Find laws").query == "Instruct: Find laws\nQuery:"
    assert get_prefixes("somebody/model", "Find laws") == Prefixes("Instruct: Find laws\nQuery: ")
    assert get_prefixes("intfloat/e5-base", "Find laws").document == "passage: "
