"""`epochal train re3`: a scorer of text and time together, trained on questions with known answers."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epochal.cli.train.running import add_options, need_torch, settings_of, write_report
from epochal.errors import EpochalError
from epochal.models.re3.recipes import DROPOUT, IMPROVED, PARITY

if TYPE_CHECKING:
    from epochal.engine.index import Index
    from epochal.index.inputs import QueryRow
    from epochal.models.re3.pools import Pools

    _Asked = tuple[list[QueryRow], dict[str, dict[str, int]]]

__all__ = ["add"]

_HELP = """examples:
  epochal train re3 --from rel --from hyb -o model
  epochal train re3 --from rel -o parity --parity --set gate=off
  epochal search news "Who owned the house in 1918?" --scorer re3:model
  epochal search news "Who owned the house in 1918?" --scorer gate+re3:model

Each folder has corpus.jsonl, queries.jsonl and qrels/ with train.tsv and dev.tsv. Each is indexed, its questions are
searched, and the model learns to rank what was found; the encoder stays as it is. The best model by the share of
development questions whose first document is right is kept, and with it the weight that it gets beside the gate.
--parity trains the model of the paper (10 epochs, batches of 64, a rate of 0.001); --set changes any of its settings.
"""


def add(models: Any) -> None:
    """Add the model to the parser of `epochal train`.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["re3", "--from", "rel", "-o", "model", "--set", "gate=off"]).set
    ['gate=off']
    """
    parser = models.add_parser(
        "re3",
        help="Re3: a scorer of text and time together",
        description="Train a scorer of text and time together on questions with known answers.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
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
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    need_torch("training re3")
    from epochal.cli.opening import filled, ingest
    from epochal.cli.progress import progress_bar
    from epochal.index.inputs import read
    from epochal.models.re3.beside import Held
    from epochal.models.re3.task import useful
    from epochal.models.re3.training import repeats, train_re3
    from epochal.models.training.schedule import total_steps
    from epochal.ranking.learned.settings import Re3Settings

    changes = dict(_setting(text) for text in arguments.set)
    base = (Re3Settings.parity() if arguments.parity else Re3Settings.improved()).to_dict()
    settings = Re3Settings.from_dict({**base, **changes})
    training = settings_of(arguments, PARITY if arguments.parity else IMPROVED)
    dropout = arguments.dropout if arguments.dropout is not None else (0.0 if arguments.parity else DROPOUT)
    words = settings.encoding == "difference"
    out = Path(arguments.out)
    asked = [_asked(arguments, source, training.seed) for source in arguments.source]
    with ExitStack() as stack:
        home = Path(arguments.index or stack.enter_context(tempfile.TemporaryDirectory(prefix="epochal-")))
        sets, dev, held = [], [], []
        for source, (learned, chosen) in zip(arguments.source, asked, strict=True):
            index = stack.enter_context(filled(home / Path(source).resolve().name, arguments.encoder))
            print(f"epochal: {ingest(index, read(source, format='beir'), 'indexing')}", file=sys.stderr)
            sets.append(_pools(arguments, index, source, arguments.train_split, learned, words))
            dev.append(_pools(arguments, index, source, arguments.dev_split, chosen, words))
            held.append(Held(index, *chosen))
        sizes = [len(useful(pools)) for pools in sets]
        questions = sum(size * times for size, times in zip(sizes, repeats(sizes), strict=True))
        with progress_bar("re3", total_steps(training, -(-questions // training.batch_size))) as tell:
            made = train_re3(
                settings,
                training,
                sets,
                dev,
                out,
                dropout=dropout,
                held=held,
                resume=arguments.resume,
                progress=lambda done, total, note: tell(done, f"{note}, {done:,}/{total:,}"),
            )
    facts = {
        "Data": {
            Path(source).resolve().name: f"{len(train):,} questions to train on, {len(other):,} to choose by"
            for source, train, other in zip(arguments.source, sets, dev, strict=True)
        },
        "Encoder": made.model.encoder,
        "Settings of the model": settings.to_dict(),
        "Weight beside the parts of the gate": dict(made.model.beside),
    }
    write_report(made.run, out, "re3", facts, about="Ranks candidates by text and time together.")
    shown = ", ".join(f"{name} {value:.4f}" for name, value in made.run.best.items())
    beside = ", ".join(f"{kind} {value:g}" for kind, value in made.model.beside.items())
    print(f"{out}: {shown}; beside the gate: {beside}")
    return 0


def _setting(text: str) -> tuple[str, Any]:
    name, mark, value = text.partition("=")
    if not mark:
        raise EpochalError(f"--set {text} names no value; accepted: NAME=VALUE, such as gate=scalar or depth=50")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _asked(arguments: argparse.Namespace, source: str, seed: int) -> tuple[_Asked, _Asked]:
    """The questions to train on and to choose by; what is missing is complained of before anything is indexed."""
    return (
        _of_split(source, arguments.train_split, arguments.most, seed),
        _of_split(source, arguments.dev_split, None, seed),
    )


def _of_split(source: str, split: str, most: int | None, seed: int) -> _Asked:
    """The questions of a split that have answers, at most so many, and all its judgements."""
    from epochal.index.inputs import read_qrels, read_queries

    answers = read_qrels(Path(source) / "qrels" / f"{split}.tsv")
    queries = [query for query in read_queries(source) if answers.get(query.id)]
    if not queries:
        raise EpochalError(f"none of the questions of {source} has an answer in qrels/{split}.tsv")
    if most is not None and most < len(queries):
        places = sorted(random.Random(seed).sample(range(len(queries)), max(most, 1)))
        queries = [queries[place] for place in places]
    return queries, answers


def _pools(arguments: argparse.Namespace, index: Index, source: str, split: str, asked: _Asked, words: bool) -> Pools:
    """The pools of questions: read where they are kept, else collected."""
    from epochal.cli.progress import progress_bar
    from epochal.models.re3.pools import collect_pools, read_pools, write_pools

    path = None
    if arguments.pools:
        path = Path(arguments.pools) / f"{Path(source).resolve().name}-{split}.npz"
        if path.exists():
            return read_pools(path)
    queries, answers = asked
    with progress_bar(f"gathering {split}", len(queries)) as tell:
        done = 0

        def told(count: int) -> None:
            nonlocal done
            done += count
            tell(done, f"{done:,} of {len(queries):,} questions")

        found = collect_pools(index, queries, answers, words=words, progress=told)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_pools(path, found)
    return found
