"""A question in one script of Chinese finds documents in the other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epochal.api import Index
from epochal.storage.records import Document

Filler = Callable[[list[Document]], Index]
TEXTS = {
    "simplified": "美国在2018年提高了对中国商品的关税。",
    "traditional": "臺灣的颱風造成嚴重損失，頭髮與發展無關。",
}


@pytest.fixture
def index(filled: Filler) -> Index:
    return filled([Document(name, text) for name, text in TEXTS.items()])


@pytest.mark.parametrize(
    ("question", "id", "form"),
    [
        ("關稅", "simplified", "关税"),
        ("商品關稅2018年", "simplified", "商品关税"),
        ("台湾的严重损失", "traditional", "嚴重損失"),
        ("无关损失", "traditional", "損失"),
    ],
)
def test_words_are_found_in_the_other_script(index: Index, question: str, id: str, form: str) -> None:
    response = index.search(question, now=None)
    assert response[0].id == id
    assert response.question == question
    assert any(form in item.sentence for item in response.applied if item.name == "script")


@pytest.mark.parametrize("question", ["关税", "頭髮與發展", "tariffs", "量子計算"])
def test_what_documents_write_so_and_what_none_has_stays(index: Index, question: str) -> None:
    assert not [item for item in index.search(question, now=None).applied if item.name == "script"]


def test_answers_too(index: Index) -> None:
    answer = index.answer("關稅在2018年發生了什麼？", now="2022")
    assert answer.question.startswith("關稅")
    assert [item.id for item in answer.citations] == ["simplified"]
