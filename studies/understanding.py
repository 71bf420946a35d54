"""How well are temporal class and recency class predicted, in five folds, against TF-IDF with logistic regression?

    python studies/understanding.py

Makes the table of question classes in docs/results/reading.md. Reads tqic and recencyqa from EPOCHAL_DATA, and needs
scikit-learn; the folds and the training are those of tools/train_understanding.py.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
from _data import find_data
from _record import ROOT, Row, save


def load_training() -> Any:
    spec = importlib.util.spec_from_file_location("train_understanding", ROOT / "tools" / "train_understanding.py")
    if spec is None or spec.loader is None:
        raise SystemExit("tools/train_understanding.py is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Extra = tuple[list[str], np.ndarray]


def predict_tfidf(
    texts: list[str], labels: np.ndarray, folds: list[Any], strength: float, extra: Extra | None = None
) -> np.ndarray:
    """Out-of-fold probabilities of words and pairs of words under TF-IDF with logistic regression.

    `extra` are texts that every fold trains on, as ours trains on its seeds.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    more, more_labels = extra or ([], np.zeros(0, dtype=int))
    probabilities = np.zeros((len(texts), labels.max() + 1))
    for seen, unseen in folds:
        words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
        features = words.fit_transform([*(texts[at] for at in seen), *more])
        learner = LogisticRegression(C=strength, max_iter=1000, tol=1e-3)
        learner.fit(features, np.concatenate([labels[seen], more_labels]))
        probabilities[unseen] = learner.predict_proba(words.transform([texts[at] for at in unseen]))
    return probabilities


def measure_temporal_class(tools: Any) -> list[Row]:
    """Ours and the rival, each with and without the seeds, so that both train on the same texts."""
    texts, labels = tools.read_tqic(find_data("tqic").parent)
    rows = []
    for with_seeds in (True, False):
        learnt = "with the seeds" if with_seeds else "without the seeds"
        for strength in (1.0, 10.0):
            extra = tools.read_seeds() if with_seeds else None
            probabilities = predict_tfidf(texts, labels, tools.folds(labels), strength, extra)
            system = f"TF-IDF + logistic, C={strength:g}"
            rows.append({"data": "tqic", "system": system, "learnt": learnt, **measure_accuracy(probabilities, labels)})
        for name, now in (("now=2013-05-01", tools.TQIC_NOW), ("no now", None)):
            probabilities = tools.out_of_fold(
                texts,
                labels,
                lambda seen, with_seeds=with_seeds: tools.fit_temporal_class(
                    [texts[at] for at in seen], labels[seen], with_seeds=with_seeds
                ),
                now,
            )
            rows.append(
                {
                    "data": "tqic",
                    "system": f"epochal, {name}",
                    "learnt": learnt,
                    **measure_accuracy(probabilities, labels),
                }
            )
    return rows


def measure_recency(tools: Any) -> list[Row]:
    texts, labels, shares = tools.read_recency(find_data("recencyqa").parent)
    rows = []
    runs = {f"TF-IDF + logistic, C={c:g}": predict_tfidf(texts, labels, tools.folds(labels), c) for c in (1.0, 10.0)}
    runs["epochal"] = tools.out_of_fold(
        texts, labels, lambda seen: tools.fit_recency([texts[at] for at in seen], shares[seen]), tools.RECENCY_NOW
    )
    for system, probabilities in runs.items():
        for most, decision in ((1.0, "likeliest"), (tools.MAX_RECENCY_DISTANCE, "least expected distance, capped")):
            figures = tools.ordinal_figures(probabilities, labels, most)
            rows.append({"data": "recencyqa", "system": system, "decision": decision, **figures})
        figures = tools.choose_inside_folds(probabilities, labels)
        rows.append({"data": "recencyqa", "system": system, "decision": "chosen on the other folds", **figures})
    return rows


def measure_accuracy(probabilities: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    return {"accuracy": round(float((probabilities.argmax(axis=1) == labels).mean()), 4)}


def main() -> None:
    tools = load_training()
    save(
        "understanding",
        "How well are temporal class and recency class predicted, in five stratified folds?",
        "NTCIR Temporalia query intents (176), RecencyQA (2,975); figures are out of fold",
        tools.SEED,
        measure_temporal_class(tools) + measure_recency(tools),
        note="The cues were written with the 176 queries in view; unseen queries may do somewhat worse. "
        "The seeds are the questions of tools/understanding_seeds.tsv, written for this; they are never counted.",
    )


if __name__ == "__main__":
    main()
