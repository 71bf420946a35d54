"""`epochal train annals-encoder`: an encoder of characters for classical Chinese, pretrained on plain texts."""

from __future__ import annotations

import argparse
import math
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError
from epochal_lab.cli.train import add_options, need_torch, read_train_settings, train_with_progress, write_report
from epochal_lab.models.annals.vocabulary import ModelShape, TaskSettings
from epochal_lab.models.training.settings import TrainSettings

#: How the first task is trained by default: batches of 65,000 characters bear a high rate.
DEFAULTS: Final = TrainSettings(
    epochs=20, batch_size=256, rate=7e-4, decay=0.05, warmup=0.06, clip=1.0, metric="loss", evaluate_every=1000
)
#: How the second is.
SPANS: Final = TrainSettings(epochs=1, batch_size=512, rate=1e-4, clip=1.0, metric="loss", evaluate_every=500)

_ANNALS_ENCODER_HELP = """examples:
  epochal train annals-encoder --from annals/ more.tar.xz --prepare passages.txt.xz
  epochal train annals-encoder --from annals/ --prepare a.txt.xz --exclude corpus.jsonl --exclude-where split=val,test
  epochal train annals-encoder --from passages.txt.xz -o encoder --precision bf16 --max-seconds 420 --contrastive 2000
  epochal train annals-encoder --from encoder --export small && epochal index annals --from FILE --encoder annals:small

With --prepare, texts (.txt, .txt.xz, .jsonl with "text", folders and tar archives of them) are cleaned, cut into
passages of 254 characters and written, a passage a line, with their vocabulary beside them. Without it, such files are
trained on: a masked language model first, then, with --contrastive, vectors of spans. The output is a folder of
transformers in files of 14 MB. With --max-seconds and no --max-steps, the steps that fit are measured first, so that
the rate of learning falls to zero in time.
"""


def add_annals_encoder(models: Any) -> None:
    """Add the model to the parser of `epochal train`."""
    parser = models.add_parser(
        "annals-encoder",
        help="an encoder of characters for classical Chinese",
        description="Prepare passages of classical Chinese, or pretrain an encoder on them.",
        epilog=_ANNALS_ENCODER_HELP,
    )
    parser.add_argument("--from", dest="source", nargs="+", required=True, metavar="FILE", help="texts, or passages")
    parser.add_argument("-o", "--out", metavar="DIR", help="the folder of the model to write")
    parser.add_argument(
        "--export", metavar="DIR", help="write the model of a folder in eight bits, to use as annals:DIR"
    )
    parser.add_argument("--run", dest="run_folder", metavar="DIR", help="where the run is kept; DIR/run unless given")
    making = parser.add_argument_group("preparing")
    making.add_argument("--prepare", metavar="FILE", help="write passages and train nothing")
    making.add_argument("--script", default="traditional", metavar="NAME", help="traditional (default), source or both")
    making.add_argument("--exclude", metavar="JSONL", help="leave out sentences that hold the text of a record")
    making.add_argument(
        "--exclude-where", action="append", default=[], metavar="FIELD=A,B", help="only records with such metadata"
    )
    making.add_argument("--exclude-run", type=int, default=8, metavar="N", help="texts of so many characters or more")
    making.add_argument("--exclude-parts", action="store_true", help="so many characters of a record in a row suffice")
    shape, task = ModelShape(), TaskSettings()
    model = parser.add_argument_group("model")
    model.add_argument("--vocabulary", metavar="FILE", help="a vocab.txt to use instead of the passages' characters")
    model.add_argument("--least", type=int, default=2, metavar="N", help="occurrences of a character to be known; 2")
    model.add_argument("--layers", type=int, default=shape.layers, metavar="N", help=f"{shape.layers} unless given")
    model.add_argument("--width", type=int, default=shape.width, metavar="N", help=f"{shape.width} unless given")
    model.add_argument("--heads", type=int, default=shape.heads, metavar="N", help=f"{shape.heads} unless given")
    model.add_argument(
        "--mask-rate", type=float, default=task.rate, metavar="SHARE", help="characters that are covered"
    )
    model.add_argument("--mask-span", type=float, default=task.span, metavar="N", help="mean length of covered spans")
    model.add_argument("--short", type=float, default=task.short, metavar="SHARE", help="batches cut in short pieces")
    model.add_argument("--contrastive", type=int, default=0, metavar="STEPS", help="steps of the second task; 0")
    model.add_argument("--contrastive-batch", type=int, default=SPANS.batch_size, metavar="N", help="its batch; 512")
    model.add_argument("--compile", action="store_true", help="compile the model, which takes a minute and is faster")
    model.add_argument("--half", action="store_true", help="write the weights in half precision")
    add_options(parser, DEFAULTS)
    parser.set_defaults(run=_run_annals_encoder)


