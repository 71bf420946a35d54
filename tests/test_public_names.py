"""The exported names are a promise: a change here is a change for users."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

import epochal
from epochal.errors import MissingExtraError

ROOT = [
    "Allen",
    "Certainty",
    "Document",
    "EpochalError",
    "Grain",
    "Hit",
    "Index",
    "Memory",
    "Response",
    "Span",
    "SpanSet",
    "__version__",
    "align",
    "open",
    "resolve",
    "tag",
    "understand",
]

TIMES = [
    "OPEN_END",
    "OPEN_START",
    "Allen",
    "Calendar",
    "CalendarDate",
    "Certainty",
    "Clock",
    "Exponential",
    "FixedClock",
    "Gaussian",
    "Grain",
    "Interpretation",
    "Linear",
    "Rendering",
    "Span",
    "SpanSet",
    "Steps",
    "SystemClock",
    "TimeFilter",
    "after",
    "align",
    "align_pair",
    "align_sparse",
    "around",
    "before",
    "calendar",
    "during",
    "freshness",
    "overlaps",
    "register",
    "related",
    "render_span",
    "resolve",
]

#: The front doors: packages with a list of names.
PACKAGES = [info.name for info in pkgutil.walk_packages(epochal.__path__, "epochal.") if info.ispkg]


def test_root_names() -> None:
    assert epochal.__all__ == ROOT
    assert len(epochal.__all__) <= 25
    for name in epochal.__all__:
        assert getattr(epochal, name) is not None
    assert set(dir(epochal)) == set(ROOT) - {"__version__"}


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Spam'"):
        _ = epochal.Spam


def test_times_names() -> None:
    assert importlib.import_module("epochal.times").__all__ == TIMES


@pytest.mark.parametrize("name", PACKAGES)
def test_exported_names_exist(name: str) -> None:
    """Also those that a package loads when they are first used."""
    try:
        module = importlib.import_module(name)
    except (ImportError, MissingExtraError) as error:
        pytest.skip(str(error))
    for item in getattr(module, "__all__", ()):
        assert hasattr(module, item)


def test_import_is_light() -> None:
    """`import epochal` loads no outside package at all: that is what keeps it under 0.3 s."""
    code = "import sys, epochal; print([name for name in ('numpy', 'convertdate', 'argparse') if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
