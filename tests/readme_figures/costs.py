"""What things cost: the lines of the README, from the results of benchmarks."""

from __future__ import annotations

from typing import Any


def align_cost_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    for corpus in ("20 years", "130 years", "1,000 years"):
        found = [row for row in result["rows"] if row["corpus"] == corpus]
        cells = []
        for key in ("numpy ms", "align ms", "ratio"):
            values = [row[key] for row in found]
            cells.append(f"{min(values):.1f} to {max(values):.1f}")
        lines.append(f"| {corpus} | {' | '.join(cells)} |")
    return [*lines, f"is {result['median ratio']}, the worst {result['worst ratio']}."]


def span_lookup_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['lengths']} | {row['found']:,} | {row['scan ms']:.1f} | {row['lookup ms']:.2f} "
        f"| {row['scan / lookup']:.0f} | {row['build s']:.1f} |"
        for row in result["rows"]
    ]


def import_time_lines(result: dict[str, Any]) -> list[str]:
    spent = {row["statement"]: row["s beyond the interpreter"] for row in result["rows"]}
    return [
        f"`import epochal` {spent['import epochal']:.2f}, the first span {spent['first span']:.2f} (importing numpy "
        f"alone takes {spent['import numpy']:.2f}), the first regnal date {spent['first regnal date']:.2f}."
    ]


def tagger_speed_lines(result: dict[str, Any]) -> list[str]:
    lines = [f"| {row['tagger']} | {row['KB/s']:,.1f} | {row['found']:,} |" for row in result["rows"]]
    even = result["linearity"]
    return [
        *lines,
        f"{result['times dateparser']:g} times dateparser and {result['times recognizers']:g} times recognizers",
        f"10 MB take {even['10 MB / 1 MB']:g} times as long as 1 MB",
    ]


def encoder_speed_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['encoder']} | {row['threads']} | {row['texts/s, best round']:,.0f} "
        f"| {row['texts/s, median round']:,.0f} |"
        for row in result["rows"]
    ]


def narrow_windows_lines(result: dict[str, Any]) -> list[str]:
    shown = ("vectors", "vectors: faiss IVF, selected inside", "words", "strict search")
    return [
        f"| {100 * row['window keeps']:g} % | {row['what']} | {row['recall@50']:.3f} | {row['p50 ms']:.1f} |"
        for row in result["rows"]
        if row.get("what") in shown
    ]


def search_cost_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['what']} | {row['questions']} | {row['temporal p50 ms']:.1f} | {row['plain p50 ms']:.1f} "
        f"| {row['ratio p50']:.2f} |"
        for row in result["rows"]
        if "ratio p50" in row
    ]


def ingest_cost_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['encoder']} | {row['documents']:,} | {row['with times documents/s']:,} "
        f"| {row['without times documents/s']:,} | {row['ratio']:.2f} |"
        for row in result["rows"]
        if "ratio" in row
    ]


def growth_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['documents']:,} | {row['index s']:.0f} | {row['disk MB']:.0f} | {row['search memory MB']:.0f} "
        f"| {row['open ms']:.0f} | {row['temporal p50 ms']:.1f} | {row['plain p50 ms']:.1f} |"
        for row in result["rows"]
        if "disk MB" in row
    ]


def nested_search_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    kinds = ("quality", "vectors"), ("quality", "engine"), ("latency", None)
    by = {
        (row.get("encoder"), *kind, row.get("set", row.get("vectors")), row["dims"], row["shortlist"]): row
        for row in result["rows"]
        for kind in kinds
        if (row["part"], row.get("what")) == kind
    }
    first = next(iter(result["encoders"]))
    room = {
        (row["encoder"], row["set"], row["dims"]): row["disk MB"] for row in result["rows"] if row["part"] == "storage"
    }
    for own in result["encoders"]:
        asked = {key[-2:] for key in by if key[0] == own}
        for dims, shortlist in sorted(asked, key=lambda way: (way[1] is not None, -way[0], -(way[1] or 0))):
            found = [by.get((own, *kind, name, dims, shortlist)) for kind in kinds[:2] for name in ("tnp", "scifact")]
            cells = ["–" if row is None else f"{row['nDCG@10']:.3f}" for row in found]
            if own == first:
                cells.append(f"{room[own, 'scifact', dims]:.1f}" if shortlist is None else "–")
                sizes = (100_000, 1_000_000)
                cells += [f"{by[None, 'latency', None, size, dims, shortlist]['p50 ms']:.1f}" for size in sizes]
            else:
                cells += ["–"] * 3
            way = f"{dims}{'' if shortlist is None else f', then {shortlist} by all'}"
            lines.append(f"| {own} | {way} | {' | '.join(cells)} |")
    return lines
