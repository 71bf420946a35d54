"""The network of tools/train_rerank.py: the shipped MiniLM with trainable additions to its weights, in torch.

What is added is multiplied out and put into the weights at every step, so that a step costs the same whether all
weights are trained or two thin matrices each. Texts lie one after the other without padding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from epochal.encoders.bundled import MAX_TOKENS, data_file
from epochal.encoders.onnx_weights import dequantise, read_constants

WIDTH, LAYERS, HEADS = 384, 6, 12
#: The linear layers of each layer, by the names of transformers.
LINEAR = (
    *("attention.self.query", "attention.self.key", "attention.self.value"),
    *("attention.output.dense", "intermediate.dense", "output.dense"),
)
#: The mean state has length 1; scores must be able to differ by more than that.
HEAD_SCALE = 8.0
#: What the product of an adapter's matrices is multiplied by: its alpha is twice its rank.
SCALE = 2.0
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Texts(NamedTuple):
    """Tokens of some texts one after the other, and how they are found."""

    ids: Tensor
    places: Tensor
    texts: Tensor
    bounds: Tensor
    longest: int


def load_base() -> dict[str, Tensor]:
    """The shipped model with its eight-bit weights as floats, (outputs, inputs), by the names of transformers."""
    file = data_file("minilm", "model.int8.onnx").read_bytes()
    known = {name: constant.array for name, constant in read_constants(file).items()}
    state: dict[str, Any] = {
        "words": known["words"].astype(np.float32) * known["words.scale"],
        # The embedding of the first type is part of the positions.
        "positions": known["positions"],
        "embeddings.gamma": known["embeddings.gamma"],
        "embeddings.beta": known["embeddings.beta"],
    }
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        parts = {"mixed": "attention.output.dense", "inner": "intermediate.dense", "outer": "output.dense"}
        for constant, name in parts.items():
            key = f"{layer}.{constant}"
            state[f"{prefix}{name}"] = dequantise(known[f"{key}.weight"], known[f"{key}.scale"]).T
        packed = dequantise(known[f"{layer}.attention.weight"], known[f"{layer}.attention.scale"]).T
        for position, name in enumerate(LINEAR[:3]):
            state[f"{prefix}{name}"] = packed[WIDTH * position : WIDTH * (position + 1)]
        state[f"{prefix}attention.bias"] = known[f"{layer}.attention.bias"]
        state[f"{prefix}inner.bias"] = known[f"{layer}.inner.bias"]
        for name in ("attention.output", "output"):
            for part in ("bias", "gamma", "beta"):
                state[f"{prefix}{name}.{part}"] = known[f"{prefix}{name}.{part}"]
    return {name: torch.from_numpy(np.array(value, np.float32)) for name, value in state.items()}


def attend_padded(query: Tensor, key: Tensor, value: Tensor, texts: Texts) -> Tensor:
    """Attention within each text, by padding all to the longest."""
    count = len(texts.bounds) - 1
    rows = query.new_zeros(3, count, texts.longest, *query.shape[1:])
    at = texts.texts, texts.places
    rows = rows.index_put((torch.arange(3, device=query.device)[:, None], *at), torch.stack((query, key, value)))
    lengths = texts.bounds.diff()
    mask = (torch.arange(texts.longest, device=query.device)[None] < lengths[:, None])[:, None, None]
    mixed = functional.scaled_dot_product_attention(*rows.transpose(2, 3), attn_mask=mask)
    return mixed.transpose(1, 2)[at]


def attend_packed(query: Tensor, key: Tensor, value: Tensor, texts: Texts) -> Tensor:
    """The same without padding, on a GPU."""
    from torch.nn.attention.varlen import varlen_attn

    return varlen_attn(query, key, value, texts.bounds, texts.bounds, texts.longest, texts.longest)


class CrossNetwork(nn.Module):
    """The base, what is added to its linear layers, the scoring vector, and the weight of the engine's scores."""

    attend = staticmethod(attend_padded)

    def __init__(self, base: Mapping[str, Tensor], rank: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.base, self.rank, self.dropout = {name: value.to(DEVICE) for name, value in base.items()}, rank, dropout
        self.names = [f"encoder.layer.{layer}.{name}" for layer in range(LAYERS) for name in LINEAR]
        self.added = nn.ParameterDict()
        for name in self.names:
            outputs, inputs = base[name].shape
            if rank:
                down = torch.empty(rank, inputs)
                nn.init.kaiming_uniform_(down, a=math.sqrt(5))
                self.added[self._key(name, "down")] = nn.Parameter(down)
                self.added[self._key(name, "up")] = nn.Parameter(torch.zeros(outputs, rank))
            else:
                self.added[self._key(name, "all")] = nn.Parameter(torch.zeros(outputs, inputs))
        self.head = nn.Parameter(0.05 * torch.randn(WIDTH))
        self.engine = nn.Parameter(torch.zeros(()))  # its logarithm
        self.to(DEVICE)

    @staticmethod
    def _key(name: str, part: str) -> str:
        return f"{name}.{part}".replace(".", "/")

    def get_added(self, name: str) -> Tensor:
        """What is added to the weight of a linear layer."""
        if not self.rank:
            return self.added[self._key(name, "all")]
        return SCALE * (self.added[self._key(name, "up")] @ self.added[self._key(name, "down")])

    @torch.no_grad()
    def start_from(self, other: CrossNetwork) -> None:
        """Take over what another has learnt, as far as the rank allows."""
        self.head.copy_(other.head)
        self.engine.copy_(other.engine)
        for name in self.names:
            if self.rank == other.rank:
                for part in ("down", "up") if self.rank else ("all",):
                    self.added[self._key(name, part)].copy_(other.added[self._key(name, part)])
            elif not self.rank:
                self.added[self._key(name, "all")].copy_(other.get_added(name))
            else:
                left, values, right = torch.linalg.svd(other.get_added(name) / SCALE, full_matrices=False)
                roots = values[: self.rank].sqrt()
                self.added[self._key(name, "up")].copy_(left[:, : self.rank] * roots)
                self.added[self._key(name, "down")].copy_(roots[:, None] * right[: self.rank])

    def drop(self, states: Tensor) -> Tensor:
        return functional.dropout(states, self.dropout, self.training) if self.dropout else states

    def embed(self, texts: Texts) -> Tensor:
        """The mean of the token states of each text, of length 1."""
        kind = torch.bfloat16 if DEVICE == "cuda" else torch.float32
        base = {name: value.to(kind) for name, value in self.base.items()}
        wide = (WIDTH,)

        def normalise(states: Tensor, name: str) -> Tensor:
            return functional.layer_norm(states, wide, base[f"{name}.gamma"], base[f"{name}.beta"], 1e-12)

        states = normalise(base["words"][texts.ids] + base["positions"][texts.places], "embeddings")
        for layer in range(LAYERS):
            prefix = f"encoder.layer.{layer}."
            query, key, value, mixed, inner, outer = (
                base[prefix + name] + self.get_added(prefix + name).to(kind) for name in LINEAR
            )
            packed = functional.linear(states, torch.cat((query, key, value)), base[f"{prefix}attention.bias"])
            heads = packed.view(len(states), 3, HEADS, WIDTH // HEADS).unbind(1)
            context = self.attend(*heads, texts).reshape(len(states), WIDTH)
            context = functional.linear(context, mixed, base[f"{prefix}attention.output.bias"])
            states = normalise(states + self.drop(context), f"{prefix}attention.output")
            wider = functional.gelu(functional.linear(states, inner, base[f"{prefix}inner.bias"]))
            wider = functional.linear(wider, outer, base[f"{prefix}output.bias"])
            states = normalise(states + self.drop(wider), f"{prefix}output")
        # The direction of the mean is that of the sum.
        sums = torch.zeros(len(texts.bounds) - 1, WIDTH, device=DEVICE).index_add(0, texts.texts, states.float())
        return functional.normalize(sums, dim=-1)

    def forward(self, texts: Texts) -> Tensor:
        return HEAD_SCALE * (self.embed(texts) @ self.head)

    def save(self, path: Path) -> None:
        parts = {f"{name}.{part}": self.added[self._key(name, part)] for name in self.names for part in ("down", "up")}
        matrices = {name: value.detach().cpu().half().contiguous() for name, value in parts.items()}
        save_file({**matrices, "head.weight": (HEAD_SCALE * self.head.detach().cpu()).contiguous()}, str(path))


def pack(ids: np.ndarray, lengths: np.ndarray) -> Texts:
    """Tokens for the model, on its device."""
    bounds = np.concatenate(([0], np.cumsum(lengths)))
    texts = np.repeat(np.arange(len(lengths)), lengths)
    places = np.arange(len(ids)) - bounds[texts]
    arrays = (ids.astype(np.int32), places.astype(np.int32), texts.astype(np.int32), bounds.astype(np.int32))
    tensors = [torch.from_numpy(array).to(DEVICE, non_blocking=True) for array in arrays]
    return Texts(*tensors, int(lengths.max()))


def load_model(base: Mapping[str, Tensor], path: Path) -> CrossNetwork:
    """The model of an adapter that was saved."""
    matrices = load_file(str(path))
    model = CrossNetwork(base, len(matrices["encoder.layer.0.output.dense.down"]))
    with torch.no_grad():
        model.head.copy_(matrices.pop("head.weight") / HEAD_SCALE)
        for name, matrix in matrices.items():
            model.added[name.replace(".", "/")].copy_(matrix)
    return model


@torch.no_grad()
def mix_models(base: Mapping[str, Tensor], parts: Sequence[tuple[CrossNetwork, float]]) -> CrossNetwork:
    """The weighted mean of what models have learnt, which is often better than each, as their errors differ."""
    mixed = CrossNetwork(base, 0)
    for name in mixed.names:
        mixed.added[mixed._key(name, "all")].copy_(torch.stack([w * one.get_added(name) for one, w in parts]).sum(0))
    mixed.head.copy_(torch.stack([share * one.head for one, share in parts]).sum(0))
    mixed.engine.copy_(torch.stack([share * one.engine for one, share in parts]).sum(0))
    return mixed


def choose_attention(base: Mapping[str, Tensor]) -> None:
    """Use attention without padding where it gives what padding gives."""
    model = CrossNetwork(base, 0).eval()
    texts = pack(*join([list(range(1000, 1000 + count)) for count in (5, 60, 200)]))
    with torch.no_grad():
        expected = model.embed(texts)
        try:
            CrossNetwork.attend = staticmethod(attend_packed)
            worst = float((model.embed(texts) - expected).norm(dim=1).max())
        except (ImportError, RuntimeError, TypeError) as error:
            print(f"attention is padded: {error}", flush=True)
            worst = math.inf
    if worst > 0.03:
        CrossNetwork.attend = staticmethod(attend_padded)
    print(f"attention differs by {worst:.4f}", flush=True)


# ---------------------------------------------------------------- texts


def make_tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(data_file("minilm", "tokenizer.json")))
    tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
    return tokenizer


TOKENIZER = make_tokenizer()


def join(rows: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Token ids one after the other, and how many each text has."""
    lengths = np.array([len(row) for row in rows], np.int32)
    return np.fromiter((token for row in rows for token in row), np.uint16, int(lengths.sum())), lengths
