"""`epochal train re3` and `re3-times`: a scorer of text and time, and a reader of dates in sentences."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epochal.cli.common import check_output, ingest, open_for_adding, progress_bar
from epochal.errors import EpochalError, InputError
from epochal_lab.cli.train import add_options, need_torch, read_train_settings, train_with_progress, write_report
from epochal_lab.models.re3.settings import DROPOUT, IMPROVED, PARITY
from epochal_lab.models.training.settings import TrainSettings

if TYPE_CHECKING:
    from epochal.api import Index
    from epochal.storage.importers.beir import QueryRow
    from epochal_lab.models.re3.pools import Pools

    _Queries = tuple[list[QueryRow], dict[str, dict[str, int]]]

_RE3_HELP = """examples:
  epochal train re3 --from rel --from hyb -o model
  epochal train re3 --from rel -o parity --parity --set gate=off
  epochal search news "Who owned the house in 1918?" --scorer re3:model
  epochal search news "Who owned the house in 1918?" --scorer gate+re3:model

Each folder has corpus.jsonl, queries.jsonl and qrels/ with train.tsv and dev.tsv. Each is indexed, its questions are
searched, and the model learns to rank what was found; the encoder stays as it is. The best model by the share of
development questions whose first document is right is kept, and with it the weight that it gets beside the gate.
--parity trains the model of the paper (10 epochs, batches of 64, a rate of 0.001); --set changes any of its settings.
"""


def add_re3(models: Any) -> None:
    """Add the model to the parser of `epochal train`."""
    parser = models.add_parser(
        "re3",
        help="Re3: a scorer of text and time together",
        description="Train a scorer of text and time together on questions with known answers.",
        epilog=_RE3_HELP,
    )
    parser.add_argument("--from", dest="source", action="append", required=True, metavar="BEIR_DIR", help="questions")
    parser.add_argument("-o", "--out", required=True, metavar="DIR", help="the folder of the model")
    parser.add_argument("--encoder", metavar="NAME", help="what turns texts into vectors")
    parser.add_argument("--index", metavar="DIR", help="keep the indexes in this folder, or use those that are there")
    parser.add_argument("--pools", metavar="DIR", help="keep the pools of questions in this folder, or use them")
    parser.add_argument("--train-split", default="train", metavar="NAME", help="file of qrels/; train unless given")
    parser.add_argument("--dev-split", default="dev", metavar="NAME", help="file of qrels/; dev unless given")
    parser.add_argument("--most", type=int, metavar="N", help="so many training questions of a set, drawn by chance")
    parser.add_argument("--parity", action="store_true", help="the model of the paper")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the model")
    parser.add_argument(
        "--dropout",
        type=float,
        metavar="SHARE",
        help=f"take timestamps away from this share of questions; {DROPOUT} unless given, 0 with --parity",
    )
    add_options(parser, IMPROVED)
    parser.set_defaults(run=_run_re3)


def _run_re3(arguments: argparse.Namespace) -> int:
    need_torch("training re3")
    from epochal.storage.importers.read import read
    from epochal_lab.models.re3.settings import Re3Settings
    from epochal_lab.models.re3.task import select_trainable
    from epochal_lab.models.re3.training import HoldoutSet, compute_repeats, train_re3
    from epochal_lab.models.training.settings import count_steps

    changes = dict(_parse_setting(text) for text in arguments.set)
    base = (Re3Settings.parity() if arguments.parity else Re3Settings.improved()).to_dict()
    settings = Re3Settings.from_dict({**base, **changes})
    training = read_train_settings(arguments, PARITY if arguments.parity else IMPROVED)
    dropout = arguments.dropout if arguments.dropout is not None else (0.0 if arguments.parity else DROPOUT)
    words = settings.encoding == "difference"
    out = Path(arguments.out)
    queries = [_read_queries(arguments, source, training.seed) for source in arguments.source]
    with ExitStack() as stack:
        home = Path(arguments.index or stack.enter_context(tempfile.TemporaryDirectory(prefix="epochal-")))
        sets, dev, held = [], [], []
        for source, (learned, dev_queries) in zip(arguments.source, queries, strict=True):
            index = stack.enter_context(open_for_adding(home / Path(source).resolve().name, arguments.encoder))
            print(f"epochal: {ingest(index, read(source, format='beir'), 'indexing')}", file=sys.stderr)
            sets.append(_load_pools(arguments, index, source, arguments.train_split, learned, words))
            dev.append(_load_pools(arguments, index, source, arguments.dev_split, dev_queries, words))
            held.append(HoldoutSet(index, *dev_queries))
        sizes = [len(select_trainable(pools)) for pools in sets]
        questions = sum(size * times for size, times in zip(sizes, compute_repeats(sizes), strict=True))
        with progress_bar("re3", count_steps(training, -(-questions // training.batch_size))) as move_bar:
            result = train_re3(
                settings,
                training,
                sets,
                dev,
                out,
                dropout=dropout,
                held=held,
                resume=arguments.resume,
                progress=lambda done, total, note: move_bar(done, f"{note}, {done:,}/{total:,}"),
            )
    facts = {
        "Data": {
            Path(source).resolve().name: f"{len(train):,} questions to train on, {len(other):,} to choose by"
            for source, train, other in zip(arguments.source, sets, dev, strict=True)
        },
        "Encoder": result.model.encoder,
        "Settings of the model": settings.to_dict(),
        "Weight beside the parts of the gate": dict(result.model.mixing_weights),
    }
    write_report(result.run, out, "re3", facts, about="Ranks candidates by text and time together.")
    output = ", ".join(f"{name} {value:.4f}" for name, value in result.run.best.items())
    beside = ", ".join(f"{kind} {value:g}" for kind, value in result.model.mixing_weights.items())
    print(f"{out}: {output}; beside the gate: {beside}")
    return 0


def _parse_setting(text: str) -> tuple[str, Any]:
    name, mark, value = text.partition("=")
    if not mark:
        raise EpochalError(f"--set {text} names no value; accepted: NAME=VALUE, such as gate=scalar or depth=50")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _read_queries(arguments: argparse.Namespace, source: str, seed: int) -> tuple[_Queries, _Queries]:
    """The questions to train on and to choose by; what is missing is complained of before anything is indexed."""
    return (
        _read_split(source, arguments.train_split, arguments.most, seed),
        _read_split(source, arguments.dev_split, None, seed),
    )


def _read_split(source: str, split: str, most: int | None, seed: int) -> _Queries:
    """The questions of a split that have answers, at most so many, and all its judgements."""
    from epochal.storage.importers.beir import read_qrels, read_queries

    answers = read_qrels(Path(source) / "qrels" / f"{split}.tsv")
    queries = [query for query in read_queries(source) if answers.get(query.id)]
    if not queries:
        raise EpochalError(f"none of the questions of {source} has an answer in qrels/{split}.tsv")
    if most is not None and most < len(queries):
        positions = sorted(random.Random(seed).sample(range(len(queries)), max(most, 1)))
        queries = [queries[position] for position in positions]
    return queries, answers


def _load_pools(
    arguments: argparse.Namespace, index: Index, source: str, split: str, judged_queries: _Queries, words: bool
) -> Pools:
    """The pools of questions: read where they are kept, else collected."""
    from epochal_lab.models.re3.pools import collect_pools, read_pools, write_pools

    path = None
    if arguments.pools:
        path = Path(arguments.pools) / f"{Path(source).resolve().name}-{split}.npz"
        if path.exists():
            return read_pools(path)
    queries, answers = judged_queries
    with progress_bar(f"gathering {split}", len(queries)) as move_bar:
        done = 0

        def report(count: int) -> None:
            nonlocal done
            done += count
            move_bar(done, f"{done:,} of {len(queries):,} questions")

        pools = collect_pools(index, queries, answers, words=words, progress=report)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_pools(path, pools)
    return pools


#: How the model is trained by default. A backbone that knows words but no dates bears a high rate.
DEFAULTS: Final = TrainSettings(epochs=4, batch_size=128, rate=2e-4, clip=1.0, metric="exact", lower_is_better=False)

_RE3_TIMES_HELP = """examples:
  epochal train re3-times --label news.jsonl --templates 100000 -o labelled.jsonl.gz
  epochal train re3-times --from labelled.jsonl.gz --backbone minilm -o times

