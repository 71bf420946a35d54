"""Why TSM gains more than LoRA, and how much of an adapter to add: lines of the README and of docs/tmrl.md."""

from __future__ import annotations

from typing import Any, Final

__all__ = [
    "NAMES",
    "SETS",
    "WIDTHS",
    "reasons_page_lines",
    "shares_page_lines",
    "short",
    "tmrl_reasons_lines",
    "tmrl_shares_lines",
]

WIDTHS: Final = {"minilm": 384, "gte-small": 384, "mpnet": 768}
NAMES: Final = {"minilm": "MiniLM", "gte-small": "gte-small", "mpnet": "mpnet"}
ROWS: Final = {"train": "one expression", "specified_train": "specified", "several_train": "several expressions"}
MODELS: Final = {
    "lora-mrl": "LoRA-MRL",
    "lora-mrl unmasked": "LoRA-MRL, nothing masked",
    "lora-mrl rate=4e-4": "LoRA-MRL, rate 4e-4",
    "lora-mrl epochs=20": "LoRA-MRL, 20 epochs",
    "lora-mrl batch=64": "LoRA-MRL, batches of 64",
    "lora-mrl batch=16 unmasked": "LoRA-MRL, batches of 16, nothing masked",
    "tmrl": "TMRL",
    "tmrl batch=64": "TMRL, batches of 64",
    "whole encoder batch=256": "all weights, batches of 256",
    "whole encoder batch=16": "all weights, batches of 16, rate 1e-5",
    "tsm": "TSM: the same, seven merged",
}
#: What the README shows of it, in this order.
SHOWN: Final = ("lora-mrl", "lora-mrl rate=4e-4", "lora-mrl batch=64", "whole encoder batch=16", "tsm")
SEED: Final = "42"
SETS: Final = {"tnp": "TNP", "timeqa": "TimeQA", "scifact": "SciFact"}
#: What an adapter that ships may cost of plain search.
MOST_LOST: Final = 0.005


def tmrl_reasons_lines(result: dict[str, Any]) -> list[str]:
    by = _by(result)
    return [
        f"| {MODELS[model]} | "
        + " | ".join(f"{_value(by, 'minilm', 'train', model, *at):.3f}" for at in _at(384))
        + " |"
        for model in SHOWN
    ]


def reasons_page_lines(result: dict[str, Any]) -> list[str]:
    """A line for each backbone, kind of rows and model, with its seed 42 where it has that, in the order of MODELS."""
    by = _by(result)
    lines = []
    for backbone, width in WIDTHS.items():
        for rows, title in ROWS.items():
            for model, name in MODELS.items():
                runs = [
                    run
                    for run in result["runs"]
                    if (run["backbone"], run["rows"], run["model"]) == (backbone, rows, model)
                ]
                for seed in sorted({run["seed"] for run in runs}):
                    cells = [short(_value(by, backbone, rows, model, *at, str(seed))) for at in _at(width)]
                    kept = sorted({f"{run['best_step']} of {run['steps']}" for run in runs if run["seed"] == seed})
                    steps = kept[0] if len(kept) == 1 else f"{sum(run['steps'] for run in runs):,} in all"
                    lines.append(f"| {NAMES[backbone]} | {title} | {name} | {seed} | {' | '.join(cells)} | {steps} |")
    return lines


def tmrl_shares_lines(result: dict[str, Any]) -> list[str]:
    """The mixture that finds most on TNP and TimeQA of those that lose less than half a point of SciFact."""
    by = _by(result)
    fit = [
        one for one in result["mixtures"] if _mixed(by, one, "scifact", 384)["beyond zero-shot"]["mean"] > -MOST_LOST
    ]
    best = max(fit, key=lambda one: sum(_mean(by, one, name, 384) for name in ("tnp", "timeqa")))
    told = _mixed(by, best, "scifact", 384)["beyond zero-shot"]
    lost = "{} [{}, {}]".format(*(f"{told[key]:+.3f}" for key in ("mean", "low", "high")))
    values = (f"{name} {_mean(by, best, key, 384):.3f}" for key, name in SETS.items())
    return [f"of {len(result['mixtures'])} mixtures", f"({best}): {', '.join(values)}, which is {lost}"]


def shares_page_lines(result: dict[str, Any]) -> list[str]:
    """A line for each mixture, those that lose least of SciFact first."""
    by = _by(result)
    lines = []
    for one in sorted(result["mixtures"], key=lambda one: -_mean(by, one, "scifact", 384)):
        cells = [short(_mean(by, one, name, dims)) for name, dims in _at(384)]
        told = _mixed(by, one, "scifact", 384)["beyond zero-shot"]
        lost = "{} [{}, {}]".format(*(f"{told[key]:+.3f}".replace("0.", ".", 1) for key in ("mean", "low", "high")))
        lines.append(f"| {one} | {' | '.join(cells)} | {lost} |")
    return lines


def _mean(by: Any, mixture: str, name: str, dims: int) -> float:
    found: float = _mixed(by, mixture, name, dims)["nDCG@10"]["mean"]
    return found


def _mixed(by: Any, mixture: str, name: str, dims: int) -> dict[str, Any]:
    found: dict[str, Any] = by["minilm", "mixed", mixture, name, dims]
    return found


def _by(result: dict[str, Any]) -> dict[tuple[str, str, str, str, int], dict[str, Any]]:
    return {(row["backbone"], row["rows"], row["model"], row["set"], row["dims"]): row for row in result["rows"]}


def _at(width: int) -> tuple[tuple[str, int], ...]:
    return ("tnp", 64), ("tnp", width), ("timeqa", width), ("scifact", width)


def _value(by: Any, backbone: str, rows: str, model: str, name: str, dims: int, seed: str = SEED) -> float:
    found: float = by[backbone, rows, model, name, dims]["nDCG@10 by seed"][seed]
    return found


def short(value: float) -> str:
    return f"{value:.3f}"[1:]
