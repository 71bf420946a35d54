"""Texts against gold: the time expressions of a tagger as TempEval-3 counts them, and short answers word by word.

# Time expressions

Within a document, gold and system expressions are paired one to one: first those with the same extent, then, from left
to right, each gold expression with the first free system expression that shares a character with it. Over all documents
together (micro average):

- **relaxed**: correct are all pairs;
- **strict**: correct are the pairs with the same extent;
- **value**: correct are the pairs with the same value, whatever their extents;
- **type**: correct are the pairs of the same kind.

Precision is correct / system expressions, recall correct / gold expressions. For value and type this equals what
TempEval-3 calls the F1 of the relaxed match times the accuracy of the attribute. The document's own date (DCT) lies
outside its text and does not count.

The rows by kind take gold expressions of that kind, the system expressions paired with them, and unpaired system
expressions of that kind: the rows add up to the whole.

# Short answers

Token F1 and exact match, the best over all reference answers. As is usual for such answers, case, punctuation, wide
forms of letters and English articles do not count. Scripts that write no spaces are compared character by character.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from epochal.errors import EpochalError
from epochal.reading.timeml import TaggedExpression

TagMeasure = Literal["relaxed", "strict", "value", "type"]
#: What is counted.
TAG_MEASURES: tuple[TagMeasure, ...] = get_args(TagMeasure)

ErrorClass = Literal["missed", "spurious", "extent", "value", "type"]
#: What can be wrong; a pair with a wrong extent and a wrong value is listed under both.
ERROR_CLASSES: tuple[ErrorClass, ...] = get_args(ErrorClass)


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """A text with expressions in it, gold ones or a system's; `name` says which document it is."""

    name: str
    text: str
    expressions: Sequence[TaggedExpression]


@dataclass(slots=True)
class TagCount:
    """Correct ones out of so many gold and so many system expressions."""

    correct: int = 0
    gold: int = 0
    system: int = 0

    @property
    def precision(self) -> float:
        """Correct / system; 0 where there is none."""
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """Correct / gold; 0 where there is none."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of the two; 0 where both are."""
        return 2 * self.correct / (self.gold + self.system) if self.gold + self.system else 0.0

    def record(self) -> dict[str, float]:
        """As JSON has it."""
        rounded = {name: round(getattr(self, name), 4) for name in ("precision", "recall", "f1")}
        return {**rounded, "correct": self.correct, "gold": self.gold, "system": self.system}


@dataclass(frozen=True, slots=True)
class Mistake:
    """One disagreement, with the gold expression, the system's, or both, and the words around."""

    what: ErrorClass
    document: str
    gold: TaggedExpression | None
    system: TaggedExpression | None
    context: str

    def __str__(self) -> str:
        sides = [
            f"{side} {item.text!r} {item.kind} {item.value}{f' {item.mod}' if item.mod else ''}"
            for side, item in (("gold", self.gold), ("system", self.system))
            if item is not None
        ]
        return f"{self.what:9} {self.document}: {' / '.join(sides)} | {self.context}"

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        sides = {"gold": self.gold, "system": self.system}
        names = ("text", "start_char", "end_char", "kind", "value", "mod")
        output = {
            side: None if item is None else {name: getattr(item, name) for name in names}
            for side, item in sides.items()
        }
        return {"what": self.what, "document": self.document, **output, "context": self.context}


def _make_zero_counts() -> dict[TagMeasure, TagCount]:
    return {name: TagCount() for name in TAG_MEASURES}


@dataclass(slots=True)
class TagScores:
    """Counts by measure for all expressions (`overall`) and for those of each kind (`kinds`), and every mistake."""

    documents: int = 0
    overall: dict[TagMeasure, TagCount] = field(default_factory=_make_zero_counts)
    kinds: dict[str, dict[TagMeasure, TagCount]] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)

    def record(self) -> dict[str, Any]:
        """As JSON has it: the key "overall" and, under "kinds", each kind hold the measures."""
        return {
            "documents": self.documents,
            "overall": {name: count.record() for name, count in self.overall.items()},
            "kinds": {
                kind: {name: count.record() for name, count in counts.items()}
                for kind, counts in sorted(self.kinds.items())
            },
            "mistakes": {what: sum(item.what == what for item in self.mistakes) for what in ERROR_CLASSES},
        }

    def table(self) -> str:
        """Precision, recall and F1 in percent, as a table for people."""
        lines = ["kind      measure      P      R     F1  correct    gold  system"]
        for kind, counts in [("all", self.overall), *sorted(self.kinds.items())]:
            for name, count in counts.items():
                percent = "".join(f"{100 * number:7.2f}" for number in (count.precision, count.recall, count.f1))
                lines.append(f"{kind:9} {name:7}{percent}{count.correct:9}{count.gold:8}{count.system:8}")
        return "\n".join(lines)


