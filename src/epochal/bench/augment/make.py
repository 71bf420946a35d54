"""Rows from a source in one call: split, left out what is held out, questions made, and everything counted."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from epochal.bench.augment.clause_facts import clause_facts
from epochal.bench.augment.fact_rows import FactRows
from epochal.bench.augment.facts import Fact, FactReader
from epochal.bench.augment.generate import RowGenerator
from epochal.bench.augment.sources import HeldOut, Passage
from epochal.bench.augment.splitting import Chunk, Splitter
from epochal.bench.augment.templates import RowMaker
from epochal.bench.augment.validation import Validator
from epochal.errors import EpochalError
from epochal.llm.chat import Chat
from epochal.models.tmrl.rows import TemporalRow, read_rows

__all__ = ["Made", "from_chat", "from_passages", "from_rows", "from_timeqa"]

Tell = Callable[[int, str], None]
_NOBODY: Final = HeldOut(())


@dataclass(frozen=True, slots=True)
class Made:
    """Rows, and what was thrown away on the way and what was mended, by the reason.

    >>> Made((), {"chunk: too short": 1}, {}).dropped
    {'chunk: too short': 1}
    """

    rows: tuple[TemporalRow, ...]
    dropped: dict[str, int]
    changed: dict[str, int]


def from_passages(
    passages: Iterable[Passage],
    *,
    seed: int = 0,
    several: bool = False,
    most: int | None = None,
    held_out: HeldOut = _NOBODY,
    tell: Tell | None = None,
) -> Made:
    """Rows by templates and the time algebra; `most` is how many there may be.

    >>> made = from_passages([Passage("p1", "Ann Hay joined Leeds United in May 1998."), Passage("p2", "Rain.")])
    >>> len(made.rows), made.dropped["chunk: too short"]
    (1, 1)
    """
    chunks, dropped = _chunks(passages, several, held_out)
    maker = RowMaker(chunks, seed=seed)
    rows = tuple(_taken(maker.rows(), most, tell))
    return Made(rows, {**dropped, **_told("question", maker.dropped)}, {})


def from_chat(
    passages: Iterable[Passage],
    chat: Chat,
    *,
    several: bool = False,
    most: int | None = None,
    held_out: HeldOut = _NOBODY,
    workers: int = 1,
    tell: Tell | None = None,
) -> Made:
    """Rows by a language model, validated; `most` is how many there may be.

    >>> from_chat.__name__
    'from_chat'
    """
    chunks, dropped = _chunks(passages, several, held_out)
    generator = RowGenerator(chat, workers=workers)
    validator = Validator(several=several)
    rows = tuple(_taken(validator.rows(generator.rows(chunks)), most, tell))
    lost = {**dropped, **_told("chunk", generator.failed), **validator.dropped}
    return Made(rows, lost, dict(validator.changed))


def from_rows(path: str | os.PathLike[str], *, several: bool = False, most: int | None = None) -> Made:
    """The rows of a file, in any form that is read, validated.

    >>> from_rows("no/such/file.jsonl")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such/file.jsonl: cannot be read: No such file or directory
    """
    validator = Validator(several=several)
    rows = tuple(_taken(validator.rows(read_rows(path)), most, None))
    return Made(rows, dict(validator.dropped), dict(validator.changed))


def from_timeqa(
    folder: str | os.PathLike[str],
    *,
    seed: int = 0,
    most: int | None = None,
    held_out: HeldOut = _NOBODY,
    pages: bool = True,
    passages: Sequence[Passage] = (),
) -> Made:
    """Rows of TimeQA's facts by its templates; `pages` says whether its annotated pages are read, or its shards alone.

    Further `passages` add the facts that their clauses state.

    >>> from_timeqa("nowhere")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: nowhere/relations.json: cannot be read; accepted: relations.json of TimeQA
    """
    reader = FactReader(Path(folder), pages=pages)
    lost: Counter[str] = Counter()
    facts = list(_kept(reader.facts(), held_out, lost))
    if passages:
        known = {fact.passage for fact in facts}
        chunks, _ = _chunks(passages, True, held_out)
        facts += clause_facts(chunk for chunk in chunks if chunk.text not in known)
    maker = FactRows(reader.templates, seed=seed)
    rows = tuple(_taken(maker.rows(facts), most, None))
    return Made(rows, {**_told("fact", reader.left_out + lost), **_told("question", maker.dropped)}, {})


def _kept(facts: Iterable[Fact], held_out: HeldOut, lost: Counter[str]) -> Iterator[Fact]:
    for fact in facts:
        if held_out.has(fact.passage) or held_out.has_title(fact.subject):
            lost["held out"] += 1
        else:
            yield fact


def _chunks(passages: Iterable[Passage], several: bool, held_out: HeldOut) -> tuple[list[Chunk], dict[str, int]]:
    splitter = Splitter(several=several)
    found: list[Chunk] = []
    lost: Counter[str] = Counter()
    for passage in passages:
        if held_out.has(passage.text) or held_out.has_title(passage.title):
            lost["held out"] += 1
        else:
            found += splitter.chunks(passage.text, passage.id, passage.title)
    return found, {**_told("passage", lost), **_told("chunk", splitter.dropped)}


def _taken(rows: Iterable[TemporalRow], most: int | None, tell: Tell | None) -> Iterator[TemporalRow]:
    if most is not None and most < 1:
        raise EpochalError(f"most is {most}; accepted: 1 or more")
    for number, row in enumerate(rows, 1):
        if tell is not None:
            tell(number, f"{number:,} rows")
        yield row
        if number == most:
            return


def _told(what: str, counts: Counter[str]) -> dict[str, int]:
    return {f"{what}: {reason}": count for reason, count in counts.items() if count}
