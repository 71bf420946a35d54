"""How well does CTD find records whose month they do not state, beside the published model and its baselines?

    python benchmarks/ctd_retrieval.py --runs FOLDER...                     as they were measured after training
    python benchmarks/ctd_retrieval.py --runs FOLDER... --model FOLDER --set CHUNQIUTR      and one model in all modes

A FOLDER is what `epochal train ctd -o FOLDER` wrote; its last name is the model's. CHUNQIUTR is a folder of
`epochal bench build chunqiutr`. Differences are between the last model of --runs and each of the others, question
by question.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from _record import save, skip

from epochal.bench.significance import compare

SEED = 7
EVENTS, HEADLINE = "neg1_ne0_dq1", "neg1_ne1_dq0"
#: The six modes of Table 14.
MODES = ("neg0_ne0_dq1", "neg0_ne1_dq0", "neg0_ne1_dq1", EVENTS, HEADLINE, "neg1_ne1_dq1")
SHOWN = ("hit@1", "hit@5", "hit@10", "MRR@10", "nDCG@10")
#: The search that a model is judged by: the richest that it has and that is not the bias, which adds nothing.
BEST = ("ctx", "enc_only")
RUN = ("steps", "best_step", "seconds", "tokens_per_second", "peak_memory_bytes", "device", "torch", "stopped")


def outcome_rows(name: str, outcome: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "model": name,
            "search": outcome["search"],
            "mode": outcome["mode"],
            "questions": family,
            "count": told["questions"],
            **{measure: told[measure] for measure in SHOWN},
        }
        for family, told in outcome["families"].items()
    ]


def of_search(outcomes: list[dict[str, Any]], mode: str) -> dict[str, Any]:
    """The outcome of a mode that a model is judged by."""
    found = {outcome["search"]: outcome for outcome in outcomes if outcome["mode"] == mode}
    return next(found[search] for search in BEST if search in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, nargs="+")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--set", type=Path)
    arguments = parser.parse_args()
    if not arguments.runs:
        skip("give the folders of trained models with --runs")

    rows: list[dict[str, Any]] = []
    runs, transfer, tested = [], [], {}
    for folder in arguments.runs:
        metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
        run, settings = metrics["run"], metrics["run"]["settings"]
        trained = {name: settings[name] for name in ("rate", "batch_size", "seed", "epochs")}
        runs.append({"model": folder.name, **trained, **{name: run[name] for name in RUN}})
        test = [outcome for outcome in metrics["outcomes"] if outcome["split"] == "test"]
        tested[folder.name] = test
        for outcome in test:
            rows += outcome_rows(folder.name, outcome)
        for name, outcome in metrics["transfer"].items():
            whole = outcome["families"]["all"]
            transfer.append({"model": folder.name, "set": name, **{measure: whole[measure] for measure in SHOWN}})
    ours = list(tested)[-1]
    differences = []
    for mode in (EVENTS, HEADLINE):
        values = {
            name: {question: row["hit@1"] for question, row in of_search(found, mode)["questions"].items()}
            for name, found in tested.items()
        }
        for name in list(tested)[:-1]:
            found = compare(values[ours], values[name], seed=SEED)
            differences.append(
                {
                    "mode": mode,
                    "model": ours,
                    "against": name,
                    "hit@1": round(found.difference.mean, 4),
                    "low": round(found.difference.low, 4),
                    "high": round(found.difference.high, 4),
                    "p": round(found.p, 5),
                }
            )
    modes = all_modes(arguments.model, arguments.set) if arguments.model and arguments.set else []
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
        modes=modes,
    )


def all_modes(folder: Path, place: Path) -> list[dict[str, Any]]:
    """One model in the six modes of Table 14, as its own folder says that it is searched."""
    from epochal.models.ctd.data import read_collection
    from epochal.models.ctd.model import CTD
    from epochal.models.ctd.protocol import Mode
    from epochal.models.ctd.searching import outcomes, searched

    model = CTD.load(folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    collection = read_collection(place)
    tokens = model.tokenized([one.text for one in collection.questions], [one.text for one in collection.records])
    asked = searched(model, collection, tokens, "test")
    found = outcomes(model, asked, [Mode.parse(mode) for mode in MODES], [config["search"]], config["mix"])
    return [row for outcome in found for row in outcome_rows(folder.name, outcome.to_dict())]


if __name__ == "__main__":
    main()
