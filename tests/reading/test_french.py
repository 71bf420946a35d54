"""French sentences, each with the values that are read in it, for a text of Tuesday 14 May 2024."""

from __future__ import annotations

import pytest

from epochal.reading import tag
from epochal.reading.questions import understand
from epochal.reading.shared.detect import detect_language
from epochal.times.span import Span

_NOW = Span.parse("2024-05-14")
_SENTENCES = """
La réunion aura lieu le 14 mai 2024 à 15h30. | 2024-05-14 2024-05-14T15:30
Hier il pleuvait, demain il fera beau. | 2024-05-13 2024-05-15
Il est arrivé avant-hier et repart après-demain. | 2024-05-12 2024-05-16
Dans les années 1920, l'art fleurissait. | 192
Dans les années quatre-vingt, tout changea. | 198
En mars 1848, la révolution éclata. | 1848-03
Le 1er mai 2020, tout était fermé. | 2020-05-01
Il est né le premier janvier 1950. | 1950-01-01
Le château date du XVIIIe siècle. | 17
Au cours de la première moitié du XIXe siècle, il écrivit. | 1800/1849
César mourut en 44 av. J.-C. dans la curie. | BC0044
Elle est partie il y a trois jours. | 2024-05-11
Elle est partie il y a deux ans et demi. | 2021-11
Il reviendra dans quinze jours. | 2024-05-29
Il reviendra dans une dizaine de jours. | 2024-05-24
Nous partons du 3 au 5 mai 2025. | 2025-05-03/2025-05-05
Il travaille de mars à juin 2023. | 2023-03/2023-06
Il y habita entre 1914 et 1918. | 1914 1918
Le magasin est ouvert de 9h à 18h. | 2024-05-14T09/2024-05-14T18
Il viendra lundi prochain. | 2024-05-20
Il est venu la semaine dernière. | 2024-W19
Il est venu l'année dernière. | 2023
Il est venu l'été dernier. | 2023-SU
Le musée rouvrira mi-juin. | 2024-06
Le rapport paraîtra fin 2025. | 2025
Au début des années 1990, il partit. | 199
Au troisième trimestre 2018, les ventes montent. | 2018-Q3
La réunion a duré deux heures et demie. | PT2H30M
Le film dure trois quarts d'heure. | PT45M
Il appelle tous les deux jours. | P2D
La revue paraît chaque mois. | P1M
Il est venu mardi soir. | 2024-05-14TEV
Ce matin, il a neigé. | 2024-05-14TMO
Rendez-vous à huit heures moins le quart. | T07:45
Le train part à dix heures dix. | T10:10
On mange à midi et demi. | T12:30
Il viendra à Noël. | 2024-12-25
Elle mourut le 6 juin 1944. Deux jours plus tard, il partit. | 1944-06-06 1944-06-08
Dix ans après 1968, il revint. | 1978
L’an 800 fut celui du sacre. | 0800
Le contrat expire le 31/12/2025. | 2025-12-31
Dans les premiers mois de 1986, il plut. | 1986
Il y a un an et deux mois, elle partit. | 2023-03
Le lundi suivant, il revint. | 2024-05-20
Il sera absent du lundi 3 au vendredi 7 juin. | 2024-06-03/2024-06-07
Il viendra le jeudi 15 à 8h. | 2024-08-15 2024-08-15T08:00
On mange à midi trente. | T12:30
Il sort ce soir à 00h10. | 2024-05-14TEV 2024-05-15T00:10
Elle gagne mille euros par mois. | P1M
"""
#: Sentences in which nothing is a time.
_TIMELESS = """
Il a été malade.
Cette voiture coûte 2000 euros.
Une femme âgée de 80 ans a été blessée.
Un homme de 45 ans a été arrêté.
Selon Jeanne Petit, 32 ans, tout va bien.
Il mange une orange et boit du thé.
La salle 1905 est fermée.
Quel temps fait-il ?
Il a gagné 3 à 2 contre Lyon.
La version 8.2.5043 est sortie.
Il faut le faire d'après la loi.
"""


@pytest.mark.parametrize("row", _SENTENCES.strip().splitlines())
def test_the_times_of_a_sentence_are_read(row: str) -> None:
    text, _, values = row.rpartition(" | ")
    assert [item.value for item in tag(text, _NOW, lang="fr")] == values.split()


@pytest.mark.parametrize("text", _TIMELESS.strip().splitlines())
def test_what_is_no_time_is_left_alone(text: str) -> None:
    assert [item.text for item in tag(text, _NOW, lang="fr")] == []


def test_an_hour_from_half_past_is_half_past() -> None:
    found = tag("Je reviens dans une heure.", Span.parse("2024-05-14T04:30"), lang="fr")
    assert [item.value for item in found] == ["2024-05-14T05:30"]


def test_most_sentences_are_detected_as_french() -> None:
    texts = [row.rpartition(" | ")[0] for row in _SENTENCES.strip().splitlines()]
    assert sum(detect_language(text).code == "fr" for text in texts) >= 0.9 * len(texts)


def test_a_question_gets_its_window() -> None:
    assert [period.edtf() for period in understand("Que s'est-il passé en mai 2003 ?", _NOW).periods] == ["2003-05"]
