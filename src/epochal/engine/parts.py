"""Reading an index that lies in parts, of which some may not answer: what is missing is said, never passed over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from epochal.engine.response import Applied
from epochal.errors import PartLostError
from epochal.index.backend import SupportsParts, View

__all__ = ["missing_parts", "over_parts", "told_missing"]

T = TypeVar("T")

#: So often a new view is taken when a part of the last one was lost.
_TRIES: Final = 4


def missing_parts(view: View) -> tuple[str, ...]:
    """The parts that a view does without; none for an index that has no parts.

    >>> from types import SimpleNamespace
    >>> missing_parts(SimpleNamespace(missing=("north",))), missing_parts(SimpleNamespace())
    (('north',), ())
    """
    return view.missing if isinstance(view, SupportsParts) else ()


def told_missing(missing: tuple[str, ...]) -> tuple[Applied, ...]:
    """What a response says of missing parts.

    >>> told_missing(("north",))[0].sentence
    'did without the shard north, which does not answer: what it holds was not searched'
    """
    if not missing:
        return ()
    if len(missing) == 1:
        words = f"the shard {missing[0]}, which does not answer: what it holds was not searched"
    else:
        words = f"the shards {', '.join(missing)}, which do not answer: what they hold was not searched"
    return (Applied("missing", f"did without {words}", strict=True),)


def over_parts(take: Callable[[], View], read: Callable[[View], T]) -> T:
    """What is read in one view; where a part of it is lost meanwhile, all of it again in a new view without that part.

    So an answer is always that of one state, and knows what it did without.

    >>> over_parts(lambda: None, lambda view: 42)
    42
    """
    for _ in range(_TRIES):
        try:
            return read(take())
        except PartLostError:
            continue
    return read(take())
