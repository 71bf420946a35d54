"""Systems by name: Epochal and its scorers, the retrievers of the papers, runs, and those of installed packages.

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
from epochal.ranking.registry import list_scorers
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.base import System
from epochal_lab.systems.presets import load_presets
from epochal_lab.systems.shortcuts import SHORTCUTS

#: The entry points of installed packages: functions that make a system from a Spec.
GROUP: Final = "epochal.systems"
_RERANKED: Final = "reranked"
#: What any figure is read beside: plain BM25 for every script, the year match, and the newest first.
BASELINES: Final = ("bm25-plain", "shortcut-year", "shortcut-newest")
#: By name: the module, the function that makes the system from a spec, and a description.
_BUILT_IN: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {
        "epochal": ("epochal_lab.systems.engine", "make_engine_system", "Epochal: its default gate, with time"),
        "plain": ("epochal_lab.systems.engine", "make_engine_system", "Epochal's words and vectors without time"),
    }
)
_MORE: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {
        "bm25-official": (
            "epochal_lab.systems.bm25",
            "make_bm25_system",
            "BM25 as TEMPO ran it: Lucene's words, rarity counted twice",
        ),
        "bm25-plain": (
            "epochal_lab.systems.shortcuts",
            "make_words_system",
            "plain BM25: Lucene's words, or Han characters and pairs",
        ),
        "bm25-okapi-zh": (
            "epochal_lab.systems.bm25",
            "make_bm25_system",
            "BM25 as ChunQiuTR ran it: Han characters and pairs",
        ),
        "bm25-okapi-zh-timekde": (
            "epochal_lab.systems.bm25",
            "make_bm25_system",
            "the same with a prior over the months of what it finds first",
        ),
        _RERANKED: (
            "epochal_lab.systems.language_models",
            "make_reranked_system",
            "the first 50 of base=NAME in the order of Qwen3-Reranker",
        ),
        "run": ("epochal_lab.systems.engine", "make_run_system", "what a TREC run found: run(path=FILE.trec)"),
        **{name: ("epochal_lab.systems.shortcuts", "make_shortcut_system", line) for name, line in SHORTCUTS.items()},
    }
)
#: The kind that the list shows, by the function that makes a system.
_KINDS_OF_FUNCTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "make_bm25_system": "words",
        "make_words_system": "words",
        "make_reranked_system": "rerank",
        "make_run_system": "run",
        "make_shortcut_system": "shortcut",
    }
)
#: By kind of preset: the module and the function that makes its system.
_KINDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "dense": ("epochal_lab.systems.dense", "make_dense_system"),
        "sparse": ("epochal_lab.systems.token_level", "make_sparse_system"),
        "late": ("epochal_lab.systems.token_level", "make_late_system"),
        "pqr": ("epochal_lab.systems.language_models", "make_pqr_system"),
    }
)


@dataclass(frozen=True, slots=True)
class SystemEntry:
    """A system in the list: its kind, a line of description, and for a preset the paper and the model."""

    name: str
    kind: str
    line: str
    paper: str | None = None
    model: str | None = None
    note: str = ""
    setups: tuple[str, ...] = ()


def list_systems() -> Mapping[str, SystemEntry]:
    """All systems by name."""
    entries: dict[str, SystemEntry] = {}
    for name, (_, _, line) in _BUILT_IN.items():
        entries[name] = SystemEntry(name, "engine", line)
    for name in list_scorers():
        if name != "gate":
            entries.setdefault(name, SystemEntry(name, "engine", f"Epochal's index, ranked by {name}"))
    for name, (_, function, line) in _MORE.items():
        kind = _KINDS_OF_FUNCTIONS[function]
        entries[name] = SystemEntry(name, kind, line)
    for name, item in load_presets().items():
        line = f"{item.paper}'s {item.title}: {item.model}"
        setups = ("paper", "corrected") if item.corrected else ("paper",)
        entries[name] = SystemEntry(name, item.kind, line, item.paper, item.model, item.note, setups)
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        entries.setdefault(point.name, SystemEntry(point.name, "installed", f"offered by {point.value}"))
    return entries


def list_system_names() -> tuple[str, ...]:
    """The names that `make_system` accepts."""
    return tuple(list_systems())


def make_system(text: str) -> System:
    """Make the system of a name with settings, such as `epochal(encoder=static)`."""
    spec = Spec.parse(text)
    factory = _find_factory(spec.name)
    if factory is not None:
        module, function = factory
        make = getattr(import_module(module), function)
        if spec.name == _RERANKED:  # the one system over another
            base = spec.settings.get("base")
            return cast("System", make(spec, None if base is None else make_system(base)))
        return cast("System", make(spec))
    points = [point for point in entry_points(group=GROUP) if point.name == spec.name]
    if not points:
        raise UnknownNameError("system", spec.name, list_system_names())
    built = cast("Callable[[Spec], System]", points[0].load())(spec)
    if not isinstance(built, System):
        raise EpochalError(f"system {spec.name!r} is a {type(built).__name__}, which has no name, store or open")
    return built


def _find_factory(name: str) -> tuple[str, str] | None:
    """The module and the function of a built-in system."""
    if (own := _BUILT_IN.get(name) or _MORE.get(name)) is not None:
        return own[:2]
    if name in list_scorers():
        return "epochal_lab.systems.engine", "make_engine_system"
    return _KINDS[load_presets()[name].kind] if name in load_presets() else None
