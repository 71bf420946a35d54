"""What adapting encoders to time is worth: the lines of the README and the tables of docs/tmrl.md, from the results."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any, Final

from readme_figures.tmrl_reasons import NAMES, SETS, WIDTHS, reasons_page_lines, shares_page_lines, short

__all__ = ["tmrl_engine_lines", "tmrl_loader_lines", "tmrl_page_lines", "tmrl_retrieval_lines", "tmrl_speed_lines"]

Rows = dict[tuple[str, str, str, str, int], dict[str, Any]]
#: By backbone, rows and model, and by seed: the step that was kept and the last, of each run.
Kept = dict[tuple[str, str, str], dict[int, list[tuple[int, int]]]]

METHODS: Final = {
    "zero-shot": "zero-shot",
    "lora": "LoRA",
    "lora-mrl": "LoRA-MRL",
    "tmrl": "TMRL",
    "m-adaptor": "M-Adaptor",
    "ts-retriever": "Ts-Retriever",
    "ts-retriever routed": "Ts-Retriever with its router",
    "tempretriever-ewi": "TempRetriever, multiplied",
    "tempretriever-fs": "TempRetriever, side by side",
    "tsm": "TSM",
}
TRAINED_ON: Final = {
    "train": ("one expression", 12_579),
    "several_train": ("several expressions", 6_958),
    "both_train": ("both", 19_537),
    "orig_train": ("as the original", 1_284),
}
#: Backbones and rows that both LoRA-MRL and TMRL were trained on.
TRAINED_TMRL: Final = (
    ("minilm", "train"),
    ("minilm", "several_train"),
    ("minilm", "orig_train"),
    ("gte-small", "train"),
    ("mpnet", "train"),
)
#: The seeds that the parts of TMRL were tried with.
TRIED: Final = (42, 43)
#: The paper's nDCG@10 and R@100 on TNP and nDCG@10 on NQ, in percent, of models trained on its augmented rows (Table 1;
#: TMRL: Tables 3 and 4).
PAPER: Final = {
    "zero-shot": ((21.50, 85.12, 25.37), (80.47, 97.56, 52.84), (72.62, 97.85, 54.15)),
    "lora": ((61.26, 97.08, 19.21), (80.34, 97.25, 50.78), (77.42, 97.50, 52.47)),
    "lora-mrl": (None, None, None),
    "tmrl": ((68.4, 98.1, 18.0), None, (77.7, 96.9, 49.9)),
    "m-adaptor": ((20.87, 84.24, 17.70), (78.72, 97.52, 52.53), (70.14, 97.46, 53.14)),
    "ts-retriever": ((53.64, 95.52, 15.22), None, (59.87, 94.27, 34.30)),
    "ts-retriever routed": (None, None, None),
    "tempretriever-ewi": ((63.30, 96.32, 21.18), None, (2.00, 25.08, 25.50)),
    "tempretriever-fs": (None, None, None),
    "tsm": (None, None, None),
}
#: Table 2: nDCG@10 on NQ, of contriever and of bge, by the weight of the temporal contrast and the temporal numbers.
PAPER_ALPHA: Final = {
    (0.1, 32): (19.67, 48.81),
    (0.1, 64): (19.64, 53.76),
    (0.1, 128): (19.65, 50.29),
    (0.25, 64): (18.56, 49.18),
    (0.5, 64): (16.45, 50.62),
    (1.0, 64): (13.42, 49.33),
}
#: Tables 3 and 4: nDCG@10 on TNP by 64 and by 768 numbers, and on NQ, of contriever and of bge, by beta and gamma.
PAPER_BETA_GAMMA: Final = {
    (0.0, 0.0): ((36.5, 68.8, 19.6), (47.2, 77.3, 50.3)),
    (0.1, 0.0): ((39.2, 68.6, 18.2), (47.6, 77.4, 50.4)),
    (0.0, 0.1): ((37.3, 68.8, 19.4), (47.7, 77.6, 49.9)),
    (0.1, 0.1): ((39.3, 68.4, 18.0), (48.1, 77.7, 49.9)),
    (0.25, 0.25): ((37.4, 60.4, 14.2), (31.7, 59.4, 49.6)),
}


def tmrl_retrieval_lines(result: dict[str, Any]) -> list[str]:
    by = _by(result)
    lines = []
    for backbone in WIDTHS:
        for method in ("zero-shot", "lora-mrl", "tmrl", "ts-retriever", "tsm"):
            cells = [
                f"{by[backbone, 'train', method, name, dims]['nDCG@10']['mean']:.3f}"
                for name, dims in _short_and_whole(backbone)
            ]
            lines.append(f"| {NAMES[backbone]} | {METHODS[method]} | {' | '.join(cells)} |")
    for backbone in WIDTHS:
        cells = []
        for dims in (64, 128, 256, 384, 768):
            row = by.get((backbone, "train", "tmrl", "tnp", dims))
            cells.append("–" if row is None else _signed(row["beyond lora-mrl"], whole_number="0"))
        lines.append(f"| {NAMES[backbone]} | {' | '.join(cells)} |")
    return lines


def tmrl_speed_lines(result: dict[str, Any]) -> list[str]:
    by = {row["what"]: row for row in result["rows"]}
    ours, theirs = by["tmrl"], by["sentence-transformers, MatryoshkaLoss"]
    return [
        f"{ours['tokens/s']:,} tokens a second, and sentence-transformers {theirs['tokens/s']:,} by its nested loss: "
        f"{ours['ratio']:.2f} times as many",
        f"The GPU is busy {ours['GPU busy, %']} % of the time, and {theirs['GPU busy, %']} % with theirs",
    ]


def tmrl_loader_lines(result: dict[str, Any]) -> list[str]:
    like_there = result["rows"][0]
    return [
        f"makes {like_there['tokens/s made']:,} tokens a second, {like_there['times the pace of training']:.0f} times"
    ]


def tmrl_engine_lines(result: dict[str, Any]) -> list[str]:
    by = {(row["set"], row["encoder"], row["what"]): row for row in result["rows"]}
    lines = []
    for name, shown in SETS.items():
        for own in result["encoders"]:
            cells = [
                f"{by[name, own, what]['nDCG@10']:.3f}"
                for what in ("vectors alone", "time off: plain hybrid", "engine")
            ]
            words = f"{by[name, '', 'engine without vectors']['nDCG@10']:.3f}"
            lines.append(f"| {shown} | {own} | {' | '.join(cells)} | {words} |")
    for name, shown in SETS.items():
        told = by[name, "minilm", "engine"]["engine beyond it"]
        lines.append(f"{shown} {_signed(told, whole_number='0')}")
    return lines


def tmrl_page_lines(
    retrieval: dict[str, Any],
    reasons: dict[str, Any],
    shares: dict[str, Any],
    speed: dict[str, Any],
    loader: dict[str, Any],
) -> list[str]:
    """Every line of the tables of docs/tmrl.md that has figures, in the order of the page."""
    by = _by(retrieval)
    kept: Kept = {}
    for run in retrieval["runs"]:
        steps = kept.setdefault((run["backbone"], run["rows"], run["model"]), {})
        steps.setdefault(run["seed"], []).append((run["best_step"], run["steps"]))
    return [
        *_beside_table_1(by),
        *_every_prefix(by),
        *_beyond_mrl(by, "tmrl", TRAINED_TMRL),
        *_beyond_mrl(by, "tsm", (("minilm", "train"), ("gte-small", "train"), ("mpnet", "train"))),
        *_seeds(by, kept),
        *reasons_page_lines(reasons),
        *shares_page_lines(shares),
        *_alpha(by, kept),
        *_against_no_contrast(by),
        *_beta_gamma(by),
        *_trained_on(by, kept),
        *_spans(by),
        *(
            f"| {row['what']} | {row['tokens/s']:,} | {row['ratio']:.2f} | {row['GPU busy, %']} |"
            for row in speed["rows"]
        ),
        *_memory(retrieval["runs"]),
        *(
            f"| {row['questions a passage']} | {row['ms a batch']:.1f} | {row['tokens/s made']:,} "
            f"| {row['times the pace of training']:.0f} |"
            for row in loader["rows"]
        ),
    ]


def _beside_table_1(by: Rows) -> list[str]:
    lines = []
    for method, published in PAPER.items():
        cells = []
        for backbone in WIDTHS:
            tnp, scifact = (_whole(by, backbone, "train", method, name) for name in ("tnp", "scifact"))
            told = () if tnp is None else (tnp["nDCG@10"], tnp["R@100"], scifact["nDCG@10"])
            cells.append(" / ".join(short(one["mean"]) for one in told) or "–")
        cells += ["–" if one is None else _published(*one) for one in published]
        lines.append(f"| {METHODS[method]} | {' | '.join(cells)} |")
    return lines


def _every_prefix(by: Rows) -> list[str]:
    lines = []
    for backbone, width in WIDTHS.items():
        for method in METHODS:
            cells: list[str] = []
            for name in ("tnp", "timeqa"):
                whole = _whole(by, backbone, "train", method, name)
                if whole is None:
                    break
                cells += [
                    short(by[backbone, "train", method, name, dims]["nDCG@10"]["mean"])
                    for dims in (64, 128, 256, 384)
                    if dims < width
                ]
                cells += [_bounded(whole["nDCG@10"]), short(whole["R@100"]["mean"])]
            else:
                lines.append(f"| {METHODS[method]} | {' | '.join(cells)} | {whole['seeds']} |")
    return lines


def _beyond_mrl(by: Rows, method: str, trained: Sequence[tuple[str, str]]) -> list[str]:
    lines = []
    for backbone, rows in trained:
        for name, title in SETS.items():
            found = (by.get((backbone, rows, method, name, dims)) for dims in (64, 128, 256, 384, 768))
            cells = " | ".join("–" if row is None else _signed(row["beyond lora-mrl"]) for row in found)
            lines.append(f"| {NAMES[backbone]} | {TRAINED_ON[rows][0]} | {title} | {cells} |")
    return lines


def _seeds(by: Rows, kept: Kept) -> list[str]:
    lines = []
    for backbone, rows in TRAINED_TMRL:
        for method in ("lora", "lora-mrl", "tmrl"):
            for seed, steps in kept.get((backbone, rows, method), {}).items():
                if rows == "orig_train":
                    continue
                cells = [
                    short(by[backbone, rows, method, name, dims]["nDCG@10 by seed"][str(seed)])
                    for name, dims in _short_and_whole(backbone)
                ]
                cells.append("{} of {}".format(*steps[0]))
                lines.append(
                    f"| {NAMES[backbone]} | {TRAINED_ON[rows][0]} | {METHODS[method]} | {seed} | {' | '.join(cells)} |"
                )
    return lines


def _alpha(by: Rows, kept: Kept) -> list[str]:
    lines = []
    for alpha, dims in ((0.0, 64), (0.1, 64), (0.25, 64), (0.5, 64), (1.0, 64), (0.1, 32), (0.1, 128)):
        model = _ablated(alpha, 0.1, 0.1, dims)
        cells = [_tried(by, "train", model, "tnp", number) for number in (64, 128, 256, 384)]
        cells += [_tried(by, "train", model, "timeqa", number) for number in (64, 128, 256, 384)]
        steps = kept["minilm", "train", model]
        cells += [_tried(by, "train", model, "scifact", 384), ", ".join(str(steps[seed][0][0]) for seed in TRIED)]
        told = PAPER_ALPHA.get((alpha, dims))
        cells += ["–", "–"] if told is None else [_published(value) for value in told]
        lines.append(f"| {alpha:g} | {dims} | {' | '.join(cells)} |")
    return lines


def _against_no_contrast(by: Rows) -> list[str]:
    lines = []
    for backbone in WIDTHS:
        for name, title in SETS.items():
            rows = (by.get((backbone, "train", "tmrl", name, dims)) for dims in (64, 128, 256, 384, 768))
            cells = ("–" if row is None else _signed(row["beyond alpha=0"]) for row in rows)
            lines.append(f"| {NAMES[backbone]} | {title} | {' | '.join(cells)} |")
    return lines


def _beta_gamma(by: Rows) -> list[str]:
    lines = []
    for (beta, gamma), (contriever, bge) in PAPER_BETA_GAMMA.items():
        model = _ablated(0.1, beta, gamma, 64)
        cells = [_tried(by, "train", model, name, dims) for name, dims in _short_and_whole("minilm")]
        cells += [_published(*one) for one in (contriever, bge)]
        lines.append(f"| {beta:g} | {gamma:g} | {' | '.join(cells)} |")
    return lines


def _trained_on(by: Rows, kept: Kept) -> list[str]:
    lines = []
    for backbone in WIDTHS:
        for rows, (title, count) in TRAINED_ON.items():
            for method in METHODS:
                whole = {name: _whole(by, backbone, rows, method, name) for name in SETS}
                if method == "zero-shot" or whole["tnp"] is None:
                    continue
                cells = [short(by[backbone, rows, method, "tnp", 64]["nDCG@10"]["mean"])]
                cells += [short(one["nDCG@10"]["mean"]) for one in whole.values()]
                cells.append(_signed(whole["scifact"]["beyond zero-shot"]))
                cells.append(_steps(kept[backbone, rows, method]))
                lines.append(f"| {NAMES[backbone]} | {title} | {count:,} | {METHODS[method]} | {' | '.join(cells)} |")
    return lines


def _steps(runs: dict[int, list[tuple[int, int]]]) -> str:
    """Which step was kept with each seed, of how many; of several models that are merged, the first and last epoch."""
    if any(len(steps) > 1 for steps in runs.values()):
        epochs = sorted(round(5 * best / last) for steps in runs.values() for best, last in steps)
        return f"epoch {epochs[0]} to {epochs[-1]} of 5"
    lasts = {steps[0][1] for steps in runs.values()}
    return f"{', '.join(str(steps[0][0]) for steps in runs.values())} of {', '.join(map(str, lasts))}"


def _spans(by: Rows) -> list[str]:
    lines = []
    for spans in ("first", "all", "attended", "anchored"):
        model = "tmrl" if spans == "first" else f"tmrl spans={spans}"
        cells = [_tried(by, "several_train", model, "tnp", dims) for dims in (64, 128, 256, 384)]
        cells += [_tried(by, "several_train", model, "timeqa", dims) for dims in (64, 384)]
        cells.append(_tried(by, "several_train", model, "scifact", 384))
        lines.append(f"| `{spans}` | {' | '.join(cells)} |")
    return lines


def _memory(runs: list[dict[str, Any]]) -> list[str]:
    """How much memory training TMRL took at most, as usual and with layers computed again."""
    peaks: dict[tuple[str, bool], int] = {}
    for run in runs:
        if (run["rows"], run["model"]) == ("train", "tmrl"):
            key = run["backbone"], run["recompute"]
            peaks[key] = max(peaks.get(key, 0), run["peak_memory_bytes"])
    return [
        f"| {NAMES[backbone]} | {peaks[backbone, False] / 1e9:.1f} | {peaks[backbone, True] / 1e9:.1f} |"
        for backbone in WIDTHS
        if (backbone, True) in peaks
    ]


def _by(result: dict[str, Any]) -> Rows:
    return {(row["backbone"], row["rows"], row["model"], row["set"], row["dims"]): row for row in result["rows"]}


def _short_and_whole(backbone: str) -> tuple[tuple[str, int], ...]:
    whole = WIDTHS[backbone]
    return ("tnp", 64), ("tnp", whole), ("timeqa", 64), ("timeqa", whole), ("scifact", whole)


def _whole(by: Rows, backbone: str, rows: str, method: str, name: str) -> Any:
    """The row of whole vectors; those of two encoders side by side are twice as long, but where no time is read."""
    times = 2 if method == "tempretriever-fs" and name != "scifact" else 1
    return by.get((backbone, rows, method, name, times * WIDTHS[backbone]))


def _ablated(alpha: float, beta: float, gamma: float, dims: int) -> str:
    if (alpha, beta, gamma, dims) == (0.1, 0.1, 0.1, 64):
        return "tmrl"
    return f"tmrl alpha={alpha:g} beta={beta:g} gamma={gamma:g} t={dims}"


def _tried(by: Rows, rows: str, model: str, name: str, dims: int) -> str:
    """The mean over the seeds that every setting was trained with."""
    values = by["minilm", rows, model, name, dims]["nDCG@10 by seed"]
    return short(fmean(values[str(seed)] for seed in TRIED))


def _published(*percent: float) -> str:
    return " / ".join(f"{value / 100:.4f}".removesuffix("0")[1:] for value in percent)


def _bounded(value: dict[str, float]) -> str:
    return f"{short(value['mean'])} [{short(value['low'])}, {short(value['high'])}]"


def _signed(value: dict[str, float], whole_number: str = "") -> str:
    mean, low, high = (f"{value[key]:+.3f}".replace("0.", f"{whole_number}.", 1) for key in ("mean", "low", "high"))
    return f"{mean} [{low}, {high}]"
