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
    return lines


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
