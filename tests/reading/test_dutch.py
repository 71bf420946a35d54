"""Sentences in Dutch, with the times that are read in them and those that are none."""

from __future__ import annotations

import pytest

from epochal.reading.questions import understand
from epochal.reading.tagger import detect_language, tag
from epochal.times.span import Span

#: A Tuesday.
NOW = Span.parse("2024-05-14")

READ = [
    ("In de nacht van 3 op 4 mei 2018 vroor het.", ["2018-05-03TNI"]),
    ("De dag voor gisteren was hij er nog.", ["2024-05-12"]),
    ("Zij komt op de 20e van volgende maand.", ["2024-06-20"]),
    ("Op 3 mei jl. sprak hij.", ["2024-05-03"]),
    ("De bus gaat om het half uur.", ["PT30M"]),
    ("Het was een driedaagse reis.", ["P3D"]),
    ("We eten 8 uur vanavond.", ["2024-05-14T20:00", "2024-05-14TEV"]),
    ("De tweede zondag na Pasen 2023 was er een doop.", ["2023-04-23"]),
    ("In de laatste vier maanden van 2021 steeg de prijs.", ["2021-09/2021-12"]),
    ("Zij loopt twee keer per week.", ["P1W"]),
    ("De huur betaalt zij op de 3e van elke maand.", ["XXXX-XX-03"]),
    ("Zij zwemt om de andere dag.", ["P2D"]),
    ("Zij komt op woensdag de vijfde.", ["2024-06-05"]),
    ("Ben je maandagochtend van 10 tot 12 vrij?", ["2024-05-20T10/2024-05-20T12"]),
    ("Het gaat door van 9 juli tot de zeventiende.", ["2024-07-09/2024-07-17"]),
    ("De training is op ma 20 mei van 9 tot 17 uur.", ["2024-05-20", "2024-05-20T09/2024-05-20T17"]),
    ("Ik ben van 3 t/m 7 juni met vakantie.", ["2024-06-03/2024-06-07"]),
    ("Op 10 en 11 augustus 2023 brandde het bos.", ["2023-08-10", "2023-08-11"]),
    ("De data zijn 3, 4 en 12 juni 2023.", ["2023-06-03", "2023-06-04", "2023-06-12"]),
    ("Karel de Grote werd op 25 december 800 gekroond.", ["0800-12-25"]),
    ("In de jaren vijftig van de vorige eeuw groeide de economie.", ["195"]),
    ("Wij komen op vrijdag 31!", ["2024-05-31"]),
    ("Zij komt vrijdag om 4 terug.", ["2024-05-17", "2024-05-17T04:00"]),
    ("Ik ga 22/04 terug.", ["2025-04-22"]),
    ("Zij gaat weg tussen 1-10 en 7-11.", ["2024-10-01/2024-11-07"]),
    ("Het begint twee dagen vanaf morgen.", ["2024-05-17"]),
    ("Wij bleven twee nachten.", ["P2D"]),
    ("Op tweede paasdag 2023 regende het.", ["2023-04-10"]),
    ("Het blad verschijnt tweemaandelijks.", ["P2M"]),
    ("Na twee uur onderhandelen was er een akkoord.", ["PT2H"]),
    ("De vergadering is op 14 mei 2024 om 15.30 uur.", ["2024-05-14", "2024-05-14T15:30"]),
    ("Gisteren regende het, morgen schijnt de zon.", ["2024-05-13", "2024-05-15"]),
    ("Hij overleed eergisteren in Utrecht.", ["2024-05-12"]),
    ("Overmorgen vertrekken we naar Brugge.", ["2024-05-16"]),
    ("In de jaren twintig bloeide de kunst.", ["192"]),
    ("Zij groeide op in de jaren '60.", ["196"]),
    ("Hij leefde in de 18e eeuw in Gent.", ["17"]),
    ("Het huis dateert uit de zeventiende eeuw.", ["16"]),
    ("In maart 1848 brak de revolutie uit.", ["1848-03"]),
    ("Vorig jaar stegen de prijzen.", ["2023"]),
    ("Vorige week was er geen les.", ["2024-W19"]),
    ("Volgende maand begint de verkoop.", ["2024-06"]),
    ("Drie dagen geleden kwam zij terug.", ["2024-05-11"]),
    ("Over twee weken zijn er verkiezingen.", ["2024-W22"]),
    ("Tussen 1914 en 1918 was er oorlog.", ["1914", "1918"]),
    ("De winkel is van 3 tot 5 mei dicht.", ["2025-05-03/2025-05-05"]),
    ("Begin mei 2020 ging de school weer open.", ["2020-05"]),
    ("Eind 2019 werd het virus ontdekt.", ["2019"]),
    ("We zien elkaar vanavond om half acht.", ["2024-05-14TEV", "2024-05-14T19:30"]),
    ("De trein vertrekt om kwart over drie.", ["T03:15"]),
    ("Het is tien voor half vier.", ["T03:20"]),
    ("Het duurde anderhalf uur.", ["PT1H30M"]),
    ("De reis duurde twee uur en drie kwartier.", ["PT2H45M"]),
    ("Hij wachtte een half uur.", ["PT30M"]),
    ("Elke maandag is er markt.", ["XXXX-WXX-1"]),
    ("Het blad verschijnt wekelijks.", ["P1W"]),
    ("Zij belden afgelopen vrijdag.", ["2024-05-10"]),
    ("In het derde kwartaal van 2018 daalde de omzet.", ["2018-Q3"]),
    ("De slag vond plaats in 52 v.Chr.", ["BC0052"]),
    ("In de zomer van 1990 reisden zij naar Wenen.", ["1990-SU"]),
    ("De laatste jaren neemt het toe.", ["PXY"]),
    ("In de eerste helft van de 19e eeuw groeide de stad.", ["1800/1849"]),
    ("Op de derde dinsdag van september 2023 was het Prinsjesdag.", ["2023-09-19", "2023-09-19"]),
    ("Twee dagen na Kerstmis 2023 sneeuwde het.", ["2023-12-27"]),
    ("Het contract loopt van 1-7-2024 tot en met 31-12-2025.", ["2024-07-01", "2025-12-31"]),
    ("Hij werd op eenentwintig maart 1985 geboren.", ["1985-03-21"]),
    ("De zitting duurt van 9 tot 17 uur.", ["2024-05-14T09/2024-05-14T17"]),
    ("Half mei 1940 capituleerde het leger.", ["1940-05"]),
    ("Hij kwam op 6 juni 1944. Twee dagen later ging hij.", ["1944-06-06", "1944-06-08"]),
    ("Maandagochtend is de wedstrijd.", ["2024-05-20TMO"]),
    ("Omstreeks 1650 werd het schilderij voltooid.", ["1650"]),
    ("Het parlement stemde dinsdagavond over het plan.", ["2024-05-14TEV"]),
    ("Sinds 2015 woont zij in Antwerpen.", ["2015"]),
]

