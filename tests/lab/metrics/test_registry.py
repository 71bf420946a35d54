from __future__ import annotations

from dataclasses import dataclass, fields
from importlib.metadata import EntryPoint, EntryPoints
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.metrics import (
    MFG,
    NDCG,
    Measure,
    TimeVar,
    measure_names,
    parse_measure,
    parse_measures,
)
from epochal_lab.metrics.evaluation import GROUP, measure_type

NAMES = measure_names()
CUTOFFS = st.integers(1, 10**6)


@st.composite
def measures(draw) -> Measure:
    result = measure_type(draw(st.sampled_from(NAMES)))
    cutoff = draw(CUTOFFS if result.needs_cutoff else st.none() | CUTOFFS)
    settings = {}
    for item in fields(result):
        if item.name in result.choices:
            settings[item.name] = draw(st.sampled_from(result.choices[item.name]))
        elif isinstance(item.default, bool):
            settings[item.name] = draw(st.booleans())
        elif isinstance(item.default, float):
            settings[item.name] = draw(st.floats(0, 1e12))
        elif isinstance(item.default, int):
            settings[item.name] = draw(st.integers(1, 9))
    return result(cutoff, **settings)


@given(measures())
def test_measures_print_as_they_are_parsed(measure):
    assert parse_measure(str(measure)) == measure
    assert parse_measure(str(measure).replace(", ", ",")) == measure
    assert str(parse_measure(str(measure))) == str(measure)


@given(st.lists(measures(), max_size=4))
def test_lists_of_measures_are_parsed(given_measures):
    texts = [str(measure) for measure in given_measures]
    assert parse_measures(" ".join(texts)) == tuple(given_measures)
    assert parse_measures(", ".join(texts)) == tuple(given_measures)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("nDCG@10", "nDCG@10"),
        ("R@100", "R@100"),
        ("hit@1", "hit@1"),
        ("MRR@10", "MRR@10"),
        ("MRR", "MRR"),
        ("MAP", "AP"),
        ("AP@100", "AP@100"),
        ("P@5", "P@5"),
        ("TP@10", "TP@10"),
        ("TR@10", "TR@10"),
        ("TC@10", "TC@10"),
        ("nDCG|FC@10", "nDCG|FC@10"),
        ("TimeVar@5(unit=years, missing=skip)", "TimeVar@5"),
        ("MFG@5(unit=days, clip=true)", "MFG@5(clip=true)"),
        ("MFG@5(clip=TRUE,unit=months)", "MFG@5(unit=months, clip=true)"),
        ("tnDCG@10", "tnDCG@10"),
        ("ndcg(gain=exp)@10", "nDCG@10(gain=exp)"),
        (" RR@10 ", "MRR@10"),
        ("Success@1", "hit@1"),
    ],
)
def test_names_in_use(text, shown):
    assert str(parse_measure(text)) == shown


KNOWN = "nDCG, R, hit, MRR, AP, P, TP, TR, TC, nDCG|FC, TimeVar, MFG, tnDCG"
FORM = f"accepted: NAME, NAME@K or NAME@K(key=value, ...), where NAME is one of {KNOWN}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fame@5", f"no measure is called 'fame'; known: {KNOWN}"),
        ("nDCG@ten", f"'nDCG@ten' is no measure; {FORM}"),
        ("nDCG@-1", f"'nDCG@-1' is no measure; {FORM}"),
        ("nDCG@10@20", f"'nDCG@10@20' is no measure; {FORM}"),
        ("nDCG@10(gain)", f"'nDCG@10(gain)' is no measure; {FORM}"),
        ("nDCG@10(gain=exp", f"'nDCG@10(gain=exp' is no measure; {FORM}"),
        ("", f"'' is no measure; {FORM}"),
        ("@10", f"'@10' is no measure; {FORM}"),
        ("nDCG@10(unit=days)", "nDCG has no setting 'unit'; accepted: gain"),
        ("nDCG@10(cutoff=5)", "nDCG has no setting 'cutoff'; accepted: gain"),
        ("MFG@5(clip=yes)", "the parameter clip of MFG is 'yes'; accepted: true or false"),
        ("MFG@5(penalty=much)", "the parameter penalty of MFG is 'much'; accepted: a number"),
        ("R@5(rel=1.5)", "the parameter rel of R is '1.5'; accepted: a whole number"),
        ("TimeVar@5(unit=weeks)", "the parameter unit of TimeVar is 'weeks'; accepted: years, months or days"),
    ],
)
def test_mistakes_are_named(text, message):
    with pytest.raises(EpochalError) as caught:
        parse_measure(text)
    assert str(caught.value) == message


def test_defaults_are_left_out():
    assert str(TimeVar(5, unit="years", missing="skip", between="spans", penalty=10.0)) == "TimeVar@5"
    assert str(MFG(5, penalty=2.5, missing="penalise")) == "MFG@5(missing=penalise, penalty=2.5)"


@dataclass(frozen=True, slots=True)
class Own(Measure):
    name: ClassVar[str] = "own"
    title: ClassVar[str] = "of a package"

    def score(self, ranking):
        raise NotImplementedError


def test_measures_of_installed_packages(monkeypatch):
    points = EntryPoints(
        [
            EntryPoint("own", f"{__name__}:Own", GROUP),
            EntryPoint("broken", "math:sqrt", GROUP),
        ]
    )
    monkeypatch.setattr(EntryPoint, "load", lambda point: Own if point.name == "own" else print)
    monkeypatch.setattr("epochal_lab.metrics.evaluation.entry_points", lambda group: points.select(group=group))
    assert measure_names()[-2:] == ("broken", "own")
    assert parse_measure("OWN@3") == Own(3)
    with pytest.raises(EpochalError, match="accepted: a class that derives from Measure"):
        parse_measure("broken@3")


def test_a_built_in_name_cannot_be_taken(monkeypatch):
    points = EntryPoints([EntryPoint("nDCG", "math:sqrt", GROUP)])
    monkeypatch.setattr("epochal_lab.metrics.evaluation.entry_points", lambda group: points.select(group=group))
    assert parse_measure("nDCG@10") == NDCG(10)
    assert measure_names().count("nDCG") == 1
