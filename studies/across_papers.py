"""What do the papers' baselines, shortcuts and the engine reach on every set here, and what did each row know?

    python studies/across_papers.py [--questions N] [--work DIR]

Reads the sets from the data folder (EPOCHAL_DATA); those that are built are built again. Of each set at most N
questions are asked, spread over all of them. `shortcuts` is the audit of `epochal bench audit`, `rows` the systems with
what they used, and the difference of their hit@1 to plain BM25 by a paired test. Rows of papers are what they print, on
their own builds of a set. `fingerprint` is that of the code that the figures depend on: `--stale` says whether it has
changed since.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from _data import find_data_folder
from _record import RESULTS, ROOT, Row, compare_scores, save

from epochal_lab.datasets.records import BenchSet
from epochal_lab.metrics.evaluation import parse_measures
from epochal_lab.runs.runner import Runner
from epochal_lab.runs.shortcuts import audit_shortcuts
from epochal_lab.runs.tables import published_rows
from epochal_lab.runs.tasks import SetLoader, Task
from epochal_lab.systems.registry import make_system

SEED = 0
MEASURES = "nDCG@10 hit@1 R@100 MRR@10"
#: The code that figures depend on.
CODE = tuple(f"epochal/src/epochal/{name}" for name in ("reading", "ranking", "search", "times")) + tuple(
    f"epochal-lab/src/epochal_lab/{name}" for name in ("systems", "datasets")
)
SHORTCUTS = ("shortcut-year", "shortcut-newest")
PLAIN = "bm25-official(query=plain)"
OKAPI = "bm25-okapi-zh"
QI_SEQUENCE = "epochal(encoder=none, sequence=chinese, start=南齊高帝建元元年)"
ENGLISH = (PLAIN, *SHORTCUTS, "plain", "epochal")
#: Without vectors, which take long to make.
WORDS = (PLAIN, *SHORTCUTS, "plain(encoder=none)", "epochal(encoder=none)")
CHINESE = (OKAPI, *SHORTCUTS, "epochal(encoder=none)")
#: The sets with the mode of each, and the systems that are run on it; the first is what others are compared with.
PLAN: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("tnp", "", ENGLISH),
    ("re2bench/rel", "", ENGLISH),
    ("re2bench/rel(times=relative)", "", ENGLISH),
    ("re2bench/rel", "undated100", WORDS),
    ("chronoqa", "", CHINESE),
    ("zztj/tag", "", (OKAPI, "epochal(encoder=none)", QI_SEQUENCE)),
    ("zztj/none", "", (OKAPI, "epochal(encoder=none)", QI_SEQUENCE)),
    ("zztj/sequence", "", (OKAPI, "epochal(encoder=none)", QI_SEQUENCE)),
)


def list_information(system: str, bench_set: BenchSet) -> list[str]:
    """What a system of ours used beside the question."""
    used = ["text"]
    name = system.partition("(")[0]
    first = next(iter(bench_set.documents), None)
    if name in ("epochal", "shortcut-newest") and first is not None and first.published is not None:
        used.append("publication date")
    if name == "epochal" and any(query.now is not None for query in bench_set.queries):
        used.append("reference time")
    if "sequence=" in system:
        used.append("order of records")
    if "only=type" in system:
        used.append("record type")
    return used


def take_questions(bench_set: BenchSet, most: int) -> BenchSet:
    """So many questions, spread over all that have an answer."""
    answered = [query for query in bench_set.queries if any(bench_set.qrels.get(query.id, {}).values())]
    return bench_set.with_queries(answered[:: max(1, len(answered) // most)][:most])


def measure_set(name: str, mode: str, systems: tuple[str, ...], most: int, work: Path, data: Path) -> list[Row]:
    task = Task(name, "none", protocol=mode)
    bench_set = take_questions(SetLoader(data).load(task), most)
    runner, rows = Runner(work, parse_measures(MEASURES)), []
    base: dict[str, float] = {}
    for text in systems:
        system = make_system(text)
        own = replace(task, system=system.name)
        result = runner.run(own, bench_set, system)
        values = json.loads((work / "values" / f"{own.slug}.json").read_text(encoding="utf-8"))["hit@1"]
        base = base or values
        row: Row = {"set": name, "mode": mode or "–", "system": text, "used": list_information(text, bench_set)}
        row |= {"questions": len(bench_set.queries)}
        row |= {measure: value.mean for measure, value in result.measures.items()}
        row["against the first, hit@1"] = None if values is base else compare_scores(values, base, SEED)
        rows.append(row)
        print(row, flush=True)
    for item in published_rows(task):
        if "hit@1" in item.measures or "nDCG@10" in item.measures:
            rows.append(
                {"set": name, "mode": mode or "–", "system": f"{item.system} ({item.name}, {item.table})",
                 "used": ["as published, on their build"], "published": True, **item.measures}
            )  # fmt: skip
    return rows


def measure_shortcuts(most: int, data: Path) -> list[Row]:
    rows = []
    for name, mode in dict.fromkeys((name, mode) for name, mode, _ in PLAN):
        bench_set = SetLoader(data).load(Task(name, "none", protocol=mode))
        rows.append({**audit_shortcuts(bench_set, most).to_dict(), "set": name, "mode": mode or "–"})
        print(rows[-1], flush=True)
    return rows


def read_submissions() -> list[Row]:
    """The rows of checked submissions, as `epochal bench submit-check --json` prints them."""
    rows = []
    for path in sorted((RESULTS / "leaderboard").glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        rows.append({"set": record["set"], "mode": "–", "system": record["system"], "used": record["information"],
                     "questions": record["questions"], **record["measures"]})  # fmt: skip
    return rows


def hash_code() -> str:
    """The fingerprint of the code and the weights that figures depend on."""
    digest = hashlib.blake2b(digest_size=8)
    for folder in CODE:
        for path in sorted((ROOT / "packages" / folder).rglob("*")):
            if path.suffix in (".py", ".json", ".toml", ".txt") and "__pycache__" not in path.parts:
                digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def is_stale() -> bool:
    """Whether the code has changed since the figures were measured."""
    record: dict[str, Any] = json.loads((RESULTS / "across_papers.json").read_text(encoding="utf-8"))
    return bool(record["fingerprint"] != hash_code())


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--stale", action="store_true", help="only say whether the code has changed since")
    arguments = parser.parse_args(argv)
    if arguments.stale:
        raise SystemExit("across_papers.json is older than the code: measure it again" if is_stale() else 0)
    data, fingerprint = find_data_folder("tnp"), hash_code()
    with tempfile.TemporaryDirectory() as folder:
        work = arguments.work or Path(folder)
        shortcuts = measure_shortcuts(arguments.questions, data)
        rows = [row for item in PLAN for row in measure_set(*item, arguments.questions, work, data)]
    save(
        "across_papers",
        "What do baselines, shortcuts and the engine reach on every set, and what did each row know?",
        "every set of `epochal bench list` that is here; at most the given number of questions of each",
        SEED,
        [*rows, *read_submissions()],
        shortcuts=shortcuts,
        fingerprint=fingerprint,
    )


if __name__ == "__main__":
    main()