def pair_tags(
    gold: Iterable[TaggedExpression], system: Iterable[TaggedExpression]
) -> list[tuple[TaggedExpression | None, TaggedExpression | None]]:
    """Gold and system expressions of one document, paired one to one; what finds no partner is left alone."""
    left = sorted(gold, key=lambda item: (item.start_char, item.end_char))
    right = sorted(system, key=lambda item: (item.start_char, item.end_char))
    partner = _match_exact(left, right)
    taken = set(partner.values())
    nearest = 0
    longest = max((item.end_char - item.start_char for item in right), default=0)
    for position, one in enumerate(left):
        if position in partner:
            continue
        while nearest < len(right) and right[nearest].start_char + longest <= one.start_char:
            nearest += 1
        for other in range(nearest, len(right)):
            if right[other].start_char >= one.end_char:
                break
            if other not in taken and one.start_char < right[other].end_char:
                partner[position] = other
                taken.add(other)
                break
    pairs: list[tuple[TaggedExpression | None, TaggedExpression | None]] = [
        (one, right[partner[position]] if position in partner else None) for position, one in enumerate(left)
    ]
    pairs += [(None, item) for position, item in enumerate(right) if position not in taken]
    return sorted(pairs, key=_place)


def _match_exact(left: list[TaggedExpression], right: list[TaggedExpression]) -> dict[int, int]:
    free: dict[tuple[int, int], list[int]] = {}
    for position, item in enumerate(right):
        free.setdefault((item.start_char, item.end_char), []).append(position)
    return {
        position: free[key].pop(0)
        for position, item in enumerate(left)
        if free.get(key := (item.start_char, item.end_char))
    }


def _place(pair: tuple[TaggedExpression | None, TaggedExpression | None]) -> tuple[int, int]:
    item = pair[0] or pair[1]
    return (item.start_char, item.end_char) if item is not None else (0, 0)


def score_tags(gold: Sequence[AnnotatedText], system: Sequence[AnnotatedText]) -> TagScores:
    """Score a system's documents against the gold ones, which must be the same texts in the same order."""
    if len(gold) != len(system):
        raise EpochalError(f"there are {len(gold)} gold documents but {len(system)} of the system's")
    scores = TagScores(documents=len(gold))
    for right, tagged in zip(gold, system, strict=True):
        if right.text != tagged.text:
            raise EpochalError(
                f"{tagged.name}: {_describe_difference(right.text, tagged.text)}; both must hold the same text"
            )
        for one, other in pair_tags(right.expressions, tagged.expressions):
            item = one or other
            kind = "" if item is None else item.kind
            for counts in (scores.overall, scores.kinds.setdefault(kind, _make_zero_counts())):
                _add(counts, one, other)
            scores.mistakes += [
                Mistake(what, right.name, one, other, _get_context(right.text, one or other))
                for what in _list_errors(one, other)
            ]
    return scores


def _add(counts: dict[TagMeasure, TagCount], gold: TaggedExpression | None, system: TaggedExpression | None) -> None:
    wrong = _list_errors(gold, system)
    for name, count in counts.items():
        count.gold += gold is not None
        count.system += system is not None
        failed = {"strict": "extent"}.get(name, name)
        count.correct += gold is not None and system is not None and failed not in wrong


def _list_errors(gold: TaggedExpression | None, system: TaggedExpression | None) -> list[ErrorClass]:
    """What is wrong with a pair."""
    if system is None:
        return ["missed"]
    if gold is None:
        return ["spurious"]
    errors: list[ErrorClass] = []
    if (gold.start_char, gold.end_char) != (system.start_char, system.end_char):
        errors.append("extent")
    if gold.value != system.value:
        errors.append("value")
    if gold.kind != system.kind:
        errors.append("type")
    return errors


def _get_context(text: str, item: TaggedExpression | None, width: int = 45) -> str:
    """The words around, in one line, the expression in brackets."""
    if item is None:
        return ""
    before = text[max(0, item.start_char - width) : item.start_char]
    behind = text[item.end_char : item.end_char + width]
    return " ".join(f"{before}[{text[item.start_char : item.end_char]}]{behind}".split())


def _describe_difference(gold: str, system: str) -> str:
    position = next(
        (position for position, (one, other) in enumerate(zip(gold, system, strict=False)) if one != other),
        min(len(gold), len(system)),
    )
    end = position + 20
    return f"at character {position} gold has {gold[position:end]!r}, the system {system[position:end]!r}"


_PUNCTUATION = str.maketrans("", "", f"{string.punctuation}’")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")


def answer_tokens(text: str) -> list[str]:
    """The words of an answer that are compared."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_PUNCTUATION)
    return _TOKEN.findall(_ARTICLE.sub(" ", plain))


def token_f1(answer: str, reference: str) -> float:
    """The harmonic mean of precision and recall over the words of an answer; 1 where both have none."""
    answered, expected = answer_tokens(answer), answer_tokens(reference)
    if not answered or not expected:
        return float(answered == expected)
    common = sum((Counter(answered) & Counter(expected)).values())
    return 2 * common / (len(answered) + len(expected))


def exact_match(answer: str, reference: str) -> float:
    """1 where an answer has the words of the reference in their order and no others, else 0."""
    return float(answer_tokens(answer) == answer_tokens(reference))


def best_score(measure: Callable[[str, str], float], answer: str, references: Iterable[str]) -> float:
    """The best that an answer reaches against any of the references."""
    return max(measure(answer, reference) for reference in references)
