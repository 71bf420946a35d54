"""Systems by name: Epochal and its scorers, the retrievers of the papers, runs, and what installed packages offer.

No model and no heavy package is loaded before a system is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Final, cast

from epochal.errors import EpochalError, UnknownNameError
from epochal.ranking.registry import scorer_names
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.base import System
from epochal_lab.systems.presets import presets

__all__ = ["GROUP", "Listed", "system", "system_names", "systems"]

#: Where installed packages offer systems: an entry point is a function that makes one of a Spec.
GROUP: Final = "epochal.systems"
_RERANKED: Final = "reranked"
#: For each name the module, the function that makes the system of a spec, and what it is.
_BUILT_IN: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {
        "epochal": ("epochal_lab.systems.engine", "engine_system", "Epochal: its default gate, with time"),
        "plain": ("epochal_lab.systems.engine", "engine_system", "Epochal's words and vectors without time"),
    }
)
_MORE: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {
        "bm25-official": (
            "epochal_lab.systems.bm25",
            "bm25_system",
            "BM25 as TEMPO ran it: Lucene's words, rarity counted twice",
        ),
        "bm25-okapi-zh": (
            "epochal_lab.systems.bm25",
            "bm25_system",
            "BM25 as ChunQiuTR ran it: Han characters and pairs",
        ),
        "bm25-okapi-zh-timekde": (
            "epochal_lab.systems.bm25",
            "bm25_system",
            "the same with a prior over the months of what it finds first",
        ),
        _RERANKED: (
            "epochal_lab.systems.language_models",
            "reranked_system",
            "the first 50 of base=NAME in the order of Qwen3-Reranker",
        ),
        "run": ("epochal_lab.systems.engine", "run_system", "what a TREC run found: run(path=FILE.trec)"),
    }
)
#: By the kind of a preset what makes its system.
_KINDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "dense": ("epochal_lab.systems.dense", "dense_system"),
        "sparse": ("epochal_lab.systems.token_level", "sparse_system"),
        "late": ("epochal_lab.systems.token_level", "late_system"),
        "pqr": ("epochal_lab.systems.language_models", "pqr_system"),
    }
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A system that can be named: its kind, what it is in a line, and for a preset the paper and the model."""

    name: str
    kind: str
    line: str
    paper: str | None = None
    model: str | None = None
    note: str = ""
    setups: tuple[str, ...] = ()


def systems() -> Mapping[str, Listed]:
    """All systems by name."""
    found: dict[str, Listed] = {}
    for name, (_, _, line) in _BUILT_IN.items():
        found[name] = Listed(name, "engine", line)
    for name in scorer_names():
        if name != "gate":
            found.setdefault(name, Listed(name, "engine", f"Epochal's index, ranked by {name}"))
    for name, (_, function, line) in _MORE.items():
        kind = {"bm25_system": "words", "reranked_system": "rerank", "run_system": "run"}[function]
        found[name] = Listed(name, kind, line)
    for name, item in presets().items():
        line = f"{item.paper}'s {item.title}: {item.model}"
        setups = ("paper", "corrected") if item.corrected else ("paper",)
        found[name] = Listed(name, item.kind, line, item.paper, item.model, item.note, setups)
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        found.setdefault(point.name, Listed(point.name, "installed", f"offered by {point.value}"))
    return found


def system_names() -> tuple[str, ...]:
    """The names that `system` knows."""
    return tuple(systems())


def system(text: str) -> System:
    """The system that a name with settings stands for."""
    spec = Spec.parse(text)
    maker = _maker(spec.name)
    if maker is not None:
        module, function = maker
        make = getattr(import_module(module), function)
        if spec.name == _RERANKED:  # the one system over another
            base = spec.settings.get("base")
            return cast("System", make(spec, None if base is None else system(base)))
        return cast("System", make(spec))
    points = [point for point in entry_points(group=GROUP) if point.name == spec.name]
    if not points:
        raise UnknownNameError("system", spec.name, system_names())
    made = cast("Callable[[Spec], System]", points[0].load())(spec)
    if not isinstance(made, System):
        raise EpochalError(f"system {spec.name!r} is a {type(made).__name__}, which has no name, store or open")
    return made


def _maker(name: str) -> tuple[str, str] | None:
    """The module and the function that make a system of ours."""
    if (own := _BUILT_IN.get(name) or _MORE.get(name)) is not None:
        return own[:2]
    if name in scorer_names():
        return "epochal_lab.systems.engine", "engine_system"
    return _KINDS[presets()[name].kind] if name in presets() else None
