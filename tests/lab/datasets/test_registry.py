"""Builders by name: their switches, those of installed packages, and mistakes told in one sentence."""

from importlib import import_module
from inspect import Parameter, signature

import pytest

from epochal.errors import EpochalError, UnknownNameError
from epochal_lab.datasets import builders as registry
from epochal_lab.datasets.builders import Builder, builder, builder_names
from epochal_lab.datasets.builders import build as build_set
from epochal_lab.datasets.folder import Manifest
from epochal_lab.datasets.records import BenchSet, Switch


@pytest.mark.parametrize("name", builder_names())
def test_the_switches_of_a_row_are_those_of_its_function(name):
    row = builder(name)
    taken = signature(getattr(import_module(row.module), row.function)).parameters
    switches = {key: value.default for key, value in taken.items() if value.kind is Parameter.KEYWORD_ONLY}
    if row.reports_progress:
        assert switches.pop("report_progress") is None
    assert switches == {switch.name: switch.default for switch in row.switches}


@pytest.mark.parametrize(
    ("default", "text", "value"),
    [(True, "0", False), (False, "Yes", True), (3, "4", 4), (2.5, "1", 1.0), ("a", "b", "b")],
)
def test_a_text_is_read_as_the_type_of_the_default(default, text, value):
    result = Switch("own", default, "").parse(text)
    assert result == value
    assert type(result) is type(default)


@pytest.mark.parametrize(
    ("default", "text", "accepted"),
    [(True, "maybe", "1, true, yes, on"), (3, "2.5", "a whole number"), (2.5, "much", "a number")],
)
def test_what_is_no_value_of_a_switch_is_refused(default, text, accepted):
    with pytest.raises(EpochalError, match=f"own is '{text}'; accepted: {accepted}"):
        Switch("own", default, "").parse(text)


def test_values_from_python_are_checked():
    row = Builder("m", "h", (Switch("share", 2.5, ""), Switch("kind", "a", "", ("a", "b"))))
    assert row.settings({"share": 3}) == {"share": 3.0, "kind": "a"}
    with pytest.raises(EpochalError, match="kind is 'c'; accepted: a, b"):
        row.settings({"kind": "c"})
    with pytest.raises(EpochalError, match="share is True; accepted: a value of type float"):
        row.settings({"share": True})


def test_names_that_are_not_there(tmp_path):
    with pytest.raises(UnknownNameError, match="no builder is called 'own'; known: chunqiutr"):
        build_set("own", tmp_path)
    with pytest.raises(UnknownNameError, match="no switch is called 'dated'; known: dates"):
        build_set("zztj", tmp_path, dated="tag")


class Point:
    def __init__(self, name, value):
        self.name, self.value = name, value

    def load(self):
        return self.value


def own_points(monkeypatch, *points):
    monkeypatch.setattr(registry, "entry_points", lambda group: list(points) if group == registry.GROUP else [])


def test_installed_packages_offer_builders(monkeypatch, tmp_path):
    own_points(monkeypatch, Point("own", Builder(__name__, "own")))
    assert builder_names()[-1] == "own"
    assert build_set("own", tmp_path)[1].made_by == str(tmp_path)


def test_an_entry_point_that_is_no_builder_or_is_there_twice(monkeypatch):
    own_points(monkeypatch, Point("own", 3))
    with pytest.raises(EpochalError, match="'own' of an installed package is a int, not a Builder"):
        builder("own")
    own_points(monkeypatch, Point("own", 3), Point("own", 4))
    with pytest.raises(EpochalError, match="two installed packages offer a builder called 'own'"):
        builder("own")


def test_a_builder_without_progress_gets_no_callback(monkeypatch, tmp_path):
    own_points(monkeypatch, Point("own", Builder(__name__, "own")))
    steps = []
    assert build_set("own", tmp_path, report_progress=lambda done, note: steps.append(done))[0].id == "own"
    assert steps == []


def build(source):
    """What the row of a builder that names this module opens."""
    return BenchSet("own", (), (), {}), Manifest("own", made_by=str(source))
