"""Scorers by name: the default gate, the published baselines, and those of installed packages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, Final, cast

from epochal.errors import EpochalError, UnknownNameError
from epochal.ranking.pool import Scorer

__all__ = ["DEFAULT", "GROUP", "scorer", "scorer_names"]

#: The scorer that is used unless another is asked for.
DEFAULT = "gate"
#: Where installed packages offer scorers: an entry point is a class or function that makes one.
GROUP = "epochal.scorers"

#: What stands before the name of a file with weights, or of a model's folder.
_FILE: Final = "gate:"
_RE3: Final = "re3"
_GATE_RE3: Final = "gate+re3"
_CTD: Final = "ctd"
_GATE_CTD: Final = "gate+ctd"
_BASELINES: Final = "epochal.ranking.baselines"
#: For each name the module and the class that make the scorer, and with which settings.
_BUILT_IN: Final[Mapping[str, tuple[str, str, Mapping[str, Any]]]] = MappingProxyType(
    {
        "gate": ("epochal.ranking.gate", "Gate", {}),
        "bm25": (f"{_BASELINES}.bm25", "Bm25", {}),
        "dense": (f"{_BASELINES}.dense", "Dense", {}),
        "rrf": (f"{_BASELINES}.rrf", "ReciprocalRank", {}),
        "zscore": (f"{_BASELINES}.zscore", "ZScore", {}),
        "symbolic": (f"{_BASELINES}.symbolic", "Symbolic", {}),
        "bm25-timekde": (f"{_BASELINES}.timekde", "TimeKDE", {}),
        "bm25-timekde-asked": (f"{_BASELINES}.timekde", "TimeKDE", {"asked": True}),
        "tempralm": (f"{_BASELINES}.tempralm", "TempRALM", {}),
        "zscore-time": (f"{_BASELINES}.zscore_time", "ZScoreTime", {}),
        "tagged-dense": (f"{_BASELINES}.tagged_dense", "TaggedDense", {}),
        "tempretriever-tag": (f"{_BASELINES}.tempretriever", "TempRetriever", {"fusion": "tag"}),
        "tempretriever-fs": (f"{_BASELINES}.tempretriever", "TempRetriever", {"fusion": "fs"}),
        "tempretriever-vs": (f"{_BASELINES}.tempretriever", "TempRetriever", {"fusion": "vs"}),
        "tempretriever-ewi": (f"{_BASELINES}.tempretriever", "TempRetriever", {"fusion": "ewi"}),
        "tempretriever-fs-waves": (f"{_BASELINES}.tempretriever", "TempRetriever", {"fusion": "fs", "time": "waves"}),
        "tempretriever-vs-waves": (f"{_BASELINES}.tempretriever", "TempRetriever", {"fusion": "vs", "time": "waves"}),
        "tempretriever-ewi-waves": (f"{_BASELINES}.tempretriever", "TempRetriever", {"fusion": "ewi", "time": "waves"}),
        "time-decay": (f"{_BASELINES}.time_decay", "TimeDecay", {}),
        "time-decay-lexical": (f"{_BASELINES}.time_decay", "TimeDecay", {"relevance": "lexical"}),
    }
)


def scorer_names() -> tuple[str, ...]:
    """The names that `scorer` knows; those of Re3 only where a model comes with the package.

    >>> scorer_names()[:5]
    ('gate', 'bm25', 'dense', 'rrf', 'zscore')
    """
    from epochal.ranking.learned.scorer import shipped_folder

    learned = () if shipped_folder() is None else (_RE3, _GATE_RE3)
    own = (*_BUILT_IN, *learned)
    return (*own, *sorted({point.name for point in entry_points(group=GROUP)} - set(own)))


def scorer(name: str | None = None) -> Scorer:
    """The scorer of that name; `gate:FILE` is the gate with the weights of a file that `epochal train gate` wrote.

    `re3:FOLDER` ranks with a model that `epochal train re3` wrote, `gate+re3:FOLDER` adds it to the gate's own parts.
    `ctd:FOLDER` and `gate+ctd:FOLDER` do so with what `epochal train ctd` has learned of undated texts.

    >>> scorer().name, scorer("tempretriever-ewi").name
    ('gate', 'tempretriever-ewi')
    """
    asked = name or DEFAULT
    if asked.startswith(_FILE):
        from epochal.ranking.gate import Gate, read_weights

        return cast("Scorer", Gate(read_weights(asked.removeprefix(_FILE))))
    kind, _, folder = asked.partition(":")
    if kind in (_RE3, _GATE_RE3):
        return _learned(kind, folder)
    if kind in (_CTD, _GATE_CTD) and folder:
        return _dated(kind, folder)
    if asked in _BUILT_IN:
        module, attribute, settings = _BUILT_IN[asked]
        return cast("Scorer", getattr(import_module(module), attribute)(**settings))
    points = [point for point in entry_points(group=GROUP) if point.name == asked]
    if not points:
        folders = (f"{name}:FOLDER" for name in (_RE3, _GATE_RE3, _CTD, _GATE_CTD))
        raise UnknownNameError("scorer", asked, (*scorer_names(), f"{_FILE}FILE", *folders))
    made = cast("Callable[[], Scorer]", points[0].load())()
    if not isinstance(made, Scorer):
        raise EpochalError(f"scorer {asked!r} is a {type(made).__name__}, which has no name or no method score")
    return made


def _learned(kind: str, folder: str) -> Scorer:
    from epochal.ranking.learned.gated import GateRe3
    from epochal.ranking.learned.scorer import Re3

    made = Re3.read(folder or None) if kind == _RE3 else GateRe3.read(folder or None)
    return cast("Scorer", made)


def _dated(kind: str, folder: str) -> Scorer:
    from epochal.ranking.dating.scorers import Dated, GateDated

    made = Dated.read(folder) if kind == _CTD else GateDated.read(folder)
    return cast("Scorer", made)
