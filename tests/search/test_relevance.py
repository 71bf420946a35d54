"""Relevance: names that no document has, identifiers, months without a record, and the version that is named."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epochal import Document, Index
from epochal.ranking.registry import load_scorer
from epochal.search.request import Request
from epochal.search.search import run_search
from epochal.times import Span

Filler = Callable[[list[Document]], Index]
NOW = "2024-06-01"
PACKAGES = {"curl": "2022-03", "nginx": "2022-05", "redis": "2022-09", "django": "2021-07", "flask": "2023-01"}


def notes() -> list[Document]:
    documents = []
    for package, month in PACKAGES.items():
        for day in ("05", "19"):
            text = f"Security fixes and changes of {package}: the parser no longer fails on empty input."
            documents.append(
                Document(f"{package}-{day}", text, f"{package} release notes", Span.parse(f"{month}-{day}"))
            )
    return documents


@pytest.mark.parametrize("name", ["Photoshop", "photoshop", "Elasticsearch", "Kubernetes"])
def test_a_name_that_no_document_has_is_an_unknown_topic(filled: Filler, name: str) -> None:
    response = filled(notes()).search(f"{name} security fixes in March 2022", now=NOW)
    assert response.outcome == "topic_unknown"
    assert response.unknown_words == (name,)


@pytest.mark.parametrize(
    ("question", "outcome"),
    [
        ("curl security fixes in March 2022", "recorded"),
        ("What changed in nginx in May 2022?", "recorded"),
        ("Which curl changes predate June 2022?", "recorded"),
        ("What changed in nginx in March 2022?", "none_recorded"),
        ("curl security fixes in September 2022", "none_recorded"),
    ],
)
def test_a_package_is_recorded_only_in_its_months(filled: Filler, question: str, outcome: str) -> None:
    response = filled(notes()).search(question, now=NOW)
    assert response.outcome == outcome
    assert response.unknown_words == ()
    if outcome == "recorded":
        assert response[0].id.startswith("curl" if "curl" in question else "nginx")


def test_an_identifier_is_matched_whole(filled: Filler) -> None:
    law = [Document(f"art-{n}", "The seller must deliver the goods in time.", f"Article {n}") for n in ("24", "24-5")]
    law += [Document(f"art-{n}", "The buyer must pay the price in time.", f"Article {n}") for n in ("25", "31", "240")]
    index = filled(law)
    assert index.search("Article 24")[0].id == "art-24"
    assert index.search("Article 24-5")[0].id == "art-24-5"


def test_the_version_that_is_named_is_returned(filled: Filler) -> None:
    versions = [
        Document("v1", "Fixes CVE-2023-38545 in the proxy code.", "curl 8.4", Span.parse("2023-10-11"), series="curl"),
        Document("v2", "Adds an option for the proxy code.", "curl 8.5", Span.parse("2023-12-06"), series="curl"),
        Document("v3", "Adds a test of the proxy code.", "curl 8.6", Span.parse("2024-01-31"), series="curl"),
        Document("n1", "Adds a module.", "nginx 1.25", Span.parse("2024-01-31"), series="nginx"),
    ]
    index = filled(versions)
    assert index.search("When was CVE-2023-38545 fixed in curl?", now=NOW)[0].id == "v1"
    assert index.search("curl proxy code", now=NOW)[0].id == "v3"


def test_hits_below_a_probability_are_left_out(filled: Filler) -> None:
    index = filled(notes())
    every = index.search("curl security fixes in March 2022", now=NOW)
    likely = index.search("curl security fixes in March 2022", now=NOW, min_relevance=0.5)
    assert 0 < len(likely) < len(every)
    assert all(hit.relevance is not None and hit.relevance >= 0.5 for hit in likely)
    assert likely.total == 2


def test_a_total_says_where_it_is_a_lower_bound(filled: Filler) -> None:
    others = [Document(f"o{day}", "The market was calm.", published=Span.day(1998, 1, day)) for day in range(1, 29)]
    floods = [
        Document(f"f{number}", f"Floods in town {number}.", published=Span.day(1990 + number // 28, 5, 1 + number % 28))
        for number in range(300)
    ]
    few, many = filled([*others, *floods[:40]]), filled([*others, *floods])
    assert (few.search("floods").total, few.search("floods").total_is_lower_bound) == (40, False)
    response = many.search("floods")
    assert 100 <= (response.total or 0) < 300
    assert response.total_is_lower_bound
    assert f"of at least {response.total}" in repr(response)
    scorer, request = load_scorer(None), Request("floods")
    counted = run_search(many.view(), None, request, scorer, counts_all=True)
    assert (counted.total, counted.total_is_lower_bound) == (300, False)
    assert [hit.id for hit in counted] == [hit.id for hit in response]
    deep = many.search("floods", k=310)
    assert (deep.total, deep.total_is_lower_bound) == (300, False)


def test_a_filter_does_not_make_a_known_topic_unknown(tmp_path) -> None:
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add(
            [Document(f"n{day}", "Markets were calm.", published=Span.day(1998, 3, day)) for day in range(1, 20)]
            + [Document("quake", "An earthquake shook the coast.", published=Span.day(1999, 5, 2))]
        )
        assert index.search("earthquake", during="1998-03", strict=True).outcome == "none_recorded"
        assert index.search("earthquake", during="0500", strict=True).outcome == "not_covered"
        assert index.search("tsunami", during="1998-03", strict=True).outcome == "topic_unknown"


@pytest.mark.parametrize("question", ["latest vue release", "vue releases in March 2022", "current version of vue"])
def test_a_name_within_a_longer_one_is_another_name(filled: Filler, question: str) -> None:
    days = {"vue": "2022-03-01", "vue-router": "2022-03-20", "vue-cli": "2023-05-02"}
    documents = [
        Document(f"{name}-{number}", f"Fixes a warning of vue, part {number}.", f"{name} 1.{number}", Span.parse(day))
        for name, day in days.items()
        for number in range(3)
    ]
    assert filled(documents).search(question, now=NOW)[0].title.startswith("vue 1.")


def test_a_sickness_with_a_number_in_its_name_is_meant_without_it(filled: Filler) -> None:
    documents = [
        Document("a", "Beds are free again.", "Covid-19 report", Span.parse("2021-05-01"), meta={"topic": "covid"}),
        Document("b", "Beds are short.", "Covid-19 cases in May", Span.parse("2021-06-01")),
        Document("c", "Beds are short.", "Measles in May", Span.parse("2021-07-01")),
    ]
    assert filled(documents).search("latest covid report", now=NOW)[0].id in ("a", "b")


def test_a_name_may_have_digits(filled: Filler) -> None:
    documents = [
        Document(
            f"{name}-{number}", "Changed: one warning less.", f"{name} 2.{number}", Span.parse(f"2022-0{number}-11")
        )
        for name in ("es6-promise", "log4j", "mocha")
        for number in range(1, 6)
    ]
    response = filled(documents).search("What changed in the last log4j release?", now=NOW, as_of="2022-03-20")
    assert (response.outcome, response[0].id) == ("recorded", "log4j-3")


def test_a_number_finds_the_version_that_has_it(filled: Filler) -> None:
    documents = [
        Document(
            f"v{number}",
            f"Fixes a leak of the pool and the parser, see #{4000 + number}. Thanks to all who tested the pool.",
            "hive changelog",
            Span.parse(f"20{number:02}-01-01"),
            series="hive",
            meta={"version": f"{number}.0"},
        )
        for number in range(10, 24)
    ]
    index = filled(documents)
    assert index.search("Which hive version mentions #4012?", now=NOW)[0].id == "v12"
    # Texts under one title that are much alike are rewordings of each other, and the newest is no answer either.
    assert index.search("hive 15.0 release notes", now=NOW)[0].id == "v15"


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("MLL1-induced growth of kelp in 2021", ()),
        ("kelp and ABC7/XYZ9 in 2021", ()),
        ("kelp and ABC7-XYZ9 in 2021", ("ABC7-XYZ9",)),
    ],
)
def test_a_compound_of_words_is_no_code(filled: Filler, question: str, unknown: tuple[str, ...]) -> None:
    documents = [
        Document(
            "a", "Growth of kelp is induced by MLL1, and XYZ9 slows what ABC7 does.", published=Span.parse("2021-04-02")
        ),
        Document("b", "Otters eat urchins in the kelp.", published=Span.parse("2021-05-02")),
    ]
    assert filled(documents).search(question, now=NOW).unknown_words == unknown


@pytest.mark.parametrize("question", ["What changed in handlebars 4.7.2?", "handlebars v4.7.2 release notes"])
@pytest.mark.parametrize("mark", ["", "v"])
def test_a_version_is_the_same_with_a_v(filled: Filler, question: str, mark: str) -> None:
    documents = [
        Document(
            f"h{number}",
            "One warning less.",
            f"{mark}4.7.{number}",
            Span.parse(f"2020-0{number}-01"),
            meta={"project": name},
        )
        for number in range(1, 8)
        for name in ("handlebars",)
    ]
    other = Document("m2", "One warning less.", f"{mark}4.7.2", Span.parse("2020-02-01"), meta={"project": "mocha"})
    assert filled([*documents, other]).search(question, now=NOW)[0].id == "h2"


VERSIONS = ("2.2", "3.0", "3.1", "3.1.1", "3.1.2", "3.10", "3.2", "3.2.1", "4.0")


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("latest Gadget 3.1 release", "3.1.2"),
        ("What is the newest Gadget v3.1?", "3.1.2"),
        ("latest Gadget 3.x release", "3.2.1"),
        ("latest Gadget 3 release", "3.2.1"),
        ("first Gadget 3.1 release", "3.1"),
        ("second Gadget 3.1 release", "3.1.1"),
        ("latest Gadget 3.10 release", "3.10"),
        ("Gadget 3.1 releases since March 2014", "3.1.2"),
        ("What changed in Gadget 3.1?", "3.1"),
        ("What changed in Gadget 3.1.1?", "3.1.1"),
        ("latest Gadget release", "4.0"),
    ],
)
def test_a_version_stands_for_those_that_begin_with_it_in_an_order(filled: Filler, question: str, first: str) -> None:
    # The others say what they do not share with 3.1.
    texts = {"3.2": "Unlike 3.1, prints in color.", "4.0": "Nothing of 3.1 is left but 3.x plugins.", "2.2": "Red."}
    documents = [
        Document(
            version, texts.get(version, "A leak is gone."), f"Gadget {version} notes", Span.parse(f"201{row}-03-02")
        )
        for row, version in enumerate(VERSIONS)
    ]
    response = filled(documents).search(question, now=NOW)
    assert (response[0].id, response.outcome) in ((first, "recorded"), (first, "no_window"))


@pytest.mark.parametrize("text", ["Rates fell by 2.5 percent.", "Storms of magnitude 2.5 and 2.51 came."])
def test_other_numbers_with_a_point_stand_for_themselves(filled: Filler, text: str) -> None:
    documents = [
        Document("a", "The bank cut its rate.", "Cut by 2.5 percent", Span.parse("2020-03-01")),
        Document("b", text, "News", Span.parse("2021-03-01")),
        Document("c", "Otters were seen.", "News", Span.parse("2022-03-01")),
    ]
    assert filled(documents).search("latest report on 2.5", now=NOW)[0].id == "b"


@pytest.mark.parametrize("title", ["v1.{number}", "Release notes 1.{number}", "Minutes"])
def test_documents_of_one_number_or_kind_are_about_different_things(filled: Filler, title: str) -> None:
    documents = [
        Document(
            f"{name}-{number}",
            "One warning less of the date." if name == "mocha" else "A leak is gone.",
            title.format(number=number),
            Span.parse(f"202{number}-0{number}-01"),
            meta={"project": name},
        )
        for name in ("knex", "mocha")
        for number in range(1, 4)
    ]
    response = filled(documents).search("Which knex is up to date now?", now=NOW)
    assert [hit.id for hit in response][:1] == ["knex-3"]
