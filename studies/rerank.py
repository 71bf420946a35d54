"""What does the cross-encoder of `search(rerank=True)` bring, and what does it cost?

    python studies/rerank.py --candidates FOLDER --scores FILE... [--shipped FILE]
    python studies/rerank.py --quick

Reads what `tools/train_rerank.py` wrote: FOLDER/eval_SET.jsonl.gz, the engine's best documents of each question with
their scores and grades, and scores.jsonl.gz, for each way of training the cross-encoder's score of each of them.
The 20 best documents are reranked as the engine does it. Half of TimeQA's pages (by a hash of their names) are held
out: nothing was trained or chosen on them. LoCoMo, TDBench, PyPI's release notes and TNP's test were not trained on
in any way; of SciFact the abstracts were, and its claims were not. `--shipped` is a file of `--quick`'s form over the
same candidates, computed with the shipped weights in eight bits. --quick times the shipped model on the news that come
with the package, and writes nothing.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import lzma
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _material import sample_news
from _record import Row, compare_scores, get_quantiles, save

from epochal.encoders.cross import load_cross_encoder
from epochal.ranking.rerank import RERANKED, fuse_scores
from epochal_lab.metrics.functions import ndcg

SEED = 5
SETS = ("timeqa", "scifact", "tnp", "tdbench", "locomo", "changelogs")
#: The parts of TimeQA: pages to train on have two parts, of which one is for choices.
HELD, CHOICES = "timeqa-held", "timeqa-val"
WEIGHTS = (0.25, 0.35, 0.5, 0.75, 1.0)
#: A weight that makes a set worse by more than this is not chosen.
MOST_LOST = 0.002
TARGETS = ((HELD, "hit@1", 0.62), (HELD, "nDCG@10", 0.79), ("scifact", "nDCG@10", 0.75), ("tnp", "nDCG@10", 0.98))

Questions = dict[str, list[dict[str, Any]]]


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    opener: Any = lzma.open if path.suffix == ".xz" else gzip.open
    with opener(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def find_part(page: str) -> str:
    """The part of TimeQA that a page belongs to."""
    if int(hashlib.sha256(page.encode()).hexdigest(), 16) % 2 == 1:
        return HELD
    return CHOICES if int(hashlib.sha256(f"v{page}".encode()).hexdigest(), 16) % 5 == 0 else "timeqa-train"


def read_candidates(folder: Path) -> Questions:
    questions: Questions = {}
    for name in SETS:
        (path,) = folder.glob(f"eval_{name}.jsonl.*")
        for row in read_lines(path):
            part = find_part(row["id"].partition("#")[0]) if name == "timeqa" else name
            questions.setdefault(part, []).append(row)
    questions.pop("timeqa-train", None)
    return questions


def measure_order(question: Mapping[str, Any], scores: np.ndarray) -> tuple[float, float]:
    """hit@1 and nDCG@10 of the candidates in the order of their scores."""
    order = np.argsort(-scores, kind="stable")[:10].tolist()
    good = {position for position, hit in enumerate(question["hits"]) if hit["g"] > 0}
    # Relevant documents that are no candidates count in the ideal order.
    missing = {f"missing {number}" for number in range(question["gold"] - len(good))}
    return float(order[0] in good), ndcg(order, good | missing, 10)


def measure_questions(
    name: str, questions: Sequence[Mapping[str, Any]], pairs: Mapping[str, Sequence[float]] | None, weight: float
) -> dict[str, tuple[float, float]]:
    """The measures by question; without `pairs` those of the engine alone."""
    result = {}
    for question in questions:
        old = np.array([hit["s"] for hit in question["hits"][:RERANKED]])
        given = None if pairs is None else pairs.get(f"{name}\t{question['id']}")
        if pairs is not None and given is None:
            continue
        scores = old if given is None else fuse_scores(old, np.array(given[: len(old)]), weight)
        result[question["id"]] = measure_order(question, scores)
    return result


def describe_row(
    name: str, what: str, ours: Mapping[str, tuple[float, float]], engine: Mapping[str, tuple[float, float]]
) -> Row:
    hits, gains = np.array(list(ours.values())).T
    base = np.array([engine[key] for key in ours]).T
    difference = compare_scores(
        {key: value[1] for key, value in ours.items()}, {key: engine[key][1] for key in ours}, SEED
    )
    return {
        "set": name,
        "what": what,
        "questions": len(ours),
        "hit@1": round(float(hits.mean()), 4),
        "nDCG@10": round(float(gains.mean()), 4),
        "engine hit@1": round(float(base[0].mean()), 4),
        "engine nDCG@10": round(float(base[1].mean()), 4),
        "nDCG@10 gain": difference,
    }


def choose_weight(questions: Questions, pairs: Mapping[str, Sequence[float]]) -> tuple[float, list[Row]]:
    """The weight with the best mean nDCG@10 over all sets but the held-out one, of those that make no set worse."""
    rows, best = [], (0.0, 0.0)
    for weight in WEIGHTS:
        gains = []
        for name, query in questions.items():
            if name != HELD:
                ours = measure_questions(name, query, pairs, weight)
                engine = measure_questions(name, query, None, weight)
                gains.append(float(np.mean([ours[key][1] - engine[key][1] for key in ours])))
        rows.append({"weight": weight, "mean gain": round(float(np.mean(gains)), 4), "least": round(min(gains), 4)})
        if min(gains) >= -MOST_LOST and np.mean(gains) > best[0]:
            best = float(np.mean(gains)), weight
    return best[1], rows


def time_model(rounds: int) -> Row:
    """Milliseconds to score 20 news items on one core, and to load the model."""
    model = load_cross_encoder()
    start = time.process_time()
    model.score("a", ["b"])
    load = time.process_time() - start
    texts = [item.text for item in sample_news(RERANKED, quick=True)]
    took = []
    for _ in range(rounds):
        start = time.process_time()
        model.score("Which earthquake was reported in Japan in 2011?", texts)
        took.append(1000 * (time.process_time() - start))
    p50, p95 = get_quantiles(took)
    words = sum(len(text.split()) for text in texts) / len(texts)
    return {
        "what": f"{RERANKED} news items on one core",
        "words an item": round(words, 1),
        "p50 ms": round(p50, 1),
        "p95 ms": round(p95, 1),
        "load s": round(load, 2),
    }


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument("--candidates", type=Path, help="folder with eval_SET.jsonl.gz")
    parser.add_argument("--scores", type=Path, nargs="+", default=[], help="files that training wrote")
    parser.add_argument("--shipped", type=Path, help="scores of the shipped weights in eight bits")
    arguments = parser.parse_args(given)
    if arguments.quick or arguments.candidates is None:
        print(json.dumps([time_model(3)], indent=2))
        return
    questions = read_candidates(arguments.candidates)
    engine = {name: measure_questions(name, query, None, 0) for name, query in questions.items()}
    runs = {line["cfg"]["name"]: line for path in arguments.scores for line in read_lines(path)}
    shipped = runs[SHIPPED]
    weight, tried = choose_weight(questions, shipped["scores"])
    rows: list[Row] = []
    for label, line in runs.items():
        if line["cfg"].get("most"):
            continue  # a trial of the script
        for name, query in questions.items():
            rows.append(describe_row(name, label, measure_questions(name, query, line["scores"], weight), engine[name]))
    if arguments.shipped is not None:
        stored = json.loads(arguments.shipped.read_text(encoding="utf-8"))
        for name, query in questions.items():
            ours = measure_questions(name, query, stored["scores"], weight)
            if len(ours) >= 30:
                rows.append(describe_row(name, "shipped, eight bits, part of the questions", ours, engine[name]))
                same = measure_questions(name, [q for q in query if q["id"] in ours], shipped["scores"], weight)
                rows[-1]["before eight bits nDCG@10"] = round(float(np.mean([v[1] for v in same.values()])), 4)
    by_name = {(row["set"], row["what"]): row for row in rows}
    save(
        "rerank",
        "what a cross-encoder over the shipped MiniLM brings as a reranker of the engine's 20 best documents, with the "
        "times of passages in words or without, and trained with each corpus left out; hit@1 and nDCG@10 beside the "
        "engine's own, on the same candidates",
        ", ".join(f"{name} ({len(query)} questions)" for name, query in questions.items()),
        SEED,
        rows,
        shipped=SHIPPED,
        weight=weight,
        weights_tried=tried,
        runs={label: line["cfg"] for label, line in runs.items()},
        latency=time_model(20),
        targets=[
            {"set": name, "measure": measure, "target": f">= {minimum}", "found": by_name[name, SHIPPED][measure],
             "reached": by_name[name, SHIPPED][measure] >= minimum}
            for name, measure, minimum in TARGETS
        ],
    )  # fmt: skip


#: The way of training whose adapter ships.
SHIPPED = "mix16"

if __name__ == "__main__":
    main()
