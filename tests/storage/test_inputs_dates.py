from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from epochal.errors import EpochalError, InputError
from epochal.storage.importers.fields import DateReader, span_value
from epochal.storage.importers.read import read
from epochal.times import Certainty, Grain, Span
from spans_strategy import spans


@given(spans())
def test_a_span_comes_back_exactly(span: Span) -> None:
    value = span_value(span)
    assert DateReader().read(value, "valid") == span
    assert DateReader().read(json.loads(json.dumps(value)), "valid") == span
    if not isinstance(value, str):  # tables hold objects as text
        assert DateReader().read(json.dumps(value), "valid") == span


@pytest.mark.parametrize("text", ["1998-03", "-0721-03", "../2001", "1984~/", "/2001?", "156X", "../.."])
def test_edtf_stays_text(text: str) -> None:
    assert span_value(Span.parse(text)) == text


@pytest.mark.parametrize(
    ("value", "key", "wanted"),
    [
        ("1998-03-15", "date", "1998-03-15"),
        (" 1998-03-15 ", "date", "1998-03-15"),
        ("2024-05-01T10:00+02:00", "date", "2024-05-01T08:00Z"),
        ("2024-05-01 10:00:07.25", "date", "2024-05-01T10:00:07Z"),
        ("1984~/2004-06", "published", "1984~/2004-06"),
        ("20240501", "date", "2024-05-01"),
        ("2024/5/1", "date", "2024-05-01"),
        ("2024-5-1", "date", "2024-05-01"),
        ("2024.05.01", "date", "2024-05-01"),
        ("15 March 44 BCE", "date", "-0043-03-15"),
        ("Meiji 10", "date", "1877"),
        ("2004-01/P1M", "date", "2004-01-01/2004-01-31"),
        ("1714557600", "timestamp", "2024-05-01T10:00:00Z"),
        (1714557600, "timestamp", "2024-05-01T10:00:00Z"),
        (1714557600.9, "timestamp", "2024-05-01T10:00:00Z"),
        ("{1667,1668}", "date", "1667/1668"),
        (1998, "date", "1998"),
        (20240501, "created", "2024-05-01"),
        (dt.date(2024, 5, 1), "date", "2024-05-01"),
        (dt.datetime(2024, 5, 1, 10, tzinfo=dt.timezone.utc), "date", "2024-05-01T10:00:00Z"),
    ],
)
def test_forms(value: Any, key: str, wanted: str) -> None:
    assert DateReader().read(value, key).edtf() == wanted


@pytest.mark.parametrize(
    ("value", "key", "problem"),
    [
        ("2023-02-30", "date", "'2023-02-30' names a day that does not exist"),
        ("123456789012-01-01", "date", "'123456789012-01-01' is not a time"),
        ("Y999999999999", "date", "cannot be placed on the axis"),
        ("03/04/2024", "date", "'03/04/2024' may be either day"),
        ("171455", "date", "'171455' is not a time"),
        ("soonish", "date", "'soonish' is not a time"),
        ("永和元年", "date", "may be any of several times"),
        ("last year", "date", "'last year' is not a time"),
        ("x" * 500, "date", "..."),
        ("31/02/2024", "date", "'31/02/2024'"),
        ("0000-00-00", "date", "'0000-00-00'"),
        ("NULL", "date", "'NULL'"),
        ("yesterday", "date", "'yesterday'"),
        ("19999", "date", "'19999' is not a time"),
        (171455, "date", "the number 171455"),
        (0, "timestamp", "the number 0"),
        (True, "timestamp", "is True"),
        ([2024], "date", r"is \[2024\]"),
        ({"start": 5}, "date", "lacks 'end'"),
        ({"start": 5, "end": "6"}, "date", "'6' is no whole number"),
        ({"start": 5, "end": 4}, "date", "must end after it starts"),
        ({"start": 5, "end": 6, "grain": "blink"}, "date", "no grain is called 'blink'"),
        ('{"start": 5,', "date", "looks like an object"),
    ],
)
def test_what_is_no_date_is_named(value: Any, key: str, problem: str) -> None:
    with pytest.raises(EpochalError, match=problem) as caught:
        DateReader().read(value, key)
    assert f"'{key}'" in str(caught.value)
    assert "accepted: " in str(caught.value) or "JSON" in str(caught.value)
    assert len(str(caught.value)) < 500


