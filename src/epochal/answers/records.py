"""Answer: what is known of each time asked about, every word of it cited, dated and quoted; and what is missing.

Records only: `timeline` fills them from evidence alone, `writing` with the help of a language model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from epochal.engine.response import OUTCOMES, Outcome
from epochal.errors import UnknownNameError
from epochal.reading.questions.question import Step, period_record, span_record
from epochal.times import Span

__all__ = ["STANDINGS", "Answer", "Citation", "Claim", "Dropped", "Missing", "Part", "Quoted", "Standing"]

Standing = Literal["within", "in_force", "vague", "other", "near", "topic"]
#: How evidence stands to what is asked: of the time and the topic; older, and still in force then; dated more vaguely
#: than that time; of the time, in other words than the question's; of another time close by; of the topic, where no
#: time is asked about.
STANDINGS: tuple[Standing, ...] = get_args(Standing)


@dataclass(frozen=True, slots=True)
class Citation:
    """A document that is cited: `quote` stands word for word at `start_char` of its text.

    `date` is the time that it is cited for, and `dated_by` says where that comes from: "text", "title", "published",
    "valid", "sequence" for one carried over from the documents before it, or "" for none. `part` is the place of the
    time asked about that it belongs to. `behind` are the copies and other versions that it stands for.

    >>> Citation(1, "p1", "Fees", "A transfer costs 4 euros.", 0, 25, Span.year(2020), "published", "topic").label
    '[1: Fees, 2020]'
    """

    number: int
    id: str
    title: str
    quote: str
    start_char: int
    end_char: int
    date: Span | None
    dated_by: str
    standing: Standing
    part: int = 0
    published: Span | None = None
    superseded_by: str | None = None
    behind: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.standing not in STANDINGS:
            raise UnknownNameError("standing", self.standing, STANDINGS)

    @property
    def source(self) -> str:
        """The title, or the id of a document without one.

        >>> Citation(1, "p1", "", "Rain.", 0, 5, None, "", "topic").source
        'p1'
        """
        return " ".join(self.title.split()) or self.id

    @property
    def label(self) -> str:
        """The number, the source and the date, as answers write them.

        >>> Citation(2, "p1", "", "Rain.", 0, 5, None, "", "topic").label
        '[2: p1, undated]'
        """
        return f"[{self.number}: {self.source}, {'undated' if self.date is None else self.date.edtf()}]"

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; the keys are stable.

        >>> list(Citation(2, "p1", "", "Rain.", 0, 5, None, "", "topic").to_dict())[:4]
        ['number', 'id', 'title', 'quote']
        """
        return {
            "number": self.number,
            "id": self.id,
            "title": self.title,
            "quote": self.quote,
            "start_char": self.start_char,
            "end_char": self.end_char,
            "date": None if self.date is None else span_record(self.date),
            "dated_by": self.dated_by,
            "standing": self.standing,
            "part": self.part,
            "published": None if self.published is None else span_record(self.published),
            "superseded_by": self.superseded_by,
            "behind": list(self.behind),
        }


