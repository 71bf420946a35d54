"""Why does TSM gain more than LoRA: its steps, its questions, all weights trained, or the merging?

    python studies/tmrl_reasons.py --train PARTS --rows TRAIN --dev DEV --sets tnp timeqa scifact
    python studies/tmrl_reasons.py --parts PARTS...

TSM differs from LoRA-MRL in all of this: batches of 16 at a rate of 1e-5 and not of 256 at 1e-4, so many more steps;
nothing masked in them; questions that state their time by a specifier ("in", "before", ...) and no others; whole
vectors; all weights; and seven models merged. Here most of these are changed, one at a time where that can be. Rows
whose questions all have a specifier are specified_train.jsonl of _tmrl_rows.py. The rest is as in tmrl_retrieval.py.
"""

from __future__ import annotations

from pathlib import Path

from _record import save
from _tmrl_models import (
    FORGETTING,
    SEED,
    Groups,
    Key,
    Model,
    Part,
    build_rows,
    describe_runs,
    describe_sets,
    find_zero_shot,
    group_parts,
    parse_arguments,
    select_shared_seeds,
    train_models,
)

BEGINNING = "lora-mrl"
UNMASKED = {"false_negatives": None}
PLAN = (
    Model("zero-shot", "zero-shot"),
    Model(BEGINNING, "lora-mrl"),
    Model("tmrl", "tmrl"),
    Model("lora-mrl unmasked", "lora-mrl", UNMASKED),
    Model("lora-mrl rate=4e-4", "lora-mrl", {}, {"rate": 4e-4}),
    Model("lora-mrl epochs=20", "lora-mrl", {}, {"epochs": 20}),
    Model("lora-mrl batch=64", "lora-mrl", {}, {"batch_size": 64}),
    Model("tmrl batch=64", "tmrl", {}, {"batch_size": 64}),
    Model("lora-mrl batch=16 unmasked", "lora-mrl", UNMASKED, {"batch_size": 16}),
    Model("whole encoder batch=256", "ts-retriever", {"negatives": 4}, {"batch_size": 256}),
    Model("whole encoder batch=16", "ts-retriever", {"negatives": 5}, {"batch_size": 16, "rate": 1e-5}),
    Model("tsm", "tsm"),
)


def collect_results(folders: list[Path]) -> None:
    """Write the result of parts: each model compared with default LoRA-MRL and with the original encoder."""
    groups = group_parts(folders)
    save(
        "tmrl_reasons",
        "Why does TSM gain more than LoRA: its steps, its questions, all weights trained, or the merging?",
        "trained and measured as in tmrl_retrieval; rows `specified_train` are those whose questions have a specifier",
        SEED,
        [row for key in groups for row in build_rows(key, groups, find_rivals)],
        sets=describe_sets(groups),
        runs=describe_runs(groups),
    )


def find_rivals(key: Key, name: str, groups: Groups) -> dict[str, tuple[list[Part], list[Part]]]:
    """Return what a model is compared with on a set: LoRA-MRL over the same backbone on rows with all questions."""
    result = {}
    first = (key[0], "train", BEGINNING)
    if key != first and key[2] != "zero-shot" and (pair := select_shared_seeds(key, first, groups)):
        result[BEGINNING] = pair
    if name == FORGETTING and key[2] != "zero-shot" and (before := find_zero_shot(key, groups)):
        result["zero-shot"] = (groups[key], before)
    return result


def main(words: list[str] | None = None) -> None:
    arguments = parse_arguments(words, __doc__)
    if arguments.parts:
        collect_results(arguments.parts)
    else:
        train_models(arguments, PLAN)


if __name__ == "__main__":
    main()
