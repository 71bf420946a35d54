"""Measures by name: those of this package, and those of installed packages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, Final, cast

from epochal.bench.metrics.measure import Measure
from epochal.bench.specs import Spec
from epochal.errors import EpochalError, UnknownNameError

__all__ = ["GROUP", "measure_names", "measure_type", "parse_measure", "parse_measures"]

#: Where installed packages offer measures: an entry point is a class that derives from `Measure`.
GROUP: Final = "epochal.metrics"

_BUILT_IN: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "nDCG": ("epochal.bench.metrics.ndcg", "NDCG"),
        "R": ("epochal.bench.metrics.recall", "Recall"),
        "hit": ("epochal.bench.metrics.hit", "Hit"),
        "MRR": ("epochal.bench.metrics.mrr", "MRR"),
        "AP": ("epochal.bench.metrics.ap", "AP"),
        "P": ("epochal.bench.metrics.precision", "Precision"),
        "TP": ("epochal.bench.metrics.temporal_precision", "TemporalPrecision"),
        "TR": ("epochal.bench.metrics.temporal_relevance", "TemporalRelevance"),
        "TC": ("epochal.bench.metrics.temporal_coverage", "TemporalCoverage"),
        "nDCG|FC": ("epochal.bench.metrics.full_coverage", "FullCoverageNDCG"),
        "TimeVar": ("epochal.bench.metrics.timevar", "TimeVar"),
        "MFG": ("epochal.bench.metrics.mfg", "MFG"),
        "tnDCG": ("epochal.bench.metrics.tndcg", "TemporalNDCG"),
    }
)
#: Other names that are in use.
_ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {"map": "AP", "rr": "MRR", "recall": "R", "success": "hit", "precision": "P"}
)
_FORM: Final = re.compile(r"(?P<head>[^@]*)(?:@(?P<cutoff>[^@(]*)(?P<tail>[^@]*))?")
#: Commas and spaces between measures, not those between the parameters of one.
_BETWEEN: Final = re.compile(r"(?:[\s,]+)(?![^()]*\))")


def measure_names() -> tuple[str, ...]:
    """The names of the measures that are at hand.

    >>> measure_names()[:6]
    ('nDCG', 'R', 'hit', 'MRR', 'AP', 'P')
    """
    return (*_BUILT_IN, *sorted({point.name for point in entry_points(group=GROUP)} - set(_BUILT_IN)))


def measure_type(name: str) -> type[Measure]:
    """The class of the measure of that name, in capitals or not.

    >>> measure_type("map").name, measure_type("NDCG").name
    ('AP', 'nDCG')
    """
    folded = name.casefold()
    known = next((own for own in _BUILT_IN if own.casefold() == folded), _ALIASES.get(folded))
    if known is not None:
        module, attribute = _BUILT_IN[known]
        return cast("type[Measure]", getattr(import_module(module), attribute))
    point = next((point for point in entry_points(group=GROUP) if point.name.casefold() == folded), None)
    if point is None:
        raise UnknownNameError("measure", name, measure_names())
    made = point.load()
    if not (isinstance(made, type) and issubclass(made, Measure)):
        raise EpochalError(f"measure {name!r} is {made!r}; accepted: a class that derives from Measure")
    return made


def parse_measure(text: str) -> Measure:
    """The measure that a text names: NAME, NAME@K or NAME@K(key=value, ...).

    >>> parse_measure("nDCG@10") == parse_measure("ndcg@10(gain=linear)")
    True
    >>> print(parse_measure("TimeVar@5(unit=days, missing=skip)"))
    TimeVar@5(unit=days)
    >>> parse_measure("fame@5")
    Traceback (most recent call last):
    ...
    epochal.errors.UnknownNameError: no measure is called 'fame'; known: nDCG, R, hit, MRR, AP, P, TP, TR, TC, nDCG|FC,
    TimeVar, MFG, tnDCG
    """
    found = _FORM.fullmatch(text.strip())
    try:
        if found is None or (found["cutoff"] is not None and not re.fullmatch(r"[0-9]+", found["cutoff"].strip())):
            raise EpochalError(text)
        spec = Spec.parse(found["head"] + (found["tail"] or ""))
    except EpochalError:
        accepted = f"NAME, NAME@K or NAME@K(key=value, ...), where NAME is one of {', '.join(measure_names())}"
        raise EpochalError(f"{text!r} is no measure; accepted: {accepted}") from None
    made = measure_type(spec.name)
    known = {item.name: item.default for item in fields(made) if item.name != "cutoff"}
    settings = {key: _read(made.name, key, value, known[key]) for key, value in spec.only(*known).items()}
    return made(None if found["cutoff"] is None else int(found["cutoff"]), **settings)


def parse_measures(text: str) -> tuple[Measure, ...]:
    """Several measures, with spaces or commas between them.

    >>> [str(measure) for measure in parse_measures("nDCG@10, R@100 MFG@5(unit=days, clip=true)")]
    ['nDCG@10', 'R@100', 'MFG@5(clip=true)']
    """
    return tuple(parse_measure(part) for part in _BETWEEN.split(text.strip()) if part)


def _read(measure: str, key: str, text: str, default: Any) -> Any:
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False}[text.lower()]
        return type(default)(text)
    except (ValueError, KeyError):
        accepted = {bool: "true or false", int: "a whole number", float: "a number"}[type(default)]
        raise EpochalError(f"the parameter {key} of {measure} is {text!r}; accepted: {accepted}") from None
