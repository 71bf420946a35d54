"""Names of version 0.1 go on working for one version, with a warning that gives the new name."""

from __future__ import annotations

import importlib
import sys
import types
import warnings

import pytest

import epochal
from epochal.lazy import MOVED, lazy_names


@pytest.fixture
def fresh_modules(monkeypatch):
    for name in MOVED:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield
    for name in MOVED:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("old", sorted(set(MOVED) - {"epochal.service", "epochal.service.app"}))
def test_an_old_module_is_the_new_one_with_a_warning(old, fresh_modules):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        module = importlib.import_module(old)
    assert f"{old} is now {MOVED[old]}" in [str(item.message) for item in caught]
    assert module is importlib.import_module(MOVED[old])


def test_names_of_the_laboratory_say_where_they_went():
    with pytest.raises(ModuleNotFoundError, match="pip install epochal-lab, and see its package"):
        importlib.import_module("epochal.bench")


def test_a_module_that_never_was_is_not_found_as_ever():
    with pytest.raises(ModuleNotFoundError, match=r"No module named .epochal\.nothing"):
        importlib.import_module("epochal.nothing")


def test_an_old_name_of_a_package_warns(monkeypatch):
    package = types.ModuleType("made")
    get, names = lazy_names("made", {"epochal.times.span": "Span"}, {"Stretch": "Span"})
    package.__getattr__ = get
    monkeypatch.setitem(sys.modules, "made", package)
    with pytest.warns(DeprecationWarning, match="made.Stretch is now made.Span"):
        assert package.Stretch is package.Span
    assert names() == ["Span"]


@pytest.mark.parametrize(
    ("package", "old", "new"),
    [
        ("epochal.times", "Reading", "Interpretation"),
        ("epochal.times", "renderings", "render_span"),
        ("epochal.reading", "Stretch", "StatedRange"),
        ("epochal.reading", "stretches", "stated_ranges"),
        ("epochal.llm", "Recorded", "RecordedChat"),
    ],
)
def test_renamed_names_of_public_rooms(package, old, new):
    module = importlib.import_module(package)
    with pytest.warns(DeprecationWarning, match=f"{package}.{old} is now {package}.{new}"):
        assert getattr(module, old) is getattr(module, new)


def test_methods_of_views_and_stores_keep_their_old_names(tmp_path):
    with epochal.open(tmp_path / "index", encoder=None) as index:
        index.add([epochal.Document("a", "The fee is 12 euros.")])
        view = index.view()
        with pytest.warns(DeprecationWarning, match="EmbeddedView.document_of is now EmbeddedView.get_document_rows"):
            assert view.document_of(view.alive).tolist() == [0]
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            view.nothing  # noqa: B018
