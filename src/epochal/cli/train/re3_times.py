"""`epochal train re3-times`: sentences labelled with the date that they state, and the model that reads it."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from epochal.cli.train.running import add_options, need_torch, settings_of, train_shown, write_report
from epochal.errors import EpochalError, InputError
from epochal.models.training.settings import TrainSettings

__all__ = ["DEFAULTS", "add"]

#: How the model is trained unless told otherwise. A backbone that knows words but no dates bears a high rate.
DEFAULTS: Final = TrainSettings(epochs=4, batch_size=128, rate=2e-4, clip=1.0, metric="exact", lower_is_better=False)

_HELP = """examples:
  epochal train re3-times --label news.jsonl --templates 100000 -o labelled.jsonl.gz
  epochal train re3-times --from labelled.jsonl.gz --backbone minilm -o times

First --label reads texts (JSON lines with "text", "question" or "query"; plain or gzipped), keeps the sentences in
which the rules of Epochal find just one date or none, and writes them with their labels; --templates adds sentences of
our own. Then --from trains on such a file: the backbone is a folder of transformers, and the model's folder gets
config.json, model.safetensors, backbone/, card.md and the log. Training needs the extra train; labelling does not.
"""
_TEXT_KEYS = ("text", "question", "query")


def add(models: Any) -> None:
    """Add the model to the parser of `epochal train`.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["re3-times", "--from", "a.jsonl", "--backbone", "minilm", "-o", "times"]).backbone
    'minilm'
    """
    parser = models.add_parser(
        "re3-times",
        help="Re3's reading of times: an encoder with a head for each part of a date",
        description="Label sentences with the date that they state, or train the model that reads it.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-o", "--out", required=True, metavar="PATH", help="the file or the folder to write")
    making = parser.add_argument_group("labelling")
    making.add_argument("--label", action="append", default=[], metavar="FILE", help="texts to label; may be repeated")
    making.add_argument("--templates", type=int, default=0, metavar="N", help="so many sentences of our own")
    making.add_argument("--most", type=int, metavar="N", help="at most so many rows of real texts, re-dated ones too")
    making.add_argument("--redated", type=int, default=1, metavar="N", help="copies with other dates; 1 unless given")
    making.add_argument(
        "--without", action="append", default=[], metavar="BEIR_DIR", help="leave out sentences of this set"
    )
    model = parser.add_argument_group("model")
    model.add_argument("--from", dest="source", metavar="FILE", help="labelled sentences to train on")
    model.add_argument("--backbone", metavar="DIR", help="a folder of transformers")
    model.add_argument("--pooling", default="mean", metavar="HOW", help="cls, mean or last; mean unless given")
    model.add_argument("--max-length", type=int, default=96, metavar="N", help="tokens of a text; 96 unless given")
    model.add_argument("--absent", default="class", metavar="HOW", help="what no month or day teaches: class or masked")
    model.add_argument("--rows", type=int, metavar="N", help="train and measure on so many rows, drawn by chance")
    model.add_argument("--half", action="store_true", help="save the backbone in half precision")
    add_options(parser, DEFAULTS)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    labelling = bool(arguments.label or arguments.templates)
    if labelling == (arguments.source is not None):
        raise EpochalError("give either --label or --templates, to label sentences, or --from, to train on them")
    if labelling:
        return _label(arguments)
    if arguments.backbone is None:
        raise EpochalError("training needs --backbone DIR; accepted: a folder of transformers with config.json")
    return _train(arguments)


# -------------------------------------------------------------------- labelling


def _label(arguments: argparse.Namespace) -> int:
    from itertools import chain, islice

    from epochal.cli.opening import check_output
    from epochal.files import StagedFiles
    from epochal.models.re3.times.labelling import labelled, redated
    from epochal.models.re3.times.rows import Row, write_rows
    from epochal.models.re3.times.templates import sentences

    check_output(arguments.out)
    seed = DEFAULTS.seed if arguments.seed is None else arguments.seed
    kept_out = _sentences_of(arguments.without)
    counts: dict[str, int] = {}

    def told(rows: Iterator[Row], name: str) -> Iterator[Row]:
        for row in rows:
            counts[name] = counts.get(name, 0) + 1
            yield row

    def real() -> Iterator[Row]:
        for path in arguments.label:
            name = Path(path).name.partition(".")[0]
            found = (row for row in labelled(_texts(path), name) if row.text not in kept_out)
            yield from told(redated(found, arguments.redated, seed), name)

    rows = chain(islice(real(), arguments.most), told(sentences(arguments.templates, seed), "templates"))
    with StagedFiles() as staged, staged.open(Path(arguments.out)) as file:
        count = write_rows(rows, file, packed=arguments.out.endswith(".gz"))
    shown = ", ".join(f"{name} {number:,}" for name, number in counts.items())
    print(f"{count:,} labelled sentences in {arguments.out}: {shown or 'none'}")
    return 0


def _texts(path: str) -> Iterator[str]:
    from epochal.index.inputs.jsonl import json_rows
    from epochal.index.inputs.rows import Meter

    for row in json_rows(Path(path), path, Meter(0)):
        if row.problem is not None:
            raise InputError(path, row.line, row.problem)
        text = next((row.values[key] for key in _TEXT_KEYS if isinstance(row.values.get(key), str)), None)
        if text is None:
            raise InputError(path, row.line, f"the row has no text; accepted: a text under {', '.join(_TEXT_KEYS)}")
        yield text


def _sentences_of(folders: list[str]) -> set[str]:
    """All sentences of the questions and documents of sets, which are to be measured on later."""
    from epochal.index.inputs import read, read_queries
    from epochal.index.splitting import units

    found = set()
    for folder in folders:
        texts = [query.text for query in read_queries(folder)]
        texts += [document.text for document in read(folder, format="beir")]
        for text in texts:
            found |= {" ".join(text[start:end].split()) for start, end in units(text)}
            found.add(" ".join(text.split()))
    return found


# -------------------------------------------------------------------- training


def _train(arguments: argparse.Namespace) -> int:
    from epochal.models.re3.times.label import NONE
    from epochal.models.re3.times.losses import LossSettings
    from epochal.models.re3.times.rows import read_rows, split

    need_torch("training re3-times")
    settings = settings_of(arguments, DEFAULTS)
    loss = LossSettings(absent=arguments.absent)
    rows, held = split(read_rows(Path(arguments.source)))
    if arguments.rows is not None:
        chance = random.Random(settings.seed)
        rows, held = (chance.sample(part, min(arguments.rows, len(part))) for part in (rows, held))

    from epochal.models.backbone import load_backbone
    from epochal.models.re3.times.model import TimeReader
    from epochal.models.re3.times.task import TimesTask
    from epochal.models.training.seeds import seed_all

    out = Path(arguments.out)
    seed_all(settings.seed)  # the heads begin by chance
    reader = TimeReader(load_backbone(arguments.backbone, arguments.pooling, arguments.max_length), arguments.absent)
    task = TimesTask(reader, rows, held, loss)
    run = train_shown(task, settings, out, resume=arguments.resume, label="re3-times")
    reader.cpu().save(out, half=arguments.half)
    facts = {
        "Data": {
            "sentences to train on": f"{len(rows):,}",
            "sentences to measure on": f"{len(held):,}, of groups that are not trained on",
            "with a date": f"{sum(row.label != NONE for row in rows):,}",
            "backbone": Path(arguments.backbone).name,
            "pooling": arguments.pooling,
        },
        "Loss": loss.to_dict(),
    }
    write_report(run, out, "re3-times", facts, about="Reads the one date that a text states, as Re3 does.")
    shown = ", ".join(f"{name} {value:.4f}" for name, value in run.best.items())
    print(f"{out}: {shown}")
    return 0
