"""Selection: what time leaves to be searched equals what brute force over all documents' times leaves."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.search import Response
from epochal.storage.records import Document
from epochal.times import OPEN_END, OPEN_START, Span
from epochal.times.filters import TimeFilter, after, before, build_filter, overlaps
from spans_strategy import spans

RELATIONS = (
    "during overlaps before after around meets starts finished_by equals finishes contains started_by overlapped_by "
    "met_by"
).split()
Filler = Callable[[list[Document]], Index]


def corpus(count: int = 70) -> list[Document]:
    """Documents with every mix of dates, all of one topic, so that words tell nothing apart."""
    draw = random.Random(7)

    def time() -> str:
        year = draw.choice((-300, -43, 800, 1914, 1933, 1990, 1995, 1998, 2004, 2019))
        output = f"{year:05d}" if year < 0 else f"{year:04d}"
        forms = ("{}", "{}-05", "{}-05-02", "{}~", "{}?", "../{}", "{}/..", "{}/2021")
        return draw.choice(forms).format(output)

    matches = []
    for number in range(count):
        message = draw.choice(("", " in 1995", " on 2 May 1933", " from 1916 to 1920", " in 44 BC and in 2003"))
        published, valid = (Span.parse(time()) if draw.random() < chance else None for chance in (0.6, 0.3))
        title = draw.choice(("", "Steel in 1914", "Steel"))
        matches.append(Document(f"d{number}", f"Tariffs on steel rose{message}.", title, published, valid))
    return matches


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with Index.create(tmp_path_factory.mktemp("selection"), encoder=None) as result:
        result.add(corpus())
        yield result


def times_of(index: Index) -> dict[str, list[Span]]:
    """Every time of every document: its own two, and those that were read in it."""
    view = index.view()
    result = {}
    for entry in view.get_entries(view.alive_documents):
        own = [span for span in (entry.document.published, entry.document.valid) if span is not None]
        read = [dating.span for passage in entry.passages for dating in passage.datings]
        result[entry.document.id] = own + read
    return result


def is_open_towards(span: Span, relation: str | None) -> bool:
    """Whether nothing can have the relation, because the span has no edge on that side."""
    sides = {"before": span.start == OPEN_START, "meets": span.start == OPEN_START}
    sides |= {"after": span.end == OPEN_END, "met_by": span.end == OPEN_END}
    return sides.get(relation or "", False)


def ids(response: Response) -> set[str]:
    return {hit.id for hit in response}


def expected(index: Index, *conditions: TimeFilter) -> set[str]:
    return {id for id, times in times_of(index).items() if any(all(keep(t) for keep in conditions) for t in times)}


def check_counts(index: Index, response: Response) -> None:
    """All that is not found is hidden, and undated documents are counted apart."""
    assert len(response) + sum(response.hidden.values()) == len(index)
    undated = sum(not times for times in times_of(index).values())
    assert response.hidden.get("undated", 0) == undated


@given(spans(), st.sampled_from(RELATIONS))
def test_a_strict_relation_keeps_what_brute_force_keeps(index: Index, span: Span, relation: str) -> None:
    if is_open_towards(span, relation):
        with pytest.raises(EpochalError, match="open on that side"):
            index.search("steel tariffs", during=span, relation=relation, strict=True)
        return
    found = index.search("steel tariffs", k=1000, during=span, relation=relation, strict=True, collapse_versions=False)
    assert ids(found) == expected(index, build_filter(relation, span))
    check_counts(index, found)


@given(spans(), spans(), st.booleans())
def test_one_time_must_meet_all_strict_conditions(index: Index, low: Span, high: Span, inside: bool) -> None:
    conditions, options = [], {}
    if low.end != OPEN_END:
        conditions.append(after(low))
        options["after"] = low
    if high.start != OPEN_START and ("after" not in options or low.end < high.start):
        conditions.append(before(high))
        options["before"] = high
    if inside or not conditions:
        conditions.append(overlaps(Span.parse("1900/2000")))
        options["during"] = Span.parse("1900/2000")
    found = index.search("steel tariffs", k=1000, strict=True, collapse_versions=False, **options)
    assert ids(found) == expected(index, *conditions)
    check_counts(index, found)


@pytest.mark.parametrize("question", ["steel tariffs", "zebra quagga", "zebra in 1933"])
@pytest.mark.parametrize("k", [1, 5, 20])
def test_a_strict_window_gives_k_documents_while_it_has_them(index: Index, question: str, k: int) -> None:
    inside = expected(index, overlaps(Span.parse("1930/1999")))
    found = index.search(question, k=k, during="1930/1999", strict=True, collapse_versions=False)
    assert len(found) == min(k, len(inside))
    assert ids(found) <= inside


def test_a_text_on_either_side_of_a_range_does_not_lie_in_it(filled: Filler) -> None:
    index = filled([Document("around", "Tariffs of 1950 and 2010."), Document("within", "Tariffs of 1994.")])
    assert ids(index.search("tariffs", after="1990", before="2000", strict=True)) == {"within"}


def test_only_the_passages_that_mention_the_time_answer_for_a_document(filled: Filler) -> None:
    text = "Tariffs on steel rose in 1914.\n\n" + "The harbour was quiet. " * 80 + "\n\nTariffs on coal fell in 1998."
    match = filled([Document("long", text)]).search("tariffs", during="1998", strict=True)
    assert "1998" in match[0].passage
    assert "1914" not in match[0].passage


@given(st.one_of(spans(), st.sampled_from([Span.parse(text) for text in ("1998", "2019-05", "1998-05-02", "../1995")])))
def test_as_of_sees_what_was_surely_published_by_then(index: Index, then: Span) -> None:
    documents = list(index.documents())
    known = {item.id: item.published or item.valid for item in documents if item.published or item.valid}
    # What has a validity alone was known from its beginning on.
    seen = {
        item.id
        for item in documents
        if (item.published is not None and item.published.end <= then.end)
        or (item.published is None and item.valid is not None and item.valid.start < then.end)
    }
    found = index.search("steel tariffs", k=1000, as_of=then, collapse_versions=False)
    assert ids(found) == seen
    undated = len(documents) - len(known)
    reasons = {
        "without a date of publication": undated,
        "not surely published by then": len(documents) - undated - len(seen),
    }
    assert found.hidden == {reason: count for reason, count in reasons.items() if count}
    assert [item.name for item in found.applied if item.strict] == ["as_of"]


def versions(*rows: tuple[str, str | None, str | None]) -> list[Document]:
    return [
        Document(
            name,
            "The visa fee.",
            published=appeared and Span.parse(appeared),
            valid=valid and Span.parse(valid),
            series="fee",
        )
        for name, appeared, valid in rows
    ]


@pytest.mark.parametrize(
    ("rows", "then", "seen"),
    [
        # The last that had appeared, and a year is not surely over in May.
        ([("a", "2010", None), ("b", "2015-02", None), ("c", "2019", None)], "2019-05", "b"),
        ([("a", "2010", None), ("b", "2015-02", None), ("c", "2019", None)], "2020", "c"),
        # Published early, in force late: until then the one before holds.
        ([("a", "2010", "2010/2017"), ("b", "2015", "2018/..")], "2016", "a"),
        ([("a", "2010", "2010/2017"), ("b", "2015", "2018/..")], "2018", "b"),
        ([("a", "2014", None), ("b", "2015", "2018/..")], "2016", "a"),
        # One that states nothing holds from when it appeared, also after one that states an end.
        ([("a", "2010", "2010/2020"), ("b", "2015", None)], "2016", "b"),
        # At the end of the year the temporary one is over.
        ([("a", "2010", "2010/.."), ("b", "2019-03", "2019-03/2019-06")], "2019", "a"),
        ([("a", "2010", "2010/.."), ("b", "2019-03", "2019-03/2019-06")], "2019-05", "b"),
        # None holds: the last that appeared.
        ([("a", "2010", "2010/2011"), ("b", "2012", "2012/2013")], "2016", "b"),
    ],
)
def test_as_of_sees_of_each_series_the_version_of_that_time(
    filled: Filler, rows: list[tuple[str, str, str | None]], then: str, seen: str
) -> None:
    found = filled([*versions(*rows), Document("other", "Another visa fee.", published=Span.year(2000))]).search(
        "visa fee", as_of=then, collapse_versions=False
    )
    assert ids(found) == {seen, "other"}
    assert len(found) + sum(found.hidden.values()) == len(rows) + 1


def test_valid_at_sees_what_holds_then(filled: Filler) -> None:
    index = filled(
        [
            *versions(("a", "2010", None), ("b", "2015", "2015/2017"), ("c", "2018-03", None)),
            Document("law", "Visa law.", valid=Span.parse("2001/2016")),
            Document("note", "Visa note.", published=Span.year(2011)),
        ]
    )

    def at(then: str) -> set[str]:
        return ids(index.search("visa", valid_at=then, collapse_versions=False))

    assert at("2012") == {"a", "law"}
    assert at("2016") == {"b", "law"}
    assert at("2018-01") == set()
    assert at("2019") == {"c"}
    assert at("2000") == set()
    assert index.search("visa", valid_at="2016").hidden == {
        "without a validity": 1,
        "not in force then": 2,
    }


UNDATED = [
    Document("dated", "Tariffs on coal.", published=Span.year(1998)),
    Document("valid", "Tariffs on iron.", valid=Span.year(1998)),
    Document("spoken", "Tariffs on tin in 1998."),
    Document("undated", "Tariffs, tariffs and more tariffs."),
]


def test_undated_documents_follow_the_policy_that_is_named(filled: Filler) -> None:
    index = filled(UNDATED)
    neutral = index.search("tariffs in 1998")
    assert ids(neutral) == {"dated", "valid", "spoken", "undated"}
    assert neutral.hidden == {}
    left = index.search("tariffs in 1998", undated="exclude")
    assert ids(left) == {"dated", "valid", "spoken"}
    assert left.hidden == {"undated": 1}
    penalised = index.search("tariffs in 1998", undated="penalise")
    assert penalised[3].id == "undated"
    assert penalised[3].parts["undated"] < 0
    assert {hit.id: hit.score for hit in penalised}["undated"] < {hit.id: hit.score for hit in neutral}["undated"]
    assert penalised.hidden == {}


@pytest.mark.parametrize("policy", ["exclude", "penalise"])
def test_without_a_time_undated_documents_lose_nothing(filled: Filler, policy: str) -> None:
    match = filled(UNDATED).search("tariffs", undated=policy)
    assert match.hidden == {}
    assert [hit.score for hit in match] == [hit.score for hit in filled(UNDATED).search("tariffs")]


def test_strict_without_a_condition_still_leaves_out_undated_documents_when_asked(filled: Filler) -> None:
    match = filled(UNDATED).search("tariffs in 1998", strict=True, undated="exclude")
    assert match.hidden == {"undated": 1}


def test_what_is_applied_is_described(filled: Filler) -> None:
    index = filled(UNDATED)
    record = {
        ("during", None): "keeps only what lies in or overlaps 1998",
        ("during", "contains"): "keeps only what has the relation 'contains' to 1998",
        ("during", "met_by"): "keeps only what has the relation 'met by' to 1998",
        ("during", "before"): "keeps only what lies before 1998",
        ("after", None): "keeps only what lies after 1998",
    }
    for (argument, relation), sentence in record.items():
        options = {argument: "1998", "relation": relation}
        found = index.search("tariffs", strict=True, **options)
        assert [item.sentence for item in found.applied if item.strict] == [sentence]


@given(st.sampled_from(["1998", "1933", "-0043", "../1995", "1990/..", "1914~"]), st.sampled_from([*RELATIONS, None]))
def test_soft_conditions_remove_nothing(index: Index, text: str, relation: str | None) -> None:
    assume(not is_open_towards(Span.parse(text), relation))
    found = index.search("steel tariffs", k=1000, during=text, relation=relation, collapse_versions=False)
    assert len(found) == len(index)
    assert found.hidden == {}
    assert not any(item.strict for item in found.applied)


def test_as_of_takes_a_validity_for_what_has_no_date_of_publication(filled: Filler) -> None:
    index = filled(
        [
            Document("old", "Tariffs on steel.", valid=Span.parse("../1975")),
            Document("new", "Tariffs on steel, raised.", valid=Span.parse("1976/..")),
        ]
    )
    assert ids(index.search("steel tariffs", as_of="1971")) == {"old"}