@dataclass(frozen=True, slots=True)
class Part:
    """One time that is asked about, None for any: what the records say of it, and the numbers of its citations.

    Citations are in the order of their dates, those of the time itself first. `more` counts records of that time that
    are not among them.

    >>> Part(Span.year(2005), "none_recorded").words
    '2005'
    """

    period: Span | None
    outcome: Outcome
    sentence: str = ""
    citations: tuple[int, ...] = ()
    more: int = 0

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise UnknownNameError("outcome", self.outcome, OUTCOMES)

    @property
    def words(self) -> str:
        """The time in words.

        >>> Part(None, "no_window").words
        'any time'
        """
        return "any time" if self.period is None else self.period.describe()

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> list(Part(None, "no_window").to_dict())
        ['period', 'outcome', 'sentence', 'citations', 'more']
        """
        return {
            "period": None if self.period is None else period_record(self.period),
            "outcome": self.outcome,
            "sentence": self.sentence,
            "citations": list(self.citations),
            "more": self.more,
        }


@dataclass(frozen=True, slots=True)
class Quoted:
    """The words of a citation that a claim rests on: they stand at `start_char` of the document's text.

    >>> Quoted(1, "costs 4 euros", 11, 24).number
    1
    """

    number: int
    quote: str
    start_char: int
    end_char: int

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> Quoted(1, "4 euros", 17, 24).to_dict()["quote"]
        '4 euros'
        """
        return {
            "number": self.number,
            "quote": self.quote,
            "start_char": self.start_char,
            "end_char": self.end_char,
        }


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a language model that holds up: each of its citations exists, and has the words quoted.

    >>> Claim("A transfer costs 4 euros.", (Quoted(1, "4 euros", 17, 24),)).numbers
    (1,)
    """

    text: str
    quotes: tuple[Quoted, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its citations, each once.

        >>> Claim("Rain.", (Quoted(2, "ra", 0, 2), Quoted(2, "in", 2, 4))).numbers
        (2,)
        """
        return tuple(dict.fromkeys(item.number for item in self.quotes))

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> Claim("Rain.", ()).to_dict()
        {'text': 'Rain.', 'quotes': []}
        """
        return {"text": self.text, "quotes": [item.to_dict() for item in self.quotes]}


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something that a language model wrote and that was left out, and why.

    >>> Dropped("citation", "Fees rose.", "there is no evidence 7").to_dict()["reason"]
    'there is no evidence 7'
    """

    kind: Literal["claim", "citation"]
    text: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> Dropped("claim", "Fees rose.", "it cites nothing").to_dict()["kind"]
        'claim'
        """
        return {"kind": self.kind, "text": self.text, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Missing:
    """What the answer lacks: a time that is not recorded or not covered, a shard that did not answer, or what a model
    says the evidence lacks.

    >>> Missing("Nothing is recorded of 2005.", Span.year(2005), "none_recorded").to_dict()["outcome"]
    'none_recorded'
    """

    sentence: str
    period: Span | None = None
    outcome: Outcome | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> Missing("The price of tea.").to_dict()
        {'sentence': 'The price of tea.', 'period': None, 'outcome': None}
        """
        period = None if self.period is None else period_record(self.period)
        return {"sentence": self.sentence, "period": period, "outcome": self.outcome}


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, part by part of the times that it asks about.

    `outcome` is "recorded" where any part is. It was asked `now`, and sees what was published by `as_of`, all of it
    where that is None; `newest` is the date of the newest record that it could see. Without a language model there are
    no `claims`, and `model` is empty: the citations are the answer. `hidden` counts documents that were left out, by
    reason.

    >>> Answer("Rain?", "no_window", (Part(None, "no_window"),)).is_refused
    True
    """

    question: str
    outcome: Outcome
    parts: tuple[Part, ...]
    citations: tuple[Citation, ...] = ()
    claims: tuple[Claim, ...] = ()
    missing: tuple[Missing, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    now: Span | None = None
    as_of: Span | None = None
    newest: Span | None = None
    model: str = ""
    plan: tuple[Step, ...] = ()
    hidden: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_refused(self) -> bool:
        """Whether the records do not answer: nothing of the time and topic, or no claim that holds up.

        >>> Answer("Rain in 1850?", "not_covered", (Part(Span.year(1850), "not_covered"),)).is_refused
        True
        """
        if self.model:
            return not self.claims
        return not any(item.standing in ("within", "in_force", "topic") for item in self.citations)

    def citation(self, number: int) -> Citation:
        """The citation of a number.

        >>> rain = Citation(1, "p1", "", "Rain.", 0, 5, None, "", "topic")
        >>> Answer("Rain?", "no_window", (Part(None, "no_window"),), (rain,)).citation(1).quote
        'Rain.'
        """
        return next(item for item in self.citations if item.number == number)

    @property
    def text(self) -> str:
        """The answer in plain lines, with its citations.

        >>> print(Answer("Rain in 1850?", "not_covered", (Part(Span.year(1850), "not_covered", "Not covered."),)).text)
        1850
          Not covered.
        """
        from epochal.answers.wording import answer_lines

        return "\n".join(answer_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; the keys are stable.

        >>> list(Answer("Rain?", "no_window", (Part(None, "no_window"),)).to_dict())[:5]
        ['question', 'now', 'as_of', 'newest', 'outcome']
        """
        return {
            "question": self.question,
            "now": None if self.now is None else self.now.edtf(),
            "as_of": None if self.as_of is None else self.as_of.edtf(),
            "newest": None if self.newest is None else self.newest.edtf(),
            "outcome": self.outcome,
            "is_refused": self.is_refused,
            "text": self.text,
            "parts": [item.to_dict() for item in self.parts],
            "citations": [item.to_dict() for item in self.citations],
            "claims": [item.to_dict() for item in self.claims],
            "missing": [item.to_dict() for item in self.missing],
            "dropped": [item.to_dict() for item in self.dropped],
            "model": self.model,
            "plan": [item.to_dict() for item in self.plan],
            "hidden": dict(self.hidden),
        }
