"""Is making batches what training waits for? Batches of an epoch, made on the CPU, beside the pace of training.

    python studies/tmrl_loader.py --rows TRAIN

Texts become tokens once, before training. What is timed is what TMRLTask.batches does: to draw questions and to put
tokens together, without any network. The pace of training is that of studies/results/tmrl_speed.json, measured on a
machine with a GPU. Batches are made with as many questions as there, and with as many as TMRL has by default.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

from _record import RESULTS, save, skip

SEED = 7
BATCH, ROUNDS = 256, 5
#: Questions that a passage does not answer: as tmrl_speed.py trains, and as TMRL does by default.
NEGATIVES = (1, 4)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path)
    arguments = parser.parse_args(argv)
    if arguments.rows is None:
        skip("give rows to train on with --rows")
    pace = RESULTS / "tmrl_speed.json"
    if not pace.exists():
        skip(f"{pace.name} does not exist, which tmrl_speed.py makes")
    try:
        from epochal_lab.datasets.augment.rows import read_rows
        from epochal_lab.models.tmrl.network import build_network
        from epochal_lab.models.tmrl.running import load_bundled_backbone
        from epochal_lab.models.tmrl.settings import TMRLSettings
        from epochal_lab.models.tmrl.task import TMRLTask
    except ImportError as error:
        skip(f"{error.name} is not installed")

    trained = next(row for row in json.loads(pace.read_text(encoding="utf-8"))["rows"] if row["what"] == "tmrl")
    rows = list(read_rows(arguments.rows))
    network = build_network(load_bundled_backbone(), TMRLSettings.from_name("tmrl"))
    begun = time.perf_counter()
    task = TMRLTask(network, rows, seed=SEED)
    tokenised = time.perf_counter() - begun
    matches = []
    for negatives in NEGATIVES:
        seconds, sizes = [], [0]
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            sizes = [batch.tokens for batch in task.examples.batches(0, BATCH, negatives, SEED)]
            seconds.append(time.perf_counter() - begun)
        tokens, count = sum(sizes), len(sizes)
        result = tokens / statistics.median(seconds)
        matches.append(
            {
                "questions a passage": 1 + negatives,
                "batches": count,
                "tokens": tokens,
                "ms a batch": round(1000 * statistics.median(seconds) / count, 2),
                "tokens/s made": round(result),
                "times the pace of training": round(result / trained["tokens/s"], 1),
            }
        )
    save(
        "tmrl_loader",
        "Is making batches what training waits for?",
        f"{len(rows):,} rows of `epochal bench augment`, {BATCH} passages a batch, median of {ROUNDS} epochs",
        SEED,
        matches,
        **{"s to tokenise, once": round(tokenised, 1), "tokens/s trained": trained["tokens/s"]},
    )


if __name__ == "__main__":
    main()
