"""What was so at a time may have begun before it; and what a report says of later times does not date the report."""

from __future__ import annotations

import pytest

from epochal.api import Index
from epochal.reading.questions.states import asks_past_state
from epochal.reading.questions.understand import understand
from epochal.storage.records import Document
from epochal.times import Span

NOW = "2025-06-01"
VERSIONS = {
    "fee": ("Planning fee", "An application costs {} euros.", {"2015-02-01": 90, "2018-06-10": 120, "2023-03-05": 150}),
    "pool": (
        "Opening hours of the swimming pool",
        "Doors open at {} on all days.",
        {"2016-04-01": "8 am", "2021-09-15": "7 am", "2024-01-10": "6 am"},
    ),
    "keeper": (
        "Keeper of the lighthouse",
        "{} is the keeper of the lighthouse.",
        {"2012-01-09": "Anna Berg", "2019-10-01": "Tom Reed", "2023-11-20": "Lia Moss"},
    ),
}
QUESTIONS = [
    ("What was the planning fee in 2021?", "fee2018"),
    ("planning fee in March 2020", "fee2018"),
    ("How much was the planning fee in 2017?", "fee2015"),
    ("In May 2022, what was the planning fee?", "fee2018"),
    ("opening hours of the swimming pool in 2019", "pool2016"),
    ("What were the opening hours of the swimming pool in October 2022?", "pool2021"),
    ("Who was the keeper of the lighthouse in 2015?", "keeper2012"),
    ("Who was the keeper of the lighthouse in May 2021?", "keeper2019"),
]


def make_documents(*, has_series: bool) -> list[Document]:
    documents = [
        Document(
            f"{name}{date[:4]}",
            text.format(value),
            title,
            Span.parse(date),
            series=name if has_series else None,
        )
        for name, (title, text, values) in VERSIONS.items()
        for date, value in values.items()
    ]
    news = "The road at the harbour was repaired.", "A bus line to the station opened.", "The school has a new roof."
    return documents + [
        Document(f"news{year}", news[year % 3], "Council", Span.parse(f"{year}-0{1 + year % 9}-04"))
        for year in range(2011, 2025)
    ]


@pytest.fixture(scope="module", params=["series", "plain"])
def versions(request, tmp_path_factory):
    with Index.create(tmp_path_factory.mktemp("states") / "index", encoder="static") as made:
        made.add(make_documents(has_series=request.param == "series"))
        yield made, request.param == "series"


@pytest.mark.parametrize(("question", "expected"), QUESTIONS)
def test_the_last_before_a_time_says_what_was_so_then(versions, question, expected):
    index, has_series = versions
    response = index.search(question, now=NOW)
    assert response[0].id == expected
    # A version holds until the next one; a text without versions need not.
    assert response.outcome == ("recorded" if has_series else "none_recorded")
    if not has_series:
        assert any("the last before it comes first" in item.sentence for item in response.applied)


def test_what_happened_then_is_not_what_happened_before(versions):
    index, _ = versions
    response = index.search("What changed in the planning fee in 2021?", now=NOW)
    assert response.outcome == "none_recorded"
    assert index.search("What was the planning fee in 2012?", now=NOW).outcome == "none_recorded"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the remote work policy in April 2020?", True),
        ("Which rules applied in March 2020?", True),
        ("What did the handbook say in 2019?", True),
        ("How much did a licence cost in 2015?", True),
        ("Who was the mayor of Ghent in May 1998?", True),
        ("Who owned the mill in 1790?", True),
        ("How much was a glass of wine in 2022?", True),
        ("How much was raised in 2022?", False),
        ("deductible in June 2022", True),
        ("the interest rate of the savings account in 2020", True),
        ("speed limit on Mill Road in 1980", True),
        ("In 2019, what was the fare?", True),
        ("What changed in the policy in April 2020?", False),
        ("Who won the election in May 1998?", False),
        ("When was the fee raised in 2020?", False),
        ("earthquakes in Chile in 2010", False),
        ("curl release in March 2022", False),
        ("Who was the mayor elected in May 1998?", False),
        ("What was the planning fee before 2020?", False),
        ("What was the fee in 2015 and in 2020?", False),
        ("What did the board decide in 2019?", False),
        ("board minutes of February 2023", False),
        ("Wie hoch war 2018 die Hundesteuer?", True),
        ("Hundesteuer im März 2022", True),
        ("Wer gewann 2018 die Wahl?", False),
        ("Quel était le prix du billet en mai 2019 ?", True),
        ("tarif du parking en 2020", True),
        ("Qui a été élu président en 2020 ?", False),
        ("¿Cuánto costaba la entrada en 2017?", True),
        ("¿Qué aprobó la junta en octubre de 2023?", False),
        ("Quanto costava il biglietto nel 2015?", True),
        ("Qual era o preço do bilhete em 2016?", True),
        ("Hoe hoog was de huur in 2014?", True),
        ("Какая была цена билета в 2013 году?", True),
        ("2020年停车费是多少?", True),
        ("2022年7月的停车费", True),
        ("2021年总经理是谁?", True),
        ("2021年停车费有什么变化?", False),
        ("2023年谁辞职了?", False),
        ("2019年發生了什麼大事?", False),
    ],
)
def test_questions_for_a_state(question, expected):
    assert asks_past_state(question, understand(question, Span.parse(NOW)).constraints) is expected


