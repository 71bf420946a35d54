"""`epochal train`: fit a model to data, one file a model."""

from __future__ import annotations

import importlib
from typing import Any, Final

__all__ = ["add"]

#: The modules of this folder, one a model, in the order in which help shows them.
_MODELS: Final[tuple[str, ...]] = ("gate", "re3", "re3_times", "ctd", "tmrl", "annals_encoder")


def add(commands: Any) -> None:
    """Add the command with its models to the parser.

    >>> import argparse
    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["train", "gate", "--from", "timeqa", "-o", "gate.json"]).source
    ['timeqa']
    """
    parser = commands.add_parser(
        "train",
        help="fit a model to questions with known answers, or to texts",
        description="Fit a model. All but the gate need torch: pip install 'epochal[train]'.",
    )
    models = parser.add_subparsers(title="models", metavar="MODEL", required=True)
    for name in _MODELS:
        importlib.import_module(f"epochal.cli.train.{name}").add(models)
