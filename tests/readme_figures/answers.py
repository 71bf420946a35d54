"""What answers hold, and what coverage gains: the lines of the README, from the results of benchmarks."""

from __future__ import annotations

from typing import Any


def answers_lines(result: dict[str, Any]) -> list[str]:
    annals = [
        f"| {row['measure']} | {row['what']} | {row['questions']:,} | {row['share']:.3f} | {row['of months']:.3f} |"
        for row in result["rows"]
        if row["part"] == "annals"
    ]
    coverage = [
        f"| {row['set']} | {row['periods']} | {row['questions']} "
        f"| {_gained(row, 'TC@10')} | {_gained(row, 'nDCG@10')} |"
        for row in result["rows"]
        if row["part"] == "coverage"
    ]
    return [*annals, *coverage]


def _gained(row: dict[str, Any], measure: str) -> str:
    mean, low, high = row[f"{measure} gain"]
    return f"{row[f'{measure} by score']:.3f} | {row[measure]:.3f} | {mean:+.3f} [{low:+.3f}, {high:+.3f}]"
