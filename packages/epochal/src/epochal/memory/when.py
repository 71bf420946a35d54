"""When-answers from recalled turns: the time that the best turn states beside the words of the question."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from epochal.answers.answer import AnswerTime
from epochal.memory.carried import belongs_to_other_words, find_carried_times
from epochal.memory.recall import Evidence
from epochal.memory.turns import Happening, HappeningStatus, Turn
from epochal.reading.questions.question import Understanding
from epochal.storage.text import analyse
from epochal.times.axis import OPEN_END, OPEN_START, Grain
from epochal.times.span import Span

#: A turn whose score is this much behind the best may still state the time that the best one does not.
_NEAR_BEST: Final = 1.5
#: A plan is not when something happened, nor the other way round: another turn so little behind has the answer.
_OTHER_STATUS: Final = 1.0
#: What it is worth that a word of the question is in the clause that states a time, and how many words count.
_BESIDE: Final = 0.25
_MAX_SHARED: Final = 3
#: What it is worth that a reply states the time of a turn, as a ranking rates turns that state one.
_CARRIED: Final = 1.0
#: So many turns are looked at.
_MAX_TURNS: Final = 3
_ASKS_GRAIN: Final = re.compile(r"\b(?:which|what)\s+(year|month|week|day|date)\b", re.IGNORECASE)
_GRAINS: Final = {
    "year": Grain.YEAR,
    "month": Grain.MONTH,
    "week": Grain.WEEK,
    "day": Grain.DAY,
    "date": Grain.DAY,
}
#: What is asked of the future: "when will", "when is she going to", "when does she arrive", "when are they leaving".
_FUTURE: Final = re.compile(
    r"\b(?:will|going to|plan(?:s|ning|ned)?|scheduled|supposed to|expected|due)\b"
    r"|\bwhen (?:is|are|am)\b.*\b\w{2,}ing\b|\bwhen (?:do|does)\b",
    re.IGNORECASE,
)
#: Where another clause begins within a sentence: "a quiet weekend after we went camping two weekends ago".
_CLAUSE_START: Final = re.compile(
    r"[,;:–—]|\s-\s|\b(?:and|but|or|so|then|after|before|when|while|since|until|because|although|though|where|which|who)\b",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.!?\n]")


def find_times(
    question: str,
    understanding: Understanding,
    evidence: Sequence[Evidence],
    words: Collection[str],
    get_following: Callable[[Turn], Sequence[Turn]],
) -> tuple[AnswerTime, ...]:
    """The times that answer a question for when, best first; none for other questions.

    `words` are the tokens of what it asks about, in all their forms, and `get_following` gives the turns after one.
    Where no turn states a time, it is when the best turn was said, and not `is_stated`.
    """
    if not evidence or not asks_for_time(question, understanding):
        return ()
    wanted: HappeningStatus = "planned" if asks_for_future(question) else "happened"
    near = [item for item in evidence[:_MAX_TURNS] if evidence[0].score - item.score <= _NEAR_BEST]
    rated = [time for item in near if (time := _rate(item, words, wanted, get_following)) is not None]
    if rated:
        numbers: dict[Span, int] = {}
        for _, happening, number in sorted(rated, key=lambda time: -time[0]):
            numbers.setdefault(_fit_grain(_take_beginning(happening.span), question), number)
        return tuple(AnswerTime(span, (number,)) for span, number in numbers.items())
    said = evidence[0].said
    day = said if said.grain >= Grain.DAY else Span.unit(said.start, Grain.DAY)
    return (AnswerTime(_fit_grain(day, question), (evidence[0].number,), is_stated=False),)


def asks_for_time(question: str, understanding: Understanding) -> bool:
    """Whether an answer is a time."""
    return understanding.answer_kind == "when" or _ASKS_GRAIN.search(question) is not None


def asks_for_future(question: str) -> bool:
    """Whether a question is about what is to come, or was planned.

    >>> asks_for_future("When is Ana going to move?"), asks_for_future("When did Ana move?")
    (True, False)
    """
    return _FUTURE.search(question) is not None


def _rate(
    item: Evidence, words: Collection[str], wanted: HappeningStatus, get_following: Callable[[Turn], Sequence[Turn]]
) -> tuple[float, Happening, int] | None:
    """How well the time of a turn answers, that time, and the number of the turn; None where it states none."""
    chosen, beside, score = _choose(item, words, wanted), item.text, item.score
    if chosen is not None:
        beside = _get_clause(item.text, chosen)
        if not _count(words, _get_sentence(item.text, chosen)) and belongs_to_other_words(item.text, chosen):
            chosen, beside = None, item.text
    if chosen is None:
        # The time of a reply is that of what it replies to.
        carried = _keep_days(find_carried_times(item.turn, get_following(item.turn)))
        chosen = max(carried, key=lambda one: one.status == wanted, default=None)
        score += _CARRIED
    if chosen is None:
        return None
    score += _BESIDE * min(_count(words, beside), _MAX_SHARED) - (_OTHER_STATUS if chosen.status != wanted else 0.0)
    return score, chosen, item.number


def _keep_days(happenings: Iterable[Happening]) -> list[Happening]:
    """Those that say on which day, or in which week, month or year."""
    return [one for one in happenings if Grain.DAY <= one.span.grain <= Grain.YEAR]


def _count(words: Collection[str], text: str) -> int:
    return len(set(words).intersection(analyse(text)))


def _choose(item: Evidence, words: Collection[str], wanted: HappeningStatus) -> Happening | None:
    """The time of a turn that answers: planned where the question is about a plan, and beside the shared words."""
    happenings = _keep_days(item.happenings)
    if not happenings:
        return None
    # "A warm summer breeze" is no date beside "last night".
    happenings = [
        one for one in happenings if " " in one.text or not one.text.islower() or one.span.grain != Grain.SEASON
    ] or happenings

    def rate(one: Happening) -> tuple[bool, int, int, bool, int]:
        sentence, clause = _get_sentence(item.text, one), _get_clause(item.text, one)
        shared = _count(words, sentence), _count(words, clause)
        return one.status == wanted, *shared, one.status != "negated", -one.span.seconds

    return max(happenings, key=rate)


def _take_beginning(span: Span) -> Span:
    """The unit in which what still lasts began: since 2016 she paints, so 2016 is when she started."""
    if span.end != OPEN_END or span.start == OPEN_START:
        return span
    return replace(Span.unit(span.start, span.grain), certainty=span.certainty, end_certainty=span.certainty)


def _get_sentence(text: str, happening: Happening) -> str:
    start, end = _find_sentence(text, happening)
    return text[start:end]


def _get_clause(text: str, happening: Happening) -> str:
    """The clause that states a time. A word right before a time ("since March") belongs to it, and begins none."""
    start, end = _find_sentence(text, happening)
    for mark in _CLAUSE_START.finditer(text, start, happening.start_char):
        if text[mark.end() : happening.start_char].strip():
            start = mark.start()
    mark_after = _CLAUSE_START.search(text, happening.end_char, end)
    return text[start : end if mark_after is None else mark_after.start()]


def _find_sentence(text: str, happening: Happening) -> tuple[int, int]:
    start = max((match.end() for match in _SENTENCE_END.finditer(text, 0, happening.start_char)), default=0)
    end = _SENTENCE_END.search(text, happening.end_char)
    return start, len(text) if end is None else end.start()


def _fit_grain(span: Span, question: str) -> Span:
    """The span as coarse as the question asks for: "which month" is not answered by a day."""
    asked = _ASKS_GRAIN.search(question)
    grain = _GRAINS[asked[1].lower()] if asked else span.grain
    return Span.unit(span.start, grain) if grain > span.grain and not span.is_open else span
