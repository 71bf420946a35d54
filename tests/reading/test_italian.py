"""Italian sentences, each with the values that are read in it, for a text of Tuesday 14 May 2024."""

from __future__ import annotations

import pytest

from epochal.reading import tag
from epochal.reading.questions import understand
from epochal.reading.shared.detect import detect_language
from epochal.times.span import Span

_NOW = Span.parse("2024-05-14")
_SENTENCES = """
Due anni fa si trasferì a Roma. | 2022
Ieri pioveva, domani ci sarà il sole. | 2024-05-13 2024-05-15
È arrivato l'altro ieri e parte dopodomani. | 2024-05-12 2024-05-16
La riunione sarà il 14 maggio 2024 alle 15:30. | 2024-05-14 2024-05-14T15:30
La riunione è alle ore 15.30. | T15:30
Nacque il primo gennaio 1950. | 1950-01-01
Gli anni '20 furono ruggenti. | 192
Negli anni Sessanta tutto cambiò. | 196
Visse nel XVIII secolo a Napoli. | 17
Nel Settecento la musica fioriva. | 17
Cesare morì nel 44 a.C. a Roma. | BC0044
Nell'anno 800 fu incoronato. | 0800
Tornerà tra quindici giorni. | 2024-05-29
Siamo via dal 3 al 5 maggio 2025. | 2025-05-03/2025-05-05
Ha lavorato lì da marzo a giugno 2023. | 2023-03/2023-06
Visse lì tra il 1914 e il 1918. | 1914 1918
Il negozio è aperto dalle 9 alle 18. | 2024-05-14T09/2024-05-14T18
Verrà lunedì prossimo. | 2024-05-20
È venuto la settimana scorsa. | 2024-W19
È venuto l'estate scorsa. | 2023-SU
Il museo riaprirà a metà giugno. | 2024-06
Il rapporto uscirà a fine 2025. | 2025
Nel terzo trimestre del 2018 le vendite salirono. | 2018-Q3
La riunione è durata due ore e mezza. | PT2H30M
Aspettò mezz'ora. | PT30M
Chiama ogni due giorni. | P2D
Esce tutti i mesi. | P1M
È venuto ieri sera. | 2024-05-13TEV
Stasera usciamo. | 2024-05-14TEV
Ci vediamo alle tre e mezza del pomeriggio. | T15:30
Sono le otto meno un quarto. | T07:45
Si mangia a mezzogiorno. | T12
Verrà a Natale. | 2024-12-25
Morì il 6 giugno 1944. Due giorni dopo si seppe. | 1944-06-06 1944-06-08
Dieci anni dopo il 1968 tornò. | 1978
Nella prima metà del XIX secolo emigrarono. | 1800/1849
Negli ultimi dieci anni è cresciuto. | P10Y
Nel maggio dell'anno scorso si sposò. | 2023-05
Il trentuno dicembre 2020 nevicò. | 2020-12-31
L’anno prossimo si vota. | 2025
Nei primi mesi del 1986 piovve. | 1986
Il piano è ora bloccato. | PRESENT_REF
Nel quarto trimestre del 2018 è sceso. | 2018-Q4
"""
#: Sentences in which nothing is a time.
_TIMELESS = """
L'auto costa 2000 euro.
Una donna di 80 anni è rimasta ferita.
Morì all'età di 80 anni.
Secondo Anna Rossi, 32 anni, va tutto bene.
Il mare è calmo.
Mangia un'arancia e beve il tè.
La sala 1905 è chiusa.
Ha vinto 3 a 2 contro il Milan.
È uscita la versione 8.2.5043.
Alle tre donne diede un premio.
È salito del 3.8 per cento.
"""


@pytest.mark.parametrize("row", _SENTENCES.strip().splitlines())
def test_the_times_of_a_sentence_are_read(row: str) -> None:
    text, _, values = row.rpartition(" | ")
    assert [item.value for item in tag(text, _NOW, lang="it")] == values.split()


@pytest.mark.parametrize("text", _TIMELESS.strip().splitlines())
def test_what_is_no_time_is_left_alone(text: str) -> None:
    assert [item.text for item in tag(text, _NOW, lang="it")] == []


def test_most_sentences_are_detected_as_italian() -> None:
    texts = [row.rpartition(" | ")[0] for row in _SENTENCES.strip().splitlines()]
    assert sum(detect_language(text).code == "it" for text in texts) >= 0.9 * len(texts)


def test_a_question_gets_its_window() -> None:
    assert [period.edtf() for period in understand("Che cosa è successo nel maggio 2003?", _NOW).periods] == ["2003-05"]
