"""What does finding the spans that overlap a 0.1 % window among 10 million cost, beside a full scan?

    python studies/span_lookup.py

Makes the table of the span lookup in docs/results/speed.md.
"""

from __future__ import annotations

import time

import numpy as np
from _record import save, time_in_turns

from epochal.times import Span
from epochal.times.spanset import SpanLookup

SEED = 7
COUNT = 10_000_000
AXIS = Span.parse("0001/2029")


def main() -> None:
    rng = np.random.default_rng(SEED)
    rows = []
    for name, longest in (("days", 0.0), ("days to years", 5.9), ("days to centuries", 10.5)):
        starts = rng.integers(AXIS.start, AXIS.end, COUNT)
        ends = starts + (86_400 * np.exp(rng.uniform(0, longest, COUNT))).astype(np.int64)
        began = time.perf_counter()
        lookup = SpanLookup(starts, ends)
        build = time.perf_counter() - began
        width = AXIS.seconds // 1000
        low = int(AXIS.start + 0.7 * AXIS.seconds)
        high = low + width
        expected = np.flatnonzero((starts < high) & (ends > low))
        if not np.array_equal(np.sort(lookup.overlapping(low, high)), expected):
            raise SystemExit("the lookup and the scan disagree")
        seconds = time_in_turns(
            {
                "comparison": lambda low=low, high=high, starts=starts, ends=ends: (starts < high) & (ends > low),
                "scan": lambda low=low, high=high, starts=starts, ends=ends: np.flatnonzero(
                    (starts < high) & (ends > low)
                ),
                "lookup": lambda low=low, high=high, lookup=lookup: lookup.overlapping(low, high),
            },
            rounds=15,
        )
        rows.append(
            {
                "lengths": name,
                "found": len(expected),
                "build s": round(build, 2),
                "comparison ms": round(1000 * seconds["comparison"], 2),
                "scan ms": round(1000 * seconds["scan"], 2),
                "lookup ms": round(1000 * seconds["lookup"], 3),
                "scan / lookup": round(seconds["scan"] / seconds["lookup"], 1),
                "comparison / lookup": round(seconds["comparison"] / seconds["lookup"], 1),
            }
        )
        del lookup
    save(
        "span_lookup",
        "finding the spans that overlap a 0.1 % window among 10,000,000 / a full numpy scan for them",
        "uniform random starts over the years 1 to 2029; lengths log-uniform from a day up to the length named",
        SEED,
        rows,
    )


if __name__ == "__main__":
    main()
