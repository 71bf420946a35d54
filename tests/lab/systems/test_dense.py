"""Dense presets, with models that the tests make: what is pooled is what the model's own states say it is."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest

from epochal.encoders.base import EncoderError
from epochal.errors import MissingExtraError
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.dense import load_model
from epochal_lab.systems.presets import PresetOptions, get_preset
from epochal_lab.systems.registry import make_system
from tiny_models import DOCUMENTS, WORDS, ranked

pytestmark = pytest.mark.filterwarnings("ignore")


def states(library: Any, folder: str, text: str, *, eos: bool = False, most: int = 32) -> np.ndarray:
    """The last states of one text by itself, without padding."""
    import torch

    tokenizer = library.AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(text, truncation=True, max_length=most - eos)["input_ids"]
    ids += [tokenizer.eos_token_id] * eos
    model = library.AutoModel.from_pretrained(folder).eval().float()
    with torch.inference_mode():
        return model(input_ids=torch.tensor([ids])).last_hidden_state[0].numpy()


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def model(text: str) -> Any:
    return load_model(PresetOptions.from_spec(Spec.parse(text)))


@pytest.mark.parametrize(
    ("preset", "pool"), [("sbert", lambda rows: rows.mean(0)), ("gte-large-zh", lambda rows: rows[0])]
)
def test_pooling_of_a_bert(library, bert, preset, pool):
    texts = ["tariffs rose", "a flood in the north . rain fell"]
    network = model(f"{preset}(path={bert}, device=cpu)").encode_documents(texts)
    for text, vector in zip(texts, network, strict=True):
        np.testing.assert_allclose(vector, unit(pool(states(library, bert, text))), atol=1e-5)


_SMALL = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
_CAUSAL = {**_SMALL, "num_key_value_heads": 2, "head_dim": 4}


@pytest.mark.parametrize(
    ("architecture", "sizes", "presets"),
    [
        ("Bert", _SMALL, ("tmrl-contriever", "tmrl-gte", "tmrl-bge", "bge-large-zh")),
        ("XLMRoberta", {**_SMALL, "max_position_embeddings": 66}, ("me5-large", "bge-m3", "tmrl-bge-m3")),
        ("MPNet", _SMALL, ("sbert",)),
        ("Mistral", _CAUSAL, ("e5-mistral", "sfr")),
        ("Qwen3", _CAUSAL, ("qwen3-embedding-0.6b", "diver")),
    ],
)
def test_presets_pool_the_states_of_their_own_architecture(library, tokenizer, tmp_path, architecture, sizes, presets):
    """With prefixes and lengths of both sides, and in float32 on a CPU whatever the preset says."""
    import torch

    torch.manual_seed(0)
    config = getattr(library, f"{architecture}Config")(vocab_size=len(WORDS), initializer_range=0.5, **sizes)
    folder = str(tmp_path)
    getattr(library, f"{architecture}Model")(config).to(torch.bfloat16).save_pretrained(folder)
    tokenizer(padding_side="left" if sizes is _CAUSAL else "right").save_pretrained(folder)
    texts = ["rain fell", "a flood in the north . rain fell"]
    for name in presets:
        network = model(f"{name}(path={folder}, device=cpu, query_tokens=32, document_tokens=32)")
        preset = get_preset(name)
        for prefix, encode in ((preset.query, network.encode_queries), (preset.document, network.encode_documents)):
            for text, vector in zip(texts, encode(texts), strict=True):
                rows = states(library, folder, prefix + text)
                pooled = {"mean": rows.mean(0), "cls": rows[0], "last": rows[-1]}[preset.pooling]
                expected = unit(pooled) if preset.normalise else pooled
                np.testing.assert_allclose(vector, expected, atol=1e-4, err_msg=name)
                assert vector.dtype == np.float32


def test_the_last_token_is_pooled_on_either_side_of_the_padding(library, qwen, tokenizer, tmp_path):
    texts = ["rain", "a flood in the north . rain fell"]
    expected = [unit(states(library, qwen, f"document : {text}", eos=True)[-1]) for text in texts]
    np.testing.assert_allclose(model(f"rader(path={qwen}, device=cpu)").encode_documents(texts), expected, atol=1e-5)
    tokenizer(ends=False, padding_side="right").save_pretrained(qwen)
    np.testing.assert_allclose(model(f"rader(path={qwen}, device=cpu)").encode_documents(texts), expected, atol=1e-5)


def test_a_cut_text_still_ends_with_the_sign_for_the_end(library, qwen):
    text = "a flood in the north . rain fell"
    network = model(f"rader(path={qwen}, setup=corrected, document_tokens=5, device=cpu)").encode_documents([text])
    np.testing.assert_allclose(
        network[0], unit(states(library, qwen, f"document : {text}", eos=True, most=5)[-1]), atol=1e-5
    )


def test_prefixes_and_lengths_differ_by_role(library, bert):
    network = model(f"me5-large(path={bert}, device=cpu, query_tokens=4)")
    expected = states(library, bert, "query : rain fell in june", most=4).mean(0)
    np.testing.assert_allclose(network.encode_queries(["rain fell in june"])[0], unit(expected), atol=1e-5)
    expected = states(library, bert, "passage : rain fell in june").mean(0)
    np.testing.assert_allclose(network.encode_documents(["rain fell in june"])[0], unit(expected), atol=1e-5)


def test_characters_are_cut_before_the_prefix(library, qwen):
    network = model(f"rader(path={qwen}, device=cpu)")
    long = "rain " * 3000
    np.testing.assert_array_equal(network.encode_documents([long]), network.encode_documents([long[:8192]]))


def test_vectors_keep_their_lengths_where_the_model_was_trained_so(library, bert):
    built = model(f"contriever(path={bert}, setup=corrected, device=cpu)")
    result = built.encode_documents(["rain fell", " "])
    np.testing.assert_allclose(result[0], states(library, bert, "rain fell").mean(0), atol=1e-5)
    assert not result[1].any()


def test_a_dense_system_finds_the_same_text_and_encodes_each_text_once(library, bert, tmp_path, monkeypatch):
    system = make_system(f"sbert(path={bert}, device=cpu)")
    counted: list[str] = []
    encode = type(model(f"sbert(path={bert}, device=cpu)"))._encode_batch
    monkeypatch.setattr(
        "epochal_lab.systems.dense.PooledModel._encode_batch",
        lambda self, texts, *rest: (counted.extend(texts), encode(self, texts, *rest))[1],
    )
    answer = ranked(system, tmp_path / "one", DOCUMENTS[0].text)
    assert [id for id, _ in answer.hits[:2]] == ["d1", "d4"]
    assert answer.hits[0][1] == pytest.approx(1, abs=1e-5)
    assert counted.count(DOCUMENTS[0].text) == 2  # once as a document, once as the question
    before = len(counted)
    assert ranked(system, tmp_path / "two", DOCUMENTS[0].text).hits == answer.hits
    assert len(counted) == before


def test_another_prefix_before_questions_leaves_documents_as_they_are(library, bert, tmp_path):
    paper, corrected = (make_system(f"bge(path={bert}, setup={name}, device=cpu)") for name in ("paper", "corrected"))
    assert paper.store != corrected.store
    one, two = (model(f"bge(path={bert}, setup={name}, device=cpu)") for name in ("paper", "corrected"))
    assert one.name == two.name
    assert one.query_name != two.query_name


def test_other_weights_have_another_name(library, bert, qwen):
    assert model(f"sbert(path={bert}, device=cpu)").name != model(f"sbert(path={qwen}, device=cpu)").name


def test_an_instruction_is_not_pooled(library, bert, tmp_path):
    st = pytest.importorskip("sentence_transformers")
    from sentence_transformers import models

    folder = tmp_path / "instructor"
    word = models.Transformer(bert)
    st.SentenceTransformer(modules=[word, models.Pooling(8, "mean")], device="cpu").save(str(folder))
    network = model(f"inst-l(path={folder}, device=cpu, document_tokens=32, query_tokens=32)")
    rows = states(library, bert, "Represent this query for retrieving relevant documents: rain fell")
    prompt = len(states(library, bert, "Represent this query for retrieving relevant documents: ")) - 1
    np.testing.assert_allclose(network.encode_queries(["rain fell"])[0], unit(rows[prompt:].mean(0)), atol=1e-5)


class Instructed:
    """Stands in for GritLM, whose package cannot be had here: the same constructor and the same `encode`."""

    def __init__(self, name: str, *, torch_dtype: Any, mode: str) -> None:
        assert (torch_dtype, mode) == ("auto", "embedding")
        self.calls: list[tuple[str, int]] = []

    def encode(self, sentences, *, instruction, batch_size=256, max_length=512):
        self.calls.append((instruction, max_length))
        return np.array([[len(text), len(instruction) + 1.0] for text in sentences], np.float32)


def test_gritlm_gets_its_instructions_and_lengths(monkeypatch):
    monkeypatch.setitem(sys.modules, "gritlm", types.SimpleNamespace(GritLM=Instructed))
    network = model("gritlm(device=cpu)")
    network.encode_queries(["rain"])
    network.encode_documents(["rain"])
    general = "Represent this query for retrieving relevant documents: "
    assert network._model.calls[1:] == [(general, 256), ("", 2048)]
    corrected = model("gritlm(device=cpu, setup=corrected)")
    corrected.encode_queries(["rain"])
    assert corrected._model.calls[-1][1] == 2048
    assert corrected._model.calls[-1][0].endswith("<|embed|>\n")


def test_a_model_with_an_encode_of_its_own(library, bert, monkeypatch):
    def encode(self, texts, *, instruction, batch_size=8, max_length=512):
        return np.array([[len(text), len(instruction) + 1.0] for text in texts], np.float32)

    with pytest.raises(EncoderError, match="has no encode of its own"):
        model(f"reasonir(path={bert}, device=cpu)")
    monkeypatch.setattr(library.BertModel, "encode", encode, raising=False)
    network = model(f"reasonir(path={bert}, device=cpu)").encode_documents(["abcd"])
    np.testing.assert_allclose(network[0], unit(np.array([4, 1])), atol=1e-6)


def test_what_is_missing_is_named_in_a_sentence(library, monkeypatch, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(EncoderError, match=r"^system 'sbert' \(.*empty\) cannot be loaded from the hub or a folder: "):
        model(f"sbert(path={tmp_path / 'empty'}, device=cpu)")
    monkeypatch.setitem(sys.modules, "gritlm", None)
    with pytest.raises(MissingExtraError, match=r"system 'gritlm' \(GritLM/GritLM-7B\) needs the package gritlm"):
        model("gritlm(device=cpu)")


def test_no_documents(library, bert, tmp_path):
    with make_system(f"sbert(path={bert}, device=cpu)").open((), tmp_path) as ranker:
        assert next(ranker.answer([BenchQuery("q", "rain")], 3)).hits == ()
