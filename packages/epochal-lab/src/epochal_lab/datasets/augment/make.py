"""Training rows from a source in one call: read passages, drop what is held out for tests, build rows, count."""

from __future__ import annotations

import hashlib
import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from epochal.errors import EpochalError
from epochal.llm.chat import Chat
from epochal.storage.importers.read import read
from epochal.storage.records import Document
from epochal.times.axis import Grain
from epochal.times.span import Span
from epochal_lab.datasets.augment.chunks import Chunk, Splitter, read_stated_times
from epochal_lab.datasets.augment.facts import Fact, FactReader, FactRows, extract_clause_facts
from epochal_lab.datasets.augment.generate import RowGenerator
from epochal_lab.datasets.augment.rows import TemporalRow, read_rows
from epochal_lab.datasets.augment.templates import RowMaker
from epochal_lab.datasets.augment.validation import Validator
from epochal_lab.datasets.making.wording import names
from epochal_lab.datasets.records import ProgressCallback

_WORD: Final = re.compile(r"\w+")
_RUN: Final = 12


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A text to make rows of, what it is called, and what it is about where that is known."""

    id: str
    text: str
    title: str = ""


def read_passages(
    source: str | os.PathLike[str] | Iterable[Document],
    *,
    format: str | None = None,
    headed: bool = False,
    seed: int = 0,
) -> Iterator[SourcePassage]:
    """The passages of documents, or of anything that `epochal index` reads.

    With `headed`, a document whose text states no time gets the day of its publication before it, as news have it.
    """
    documents = read(source, format=format) if isinstance(source, (str, os.PathLike)) else source
    count = 0
    for document in documents:
        count += 1
        text = prefix_date(document, seed) if headed else document.text
        yield SourcePassage(document.id, text, document.title)
    if not count:
        raise EpochalError(f"{source} has no document that can be read; accepted: one or more with an id and a text")


def prefix_date(document: Document, seed: int = 0) -> str:
    """The text of a document with the day of its publication before it, if it states no time and has such a day."""
    day = document.published
    if day is None or day.is_open or day.coarsest_grain > Grain.MONTH:
        return document.text
    read_text = read_stated_times(document.text)
    if read_text.stated_times or read_text.others:
        return document.text
    chance = random.Random(f"{seed} {document.id}")
    unit = Span.unit(day.start, min(Grain.DAY if day.coarsest_grain <= Grain.DAY else Grain.MONTH, Grain.MONTH))
    name = chance.choice(names(unit)[:3])
    first = "In" if unit.grain is Grain.MONTH else "On"
    return chance.choice((f"{name}: {document.text}", f"{document.text} ({name})", f"{first} {name}: {document.text}"))


class Holdout:
    """Texts that training must not see: those of test sets. A passage that shares twelve words with one is out."""

    def __init__(self, texts: Iterable[str], titles: Iterable[str] = ()) -> None:
        self._hash_ngrams: set[bytes] = set()
        for text in texts:
            self._hash_ngrams.update(_hash_ngrams(text))
        self._titles = {_normalise(title) for title in titles if title}

    @classmethod
    def from_sets(cls, folders: Iterable[str | os.PathLike[str]]) -> Holdout:
        """What BEIR folders hold: their documents and the titles of these, and their questions."""
        from epochal.storage.importers.beir import read_queries

        texts: list[str] = []
        titles: list[str] = []
        for folder in folders:
            for document in read(folder):
                texts.append(document.text)
                titles.append(document.title)
            texts += [row.text for row in read_queries(Path(folder))]
        return cls(texts, titles)

    def has(self, text: str) -> bool:
        """Whether a text shares a run of words with what is held out, or is itself a short text of it."""
        return any(run in self._hash_ngrams for run in _hash_ngrams(text))

    def has_title(self, title: str) -> bool:
        """Whether a title is one of a page that is held out."""
        return bool(title) and _normalise(title) in self._titles


def _normalise(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _hash_ngrams(text: str) -> Iterator[bytes]:
    """Digests of all runs of words of a text; of all its words where they are fewer."""
    words = _WORD.findall(text.casefold())
    for start in range(max(1, len(words) - _RUN + 1)):
        run = " ".join(words[start : start + _RUN])
        yield hashlib.blake2b(run.encode(), digest_size=8).digest()


_NOBODY: Final = Holdout(())


@dataclass(frozen=True, slots=True)
class AugmentedRows:
    """Rows, and what was thrown away on the way and what was mended, by the reason."""

    rows: tuple[TemporalRow, ...]
    dropped: dict[str, int]
    changed: dict[str, int]


def from_passages(
    passages: Iterable[SourcePassage],
    *,
    seed: int = 0,
    several: bool = False,
    most: int | None = None,
    holdout: Holdout = _NOBODY,
    report_progress: ProgressCallback | None = None,
) -> AugmentedRows:
    """Rows by templates and the time algebra; `most` is how many there may be."""
    chunks, dropped = _split_chunks(passages, several, holdout)
    maker = RowMaker(chunks, seed=seed)
    rows = tuple(_take_rows(maker.rows(), most, report_progress))
    return AugmentedRows(rows, {**dropped, **_prefix_counts("question", maker.dropped)}, {})


def from_chat(
    passages: Iterable[SourcePassage],
    chat: Chat,
    *,
    several: bool = False,
    most: int | None = None,
    holdout: Holdout = _NOBODY,
    workers: int = 1,
    report_progress: ProgressCallback | None = None,
) -> AugmentedRows:
    """Rows by a language model, validated; `most` is how many there may be."""
    chunks, dropped = _split_chunks(passages, several, holdout)
    generator = RowGenerator(chat, workers=workers)
    validator = Validator(several=several)
    rows = tuple(_take_rows(validator.rows(generator.rows(chunks)), most, report_progress))
    lost = {**dropped, **_prefix_counts("chunk", generator.failed), **validator.dropped}
    return AugmentedRows(rows, lost, dict(validator.changed))


def from_rows(path: str | os.PathLike[str], *, several: bool = False, most: int | None = None) -> AugmentedRows:
    """The rows of a file, in any form that is read, validated."""
    validator = Validator(several=several)
    rows = tuple(_take_rows(validator.rows(read_rows(path)), most, None))
    return AugmentedRows(rows, dict(validator.dropped), dict(validator.changed))


def from_timeqa(
    folder: str | os.PathLike[str],
    *,
    seed: int = 0,
    most: int | None = None,
    holdout: Holdout = _NOBODY,
    pages: bool = True,
    passages: Sequence[SourcePassage] = (),
) -> AugmentedRows:
    """Rows of TimeQA's facts by its templates; `pages` says whether its annotated pages are read, or its shards alone.

    Further `passages` add the facts that their clauses state.
    """
    reader = FactReader(Path(folder), pages=pages)
    lost: Counter[str] = Counter()
    facts = list(_drop_held_out(reader.facts(), holdout, lost))
    if passages:
        known = {fact.passage for fact in facts}
        chunks, _ = _split_chunks(passages, True, holdout)
        facts += extract_clause_facts(chunk for chunk in chunks if chunk.text not in known)
    maker = FactRows(reader.templates, seed=seed)
    rows = tuple(_take_rows(maker.rows(facts), most, None))
    return AugmentedRows(
        rows, {**_prefix_counts("fact", reader.left_out + lost), **_prefix_counts("question", maker.dropped)}, {}
    )


def _drop_held_out(facts: Iterable[Fact], holdout: Holdout, lost: Counter[str]) -> Iterator[Fact]:
    for fact in facts:
        if holdout.has(fact.passage) or holdout.has_title(fact.subject):
            lost["held out"] += 1
        else:
            yield fact


def _split_chunks(
    passages: Iterable[SourcePassage], several: bool, holdout: Holdout
) -> tuple[list[Chunk], dict[str, int]]:
    splitter = Splitter(several=several)
    chunks: list[Chunk] = []
    lost: Counter[str] = Counter()
    for passage in passages:
        if holdout.has(passage.text) or holdout.has_title(passage.title):
            lost["held out"] += 1
        else:
            chunks += splitter.chunks(passage.text, passage.id, passage.title)
    return chunks, {**_prefix_counts("passage", lost), **_prefix_counts("chunk", splitter.dropped)}


def _take_rows(
    rows: Iterable[TemporalRow], most: int | None, report_progress: ProgressCallback | None
) -> Iterator[TemporalRow]:
    if most is not None and most < 1:
        raise EpochalError(f"most is {most}; accepted: 1 or more")
    for number, row in enumerate(rows, 1):
        if report_progress is not None:
            report_progress(number, f"{number:,} rows")
        yield row
        if number == most:
            return


def _prefix_counts(what: str, counts: Counter[str]) -> dict[str, int]:
    return {f"{what}: {reason}": count for reason, count in counts.items() if count}
