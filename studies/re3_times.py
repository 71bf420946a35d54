"""How well is the date of a text read, as Table 5 of Re3 counts: by its trained heads, and by the rules of Epochal?

python studies/re3_times.py --model FOLDER       the trained model and the rules; writes the result
python studies/re3_times.py                      the rules alone; writes nothing
python studies/re3_times.py --model FOLDER --errors 20           mistakes of the model too; writes nothing

The sets are Re2Bench as `epochal bench build` makes it, in the folder that --sets names. The clues are the documents
that are judged for the questions of the test split. A date without a year takes it from the date of reference:
when the question is asked, or when the document appeared.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _record import save, skip

from epochal.reading import tag
from epochal.reading.questions.understand import understand
from epochal.times import Span
from epochal_lab.models.re3.times.labels import Label, read_rows, select_most_similar, span_accuracy

SETS = Path(__file__).parents[2] / "built" / "re2bench"
SEED = 7
#: Table 5 of the paper: year, month, day and exact match.
PAPER = {
    "Rel-question": {"year": 0.987, "exact": 0.987},
    "Rel-clue": {"year": 0.989, "exact": 0.989},
    "Hyb-question": {"year": 0.965, "month": 0.962, "day": 0.958, "exact": 0.952},
    "Hyb-clue": {"year": 0.971, "month": 0.968, "day": 0.965, "exact": 0.960},
}
#: What of a training run goes into the result.
RUN = ("steps", "epochs", "best_step", "best", "seconds", "tokens_per_second", "device", "torch", "stopped")

Reader = Callable[[Sequence["Text"]], list["Span | None"]]


@dataclass(frozen=True, slots=True)
class Text:
    """A text with the date that it is about, its reference date, and whether it is a question."""

    text: str
    gold: Span
    now: Span | None
    asks: bool


def read_lines(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        skip(f"{path} is missing; build the set with `epochal bench build re2bench/{path.parent.name}`")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read_texts(folder: Path) -> tuple[list[Text], list[Text]]:
    """Return the test questions of a set, and the documents that are judged for them."""
    queries = [row for row in read_lines(folder / "queries.jsonl") if row.get("split") == "test"]
    request = {row["_id"] for row in queries}
    judged = set()
    for line in (folder / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, _ = line.split("\t")
        if query in request:
            judged.add(document)
    clues = [row for row in read_lines(folder / "corpus.jsonl") if row["_id"] in judged]
    return (
        [Text(row["text"], Span.parse(row["periods"][0]), parse_span(row.get("now")), True) for row in queries],
        [
            Text(row["text"], Span.parse(row["metadata"]["times"][0]), parse_span(row.get("published")), False)
            for row in clues
        ],
    )


def parse_span(text: str | None) -> Span | None:
    return None if text is None else Span.parse(text)


def read_first_by_rules(texts: Sequence[Text]) -> list[Span | None]:
    """Return the first date that the rules find: one per text, as the heads do."""
    return [next(iter(find_candidates(item)), None) for item in texts]


def read_any_by_rules(texts: Sequence[Text]) -> list[Span | None]:
    """Return the date most similar to the target among all that the rules find."""
    return [select_most_similar(find_candidates(item), item.gold) for item in texts]


def find_candidates(item: Text) -> list[Span]:
    """Return the periods that a question asks for, and the dates that a document states."""
    if item.asks:
        return list(understand(item.text, item.now).periods)
    return [
        match.span for match in tag(item.text, item.now) if match.kind in ("DATE", "TIME") and match.span is not None
    ]


def load_reader(folder: Path, device: str) -> Reader:
    from epochal_lab.models.re3.times.model import TimeExtractor

    extractor = TimeExtractor.load(folder, device)
    return lambda texts: extractor.spans([item.text for item in texts], [item.now for item in texts])


def states_its_year(item: Text) -> bool:
    year = Label.from_span(item.gold)
    return year is not None and str(year.year) in item.text


def measure_reader(
    name: str, what: str, reader: Reader, texts: Sequence[Text]
) -> tuple[dict[str, Any], list[Span | None]]:
    began = time.perf_counter()
    result = reader(texts)
    seconds = time.perf_counter() - began
    row = {"what": what, "texts of": name, **span_accuracy(result, [item.gold for item in texts]).to_dict()}
    for kind, target in (("year stated", True), ("year left out", False)):
        few = [position for position, item in enumerate(texts) if states_its_year(item) is target]
        if few and len(few) < len(texts):
            part = span_accuracy([result[position] for position in few], [texts[position].gold for position in few])
            row[f"{kind}: texts, exact"] = [len(few), round(part.exact, 4)]
    return {**row, "texts a second": round(len(texts) / seconds)}, result


def show_errors(texts: Sequence[Text], matches: Sequence[Span | None], count: int) -> None:
    wrong = [(item, span) for item, span in zip(texts, matches, strict=True) if span != item.gold]
    for item, span in random.Random(SEED).sample(wrong, min(count, len(wrong))):
        print(f"    {item.gold.edtf()} read as {span.edtf() if span else None}: {item.text[:150]}")


def count_overlap(labelled: Path, texts: Sequence[Text]) -> int:
    """Count the training sentences that are also evaluated on."""
    known = {item.text for item in texts}
    return sum(row.text in known for row in read_rows(labelled))


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, default=SETS, metavar="DIR", help="the folder with rel/ and hyb/")
    parser.add_argument("--model", type=Path, metavar="DIR", help="what `epochal train re3-times` wrote")
    parser.add_argument("--labelled", type=Path, metavar="FILE", help="what it was trained on, to count shared texts")
    parser.add_argument("--device", default="cpu", metavar="NAME", help="where the model runs")
    parser.add_argument("--most", type=int, default=0, metavar="N", help="so many texts of each sort; writes nothing")
    parser.add_argument("--errors", type=int, default=0, metavar="N", help="show N mistakes of each; writes nothing")
    arguments = parser.parse_args(argv)
    readers: dict[str, Reader] = {"rules, first date": read_first_by_rules, "rules, any date": read_any_by_rules}
    facts: dict[str, Any] = {}
    if arguments.model is not None:
        readers = {"Re3 heads": load_reader(arguments.model, arguments.device), **readers}
        run = json.loads((arguments.model / "run.json").read_text(encoding="utf-8"))
        facts = {name: run[name] for name in RUN if name in run} | {"settings": run["settings"]}
    sorts: dict[str, list[Text]] = {}
    for name in ("Rel", "Hyb"):
        sorts[f"{name}-question"], sorts[f"{name}-clue"] = read_texts(arguments.sets / name.lower())
    rows: list[dict[str, Any]] = [{"what": "Re3, as published", "texts of": name, **PAPER[name]} for name in sorts]
    for what, reader in readers.items():
        for name, all_texts in sorts.items():
            texts = all_texts
            if arguments.most and len(texts) > arguments.most:
                texts = random.Random(SEED).sample(texts, arguments.most)
            row, result = measure_reader(name, what, reader, texts)
            rows.append(row)
            if arguments.errors or arguments.most or arguments.model is None:
                print(json.dumps(row))
                show_errors(texts, result, arguments.errors)
    if arguments.errors or arguments.most or arguments.model is None:
        return
    shared = {}
    if arguments.labelled is not None:
        everything = [item for texts in sorts.values() for item in texts]
        shared = {"training sentences that are measured texts": count_overlap(arguments.labelled, everything)}
    save(
        "re3_times",
        "share of texts whose year, month, day and whole date (exact) is read right, on the test split",
        "Re2Bench-Rel and -Hyb as `epochal bench build` makes them: test questions, and the documents judged for them; "
        "the published figures are of the paper's own set",
        SEED,
        rows,
        training=facts,
        **shared,
    )


if __name__ == "__main__":
    main()
