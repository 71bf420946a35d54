"""Sentences in German, with the times that are read in them and those that are none."""

from __future__ import annotations

import pytest

from epochal.reading.tagger import detect_language, tag
from epochal.times.span import Span

#: A Tuesday.
NOW = Span.parse("2024-05-14")

READ = [
    ("Es war eine dreitägige Konferenz mit einer 14-Tage-Frist.", ["P3D", "P14D"]),
    ("Sie blieb den ganzen Tag.", ["P1D"]),
    ("Er schwimmt jeden Morgen, der Bus fährt alle halbe Stunde.", ["XXXX-XX-XXTMO", "PT30M"]),
    ("In der Nacht vom 3. auf den 4. Mai 2023 fror es.", ["2023-05-03TNI"]),
    ("Am Tag nach Weihnachten 2022 kam er.", ["2022-12-26"]),
    ("Am frühen Morgen des 3. Mai 2018 brannte es.", ["2018-05-03TMO"]),
    ("Vor gut zwei Jahren zog sie um.", ["2022"]),
    ("Am zweiten Sonntag nach Ostern 2023 war Taufe.", ["2023-04-23"]),
    ("Am Samstag vor Pfingsten 2023 kam sie an.", ["2023-05-27"]),
    ("In den letzten vier Monaten des Jahres 2021 stieg der Preis.", ["2021-09/2021-12"]),
    ("In den ersten drei Monaten 2021 fiel er.", ["2021-01/2021-03"]),
    ("Sie läuft zweimal pro Woche, er einmal im Monat.", ["P1W", "P1M"]),
    ("Die Miete wird am 3. jedes Monats fällig.", ["XXXX-XX-03"]),
    ("Das ist Freitag, der 13. September.", ["2024-09-13"]),
    ("Wir sehen uns heute in einer Woche.", ["2024-05-21"]),
    ("Bist du Montagvormittag von 10 bis 12 frei?", ["2024-05-20T10/2024-05-20T12"]),
    ("Bitte schicken Sie die Unterlagen bis spätestens 31. Mai.", ["2024-05-31"]),
    ("Ich bin vom 3. bis zum 7. Juni im Urlaub und ab dem 10. wieder da.", ["2024-06-03/2024-06-07", "2024-06-10"]),
    ("In vierzehn Tagen bekommen Sie Bescheid.", ["2024-05-28"]),
    ("Nächste Woche Mittwoch habe ich Zeit.", ["2024-05-22"]),
    ("Im ersten Quartal 2024 sank der Umsatz um 3,5 Prozent.", ["2024-Q1"]),
    ("In der Nacht zum Sonntag kam es zu einem Unfall.", ["2024-05-11TNI"]),
    ("In der Nacht von Freitag auf Samstag regnete es.", ["2024-05-10TNI"]),
    ("So sagte es der Sprecher vor zwei Wochen.", ["2024-W18"]),
    ("Am 10. und 11. August 2023 brannte der Wald.", ["2023-08-10", "2023-08-11"]),
    ("Die Termine sind am 3., 4. und 12. Juni 2023.", ["2023-06-03", "2023-06-04", "2023-06-12"]),
    ("Heuer gibt es weniger Äpfel als im Vorjahr.", ["2024", "2023"]),
    ("Am Wochenende wird es bis zu 25 Grad warm.", ["2024-W20-WE"]),
    ("Die Verordnung vom 12.3.1998 gilt bis zum 31.12.2026.", ["1998-03-12", "2026-12-31"]),
    ("Karl der Große wurde am 25. Dezember 800 gekrönt.", ["0800-12-25"]),
    ("Mitte des 19. Jahrhunderts entstanden die ersten Fabriken.", ["18"]),
    ("In den fünfziger Jahren des letzten Jahrhunderts wuchs die Wirtschaft.", ["195"]),
    ("In den vierziger Jahren des 19. Jahrhunderts kam die Eisenbahn.", ["184"]),
    ("Das war in den Siebzigern anders.", ["197"]),
    ("Letzten Sommer waren wir an der Ostsee.", ["2023-SU"]),
    ("Am Totensonntag 2023 blieb der Markt geschlossen.", ["2023-11-26"]),
    ("Das Erntedankfest 2023 fiel auf Sonntag, den 1. Oktober 2023.", ["2023-10-01", "2023-10-01"]),
    ("Die Fähre ging um 12.15 ab.", ["T12:15"]),
    ("Sie kam am Montag früh morgens an.", ["2024-05-13TMO"]),
    ("Ich rufe morgen Morgen an.", ["2024-05-15TMO"]),
    ("Wir kommen Sa und So.", ["2024-05-18", "2024-05-19"]),
    ("Wir treffen uns am So, 19.5., um 11 Uhr.", ["2024-05-19", "2024-05-19T11:00"]),
    ("Ich bin November 19-20 unterwegs.", ["2024-11-19/2024-11-20"]),
    ("Der Zug fährt um 16 Uhr MEZ.", ["T16"]),
    ("Diesen Winter reise ich nicht.", ["2024-WI"]),
    ("Das Blatt erscheint zweimonatlich.", ["P2M"]),
]

