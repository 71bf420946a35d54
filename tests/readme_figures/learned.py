"""What trained models are worth: the lines of the README, from the results of benchmarks."""

from __future__ import annotations

from typing import Any


def re3_retrieval_lines(result: dict[str, Any]) -> list[str]:
    sets = ("rel", "rec", "hyb")
    by = {(row["part"], row["set"], row["system"], row.get("without times")): row["hit@1"] for row in result["rows"]}
    systems = dict.fromkeys(row["system"] for row in result["rows"] if row["part"] == "systems")
    lines = []
    for system in systems:
        found = [by[("systems", name, system, None)] for name in sets]
        told = " | ".join(f"{one['mean']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" for one in found)
        lines.append(f"| {system} | {told} |")
    removed = dict.fromkeys(row["without times"] for row in result["rows"] if row["part"] == "missing")
    curves = dict.fromkeys(row["system"] for row in result["rows"] if row["part"] == "missing")
    for name in sets:
        for system in curves:
            told = " | ".join(f"{by[('missing', name, system, share)]['mean']:.3f}" for share in removed)
            lines.append(f"| {name} | {system} | {told} |")
    return lines


def re3_latency_lines(result: dict[str, Any]) -> list[str]:
    names = ("gate", "Re3 parity", "Re3 improved", "gate + Re3")
    return [
        f"| {row['candidates']:,} | {' | '.join(format(row[name + ' p50 ms'], '.1f') for name in names)} |"
        for row in result["rows"]
    ]


def re3_times_lines(result: dict[str, Any]) -> list[str]:
    texts = ("Rel-question", "Rel-clue", "Hyb-question", "Hyb-clue")
    by = {(row["what"], row["texts of"]): row["exact"] for row in result["rows"]}
    return [
        f"| {what} | {' | '.join(f'{by[(what, name)]:.3f}' for name in texts)} |"
        for what in dict.fromkeys(row["what"] for row in result["rows"])
    ]


def ctd_search_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['records']:,} | {row['questions']} | {row['inner product ms a question']:.2f} "
        f"| {row['with the bias ms a question']:.2f} | {row['ratio']:.2f} |"
        for row in result["rows"]
    ]


def ctd_retrieval_lines(result: dict[str, Any]) -> list[str]:
    whole = [row for row in result["rows"] if row["questions"] == "all"]
    by = {(row["model"], row["search"], row["mode"]): row["hit@1"] for row in whole}
    lines = []
    for model, search in dict.fromkeys(key[:2] for key in by):
        found = [by[(model, search, mode)] for mode in ("neg1_ne1_dq0", "neg1_ne0_dq1")]
        told = " | ".join(f"{one['mean']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" for one in found)
        lines.append(f"| {model} | {search} | {told} |")
    trained = {row["model"]: row for row in result["runs"]}
    ours = list(trained.values())[-1]
    lines.append(
        f"{ours['steps']:,} steps in {ours['seconds']:.0f} s with {ours['peak_memory_bytes'] / 1e9:.1f} GB on the GPU"
    )
    parts = [row for row in result["ablation"] if row["mode"] == "neg1_ne1_dq0"]
    apart = max(abs(row["seeds"][0]["hit@1"] - row["seeds"][1]["hit@1"]) for row in parts)
    told = "FT {:.3f}, with all positives {:.3f}, then with bias {:.3f}, context {:.3f} or both {:.3f}; "
    lines.append(
        told.format(*(row["hit@1"] for row in parts)) + f"two seeds of the same parts are up to {apart:.3f} apart"
    )
    return lines


