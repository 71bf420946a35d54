"""Re2Bench-Hyb: the newest forecast for a place and a day, among older ones and those for other days and places.

Two layouts are read: texts of the US National Weather Service (nws_*.jsonl[.gz]) and values of its digital forecast
database (ndfd_*.jsonl[.gz]). Documents state a place, a day in one of many forms, and the forecast; their time of issue
is metadata only. With `texts="issued"` the day is as the service wrote it ("Today", "Monday"), so that it is known only
together with the time of issue. Questions ask for the weather of a place on a day, on that day. The answer is the last
forecast for that place and day; no forecast was issued after its day.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times.span import Span
from epochal.times.words import format_ordinal
from epochal_lab.datasets.folder import Manifest, file_digest
from epochal_lab.datasets.re2bench.cases import (
    BenchCase,
    assemble,
    assign_splits,
    choose_by_hash,
    content_words,
    digest,
    drop_ambiguous,
    read_rows,
    sample_cases,
    sort_by_hash,
)
from epochal_lab.datasets.records import BenchQuery, BenchSet, SetCard

_NWS_KEYS: Final = ("city", "fetched_at", "target_date", "part", "detailedForecast")
_NDFD_KEYS: Final = ("city", "issued", "start", "end", "type", "value")
#: Places that the files spell in a way of their own.
_SPELT: Final = {"tuscon": "Tucson"}
#: Rain below this many centimetres is none.
_TRACE: Final = 0.01


@dataclass(frozen=True, slots=True)
class Forecast:
    """What was said at `issued` (a moment of UTC) about the `target` day in a `city`.

    `low` is what can be added on the night before; issues of the day itself no longer have it. `period` is what the
    issue itself calls the day.
    """

    city: str
    target: dt.date
    issued: str
    text: str
    low: str = ""
    made_from: str = "nws"
    period: str = ""

    @property
    def day(self) -> dt.date:
        """The day of issue, by UTC."""
        return dt.date.fromisoformat(self.issued[:10])

    @property
    def lead(self) -> int:
        """How many days ahead it was said; negative after the day itself."""
        return (self.target - self.day).days


def forecast_files(source: Path, kind: str) -> list[Path]:
    """The files of the one kind, of the other, or of both."""
    kinds = ("nws", "ndfd") if kind == "both" else (kind,)
    paths = []
    for name in kinds:
        files = sorted([*source.glob(f"{name}_*.jsonl"), *source.glob(f"{name}_*.jsonl.gz")])
        if not files:
            raise EpochalError(f"the folder {str(source)!r} has no file {name}_*.jsonl or {name}_*.jsonl.gz")
        paths += files
    return paths


def read_nws(path: Path) -> Iterator[Forecast]:
    """The forecasts of daytime in a file of texts."""
    for row in read_rows(path, _NWS_KEYS):
        if row["part"] != "day":
            continue
        name = _SPELT.get(row["city"], row["city"])
        text = " ".join(row["detailedForecast"].split())
        city = " ".join(word.capitalize() for word in name.replace("-", " ").split())
        target, issued = dt.date.fromisoformat(row["target_date"]), _format_utc(row["fetched_at"])
        yield Forecast(city, target, issued, text, period=row.get("name") or f"{target:%A}")


def read_ndfd(path: Path) -> Iterator[Forecast]:
    """The forecasts of a file of values: one a place, day and issue, put in words of figures.

    The low of a day is that of the night which ends in its morning. An issue without a high says nothing of a day.
    """
    values: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for row in read_rows(path, _NDFD_KEYS):
        of_day = row["end" if row["type"] == "minimum" else "start"][:10]
        here = values[row["city"], row["issued"], of_day]
        amount = float(row["value"] or 0)
        here[row["type"]] = here.get(row["type"], 0.0) + amount if row["type"] in ("liquid", "snow") else amount
    for (city, moment, day), here in values.items():
        if "maximum" in here:
            low = _format_degrees(here["minimum"]) if "minimum" in here else ""
            yield Forecast(city, dt.date.fromisoformat(day), _format_utc(moment), _format_figures(here), low, "ndfd")


def latest_of_days(forecasts: Iterable[Forecast]) -> dict[tuple[str, dt.date], list[Forecast]]:
    """By place and day the forecasts for it, oldest first: the last of each day of issue, none after the day itself.

    Of issues that say the same, the newest alone is kept: the others would be as right as it is. The low is said by all
    of them or by none, since its absence would tell which is the last.
    """
    by_day: dict[tuple[str, dt.date], dict[dt.date, Forecast]] = defaultdict(dict)
    for item in sorted(forecasts, key=lambda item: (item.issued, item.text)):
        if item.lead >= 0:
            by_day[item.city, item.target][item.day] = item
    by_key = {}
    for key, days in sorted(by_day.items()):
        with_low = all(item.low for item in days.values())
        latest = [item if with_low else replace(item, low="") for item in days.values()]
        newest = {(item.text, item.low): item for item in latest}
        by_key[key] = sorted(newest.values(), key=lambda item: item.issued)
    return by_key


def _format_figures(values: dict[str, float]) -> str:
    figures = [f"high {_format_degrees(values['maximum'])}"]
    rain, snow = values.get("liquid", 0.0), values.get("snow", 0.0)
    figures.append(f"{10 * rain:.1f} mm of rain" if rain >= _TRACE else "no rain")
    if snow >= _TRACE:
        figures.append(f"{snow:.1f} cm of snow")
    return ", ".join(figures)


def _format_degrees(celsius: float) -> str:
    return f"{celsius:.0f} °C ({celsius * 9 / 5 + 32:.0f} °F)"


def _format_utc(text: str) -> str:
    """A moment of UTC to the second; one without a zone is UTC already."""
    moment = dt.datetime.fromisoformat(text.replace("Z", "+00:00"))
    utc = moment if moment.tzinfo is None else moment.astimezone(dt.timezone.utc)
    return utc.strftime("%Y-%m-%dT%H:%M:%SZ")


CARD: Final = SetCard(
    "Re2Bench-Hyb, rebuilt",
    "Forecasts that were revised: the answer is the last one issued for the asked place and day.",
    "US National Weather Service: forecast texts of 2021, NDFD values of 2014",
    "public domain",
    notes=(
        "Of issues for one place and day that say the same, only the newest is kept.",
        "For the texts, the time at which they were fetched is taken for the time of issue.",
    ),
)

Key = tuple[str, dt.date]

_WRITTEN: Final = (
    "{city}, {date}: {text}",
    "Forecast for {city}, valid {date}. {text}",
    "Outlook for {city} on {date}: {text}",
    "{date}, {city} area. {text}",
    "Conditions predicted at {city} for {date}: {text}",
    "{city} zone forecast. For {date}: {text}",
    "Prediction ({city}), {date} - {text}",
)
_PLAIN: Final = (
    "What will the weather be like in {city} on {date}?",
    "How warm does it get in {city} on {date}?",
    "Do I need an umbrella in {city} on {date}?",
    "On {date}, what should people in {city} dress for?",
    "We are having a picnic in {city} on {date}: how does it look?",
    "What temperature should I plan for in {city} on {date}?",
    "Is {date} going to be a good day to be outside in {city}?",
)
_CUED: Final = (
    "What is the latest word on the weather in {city} for {date}?",
    "According to the most recent information, how will {date} turn out in {city}?",
    "What is currently expected of the weather in {city} on {date}?",
)
_DATES: Final = (
    "{at:%Y-%m-%d}",
    "{at:%B} {at.day}",
    "{at:%A}, {at:%B} {at.day}",
    "{at:%B} {at.day}, {at.year}",
    "{at.day} {at:%B} {at.year}",
    "{at:%A} {at.day} {at:%b} {at.year}",
    "{at:%b} {at.day}, {at.year}",
)
_DATE_FORMS: Final = (
    "{at:%Y-%m-%d}",
    "{at:%B} {at.day}, {at.year}",
    "{at.day} {at:%B} {at.year}",
    "{at:%A}, {at.day} {at:%B} {at.year}",
    "{at:%A}, {at:%B} {at.day}",
    "the {ordinal} of {at:%B}, {at.year}",
)
_MIN_FORECASTS: Final = 3
_OLDER: Final = 3
_CONFUSERS: Final = 5


def build(
    source: Path, *, kind: str = "both", texts: str = "dated", size: int = 9847, seed: int = 0
) -> tuple[BenchSet, Manifest]:
    """The set from a folder with nws_*.jsonl[.gz], ndfd_*.jsonl[.gz] or both, as `kind` says; `size` 0 is all of it."""
    if kind not in ("nws", "ndfd", "both"):
        raise EpochalError(f"kind is {kind!r}; accepted: nws, ndfd, both")
    if texts == "issued" and kind != "nws":
        raise EpochalError(f"texts=issued is of texts, and kind={kind} has values; accepted with it: kind=nws")
    files = forecast_files(source, kind)
    issues: dict[Key, list[Forecast]] = {}
    after = 0
    for path in files:
        read = list(read_nws(path) if path.name.startswith("nws") else read_ndfd(path))
        after += sum(item.lead < 0 for item in read)
        issues |= latest_of_days(read)
    keys = [key for key, forecasts in issues.items() if len(forecasts) >= _MIN_FORECASTS]
    there = _Places.of(Counter(city for city, _ in keys), seed)
    cases = [case for key in keys if (case := _make_case(key, issues, there, texts, seed)) is not None]
    apart = drop_ambiguous(cases)
    few = sample_cases(apart, size, seed)
    return assemble(
        "re2bench/hyb",
        few,
        CARD,
        sources={path.name: file_digest(path) for path in files},
        parameters={"kind": kind, "size": size, "seed": seed, **({"texts": texts} if texts != "dated" else {})},
        facts={
            "places_and_days": len(issues),
            "with_three_different_issues": len(keys),
            "questions_left_out_with_a_rival": len(cases) - len(apart),
            "issues_after_their_day_left_out": after,
            "documents_issued_after_their_day": sum(
                item.published is not None and item.published.edtf()[:10] > item.meta["times"][0]
                for case in few
                for item in (case.gold, *case.confusers)
            ),
            "timestamps": "t_q and t_c are days, t_d is a moment of UTC, t_ref is t_q",
        },
    )


def _make_case(
    key: Key, issues: Mapping[Key, Sequence[Forecast]], there: _Places, texts: str, seed: int
) -> BenchCase | None:
    """The question for a place and day; None where there are too few forecasts to confuse it with."""
    city, target = key
    *older, gold = issues[key]
    near = [
        _select_as_of(issues[other], gold)
        for off in sort_by_hash((1, -1, 2, -2), lambda off: (off, *key), seed)
        if (other := (city, target + dt.timedelta(days=off))) in issues
    ]
    names = there.others[city]
    start = int(digest(seed, city, target), 16) % max(1, len(names))
    elsewhere = [
        _select_as_of(issues[name, target], gold)
        for name in (*names[start:], *names[:start])
        if (name, target) in issues
    ][:_CONFUSERS]
    picked = [*older[::-1][:_OLDER], *near[:1], *elsewhere[:1]]
    rest = [*near[1:], *older[::-1][_OLDER:], *elsewhere[1:]]
    picked += rest[: _CONFUSERS - len(picked)]
    if len(picked) < _CONFUSERS:
        return None
    forms = _CUED if (cued := int(digest(seed, "cue", *key), 16) % 10 < 3) else _PLAIN
    day = choose_by_hash(_DATE_FORMS, seed, "asked date", *key).format(at=target, ordinal=format_ordinal(target.day))
    span = Span.day(target.year, target.month, target.day)
    query = BenchQuery(
        digest("hyb question", seed, *key),
        choose_by_hash(forms, seed, "question", *key).format(city=there.names[city], date=day),
        now=span,
        periods=(span,),
        kind="latest at a point",
        split=there.splits[city],
        annotations={"city": city, "lead_days": gold.lead, "made_from": gold.made_from, "says_latest": cued},
    )
    confusers = tuple(_make_document(item, texts, seed) for item in picked)
    return BenchCase(query, _make_document(gold, texts, seed), confusers, _group(city))


@dataclass(frozen=True, slots=True)
class _Places:
    """The cities: the split of each, the others of its split, and the name by which it is asked for."""

    splits: Mapping[str, str]
    others: Mapping[str, Sequence[str]]
    names: Mapping[str, str]

    @classmethod
    def of(cls, counts: Mapping[str, int], seed: int) -> _Places:
        groups: Counter[str] = Counter()
        for city, count in counts.items():
            groups[_group(city)] += count
        of_group = assign_splits(groups, seed)
        splits = {city: of_group[_group(city)] for city in counts}
        order = sort_by_hash(splits, str, seed)
        return cls(
            splits,
            {city: [name for name in order if splits[name] == splits[city] and name != city] for city in splits},
            {city: _shorten_city(city, splits) for city in splits},
        )


def _group(city: str) -> str:
    """The name without the state: the two kinds of files name a place differently, and no split may share one."""
    return city.partition(",")[0]


def _shorten_city(city: str, cities: Iterable[str]) -> str:
    """The name without the state, where no other city has all of its words."""
    name = _group(city)
    words = content_words(name)
    return city if any(words <= content_words(other) for other in cities if other != city) else name


def _select_as_of(issues: Sequence[Forecast], gold: Forecast) -> Forecast:
    """Of several issues the last, unless it came long after the answer: then the last within a day of it."""
    day = gold.day + dt.timedelta(days=1)
    return max((item for item in issues if item.day <= day), key=lambda item: item.issued, default=issues[0])


def _make_document(item: Forecast, texts: str, seed: int) -> Document:
    key = (item.city, item.target, item.issued)
    day = choose_by_hash(_DATES, seed, "date", *key).format(at=item.target)
    form = choose_by_hash(_WRITTEN, seed, "document", *key)
    text = item.text if item.made_from == "nws" else _make_sentence(item, seed)
    issued = f"{item.city}. {item.period}: {item.text}"
    return Document(
        digest("hyb", seed, *key),
        issued if texts == "issued" else form.format(city=item.city, date=day, text=text),
        published=Span.parse(item.issued),
        meta={
            "times": [Span.day(item.target.year, item.target.month, item.target.day).edtf()],
            "subject": item.city,
            "lead_days": item.lead,
        },
    )


def _make_sentence(item: Forecast, seed: int) -> str:
    """The figures of an issue as a sentence, in one of several forms."""
    high, *rest = item.text.split(", ")
    high = high.removeprefix("high ")
    wet = " and ".join(rest)
    form = choose_by_hash((0, 1, 2, 3), seed, "figures", item.city, item.target, item.issued)
    if form == 0:
        return f"High {high}" + (f", low {item.low}" if item.low else "") + f"; {wet}."
    if form == 1:
        return f"Expect a high of {high}" + (f" after a low of {item.low}" if item.low else "") + f", with {wet}."
    if form == 2:
        night = f", from {item.low} in the night" if item.low else ""
        return f"Temperatures reach {high} in the afternoon{night}; {wet}."
    return f"{wet[0].upper()}{wet[1:]}. Maximum {high}" + (f", minimum {item.low}." if item.low else ".")