NOT_READ = [
    "Herr Sonntag kam allein.",
    "Maria Winter spielte Klavier.",
    "Er wohnt in der Straße des 17. Juni.",
    "So 20 Leute kamen.",
    "Das Spiel endete 3:2 nach 2:1.",
    "Er gewann dreimal die Meisterschaft.",
    "Es ist noch zu früh, um zu feiern.",
    "Das Fest fand zum neunten Mal statt.",
    "Rund 1200 Stimmen fehlten.",
    "Fr. Müller und Hr. Maier waren auch da.",
    "So geht es nicht weiter.",
    "Das ist nun einmal so.",
    "Wir fahren mit dem ICE 1998 nach Köln.",
    "Die Version 2.10 ist kleiner als 2.9.",
    "Der Eintritt ist ab 16 Jahren frei.",
    "Sie belegte den 3. und 4. Platz.",
    "Zur Zeit der Römer lag hier ein Dorf.",
    "Der Preis stieg um 12.50 Euro.",
]


@pytest.mark.parametrize(("text", "values"), READ, ids=[text for text, _ in READ])
def test_times(text: str, values: list[str]) -> None:
    assert [item.value for item in tag(text, NOW)] == values


@pytest.mark.parametrize("text", NOT_READ)
def test_what_is_no_time(text: str) -> None:
    assert tag(text, NOW, lang="de") == []


@pytest.mark.parametrize("text", ["um 15", "16 Uhr CET", "am 15ten", "gerade eben"])
def test_a_few_words_are_detected(text: str) -> None:
    assert detect_language(text).code == "de"


def test_dotted_digits_are_read_as_german() -> None:
    assert [item.value for item in tag("14./15.10.", NOW)] == ["2024-10-14/2024-10-15"]
    assert [item.value for item in tag("12.6 - 16.6", NOW)] == ["2024-06-12/2024-06-16"]
    assert [item.value for item in tag("31/5", NOW)] == ["2024-05-31"]
    assert tag("24/7", NOW) == []


@pytest.mark.parametrize(
    ("prefer", "value"), [("past", "2016-02-29"), ("future", "2020-02-29"), ("nearest", "2016-02-29")]
)
def test_the_29th_of_february_is_of_a_leap_year(prefer: str, value: str) -> None:
    found = tag("am 29. Februar", Span.parse("2017-03-22"), prefer=prefer)  # type: ignore[arg-type]
    assert [item.value for item in found] == [value]


@pytest.mark.parametrize(
    ("text", "prefer", "start"),
    [
        ("um drei", "future", "2024-05-14T15:00"),
        ("um halb vier", "future", "2024-05-14T15:30"),
        ("um 3:18 Uhr", "future", "2024-05-15T03:18"),
        ("um 18:36", "future", "2024-05-14T18:36"),
        ("um 3 Uhr morgens", "future", "2024-05-15T03:00"),
        ("um drei", "past", "2024-05-14T03:00"),
        ("um 18:36", "past", "2024-05-13T18:36"),
        ("um drei", None, "2024-05-14T03:00"),
    ],
)
def test_a_clock_time_follows_the_preference(text: str, prefer: str | None, start: str) -> None:
    item = tag(text, Span.parse("2024-05-14T09:20"), lang="de", prefer=prefer)[0]  # type: ignore[arg-type]
    assert item.span is not None
    assert item.span.start == Span.parse(start).start


def test_a_day_stays_beside_the_hours_of_a_range() -> None:
    text = (
        "Der Weihnachtsmarkt des Vereins im Pfarrzentrum hinter der alten Kirche ist heute 15-20 Uhr und morgen "
        "von 10-15 Uhr für alle geöffnet, und der Eintritt ist frei."
    )
    values = [item.value for item in tag(text, NOW)]
    assert values == [
        "2024-05-14",
        "2024-05-14T15:00",
        "2024-05-14T20:00",
        "2024-05-15",
        "2024-05-15T10:00",
        "2024-05-15T15:00",
    ]


def test_a_part_of_a_day_governs_the_clock_times_behind_it() -> None:
    assert [item.value for item in tag("29. November abends nicht vor 18 Uhr", NOW)] == [
        "2024-11-29TEV",
        "2024-11-29T18:00/..",
    ]


def test_this_winter_is_the_one_at_hand() -> None:
    assert [item.value for item in tag("Diesen Winter schneit es viel.", Span.parse("2024-02-12"))] == ["2023-WI"]


@pytest.mark.parametrize("text", ["ab dem 18.", "Es geschah am 28. Januar 814", "Freitag, der 13."])
def test_a_time_may_end_the_text(text: str) -> None:
    assert len(tag(text, NOW, lang="de")) == 1
