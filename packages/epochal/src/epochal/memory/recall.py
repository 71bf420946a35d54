"""What a memory recalls: evidence with both of its times, packed as text that fits into a prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from epochal.answers.answer import AnswerTime, describe_times
from epochal.memory.turns import Happening, Turn
from epochal.times.axis import Grain
from epochal.times.span import Span

#: Whether the memory answers: it does; it knows the topic, and not this of it; it does not know the topic.
RecallOutcome = Literal["recorded", "none_recorded", "topic_unknown"]

#: Where no tokenizer is given, so many characters count as a token, which is true of English on average.
_TOKEN_CHARS: Final = 4
_SENTENCES: Final[Mapping[RecallOutcome, str]] = {
    "recorded": "",
    "none_recorded": "Probably not recorded: the memory has the topic, but nothing that answers this.",
    "topic_unknown": "Topic unknown: the memory has nothing on this.",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A turn that answers a question, with the turns around it and what became of it.

    `number` is its place, 1 for the best. `superseded_by` is the id of the turn that corrects it, if there is one.
    """

    number: int
    turn: Turn
    score: float
    before: Turn | None = None
    after: Turn | None = None
    superseded_by: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The id of the turn."""
        return self.turn.id

    @property
    def text(self) -> str:
        """What was said."""
        return self.turn.text

    @property
    def said(self) -> Span:
        """When it was said."""
        return self.turn.said

    @property
    def happenings(self) -> tuple[Happening, ...]:
        """When what it tells of happened, is planned, or did not happen."""
        return self.turn.happenings

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "number": self.number,
            **self.turn.to_dict(),
            "score": round(self.score, 4),
            "times": [item.to_dict() for item in self.happenings],
            "superseded_by": self.superseded_by or None,
            "before": None if self.before is None else self.before.to_dict(),
            "after": None if self.after is None else self.after.to_dict(),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Recall:
    """The evidence for a question, best first; as text it is a pack for a prompt.

    `probability` is how likely the evidence answers the question at all. `times` answer a question for when; their
    numbers are those of the evidence.
    """

    question: str
    evidence: tuple[Evidence, ...]
    outcome: RecallOutcome
    probability: float
    now: Span | None = None
    as_of: Span | None = None
    believed_at: Span | None = None
    times: tuple[AnswerTime, ...] = ()
    unknown_words: tuple[str, ...] = ()
    budget: int | None = None
    #: By the id of each turn of the evidence and around it, a number that grows in the order of storing.
    orders: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.evidence)

    def __iter__(self) -> Iterator[Evidence]:
        return iter(self.evidence)

    def __getitem__(self, place: int) -> Evidence:
        return self.evidence[place]

    def __repr__(self) -> str:
        return f"<Recall of {self.question!r}: {self.outcome}, {len(self.evidence)} turns>"

    def __str__(self) -> str:
        return self.pack(self.budget)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the evidence, best first."""
        return tuple(item.id for item in self.evidence)

    def pack(self, budget: int | None = None, count_tokens: Callable[[str], int] | None = None) -> str:
        """The evidence as text of at most so many tokens, in the order of time, session by session.

        Evidence is taken in its order as long as there is room, then the turns around it. `count_tokens` counts as a
        model does; without it four characters count as one token.
        """
        count = count_tokens or estimate_tokens
        head = [line for line in (self._describe_outcome(),) if line]
        turns: dict[str, tuple[Turn, str]] = {}
        spent = sum(count(line) + 1 for line in head)
        for turn, note in self._list_turns():
            line = format_turn(turn, note)
            cost = count(line) + 1
            if turn.id in turns or (budget is not None and spent + cost > budget):
                continue
            turns[turn.id] = (turn, line)
            spent += cost
        ordered = sorted(
            turns.values(), key=lambda item: (item[0].said.start, item[0].session, self.orders.get(item[0].id, 0))
        )
        return "\n".join([*head, *(line for _, line in ordered)])

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""

        def write(span: Span | None) -> str | None:
            return None if span is None else span.edtf()

        return {
            "question": self.question,
            "outcome": self.outcome,
            "probability": round(self.probability, 4),
            "now": write(self.now),
            "as_of": write(self.as_of),
            "believed_at": write(self.believed_at),
            "times": [time.to_dict() for time in self.times],
            "unknown_words": list(self.unknown_words),
            "evidence": [item.to_dict() for item in self.evidence],
        }

    def _describe_outcome(self) -> str:
        if self.times and self.outcome == "recorded":
            return describe_times(self.times)
        return _SENTENCES[self.outcome]

    def _list_turns(self) -> Iterator[tuple[Turn, str]]:
        for item in self.evidence:
            note = f"[{item.number}]" + (f" (corrected later by {item.superseded_by})" if item.superseded_by else "")
            yield item.turn, note
        for item in self.evidence:
            for turn in (item.before, item.after):
                if turn is not None:
                    yield turn, ""


def estimate_tokens(text: str) -> int:
    """How many tokens a text has, about."""
    return -(-len(text) // _TOKEN_CHARS)


def format_turn(turn: Turn, note: str = "") -> str:
    """A turn as a line: when it was said, who said what, and when it happened where its words state that.

    >>> format_turn(Turn("t", "I ran a race yesterday.", Span.parse("2023-05-08"), speaker="Ana"), "[1]")
    '[1] 2023-05-08 Ana: I ran a race yesterday. {yesterday = 2023-05-07}'
    """
    day = turn.said if turn.said.grain >= Grain.DAY else Span.unit(turn.said.start, Grain.DAY)
    speaker = f" {turn.speaker}" if turn.speaker else ""
    text = " ".join(turn.text.split())
    times = "; ".join(_format_happening(item) for item in turn.happenings)
    return f"{note} ".lstrip() + f"{day.edtf()}{speaker}: {text}" + (f" {{{times}}}" if times else "")


def _format_happening(item: Happening) -> str:
    status = {"happened": "", "planned": " planned", "negated": " did not happen"}[item.status]
    words = item.text or "happened"
    return f"{words} = {item.span.edtf()}{status}"
