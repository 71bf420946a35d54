"""`epochal train ctd`: retrieval by a contrast of text and time, trained on a BEIR folder whose records have times."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epochal_lab.cli.train import (
    add_options,
    apply_changes,
    need_torch,
    read_train_settings,
    train_with_progress,
    write_report,
)
from epochal_lab.models.ctd.settings import PRESETS, CTDSettings
from epochal_lab.models.training.settings import TrainSettings

if TYPE_CHECKING:
    from epochal_lab.models.backbone import Backbone
    from epochal_lab.models.ctd.data import Collection, ProtocolMode
    from epochal_lab.models.ctd.model import CTD
    from epochal_lab.models.ctd.searching import EncodedTexts, SplitResult
    from epochal_lab.models.texts import CollectionTokens

#: How the published model and its baselines are trained by default.
DEFAULTS: Final = TrainSettings(
    epochs=5, batch_size=64, rate=2e-5, decay=0.01, warmup=0.1, metric="hit@1", lower_is_better=False
)
#: How it is over Qwen3-Embedding.
QWEN: Final = replace(DEFAULTS, epochs=3, batch_size=16, rate=3e-6)
#: How ours is: a small backbone bears a higher rate and needs more time.
IMPROVED: Final = TrainSettings(
    epochs=20, batch_size=128, rate=3e-4, decay=0.01, warmup=0.1, clip=1.0, metric="MRR@10", lower_is_better=False
)

_EVENTS: Final = "neg1_ne0_dq1"
#: The backbone that is made here, of the characters of what is trained on, and the share of runs left out at a time.
_RUNS: Final = "runs"
_RUNS_DROPOUT: Final = 0.2
_CTD_HELP = """examples:
  epochal train ctd --from chunqiutr --backbone annals-encoder -o ctd --precision bf16
  epochal train ctd --from chunqiutr --backbone bert --settings official --select neg1_ne1_dq0 --search enc_only -o o
  epochal train ctd --from chunqiutr --backbone bert --settings official --set bias=false --set context='"none"' -o less
  epochal train ctd --from chunqiutr --backbone Qwen3-Embedding-0.6B --settings official-qwen -o ctd-qwen
  epochal eval ctd/runs/test.neg1_ne0_dq1.ctx.trec ctd/qrels/test.neg1_ne0_dq1.tsv

