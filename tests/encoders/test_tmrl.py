"""minilm with an adapter, without torch: merged by hand here, and what is no adapter of it."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

from epochal.encoders import bundled as packaged
from epochal.encoders.base import Encoder, EncoderError
from epochal.encoders.bundled import MiniLM, data_file
from epochal.encoders.onnx_weights import dequantise, read_constants
from epochal.encoders.registry import encoder
from epochal.encoders.tmrl import CARD, MATRICES, TMRLEncoder, merge_adapter
from epochal.encoders.wrappers import nested_dims
from epochal.files import read_tensors, write_tensors

TEXTS = ["Heavy rain fell all night in May 1998.", "", "Who led the club from 1998 to 2001?"]
SHAPES = {
    **{f"attention.self.{part}": (384, 384) for part in ("query", "key", "value")},
    "attention.output.dense": (384, 384),
    "intermediate.dense": (384, 1536),
    "output.dense": (1536, 384),
}


def matrices(seed: int = 1, layers: int = 6, size: float = 0.1) -> dict[str, np.ndarray]:
    built = np.random.default_rng(seed)
    result = {}
    for number in range(layers):
        for name, (inputs, outputs) in SHAPES.items():
            result[f"encoder.layer.{number}.{name}.down"] = size * built.normal(size=(4, inputs)).astype(np.float32)
            result[f"encoder.layer.{number}.{name}.up"] = size * built.normal(size=(outputs, 4)).astype(np.float32)
    return result


def save(folder, tensors, **changes):
    write_tensors(folder / MATRICES, tensors)
    (folder / CARD).write_text(json.dumps({"kind": "lora", "rank": 4, "alpha": 8.0, **changes}), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An adapter of one layer: merging all six takes six times as long."""
    return save(tmp_path_factory.mktemp("adapter"), matrices(layers=1))


@pytest.fixture(scope="module")
def found(folder):
    return encoder(f"tmrl:{folder}", threads=1)


def test_vectors_are_other_than_those_of_minilm_and_of_length_one(found):
    assert isinstance(found, Encoder)
    assert found.dim == 384
    vectors = found.encode_documents(TEXTS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1], abs=1e-5)
    assert np.array_equal(vectors, found.encode_queries(TEXTS))
    assert (vectors * MiniLM(threads=1).encode_documents(TEXTS)).sum(axis=1).max() < 0.99


def test_every_layer_gets_its_own_matrices():
    model = data_file("minilm", "model.int8.onnx").read_bytes()
    tensors = matrices(seed=3, layers=2)
    before, after = read_constants(model), read_constants(merge_adapter(model, tensors, 2.0, "here"))
    paths = {"attention": ("query", "key", "value"), "mixed": (), "inner": (), "outer": ()}
    layers = {"mixed": "attention.output.dense", "inner": "intermediate.dense", "outer": "output.dense"}
    for number in (0, 1):
        for name, packed in paths.items():
            want = dequantise(before[f"{number}.{name}.weight"].array, before[f"{number}.{name}.scale"].array)
            names = [f"attention.self.{part}" for part in packed] or [layers[name]]
            deltas = [
                2.0 * (tensors[f"encoder.layer.{number}.{one}.up"] @ tensors[f"encoder.layer.{number}.{one}.down"]).T
                for one in names
            ]
            scale = after[f"{number}.{name}.scale"].array
            got = dequantise(after[f"{number}.{name}.weight"].array, scale)
            assert np.abs(got - want - np.concatenate(deltas, axis=1)).max() <= 1.01 * scale.max()
    untouched = [name for name in before if not name.endswith((".weight", ".scale")) or name == "words.scale"]
    assert all(np.array_equal(before[name].array, after[name].array) for name in untouched)


def test_an_adapter_of_some_layers_leaves_the_others():
    model = data_file("minilm", "model.int8.onnx").read_bytes()
    some = {name: value for name, value in matrices().items() if ".2.attention.self.key." in name}
    before, after = read_constants(model), read_constants(merge_adapter(model, some, 1.0, "here"))
    changed = {name for name in before if not np.array_equal(before[name].array, after[name].array)}
    assert "2.attention.weight" in changed
    assert changed <= {"2.attention.weight", "2.attention.scale"}
    columns = (before["2.attention.weight"].array != after["2.attention.weight"].array).any(axis=0)
    assert columns[384:768].mean() > 0.9
    assert not columns[:384].any()
    assert not columns[768:].any()


def test_the_name_tells_the_adapter(folder, tmp_path):
    one = TMRLEncoder(folder)
    assert one.name.startswith("tmrl-")
    assert one.name.endswith(MiniLM().name)
    assert TMRLEncoder(save(tmp_path, matrices(seed=2))).name != one.name
    assert TMRLEncoder(save(tmp_path, matrices(), question_prefix="q: ")).name != one.name
    assert TMRLEncoder(folder, max_tokens=64).name == f"{one.name}-64"


def test_the_card_tells_at_which_lengths_vectors_may_be_cut(folder, tmp_path):
    assert nested_dims(TMRLEncoder(folder)) == ()
    assert nested_dims(TMRLEncoder(save(tmp_path, matrices(), nested_dims=[64, 384]))) == (64, 384)


