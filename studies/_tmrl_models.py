"""What the studies of TMRL share: train and measure the models of a plan, one part each, and build results from parts.

A part is a file with the values of every question; rows are written by _tmrl_rows.py or `epochal bench augment`, sets
are BEIR folders.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeAlias

from _record import compare_scores, format_interval, skip

from epochal_lab.metrics.significance import bootstrap_mean

if TYPE_CHECKING:
    from epochal_lab.models.tmrl.evaluate import BeirSet
    from epochal_lab.models.tmrl.network import TMRLNetwork
    from epochal_lab.models.tmrl.settings import TMRLSettings
    from epochal_lab.models.tmrl.task import TMRLTask
    from epochal_lab.models.training.settings import TrainSettings
    from epochal_lab.models.training.trainer import TrainRun

Part: TypeAlias = dict[str, Any]
#: A backbone, the rows that were trained on, and a model.
Key: TypeAlias = tuple[str, str, str]
Groups: TypeAlias = dict[Key, list[Part]]
#: What a model is compared with on a set, each time its own parts and the rival's.
Rivals: TypeAlias = Callable[[Key, str, Groups], dict[str, tuple[list[Part], list[Part]]]]

#: The last is the whole of two vectors of 768 side by side.
DIMS = (64, 128, 256, 384, 768, 1536)
SEED = 7
RUN = ("steps", "best_step", "seconds", "tokens_per_second", "peak_memory_bytes", "device", "torch", "stopped")
#: The set that is about no time: forgetting is measured on it, without a method's second encoder.
FORGETTING = "scifact"


@dataclass(frozen=True, slots=True)
class Model:
    """A model to train: a label, a method, and changes to its default settings and training."""

    label: str
    method: str
    settings: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)


def train_models(arguments: argparse.Namespace, plan: Iterable[Model]) -> None:
    """Train the models of a plan with each seed, and write a part for each."""
    from epochal_lab.datasets.augment.rows import read_rows
    from epochal_lab.models.backbone import load_backbone
    from epochal_lab.models.tmrl.adapter import group_by_specifier
    from epochal_lab.models.tmrl.evaluate import read_beir
    from epochal_lab.models.tmrl.running import adapt, load_bundled_backbone, train_network

    make = (
        load_bundled_backbone if arguments.backbone == "minilm" else partial(load_backbone, arguments.backbone, "mean")
    )
    backbone = Path(arguments.backbone).name
    rows, dev = list(read_rows(arguments.rows)), list(read_rows(arguments.dev))
    sets = [read_beir(folder) for folder in arguments.sets]
    plain = arguments.plain.read_text(encoding="utf-8").splitlines() if arguments.plain else []
    arguments.train.mkdir(parents=True, exist_ok=True)
    for model, seed in _select_runs(arguments, plan):
        begun = time.perf_counter()
        settings, training = _build_settings(model, seed, arguments)
        name = f"{backbone}.{arguments.rows.stem}.{model.label.replace(' ', '_')}.{seed}"
        retained = arguments.runs / name if arguments.runs else None
        if model.method == "tsm" and arguments.specifiers:
            some = group_by_specifier(rows)
            if unknown := sorted(set(arguments.specifiers) - set(some)):
                raise SystemExit(f"no row has the specifier {unknown[0]!r}; accepted: {', '.join(some)}")
            for one in arguments.specifiers:
                train_network(make, some[one], dev, settings, training, retained / one, fit=_train_resumed)
            continue
        query = plain if settings.router else ()
        result = adapt(make, rows, dev, settings, training, retained, plain=query, fit=_train_resumed)
        part: Part = {
            "backbone": backbone,
            "rows": arguments.rows.stem,
            "model": model.label,
            "seed": seed,
            "settings": settings.to_dict(),
            "training": training.to_dict(),
            "runs": {
                label: {**{key: run.to_dict()[key] for key in RUN}, "held out": _get_best_hits(run)}
                for label, run in result.runs.items()
            },
            "sets": measure_network(result.network, sets, arguments.precision, f"{backbone} {model.label} seed {seed}"),
        }
        write_part(arguments.train / name, part)
        if settings.has_lora:
            result.network.save(arguments.train / name, {"seed": seed}, merged=False)
        print(f"  {time.perf_counter() - begun:.0f} s", flush=True)


def measure_network(network: TMRLNetwork, sets: Iterable[BeirSet], precision: str, label: str) -> dict[str, Any]:
    """Measure a network on each set at every prefix, and print each result."""
    from epochal_lab.models.tmrl.evaluate import build_text_encoder, evaluate_prefixes

    record = {}
    for beir in sets:
        result = evaluate_prefixes(
            build_text_encoder(network, precision, text_only=beir.name == FORGETTING), beir, DIMS
        )
        record[beir.name] = result.to_dict()
        print(f"{label}: {result.line()}", flush=True)
    return record


def write_part(path: Path, part: Part) -> None:
    """Write a part beside the path of what it is of."""
    with gzip.open(path.with_name(f"{path.name}.json.gz"), "wt", encoding="utf-8") as file:
        json.dump(part, file)


def _select_runs(arguments: argparse.Namespace, plan: Iterable[Model]) -> Iterator[tuple[Model, int]]:
    """Yield the requested models of a plan with their seeds; what is not trained has one."""
    for model in plan:
        if not arguments.only or model.label in arguments.only:
            for seed in arguments.seeds[:1] if model.method == "zero-shot" else arguments.seeds:
                yield model, seed


def _build_settings(model: Model, seed: int, arguments: argparse.Namespace) -> tuple[TMRLSettings, TrainSettings]:
    from epochal_lab.models.tmrl.settings import TMRLSettings, get_training_settings

    settings = replace(
        TMRLSettings.from_name(model.method),
        temperature=arguments.temperature,
        recompute=arguments.recompute,
        **model.settings,
    )
    training = replace(get_training_settings(model.method), precision=arguments.precision, seed=seed, **model.training)
    return settings, replace(training, epochs=arguments.epochs) if arguments.epochs else training


def _train_resumed(task: TMRLTask, training: TrainSettings, folder: Path | None, _: str) -> TrainRun:
    from epochal_lab.models.training.trainer import train

    return train(task, training, folder, resume=folder is not None)


def group_parts(folders: Iterable[Path]) -> Groups:
    """Group the parts in folders by model, with all seeds; duplicates are an error."""
    groups: Groups = {}
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
    return groups


def describe_runs(groups: Groups) -> list[dict[str, Any]]:
    """Return the training runs of the models."""
    return [
        {
            "backbone": part["backbone"],
            "rows": part["rows"],
            "model": part["model"],
            "seed": part["seed"],
            "recompute": part["settings"].get("recompute", False),
            **run,
        }
        for same in groups.values()
        for part in same
        for run in part["runs"].values()
    ]


def describe_sets(groups: Groups) -> dict[str, dict[str, int]]:
    """Return the numbers of documents and questions of each set."""
    sets = next(iter(groups.values()))[0]["sets"]
    return {name: {"documents": one["documents"], "questions": one["questions"]} for name, one in sets.items()}


def build_rows(key: Key, groups: Groups, find_rivals: Rivals) -> Iterator[dict[str, Any]]:
    """Yield the results of one model: each set at each prefix."""
    backbone, trained_on, model = key
    same = groups[key]
    for name in same[0]["sets"]:
        rivals = find_rivals(key, name, groups)
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
                row[measure] = format_interval(
                    bootstrap_mean(_average_values(same, name, dim, measure).values(), seed=SEED)
                )
            row["nDCG@10 by seed"] = {
                str(part["seed"]): round(fmean(_average_values([part], name, dim, "nDCG@10").values()), 4)
                for part in same
            }
            for rival, (ours, theirs) in rivals.items():
                if dim not in theirs[0]["sets"][name]["per_question"]["nDCG@10"]:
                    continue
                here, there = (_average_values(one, name, dim, "nDCG@10") for one in (ours, theirs))
                row[f"beyond {rival}"] = compare_scores(here, there, SEED)
            yield row


def _get_best_hits(run: TrainRun) -> dict[int, float]:
    """Return hit@1 on held-out rows by whole vectors, by the step of the evaluation."""
    return {row["step"]: round(row["metrics"]["hit@1"], 4) for row in run.history if "metrics" in row}


def _average_values(parts: list[Part], name: str, dim: str, measure: str) -> dict[str, float]:
    """Return the mean over seeds of each question's value."""
    sums: dict[str, float] = {}
    for part in parts:
        here = part["sets"][name]
        for question, value in zip(here["ids"], here["per_question"][measure][dim], strict=True):
            sums[question] = sums.get(question, 0.0) + value / len(parts)
    return sums


