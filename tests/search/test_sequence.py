"""Reading in sequence at ingest: documents inherit what they leave out, and the index knows what no word states."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.ingest import BATCH, SequenceReader, add_documents
from epochal.storage.records import TITLE, Document
from epochal.storage.store import Store
from epochal.storage.text import split
from epochal.times import CalendarDate, Span

YIN = CalendarDate("lu", 1, era="魯隱公")
LOG = ["12 May 1843. Rain.", "13. The mast broke.", "All repaired.", "2 June. Land."]


def documents(texts, **fields):
    return [Document(f"d{number}", text, **fields) for number, text in enumerate(texts)]


def read_all(reader, given):
    read = reader.begin()
    return [read(document) for document in given]


def dates(reader, texts):
    """The first date of each text with the words that state it."""
    matches = []
    for text, (_, intervals) in zip(texts, read_all(reader, documents(texts)), strict=True):
        first = intervals[0] if intervals else None
        matches.append(first and (first.span.edtf(), text[first.start_char : first.end_char]))
    return matches


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "store") as result:
        yield result


def stored(store):
    view = store.view()
    entries = view.get_entries(view.alive_documents)
    return {
        entry.document.id: [dating for passage in entry.passages for dating in passage.datings] for entry in entries
    }


# ---------------------------------------------------------------- what is read


def test_a_log_inherits_what_it_leaves_out():
    assert dates(SequenceReader(), LOG) == [
        ("1843-05-12", "12 May 1843"),
        ("1843-05-13", "13"),
        ("1843-05-13", ""),
        ("1843-06-02", "2 June"),
    ]


def test_annals_inherit_reign_and_year():
    texts = ["元年春王正月。", "三月，公及邾儀父盟于蔑。", "公子益師卒。", "二年春，公會戎于潛。"]
    assert dates(SequenceReader("lu", YIN), texts) == [
        ("-0721-01~", "元年春王正月"),
        ("-0721-03~", "三月"),
        ("-0721-03~", ""),
        ("-0720-01~/-0720-03~", "二年春"),
    ]


def test_brackets_before_a_date_are_no_part_of_it():
    assert dates(SequenceReader(), ["[12 May 1843] Rain."]) == [("1843-05-12", "12 May 1843")]


def test_what_is_stated_is_surer_than_what_is_carried_and_what_is_stated_further_in():
    (_, first), (_, second) = read_all(SequenceReader(), documents(["12 May 1843. In April 1841 we sailed.", "Rain."]))
    own, message = first
    assert own.confidence > second[0].confidence > message.confidence
    assert message.span.edtf() == "1841-04"


def test_relative_dates_count_from_the_date_that_was_carried():
    (_, _), (_, result) = read_all(SequenceReader(), documents(["12 May 1843. Rain.", "13. We left yesterday."]))
    assert [item.span.edtf() for item in result] == ["1843-05-13", "1843-05-12"]


def test_before_the_first_date_nothing_is_carried_and_publication_is_counted_from():
    given = [Document("a", "Sold last year.", published=Span.parse("1998-06-02"))]
    ((_, matches),) = read_all(SequenceReader(), given)
    assert [item.span.edtf() for item in matches] == ["1997"]
    assert dates(SequenceReader("lu"), ["秋七月。"]) == [None]


def test_a_heading_moves_the_sequence_on():
    given = [Document("a", "春，公會戎。", "隱公二年"), Document("b", "公還。"), Document("c", "", "隱公三年")]
    (title, first), (_, second), (heading, nothing) = read_all(SequenceReader("lu", YIN), given)
    assert title == []
    assert first[0].span.edtf() == second[0].span.edtf() == "-0720-01~/-0720-03~"
    assert [item.span.edtf() for item in heading] == ["-0719~"]
    assert nothing == []


def test_a_day_that_falls_beside_its_nominal_month_is_dated_by_the_month():
    """Of the third year's fourth month the day 辛卯 falls in a May; whoever asks for the fourth month must find it."""
    texts = ["三年春王二月，己巳，日有食之。", "夏四月辛卯，君氏卒。"]
    assert [date for date, _ in dates(SequenceReader("lu", YIN), texts)] == ["-0719-02-14~", "-0719-04~"]


@pytest.mark.parametrize(("carry", "expected"), [("opening", "1843-05-12"), ("last", "1841-04")])
def test_passages_further_in_keep_the_date(carry, expected):
    text = f"12 May 1843. Rain. In April 1841 we sailed. {'The sea was calm and the men were well. ' * 60}"
    starts = [start for start, _ in split(text)]
    assert len(starts) > 1
    ((_, matches),) = read_all(SequenceReader(carry=carry), documents([text]))
    inherited = {item.start_char: item for item in matches if item.start_char == item.end_char}
    assert sorted(inherited) == starts[1:]
    assert {item.span.edtf() for item in inherited.values()} == {expected}


def test_sequences_may_come_mixed():
    given = [
        Document("a1", "12 May 1843. Rain.", meta={"ship": "a"}),
        Document("b1", "3 June 1850. Sun.", meta={"ship": "b"}),
        Document("a2", "13. Rain.", meta={"ship": "a"}),
        Document("b2", "4. Sun.", meta={"ship": "b"}),
    ]
    result = read_all(SequenceReader(by="ship"), given)
    assert [intervals[0].span.edtf() for _, intervals in result] == [
        "1843-05-12",
        "1850-06-03",
        "1843-05-13",
        "1850-06-04",
    ]


