"""`epochal train scorer`: fit the relevance model of the engine, and report it on corpora left out."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import ExitStack
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epochal.cli.common import check_output
from epochal.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epochal.ranking.relevance import RelevanceModel

_HELP: Final = """examples:
  epochal train scorer -o relevance.json
  epochal train scorer --corpus changelogs --corpus law_asof --corpus current_events --leave-out -o relevance.json
  epochal train scorer --leave-out --keep relevance.json -o calibrated.json

The questions are made from the data folder (EPOCHAL_DATA), over each corpus. Questions of the other corpora are asked
of each one, too: there, their topic is unknown. Questions in other words than the documents', over small collections
that come with the laboratory, say how sure an unknown topic is. With --leave-out the model is fitted once more without
each corpus, reported on it, and written beside the other (relevance-without-changelogs.json); probabilities of hits and
outcomes are then calibrated by searches of each corpus with the model that has not seen it. With --keep the given model
and those without a corpus that lie beside it stay as they are, but for these probabilities. What the model was trained
on is written beside it (relevance-training.json).
"""


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
    parser.add_argument("--keep", metavar="FILE", help="fit only the probabilities of hits and outcomes of this model")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes; 1 unless given")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of all random numbers; 0 unless given")
    parser.add_argument("-o", "--out", required=True, metavar="FILE", help="the model to write, as JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.files import StagedFiles
    from epochal_lab.models.scorer_training import CORPORA, ScorerTraining

    check_output(arguments.out)
    names = tuple(dict.fromkeys(arguments.corpus or CORPORA))
    kept = {} if arguments.keep is None else _read_kept(Path(arguments.keep), names)
    with ExitStack() as stack:
        home = Path(arguments.index or stack.enter_context(tempfile.TemporaryDirectory(prefix="epochal-")))
        home.mkdir(parents=True, exist_ok=True)
        training = ScorerTraining(
            names,
            home,
            questions=arguments.questions,
            encoder=arguments.encoder,
            seed=arguments.seed,
            jobs=arguments.jobs,
            kept=kept,
        )
        fitted = training.run(leave_out=arguments.leave_out, report=lambda text: print(text, file=sys.stderr))
    for row in fitted.summaries:
        print(json.dumps(row))
    files = {Path(arguments.out): fitted.model}
    files |= {name_left_out(Path(arguments.out), name): model for name, model in fitted.left_out.items()}
    contents = {path: model.to_dict() for path, model in files.items()}
    out = Path(arguments.out)
    contents[out.with_name(f"{out.stem}-training{out.suffix}")] = {
        "questions": arguments.questions,
        "split": "train",
        "encoder": arguments.encoder,
        "seed": arguments.seed,
        "kept": sorted(name or "all" for name in kept),
        "corpora": fitted.summaries,
    }
    for path, content in contents.items():
        with StagedFiles() as staged, staged.open(path) as file:
            file.write(f"{json.dumps(content, indent=1)}\n".encode())
    return 0


def _read_kept(path: Path, names: Sequence[str]) -> dict[str, RelevanceModel]:
    """The model of a file, and those without a corpus that lie beside it, by its name."""
    beside = {name: name_left_out(path, name) for name in names}
    return {name: _read_uncalibrated(at) for name, at in {"": path, **beside}.items() if not name or at.exists()}


def _read_uncalibrated(path: Path) -> RelevanceModel:
    """The model of a file without its probabilities of hits and outcomes, whose features may be others by now."""
    from epochal.ranking.relevance import RelevanceModel

    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(fspath(path), 0, f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(
            fspath(path), 0, f"is not JSON: {error}; accepted: what `epochal train scorer` writes"
        ) from error
    return RelevanceModel.from_dict({name: part for name, part in data.items() if name not in ("hit", "outcome")})


def name_left_out(path: Path, corpus: str) -> Path:
    """The file of the model that was fitted without a corpus: beside that of the whole model."""
    return path.with_name(f"{path.stem}-without-{corpus}{path.suffix}")
