"""How well are times read in twelve languages, beside other taggers, on public phrases and news?

    python studies/languages.py                          all files and systems; writes the result; an hour
    python studies/languages.py --only de --ours         Epochal on one language; writes nothing
    python studies/languages.py --only de --ours --errors 40 --fold even
    python studies/languages.py --before PATH            also the reader of an earlier checkout, under today's scorer

Each source is scored after its own convention (epochal_lab.metrics.phrases), which every system that takes it is
given: the reference time to the second where there is one, and which of two possible times to prefer. Rules are
written with even rows in view only, so odd rows show what they are worth. Rivals are skipped where they are not
installed (studies/_rivals.py says how); their answers are kept in the cache of the studies, since they change with the
rows only. The reader of an earlier checkout, scored as it was and as readers are scored now, tells what rules gained
from what the comparison of values gained. Makes docs/results/languages.md. Reads timex_langs from EPOCHAL_DATA.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from _data import find_data
from _record import CACHE_FOLDER, Row, save, skip
from _rivals import KNOWN, Rival, keep_answers, load_rivals

from epochal.reading import tag
from epochal.times import Span
from epochal_lab.metrics.phrases import CONVENTIONS, Convention, Phrase, PhraseAnswer, PhraseScores, read_phrases

OURS = "Epochal"
BEFORE = "Epochal before"
FOLDS = ("even", "odd")


def tag_ours(text: str, lang: str, reference: str, convention: Convention) -> list[PhraseAnswer]:
    """What Epochal finds; it has to find the language by itself."""
    now = Span.parse(reference) if reference else None
    return [PhraseAnswer.from_expression(item) for item in tag(text, now=now, prefer=convention.prefer)]


def tag_before(tree: Path, folder: Path) -> Rival:
    """What the reader of an earlier checkout finds; it reads all rows at once, in a process of its own."""
    asked = [
        (phrase.text, phrase.reference, CONVENTIONS[path.name.partition("_")[0]].prefer)
        for path in sorted(folder.glob("*.jsonl.gz"))
        for phrase in read_phrases(path)
    ]
    answers = json.loads(run_before(tree, ["-c", _TAG_ROWS], json.dumps(asked)))
    found = {
        tuple(one): [PhraseAnswer(start, end, tuple(values)) for start, end, values in given]
        for one, given in zip(asked, answers, strict=True)
    }
    return lambda text, lang, reference, convention: found[text, reference, convention.prefer]


_TAG_ROWS = """
import json, re, sys
from epochal.reading import tag
from epochal.times import Span
import epochal_lab.metrics.phrases as phrases
Answer = getattr(phrases, "PhraseAnswer", None) or phrases.Answer
answers = []
for text, reference, prefer in json.load(sys.stdin):
    items = tag(text, now=Span.parse(reference) if reference else None, prefer=prefer)
    answers.append([(one.start_char, one.end_char, one.values) for one in map(Answer.from_expression, items)])
json.dump(answers, sys.stdout)
"""


def run_before(tree: Path, arguments: list[str], text: str = "") -> str:
    paths = os.pathsep.join(str(tree / "packages" / name / "src") for name in ("epochal", "epochal-lab"))
    environment = {**os.environ, "PYTHONPATH": paths}
    command = [sys.executable, *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, env=environment).stdout


def compare_before(tree: Path, totals: dict[tuple[str, str], dict[str, PhraseScores]]) -> list[Row]:
    """Value F1 by language of the earlier reader as it was scored then and as it is now, and of today's."""
    lines = run_before(tree, [str(tree / "studies" / "languages.py"), "--ours"]).splitlines()
    rows = [ast.literal_eval(line) for line in lines if line.startswith("{'language'")]
    then = {row["language"]: row for row in rows}
    return [
        {
            "language": language,
            "earlier reader, scored as then": then[language]["value F1, odd rows"],
            "earlier reader, scored as now": merge(totals[language, BEFORE])["value F1, odd rows"],
            "this reader, scored as now": merge(totals[language, OURS])["value F1, odd rows"],
        }
        for language in sorted({language for language, _ in totals})
    ]


