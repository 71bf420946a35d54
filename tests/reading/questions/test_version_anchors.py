"""Which versions a question counts from, and which numbers and versions it does not count from."""

from __future__ import annotations

import pytest

from epochal.reading.questions.version_anchors import find_version_anchors


@pytest.mark.parametrize(
    ("question", "anchors"),
    [
        ("changes since Django 3.1", [("Django", "3.1")]),
        ("Django releases before 2.0", [("", "2.0")]),
        ("first release after requests 2.28", [("requests", "2.28")]),
        ("Last release before Django 4.0?", [("Django", "4.0")]),
        ("What changed in Django between 3.1 and 4.0?", [("", "3.1"), ("", "4.0")]),
        ("What is new since version 8 of curl?", [("curl", "8")]),
        ("Which bugs were fixed after Django's 3.1 release?", [("Django", "3.1")]),
        ("Django versions newer than v3.1", [("", "3.1")]),
        ("everything since the release of scikit-learn 1.2.0rc1", [("scikit-learn", "1.2.0rc1")]),
        ("Since Home Assistant 2023.5, what changed?", [("Home Assistant", "2023.5")]),
        ("fixes since Django 3.1 was released", [("Django", "3.1")]),
        ("Änderungen seit Django 3.1", [("Django", "3.1")]),
        ("letzte Ausgabe vor Version 4.0 von Django", [("Django", "4.0")]),
        ("changements depuis Django 3.1", [("Django", "3.1")]),
        ("cambios entre Django 3.1 y 4.0", [("Django", "3.1"), ("", "4.0")]),
        ("cambiamenti dopo Django 3.1", [("Django", "3.1")]),
        ("eerste versie na Django 3.1", [("Django", "3.1")]),
        ("mudanças desde Django 3.1", [("Django", "3.1")]),
        ("自Django 3.1以来的变化", [("Django", "3.1")]),
        ("Django 3.1 之后的第一个版本", [("Django", "3.1")]),
        ("最后一个早于Django 4.0的版本", [("Django", "4.0")]),
        ("Django 在 3.1 和 4.0 之间的变化", [("", "3.1"), ("", "4.0")]),
    ],
)
def test_a_version_behind_a_word_of_time_is_counted_from(question: str, anchors: list[tuple[str, str]]) -> None:
    assert [(item.name, item.version) for item in find_version_anchors(question)] == anchors


@pytest.mark.parametrize(
    "question",
    [
        "security fixes in Django 3.1",
        "Django 3.1 released before 2021",
        "Is Python 3.8 supported since Django 3.0?",
        "Which options are deprecated since 3.1?",
        "errors before login in 2.0",
        "Was inflation lower before 3.5 percent was reached?",
        "What happened after 2.5 hours?",
        "Who moved since 1.5 million people left?",
        "trains before 2.30 pm",
        "prices before 2.50 € or after $2.50",
        "Did the fever rise after 38.5 °C?",
        "the rate between 3.5 and 4.0 percent",
        "releases before 2020",
        "multas hasta 50.000 pesetas",
        "Did the rate rise from 3.1 to 4.0?",
        "Bump mypy from 1.10.0 to 1.10.1",
        "logins after 10.0.0.1 was blocked",
        "Was gilt vor dem 3.1.2020?",
        "How do I upgrade from Django 3.1 to 4.0?",
        "problems after the Django 3.1 upgrade",
        "news after Django 3.1 beta 1",
        "Is Django 3.1 newer than 3.0?",
        "Was the admin rewritten before or after 3.1?",
        "amendments since Article 7.2",
        "alterações na versão 3.1",
        "wachten voor Django 3.1",
        "从Django 3.1升级到4.0",
        "3.5小时之前发生了什么",
        "增长晚于3.5万年前的城市",
    ],
)
def test_other_versions_and_numbers_are_not(question: str) -> None:
    assert not find_version_anchors(question)


def test_a_long_text_takes_no_time() -> None:
    assert len(find_version_anchors("from 3.1 " * 20_000)) == 4
    assert not find_version_anchors("between a." + "a." * 50_000)
