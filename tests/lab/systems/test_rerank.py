from __future__ import annotations

import numpy as np
import pytest

from epochal.encoders.base import EncoderError
from epochal.errors import EpochalError
from epochal_lab.systems import language_models as rerank
from epochal_lab.systems.engine import RunSystem
from epochal_lab.systems.language_models import RerankedSystem, YesNoReranker
from epochal_lab.systems.registry import make_system
from tiny_models import ranked

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def run(tmp_path):
    """A run that found all four."""
    (tmp_path / "a.trec").write_text("".join(f"q Q0 d{n} {n} {1 / n} mine\n" for n in (1, 2, 3, 4)))
    return RunSystem(str(tmp_path / "a.trec"))


def test_yes_against_no_is_the_model_s(library, qwen):
    import torch

    built = YesNoReranker(qwen, device="cpu", batch=2)
    texts = ["rain", "a flood in the north . rain fell", "tariffs rose in may 1998 ."]
    result = built.score("rain in may", texts)
    tokenizer = library.AutoTokenizer.from_pretrained(qwen)
    model = library.AutoModelForCausalLM.from_pretrained(qwen).eval()
    for text, value in zip(texts, result, strict=True):
        query = f"<Instruct>: {rerank._RERANK_TASK}\n<Query>: rain in may\n<Document>: {text}"
        ids = tokenizer(rerank._BEFORE + query + rerank._AFTER, add_special_tokens=False, return_tensors="pt")
        with torch.inference_mode():
            logits = model(input_ids=ids["input_ids"]).logits[0, -1]
        no, yes = (float(logits[tokenizer.convert_tokens_to_ids(word)]) for word in ("no", "yes"))
        assert value == pytest.approx(np.exp(yes) / (np.exp(yes) + np.exp(no)), abs=1e-4)
    assert len({round(value, 6) for value in result}) == 3


def test_a_long_document_is_cut_and_the_form_kept(library, qwen):
    result = YesNoReranker(qwen, device="cpu", tokens=200)
    long, longer = result.score("rain", ["rain " * 400, "rain " * 500])
    assert long == pytest.approx(longer, abs=1e-5)
    with pytest.raises(EncoderError, match="its prompt alone has as many"):
        YesNoReranker(qwen, device="cpu", tokens=20)


def test_the_first_are_reordered_and_the_rest_stay_behind(library, qwen, run, tmp_path, monkeypatch):
    likely = {"rain fell in june .": 0.9, "a flood in the north": 0.2, "tariffs rose in may 1998 .": 0.1}
    monkeypatch.setattr(YesNoReranker, "score", lambda self, question, texts: [likely[text] for text in texts])
    result = RerankedSystem("mine", run, qwen, top=3, device="cpu")
    assert result.store == run.store
    assert ranked(result, tmp_path, "rain").hits == (("d2", 0.9), ("d3", 0.2), ("d1", 0.1), ("d4", -1.0))
    assert ranked(result, tmp_path, "rain", k=2).hits == (("d2", 0.9), ("d3", 0.2))


def test_by_name(library, qwen, tmp_path):
    system = make_system(f"reranked(base=bm25-official, path={qwen}, top=2, device=cpu)")
    assert system.name == f"reranked(base=bm25-official, path={qwen}, top=2)"
    assert {id for id, _ in ranked(system, tmp_path, "tariffs").hits} == {"d1", "d4"}


def test_mistakes_are_named(library, bert, tokenizer, tmp_path):
    for text in ("reranked(base=bm25, top=0)", "reranked(base=bm25, top=some)"):
        with pytest.raises(EpochalError, match="top must be a whole number from 1"):
            make_system(text)
    with pytest.raises(EncoderError, match=r"^reranker '.*nothing' cannot be loaded"):
        (tmp_path / "nothing").mkdir() or YesNoReranker(str(tmp_path / "nothing"), device="cpu")
