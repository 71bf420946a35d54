"""Clauses that were reworded from one version of a document to the next, and words by which to ask for them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from epochal.bench.builders.re2bench.common import STOP_WORDS, words

__all__ = ["Chain", "Rarity", "clauses", "folded", "key_phrases", "reworded"]

#: How many words a clause has: fewer say little, more are several clauses.
SHORTEST: Final = 20
LONGEST: Final = 180
#: How much of their words two versions of a clause share at least.
ALIKE: Final = 0.6
#: How many stretches of five letters must differ before a clause counts as reworded: about two words.
CHANGED: Final = 24

_BREAK = re.compile(r"\n\s*\n|\n(?=\s*(?:[*+#-]|\d+[.)])\s)")
_MARKUP = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), " "),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"https?://\S+|www\.\S+"), " "),
    (re.compile(r"^[\s>*+#=|-]+|[=|]{2,}|\*\*|\b_|_\b|__|\\(?=[.\-_*()\[\]])", re.MULTILINE), " "),
    (re.compile(r"\s+"), " "),
)
#: A clause that states dates has times in its content, and is no matter of publication alone.
_DATED = re.compile(
    r"\b(?:1[89]|20)\d\d\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\blast (?:updated|modified|revised)\b", re.IGNORECASE
)
#: What verbs follow, and how words end that are hardly ever nouns, or hardly ever anything else.
_BEFORE_VERBS: Final = frozenset(
    "can cannot could did do does he i it may must not shall she should that they to we which who will "
    "would you".split()
)
_VERB_LIKE = re.compile(r"(?:ed|ing|ly|ify|ise|ize|ate)$")
_NOUN_LIKE = re.compile(r"(?:tion|sion|ment|ity|ness|[ae]nce|ship|[^sui]s|er|or|ism|ure|age|ist|acy|phone|mail)$")
#: Addresses, which some collectors of pages keep and others mask.
_ADDRESS = re.compile(r"\[?\s*\[?\s*email[\s\u00a0]*protected\s*\]*\(?|\S+@\S+", re.IGNORECASE)
_PHRASE_WORD = re.compile(r"[a-z][a-z'’-]{2,}")
#: Words of every policy, by which no clause can be told from another.
_COMMON: Final = frozenset(
    "able accordance account additional agreement applicable available better case certain collect collected "
    "company data depends described event example following further information items limitation longer made make "
    "manner means need never number others otherwise part parties party personal please policy privacy provide "
    "provided purpose purposes rather reasonable related relevant respect respects right rights section see service "
    "services set site terms things third time user users way ways website websites well whatever whenever wherever "
    "whichever without".split()
)


@dataclass(frozen=True, slots=True)
class Chain:
    """A clause through the versions of its document, oldest first: the dates at which it got each wording.

    >>> Chain(("Fees are 2%.", "Fees are 3%."), ("2020-01-01", "2021-01-01")).texts[-1]
    'Fees are 3%.'
    """

    texts: tuple[str, ...]
    dates: tuple[str, ...]


def clauses(text: str) -> list[str]:
    """The paragraphs and items of a text, without markup; those that are too short, too long or dated are left out.

    >>> clauses("# Fees\\n\\n**Fees** are [due](http://x.y) at once" + ", and again a week after that" * 3)
    ['Fees are due at once, and again a week after that, and again a week after that, and again a week after that']
    """
    found = []
    for part in _BREAK.split(text):
        clause = part
        for pattern, plain in _MARKUP:
            clause = pattern.sub(plain, clause)
        if SHORTEST <= len(clause.split()) <= LONGEST and not _DATED.search(clause):
            found.append(clause.strip())
    return list(dict.fromkeys(found))


def reworded(versions: Sequence[tuple[str, str]], least: int = 3) -> list[Chain]:
    """The clauses of the newest version with at least so many wordings, from versions `(date, text)`, oldest first.

    A clause that came back to a wording that it had before is left out: what is newest about it cannot be said.

    >>> old = "We keep the records of each purchase for two years, and then we delete them from all of our systems."
    >>> texts = [old, old.replace("two", "five and a half long"), old.replace("two", "ten years, or for twenty more")]
    >>> chains = reworded([(f"202{number}-01-01", text * 2) for number, text in enumerate(texts)])
    >>> [chain.dates for chain in chains]
    [('2020-01-01', '2021-01-01', '2022-01-01')]
    """
    split = [[(clause, Counter(words(clause))) for clause in clauses(text)] for _, text in versions]
    before = [{clause for clause, _ in version} for version in split]
    # What two versions have alike word for word cannot have come from anything else.
    gone = [[one for one in old if one[0] not in new] for old, new in zip(split, before[1:], strict=False)]
    come = [[one for one in new if one[0] not in old] for old, new in zip(before, split[1:], strict=False)]
    found = []
    for clause, counted in split[-1] if split else []:
        texts, dates = [clause], [versions[-1][0]]
        present = (clause, counted)
        for place in range(len(split) - 2, -1, -1):
            if present[0] in before[place]:
                dates[-1] = versions[place][0]  # worded so since then
                continue
            nearest = _nearest(present, gone[place], come[place])
            if nearest is None:
                break
            present = nearest
            texts.append(nearest[0])
            dates.append(versions[place][0])
        if len(texts) >= least and _all_differ(texts):
            found.append(Chain(tuple(reversed(texts)), tuple(reversed(dates))))
    return found


Counted = tuple[str, "Counter[str]"]


def _nearest(present: Counted, older: Sequence[Counted], newer: Sequence[Counted]) -> Counted | None:
    """The clause of the older version that this one was made from: each is what the other is likest to."""
    best = max(older, key=lambda one: _alike(present[1], one[1]), default=None)
    if best is None or (share := _alike(present[1], best[1])) < ALIKE:
        return None
    if any(_alike(other[1], best[1]) > share for other in newer if other[0] != present[0]):
        return None
    return best


def _alike(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    if 2 * min(one.total(), other.total()) < ALIKE * total:
        return 0.0
    small, large = (one, other) if len(one) < len(other) else (other, one)
    shared = sum(min(count, large[word]) for word, count in small.items() if word in large)
    return 2 * shared / max(1, total)


def _all_differ(texts: Sequence[str]) -> bool:
    """Whether any two texts differ in more than spaces, marks, addresses and a word or so."""
    counted = [_stretches(text) for text in texts]
    return all(
        ((one - other) + (other - one)).total() >= CHANGED
        for place, one in enumerate(counted)
        for other in counted[place + 1 :]
    )


def _stretches(text: str) -> Counter[str]:
    """The stretches of five letters, across words: what was set with other spaces is the same."""
    letters = "".join(words(_ADDRESS.sub(" ", text)))
    return Counter(letters[place : place + 5] for place in range(len(letters) - 4))


class Rarity:
    """How rare a word is among texts: the fewer have it, the more it tells.

    >>> rarity = Rarity(["fees are due", "fees are paid", "cookies"])
    >>> rarity("cookies") > rarity("fees")
    True
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._counts: Counter[str] = Counter()
        self._total = 0
        for text in texts:
            self._counts.update(set(words(text)))
            self._total += 1

    def __call__(self, word: str) -> float:
        """The logarithm of how many texts there are for one with the word.

        >>> Rarity(["fees", "cookies", "rules"])("fees") > 0
        True
        """
        return math.log((self._total + 1) / (self._counts[word] + 1))


