"""Names and options of other libraries and commands, and what does the same here.

Whoever types one is told what to write instead; none of them is defined.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

#: Attributes by owner: "an index", "a hit", "a response", "epochal".
_ATTRIBUTES: Final[Mapping[str, Mapping[str, str]]] = {
    "an index": {
        **dict.fromkeys(("update", "upsert", "insert", "merge_insert"), "add replaces documents of the same id"),
        **dict.fromkeys(
            ("add_documents", "add_texts", "from_documents", "from_texts", "insert_nodes", "index"),
            "write index.add(documents)",
        ),
        **dict.fromkeys(
            ("query", "invoke", "similarity_search", "find", "retrieve", "get_relevant_documents"),
            "write index.search(question)",
        ),
        **dict.fromkeys(("count", "count_rows", "count_documents", "size", "shape"), "write len(index)"),
        **dict.fromkeys(
            ("to_pandas", "to_dicts", "head", "to_list"), "write list(index), or index.search(...).to_pandas()"
        ),
        **dict.fromkeys(("save", "commit", "flush", "refresh"), "what add has returned from is on disk"),
        **dict.fromkeys(("delete_documents", "remove", "drop_rows"), "write index.delete(ids)"),
        **dict.fromkeys(("drop", "drop_table", "clear"), "an index is a folder: delete that"),
        **dict.fromkeys(
            ("create_table", "table_names", "open_table", "schema"), "an index is one collection of documents"
        ),
        "as_retriever": "write epochal.integrations.langchain.EpochalRetriever(index=index)",
        "as_query_engine": "write index.answer(question)",
    },
    "a hit": {
        "page_content": "write hit.text",
        "content": "write hit.text",
        "metadata": "write hit.meta",
        "published": "write hit.date, or hit.document.published",
        "node": "write hit.document",
    },
    "a response": {
        "to_list": "write list(response), or response.to_dicts()",
        "to_df": "write response.to_pandas()",
        "limit": "write search(question, k=...)",
        "where": "write search(question, where=...)",
        "filter": "write search(question, where=...)",
        "documents": "write [hit.document for hit in response]",
    },
    "epochal": {
        **dict.fromkeys(("connect", "load", "create", "Client", "VectorStore", "Table"), "write epochal.open(folder)"),
        "when": "write epochal.resolve(text)",
        "search": "write epochal.open(folder).search(question)",
        "read_csv": "write epochal.open(folder).add(path)",
    },
}
_OPTIONS: Final = {
    **dict.fromkeys(("--limit", "--top-k", "--topk", "--top_k", "--size", "-n", "--count", "--k"), "-k N"),
    **dict.fromkeys(("--since", "--from"), "--after SPAN"),
    **dict.fromkeys(("--until", "--to"), "--before SPAN"),
    **dict.fromkeys(("--year", "--date", "--time", "--when"), "--during SPAN"),
    **dict.fromkeys(("--filter", "--filters", "--query"), "--where CONDITION"),
    **dict.fromkeys(("--format", "--output", "--csv"), "--json"),
    **dict.fromkeys(("--model", "--embedding"), "--encoder NAME"),
}
_COMMANDS: Final = {
    **dict.fromkeys(("query", "find", "ask-for", "grep"), "search"),
    **dict.fromkeys(("add", "insert", "ingest", "load", "create", "init"), "index"),
    **dict.fromkeys(("rm", "remove", "drop"), "delete"),
    **dict.fromkeys(("info", "stats", "status", "verify"), "check"),
    **dict.fromkeys(("ls", "list", "show", "get", "dump"), "export"),
    **dict.fromkeys(("ask", "chat"), "answer"),
    **dict.fromkeys(("server", "start", "web", "ui"), "serve"),
    **dict.fromkeys(("parse", "date"), "when"),
}
_UNKNOWN_COMMAND: Final = re.compile(r"argument COMMAND: invalid choice: '([^']*)' \(choose from (.*)\)", re.DOTALL)
_UNKNOWN_OPTION: Final = "unrecognized arguments: "


def find_hint(owner: str, name: str) -> str:
    """What to write instead of a name that an owner does not have, for the end of a message; often nothing.

    >>> find_hint("an index", "count_rows")
    '; write len(index)'
    """
    hint = _ATTRIBUTES.get(owner, {}).get(name)
    return "" if hint is None else f"; {hint}"


def refuse_attribute(owner: str, name: str, thing: Any) -> AttributeError:
    """The error for a name that a thing does not have."""
    return AttributeError(f"{owner} has no {name!r}{find_hint(owner, name)}", name=name, obj=thing)


def explain_usage(message: str, words: Sequence[str]) -> str:
    """What argparse says of a wrong command or option, with the right one where it is known.

    >>> explain_usage("unrecognized arguments: --limit 3", ["search", "news", "fee", "--limit", "3"])
    'unrecognized arguments: --limit 3; write -k N; see epochal search --help'
    """
    if match := _UNKNOWN_COMMAND.fullmatch(message):
        known = re.findall(r"[\w-]+", match[2])
        return _explain_command(match[1], known)
    if message.startswith(_UNKNOWN_OPTION):
        given = [word.partition("=")[0] for word in message.removeprefix(_UNKNOWN_OPTION).split()]
        hints = dict.fromkeys(_OPTIONS[word] for word in given if word in _OPTIONS)
        hint = f"; write {' and '.join(hints)}" if hints else ""
        command = [word for word in words[:1] if not word.startswith("-")]
        return f"{message}{hint}; see {' '.join(['epochal', *command])} --help"
    return message


def _explain_command(called: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    if called == "help":
        return f"write epochal --help; the commands are {', '.join(known)}"
    near = [_COMMANDS[called]] if called in _COMMANDS else get_close_matches(called, known, 1)
    hint = f"; did you mean epochal {near[0]}" if near else ""
    return f"no command is called {called!r}{hint}; known: {', '.join(known)}"
