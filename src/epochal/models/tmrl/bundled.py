"""The MiniLM that ships with the package as a backbone to train: its weights restored from eight bits.

An adapter that is trained over these weights is trained over what it is merged into again when the encoder is loaded,
and nothing has to be fetched to train one.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch

from epochal.encoders.eight_bits import restored
from epochal.encoders.minilm import MAX_TOKENS
from epochal.encoders.onnx_file import Constant, constants
from epochal.encoders.packaged import data_file
from epochal.models.backbone import Backbone

__all__ = ["BUNDLED", "bundled_backbone"]

#: The name that stands for it where a folder is asked for.
BUNDLED: Final = "minilm"

_HEADS: Final = 12
_PACKED: Final = ("query", "key", "value")


def bundled_backbone(max_length: int = MAX_TOKENS) -> Backbone:
    """A backbone with the weights of the default encoder, pooled by the mean.

    >>> made = bundled_backbone()
    >>> made.width, made.pooling, made.max_length
    (384, 'mean', 256)
    """
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    known = constants(data_file("minilm", "model.int8.onnx").read_bytes())
    words = known["words"].array.astype(np.float32) * known["words.scale"].array
    positions = known["positions"].array
    layers = sum(name.endswith(".inner.weight") for name in known)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=words.shape[1],
        num_hidden_layers=layers,
        num_attention_heads=_HEADS,
        intermediate_size=known["0.inner.weight"].array.shape[1],
        max_position_embeddings=len(positions),
        type_vocab_size=1,
        pad_token_id=0,
    )
    state: dict[str, Any] = {
        "embeddings.word_embeddings.weight": words,
        "embeddings.position_embeddings.weight": positions,
        # The row of the only type of tokens was added to the positions when the file was written.
        "embeddings.token_type_embeddings.weight": np.zeros((1, words.shape[1]), np.float32),
        "embeddings.LayerNorm.weight": known["embeddings.gamma"].array,
        "embeddings.LayerNorm.bias": known["embeddings.beta"].array,
    }
    for number in range(layers):
        state |= _layer(known, number)
    model = BertModel(config, add_pooling_layer=False)
    model.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in state.items()})
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(data_file("minilm", "tokenizer.json")),
        model_max_length=len(positions),
        **{f"{name.lower()}_token": f"[{name}]" for name in ("PAD", "UNK", "CLS", "SEP", "MASK")},
    )
    return Backbone(model, tokenizer, "mean", min(max_length, len(positions)))


def _layer(known: dict[str, Constant], number: int) -> dict[str, Any]:
    prefix = f"encoder.layer.{number}."
    names = {
        "mixed": ("attention.output.dense", f"{prefix}attention.output.bias"),
        "inner": ("intermediate.dense", f"{number}.inner.bias"),
        "outer": ("output.dense", f"{prefix}output.bias"),
    }
    packed = np.split(_weight(known, f"{number}.attention"), 3, axis=1)
    biases = np.split(known[f"{number}.attention.bias"].array, 3)
    found: dict[str, Any] = {}
    for part, weight, bias in zip(_PACKED, packed, biases, strict=True):
        found |= {f"{prefix}attention.self.{part}.weight": weight.T, f"{prefix}attention.self.{part}.bias": bias}
    for name, (layer, offset) in names.items():
        found |= {
            f"{prefix}{layer}.weight": _weight(known, f"{number}.{name}").T,
            f"{prefix}{layer}.bias": known[offset].array,
        }
    for layer in ("attention.output", "output"):
        found[f"{prefix}{layer}.LayerNorm.weight"] = known[f"{prefix}{layer}.gamma"].array
        found[f"{prefix}{layer}.LayerNorm.bias"] = known[f"{prefix}{layer}.beta"].array
    return found


def _weight(known: dict[str, Constant], name: str) -> Any:
    return restored(known[f"{name}.weight"].array, known[f"{name}.scale"].array)
