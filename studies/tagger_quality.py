"""How well does the tagger find and normalise time expressions, as TempEval-3 counts, on news, history and tweets?

    python studies/tagger_quality.py                                 all three folders; writes the result
    python studies/tagger_quality.py --only tbaq --errors 40         one folder and its mistakes; writes nothing
    python studies/tagger_quality.py --only tbaq --fold even --errors 40 --what value --kind DURATION

Makes the table of time expressions in docs/results/reading.md. Reads timex from EPOCHAL_DATA.
"""

from __future__ import annotations

import argparse
import importlib
import random
import time
from pathlib import Path

from _data import find_data
from _record import Row, save, skip

from epochal.reading.expression import KINDS
from epochal.reading.timeml import read_timeml
from epochal_lab.metrics.texts import ERROR_CLASSES, AnnotatedText, TagScores, score_tags

FOLDERS = ("tbaq", "wikiwars-train", "tweets-train")
FOLDS = ("all", "even", "odd")
SEED = 7
TAGGER = "epochal.reading.tagger:tag"
Pair = tuple[AnnotatedText, AnnotatedText]


def tag_folder(folder: Path, tagger: str) -> tuple[list[Pair], float]:
    """Gold and system for every document in order of name, and the seconds that tagging took."""
    module, _, name = tagger.partition(":")
    tag = getattr(importlib.import_module(module), name)
    if isinstance(tag, type):
        tag = tag().tag
    files = sorted(folder.glob("*.tml"))
    if not files:
        skip(f"{folder} has no .tml files")
    documents = [(file.name, read_timeml(file.read_bytes())) for file in files]
    began = time.perf_counter()
    tagged = [tag(document.text, now=document.dct) for _, document in documents]
    seconds = time.perf_counter() - began
    return [
        (AnnotatedText(name, document.text, document.gold), AnnotatedText(name, document.text, expressions))
        for (name, document), expressions in zip(documents, tagged, strict=True)
    ], seconds


def select_fold(documents: list[Pair], fold: str) -> list[Pair]:
    return documents[{"all": 0, "even": 0, "odd": 1}[fold] :: 1 if fold == "all" else 2]


def score(documents: list[Pair]) -> TagScores:
    return score_tags([gold for gold, _ in documents], [system for _, system in documents])


def format_f1(scores: TagScores) -> dict[str, float]:
    return {name: round(100 * count.f1, 2) for name, count in scores.overall.items()}


def make_row(name: str, documents: list[Pair]) -> Row:
    scores = score(documents)
    folds = {fold: format_f1(score(select_fold(documents, fold))) for fold in FOLDS[1:]}
    return {
        "folder": name,
        "F1": format_f1(scores),
        "folds by document": folds,
        "gap between folds": {
            measure: round(abs(folds["even"][measure] - folds["odd"][measure]), 2) for measure in folds["even"]
        },
        **scores.record(),
    }


def show_errors(scores: TagScores, arguments: argparse.Namespace) -> None:
    """Print a sample of the mistakes, the same on every run, grouped by error class."""
    mistakes = [
        item
        for item in scores.mistakes
        if arguments.what in (None, item.what)
        and arguments.kind in (None, *(side.kind for side in (item.gold, item.system) if side is not None))
    ]
    if len(mistakes) > arguments.errors:
        mistakes = random.Random(arguments.seed).sample(mistakes, arguments.errors)
    for what in ERROR_CLASSES:
        for item in sorted((item for item in mistakes if item.what == what), key=lambda item: item.document):
            print(item)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=FOLDERS, action="append", help="this folder only; writes no result")
    parser.add_argument(
        "--fold", choices=FOLDS, default="all", help="documents at even or odd positions; writes no result"
    )
    parser.add_argument("--errors", type=int, default=0, metavar="N", help="show N mistakes; writes no result")
    parser.add_argument("--what", choices=ERROR_CLASSES, help="mistakes of this sort only")
    parser.add_argument("--kind", choices=KINDS, help="mistakes with this kind only")
    parser.add_argument("--seed", type=int, default=SEED, help="which mistakes are sampled")
    parser.add_argument(
        "--tagger", default=TAGGER, metavar="MODULE:NAME", help="another function or class; writes nothing"
    )
    arguments = parser.parse_args()
    rows = []
    for name in arguments.only or FOLDERS:
        documents, seconds = tag_folder(find_data(f"timex/{name}"), arguments.tagger)
        if arguments.only or arguments.errors or arguments.fold != "all" or arguments.tagger != TAGGER:
            scores = score(select_fold(documents, arguments.fold))
            print(f"== {name}, {arguments.fold} documents ({scores.documents}), tagged in {seconds:.2f} s")
            print(scores.table())
            show_errors(scores, arguments)
        else:
            rows.append({**make_row(name, documents), "seconds": round(seconds, 2)})
    if rows:
        save(
            "tagger_quality",
            "relaxed, strict, value and type F1 of the tagger as TempEval-3 counts, with now = the document's date",
            "timex: TBAQ (TimeBank and AQUAINT), WikiWars and tweets, their training parts",
            SEED,
            rows,
        )


if __name__ == "__main__":
    main()
