"""Where passages come from: documents of any kind; and what must be left out, because tests are made of it."""

from __future__ import annotations

import hashlib
import os
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from epochal.bench.augment.moments import read_moments
from epochal.bench.making.timewords import names
from epochal.errors import EpochalError
from epochal.index.inputs import read
from epochal.index.records import Document
from epochal.times import Grain, Span

__all__ = ["HeldOut", "Passage", "dated", "passages_of"]

_WORD: Final = re.compile(r"\w+")
_RUN: Final = 12


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to make rows of, what it is called, and what it is about where that is known.

    >>> Passage("p1", "Ann left in 1998.").title
    ''
    """

    id: str
    text: str
    title: str = ""


def passages_of(
    source: str | os.PathLike[str] | Iterable[Document],
    *,
    format: str | None = None,
    headed: bool = False,
    seed: int = 0,
) -> Iterator[Passage]:
    """The passages of documents, or of anything that `epochal index` reads.

    With `headed`, a document whose text states no time gets the day of its publication before it, as news have it.

    >>> news = Document("p1", "Ann left Leeds for good.", published=Span.day(1998, 5, 4))
    >>> next(passages_of([news], headed=True)).text
    'Ann left Leeds for good. (1998-05-04)'
    """
    documents = read(source, format=format) if isinstance(source, (str, os.PathLike)) else source
    found = 0
    for document in documents:
        found += 1
        text = dated(document, seed) if headed else document.text
        yield Passage(document.id, text, document.title)
    if not found:
        raise EpochalError(f"{source} has no document that can be read; accepted: one or more with an id and a text")


def dated(document: Document, seed: int = 0) -> str:
    """The text of a document with the day of its publication before it, if it states no time and has such a day.

    >>> dated(Document("p1", "Ann left.", published=Span.day(1998, 5, 4)), seed=3) != "Ann left."
    True
    >>> dated(Document("p1", "Ann left in 1997.", published=Span.day(1998, 5, 4)))
    'Ann left in 1997.'
    """
    day = document.published
    if day is None or day.is_open or day.coarsest_grain > Grain.MONTH:
        return document.text
    read_text = read_moments(document.text)
    if read_text.moments or read_text.others:
        return document.text
    chance = random.Random(f"{seed} {document.id}")
    unit = Span.unit(day.start, min(Grain.DAY if day.coarsest_grain <= Grain.DAY else Grain.MONTH, Grain.MONTH))
    name = chance.choice(names(unit)[:3])
    first = "In" if unit.grain is Grain.MONTH else "On"
    return chance.choice((f"{name}: {document.text}", f"{document.text} ({name})", f"{first} {name}: {document.text}"))


class HeldOut:
    """Texts that training must not see: those of test sets. A passage that shares twelve words with one is out.

    >>> held = HeldOut(["Ann Hay was born in Leeds and played for the town's first team until she was thirty."])
    >>> held.has("In short: born in Leeds and played for the town's first team until she was thirty, she left.")
    True
    >>> held.has("Ann Hay was born in Leeds, and Bob was not."), held.has_title("Ann Hay")
    (False, False)
    """

    def __init__(self, texts: Iterable[str], titles: Iterable[str] = ()) -> None:
        self._runs: set[bytes] = set()
        for text in texts:
            self._runs.update(_runs(text))
        self._titles = {_folded(title) for title in titles if title}

    @classmethod
    def of_sets(cls, folders: Iterable[str | os.PathLike[str]]) -> HeldOut:
        """What BEIR folders hold: their documents and the titles of these, and their questions.

        >>> HeldOut.of_sets([]).has("Ann left.")
        False
        """
        from epochal.index.inputs import read_queries

        texts: list[str] = []
        titles: list[str] = []
        for folder in folders:
            for document in read(folder):
                texts.append(document.text)
                titles.append(document.title)
            texts += [row.text for row in read_queries(Path(folder))]
        return cls(texts, titles)

    def has(self, text: str) -> bool:
        """Whether a text shares a run of words with what is held out, or is itself a short text of it.

        >>> HeldOut(["Who left?"]).has("who left")
        True
        """
        return any(run in self._runs for run in _runs(text))

    def has_title(self, title: str) -> bool:
        """Whether a title is one of a page that is held out.

        >>> HeldOut([], ["Ann Hay"]).has_title("ann hay")
        True
        """
        return bool(title) and _folded(title) in self._titles


def _folded(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _runs(text: str) -> Iterator[bytes]:
    """Digests of all runs of words of a text; of all its words where they are fewer."""
    words = _WORD.findall(text.casefold())
    for start in range(max(1, len(words) - _RUN + 1)):
        run = " ".join(words[start : start + _RUN])
        yield hashlib.blake2b(run.encode(), digest_size=8).digest()
