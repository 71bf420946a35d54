"""What does the cross-encoder of `search(rerank=True)` bring, what does it cost, and would other training bring more?

    python studies/rerank.py --candidates FOLDER --score FILE [--most N]
    python studies/rerank.py --candidates FOLDER --scores FILE... --shipped FILE
    python studies/rerank.py --quick

Reads what `_rerank_candidates.py` and `tools/train_rerank.py` wrote: FOLDER/eval_SET.jsonl.gz, the engine's best
documents of each question with their scores and grades, and scores.jsonl.gz, for each way of training the
cross-encoder's score of each of them. The 20 best documents are reranked as the engine does it. Half of TimeQA's pages
(by a hash of their names) are held out: nothing was trained or chosen on them. The other half is "timeqa-folds" where
each page was scored by a model that was trained without it, and "timeqa-val" is the fifth of it that the shipped model
was not trained on. LoCoMo, TDBench, PyPI's release notes and TNP's test were not trained on in any way; of SciFact the
abstracts were, and its claims were not. --score writes the scores of the shipped weights in eight bits, as a search
computes them, of N questions of each set; scores that FILE has are kept. The run "shipped" has those of all questions,
computed without eight bits. --quick times the shipped model on the news that come with the package, and writes nothing.

`results/rerank_left_out.json` is an earlier run with each training corpus left out, on the engine of that day.
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
from epochal.ranking.rerank import RERANKED, PassageTime, fuse_scores, write_passage, write_question
from epochal_lab.metrics.functions import ndcg

SEED = 5
SETS = ("timeqa", "scifact", "tnp", "tdbench", "locomo", "changelogs")
#: The parts of TimeQA: held-out pages, all others, and those of the others that the shipped model was not trained on.
HELD, FOLDS, CHOICES = "timeqa-held", "timeqa-folds", "timeqa-val"
#: Sets that nothing is chosen on.
REPORTED = (HELD, "scifact")
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


def find_fold(page: str, folds: int) -> int:
    """The fold of a page that is not held out."""
    return int(hashlib.sha256(f"f{page}".encode()).hexdigest(), 16) % folds


def read_candidates(folder: Path) -> Questions:
    questions: Questions = {}
    for name in SETS:
        (path,) = folder.glob(f"eval_{name}.jsonl.*")
        for row in read_lines(path):
            part = find_part(row["id"].partition("#")[0]) if name == "timeqa" else name
            if part not in (HELD, name):
                questions.setdefault(FOLDS, []).append(row)
            if part != "timeqa-train":
                questions.setdefault(part, []).append(row)
    return questions


def write_pair(question: str, windows: Sequence[Sequence[Any]], hit: Mapping[str, Any]) -> tuple[str, str]:
    """A question and a passage as the cross-encoder reads them; what is cut it would not read."""
    query = write_question(question, [words for _, _, words in windows])
    times = [PassageTime(*item) for item in hit["t"]]
    day = PassageTime(-1, -1, *hit["pub"]) if hit.get("pub") else None
    ranges = [(start, end) for start, end, _ in windows]
    return query[:600], write_passage(hit["title"], hit["text"], times, ranges, day)[:2000]


def find_key(name: str, question: str) -> str:
    """Where the scores of a question are; those by models that had not seen its page are apart."""
    return f"{'timeqa' if name in (HELD, CHOICES) else name}\t{question}"


def score_shipped(questions: Questions, path: Path, most: int | None) -> None:
    """Add to a file the scores that the shipped model gives the documents of some questions."""
    scores = json.loads(path.read_text(encoding="utf-8"))["scores"] if path.exists() else {}
    model = load_cross_encoder()
    for name, rows in questions.items():
        for row in [] if name == FOLDS else rows[:most]:
            key, hits = find_key(name, row["id"]), row["hits"][:RERANKED]
            if key not in scores and hits:
                pairs = [write_pair(row["q"], row["w"], hit) for hit in hits]
                scores[key] = model.score(pairs[0][0], [text for _, text in pairs]).round(4).tolist()
    path.write_text(json.dumps({"scores": scores}), encoding="utf-8")


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
        given = None if pairs is None else pairs.get(find_key(name, question["id"]))
        if pairs is not None and given is None and name == FOLDS:
            given = pairs.get(find_key(CHOICES, question["id"]))  # no model of the run has seen any page
        if (pairs is not None and given is None) or len(old) < 2:
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


def try_weights(questions: Questions, run: Row) -> tuple[float, list[Row]]:
    """The weight with the best mean nDCG@10 over the sets for choices, of those that make none of them worse.

    It is 0 where each makes one worse.
    """
    rows, best = [], (0.0, 0.0)
    for weight in WEIGHTS:
        gains = []
        for name in select_sets(questions, run):
            if name not in REPORTED:
                ours = measure_questions(name, questions[name], run["scores"], weight)
                engine = measure_questions(name, questions[name], None, weight)
                gains.append(float(np.mean([ours[key][1] - engine[key][1] for key in ours])))
        rows.append({"weight": weight, "mean gain": round(float(np.mean(gains)), 4), "least": round(min(gains), 4)})
        if min(gains) >= -MOST_LOST and np.mean(gains) > best[0]:
            best = float(np.mean(gains)), weight
    return best[1], rows


def select_sets(questions: Questions, run: Row) -> list[str]:
    """The sets that a run may be measured on: TimeQA's other half only as far as no page was trained on."""
    return [name for name in questions if name != (FOLDS if run["cfg"]["name"] == SHIPPED else CHOICES)]


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
    parser.add_argument("--score", type=Path, help="where to write the scores of the shipped weights in eight bits")
    parser.add_argument("--most", type=int, help="questions of each set to score; all unless given")
    parser.add_argument("--shipped", type=Path, help="what --score wrote")
    arguments = parser.parse_args(given)
    if arguments.quick or arguments.candidates is None:
        print(json.dumps([time_model(3)], indent=2))
        return
    questions = read_candidates(arguments.candidates)
    if arguments.score is not None:
        score_shipped(questions, arguments.score, arguments.most)
        return
    engine = {name: measure_questions(name, query, None, 0) for name, query in questions.items()}
    runs = {line["cfg"]["name"]: line for path in arguments.scores for line in read_lines(path)}
    weight = load_cross_encoder().weight
    rows: list[Row] = []
    for label, line in runs.items():
        for name in select_sets(questions, line):
            ours = measure_questions(name, questions[name], line["scores"], weight)
            rows.append(describe_row(name, label, ours, engine[name]))
    if arguments.shipped is not None:
        stored = json.loads(arguments.shipped.read_text(encoding="utf-8"))
        for name in select_sets(questions, runs[SHIPPED]):
            ours = measure_questions(name, questions[name], stored["scores"], weight)
            if len(ours) >= 30:
                rows.append(describe_row(name, "shipped, in eight bits", ours, engine[name]))
                same = measure_questions(name, questions[name], runs[SHIPPED]["scores"], weight)
                rows[-1]["before eight bits nDCG@10"] = round(float(np.mean([same[key][1] for key in ours])), 4)
    by_name = {(row["set"], row["what"]): row for row in rows}
    tried = {label: try_weights(questions, line) for label, line in runs.items()}
    save(
        "rerank",
        "what a cross-encoder over the shipped MiniLM brings as a reranker of the engine's 20 best documents, and "
        "whether training it in other ways would bring more; hit@1 and nDCG@10 beside the engine's own, on the same "
        "candidates",
        ", ".join(f"{name} ({len(query)} questions)" for name, query in questions.items()),
        SEED,
        rows,
        shipped=SHIPPED,
        weight=weight,
        recall={
            name: round(float(np.mean([any(hit["g"] for hit in row["hits"][:RERANKED]) for row in query])), 4)
            for name, query in questions.items()
        },
        runs={
            label: {"settings": line["cfg"], "best weight": tried[label][0], "weights tried": tried[label][1]}
            for label, line in runs.items()
        },
        latency=time_model(20),
        targets=[
            {"set": name, "measure": measure, "target": f">= {minimum}", "found": by_name[name, SHIPPED][measure],
             "reached": by_name[name, SHIPPED][measure] >= minimum}
            for name, measure, minimum in TARGETS
        ],
    )  # fmt: skip


#: The run that is the adapter in the package.
SHIPPED = "shipped"

if __name__ == "__main__":
    main()
