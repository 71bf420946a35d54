"""Is the first hit right when order, days and periods are asked for, and is what is said of missing things true?

    python studies/order_and_truth.py [--quick] [--corpora changelogs law_asof] [--questions 240] [--split report]
        [--encoder static] [--misses]

Makes docs/results/truth.md. Reads the corpora of epochal_lab.datasets.timed from EPOCHAL_DATA; questions are those for
reporting, whose topics and wordings no training has, sampled evenly over kinds. hit@1: questions with an answer whose
first hit is one. false recorded: questions without an answer that are said to be recorded. false none: questions with
an answer that are said to have none. Beside Epochal with default settings: BM25; the same engine without time (plain
hybrid); and, of BM25's first 50, those published in the years that a question names, the first ten newest first.

With --corpora the figures are printed and not written; --misses prints what went wrong. --quick takes news that come
with the package.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from _data import find_data
from _material import sample_news
from _record import VECTOR_CACHE, Row, get_quantiles, save

from epochal.api import Index
from epochal.encoders import CachedEncoder, encoder
from epochal.ingest import read_times
from epochal.ranking.relevance import RelevanceModel
from epochal.ranking.scorer import WeightedScorer
from epochal_lab.cli.train_scorer import name_left_out
from epochal_lab.datasets.making.make import make
from epochal_lab.datasets.sources import MissingSetError
from epochal_lab.datasets.timed.corpora import CORPORA, load_corpus
from epochal_lab.datasets.timed.questions import TimedCorpus, TimedQuestion, convert_bench_set
from epochal_lab.metrics.calibration import compute_calibration_error, compute_risk_at_coverage, make_bins

SEED = 0
QUESTIONS = 240
K = 10
#: The corpora that are indexed without vectors, as the shipped encoders do not know their language.
WORDS_ALONE = ("annals",)
#: How many hits of BM25 the filter by years starts from.
FILTERED = 50
YEAR = re.compile(r"(?<!\d)(?:1[0-9]{3}|20[0-9]{2})(?!\d)")
NONE = ("none_recorded", "not_covered", "topic_unknown")
#: What must be reached on corpora left out: corpus, kind or measure, least or most.
TARGETS: tuple[tuple[str, str, str, float], ...] = (
    ("changelogs", "in_month", "hit@1", 0.95),
    ("changelogs", "latest", "hit@1", 0.95),
    ("changelogs", "first", "hit@1", 0.92),
    ("changelogs", "as_of_words", "hit@1", 0.95),
    ("changelogs", "as_of_option", "hit@1", 0.95),
    ("changelogs", "before", "hit@1", 0.95),
    ("changelogs", "since", "hit@1", 0.95),
    ("changelogs", "absent_name", "false recorded", 0.02),
    ("changelogs", "empty_month", "false recorded", 0.05),
    ("changelogs", "all", "false none", 0.015),
    ("law_asof", "as_of_option", "hit@1", 0.96),
    ("law_asof", "as_of_words", "hit@1", 0.92),
    ("law_asof", "current", "hit@1", 0.97),
    ("law_asof", "not_yet", "false recorded", 0.0),
    ("tdbench", "all", "hit@1", 0.94),
    ("tdbench", "all", "false none", 0.03),
    ("tdbench", "unanswerable", "false recorded", 0.10),
    ("forecasts", "stated", "hit@1", 0.88),
    ("terms", "latest", "hit@1", 0.97),
    ("terms", "current", "hit@1", 0.97),
)
MOST_ERROR = 0.05


@dataclass
class Tally:
    """What one system did with the questions of one kind."""

    right: list[bool] = field(default_factory=list)
    said_recorded: list[bool] = field(default_factory=list)
    said_none: list[bool] = field(default_factory=list)
    silent: list[bool] = field(default_factory=list)

    def describe(self) -> Row:
        row: Row = {"answerable": len(self.right), "unanswerable": len(self.said_recorded)}
        for name, values in (
            ("hit@1", self.right),
            ("false none", self.said_none),
            ("false recorded", self.said_recorded),
            ("no statement", self.silent),
        ):
            row[name] = round(sum(values) / len(values), 4) if values else None
        return row


@dataclass(frozen=True)
class Answer:
    """The first hits, what was said of the question, and the probabilities where a system gives them."""

    hits: list[str]
    outcome: str = ""
    certainty: float | None = None
    probabilities: tuple[float, ...] = ()


System = Callable[[TimedQuestion], Answer]


# ---------------------------------------------------------------- systems


def make_systems(index: Index, model: RelevanceModel | None = None) -> dict[str, System]:
    """Epochal and its rivals, over one index; with a model, the one that was fitted without this corpus."""
    scorer = "gate" if model is None else WeightedScorer(relevance_model=model)

    def search(question: TimedQuestion, k: int = K, **options: Any) -> Any:
        return index.search(question.text, k=k, now=question.now, **options)

    def ask_epochal(question: TimedQuestion) -> Answer:
        response = search(question, as_of=question.as_of, scorer=scorer)
        certainty = getattr(response, "probability", None)
        probabilities = tuple(getattr(hit, "relevance", None) for hit in response)
        known = tuple(value for value in probabilities if value is not None)
        return Answer([hit.id for hit in response], response.outcome, certainty, known)

    def ask_words(question: TimedQuestion) -> Answer:
        return Answer([hit.id for hit in search(question, scorer="bm25", time=False, collapse_versions=False)])

    def ask_plainly(question: TimedQuestion) -> Answer:
        return Answer([hit.id for hit in search(question, time=False)])

    def ask_years(question: TimedQuestion) -> Answer:
        result = search(question, k=FILTERED, scorer="bm25", time=False, collapse_versions=False)
        documents = [hit.document for hit in result]
        years = {int(text) for text in YEAR.findall(question.text)}
        if years:
            then = [one for one in documents if one.published is not None and one.published.first_year in years]
            documents = then or documents
        if question.as_of is not None:
            end = question.as_of.end
            documents = [one for one in documents if one.published is None or one.published.start < end]
        newest = sorted(
            documents[:K], key=lambda one: -1 << 62 if one.published is None else one.published.start, reverse=True
        )
        return Answer([one.id for one in newest])

    return {"Epochal": ask_epochal, "BM25": ask_words, "plain hybrid": ask_plainly, "year filter, newest": ask_years}


# ---------------------------------------------------------------- measuring


def measure_corpus(
    corpus: TimedCorpus, encoder_name: str, cache: Path, misses: bool, left_out: RelevanceModel | None = None
) -> list[Row]:
    """A row for each system and kind, and one for all kinds; with probabilities, how far they can be believed."""
    model = None
    if corpus.name not in WORDS_ALONE and encoder_name != "none":
        model = CachedEncoder(encoder(encoder_name), cache)
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=model) as index:
        index.add(corpus.documents, read=read_times if corpus.read is None else corpus.read)
        index.search(corpus.questions[0].text, k=K)  # warm
        rows = []
        for name, system in make_systems(index, left_out).items():
            rows += measure_system(corpus, name, system, misses and name == "Epochal")
        return rows


def measure_system(corpus: TimedCorpus, name: str, system: System, misses: bool) -> list[Row]:
    tallies: dict[str, Tally] = defaultdict(Tally)
    took: list[float] = []
    stated: list[tuple[float, bool]] = []
    ranked: list[tuple[float, bool]] = []
    for question in corpus.questions:
        start = time.perf_counter()
        answer = system(question)
        took.append(1000 * (time.perf_counter() - start))
        right = bool(answer.hits) and answer.hits[0] in question.relevant
        for tally in (tallies[question.kind], tallies["all"]):
            if question.answerable:
                tally.right.append(right)
            if answer.outcome:
                tally.silent.append(answer.outcome == "no_window")
                if question.answerable:
                    tally.said_none.append(answer.outcome in NONE)
                else:
                    tally.said_recorded.append(answer.outcome == "recorded")
        if answer.certainty is not None and answer.outcome != "no_window":
            stated.append((answer.certainty, (answer.outcome == "recorded") == question.answerable))
        ranked += [
            (probability, id in question.relevant)
            for id, probability in zip(answer.hits, answer.probabilities, strict=False)
            if id not in question.unjudged
        ]
        if misses:
            show_miss(question, answer, right)
    p50, p95 = get_quantiles(took)
    rows = [{"corpus": corpus.name, "kind": kind, "what": name, **tally.describe()} for kind, tally in tallies.items()]
    overall = next(row for row in rows if row["kind"] == "all")
    overall |= {"p50 ms": round(p50, 1), "p95 ms": round(p95, 1)}
    overall |= describe_calibration("outcome", stated) | describe_calibration("hit", ranked)
    print(json.dumps(overall), file=sys.stderr)
    return rows


def describe_calibration(what: str, events: Sequence[tuple[float, bool]]) -> Row:
    """The expected calibration error of probabilities, their bins, and the risk of the surest four fifths."""
    if not events:
        return {}
    values, truths = [value for value, _ in events], [truth for _, truth in events]
    bins = [
        [one.low, one.high, one.count, round(one.mean, 4), round(one.share, 4)] for one in make_bins(values, truths)
    ]
    return {
        f"{what} calibration error": round(compute_calibration_error(values, truths), 4),
        f"{what} risk at 0.8": round(compute_risk_at_coverage(values, truths, 0.8), 4),
        f"{what} bins": bins,
    }


def show_miss(question: TimedQuestion, answer: Answer, right: bool) -> None:
    wrong = (not right or answer.outcome in NONE) if question.answerable else answer.outcome == "recorded"
    if wrong:
        as_of = "" if question.as_of is None else f" [as of {question.as_of.edtf()}]"
        print(f"{question.kind}: {question.text}{as_of} | {answer.outcome} | {answer.hits[:2]} "
              f"| gold {sorted(question.relevant)[:2]}", file=sys.stderr)  # fmt: skip


# ---------------------------------------------------------------- results


def check_targets(rows: Sequence[Row]) -> list[Row]:
    """What was to be reached on each corpus, and what was."""
    result = {(row["corpus"], row["kind"]): row for row in rows if row["what"] == "Epochal"}
    targets = []
    for corpus, kind, measure, bound in TARGETS:
        value = result.get((corpus, kind), {}).get(measure)
        if value is not None:
            is_least = measure == "hit@1"
            sign = ">=" if is_least else "<="
            reached = value >= bound if is_least else value <= bound
            targets.append(
                {"corpus": corpus, "kind": kind, "measure": measure, "target": f"{sign} {bound}", "found": value}
                | {"reached": reached}
            )
    for (corpus, kind), row in result.items():
        for measure in ("outcome calibration error", "hit calibration error"):
            if kind == "all" and measure in row:
                reached = row[measure] <= MOST_ERROR
                targets.append(
                    {"corpus": corpus, "kind": kind, "measure": measure, "target": f"<= {MOST_ERROR}"}
                    | {"found": row[measure], "reached": reached}
                )
    return targets


def compare_rivals(rows: Sequence[Row]) -> dict[str, float]:
    """For each corpus the share of first hits that are right over that of the best rival in this run."""
    first: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row["kind"] == "all":
            first[row["corpus"]][row["what"]] = row["hit@1"]
    return {
        corpus: round(shares["Epochal"] / best, 3)
        for corpus, shares in first.items()
        if (best := max(share for name, share in shares.items() if name != "Epochal")) > 0
    }


def read_left_out(path: Path | None, corpus: str) -> RelevanceModel | None:
    """The model that was fitted without a corpus; where there is none, that of all."""
    if path is None:
        return None
    file = name_left_out(path, corpus)
    return RelevanceModel.from_dict(json.loads((file if file.exists() else path).read_text(encoding="utf-8")))


def load_small_corpus() -> TimedCorpus:
    """Questions that `epochal bench make` makes of the news that come with the package."""
    result, _ = make(sample_news(300, quick=True), per_kind=3, seed=SEED)
    return convert_bench_set(result, split="report")


def measure(name: str, arguments: argparse.Namespace) -> tuple[list[Row], str]:
    """The rows of one corpus, and its size in words; nothing where its data are missing."""
    random.seed(SEED)
    try:
        corpus = load_corpus(name, seed=SEED).select(arguments.split).sample(arguments.questions, SEED)
    except MissingSetError as error:
        print(f"skipped: {error}")
        return [], ""
    model = read_left_out(arguments.weights, name)
    cache = arguments.cache.with_name(f"{arguments.cache.stem}-{name}{arguments.cache.suffix}")
    rows = measure_corpus(corpus, arguments.encoder, cache, arguments.misses, model)
    return rows, f"{name} ({len(corpus.documents):,} documents, {len(corpus.questions)} questions)"


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, help="only these, and nothing is written")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help=f"of each corpus; {QUESTIONS} unless given")
    parser.add_argument("--split", choices=("train", "report"), default="report")
    parser.add_argument("--encoder", default="static", help="static unless given; none for words alone")
    parser.add_argument("--cache", type=Path, default=VECTOR_CACHE, help="keeps vectors from run to run")
    parser.add_argument("--weights", type=Path, help="what `epochal train scorer --leave-out` wrote; else the shipped")
    parser.add_argument("--jobs", type=int, default=1, help="corpora at a time; 1 unless given")
    parser.add_argument("--misses", action="store_true", help="print the questions that went wrong")
    arguments = parser.parse_args(given)
    random.seed(SEED)
    if arguments.quick:
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder) / "vectors.db"
            print(json.dumps(measure_corpus(load_small_corpus(), "static", cache, arguments.misses), indent=2))
        return
    arguments.cache.parent.mkdir(parents=True, exist_ok=True)
    find_data("changelogs/pypi.jsonl.gz")
    with multiprocessing.Pool(arguments.jobs) as pool:
        measured = pool.starmap(measure, [(name, arguments) for name in arguments.corpora or CORPORA], chunksize=1)
    rows = [row for found, _ in measured for row in found]
    sizes = [size for _, size in measured if size]
    is_left_out = {
        name: bool(arguments.weights) and name_left_out(arguments.weights, name).exists()
        for name in dict.fromkeys(row["corpus"] for row in rows)
    }
    if arguments.corpora or not rows:
        print(json.dumps(rows, indent=2))
        return
    save(
        "order_and_truth",
        "first hits and outcomes on questions whose answers follow from dates and names; hit@1: questions with an "
        "answer whose first hit is one; false recorded: questions without an answer that are said to be recorded; "
        "false none: questions with an answer that are said to have none",
        ", ".join(sizes),
        SEED,
        rows,
        encoder=arguments.encoder,
        split=arguments.split,
        left_out=is_left_out,
        targets=check_targets(rows),
        ratios=compare_rivals(rows),
    )


if __name__ == "__main__":
    main()
