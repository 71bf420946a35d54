"""Passages to chunks of one time expression: sentences are joined until the next expression would make two.

The rule is that of the first author's working copy of TMRL: a sentence without an expression joins the buffer; one with
an expression joins it too, unless the buffer has one already, which then is given out. What is left at the end is given
out if it has one. A chunk has more than five words. Sentences with several expressions make no chunk; with `several`,
paragraphs are kept whole instead, with all of theirs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from epochal.bench.augment.moments import SURE, Moment, read_moments
from epochal.index.splitting import split, units

__all__ = ["LONGEST", "SHORTEST", "Chunk", "Splitter", "normalise"]

#: A chunk has at least so many words, and at most so many: what encoders read of a passage.
SHORTEST: Final = 6
LONGEST: Final = 250
#: How many expressions a paragraph that is kept whole may have; lists of results have dozens.
MOST_MOMENTS: Final = 12
_PARAGRAPH: Final = 1200

_SPACE: Final = re.compile(r"\s+")
_BEFORE_MARK: Final = re.compile(r" (?=[.,;:!?)\]%](?:\s|$))")
_AFTER_BRACKET: Final = re.compile(r"(?<=[(\[]) ")
_TWO_STOPS: Final = re.compile(r"(?<=[^.]\.)\.(?=\s|$)")
_EMPTY_BRACKETS: Final = re.compile(r"\(\s*[,;]?\s*\)\s?")
_MARK_IN_BRACKET: Final = re.compile(r"(?<=\()[,;]\s*")


def normalise(text: str) -> str:
    """A text with single spaces, and none before marks or within brackets, as tokenised text has them.

    >>> normalise("Ann ( born 1902 ) left Washington , D.C. . She sat .")
    'Ann (born 1902) left Washington, D.C. She sat.'
    """
    plain = _BEFORE_MARK.sub("", _SPACE.sub(" ", text).strip())
    plain = _AFTER_BRACKET.sub("", plain)
    plain = _EMPTY_BRACKETS.sub("", _MARK_IN_BRACKET.sub("", plain))
    return _TWO_STOPS.sub("", plain)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a passage and its moments; `source` tells the passage that it is from, `title` what that is about.

    >>> Splitter().chunks("Ann left the team in 1998. She sat down.", "p1")[0].moments[0].text
    '1998'
    """

    id: str
    text: str
    moments: tuple[Moment, ...]
    source: str
    title: str = ""

    @property
    def moment(self) -> Moment:
        """The first of its moments; a chunk of the strict rule has no other.

        >>> Splitter().chunks("Ann left the team in 1998. She sat down.", "p1")[0].moment.span.edtf()
        '1998'
        """
        return self.moments[0]


class Splitter:
    """Splits passages, and counts in `dropped` what made no chunk, by the reason.

    >>> splitter = Splitter()
    >>> text = "Ann joined the team in 1998. She was young. She left it in May 2001 for another one. Bob left then."
    >>> [chunk.text for chunk in splitter.chunks(text, "p1")]
    ['Ann joined the team in 1998. She was young.', 'She left it in May 2001 for another one. Bob left then.']
    """

    def __init__(self, *, several: bool = False, shortest: int = SHORTEST, longest: int = LONGEST) -> None:
        self.several = several
        self._shortest = shortest
        self._longest = longest
        self.dropped: Counter[str] = Counter()

    def chunks(self, text: str, source: str, title: str = "") -> list[Chunk]:
        """The chunks of a passage, in order.

        >>> splitter = Splitter(several=True)
        >>> [len(chunk.moments) for chunk in splitter.chunks("Ann sat from 1998 to 2001, and again in 2004.", "p1")]
        [2]
        """
        pieces = self._paragraphs(text) if self.several else self._merged(normalise(text))
        found: list[Chunk] = []
        for piece in pieces:
            chunk = self._chunk(piece, f"{source}#{len(found)}", source, title)
            if isinstance(chunk, str):
                self.dropped[chunk] += 1
            else:
                found.append(chunk)
        return found

    def _paragraphs(self, text: str) -> Iterator[str]:
        plain = [normalise(part) for part in re.split(r"\n\s*\n", text)]
        for part in plain:
            yield from (part[start:end] for start, end in split(part, _PARAGRAPH))

    def _merged(self, text: str) -> Iterator[str]:
        moments = read_moments(text).moments
        start: int | None = None
        last = count = words = 0
        for low, high in units(text):
            here = sum(low <= moment.start_char < high for moment in moments)
            size = len(text[low:high].split())
            if start is not None and ((here and count + here > 1) or words + size > self._longest):
                yield text[start:last]
                start, count, words = None, 0, 0
            start = low if start is None else start
            last, count, words = high, count + here, words + size
        if start is not None:
            yield text[start:last]

    def _chunk(self, text: str, id: str, source: str, title: str) -> Chunk | str:
        """A chunk, or the reason why the piece makes none. It is read by itself: what stood before it is gone."""
        if len(text.split()) < self._shortest:
            return "too short"
        moments = read_moments(text).moments
        if not moments:
            return "no time"
        if not self.several and len(moments) > 1:
            return "several times"
        if len(moments) > MOST_MOMENTS:
            return "a list of times"
        problem = _problem(moments)
        return problem or Chunk(id, text, moments, source, title)


def _problem(moments: Sequence[Moment]) -> str:
    """Why moments cannot be asked about; one that leans on another counts as read where the passage has that too."""
    if not moments[0].absolute:
        return "relative time"
    if any(moment.confidence < SURE for moment in moments):
        return "unsure time"
    years = [year for moment in moments for year in (moment.span.first_year, moment.span.last_year) if year is not None]
    return "" if years and min(years) >= 1 and max(years) <= 2100 else "far time"
