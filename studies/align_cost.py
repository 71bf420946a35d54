"""What does `align` of one query span against a million document spans cost, beside a bare comparison of the arrays?

    python studies/align_cost.py

Makes the table of `align` in docs/results/speed.md. The rival is numpy's own `(starts < end) & (ends > start)`: the
least that any scan must do.
"""

from __future__ import annotations

import numpy as np
from _record import save, time_in_turns

from epochal.times import Grain, Span, SpanSet, align

SEED = 7
COUNT = 1_000_000
GRAINS = np.array([Grain.DAY, Grain.MONTH, Grain.YEAR], dtype=np.int8)
CORPORA = {"130 years": ("1900", "2029"), "1,000 years": ("1030", "2029"), "20 years": ("2010", "2029")}
QUESTIONS = ("2014-03-05", "2014-03", "2014", "2014/2016", "201X", "1990/..")


def make_corpus(first: str, last: str) -> SpanSet:
    """Spans spread evenly: days, months and years, and ranges of up to three of them."""
    rng = np.random.default_rng(SEED)
    starts = rng.integers(Span.parse(first).start, Span.parse(last).end, COUNT)
    grains = GRAINS[rng.integers(0, 3, COUNT)]
    units = np.array([Grain(code).seconds for code in range(14)])[grains]
    return SpanSet(starts, starts + units * rng.integers(1, 4, COUNT), grains=grains)


def main() -> None:
    rows = []
    for name, (first, last) in CORPORA.items():
        docs = make_corpus(first, last)
        starts, ends = docs.starts, docs.ends
        for text in QUESTIONS:
            query = Span.parse(text)
            low, high = query.start, query.end
            seconds = time_in_turns(
                {
                    "numpy": lambda low=low, high=high, starts=starts, ends=ends: (starts < high) & (ends > low),
                    "align": lambda query=query, docs=docs: align(query, docs),
                },
                rounds=41,
            )
            rows.append(
                {
                    "corpus": name,
                    "question": text,
                    "share of documents above 0": round(float((align(query, docs) > 0).mean()), 4),
                    "numpy ms": round(1000 * seconds["numpy"], 3),
                    "align ms": round(1000 * seconds["align"], 3),
                    "ratio": round(seconds["align"] / seconds["numpy"], 2),
                }
            )
    ratios = [row["ratio"] for row in rows]
    save(
        "align_cost",
        "align of one question against 1,000,000 spans / a bare numpy comparison of starts and ends",
        "uniform random starts; days, months, years and ranges of 1 to 3; index built beforehand",
        SEED,
        rows,
        **{"median ratio": round(float(np.median(ratios)), 2), "worst ratio": max(ratios)},
    )


if __name__ == "__main__":
    main()
