"""What tools/train_rerank.py learns from: groups of a question with passages, the first of which answers it."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from rerank_network import DEVICE, TOKENIZER, WIDTH, CrossNetwork, join, pack
from torch import Tensor

from epochal.ranking.rerank import RERANKED

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "studies"))
from rerank import CHOICES, find_fold, find_part, read_lines

Row = dict[str, Any]
#: A question, its windows (start, end, words), a passage, and the engine's score of it, standardised.
Pair = tuple[str, list[list[Any]], Row, float]
Group = list[Pair]

#: Nearest passages of a question to draw from, and how alike to one that answers they may be.
MINED, COPY = 48, 0.92
#: News within so many seconds that are this much alike may report the same.
SAME_NEWS, SAME_DAYS = 0.6, 4 * 86_400


class Material(NamedTuple):
    """Passages, questions by construction over them, and what the engine found for questions, by corpus."""

    passages: list[Row]
    questions: list[Row]
    searched: dict[str, list[Row]]


def read_training(folder: Path, share: float) -> tuple[list[Row], list[Row]]:
    passages = list(read_lines(folder / "passages.jsonl.gz"))
    for passage in passages:
        if "ref" in passage:  # the same text from another day
            same = passages[passage["ref"]]
            passage.update({name: same[name] for name in ("title", "text", "t", "d") if name in same})
    questions = list(read_lines(folder / "questions.jsonl.gz"))
    return passages, random.Random(1).sample(questions, int(share * len(questions)))


def read_searched(folder: Path, share: float) -> dict[str, list[Row]]:
    """What the engine found for questions to train on, with standardised scores."""
    result: dict[str, list[Row]] = {}
    for name in ("timeqa", "wiki", "news", "scifact", "terms"):
        rows = list(read_lines(folder / f"train_{name}.jsonl.gz"))
        for row in rows:
            scores = np.array([hit["s"] for hit in row["hits"]])
            best = scores[:RERANKED]
            for hit, score in zip(row["hits"], scores.tolist(), strict=True):
                hit["z"] = (score - best.mean()) / (best.std() + 1e-6)
        result[name] = [row for row in rows if row["hits"]]
        result[name] = result[name][: max(1, int(share * len(rows)))]
    return result


@torch.no_grad()
def embed_texts(model: CrossNetwork, texts: Sequence[str], batch: int = 1024) -> Tensor:
    encoded = TOKENIZER.encode_batch([text[:1500] for text in texts])
    vectors = [
        model.embed(pack(*join([item.ids for item in encoded[first : first + batch]])))
        for first in range(0, len(texts), batch)
    ]
    return torch.cat(vectors) if vectors else torch.zeros(0, WIDTH, device=DEVICE)


def mine_negatives(base: Mapping[str, Tensor], passages: list[Row], questions: list[Row]) -> None:
    """Give each question the nearest passages of its corpus that are not, or may not be, answers."""
    model = CrossNetwork(base, 0).eval()
    corpora: dict[str, list[int]] = {}
    for position, passage in enumerate(passages):
        if "ref" not in passage:
            corpora.setdefault(passage["set"], []).append(position)
    for name, positions in corpora.items():
        requests = [row for row in questions if row["set"] == name and "q" in row]
        texts = [". ".join(filter(None, (passages[at]["title"], passages[at]["text"]))) for at in positions]
        vectors, queries = embed_texts(model, texts), embed_texts(model, [row["q"] for row in requests])
        local = {at: number for number, at in enumerate(positions)}
        for first in range(0, len(requests), 2048):
            part = requests[first : first + 2048]
            nearest = (queries[first : first + 2048] @ vectors.T).topk(min(MINED, len(positions)), dim=1).indices
            answers = [[passages[at].get("ref", at) for at in row["pos"]] for row in part]
            most = max(map(len, answers))
            known = torch.tensor([[local[at] for at in (row * most)[:most]] for row in answers], device=DEVICE)
            alike = torch.einsum("qnd,qad->qna", vectors[nearest], vectors[known]).amax(2).tolist()
            for row, near, right, similar in zip(part, nearest.tolist(), answers, alike, strict=True):
                matches = [(positions[number], value) for number, value in zip(near, similar, strict=True)]
                row["mined"] = [
                    at for at, value in matches if at not in right and not may_answer(passages, at, right, value)
                ]
        print(f"mined {name}: {len(positions):,} passages, {len(requests):,} questions", flush=True)


def may_answer(passages: list[Row], at: int, answers: list[int], similarity: float) -> bool:
    """Whether a passage is a copy, of the same document, or news of the same days about much the same."""
    passage = passages[at]
    if similarity > COPY or any(passage.get("d") and passage.get("d") == passages[other].get("d") for other in answers):
        return True
    days = [passages[other]["pub"][0] for other in answers if passages[other].get("pub")]
    near = passage.get("pub") and any(abs(day - passage["pub"][0]) < SAME_DAYS for day in days)
    return bool(passage["set"] == "news" and similarity > SAME_NEWS and near)


def draw_groups(material: Material, run: Row, fold: int | None, rng: random.Random) -> list[Group]:
    """One epoch; the first pair of a group is the right one."""
    groups = [*draw_constructed(material, run, rng)] if run["constructed"] else []
    for name, rows in material.searched.items():
        if name in run["without"]:
            continue
        for row in rows:
            passes = run["searched"]
            if name == "timeqa":
                page = row["id"].partition("#")[0]
                left_out = find_part(page) == CHOICES if fold is None else find_fold(page, run["folds"]) == fold
                if left_out and (fold is not None or run["choices"]):
                    continue
                passes = run["human"] if row["id"].endswith("~0") else run["varied"]
            for _ in range(int(passes + rng.random())):
                group = draw_searched(material, row, run, rng)
                if group:
                    groups.append(group)
    rng.shuffle(groups)
    return groups


def draw_searched(material: Material, row: Row, run: Row, rng: random.Random) -> Group:
    """A group of what the engine found: mostly of the documents that are reranked."""
    hits = row["hits"]
    answers = {hit["text"] for hit in hits if hit["g"]}
    right = [hit for hit in hits[: RERANKED + 10] if hit["g"]]
    others = [hit for hit in hits if not hit["g"] and hit["text"] not in answers]
    if not right or not others:
        return []
    size = run["size"]
    wrong = rng.sample(others[:RERANKED], min(size - 2, len(others[:RERANKED])))
    wrong += [hit for hit in rng.sample(others, min(2, len(others))) if hit not in wrong]
    return [(row["q"], row["w"], hit, hit["z"]) for hit in (rng.choice(right), *wrong[: size - 1])]


def draw_constructed(material: Material, run: Row, rng: random.Random) -> Iterator[Group]:
    passages, size = material.passages, run["size"]
    for row in material.questions:
        if row["set"] in run["without"] or rng.random() >= run["constructed"]:
            continue
        if "p" in row:
            if rng.random() < run["reverse"]:
                wrong = rng.sample(row["qn"], min(size - 1, len(row["qn"])))
                yield [(*query, passages[row["p"]], 0.0) for query in (rng.choice(row["qp"]), *wrong)]
            continue
        if row["k"] == "keywords" and rng.random() >= run["keywords"]:
            continue
        for _ in range(run["shards"] if row["k"] == "shard" else 1):
            wrong = rng.sample(row["neg"], min(size // 2, len(row["neg"])))
            near = [at for at in row["mined"] if at not in wrong]
            # The nearest come oftenest.
            wrong += [near[int(len(near) * rng.random() ** 2)] for _ in range(size - 1 - len(wrong)) if near]
            if wrong:
                selected = (rng.choice(row["pos"]), *dict.fromkeys(wrong))
                yield [(row["q"], row["w"], passages[at], 0.0) for at in selected]
