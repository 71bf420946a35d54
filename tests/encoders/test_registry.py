"""Encoders by name."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import numpy as np
import pytest

from epochal.encoders import registry
from epochal.encoders.base import EncoderError
from epochal.encoders.bundled import MiniLM, StaticEncoder
from epochal.encoders.registry import DEFAULT, encoder, encoder_names
from epochal.errors import UnknownNameError


class Ones:
    """An encoder of another package."""

    dim = 2

    def __init__(self, name: str = "ones-1") -> None:
        self.name = name

    def encode_documents(self, texts):
        return np.full((len(texts), 2), 0.5**0.5, np.float32)

    encode_queries = encode_documents


class Nothing:
    """No encoder at all."""


@pytest.fixture
def installed(monkeypatch):
    def install(*points: tuple[str, str]) -> None:
        result = EntryPoints(EntryPoint(name, f"{__name__}:{value}", registry.GROUP) for name, value in points)
        monkeypatch.setattr(registry, "entry_points", lambda group: result.select(group=group))
        monkeypatch.setitem(__import__("sys").modules, __name__, __import__("types").SimpleNamespace(**globals()))

    return install


def test_the_default_is_minilm():
    assert DEFAULT == "minilm"
    assert isinstance(encoder(), MiniLM)


def test_names_make_their_encoders():
    assert isinstance(encoder("minilm", threads=1, max_tokens=64), MiniLM)
    assert isinstance(encoder("static"), StaticEncoder)


@pytest.mark.parametrize("name", ["", "st:", "Minilm", "word2vec"])
def test_an_unknown_name_lists_those_that_are_known(name):
    with pytest.raises(UnknownNameError) as caught:
        encoder(name)
    known = "minilm, static, multilingual, epochal-tmrl, st:MODEL, tmrl:FOLDER, annals:FOLDER"
    assert str(caught.value) == f"no encoder is called {name!r}; known: {known}"


def test_options_that_an_encoder_does_not_take():
    with pytest.raises(EncoderError, match="encoder 'static' does not take these options: threads"):
        encoder("static", threads=2)


def test_encoders_of_other_packages(installed):
    installed(("ones", "Ones"))
    assert encoder_names() == ("minilm", "static", "multilingual", "ones")
    assert encoder("ones", name="ones-2").name == "ones-2"


def test_a_built_in_name_cannot_be_taken(installed):
    installed(("minilm", "Ones"))
    assert encoder_names() == ("minilm", "static", "multilingual")
    assert isinstance(encoder("minilm"), MiniLM)


def test_two_of_the_same_name(installed):
    installed(("ones", "Ones"), ("ones", "Nothing"))
    with pytest.raises(EncoderError, match="two installed packages offer an encoder called 'ones'"):
        encoder("ones")


def test_something_that_is_no_encoder(installed):
    installed(("nothing", "Nothing"))
    with pytest.raises(EncoderError, match="encoder 'nothing' is a Nothing, which lacks"):
        encoder("nothing")