def show_error(phrase: Phrase, answers: list[PhraseAnswer], wrong: Any) -> None:
    text = phrase.text
    gold = [(text[one.start_char : one.end_char], one.values) for one in wrong]
    given = [(text[one.start_char : one.end_char], one.values[0]) for one in answers]
    print(f"  {text[:200]!r} ({phrase.reference}): gold {gold}, found {given}")


def measure(
    path: Path, system: str, tagger: Rival, arguments: argparse.Namespace
) -> tuple[Row, dict[str, PhraseScores]]:
    """The row of one file and system, and its scores by fold."""
    source, _, language = path.name.removesuffix(".jsonl.gz").partition("_")
    language = language[:2]
    convention = CONVENTIONS[source]
    scores = {fold: PhraseScores() for fold in FOLDS}
    output, began = 0, time.perf_counter()
    for position, phrase in enumerate(read_phrases(path)):
        fold = FOLDS[position % 2]
        answers = tagger(phrase.text, language, phrase.reference, convention)
        wrong = scores[fold].add(phrase, answers, convention)
        if wrong and output < arguments.errors and fold == arguments.fold:
            show_error(phrase, answers, wrong)
            output += 1
    row = {"language": language, "source": source, "set": path.name.removesuffix(".jsonl.gz"), "system": system}
    return {**row, **merge(scores), "seconds": round(time.perf_counter() - began, 1)}, scores


def merge(scores: dict[str, PhraseScores]) -> Row:
    """The figures of all rows, and the value F1 of each fold."""
    whole = PhraseScores()
    for one in scores.values():
        whole.merge(one)
    return {**whole.record(), **{f"value F1, {fold} rows": one.record()["value F1"] for fold, one in scores.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="CODE", help="this language or set only; writes no result")
    parser.add_argument("--ours", action="store_true", help="without the rivals; writes no result")
    parser.add_argument("--errors", type=int, default=0, metavar="N", help="show N wrong rows of each file")
    parser.add_argument("--fold", choices=FOLDS, default="even", help="the rows that --errors shows")
    parser.add_argument("--before", type=Path, metavar="PATH", help="a checkout whose reader is scored as well")
    arguments = parser.parse_args()
    folder = find_data("timex_langs")
    systems: dict[str, Rival] = {OURS: tag_ours}
    if arguments.before:
        systems[BEFORE] = tag_before(arguments.before.resolve(), folder)
    if not arguments.ours:
        kept = CACHE_FOLDER / "rival answers.json"
        systems |= {name: keep_answers(name, rival, kept) for name, rival in load_rivals().items()}
    rows: list[Row] = []
    totals: dict[tuple[str, str], dict[str, PhraseScores]] = {}
    for path in sorted(folder.glob("*.jsonl.gz")):
        name = path.name.removesuffix(".jsonl.gz")
        language = name.partition("_")[2][:2]
        if arguments.only and not {name, language} & set(arguments.only):
            continue
        for system, tagger in systems.items():
            if language not in KNOWN.get(system, {language}):
                continue
            row, scores = measure(path, system, tagger, arguments)
            rows.append(row)
            print(f"{name} {system}: {row}", flush=True)
            for fold, total in totals.setdefault((language, system), {one: PhraseScores() for one in FOLDS}).items():
                total.merge(scores[fold])
    if not rows:
        skip(f"{folder} has no such files")
    languages = [{"language": key[0], "system": key[1], **merge(scores)} for key, scores in sorted(totals.items())]
    for row in languages:
        print(row)
    if not arguments.only and not arguments.ours:
        conventions = [
            {"source": name, "convention": one.statement, "stated by": one.evidence}
            for name, one in CONVENTIONS.items()
        ]
        earlier = compare_before(arguments.before.resolve(), totals) if arguments.before else []
        save(
            "languages",
            "relaxed F1 and value precision, recall and F1, each source after its own convention",
            "timex_langs: tests of duckling, ctparse, chrono, dateparser, recognizers, jionlp and ja-timex; KRAUTS, "
            "MEANTIME and CIR TimeBank",
            0,
            rows,
            conventions=conventions,
            languages=languages,
            earlier=earlier,
        )


if __name__ == "__main__":
    main()
