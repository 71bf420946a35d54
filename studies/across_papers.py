"""What do the papers' baselines and models, shortcuts and the engine reach on every set here, and what did each know?

    python studies/across_papers.py [--questions N] [--work DIR] [--jobs N] [--only SET ...]

Reads the sets from the data folder (EPOCHAL_DATA); those that are built are built again. Of each set at most N
questions are asked, spread over all of them, none of which the weights of the engine were fitted to. `shortcuts` is the
audit of `epochal bench audit`, `rows` the systems with what they used, and the difference of their hit@1 to plain BM25
by a paired test. Rows of papers are what they print, on their own builds of a set; rows that name another result are
models that its study trained here, measured on all questions of the set. --work keeps what is measured, so that a run
that was stopped goes on, --jobs measures several sets at once, and --only a part. `code` is the fingerprint of the code
that the figures of a set depend on: `--stale` names the sets that were measured with other code. What other code
measured is taken from --work with --older alone, for sets that this code has not measured there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from _across_rows import find_family, find_training_questions, list_information, list_published, read_recorded
from _data import find_data_folder
from _record import RESULTS, ROOT, Row, compare_scores, save

from epochal_lab.datasets.records import BenchSet
from epochal_lab.metrics.evaluation import parse_measures
from epochal_lab.runs.runner import Runner
from epochal_lab.runs.shortcuts import audit_shortcuts
from epochal_lab.runs.tasks import SetLoader, Task
from epochal_lab.systems.registry import make_system

SEED = 0
MEASURES = "nDCG@10 hit@1 R@100 MRR@10"
#: The code that figures depend on: folders, and files of others.
CODE = tuple(
    f"epochal/src/epochal/{name}"
    for name in ("reading", "ranking", "search", "times", "encoders", "ingest.py", "storage/text.py")
) + tuple(f"epochal-lab/src/epochal_lab/{name}" for name in ("systems", "datasets"))
SHORTCUTS = ("shortcut-year", "shortcut-newest")
PLAIN = "bm25-official(query=plain)"
OKAPI = "bm25-okapi-zh"
WORDS = "epochal(encoder=none)"
QI = "epochal(encoder=none, sequence=chinese, start=南齊高帝建元元年)"
LU = "epochal(encoder=none, sequence=lu, start=魯隱公元年, by=work)"
LU_TYPES = "epochal(encoder=none, sequence=lu, start=魯隱公元年, by=work, only=type:event)"
ENGLISH = (PLAIN, *SHORTCUTS, "plain", "epochal")
#: With static vectors, for sets of many or long documents.
STATIC = (PLAIN, *SHORTCUTS, "plain(encoder=static)", "epochal(encoder=static)")
ANNALS = (OKAPI, *SHORTCUTS, WORDS, LU, LU_TYPES)


@dataclass(frozen=True)
class Part:
    """A set in one mode and the systems that are run on it; the first is what others are compared with.

    Figures of papers are shown unless the set has another form than theirs.
    """

    set: str
    systems: tuple[str, ...]
    mode: str = ""
    split: str = "test"
    published: bool = True


HEADLINE, EVENTS = "neg1_ne1_dq0", "neg1_ne0_dq1"
HEADED = "chunqiutr/traditional(headings=true)"
PLAN = (
    Part("tnp", (*ENGLISH, "dense(encoder=epochal-tmrl)")),
    Part("timeqa/human_train", STATIC),
    Part("timeqa/human_train", STATIC, "unaided", published=False),
    Part("scifact", STATIC),
    Part("re2bench/rel", ENGLISH),
    # Without vectors, which cannot tell what is taken out.
    Part("re2bench/rel", (PLAIN, *SHORTCUTS, "plain(encoder=none)", WORDS), "undated100", published=False),
    Part("re2bench/rel(times=relative)", ENGLISH, published=False),
    Part("re2bench/rec", ENGLISH),
    Part("re2bench/hyb(size=1000)", ENGLISH),
    Part("re2bench/hyb(kind=nws, texts=issued, size=0)", ENGLISH, split="train", published=False),
    Part("chronoqa", (OKAPI, *SHORTCUTS, WORDS)),
    Part("chronoqa", (OKAPI, *SHORTCUTS, WORDS), "unaided", published=False),
    Part("chunqiutr/traditional", ANNALS, HEADLINE),
    Part("chunqiutr/traditional", ANNALS, EVENTS),
    Part(HEADED, ANNALS, HEADLINE, published=False),
    Part(HEADED, ANNALS, EVENTS, published=False),
    Part("zztj/tag", (OKAPI, *SHORTCUTS, WORDS, QI)),
    Part("zztj/none", (OKAPI, *SHORTCUTS, WORDS, QI), published=False),
    Part("zztj/sequence", (OKAPI, *SHORTCUTS, WORDS, QI), published=False),
)


def take_questions(bench_set: BenchSet, most: int, seen: frozenset[str] = frozenset()) -> BenchSet:
    """So many questions, spread over all that have an answer and were not seen in training."""
    answered = [
        query
        for query in bench_set.queries
        if query.text not in seen and any(bench_set.qrels.get(query.id, {}).values())
    ]
    return bench_set.with_queries(answered[:: max(1, len(answered) // most)][:most])


def measure_part(part: Part, most: int, work: Path, sets: SetLoader, data: Path) -> tuple[Row, list[Row]]:
    """The audit of a set for shortcuts, and the rows of the systems."""
    task = Task(part.set, "none", part.split, protocol=part.mode)
    bench_set = take_questions(sets.load(task), most, find_training_questions(part.set, data))
    head: Row = {"set": part.set, "mode": part.mode or "–"}
    audit = {**audit_shortcuts(bench_set).to_dict(), **head}
    runner, rows = Runner(work, parse_measures(MEASURES)), []
    base: dict[str, float] = {}
    for text in part.systems:
        system, start = make_system(text), time.process_time()
        own = replace(task, system=system.name)
        result = runner.run(own, bench_set, system)
        values = json.loads((work / "values" / f"{own.slug}.json").read_text(encoding="utf-8"))["hit@1"]
        base = base or values
        row = {**head, "system": text, "used": list_information(text, part.set, bench_set)}
        row["questions"] = len(bench_set.queries)
        row |= {measure: value.mean for measure, value in result.measures.items()}
        row["against the first, hit@1"] = None if values is base else compare_scores(values, base, SEED)
        rows.append(row)
        print(f"{time.process_time() - start:.0f} CPU s: {row}", flush=True)
    return audit, [*rows, *(list_published(task) if part.published else ())]


def measure_all(
    parts: Sequence[Part], most: int, work: Path, data: Path, *, older: bool = False
) -> tuple[list[Row], list[Row]]:
    """The audits and the rows of all parts; what an earlier run into the same folder measured is taken from there.

    With `older` runs of other code are taken, too, the last of each part.
    """
    audits, rows, sets = [], [], SetLoader(data)
    for part in parts:
        path = work / f"part-{hashlib.blake2b(f'{part}{most}'.encode(), digest_size=8).hexdigest()}.json"
        others = sorted(work.parent.glob(f"*/{path.name}"), key=lambda item: item.stat().st_mtime) if older else []
        if not path.exists() and others:
            path = others[-1]
        if not path.exists():
            measured = measure_part(part, most, work, sets, data)
            work.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(measured), encoding="utf-8")
        audit, own = json.loads(path.read_text(encoding="utf-8"))
        audits.append({**audit, "code": path.parent.name})
        rows += own
    return audits, rows


def measure_at_once(parts: Sequence[Part], most: int, work: Path, data: Path, jobs: int) -> None:
    """Measure parts into a folder in several processes, all parts of a set in one of them."""
    groups = [tuple(group) for _, group in groupby(parts, key=lambda part: part.set)]
    with ProcessPoolExecutor(jobs) as pool:
        list(pool.map(partial(measure_all, most=most, work=work, data=data), groups))


def place_recorded(rows: Sequence[Row], recorded: Sequence[Row]) -> list[Row]:
    """The rows with those of other studies after the others of their set and mode; sets may have switches."""
    placed: list[Row] = []
    rest = list(recorded)
    for position, row in enumerate(rows):
        placed.append(row)
        key, following = get_key(row), rows[position + 1] if position + 1 < len(rows) else None
        if following is None or get_key(following) != key:
            placed += [item for item in rest if get_key(item) == key]
            rest = [item for item in rest if get_key(item) != key]
    return [*placed, *rest]


def add_family(row: Row) -> Row:
    """The row with its column of the overview, where it is in one."""
    family = None if row.get("published") else find_family(row["system"])
    return row if family is None else {**row, "family": family}


def get_key(row: Row) -> tuple[str, str]:
    """The set and the mode by which rows are together."""
    return row["set"].replace("(size=1000)", ""), row["mode"]


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
        place = ROOT / "packages" / folder
        for path in [place] if place.is_file() else sorted(place.rglob("*")):
            if path.suffix in (".py", ".json", ".toml", ".txt") and "__pycache__" not in path.parts:
                digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def list_stale() -> list[str]:
    """The sets that were measured with other code than this, and the result of temporal_retrieval.py if it was."""
    record: dict[str, Any] = json.loads((RESULTS / "across_papers.json").read_text(encoding="utf-8"))
    present = hash_code()
    stale = [f"{row['set']} {row['mode']}" for row in record["shortcuts"] if row["code"] != present]
    other = RESULTS / "temporal_retrieval.json"
    if other.exists() and json.loads(other.read_text(encoding="utf-8")).get("code") != present:
        stale.append("temporal_retrieval.json")
    return stale


def prepare_folder(home: Path, fingerprint: str) -> Path:
    """The folder of runs of this code; vectors, which do not depend on it, are taken from one of other code."""
    work = home / fingerprint
    vectors = work / "stores" / "vectors.db"
    others = sorted(home.glob("*/stores/vectors.db"), key=lambda path: path.stat().st_size)
    if others and not vectors.exists():
        vectors.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(others[-1], vectors)
    return work


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--only", nargs="+", metavar="SET", help="measure these sets into --work, and write no result")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes that measure sets at once")
    parser.add_argument("--older", action="store_true", help="take runs of other code from --work")
    parser.add_argument("--stale", action="store_true", help="only name the sets that other code measured")
    arguments = parser.parse_args(argv)
    if arguments.stale:
        stale = list_stale()
        raise SystemExit(f"older than the code, measure again: {'; '.join(stale)}" if stale else 0)
    if arguments.only and arguments.work is None:
        parser.error("--only keeps its figures in a folder: name one by --work")
    data, fingerprint = find_data_folder("tnp"), hash_code()
    parts = [part for part in PLAN if not arguments.only or part.set in arguments.only]
    with tempfile.TemporaryDirectory() as folder:
        work = prepare_folder(arguments.work or Path(folder), fingerprint)
        if arguments.jobs > 1 and not arguments.older:
            measure_at_once(parts, arguments.questions, work, data, arguments.jobs)
        shortcuts, rows = measure_all(parts, arguments.questions, work, data, older=arguments.older)
    if arguments.only:
        return
    save(
        "across_papers",
        "What do baselines, shortcuts and the engine reach on every set, and what did each row know?",
        "every set of `epochal bench list` that is here; at most the given number of questions of each",
        SEED,
        [add_family(row) for row in place_recorded(rows, read_recorded())] + read_submissions(),
        shortcuts=shortcuts,
    )


if __name__ == "__main__":
    main()
