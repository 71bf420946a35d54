"""Which words a text must have, and what a search says where it lacks them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.ranking.related_forms import _find_related_forms
from epochal.ranking.relevance import RelevanceModel, grade_topic, has_identifier, load_relevance_model
from epochal.ranking.script_words import WORD
from epochal.ranking.words import is_compound, is_predicate, list_other_forms, measure_rarity
from epochal.storage.records import Document
from epochal.storage.text import analyse
from epochal.times.span import Span

NOW = "2024-06-01"
PACKAGES = ("flask", "django", "celery", "attrs")


def make_releases() -> list[Document]:
    """Four packages with a release in every other month of 2021 and 2022; the text of one has an identifier."""
    documents = []
    for package in PACKAGES:
        for number, month in enumerate(f"{year}-{month:02}" for year in (2021, 2022) for month in range(1, 12, 2)):
            version = f"{1 + number // 6}.{number % 6}"
            text = f"Fixed bugs in the {('router', 'parser', 'cache')[number % 3]} and improved the documentation."
            if (package, number) == ("flask", 3):
                text += " Fixes CVE-2021-38545."
            documents.append(
                Document(
                    f"{package}-{version}", text, f"{package} {version}", Span.parse(f"{month}-10"),
                    meta={"package": package},
                )
            )  # fmt: skip
    return documents


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with Index.create(tmp_path_factory.mktemp("releases") / "index", encoder="static") as index:
        index.add(make_releases())
        yield index


@pytest.mark.parametrize("name", ["Kafka", "webpack", "Photoshop", "Zigbee2MQTT"])
@pytest.mark.parametrize("question", ["{} fixes in 2021", "latest {} release", "What changed in {} in March 2022?"])
def test_a_name_that_no_document_has_is_unknown(releases: Index, name: str, question: str) -> None:
    response = releases.search(question.format(name), now=NOW)
    assert response.outcome == "topic_unknown"
    assert response.unknown_words == (name,)


@pytest.mark.parametrize(
    "question",
    [
        "newest celery release",
        "which celery upload came last?",
        "the earliest celery announcement",
        "celery improvements in 2021",
        "most recently published celery notes",
    ],
)
def test_ordinary_words_that_no_document_has_are_not_missed(releases: Index, question: str) -> None:
    response = releases.search(question, now=NOW)
    assert response.outcome == "recorded"
    assert response[0].document.meta["package"] == "celery"


def test_a_month_without_a_release_has_no_record(releases: Index) -> None:
    assert releases.search("attrs releases in April 2021", now=NOW).outcome == "none_recorded"
    assert releases.search("attrs releases in May 2021", now=NOW).outcome == "recorded"


def test_an_identifier_is_matched_whole(releases: Index) -> None:
    assert releases.search("When was CVE-2021-38545 fixed?", now=NOW)[0].id == "flask-1.3"
    assert releases.search("changes of django 2.1", now=NOW)[0].id == "django-2.1"
    assert releases.search("changes of django 1.2", now=NOW)[0].id == "django-1.2"


def test_what_a_filter_hides_says_what_the_topic_is(tmp_path: Path) -> None:
    """As of a day before the first release, other packages are no answer."""
    other = Document(
        "pip-0.1", "Fixed bugs in the parser.", "pip 0.1", Span.parse("2020-01-05"), meta={"package": "pip"}
    )
    with_pip = [*make_releases(), other]
    with Index.create(tmp_path / "index", encoder="static") as index:
        index.add(with_pip)
        response = index.search("latest celery release", now=NOW, as_of="2020-06-01")
        assert response.outcome in ("none_recorded", "not_covered")
        assert index.search("latest pip release", now=NOW, as_of="2020-06-01").outcome == "recorded"


def test_questions_with_identifiers() -> None:
    assert has_identifier("when was 1.0.1 published?")
    assert has_identifier("fixes of CVE-2023-1")
    assert not has_identifier("Article 97 of the well-known act")


def test_grades_and_rarity() -> None:
    grades = grade_topic(np.array([1.0, 0.5, 0.25, 0.001]))
    assert grades[0] == 1.0
    assert grades[3] == 0.0
    assert grades[0] - grades[1] == pytest.approx(grades[1] - grades[2])
    rarity, relative = measure_rarity(np.array([0.0, 1.0, 100.0]), 1000)
    assert rarity[0] == relative[0] == 0.0
    assert rarity[1] > rarity[2] > 0
    assert relative[1] == 1.0


def test_word_lists_hold_tokens_of_the_index() -> None:
    folder = resources.files("epochal.ranking").joinpath("weights").joinpath("words")
    for file in folder.iterdir():
        if file.name.startswith(("nationalities", "verbs", "zh", "ja", "ko")):
            continue  # words, and no tokens
        tokens = file.read_text(encoding="utf-8").split("\n", 1)[1].split()
        assert len(tokens) == len(set(tokens))
        assert all(len(analyse(token)) == 1 for token in tokens[::97])


def test_adjectives_and_names_of_places_stand_for_each_other() -> None:
    assert list_other_forms("Italian") == ("Italy",)
    assert list_other_forms("British") == ("Britain", "UK")
    assert list_other_forms("France") == ("french",)
    assert list_other_forms("weekly") == ()


def test_forms_of_irregular_verbs_stand_for_each_other() -> None:
    assert list_other_forms("buy") == ("bought",)
    assert list_other_forms("went") == ("go", "gone")
    assert set(list_other_forms("begin")) == {"began", "begun"}
    assert list_other_forms("Rose") == ()  # a name
    assert list_other_forms("walk") == ()


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What was prescribed to her, and who owned the castle?", ["prescribed", "owned"]),
        ("Were bicycles discussed in the related meeting?", ["discussed"]),
        ("Which shop is closing?", ["closing"]),
        ("news about the wedding of the king and the needed seeds", []),
    ],
)
def test_predicates_are_known_by_their_form(question: str, wanted: list[str]) -> None:
    found = [match[0] for match in WORD.finditer(question) if is_predicate(question, match[0], match.start())]
    assert [word for word in found if len(word) > 4] == wanted


def test_models_survive_json() -> None:
    model = load_relevance_model()
    data = json.loads(json.dumps(model.to_dict()))
    assert RelevanceModel.from_dict(data).to_dict() == model.to_dict()
    del data["time"]
    with pytest.raises(EpochalError, match="lacks 'time'"):
        RelevanceModel.from_dict(data)


def test_compounds_are_made_of_two_words_of_a_dictionary() -> None:
    assert [is_compound(word) for word in ("changelog", "workaround", "urllib", "werkzeug", "the")] == [
        True,
        True,
        False,
        False,
        False,
    ]


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Texts of which many have the words of the names of others: terms, service, privacy, policy, register."""
    folder = tmp_path_factory.mktemp("policies") / "index"
    kinds = ("Terms of Service", "Privacy Policy", "Parent Organization Privacy Policy")
    with Index.create(folder, encoder="static") as index:
        index.add(
            Document(
                f"{service}/{kind}/{year}",
                f"These terms of service and this privacy policy of an organization register who uses it in {year}.",
                f"{service}: {kind}",
                published=f"{year}-0{month}-01",
                meta={"service": service, "type": kind},
            )
            for month, service in enumerate(("The Register", "Google Ads", "Requests", "Zoosk"), 1)
            for kind in kinds
            for year in (2018, 2020, 2022)
        )
        yield index


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("newest The Register Terms of Service", "The Register/Terms of Service/2022"),
        ("oldest text of the google ads privacy policy", "Google Ads/Privacy Policy/2018"),
        ("latest requests privacy policy", "Requests/Privacy Policy/2022"),
        (
            "first version of the zoosk parent organization privacy policy",
            "Zoosk/Parent Organization Privacy Policy/2018",
        ),
        ("the text of the Zoosk Terms of Service right before 1 January 2021", "Zoosk/Terms of Service/2020"),
        ("Which Google Ads Privacy Policy applied on 5 May 2021?", "Google Ads/Privacy Policy/2020"),
    ],
)
def test_several_words_that_are_a_field_are_one_name(policies: Index, question: str, first: str) -> None:
    response = policies.search(question, now="2026-01-01")
    assert (response[0].id, response.outcome) == (first, "recorded")


