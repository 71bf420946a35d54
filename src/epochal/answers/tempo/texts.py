"""Questions as TEMPO writes them: a title, a line break, and a body in HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from epochal.index.analysis import analyse
from epochal.index.records import Document
from epochal.index.splitting import units
from epochal.reading.ranges import stretches
from epochal.reading.tagger import tag
from epochal.times import OPEN_END, OPEN_START, Span

__all__ = ["content_words", "covered", "first_words", "named", "plain", "spoken_times", "title"]

#: Words that say nothing of what a text is about.
_EMPTY: Final = (
    "a about after all also am an and any are as at be because been before between both but by can could did do does "
    "during each find for from had has have he her him his how i if in into is it its itself just know like me more "
    "most much my no not of on only or other our out over question s she should so some such t than that the their "
    "them then there these they this those to too up us very was we were what when where which while who why will "
    "with would you your"
)
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")


def plain(text: str) -> str:
    """The text of a question that was written in HTML; others stay as they are, but for spaces around them.

    >>> plain('Fees in 2017?<p>Or &amp; <a href="https://x.org/2019">now</a>?</p>')
    'Fees in 2017? Or & now ?'
    """
    bare = html.unescape(_TAG.sub(" ", text)) if _TAG.search(text) or "&" in text else text
    return "\n".join(" ".join(line.split()) for line in bare.splitlines() if line.strip())


def title(text: str) -> str:
    """The first line of a question, which says what it is about; the whole where there is but one.

    >>> title("Why the jump in 2023?\\n<p>I noticed that there was one.</p>")
    'Why the jump in 2023?'
    """
    return plain(text).partition("\n")[0]


def first_words(text: str, most: int) -> str:
    """The first sentences of a text that have no more words than that, or as many words of the first.

    >>> first_words("Fees rose. They fell again in 2018.", 5), first_words("Fees rose in 2017.", 2)
    ('Fees rose.', 'Fees rose')
    """
    kept: list[str] = []
    for start, end in units(text):
        words = text[start:end].split()
        if len(kept) + len(words) > most:
            break
        kept += words
    return " ".join(kept or text.split()[:most])


def content_words(text: str) -> frozenset[str]:
    """The words that say what a text is about, reduced to their stems.

    >>> sorted(content_words("Why did the fees rise?"))
    ['fee', 'rise']
    """
    return frozenset(analyse(text)) - _empty()


@cache
def _empty() -> frozenset[str]:
    return frozenset(analyse(_EMPTY))


def named(span: Span) -> str:
    """A period as a noun, whatever its ends.

    >>> named(Span.year(2017)), named(Span.parse("2008/.."))
    ('2017', 'the time since 2008')
    """
    words = span.describe()
    is_phrase = span.start == OPEN_START or span.end == OPEN_END or words.startswith(("from ", "since ", "until "))
    return f"the time {words}" if is_phrase else words


def spoken_times(document: Document) -> tuple[Span, ...]:
    """The times that a document speaks of: those that its title and text state, or else when it appeared.

    >>> [span.edtf() for span in spoken_times(Document("a", "Built between 1904 and 1906."))]
    ['1904/1906']
    """
    text = f"{document.title}\n{document.text}" if document.title else document.text
    found = tuple(item.span for item in stretches(text, tag(text, document.published)) if not item.span.is_open)
    return found or ((document.published,) if document.published is not None else ())


def covered(periods: Sequence[Span], times: Iterable[Span]) -> tuple[bool, ...]:
    """For each period whether one of some times lies in it, at least in part.

    >>> covered([Span.year(2017), Span.year(2021)], [Span.parse("2017-05")])
    (True, False)
    """
    known = list(times)
    return tuple(any(span.overlaps(period) for span in known) for period in periods)
