"""Does TMRL find what is of the right time at every prefix, and what does it forget? Beside the methods of its paper.

    python benchmarks/tmrl_retrieval.py --train PARTS --plan main --rows TRAIN --dev DEV --sets tnp timeqa scifact
    python benchmarks/tmrl_retrieval.py --parts PARTS...

The first trains and measures, on a GPU where there is one, and leaves a file in the folder PARTS for each model; the
second makes the result of such files. Rows are what _tmrl_rows.py or `epochal bench augment` writes, sets are BEIR
folders. A plan is which methods with which settings: `main`, the methods; `ablation`, the weights and the temporal
numbers of TMRL; `spans`, which expressions are projected. The router of Ts-Retriever is fitted to the questions of
--plain. With --runs a training is kept in a folder, and goes on from there; with --specifiers, only those models of
TSM are trained, so that its parts can be trained side by side before they are merged.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeAlias

from _record import bounds, difference, save, skip

from epochal.bench.significance import bootstrap_mean

if TYPE_CHECKING:
    from epochal.models.tmrl.task import TMRLTask
    from epochal.models.training.settings import TrainSettings
    from epochal.models.training.trainer import TrainRun

Part: TypeAlias = dict[str, Any]

#: The last is the whole of two vectors of 768 side by side.
DIMS = (64, 128, 256, 384, 768, 1536)
SEED = 7
RUN = ("steps", "best_step", "seconds", "tokens_per_second", "peak_memory_bytes", "device", "torch", "stopped")
METHODS = (
    "zero-shot",
    "lora",
    "lora-mrl",
    "tmrl",
    "m-adaptor",
    "ts-retriever",
    "tempretriever-ewi",
    "tempretriever-fs",
    "tsm",
)
#: Ts-Retriever that sends questions of no time to the encoder as it was.
ROUTED = "ts-retriever routed"
#: TMRL as it is by default, but for the temporal contrast.
WITHOUT_TIME = "tmrl alpha=0 beta=0.1 gamma=0.1 t=64"
#: The method that forgetting is measured on without its second encoder, and the set that is about no time.
FORGETTING = "scifact"


def plan_of(name: str) -> list[tuple[str, str, dict[str, Any]]]:
    """What is trained: a label, a method, and how its settings differ."""
    if name == "main":
        return [(method, method, {}) for method in METHODS] + [(ROUTED, "ts-retriever", {"router": True})]
    if name == "ablation":
        weights = [(alpha, 0.1, 0.1, 64) for alpha in (0.0, 0.25, 0.5, 1.0)]
        weights += [(0.1, beta, gamma, 64) for beta, gamma in ((0.0, 0.0), (0.1, 0.0), (0.0, 0.1), (0.25, 0.25))]
        weights += [(0.1, 0.1, 0.1, dims) for dims in (32, 128)]
        return [
            (
                f"tmrl alpha={alpha:g} beta={beta:g} gamma={gamma:g} t={dims}",
                "tmrl",
                {"alpha": alpha, "beta": beta, "gamma": gamma, "temporal_dims": dims},
            )
            for alpha, beta, gamma, dims in weights
        ]
    if name == "spans":
        return [(f"tmrl spans={spans}", "tmrl", {"spans": spans}) for spans in ("all", "attended", "anchored")]
    raise SystemExit(f"no plan is called {name!r}; known: main, ablation, spans")


def trained(arguments: argparse.Namespace) -> None:
    """Train what the plan names, with each seed, and write a part for each."""
    from epochal.models.backbone import Backbone
    from epochal.models.tmrl.bundled import bundled_backbone
    from epochal.models.tmrl.encoding import text_encoder
    from epochal.models.tmrl.evaluate import evaluated, read_beir
    from epochal.models.tmrl.merging import rows_by_specifier
    from epochal.models.tmrl.rows import read_rows
    from epochal.models.tmrl.running import adapted, fitted
    from epochal.models.tmrl.settings import TMRLSettings, training_of
    from epochal.models.training.trainer import train

    def resumed(task: TMRLTask, training: TrainSettings, folder: Path | None, _: str) -> TrainRun:
        return train(task, training, folder, resume=folder is not None)

    make = bundled_backbone if arguments.backbone == "minilm" else partial(Backbone.load, arguments.backbone, "mean")
    backbone = Path(arguments.backbone).name
    rows, dev = list(read_rows(arguments.rows)), list(read_rows(arguments.dev))
    sets = [read_beir(folder) for folder in arguments.sets]
    plain = arguments.plain.read_text(encoding="utf-8").splitlines() if arguments.plain else []
    arguments.train.mkdir(parents=True, exist_ok=True)
    plan = [one for one in plan_of(arguments.plan) if not arguments.only or one[0] in arguments.only]
    for label, method, changes in plan:
        for seed in arguments.seeds[:1] if method == "zero-shot" else arguments.seeds:
            begun = time.perf_counter()
            settings = replace(
                TMRLSettings.named(method),
                temperature=arguments.temperature,
                recompute=arguments.recompute,
                **changes,
            )
            training = replace(training_of(method), precision=arguments.precision, seed=seed)
            if arguments.epochs:
                training = replace(training, epochs=arguments.epochs)
            name = f"{backbone}.{arguments.rows.stem}.{label.replace(' ', '_')}.{seed}"
            kept = arguments.runs / name if arguments.runs else None
            if method == "tsm" and arguments.specifiers:
                some = rows_by_specifier(rows)
                if unknown := sorted(set(arguments.specifiers) - set(some)):
                    raise SystemExit(f"no row has the specifier {unknown[0]!r}; accepted: {', '.join(some)}")
                for one in arguments.specifiers:
                    fitted(make, some[one], dev, settings, training, kept / one, fit=resumed)
                continue
            made = adapted(
                make,
                rows,
                dev,
                settings,
                training,
                kept,
                plain=plain if settings.router else (),
                fit=resumed,
            )
            part: Part = {
                "backbone": backbone,
                "rows": arguments.rows.stem,
                "model": label,
                "seed": seed,
                "settings": settings.to_dict(),
                "runs": {
                    name: {**{key: run.to_dict()[key] for key in RUN}, "held out": _held_out(run)}
                    for name, run in made.runs.items()
                },
                "sets": {},
            }
            for beir in sets:
                alone = beir.name == FORGETTING
                found = evaluated(text_encoder(made.network, arguments.precision, text_only=alone), beir, DIMS)
                part["sets"][beir.name] = found.to_dict()
                print(f"{backbone} {label} seed {seed}: {found.line()}", flush=True)
            with gzip.open(arguments.train / f"{name}.json.gz", "wt", encoding="utf-8") as file:
                json.dump(part, file)
            if settings.has_lora:
                made.network.save(arguments.train / name, {"seed": seed}, merged=False)
            print(f"  {time.perf_counter() - begun:.0f} s", flush=True)


def collected(folders: list[Path]) -> None:
    """The result of parts: means over questions and seeds, and differences from rivals question by question."""
    groups: dict[tuple[str, str, str], list[Part]] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.json.gz")):
            with gzip.open(path, "rt", encoding="utf-8") as file:
                part = json.load(file)
            same = groups.setdefault((part["backbone"], part["rows"], part["model"]), [])
            if part["seed"] in {other["seed"] for other in same}:
                raise SystemExit(f"{path} is a second part of {part['model']} with seed {part['seed']}")
            same.append(part)
    if not groups:
        skip("the folders of --parts hold no part")
    parts = [part for same in groups.values() for part in same]
    save(
        "tmrl_retrieval",
        "Does TMRL find what is of the right time at every prefix, and what does it forget?",
        "trained on rows of `epochal bench augment`; measured on half of TNP's test questions, on passages of TimeQA "
        "and on SciFact, by vectors alone; bounds are over questions, not over seeds",
        SEED,
        [row for key in groups for row in rows_of(key, groups)],
        sets={
            name: {"documents": one["documents"], "questions": one["questions"]}
            for name, one in parts[0]["sets"].items()
        },
        runs=[
            {
                "backbone": part["backbone"],
                "rows": part["rows"],
                "model": part["model"],
                "seed": part["seed"],
                "recompute": part["settings"].get("recompute", False),
                **run,
            }
            for part in parts
            for run in part["runs"].values()
        ],
    )


def rows_of(key: tuple[str, str, str], groups: dict[tuple[str, str, str], list[Part]]) -> Iterator[dict[str, Any]]:
    """What was measured of one model: each set at each prefix."""
    backbone, trained_on, model = key
    same = groups[key]
    for name in same[0]["sets"]:
        rivals = rivals_of(key, name, groups)
        for dim in same[0]["sets"][name]["dims"]:
            row: dict[str, Any] = {
                "backbone": backbone,
                "rows": trained_on,
                "model": model,
                "set": name,
                "dims": int(dim),
                "seeds": len(same),
            }
            for measure in ("nDCG@10", "R@100"):
                row[measure] = bounds(bootstrap_mean(_values(same, name, dim, measure).values(), seed=SEED))
            row["nDCG@10 by seed"] = {
                str(part["seed"]): round(fmean(_values([part], name, dim, "nDCG@10").values()), 4) for part in same
            }
            for rival, (ours, theirs) in rivals.items():
                if dim not in theirs[0]["sets"][name]["per_question"]["nDCG@10"]:
                    continue
                here, there = (_values(one, name, dim, "nDCG@10") for one in (ours, theirs))
                row[f"beyond {rival}"] = difference(here, there, SEED)
            yield row


def rivals_of(
    key: tuple[str, str, str], name: str, groups: dict[tuple[str, str, str], list[Part]]
) -> dict[str, tuple[list[Part], list[Part]]]:
    """What a model is compared with on a set, by the seeds that both have: pairs of its parts and the rival's.

    TMRL and TSM with LoRA-MRL; TMRL with itself without the temporal contrast; with other settings, with TMRL as it is
    by default; and what was forgotten, with the encoder as it was.
    """
    backbone, trained_on, model = key
    found = {}
    wanted = {"lora-mrl": "lora-mrl"} if model in ("tmrl", "tsm") else {}
    if model == "tmrl" or (model.startswith("tmrl alpha=") and model.endswith(WITHOUT_TIME.partition(" beta")[2])):
        wanted["alpha=0"] = WITHOUT_TIME
    if model.startswith("tmrl "):
        wanted["tmrl"] = "tmrl"
    for label, rival in wanted.items():
        theirs = groups.get((backbone, trained_on, rival), [])
        seeds = {part["seed"] for part in groups[key]} & {part["seed"] for part in theirs}
        if seeds and rival != model:
            found[label] = tuple([part for part in some if part["seed"] in seeds] for some in (groups[key], theirs))
    before = [some for (other, _, what), some in groups.items() if (other, what) == (backbone, "zero-shot")]
    if name == FORGETTING and before and model != "zero-shot":
        found["zero-shot"] = (groups[key], before[0])
    return found


def _held_out(run: TrainRun) -> dict[int, float]:
    """What each evaluation found on held-out rows by whole vectors, by the step that it came after."""
    return {row["step"]: round(row["metrics"]["recall@1"], 4) for row in run.history if "metrics" in row}


def _values(parts: list[Part], name: str, dim: str, measure: str) -> dict[str, float]:
    """The mean over seeds of each question's value."""
    sums: dict[str, float] = {}
    for part in parts:
        here = part["sets"][name]
        for question, value in zip(here["ids"], here["per_question"][measure][dim], strict=True):
            sums[question] = sums.get(question, 0.0) + value / len(parts)
    return sums


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", type=Path)
    parser.add_argument("--parts", type=Path, nargs="+")
    parser.add_argument("--plan", default="main")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--dev", type=Path)
    parser.add_argument("--sets", type=Path, nargs="+", default=[])
    parser.add_argument("--plain", type=Path, help="questions of no time, one a line, which the router is fitted to")
    parser.add_argument("--backbone", default="minilm")
    parser.add_argument("--seeds", type=int, nargs="+", default=[42, 43])
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--precision", default="bf16")
    parser.add_argument("--recompute", action="store_true", help="save memory at the price of time")
    parser.add_argument("--runs", type=Path, help="a folder to keep trainings in, and to go on from")
    parser.add_argument("--specifiers", nargs="+", default=[], help="of TSM: train these models, in --runs, no more")
    arguments = parser.parse_args(words)
    if arguments.specifiers and arguments.runs is None:
        parser.error("--specifiers needs --runs, the folder that the models are kept in")
    if arguments.train is not None and arguments.rows is not None and arguments.dev is not None:
        trained(arguments)
    elif arguments.parts:
        collected(arguments.parts)
    else:
        skip("give a folder with --train and rows, or folders of parts with --parts")


if __name__ == "__main__":
    main()
