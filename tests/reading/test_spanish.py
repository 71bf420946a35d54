"""Spanish sentences, each with the values that are read in it, for a text of Tuesday 14 May 2024."""

from __future__ import annotations

import pytest

from epochal.reading import tag
from epochal.reading.questions import understand
from epochal.reading.shared.detect import detect_language
from epochal.times.span import Span

_NOW = Span.parse("2024-05-14")
_SENTENCES = """
Ayer llovió, mañana hará sol. | 2024-05-13 2024-05-15
El contrato va del 1 de julio de 2024 al 31/12/2025. | 2024-07-01 2025-12-31
Hace dos años se mudó a Madrid. | 2022
Vivió en el siglo XVIII en Sevilla. | 17
Llegó anteayer y se va pasado mañana. | 2024-05-12 2024-05-16
La reunión será el 14 de mayo de 2024 a las 15:30. | 2024-05-14 2024-05-14T15:30
Nació el primero de enero de 1950. | 1950-01-01
Los años veinte fueron felices. | 192
La década de 1960 lo cambió todo. | 196
César murió en 44 a. C. en Roma. | BC0044
Se fue tres días atrás. | 2024-05-11
Vuelve dentro de quince días. | 2024-05-29
Estaremos fuera del 3 al 5 de mayo de 2025. | 2025-05-03/2025-05-05
Trabajó allí desde marzo hasta junio de 2023. | 2023-03/2023-06
Vivió allí entre 1936 y 1939. | 1936 1939
Abrimos de 9:00 a 18:00. | 2024-05-14T09:00/2024-05-14T18:00
Llegará el lunes que viene. | 2024-05-20
Vino la semana pasada. | 2024-W19
Vino el verano pasado. | 2023-SU
El museo reabrirá a mediados de junio. | 2024-06
El informe saldrá a finales de 2025. | 2025
En el tercer trimestre de 2018 subieron las ventas. | 2018-Q3
La reunión duró dos horas y media. | PT2H30M
Llama cada dos días. | P2D
Sale todos los meses. | P1M
Cierra los lunes. | XXXX-WXX-1
Vino ayer por la tarde. | 2024-05-13TAF
Vendrá mañana por la mañana. | 2024-05-15TMO
Anoche hubo tormenta. | 2024-05-13TNI
Nos vemos a las tres y media de la tarde. | T15:30
Son las ocho menos cuarto. | T07:45
Comemos al mediodía. | T12
Vendrá en Navidad. | 2024-12-25
Murió el 6 de junio de 1944. Dos días después se supo. | 1944-06-06 1944-06-08
Diez años después de 1968 volvió. | 1978
En mayo del año pasado se casó. | 2023-05
El treinta y uno de diciembre de 2020 nevó. | 2020-12-31
En la segunda mitad del siglo XIX emigraron. | 1850/1899
Durante los últimos diez años creció. | P10Y
El año en curso es difícil. | 2024
En el cuarto trimestre de 2018 bajó. | 2018-Q4
El acto es el 16 a las 18:00 h. | 2024-05-16T18:00
Vive allí desde hace tres meses. | P3M
"""
#: Sentences in which nothing is a time.
_TIMELESS = """
El coche cuesta 2000 euros.
Una mujer de 80 años resultó herida.
Murió a la edad de 80 años.
Según Ana Ruiz, 32 años, todo va bien.
El mar está tranquilo.
Come una naranja y bebe té.
La sala 1905 está cerrada.
Ganó 3 a 2 contra el Sevilla.
Salió la versión 8.2.5043.
La clase media paga impuestos.
Creció un 3.8 por ciento.
"""


@pytest.mark.parametrize("row", _SENTENCES.strip().splitlines())
def test_the_times_of_a_sentence_are_read(row: str) -> None:
    text, _, values = row.rpartition(" | ")
    assert [item.value for item in tag(text, _NOW, lang="es")] == values.split()


def test_a_date_at_the_end_of_a_line_is_not_completed_by_the_next() -> None:
    found = tag("11 de enero de 2006\nEl martes hubo nieve.", Span.parse("2006-01-11"), lang="es")
    assert [item.value for item in found] == ["2006-01-11", "2006-01-10"]


@pytest.mark.parametrize("text", _TIMELESS.strip().splitlines())
def test_what_is_no_time_is_left_alone(text: str) -> None:
    assert [item.text for item in tag(text, _NOW, lang="es")] == []


def test_most_sentences_are_detected_as_spanish() -> None:
    texts = [row.rpartition(" | ")[0] for row in _SENTENCES.strip().splitlines()]
    assert sum(detect_language(text).code == "es" for text in texts) >= 0.9 * len(texts)


def test_a_question_gets_its_window() -> None:
    assert [period.edtf() for period in understand("¿Qué pasó en mayo de 2003?", _NOW).periods] == ["2003-05"]
