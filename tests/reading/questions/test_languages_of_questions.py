"""Words of order and of a state of affairs in questions in the languages of the shared reader."""

from __future__ import annotations

import pytest

from epochal.reading.questions import understand
from epochal.reading.questions.languages import find_order_words
from epochal.reading.shared.registry import SHARED_LANGUAGES, load_language
from epochal.times import Span

_NOW = Span.parse("2024-06-10")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Was ist die neueste Fassung der Satzung?", "newest"),
        ("Wie lautete die vorletzte Version?", "nth"),
        ("Wer gewann den Ersten Weltkrieg?", ""),
        ("Quelle est la dernière version de la loi ?", "newest"),
        ("Qui était le premier ministre en 1981 ?", ""),
        ("¿Cuál fue la primera edición del libro?", "oldest"),
        ("¿Cuál es la última versión del reglamento?", "newest"),
        ("Qual è la più antica università d'Italia?", "oldest"),
        ("Qual é a última versão da lei?", "newest"),
        ("Wat was de eerste uitgave van het boek?", "oldest"),
        ("Какая последняя версия закона?", "newest"),
        ("この法律の最新版は何ですか", "newest"),
        ("최초의 신문은 무엇입니까?", "oldest"),
        ("ما هو أحدث إصدار من القانون؟", "newest"),
    ],
)
def test_order(question: str, kind: str) -> None:
    order = understand(question, _NOW).order
    assert (order.kind if order is not None else "") == kind


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("Welche Fassung des Gesetzes war gültig am 1. Mai 2020?", "2020-05-01"),
        ("Einwohnerzahl von Köln, Stand 1. Mai 2020", "2020-05-01"),
        ("Article 5 de la loi, en vigueur le 21 décembre 2008", "2008-12-21"),
        ("¿Qué dice el artículo 5 vigente a 3 de mayo de 2010?", "2010-05-03"),
        ("Testo della legge in vigore il 3 marzo 2012", "2012-03-03"),
        ("Lei em vigor em 3 de maio de 2010", "2010-05-03"),
        ("Tekst van de wet geldig op 1 mei 2015", "2015-05-01"),
        ("Население Москвы по состоянию на 1 января 2020 года", "2020-01-01"),
        ("2020年5月1日時点の人口は何人ですか", "2020-05-01"),
        ("2020년 5월 1일 기준 서울의 인구는?", "2020-05-01"),
        ("نص القانون الساري في 3 مايو 2010", "2010-05-03"),
        # A rule that said something on a day did so before and after it.
        ("Que disait l'article R661-69 du code rural le 30 mai 2019 ?", "2019-05-30"),
        ("Quel règlement s'appliquait le 3 mai 2012 ?", "2012-05-03"),
        ("Was besagte Artikel 5 des Vertrags am 3. Mai 2012?", "2012-05-03"),
        ("Welche Fassung galt am 3. Mai 2012?", "2012-05-03"),
        ("¿Qué establecía el código penal el 3 de mayo de 2012?", "2012-05-03"),
        ("Cosa prevedeva l'articolo 5 della legge il 3 maggio 2012?", "2012-05-03"),
        ("O que dizia o artigo 5 da lei em 3 de maio de 2012?", "2012-05-03"),
        ("Wat bepaalde artikel 5 van de wet op 3 mei 2012?", "2012-05-03"),
        ("Что гласила статья 5 закона 3 мая 2012 года?", "2012-05-03"),
    ],
)
def test_state_of_affairs(question: str, day: str) -> None:
    as_of = understand(question, _NOW).as_of
    assert as_of is not None
    assert as_of.edtf() == day


@pytest.mark.parametrize(
    "question",
    [
        "Que disait Macron le 30 mai 2019 ?",
        "Was sagte Merkel am 3. Mai 2012?",
        "¿Qué ley se aprobó el 3 de mayo de 2012?",
        "Quels accidents ont eu lieu le 3 mai 2012 ?",
    ],
)
def test_what_was_said_or_done_on_a_day_is_no_state(question: str) -> None:
    found = understand(question, _NOW)
    assert found.as_of is None
    assert [item.relation for item in found.constraints] == ["during"]


def test_words_of_a_time_are_no_order() -> None:
    assert understand("Was geschah im letzten Jahr in Köln?", _NOW).order is None
    assert understand("Welche Gesetze, gültig seit 2010?", _NOW).as_of is None


@pytest.mark.parametrize("code", sorted(SHARED_LANGUAGES))
def test_every_language_has_words_of_order(code: str) -> None:
    language = load_language(code)
    for name in ("newest", "oldest", "previous", "next"):
        for word in language.question_words(name):
            assert [found[0] for found in find_order_words(word, code)] == [name], word
    assert language.question_words("as_of") or language.question_words("as_of_behind")


@pytest.mark.parametrize(
    ("question", "bounds"),
    [
        ("Quels articles ont paru ces trois derniers mois ?", ["during 2024-03-11/2024-06-10"]),
        ("¿Qué se publicó en los últimos 30 días?", ["during 2024-05-12/2024-06-10"]),
        ("Quali eventi ci sono nei prossimi dieci giorni?", ["during 2024-06-10/2024-06-19"]),
        ("Welke artikelen verschenen in de afgelopen 30 dagen?", ["during 2024-05-12/2024-06-10"]),
        ("¿Qué reuniones hay a partir del 20 de junio?", ["since 2024-06-20/.."]),
        ("Welke vergaderingen zijn er na 20 juni?", ["after 2024-06-21/.."]),
        ("Quelles réunions ont lieu après le 20 juin ?", ["after 2024-06-21/.."]),
        # counted from the end of a war, and not from the present
        ("¿Qué ocurrió en los últimos tres meses de la guerra?", []),
    ],
)
def test_windows_and_bounds(question: str, bounds: list[str]) -> None:
    found = understand(question, _NOW).constraints
    assert [f"{item.relation} {item.span.edtf()}" for item in found] == bounds
