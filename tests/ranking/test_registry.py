"""Scorers by name."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from epochal.errors import EpochalError, UnknownNameError
from epochal.ranking import registry
from epochal.ranking.pool import Scorer
from epochal.ranking.registry import DEFAULT, GROUP, list_scorers, load_scorer


@pytest.mark.parametrize("name", list_scorers())
def test_every_name_makes_a_scorer(name: str) -> None:
    made = load_scorer(name)
    assert isinstance(made, Scorer)
    assert made.name


def test_the_default_is_the_gate() -> None:
    assert DEFAULT == "gate"
    assert load_scorer().name == load_scorer("").name == "gate"


def test_an_unknown_name_is_reported_with_accepted_ones() -> None:
    with pytest.raises(UnknownNameError, match="no scorer is called 'nope'; known: gate, bm25"):
        load_scorer("nope")


#: The published baselines, which the laboratory offers.
BASELINES = """
    bm25 dense rrf zscore symbolic bm25-timekde bm25-timekde-asked tempralm zscore-time tagged-dense tempretriever-tag
    tempretriever-fs tempretriever-vs tempretriever-ewi tempretriever-fs-waves tempretriever-vs-waves
    tempretriever-ewi-waves time-decay time-decay-lexical
""".split()


def test_the_laboratory_offers_the_published_baselines() -> None:
    assert {*BASELINES} <= set(list_scorers())
    assert all(load_scorer(name).name == name for name in BASELINES)


class Shortest:
    """A scorer that remembers what it was made with."""

    name = "shortest"

    def __init__(self, limit: str = "") -> None:
        self.limit = limit

    def score(self, pool):
        raise NotImplementedError


class Wrong:
    """No scorer."""


@pytest.fixture
def offer(monkeypatch):
    """Offers this class under names, in place of all that is installed."""

    def put(*names: str, attribute: str = "Shortest") -> None:
        points = [EntryPoint(name, f"{__name__}:{attribute}", GROUP) for name in names]
        monkeypatch.setattr(registry, "entry_points", lambda group: points)
        registry._find_entry_points.cache_clear()

    monkeypatch.setattr(EntryPoint, "load", lambda point: globals()[point.attr])
    yield put
    registry._find_entry_points.cache_clear()


def test_the_part_after_the_colon_goes_to_the_factory(offer) -> None:
    offer("shortest:LIMIT", "short")
    assert list_scorers() == ("gate", "short")
    assert load_scorer("shortest:a:b").limit == "a:b"
    assert load_scorer("shortest").limit == ""
    assert load_scorer("short").limit == ""
    with pytest.raises(UnknownNameError, match="no scorer is called 'short:9'; known: gate, short, gate:FILE"):
        load_scorer("short:9")


def test_names_of_the_engine_cannot_be_taken(offer) -> None:
    offer("gate", "ctd:X")
    assert list_scorers() == ("gate",)
    assert load_scorer().name == "gate"
    with pytest.raises(UnknownNameError):
        load_scorer("ctd")


def test_without_the_laboratory_the_engine_has_its_own(offer) -> None:
    offer()
    assert list_scorers() == ("gate",)
    with pytest.raises(UnknownNameError, match=r"known: gate, gate:FILE, ctd:FOLDER.*pip install epochal-lab"):
        load_scorer("bm25")


def test_what_is_no_scorer_is_refused(offer) -> None:
    offer("wrong", attribute="Wrong")
    with pytest.raises(EpochalError, match="scorer 'wrong' is a Wrong, which has no name or no method score"):
        load_scorer("wrong")
