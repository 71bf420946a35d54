"""How a worker comes by the encoder of an index: by its name, or by a copy of the object."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import lru_cache

from epochal.backends.ray.cluster import load_ray
from epochal.encoders import encoder as named_encoder
from epochal.encoders.base import Encoder, EncoderError
from epochal.encoders.nested import prefix_of
from epochal.engine.index import Index
from epochal.errors import EpochalError

__all__ = ["Recipe", "recipe_of"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What makes an encoder: the name that it is asked by, or else its copy; and what must come of it.

    >>> Recipe("static", b"", "", 64).made().dim
    64
    """

    asked: str
    copy: bytes
    identity: str
    dim: int

    def made(self) -> Encoder:
        """The encoder, made once in a process.

        >>> recipe = Recipe("static", b"", "", 256)
        >>> recipe.made() is recipe.made()
        True
        """
        return _made(self)


@lru_cache(maxsize=1)  # a model is large, and a worker serves one index at a time
def _made(recipe: Recipe) -> Encoder:
    found: Encoder = _named(recipe.asked) if recipe.asked else pickle.loads(recipe.copy)
    if found.dim > recipe.dim:
        found = prefix_of(found, recipe.dim)
    if recipe.identity and found.name != recipe.identity:
        raise EpochalError(
            f"the index holds vectors of {recipe.identity!r}, but a worker's encoder is {found.name!r}; install the "
            f"same version of Epochal and the same models on all nodes"
        )
    return found


def _named(asked: str) -> Encoder:
    """The encoder on one core, where it can be told so: there is a worker for every other."""
    try:
        return named_encoder(asked, threads=1)
    except EncoderError:
        return named_encoder(asked)


def recipe_of(index: Index) -> Recipe | None:
    """How the encoder of an index is made elsewhere; None for an index without vectors.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder="static") as index:
    ...     recipe_of(index).asked
    'static'
    """
    if index.encoder is None:
        return None
    asked, _, identity = index.view().encoder_name.partition("@")
    if asked:
        return Recipe(asked, b"", identity, index.encoder.dim)
    try:
        # Also of a class that a notebook or a script defines, which plain pickle would only name.
        copy: bytes = load_ray().cloudpickle.dumps(index.encoder)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise EpochalError(
            f"the encoder {index.encoder.name!r} cannot be sent to workers ({error}); accepted: encoders with a name, "
            f"and objects that can be pickled"
        ) from error
    return Recipe("", copy, identity, index.encoder.dim)
