from __future__ import annotations

import json
import sys
import types
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from epochal.errors import EpochalError, UnknownNameError
from epochal.storage.records import Document
from epochal_lab.datasets import catalogue as registry
from epochal_lab.datasets.cards import describe
from epochal_lab.datasets.catalogue import GROUP, entries, entry, is_available, load, open_set
from epochal_lab.datasets.folder import Manifest, write_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet, SetCard
from epochal_lab.datasets.sources import VARIABLE, LoadedSet, MissingSetError, SetEntry, Source, data_folder
from epochal_lab.datasets.tempo_files import DOMAINS
from paths import DATA, needs_data

SMALL = BenchSet(
    "any",
    (Document("d1", "Ann won in 1998."),),
    (BenchQuery("q1", "Who won?"),),
    {"q1": {"d1": 1}},
    card=SetCard("Small"),
)


def beir(folder: Path) -> Path:
    """A BEIR folder without a manifest."""
    write_folder(folder, SMALL, Manifest("any"))
    (folder / "manifest.json").unlink()
    return folder


def test_ids_are_hierarchical_and_every_one_has_a_card():
    result = entries()
    assert {f"tempo/{domain}" for domain in DOMAINS} | {f"tempo/{domain}/steps" for domain in DOMAINS} <= set(result)
    assert {"re2bench/rel", "re2bench/rec", "re2bench/hyb", "tnp", "chronoqa", "scifact"} <= set(result)
    assert {id.partition("/")[0] for id in result} >= {"chunqiutr", "zztj", "timeqa"}
    for id, row in result.items():
        assert row.id == id
        assert row.card.title
        assert row.card.description
        assert row.card.source
        assert row.card.notes, f"{id} has nothing that one should know"
        assert row.card.language in ("en", "zh", "lzh")


@pytest.mark.parametrize("id", sorted(entries()))
def test_what_is_not_there_is_one_sentence_with_a_way_out(tmp_path, monkeypatch, id):
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(MissingSetError) as result:
        load(id, tmp_path)
    assert str(tmp_path) in str(result.value)
    assert "; " in str(result.value)
    with pytest.raises(MissingSetError, match=f"the set '{id}' needs a data folder"):
        load(id)


@pytest.mark.parametrize("id", ["tempo/chess", "nothing", "", "tempo", "zztj"])
def test_an_unknown_id_is_named_with_those_known(id):
    with pytest.raises(UnknownNameError, match=f"no set is called '{id}'; known: tempo/DOMAIN"):
        entry(id)


@pytest.mark.parametrize(
    ("id", "folder"), [("scifact", "scifact"), ("tnp", "tnp"), ("timeqa/human_train", "timeqa/human_train_beir")]
)
def test_a_published_folder_gets_the_card_of_its_set(tmp_path, id, folder):
    beir(tmp_path / folder)
    bench_set = load(id, tmp_path)
    assert (bench_set.id, bench_set.card) == (id, entry(id).card)
    assert is_available(entry(id), tmp_path)


def test_a_built_folder_comes_before_the_published_one(tmp_path):
    beir(tmp_path / "tnp")
    built = BenchSet(
        "tnp", SMALL.documents, (BenchQuery("q1", "Who?", kind="between"),), SMALL.qrels, card=SetCard("Own")
    )
    write_folder(tmp_path / "built" / "tnp", built, Manifest("tnp", made_by="tnp"))
    loaded = open_set("tnp", tmp_path)
    assert loaded.bench_set.queries[0].kind == "between"
    assert loaded.bench_set.card.title == "Own"
    assert loaded.facts["made by"] == "tnp"


@pytest.mark.parametrize("id", ["zztj/tag", "chunqiutr/traditional", "re2bench/hyb"])
def test_a_set_that_was_built_is_read_from_its_folder(tmp_path, id):
    write_folder(tmp_path / "built" / id, SMALL, Manifest("any", made_by="test"))
    assert is_available(entry(id), tmp_path)
    bench_set = load(id, tmp_path)
    assert (bench_set.id, [query.id for query in bench_set.queries]) == (id, ["q1"])


def test_whatever_was_built_into_the_data_folder_is_a_set(tmp_path):
    write_folder(tmp_path / "built" / "own" / "news", SMALL, Manifest("any", made_by="test"))
    write_folder(tmp_path / "built" / "tnp", SMALL, Manifest("tnp"))
    assert entries(tmp_path).keys() - entries().keys() == {"own/news"}
    row = entry("own/news", tmp_path)
    assert (row.card.title, is_available(row, tmp_path)) == ("Small", True)
    assert load("own/news", tmp_path).id == "own/news"
    with pytest.raises(UnknownNameError, match="no set is called 'own/news'"):
        load("own/news", tmp_path / "built")