def test_a_text_need_not_say_what_kind_of_text_it_is(releases: Index) -> None:
    plain, kind = (releases.search(f"latest {words}", now="2026-01-01") for words in ("flask", "flask changelog entry"))
    assert (kind[0].id, kind.outcome) == (plain[0].id, plain.outcome) == ("flask-2.5", "recorded")


@pytest.mark.parametrize(
    ("name", "form", "is_form"),
    [
        ("nigerian", "nigeria", True),
        ("vietnam", "vietnamese", True),
        ("buildah", "buildout", False),
        ("linkerd", "linked", False),
        ("tableau", "tables", False),
    ],
)
def test_forms_of_names_differ_by_their_endings(name: str, form: str, is_form: bool) -> None:
    texts = [f"It is about {form}."]
    assert bool(_find_related_forms(name, texts, is_name=True)) == is_form


def test_forms_of_other_languages_may_differ_by_more(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index", encoder="static") as index:
        for number in range(1, 6):
            index.add(
                [
                    Document(
                        f"e{number}",
                        "Los extranjeros tienen derechos.",
                        f"Ley Orgánica 4/2000, sobre los extranjeros — Artículo {number}",
                    )
                ]
            )
            index.add(
                [
                    Document(
                        f"t{number}",
                        "El trabajador tiene derechos.",
                        f"Ley del Estatuto de los Trabajadores — Artículo {number}",
                    )
                ]
            )
        response = index.search("¿Qué dice el artículo 3 de la Ley de Extranjería?", now="2026-01-01")
        assert (response[0].id, response.outcome) == ("e3", "no_window")


@pytest.mark.parametrize(
    "question",
    [
        'How is the heritage element "Human towers" classified in terms of its status?',
        "What is the status of the heritage element Human towers, and in what terms is it classified?",
    ],
)
def test_without_a_time_a_certain_topic_outweighs_other_words(tmp_path: Path, question: str) -> None:
    texts = {
        "towers": "Human towers was inscribed in 2010.",
        "solar": "The Twenty-Four Solar Terms, an element of heritage, was inscribed in 2016.",
        "letters": "Armenian letter art, an element classified by its status, was inscribed in 2019.",
        "falcons": "Falconry, a living heritage element, was inscribed in 2021.",
        "ger": "Craftsmanship of the Ger and its customs, classified in terms of its status, was inscribed in 2013.",
    }
    with Index.create(tmp_path / "index", encoder="static") as index:
        index.add(Document(name, text) for name, text in texts.items())
        assert index.search(question, now=Span.year(2026)).hits[0].id == "towers"


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    texts = {
        "2010-01-13": "A magnitude 7.0 earthquake strikes Haiti; tens of thousands are feared dead.",
        "2016-10-05": "Hurricane Matthew makes landfall in Haiti.",
        "2016-08-24": "An earthquake destroys Amatrice in Italy.",
        "2021-08-14": "An earthquake in Haiti kills hundreds.",
        "2016-03-01": "Voters in Haiti wait for a new date.",
        "2016-11-30": "A plane crash in Colombia kills a football team.",
        "2017-06-08": "Haiti wins a football match in Colombia.",
        "2019-04-01": "Otters were seen in the Tamar.",
        "2021-08-01": "Anglers in the Tamar complain of low water.",
        "2021-09-09": "Otters return to the Exe.",
        "2010-02-27": "Un terremoto sacude Chile y deja cientos de muertos.",
        "2016-04-17": "Inundaciones en Chile obligan a evacuar aldeas.",
        "2018-03-08": "Uno sciopero ferma i treni a Milano.",
        "2019-05-02": "A Milano apre una mostra su Leonardo.",
    }
    with Index.create(tmp_path_factory.mktemp("items") / "index", encoder="static") as index:
        index.add(Document(day, text, published=Span.parse(day)) for day, text in texts.items())
        yield index


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("earthquake in Haiti in 2010", "2010-01-13"),
        ("earthquakes in Haiti in 2021", "2021-08-14"),
        ("Was there an earthquake in Italy in 2016?", "2016-08-24"),
        ("plane crash in Colombia in 2016", "2016-11-30"),
        ("otters in the Tamar in 2019", "2019-04-01"),
        ("terremoto en Chile en 2010", "2010-02-27"),
        ("sciopero a Milano nel 2018", "2018-03-08"),
    ],
)
def test_an_event_at_a_place_is_recorded(items: Index, question: str, first: str) -> None:
    response = items.search(question, now=NOW)
    assert (response.outcome, response.hits[0].id) == ("recorded", first)


