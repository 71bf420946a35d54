"""How the service bears up: the lines of the README, from the results of benchmarks."""

from __future__ import annotations

from typing import Any


def service_fuzz_lines(result: dict[str, Any]) -> list[str]:
    operations = {row["operation"] for row in result["rows"]}
    return [
        f"{result['calls']:,} generated requests to {len(operations)} operations: {result['server_faults']} server "
        f"faults, {result['failed']} that did not keep to the description."
    ]


def service_load_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    for row in result["rows"]:
        if "answers a second" in row:
            lines.append(
                f"| {row['what']} | {row['connections']} | {row['answers']:,} | {row['answers a second']:.0f} "
                f"| {row['p50 ms']:.0f} / {row['p95 ms']:.0f} / {row['p99 ms']:.0f} | {row['failed']} "
                f"| {row['memory MB, first third']:.0f} to {row['memory MB, last third']:.0f} |"
            )
        else:
            lines.append(
                f"One question after another takes {row['library p50 ms']:.2f} ms by the library and "
                f"{row['http p50 ms']:.2f} ms over HTTP at the median: {row['difference at p50 ms']:.2f} ms more."
            )
    return lines


def page_paint_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['page']} | {row['first paint ms']} | {row['readable ms']} | {row['slowest readable ms']} "
        f"| {row['kB']:.0f} |"
        for row in result["rows"]
    ]