def ctd_ablation_lines(result: dict[str, Any]) -> list[str]:
    """The rows of the page on CTD, without the figures of the paper that stand after them."""
    names = {
        (): "FT",
        ("multi_positive",): "+ multi-positive",
        ("multi_positive", "heads", "bias"): "+ relative bias",
        ("multi_positive", "heads", "context"): "+ absolute context",
        ("multi_positive", "heads", "bias", "context"): "full",
    }
    by = {(tuple(row["parts"]), row["mode"]): row for row in result["ablation"]}
    lines = []
    for parts, name in names.items():
        cells = [name]
        for mode in ("neg1_ne1_dq0", "neg1_ne0_dq1"):
            row = by[(parts, mode)]
            told = [one["hit@1"] for one in row["against"] if not one["parts"]]
            cells += [
                f"{_short(row['hit@1'])} ({', '.join(_short(one['hit@1']) for one in row['seeds'])})",
                "".join(f"{_short(one['mean'])} [{_short(one['low'])}, {_short(one['high'])}]" for one in told),
                _short(row["MRR@10"]),
            ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def ctd_mode_lines(result: dict[str, Any]) -> list[str]:
    """The same of the modes of the protocol: hit@1, hit@10 and MRR@10 of each model with its context."""
    by = {
        (row["mode"], row["model"]): " / ".join(_short(row[name]["mean"]) for name in ("hit@1", "hit@10", "MRR@10"))
        for row in result["modes"]
        if row["questions"] == "all" and row["search"] == "ctx"
    }
    modes = dict.fromkeys(mode for mode, _ in by)
    return [f"| {mode} | {by[(mode, 'official-2')]} | {by[(mode, 'improved-time3')]} |" for mode in modes]


def ctd_second_line(result: dict[str, Any]) -> str:
    """How the second trained model compares with the first, as the page on CTD says."""
    by = {
        (row["mode"], row["model"], name): f"{row[name]['mean']:.3f}"[1:]
        for row in result["rows"]
        for name in ("hit@1", "hit@10", "MRR@10")
        if row["questions"] == "all" and row["search"] == "ctx"
    }
    events, headline = (
        [f"{by[(mode, 'improved-time3', name)]} against {by[(mode, 'improved', name)]}" for name in names]
        for mode, names in (("neg1_ne0_dq1", ("hit@1", "MRR@10", "hit@10")), ("neg1_ne1_dq0", ("hit@1", "MRR@10")))
    )
    bounds = {
        row["mode"]: f"[{_short(-row['high'])}, {_short(-row['low'])}]"
        for row in result["differences"]
        if row["against"] == "improved-time3"
    }
    return (
        f"With placeholders it is better: hit@1 {headline[0]}, a difference within {bounds['neg1_ne1_dq0']}, and "
        f"MRR@10 {headline[1]}. On events alone it is not: hit@1 {events[0]}, within {bounds['neg1_ne0_dq1']}, and "
        f"MRR@10 {events[1]}; but among the first ten it has more, {events[2]}."
    )


def annals_encoder_lines(result: dict[str, Any]) -> list[str]:
    masked, spans, small = result["rows"]
    return [
        f"| {row['what']} | {row['steps']:,} | {row['seconds']:.0f} | {row['tokens_per_second']:,.0f} "
        f"| {row['peak_memory_bytes'] / 1e9:.1f} | {row['best']['loss']:.3f} |"
        for row in (masked, spans)
    ] + [
        f"{small['bytes'] / 1e6:.1f} MB, a mean cosine of {small['mean cosine to float32']:.4f} and a least one of "
        f"{small['least cosine to float32']:.4f} to float32 over {small['compared']} records"
    ]


def ctd_combination_lines(result: dict[str, Any]) -> list[str]:
    modes = {"neg1_ne0_dq1": "events alone", "neg1_ne1_dq0": "with placeholders"}
    times = {"none": "each record alone", "carried": "in sequence"}
    lines = [
        f"| {modes[row['mode']]} | {times[row['times']]} | {row['system']} | {row['questions']:,} "
        f"| {_bounded(row['hit@1'])} | {row['MRR@10']['mean']:.3f} |"
        for row in result["rows"]
        if row["answers state"] == "any"
    ]
    silent = [
        row["hit@1"]["mean"]
        for row in result["rows"]
        if row["times"] == "carried" and row["answers state"] == "nothing" and row["system"] in ("gate", "gate+ctd")
    ]
    told = "the default scorer alone finds {:.3f} of them, both together {:.3f}; with placeholders {:.3f} and {:.3f}."
    return [*lines, told.format(*silent)]


def _bounded(value: dict[str, float]) -> str:
    return f"{value['mean']:.3f} [{value['low']:.3f}, {value['high']:.3f}]"


def _short(value: float) -> str:
    """Four places, as the papers write shares: .4718, -.0009."""
    return f"{value:.4f}".replace("0.", ".", 1)


def re3_backbone_lines(result: dict[str, Any]) -> list[str]:
    """The table of docs/re3.md: hit@1 and MRR of the two models over each encoder, by set."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for row in result["rows"]:
        if row["part"] == "backbones":
            told = f"{row['hit@1']['mean']:.3f} / {row['MRR']['mean']:.3f}"
            found.setdefault((row["encoder"].removeprefix("st:"), row["system"]), {})[row["set"]] = told
    return [f"| {own} | {model} | {by['rel']} | {by['rec']} | {by['hyb']} |" for (own, model), by in found.items()]
