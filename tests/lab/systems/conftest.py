"""Tiny models that the tests make and save: a word a token, two small layers, random weights."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tiny_models import WORDS


@pytest.fixture(scope="session")
def library() -> Any:
    """The module transformers, or the test is skipped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("torch", reason="needs the extra train")
        return pytest.importorskip("transformers", reason="needs the extra train")


@pytest.fixture(scope="session")
def tokenizer(library: Any) -> Callable[..., Any]:
    """A tokenizer that knows a few words, with signs at the ends of a text or without."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    def make(*, ends: bool = True, padding_side: str = "right", extra: tuple[str, ...] = ()) -> Any:
        words = {word: number for number, word in enumerate((*WORDS, *extra))}
        tokens = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
        tokens.pre_tokenizer = pre_tokenizers.Whitespace()
        if ends:
            signs = [("[CLS]", words["[CLS]"]), ("[SEP]", words["[SEP]"])]
            tokens.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=signs)
        return library.PreTrainedTokenizerFast(
            tokenizer_object=tokens,
            pad_token="[PAD]",
            unk_token="[UNK]",
            cls_token="[CLS]",
            sep_token="[SEP]",
            mask_token="[MASK]",
            eos_token="[EOS]",
            padding_side=padding_side,
            model_max_length=32,
        )

    return make


@pytest.fixture
def bert(library: Any, tokenizer: Callable[..., Any], tmp_path: Path) -> str:
    """The folder of a tiny BERT."""
    import torch

    torch.manual_seed(0)
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 64}
    config = library.BertConfig(vocab_size=len(WORDS), hidden_size=8, initializer_range=0.5, **sizes)
    folder = tmp_path / "bert"
    library.BertModel(config).eval().save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return str(folder)


@pytest.fixture
def qwen(library: Any, tokenizer: Callable[..., Any], tmp_path: Path) -> str:
    """The folder of a tiny causal model, with left padding and no sign at the end."""
    import torch

    torch.manual_seed(0)
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 16}
    config = library.Qwen2Config(
        vocab_size=len(WORDS), hidden_size=8, initializer_range=0.5, max_position_embeddings=512, **sizes
    )
    folder = tmp_path / "qwen"
    library.Qwen2ForCausalLM(config).eval().save_pretrained(folder)
    tokenizer(ends=False, padding_side="left").save_pretrained(folder)
    return str(folder)
