"""Train the small models of `epochal.reading.questions.classifier`: temporal class and recency need.

    python tools/train_understanding.py [--data DIR] [--check]

Reads tqic/queries.jsonl, recencyqa/questions.jsonl.gz and tools/understanding_seeds.tsv (questions written for this
purpose, always trained on and never counted), measures five folds, writes weights trained on everything to
the package's reading/questions/weights and the figures to tools/understanding_folds.json. Needs scikit-learn. With
--check the weights are left alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from epochal.reading.questions.classifier import QuestionClassifier, decide, extract_features
from epochal.reading.questions.question import RECENCY_CLASSES, TEMPORAL_CLASSES
from epochal.reading.questions.understand import MAX_RECENCY_DISTANCE
from epochal.times import Span

HERE = Path(__file__).resolve().parent
WEIGHTS = HERE.parent / "packages" / "epochal" / "src" / "epochal" / "reading" / "questions" / "weights"
SEED = 20261115
FOLDS = 5
#: Temporalia's queries were asked on this day; RecencyQA's questions were judged in this year.
TQIC_NOW = Span.parse("2013-05-01")
RECENCY_NOW = Span.parse("2025")
SEEDS_NOW = Span.parse("2026-11-15")

Row = tuple[str, "Span | None", np.ndarray]


def read_tqic(data: Path) -> tuple[list[str], np.ndarray]:
    """Queries and the places of their classes."""
    rows = [json.loads(line) for line in (data / "tqic" / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    return [row["query"] for row in rows], np.array([TEMPORAL_CLASSES.index(row["class"].lower()) for row in rows])


def read_recency(data: Path) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Questions, the places of their majority classes, and the shares of all classes."""
    with gzip.open(data / "recencyqa" / "questions.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    shares = np.array([[row["label_distribution"].get(name, 0.0) for name in RECENCY_CLASSES] for row in rows])
    majority = np.array([RECENCY_CLASSES.index(row["majority_label"]) for row in rows])
    return [row["question"] for row in rows], majority, shares / shares.sum(axis=1, keepdims=True)


def read_seeds() -> tuple[list[str], np.ndarray]:
    """Questions written for training, and the places of their classes."""
    rows = [line.split("\t") for line in (HERE / "understanding_seeds.tsv").read_text(encoding="utf-8").splitlines()]
    return [row[1] for row in rows], np.array([TEMPORAL_CLASSES.index(row[0]) for row in rows])


def folds(labels: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Stratified folds, the same every time."""
    from sklearn.model_selection import StratifiedKFold

    split = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(labels, labels)
    return [(train, test) for train, test in split]


def fit(
    rows: Sequence[Row], names: Sequence[str], *, buckets: int, cue_weight: float, strength: float, present: Span | None
) -> QuestionClassifier:
    """A model of rows of text, present and class shares."""
    from scipy import sparse
    from sklearn.linear_model import LogisticRegression

    def matrix(idf: np.ndarray | None) -> Any:
        filled = [extract_features(text, now, idf, buckets, cue_weight) for text, now, _ in rows]
        starts = np.cumsum([0, *(len(positions) for positions, _ in filled)])
        positions = np.concatenate([positions for positions, _ in filled])
        values = np.concatenate([values for _, values in filled])
        table = sparse.csr_matrix((values, positions, starts), shape=(len(rows), buckets))
        table.sum_duplicates()
        return table

    seen = np.asarray((matrix(None) != 0).sum(axis=0)).ravel()
    idf = np.where(seen > 0, np.log((1 + len(rows)) / (1 + seen)) + 1, 0.0)
    shares = np.array([row[2] for row in rows])
    which, label = np.nonzero(shares)
    learner = LogisticRegression(C=strength, max_iter=1000, tol=1e-3)
    learner.fit(matrix(idf)[which], label, sample_weight=shares[which, label])
    return QuestionClassifier(tuple(names), learner.coef_.T.copy(), learner.intercept_.copy(), idf, cue_weight, present)


def fit_temporal_class(texts: Sequence[str], labels: np.ndarray, *, with_seeds: bool = True) -> QuestionClassifier:
    """The model of the temporal class, which learns every text with its present and without."""
    one = np.eye(len(TEMPORAL_CLASSES))
    seeds, seed_labels = read_seeds() if with_seeds else ([], np.zeros(0, dtype=int))
    both = (
        (texts, labels, (TQIC_NOW, None)),
        (seeds, seed_labels, (SEEDS_NOW, None)),
    )
    rows: list[Row] = [
        (text, now, one[at])
        for query, classes, presents in both
        for text, at in zip(query, classes, strict=True)
        for now in presents
    ]
    return fit(rows, TEMPORAL_CLASSES, buckets=2048, cue_weight=0.7, strength=0.5, present=None)


def fit_recency(texts: Sequence[str], shares: np.ndarray) -> QuestionClassifier:
    """The model of the recency need."""
    rows: list[Row] = [(text, RECENCY_NOW, share) for text, share in zip(texts, shares, strict=True)]
    return fit(rows, RECENCY_CLASSES, buckets=16384, cue_weight=0.4, strength=5.0, present=RECENCY_NOW)


def out_of_fold(
    texts: Sequence[str], labels: np.ndarray, train: Callable[[np.ndarray], QuestionClassifier], now: Span | None
) -> np.ndarray:
    """Probabilities of every text from the model that did not see it."""
    matches: list[np.ndarray] = [np.zeros(0)] * len(texts)
    for seen, unseen in folds(labels):
        model = train(seen)
        for at in unseen:
            matches[at] = model.probabilities(texts[at], now)
    return np.array(matches)


def ordinal_figures(probabilities: np.ndarray, labels: np.ndarray, most: float) -> dict[str, float]:
    """Accuracy and mean class distance of a decision."""
    selected = np.array([decide(row, most) for row in probabilities])
    return {
        "accuracy": round(float((selected == labels).mean()), 4),
        "mean_class_distance": round(float(np.abs(selected - labels).mean()), 4),
    }


def choose_distance(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """The greatest cost of a class that is best in mean class distance and accuracy, which count the same."""

    def cost(most: float) -> float:
        figures = ordinal_figures(probabilities, labels, most)
        return figures["mean_class_distance"] - figures["accuracy"]

    return min((1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 11.0), key=cost)


def choose_inside_folds(probabilities: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Figures of decisions whose rule was chosen on the other folds."""
    selected = np.zeros(len(labels), dtype=int)
    for seen, unseen in folds(labels):
        most = choose_distance(probabilities[seen], labels[seen])
        selected[unseen] = [decide(row, most) for row in probabilities[unseen]]
    return {
        "accuracy": round(float((selected == labels).mean()), 4),
        "mean_class_distance": round(float(np.abs(selected - labels).mean()), 4),
    }


def measure(data: Path) -> dict[str, Any]:
    """The figures of five folds."""
    texts, labels = read_tqic(data)
    record: dict[str, Any] = {"seed": SEED, "folds": FOLDS, "temporal_class": {}, "recency": {}}
    for name, now in (("now 2013-05-01", TQIC_NOW), ("no now", None)):
        result = out_of_fold(
            texts, labels, lambda seen: fit_temporal_class([texts[at] for at in seen], labels[seen]), now
        )
        record["temporal_class"][name] = {"accuracy": round(float((result.argmax(axis=1) == labels).mean()), 4)}
    questions, majority, shares = read_recency(data)
    result = out_of_fold(
        questions, majority, lambda seen: fit_recency([questions[at] for at in seen], shares[seen]), RECENCY_NOW
    )
    record["recency"]["likeliest"] = ordinal_figures(result, majority, 1.0)
    record["recency"][f"least expected distance up to {MAX_RECENCY_DISTANCE:g}"] = ordinal_figures(
        result, majority, MAX_RECENCY_DISTANCE
    )
    record["recency"]["rule chosen on the other folds"] = choose_inside_folds(result, majority)
    record["recency"]["chosen distance"] = choose_distance(result, majority)
    return record


def main() -> None:
    """Measure, then train on everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("EPOCHAL_DATA"), help="EPOCHAL_DATA unless given")
    parser.add_argument("--check", action="store_true", help="measure only")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("set EPOCHAL_DATA or --data; epochal bench fetch gets tqic and recencyqa")
    record = measure(arguments.data)
    print(json.dumps(record, indent=2))
    if arguments.check:
        return
    (HERE / "understanding_folds.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    WEIGHTS.mkdir(exist_ok=True)
    fit_temporal_class(*read_tqic(arguments.data)).save(WEIGHTS / "temporal_class.npz")
    questions, _, shares = read_recency(arguments.data)
    fit_recency(questions, shares).save(WEIGHTS / "recency.npz")
    for path in sorted(WEIGHTS.glob("*.npz")):
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