def _run_annals_encoder(arguments: argparse.Namespace) -> int:
    steps = [(arguments.prepare, _prepare), (arguments.out, _train), (arguments.export, _export)]
    selected = [run for value, run in steps if value is not None]
    if len(selected) != 1:
        raise EpochalError(
            "give one of --prepare FILE (make passages), -o DIR (train on them), --export DIR (eight bits)"
        )
    return selected[0](arguments)


def _prepare(arguments: argparse.Namespace) -> int:
    from epochal.reading.scripts import build_simplified_table
    from epochal_lab.models.annals.passages import (
        Exclusion,
        collect_passages,
        read_held_out_texts,
        read_sources,
        write_passages,
    )
    from epochal_lab.models.annals.vocabulary import Vocabulary

    sources = list(read_sources([Path(path) for path in arguments.source]))
    exclusion = None
    if arguments.exclude is not None:
        texts = read_held_out_texts(Path(arguments.exclude), _parse_conditions(arguments.exclude_where))
        # Records and sources may be in different scripts, and write variants of a character.
        table = build_simplified_table("".join({*"".join(texts), *"".join(source.text for source in sources)}))
        exclusion = Exclusion(
            texts, arguments.exclude_run, whole=not arguments.exclude_parts, fold=lambda text: text.translate(table)
        )
        print(f"epochal: {len(texts):,} records, {len(exclusion):,} texts to leave out", file=sys.stderr)
    passages = collect_passages(sources, script=arguments.script, exclusion=exclusion)
    if not passages:
        raise EpochalError(f"{', '.join(arguments.source)} holds no passage of classical Chinese")
    path = Path(arguments.prepare)
    size = write_passages(path, passages)
    words = Vocabulary.from_texts(passages, arguments.least)
    words.save(path.with_name(f"{path.name.partition('.')[0]}_vocabulary"))
    characters = sum(len(passage) for passage in passages)
    print(f"{len(passages):,} passages of {characters:,} characters, {len(words):,} tokens; {size / 1e6:.2f} MB {path}")
    return 0


def _parse_conditions(conditions: list[str]) -> dict[str, set[str]]:
    parsed = {}
    for text in conditions:
        field, sign, values = text.partition("=")
        if not (field and sign and values):
            raise EpochalError(f"--exclude-where is {text!r}; accepted: FIELD=VALUE or FIELD=VALUE,VALUE")
        parsed[field] = set(values.split(","))
    return parsed