def test_the_name_of_a_sequence_is_checked():
    with pytest.raises(EpochalError, match=r"document 'a' has \['x'\] under 'ship'"):
        read_all(SequenceReader(by="ship"), [Document("a", "Rain.", meta={"ship": ["x"]})])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"calendar": "british"}, "counts no reigns in characters"),
        ({"calendar": "lu", "start": Span.year(-721)}, "not a span"),
        ({"carry": "first"}, "carry"),
    ],
)
def test_a_reader_is_checked_when_it_is_made(fields, message):
    with pytest.raises(EpochalError, match=message):
        SequenceReader(**fields)


@given(st.lists(st.sampled_from([*LOG, "", "13 men came.", "31 June. Fog."]), max_size=12))
def test_every_run_starts_fresh_and_agrees_with_itself(texts):
    reader = SequenceReader()
    assert read_all(reader, documents(texts)) == read_all(reader, documents(texts))


# ---------------------------------------------------------------- what is stored


def test_places_are_stored_with_no_length_for_what_was_carried(store):
    add_documents(store, documents(LOG[:3]), None, read=SequenceReader())
    positions = {
        key: [(item.span.edtf(), item.start_char, item.end_char) for item in value]
        for key, value in stored(store).items()
    }
    assert positions == {"d0": [("1843-05-12", 0, 11)], "d1": [("1843-05-13", 0, 2)], "d2": [("1843-05-13", 0, 0)]}


def test_a_document_with_a_title_alone_is_dated_there(store):
    add_documents(store, [Document("a", "", "12 May 1843")], None, read=SequenceReader())
    assert [(item.span.edtf(), item.start_char) for item in stored(store)["a"]] == [("1843-05-12", TITLE)]


def test_documents_that_are_stored_already_still_carry(store):
    """An interrupted run is run again: what it stored is left alone, and what follows hangs on it."""
    given, reader = documents(LOG), SequenceReader()
    assert add_documents(store, given[:2], None, read=reader) == 2
    assert add_documents(store, given, None, read=reader) == 2
    assert stored(store)["d2"][0].span.edtf() == "1843-05-13"
    assert add_documents(store, given, None, read=reader) == 0


def test_a_change_redates_what_follows_and_nothing_else(store):
    given, reader = documents(LOG), SequenceReader()
    add_documents(store, given, None, read=reader)
    given[1] = Document("d1", "14. The mast broke.")
    assert add_documents(store, given, None, read=reader) == 2
    assert [match[0].span.edtf() for match in stored(store).values()].count("1843-05-14") == 2


def test_the_order_holds_across_batches_and_repeated_ids(store):
    count = BATCH + 3
    given = [Document("first", "1 January 1843. Frost."), *documents(["Rain."] * count), Document("first", "2. Snow.")]
    last = Document("last", "Sun.")
    add_documents(store, iter([*given, last]), None, read=SequenceReader())
    result = stored(store)
    assert result[f"d{count - 1}"][0].span.edtf() == "1843-01-01"
    assert result["first"][0].span.edtf() == result["last"][0].span.edtf() == "1843-01-02"


def test_what_is_no_document_is_refused(store):
    with pytest.raises(EpochalError, match="only documents can be added, but a str was given"):
        add_documents(store, ["12 May 1843."], None, read=SequenceReader())


# ---------------------------------------------------------------- what is found


def test_a_carried_date_is_found_by_a_filter_and_shown_as_no_words_of_the_text(tmp_path):
    with Index.create(tmp_path / "log", encoder=None) as index:
        index.add(documents(LOG), read=SequenceReader())
        (hit,) = index.search("repaired", during="1843-05-13", strict=True, k=1)
        assert hit.id == "d2"
        assert [(item.span.edtf(), item.text) for item in hit.evidence] == [("1843-05-13", "")]
        assert hit.evidence[0].start_char == hit.evidence[0].end_char


@pytest.mark.parametrize(
    "question",
    [
        "魯隱公二年五月，無駭何為？",
        "鲁隐公二年五月，无骇何为？",
        "What did 無駭 do in the fifth month of the second year of Duke Yin of Lu?",
    ],
)
def test_an_annal_without_any_date_answers_for_its_month(tmp_path, question):
    texts = ["二年春，公會戎于潛。", "夏五月，莒人入向。", "無駭帥師入極。", "八年冬十有二月，無駭卒。"]
    with Index.create(tmp_path / "annals", encoder=None) as index:
        index.add(documents(texts), read=SequenceReader("lu", YIN))
        hit = index.search(question)[0]
        assert hit.id == "d2"
        assert hit.evidence[0].span.edtf() == "-0720-05~"


@pytest.mark.parametrize(("month", "outcome"), [("七", "recorded"), ("八", "none_recorded")])
def test_what_annals_record_under_a_season_stands_where_its_first_month_does(tmp_path, month, outcome):
    texts = ["二年春，公會戎于潛。", "夏五月，莒人入向。", "秋，大水。", "冬十月，伯姬歸于紀。"]
    with Index.create(tmp_path / "annals", encoder=None) as index:
        index.add(documents(texts), read=SequenceReader("lu", YIN))
        assert index.search(f"魯隱公二年{month}月發生了什麼事？").outcome == outcome
