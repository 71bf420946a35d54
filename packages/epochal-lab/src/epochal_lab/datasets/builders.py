"""Builders by name: each builds the same test set from the same published files.

A builder is a function

    build(source: Path, **switches) -> tuple[BenchSet, Manifest]

and a row here (or an entry point of an installed package that gives such a row). A builder whose row sets
`reports_progress` also takes `report_progress`: None, or a callback for how much of `STEPS` is done and a note.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, cast

from epochal.errors import EpochalError, UnknownNameError
from epochal_lab.datasets.folder import Manifest
from epochal_lab.datasets.records import BenchSet, ProgressCallback, Switch

__all__ = ["GROUP", "STEPS", "Builder", "Switch", "build", "builder", "builder_names"]


#: Where installed packages offer builders: an entry point is a `Builder`.
GROUP = "epochal.builders"
#: What a builder that reports its progress counts up to.
STEPS = 100


@dataclass(frozen=True, slots=True)
class Builder:
    """A row of the registry: a module with a function, one line on what it builds and from what, and its switches."""

    module: str
    help: str
    switches: tuple[Switch, ...] = ()
    reports_progress: bool = False
    function: str = "build"

    def settings(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """All switches with what was given for them, or their defaults; a name that is no switch is an error."""
        known = {switch.name: switch for switch in self.switches}
        for name in values:
            if name not in known:
                raise UnknownNameError("switch", name, known)
        return {
            name: switch.validate(values[name]) if name in values else switch.default for name, switch in known.items()
        }


_SCRIPT: Final = Switch(
    "script",
    "source",
    "characters as the sources have them, or all of one script (needs the extra chinese)",
    ("source", "traditional", "simplified"),
)
_BUILT_IN: Final[Mapping[str, Builder]] = MappingProxyType(
    {
        "chunqiutr": Builder(
            "epochal_lab.datasets.chunqiutr.build",
            "ChunQiuTR: months of the Spring and Autumn Annals, from entries.jsonl, the official splits and the layers",
            (
                Switch("points", 3, "point questions a month"),
                Switch("windows", 2.4, "questions about a window, a month; those across two splits are dropped"),
                Switch("negatives", True, "align the later commentaries as near misses"),
                Switch(
                    "months",
                    "table",
                    "months of entries as their table has them, or read in sequence",
                    ("table", "read"),
                ),
                Switch("headings", False, "where a text leaves its year out, the heading of the book as its title"),
                _SCRIPT,
            ),
            reports_progress=True,
        ),
        "zztj": Builder(
            "epochal_lab.datasets.published",
            "Zizhi Tongjian, Annals of Qi: one question a month, from zztj_qiji.jsonl",
            (
                Switch(
                    "dates",
                    "tag",
                    "a date tag before every record, none, or what the book writes where the date changes",
                    ("tag", "none", "sequence"),
                ),
                _SCRIPT,
            ),
            function="build_zztj",
        ),
        "re2bench/rel": Builder(
            "epochal_lab.datasets.re2bench.rel",
            "Re2Bench-Rel: facts at a point of time, from TimeQA's human_annotated_*.json",
            (
                Switch("size", 0, "questions, 0 for all"),
                Switch("seed", 0, "what every choice by hash depends on"),
                Switch("points", 6, "years of a fact that are asked about, at most"),
                Switch("confusers", 5, "confusers a question"),
                Switch(
                    "times",
                    "stated",
                    "how questions name their year: as the documents do, or counted from another year",
                    ("stated", "relative"),
                ),
            ),
        ),
        "re2bench/rec": Builder(
            "epochal_lab.datasets.re2bench.rec",
            "Re2Bench-Rec: what holds now, from versions.jsonl[.gz] of terms, or from rows in the layout of HoH",
            (
                Switch("layout", "auto", "what the files hold", ("auto", "terms", "hoh")),
                Switch("size", 0, "questions, 0 for all"),
                Switch("seed", 0, "what every choice by hash depends on"),
                Switch("today", "", "when the questions are asked, in place of a month after the newest document"),
                Switch("series", False, "documents name the chain of versions that they belong to"),
                Switch("questions", 1, "questions a clause, at most"),
            ),
        ),
        "re2bench/hyb": Builder(
            "epochal_lab.datasets.re2bench.hyb",
            "Re2Bench-Hyb: the newest forecast for a place and a day, from nws_*.jsonl[.gz] and ndfd_*.jsonl[.gz]",
            (
                Switch("kind", "both", "which forecasts", ("nws", "ndfd", "both")),
                Switch(
                    "texts",
                    "dated",
                    "documents state their day, or call it what the service did (Today, Monday; with kind=nws)",
                    ("dated", "issued"),
                ),
                Switch("size", 9847, "questions, 0 for all"),
                Switch("seed", 0, "what every choice by hash depends on"),
            ),
        ),
        "tnp": Builder(
            "epochal_lab.datasets.published",
            "Temporal Nobel Prize, from its files in BEIR's form, with the times of its questions",
            (Switch("periods", True, "read the times that each question asks about"),),
            function="build_tnp",
        ),
        "timeqa": Builder(
            "epochal_lab.datasets.timeqa",
            "TimeQA as passage retrieval, from human_annotated_SPLIT.json",
            (
                Switch("split", "train", "which file"),
                Switch("periods", True, "read the times that each question asks about"),
            ),
        ),
        "tempo_style": Builder(
            "epochal_lab.datasets.tempo_style",
            "a set in the manner of TEMPO, from questions.jsonl and pages/",
            (
                Switch("domain", "own", "the name that the set and its passages get"),
                Switch("negatives", 5, "hard negatives a question, at most"),
                Switch("depth", 50, "how far down a ranking by words hard negatives are looked for"),
                Switch("size", 1000, "characters a passage, at most"),
            ),
        ),
    }
)


def builder_names() -> tuple[str, ...]:
    """The names that `builder` knows."""
    return (*_BUILT_IN, *sorted({point.name for point in entry_points(group=GROUP)} - set(_BUILT_IN)))


def builder(name: str) -> Builder:
    """The row of that name."""
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    points = [point for point in entry_points(group=GROUP) if point.name == name]
    if len(points) > 1:
        raise EpochalError(f"two installed packages offer a builder called {name!r}; uninstall one of them")
    if not points:
        raise UnknownNameError("builder", name, builder_names())
    loaded = points[0].load()
    if not isinstance(loaded, Builder):
        raise EpochalError(f"the builder {name!r} of an installed package is a {type(loaded).__name__}, not a Builder")
    return loaded


def build(
    name: str, source: str | Path, *, report_progress: ProgressCallback | None = None, **switches: Any
) -> tuple[BenchSet, Manifest]:
    """The set that the builder of that name makes from the files of a folder, and the manifest to write with it."""
    row = builder(name)
    settings = row.settings(switches)
    place = Path(source)
    if not place.is_dir():
        raise EpochalError(f"the folder {str(place)!r} to build {name!r} from is not there")
    make = cast("Callable[..., tuple[BenchSet, Manifest]]", getattr(import_module(row.module), row.function))
    return make(place, report_progress=report_progress, **settings) if row.reports_progress else make(place, **settings)
