"""What a search that asks for `dims` compares: a view and an encoder of shorter vectors, or a funnel."""

from __future__ import annotations

from epochal.encoders.base import Encoder
from epochal.encoders.nested import nested_dims, prefix_of
from epochal.engine.request import Request
from epochal.engine.response import Applied
from epochal.index.backend import View

__all__ = ["nested"]


def nested(view: View, encoder: Encoder | None, request: Request) -> tuple[View, Encoder | None, tuple[Applied, ...]]:
    """The view and the encoder that a request is answered with, and what the response says of it.

    >>> import tempfile
    >>> from epochal.encoders import encoder
    >>> from epochal.index.store import Store
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder, "static", 256) as store:
    ...     view, short, told = nested(store.view(), encoder("static"), Request("tariffs", dims=64))
    >>> view.dim, short.dim
    (64, 64)
    >>> print(told[0].sentence)
    compares vectors by their first 64 of 256 numbers (the encoder was not trained to be cut there)
    """
    if request.dims is None:
        return view, encoder, ()
    dims, shortlist, whole = request.dims, request.shortlist, view.dim
    found = view.nested(dims, shortlist)
    if encoder is None or dims == whole:
        return found, encoder, ()
    sentence = f"compares vectors by their first {dims} of {whole} numbers"
    if shortlist is not None:
        sentence = f"finds {shortlist:,} passages by the first {dims} of {whole} numbers of vectors, ranks them by all"
    if dims not in nested_dims(encoder):
        sentence += " (the encoder was not trained to be cut there)"
    return found, encoder if shortlist is not None else prefix_of(encoder, dims), (Applied("dims", sentence),)
