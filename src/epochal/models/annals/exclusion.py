"""Leaving out of the pretraining what the records of a split say, so that a model has not read what it is tested on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError, InputError

__all__ = ["Exclusion", "held_out_texts"]

_MARKS: Final = re.compile(r"[\W_]+")
#: In a longer sentence, as prints without marks have them, only the place itself is cut out, with a margin.
_SENTENCE: Final = 120
_MARGIN: Final = 16


class Exclusion:
    """Texts that must not be read, and the sentences of a stream that are left without them.

    Marks of punctuation do not count, and `fold` may bring variants of characters together. With `whole`, a sentence is
    left out where it holds a whole text of at least `run` characters (or a part of one that goes on in the next
    sentences); otherwise, where it shares any `run` characters in a row with one.

    >>> kept = Exclusion(["夏五月，鄭伯克段于鄢。"], run=8).kept
    >>> kept(["元年春，王正月。", "夏五月鄭伯克段于鄢。", "秋七月。"])
    ['元年春，王正月。', '秋七月。']
    >>> Exclusion(["夏五月，鄭伯克段于鄢。"], run=8, whole=False).kept(["五月鄭伯克段于鄢，大叔出奔。"])
    []
    """

    def __init__(
        self, texts: Iterable[str], run: int = 8, *, whole: bool = True, fold: Callable[[str], str] = str
    ) -> None:
        if run < 2:
            raise EpochalError(f"a text to leave out needs at least {run} characters; give 2 or more")
        self._run, self._whole, self._fold = run, whole, fold
        bare = {_MARKS.sub("", fold(text)) for text in texts}
        self._texts: dict[str, list[str]] = {}
        for text in sorted(text for text in bare if len(text) >= run):
            for first in range(1 if whole else len(text) - run + 1):
                self._texts.setdefault(text[first : first + run], []).append(text)

    def __len__(self) -> int:
        return len({text for texts in self._texts.values() for text in texts})

    def kept(self, stream: list[str]) -> list[str]:
        """The sentences of a stream without those that hold a text."""
        places = [
            (row, place)
            for row, sentence in enumerate(stream)
            for place, one in enumerate(sentence)
            if not _MARKS.match(one)
        ]
        bare = self._fold("".join(stream[row][place] for row, place in places))
        if len(bare) != len(places):
            raise EpochalError("the form for comparison changes the length of a text; it must be one to one")
        touched: dict[int, set[int]] = {}
        for first, last in self._matches(bare):
            for row, place in places[first:last]:
                touched.setdefault(row, set()).add(place)
        return [part for row, sentence in enumerate(stream) for part in _left(sentence, touched.get(row, set()))]

    def _matches(self, bare: str) -> Iterable[tuple[int, int]]:
        run = self._run
        for first in range(len(bare) - run + 1):
            for text in self._texts.get(bare[first : first + run], ()):
                if not self._whole:
                    yield first, first + run
                elif bare.startswith(text, first):
                    yield first, first + len(text)


def _left(sentence: str, touched: set[int]) -> list[str]:
    if not touched:
        return [sentence]
    if len(sentence) <= _SENTENCE:
        return []
    cut = {place for middle in touched for place in range(middle - _MARGIN, middle + _MARGIN + 1)}
    kept = "".join("\n" if place in cut else one for place, one in enumerate(sentence))
    return [part for part in kept.split("\n") if _MARKS.sub("", part)]


def held_out_texts(path: Path, where: Mapping[str, Collection[str]]) -> list[str]:
    """The texts of a JSONL of records whose metadata has one of the values given for each field.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "corpus.jsonl"
    >>> rows = [{"text": "秋，大水。", "metadata": {"split": "test"}}, {"text": "冬。", "metadata": {"split": "train"}}]
    >>> _ = path.write_text("".join(json.dumps(row) + "\\n" for row in rows), encoding="utf-8")
    >>> held_out_texts(path, {"split": {"val", "test"}})
    ['秋，大水。']
    """
    found = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), 0, f"the records to leave out cannot be read ({error})") from error
    for number, line in enumerate(lines, 1):
        try:
            row: Any = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(str(path), number, f"the row is no JSON ({error.msg})") from error
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise InputError(str(path), number, "the row has no text; accepted: an object with a text under 'text'")
        facts = row.get("metadata") or {}
        if all(str(facts.get(field)) in values for field, values in where.items()):
            found.append(row["text"])
    return found
