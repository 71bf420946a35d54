"""Files of a trained model: a transformers folder, and int8 ONNX for `epochal.encoders.external`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from epochal.encoders.base import Vectors, unit_rows
from epochal.encoders.external import MODEL, TOKENIZER, AnnalsEncoder
from epochal.errors import EpochalError, InputError
from epochal_lab.models.annals.vocabulary import Vocabulary
from epochal_lab.models.bert_graph import build_bert_graph
from epochal_lab.models.training.checkpoint import write_json

#: The maximum size of a file of weights, in the notation of transformers.
SHARD: Final = "14MB"

#: The default texts for comparing int8 with float32.
SAMPLE: Final = (
    "元年春，王正月。",
    "夏五月，鄭伯克段于鄢。",
    "秋七月，天王使宰咺來歸惠公、仲子之賵。",
    "冬，大雨雪，公會齊侯于城濮，楚師敗績，晉侯使來告。",
    "在魯隱公元年正月發生了什麼事？",
)


def save_model(folder: Path, model: Any, vocabulary: Vocabulary, *, half: bool = False, shard: str = SHARD) -> None:
    """Write a masked language model with its tokenizer; `half` in half precision."""
    kind = torch.float16 if half else torch.float32
    state: dict[str, torch.Tensor] = {}
    seen: set[int] = set()
    for name, tensor in model.state_dict().items():
        if tensor.data_ptr() not in seen:  # the output layer is tied to the embeddings, and again when it is loaded
            seen.add(tensor.data_ptr())
            state[name] = tensor.detach().cpu().to(kind)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        vocabulary.save(folder, model.config.max_position_embeddings)
        config = model.config
        before, config.dtype = config.dtype, kind
        model.save_pretrained(folder, state_dict=state, max_shard_size=shard)
        config.dtype = before
    except OSError as error:
        raise EpochalError(f"cannot write the model to {folder}: {error.strerror or error}") from error
    write_json(folder / "backbone.json", {"pooling": "mean", "max_length": config.max_position_embeddings})


def load_model(folder: Path) -> tuple[Any, Vocabulary]:
    """Load the masked language model of a folder in float32, and its vocabulary."""
    from transformers import BertForMaskedLM

    if not (folder / "config.json").is_file() or not (folder / "vocab.txt").is_file():
        raise InputError(str(folder), 0, "there is no model here; accepted: a folder with config.json and vocab.txt")
    vocabulary = Vocabulary.load(folder)
    try:
        model: Any = BertForMaskedLM.from_pretrained(folder, local_files_only=True, use_safetensors=True).float()
    except (OSError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(str(folder), 0, f"cannot be loaded by transformers: {reason}") from error
    if model.config.vocab_size != len(vocabulary):
        problem = f"the model knows {model.config.vocab_size} tokens and vocab.txt lists {len(vocabulary)}"
        raise InputError(str(folder), 0, problem)
    return model, vocabulary


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What was written: the size in bytes, and the cosines of its vectors to those of float32."""

    version: str
    size: int
    mean_cosine: float
    least_cosine: float


def export_onnx(source: Path, folder: Path, *, texts: Sequence[str] = SAMPLE, least: float = 0.98) -> ExportResult:
    """Write the model of a transformers folder in int8, with its tokenizer and a card.

    Nothing is written if the vector of any text has a cosine below `least` to that of float32.
    """
    model, vocabulary = load_model(source)
    model.eval()
    weights = {name: tensor.detach().float().numpy() for name, tensor in model.bert.state_dict().items()}
    graph = build_bert_graph(weights, model.config.num_attention_heads)
    positions = int(model.config.max_position_embeddings)
    tokens = vocabulary.tokenizer().to_str().encode()
    version = hashlib.sha256(graph + tokens).hexdigest()[:8]
    card: dict[str, Any] = {"version": version, "dim": int(model.config.hidden_size), "max_tokens": positions}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MODEL).write_bytes(graph)
        (folder / TOKENIZER).write_bytes(tokens)
        _write(folder, card)
    except OSError as error:
        raise EpochalError(f"cannot write the model to {folder}: {error.strerror}") from error
    cosines = (encode_exactly(model, vocabulary.tokenizer(positions), texts) * _encode(folder, texts)).sum(axis=1)
    if cosines.min() < least:
        for name in (MODEL, TOKENIZER, "card.json"):
            (folder / name).unlink()
        worst = texts[int(cosines.argmin())]
        raise EpochalError(
            f"in eight bits the vector of {worst[:40]!r} has a cosine of {cosines.min():.4f} to that of float32; "
            f"accepted: at least {least}"
        )
    result = ExportResult(version, len(graph), round(float(cosines.mean()), 4), round(float(cosines.min()), 4))
    compared = {"texts": len(texts), "mean": result.mean_cosine, "least": result.least_cosine}
    _write(folder, {**card, "weights": "8 bits, a scale for each column", "cosine to float32": compared})
    return result


def encode_exactly(model: Any, tokenizer: Any, texts: Sequence[str]) -> Vectors:
    """Return the vectors of texts by the model in float32, one text at a time: the normalised mean over tokens."""
    rows = []
    with torch.no_grad():
        for text in texts:
            ids = torch.tensor([tokenizer.encode(text).ids])
            rows.append(model.bert(input_ids=ids).last_hidden_state[0].mean(dim=0).numpy())
    return unit_rows(np.array(rows))


def _encode(folder: Path, texts: Sequence[str]) -> Vectors:
    return AnnalsEncoder(folder, threads=1).encode_documents(list(texts))


def _write(folder: Path, card: dict[str, Any]) -> None:
    (folder / "card.json").write_text(f"{json.dumps(card, indent=2, ensure_ascii=False)}\n", encoding="utf-8")
