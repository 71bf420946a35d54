"""Write a BERT encoder as an ONNX graph, in float32 or with int8 weights and activations.

The graph takes `input_ids` (texts, tokens) and returns `vectors` (texts, width): the normalised mean over tokens. There
is no mask, since all texts of a batch have the same number of tokens. In int8 every token has an activation scale of
its own, so that neither other tokens nor other texts of a batch influence it; weights have one scale per column. Both
are unsigned with a zero point, because signed weights overflow on processors with AVX2 but without VNNI.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import import_extra
from epochal.encoders.onnx_weights import ZERO, quantise
from epochal.errors import EpochalError

Array = npt.NDArray[Any]

_MICROSOFT: Final = "com.microsoft"
#: GELU is never below -0.17, so nearly all of a byte is used for values above zero.
_GELU_ZERO: Final = 24
_GELU_FLOOR: Final = 0.17005


def build_bert_graph(
    weights: Mapping[str, Array],
    heads: int,
    *,
    int8: bool = True,
    name: str = "bert",
    positions: int | None = None,
    tokens: bool = False,
) -> bytes:
    """Serialise the ONNX graph of a BERT encoder, given its parameters under the names that transformers uses.

    The graph accepts as many tokens as the weights have positions, or `positions`. With `tokens` it also returns the
    last layer's state of every token.
    """
    onnx = import_extra("onnx", "writing a model as ONNX", "train")
    try:
        graph: bytes = (
            _Graph(weights, heads, int8, onnx).model(name, positions, tokens).SerializeToString(deterministic=True)
        )
    except KeyError as error:
        raise EpochalError(f"the weights lack {error}; accepted: those of a BERT encoder") from error
    return graph


class _Graph:
    """Collects the nodes and constants of the graph in order."""

    def __init__(self, weights: Mapping[str, Array], heads: int, int8: bool, onnx: Any) -> None:
        self.weights = weights
        self.heads = heads
        self.int8 = int8
        self.onnx = onnx
        self.width = weights["embeddings.word_embeddings.weight"].shape[1]
        self.nodes: list[Any] = []
        self.constants: dict[str, Array] = {}
        self.rows = ""

    def constant(self, name: str, value: Any) -> str:
        """Add a constant, or reuse the one of that name."""
        self.constants.setdefault(name, np.ascontiguousarray(value).reshape(np.shape(value)))
        return name

    def node(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        """Add a node and return the name of its output, or several names separated by blanks."""
        names = [f"{kind}_{len(self.nodes)}_{output}" for output in range(outputs)]
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), names, name=names[0], **attributes))
        return " ".join(names)

    def last(self) -> str:
        """Return the constant for the last axis."""
        return self.constant("last", np.array([-1]))

    def linear(self, x: str, name: str, weight: Array, after_gelu: bool = False) -> str:
        """Multiply rows with a weight of (inputs, outputs), without bias."""
        if not self.int8:
            return self.node("MatMul", x, self.constant(f"{name}.weight", weight))
        zero = _GELU_ZERO if after_gelu else ZERO
        steps = self.constant(f"steps{zero}", np.float32(1 / (255 - zero)))
        minimum = self.constant(f"least{zero}", np.float32(_GELU_FLOOR / zero if after_gelu else 1e-9))
        most = self.node("ReduceMax", x if after_gelu else self.node("Abs", x), self.last(), keepdims=0)
        scale = self.node("Max", self.node("Mul", most, steps), minimum)
        zeros = self.node("Expand", self.constant(f"zeros{zero}", np.array([zero], np.uint8)), self.rows)
        activations = self.node("QuantizeLinear", x, scale, zeros, axis=0)
        small, columns = quantise(weight)
        product = self.node(
            "MatMulIntegerToFloat",
            activations,
            self.constant(f"{name}.weight", small),
            self.constant("one", np.float32(1)),
            self.constant(f"{name}.scale", columns),
            self.constant(f"zero{zero}", np.uint8(zero)),
            self.constant(f"zero{ZERO}", np.uint8(ZERO)),
            domain=_MICROSOFT,
        )
        return self.node("Mul", product, self.node("Unsqueeze", scale, self.last()))

    def add_layer_norm(self, x: str, residual: str, name: str, bias: Array) -> str:
        """Add LayerNorm(x + bias + residual)."""
        return self.node(
            "SkipLayerNormalization",
            x,
            residual,
            self.constant(f"{name}.gamma", self.weights[f"{name}.LayerNorm.weight"]),
            self.constant(f"{name}.beta", self.weights[f"{name}.LayerNorm.bias"]),
            self.constant(f"{name}.bias", bias),
            domain=_MICROSOFT,
            epsilon=1e-12,
        )

    def embeddings(self) -> str:
        """Look up token embeddings, (texts, tokens, width)."""
        table = self.weights["embeddings.word_embeddings.weight"]
        if not self.int8:
            return self.node("Gather", self.constant("words", table), "input_ids")
        most = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-9)
        scale = (most / np.float32(127)).astype(np.float32)
        words = self.constant("words", np.rint(table / scale).astype(np.int8))
        rows = self.node("Cast", self.node("Gather", words, "input_ids"), to=self.onnx.TensorProto.FLOAT)
        return self.node("Mul", rows, self.node("Gather", self.constant("words.scale", scale), "input_ids"))

    def layer(self, x: str, index: int, shape: str) -> str:
        """Add one transformer layer."""
        prefix = f"encoder.layer.{index}."
        weight = {key.removeprefix(prefix): value for key, value in self.weights.items() if key.startswith(prefix)}
        parts = [f"attention.self.{part}" for part in ("query", "key", "value")]
        packed = np.concatenate([weight[f"{part}.weight"].T for part in parts], axis=1)
        biases = np.concatenate([weight[f"{part}.bias"] for part in parts])
        product = self.linear(x, f"{index}.attention", packed)
        split = self.node("Split", product, outputs=3, axis=1, num_outputs=3).split()
        rows = [self.node("Reshape", part, shape) for part in split]
        bias = self.constant(f"{index}.attention.bias", biases)
        attended = self.node("MultiHeadAttention", *rows, bias, domain=_MICROSOFT, num_heads=self.heads)
        attended = self.linear(self.flat(attended), f"{index}.mixed", weight["attention.output.dense.weight"].T)
        x = self.add_layer_norm(attended, x, f"{prefix}attention.output", weight["attention.output.dense.bias"])
        inner = self.linear(x, f"{index}.inner", weight["intermediate.dense.weight"].T)
        bias = self.constant(f"{index}.inner.bias", weight["intermediate.dense.bias"])
        # The tanh form differs from the exact one by at most 5e-4, far less than an int8 step, and is faster.
        inner = self.node("FastGelu" if self.int8 else "BiasGelu", inner, bias, domain=_MICROSOFT)
        outer = self.linear(inner, f"{index}.outer", weight["output.dense.weight"].T, after_gelu=True)
        return self.add_layer_norm(outer, x, f"{prefix}output", weight["output.dense.bias"])

    def flat(self, x: str) -> str:
        """Reshape to one row per token."""
        return self.node("Reshape", x, self.constant("flat", np.array([-1, self.width])))

    def model(self, name: str, most: int | None, tokens: bool) -> Any:
        """Build the whole model."""
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        words = self.embeddings()
        shape = self.node("Shape", words)
        positions = self.weights["embeddings.position_embeddings.weight"][:most]
        positions = positions + self.weights["embeddings.token_type_embeddings.weight"][0]
        length = self.node("Shape", "input_ids", start=1, end=2)
        offsets = self.node(
            "Slice", self.constant("positions", positions), self.constant("first", np.array([0])), length
        )
        x = self.node(
            "LayerNormalization",
            self.node("Add", words, offsets),
            self.constant("embeddings.gamma", self.weights["embeddings.LayerNorm.weight"]),
            self.constant("embeddings.beta", self.weights["embeddings.LayerNorm.bias"]),
            epsilon=1e-12,
        )
        x = self.flat(x)
        self.rows = self.node("Shape", x, start=0, end=1)
        layers = len({key.split(".")[2] for key in self.weights if key.startswith("encoder.layer.")})
        for index in range(layers):
            x = self.layer(x, index, shape)
        self.nodes.append(helper.make_node("Reshape", [x, shape], ["tokens"]))
        mean = self.node("ReduceMean", "tokens", self.constant("over_tokens", np.array([1])), keepdims=0)
        self.nodes.append(helper.make_node("LpNormalization", [mean], ["vectors"], axis=1, p=2))
        outputs = [
            helper.make_tensor_value_info("vectors", kinds.FLOAT, ["texts", self.width]),
            helper.make_tensor_value_info("tokens", kinds.FLOAT, ["texts", "tokens", self.width]),
        ]
        graph = helper.make_graph(
            self.nodes,
            name,
            [helper.make_tensor_value_info("input_ids", kinds.INT64, ["texts", "tokens"])],
            outputs if tokens else outputs[:1],
            [self.onnx.numpy_helper.from_array(value, name) for name, value in self.constants.items()],
        )
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid(_MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="epochal")
