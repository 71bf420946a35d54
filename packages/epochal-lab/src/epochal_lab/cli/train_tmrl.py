"""`epochal train tmrl`: a sentence encoder adapted to time, and to being cut short; and its baselines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epochal.errors import EpochalError
from epochal_lab.cli.train import (
    add_options,
    apply_changes,
    need_torch,
    read_train_settings,
    train_with_progress,
    write_report,
)
from epochal_lab.models.tmrl.settings import METHODS, TMRLSettings, get_training_settings

if TYPE_CHECKING:
    from epochal_lab.datasets.augment.rows import TemporalRow
    from epochal_lab.models.backbone import Backbone
    from epochal_lab.models.tmrl.evaluate import PrefixResult
    from epochal_lab.models.tmrl.running import AdaptResult
    from epochal_lab.models.training.settings import TrainSettings

_TMRL_HELP: Final = """examples:
  epochal train tmrl --rows train.jsonl --dev dev.jsonl --backbone minilm -o tmrl --precision bf16
  epochal train tmrl --rows train.jsonl --dev dev.jsonl --backbone minilm --method lora-mrl -o mrl
  epochal train tmrl --rows train.jsonl --dev dev.jsonl --backbone gte --set alpha=0.25 --set temporal_dims=128 -o gte
  epochal train tmrl --method zero-shot --backbone minilm --evaluate tnp --forgetting scifact -o before
  epochal index news.index --from news.jsonl --encoder tmrl:tmrl/adapter

