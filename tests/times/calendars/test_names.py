"""How reigns are called."""

import pytest

from epochal.times.calendars.date_text import normalise_han, normalise_latin
from epochal.times.calendars.regnal import BUNDLED
from epochal.times.calendars.regnal_table import RegnalTable, Reign, ReignNames, read_table


@pytest.fixture(scope="module")
def names() -> dict[str, ReignNames]:
    return {name: ReignNames(read_table(name)) for name in BUNDLED}


@pytest.mark.parametrize("name", BUNDLED)
def test_the_shortest_name_means_its_reign_only(name, names):
    table = names[name].table
    for reign in table.reigns:
        short = names[name].shortest(reign)
        if table.text == "latin":
            assert names[name].find_latin(normalise_latin(short))[0] is reign
        else:
            assert names[name].han[normalise_han(short)] == [reign]


@pytest.mark.parametrize(
    ("table", "reign", "short"),
    [
        ("chinese.toml", "南齊武帝永明", "永明"),
        ("chinese.toml", "清聖祖康熙", "康熙"),
        ("chinese.toml", "西漢哀帝建平", "西漢建平"),
        ("chinese.toml", "東晉穆帝永和", "東晉永和"),
        ("chinese.toml", "秦始皇", "秦始皇"),
        ("chinese.toml", "中華民國民國", "民國"),
        ("lu.toml", "魯隱公", "魯隱公"),
        ("nengo.toml", "日本明治", "明治"),
        ("british.toml", "Henry VIII", "Henry VIII"),
    ],
)
def test_shortest_names(table, reign, short, names):
    assert names[table].shortest(names[table].table.by_id[reign]) == short


@pytest.mark.parametrize(
    "text",
    [
        "永明三年",
        "南齊永明三年",
        "南齐永明三年",
        "齊武帝永明三年",
        "武帝永明三年",
        "南齊武帝永明三年",
        "南齊朝永明三年",
        "大齊永明三年",
        "蕭賾永明三年",
        "南齊 永明 三年",
    ],
)
def test_realm_and_ruler_may_precede_an_era(text, names):
    matches = list(names["chinese.toml"].find_han(text))
    assert [(reign.id, date.year) for reign, date in matches] == [("南齊武帝永明", 3)]


def test_shared_names_give_every_reign(names):
    matches = [reign.realm for reign, _ in names["chinese.toml"].find_han("永和元年")]
    assert matches == ["東漢", "東晉", "後秦", "閩"]
    assert [reign.realm for reign, _ in names["chinese.toml"].find_han("東晉永和元年")] == ["東晉"]


def test_the_longest_name_counts(names):
    """建武中元 is an era, not the year 中元 of 建武."""
    assert [reign.name for reign, _ in names["chinese.toml"].find_han("建武中元元年")] == ["建武中元"]
    assert [reign.name for reign, _ in names["nengo.toml"].find_han("天平宝字元年")] == ["天平宝字"]
    assert [reign.name for reign, _ in names["nengo.toml"].find_han("天平元年")] == ["天平"]


@pytest.mark.parametrize("text", ["", "三年", "某某三年", "永明", "永明某年", "Meiji 10"])
def test_no_reign(text, names):
    assert list(names["chinese.toml"].find_han(text)) == []


@pytest.mark.parametrize(
    ("table", "name", "found"),
    [
        ("british.toml", "hen 8", ["Henry VIII"]),
        ("british.toml", "henry vi", ["Henry VI", "Henry VI (readeption)"]),
        ("british.toml", "hen 6", ["Henry VI", "Henry VI (readeption)"]),
        ("british.toml", "ph and m", ["Philip and Mary"]),
        ("british.toml", "eliz", ["Elizabeth I"]),
        ("lu.toml", "duke zhuang", ["莊公"]),
        ("lu.toml", "duke zhuang of lu", ["莊公"]),
        ("nengo.toml", "meiji", ["明治"]),
        ("nengo.toml", "tenpyo-hoji", ["天平宝字"]),
        ("chinese.toml", "kangxi", ["康熙"]),
        ("chinese.toml", "duke who", []),
    ],
)
def test_names_in_latin_letters(table, name, found, names):
    assert [reign.name for reign in names[table].find_latin(name)] == found


def test_no_abbreviation_of_a_british_reign_is_shared(names):
    """Only the readeption shares names, those of the reign that it continues."""
    shared = {name for name, reigns in names["british.toml"].latin.items() if len(reigns) > 1}
    assert shared == {"henry vi", "hen 6", "hen vi", "h6"}


def test_reigns_alike_but_for_the_ruler_are_distinguished_by_him():
    reigns = (Reign("魏", "甲帝", "永和", 100, 110), Reign("魏", "乙帝", "永和", 120, 130))
    table = RegnalTable("t", "t", "civil", "han", reigns, by_id={reign.id: reign for reign in reigns})
    own = ReignNames(table)
    assert [own.shortest(reign) for reign in reigns] == ["甲帝永和", "乙帝永和"]
    assert [reign.ruler for reign, _ in own.find_han("永和二年")] == ["甲帝", "乙帝"]


def test_a_table_without_characters_has_no_names_in_them(names):
    assert names["british.toml"].han == {}
    assert list(names["british.toml"].find_han("永明三年")) == []
