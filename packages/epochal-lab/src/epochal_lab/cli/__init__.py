"""The laboratory's commands: `epochal bench` for test sets, `epochal train` for models; `eval` is in a file of its
own.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

__all__ = ["add_bench", "add_train"]

#: Subcommands in the order of the help, each with the file and the function that add it.
_BENCH: Final = (
    ("bench_sets", "add_list"),
    ("bench_sets", "add_info"),
    ("bench_sets", "add_fetch"),
    ("bench_make", "add_build"),
    ("bench_make", "add_make"),
    ("bench_make", "add_audit"),
    ("bench_make", "add_augment"),
    ("bench_run", "add_run"),
    ("bench_judge", "add_judge"),
    ("bench_rag", "add_rag"),
    ("bench_sets", "add_systems"),
    ("bench_run", "add_report"),
    ("bench_run", "add_examples"),
    ("bench_judge", "add_agree"),
    ("bench_submit", "add_submit_check"),
)
_MODELS: Final = (
    ("train", "add_gate"),
    ("train_scorer", "add_scorer"),
    ("train_re3", "add_re3"),
    ("train_re3", "add_re3_times"),
    ("train_ctd", "add_ctd"),
    ("train_tmrl", "add_tmrl"),
    ("train_annals", "add_annals_encoder"),
)


def add_bench(commands: Any) -> None:
    """Add `epochal bench` with its subcommands."""
    parser = commands.add_parser(
        "bench",
        help="test sets for retrieval in time: list, fetch, build, make, run, judge, report",
        description="Test sets for retrieval in time, and what systems reach on them.",
    )
    _add_all(parser.add_subparsers(title="subcommands", required=True, metavar="SUBCOMMAND"), _BENCH)


def add_train(commands: Any) -> None:
    """Add `epochal train` with its models."""
    parser = commands.add_parser(
        "train",
        help="fit a model to questions with known answers, or to texts",
        description="Fit a model. All but the gate need torch: pip install 'epochal-lab[train]'.",
    )
    _add_all(parser.add_subparsers(title="models", metavar="MODEL", required=True), _MODELS)


def _add_all(parsers: Any, functions: tuple[tuple[str, str], ...]) -> None:
    for file, function in functions:
        getattr(import_module(f"epochal_lab.cli.{file}"), function)(parsers)
