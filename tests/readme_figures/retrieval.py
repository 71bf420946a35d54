"""How well the right document is found: the lines of the README, from the results of benchmarks."""

from __future__ import annotations

from typing import Any


def temporal_retrieval_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['set']} | {row['what']} | {row['nDCG@10']:.3f} | {row['hit@1']:.3f} | {row['hit@10']:.3f} "
        f"| {row['R@10']:.3f} |"
        for row in result["rows"]
        if "nDCG@10" in row
    ]


def annals_retrieval_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['what']} | {row['queries of']} | {row['queries']:,} | {row['hit@1']:.3f} | {row['MRR@10']:.3f} |"
        for row in result["rows"]
        if "MRR@10" in row
    ]


def encoder_quality_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['encoder']} | {row['documents']:,} | {row['nDCG@10']:.3f} |"
        for row in result["rows"]
        if "nDCG@10" in row
    ] + [
        f"{row['texts']}: mean {row['mean cosine']:.4f}, least {row['least cosine']:.4f}"
        for row in result["rows"]
        if "mean cosine" in row
    ]


def made_sets_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['set']} | {row['what']} | {row['questions']} | {row['nDCG@10']:.3f} | {row['hit@1']:.3f} "
        f"| {row['silent']:.2f} | {row['wrongly silent']:.2f} |"
        for row in result["rows"]
    ]


def augmentation_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    for row in result["rows"]:
        wrong = sum(count for name, count in row.items() if name.startswith("wrong"))
        checked = row["relations checked by the other grammar"]
        lines.append(
            f"| {row['what']} | {row['statistics']['passages']:,} | {row['pairs']:,} | {row['duplicates']} "
            f"| {row['relations checked on spans']:,} | {checked:,} | {wrong} | {row['pairs a second']} |"
        )
    types, relations = (result["rows"][0]["statistics"][name] for name in ("types", "relations"))
    lines += [f"| {name} | {right:,} | {wrong:,} |" for name, (right, wrong) in {**types, **relations}.items()]
    return lines
