"""An ordinary word that no document has is found in another that means nearly the same, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from epochal.api import Document, Index
from epochal.ranking.near_words import _SAME, find_near_words
from epochal.storage.text import analyse_word

_ALIKE = (
    "buy/purchase car/automobile doctor/physician sick/ill big/large kill/murder begin/start child/kid cellphone/phone "
    "laptop/computer flat/apartment film/movie holiday/vacation garbage/trash salary/wages attorney/lawyer quick/fast "
    "fee/charge fix/repair help/assist ship/vessel job/employment jail/prison error/bug crash/failure delete/remove "
    "autumn/fall hens/chickens feline/cat puppies/dogs teenager/adolescent firm/company cop/police infant/baby "
    "odour/smell rabbit/bunny illness/disease tumor/cancer cardiac/heart hepatic/liver renal/kidney maternal/mother "
    "lethal/deadly gratis/free bike/bicycles"
).split()
_UNLIKE = (
    "red/blue left/right men/women buy/sell import/export open/close male/female mother/father son/daughter boy/girl "
    "lawyer/judge coffee/tea apple/orange hire/fire arrive/depart rise/fall upload/download allow/forbid north/south "
    "increase/decrease teacher/student king/queen wolf/bear lion/tiger rain/snow hail/snow kitten/dog "
    "hammer/screwdriver piano/violin guitar/violin oak/beech tulip/rose trout/salmon doctor/nurse hospital/clinic "
    "bakery/butcher museum/gallery mosque/church bread/cake wine/beer bus/train tram/train ferry/boat canoe/kayak "
    "elected/appointed married/divorced win/lose winner/loser victory/defeat bronze/silver gold/silver copper/tin "
    "goalkeeper/striker swimming/diving tennis/badminton hockey/football earthquake/tsunami flood/drought "
    "murder/robbery arrested/convicted sheep/goat cow/horse hen/duck mortgage/loan pension/insurance asthma/diabetes "
    "cholera/typhoid measles/mumps"
).split()


def _count_near(pairs: list[str]) -> tuple[int, int]:
    """How many pairs are near, and how many of them mean the same."""
    cosines = []
    for one, other in (pair.split("/") for pair in pairs):
        near = {item.tokens: item.cosine for item in find_near_words(one)}
        cosines.append(near.get(analyse_word(other), 0.0))
    return sum(cosine > 0 for cosine in cosines), sum(cosine >= _SAME for cosine in cosines)


def test_the_thresholds_part_what_means_the_same_from_what_is_of_one_kind() -> None:
    assert (len(_ALIKE), _count_near(_ALIKE)) == (45, (27, 17))
    assert (len(_UNLIKE), _count_near(_UNLIKE)) == (68, (4, 0))


def test_words_in_pieces_are_near_to_none() -> None:
    assert find_near_words("puppy")
    assert find_near_words("telecommuting") == ()


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Rules of an office, in other words than they are asked for."""
    texts = {
        "bicycles": "Bicycles can be left in the basement. The door is locked at ten.",
        "illness": "A doctor writes a certificate from the third day on.",
        "rubbish": "Trash is collected on Mondays by the caretaker.",
        "pay": "Wages are paid on the last day of the month.",
        "films": "A film is shown in the hall on Fridays.",
        "pets": "Dogs may lie under the desk if nobody minds.",
        "winter": "Heaters are switched on when summer is over.",
        "law": "The lawyer of the house reads all contracts.",
        "chile": "The office in Chile was closed after the earthquake.",
    }
    index = Index.create(tmp_path_factory.mktemp("office") / "index", encoder="static")
    index.add([Document(name, text, published="2023-05-01") for name, text in texts.items()])
    return index


@pytest.mark.parametrize(
    ("question", "first", "near"),
    [
        ("Where can I leave my bike?", "bicycles", "bicycle"),
        ("Do I need a physician?", "illness", "doctor"),
        ("When is the garbage collected?", "rubbish", "trash"),
        ("Which movie is shown?", "films", "film"),
        ("What does our attorney read?", "law", "lawyer"),
    ],
)
def test_a_question_in_other_words(office: Index, question: str, first: str, near: str) -> None:
    response = office.search(question, now="2024-01-01")
    assert response.outcome == "no_window"
    assert response[0].id == first
    assert response.unknown_words == ()
    (report,) = [item.sentence for item in response.applied if item.name == "words"]
    assert f"“{near}”" in report


@pytest.mark.parametrize(
    ("question", "first", "unknown"),
    [("When is the salary paid?", "pay", "salary"), ("Where do puppies sleep?", "pets", "puppies")],
)
def test_a_word_that_is_only_near_ranks_and_stays_unknown(
    office: Index, question: str, first: str, unknown: str
) -> None:
    response = office.search(question, now="2024-01-01")
    assert response[0].id == first
    assert unknown in response.unknown_words


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("Which cats may lie under the desk?", "cats"),
        ("Wages of the actress", "actress"),
        ("the judge of the house", "judge"),
        ("Are there concerts in the hall?", "concerts"),
        ("The office in Haiti", "Haiti"),
        ("Trash on tuesdays of the plumber", "plumber"),
    ],
)
def test_what_is_only_of_one_kind_stays_unknown(office: Index, question: str, unknown: str) -> None:
    response = office.search(question, now="2024-01-01")
    assert unknown in response.unknown_words
    assert not [item for item in response.applied if item.name == "words"]


def test_without_vectors_words_are_what_they_are(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add([Document("a", "Bicycles can be left in the basement.")])
        assert index.search("Where can I leave my bike?", now="2024-01-01").unknown_words == ("bike",)


def test_who_uses_both_words_means_two_things(office: Index) -> None:
    response = office.search("a certificate by a physician, not a doctor", now="2024-01-01")
    assert "physician" in response.unknown_words
