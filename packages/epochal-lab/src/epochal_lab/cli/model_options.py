"""Options that several commands share: where test sets come from, and the language model."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from epochal.llm.chat import Chat, Ledger

#: Long prompts on a slow machine take minutes.
_TIMEOUT_S: Final = 300.0


def add_data_options(parser: argparse.ArgumentParser, *, hub: bool = True) -> None:
    """Add the options that say where test sets come from."""
    parser.add_argument("--data", metavar="DIR", help="the data folder; EPOCHAL_DATA unless given")
    if hub:
        parser.add_argument("--hub", action="store_true", help="fetch the files of TEMPO from the Hugging Face hub")


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a language model, and how many calls it gets at once."""
    group = parser.add_argument_group("language model")
    group.add_argument("--url", metavar="URL", help="the endpoint of the language model, up to /v1")
    group.add_argument("--model", metavar="NAME", help="the language model")
    group.add_argument("--key", metavar="VARIABLE", help="the environment variable that holds the endpoint's key")
    group.add_argument("--gguf", metavar="FILE", help="a model on this machine; needs the extra llm")
    group.add_argument("--replay", metavar="FILE", help="replies from a recording; nothing is sent")
    group.add_argument("--record", metavar="FILE", help="store the replies, and request none that is stored")
    group.add_argument("--workers", type=int, default=4, metavar="N", help="calls at once; 4 unless given")


def open_model(
    arguments: argparse.Namespace,
    ledger: Ledger | None = None,
    *,
    temperature: float = 0.0,
    extra: Mapping[str, Any] | None = None,
    dry_run: Callable[[str], object] | None = None,
) -> Chat:
    """The language model that the options name."""
    from epochal.llm.registry import open_chat

    return open_chat(
        url=arguments.url,
        model=arguments.model,
        key=arguments.key,
        gguf=arguments.gguf,
        replay=arguments.replay,
        record=arguments.record,
        dry_run=dry_run,
        temperature=temperature,
        extra=extra,
        timeout=_TIMEOUT_S,
        concurrency=arguments.workers,
        ledger=ledger,
    )