def select_shared_seeds(key: Key, rival: Key, groups: Groups) -> tuple[list[Part], list[Part]] | None:
    """Return the parts of a model and of a rival with the seeds that both have; None without any."""
    ours, theirs = groups[key], groups.get(rival, [])
    seeds = {part["seed"] for part in ours} & {part["seed"] for part in theirs}
    if not seeds:
        return None
    return tuple([part for part in some if part["seed"] in seeds] for some in (ours, theirs))


def find_zero_shot(key: Key, groups: Groups) -> list[Part]:
    """Return the parts of a model's original encoder."""
    return next((some for (other, _, what), some in groups.items() if (other, what) == (key[0], "zero-shot")), [])


def parse_arguments(words: list[str] | None, description: str | None, plan: str | None = None) -> argparse.Namespace:
    """Parse the arguments of a study of models; exits if there is nothing to do.

    With `plan`, the default one, the study has several plans, and a result that can be extended.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    if plan is not None:
        parser.add_argument("--plan", default=plan)
        parser.add_argument("--keep", action="store_true", help="keep of the result what no part is of")
    parser.add_argument("--train", type=Path)
    parser.add_argument("--parts", type=Path, nargs="+")
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
    if not arguments.parts and None in (arguments.train, arguments.rows, arguments.dev):
        skip("give a folder with --train and rows, or folders of parts with --parts")
    return arguments
