"""A length behind "after" is no day ahead: "the strike ends after eleven days" does not say when it began."""

from __future__ import annotations

import pytest

from epochal.reading import tag
from epochal.times import Span

NOW = Span.parse("2024-05-15")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("La huelga termina tras once días.", "P11D"),
        ("El paro acaba después de tres semanas.", "P3W"),
        ("Tras dos meses de asedio, la ciudad se rinde.", "P2M"),
        ("La grève s'achève après onze jours.", "P11D"),
        ("Après onze jours de grève, le travail reprend.", "P11D"),
        ("Le contrat prend fin au bout de 30 jours.", "P30D"),
        ("Lo sciopero finisce dopo undici giorni.", "P11D"),
        ("Si è dimesso dopo tre mesi.", "P3M"),
        ("A greve termina após onze dias.", "P11D"),
        ("Der Streik endet nach elf Tagen.", "P11D"),
        ("De staking eindigt na elf dagen.", "P11D"),
        ("Через три месяца он ушёл.", "P3M"),
    ],
)
def test_a_length_after_which_something_ends_is_a_length(text: str, value: str) -> None:
    assert [(item.kind, item.value) for item in tag(text, NOW)] == [("DURATION", value)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Dentro de once días habrá huelga.", "2024-05-26"),
        ("La grève commence dans onze jours.", "2024-05-26"),
        ("Fra undici giorni inizia lo sciopero.", "2024-05-26"),
        ("Daqui a onze dias começa a greve.", "2024-05-26"),
        ("In elf Tagen beginnt der Streik.", "2024-05-26"),
        ("Over elf dagen begint het.", "2024-05-26"),
        ("Через одиннадцать дней начнётся забастовка.", "2024-05-26"),
        ("Deux jours après le 3 mai 2020, il partit.", "2020-05-05"),
        ("Due giorni dopo il 3 maggio 2020 partì.", "2020-05-05"),
        ("Empezó el 3 de mayo de 2020. Tras once días terminó.", "2020-05-14"),
        ("Elle commença le 3 mai 2020. Après onze jours, elle s'acheva.", "2020-05-14"),
        ("Он приехал 3 мая 2020 года. Через два дня он ушёл.", "2020-05-05"),
    ],
)
def test_a_length_from_now_or_from_a_day_is_a_day(text: str, value: str) -> None:
    assert tag(text, NOW)[-1].value == value
