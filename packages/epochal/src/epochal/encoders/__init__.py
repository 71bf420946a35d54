"""Text to vectors: encoders by name, in batches, with a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.encoders.base import Encoder as Encoder
    from epochal.encoders.base import EncoderError as EncoderError
    from epochal.encoders.registry import encoder as encoder
    from epochal.encoders.registry import encoder_names as encoder_names
    from epochal.encoders.wrappers import CachedEncoder as CachedEncoder

__all__ = ["CachedEncoder", "Encoder", "EncoderError", "encoder", "encoder_names"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.encoders.base": "Encoder EncoderError",
        "epochal.encoders.registry": "encoder encoder_names",
        "epochal.encoders.wrappers": "CachedEncoder",
    },
)