def key_phrases(
    chain: Chain, others: Iterable[str], rarity: Rarity, avoid: Iterable[str] = (), most: int = 1
) -> list[tuple[str, ...]]:
    """Sets of two or three phrases that every wording of a clause has and none of the other texts has together.

    There are up to `most` sets, the most telling phrases first, and no word is in two of them. The other texts are as
    `folded` gives them.

    >>> texts = ("The savings account takes a signature of parents.", "A signature is needed for a savings account.")
    >>> rarity = Rarity(["parents", "fees", "a savings account"])
    >>> key_phrases(Chain(texts, ("2020", "2021")), [folded("The signature is checked.")], rarity)
    [('signature', 'savings account')]
    """
    avoided = set(avoid) | _COMMON
    wordings = [folded(text) for text in chain.texts]
    elsewhere = tuple(others)
    ranked = sorted(
        {phrase for phrase in _runs(chain.texts[-1], avoided) if all(f" {phrase} " in text for text in wordings)},
        key=lambda phrase: (-sum(map(rarity, phrase.split())) / math.sqrt(len(phrase.split())), phrase),
    )
    found: list[tuple[str, ...]] = []
    taken: list[str] = []
    used: set[str] = set()
    for phrase in ranked:
        if len(found) == most:
            break
        if used & set(phrase.split()):
            continue
        taken.append(phrase)
        used.update(phrase.split())
        if len(taken) >= 2 and not any(all(f" {one} " in text for one in taken) for text in elsewhere):
            found.append(tuple(sorted(taken, key=lambda one: wordings[-1].find(f" {one} "))))
            taken = []
        elif len(taken) == 3:
            taken = []
    return found


def folded(text: str) -> str:
    """The words and marks of a text in small letters, each between spaces, so that phrases can be looked for.

    >>> folded("Fees, and taxes")
    ' fees , and taxes '
    """
    return f" {' '.join(_tokens(text))} "


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:[-'’][^\W_]+)*|[.,;:()/\"“”]", text.lower())


def _runs(text: str, avoided: set[str]) -> Iterator[str]:
    """Whole runs of one to three words between words that say nothing, as far as they look like names of things."""
    tokens = _tokens(text)
    said = [bool(_PHRASE_WORD.fullmatch(word)) and word not in STOP_WORDS for word in tokens]
    place = 0
    while place < len(tokens):
        end = place
        while end < len(tokens) and said[end]:
            end += 1
        run = tokens[place:end]
        if tokens[place - 1] not in _BEFORE_VERBS and _names_a_thing(run, avoided):
            yield " ".join(run)
        place = max(end, place + 1)


def _names_a_thing(run: Sequence[str], avoided: set[str]) -> bool:
    if not 1 <= len(run) <= 3 or _VERB_LIKE.search(run[-1]) or all(word in avoided for word in run):
        return False
    if any(word.endswith("ly") for word in run):
        return False
    return len(run) > 1 or (len(run[0]) > 4 and _NOUN_LIKE.search(run[0]) is not None)
