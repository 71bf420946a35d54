"""Asked: a Chinese question loses the signs of its dates, and no other question is touched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epochal.api import Index
from epochal.ranking.terms import blank_dates, blank_frame
from epochal.reading.questions import understand
from epochal.storage.records import Document


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder: Path = tmp_path_factory.mktemp("asked")
    with Index.create(folder, encoder=None) as made:
        made.add(
            [
                Document("of that month", "船队还。", title="永乐三年五月"),
                Document("same signs", "五三三年月五之事，年年有月。", title="永乐二十年"),
                Document("without a time", "三、五月之事。"),
                Document("of a book", "《诗经》成。"),
            ]
        )
        yield made


def about(index: Index, question: str) -> list[str]:
    return blank_dates(index.view(), question, understand(question).expressions).split()


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("永樂三年五月，船隊何往？", ["，船隊何往？"]),
        ("船隊在永乐三年五月和永乐四年", ["船隊在"]),
        ("《資治通鑑》永樂三年五月的船", ["船"]),
        ("永樂三年《诗经》、船", ["《诗经》、船"]),
        ("《诗经》於永樂三年記載了哪些船？", ["船？"]),
        ("永樂三年中國的事故與存在的記者", ["中國的事故與存在的記者"]),
        ("谁在永乐三年写了《诗经》", ["谁在", "《诗经》"]),
        ("見於《诗经》的船，永樂三年", ["船，"]),
        ("請列出永樂三年五月之前的半年間，諸侯有何動向", ["，諸侯"]),
        ("请列出永乐三年五月之前的半年间，诸侯有何动向", ["，诸侯"]),
    ],
)
def test_dates_the_frame_and_books_that_are_asked_are_left_out(index: Index, question: str, left: list[str]) -> None:
    assert about(index, question) == left


@pytest.mark.parametrize("question", ["Who won the prize in May 1998?", "", "ships, 1405", "Qui a gagné en 1998 ?"])
def test_questions_in_scripts_that_part_their_words_stay_as_they_are(index: Index, question: str) -> None:
    assert blank_dates(index.view(), question, understand(question).expressions) == question


def test_a_year_in_english_stays_a_word_beside_chinese(index: Index) -> None:
    assert about(index, "May 1998 的船") == ["May", "1998", "船"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.text(alphabet="永乐三年五月船诗经a1 ，《》", max_size=40))
def test_nothing_moves_and_only_titles_go(index: Index, text: str) -> None:
    plain = blank_frame(index.view(), text)
    assert len(plain) == len(text)
    assert all(new in (old, " ") for old, new in zip(text, plain, strict=True))
    assert plain == text or "《" in text


def test_the_signs_of_a_date_do_not_count(index: Index) -> None:
    response = index.search("永樂三年五月發生了什麼事？")
    assert response[0].id == "of that month"
    assert {hit.parts["lexical"] for hit in response} == {0.0}
