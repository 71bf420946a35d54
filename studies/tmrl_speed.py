"""How fast is an encoder adapted, beside the nested loss of sentence-transformers over the same texts in one run?

    python studies/tmrl_speed.py --rows TRAIN [--steps 100]

Both train the same low-rank matrices over the same backbone on the same batches: a passage, a question that it answers
and one that it does not, in bfloat16. Both are timed in turns. Ours is timed with its own way to make batches too.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from _record import save, skip

SEED = 7
BATCH, ROUNDS, WARM = 256, 3, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--steps", type=int, default=100)
    arguments = parser.parse_args()
    if arguments.rows is None:
        skip("give rows to train on with --rows")
    try:
        import sentence_transformers
        import torch
    except ImportError as error:
        skip(f"{error.name} is not installed")

    from epochal_lab.datasets.augment.rows import read_rows
    from epochal_lab.models.training.device import get_device_name, select_device

    device = select_device("auto")
    rows = [row for row in read_rows(arguments.rows) if row.positives and row.negatives]
    with tempfile.TemporaryDirectory() as folder:
        runs = {"sentence-transformers, MatryoshkaLoss": build_their_step(rows, device, Path(folder))}
    runs |= {method: build_our_step(method, rows, device) for method in ("lora-mrl", "tmrl")}
    speeds: dict[str, list[float]] = {name: [] for name in runs}
    busy: dict[str, list[int]] = {name: [] for name in runs}
    for run in runs.values():
        run(WARM)
    for _ in range(ROUNDS):
        for name, run in runs.items():
            watch = watch_gpu(device)
            begun = time.perf_counter()
            tokens = run(arguments.steps)
            speeds[name].append(tokens / (time.perf_counter() - begun))
            print(f"{name}: {speeds[name][-1]:,.0f} tokens/s", flush=True)
            busy[name] += stop_watch(watch)
    rival = statistics.median(speeds["sentence-transformers, MatryoshkaLoss"])
    save(
        "tmrl_speed",
        "How fast is an encoder adapted, beside the nested loss of sentence-transformers over the same texts?",
        f"{len(rows):,} rows of `epochal bench augment`, {BATCH} passages a batch with two questions each",
        SEED,
        [
            {
                "what": name,
                "tokens/s": round(statistics.median(values)),
                "ratio": round(statistics.median(values) / rival, 2),
                "GPU busy, %": round(statistics.mean(busy[name])) if busy[name] else None,
            }
            for name, values in speeds.items()
        ],
        device=get_device_name(device),
        torch=torch.__version__,
        sentence_transformers=sentence_transformers.__version__,
    )


def build_our_step(method: str, rows: list[Any], device: Any) -> Any:
    """Return a function that takes our training steps and returns the number of tokens."""
    import torch

    from epochal_lab.models.tmrl.network import build_network
    from epochal_lab.models.tmrl.running import load_bundled_backbone
    from epochal_lab.models.tmrl.settings import TMRLSettings
    from epochal_lab.models.tmrl.task import TMRLTask
    from epochal_lab.models.training.device import autocast, move_batch
    from epochal_lab.models.training.settings import TrainSettings

    settings = replace(TMRLSettings.from_name(method), negatives=1, false_negatives=None)
    network = build_network(load_bundled_backbone(), settings).to(device).train()
    task = TMRLTask(network, rows, seed=SEED)
    training = TrainSettings(batch_size=BATCH, seed=SEED)
    optimiser = torch.optim.AdamW([one for one in network.parameters() if one.requires_grad], lr=1e-4)
    batches = cycle_epochs(lambda epoch: task.batches(epoch, training))

    def steps(count: int) -> int:
        tokens = 0
        for batch in islice(batches, count):
            tokens += batch.tokens
            with autocast("bf16", device):
                loss = task.loss(move_batch(batch, device))["loss"]
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
        synchronise(device)
        return tokens

    return steps


def build_their_step(rows: list[Any], device: Any, folder: Path) -> Any:
    """Return the same for sentence-transformers."""
    import torch
    from sentence_transformers import SentenceTransformer, losses
    from sentence_transformers.models import Pooling, Transformer

    from epochal_lab.models.tmrl.adapter import add_lora
    from epochal_lab.models.tmrl.running import load_bundled_backbone
    from epochal_lab.models.training.device import autocast

    texts = [[row.passage, row.positives[0].text, row.negatives[0].text] for row in rows]
    place = folder / "minilm"
    backbone = load_bundled_backbone()
    backbone.model.save_pretrained(place)
    backbone.tokenizer.save_pretrained(place)
    words = Transformer(str(place), max_seq_length=backbone.max_length)
    model = SentenceTransformer(modules=[words, Pooling(words.get_word_embedding_dimension(), "mean")]).to(device)
    add_lora(words.auto_model, 4, 4.0, 0.1)
    loss_of = losses.MatryoshkaLoss(
        model, losses.MultipleNegativesRankingLoss(model, scale=20.0), matryoshka_dims=[384, 256, 128, 64]
    )
    model.train()
    optimiser = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=1e-4)
    draws = cycle([texts[start : start + BATCH] for start in range(0, len(texts) - BATCH, BATCH)])

    def steps(count: int) -> int:
        tokens = 0
        for some in islice(draws, count):
            features = [_move_features(model.tokenize([row[side] for row in some]), device) for side in range(3)]
            tokens += sum(int(one["attention_mask"].sum()) for one in features)
            with autocast("bf16", device):
                loss = loss_of(features, None)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
        synchronise(device)
        return tokens

    return steps


def _move_features(features: dict[str, Any], device: Any) -> dict[str, Any]:
    """Move a tokenizer's tensors to a device."""
    return {name: value.to(device) if hasattr(value, "to") else value for name, value in features.items()}


def cycle_epochs(batches: Any) -> Any:
    epoch = 0
    while True:
        yield from batches(epoch)
        epoch += 1


def synchronise(device: Any) -> None:
    import torch

    if device.type == "cuda":
        torch.cuda.synchronize(device)


def watch_gpu(device: Any) -> subprocess.Popen[str] | None:
    """Start printing the GPU's utilisation twice a second, if there is one."""
    if device.type != "cuda":
        return None
    query = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-lms", "500"]
    return subprocess.Popen(query, stdout=subprocess.PIPE, text=True)


def stop_watch(watch: subprocess.Popen[str] | None) -> list[int]:
    if watch is None:
        return []
    watch.terminate()
    message, _ = watch.communicate()
    return [int(line) for line in message.split() if line.isdigit()]


if __name__ == "__main__":
    main()
