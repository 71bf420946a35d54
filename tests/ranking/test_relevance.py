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
from epochal.ranking.relevance import RelevanceModel, grade_topic, has_identifier, load_relevance_model
from epochal.ranking.words import is_compound, measure_rarity
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
        tokens = file.read_text(encoding="utf-8").split("\n", 1)[1].split()
        assert len(tokens) == len(set(tokens))
        assert all(len(analyse(token)) == 1 for token in tokens[::97])


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
