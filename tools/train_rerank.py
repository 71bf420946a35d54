"""Train the cross-encoder of `search(rerank=True)`: a LoRA adapter over the shipped MiniLM, with a scoring vector.

    python studies/_rerank_candidates.py FOLDER         # the engine's candidates of evaluation sets; hours of one core
    python studies/_rerank_rows.py FOLDER/train         # questions by construction; a minute of sixteen cores
    python tools/train_rerank.py FOLDER RUNS.json -o OUT

Needs torch, transformers and a GPU (five minutes on an H200 for the run that ships). RUNS.json is a list of settings,
each with a `name`; see DEFAULTS. OUT gets scores.jsonl.gz, the scores of the candidates under each of them, which
`studies/rerank.py` reads, and NAME.safetensors where a run has `keep`. Half of TimeQA's pages are never trained on.

A group is one question with a passage that answers it and others that do not (or one passage with questions), and the
loss is the cross-entropy of the softmax over its scores. Others are passages that the row names, among them the same
text from another day, and the nearest by MiniLM in the same corpus; for TimeQA's human questions the engine's own.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertConfig, BertModel

from epochal.encoders.bundled import MAX_TOKENS, data_file
from epochal.encoders.onnx_weights import dequantise, read_constants
from epochal.ranking.rerank import PassageTime, write_passage, write_question
from epochal_lab.models.tmrl.adapter import add_lora, get_lora_state

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "studies"))
from rerank import CHOICES, HELD, find_part, read_candidates, read_lines

Row = dict[str, Any]
#: A question, its windows (start, end, words) and a passage.
Pair = tuple[str, list[list[Any]], Row]
Group = list[Pair]

WIDTH, LAYERS, HEADS, INNER = 384, 6, 12, 1536
#: The mean state has length 1; scores must be able to differ by more than that.
HEAD_SCALE = 8.0
#: Nearest passages of a question to draw from, and how alike to one that answers they may be.
MINED, COPY = 48, 0.92
#: News within so many seconds that are this much alike may report the same.
SAME_NEWS, SAME_DAYS = 0.6, 4 * 86_400
#: Candidates that are scored a question.
SCORED = 30
DEFAULTS: Row = {
    "rank": 16,
    "lr": 1e-3,
    "epochs": 1.4,
    "size": 10,
    "batch": 40,
    "mode": "marks",  # or words: times in words without relations; or none
    "without": [],  # corpora: wiki, news, scifact, terms, timeqa
    "human": 10,  # passes over TimeQA's human questions an epoch
    "shards": 3,
    "keywords": 0.5,
    "reverse": 0.5,
    "dropout": 0.05,
    "seed": 1,
}
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


# ---------------------------------------------------------------- the model


def load_base() -> BertModel:
    """The shipped model with its eight-bit weights as floats."""
    file = data_file("minilm", "model.int8.onnx").read_bytes()
    known = {name: constant.array for name, constant in read_constants(file).items()}

    def weight(name: str) -> np.ndarray:
        return dequantise(known[f"{name}.weight"], known[f"{name}.scale"]).T

    state = {
        "embeddings.word_embeddings.weight": known["words"].astype(np.float32) * known["words.scale"],
        "embeddings.position_embeddings.weight": known["positions"],
        # The embedding of the first type is part of the positions.
        "embeddings.token_type_embeddings.weight": np.zeros((2, WIDTH), np.float32),
        "embeddings.LayerNorm.weight": known["embeddings.gamma"],
        "embeddings.LayerNorm.bias": known["embeddings.beta"],
    }
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        packed, biases = weight(f"{layer}.attention"), known[f"{layer}.attention.bias"]
        for position, name in enumerate(("query", "key", "value")):
            part = slice(WIDTH * position, WIDTH * (position + 1))
            state[f"{prefix}attention.self.{name}.weight"] = packed[part]
            state[f"{prefix}attention.self.{name}.bias"] = biases[part]
        state[f"{prefix}intermediate.dense.weight"] = weight(f"{layer}.inner")
        state[f"{prefix}intermediate.dense.bias"] = known[f"{layer}.inner.bias"]
        for name, constant in (("attention.output", "mixed"), ("output", "outer")):
            state[f"{prefix}{name}.dense.weight"] = weight(f"{layer}.{constant}")
            state[f"{prefix}{name}.dense.bias"] = known[f"{prefix}{name}.bias"]
            state[f"{prefix}{name}.LayerNorm.weight"] = known[f"{prefix}{name}.gamma"]
            state[f"{prefix}{name}.LayerNorm.bias"] = known[f"{prefix}{name}.beta"]
    config = BertConfig(
        vocab_size=len(known["words"]),
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=INNER,
        max_position_embeddings=MAX_TOKENS,
        attention_probs_dropout_prob=0.0,
    )
    model = BertModel(config, add_pooling_layer=False)
    tensors = {name: torch.from_numpy(np.array(value, np.float32)) for name, value in state.items()}
    missing, unknown = model.load_state_dict(tensors, strict=False)
    if unknown or any(not name.endswith("_ids") for name in missing):
        raise SystemExit(f"the shipped model lacks {missing} or has {unknown}")
    return model


def pool(states: Tensor, mask: Tensor) -> Tensor:
    weights = mask[..., None].float()
    return functional.normalize((states.float() * weights).sum(1) / weights.sum(1), dim=-1)


class CrossNetwork(nn.Module):
    def __init__(self, rank: int, dropout: float) -> None:
        super().__init__()
        self.bert = load_base()
        add_lora(self.bert, rank, 2.0 * rank, dropout)
        self.head = nn.Linear(WIDTH, 1)
        nn.init.normal_(self.head.weight, std=0.05)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        states = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
        return HEAD_SCALE * self.head(pool(states, mask))[:, 0]

    def save(self, path: Path) -> None:
        matrices = {name: value.half().contiguous() for name, value in get_lora_state(self.bert).items()}
        head = (HEAD_SCALE * self.head.weight.detach().cpu()[0]).contiguous()
        save_file({**matrices, "head.weight": head}, str(path))


# ---------------------------------------------------------------- texts


def make_tokenizer(strategy: str) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(data_file("minilm", "tokenizer.json")))
    tokenizer.enable_truncation(MAX_TOKENS, strategy=strategy)
    return tokenizer


PAIRS, TEXTS = make_tokenizer("only_second"), make_tokenizer("longest_first")


def write_pair(pair: Pair, mode: str) -> tuple[str, str]:
    question, windows, passage = pair
    query = question if mode == "none" else write_question(question, [words for _, _, words in windows])
    ranges = [(start, end) for start, end, _ in windows] if mode == "marks" else []
    times = [] if mode == "none" else [PassageTime(*item) for item in passage["t"]]
    day = PassageTime(-1, -1, *passage["pub"]) if passage.get("pub") else None
    return query[:600], write_passage(passage["title"], passage["text"], times, ranges, day)[:2000]


def pad(rows: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.array([len(row) for row in rows], np.int64)
    ids = np.zeros((len(rows), int(lengths.max())), np.uint16)
    for position, row in enumerate(rows):
        ids[position, : len(row)] = row
    return ids, lengths


def to_device(ids: np.ndarray, lengths: np.ndarray) -> tuple[Tensor, Tensor]:
    given = torch.from_numpy(ids.astype(np.int64)).to(DEVICE)
    ends = torch.from_numpy(lengths).to(DEVICE)
    return given, (torch.arange(given.shape[1], device=DEVICE)[None] < ends[:, None]).long()


# ---------------------------------------------------------------- groups


def read_training(folder: Path) -> tuple[list[Row], list[Row]]:
    passages = list(read_lines(folder / "passages.jsonl.gz"))
    for passage in passages:
        if "ref" in passage:  # the same text from another day
            same = passages[passage["ref"]]
            passage.update({name: same[name] for name in ("title", "text", "t", "d") if name in same})
    return passages, list(read_lines(folder / "questions.jsonl.gz"))


@torch.no_grad()
def embed(model: BertModel, texts: Sequence[str], batch: int = 1024) -> Tensor:
    order = sorted(range(len(texts)), key=lambda position: -len(texts[position]))
    vectors = torch.zeros(len(texts), WIDTH, device=DEVICE)
    for first in range(0, len(texts), batch):
        rows = order[first : first + batch]
        ids, mask = to_device(*pad([TEXTS.encode(texts[row][:1500]).ids for row in rows]))
        with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            states = model(input_ids=ids, attention_mask=mask).last_hidden_state
        vectors[rows] = pool(states, mask)
    return vectors


def mine_negatives(passages: list[Row], questions: list[Row]) -> None:
    """Give each question the nearest passages of its corpus that are not, or may not be, answers."""
    model = load_base().to(DEVICE).eval()
    corpora: dict[str, list[int]] = {}
    for position, passage in enumerate(passages):
        if "ref" not in passage:
            corpora.setdefault(passage["set"], []).append(position)
    for name, positions in corpora.items():
        requests = [row for row in questions if row["set"] == name and "q" in row]
        texts = [". ".join(filter(None, (passages[at]["title"], passages[at]["text"]))) for at in positions]
        vectors, queries = embed(model, texts), embed(model, [row["q"] for row in requests])
        local = {at: number for number, at in enumerate(positions)}
        for first in range(0, len(requests), 2048):
            nearest = (queries[first : first + 2048] @ vectors.T).topk(min(MINED, len(positions)), dim=1).indices
            for row, near in zip(requests[first : first + 2048], nearest, strict=True):
                answers = [passages[at].get("ref", at) for at in row["pos"]]
                alike = (vectors[near] @ vectors[[local[at] for at in answers]].T).max(1).values.tolist()
                matches = [positions[number] for number in near.tolist()]
                row["mined"] = [
                    at
                    for at, similarity in zip(matches, alike, strict=True)
                    if at not in answers and not may_answer(passages, at, answers, similarity)
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


def draw_groups(
    passages: list[Row], questions: list[Row], human: list[Row], run: Row, rng: random.Random
) -> list[Group]:
    """One epoch; the first pair of a group is the right one."""
    size, groups = run["size"], []
    for row in questions:
        if row["set"] in run["without"]:
            continue
        if "p" in row:
            if rng.random() < run["reverse"]:
                wrong = rng.sample(row["qn"], min(size - 1, len(row["qn"])))
                groups.append([(*query, passages[row["p"]]) for query in (rng.choice(row["qp"]), *wrong)])
            continue
        if row["k"] == "keywords" and rng.random() >= run["keywords"]:
            continue
        for _ in range(run["shards"] if row["k"] in ("shard", "triple") else 1):
            wrong = rng.sample(row["neg"], min(size // 2, len(row["neg"])))
            near = [at for at in row["mined"] if at not in wrong]
            # The nearest come oftenest.
            wrong += [near[int(len(near) * rng.random() ** 2)] for _ in range(size - 1 - len(wrong)) if near]
            if wrong:
                selected = (rng.choice(row["pos"]), *dict.fromkeys(wrong))
                groups.append([(row["q"], row["w"], passages[at]) for at in selected])
    for row in human * (0 if "timeqa" in run["without"] else run["human"]):
        right, others = [hit for hit in row["hits"] if hit["g"]], [hit for hit in row["hits"] if not hit["g"]]
        if right and others:
            hits = [rng.choice(right), *rng.sample(others[:20], min(size - 2, len(others[:20]))), rng.choice(others)]
            groups.append([(row["q"], row["w"], hit) for hit in hits])
    rng.shuffle(groups)
    return groups


# ---------------------------------------------------------------- training

#: What the processes that tokenise see: the batches, and how pairs are written.
_WORK: dict[str, Any] = {}


def tokenize_batch(number: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
    batches, mode = _WORK["batches"], _WORK["mode"]
    pairs = [PAIRS.encode(*write_pair(pair, mode)).ids for group in batches[number] for pair in group]
    return *pad(pairs), [len(group) for group in batches[number]]


def plan_batches(groups: list[Group], size: int, rng: random.Random) -> list[list[Group]]:
    """Batches of texts of like length, which need less padding, in random order."""
    batches: list[list[Group]] = []
    for first in range(0, len(groups), 16 * size):
        part = sorted(groups[first : first + 16 * size], key=lambda group: len(group[0][2]["text"]))
        results = [part[at : at + size] for at in range(0, len(part), size)]
        rng.shuffle(results)
        batches += results
    return batches


def train(run: Row, passages: list[Row], questions: list[Row], human: list[Row]) -> CrossNetwork:
    torch.manual_seed(run["seed"])
    rng = random.Random(run["seed"])
    model = CrossNetwork(run["rank"], run["dropout"]).to(DEVICE).train()
    matrices = [value for value in model.bert.parameters() if value.requires_grad]
    optimiser = torch.optim.AdamW([*matrices, *model.head.parameters()], lr=run["lr"], weight_decay=0.01)
    groups: list[Group] = []
    for epoch in range(math.ceil(run["epochs"])):
        sample = draw_groups(passages, questions, human, run, rng)
        groups += sample[: int(len(sample) * min(1, run["epochs"] - epoch))]
    batches = plan_batches(groups[: run.get("most")], run["batch"], rng)
    steps = len(batches)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / max(1, 0.05 * steps)) * max(0.02, 1 - step / steps)
    )
    _WORK.update(batches=batches, mode=run["mode"])
    with multiprocessing.get_context("fork").Pool(max(1, (os.cpu_count() or 1) - 2)) as workers:
        for step, (ids, lengths, sizes) in enumerate(workers.imap(tokenize_batch, range(steps), chunksize=4)):
            with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
                scores = model(*to_device(ids, lengths))
            rows = [
                functional.pad(part, (0, max(sizes) - len(part)), value=-1e4) for part in scores.float().split(sizes)
            ]
            loss = functional.cross_entropy(torch.stack(rows), torch.zeros(len(rows), dtype=torch.long, device=DEVICE))
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_([*matrices, *model.head.parameters()], 1.0)
            optimiser.step()
            schedule.step()
            if step % 200 == 0:
                print(f"{run['name']}: step {step:,} of {steps:,}, loss {loss.item():.3f}", flush=True)
    return model.eval()


@torch.no_grad()
def score_candidates(model: CrossNetwork, sets: dict[str, list[Row]], mode: str) -> dict[str, list[float]]:
    pairs: list[tuple[str, int, Pair]] = []
    scores: dict[str, list[float]] = {}
    for name, rows in sets.items():
        for row in rows:
            key, hits = f"{name}\t{row['id']}", row["hits"][:SCORED]
            scores[key] = [0.0] * len(hits)
            pairs += [(key, position, (row["q"], row["w"], hit)) for position, hit in enumerate(hits)]
    pairs.sort(key=lambda item: len(item[2][2]["text"]))
    for part in (pairs[first : first + 1024] for first in range(0, len(pairs), 1024)):
        ids, lengths = pad([PAIRS.encode(*write_pair(pair, mode)).ids for _, _, pair in part])
        with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            network = model(*to_device(ids, lengths)).float().tolist()
        for (key, position, _), score in zip(part, network, strict=True):
            scores[key][position] = round(score, 4)
    return scores


def read_human(folder: Path) -> Iterator[Row]:
    """TimeQA's human questions on pages that are neither held out nor kept for choices."""
    (path,) = folder.glob("eval_timeqa.jsonl.*")
    return (row for row in read_lines(path) if find_part(row["id"].partition("#")[0]) not in (HELD, CHOICES))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("runs", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    passages, questions = read_training(arguments.folder / "train")
    sets, human = read_candidates(arguments.folder), list(read_human(arguments.folder))
    mine_negatives(passages, questions)
    for given in json.loads(arguments.runs.read_text(encoding="utf-8")):
        run, start = {**DEFAULTS, **given}, time.perf_counter()
        model = train(run, passages, questions, human)
        line = {"cfg": run, "scores": score_candidates(model, sets, run["mode"])}
        with gzip.open(arguments.output / "scores.jsonl.gz", "at", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        if run.get("keep"):
            model.save(arguments.output / f"{run['name']}.safetensors")
        print(f"{run['name']}: {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
