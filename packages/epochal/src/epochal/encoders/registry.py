"""Encoders by name: the built-in ones, those of installed packages, and any model of sentence-transformers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

from epochal.encoders.base import Encoder, EncoderError
from epochal.errors import UnknownNameError
from epochal.lazy import entry_points

#: The encoder that is used unless another is asked for.
DEFAULT = "minilm"
#: Where installed packages offer encoders: an entry point is a class or function that makes one.
GROUP = "epochal.encoders"

_BUILT_IN = {
    "minilm": ("epochal.encoders.bundled", "MiniLM"),
    "static": ("epochal.encoders.bundled", "StaticEncoder"),
    "multilingual": ("epochal.encoders.external", "MultilingualEncoder"),
}
_HUB = "st:"
_ANNALS = "annals:"
_ADAPTED = "tmrl:"
#: The adapter that ships with the package, where one does.
_SHIPPED = "epochal-tmrl"


def encoder_names() -> tuple[str, ...]:
    """The names that `encoder` knows; besides, `st:MODEL` names any model of sentence-transformers.

    And `annals:FOLDER` is an encoder of classical Chinese that was trained here, from its folder; `tmrl:FOLDER` is
    minilm with an adapter that was trained here, and `epochal-tmrl` the one with the adapter that ships.

    >>> encoder_names()[:3]
    ('minilm', 'static', 'multilingual')
    """
    return (*_BUILT_IN, *sorted({point.name for point in entry_points(group=GROUP)} - set(_BUILT_IN)))


def encoder(name: str = DEFAULT, /, **options: Any) -> Encoder:
    """The encoder of that name; options go to whatever makes it.

    >>> encoder("static").dim
    256
    >>> encoder("minilm", threads=1).dim
    384
    >>> encoder("word2vec")
    Traceback (most recent call last):
    ...
    epochal.errors.UnknownNameError: no encoder is called 'word2vec'; known: minilm, static, multilingual, epochal-tmrl,
    st:MODEL, tmrl:FOLDER, annals:FOLDER
    """
    make = _find_factory(name)
    try:
        loaded = make(**options)
    except TypeError as error:
        if not options:
            raise
        raise EncoderError(f"encoder {name!r} does not take these options: {', '.join(options)} ({error})") from error
    if not isinstance(loaded, Encoder):
        raise EncoderError(f"encoder {name!r} is a {type(loaded).__name__}, which lacks a name that Encoder asks for")
    return loaded


def _find_factory(name: str) -> Callable[..., Encoder]:
    if name in _BUILT_IN:
        module, attribute = _BUILT_IN[name]
        return cast("Callable[..., Encoder]", getattr(import_module(module), attribute))
    if name.startswith(_HUB) and name != _HUB:
        from epochal.encoders.external import TransformerEncoder

        return lambda **options: TransformerEncoder(name.removeprefix(_HUB), **options)
    if name.startswith(_ANNALS) and name != _ANNALS:
        from epochal.encoders.external import AnnalsEncoder

        return lambda **options: AnnalsEncoder(name.removeprefix(_ANNALS), **options)
    if name == _SHIPPED or (name.startswith(_ADAPTED) and name != _ADAPTED):
        from epochal.encoders.tmrl import TMRLEncoder

        return lambda **options: TMRLEncoder(name.removeprefix(_ADAPTED) if name != _SHIPPED else None, **options)
    points = [point for point in entry_points(group=GROUP) if point.name == name]
    if len(points) > 1:
        raise EncoderError(f"two installed packages offer an encoder called {name!r}; uninstall one of them")
    if not points:
        families = (_SHIPPED, f"{_HUB}MODEL", f"{_ADAPTED}FOLDER", f"{_ANNALS}FOLDER")
        raise UnknownNameError("encoder", name, (*encoder_names(), *families))
    return cast("Callable[..., Encoder]", points[0].load())
