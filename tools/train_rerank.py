"""Train the cross-encoder of `search(rerank=True)`: a LoRA adapter over the shipped MiniLM, with a scoring vector.

    python studies/_rerank_rows.py FOLDER/train         # questions by construction; a minute of sixteen cores
    python studies/_rerank_candidates.py FOLDER         # what the engine finds; two minutes of sixteen cores
    python tools/train_rerank.py FOLDER RUNS.json -o OUT

Needs torch and a GPU (RUNS.json of a few lines and --share try it on a CPU). RUNS.json is a list of settings, each with
a `name`; see DEFAULTS. A run begins with the weights of the run that `init` names, of which a larger rank is cut by its
singular values, and learns from the runs in `teachers` in addition. OUT gets scores.jsonl.gz, the scores of the
candidates under each of them, which `studies/rerank.py` reads, and NAME.safetensors where a run has `keep`. Half of
TimeQA's pages are never trained on. With `folds` the pages of the other half are scored by models that were trained
without them, so that choices can be made on all of that half.

A group is one question with a passage that answers it and others that do not (or one passage with questions), and the
loss is the cross-entropy of the softmax over its scores. Others are the documents that the engine finds for the
question, passages that the row names, among them the same text from another day, and the nearest by MiniLM. With
`residual` the softmax is over the sum of the engine's score and the model's.
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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rerank_groups import Group, Material, Pair, Row, draw_groups, mine_negatives, read_searched, read_training
from rerank_network import (
    DEVICE,
    TOKENIZER,
    CrossNetwork,
    Texts,
    choose_attention,
    join,
    load_base,
    load_model,
    mix_models,
    pack,
)
from torch import Tensor, nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "studies"))
from rerank import HELD, SETS, find_fold, find_part, read_lines, write_pair

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

#: Candidates that are scored a question, and pairs at a time.
SCORED, PART = 50, 1024
#: The settings of the adapter that ships, which an earlier form of this tool trained, on more news.
DEFAULTS: Row = {
    "rank": 16,  # 0 trains all weights of the layers
    "init": None,
    "soup": {},  # runs, and how much of each the weights to begin with have
    "teachers": [],
    "lr": 1e-3,
    "epochs": 1.4,
    "size": 10,
    "batch": 40,
    "without": [],  # corpora: wiki, news, scifact, terms, timeqa
    "constructed": 1.0,  # share of the questions by construction, with the nearest passages
    "searched": 0,  # passes over those that the engine was searched for
    "human": 10,  # passes over TimeQA's human questions
    "varied": 0,  # passes over these for other times, and by templates
    "shards": 3,
    "keywords": 0.5,
    "reverse": 0.5,
    "dropout": 0.05,
    "residual": False,  # the sum of both scores is trained
    "folds": 0,
    "final": True,  # train on all pages
    "choices": True,  # but not on those for choices
    "seed": 1,
}
START = time.perf_counter()


# ---------------------------------------------------------------- training

#: What the processes that tokenise see.
_WORK: dict[str, Any] = {}


def encode_pair(pair: Pair) -> list[int]:
    ids: list[int] = TOKENIZER.encode(*write_pair(*pair[:3])).ids
    return ids


def tokenize_batch(number: int) -> tuple[np.ndarray, np.ndarray, list[int], np.ndarray]:
    pairs = [pair for group in _WORK["batches"][number] for pair in group]
    ids = [encode_pair(pair) for pair in pairs]
    engine = np.array([pair[3] for pair in pairs], np.float32)
    return *join(ids), [len(group) for group in _WORK["batches"][number]], engine


def read_batches(batches: list[list[Group]], workers: int) -> Iterator[tuple[Texts, list[int], Tensor]]:
    _WORK["batches"] = batches
    if workers < 2:
        encoded: Iterator[Any] = map(tokenize_batch, range(len(batches)))
        for ids, lengths, sizes, engine in encoded:
            yield pack(ids, lengths), sizes, torch.from_numpy(engine).to(DEVICE)
        return
    with multiprocessing.get_context("fork").Pool(workers) as processes:
        for ids, lengths, sizes, engine in processes.imap(tokenize_batch, range(len(batches)), chunksize=2):
            yield pack(ids, lengths), sizes, torch.from_numpy(engine).to(DEVICE)


def spread(scores: Tensor, sizes: Sequence[int]) -> Tensor:
    """The scores of each group as a row; where a group is shorter, next to nothing."""
    most = max(sizes)
    rows = [functional.pad(part, (0, most - len(part)), value=-1e4) for part in scores.split(list(sizes))]
    return torch.stack(rows)


def get_model(base: Mapping[str, Tensor], models: Mapping[str, Any], name: str, fold: int | None) -> CrossNetwork:
    """The model of a run; where it was trained without this fold, that one."""
    if name.endswith(".safetensors"):
        return load_model(base, Path(name))
    key = f"{name}/folds"
    model: CrossNetwork = models[name] if fold is None or key not in models else models[key][fold]
    return model


def train(
    run: Row, material: Material, base: Mapping[str, Tensor], models: Mapping[str, Any], fold: int | None
) -> CrossNetwork:
    torch.manual_seed(run["seed"])
    rng = random.Random(run["seed"])
    model = CrossNetwork(base, run["rank"], run["dropout"]).train()
    if run["init"]:
        model.start_from(get_model(base, models, run["init"], fold))
    if run["soup"]:
        parts = {name: get_model(base, models, name, fold) for name in run["soup"]}
        model.start_from(mix_models(base, [(parts[name], share) for name, share in run["soup"].items()]))
    teachers = [get_model(base, models, name, fold) for name in run["teachers"]]
    optimiser = torch.optim.AdamW(model.parameters(), lr=run["lr"], weight_decay=0.01, fused=DEVICE == "cuda")
    groups: list[Group] = []
    for epoch in range(math.ceil(run["epochs"])):
        sample = draw_groups(material, run, fold, rng)
        groups += sample[: int(len(sample) * min(1, run["epochs"] - epoch))]
    batches = [groups[first : first + run["batch"]] for first in range(0, len(groups), run["batch"])]
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser,
        lambda step: min(1, (step + 1) / max(1, 0.05 * len(batches))) * max(0.02, 1 - step / max(1, len(batches))),
    )
    started, tokens = time.perf_counter(), 0
    for step, (texts, sizes, engine) in enumerate(read_batches(batches, run["workers"])):
        tokens += len(texts.ids)
        scores = model(texts)
        sums = spread(scores + engine * model.engine.exp() if run["residual"] else scores, sizes)
        loss = functional.cross_entropy(sums, torch.zeros(len(sizes), dtype=torch.long, device=DEVICE))
        if teachers:
            with torch.no_grad():
                target = torch.stack([spread(item(texts), sizes).log_softmax(1) for item in teachers]).mean(0)
            own = spread(scores, sizes).log_softmax(1)
            loss = 0.3 * loss + functional.kl_div(own, target.log_softmax(1), log_target=True, reduction="batchmean")
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        if step % 200 == 0:
            print(f"{run['name']}: step {step:,} of {len(batches):,}, loss {loss.item():.3f}", flush=True)
    seconds = time.perf_counter() - started
    print(f"{run['name']}: {len(groups):,} groups, {tokens / max(seconds, 1e-9):,.0f} tokens a second", flush=True)
    return model.eval()


def tokenize_part(number: int) -> tuple[np.ndarray, np.ndarray]:
    part = _WORK["pairs"][PART * number : PART * (number + 1)]
    return join([encode_pair(pair) for pair in part])


class Candidates:
    """The pairs of the sets to evaluate, tokenised once."""

    def __init__(self, sets: Mapping[str, list[Row]], workers: int) -> None:
        self.keys = [
            (f"{name}\t{row['id']}", position, row["id"])
            for name, rows in sets.items()
            for row in rows
            for position in range(len(row["hits"][:SCORED]))
        ]
        _WORK["pairs"] = [
            (row["q"], row["w"], hit, 0.0) for rows in sets.values() for row in rows for hit in row["hits"][:SCORED]
        ]
        numbers = range(math.ceil(len(self.keys) / PART))
        if workers < 2:
            self.parts = [*map(tokenize_part, numbers)]
        else:
            with multiprocessing.get_context("fork").Pool(workers) as processes:
                self.parts = processes.map(tokenize_part, numbers)

    @torch.no_grad()
    def score(self, model: CrossNetwork, only: set[str] | None = None) -> dict[str, list[float]]:
        """The scores of all questions, or of those in `only`, by "SET TAB QUESTION"."""
        scores: dict[str, list[float]] = {}
        for number, part in enumerate(self.parts):
            keys = self.keys[PART * number : PART * (number + 1)]
            if only is None or any(key in only for key, _, _ in keys):
                for (key, _, _), score in zip(keys, model(pack(*part)).tolist(), strict=True):
                    if only is None or key in only:
                        scores.setdefault(key, []).append(round(score, 4))
        return scores


def run_one(
    run: Row, material: Material, base: Mapping[str, Tensor], models: dict[str, Any], candidates: Candidates
) -> Row:
    """Train a run, without each fold and on all, and score the candidates."""
    scores: dict[str, list[float]] = {}
    if run["folds"]:
        models[run["name"] + "/folds"] = []
        for fold in range(run["folds"]):
            model = train(run, material, base, models, fold)
            models[run["name"] + "/folds"].append(model)
            only = {
                key
                for key, _, name in candidates.keys
                if key.startswith("timeqa\t")
                and find_part(name.partition("#")[0]) != HELD
                and find_fold(name.partition("#")[0], run["folds"]) == fold
            }
            scores.update({f"timeqa-folds{key[6:]}": row for key, row in candidates.score(model, only).items()})
    if run["final"]:
        model = train(run, material, base, models, None)
        models[run["name"]] = model
        scores.update(candidates.score(model))
        run["engine"] = round(float(model.engine.detach().exp()), 4)
    return {"cfg": run, "scores": scores}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("runs", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--share", type=float, default=1.0, help="of the questions to train on; 1 unless given")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 1) - 2))
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    base = load_base()
    if DEVICE == "cuda":
        choose_attention(base)
    passages, questions = read_training(arguments.folder / "train", arguments.share)
    mine_negatives(base, passages, questions)
    material = Material(passages, questions, read_searched(arguments.folder, arguments.share))
    sets = {name: list(read_lines(arguments.folder / f"eval_{name}.jsonl.gz")) for name in SETS}
    candidates = Candidates(sets, arguments.workers)
    models: dict[str, Any] = {}
    for given in json.loads(arguments.runs.read_text(encoding="utf-8")):
        run, start = {**DEFAULTS, "workers": arguments.workers, **given}, time.perf_counter()
        if start - START > run.get("start_by", math.inf):
            continue
        line = run_one(run, material, base, models, candidates)
        with gzip.open(arguments.output / "scores.jsonl.gz", "at", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        if run.get("keep"):
            models[run["name"]].save(arguments.output / f"{run['name']}.safetensors")
        print(f"{run['name']}: {time.perf_counter() - start:.0f} s, at {time.perf_counter() - START:.0f} s", flush=True)


if __name__ == "__main__":
    main()
