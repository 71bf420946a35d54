"""Do a stated, a carried and a learned time add up, and where does each help?

    epochal train ctd --from EPOCHAL_DATA/built/chunqiutr/traditional --backbone runs --set deep_heads=false \\
        --epochs 4 --rate 1e-3 --device cpu -o DATER
    python studies/ctd_combination.py --dater DATER [--data DIR] [--work DIR]

Reads DIR/chunqiutr/traditional (EPOCHAL_DATA/built unless given; `epochal bench build chunqiutr`). --work keeps the
indexes from run to run; name a new folder to index all again.

The gallery is indexed twice: each record alone, where only placeholders and some commentaries state a time that can be
read ("none"), and events in sequence, where each inherits what it leaves out ("carried"). Searches are whole ones by
words and times, without vectors. Systems: the default gate; the learned reading of time alone; both, with the weights
that are best on validation questions. The same searches are measured by what an answer itself states of its time, as
the readers of the two indexes find it: its month and year ("all of it"), a part of that ("a part"), or "nothing", when
all is carried over. Each of these rows has the questions that such a record answers, and counts only such records, as
if the other answers were not in the gallery.

The control asks the learned reading for another year, drawn by chance from those that test questions ask for, in the
same months: what it still finds is owed to the months that records state, and to its knowing which records are of
years that it was trained on.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from _data import find_data_folder
from _record import compare_scores, format_interval, save, skip

from epochal.api import Index
from epochal.ingest import SequenceReader, read_times
from epochal.ranking.dating.dater import DateEstimator, MixingWeights
from epochal.ranking.dating.months import MONTHS, Months
from epochal.ranking.dating.scorers import EstimateCache, EstimateScorer, WeightedEstimateScorer
from epochal.ranking.pool import Scorer
from epochal.ranking.scorer import WeightedScorer
from epochal.storage.protocol import Rows, View
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.chunqiutr import protocol
from epochal_lab.datasets.folder import read_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.metrics import Judgements, evaluate, parse_measures
from epochal_lab.metrics.significance import bootstrap_mean

SEED = 7
EVENTS, HEADLINE = "neg1_ne0_dq1", "neg1_ne1_dq0"
MODES: dict[str, dict[str, int]] = {EVENTS: {"ne": 0, "dq": 1}, HEADLINE: {}}
COLUMNS = ("none", "carried")
MEASURES = "hit@1 hit@10 MRR@10 nDCG@10"
STATED = ("all of it", "a part", "nothing")
K = 30
#: The weights that are tried on so many validation questions a mode and column: 4.5 is what a stated time has.
UNDATED, DATED = (4.5, 9.0, 13.5, 18.0), (0.0, 4.5, 9.0, 13.5)
MOST_VAL = 300
Row = dict[str, Any]
Values = Mapping[str, Mapping[str, float]]
Run = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True, eq=False)
class ShiftedDater(DateEstimator):
    """A dater that is queried for the same months of another year."""

    years: int = 0

    def months_of(self, span: Span) -> Months | None:
        result = DateEstimator.months_of(self, span)
        if result is None:
            return None
        first = (result.first + MONTHS * self.years) % self.axis.months
        return Months(first, min(first + result.length, self.axis.months) - 1)


@dataclass(frozen=True)
class Cell:
    """The set in one mode, with its index."""

    mode: str
    column: str
    made: BenchSet
    index: Index

    def queries(self, split: str) -> list[BenchQuery]:
        return [query for query in self.made.queries if query.split == split]


@contextmanager
def open_cell(bench_set: BenchSet, mode: str, column: str, work: Path) -> Iterator[Cell]:
    retained = protocol(bench_set, **MODES[mode])
    folder = work / f"{mode}-{column}"
    if not folder.exists():
        reader = SequenceReader.named("lu", "魯隱公元年", "work", ("type", "event"))
        with Index.create(folder, None) as index:
            index.add(retained.documents, read=read_times if column == "none" else reader)
    with Index.open(folder, None) as index:
        yield Cell(mode, column, retained, index)


# ---------------------------------------------------------------- measuring


def run_search(
    here: Cell, queries: Sequence[BenchQuery], scorer: Callable[[BenchQuery], Scorer], *, settle: bool
) -> Run:
    """Return the scores of the retrieved records, by question."""
    return {
        query.id: {
            hit.id: hit.score
            for hit in here.index.search(
                query.text,
                k=K,
                now=query.now,
                collapse_versions=False,
                promote_current_version=settle,
                scorer=scorer(query),
            )
        }
        for query in queries
    }


def measure_run(here: Cell, run: Run, counted: set[str] | None = None) -> Values:
    """Return the value of each question, by measure; if only some records count, other answers are left out."""
    answers = {query: {name for name, score in here.made.qrels[query].items() if score > 0} for query in run}
    retained = {query: names if counted is None else names & counted for query, names in answers.items()}
    judged = Judgements(
        {query: dict.fromkeys(names, 1) for query, names in retained.items() if names},
        excluded={query: frozenset(answers[query] - names) for query, names in retained.items()},
    )
    outcomes = evaluate({query: run[query] for query in judged.qrels}, judged, parse_measures(MEASURES)).outcomes
    return {str(item.measure): item.values for item in outcomes}


def summarise(values: Mapping[str, float]) -> Row:
    return format_interval(bootstrap_mean(values.values(), resamples=2_000, seed=SEED))


# ---------------------------------------------------------------- which records


def group_by_statement(alone: Cell, carried: Cell) -> dict[str, set[str]]:
    """Group the records that state all of their time, a part of it, or nothing."""
    result: dict[str, set[str]] = {name: set() for name in STATED}
    whole, silent = _find_whole_rows(alone.index.view()), _find_silent_rows(carried.index.view())
    names = [document.id for document in alone.made.documents]
    at = {cell.column: cell.index.view().find_document_rows(names).tolist() for cell in (alone, carried)}
    for name, row, other in zip(names, at["none"], at["carried"], strict=True):
        result[STATED[0 if row in whole else 2 if other in silent else 1]].add(name)
    return result


def _find_whole_rows(view: View) -> set[int]:
    """Find the documents that state their month with its year."""
    content = view.content
    documents = view.get_document_rows(content.rows)
    own = {row: Span.parse(item.meta["times"][0]) for row, item in _read_documents(view, documents)}
    return {
        row
        for row, span in zip(documents.tolist(), content.spans, strict=True)
        if span.seconds <= 32 * 86_400 and span.overlaps(own[row])
    }


def _read_documents(view: View, rows: Rows) -> Iterator[tuple[int, Document]]:
    every = np.unique(rows)
    return zip(every.tolist(), view.get_documents(every), strict=True)


def _find_silent_rows(view: View) -> set[int]:
    """Find the documents whose opening states nothing of their date: it takes no characters."""
    content = view.content
    carried = (content.start_chars >= 0) & (content.end_chars == content.start_chars)
    rows = np.unique(content.rows[carried])
    documents = view.get_document_rows(rows)
    firsts = [int(view.get_passage_rows(np.array([document]))[0]) for document in documents]
    return set(documents[rows == firsts].tolist())


# ---------------------------------------------------------------- the parts


def build_systems(dater: DateEstimator, readings: EstimateCache) -> dict[str, tuple[Scorer, bool]]:
    """Return the systems, each with whether versions are promoted after scoring, as for users."""
    return {
        "gate": (WeightedScorer(), True),
        "ctd": (EstimateScorer(dater, readings), False),
        "gate+ctd": (WeightedEstimateScorer(dater, readings), True),
    }


def draw_queries(queries: Sequence[BenchQuery], most: int) -> list[BenchQuery]:
    positions = np.sort(np.random.default_rng(SEED).permutation(len(queries))[:most])
    return [queries[position] for position in positions]


def choose_weights(bench_set: BenchSet, dater: DateEstimator, work: Path) -> tuple[MixingWeights, list[Row]]:
    """Return the weights with the best mean hit@1 over both modes and columns, on validation questions."""
    tried: dict[MixingWeights, list[tuple[float, float]]] = {
        MixingWeights(undated, dated): [] for undated in UNDATED for dated in DATED
    }
    for mode in MODES:
        for column in COLUMNS:
            readings = EstimateCache(dater)
            with open_cell(bench_set, mode, column, work) as here:
                queries = draw_queries(here.queries("val"), MOST_VAL)
                for beside, match in tried.items():
                    scorer = WeightedEstimateScorer(replace(dater, mixing=beside), readings)
                    values = measure_run(here, run_search(here, queries, lambda _, one=scorer: one, settle=True))
                    match.append(tuple(float(np.mean(list(values[name].values()))) for name in ("hit@1", "MRR@10")))
                    print(mode, column, beside, match[-1], file=sys.stderr)
    rows = [
        {
            "undated": beside.undated,
            "dated": beside.dated,
            "hit@1": round(float(np.mean([one for one, _ in match])), 4),
            "MRR@10": round(float(np.mean([one for _, one in match])), 4),
        }
        for beside, match in tried.items()
    ]
    best = max(tried, key=lambda beside: tuple(np.mean(tried[beside], axis=0).round(6)))
    return best, rows


def measure_set(bench_set: BenchSet, dater: DateEstimator, work: Path) -> tuple[list[Row], list[Row]]:
    """Return the table, and the paired differences of the combination from each part."""
    rows: list[Row] = []
    differences: list[Row] = []
    for mode in MODES:
        with open_cell(bench_set, mode, "none", work) as alone, open_cell(bench_set, mode, "carried", work) as carried:
            queries = alone.queries("test")
            stated = group_by_statement(alone, carried)
            for here in (alone, carried):
                head = {"mode": mode, "times": here.column}
                runs = {
                    name: run_search(here, queries, lambda _, one=scorer: one, settle=settle)
                    for name, (scorer, settle) in build_systems(dater, EstimateCache(dater)).items()
                }
                if mode == EVENTS and here is alone:
                    runs["ctd, another year"] = run_control(here, dater)
                rows += build_rows(here, head, runs, stated)
                differences += build_differences(here, head, runs, stated)
                print(rows[-1], file=sys.stderr)
    return rows, differences


def build_rows(here: Cell, head: Row, runs: Mapping[str, Run], stated: Mapping[str, set[str]]) -> list[Row]:
    rows = []
    for name, run in runs.items():
        for kind, records in {"any": None, **stated}.items():
            values = measure_run(here, run, records)
            if count := len(values["hit@1"]):
                figures = {measure: summarise(match) for measure, match in values.items()}
                rows.append({**head, "system": name, "answers state": kind, "questions": count, **figures})
    return rows


def build_differences(here: Cell, head: Row, runs: Mapping[str, Run], stated: Mapping[str, set[str]]) -> list[Row]:
    rows = []
    for kind, records in {"any": None, **stated}.items():
        both = measure_run(here, runs["gate+ctd"], records)
        for name in ("gate", "ctd"):
            other = measure_run(here, runs[name], records)
            if count := len(both["hit@1"]):
                apart = {measure: compare_scores(both[measure], other[measure], SEED) for measure in both}
                rows.append({**head, "gate+ctd less": name, "answers state": kind, "questions": count, **apart})
    return rows


def run_control(here: Cell, dater: DateEstimator) -> Run:
    queries = here.queries("test")
    rng = np.random.default_rng(SEED)
    years = {query.id: query.periods[0].first_year or 0 for query in queries}
    every = sorted(set(years.values()))
    readings = EstimateCache(dater)
    fields = {name: getattr(dater, name) for name in DateEstimator.__dataclass_fields__}

    def scorer(query: BenchQuery) -> Scorer:
        year = years[query.id]
        other = int(rng.choice([one for one in every if one != year]))
        return EstimateScorer(ShiftedDater(**fields, years=other - year), readings)

    return run_search(here, queries, scorer, settle=False)


def measure_estimates(bench_set: BenchSet, dater: DateEstimator) -> Row:
    """Return how often the year of a test event lies in the displayed range."""
    events = [
        document
        for document in bench_set.documents
        if document.meta.get("type") == "event" and document.meta.get("split") == "test"
    ]
    spread = dater.estimate([f"{document.title} {document.text}" for document in events]).spread()
    spans = [spread.find_interval(position) for position in range(len(events))]
    held = [
        Span.parse(document.meta["times"][0]).start in range(span.start, span.end)
        for document, span in zip(events, spans, strict=True)
    ]
    lengths = [(span.last_year or 0) - (span.first_year or 0) + 1 for span in spans]
    return {"events": len(events), "held": round(float(np.mean(held)), 4), "median years": float(np.median(lengths))}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dater", type=Path)
    parser.add_argument("--data", type=Path, help="folder of built sets; EPOCHAL_DATA/built unless given")
    parser.add_argument("--work", type=Path)
    arguments = parser.parse_args(argv)
    place = (arguments.data or find_data_folder("chunqiu") / "built") / "chunqiutr" / "traditional"
    if not place.is_dir():
        skip(f"{place} is missing; build it with: epochal bench build chunqiutr --set script=traditional")
    if arguments.dater is None:
        skip("give the folder of a trained model with --dater")
    result, dater = read_folder(place), DateEstimator.read(arguments.dater)
    with tempfile.TemporaryDirectory() as folder:
        work = arguments.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        beside, tried = choose_weights(result, dater, work)
        dater = replace(dater, mixing=beside)
        rows, differences = measure_set(result, dater, work)
    save(
        "ctd_combination",
        "do a stated, a carried and a learned time add up, and where does each help?",
        "chunqiutr/traditional as it is built here, test questions; words and times, no encoder; the dater was trained "
        "on records of the split train",
        SEED,
        rows,
        **{
            "weights": {"undated": beside.undated, "dated": beside.dated, "worth": beside.worth},
            "weights tried on validation questions": tried,
            "estimated years of test events": measure_estimates(result, dater),
            "differences": differences,
        },
    )


if __name__ == "__main__":
    main()
