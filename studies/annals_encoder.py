"""How was the encoder for classical Chinese trained, and what is left of it in eight bits?

    python studies/annals_encoder.py --model FOLDER --records CHUNQIUTR

FOLDER is what `epochal train annals-encoder -o FOLDER` wrote; its runs are reported as they are. CHUNQIUTR is a folder
of `epochal bench build chunqiutr`, whose records are encoded in eight bits and in float32.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from _record import save, skip

SEED = 7
COMPARED, TIMED = 300, 600
#: What of a training run goes into the result.
RUN = (
    "steps",
    "epochs",
    "best",
    "seconds",
    "tokens_per_second",
    "peak_memory_bytes",
    "device",
    "torch",
    "stopped",
)


def read_run(path: Path, what: str) -> dict[str, Any]:
    run = json.loads(path.read_text(encoding="utf-8"))
    message = {name: run[name] for name in RUN}
    settings = run["settings"]
    return {
        "what": what,
        "rate": settings["rate"],
        "batch": settings["batch_size"],
        "seed": settings["seed"],
        **message,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--records", type=Path)
    arguments = parser.parse_args()
    if arguments.model is None or arguments.records is None:
        skip("give the folder of a trained model with --model, and of ChunQiuTR with --records")

    from epochal.encoders.external import AnnalsEncoder
    from epochal_lab.models.annals.export import export_onnx

    lines = (arguments.records / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in random.Random(SEED).sample(lines, COMPARED + TIMED)]
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small"
        result = export_onnx(arguments.model, small, texts=texts[:COMPARED])
        encoder = AnnalsEncoder(small)
        encoder.encode_documents(texts[:32])
        begun = time.perf_counter()
        encoder.encode_documents(texts[COMPARED:])
        took = time.perf_counter() - begun
    rows = [
        read_run(arguments.model / "masked_run.json", "covered characters"),
        read_run(arguments.model / "spans_run.json", "spans of one passage"),
        {
            "what": "in eight bits",
            "bytes": result.size,
            "mean cosine to float32": result.mean_cosine,
            "least cosine to float32": result.least_cosine,
            "compared": COMPARED,
            "texts/s": round(TIMED / took, 1),
            "mean characters": round(sum(map(len, texts[COMPARED:])) / TIMED, 1),
        },
    ]
    save(
        "annals_encoder",
        "How was the encoder for classical Chinese trained, and what is left of it in eight bits?",
        "passages of the layers of the Spring and Autumn Annals, the Zizhi Tongjian and base texts, without what "
        "shares eight characters with a held-out record; compared and timed on records of ChunQiuTR",
        SEED,
        rows,
    )


if __name__ == "__main__":
    main()