First --label reads texts (JSON lines with "text", "question" or "query"; plain or gzipped), keeps the sentences in
which the rules of Epochal find just one date or none, and writes them with their labels; --templates adds sentences of
our own. Then --from trains on such a file: the backbone is a folder of transformers, and the model's folder gets
config.json, model.safetensors, backbone/, card.md and the log. Training needs the extra train; labelling does not.
"""
_TEXT_KEYS = ("text", "question", "query")


def add_re3_times(models: Any) -> None:
    """Add the model to the parser of `epochal train`."""
    parser = models.add_parser(
        "re3-times",
        help="Re3's reading of times: an encoder with a head for each part of a date",
        description="Label sentences with the date that they state, or train the model that reads it.",
        epilog=_RE3_TIMES_HELP,
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
    parser.set_defaults(run=_run_re3_times)


def _run_re3_times(arguments: argparse.Namespace) -> int:
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

    from epochal.files import StagedFiles
    from epochal_lab.models.re3.times.labels import LabelledSentence, write_rows
    from epochal_lab.models.re3.times.sentences import generate_sentences, label_sentences, redate_sentences

    check_output(arguments.out)
    seed = DEFAULTS.seed if arguments.seed is None else arguments.seed
    kept_out = _read_sentences(arguments.without)
    counts: dict[str, int] = {}

    def count_rows(rows: Iterator[LabelledSentence], name: str) -> Iterator[LabelledSentence]:
        for row in rows:
            counts[name] = counts.get(name, 0) + 1
            yield row

    def real() -> Iterator[LabelledSentence]:
        for path in arguments.label:
            name = Path(path).name.partition(".")[0]
            real_rows = (row for row in label_sentences(_read_texts(path), name) if row.text not in kept_out)
            yield from count_rows(redate_sentences(real_rows, arguments.redated, seed), name)

    rows = chain(islice(real(), arguments.most), count_rows(generate_sentences(arguments.templates, seed), "templates"))
    with StagedFiles() as staged, staged.open(Path(arguments.out)) as file:
        count = write_rows(rows, file, packed=arguments.out.endswith(".gz"))
    output = ", ".join(f"{name} {number:,}" for name, number in counts.items())
    print(f"{count:,} labelled sentences in {arguments.out}: {output or 'none'}")
    return 0


def _read_texts(path: str) -> Iterator[str]:
    from epochal.storage.importers.rows import Meter, json_rows

    for row in json_rows(Path(path), path, Meter(0)):
        if row.problem is not None:
            raise InputError(path, row.line, row.problem)
        text = next((row.values[key] for key in _TEXT_KEYS if isinstance(row.values.get(key), str)), None)
        if text is None:
            raise InputError(path, row.line, f"the row has no text; accepted: a text under {', '.join(_TEXT_KEYS)}")
        yield text


def _read_sentences(folders: list[str]) -> set[str]:
    """All sentences of the questions and documents of sets, which are to be measured on later."""
    from epochal.storage.importers.beir import read_queries
    from epochal.storage.importers.read import read
    from epochal.storage.text import units

    sentences = set()
    for folder in folders:
        texts = [query.text for query in read_queries(folder)]
        texts += [document.text for document in read(folder, format="beir")]
        for text in texts:
            sentences |= {" ".join(text[start:end].split()) for start, end in units(text)}
            sentences.add(" ".join(text.split()))
    return sentences


# -------------------------------------------------------------------- training


def _train(arguments: argparse.Namespace) -> int:
    from epochal_lab.models.re3.times.labels import NONE, read_rows, split_rows
    from epochal_lab.models.re3.times.model import LossSettings

    need_torch("training re3-times")
    settings = read_train_settings(arguments, DEFAULTS)
    loss = LossSettings(absent=arguments.absent)
    rows, held = split_rows(read_rows(Path(arguments.source)))
    if arguments.rows is not None:
        chance = random.Random(settings.seed)
        rows, held = (chance.sample(part, min(arguments.rows, len(part))) for part in (rows, held))

    from epochal_lab.models.backbone import load_backbone
    from epochal_lab.models.re3.times.model import TimeReader, TimesTask
    from epochal_lab.models.training.checkpoint import seed_all

    out = Path(arguments.out)
    seed_all(settings.seed)  # the heads begin by chance
    reader = TimeReader(load_backbone(arguments.backbone, arguments.pooling, arguments.max_length), arguments.absent)
    task = TimesTask(reader, rows, held, loss)
    run = train_with_progress(task, settings, out, resume=arguments.resume, label="re3-times")
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
    output = ", ".join(f"{name} {value:.4f}" for name, value in run.best.items())
    print(f"{out}: {output}")
    return 0
