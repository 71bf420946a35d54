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
La Corte si è pronunciata mercoledì 3 aprile 2024. | 2024-04-03
Il pagamento scade il 30 del mese prossimo. | 2024-06-30
Ci vediamo giovedì alle cinque e mezza. | 2024-05-16 2024-05-16T05:30
Domani mattina ci sarà nebbia in pianura. | 2024-05-15TMO
L'assedio durò quasi otto mesi. | P8M
A metà dell'Ottocento arrivò la ferrovia. | 18
Negli anni Trenta emigrò in Argentina. | 193
Nell'86 l'azienda fu venduta. | 1986
Il comitato si riunisce ogni due settimane. | P2W
Sono le tre meno dieci. | T02:50
Il treno parte alle ore 6.25. | T06:25
Ho una visita dal medico venerdì. | 2024-05-17
Abita a Torino dal 2015. | 2015
Il contratto fu firmato nel mese di marzo 2019. | 2019-03
Martedì scorso il ministro si è dimesso. | 2024-05-07
Quattro giorni prima di Natale nevicò. | 2023-12-21
Quest'estate andremo al mare. | 2024-SU
Passò un quarto d'ora e nessuno venne. | PT15M
Il primo martedì del mese di ottobre si vota. | 2024-10-01
L'indomani mattina partirono. | 2024-05-15TMO
Il volo AZ 1680 decolla alle 21.05. | T21:05
Il festival si terrà da venerdì 28 a domenica 30 giugno. | 2024-06-28/2024-06-30
Lasciò l'Italia nel 1938 e tornò dieci anni dopo. | 1938 1948
I lavori dureranno fino a marzo 2026. | 2026-03
Il decreto del 12 del mese scorso è abrogato. | 2024-04-12
Il prossimo fine settimana farà caldo. | 2024-W21-WE
Ogni quattro ore prende una pillola. | PT4H
Ti chiamo tra un'ora e mezza. | 2024-05-14T01:30
Negli ultimi sei mesi i prezzi sono scesi. | P6M
Il mandato va dal 1° gennaio 2023 al 31 dicembre 2025. | 2023-01-01 2025-12-31
L'ultimo giovedì del mese il museo è gratuito. | 2024-05-30
A fine agosto partono le rondini. | 2024-08
Il negozio apre dalle 9 alle 13 e dalle 15 alle 19. | 2024-05-14T09/2024-05-14T13 2024-05-14T15/2024-05-14T19
All'una di notte squillò il telefono. | T01
Il 3 e il 4 giugno pioverà. | 2024-06-03 2024-06-04
Ai primi di giugno aprirà. | 2024-06
A mezzogiorno e un quarto si mangia. | T12:15
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
Manca la pagina 32 del tomo 4.
Hanno vinto 4 a 1 ai supplementari.
Una delle 20 città più grandi è Torino.
Notizie dell'ultima ora.
Ha preso 15 su 20.
Nel 40% dei casi funziona.
Nel 40 per cento dei casi funziona.
Prenda la linea 13 e poi il bus 62.
Abita al 21 di via Roma.
Il 10 della nazionale ha segnato.
È arrivato secondo.
Un secondo tentativo fallì.
Ha vinto 6-4, 7-5.
Sono le tre sorelle di Gianni.
L'articolo 5 del codice.
Pesa 82 chili.
I 20 migliori alunni.
Il resto della squadra è arrivato.
Una delle tre.
Costa il 30 in meno.
Va all'una e all'altra.
Comprò duemila azioni.
È a capo dell'85 reparto.
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
