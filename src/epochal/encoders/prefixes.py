"""What well-known models were trained to see before a query and a document.

Each row of the table comes from the card of its model. A model that is asked without its prefix still answers, and
finds less.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Prefixes", "prefixes_of"]


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The texts before a query and before a document; empty where a model has none.

    >>> Prefixes("query: ", "passage: ").query
    'query: '
    """

    query: str = ""
    document: str = ""


_TASK = "Given a web search query, retrieve relevant passages that answer the query"
_SEARCHING = "Represent this sentence for searching relevant passages: "
#: Patterns of names without their owner, the special ones first; {task} is where an instruction goes.
_KNOWN: tuple[tuple[str, Prefixes], ...] = (
    (r"(multilingual-)?e5-.*-instruct|e5-mistral-.*", Prefixes("Instruct: {task}\nQuery: ")),
    (r"(multilingual-)?e5-.*", Prefixes("query: ", "passage: ")),
    (r"bge-(small|base|large)-en.*", Prefixes(_SEARCHING)),
    (r"bge-(small|base|large)-zh.*", Prefixes("为这个句子生成表示以用于检索相关文章：")),
    (r"gte-qwen.*-instruct", Prefixes("Instruct: {task}\nQuery: ")),
    (r"nomic-embed-text-.*", Prefixes("search_query: ", "search_document: ")),
    (r"snowflake-arctic-embed-.*-v2\.0", Prefixes("query: ")),
    (r"snowflake-arctic-embed-.*", Prefixes(_SEARCHING)),
    (r"mxbai-embed-.*", Prefixes(_SEARCHING)),
    (r"qwen3-embedding-.*", Prefixes("Instruct: {task}\nQuery:")),
    (r"embeddinggemma-.*", Prefixes("task: search result | query: ", "title: none | text: ")),
)


def prefixes_of(model: str, instruction: str | None = None) -> Prefixes:
    r"""The prefixes for models of that name; none for a name that is not known (gte, bge-m3, MiniLM need none).

    An instruction takes the place of the general one. A model that knows none gets it in the commonest form.

    >>> prefixes_of("intfloat/e5-small-v2")
    Prefixes(query='query: ', document='passage: ')
    >>> prefixes_of("Qwen/Qwen3-Embedding-0.6B", "Find the law").query
    'Instruct: Find the law\nQuery:'
    >>> prefixes_of("thenlper/gte-small")
    Prefixes(query='', document='')
    """
    name = model.rstrip("/\\").replace("\\", "/").rpartition("/")[2].lower()
    found = next((prefixes for pattern, prefixes in _KNOWN if re.fullmatch(pattern, name)), Prefixes())
    if "{task}" in found.query:
        return Prefixes(found.query.replace("{task}", instruction or _TASK), found.document)
    return found if instruction is None else Prefixes(f"Instruct: {instruction}\nQuery: ", found.document)