def test_a_set_with_a_builder_is_made_on_demand(tmp_path, monkeypatch):
    requests = []

    def build(name, place, **switches):
        requests.append((name, place, switches))
        return SMALL, Manifest("any", made_by=name, sources={"zztj_qiji.jsonl": "ab"}, facts={"months": 3})

    monkeypatch.setattr("epochal_lab.datasets.catalogue.build", build)
    (tmp_path / "chunqiu").mkdir()
    (tmp_path / "chunqiu" / "zztj_qiji.jsonl").touch()
    loaded = open_set("zztj/none", tmp_path)
    assert requests == [("zztj", tmp_path / "chunqiu", {"dates": "none"})]
    assert loaded.bench_set.id == "zztj/none"
    assert loaded.files == (tmp_path / "chunqiu" / "zztj_qiji.jsonl",)
    assert loaded.facts == {"made by": "zztj", "months": 3}


def test_other_switches_than_the_usual_make_a_built_set_again(tmp_path, monkeypatch):
    requests = []

    def build(name, place, **switches):
        requests.append(switches)
        return SMALL, Manifest("any")

    monkeypatch.setattr("epochal_lab.datasets.catalogue.build", build)
    (tmp_path / "chunqiu").mkdir()
    write_folder(tmp_path / "built" / "chunqiutr" / "simplified", SMALL, Manifest("any"))
    load("chunqiutr/simplified", tmp_path, points=3)
    assert requests == []
    load("chunqiutr/simplified", tmp_path, points=1)
    assert requests == [{"script": "simplified", "points": 1}]


def test_the_path_of_a_beir_folder_is_an_id(tmp_path):
    bench_set = load(str(beir(tmp_path / "own")))
    assert (bench_set.id, bench_set.card.title, len(bench_set.queries)) == ("own", "own", 1)


def test_switches_are_checked(tmp_path):
    for switches, problem in (
        ({"exclusion": "some"}, "exclusion is 'some'; accepted: excl, full"),
        ({"passages": "maybe"}, "passages is 'maybe'; accepted: "),
        (
            {"colour": "red"},
            "no switch of 'tempo/law' is called 'colour'; known: exclusion, reasoning, split, passages",
        ),
    ):
        with pytest.raises(EpochalError, match=problem):
            load("tempo/law", tmp_path, **switches)
    with pytest.raises(EpochalError, match="no switch of 'scifact' is called 'split'; known: none"):
        load("scifact", tmp_path, split="reteco")


def test_the_data_folder_is_the_one_given_or_the_one_of_the_variable(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert data_folder() == tmp_path
    assert data_folder(tmp_path / "..") == tmp_path / ".."
    monkeypatch.setenv(VARIABLE, "")
    assert data_folder() is None
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone"))
    with pytest.raises(EpochalError, match=r"the data folder '.*gone' is not there"):
        load("scifact")


def own_entry(source: Source, switches) -> LoadedSet:
    return LoadedSet(SMALL)


OWN = SetEntry("own/news", SetCard("News", "d", "s", notes=("n",)), own_entry)


@pytest.fixture
def offer(monkeypatch):
    """Offers sets as an installed package would."""
    module = types.ModuleType("a_package_with_sets")
    monkeypatch.setitem(sys.modules, module.__name__, module)

    def install(name: str, value: object) -> None:
        module.value = value
        point = EntryPoint(name, f"{module.__name__}:value", GROUP)
        monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == GROUP else [])

    return install


def test_installed_packages_may_offer_sets(offer):
    offer("own/news", OWN)
    assert load("own/news").queries == SMALL.queries
    assert list(entries())[-1] == "own/news"


def test_what_an_installed_package_offers_is_checked(offer):
    offer("own/news", "a text")
    with pytest.raises(EpochalError, match="the set 'own/news' of an installed package is no SetEntry of that id"):
        entries()
    offer("scifact", OWN)
    with pytest.raises(EpochalError, match="two packages offer a set called 'scifact'; uninstall one of them"):
        entries()


@needs_data("scifact")
@pytest.mark.parametrize("id", ["tnp", "timeqa/human_train", "scifact"])
def test_the_pinned_copies(id):
    message = describe(open_set(id, DATA), entry(id).pinned)
    assert {file.state for file in message.files} == {"as pinned"}
    assert (message.unreachable, message.unjudged) == (0, 0)
    assert message.documents == entry(id).sizes[0]
    json.dumps(message.to_dict())
