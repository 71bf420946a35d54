"""`epochal train scorer`: fit the relevance model of the engine, and report it on corpora left out."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epochal.cli.common import check_output

if TYPE_CHECKING:
    from epochal.ranking.relevance import RelevanceModel
    from epochal_lab.datasets.timed.questions import TimedQuestion
    from epochal_lab.models.relevance import RelevanceExample

_HELP: Final = """examples:
  epochal train scorer -o relevance.json
  epochal train scorer --corpus changelogs --corpus law_asof --corpus current_events --leave-out -o relevance.json

The questions are made from the data folder (EPOCHAL_DATA), over each corpus. Questions of the other corpora are asked
of each one, too: there, their topic is unknown. With --leave-out the model is fitted once more without each corpus,
reported on it, and written beside the other (relevance-without-changelogs.json); probabilities of hits and outcomes are
then calibrated by searches of each corpus with the model that has not seen it.
"""
#: Corpora whose documents are read as they are; annals need a reader of sequences.
_CORPORA: Final = (
    "changelogs", "current_events", "law_asof", "tdbench", "terms", "forecasts", "timeqa", "tnp", "chronoqa", "scifact",
)  # fmt: skip
#: Questions of other corpora, as a share of those of a corpus.
_FOREIGN: Final = 6
#: More questions without an answer, as a share.
_UNANSWERABLE: Final = 3


def add_scorer(models: Any) -> None:
    """Add the model to the parser."""
    parser = models.add_parser(
        "scorer",
        help="the relevance probabilities of the default scorer",
        description="Fit the probabilities of topic and time to questions made over several corpora.",
        epilog=_HELP,
    )
    parser.add_argument("--corpus", action="append", metavar="NAME", help="a corpus; all unless given")
    parser.add_argument("--questions", type=int, default=160, metavar="N", help="of each corpus; 160 unless given")
    parser.add_argument("--encoder", default="static", metavar="NAME", help="what turns texts into vectors")
    parser.add_argument("--index", metavar="DIR", help="keep the indexes in this folder, or use those that are there")
    parser.add_argument("--leave-out", action="store_true", help="report each corpus with a model fitted without it")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of all random numbers; 0 unless given")
    parser.add_argument("-o", "--out", required=True, metavar="FILE", help="the model to write, as JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.api import Index
    from epochal_lab.datasets.timed.corpora import load_corpus
    from epochal_lab.models.calibration import SearchRows, collect_searches, fit_calibration
    from epochal_lab.models.relevance import collect_examples, fit_relevance, summarise

    check_output(arguments.out)
    names = arguments.corpus or list(_CORPORA)
    corpora = {name: load_corpus(name, seed=arguments.seed) for name in names}
    samples = {name: _sample(corpus.select("train"), arguments) for name, corpus in corpora.items()}
    sets: dict[str, list[RelevanceExample]] = {}
    searches: dict[str, SearchRows] = {}
    with ExitStack() as stack:
        home = Path(arguments.index or stack.enter_context(tempfile.TemporaryDirectory(prefix="epochal-")))
        for name, corpus in corpora.items():
            folder = home / name
            if not folder.exists():
                folder.parent.mkdir(parents=True, exist_ok=True)
                with Index.create(folder, encoder=arguments.encoder) as index:
                    index.add(list(corpus.documents))
            foreign = [item for other in names if other != name for item in samples[other] if item.answerable]
            foreign = random.Random(arguments.seed).sample(foreign, min(len(foreign), arguments.questions // _FOREIGN))
            samples[name] += [_make_foreign(item, name) for item in foreign]
            with Index.open(folder) as index:
                sets[name] = collect_examples(index, samples[name])
            print(f"epochal: {name}: {len(sets[name])} questions", file=sys.stderr)
        model = fit_relevance(sets, arguments.seed)
        left_out: dict[str, RelevanceModel] = {}
        for name, items in sets.items():
            others = {other: rows for other, rows in sets.items() if other != name}
            if arguments.leave_out and others:
                left_out[name] = fit_relevance(others, arguments.seed)
                print(json.dumps({"left_out": name, **summarise(left_out[name], items)}))
            else:
                print(json.dumps({"corpus": name, **summarise(model, items)}))
            with Index.open(home / name) as index:
                searches[name] = collect_searches(index, samples[name], left_out.get(name, model))
    _write(fit_calibration(model, searches), Path(arguments.out))
    for name, left in left_out.items():
        others_searched = {other: rows for other, rows in searches.items() if other != name}
        _write(fit_calibration(left, others_searched), name_left_out(Path(arguments.out), name))
    return 0


def name_left_out(path: Path, corpus: str) -> Path:
    """The file of the model that was fitted without a corpus: beside that of the whole model."""
    return path.with_name(f"{path.stem}-without-{corpus}{path.suffix}")


def _write(model: RelevanceModel, path: Path) -> None:
    from epochal.files import StagedFiles

    with StagedFiles() as staged, staged.open(path) as file:
        file.write(f"{json.dumps(model.to_dict(), indent=1)}\n".encode())


def _sample(corpus: Any, arguments: argparse.Namespace) -> list[TimedQuestion]:
    """Questions of every kind, and more of those that have no answer."""
    sample: list[TimedQuestion] = list(corpus.sample(arguments.questions, arguments.seed).questions)
    taken = {item.id for item in sample}
    others = [item for item in corpus.questions if not item.answerable and item.id not in taken]
    count = min(len(others), arguments.questions // _UNANSWERABLE)
    return [*sample, *random.Random(arguments.seed).sample(others, count)]


def _make_foreign(question: TimedQuestion, corpus: str) -> TimedQuestion:
    """A question of another corpus, whose topic this one does not have."""
    return replace(
        question,
        corpus=corpus,
        kind="absent_name",
        outcome="topic_unknown",
        relevant=frozenset(),
        on_topic=None,
        unjudged=frozenset(),
        absent="",
    )
