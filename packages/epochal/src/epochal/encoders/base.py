"""The `Encoder` protocol, and checks of input and output that all encoders share."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, MissingExtraError

#: One row a text.
Vectors = npt.NDArray[np.float32]


#: How the names of encoders begin whose vectors do not depend on the order of words.
UNORDERED: Final = "static-"


class EncoderError(EpochalError):
    """An encoder cannot be loaded, was given something other than texts, or gave something other than vectors.

    >>> raise EncoderError("encoder 'mine': row 3 holds nan")
    Traceback (most recent call last):
    ...
    epochal.encoders.base.EncoderError: encoder 'mine': row 3 holds nan
    """


@contextmanager
def wrap_model_errors(name: str, action: str) -> Iterator[None]:
    """Turn whatever ONNX Runtime and tokenizers raise into one sentence; their errors have no class in common.

    >>> with wrap_model_errors("mine", "loaded"):
    ...     raise RuntimeError("Protobuf parsing failed.\\nat line 3")
    Traceback (most recent call last):
    ...
    epochal.encoders.base.EncoderError: encoder 'mine' cannot be loaded: Protobuf parsing failed.
    """
    try:
        yield
    except EpochalError:
        raise
    except Exception as error:
        reason = "there is not enough memory" if isinstance(error, MemoryError) else str(error).strip()
        raise EncoderError(
            f"encoder {name!r} cannot be {action}: {(reason or type(error).__name__).splitlines()[0]}"
        ) from error


@runtime_checkable
class Encoder(Protocol):
    """Texts to vectors of length 1, whose inner product says how alike two texts are.

    A text in which the encoder finds nothing to read (the empty text, or blanks alone) has the zero vector, which is
    like no other: its inner product with everything is 0. A text's vector does not depend on the texts encoded with
    it. Whoever writes an encoder needs these four names and no base class:

    >>> class Lengths:
    ...     name, dim = "lengths-1", 2
    ...     def encode_documents(self, texts):
    ...         return unit_rows([[len(text), text.count(" ")] for text in texts])
    ...     encode_queries = encode_documents
    >>> isinstance(Lengths(), Encoder)
    True
    >>> Lengths().encode_documents(["a b c", ""]).tolist()
    [[0.9284766912460327, 0.3713906705379486], [0.0, 0.0]]
    """

    @property
    def name(self) -> str:
        """Which vectors these are, version included: equal names mean that vectors can be compared."""
        ...

    @property
    def dim(self) -> int:
        """How many numbers a vector has."""
        ...

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts to be found, one row a text."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of questions, one row a text; some models treat them otherwise than documents."""
        ...


def check_texts(name: str, texts: Sequence[str]) -> list[str]:
    r"""The texts as a list, each of them fit for a tokenizer; anything but a sequence of texts is an error.

    Half a surrogate pair, which some JSON carries and which no UTF-8 can, becomes a question mark.
    """
    if isinstance(texts, str):
        excerpt = texts if len(texts) <= 40 else f"{texts[:37]}..."
        raise EncoderError(f"encoder {name!r} was given one text, {excerpt!r}; give a list of texts")
    checked = []
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise EncoderError(
                f"encoder {name!r}: row {row} is of type {type(text).__name__}; every row must be a text"
            )
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode(errors="replace").decode()  # noqa: PLW2901
        checked.append(text)
    return checked


def check_vectors(name: str, dim: int, count: int, vectors: npt.ArrayLike) -> Vectors:
    """Vectors as float32, if they are `count` rows of `dim` finite numbers; else an error that says what is wrong."""
    try:
        array = np.ascontiguousarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EncoderError(f"encoder {name!r} gave no array of numbers but a {type(vectors).__name__}") from error
    if array.shape != (count, dim):
        raise EncoderError(f"encoder {name!r} gave an array of shape {array.shape}; {count} texts need {(count, dim)}")
    finite = np.isfinite(array).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        bad = array[row][~np.isfinite(array[row])][0]
        raise EncoderError(f"encoder {name!r}: row {row} of {count} holds {bad}; every number must be finite")
    return array


def unit_rows(rows: npt.ArrayLike) -> Vectors:
    """Rows of length 1; rows of zeros stay as they are."""
    unit = np.array(rows, dtype=np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", unit, unit))
    unit /= np.where(lengths > 0, lengths, 1)[:, None]
    return unit


def import_extra(package: str, what: str, extra: str) -> Any:
    """A package that only an extra brings; where it is missing, one sentence says how to get it."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        # A package that is there but lacks one of its own is another trouble, and says so itself.
        if error.name != package.partition(".")[0]:
            raise
        raise MissingExtraError(what, package, extra) from None