def _train(arguments: argparse.Namespace) -> int:
    need_torch("training the annals encoder")
    from epochal_lab.models.annals.export import save_model
    from epochal_lab.models.annals.passages import read_passages
    from epochal_lab.models.annals.tasks import MaskedTask, SpansTask, count_fitting_steps
    from epochal_lab.models.annals.vocabulary import Vocabulary
    from epochal_lab.models.training.checkpoint import seed_all

    settings = read_train_settings(arguments, DEFAULTS)
    out = Path(arguments.out)
    runs = Path(arguments.run_folder) if arguments.run_folder else out / "run"
    shape = ModelShape(arguments.layers, arguments.width, arguments.heads, 4 * arguments.width)
    task_settings = TaskSettings(rate=arguments.mask_rate, span=arguments.mask_span, short=arguments.short)
    texts = [text for path in arguments.source for text in read_passages(Path(path), shape.positions - 2)]
    words = (
        Vocabulary.load(Path(arguments.vocabulary))
        if arguments.vocabulary
        else Vocabulary.from_texts(texts, arguments.least)
    )
    seed_all(settings.seed)
    task = MaskedTask(texts, words, shape, task_settings, compiled=arguments.compile)
    if settings.max_seconds is not None and settings.max_steps is None:
        settings = replace(settings, max_steps=count_fitting_steps(task, settings, settings.max_seconds))
        print(f"epochal: {settings.max_steps:,} steps fit into {settings.max_seconds:g} s", file=sys.stderr)
    if settings.max_steps is not None:
        settings = replace(settings, epochs=math.ceil(settings.max_steps / task.steps_per_epoch(settings)))
    print(
        f"epochal: {len(texts):,} passages, {task.passages.characters:,} characters to learn from, "
        f"{len(words):,} tokens, {sum(one.numel() for one in task.model.parameters()):,} parameters",
        file=sys.stderr,
    )
    run = train_with_progress(task, settings, runs / "masked", resume=arguments.resume, label="guessing")
    facts: dict[str, Any] = {
        "Data": {
            "passages": f"{len(texts):,}",
            "characters to learn from": f"{task.passages.characters:,}",
            "tokens known": f"{len(words):,}",
            "files": ", ".join(Path(path).name for path in arguments.source),
        },
        "Shape": shape.to_dict(),
        "Task": task_settings.to_dict(),
    }
    if arguments.contrastive:
        second = _make_second_settings(arguments, settings)
        spans = train_with_progress(SpansTask(task), second, runs / "spans", resume=arguments.resume, label="spans")
        facts["Spans of one passage near each other"] = {"steps": spans.steps, **spans.best}
    save_model(out, task.model, words, half=arguments.half)
    write_report(run, runs / "masked", "annals-encoder", facts, about=_ABOUT)
    for phase in (path for path in (runs / "masked", runs / "spans") if path.is_dir()):
        for name in ("card.md", "log.jsonl", "run.json", "curves.png"):
            if (phase / name).exists():
                target = name if name == "card.md" else f"{phase.name}_{name}"
                shutil.copyfile(phase / name, out / target)
    print(f"{out}: loss {run.best.get('loss', math.nan):.4f}, accuracy {run.best.get('accuracy', math.nan):.4f}")
    return 0


def _export(arguments: argparse.Namespace) -> int:
    need_torch("exporting the annals encoder")
    from epochal_lab.models.annals.export import export_onnx

    if len(arguments.source) != 1:
        raise EpochalError(f"--export takes one folder of a model; --from names {len(arguments.source)}")
    exported = export_onnx(Path(arguments.source[0]), Path(arguments.export))
    print(
        f"{arguments.export}: {exported.size / 1e6:.2f} MB, version {exported.version}, "
        f"cosine to float32 {exported.mean_cosine} (least {exported.least_cosine})"
    )
    return 0


def _make_second_settings(arguments: argparse.Namespace, first: TrainSettings) -> TrainSettings:
    return replace(
        SPANS,
        batch_size=arguments.contrastive_batch,
        max_steps=arguments.contrastive,
        epochs=arguments.contrastive,  # an epoch has one step at least: the limit of steps ends it
        seed=first.seed,
        device=first.device,
        precision=first.precision,
    )


_ABOUT = """A transformer that reads classical Chinese character by character, pretrained by guessing covered
characters. Its vectors are the mean over the characters of a text, of [CLS] and of [SEP]."""
