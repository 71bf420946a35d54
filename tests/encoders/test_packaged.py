"""The files that ship."""

from __future__ import annotations

import pytest

from epochal.encoders.base import EncoderError
from epochal.encoders.bundled import data_file, load_tokenizer, read_card


def test_a_missing_file_is_named():
    with pytest.raises(EncoderError, match=r"no\.onnx is missing from this installation; reinstall epochal"):
        data_file("minilm", "no.onnx")


def test_cards_are_of_their_encoders():
    assert (read_card("minilm").dim, read_card("static").dim) == (384, 256)
    assert read_card("minilm").version != read_card("static").version


def test_the_tokenizer_neither_pads_nor_cuts():
    tokens = load_tokenizer()
    assert len(tokens.encode("law " * 1000).ids) == 1002
    assert len(tokens.encode("law").ids) == 3
    assert tokens.get_vocab_size() == 30522
