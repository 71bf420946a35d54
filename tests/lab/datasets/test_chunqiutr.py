"""The builder of ChunQiuTR on a few years of annals in words of our own, and on the real texts where they are there."""

import io
import json
import re
import sys
import tarfile
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, InputError, MissingExtraError
from epochal.reading.questions.understand import understand
from epochal_lab.datasets.chunqiutr.build import build
from epochal_lab.datasets.chunqiutr.negatives import Sides, drop_pronunciation, items, notes, parts, plain, printed
from epochal_lab.datasets.chunqiutr.queries import (
    AMOUNTS,
    GROUPS,
    MODES,
    TEMPLATES,
    build_queries,
    build_query,
    family,
    protocol,
)
from epochal_lab.datasets.chunqiutr.records import MonthKey, MonthLine
from epochal_lab.datasets.folder import read_folder, write_folder
from paths import DATA, needs_data

FILES = DATA / "chunqiu"
real = needs_data("chunqiu/entries.jsonl")

# src, id, gong, year, kind, text, month: two years of one duke and two of the next
ENTRIES = [
    ("左傳", "A1.10.1", "隱", 10, "經", "十年春王二月，公會齊侯于甲丘。", 2),
    ("左傳", "A1.10.2", "隱", 10, "經", "大水。螟。", 2),
    ("左傳", "A1.10.3", "隱", 10, "經", "夏，築臺于乙門。", 4),
    ("左傳", "A1.11.1", "隱", 11, "經", "十有一年冬十有一月，有星出于東方。", 11),
    ("左傳", "A2.1.1", "桓", 1, "經", "元年春王正月，公即位。", 1),
    ("左傳", "A2.2.1", "桓", 2, "經", "二年秋七月，雨雹。", 7),
    (
        "左傳",
        "B1.10.1",
        "隱",
        10,
        "傳",
        "十年春，公會齊侯于甲丘，尋舊盟也。夏四月，築臺于乙門，不時也。初，三月無雨。",
        1,
    ),
    ("左傳", "B2.2.1", "桓", 2, "傳", "秋，雨雹，傷禾。八月，民饑。", 7),
    ("公羊傳", "G2.1.1", "桓", 1, "經", "元年春王正月，公即位。", 1),
    ("公羊傳", "G2.1.1c", "桓", 1, "傳", "何以书？常事也。", 1),
    ("穀梁傳", "1.10.1", "隱", 10, "穀梁傳", "十年春王二月，公會齊侯于甲丘。會者何？同志也。", None),
]
SPLITS = {(1, 10): "train", (1, 11): "val", (2, 1): "val", (2, 2): "test"}
LAYERS = {
    "KR1e0002": "#+TITLE: own¶\n十年春王二月公會齊侯于甲丘(甲丘齊地在國之/東南三十里也)大水螟(害苗之/蟲也所)¶\n"
    "(以為/災也)夏築臺于乙門(不時/也農事方急故書)¶\n",
    "KR1e0004": "十年春王二月公會齊侯于甲丘注齊地音義(丘音/邱)疏(正義曰會者國君相見之名/所以講信修睦)¶\n"
    "(正義曰甲丘非魯之/邑故言于)¶\n",
    "KR1e0044": "　　(一/)公會齊侯¶\n會者國君相見之名所以講信修睦故書之¶\n",
    "KR1e0039": "　　桓公¶\n　　　雨雹傷禾民饑(二年/)¶\n雨雹一段可見當時政事之失¶\n",
    "KR1e0041": "　　築臺(隱十年夏築臺于/乙門不時也)¶\n君子使民以時此條論之詳矣¶\n",
    "KR1e0114": "#+PROPERTY: JUAN 卷四十二之一\n十年春王二月公會齊侯于甲丘¶\n"
    "　　(案左氏以為尋盟二傳無文當從左氏/)¶\n#+PROPERTY: JUAN 卷四十三\n",
}


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    names = ("src", "id", "gong", "year", "kind", "text", "month")
    rows = [json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in ENTRIES]
    (folder / "entries.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    keys = {f"{duke}-{year}-{month}": split for (duke, year), split in SPLITS.items() for month in range(1, 13)}
    (folder / "time_splits_by_month_v1.json").write_text(json.dumps({"split_by_sort_key": keys}), encoding="utf-8")
    with tarfile.open(folder / "kanripo_layers.tar.xz", "w:xz") as archive:
        for work, text in LAYERS.items():
            member = tarfile.TarInfo(f"{work}/{work}_001.txt")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return folder


@pytest.fixture
def made(source):
    return build(source)[0]


def by_id(result):
    return {document.id: document for document in result.documents}


def test_annals_are_parted_into_sentences_and_commentaries_where_a_later_month_opens(made):
    result = {name: (item.meta["key"], item.text) for name, item in by_id(made).items() if item.meta["type"] == "event"}
    assert result["jing-1.10.2"] == ("1-10-2", "大水。")
    assert result["jing-1.10.2-2"] == ("1-10-2", "螟。")
    assert result["zuo-1.10.1"] == ("1-10-1", "十年春，公會齊侯于甲丘，尋舊盟也。")
    assert result["zuo-1.10.1-2"] == ("1-10-4", "夏四月，築臺于乙門，不時也。初，三月無雨。")
    assert result["zuo-2.2.1-2"] == ("2-2-8", "八月，民饑。")


def test_a_comment_follows_its_annal_and_an_entry_without_a_month_is_read(made):
    result = by_id(made)
    assert result["gongyang-2.1.1"].text == "元年春王正月，公即位。何以书？常事也。"
    assert result["guliang-1.10.1"].meta["key"] == "1-10-2"


def test_every_month_has_an_event_or_one_placeholder_with_its_full_date(made):
    months = Counter()
    for document in made.documents:
        if document.meta["type"] != "neg_comment":
            months[document.meta["key"], document.meta["type"]] += 1
    empty = {key for key, kind in months if kind == "no_event"}
    full = {key for key, kind in months if kind == "event"}
    assert not empty & full
    assert len(empty | full) == 48
    assert all(months[key, "no_event"] == 1 for key in empty)
    for document in made.documents:
        if document.meta["type"] == "no_event":
            assert document.text.startswith(MonthKey.parse(document.meta["key"]).text)


def test_a_heading_is_used_only_where_the_text_leaves_its_year_out(source):
    headings = {document.id: document.meta.get("heading") for document in build(source)[0].documents}
    assert headings["zuo-2.2.1"] == "桓公二年"
    assert headings["jing-2.2.1"] is None
    titles = {document.id: document.title for document in build(source, headings=True)[0].documents}
    assert titles["zuo-2.2.1"] == "桓公二年"
    assert titles["zuo-2.2.1-2"] == ""


def test_notes_come_to_the_month_of_the_annal_that_they_follow(made):
    matches = [(item.meta["author"], item.meta["key"], item.text) for item in made.documents if "author" in item.meta]
    assert ("杜預", "1-10-2", "甲丘齊地在國之東南三十里也。害苗之蟲也所以為災也") not in matches
    assert ("杜預", "1-10-2", "甲丘齊地在國之東南三十里也") in matches
    assert ("杜預", "1-10-4", "不時也農事方急故書") in matches
    assert ("孔穎達", "1-10-2", "會者國君相見之名所以講信修睦") in matches
    assert ("魏了翁", "1-10-2", "會者國君相見之名所以講信修睦故書之") in matches
    assert ("呂祖謙", "2-2-7", "雨雹一段可見當時政事之失") in matches
    assert ("呂祖謙", "1-10-4", "君子使民以時此條論之詳矣") in matches
    assert ("顧棟高", "1-10-2", "案左氏以為尋盟二傳無文當從左氏") in matches


def test_gold_is_every_event_and_placeholder_of_the_targets_and_no_commentary(made):
    records = by_id(made)
    for query in made.queries:
        targets = set(query.annotations["targets"])
        expected = {
            name for name, item in records.items() if item.meta["key"] in targets and item.meta["type"] != "neg_comment"
        }
        assert set(made.qrels[query.id]) == expected
        assert frozenset().union(*made.period_qrels[query.id]) == expected
        assert len(made.period_qrels[query.id]) == len(query.periods) == len(targets)
        assert query.annotations["gap"] == all(records[name].meta["type"] == "no_event" for name in expected)


def test_no_question_asks_across_splits(made):
    splits = {f"{duke}-{year}-{month}": split for (duke, year), split in SPLITS.items() for month in range(1, 13)}
    assert {query.split for query in made.queries} == {"train", "val", "test"}
    for query in made.queries:
        assert {splits[key] for key in query.annotations["targets"]} == {query.split}


def test_two_builds_write_the_same_bytes_and_read_back(source, tmp_path):
    for name in ("one", "two"):
        write_folder(tmp_path / name, *build(source))
    for path in sorted((tmp_path / "one").rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()
    again = read_folder(tmp_path / "one")
    first = build(source)[0]
    assert again.queries == first.queries
    assert again.qrels == first.qrels
    assert again.period_qrels == first.period_qrels
    assert [item.meta for item in again.documents] == [dict(item.meta) for item in first.documents]


def test_modes_restrict_the_gallery_and_the_questions(made):
    for neg, ne, dq in MODES:
        given = protocol(made, neg=neg, ne=ne, dq=dq)
        types = {document.meta["type"] for document in given.documents}
        assert ("neg_comment" in types, "no_event" in types) == (bool(neg), bool(ne))
        ids = {document.id for document in given.documents}
        assert given.queries
        for query in given.queries:
            assert given.qrels[query.id].keys() <= ids
            assert given.qrels[query.id]
            assert not (dq and query.annotations["gap"])
    assert len(protocol(made).queries) == len(made.queries)


def test_families_part_the_questions(made):
    point, window, gap = (family(made, name) for name in ("point", "window", "gap"))
    assert len(point.queries) + len(window.queries) == len(made.queries)
    assert 0 < len(gap.queries) < len(made.queries)
    assert family(made, "all") is made
    with pytest.raises(EpochalError, match="no family is called 'year'"):
        family(made, "year")


def test_without_negatives_the_layers_are_not_needed(source):
    (source / "kanripo_layers.tar.xz").unlink()
    result, manifest = build(source, negatives=False)
    assert not any(document.meta["type"] == "neg_comment" for document in result.documents)
    assert "kanripo_layers.tar.xz" not in manifest.sources
    with pytest.raises(EpochalError, match=r"kanripo_layers\.tar\.xz is missing"):
        build(source)


def test_months_can_be_read_instead_of_taken_from_the_table(source):
    message = build(source)[1].facts["entries"]
    assert message["in_table"] == 9  # the comment of 公羊傳 has gone behind its annal, and 穀梁傳 has no month
    assert message["read_otherwise"] == 2  # 左氏傳 opens with a season, and soon goes on to a month
    rows = (source / "entries.jsonl").read_text(encoding="utf-8").replace('"month": 11', '"month": 9')
    (source / "entries.jsonl").write_text(rows, encoding="utf-8")
    assert build(source)[1].facts["entries"]["read_otherwise"] == 3
    keys = {months: by_id(build(source, months=months)[0])["jing-1.11.1"].meta["key"] for months in ("table", "read")}
    assert keys == {"table": "1-11-9", "read": "1-11-11"}


@pytest.mark.parametrize(("points", "windows"), [(21, 1.0), (-1, 1.0), (1, -0.5), (1, 40.0)])
def test_amounts_that_there_are_no_templates_for_are_refused(source, points, windows):
    with pytest.raises(EpochalError, match="points from 0 to 20, windows from 0 to 21"):
        build(source, points=points, windows=windows)


def test_rows_that_are_no_entries_are_named(source):
    path = source / "entries.jsonl"
    path.write_text('{"src": "左傳"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"entries\.jsonl, line 1: the row is no entry"):
        build(source)
    (source / "time_splits_by_month_v1.json").write_text('{"split_by_sort_key": {"13-1-1": "train"}}', encoding="utf-8")
    path.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="'13-1-1' is no month key"):
        build(source)


def test_a_broken_archive_and_a_missing_work_are_named(source):
    path = source / "kanripo_layers.tar.xz"
    with tarfile.open(path, "w:xz"):
        pass
    with pytest.raises(InputError, match=r"the work KR1e0002 \(杜預\) is not in the archive"):
        build(source)
    path.write_bytes(b"no archive")
    with pytest.raises(InputError, match="the archive cannot be read"):
        build(source)


def test_scripts(source):
    pytest.importorskip("opencc")
    simplified = by_id(build(source, script="simplified")[0])
    assert simplified["jing-1.10.1"].text == "十年春王二月，公会齐侯于甲丘。"
    traditional = by_id(build(source, script="traditional")[0])
    assert traditional["gongyang-2.1.1"].text.endswith("何以書？常事也。")
    assert traditional["jing-1.10.1"].text == "十年春王二月，公會齊侯于甲丘。"


def test_without_the_converter_another_script_names_the_extra(source, monkeypatch):
    monkeypatch.setitem(sys.modules, "opencc", None)
    with pytest.raises(MissingExtraError, match="chinese"):
        build(source, script="simplified")


# ---------------------------------------------------------------- the real texts


@pytest.fixture(scope="module")
def whole():
    return build(FILES)


@real
def test_the_keys_are_the_official_ones_and_each_has_a_record(whole):
    built, _ = whole
    official = json.loads((FILES / "time_splits_by_month_v1.json").read_text(encoding="utf-8"))["split_by_sort_key"]
    result = {document.meta["key"]: document.meta["split"] for document in built.documents}
    message = {document.meta["key"] for document in built.documents if document.meta["type"] != "neg_comment"}
    assert len(official) == 3036
    assert message == official.keys()
    assert result == official
    ids = {document.meta["time_id"]: document.meta["key"] for document in built.documents}
    line = MonthLine({MonthKey.parse(key): split for key, split in official.items()})
    assert ids == {position: str(key) for position, key in enumerate(line.keys)}


@real
def test_the_real_set_is_of_the_published_shape(whole):
    result, manifest = whole
    counts = manifest.facts["ours and the published set's"]["all"]
    for name, (ours, published) in counts.items():
        if published is not None:
            assert 0.8 <= ours / published <= 1.15, name
    assert abs(counts["no_event"][0] - 1510) <= 30
    assert len({document.id for document in result.documents}) == len(list(result.documents))
    for author, row in manifest.facts["layers"].items():
        assert row["placed"] / row["units"] > 0.75, author


@real
def test_the_real_splits_leak_nothing(whole):
    result, _ = whole
    split = {document.meta["key"]: document.meta["split"] for document in result.documents}
    for query in result.queries:
        assert {split[key] for key in query.annotations["targets"]} == {query.split}


@real
@pytest.mark.parametrize("kind", ["content", "existence", "range", "year"])
def test_real_questions_are_read_as_what_they_ask(whole, kind):
    result, _ = whole
    request = [query for query in result.queries if query.kind == kind][::23]
    for query in request:
        spans = [(item.span.start, item.span.end) for item in understand(query.text).constraints]
        assert (query.periods[0].start, query.periods[-1].end) in spans, query.text


@real
def test_real_texts_are_as_the_sources_have_them(whole):
    result, _ = whole
    source = re.sub(r"\s", "", (FILES / "entries.jsonl").read_text(encoding="utf-8"))
    events = [document for document in result.documents if document.meta["work"] == "經"]
    assert len(events) > 1500
    for document in events[::11]:
        assert re.sub(r"\s", "", document.text) in source


# Characters that never repeat, so that every stretch is found.
TEXT = "".join(chr(0x4E00 + 7 * number) for number in range(200))


@given(st.lists(st.tuples(st.integers(1, 199), st.integers(1, 30)), max_size=8, unique_by=lambda item: item[0]))
def test_a_place_is_found_again_behind_whatever_was_put_in(inserted):
    copy, expected, last = "", [], 0
    for position, size in sorted(inserted):
        copy += TEXT[last:position]
        expected.append((len(copy), position))
        copy += "龘" * size
        last = position
    sides = Sides(TEXT, copy + TEXT[last:])
    for at, position in expected:
        result = sides.place(at)
        # A piece shorter than any stretch that is looked for is not found, only what stands before it.
        assert (
            result is None
            or position - 2 - sum(1 for other, _ in inserted if position - 3 < other < position) * 2
            <= result
            <= position
        )


@given(st.text(alphabet="甲乙丙丁", max_size=60), st.text(alphabet="甲乙丙丁", max_size=60))
def test_places_never_run_backwards(text, copy):
    sides = Sides(text, copy)
    matches = [position for at in range(len(copy) + 1) if (position := sides.place(at)) is not None]
    assert matches == sorted(matches)
    assert all(0 < position <= len(text) for position in matches)
    assert 0.0 <= sides.share <= 1.0


def test_what_is_far_from_anything_known_has_no_place():
    sides = Sides(TEXT, TEXT[:50] + "龘" * 100 + TEXT[50:])
    assert sides.place(60, reach=20) == 50
    assert sides.place(120, reach=20) is None
    assert sides.place(0) is None


def test_variants_and_marks_do_not_matter():
    assert plain("鄭伯，克段。") == plain("郑伯克段")


def test_a_note_goes_on_over_lines_and_pages():
    text = "# a head¶\n三月盟(一/二)¶\n<pb:X_001-1a>¶\n(三/四)于蔑(五/)¶\n"
    assert [(note.text, note.at) for note in notes(text)] == [("一二三四", 3), ("五", 5)]
    assert printed(text) == "三月盟于蔑"


def test_sounds_and_stock_phrases_are_left_out():
    assert drop_pronunciation("魯地也蔑亡結切") == "魯地也"
    assert drop_pronunciation("魯地也") == "魯地也"
    assert parts("無文") == ["無文"]
    assert parts("注正義曰甲也正義曰乙也") == ["甲也", "乙也"]


def test_sections_have_a_heading_of_one_or_more_lines():
    matches = list(items("序¶\n　　甲(元/年)¶\n　　乙(二/年)¶\n一二¶\n三¶\n", "　　"))
    assert [(item.title, item.note, item.text) for item in matches] == [("", "", "序"), ("甲乙", "元年二年", "一二三")]


YEARS = ((1, 10), (1, 11), (2, 1), (2, 2))
LINE = MonthLine({MonthKey(*year, month): "train" for year in YEARS for month in range(1, 13)})
RANGES = {
    "content": (1, 12),
    "existence": (13, 20),
    "past": (21, 26),
    "future": (27, 31),
    "around": (32, 36),
    "range": (37, 41),
    "year": (42, 46),
    "previous": (47, 49),
    "next": (50, 52),
}


def test_there_are_fifty_two_templates_in_nine_groups_with_the_published_numbers():
    result = {}
    for template in TEMPLATES:
        result.setdefault(template.group, []).append(template.number)
    assert {group: (numbers[0], numbers[-1]) for group, numbers in result.items()} == RANGES
    assert [template.number for template in TEMPLATES] == list(range(1, 53))
    assert tuple(RANGES) == GROUPS
    assert len({template.text for template in TEMPLATES}) == 52


def first_of(group):
    return next(template for template in TEMPLATES if template.group == group)


@pytest.mark.parametrize(
    ("group", "anchor", "amount", "first", "last"),
    [
        ("content", "2-1-1", 0, "2-1-1", "2-1-1"),
        ("past", "2-1-1", 1, "1-11-12", "1-11-12"),
        ("past", "2-1-1", 6, "1-11-7", "1-11-12"),
        ("past", "1-11-3", 6, "1-10-9", "1-11-2"),
        ("future", "1-11-12", 3, "2-1-1", "2-1-3"),
        ("future", "1-10-12", 12, "1-11-1", "1-11-12"),
        ("around", "2-1-1", 2, "1-11-11", "2-1-3"),
        ("range", "1-11-11", 5, "1-11-11", "2-1-4"),
        ("year", "2-1-7", 0, "2-1-1", "2-1-12"),
        ("previous", "2-1-7", 0, "1-11-1", "1-11-12"),
        ("next", "1-11-7", 0, "2-1-1", "2-1-12"),
    ],
)
def test_windows_run_across_years_and_reigns(group, anchor, amount, first, last):
    targets = build_query(first_of(group), MonthKey.parse(anchor), amount, LINE).targets
    assert (str(targets[0]), str(targets[-1])) == (first, last)
    assert list(targets) == sorted(targets)


@pytest.mark.parametrize(
    ("group", "anchor", "amount"),
    [
        ("past", "1-10-1", 1),
        ("past", "1-10-3", 3),
        ("future", "2-2-12", 1),
        ("around", "1-10-1", 1),
        ("range", "2-2-12", 1),
        ("previous", "1-10-5", 0),
        ("next", "2-2-5", 0),
    ],
)
def test_windows_that_leave_the_line_ask_for_nothing(group, anchor, amount):
    assert build_query(first_of(group), MonthKey.parse(anchor), amount, LINE).targets == ()


@given(st.sampled_from([item for item in TEMPLATES if item.group in AMOUNTS]), st.sampled_from(LINE.keys), st.data())
def test_a_window_has_as_many_months_as_it_says(template, anchor, data):
    amount = data.draw(st.sampled_from(AMOUNTS[template.group]))
    targets = build_query(template, anchor, amount, LINE).targets
    sizes = {"past": amount, "future": amount, "around": 2 * amount + 1, "range": amount + 1}
    assert len(targets) in (0, sizes[template.group])
    assert (anchor in targets) == (bool(targets) and template.group in ("around", "range"))


def test_so_many_questions_are_asked_a_month_and_no_text_twice():
    queries, _, _, mixed = build_queries([], LINE, points=4, windows=1.5)
    families = Counter(query.annotations["family"] for query in queries)
    assert families == {"point": 4 * 48, "window": 72}
    assert mixed == 0
    assert len({query.text for query in queries}) == len(queries)
    assert all(
        count == 4 for count in Counter(q.annotations["anchor"] for q in queries if q.kind in GROUPS[:2]).values()
    )


def test_windows_across_splits_are_dropped_and_counted():
    parted = MonthLine({key: "train" if key < MonthKey(2, 1, 1) else "test" for key in LINE.keys})
    whole = build_queries([], LINE, points=0, windows=3.0)[0]
    queries, _, _, mixed = build_queries([], parted, points=0, windows=3.0)
    assert mixed > 0
    assert len(queries) + mixed == len(whole)
    assert {query.split for query in queries} == {"train", "test"}


@pytest.mark.parametrize("text", ["", "1-1", "0-1-1", "13-1-1", "1-a-1", "1-1-1-1"])
def test_what_is_no_key_is_refused(text):
    with pytest.raises(EpochalError, match="is no month key"):
        MonthKey.parse(text)
