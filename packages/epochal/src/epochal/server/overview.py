"""An overview of all documents that answer: their times, their metadata, and the words of the question in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from epochal.ranking.histogram import collect_times
from epochal.reading.scripts import simplify_characters
from epochal.search.response import Hit, Response
from epochal.storage.protocol import View
from epochal.storage.text import analyse

#: Times that are listed, fields that are counted, and values of a field.
_MAX_TIMES: Final = 5_000
_MAX_FIELDS: Final = 8
_MAX_VALUES: Final = 12
#: Longer values are texts, not categories.
_MAX_LENGTH: Final = 80
#: A character of a script that does not part its words, or a word of another script.
_WORD: Final = re.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\\W_]+")


def describe_answering(view: View, response: Response) -> dict[str, Any]:
    """The times and metadata of all documents that answer, and where each hit has words of the question."""
    rows = response.counter.rows
    starts, ends, owners = collect_times(view, "auto", rows)
    times = sorted({(int(start), int(end)) for start, end in zip(starts, ends, strict=True)})
    return {
        "times": [list(time) for time in times[:_MAX_TIMES]],
        "undated": len(rows) - len(set(owners.tolist())),
        "fields": _count_fields(response, len(rows)),
        "words": [[list(place) for place in _find_words(hit)] for hit in response.hits],
    }


def _count_fields(response: Response, total: int) -> dict[str, list[dict[str, Any]]]:
    """The values of those fields of the hits that part documents into groups, the most frequent first."""
    names = {name: None for hit in response.hits for name in [*hit.document.meta, "series"]}
    fields: dict[str, list[dict[str, Any]]] = {}
    for name in names:
        counts = response.facets(name)
        # With a value for nearly every document a field is a name or a date, not a category.
        if len(fields) < _MAX_FIELDS and 1 < len(counts) <= max(_MAX_VALUES, total // 2):
            listed = [item for item in counts.items() if len(str(item[0])) <= _MAX_LENGTH]
            fields[name] = [{"value": value, "count": count} for value, count in listed[:_MAX_VALUES]]
    return fields


def _find_words(hit: Hit) -> Iterator[tuple[int, int]]:
    """From where to where the passage has words of the question; characters count from the passage's beginning."""
    wanted = frozenset(hit.terms)
    for match in _WORD.finditer(hit.passage):
        if ord(match[0][0]) >= 0x3000:
            yield from _find_in_run(simplify_characters(match[0]), match.start(), wanted)
        elif not wanted.isdisjoint(analyse(match[0])):
            yield match.span()


def _find_in_run(run: str, start: int, wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    """The same in a run without spaces: pairs of characters and, where the question has no pairs, single ones."""
    longest = max((len(token) for token in wanted if _WORD.fullmatch(token) and ord(token[0]) >= 0x3000), default=0)
    place = 0
    while longest and place <= len(run) - longest:
        end = place + longest
        if run[place:end] not in wanted:
            place += 1
            continue
        while end < len(run) and run[end + 1 - longest : end + 1] in wanted:
            end += 1
        yield start + place, start + end
        place = end
