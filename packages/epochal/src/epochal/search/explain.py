"""The times of a hit, with where each comes from, and sentences about them and about the parts of a score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from epochal.reading.questions.question import span_to_dict
from epochal.times.span import Span

#: Where a time of a hit comes from: words of its text or title, a text before it in a sequence, the date of the
#: document, its validity, or an estimate.
Provenance = Literal["stated", "carried", "published", "valid", "estimated"]


@dataclass(frozen=True, slots=True)
class HitTime:
    """A time of a hit and where it comes from.

    `text` are the words that state it, at `start_char` of the document's text (-1 for the title, and for words of
    another document), and `context` is their sentence or line. `local` says how much of the question's words is there,
    and `match` how well the time matches the query window, where there is one. `source` is the id of the document that
    a time was carried over from.

    >>> HitTime(Span.year(1933), "stated", "1933", 30, 34, "The Nobel Prize in Literature 1933.", 0.8).span.edtf()
    '1933'
    """

    span: Span
    provenance: Provenance
    text: str = ""
    start_char: int = -1
    end_char: int = -1
    context: str = ""
    local: float = 0.0
    source: str | None = None
    match: float | None = None

    def with_match(self, match: float) -> HitTime:
        """The time with how well it matches the query window."""
        return HitTime(
            self.span,
            self.provenance,
            self.text,
            self.start_char,
            self.end_char,
            self.context,
            self.local,
            self.source,
            match,
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> HitTime(Span.year(1933), "published").to_dict()["provenance"]
        'published'
        """
        return {
            **span_to_dict(self.span),
            "provenance": self.provenance,
            "text": self.text,
            "start_char": self.start_char,
            "end_char": self.end_char,
            "context": self.context,
            "local": self.local,
            "source": self.source,
            "match": self.match,
        }


_PARTS: Final = {
    "lexical": "shares words with the question",
    "semantic": "means something close to the question",
    "topical": "fits the question without its time words",
    "alignment": "has the time asked for, beside words of the topic",
    "dated": "has names and words of the time asked for, as was learned",
    "worth": "reads like a record, not like talk about one",
    "freshness": "is recent, as the question needs",
    "undated": "has no date",
    "version": "moved by the age of its versions",
    "order": "is placed by its date",
    "topic": "has the words that the topic needs",
    "forecast": "is the newest forecast",
    "rerank": "was read together with the question",
}


def describe_component(name: str) -> str:
    """Describe a score component; empty for one of another package's scorer."""
    return _PARTS.get(name, "")


def describe_time(time: HitTime) -> str:
    """Describe a time of a hit and where it comes from, in a few words."""
    words = time.span.describe()
    if time.provenance == "stated":
        return f"{words}, stated as “{' '.join(time.text.split())}”"
    if time.provenance == "carried":
        origin = f" from “{' '.join(time.text.split())}” in {time.source}" if time.source else " from a text before it"
        return f"{words}, carried over{origin}"
    return {"published": f"published {words}", "valid": f"valid {words}"}.get(time.provenance, f"{words}, estimated")


def explain_score(
    id: str,
    score: float,
    parts: Mapping[str, float],
    times: Sequence[HitTime] = (),
    relevance: float | None = None,
    superseded_by: str | None = None,
) -> Iterator[str]:
    """Why a hit has its rank, line by line: the parts of its score, and its times."""
    said = "" if relevance is None else f"; it answers with a probability of {relevance:.2f}"
    yield f"{id}: score {score:.3f}{said}"
    for name, value in sorted(parts.items(), key=lambda item: -abs(item[1])):
        if value:
            meaning = describe_component(name)
            yield f"  {value:+.3f}  {name}" + (f": {meaning}" if meaning else "")
    for time in times:
        yield f"  time: {describe_time(time)}"
    if superseded_by is not None:
        yield f"  a newer version is {superseded_by}"
