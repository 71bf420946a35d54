"""The builder of the Annals of Qi on rows of our own, and on the real ones where they are there."""

import json

import pytest

from epochal.errors import EpochalError, InputError
from epochal_lab.datasets.folder import read_folder, write_folder
from epochal_lab.datasets.published import build_zztj
from paths import DATA, needs_data

FILES = DATA / "chunqiu"
real = needs_data("chunqiu/zztj_qiji.jsonl")


def row(name, title, text, month, day=None, **more):
    meta = {"reign": "建元", "era_year": 1, "ad_year": 479, "season": "春", "day_ganzhi": day, **more}
    meta |= {"lunar_month_label": month, "lunar_month": None}
    return {"id": name, "title": title, "description": text, "source": "资治通鉴·齐纪", "time_meta": meta}


ROWS = [
    {"id": "own_meta_0", "title": "起", "description": "凡一年", "source": "资治通鉴·齐纪", "time_meta": {}},
    row("a", "大水", "大水，民饥。", "正月", "甲辰"),
    row("b", "修堤", "发民五千人。", "正月", "乙巳"),
    row("c", "有星", "有星见东方。", "二月"),
    row("d", "无月", "春无月者。", None, lunar_month=None),
    row("e", "新年", "诏免租。", "正月", era_year=2, ad_year=480),
]


@pytest.fixture
def source(tmp_path):
    text = "\n".join(json.dumps(item, ensure_ascii=False) for item in ROWS)
    (tmp_path / "zztj_qiji.jsonl").write_text(text + "\n", encoding="utf-8")
    return tmp_path


def texts(result):
    return {document.id: document.text for document in result.documents}


def test_a_tag_holds_the_date_and_the_day_and_a_title_is_not_said_twice(source):
    assert texts(build_zztj(source)[0]) == {
        "a": "【齐纪 建元元年正月（甲辰）】\n大水，民饥。",
        "b": "【齐纪 建元元年正月（乙巳）】\n修堤\n发民五千人。",
        "c": "【齐纪 建元元年二月】\n有星见东方。",
        "d": "【齐纪 建元元年春】\n春无月者。",
        "e": "【齐纪 建元二年正月】\n新年\n诏免租。",
    }


def test_without_dates_and_in_sequence(source):
    none, sequence = (texts(build_zztj(source, dates=dates)[0]) for dates in ("none", "sequence"))
    assert none["a"] == "大水，民饥。"
    assert list(sequence.values()) == [
        "建元元年春正月甲辰，大水，民饥。",
        "乙巳，修堤\n发民五千人。",
        "二月，有星见东方。",
        "春无月者。",
        "二年春正月，新年\n诏免租。",
    ]


def test_one_question_a_month_with_all_records_of_it(source):
    result, manifest = build_zztj(source)
    assert [(query.text, list(result.qrels[query.id])) for query in result.queries] == [
        ("《资治通鉴·齐纪》在建元元年正月记载了什么？", ["a", "b"]),
        ("《资治通鉴·齐纪》在建元元年二月记载了什么？", ["c"]),
        ("《资治通鉴·齐纪》在建元元年春记载了什么？", ["d"]),
        ("《资治通鉴·齐纪》在建元二年正月记载了什么？", ["e"]),
    ]
    assert result.queries[0].periods[0].edtf() == "0479-02-08/0479-03-09"
    assert manifest.facts["ours and the published set's"] == {"records": [5, 268], "queries": [4, 92]}


def test_what_is_written_reads_back(source, tmp_path):
    result, manifest = build_zztj(source)
    write_folder(tmp_path / "out", result, manifest)
    again = read_folder(tmp_path / "out")
    assert (again.id, again.queries, again.qrels) == ("zztj/qi/tag", result.queries, result.qrels)
    assert texts(again) == texts(result)


def test_mistakes_are_named(source):
    with pytest.raises(EpochalError, match="no way to show dates is called 'all'; known: tag, none, sequence"):
        build_zztj(source, dates="all")
    path = source / "zztj_qiji.jsonl"
    path.write_text('{"id": "a", "title": "t"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 1: the row is no record"):
        build_zztj(source)
    path.write_text("[]\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: the row cannot be read"):
        build_zztj(source)


@real
def test_the_real_rows_give_the_published_months():
    result, manifest = build_zztj(FILES)
    assert manifest.facts["ours and the published set's"] == {"records": [266, 268], "queries": [92, 92]}
    assert all(query.periods for query in result.queries)
