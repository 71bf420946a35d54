"""The days of versions that a question counts from: "since Django 3.1" is since the day on which it was published.

The document that bears a version in its title, series or metadata says when that was. The question is rewritten with
that date, so that it bounds, orders and is reported as one that was stated; the version is then no word of the topic,
of which only its own document would be. Where no document bears the version, nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from epochal.lazy import lazy_regex
from epochal.ranking.own_dates import find_own_dates
from epochal.ranking.script_words import WORD
from epochal.ranking.words import is_ordinary, is_text_kind
from epochal.reading.questions.question import Constraint, Understanding
from epochal.reading.questions.version_anchors import VersionAnchor, find_version_anchors
from epochal.search.response import Applied
from epochal.search.rewriting import Place, Rewriting
from epochal.storage.protocol import Heading, Rows, View, drop_repeated, get_headings, locate_rows
from epochal.storage.text import analyse_word
from epochal.times.span import Span

__all__ = ["PlacedVersions", "place_versions"]

#: Passages among whose documents that of a version is looked for.
_DEPTH: Final = 500
#: Fields of metadata whose value is the version of a document, and not one that it needs or mentions.
_FIELDS: Final = frozenset(("version", "release", "tag", "tag_name", "revision", "edition"))
_VERSION: Final = lazy_regex(r"v?(\d+(?:\.\d+)*(?:[-.]?(?:a|b|rc|alpha|beta|post|dev|p)[-.]?\d+)?)")
_IS_VERSION: Final = lazy_regex(r"v?\d+(?:\.\d+)+\S*|v\d+")
_NUMBERS: Final = lazy_regex(r"\d+(?:\.\d+)*")
#: What joins a name and its version: nginx-1.24, requests==2.28.
_JOINT: Final = lazy_regex(r"(?<=[^\W\d])[-_/@](?=v?\d+\.\d)")
#: Words behind a version that is not out yet.
_NOT_OUT: Final = lazy_regex(r"alpha|beta|rc\d*|pre|pre-?release|dev|preview|candidate|[ab]\d+")
#: Small words of titles and questions that name nothing.
_FUNCTION: Final = frozenset(
    "an any all and are at between by change changed changes das der des die first for from had has have how in is it "
    "its las last latest les los nach new next not of on or seit since the this to und until up update updates vor was "
    "we were what what's which who with".split()
)
_PREPOSITIONS: Final = frozenset("for from in of on to über with zu".split())
#: How words begin that announce a version, and what ends the clause of its title that it is in.
_RELEASED: Final = ("releas", "announc", "introduc", "availab", "publish", "final", "stable", "official", "lts")
_BEHIND: Final = lazy_regex(r"[:;,|(\[–—]|\s-\s")
#: The date of a span that is a year, a month, a day or a time of it.
_DATE: Final = lazy_regex(r"(\d{4}(?:-\d{2}){0,2})(?:T\S*)?")


class _Bearer(NamedTuple):
    """A document that bears a version: how well, by what it says beside, and where."""

    #: 2 for the version itself, 1 for the same with zeros behind it, 0 for one that begins with it.
    exact: int
    #: How many words of its title are neither of its name nor of a kind of text, as a negative number.
    plain: int
    in_title: bool
    row: int


class _Placed(NamedTuple):
    """A version with its date, whether that is a publication date, and the title of the document that bears it."""

    anchor: VersionAnchor
    date: str
    is_published: bool
    title: str


@dataclass(frozen=True, slots=True)
class PlacedVersions:
    """A question with dates in place of versions, what it asks of time, and what the response reports of that."""

    rewriting: Rewriting
    understanding: Understanding
    applied: tuple[Applied, ...]


def place_versions(view: View, question: str, read: Callable[[str], Understanding]) -> PlacedVersions | None:
    """A question with the dates of the versions that it counts from; None where it counts from none that has one.

    `read` says what a question asks of time.
    """
    anchors = find_version_anchors(question)
    if not anchors:
        return None
    stated = [(item.start_char, item.end_char) for item in read(question).expressions]
    placed: list[_Placed] = []
    for pair in sorted({anchor.pair for anchor in anchors}):
        members = [anchor for anchor in anchors if anchor.pair == pair]
        # "Before 3.1." may be a day, and what is one needs no document.
        if any(low < item.end and item.start < high for low, high in stated for item in members):
            continue
        name = next((item.name for item in members if item.name), "")
        found = [_place(view, question, anchors, replace(item, name=item.name or name)) for item in members]
        placed += [] if None in found else [item for item in found if item is not None]
    if not placed:
        return None
    rewritten, places = _rewrite(question, placed)
    understanding = read(rewritten)
    constraints, used = _place_on_axis(understanding.constraints, placed, places)
    if not used:
        return None
    applied = tuple(_report(item) for item in placed)
    rewriting = Rewriting(question, rewritten, places)
    return PlacedVersions(rewriting, replace(understanding, constraints=constraints), applied)


def _rewrite(question: str, placed: Sequence[_Placed]) -> tuple[str, tuple[Place, ...]]:
    """The question with dates in place of versions, names behind them, and the places of both."""
    places, text, done = [], "", 0
    for at, item in enumerate(placed):
        anchor = item.anchor
        text += question[done : anchor.start] + anchor.lead
        places.append(Place(len(text), len(text) + len(item.date), anchor.start, anchor.end))
        text, done = text + item.date, anchor.end
        if at + 1 < len(placed) and placed[at + 1].anchor.pair == anchor.pair:
            continue
        moved = [other.anchor.moved for other in placed if other.anchor.pair == anchor.pair]
        text += "".join(f" {name}" for name in dict.fromkeys(moved) if name)
    return text + question[done:], tuple(places)


def _place_on_axis(
    constraints: Sequence[Constraint], placed: Sequence[_Placed], places: Sequence[Place]
) -> tuple[tuple[Constraint, ...], bool]:
    """The constraints, those of published versions on the axis of publication; whether every version bounds."""
    result, bounding = [], set()
    for constraint in constraints:
        evidence = constraint.evidence
        inside = [
            at
            for at, (start, end, _, _) in enumerate(places)
            if evidence is not None and start < evidence.end_char and evidence.start_char < end
        ]
        bounding.update(inside)
        is_published = bool(inside) and all(placed[at].is_published for at in inside)
        result.append(replace(constraint, axis="publication", binds=True) if is_published else constraint)
    return tuple(result), len(bounding) == len(placed)


def _report(placed: _Placed) -> Applied:
    span = Span.parse(placed.date)
    words = f"{placed.anchor.name} {placed.anchor.version}".strip()
    what = "the publication date of" if placed.is_published else "the date of"
    return Applied("version", f"takes {span.describe()} for {words}: {what} “{placed.title}”", span)


def _place(view: View, question: str, anchors: Sequence[VersionAnchor], anchor: VersionAnchor) -> _Placed | None:
    """A version with the date of the document that bears it; None where none does, or has a date."""
    names = frozenset(_list_names(anchor.name))
    asked, done = "", 0
    for other in anchors:
        asked, done = f"{asked}{question[done : other.start]} ", other.end
    asked += question[done:]
    words = names or frozenset(_list_names(asked))
    rows = view.search_words(" ".join((*sorted(words), anchor.version)), _DEPTH).rows
    documents = drop_repeated(view.get_document_rows(rows))
    headings = get_headings(view, documents)
    own = [_find_names(heading) for heading in headings]
    if names:
        alike = [row for row, heading in enumerate(headings) if names <= own[row].union(_list_meta_names(heading))]
    else:
        alike = [row for row, found in enumerate(own) if not found or not found.isdisjoint(words)]
        if not alike and _names_nothing(asked):
            alike, words = list(range(len(headings))), frozenset[str]().union(*own)
    bearers = [found for row in alike if (found := _compare(headings[row], anchor.version, words, row)) is not None]
    if words != names and len({own[item.row] for item in bearers if own[item.row].isdisjoint(_list_names(asked))}) > 1:
        return None  # nothing says which of them is meant
    for best in sorted({item[:3] for item in bearers}, reverse=True):
        members = np.array(sorted(item.row for item in bearers if item[:3] == best))
        dated = _find_dates(view, documents, members, np.array(alike))
        if dated:
            date, is_published, row = min(dated)
            return _Placed(anchor, date, is_published, headings[row].title or anchor.version)
    return None


def _find_dates(view: View, documents: Rows, members: Rows, alike: Rows) -> list[tuple[str, bool, int]]:
    """The dates of documents, whether they are of publication, and which they are of; each as an index.

    What has neither a publication date nor a validity has the date that it opens with, as those that are alike.
    """
    for table, is_published in ((view.published, True), (view.valid, False)):
        has, places = locate_rows(table.rows, documents[members])
        if has.any():
            spans = table.spans[places[has]]
            starts = [Span(span.start, span.start + 1) if not is_published else span for span in spans]
            return _list_dated(starts, members[has], is_published=is_published)
    has_own, spans = find_own_dates(view, documents[alike])
    own = {int(alike[at]): span for at, span in zip(has_own.tolist(), spans, strict=True)}
    found = [row for row in members.tolist() if row in own]
    return _list_dated([own[row] for row in found], np.array(found, dtype=np.int64), is_published=False)


def _list_dated(spans: Iterable[Span], rows: Rows, *, is_published: bool) -> list[tuple[str, bool, int]]:
    found = []
    for span, row in zip(spans, rows.tolist(), strict=True):
        if (match := _DATE.fullmatch(span.edtf())) is not None:
            found.append((match[1], is_published, row))
    return found


def _find_words(text: str) -> list[str]:
    return WORD.findall(_JOINT.sub(" ", text.lower()))


def _list_names(text: str) -> list[str]:
    """The words of a text that may be a name, in small letters: neither numbers, kinds of texts nor small words."""
    return [
        word
        for word in _find_words(text)
        if not word[0].isdigit()
        and not _IS_VERSION.fullmatch(word)
        and word not in _FUNCTION
        and not is_text_kind(word)
        and len(word) > 1
    ]


def _find_names(heading: Heading) -> frozenset[str]:
    """The words of a title and a series that may be names; of the metadata, where these have none."""
    own = frozenset(_list_names(f"{heading.title}\n{heading.series or ''}"))
    return own or _list_meta_names(heading)


def _list_meta_names(heading: Heading) -> frozenset[str]:
    return frozenset(name for value in heading.meta.values() if isinstance(value, str) for name in _list_names(value))


def _names_nothing(text: str) -> bool:
    """Whether a question has no name, so that it is about what the whole index is about: "fixes since 3.1"."""
    words = WORD.findall(text)
    return all(word.islower() or at == 0 for at, word in enumerate(words)) and all(
        is_ordinary(analyse_word(word)) for word in _list_names(text)
    )


def _compare(heading: Heading, version: str, words: frozenset[str], row: int) -> _Bearer | None:
    """How well a document bears a version, in its title, its series or metadata of that kind; None if it does not."""
    others = -len([word for word in _list_names(heading.title) if word not in words])
    if found := _list_versions(heading.title):
        exact = _rate_version(found, version)
        # Of several versions a title is not about one.
        is_named = exact is not None and _names_version(heading.title, words)
        return _Bearer(exact, others, True, row) if exact is not None and is_named else None
    for field in (heading.series, *(heading.meta[key] for key in heading.meta if str(key).lower() in _FIELDS)):
        text = str(field or "").lower()
        whole = _VERSION.fullmatch(text)
        if (exact := _rate_version(_list_versions(text) if whole is None else [whole[1]], version)) is not None:
            return _Bearer(exact, others, False, row)
    return None


def _names_version(title: str, words: frozenset[str]) -> bool:
    """Whether a title is that of a version, and not of something about it: "Review of Django 3.1", "Django 3.1 hints".

    Before its name one more word may be, as "Apache"; "REST framework 3.1 for Django" is no 3.1 of Django.
    """
    found = _find_words(title)
    at = next((at for at, word in enumerate(found) if _IS_VERSION.fullmatch(word)), len(found))
    lead = found[:at]
    cut = max((place + 1 for place, word in enumerate(lead) if word in _PREPOSITIONS), default=0)
    more = _list_others(lead[cut:], words)
    if _list_others(lead[:cut], words) or len(more) > 1 or any(word.endswith(("ing", "ed")) for word in more):
        return False
    behind = _BEHIND.split(_JOINT.sub(" ", title.lower()).partition(found[at])[2], 1)[0] if at < len(found) else ""
    tail = _find_words(behind)
    is_released = any(word.startswith(_RELEASED) for word in tail)
    return not _list_others(lead[-1:], words) and (is_released or not _list_others(tail, words))


def _list_others(found: Sequence[str], words: frozenset[str]) -> list[str]:
    """The words that are neither those given nor what announces a version."""
    return [word for word in _list_names(" ".join(found)) if word not in words and not word.startswith(_RELEASED)]


def _list_versions(text: str) -> list[str]:
    """The versions of a title, without the letter before them; none that is not out yet."""
    words = _find_words(text)
    return [
        word.removeprefix("v")
        for at, word in enumerate(words)
        if _IS_VERSION.fullmatch(word) and not (at + 1 < len(words) and _NOT_OUT.fullmatch(words[at + 1]))
    ]


def _rate_version(found: Sequence[str], version: str) -> int | None:
    """How exactly the only version of a text is another one: itself, with zeros behind it, or as its beginning.

    Where nothing bears 3.1, the first of 3.1.1 and 3.1.2 is the first of what was so called. None for other versions.
    """
    if len(set(found)) != 1:
        return None
    if found[0] == version:
        return 2
    if _drop_zeros(found[0]) == _drop_zeros(version):
        return 1
    return 0 if found[0].startswith(f"{version}.") and _NUMBERS.fullmatch(found[0]) else None


def _drop_zeros(version: str) -> str:
    while version.endswith(".0"):
        version = version[:-2]
    return version
