"""Re2Bench-Hyb: the last forecast for a place and a day, among older ones, other days and other places."""

import datetime as dt
import json

import pytest

from epochal.errors import EpochalError, InputError
from epochal.reading.tagger import tag
from epochal.times import Span
from epochal_lab.datasets.re2bench.hyb import build, latest_of_days, read_ndfd, read_nws
from paths import DATA, needs_data

CITIES = ("boston", "miami", "tuscon", "new-york", "denver", "houston", "salem", "reno", "fargo", "tulsa")
FIRST = dt.date(2021, 6, 1)
FILES = DATA / "forecasts"


def nws(city, target, issued, message, part="day"):
    return {
        "city": city,
        "fetched_at": f"{issued}T16:23:53.1",
        "target_date": str(target),
        "part": part,
        "detailedForecast": message,
    }


def ndfd(city, kind, issued, start, end, value):
    return {"city": city, "issued": issued, "start": start, "end": end, "type": kind, "value": value}


def written(folder, rows, name="nws_2021.jsonl"):
    (folder / name).write_text("\n".join(map(json.dumps, rows)))
    return folder


@pytest.fixture
def source(tmp_path):
    rows = []
    for position, city in enumerate(CITIES):
        for day in range(6):
            target = FIRST + dt.timedelta(days=day)
            for lead in range(-1, 5):
                message = f"Sunny, with a high near {60 + position + day + lead * 3}."
                rows.append(nws(city, target, target - dt.timedelta(days=lead), message))
                rows.append(nws(city, target, target - dt.timedelta(days=lead), "Clear.", part="night"))
    return written(tmp_path, rows)


def test_the_answer_is_the_last_issue_for_the_place_and_day_and_none_is_later(source):
    result, manifest = build(source, kind="nws", size=0)
    documents = {item.id: item for item in result.documents}
    assert len(result.queries) == 60
    for query in result.queries:
        judged = result.qrels[query.id]
        (gold,) = [documents[one] for one, score in judged.items() if score]
        assert gold.meta["times"] == [query.periods[0].edtf()]
        assert gold.meta["lead_days"] == 0
        assert query.now == query.periods[0]
        others = [documents[one] for one, score in judged.items() if not score]
        assert len(others) == 5
        same = [item for item in others if (item.meta["subject"], item.meta["times"]) == _key(gold)]
        assert same
        assert all(item.published.start < gold.published.start for item in same)
        if query.split == "train":  # the other splits of so few cities have one each
            assert any(item.meta["subject"] != gold.meta["subject"] for item in others)
        assert any(
            item.meta["subject"] == gold.meta["subject"] and item.meta["times"] != gold.meta["times"] for item in others
        )
    assert all(item.published.edtf()[:10] <= item.meta["times"][0] for item in documents.values())
    assert manifest.facts["issues_after_their_day_left_out"] == 60
    assert manifest.facts["documents_issued_after_their_day"] == 0


def _key(document):
    return document.meta["subject"], document.meta["times"]


def test_texts_as_issued_name_their_day_as_the_service_does(tmp_path, source):
    rows = [json.loads(line) for line in (source / "nws_2021.jsonl").read_text().splitlines()]
    for row in rows:
        row["name"] = "Today" if row["fetched_at"].startswith(row["target_date"]) else ""
    result, manifest = build(written(tmp_path, rows), kind="nws", texts="issued", size=0)
    assert manifest.parameters["texts"] == "issued"
    for item in result.documents:
        day = dt.date.fromisoformat(item.meta["times"][0])
        stated = "Today" if item.meta["lead_days"] == 0 else f"{day:%A}"
        assert item.text.startswith(f"{item.meta['subject']}. {stated}: Sunny")
    with pytest.raises(EpochalError, match="texts=issued is of texts, and kind=both has values"):
        build(tmp_path, texts="issued")


def test_every_form_of_a_date_is_read_as_the_day_that_it_means(source):
    result, _ = build(source, kind="nws", size=0)
    forms = set()
    for item in result.documents:
        matches = [one.span.edtf() for one in tag(item.text, item.published) if one.span is not None]
        assert item.meta["times"][0] in matches, item.text
        forms.add(next(one.text for one in tag(item.text, item.published))[:3])
    assert len(forms) > 4


