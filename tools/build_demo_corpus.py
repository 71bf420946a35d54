"""Choose the corpus of `epochal demo`: packages/epochal/src/epochal/cli/demo_data/events.jsonl.

Run it as `python tools/build_demo_corpus.py EVENTS`, where EVENTS is a gzipped file of JSON Lines with the items of
Wikipedia's Portal:Current events: `date`, `category` and `text` each. Four topics are taken whole, apart from very
short and very long items, and apart from five months of which nothing is taken, so that the demo can show what a
search says of a time that holds nothing. The same items give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "packages" / "epochal" / "src" / "epochal" / "cli" / "demo_data" / "events.jsonl"

#: The topics, by words that their items have.
TOPICS = {
    "space": r"\bNASA\b|[Ss]pacecraft|[Ss]pace [Ss]tation|[Ss]pace [Ss]huttle|[Aa]stronaut|[Cc]osmonaut|\bSpaceX\b|"
    r"\b[Ll]unar (?:orbit|lander|probe|mission)|[Ee]xoplanet|\bMars (?:[Rr]over|[Oo]rbiter|[Ll]ander)",
    "earth": r"[Ee]arthquake.*\b[Mm]agnitude|\b[Mm]agnitude.*[Ee]arthquake|[Vv]olcan|[Tt]sunami",
    "nobel": r"\bNobel\b.*\b[Pp]rize\b",
    "pope": r"\bPope (?:John Paul|Benedict|Francis|Leo)|\b[Pp]apal conclave",
}
#: Months of which nothing is taken.
LEFT_OUT = ("2014-05", "2014-06", "2014-07", "2014-08", "2014-09")
SHORTEST, LONGEST = 60, 320

# The newspapers that an item names at its end, "(AP via Yahoo!) (BBC)"; addresses, and notes that one is dead.
_SOURCES = re.compile(r"(?:\s*[(\[][^()\[\]]{1,160}[)\]][.,;]?)+\s*$")
_ADDRESS = re.compile(r"\s*\[?https?://\S+\]?|\s*\(Link dead as of [^()]*\(UTC\)\)")
# What wiki markup left behind: such items are passed over.
_MARKUP = re.compile(r"[{}|<>]|\[\[|\]\]|''|==")


def chosen(items: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of the corpus, from the items in their order."""
    topics = {name: re.compile(pattern) for name, pattern in TOPICS.items()}
    seen: set[str] = set()
    counts: Counter[str] = Counter()
    for item in items:
        if item["date"][:7] in LEFT_OUT or not any(pattern.search(item["text"]) for pattern in topics.values()):
            continue
        text = _SOURCES.sub("", _ADDRESS.sub("", item["text"])).strip()
        topic = next((name for name, pattern in topics.items() if pattern.search(text)), None)
        if topic is None or _MARKUP.search(text) or text in seen:
            continue
        if SHORTEST <= len(text) <= LONGEST:
            seen.add(text)
            counts[item["date"]] += 1
            name = f"{item['date']}-{counts[item['date']]}"
            yield {"id": name, "text": text, "published": item["date"], "topic": topic}


def main() -> None:
    """Read the items, write the corpus, and say how many rows of each topic it has."""
    parser = argparse.ArgumentParser(description="Choose the corpus of `epochal demo`.")
    parser.add_argument("events", type=Path, help="gzipped JSON Lines with date, category and text")
    with gzip.open(parser.parse_args().events, "rt", encoding="utf-8") as lines:
        rows = list(chosen(json.loads(line) for line in lines))
    TARGET.write_bytes(b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows))
    topics = ", ".join(f"{name} {count:,}" for name, count in Counter(row["topic"] for row in rows).items())
    print(f"{TARGET}: {len(rows):,} rows ({topics}), {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
