"""Names that look like times, and which way the words around a time look, in Romance languages and Dutch."""

from __future__ import annotations

import pytest

from epochal.reading import tag
from epochal.times import Span

NOW = Span.parse("2024-05-15")  # a Wednesday


@pytest.mark.parametrize(
    "text",
    [
        "Les billets sont vendus avec Avril Lavigne.",
        "Elle chante au Printemps de Bourges.",
        "J'habite 12 rue du 8 Mai, près de la place du 14 Juillet.",
        "La version 2.11.2023 du logiciel, réf. AB-2019-77.",
        "Gratuit pour les plus de 65 ans.",
        "Le prix est passé de 1500 à 2010 euros.",
        "Domingo Gómez llegó con Julio Iglesias.",
        "Vivo en la calle 2 de Mayo.",
        "Ella tiene 34 años y él dos hijos.",
        "Los productores entregaron 1500 unidades.",
        "Abita in via XX Settembre con la signora Gennaio.",
        "Lei ha 34 anni e lui due figli.",
        "Mevrouw April woont hier met meneer Mei.",
        "Een man van 34 jaar raakte gewond.",
        "It was published in Mar. Biol. by the authors.",
        "Summer Glau starred in the series.",
        "Theresa May resigned as leader.",
        "Midnight Oil played an encore.",
        "The day job pays the bills; the night shift does not.",
        "Plácido Domingo cantó en Viena.",
        "El tren llegó tarde otra vez.",
        "The Dec. of Independence is on display.",
        "August der Starke war Kurfürst von Sachsen.",
        "Otto Mittag reparierte das Fahrrad.",
        "Les journalistes du Matin et du Soir protestent.",
        "Zimmer 1804 liegt oben.",
        "The pressure fell from 1013 hPa to 990 hPa, and 1600 kWh were lost.",
    ],
)
def test_names_numbers_and_ages_are_no_times(text: str) -> None:
    assert tag(text, NOW) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # nouns in the form of a participle do not look back, and a verb says more than a participle
        ("Vendredi matin, brouillards dans les vallées.", "2024-05-17TMO"),
        ("Le 14 juillet, le défilé aura lieu comme prévu.", "2024-07-14"),
        ("Accord signé mardi à Bruxelles.", "2024-05-14"),
        ("Suite à votre courriel du 6 mai, voici le devis.", "2024-05-06"),
        ("La réunion est reportée au 1er juin.", "2024-06-01"),
        ("Las temperaturas bajarán el viernes.", "2024-05-17"),
        ("La partita di sabato è rinviata.", "2024-05-18"),
        ("De brand brak dinsdagavond uit.", "2024-05-14TEV"),
        ("Ik heb het rapport voor maandag nodig.", "2024-05-20"),
        # tomorrow has a word of its own
        ("Je viendrai jeudi prochain.", "2024-05-23"),
        ("Je viendrai vendredi prochain.", "2024-05-17"),
        ("Zij komt volgende vrijdag.", "2024-05-24"),
        ("Zij komt komende vrijdag.", "2024-05-17"),
    ],
)
def test_a_day_lies_where_the_words_look(text: str, value: str) -> None:
    assert [item.value for item in tag(text, NOW)] == [value]


def test_a_phrase_is_read_in_the_language_that_has_a_time_in_it() -> None:
    assert [item.value for item in tag("un mes")] == ["P1M"]
    assert [item.value for item in tag("un mois")] == ["P1M"]
