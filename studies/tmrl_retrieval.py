"""Does TMRL find what is of the right time at every prefix, and what does it forget? Beside the methods of its paper.

    python studies/tmrl_retrieval.py --train PARTS --plan main --rows TRAIN --dev DEV --sets tnp timeqa scifact
    python studies/tmrl_retrieval.py --parts PARTS... [--keep]

The first trains and measures, on a GPU where there is one, and leaves a file in the folder PARTS for each model; the
second makes the result of such files, with --keep beside what is in the result of other models. A plan is which
methods with which settings: `main`, the methods; `ablation`, the weights and the temporal numbers of TMRL; `spans`,
which expressions are projected. The router of Ts-Retriever is fitted to the questions of --plain. With --runs a
training is kept in a folder, and goes on from there; with --specifiers, only those models of TSM are trained, so that
its parts can be trained side by side before they are merged.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from _record import RESULTS, save
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

from epochal_lab.models.tmrl.settings import METHODS

RESULT = "tmrl_retrieval"
#: Ts-Retriever that sends questions of no time to the encoder as it was.
ROUTED = "ts-retriever routed"
#: TMRL as it is by default, but for the temporal contrast.
WITHOUT_TIME = "tmrl alpha=0 beta=0.1 gamma=0.1 t=64"


def get_plan(name: str) -> list[Model]:
    """Return the models of a plan."""
    if name == "main":
        return [Model(method, method) for method in METHODS] + [Model(ROUTED, "ts-retriever", {"router": True})]
    if name == "ablation":
        weights = [(alpha, 0.1, 0.1, 64) for alpha in (0.0, 0.25, 0.5, 1.0)]
        weights += [(0.1, beta, gamma, 64) for beta, gamma in ((0.0, 0.0), (0.1, 0.0), (0.0, 0.1), (0.25, 0.25))]
        weights += [(0.1, 0.1, 0.1, dims) for dims in (32, 128)]
        return [
            Model(
                f"tmrl alpha={alpha:g} beta={beta:g} gamma={gamma:g} t={dims}",
                "tmrl",
                {"alpha": alpha, "beta": beta, "gamma": gamma, "temporal_dims": dims},
            )
            for alpha, beta, gamma, dims in weights
        ]
    if name == "spans":
        return [Model(f"tmrl spans={spans}", "tmrl", {"spans": spans}) for spans in ("all", "attended", "anchored")]
    raise SystemExit(f"no plan is called {name!r}; known: main, ablation, spans")


def collect_results(folders: list[Path], *, keep: bool = False) -> None:
    """The result of parts: means over questions and seeds, and differences from rivals question by question.

    With `keep`, what the result has of other models stays.
    """
    groups = group_parts(folders)
    rows = [row for key in groups for row in build_rows(key, groups, find_rivals)]
    runs = describe_runs(groups)
    if keep:
        before = json.loads((RESULTS / f"{RESULT}.json").read_text(encoding="utf-8"))
        rows, runs = _replace_rows(before["rows"], rows), _replace_rows(before["runs"], runs)
    save(
        RESULT,
        "Does TMRL find what is of the right time at every prefix, and what does it forget?",
        "trained on rows of `epochal bench augment`; measured on half of TNP's test questions, on passages of TimeQA "
        "and on SciFact, by vectors alone; bounds are over questions, not over seeds",
        SEED,
        rows,
        sets=describe_sets(groups),
        runs=runs,
    )


def find_rivals(key: Key, name: str, groups: Groups) -> dict[str, tuple[list[Part], list[Part]]]:
    """What a model is compared with on a set, by the seeds that both have: pairs of its parts and the rival's.

    TMRL and TSM with LoRA-MRL; TMRL with itself without the temporal contrast; with other settings, with TMRL as it is
    by default; and what was forgotten, with the encoder as it was.
    """
    backbone, trained_on, model = key
    result = {}
    target = {"lora-mrl": "lora-mrl"} if model in ("tmrl", "tsm") else {}
    if model == "tmrl" or (model.startswith("tmrl alpha=") and model.endswith(WITHOUT_TIME.partition(" beta")[2])):
        target["alpha=0"] = WITHOUT_TIME
    if model.startswith("tmrl "):
        target["tmrl"] = "tmrl"
    for label, rival in target.items():
        if rival != model and (pair := select_shared_seeds(key, (backbone, trained_on, rival), groups)):
            result[label] = pair
    if name == FORGETTING and model != "zero-shot" and (before := find_zero_shot(key, groups)):
        result["zero-shot"] = (groups[key], before)
    return result


def _replace_rows(before: list[dict[str, Any]], now: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the new rows, and the earlier rows of other models."""
    result: dict[Key, list[dict[str, Any]]] = {}
    for some in (before, now):
        here: dict[Key, list[dict[str, Any]]] = {}
        for one in some:
            here.setdefault((one["backbone"], one["rows"], one["model"]), []).append(one)
        result |= here
    return [one for same in result.values() for one in same]


def main(words: list[str] | None = None) -> None:
    arguments = parse_arguments(words, __doc__, "main")
    if arguments.parts:
        collect_results(arguments.parts, keep=arguments.keep)
    else:
        train_models(arguments, get_plan(arguments.plan))


if __name__ == "__main__":
    main()
