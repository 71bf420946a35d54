"""The graph of all-MiniLM-L6-v2 in ONNX, written node by node: once in float32, once in int8.

Used by tools/build_encoder.py. Both graphs take `input_ids` (texts, tokens) and give `vectors` (texts, 384), mean over
tokens and of length 1. There is no mask: the texts of a batch have equally many tokens.

How the int8 graph computes a linear layer: a token's row of activations gets a scale of its own, so that neither the
other tokens nor the other texts of a batch touch it; weights have a scale for each column. Both are unsigned around a
zero point, because signed weights overflow on processors with AVX2 but without VNNI.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HIDDEN = 384
HEADS = 12
LAYERS = 6
TOKENS = 256
MICROSOFT = "com.microsoft"
#: GELU is never below -0.17, so nearly all of a byte goes to what is above zero.
GELU_ZERO = 24
GELU_FLOOR = 0.17005
Weights = Mapping[str, np.ndarray]


class Graph:
    """Nodes and constants in the order they are made."""

    def __init__(self, weights: Weights, int8: bool) -> None:
        self.weights = weights
        self.int8 = int8
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}
        self.rows = ""

    def constant(self, name: str, value: np.ndarray | np.generic) -> str:
        """A constant by name; one that is there already is used again."""
        self.constants.setdefault(name, np.ascontiguousarray(value).reshape(np.shape(value)))
        return name

    def node(self, kind: str, *inputs: str, outputs: int = 1, **attributes: object) -> str:
        """One node; the name of its output, or of several joined by blanks."""
        names = [f"{kind}_{len(self.nodes)}_{place}" for place in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=names[0], **attributes))
        return " ".join(names)

    def last(self) -> str:
        """The axis of features."""
        return self.constant("last", np.array([-1]))

    def linear(self, x: str, name: str, weight: np.ndarray, after_gelu: bool = False) -> str:
        """x times a weight of (inputs, outputs), without its bias."""
        if not self.int8:
            return self.node("MatMul", x, self.constant(f"{name}.weight", weight))
        zero = GELU_ZERO if after_gelu else 128
        steps = self.constant(f"steps{zero}", np.float32(1 / (255 - zero)))
        least = self.constant(f"least{zero}", np.float32(GELU_FLOOR / zero if after_gelu else 1e-9))
        most = self.node("ReduceMax", x if after_gelu else self.node("Abs", x), self.last(), keepdims=0)
        scale = self.node("Max", self.node("Mul", most, steps), least)
        zeros = self.node("Expand", self.constant(f"zeros{zero}", np.array([zero], np.uint8)), self.rows)
        quantised = self.node("QuantizeLinear", x, scale, zeros, axis=0)
        columns = (np.abs(weight).max(axis=0) / np.float32(127)).astype(np.float32)
        product = self.node(
            "MatMulIntegerToFloat",
            quantised,
            self.constant(f"{name}.weight", (np.rint(weight / columns) + 128).astype(np.uint8)),
            self.constant("one", np.float32(1)),
            self.constant(f"{name}.scale", columns),
            self.constant(f"zero{zero}", np.uint8(zero)),
            self.constant("zero128", np.uint8(128)),
            domain=MICROSOFT,
        )
        return self.node("Mul", product, self.node("Unsqueeze", scale, self.last()))

    def normalised(self, x: str, residual: str, name: str, bias: np.ndarray) -> str:
        """LayerNorm of x + bias + residual."""
        return self.node(
            "SkipLayerNormalization",
            x,
            residual,
            self.constant(f"{name}.gamma", self.weights[f"{name}.LayerNorm.weight"]),
            self.constant(f"{name}.beta", self.weights[f"{name}.LayerNorm.bias"]),
            self.constant(f"{name}.bias", bias),
            domain=MICROSOFT,
            epsilon=1e-12,
        )

    def embeddings(self) -> str:
        """Rows of word embeddings, (texts, tokens, 384)."""
        table = self.weights["embeddings.word_embeddings.weight"]
        if not self.int8:
            return self.node("Gather", self.constant("words", table), "input_ids")
        scale = (np.abs(table).max(axis=1, keepdims=True) / np.float32(127)).astype(np.float32)
        words = self.constant("words", np.rint(table / scale).astype(np.int8))
        rows = self.node("Cast", self.node("Gather", words, "input_ids"), to=TensorProto.FLOAT)
        return self.node("Mul", rows, self.node("Gather", self.constant("words.scale", scale), "input_ids"))

    def layer(self, x: str, number: int, shape: str) -> str:
        """One layer of the transformer."""
        prefix = f"encoder.layer.{number}"
        weight = {key.removeprefix(f"{prefix}."): value for key, value in self.weights.items() if prefix in key}
        parts = [f"attention.self.{part}" for part in ("query", "key", "value")]
        packed = np.concatenate([weight[f"{part}.weight"].T for part in parts], axis=1)
        biases = np.concatenate([weight[f"{part}.bias"] for part in parts])
        product = self.linear(x, f"{number}.attention", packed)
        split = self.node("Split", product, outputs=3, axis=1, num_outputs=3).split()
        heads = [self.node("Reshape", part, shape) for part in split]
        bias = self.constant(f"{number}.attention.bias", biases)
        seen = self.node("MultiHeadAttention", *heads, bias, domain=MICROSOFT, num_heads=HEADS)
        seen = self.linear(self.flat(seen), f"{number}.mixed", weight["attention.output.dense.weight"].T)
        x = self.normalised(seen, x, f"{prefix}.attention.output", weight["attention.output.dense.bias"])
        inner = self.linear(x, f"{number}.inner", weight["intermediate.dense.weight"].T)
        bias = self.constant(f"{number}.inner.bias", weight["intermediate.dense.bias"])
        # The tanh form differs from the exact one by at most 5e-4, far less than a step of int8, and is quicker.
        inner = self.node("FastGelu" if self.int8 else "BiasGelu", inner, bias, domain=MICROSOFT)
        outer = self.linear(inner, f"{number}.outer", weight["output.dense.weight"].T, after_gelu=True)
        return self.normalised(outer, x, f"{prefix}.output", weight["output.dense.bias"])

    def flat(self, x: str) -> str:
        """One row a token, whatever text it is of."""
        return self.node("Reshape", x, self.constant("flat", np.array([-1, HIDDEN])))

    def model(self) -> onnx.ModelProto:
        """The whole model. The second output, `tokens`, holds the last layer's row of each token."""
        words = self.embeddings()
        shape = self.node("Shape", words)
        positions = self.weights["embeddings.position_embeddings.weight"][:TOKENS]
        positions = positions + self.weights["embeddings.token_type_embeddings.weight"][0]
        length = self.node("Shape", "input_ids", start=1, end=2)
        places = self.node(
            "Slice", self.constant("positions", positions), self.constant("first", np.array([0])), length
        )
        x = self.node(
            "LayerNormalization",
            self.node("Add", words, places),
            self.constant("embeddings.gamma", self.weights["embeddings.LayerNorm.weight"]),
            self.constant("embeddings.beta", self.weights["embeddings.LayerNorm.bias"]),
            epsilon=1e-12,
        )
        x = self.flat(x)
        self.rows = self.node("Shape", x, start=0, end=1)
        for number in range(LAYERS):
            x = self.layer(x, number, shape)
        self.nodes.append(helper.make_node("Reshape", [x, shape], ["tokens"]))
        mean = self.node("ReduceMean", "tokens", self.constant("over_tokens", np.array([1])), keepdims=0)
        self.nodes.append(helper.make_node("LpNormalization", [mean], ["vectors"], axis=1, p=2))
        graph = helper.make_graph(
            self.nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])],
            [
                helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", HIDDEN]),
                helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["texts", "tokens", HIDDEN]),
            ],
            [numpy_helper.from_array(value, name) for name, value in self.constants.items()],
        )
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="epochal")


def minilm(weights: Weights, int8: bool) -> onnx.ModelProto:
    """The model in float32 or int8."""
    return Graph(weights, int8).model()
