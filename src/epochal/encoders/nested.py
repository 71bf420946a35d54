"""Encoders whose vectors are cut: the first numbers of a vector, made of length 1 again."""

from __future__ import annotations

from collections.abc import Sequence

from epochal.encoders.base import Encoder, EncoderError, Vectors
from epochal.index.nested import prefix_name, truncated

__all__ = ["PrefixEncoder", "nested_dims", "prefix_of"]


class PrefixEncoder:
    """The first `dims` numbers of the vectors of another encoder. Any encoder can be cut; see `nested_dims`.

    >>> from epochal.encoders import encoder
    >>> short = PrefixEncoder(encoder("static"), 64)
    >>> short.encode_documents(["It rained.", ""]).shape, short.name == f"{encoder('static').name}[:64]"
    ((2, 64), True)
    >>> PrefixEncoder(encoder("static"), 300)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal.encoders.base.EncoderError: dims must be from 1 to 256, the length of the vectors of 'static-...', but is
    300
    """

    def __init__(self, encoder: Encoder, dims: int) -> None:
        if not isinstance(dims, int) or isinstance(dims, bool) or not 1 <= dims <= encoder.dim:
            raise EncoderError(
                f"dims must be from 1 to {encoder.dim}, the length of the vectors of {encoder.name!r}, but is {dims!r}"
            )
        self.encoder: Encoder = encoder.encoder if isinstance(encoder, PrefixEncoder) else encoder
        self.dim = dims

    @property
    def name(self) -> str:
        """The name of the encoder within, and the length: vectors of two lengths cannot be compared.

        >>> from epochal.encoders import encoder
        >>> PrefixEncoder(PrefixEncoder(encoder("static"), 64), 32).name.partition("[")[2]
        ':32]'
        """
        return prefix_name(self.encoder.name, self.dim)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts to be found, cut.

        >>> from epochal.encoders import encoder
        >>> PrefixEncoder(encoder("static"), 64).encode_documents([]).shape
        (0, 64)
        """
        return truncated(self.encoder.encode_documents(texts), self.dim)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of questions, cut.

        >>> from epochal.encoders import encoder
        >>> PrefixEncoder(encoder("static"), 64).encode_queries(["Did it rain?"]).shape
        (1, 64)
        """
        return truncated(self.encoder.encode_queries(texts), self.dim)


def prefix_of(encoder: Encoder, dims: int) -> Encoder:
    """An encoder of vectors of `dims` numbers: the given one where its vectors are as long, else a `PrefixEncoder`.

    >>> from epochal.encoders import encoder
    >>> static = encoder("static")
    >>> prefix_of(static, 256) is static, prefix_of(static, 64).dim
    (True, 64)
    """
    return encoder if dims == encoder.dim else PrefixEncoder(encoder, dims)


def nested_dims(encoder: Encoder) -> tuple[int, ...]:
    """The lengths at which an encoder was trained to be cut, as its attribute `nested_dims` has them; often none.

    An encoder that stands for another one, such as a `CachedEncoder`, has those of the other.

    >>> from epochal.encoders import encoder
    >>> nested_dims(encoder("static"))
    ()
    >>> class Mine:
    ...     name, dim, nested_dims = "mine", 3, (1, 2, 3)
    ...     encode_documents = encode_queries = None
    >>> nested_dims(PrefixEncoder(Mine(), 2))
    (1, 2, 3)
    """
    found: object = encoder
    while not hasattr(found, "nested_dims") and hasattr(found, "encoder"):
        found = found.encoder
    return tuple(getattr(found, "nested_dims", ()))