#: How mail, feeds, logs, exports of tables and catalogues write dates.
FORMS = """
Tue, 14 May 2024 10:15:00 +0200 | 2024-05-14T08:15:00Z
Tue, 14 May 2024 10:15:00 GMT | 2024-05-14T10:15:00Z
14 May 2024 10:15:00 -0000 | 2024-05-14T10:15:00Z
Tue, 14 May 24 10:15:00 EST | 2024-05-14T15:15:00Z
Tue May 14 10:15:00 2024 | 2024-05-14T10:15:00Z
Tue May 14 10:15:00 UTC 2024 | 2024-05-14T10:15:00Z
2024-05-14 10:10 P.M GMT+2 | 2024-05-14T20:10Z
Tue, 14 May 2024 10:15 PDT | 2024-05-14T17:15Z
Tue May 14 2024 10:15:00 GMT+0200 (CEST) | 2024-05-14T08:15:00Z
2024-05-14T10:15:00Z | 2024-05-14T10:15:00Z
2024-05-14T10:15:00.123456Z | 2024-05-14T10:15:00Z
2024-05-14T10:15:00+02:00 | 2024-05-14T08:15:00Z
2024-05-14T10:15:00+0200 | 2024-05-14T08:15:00Z
2024-05-14 10:15:00 | 2024-05-14T10:15:00Z
2024-05-14 10:15 | 2024-05-14T10:15Z
2024-05-14 10:15:00 UTC | 2024-05-14T10:15:00Z
2024-05-14 10:15:00 +0200 | 2024-05-14T08:15:00Z
2024-05-14 10:15:00.123 | 2024-05-14T10:15:00Z
2024-05-14 10:15:00,123 | 2024-05-14T10:15:00Z
2024-05-14T10:15 | 2024-05-14T10:15Z
20240514 | 2024-05-14
20240514T101500Z | 2024-05-14T10:15:00Z
20240514101500 | 2024-05-14T10:15:00Z
2024/05/14 | 2024-05-14
2024/5/4 | 2024-05-04
2024.05.14 | 2024-05-14
2024/05/14 10:15:00 | 2024-05-14T10:15:00Z
05/14/2024 | 2024-05-14
5/14/2024 10:15 AM | 2024-05-14T10:15Z
5/14/24 | 2024-05-14
14/05/2024 | 2024-05-14
14/05/2024 22:15 | 2024-05-14T22:15Z
14.05.2024 | 2024-05-14
14.5.2024 | 2024-05-14
04.05.2024 | 2024-05-04
14.05.24 | 2024-05-14
14.05.2024 10:15 | 2024-05-14T10:15Z
14-05-2024 | 2024-05-14
14-May-2024 | 2024-05-14
14-May-24 | 2024-05-14
14-MAY-2024 | 2024-05-14
14 May 2024 | 2024-05-14
May 14, 2024 | 2024-05-14
May 14, 2024 10:15 AM | 2024-05-14T10:15Z
May 14, 2024 at 10:15 AM EDT | 2024-05-14T14:15Z
Tuesday, May 14, 2024 | 2024-05-14
Tuesday, 14 May 2024 | 2024-05-14
14th May 2024 | 2024-05-14
May 2024 | 2024-05
2024-05 | 2024-05
05/2024 | 2024-05
2024 | 2024
1715681700 | 2024-05-14T10:15:00Z
1715681700000 | 2024-05-14T10:15:00Z
1715681700.5 | 2024-05-14T10:15:00Z
14/May/2024:10:15:00 +0200 | 2024-05-14T08:15:00Z
[14/May/2024:10:15:00 +0200] | 2024-05-14T08:15:00Z
2024年5月14日 | 2024-05-14
2024年5月14日 10:15 | 2024-05-14T10:15Z
令和6年5月14日 | 2024-05-14
14 mai 2024 | 2024-05-14
le 14 mai 2024 | 2024-05-14
14. Mai 2024 | 2024-05-14
14 de mayo de 2024 | 2024-05-14
14 maggio 2024 | 2024-05-14
14 мая 2024 г. | 2024-05-14
D:20240514101500+02'00' | 2024-05-14T08:15:00Z
2024-W20 | 2024-W20
2024-135 | 2024-05-14
Q2 2024 | 2024-34
2024-Q2 | 2024-34
spring 2024 | 2024-21
ca. 1890-1910 | 1890~/1910~
[1923?] | 1923?
c1984 | 1984~
©1998 | 1998
44 BC | -0043
1998-05-02/1998-05-09 | 1998-05-02/1998-05-09
1 Jan 2019 00:00 | 2019-01-01T00:00Z
2 janvier 1998 | 1998-01-02
5 de maio de 2019 | 2019-05-05
平成30年4月1日 | 2018-04-01
Wed, 15 May 2024 10:15:00 +0200 (CEST) | 2024-05-15T08:15:00Z
15 May 24 10:15 EST | 2024-05-15T15:15Z
Wednesday, 15-May-24 08:15:00 GMT | 2024-05-15T08:15:00Z
Wed May 15 08:15:00 2024 +0200 | 2024-05-15T06:15:00Z
May 15 08:15:00 CEST 2024 | 2024-05-15T06:15:00Z
2024-05-15T08:15:00.123456789Z | 2024-05-15T08:15:00Z
2024-05-15 08:15:00+02 | 2024-05-15T06:15:00Z
2024-05-15 08:15:00 -0300 BRT | 2024-05-15T11:15:00Z
2024-05-15T10:15:00+02:00[Europe/Berlin] | 2024-05-15T08:15:00Z
2024-05-15T10:15:00 Nowhere/Town | 2024-05-15
2024-W20-3 | 2024-05-15
15.5.24 | 2024-05-15
15MAY2024 | 2024-05-15
15-MAY-24 08.15.00.000000 AM | 2024-05-15T08:15:00Z
15.05.2024, 08:15 | 2024-05-15T08:15Z
5/15/2024 8:15:00 PM | 2024-05-15T20:15:00Z
Mi., 15. Mai 2024, 10:15 Uhr | 2024-05-15T10:15Z
15 mai 2024 à 10h15 | 2024-05-15T10:15Z
15 de mayo de 2024 a las 10:15 | 2024-05-15T10:15Z
2024年5月15日（水） | 2024-05-15
2024년 5월 15일 | 2024-05-15
民國113年5月15日 | 2024-05-15
１５/０５/２０２４ | 2024-05-15
١٥ مايو ٢٠٢٤ | 2024-05-15
'2024-05-15' | 2024-05-15
45427 | 2024-05-15
45427.427083 | 2024-05-15T10:15:00Z
1715760900.123 | 2024-05-15T08:15:00Z
Thu Jan  2 2020 | 2020-01-02
2024-05-15 24:00:00 | 2024-05-16T00:00:00Z
"""


