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
Le Conseil d'État a rendu sa décision le mercredi 3 avril 2024. | 2024-04-03
Le décret entrera en vigueur le 1er janvier prochain. | 2025-01-01
On se voit jeudi à 14h30 devant la gare ? | 2024-05-16 2024-05-16T14:30
Merci de répondre avant vendredi midi. | 2024-05-17T12:00
La bataille de Verdun dura près de dix mois. | P10M
Le roi mourut à l'automne 1715. | 1715-FA
À la fin des années soixante, tout bascula. | 196
Le chiffre d'affaires du T3 2023 recule. | 2023-Q3
Le bulletin paraît deux fois par an. | P1Y
Le train de 6 h 47 est supprimé. | T06:47
La semaine du 10 juin sera chargée. | 2024-W24
Elle a vécu là pendant une quinzaine d'années. | P15Y
Le 15 du mois, les loyers sont prélevés. | 2024-05-15
Les faits remontent à l'an dernier. | 2023
Le bail a été signé au mois de mars 2019. | 2019-03
Les ventes des douze derniers mois progressent. | P12M
Né le 4/10/1987 à Lille, il vit à Gand depuis 2010. | 1987-10-04 2010
Le vol AF 1680 décolle à 21 h 05. | T21:05
Le festival se tiendra du vendredi 28 au dimanche 30 juin. | 2024-06-28/2024-06-30
Il a quitté la France en 1789 pour n'y revenir que dix ans plus tard. | 1789 1799
Les travaux dureront jusqu'en mars 2026. | 2026-03
L'arrêté du 12 du mois dernier est abrogé. | 2024-04-12
Le week-end prochain, il fera doux. | 2024-W21-WE
Toutes les quatre heures, elle prend un cachet. | PT4H
Je t'appelle dans une heure et demie. | 2024-05-14T01:30
Le traité fut signé le quatorze juillet mille neuf cent trente-six. | 1936-07-14
Au cours des six derniers mois, les prix ont baissé. | P6M
On fête les Rois le 6 janvier. | 2025-01-06
Le mandat court du 1er janvier 2023 au 31 décembre 2025. | 2023-01-01 2025-12-31
Il a dormi de minuit à sept heures. | 2024-05-14T00/2024-05-14T07
Le dernier jeudi du mois, le musée est gratuit. | 2024-05-30
Fin août, les hirondelles partent. | 2024-08
Les 3, 4 et 5 juin, il pleuvra. | 2024-06-03 2024-06-04 2024-06-05
L'avant-veille, il avait neigé. | 2024-05-12
Pour l'instant, rien ne bouge. | PRESENT_REF
Signé à Lille le 17 06 2024. | 2024-06-17
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
La page 32 du tome 4 manque.
Les élèves de 6e ont gagné 4 à 1.
Une info de dernière minute.
Il a eu 15 sur 20.
Dans 40 % des cas, tout va bien.
Prenez la ligne 13 puis le bus 62.
Il habite au 21 rue de Lyon.
Le 12 majeur de l'équipe a marqué.
Il a couru en 33 tours.
Le S1 et le T3 sont des modèles.
Il pèse 82 kilos et mesure 1,80 m.
Le numéro 10 a raté le penalty.
Les 20 meilleurs élèves.
Il est né le premier, elle la deuxième.
Il passe le restant à son frère.
La mi-temps fut longue.
Nous sommes quatre-vingt-un.
Il a gagné 6-4, 7-5.
C'est l'article 5 du code.
La route nationale 7 est coupée.
Une seconde chance lui fut donnée.
Il fut second.
Appelez le 06 12 34 56 78.
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
