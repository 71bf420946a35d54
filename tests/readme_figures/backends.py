"""What more than one machine gives: the lines of the README, from the results of benchmarks."""

from __future__ import annotations

from typing import Any


def backend_parity_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    for row in result["rows"]:
        if "in the order of the shards" in row["system"]:
            continue
        if "named as missing" in row:
            lines.append(
                f"| {row['set']} | {row['system']} | {row['questions']} | – | – | – | {row['p50 ms']:.0f} / "
                f"{row['p95 ms']:.0f} |"
            )
        else:
            lines.append(
                f"| {row['set']} | {row['system']} | {row['questions']} | {row['same hits up to ties']} "
                f"| {row['same BM25 ranking up to ties']} | {row['most BM25 apart']:.0g} | {row['p50 ms']:.0f} / "
                f"{row['p95 ms']:.0f} |"
            )
    return lines


def postgres_windows_lines(result: dict[str, Any]) -> list[str]:
    hnsw = "vectors: plain HNSW, ef_search 200, iterative_scan"
    shown = ("vectors: embedded", "vectors: PostgreSQL", f"{hnsw} off", f"{hnsw} relaxed_order", "words: PostgreSQL")
    return [
        f"| {100 * row['window keeps']:g} % | {row['what']} | {row['recall@50']:.3f} | {row['p50 ms']:.1f} |"
        for row in result["rows"]
        if row["what"] in shown
    ]


def ray_ingest_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['encoder']} | {row['documents']:,} | {row['workers']} | {row['documents/s']:,.0f} "
        f"| {_number(row, 'speed-up over none')} | {_number(row, 'efficiency')} | {row.get('bound by', '–')} |"
        for row in result["rows"]
    ]


def scale_model_lines(result: dict[str, Any]) -> list[str]:
    last = result["rows"][-1]
    return [
        f"{last['documents']:,} documents would take {last['shards']:,} shards of {last['documents a shard']:,} and "
        f"answer in {last['p50 ms']:.0f} ms at the median and {last['p95 ms']:.0f} ms at the 95th percentile."
    ]


def _number(row: dict[str, Any], name: str) -> str:
    return f"{row[name]:.2f}" if name in row else "–"
