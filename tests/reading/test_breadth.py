"""Sentences that were written before the rules: what each language says of the same kinds of times."""

import pytest

from epochal.reading import tag
from epochal.times import Span

NOW = Span.parse("2024-03-13")  # a Wednesday

SENTENCES = [
    ("es", "El pasado mes de enero nevó mucho.", ["2024-01"]),
    ("es", "Desde finales de los noventa vive aquí.", ["199"]),
    ("es", "En los noventa metros finales ganó.", []),
    ("es", "La temporada 2015/16 fue un éxito.", ["2015/2016"]),
    ("es", "Vendrán en Semana Santa.", ["2024-W13"]),
    ("es", "Lo compré en el Black Friday de 2022.", ["2022-11-25"]),
    ("es", "Hoy en día pocos escriben cartas.", ["PRESENT_REF"]),
    ("es", "Se reúnen el primer lunes de cada mes.", ["XXXX-WXX-1"]),
    ("es", "Cerró el 2T de 2016 con pérdidas.", ["2016-Q2"]),
    ("es", "Hace justo un año nació.", ["2023"]),
    ("fr", "Les dossiers sont acceptés jusqu'au 15 avril.", ["2024-04-15"]),
    ("fr", "Il a travaillé jusqu'au 15 avril.", ["2023-04-15"]),
    ("fr", "Le film dure deux heures et quart.", ["PT2H15M"]),
    ("fr", "Le train part à deux heures et quart.", ["T02:15"]),
    ("fr", "Né le douze octobre mil neuf cent quarante-deux.", ["1942-10-12"]),
    ("fr", "Un mardi sur deux il joue.", ["XXXX-WXX-2"]),
    ("it", "Nel corso del mese di luglio pioverà.", ["2024-07"]),
    ("it", "Vive presso corso XX Settembre.", []),
    ("it", "L'anno scolastico 2019/2020 finì a casa.", ["2019/2020"]),
    ("it", "Nel Sei e Settecento fiorì il teatro.", ["16", "17"]),
    ("it", "Tutte le mattine corre.", ["XXXX-XX-XXTMO"]),
    ("nl", "Ze kwamen eergisteravond aan.", ["2024-03-11TEV"]),
    ("nl", "In de 15e en 16e eeuw bloeide de handel.", ["14", "15"]),
    ("nl", "Ze vergaderen eens per maand.", ["P1M"]),
    ("de", "In den 1920er-Jahren ging es aufwärts.", ["192"]),
    ("de", "Geboren am zwölften Oktober neunzehnhundertzweiundvierzig.", ["1942-10-12"]),
    ("de", "In der Nacht von Samstag auf Sonntag schneite es.", ["2024-03-09TNI"]),
    ("de", "Am 1. Weihnachtstag 2018 schneite es.", ["2018-12-25"]),
    ("de", "Im 15. und 16. Jahrhundert blühte der Handel.", ["14", "15"]),
    ("de", "Am 15. und 16. Mai 2019 war Kirmes.", ["2019-05-15", "2019-05-16"]),
    ("ja", "江戸時代に町人文化が栄えた。", ["1603/1868"]),
    ("ja", "試験まであと3日です。", ["P3D"]),
    ("ja", "2019年5月4日と5日に縁日があった。", ["2019-05-04", "2019-05-05"]),
    ("ja", "毎月第2火曜日に更新される。", ["XXXX-WXX-2"]),
    ("ar", "تأسست منذ أكثر من قرن.", ["19"]),
    ("ar", "يومي 4 و5 مايو 2019 أقيم مهرجان.", ["2019-05-04", "2019-05-05"]),
    ("ar", "ازدهر في القرنين الخامس عشر والسادس عشر.", ["14/15"]),
    ("ar", "ولد في 27 رمضان.", ["2023-04-18"]),
    ("ar", "بدأ شهر رمضان 2013 مبكرا.", ["2013-07-09/2013-08-07"]),
    ("ar", "يعمل بين الساعة 4 والساعة 6.", ["2024-03-13T04/2024-03-13T06"]),
    ("ar", "استغرق أقل من شهر.", ["P1M"]),
    ("ar", "الفترة 1952-1970 كانت مضطربة.", ["1952", "1970"]),
]


@pytest.mark.parametrize(("code", "text", "values"), SENTENCES, ids=[f"{code} {text}" for code, text, _ in SENTENCES])
def test_values_of_a_sentence(code, text, values):
    assert [item.value for item in tag(text, now=NOW, lang=code)] == values