def test_cities_are_spelt_as_people_spell_them_and_are_in_one_split(source):
    result, manifest = build(source, kind="nws", size=0)
    message = {query.annotations["city"] for query in result.queries}
    assert {"Tucson", "New York"} <= message
    assert all(query.annotations["city"] in query.text for query in result.queries)
    assert manifest.facts["audit"]["groups_in_two_splits"] == 0
    assert manifest.facts["audit"]["documents_in_two_splits"] == 0


def test_issues_that_say_the_same_are_one(tmp_path, source):
    rows = [json.loads(line) for line in (source / "nws_2021.jsonl").read_text().splitlines()]
    for row in rows:
        if row["city"] == "boston":
            row["detailedForecast"] = "Sunny."
    result, _ = build(written(tmp_path, rows), kind="nws", size=0)
    assert "Boston" not in {query.annotations["city"] for query in result.queries}


def test_values_become_figures_and_the_low_is_said_by_all_issues_or_none(tmp_path):
    rows = []
    for issued in ("2014-04-21T14:00:00Z", "2014-04-22T14:00:00Z", "2014-04-23T14:00:00Z"):
        rows.append(
            ndfd(
                "Tulsa, OK",
                "maximum",
                issued,
                "2014-04-23T08:00:00-05:00",
                "2014-04-23T20:00:00-05:00",
                str(20 + int(issued[9])),
            )
        )
        if issued < "2014-04-23":
            rows.append(
                ndfd("Tulsa, OK", "minimum", issued, "2014-04-22T20:00:00-05:00", "2014-04-23T09:00:00-05:00", "8")
            )
        for hour, amount in (("01", "0.1"), ("07", "0.15")):
            start = f"2014-04-23T{hour}:00:00-05:00"
            rows.append(ndfd("Tulsa, OK", "liquid", issued, start, start, amount))
    written(tmp_path, rows, "ndfd_2014.jsonl")
    matches = sorted(read_ndfd(tmp_path / "ndfd_2014.jsonl"), key=lambda item: item.issued)
    assert [item.text for item in matches] == [
        "high 21 °C (70 °F), 2.5 mm of rain",
        "high 22 °C (72 °F), 2.5 mm of rain",
        "high 23 °C (73 °F), 2.5 mm of rain",
    ]
    assert [item.low for item in matches] == ["8 °C (46 °F)", "8 °C (46 °F)", ""]
    assert {item.low for item in latest_of_days(matches)["Tulsa, OK", dt.date(2014, 4, 23)]} == {""}


def test_the_moment_of_issue_is_utc(tmp_path):
    row = nws("boston", "2021-06-02", "2021-06-01", "Sunny.") | {"fetched_at": "2021-06-01T22:00:00-04:00"}
    written(tmp_path, [row])
    (matches,) = read_nws(tmp_path / "nws_2021.jsonl")
    assert matches.issued == "2021-06-02T02:00:00Z"
    assert matches.lead == 0


def test_what_is_wrong_is_reported_in_a_sentence(tmp_path):
    with pytest.raises(EpochalError, match="kind is 'radar'; accepted: nws, ndfd, both"):
        build(tmp_path, kind="radar")
    written(tmp_path, [{"city": "boston"}])
    with pytest.raises(InputError, match=r"nws_2021\.jsonl, line 1: the row has no 'fetched_at'"):
        build(tmp_path, kind="nws")


@needs_data("forecasts")
def test_the_published_texts_give_a_fair_set():
    result, manifest = build(FILES, kind="nws", size=0)
    message = manifest.facts["audit"]
    assert message["questions"] > 1300
    assert message["confusers_a_question"] == 5
    assert message["questions_with_a_rival_outside_their_case"] == 0
    assert message["confusers_with_the_text_of_the_answer"] == 0
    assert message["answer_newest_of_its_case"] < 0.5
    assert {len(query.periods) for query in result.queries} == {1}
    assert result.queries[0].periods[0].grain is Span.day(2021, 1, 1).grain