def test_copies_are_the_same_encoder(folder):
    one = TMRLEncoder(folder, threads=1, max_tokens=32)
    copy = pickle.loads(pickle.dumps(one))
    assert copy.name == one.name
    assert np.array_equal(copy.encode_queries(TEXTS[:1]), one.encode_queries(TEXTS[:1]))


def test_prefixes_go_before_texts_but_not_before_nothing(found, tmp_path):
    prefixes = {"question_prefix": "query: ", "passage_prefix": "text: "}
    behind = TMRLEncoder(save(tmp_path, matrices(layers=1), **prefixes), threads=1)
    assert np.array_equal(behind.encode_queries(["rain", " "]), found.encode_queries(["query: rain", ""]))
    assert np.array_equal(behind.encode_documents(["rain"]), found.encode_documents(["text: rain"]))


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({}, "adapts no layer"),
        ({"encoder.layer.9.output.dense.down": np.ones((4, 1536))}, r"does not fit at 'encoder.layer.9.output.dense'"),
        ({"encoder.layer.0.output.dense.down": np.ones((4, 1536))}, r"does not fit at 'encoder.layer.0.output.dense'"),
        ({"pooler.dense.down": np.ones((4, 8)), "pooler.dense.up": np.ones((8, 4))}, "does not fit at 'pooler.dense'"),
        (
            {
                "encoder.layer.0.output.dense.down": np.ones((4, 768)),
                "encoder.layer.0.output.dense.up": np.ones((384, 4)),
            },
            "has other shapes at 'encoder.layer.0.output.dense'",
        ),
    ],
)
def test_adapters_of_other_models(tmp_path, tensors, message):
    with pytest.raises(EncoderError, match=message):
        TMRLEncoder(save(tmp_path, tensors)).encode_documents(["rain"])


@pytest.mark.parametrize("card", ["", "[]", '{"kind": "lora"}', '{"kind": "prefix", "rank": 1, "alpha": 1}',
                                  '{"kind": "lora", "rank": 0, "alpha": 1}'])  # fmt: skip
def test_a_card_that_is_none(tmp_path, card):
    save(tmp_path, {})
    (tmp_path / CARD).write_text(card)
    with pytest.raises(EncoderError, match=r"adapter\.json is no card of an adapter"):
        TMRLEncoder(tmp_path)


def test_the_adapter_that_ships(tmp_path, monkeypatch):
    packaged.read_card("minilm")  # kept once read: the model itself is where it was
    monkeypatch.setattr(packaged, "_DATA", tmp_path)
    with pytest.raises(EncoderError, match="this installation ships no adapter; accepted: tmrl:FOLDER"):
        encoder("epochal-tmrl")
    (tmp_path / "tmrl").mkdir()
    save(tmp_path / "tmrl", matrices())
    result = TMRLEncoder()
    assert result.__reduce__()[1][0] is None
    assert encoder("epochal-tmrl")._version == result._version


def test_what_ships_is_minilm_adapted_and_may_be_cut():
    result, before = encoder("epochal-tmrl", threads=1), MiniLM(threads=1)
    assert nested_dims(result) == (64, 128, 256, 384)
    texts = ["Who led the club from 1998 to 2001?", "Ann led the club between 1998 and 2001.", "Rain fell."]
    here, there = result.encode_documents(texts), before.encode_documents(texts)
    similarity = (here * there).sum(axis=1)
    assert (similarity > 0.7).all()
    assert (similarity < 0.999).all()
    assert here[0] @ here[1] > here[0] @ here[2]
    assert sum(path.stat().st_size for path in (packaged._DATA / "tmrl").iterdir()) < 600_000


def test_a_damaged_adapter_is_an_error_of_the_encoder(tmp_path):
    result = TMRLEncoder(save(tmp_path, matrices()))
    (tmp_path / MATRICES).write_bytes(b"short")
    with pytest.raises(EncoderError, match="holds no parameters, or not all of them; accepted: a safetensors file"):
        result.encode_documents(["rain"])


def test_what_ships_is_not_rounded_away():
    model = data_file("minilm", "model.int8.onnx").read_bytes()
    tensors = read_tensors(packaged._DATA / "tmrl" / MATRICES)
    before, after = read_constants(model), read_constants(merge_adapter(model, tensors, 1.0, "here"))
    lost = []
    for number in range(6):
        down, up = (tensors[f"encoder.layer.{number}.output.dense.{side}"] for side in ("down", "up"))
        here, there = (
            dequantise(held[f"{number}.outer.weight"].array, held[f"{number}.outer.scale"].array)
            for held in (after, before)
        )
        # What the layer adds to the inputs that the adapter reads, as it should be and as it is.
        lost.append(np.linalg.norm(down @ (here - there - down.T @ up.T)) / np.linalg.norm(down @ down.T @ up.T))
    assert max(lost) < 0.1


def test_neither_torch_nor_onnx_is_needed(folder):
    code = (
        "import sys; sys.modules['torch'] = sys.modules['onnx'] = sys.modules['safetensors'] = None; "
        f"from epochal.encoders import encoder; print(encoder({f'tmrl:{folder}'!r}).encode_queries(['rain']).shape)"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "(1, 384)"