NO_TIME = [
    "Er werden 1850 handtekeningen verzameld.",
    "De 57-jarige schrijver won de prijs.",
    "Jan heeft een fiets gekocht.",
    "Zo is het leven nu eenmaal niet.",
    "Dat kost 1500 euro.",
    "Hij stierf op de leeftijd van 80 jaar.",
    "Zij wonen op nummer 24 in de straat.",
    "Het gaat om 8 personen.",
    "Er waren 2000 bezoekers bij het concert.",
    "Wij doen dat om de kosten te drukken.",
    "De eerste prijs ging naar een Belg.",
]


@pytest.mark.parametrize(("text", "values"), READ)
def test_times_are_read(text: str, values: list[str]) -> None:
    assert detect_language(text).code == "nl"
    assert [item.value for item in tag(text, NOW)] == values


@pytest.mark.parametrize("text", NO_TIME)
def test_other_words_are_left_alone(text: str) -> None:
    found = [(item.text, item.value) for item in tag(text, NOW, "nl") if not item.value.endswith("_REF")]
    assert found == []


@pytest.mark.parametrize(
    ("question", "window"),
    [
        ("Wat gebeurde er in mei 2003?", ("during", "2003-05")),
        ("Wat gebeurde er na 1945?", ("after", "1946/..")),
        ("Wie was sinds 2010 minister?", ("since", "2010/..")),
        ("Wie won tussen 1990 en 1995?", ("between", "1990/1995")),
    ],
)
def test_questions_get_their_window(question: str, window: tuple[str, str]) -> None:
    understood = understand(question, NOW)
    assert [(item.relation, item.span.edtf()) for item in understood.constraints] == [window]


@pytest.mark.parametrize(
    "text",
    [
        "Hij wist niet waar hij zat.",
        "Zo ging het.",
        "Zo 20 mensen kwamen.",
        "Zij eindigde als 20e van de groep.",
        "Ma belde en wo was leeg.",
        "De winkel is 24/7 open.",
        "Wij gaven een 07/10 punten.",
    ],
)
def test_short_words_and_ratios_are_no_times(text: str) -> None:
    assert tag(text, NOW, lang="nl") == []


@pytest.mark.parametrize("text", ["op 10.10", "13 t/m 15 juli", "16 uur CET", "mijn vakantie is voorbij"])
def test_a_few_words_are_detected(text: str) -> None:
    assert detect_language(text).code == "nl"
