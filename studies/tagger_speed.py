"""How fast is the tagger beside dateparser and Microsoft's recognizers on the same documents, and is it linear?

    python studies/tagger_speed.py                  writes the result; some minutes, most of them the rivals'
    python studies/tagger_speed.py --only-ours      only our own speed and linearity; writes nothing

Makes the table of tagging speed in docs/results/reading.md. Reads timex from EPOCHAL_DATA.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

from _data import find_data
from _record import Row, save, skip

from epochal.reading.timeml import TimemlDocument, read_timeml
from epochal.times import Span

SEED = 7
#: How many documents of each folder, evenly spaced, and how long they may be: recognizers slow down on long ones.
SAMPLE = {"tbaq": 16, "wikiwars-train": 6, "tweets-train": 60}
LONGEST = 3_000
#: How often each is timed over all documents.
ROUNDS = {"epochal": 7, "dateparser": 3, "recognizers": 3}
Text = tuple[str, Span | None]
Tagger = Callable[[str, Span | None], list[Any]]


def read_documents(folder: str) -> list[TimemlDocument[bytes]]:
    path = find_data(f"timex/{folder}")
    files = sorted(path.glob("*.tml"))
    if not files:
        skip(f"{path} has no .tml files")
    return [read_timeml(file.read_bytes()) for file in files]


def sample_texts() -> list[Text]:
    """A few documents of each folder, long ones truncated at the end of a line or word."""
    texts = []
    for folder, count in SAMPLE.items():
        documents = read_documents(folder)
        for document in documents[:: max(1, len(documents) // count)][:count]:
            text = document.text
            if len(text) > LONGEST:
                text = text[:LONGEST].rpartition("\n" if "\n" in text[LONGEST // 2 : LONGEST] else " ")[0]
            texts.append((text, document.dct))
    return texts


def get_size(texts: list[Text]) -> float:
    """Kilobytes (1,000 bytes of UTF-8)."""
    return sum(len(text.encode()) for text, _ in texts) / 1000


def load_epochal() -> Tagger:
    from epochal.reading.tagger import tag

    return lambda text, now: tag(text, now=now)


def load_dateparser() -> Tagger:
    from dateparser.search import search_dates

    return lambda text, _: search_dates(text, languages=["en"]) or []


def load_recognizers() -> Tagger:
    from recognizers_date_time import Culture, recognize_datetime

    return lambda text, _: recognize_datetime(text, Culture.English)


def time_tagger(call: Tagger, texts: list[Text]) -> tuple[float, int]:
    """Seconds of the processor, which other programs on the machine do not lengthen, and how many were found."""
    began = time.process_time()
    result = sum(len(call(text, now)) for text, now in texts)
    return time.process_time() - began, result


def compare_speed(calls: dict[str, Tagger], texts: list[Text]) -> list[Row]:
    """The taggers take turns, so that a change in the machine's speed affects all alike."""
    for call in calls.values():
        time_tagger(call, texts[-5:])  # warm
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    counts: dict[str, int] = {}
    for turn in range(max(ROUNDS[name] for name in calls)):
        for name, call in calls.items():
            if turn < ROUNDS[name]:
                spent, counts[name] = time_tagger(call, texts)
                seconds[name].append(spent)
    return [
        {
            "tagger": name,
            "rounds": len(spent),
            "seconds": round(statistics.median(spent), 4),
            "KB/s": round(get_size(texts) / statistics.median(spent), 2),
            "found": counts[name],
        }
        for name, spent in seconds.items()
    ]


def measure_linearity(rounds: int = 5) -> Row:
    """Seconds for a text of 1 MB and for that text ten times over, and their ratio; the best of so many rounds."""
    parts = [document.text for folder in SAMPLE for document in read_documents(folder)]
    random.Random(SEED).shuffle(parts)
    now = read_documents("tbaq")[0].dct
    one = "".join(parts)
    one = (one * (1 + 1_000_000 // len(one)))[:1_000_000]
    call = load_epochal()
    spent: dict[int, list[float]] = {1: [], 10: []}
    for _ in range(rounds):
        for times, seconds in spent.items():
            seconds.append(time_tagger(call, [(one * times, now)])[0])
    small, large = min(spent[1]), min(spent[10])
    return {"1 MB s": round(small, 3), "10 MB s": round(large, 3), "10 MB / 1 MB": round(large / small, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only-ours", action="store_true", help="leave the rivals out and write nothing")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", category=DeprecationWarning)  # dateparser's and recognizers', not ours
    texts = sample_texts()
    if arguments.only_ours:
        print(compare_speed({"epochal": load_epochal()}, texts), measure_linearity(), sep="\n")
        return
    rows = compare_speed(
        {"epochal": load_epochal(), "dateparser": load_dateparser(), "recognizers": load_recognizers()}, texts
    )
    speed = {row["tagger"]: row["KB/s"] for row in rows}
    save(
        "tagger_speed",
        "KB/s of the tagger / dateparser.search.search_dates (languages=['en']) / recognizers-text-suite (English), "
        "CPU time, same documents, in turns; and the time of 10 MB / that of 1 MB",
        f"{len(texts)} documents of timex ({SAMPLE}), {get_size(texts):.1f} KB, each at most {LONGEST} "
        "characters; linearity on a million characters of the three folders, and ten times those",
        SEED,
        rows,
        **{
            "times dateparser": round(speed["epochal"] / speed["dateparser"], 1),
            "times recognizers": round(speed["epochal"] / speed["recognizers"], 1),
            "linearity": measure_linearity(),
        },
    )


if __name__ == "__main__":
    main()
