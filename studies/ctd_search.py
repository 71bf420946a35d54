"""What does the bias by distance in time cost, beside plain search by inner product over the same vectors?

    python studies/ctd_search.py [--quick]

Random unit vectors of 384 numbers, random places on the axis, and a bias of full frequencies as a trained model has it.
Both searches are exact, go over all records and give the 100 best. --quick takes few records and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from _record import save, time_in_turns

from epochal_lab.models.ctd.context import RelativeBias
from epochal_lab.models.ctd.searching import RESOLUTION, Gallery

SEED = 7
WIDTH, ASKED, BEST, BATCH = 384, 100, 100, 50
SIZES = (20_000, 1_000_000)
MONTHS = 3060
TARGET = 1.2


def draw_unit_vectors(draw: np.random.Generator, count: int) -> np.ndarray:
    rows = draw.standard_normal((count, WIDTH), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def measure_search(size: int, query: int, rounds: int) -> list[dict[str, Any]]:
    draw = np.random.default_rng(SEED)
    torch.manual_seed(SEED)
    bias = RelativeBias(steps=MONTHS)
    with torch.no_grad():
        bias.eps.fill_(1.0)
    records, questions = draw_unit_vectors(draw, size), draw_unit_vectors(draw, query)
    positions, where = draw.random(size, dtype=np.float32), draw.random(query, dtype=np.float32)
    plain = Gallery(records, scale=20.0)
    timed = Gallery(records, positions, bias.table(RESOLUTION), 20.0)

    def ask(gallery: Gallery, batch: int) -> None:
        for row in range(0, query, batch):
            gallery.search(questions[row : row + batch], where[row : row + batch], BEST)

    def bare(batch: int) -> None:
        """The least that a search can be: a product and a partition, without blocks and without the order of ties."""
        for row in range(0, query, batch):
            scored = questions[row : row + batch] @ records.T
            np.argpartition(scored, size - BEST, axis=1)

    rows = []
    for way, batch in (("in batches", BATCH), ("one by one", 1)):
        runs = {
            "bare": lambda batch=batch: bare(batch),
            "plain": lambda batch=batch: ask(plain, batch),
            "timed": lambda batch=batch: ask(timed, batch),
        }
        took = time_in_turns(runs, rounds)
        rows.append(
            {
                "records": size,
                "questions": way,
                "product and partition in numpy ms a question": round(took["bare"] / query * 1000, 3),
                "inner product ms a question": round(took["plain"] / query * 1000, 3),
                "with the bias ms a question": round(took["timed"] / query * 1000, 3),
                "ratio": round(took["timed"] / took["plain"], 3),
            }
        )
        print(rows[-1], file=sys.stderr)
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few records; nothing is written")
    quick = parser.parse_args(argv).quick
    if quick:
        print(json.dumps(measure_search(2_000, 8, 2), indent=2))
        return
    rows = [row for size in SIZES for row in measure_search(size, ASKED, 5 if size < 100_000 else 3)]
    save(
        "ctd_search",
        "What does the bias by distance in time cost, beside plain search by inner product over the same vectors?",
        f"random unit vectors of {WIDTH} numbers, {ASKED} questions, the {BEST} best, "
        f"a table of {2 * RESOLUTION + 1} values",
        SEED,
        rows,
        target=TARGET,
        reached=all(row["ratio"] <= TARGET for row in rows),
    )


if __name__ == "__main__":
    main()
