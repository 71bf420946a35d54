"""How well does CTD find records whose month they do not state, beside the published model and its baselines?

    python studies/ctd_retrieval.py --runs FOLDER...          models, as they were measured after training
        --ablation FOLDER...                                     and what each part of the published model adds
        --modes FOLDER...                                        and models that were measured in all six modes
        --model FOLDER --set CHUNQIUTR                           and one that was not, searched in them now

A FOLDER is what `epochal train ctd -o FOLDER` wrote; its last name is the model's. CHUNQIUTR is a folder of
`epochal bench build chunqiutr`. Differences are between the last model of --runs and each of the others, question
by question. The folders of --ablation are grouped by the parts that their settings switch on, in the order given,
and each group needs the same seeds; a group is compared with those before it, by the means over seeds of each
question. The folders of --modes had all six in `--evaluate` when they were trained. Nothing is searched without
--model.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

from _record import compare_scores, save, skip

SEED = 7
EVENTS, HEADLINE = "neg1_ne0_dq1", "neg1_ne1_dq0"
#: The six modes of Table 14.
MODES = ("neg0_ne0_dq1", "neg0_ne1_dq0", "neg0_ne1_dq1", EVENTS, HEADLINE, "neg1_ne1_dq1")
#: What differences between seeds and between parts are reported for.
COMPARED = ("hit@1", "MRR@10")
SHOWN = ("hit@1", "hit@5", "hit@10", "MRR@10", "nDCG@10")
#: The search that a model is judged by: the richest that it has and that is not the bias, which adds nothing.
BEST = ("ctx", "enc_only")
RUN = ("steps", "best_step", "seconds", "tokens_per_second", "peak_memory_bytes", "device", "torch", "stopped")


def build_result_rows(name: str, outcome: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "model": name,
            "search": outcome["search"],
            "mode": outcome["mode"],
            "questions": family,
            "count": message["questions"],
            **{measure: message[measure] for measure in SHOWN},
        }
        for family, message in outcome["families"].items()
    ]


def read_metrics(folder: Path) -> dict[str, Any]:
    metrics: dict[str, Any] = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    return metrics


def select_test_results(metrics: dict[str, Any], modes: Iterable[str]) -> list[dict[str, Any]]:
    return [outcome for outcome in metrics["outcomes"] if outcome["split"] == "test" and outcome["mode"] in modes]


def select_search(outcomes: list[dict[str, Any]], mode: str) -> dict[str, Any]:
    """Return the result of a mode that a model is judged by."""
    result = {outcome["search"]: outcome for outcome in outcomes if outcome["mode"] == mode}
    return next(result[search] for search in BEST if search in result)


def describe_parts(settings: dict[str, Any]) -> tuple[str, ...]:
    """Return the parts of the published model that settings switch on; without any it is the baseline FT."""
    on = {
        "multi_positive": settings["multi_positive"],
        "heads": settings["heads"] != "none",
        "bias": settings["bias"],
        "context": settings["context"] != "none",
    }
    return tuple(name for name, there in on.items() if there)


def build_ablation(folders: list[Path]) -> list[dict[str, Any]]:
    """Return the results of each set of parts, by seed and on average, and the differences from the sets before it."""
    result: dict[tuple[str, ...], dict[int, list[dict[str, Any]]]] = {}
    for folder in folders:
        metrics = read_metrics(folder)
        seeds = result.setdefault(describe_parts(metrics["settings"]), {})
        seed = metrics["run"]["settings"]["seed"]
        if seed in seeds:
            raise SystemExit(f"{folder.name} has the parts and the seed {seed} of a folder before it")
        seeds[seed] = select_test_results(metrics, (HEADLINE, EVENTS))
    if len({frozenset(seeds) for seeds in result.values()}) > 1:
        given = "; ".join(f"{'+'.join(parts) or 'none'}: {sorted(seeds)}" for parts, seeds in result.items())
        raise SystemExit(f"every set of parts needs the same seeds, and these were given: {given}")

    rows: list[dict[str, Any]] = []
    for mode in (HEADLINE, EVENTS):
        means: dict[tuple[str, ...], dict[str, dict[str, float]]] = {}
        for parts, seeds in result.items():
            judged = {seed: select_search(outcomes, mode) for seed, outcomes in sorted(seeds.items())}
            means[parts] = {measure: average_seeds(judged.values(), measure) for measure in COMPARED}
            rows.append(
                {
                    "parts": list(parts),
                    "search": next(iter(judged.values()))["search"],
                    "mode": mode,
                    "count": len(means[parts][COMPARED[0]]),
                    **{measure: round(fmean(means[parts][measure].values()), 4) for measure in COMPARED},
                    "seeds": [
                        {"seed": seed, **{name: one["families"]["all"][name]["mean"] for name in COMPARED}}
                        for seed, one in judged.items()
                    ],
                    "against": [
                        {
                            "parts": list(other),
                            **{name: compare_scores(means[parts][name], means[other][name], SEED) for name in COMPARED},
                        }
                        for other in means
                        if other != parts
                    ],
                }
            )
    return rows


def average_seeds(outcomes: Iterable[dict[str, Any]], measure: str) -> dict[str, float]:
    """Return the mean of a measure over seeds, by question."""
    rows = [outcome["questions"] for outcome in outcomes]
    return {question: fmean(row[question][measure] for row in rows) for question in rows[0]}


def read_modes(folder: Path) -> list[dict[str, Any]]:
    """Return the six modes of Table 14 as measured after training, by the bare encoder and with the context."""
    outcomes = [one for one in select_test_results(read_metrics(folder), MODES) if one["search"] in BEST]
    missing = set(MODES) - {one["mode"] for one in outcomes}
    if missing:
        raise SystemExit(f"{folder.name} was not measured in {', '.join(sorted(missing))}; give it with --model")
    return [row for outcome in outcomes for row in build_result_rows(folder.name, outcome)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, nargs="+")
    parser.add_argument("--ablation", type=Path, nargs="+", default=[])
    parser.add_argument("--modes", type=Path, nargs="+", default=[])
    parser.add_argument("--model", type=Path)
    parser.add_argument("--set", type=Path)
    arguments = parser.parse_args()
    if not arguments.runs:
        skip("give the folders of trained models with --runs")

    rows: list[dict[str, Any]] = []
    runs, transfer, tested = [], [], {}
    for folder in arguments.runs:
        metrics = read_metrics(folder)
        run, settings = metrics["run"], metrics["run"]["settings"]
        trained = {name: settings[name] for name in ("rate", "batch_size", "seed", "epochs")}
        runs.append({"model": folder.name, **trained, **{name: run[name] for name in RUN}})
        test = select_test_results(metrics, (EVENTS, HEADLINE))
        tested[folder.name] = test
        for outcome in test:
            rows += build_result_rows(folder.name, outcome)
        for name, outcome in metrics["transfer"].items():
            whole = outcome["families"]["all"]
            transfer.append({"model": folder.name, "set": name, **{measure: whole[measure] for measure in SHOWN}})
    ours = list(tested)[-1]
    differences = []
    for mode in (EVENTS, HEADLINE):
        values = {name: average_seeds([select_search(match, mode)], "hit@1") for name, match in tested.items()}
        for name in list(tested)[:-1]:
            message = compare_scores(values[ours], values[name], SEED)
            differences.append({"mode": mode, "model": ours, "against": name, "hit@1": message.pop("mean"), **message})
    modes = [row for folder in arguments.modes for row in read_modes(folder)]
    if arguments.model and arguments.set:
        modes += measure_all_modes(arguments.model, arguments.set)
    save(
        "ctd_retrieval",
        "How well does CTD find records whose month they do not state, beside the published model and its baselines?",
        "ChunQiuTR as rebuilt here, in traditional characters, test split; elsewhere: the Annals of Qi of the Zizhi "
        "Tongjian by the bare encoder, with date tags and without",
        SEED,
        rows,
        runs=runs,
        differences=differences,
        transfer=transfer,
        ablation=build_ablation(arguments.ablation),
        modes=modes,
    )


def measure_all_modes(folder: Path, place: Path) -> list[dict[str, Any]]:
    """Measure one model in the six modes of Table 14, searched as its folder says."""
    from epochal_lab.models.ctd.data import ProtocolMode, read_collection
    from epochal_lab.models.ctd.model import CTD
    from epochal_lab.models.ctd.searching import encode_split, search_encoded

    model = CTD.load(folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    collection = read_collection(place)
    tokens = model.tokenize([one.text for one in collection.questions], [one.text for one in collection.records])
    query = encode_split(model, collection, tokens, "test")
    result = search_encoded(
        model, query, [ProtocolMode.parse(mode) for mode in MODES], [config["search"]], config["mix"]
    )
    return [row for outcome in result for row in build_result_rows(folder.name, outcome.to_dict())]


if __name__ == "__main__":
    main()
