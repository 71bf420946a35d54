"""Scorers by name: the engine's own, and those that installed packages offer by entry point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final, cast

from epochal.errors import EpochalError, UnknownNameError
from epochal.lazy import entry_points
from epochal.ranking.pool import Scorer

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: The scorer that is used unless another is named.
DEFAULT = "gate"
#: Where installed packages offer scorers: an entry point is a class or function that makes one. A name such as
#: `re3:FOLDER` says that it takes an argument: for `re3:models/mine` it is called with "models/mine".
GROUP = "epochal.scorers"

_CTD: Final = "ctd"
_GATE_CTD: Final = "gate+ctd"
#: What the engine's own scorers take after their name and a colon.
_ARGUMENTS: Final = {DEFAULT: "FILE", _CTD: "FOLDER", _GATE_CTD: "FOLDER"}


@cache  # looking through all that is installed takes a tenth of a second
def _find_entry_points() -> Mapping[str, EntryPoint]:
    """The entry points by name without the argument; the engine's own names cannot be taken."""
    points = {point.name.partition(":")[0]: point for point in entry_points(group=GROUP)}
    return {name: points[name] for name in sorted(points.keys() - _ARGUMENTS.keys())}


def _takes_argument(point: EntryPoint) -> bool:
    return ":" in point.name


def list_scorers() -> tuple[str, ...]:
    """The names that `load_scorer` knows without an argument, the default first."""
    points = _find_entry_points()
    return (DEFAULT, *(name for name, point in points.items() if not _takes_argument(point)))


def load_scorer(name: str | None = None) -> Scorer:
    """The scorer of that name; `gate:FILE` is the gate with the weights of a file that `epochal train gate` wrote.

    `ctd:FOLDER` and `gate+ctd:FOLDER` rank with what `epochal train ctd` has learned of undated texts. Installed
    packages add more; of `re3:FOLDER` the entry point is called with what follows the colon.
    """
    kind, colon, argument = (name or DEFAULT).partition(":")
    if kind == DEFAULT and (argument or not colon):
        return _make_weighted(argument)
    if kind in (_CTD, _GATE_CTD) and argument:
        return _make_estimating(kind, argument)
    point = _find_entry_points().get(kind)
    if point is None or (colon and not _takes_argument(point)):
        raise UnknownNameError("scorer", name or DEFAULT, _list_forms())
    make = cast("Callable[..., Scorer]", point.load())
    scorer = make(argument) if argument else make()
    if not isinstance(scorer, Scorer):
        raise EpochalError(f"scorer {name!r} is a {type(scorer).__name__}, which has no name or no method score")
    return scorer


def _list_forms() -> tuple[str, ...]:
    """All forms of a name, for people to read."""
    own = (f"{name}:{argument}" for name, argument in _ARGUMENTS.items())
    points = _find_entry_points()
    others = (point.name for point in points.values() if _takes_argument(point))
    hint = () if points else ("published baselines after `pip install epochal-lab`",)
    return (*list_scorers(), *own, *others, *hint)


def _make_weighted(file: str) -> Scorer:
    from epochal.ranking.scorer import WeightedScorer, read_weights

    return cast("Scorer", WeightedScorer(read_weights(file)) if file else WeightedScorer())


def _make_estimating(kind: str, folder: str) -> Scorer:
    from epochal.ranking.dating.scorers import EstimateScorer, WeightedEstimateScorer

    return cast("Scorer", EstimateScorer.read(folder) if kind == _CTD else WeightedEstimateScorer.read(folder))
