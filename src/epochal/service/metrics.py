"""Metrics: what the service has done, in the text format of Prometheus, over all of its processes.

Written here and not by a client library because every series is known beforehand: a row of numbers holds them all, and
the counts of several processes are the sum of their rows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from epochal.service.problems import PROBLEMS
from epochal.service.slots import Slot
from epochal.version import __version__

__all__ = ["MEDIA_TYPE", "Metrics"]

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_STATUSES: Final = tuple(sorted({"200", "204", "304", "other", *(str(status) for status, _ in PROBLEMS.values())}))
#: The upper bounds of the classes of durations, in seconds.
_BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_COUNTERS: Final = {
    "documents_added": "Documents that were added or changed through the service.",
    "documents_deleted": "Documents that were deleted through the service.",
}
_GAUGES: Final = {
    "requests_in_flight": "Requests that are being answered.",
    "work_running": "Searches and the like that run in a thread.",
    "work_waiting": "Searches and the like that wait for a thread.",
}
_STATE: Final = {
    "documents": "Documents in the index.",
    "generation": "Writes that the index has seen.",
}


class Metrics:
    """Counters of requests by route and status, their durations, and what runs now.

    >>> metrics = Metrics(["search"])
    >>> metrics.observe("search", 200, 0.02)
    >>> print(metrics.text({"documents": 3}))  # doctest: +ELLIPSIS
    # HELP epochal_info The version that runs.
    ...
    epochal_requests_total{route="search",status="200"} 1
    ...
    epochal_request_seconds_bucket{route="search",le="0.025"} 1
    ...
    epochal_documents 3
    """

    def __init__(self, routes: Iterable[str], folder: str | None = None) -> None:
        self._routes = tuple(dict.fromkeys(routes))
        names: list[tuple[str, ...]] = [("requests", route, status) for route in self._routes for status in _STATUSES]
        for route in self._routes:
            names += [("class", route, str(place)) for place in range(len(_BOUNDS) + 1)]
            names.append(("seconds", route))
        names += [("counter", name) for name in _COUNTERS]
        names += [("gauge", name) for name in _GAUGES]
        self._places = {name: place for place, name in enumerate(names)}
        self._slot = Slot(len(names), folder)
        for name in _GAUGES:
            self.gauge(name, 0)  # a process that died here before does nothing now

    def observe(self, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered.

        >>> Metrics(["search"]).observe("search", 404, 0.1)
        """
        known = str(status) if str(status) in _STATUSES else "other"
        self._add(("requests", route, known), 1)
        self._add(("class", route, str(bisect_left(_BOUNDS, seconds))), 1)
        self._add(("seconds", route), seconds)

    def count(self, name: str, number: int) -> None:
        """Raise a counter.

        >>> Metrics([]).count("documents_added", 3)
        """
        self._add(("counter", name), number)

    def gauge(self, name: str, number: float) -> None:
        """Say how much of something there is now.

        >>> Metrics([]).gauge("work_running", 2)
        """
        self._slot.numbers[self._places["gauge", name]] = number

    def _add(self, name: tuple[str, ...], number: float) -> None:
        self._slot.numbers[self._places[name]] += number

    def close(self) -> None:
        """Let go of the file, if there is one.

        >>> Metrics([]).close()
        """
        for name in _GAUGES:
            self.gauge(name, 0)
        self._slot.close()

    def text(self, state: Mapping[str, float]) -> str:
        """All series; `state` is what is known of the index.

        >>> "epochal_documents_added_total 0" in Metrics([]).text({})
        True
        """
        return "".join(f"{line}\n" for line in self._lines(self._slot.sums().tolist(), state))

    def _lines(self, sums: Sequence[float], state: Mapping[str, float]) -> Iterator[str]:
        yield from _head("info", "gauge", "The version that runs.")
        yield f'epochal_info{{version="{__version__}"}} 1'
        yield from _head("requests_total", "counter", "Requests that were answered, by route and status.")
        for route in self._routes:
            for status in _STATUSES:
                if number := sums[self._places["requests", route, status]]:
                    yield f'epochal_requests_total{{route="{route}",status="{status}"}} {number:.17g}'
        yield from _head("request_seconds", "histogram", "How long requests took.")
        for route in self._routes:
            below = 0.0
            for place, bound in enumerate((*_BOUNDS, float("inf"))):
                below += sums[self._places["class", route, str(place)]]
                shown = "+Inf" if place == len(_BOUNDS) else f"{bound:g}"
                yield f'epochal_request_seconds_bucket{{route="{route}",le="{shown}"}} {below:.17g}'
            yield f'epochal_request_seconds_sum{{route="{route}"}} {sums[self._places["seconds", route]]:.9g}'
            yield f'epochal_request_seconds_count{{route="{route}"}} {below:.17g}'
        for name, help_text in _COUNTERS.items():
            yield from _head(f"{name}_total", "counter", help_text)
            yield f"epochal_{name}_total {sums[self._places['counter', name]]:.17g}"
        for name, help_text in _GAUGES.items():
            yield from _head(name, "gauge", help_text)
            yield f"epochal_{name} {sums[self._places['gauge', name]]:.17g}"
        for name, help_text in _STATE.items():
            if name in state:
                yield from _head(name, "gauge", help_text)
                yield f"epochal_{name} {state[name]:.17g}"


def _head(name: str, kind: str, help_text: str) -> Iterator[str]:
    yield f"# HELP epochal_{name} {help_text}"
    yield f"# TYPE epochal_{name} {kind}"
