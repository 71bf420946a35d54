"""Made sets: their gold is complete and correct, by brute force over the documents; and they can be made again."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.storage.importers.export import export
from epochal.storage.records import Document
from epochal.times import OPEN_END, OPEN_START, Span
from epochal_lab.datasets.folder import read_folder, write_folder
from epochal_lab.datasets.making.make import KINDS, make

NAMES = ("Ann Hay", "Bob Roe", "Cora Lee", "Dan Fox", "the Vatican")
SAYINGS = ("They met {} and left.", "A letter to {}, who sat.", "He wrote of {} in his book.", "Work with {} went on.")
START = dt.date(2001, 1, 1)


def news(days: list[tuple[int, int]]) -> list[Document]:
    """A document for each pair of a day and a name."""
    results = []
    for number, (day, name) in enumerate(days):
        text = SAYINGS[number % len(SAYINGS)].format(NAMES[name])
        results.append(Document(f"d{number:03}", text, published=Span.of(START + dt.timedelta(days=day))))
    return results


NEWS = news([(number * 7 % 400, number % 5) for number in range(120)])
#: Each name is silent in every fourth month, and never in the same one as the next.
QUIET = news([(30 * month + 3 * name + 1, name) for month in range(24) for name in range(5) if month % 4 != name % 4])
FEES = [
    Document(
        f"{name}-{year}",
        f"The {name.lower()} is {year % 100} euros.",
        name,
        Span.parse(f"{year}-0{number + 1}-15"),
        series=name,
    )
    for name in ("Toll", "Fare", "Rent")
    for number, year in enumerate((2001, 2004, 2009))
]


def windows_of(query) -> list[Span]:
    if query.kind == "before":
        return [Span(OPEN_START, query.periods[0].start)]
    if query.kind == "after":
        return [Span(query.periods[0].end, OPEN_END)]
    return list(query.periods)


def mentions(document: Document, topic: str) -> bool:
    return re.search(rf"\b{re.escape(topic)}\b", f"{document.title}\n{document.text}") is not None


def lies_in(document: Document, windows: list[Span]) -> bool:
    span = document.published
    return any(window.start <= span.start and span.end <= window.end for window in windows)


# Not shrunk: a failure is read off its own question, and shrinking makes hundreds of sets.
@settings(max_examples=10, phases=[Phase.explicit, Phase.generate])
@given(
    st.lists(st.tuples(st.integers(0, 900), st.integers(0, 4)), min_size=30, max_size=80),
    st.integers(0, 1000),
)
def test_gold_is_what_brute_force_finds(days, seed):
    documents = news(days)
    try:
        result, _ = make(documents, per_kind=4, seed=seed)
    except EpochalError:
        return  # nothing clear can be asked of these
    for query in result.queries:
        windows = windows_of(query)
        topic = query.annotations["topic"]
        inside = {item.id for item in documents if mentions(item, topic) and lies_in(item, windows)}
        gold = set(result.qrels.get(query.id, {}))
        assert gold == inside - set(query.excluded), query
        outside = {item.id for item in documents if mentions(item, topic)} - inside
        assert set(query.annotations["confusers"]) <= outside
        minimum = 1 if query.kind == "comparison" else 2
        assert len(outside) >= minimum, "without its time the question must not be answerable"
        if query.kind in ("none_recorded", "not_covered"):
            assert not inside
            assert not query.excluded
        else:
            assert gold


def test_silence_is_silence_amid_records():
    result, _ = make(QUIET, per_kind=20, kinds=["none_recorded", "not_covered"])
    kinds = {query.kind for query in result.queries}
    assert kinds == {"none_recorded", "not_covered"}
    for query in result.queries:
        others = [document for document in QUIET if lies_in(document, list(query.periods))]
        assert bool(others) == (query.kind == "none_recorded")
        assert query.id not in result.qrels
        assert query.annotations["outcome"] == query.kind


def test_same_documents_in_any_order_give_the_same_set():
    one, first = make(NEWS, per_kind=5, seed=3)
    two, second = make(NEWS[::-1], per_kind=5, seed=3)
    assert one.queries == two.queries
    assert one.qrels == two.qrels
    assert first == second
    assert make(NEWS, per_kind=5, seed=4)[0].queries != one.queries


def test_comparisons_label_both_periods():
    result, _ = make(NEWS, per_kind=10, kinds=["comparison"])
    assert result.queries
    for query in result.queries:
        first, second = result.period_qrels[query.id]
        assert first
        assert second
        assert first | second == set(result.qrels[query.id])
        assert not first & second


def test_versions():
    result, _ = make(FEES, per_kind=20, kinds=["latest", "as_of"])
    latest = {query.annotations["topic"]: result.qrels[query.id] for query in result.queries if query.kind == "latest"}
    assert latest == {name: {f"{name}-2009": 1} for name in ("Toll", "Fare", "Rent")}
    past = [query for query in result.queries if query.kind == "as_of"]
    assert len(past) == 6
    for query in past:
        (gold,) = result.qrels[query.id]
        later = [item for item in FEES if item.title == query.annotations["topic"]]
        held = [item for item in later if item.published.end <= query.periods[0].start]
        assert gold == max(held, key=lambda item: item.published.start).id


def test_a_version_that_is_not_yet_out_is_not_asked_for():
    result, _ = make(FEES, per_kind=20, kinds=["latest", "as_of"], now=Span.parse("2005-01-01"))
    assert {query.kind for query in result.queries} == {"as_of"}


def test_equal_versions_are_left_unjudged():
    again = Document("Toll-2010", FEES[0].text, "Toll", Span.parse("2010-05-01"), series="Toll")
    result, _ = make([*FEES, again], per_kind=20, kinds=["latest"])
    (toll,) = [query for query in result.queries if query.annotations["topic"] == "Toll"]
    assert result.qrels[toll.id] == {"Toll-2010": 1}
    assert toll.excluded == ("Toll-2001",)


def test_undated_documents_are_left_unjudged():
    result, _ = make([*NEWS, Document("undated", "They met Ann Hay and left.")], per_kind=20, kinds=["point"])
    about = [query for query in result.queries if query.annotations["topic"] == "Ann Hay"]
    assert about
    assert all("undated" in query.excluded for query in about)


def test_titles_with_dates_are_an_axis_of_their_own():
    documents = [
        Document(
            f"{city}{day}",
            f"High near {day}.",
            f"Forecast for {city} on {day} May 2021",
            Span.parse(f"2021-04-{day + 10:02}"),
        )
        for city in ("Boston", "Miami")
        for day in range(10, 20)
    ]
    result, _ = make(documents, per_kind=10, kinds=["point"])
    axes = {query.annotations["axis"] for query in result.queries}
    assert axes == {"published", "about"}
    for query in result.queries:
        if query.annotations["axis"] == "about":
            city = query.annotations["topic"]
            expected = {f"{city}{day}" for day in range(10, 20) if Span.day(2021, 5, day) in query.periods[0]}
            assert set(result.qrels[query.id]) == expected


def test_sentences_count_where_documents_have_no_date():
    documents = [
        Document(f"{year}-{number}", f"It rained. In {year} they met {name} at sea. Later came 1700.")
        for number, name in enumerate(("Ann Hay", "Bob Roe"))
        for year in range(1820, 1840)
    ]
    result, _ = make(documents, per_kind=10, kinds=["point", "window"])
    assert {query.annotations["axis"] for query in result.queries} == {"stated"}
    for query in result.queries:
        window = query.periods[0]
        number = 0 if query.annotations["topic"] == "Ann Hay" else 1
        expected = {f"{year}-{number}" for year in range(1820, 1840) if Span.year(year) in window}
        assert set(result.qrels[query.id]) == expected


def test_chinese_documents_are_asked_in_chinese():
    documents = [
        Document(f"{name}{year}", f"{position}，{name}{deed}。", published=Span.parse(f"{year}-03"))
        for year, position, deed in zip(
            range(2001, 2013), "江河湖海山川城郭田野林泉", "来朝伐楚会盟归国出奔入周", strict=True
        )
        for name in ("齐侯", "晋侯")
    ]
    result, _ = make(documents, per_kind=3, kinds=["point", "window"])
    assert result.card.language == "zh"
    requests = [query for query in result.queries if query.annotations["topic"] == "齐侯"]
    assert requests
    assert all("年" in query.text and "？" in query.text for query in result.queries)
    for query in requests:
        assert set(result.qrels[query.id]) == {
            item.id for item in documents if "齐侯" in item.text and lies_in(item, list(query.periods))
        }


def test_an_index_and_a_file_give_the_same_set(tmp_path):
    export(NEWS, tmp_path / "news.jsonl")
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add(NEWS)
    one, _ = make(tmp_path / "news.jsonl", per_kind=3)
    two, _ = make(tmp_path / "index", per_kind=3)
    assert one.queries == two.queries
    assert one.qrels == two.qrels


def test_a_set_can_be_written_and_read(tmp_path):
    result, manifest = make([*NEWS, *FEES], per_kind=3)
    message = write_folder(tmp_path / "set", result, manifest)
    back = read_folder(tmp_path / "set")
    assert back.queries == result.queries
    assert {query: dict(match) for query, match in back.qrels.items()} == result.qrels
    assert dict(back.period_qrels) == result.period_qrels
    assert message.facts["questions"].keys() <= set(KINDS)


def release(name: str, number: int, day: int) -> Document:
    date = START + dt.timedelta(days=day)
    text = f"Number {number} mends {number + 3} faults of the parser."
    return Document(f"{name}-{number}", text, f"{name} 1.{number}", published=Span.of(date), series=name)


RELEASES = [release(name, number, 40 * number + 9 * place) for place, name in enumerate(("celery", "flask", "tornado"))
            for number in range(30)]  # fmt: skip


def test_entries_of_a_series_are_a_topic_and_have_a_newest_one():
    made, manifest = make(RELEASES, per_kind=20)
    assert len(made.queries) >= 100
    assert manifest.facts["topics"] >= 3
    by_id = {document.id: document for document in RELEASES}
    kinds = {query.kind for query in made.queries}
    assert {"point", "latest", "as_of", "none_recorded"} <= kinds
    for query in made.queries:
        members = [document for document in RELEASES if document.series == query.annotations["topic"]]
        gold = set(made.qrels.get(query.id, ()))
        if query.kind == "latest" and members:
            assert gold == {max(members, key=lambda document: document.published.start).id}
        if query.kind == "as_of" and members:
            known = [document for document in members if document.published.end <= query.periods[0].start]
            assert gold == {max(known, key=lambda document: document.published.start).id}
        if query.kind == "point" and members:
            assert gold == {one.id for one in members if one.published in query.periods[0]}
        assert gold <= by_id.keys()


def test_releases_are_known_by_their_titles():
    notes = [replace(document, series=None) for document in RELEASES]
    made, _ = make(notes, per_kind=20)
    assert [query.text for query in made.queries] == [query.text for query in make(RELEASES, per_kind=20)[0].queries]
    chapters = [replace(one, title=f"Chapter {number}", series=None) for number, one in enumerate(RELEASES[:30])]
    with pytest.raises(EpochalError, match="no question can be made"):
        make(chapters, kinds=["latest"])


def test_entries_of_one_day_have_no_order():
    twins = [release("celery", 40, 40 * 29), release("flask", 41, 5000), release("flask", 42, 5000)]
    made, _ = make([*RELEASES, *twins], per_kind=100, kinds=["latest", "as_of"])
    tied = {"celery-29", "celery-40", "flask-41", "flask-42"}
    assert not tied & {id for found in made.qrels.values() for id in found}
    assert {query.annotations["topic"] for query in made.queries if query.kind == "latest"} == {"tornado"}


def test_what_was_missing_is_said_for_each_kind():
    _, manifest = make(NEWS, per_kind=2)
    assert manifest.facts["missing"].keys() == {"latest", "as_of", "none_recorded"}
    assert "topics has a day, month or year without a topic" in manifest.facts["missing"]["none_recorded"]
    with pytest.raises(EpochalError, match="too few documents have a date"):
        make([Document(f"d{number}", "It rained on Ann Hay.") for number in range(5)])
    undated = [Document(f"d{number}", "it rained.", published=Span.of(START)) for number in range(5)]
    with pytest.raises(EpochalError, match="no name is shared by three documents"):
        make(undated, kinds=["point"])


def test_what_cannot_be_made_is_said():
    with pytest.raises(EpochalError, match="no question can be made of these 1 documents"):
        make([Document("a", "Rain.")])
    with pytest.raises(EpochalError, match="no kind of question is called 'pont'"):
        make(NEWS, kinds=["pont"])
    with pytest.raises(EpochalError, match="per_kind must be at least 1"):
        make(NEWS, per_kind=0)
    with pytest.raises(EpochalError, match="of no documents"):
        make([])
