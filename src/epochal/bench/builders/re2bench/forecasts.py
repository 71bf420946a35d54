"""Forecasts as they were issued: a place, the day they are for, when they appeared, and what they said.

Two layouts are read: texts of the US National Weather Service (nws_*.jsonl[.gz]) and values of its digital forecast
database (ndfd_*.jsonl[.gz]).
"""

from __future__ import annotations

import datetime as dt
import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError, InputError

__all__ = ["Forecast", "forecast_files", "latest_of_days", "read_ndfd", "read_nws"]

_NWS_KEYS: Final = ("city", "fetched_at", "target_date", "part", "detailedForecast")
_NDFD_KEYS: Final = ("city", "issued", "start", "end", "type", "value")
#: Places that the files spell in a way of their own.
_SPELT: Final = {"tuscon": "Tucson"}
#: Rain below this many centimetres is none.
_TRACE: Final = 0.01


@dataclass(frozen=True, slots=True)
class Forecast:
    """What was said at `issued` (a moment of UTC) about the `target` day in a `city`.

    `low` is what can be added on the night before; issues of the day itself no longer have it.

    >>> Forecast("Boston", dt.date(2021, 3, 29), "2021-03-28T16:23:53Z", "Sunny.").lead
    1
    """

    city: str
    target: dt.date
    issued: str
    said: str
    low: str = ""
    made_from: str = "nws"

    @property
    def day(self) -> dt.date:
        """The day of issue, by UTC.

        >>> Forecast("Boston", dt.date(2021, 3, 29), "2021-03-28T16:23:53Z", "Sunny.").day.day
        28
        """
        return dt.date.fromisoformat(self.issued[:10])

    @property
    def lead(self) -> int:
        """How many days ahead it was said; negative after the day itself.

        >>> Forecast("Boston", dt.date(2021, 3, 28), "2021-03-28T16:23:53Z", "Sunny.").lead
        0
        """
        return (self.target - self.day).days


def forecast_files(source: Path, kind: str) -> list[Path]:
    """The files of the one kind, of the other, or of both.

    >>> forecast_files(Path("nowhere"), "nws")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the folder 'nowhere' has no file nws_*.jsonl or nws_*.jsonl.gz
    """
    kinds = ("nws", "ndfd") if kind == "both" else (kind,)
    found = []
    for name in kinds:
        files = sorted([*source.glob(f"{name}_*.jsonl"), *source.glob(f"{name}_*.jsonl.gz")])
        if not files:
            raise EpochalError(f"the folder {str(source)!r} has no file {name}_*.jsonl or {name}_*.jsonl.gz")
        found += files
    return found


def read_nws(path: Path) -> Iterator[Forecast]:
    """The forecasts of daytime in a file of texts.

    >>> import tempfile
    >>> row = {"city": "new-york", "fetched_at": "2021-03-28T16:23:53",
    ...     "target_date": "2021-03-29", "part": "day", "detailedForecast": "Sunny."}
    >>> path = Path(tempfile.mkdtemp()) / "nws_2021.jsonl"
    >>> _ = path.write_text(json.dumps(row))
    >>> [(item.city, item.issued, item.lead) for item in read_nws(path)]
    [('New York', '2021-03-28T16:23:53Z', 1)]
    """
    for row in _rows(path, _NWS_KEYS):
        if row["part"] != "day":
            continue
        name = _SPELT.get(row["city"], row["city"])
        said = " ".join(row["detailedForecast"].split())
        city = " ".join(word.capitalize() for word in name.replace("-", " ").split())
        yield Forecast(city, dt.date.fromisoformat(row["target_date"]), _stamp(row["fetched_at"]), said)


def read_ndfd(path: Path) -> Iterator[Forecast]:
    """The forecasts of a file of values: one a place, day and issue, put in words of figures.

    The low of a day is that of the night which ends in its morning. An issue without a high says nothing of a day.

    >>> import tempfile
    >>> given = {"city": "Tulsa, OK", "issued": "2014-04-21T14:51:39Z", "start": "2014-04-22T08:00:00-05:00"}
    >>> row = given | {"end": "2014-04-22T20:00:00-05:00", "type": "maximum", "value": "25"}
    >>> path = Path(tempfile.mkdtemp()) / "ndfd_2014.jsonl"
    >>> _ = path.write_text(json.dumps(row))
    >>> [(item.said, item.lead) for item in read_ndfd(path)]
    [('high 25 °C (77 °F), no rain', 1)]
    """
    values: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for row in _rows(path, _NDFD_KEYS):
        of_day = row["end" if row["type"] == "minimum" else "start"][:10]
        here = values[row["city"], row["issued"], of_day]
        amount = float(row["value"] or 0)
        here[row["type"]] = here.get(row["type"], 0.0) + amount if row["type"] in ("liquid", "snow") else amount
    for (city, moment, day), here in values.items():
        if "maximum" in here:
            low = _degrees(here["minimum"]) if "minimum" in here else ""
            yield Forecast(city, dt.date.fromisoformat(day), _stamp(moment), _in_figures(here), low, "ndfd")


def latest_of_days(forecasts: Iterable[Forecast]) -> dict[tuple[str, dt.date], list[Forecast]]:
    """By place and day the forecasts for it, oldest first: the last of each day of issue, none after the day itself.

    Of issues that say the same, the newest alone is kept: the others would be as right as it is. The low is said by all
    of them or by none, since its absence would tell which is the last.

    >>> said = lambda day, text: Forecast("Boston", dt.date(2021, 3, 29), f"2021-03-{day}T16:00:00Z", text)
    >>> found = latest_of_days([said(27, "Sunny."), said(28, "Rain."), said(29, "Sunny."), said(30, "Snow.")])
    >>> [item.day.day for item in found["Boston", dt.date(2021, 3, 29)]]
    [28, 29]
    """
    by_day: dict[tuple[str, dt.date], dict[dt.date, Forecast]] = defaultdict(dict)
    for item in sorted(forecasts, key=lambda item: (item.issued, item.said)):
        if item.lead >= 0:
            by_day[item.city, item.target][item.day] = item
    found = {}
    for key, days in sorted(by_day.items()):
        with_low = all(item.low for item in days.values())
        kept = [item if with_low else replace(item, low="") for item in days.values()]
        newest = {(item.said, item.low): item for item in kept}
        found[key] = sorted(newest.values(), key=lambda item: item.issued)
    return found


def _in_figures(values: dict[str, float]) -> str:
    said = [f"high {_degrees(values['maximum'])}"]
    rain, snow = values.get("liquid", 0.0), values.get("snow", 0.0)
    said.append(f"{10 * rain:.1f} mm of rain" if rain >= _TRACE else "no rain")
    if snow >= _TRACE:
        said.append(f"{snow:.1f} cm of snow")
    return ", ".join(said)


def _degrees(celsius: float) -> str:
    return f"{celsius:.0f} °C ({celsius * 9 / 5 + 32:.0f} °F)"


def _stamp(text: str) -> str:
    """A moment of UTC to the second; one without a zone is UTC already."""
    found = dt.datetime.fromisoformat(text.replace("Z", "+00:00"))
    utc = found if found.tzinfo is None else found.astimezone(dt.timezone.utc)
    return utc.strftime("%Y-%m-%dT%H:%M:%SZ")


def _rows(path: Path, needed: Sequence[str]) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line)
            except ValueError:
                raise InputError(path.name, number, "the line is no JSON") from None
            missing = [key for key in needed if key not in row]
            if missing:
                raise InputError(path.name, number, f"the row has no {missing[0]!r}; accepted: {', '.join(needed)}")
            yield row