REPORTS = [
    Document("ferry", "The board bought a ferry, to be delivered in spring 2024. Ms Okafor abstained.", "", 2023),
    Document("rail", "Parliament votes to close the branch line on 1 May 2026.", "", Span.parse("2025-03-12")),
    Document("rain", "Saturday: Rain in Westport, with a high near 54.", "", Span.parse("2025-03-12")),
    Document("closing", "From 1 August 2025 the archive in Westport is closed.", "", Span.parse("2025-03-12")),
    Document("fair", "The fair in Westport drew a large crowd.", "", Span.parse("2024-09-02")),
    Document("dam", "The dam at Kell was inspected.", "", Span.parse("2025-04-20")),
]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who abstained in 2023?", "ferry"),
        ("What ferry was bought in 2023?", "ferry"),
        ("branch line in March 2025", "rail"),
        ("What did parliament decide on the branch line on 12 March 2025?", "rail"),
        ("rain in Westport on 15 March 2025", "rain"),
        ("rain in Westport on 12 March 2025", None),
        ("archive in Westport on 12 March 2025", None),
    ],
)
def test_a_report_of_plans_is_from_the_day_of_its_publication(tmp_path, question, expected):
    with Index.create(tmp_path / "index", encoder="static") as index:
        index.add(REPORTS)
        response = index.search(question, now=NOW)
        if expected is None:
            assert response.outcome == "none_recorded"
        else:
            assert (response[0].id, response.outcome) == (expected, "recorded")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When is the summer party?", False),
        ("When was the Monday meeting?", False),
        ("When is the Christmas party?", False),
        ("What time is the evening service?", False),
        ("When is the next party in summer?", True),
        ("When does the party start on Monday?", True),
        ("When did the March 2020 lockdown start?", True),
        ("When was the bridge closed in winter?", True),
        ("When is this summer's party?", True),
        ("What was decided at the June meeting?", True),
    ],
)
def test_a_season_in_a_name_is_no_time_of_the_answer(question, expected):
    (constraint,) = understand(question, Span.parse("2025-02-03")).constraints
    assert constraint.binds is expected


RELEASES = [
    Document("4.2", "Adds dark mode. Fixes a crash.", "Release notes 4.2", Span.parse("2024-04-10"), series="app"),
    Document("4.3", "Adds offline maps.", "Release notes 4.3", Span.parse("2024-08-01"), series="app"),
    Document("4.4", "Bug fixes.", "Release notes 4.4", Span.parse("2024-11-20"), series="app"),
    Document("old", "Members pay 12 euros.", "Membership", Span.parse("2019-01-05"), series="fee"),
    Document("new", "Members pay 15 euros.", "Membership", Span.parse("2023-01-05"), series="fee"),
]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("When was dark mode added?", "4.2"),
        ("When were offline maps added?", "4.3"),
        ("How much do members pay?", "new"),
    ],
)
def test_the_version_that_says_when_is_returned(tmp_path, question, first):
    with Index.create(tmp_path / "index", encoder="static") as index:
        index.add(RELEASES)
        assert index.search(question, now=NOW)[0].id == first


def test_what_is_recorded_is_counted(tmp_path):
    with Index.create(tmp_path / "index", encoder="static") as index:
        index.add(
            [Document("closed", "Offices are closed from 23 December until 2 January.", "", Span.parse("2024-11-28"))]
        )
        index.add([Document("pay", "Members pay 15 euros.", "", Span.parse("2023-01-05"))])
        response = index.search("Are the offices closed on 27 December 2024?", now=NOW)
    assert (response.outcome, response.total) == ("recorded", 1)