@pytest.mark.parametrize(
    "question",
    [
        "earthquake in Haiti in 2016",
        "Was there an earthquake in Haiti in 2016?",
        "plane crash in Colombia in 2017",
        "hurricane in Italy in 2016",
        "otters in the Tamar in 2021",
        "terremoto en Chile en 2016",
        "sciopero a Milano nel 2019",
    ],
)
def test_what_has_the_event_or_the_place_alone_is_no_record(items: Index, question: str) -> None:
    assert items.search(question, now=NOW).outcome != "recorded"


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("¿Qué dice el artículo 38 de la Ley de Aguas sobre el canon vigente?", "38"),
        ("artículo 38 bis de la Ley de Aguas, canon vigente", "38 bis"),
        ("artículo 38 ter de la Ley de Aguas, canon vigente", "38 ter"),
        ("artículo 60 de la Ley de Aguas, canon vigente", "60"),
    ],
)
def test_an_inserted_article_is_not_the_one_before_it(tmp_path: Path, question: str, found: str) -> None:
    """Article 38 bis may repeat all words of a question for article 38, and is another article."""
    index = Index.create(tmp_path / "index")
    index.add(
        [
            Document(
                number,
                f"Artículo {number}. " + ("El canon vigente de aguas." if "bis" in number else "Régimen y plazos."),
                title=f"Ley de Aguas — Artículo {number}",
            )
            for number in ("38", "38 bis", "38 ter", "39", "60", "60 bis")
        ]
    )
    assert index.search(question, now="2026-11-18")[0].id == found
