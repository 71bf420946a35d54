"""Order as an operation: the newest, the first, the second, the last before, among documents on the topic."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from epochal import Document, Index, understand
from epochal.reading.questions.ordering import blank_order
from epochal.times import Span

Filler = Callable[[list[Document]], Index]
NOW = "2024-06-01"


def release(package: str, version: str, day: str | None) -> Document:
    text = f"Changes: fixed a crash of the parser, added an option, updated dependencies of {package}."
    published = None if day is None else Span.parse(day)
    return Document(f"{package}-{version}", text, f"{package} {version}", published, meta={"package": package})


RELEASES = [
    release("curl", "7.80", "2021-11-10"),
    release("curl", "7.86", "2022-10-26"),
    release("curl", "8.0", "2023-03-20"),
    release("curl", "8.4", "2023-10-11"),
    release("nginx", "1.20", "2021-04-20"),
    release("nginx", "1.24", "2023-04-11"),
    release("nginx", "1.25", "2024-05-29"),
    release("redis", "7.0", "2022-04-27"),
    release("redis", "7.2", "2023-08-15"),
    release("wget", "1.21", "2020-12-31"),
]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("latest curl release", "curl-8.4"),
        ("What is the most recent version of nginx?", "nginx-1.25"),
        ("first curl release", "curl-7.80"),
        ("the earliest release of redis", "redis-7.0"),
        ("What was the last curl release before 2023?", "curl-7.86"),
        ("the first nginx release after 2022", "nginx-1.24"),
        ("the second curl release", "curl-7.86"),
        ("As of 1 April 2023, which curl version was current?", "curl-8.0"),
    ],
)
def test_order_is_taken_among_the_documents_on_the_topic(filled: Filler, question: str, first: str) -> None:
    response = filled(RELEASES).search(question, now=NOW)
    assert response[0].id == first
    assert response.outcome == "recorded"
    assert any(step.name == "order" for step in response.applied)


def test_an_option_orders_too(filled: Filler) -> None:
    index = filled(RELEASES)
    newest = [hit.id for hit in index.search("curl", sort="newest", now=NOW, collapse_versions=False)]
    oldest = [hit.id for hit in index.search("curl", sort="oldest", now=NOW, collapse_versions=False)]
    assert newest[:4] == ["curl-8.4", "curl-8.0", "curl-7.86", "curl-7.80"]
    assert oldest[:4] == newest[3::-1]


def test_as_of_counts_from_that_date(filled: Filler) -> None:
    response = filled(RELEASES).search("latest curl release", now=NOW, as_of="2022-12-31")
    assert response[0].id == "curl-7.86"


def test_what_is_not_out_yet_is_not_the_latest(filled: Filler) -> None:
    assert filled(RELEASES).search("latest nginx release", now="2023-12-01")[0].id == "nginx-1.24"


def test_ties_and_undated_documents_are_reported(filled: Filler) -> None:
    documents = [*RELEASES, release("curl", "8.4b", "2023-10-11"), release("curl", "dev", None)]
    response = filled(documents).search("latest curl release", now=NOW, collapse_versions=False)
    assert {response[0].id, response[1].id} == {"curl-8.4", "curl-8.4b"}
    (step,) = (step for step in response.applied if step.name == "order")
    assert "1 more has the date of the first" in step.sentence
    assert "1 without a date" in step.sentence


def test_without_dates_scores_decide(filled: Filler) -> None:
    texts = [Document("a", "The first curl release."), Document("b", "A release of nginx.")]
    response = filled(texts).search("first curl release", now=NOW)
    assert response[0].id == "a"
    (step,) = (step for step in response.applied if step.name == "order")
    assert "no document on the topic has a date" in step.sentence


def test_the_parts_still_sum_to_the_score(filled: Filler) -> None:
    for hit in filled(RELEASES).search("latest curl release", now=NOW):
        assert sum(hit.parts.values()) == pytest.approx(hit.score)


FORECASTS = [
    Document(f"{city}-{part}-{issued}", f"{heading}: {text}", city, Span.parse(f"2021-04-{issued}:20"))
    for city in ("Boston", "Miami")
    for part, issued, heading, text in [
        ("friday", "12T12", "Friday", "Sunny, with a high near 58. West wind 5 mph."),
        ("friday", "14T12", "Friday", "Rain before 1pm, then sun. High near 51."),
        ("friday-night", "14T12", "Friday Night", "Clear between 7pm and 1am. Low near 40, rising to 43 overnight."),
        ("friday", "16T12", "Today", "Rain. High near 50."),
        ("friday", "16T18", "This Afternoon", "Showers, then clearing."),
        ("friday-night", "16T18", "Tonight", "Patchy fog after 2am."),
        ("saturday", "16T18", "Saturday", "Sunny, with a high near 60."),
        ("friday-night", "17T00", "Tonight", "Fog."),
        ("saturday", "17T00", "Saturday", "Sunny, with a high near 61."),
    ]
]


@pytest.mark.parametrize(
    ("question", "as_of", "first"),
    [
        ("What will the weather be like in Boston on 16 April 2021 by day?", None, "Boston-friday-16T18"),
        ("Latest forecast for Boston on 16 April 2021 during the day", None, "Boston-friday-16T18"),
        ("Is rain expected in Boston at night on 16 April 2021?", None, "Boston-friday-night-17T00"),
        ("Miami weather 17 April 2021 in the daytime", None, "Miami-saturday-17T00"),
        ("Do I need an umbrella in Boston during the day on 16 April 2021?", None, "Boston-friday-16T18"),
        ("16 April 2021 at night: temperature in Miami", None, "Miami-friday-night-17T00"),
        ("Miami weather 16 April 2021 in the daytime", "2021-04-15", "Miami-friday-14T12"),
        ("Miami weather in the night on 2021-04-16", "2021-04-15", "Miami-friday-night-14T12"),
    ],
)
def test_of_several_forecasts_the_newest_counts(filled: Filler, question: str, as_of: str | None, first: str) -> None:
    response = filled(FORECASTS).search(question, now="2021-04-20", as_of=as_of)
    assert (response[0].id, response.outcome) == (first, "recorded")


TERMS = [
    Document(name.lower(), f"{name} was mayor of Ghent from {start} until {end}.", valid=Span.parse(f"{start}/{end}"))
    for name, start, end in [
        ("Adams", "1998-03-01", "2006-05-15"),
        ("Baker", "2006-05-16", "2012-04-28"),
        ("Clark", "2012-04-29", "2019-01-31"),
    ]
]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Who was the mayor of Ghent whose term ended exactly one year before 28 April 2013?", "baker"),
        ("Who was the mayor of Ghent whose term started in April 2012?", "clark"),
        ("Who was mayor of Ghent, starting before 2007 and ending after 2010?", "baker"),
        ("Who became mayor of Ghent after 2010?", "clark"),
        ("Who was the mayor of Ghent in 2008?", "baker"),
    ],
)
def test_a_validity_must_begin_or_end_when_the_question_says_so(filled: Filler, question: str, first: str) -> None:
    response = filled(TERMS).search(question, now=NOW)
    assert (response[0].id, response.outcome) == (first, "recorded")


@pytest.mark.parametrize(
    "question",
    [
        "Who was the mayor of Ghent whose term ended in June 2013?",
        "Who was the mayor of Ghent whose term started exactly two years before 28 April 2013?",
        "Which mayor of Ghent started before 1999 and ended after 2010?",
    ],
)
def test_what_neither_began_nor_ended_then_is_not_recorded(filled: Filler, question: str) -> None:
    assert filled(TERMS).search(question, now=NOW).outcome in ("none_recorded", "not_covered")


def test_what_holds_now_comes_before_what_is_over(filled: Filler) -> None:
    holder = Document("diaz", "Diaz is mayor of Ghent since 2019.", valid=Span.parse("2019-02-01/.."))
    assert filled([*TERMS, holder]).search("Who is the current mayor of Ghent?", now=NOW)[0].id == "diaz"


ARTICLES = [
    Document(
        f"{law}-{number}",
        f"Article {number}. See also article {number + 1}. Persons shall register.",
        f"Act of 11 July 2007 on {law} - Article {number}",
        Span.parse("2007-07-12"),
        Span.parse("2007-07-12/.."),
    )
    for law in ("Value Added Tax", "the Residence of Foreigners")
    for number in range(9, 14)
]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Article 11 of the VAT act in force on 2 May 2015", "Value Added Tax-11"),
        ("Article 12 of the Foreigner act in force on 11 May 2015", "the Residence of Foreigners-12"),
    ],
)
def test_numbers_go_with_the_word_before_them_and_names_may_be_short(filled: Filler, question: str, first: str) -> None:
    response = filled(ARTICLES).search(question, now=NOW)
    assert (response[0].id, response.outcome) == (first, "recorded")


def test_what_is_nearest_in_time_comes_first_where_nothing_is_recorded(filled: Filler) -> None:
    response = filled(RELEASES).search("curl changes in March 2022", now=NOW, collapse_versions=False)
    assert response.outcome == "none_recorded"
    assert [hit.id for hit in response][:4] == ["curl-7.80", "curl-7.86", "curl-8.0", "curl-8.4"]
    assert "nearest in time" in next(step.sentence for step in response.applied if step.name == "order")
    # Other topics follow, however near they are.
    assert response[4].meta["package"] != "curl"


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """More releases than an order takes by their scores; every hundredth has a long text, which BM25 likes least."""
    padding = "It also has many other changes that nobody has written down in detail. " * 5
    first = dt.date(2015, 1, 1)
    documents = [
        Document(
            f"d{number}",
            f"Acme ships. {padding if number % 100 == 0 else ''}",
            f"Acme {number}",
            published=(first + dt.timedelta(days=number)).isoformat(),
        )
        for number in range(1_401)
    ]
    with Index.create(tmp_path_factory.mktemp("crowded"), encoder=None) as index:
        index.add(documents)
        yield index


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("latest Acme release", "d1400"),
        ("first Acme release", "d0"),
        ("the Acme release of 2016 that came first", "d365"),
        (f"last Acme release before {dt.date(2015, 1, 1) + dt.timedelta(days=701)}", "d700"),
        (f"first Acme release after {dt.date(2015, 1, 1) + dt.timedelta(days=899)}", "d900"),
    ],
)
def test_an_order_is_exact_however_many_documents_are_on_the_topic(crowded: Index, question: str, first: str) -> None:
    assert crowded.search(question, k=3, now="2020-01-01")[0].id == first


def test_words_of_order_are_no_words_of_the_topic(tmp_path: Path) -> None:
    notes = [
        ("frost", "Hives were treated after the first frost.", "2019-12-04"),
        ("one", "Release 2.4.0: adds dark mode. Fixes a crash.", "2020-02-12"),
        ("two", "Release 2.5.0: drops an old format.", "2021-10-01"),
        ("honey", "Honey harvest: 41 kg from hive 2.", "2022-08-02"),
        ("three", "Release 3.0.0: a new interface, at last.", "2023-04-15"),
    ]
    with Index.create(tmp_path / "index", encoder="static") as index:
        index.add([Document(name, text, published=Span.parse(day)) for name, text, day in notes])
        first = (
            "first release",
            "What was the first release?",
            "first honey harvest",
            "latest release",
            "last release",
        )
        assert [index.search(text, now="2025-01-01")[0].id for text in first] == [
            "one",
            "one",
            "honey",
            "three",
            "three",
        ]


@pytest.mark.parametrize(
    ("text", "blanked"),
    [
        ("What was the first release?", "What was the       release?"),
        ("First release of curl", "      release of curl"),
        ("First Bank's oldest branch", "First Bank's        branch"),
        ("the first Doctor Who episode", "the       Doctor Who episode"),
    ],
)
def test_names_keep_words_of_order(text: str, blanked: str) -> None:
    assert blank_order(text) == blanked


NUMBERED = [
    Document("order", "The council ordered a second ferry.", published=Span.parse("2023-02-14")),
    Document("delivery", "The second ferry was delivered six weeks late.", published=Span.parse("2024-06-11")),
    Document("ferry", "The ferry is painted green.", published=Span.parse("2022-05-02")),
    Document("bridge", "The 2nd bridge is open.", published=Span.parse("2021-05-02")),
    Document("old", "A bridge was planned.", published=Span.parse("2019-05-02")),
    Document("plan", "The bridge was paid for.", published=Span.parse("2020-05-02")),
    *(
        Document(f"minutes{year}", "The board met.", "Board minutes", Span.parse(f"{year}-03-01"))
        for year in (2018, 2019)
    ),
]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("When was the second ferry delivered?", "delivery"),
        ("Where is the second bridge?", "bridge"),
        ("second board minutes", "minutes2019"),
        ("first board minutes", "minutes2018"),
        ("the last board minutes", "minutes2019"),
    ],
)
def test_what_texts_number_themselves_is_no_order(filled: Filler, question: str, first: str) -> None:
    assert filled(NUMBERED).search(question, now="2025-01-01")[0].id == first


@pytest.mark.parametrize("question", ["última acta", "el acta más reciente", "la última acta de la junta"])
def test_words_of_order_are_no_words_of_the_topic_in_other_languages(filled: Filler, question: str) -> None:
    notes = [
        Document("old", "La junta aprobó la reforma del tejado.", "Acta", Span.parse("2022-10-02")),
        Document("new", "Se inauguró el nuevo tejado.", "Acta", Span.parse("2024-07-19")),
        Document("other", "The roof was mended.", "Note", Span.parse("2024-09-19")),
    ]
    response = filled(notes).search(question, now="2025-01-01")
    assert (response[0].id, response.outcome, response.unknown_words) == ("new", "recorded", ())


@pytest.mark.parametrize(
    "question", ["Which permit fee applied in Dunmere on 12 November 2018?", "permit fee in Dunmere, 2018-11-12"]
)
def test_what_goes_on_from_a_day_is_no_forecast_for_later_ones(filled, question):
    rows = [
        (
            "dog",
            "Dog licence in Dunmere: 24 euros, with effect from 9 April 2014.",
            "2014-04-04",
            "2014-04-09/2019-03-27",
        ),
        ("meal", "School meals in Dunmere: 3 euros, with effect from 1 May 2015.", "2015-04-04", "2015-05-01/.."),
        ("permit", "Permit fee in Dunmere: 55 euros from 5 November 2018.", "2018-09-11", "2018-11-05/.."),
    ]
    documents = [
        Document(name, text, published=Span.parse(day), valid=Span.parse(valid), series=f"dunmere-{name}")
        for name, text, day, valid in rows
    ]
    assert filled(documents, "static").search(question, now="2026-11-18")[0].id == "permit"


MINUTES = [
    ("may", "Minutes of the council meeting of 4 May 2021. The ferry was discussed at length."),
    ("july", "6 July 2021: the council discussed the ferry and its harbour, which opened on 3 March 1999."),
    ("june", "Council, 1 June 2021\n\nThe ferry was put off until 2025, and the harbour was discussed."),
]


def fill_undated(filled: Filler, texts: list[tuple[str, str]]) -> Index:
    return filled([Document(name, text) for name, text in texts])


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("the latest council minutes on the ferry", "july"),
        ("the first council discussion of the ferry", "may"),
        ("What was the last council meeting on the ferry before 15 June 2021?", "june"),
        ("As of 20 May 2021, what had the council discussed of the ferry?", "may"),
    ],
)
def test_texts_without_metadata_are_ordered_by_the_dates_they_open_with(
    filled: Filler, question: str, first: str
) -> None:
    response = fill_undated(filled, MINUTES).search(question, now=NOW)
    assert response[0].id == first
    assert response.outcome == "recorded"
    assert any("the date that their text opens with" in step.sentence for step in response.applied)


@pytest.mark.parametrize(
    "texts",
    [
        [
            ("one", "The painter Ada Lowe, who was born on 4 May 1961 in Hull, painted harbours."),
            ("two", "The painter Ben Moss (born 3 March 1958) painted harbours."),
        ],
        [
            ("one", "In 1994 the painter Ada Lowe painted a harbour."),
            ("two", "The painter Ben Moss painted a harbour."),
            ("three", "The painter Cy Noll never painted a harbour."),
        ],
    ],
)
def test_times_within_a_text_do_not_order_it(filled: Filler, texts: list[tuple[str, str]]) -> None:
    response = fill_undated(filled, texts).search("the latest painter of harbours", now=NOW)
    assert "no document on the topic has a date" in next(s.sentence for s in response.applied if s.name == "order")


def test_a_date_of_publication_comes_before_the_one_that_a_text_opens_with(filled: Filler) -> None:
    index = filled(
        [
            Document("old", "1 June 2023: the ferry was discussed.", published=Span.parse("2020-02-01")),
            Document("new", "The ferry was discussed.", published=Span.parse("2021-02-01")),
            Document("own", "5 March 2022: the ferry was discussed."),
        ]
    )
    response = index.search("the latest on the ferry", now=NOW)
    assert [hit.id for hit in response] == ["own", "new", "old"]
    assert any("1 of them by the date that their text opens with" in step.sentence for step in response.applied)


HAN = [
    ("five", "2023年12月15日，某公司正式发布第五代处理器，性能大幅提高。"),
    ("four", "2022年1月10日，某公司正式发布第四代处理器。"),
    ("three", "2021年4月6日，某公司发布第三代处理器。"),
    ("six", "2024年6月1日，某公司发布新一代处理器。"),
    ("one", "2019年5月2日，某公司首次提到量子处理器。"),
    ("older", "2017年5月2日，某公司谈到量子处理器的前景。"),
]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("某公司于何时发布了第五代处理器？", "five"),
        ("某公司于何时发布了第四代处理器？", "four"),
        ("某公司何时首次提到量子处理器？", "one"),
        ("最新的处理器", "six"),
        ("某公司发布的第二个处理器", "older"),
    ],
)
def test_chinese_texts_that_number_things_are_found_by_the_number(filled: Filler, question: str, first: str) -> None:
    response = fill_undated(filled, HAN).search(question, now="2025-01-01")
    orders = [step.sentence for step in response.applied if step.name == "order"]
    assert bool(orders) == (first in ("six", "older"))
    assert first == "older" or response[0].id == first


@pytest.mark.parametrize(
    ("question", "has_order"),
    [
        ("大桥通车、机场启用和地铁开工，哪个事件最早发生？", False),
        ("哪个更早：大桥通车还是机场启用？", False),
        ("大桥通车和机场启用，最早发生的是哪个？", False),
        ("大桥首次通车和机场启用是在同一年吗？", False),
        ("第一季度财报", False),
        ("哪个版本最早发布？", True),
        ("最早的版本是哪个？", True),
        ("首个版本", True),
        ("倒数第二次会议", True),
        ("上一版条款", True),
    ],
)
def test_a_choice_among_chinese_events_is_no_order(question: str, has_order: bool) -> None:
    assert (understand(question, now="2024-01-01").order is not None) == has_order


def test_what_a_few_are_filed_under_is_no_name_for_all(filled: Callable[..., Index]) -> None:
    """Two of many texts on a country are filed under it; the newest on it is that of all."""
    places = "north south east west coast border capital province valley port".split()
    documents = [
        Document(
            f"{year}-{place}",
            f"Talks on the {place} of Syria went on in round {year - 2009}.",
            published=Span.year(year),
            meta={"category": "Syria" if (year, place) in ((2011, "north"), (2012, "port")) else f"Round {year}"},
        )
        for year in range(2010, 2020)
        for place in places
    ]
    documents += [
        Document(f"other-{year}", "A ferry ran late.", published=Span.year(year)) for year in range(2000, 2025)
    ]
    response = filled(documents).search("latest news about Syria", now="2026-11-16")
    assert response[0].document.published == Span.year(2019)
