"""How well text and questions are read: the lines of the README, from the results of benchmarks."""

from __future__ import annotations

from typing import Any

from epochal.bench.metrics.texts import TAG_MEASURES

#: What each folder of the quality benchmark is called, and the F1 that was aimed at.
FOLDERS: dict[str, tuple[str, dict[str, int]]] = {
    "tbaq": ("news", {"relaxed": 92, "strict": 87, "value": 82}),
    "wikiwars-train": ("history", {"relaxed": 94, "strict": 84}),
    "tweets-train": ("tweets", {"relaxed": 95, "strict": 92}),
}


def tagger_quality_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    short = []
    for row in result["rows"]:
        name, goals = FOLDERS[row["folder"]]
        whole = " | ".join(f"{row['F1'][measure]:.1f}" for measure in TAG_MEASURES)
        aimed = " / ".join(str(goals.get(measure, "–")) for measure in ("relaxed", "strict", "value"))
        gaps = " / ".join(f"{row['gap between folds'][measure]:.1f}" for measure in ("relaxed", "strict", "value"))
        lines.append(f"| {name} | {row['documents']:,} | {whole} | {aimed} | {gaps} |")
        short += [
            f"{name} {measure} ({row['F1'][measure]:.1f}, aimed at {goal})"
            for measure, goal in goals.items()
            if row["F1"][measure] < goal
        ]
    return [*lines, f"Short of what was aimed at: {', '.join(short) or 'none'}."]


def understanding_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    for row in result["rows"]:
        if "mean_class_distance" in row:
            lines.append(
                f"| recency | {row['system']} | {row['decision']} | {100 * row['accuracy']:.1f} "
                f"| {row['mean_class_distance']:.2f} |"
            )
        else:
            lines.append(f"| temporal class | {row['system']} | {row['learnt']} | {100 * row['accuracy']:.1f} | |")
    return lines


def chinese_reading_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    for row in result["rows"]:
        if "agree" in row:
            lines.append(f"| {row['what']} | {row['entries']:,} | {100 * row['agree']:.2f} |")
    (asked,) = (row for row in result["rows"] if "recall" in row)
    others = asked["called implicit but with a date"]
    return [
        *lines,
        f"recall {100 * asked['recall']:.1f} %, precision {100 * asked['precision']:.1f} %",
        f"{others['relative date']} have a relative date and {others['names a year']} name a year",
    ]


def judge_agreement_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    for row in result["rows"]:
        low, high = row["kappa interval"]
        area = f"{row['auroc']:.3f}" if "auroc" in row else "–"
        shown = f"{row['answers']:,} | {row['kappa']:.3f} | {low:.3f} to {high:.3f} | {area}"
        lines.append(f"| {row['set']} | {row['judge']} | {shown} |")
    return lines


def tempo_annotations_lines(result: dict[str, Any]) -> list[str]:
    lines = [
        f"| {row['id']} | {row['class']} | {row['periods with gold']} of {row['periods']} "
        f"| {row['gold of a required period']} of {row['gold']} "
        f"| {row['steps whose first hit is gold']} of {row['steps']} "
        f"| {row['gold by steps']} | {row['gold by the question']} |"
        for row in result["rows"]
        if row["part"] == "question"
    ]
    gold, periods = result["gold passages"], result["periods"]
    return [
        *lines,
        f"({result['questions with annotations']} of {result['questions']})",
        f"Of {gold} gold passages {result['gold passages that state a time']} state a time and "
        f"{result['gold passages of a required period']} speak of a required period",
        f"{result['periods with a gold passage']} of {periods} required periods have a gold passage",
        f"{result['years mentioned by the rules']} of the {result['years in passages']} years",
        f"{result['times of answers in a required period']} of {result['times of answers']} times in the gold answers",
    ]