@pytest.mark.parametrize("row", FORMS.strip().splitlines())
def test_forms_of_mail_feeds_logs_tables_and_catalogues(row: str) -> None:
    text, wanted = row.split(" | ")
    assert DateReader().read(text, "published").edtf() == wanted


def test_numbers_count_from_1970_by_their_size() -> None:
    moment = Span.at(1714557600)
    for number in (1714557600, 1714557600.5, 1714557600_000, 1714557600_000_000, 1714557600_000_000_000):
        assert DateReader().read(number, "date") == moment
    assert DateReader().read(20240501, "date") == Span.day(2024, 5, 1)
    assert DateReader().read(2024, "date") == Span.year(2024)


def test_one_date_shows_the_order_of_all() -> None:
    british, american = DateReader(), DateReader()
    british.learn_order(["05/04/2020", "25/04/2020"])
    american.learn_order(["05/04/2020", "04/25/2020"])
    assert british.read("05/04/2020", "date") == Span.day(2020, 4, 5)
    assert american.read("05/04/2020", "date") == Span.day(2020, 5, 4)
    both = DateReader()
    both.learn_order(["25/04/2020", "04/25/2020"])
    with pytest.raises(EpochalError, match="may be either day"):
        both.read("05/04/2020", "date")


def test_a_date_that_cannot_be_read_leaves_its_document_undated(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("ID,Body,Date\na,Rain.,soonish\nb,Sun.,14-May-2024\n", encoding="utf-8")
    reading = read(path)
    a, b = reading
    assert (a.published, a.meta) == (None, {"date": "soonish"})
    assert b.published == Span.day(2024, 5, 14)
    assert reading.unreadable == 1
    assert "soonish" in str(reading.notes[0])
    with pytest.raises(InputError, match="soonish"):
        list(read(path, strict=True))


def test_an_object_keeps_unknown_ends_and_doubts() -> None:
    value = {"start": None, "end": 86400, "grain": "day", "certainty": "uncertain", "end_certainty": "both"}
    span = DateReader().read(value, "valid")
    assert (span.certainty, span.end_certainty, span.grain) == (Certainty.UNCERTAIN, Certainty.BOTH, Grain.DAY)


@pytest.mark.parametrize(
    ("text", "edtf"), [("[1831?]", "1831?"), ("1939-45", "1939/1945"), ("ca. 1780", "1780~"), ("16th c.", "15XX")]
)
def test_a_catalogue_may_state_the_date(text: str, edtf: str) -> None:
    assert DateReader().read(text, "date").edtf() == edtf
