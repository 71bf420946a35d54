"""Search: local evidence, versions, comparisons, the three outcomes, and what holds for every answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epochal.api import Index
from epochal.ranking.registry import list_scorers
from epochal.reading.fiscal import use_fiscal_calendar
from epochal.search import Response
from epochal.storage.records import Document
from epochal.times import Span

Filler = Callable[..., Index]


def ids(response: Response) -> list[str]:
    return [hit.id for hit in response]


def on(date: str, id: str, text: str, **more: Any) -> Document:
    return Document(id, text, published=Span.parse(date), **more)


def check(response: Response) -> None:
    """What holds for every answer: parts sum to scores, evidence stands where it says, JSON can hold it."""
    for hit in response:
        assert abs(sum(hit.parts.values()) - hit.score) < 1e-9
        assert hit.document.text[hit.passage_start :].startswith(hit.passage)
        for item in hit.evidence:
            if item.axis == "content":
                assert hit.document.text[item.start_char : item.end_char] == item.text != ""
                assert item.text in item.context
            else:
                assert (item.start_char, item.end_char) == (-1, -1)
    output = json.loads(json.dumps(response.to_dict(), allow_nan=False))
    assert [hit["id"] for hit in output["hits"]] == ids(response)
    assert sum(len(hit.folded) for hit in response) == response.hidden.get("a version or copy of a hit", 0)
    assert len({hit.id for hit in response}) == len(response)


LIVES = [
    Document("winner", "Ivan Bunin was born in 1870. He won the Nobel Prize in Literature in 1933."),
    Document("born", "Philip Roth was born in 1933. He won the National Book Award in 1960 and never the Nobel Prize."),
    Document("other", "Pearl Buck won the Nobel Prize in Literature in 1938."),
]


@pytest.mark.parametrize("encoder", [None, "static", "minilm"])
def test_the_words_around_a_time_tell_what_it_dates(filled: Filler, encoder: str | None) -> None:
    index = filled(LIVES, encoder)
    won, born = index.search("Who won the Nobel Prize in 1933?"), index.search("Who was born in 1933?")
    assert won[0].id == "winner"
    assert born[0].id == "born"
    assert won[0].evidence[0].text == "1933"
    assert won[0].evidence[0].context.strip() == "He won the Nobel Prize in Literature in 1933."
    for match in (won, born):
        check(match)
        assert match.outcome == "recorded"


def test_the_date_of_a_document_is_evidence_and_so_is_its_title(filled: Filler) -> None:
    index = filled(
        [
            on("1998-05-02", "news", "Steel tariffs were raised by the board."),
            on("2003-05-02", "later", "Steel tariffs were raised by the council."),
            Document("report", "Steel tariffs were discussed at length.", "Report of 2010"),
        ]
    )
    found = index.search("What happened to steel tariffs in 1998?")
    assert found[0].id == "news"
    assert (found[0].evidence[0].axis, found[0].evidence[0].span.edtf()) == ("published", "1998-05-02")
    titled = index.search("What happened to steel tariffs in 2010?")
    assert titled[0].id == "report"
    assert (titled[0].evidence[0].axis, titled[0].evidence[0].text) == ("title", "Report of 2010")
    check(found)
    check(titled)


def test_relative_times_count_from_the_date_of_their_document(filled: Filler) -> None:
    index = filled(
        [
            on("1998-05-13", "a", "Steel tariffs were raised last week."),
            on("2003-05-14", "b", "Steel tariffs were raised last week."),
            on("2004-01-14", "c", "Steel tariffs were raised last year."),
        ]
    )
    found = index.search("Were steel tariffs raised in the first week of May 1998?", collapse_versions=False)
    assert found[0].id == "a"
    assert found[0].evidence[0].text == "last week"
    assert Span.parse("1998-05").overlaps(found[0].evidence[0].span)
    assert index.search("Were steel tariffs raised in 2003?", collapse_versions=False)[0].id in ("b", "c")


FEES = [
    on("2010-01-05", "v2010", "The visa fee is 40 euros for adults and 20 for children.", series="fee"),
    on("2014-01-05", "v2014", "The visa fee is 60 euros for adults and 30 for children.", series="fee"),
    on("2019-01-05", "v2019", "The visa fee is 80 euros for adults and 40 for children.", series="fee"),
    on("2011-01-05", "else", "Passports are renewed at the town hall; a visa fee is not due."),
]


def test_the_newest_version_is_returned_unless_a_time_is_given(filled: Filler) -> None:
    index = filled(FEES)
    found = index.search("What is the visa fee for adults?")
    assert found[0].id == "v2019"
    assert set(found[0].folded) == {"v2010", "v2014"}
    assert found[0].superseded_by is None
    assert ids(found) == ["v2019", "else"]
    assert [item.name for item in found.applied] == ["versions"]
    check(found)


@pytest.mark.parametrize(
    ("year", "speaks"), [("2010", "v2010"), ("2012", "v2010"), ("2013", "v2010"), ("2015", "v2014"), ("2018", "v2014")]
)
def test_the_version_that_held_then_is_returned_for_a_time(filled: Filler, year: str, speaks: str) -> None:
    match = filled(FEES).search(f"What was the visa fee for adults in {year}?")
    assert match[0].id == speaks
    assert match[0].superseded_by == "v2019"
    check(match)


def test_a_version_that_states_its_validity_is_returned_for_that_time(filled: Filler) -> None:
    texts = {"early": "2005/2009", "late": "2010/2015"}
    index = filled(
        [
            Document(name, f"The visa fee, as set in {year}.", valid=Span.parse(valid), series="fee")
            for (name, valid), year in zip(texts.items(), ("2012", "2002"), strict=True)
        ]
    )
    assert index.search("visa fee in 2012")[0].id == "late"
    assert index.search("visa fee in 2007")[0].id == "early"


def test_without_folding_every_version_is_a_hit(filled: Filler) -> None:
    match = filled(FEES).search("What is the visa fee for adults?", collapse_versions=False)
    assert sorted(ids(match)) == ["else", "v2010", "v2014", "v2019"]
    assert match[0].id == "v2019"
    assert match.hidden == {}
    assert not any(hit.folded for hit in match)
    assert {hit.id: hit.superseded_by for hit in match}["v2010"] == "v2019"
    check(match)


def test_a_member_without_a_date_is_not_the_newest(filled: Filler) -> None:
    index = filled([*FEES, Document("undated", "The visa fee for adults: visa fee.", series="fee")])
    found = index.search("What is the visa fee for adults?")
    assert found[0].id == "v2019"
    assert "undated" in found[0].folded


def test_from_a_past_day_nothing_is_known_of_later_versions(filled: Filler) -> None:
    match = filled(FEES).search("What is the visa fee for adults?", as_of="2015")
    assert ids(match) == ["v2014", "else"]
    assert match[0].superseded_by is None


def test_a_long_series_is_collapsed_to_one_hit(filled: Filler) -> None:
    many = [
        on(f"{1900 + number}", f"v{number}", f"The visa fee is {number} euros.", series="fee") for number in range(90)
    ]
    found = filled([*many, *(Document(f"o{number}", f"Visa office {number}.") for number in range(9))]).search(
        "visa fee", k=10
    )
    assert found[0].id == "v89"
    assert len(found[0].folded) == 89
    assert len(found) == 10
    check(found)


@pytest.mark.parametrize("encoder", [None, "static"])
def test_the_newest_is_returned_and_others_have_room_however_long_a_series_is(
    filled: Filler, encoder: str | None
) -> None:
    fees = [on(f"{1800 + number}", f"s{number}", f"Visa fee {number}.", series="fee") for number in range(150)]
    offices = [Document(f"o{number}", f"Visa office {number} of a large town asks no fee.") for number in range(30)]
    match = filled([*fees, *offices], encoder).search("visa fee", k=10)
    assert (match[0].id, len(match[0].folded)) == ("s149", 149)
    assert len(match) == 10
    few = filled([*fees, *offices], encoder).search("visa fee", k=1)
    assert few[0].id == "s149"
    check(match)


def test_the_version_of_a_time_is_returned_for_other_words(filled: Filler) -> None:
    index = filled(
        [
            on("2010", "old", "A visa costs 40 euros.", series="fee"),
            on("2014", "new", "The visa fee is 60 euros.", series="fee"),
            on("2019", "newest", "Entry costs 80 euros.", series="fee"),
        ]
    )
    assert index.search("visa fee in 2012")[0].id == "old"
    assert index.search("visa fee")[0].id == "newest"
    assert index.search("visa fee", as_of="2015")[0].id == "new"


def test_copies_are_collapsed_to_the_newest_and_do_not_crowd_others_out(filled: Filler) -> None:
    wire = "The finance ministers of seven countries met in Bonn and agreed to cut tariffs on steel, coal and grain."
    copies = [on(f"1998-05-{1 + number % 28:02d}", f"copy{number}", wire) for number in range(60)]
    others = [on("1998-05-01", f"o{number}", f"Tariffs, by observer {number}.") for number in range(12)]
    match = filled([*copies, *others]).search("ministers agree to cut tariffs on steel", k=5)
    assert [hit.id.startswith("copy") for hit in match] == [True, False, False, False, False]
    assert match[0].document.published == Span.parse("1998-05-28")
    assert len(match[0].folded) == 59
    check(match)


def test_short_lines_are_copies_only_under_the_same_title(filled: Filler) -> None:
    index = filled(
        [Document("a", "Rain.", "Log of Adam"), Document("b", "Rain.", "Log of Berta"), Document("c", "Rain.")]
    )
    assert sorted(ids(index.search("rain"))) == ["a", "b", "c"]


STATES = [
    on("2009-03-01", "old", "Roaming charges were 43 cents a minute across the union in 2009."),
    on("2009-08-01", "old2", "Operators kept roaming charges high in 2009."),
    on("2019-03-01", "new", "Roaming charges have vanished across the union by 2019."),
    on("2014-03-01", "mid", "Roaming charges fell by half in 2014."),
]


@pytest.mark.parametrize("k", [2, 3, 10])
def test_a_comparison_has_hits_for_both_periods(filled: Filler, k: int) -> None:
    match = filled(STATES).search("How did roaming charges differ between 2009 and 2019?", k=k)
    assert {hit.period.edtf() for hit in match[:2] if hit.period} == {"2009", "2019"}
    assert len(match) == min(k, 4)
    assert "coverage" in [item.name for item in match.applied]
    check(match)


def test_a_comparison_within_a_series_keeps_a_version_for_each_period(filled: Filler) -> None:
    match = filled(FEES).search("How did the visa fee differ between 2010 and 2019?", k=3)
    assert {"v2010", "v2019"} <= set(ids(match)[:2])
    check(match)


def daily(first: int, last: int) -> list[Document]:
    return [on(f"1998-03-{day:02d}", f"n{day}", f"Markets were calm, item {day}.") for day in range(first, last)]


def test_nothing_recorded_differs_from_not_covered(filled: Filler) -> None:
    news = [*daily(1, 11), *(on(f"1999-03-{day:02d}", f"m{day}", "Markets were wild.") for day in range(1, 11))]
    index = filled([*news, on("1999-03-11", "quake", "An earthquake shook the coast.")])
    assert index.search("Were markets calm on 5 March 1998?").outcome == "recorded"
    assert index.search("Was there an earthquake on 5 March 1998?").outcome == "none_recorded"
    assert index.search("Was there a tsunami on 5 March 1998?").outcome in ("none_recorded", "topic_unknown")
    assert index.search("Was Krakatoa active on 5 March 1998?").outcome == "topic_unknown"
    assert index.search("Was there an earthquake in September 1998?").outcome == "not_covered"
    assert index.search("Was there an earthquake in 2031?").outcome == "not_covered"
    assert index.search("Was there an earthquake?").outcome == "no_window"
    chronicle = filled(
        [
            on(f"{year:04d}", f"c{year}", f"Rye was dear, entry {year}." if year != 1402 else "An earthquake at night.")
            for year in range(1400, 1440)
            if year != 1420
        ]
    )
    assert chronicle.search("Was there an earthquake in 1420?").outcome == "none_recorded"
    assert chronicle.search("Was there an earthquake in 1380?").outcome == "not_covered"


@pytest.mark.parametrize("question", ["What happened in 1998?", "What took place in March 1998?", "1998年发生了什么?"])
def test_a_question_without_a_topic_asks_for_anything(filled: Filler, question: str) -> None:
    index = filled([*daily(1, 5), on("2003", "later", "Rates fell.")], "static")
    found = index.search(question)
    assert found.outcome == "recorded"
    assert found[0].id.startswith("n")


def test_a_year_does_not_say_what_happened_in_a_month_of_it(filled: Filler) -> None:
    index = filled(
        [on("1998-01-05", "a", "The prize of 1998 is announced."), on("1999-01-05", "b", "Rates fell.")], "static"
    )
    assert index.search("What happened in July 1998?").outcome != "recorded"
    assert index.search("What happened in 1998?").outcome == "recorded"


def test_what_was_not_yet_published_covers_nothing(filled: Filler) -> None:
    documents = [on(f"{year}", f"c{year}", "Rye was dear.") for year in range(1990, 2020)]
    index = filled([*documents, on("1995", "quake", "An earthquake shook the coast.")])
    question = "Was there an earthquake in 2018?"
    assert index.search(question).outcome == "none_recorded"
    assert index.search(question, as_of="2015").outcome == "not_covered"


PLAIN = [
    "Dietary restriction extends the lifespan of mice.",
    "Vitamin D deficiency is linked to fractures in the elderly.",
    "The receptor binds its ligand with high affinity.",
    "Statins lower cholesterol and cardiovascular risk.",
    "Gene expression differs between tissue types.",
    "Sleep improves memory consolidation in adults.",
    "Antibiotic resistance spreads through plasmids.",
    "Insulin sensitivity falls with obesity.",
]
QUESTIONS = [
    "Does dietary restriction extend lifespan?",
    "vitamin D deficiency and fractures",
    "Statins reduce cardiovascular risk in patients with high cholesterol",
    "How do plasmids spread antibiotic resistance?",
    "insulin sensitivity obesity mice",
    "Memory consolidation requires sleep",
    "What does the receptor bind?",
    "1,25-dihydroxyvitamin D binds the receptor",
    "Gene expression differs between tissues",
    "Which drugs lower cholesterol?",
]


@pytest.mark.parametrize("encoder", [None, "static"])
def test_without_time_in_the_question_time_changes_nothing(filled: Filler, encoder: str | None) -> None:
    mixed = [
        Document(f"p{number}", text, published=Span.year(2000 + number) if number % 2 else None)
        for number, text in enumerate(PLAIN)
    ]
    index = filled(mixed, encoder)
    for question in QUESTIONS:
        for now in (None, "2026-11-15"):
            with_time, without = (index.search(question, now=now, time=time) for time in (True, False))
            assert [(hit.id, hit.score) for hit in with_time] == [(hit.id, hit.score) for hit in without]
            if with_time.unknown_words:
                # A text may have other words for ordinary ones, as far as vectors tell.
                assert with_time.outcome == "topic_unknown" or (encoder and with_time.outcome == "no_window")
                assert not any(word in text for word in with_time.unknown_words for text in PLAIN)
            else:
                assert "1,25" not in question
                assert with_time.outcome == "no_window"
                assert with_time.hits == without.hits
            check(with_time)


@pytest.mark.parametrize("name", list_scorers())
def test_every_scorer_explains_itself(filled: Filler, name: str) -> None:
    index = filled([*LIVES, *FEES, *STATES], "static")
    for question in ("Who won the Nobel Prize in 1933?", "visa fee", "How did charges differ between 2009 and 2019?"):
        found = index.search(question, scorer=name, undated="penalise", now="2026-11-15")
        assert len(found) >= 3
        check(found)


@pytest.mark.parametrize("scorer", ["dense", "zscore"])
def test_a_penalty_never_lifts_a_document(filled: Filler, scorer: str) -> None:
    index = filled([on("1998", "dated", "Rye was dear in 1998."), Document("undated", "Zebras graze.")], "static")
    plain, punished = (
        {hit.id: hit.score for hit in index.search("quark flavour 1998", scorer=scorer, undated=policy)}
        for policy in ("neutral", "penalise")
    )
    assert punished["undated"] <= plain["undated"]
    assert punished["dated"] == plain["dated"]


def test_times_of_every_kind_are_answered(filled: Filler) -> None:
    index = filled(
        [
            Document("caesar", "Caesar was murdered in the senate in March 44 BC."),
            Document("doubt", "The chapel was built.", published=Span.parse("1350~")),
            Document("open", "The statute on wool.", valid=Span.parse("1400/..")),
            Document("lu", "元年，春，王正月。三月，公及邾仪父盟于蔑。", "隱公元年"),
            Document("zh", "1998年5月，关税提高。"),
        ]
    )
    assert index.search("Who was murdered in 44 BC?")[0].id == "caesar"
    assert index.search("Which chapel was built around 1350?")[0].id == "doubt"
    assert ids(index.search("wool", during="1700", strict=True)) == ["open"]
    assert index.search("1998年关税怎么样?")[0].id == "zh"
    for question in ("Who was murdered in 44 BC?", "wool", "1998年关税怎么样?", "隱公元年三月"):
        check(index.search(question))


@pytest.mark.parametrize(
    "question",
    [
        "\ud800 wool",
        "\x00 wool",
        "wool\u202e1998",
        "🦓🦓",
        "\u0301" * 50,
        "ﬁ",
        "(((",
        "wool AND NOT (",
        "?",
        "١٩٩٨ wool",
        "-" * 5000,
    ],
)
def test_odd_questions_are_answered(filled: Filler, question: str) -> None:
    index = filled([Document("a", "Wool of 1998."), Document("b", "🦓 zebra")], "static")
    assert len(index.search(question)) <= 2
    assert set(ids(index.search(question, during="1998", strict=True))) == {"a"}


def test_an_empty_index_and_one_document(filled: Filler) -> None:
    for encoder in (None, "static"):
        empty = filled([], encoder)
        match = empty.search("wool in 1998", during="1998", as_of="2001", valid_at="1999", strict=True)
        assert (len(match), match.outcome, match.hidden) == (0, "not_covered", {})
        assert empty.search("How did wool differ between 1998 and 2005?").hits == ()
        one = filled([Document("only", "", "Wool in 1998")], encoder)
        match = one.search("wool in 1998", k=10_000)
        assert ids(match) == ["only"]
        assert (match[0].passage, match[0].evidence[0].axis) == ("", "title")
        check(match)


def test_the_same_question_has_the_same_answer_whatever_the_order_of_adding(filled: Filler) -> None:
    documents = [*LIVES, *FEES, *STATES, *daily(1, 9)]
    one, two = filled(documents, "static"), filled(documents[::-1], "static")
    for question in ("Who won the Nobel Prize in 1933?", "visa fee in 2012", "roaming charges", "markets"):
        first, again, other = (index.search(question, k=100) for index in (one, one, two))
        assert first == again
        assert {hit.id: round(hit.score, 9) for hit in first} == {hit.id: round(hit.score, 9) for hit in other}


def test_others_do_not_change_the_order_of_equals(filled: Filler) -> None:
    ties = [Document(name, f"Wool {name}.") for name in ("a", "b", "c", "d")]
    others = [Document(f"o{number}", f"Rye and barley {number}.") for number in range(20)]
    plain = filled(ties).search("wool")
    for mixed in ([*others, *ties], [*ties, *others], [ties[0], *others, *ties[1:]]):
        assert ids(filled(mixed).search("wool")) == ids(plain)


def test_timings_are_there_when_a_stopwatch_is(filled: Filler) -> None:
    ticks = iter(range(100))
    match = filled(LIVES).search("prize", stopwatch=lambda: float(next(ticks)))
    assert dict(match.timings) == dict.fromkeys(("understand", "select", "gather", "score", "choose"), 1000.0)


def test_of_forecasts_for_a_day_the_last_one_is_returned(tmp_path: Path) -> None:
    wordings = (
        "Outlook for Miami on 7 May 2014: 25 degrees.",
        "Miami, 2014-05-07: 24 degrees.",
        "Miami, May 7: 26 degrees.",
    )
    issued = ("2014-05-03", "2014-05-06", "2014-05-05")
    forecasts = [Document(date, text, published=Span.parse(date)) for text, date in zip(wordings, issued, strict=True)]
    # One for another day is newest, and appeared on the day that is asked for.
    forecasts.append(Document("other", "Miami, 9 May 2014: 22 degrees.", published=Span.parse("2014-05-07")))
    with Index.create(tmp_path, encoder=None) as index:
        index.add(forecasts)
        hits = [
            hit.id for hit in index.search("What weather will it be in Miami on 7 May 2014?", collapse_versions=False)
        ]
    assert hits[0] == "2014-05-06"
    assert hits[-1] == "other"


def test_a_report_goes_before_a_forecast(tmp_path: Path) -> None:
    with Index.create(tmp_path, encoder=None) as index:
        index.add(
            [
                Document("plan", "The bridge will open on 5 June 2019.", published=Span.parse("2018-02-01")),
                Document("report", "The bridge did open on 5 June 2019.", published=Span.parse("2019-06-06")),
            ]
        )
        assert [hit.id for hit in index.search("Did the bridge open in June 2019?")] == ["report", "plan"]


def test_the_newest_wording_under_a_title_is_returned(tmp_path: Path) -> None:
    old = Document("old", "Fees for members are 5 euro a month, payable in May.", "Club: Rules", Span.parse("2010"))
    new = Document(
        "new", "Fees are 7 euro a month for all members, payable by card.", "Club: Rules", Span.parse("2020")
    )
    newer = Document("newer", "Parking behind the house is free.", "Club: Rules", Span.parse("2021"))
    with Index.create(tmp_path, encoder=None) as index:
        index.add([old, new, newer])
        for fold in (True, False):
            hits = list(index.search("What are the fees for members a month?", collapse_versions=fold))
            assert [hit.id for hit in hits][:2] == ["new", "old"]
            assert "version" in hits[0].parts


def test_new_documents_about_something_else_are_no_news(tmp_path: Path) -> None:
    with Index.create(tmp_path, encoder=None) as index:
        index.add(
            [
                Document("topic", "The minister of finance of Norway is Ann Lie.", published=Span.parse("2023-05-01")),
                Document("other", "The minister of fisheries spoke.", published=Span.parse("2024-05-01")),
            ]
        )
        response = index.search("Who is currently the minister of finance of Norway?", now="2024-05-02")
        assert [hit.id for hit in response] == ["topic", "other"]


def test_without_settling_the_scorer_alone_ranks(tmp_path: Path) -> None:
    old = Document("old", "Fees for members are 5 euro a month.", published=Span.parse("2010"), series="fees")
    new = Document("new", "What members pay changed: 7 euro.", published=Span.parse("2020"), series="fees")
    with Index.create(tmp_path, encoder=None) as index:
        index.add([old, new])
        query = "What are the fees for members a month?"
        assert [hit.id for hit in index.search(query, collapse_versions=False)] == ["new", "old"]
        assert [hit.id for hit in index.search(query, collapse_versions=False, promote_current_version=False)] == [
            "old",
            "new",
        ]
        assert [hit.id for hit in index.search(query, promote_current_version=False)] == ["old"]


def test_of_versions_of_a_forecast_the_last_one_is_returned(tmp_path: Path) -> None:
    with Index.create(tmp_path, encoder=None) as index:
        for number, (date, degrees) in enumerate((("2014-05-01", 26), ("2014-05-06", 24))):
            text = f"Miami on 7 May 2014: {degrees} degrees."
            index.add([Document(str(number), text, published=Span.parse(date), series="miami")])
        assert index.search("How warm is Miami on 7 May 2014?")[0].id == "1"


def test_words_of_metadata_find_a_document(filled) -> None:
    cities = ("Denver", "Boise", "Salt Lake City")
    documents = [
        Document(
            f"{city}/{day}",
            f"Clear, with a low around {day + 30}, and a north wind.",
            published=Span.day(2021, 5, day),
            meta={"city": city, "fetched": f"2021-05-{day:02d}T06:00"},
        )
        for day in range(1, 29)
        for city in cities
    ]
    index = filled(documents)
    for city in cities:
        response = index.search(f"weather in {city} on 9 May 2021")
        assert response[0].id == f"{city}/9"
        assert response.outcome == "recorded"
    assert index.search("weather in Chicago on 9 May 2021").outcome == "topic_unknown"


def test_a_question_is_understood_anew_for_another_present_or_fiscal_year(filled: Filler) -> None:
    index = filled([on("2023-11-05", "old", "Sales rose."), on("2024-11-05", "new", "Sales fell.")], None)

    def search(question: str, now: str) -> str:
        return index.search(question, now=now).understanding.constraints[0].span.edtf()

    assert [search("Sales last year", now) for now in ("2024-12-01", "2025-12-01", "2024-12-01")] == [
        "2023",
        "2024",
        "2023",
    ]
    plain = search("Sales in FY24", "2025-12-01")
    with use_fiscal_calendar(10):
        assert search("Sales in FY24", "2025-12-01") == "2023-10/2024-09" != plain
    assert search("Sales in FY24", "2025-12-01") == plain