The folder has corpus.jsonl (`published`, or `times` in metadata), queries.jsonl and qrels/. Only records and questions
of the split train are trained on; questions of val decide which parameters are kept, and both val and test are measured
over the records of all splits. The output folder gets model.safetensors, config.json, backbone/, card.md, metrics.json
(means with their bounds, and the values of each question), runs/ as TREC has them, qrels/ and the log of training.
"""


def add_ctd(models: Any) -> None:
    """Add the model to the parser of `epochal train`."""
    parser = models.add_parser(
        "ctd",
        help="retrieval by text and time, as for the Annals",
        description="Train a contrast of text and time on a BEIR folder whose records have times.",
        epilog=_CTD_HELP,
    )
    parser.add_argument("--from", dest="source", required=True, metavar="BEIR_DIR", help="records and questions")
    parser.add_argument(
        "--backbone",
        required=True,
        metavar="DIR",
        help="a folder of transformers; or runs, a new one of runs of characters",
    )
    parser.add_argument(
        "--pooling",
        metavar="NAME",
        help="cls, mean or last; the backbone's own unless given, else mean for improved, last for official-qwen, cls",
    )
    parser.add_argument("-o", "--out", required=True, metavar="DIR", help="the folder of the model to write")
    parser.add_argument("--settings", default="improved", choices=PRESETS, help="which parts the model has; improved")
    parser.add_argument(
        "--set", dest="changes", action="append", default=[], metavar="NAME=JSON", help="change one of its settings"
    )
    parser.add_argument(
        "--evaluate", nargs="+", default=[_EVENTS, "neg1_ne1_dq0"], metavar="MODE", help="negA_neB_dqC, with 0 or 1"
    )
    parser.add_argument("--select", metavar="MODE", help=f"the mode that decides what is kept; {_EVENTS} unless given")
    parser.add_argument(
        "--search",
        metavar="HOW",
        help="how that is searched: enc_only (as published), ctx or ctx+bias; ctx where it can",
    )
    parser.add_argument(
        "--transfer", nargs="+", default=[], metavar="BEIR_DIR", help="other sets to measure the bare encoder on"
    )
    parser.add_argument("--patience", type=int, metavar="N", help="end after so many epochs without a gain")
    add_options(parser, IMPROVED)
    parser.set_defaults(run=_run_ctd)


def _run_ctd(arguments: argparse.Namespace) -> int:
    need_torch("training ctd")
    from epochal_lab.models.ctd.data import ProtocolMode, read_collection
    from epochal_lab.models.ctd.model import CTD, check_search_mode
    from epochal_lab.models.ctd.searching import evaluate_transfer, format_result, write_results
    from epochal_lab.models.ctd.task import CTDTask
    from epochal_lab.models.training.checkpoint import seed_all
    from epochal_lab.models.training.device import select_device

    parts = apply_changes(CTDSettings.from_name(arguments.settings), arguments.changes)
    modes = [ProtocolMode.parse(text) for text in arguments.evaluate]
    mode = ProtocolMode.parse(arguments.select or _EVENTS)
    if arguments.search is not None:
        check_search_mode(arguments.search)
    usual = {"improved": IMPROVED, "official-qwen": QWEN}.get(arguments.settings, DEFAULTS)
    settings = read_train_settings(arguments, usual)
    settings = replace(settings, patience=arguments.patience)
    out = Path(arguments.out)
    collection = read_collection(arguments.source)
    seed_all(settings.seed)
    backbone = _load_backbone(arguments, collection)
    model = CTD(backbone, collection.axis, parts, collection.longest_reign)
    tokens = model.tokenize(
        [question.text for question in collection.questions], [record.text for record in collection.records]
    )
    task = CTDTask(
        model,
        collection,
        tokens,
        seed=settings.seed,
        mode=mode,
        search=arguments.search,
        precision=settings.precision,
        device=str(select_device(settings.device)),
    )
    if not mode.select_questions(collection, "val"):
        settings = replace(settings, metric="loss", lower_is_better=True)
    print(
        f"epochal: {len(collection.records):,} records on {collection.axis.months:,} months, "
        f"{len(task.sampler.questions):,} questions to train on, "
        f"{sum(one.numel() for one in model.parameters()):,} parameters",
        file=sys.stderr,
    )
    run = train_with_progress(task, settings, out / "run", resume=arguments.resume, label="training")
    mix, outcomes = _measure(model, collection, tokens, modes, mode, settings.precision)
    model.save(out, {"mix": mix, "search": task.search})
    elsewhere = {path: evaluate_transfer(model, path, settings.precision) for path in arguments.transfer}
    facts = {
        "settings": parts.to_dict(),
        "mix": mix,
        "transfer": {Path(path).name: outcome.to_dict() for path, outcome in elsewhere.items()},
        "run": run.to_dict(),
    }
    write_results(out, collection, outcomes, facts)
    write_report(run, out / "run", "ctd", _list_facts(collection, parts, mix, outcomes))
    (out / "run" / "card.md").replace(out / "card.md")
    for outcome in outcomes:
        print(format_result(outcome))
    for path, outcome in elsewhere.items():
        print(f"{Path(path).name} {format_result(outcome)}")
    return 0


def _load_backbone(arguments: argparse.Namespace, collection: Collection) -> Backbone:
    from epochal_lab.models.backbone import NgramBackbone, load_backbone

    if arguments.backbone != _RUNS:
        return load_backbone(arguments.backbone, pooling=arguments.pooling or _select_pooling(arguments))
    texts = [one.text for one in collection.records if one.split == "train"]
    texts += [one.text for one in collection.questions if one.split == "train"]
    return NgramBackbone.from_texts(texts, dropout=_RUNS_DROPOUT)


def _measure(
    model: CTD,
    collection: Collection,
    tokens: CollectionTokens,
    modes: list[ProtocolMode],
    mode: ProtocolMode,
    precision: str,
) -> tuple[float, list[SplitResult]]:
    """The weight of the words that is best on the validation questions, and what is found with it on both splits."""
    from epochal_lab.models.ctd.model import SEARCH_MODES
    from epochal_lab.models.ctd.searching import encode_split, search_encoded, select_mixing_weight

    searches: tuple[str, ...] = SEARCH_MODES if model.temporal.bias is not None else SEARCH_MODES[:2]
    if model.temporal.context is None:
        searches = SEARCH_MODES[:1]
    mix = 1.0
    results: list[SplitResult] = []
    records: EncodedTexts | None = None
    for split in ("val", "test"):
        if not collection.select_questions(split):
            continue
        encoded = encode_split(model, collection, tokens, split, precision, records)
        records = encoded.records
        if split == "val" and model.temporal.context is not None:
            mix, _ = select_mixing_weight(model, encoded, mode, "ctx")
        results += search_encoded(model, encoded, modes, searches, mix)
    return mix, results


def _select_pooling(arguments: argparse.Namespace) -> str | None:
    """The first token, as published, the last over Qwen, or for ours the mean, unless the folder says for itself."""
    if (Path(arguments.backbone) / "backbone.json").exists():
        return None
    return {"improved": "mean", "official-qwen": "last"}.get(arguments.settings, "cls")


def _list_facts(collection: Collection, parts: CTDSettings, mix: float, outcomes: list[SplitResult]) -> dict[str, Any]:
    from epochal_lab.models.ctd.searching import format_result

    return {
        "Data": {
            "records": f"{len(collection.records):,}",
            "questions": f"{len(collection.questions):,}",
            "axis": f"{collection.axis.name}, {collection.axis.months:,} months",
        },
        "Parts": parts.to_dict(),
        "Weight of the words beside the time": f"{mix:g}, chosen on the validation questions",
        "Measures": {line.partition(": ")[0]: line.partition(": ")[2] for line in map(format_result, outcomes)},
    }
