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
Estaré fuera entre las 3 y 5 pm. | 2024-05-14T15/2024-05-14T17
Creció en los siglos XVI y XVII. | 15 16
Se fue a mediados de los 90. | 199
Los últimos días de mayo serán cálidos. | 2024-05
El lunes 20 y el martes 21 de mayo lloverá. | 2024-05-20 2024-05-21
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
El Tribunal Supremo dictó sentencia el lunes 6 de mayo de 2024. | 2024-05-06
El plazo vence el 30 del mes que viene. | 2024-06-30
Nos vemos el jueves a las cinco y media de la tarde. | 2024-05-16 2024-05-16T17:30
Mañana por la mañana habrá niebla en el valle. | 2024-05-15TMO
La guerra civil duró casi tres años. | P3Y
A mediados del siglo XIX llegó el ferrocarril. | 18
Durante los años treinta emigró a México. | 193
La empresa cerró el T2 2023 con pérdidas. | 2023-Q2
El comité se reúne cada dos semanas. | P2W
Son las tres menos diez. | T02:50
El vuelo sale a las 06:25 h. | T06:25
Tengo cita con el médico el viernes. | 2024-05-17
Vive en Quito desde 2015. | 2015
El contrato se firmó en el mes de marzo de 2019. | 2019-03
El último viernes de noviembre hay rebajas. | 2024-11-29
Nació el uno de marzo de mil novecientos ochenta y dos. | 1982-03-01
En los últimos cinco años subió el paro. | P5Y
El juicio se reanudará dentro de quince días. | 2024-05-29
Fundada en el año 218 a. C., la ciudad prosperó. | BC0218
Trabaja ocho horas al día. | PT8H P1D
El vuelo IB 3170 despega a las 21:05. | T21:05
La reunión de las 9:30 se pasa al jueves. | T09:30 2024-05-16
El festival será del viernes 28 al domingo 30 de junio. | 2024-06-28/2024-06-30
Salió de Cuba en 1959 y volvió diez años después. | 1959 1969
Las obras durarán hasta marzo de 2026. | 2026-03
El decreto del 12 del mes pasado queda derogado. | 2024-04-12
El próximo fin de semana hará calor. | 2024-W21-WE
Cada cuatro horas toma una pastilla. | PT4H
El tratado se firmó el catorce de julio de mil novecientos treinta y seis. | 1936-07-14
En los últimos seis meses bajaron los precios. | P6M
El último jueves del mes el museo es gratis. | 2024-05-30
A finales de agosto se van las golondrinas. | 2024-08
La cuarta semana de julio cerramos. | 2024-W30
A la una y media de la madrugada sonó el teléfono. | T01:30
Todos los martes y jueves hay clase. | XXXX-WXX-2 XXXX-WXX-4
El 3 y el 4 de junio lloverá. | 2024-06-03 2024-06-04
Eso pasó años atrás. | PAST_REF
Estos días llueve mucho. | PRESENT_REF
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
Falta la página 32 del tomo 4.
Ganaron 4 a 1 en la prórroga.
Noticias de última hora.
Sacó un 15 sobre 20.
En el 80 % de los casos funciona.
En el 80 por ciento de los casos funciona.
Tome la línea 13 y luego el autobús 62.
Vive en el 21 de la calle Mayor.
El 10 de la selección marcó.
Fue un segundo intento.
Ganó 6-4, 7-5.
Son las tres hermanas de Juan.
Son los cinco menos conocidos.
El artículo 5 del código.
Pesa 82 kilos.
Está al día de todo.
Los 20 mejores alumnos.
Quedó en el 45 lugar.
La S1 y la T3 son modelos.
El resto del equipo llegó bien.
Compró dos mil acciones.
Tiene mil amigos.
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