A row is a passage with questions that it answers and questions that it does not, of which most differ in time alone
(epochal bench augment makes such rows). --dev decides which parameters are kept: the share of its questions whose
nearest passage answers them. The output folder gets adapter/ (of minilm about half a megabyte) or the models that were
trained, metrics.json (means at every prefix with their bounds, and the values of each question) and the training log.
"""


def add_tmrl(models: Any) -> None:
    """Add the model to the parser of `epochal train`."""
    parser = models.add_parser(
        "tmrl",
        help="a sentence encoder adapted to time, whose vectors may be cut short",
        description="Adapt a sentence encoder to time and to prefixes, by TMRL or by a baseline of its paper.",
        epilog=_TMRL_HELP,
    )
    parser.add_argument("--rows", nargs="+", default=[], metavar="FILE", help="rows to train on, as JSON Lines")
    parser.add_argument("--dev", nargs="+", default=[], metavar="FILE", help="rows to choose the best parameters by")
    parser.add_argument(
        "--backbone",
        required=True,
        metavar="DIR",
        help="a folder of transformers; or minilm, the default encoder's own weights",
    )
    parser.add_argument(
        "--pooling", metavar="NAME", help="cls, mean or last; the backbone's own unless given, else mean"
    )
    parser.add_argument("-o", "--out", required=True, metavar="DIR", help="the folder to write")
    parser.add_argument("--method", default="tmrl", choices=METHODS, help="tmrl unless given")
    parser.add_argument("--dims", nargs="+", type=int, metavar="N", help="prefixes; 64 128 256 384 unless given")
    parser.add_argument(
        "--set", dest="changes", action="append", default=[], metavar="NAME=JSON", help="change one of its settings"
    )
    parser.add_argument("--evaluate", nargs="+", default=[], metavar="BEIR_DIR", help="sets to measure on at the end")
    parser.add_argument(
        "--forgetting",
        nargs="+",
        default=[],
        metavar="BEIR_DIR",
        help="the same, of sets that have nothing to do with time: a second encoder of times is left out",
    )
    parser.add_argument("--plain", metavar="FILE", help="queries.jsonl of no time, which a router is fitted to")
    parser.add_argument("--merged", action="store_true", help="write the merged model too, for sentence-transformers")
    add_options(parser, get_training_settings("tmrl"))
    parser.set_defaults(run=_run_tmrl)


def _run_tmrl(arguments: argparse.Namespace) -> int:
    need_torch("training tmrl")
    from epochal.storage.importers.beir import read_queries
    from epochal_lab.models.tmrl.running import adapt

    settings = apply_changes(TMRLSettings.from_name(arguments.method), arguments.changes)
    if arguments.dims is not None:
        settings = replace(settings, dims=tuple(arguments.dims))
    training = read_train_settings(arguments, get_training_settings(settings.method))
    rows, dev = _read_rows(arguments.rows), _read_rows(arguments.dev)
    if settings.method != "zero-shot" and not rows:
        raise EpochalError(
            f"the method {settings.method!r} is trained, but --rows is not given; accepted: files of rows"
        )
    plain = [query.text for query in read_queries(arguments.plain)] if arguments.plain else []
    out = Path(arguments.out)
    result = adapt(
        _make_loader(arguments),
        rows,
        dev,
        settings,
        training,
        out / "run",
        plain=plain,
        fit=lambda task, how, folder, label: train_with_progress(
            task, how, folder or out / "run", resume=arguments.resume, label=label
        ),
    )
    outcomes = _measure(result, arguments, training)
    _write(out, result, arguments, settings, training, len(rows), outcomes)
    for outcome in outcomes:
        for measure in ("nDCG@10", "R@100"):
            print(outcome.line(measure))
    return 0


def _read_rows(files: Sequence[str]) -> list[TemporalRow]:
    from epochal_lab.datasets.augment.rows import read_rows

    return [row for file in files for row in read_rows(file)]


def _make_loader(arguments: argparse.Namespace) -> Callable[[], Backbone]:
    from epochal_lab.models.backbone import load_backbone
    from epochal_lab.models.tmrl.running import BUNDLED, load_bundled_backbone

    if arguments.backbone == BUNDLED:
        return load_bundled_backbone
    has_pooling = (Path(arguments.backbone) / "backbone.json").exists()
    pooling = arguments.pooling or (None if has_pooling else "mean")
    return lambda: load_backbone(arguments.backbone, pooling=pooling)


def _measure(result: AdaptResult, arguments: argparse.Namespace, training: TrainSettings) -> list[PrefixResult]:
    from epochal_lab.models.tmrl.evaluate import build_text_encoder, evaluate_prefixes, read_beir

    lines = []
    for folders, text_only in ((arguments.evaluate, False), (arguments.forgetting, True)):
        encode = build_text_encoder(result.network, training.precision, text_only=text_only)
        dims = result.network.settings.search_dims(result.network.width)
        for folder in folders:
            print(f"epochal: measuring on {folder}", file=sys.stderr)
            lines.append(evaluate_prefixes(encode, read_beir(folder), dims))
    return lines


def _write(
    out: Path,
    result: AdaptResult,
    arguments: argparse.Namespace,
    settings: TMRLSettings,
    training: TrainSettings,
    rows: int,
    outcomes: list[PrefixResult],
) -> None:
    from epochal_lab.models.training.checkpoint import write_json

    facts = {"backbone": arguments.backbone, "rows": rows, "seed": training.seed}
    if settings.method != "zero-shot":
        result.network.save(out, facts, merged=arguments.merged)
    write_json(
        out / "metrics.json",
        {
            "settings": settings.to_dict(),
            **facts,
            "runs": {name: run.to_dict() for name, run in result.runs.items()},
            "outcomes": [outcome.to_dict() for outcome in outcomes],
        },
    )
    report_facts = {
        "Data": {"rows": f"{rows:,}", "backbone": arguments.backbone},
        "Parts": settings.to_dict(),
        "Measures": {
            f"{outcome.name} {measure}": outcome.line(measure).partition(": ")[2]
            for outcome in outcomes
            for measure in ("nDCG@10", "R@100")
        },
    }
    for name, run in result.runs.items():
        write_report(
            run, out / "run" if len(result.runs) == 1 else out / "run" / name, f"{settings.method}", report_facts
        )
