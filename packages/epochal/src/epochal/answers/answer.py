"""Answer: what is known of each query window, every word of it cited, dated and quoted; and what is missing.

Records only: `timeline` fills them from evidence alone, `writing` with the help of a language model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal, get_args

from epochal.errors import UnknownNameError
from epochal.reading.questions.question import Step, period_to_dict, span_to_dict
from epochal.search.display import render_heading, render_timeline
from epochal.search.response import OUTCOMES, Outcome
from epochal.times.span import Span

EvidenceStatus = Literal["within", "in_force", "vague", "other", "near", "topic"]
#: How evidence relates to the question: of the time and the topic; older, and still in force then; dated more vaguely
#: than that time; of the time, in other words than the question's; of another time close by; of the topic, where no
#: query window is given.
EVIDENCE_STATUSES: tuple[EvidenceStatus, ...] = get_args(EvidenceStatus)


@dataclass(frozen=True, slots=True)
class Citation:
    """A document that is cited: `quote` is found word for word at `start_char` of its text.

    `date` is the time that it is cited for, and `dated_by` says where that comes from: "text", "title", "published",
    "valid", "sequence" for one carried over from the documents before it, or "" for none. `part` is the place of the
    query window that it belongs to. `behind` are the near-duplicates and other versions that it represents.

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
    standing: EvidenceStatus
    part: int = 0
    published: Span | None = None
    superseded_by: str | None = None
    behind: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.standing not in EVIDENCE_STATUSES:
            raise UnknownNameError("standing", self.standing, EVIDENCE_STATUSES)

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
            "date": None if self.date is None else span_to_dict(self.date),
            "dated_by": self.dated_by,
            "standing": self.standing,
            "part": self.part,
            "published": None if self.published is None else span_to_dict(self.published),
            "superseded_by": self.superseded_by,
            "behind": list(self.behind),
        }


@dataclass(frozen=True, slots=True)
class Part:
    """One query window, None for any time: what the records state of it, and the numbers of its citations.

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
            "period": None if self.period is None else period_to_dict(self.period),
            "outcome": self.outcome,
            "sentence": self.sentence,
            "citations": list(self.citations),
            "more": self.more,
        }


@dataclass(frozen=True, slots=True)
class Quote:
    """The words of a citation that a claim rests on: they begin at `start_char` of the document's text."""

    number: int
    quote: str
    start_char: int
    end_char: int

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "number": self.number,
            "quote": self.quote,
            "start_char": self.start_char,
            "end_char": self.end_char,
        }


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a language model that holds up: each of its citations exists, and has the words quoted.

    >>> Claim("A transfer costs 4 euros.", (Quote(1, "4 euros", 17, 24),)).numbers
    (1,)
    """

    text: str
    quotes: tuple[Quote, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its citations, each once.

        >>> Claim("Rain.", (Quote(2, "ra", 0, 2), Quote(2, "in", 2, 4))).numbers
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
class DroppedText:
    """Something that a language model wrote and that was left out, and why."""

    kind: Literal["claim", "citation"]
    text: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"kind": self.kind, "text": self.text, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Missing:
    """What the answer lacks: a time that is not recorded or not covered, a shard that did not answer, or what a model
    says the evidence lacks.
    """

    sentence: str
    period: Span | None = None
    outcome: Outcome | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        period = None if self.period is None else period_to_dict(self.period)
        return {"sentence": self.sentence, "period": period, "outcome": self.outcome}


@dataclass(frozen=True, slots=True)
class AnswerTime:
    """A time that answers a question for when: the numbers of the citations that have it.

    `is_stated` says that texts state it beside the words of the question; else it is when they were published, and
    something was only reported by then.

    >>> AnswerTime(Span.year(-43), (1, 3)).words
    '44 BCE [1, 3]'
    """

    span: Span
    numbers: tuple[int, ...]
    is_stated: bool = True

    @property
    def words(self) -> str:
        """The time in words, with the numbers of its citations."""
        return f"{self.span.describe()} [{', '.join(map(str, self.numbers))}]"

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**span_to_dict(self.span), "numbers": list(self.numbers), "is_stated": self.is_stated}


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """The answer to a question, part by part of the times that it asks about.

    `outcome` is "recorded" where any part is. `now` is its reference time; it uses what was published by `as_of`, all
    of it where that is None; `newest` is the date of the newest record that it could see. `times` answer a question for
    when. Without a language model there are no `claims`, and `model` is empty: the citations are the answer. `hidden`
    counts documents that were left out, by reason.

    >>> Answer("Rain?", "no_window", (Part(None, "no_window"),)).is_refused
    True
    """

    question: str
    outcome: Outcome
    parts: tuple[Part, ...]
    citations: tuple[Citation, ...] = ()
    claims: tuple[Claim, ...] = ()
    missing: tuple[Missing, ...] = ()
    dropped: tuple[DroppedText, ...] = ()
    now: Span | None = None
    as_of: Span | None = None
    newest: Span | None = None
    model: str = ""
    plan: tuple[Step, ...] = ()
    hidden: Mapping[str, int] = field(default_factory=dict)
    times: tuple[AnswerTime, ...] = ()

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

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        question = " ".join(self.question.split())
        shown = question if len(question) <= 60 else f"{question[:59]}…"
        return f"<Answer to {shown!r}: {self.outcome}, {len(self.citations)} citations>"

    def _repr_html_(self) -> str:
        return render_answer(self)

    @property
    def text(self) -> str:
        """The answer in plain lines, with its citations.

        >>> print(Answer("Rain in 1850?", "not_covered", (Part(Span.year(1850), "not_covered", "Not covered."),)).text)
        1850
          Not covered.
        """
        return "\n".join(format_answer(self))

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
            "times": [item.to_dict() for item in self.times],
            "parts": [item.to_dict() for item in self.parts],
            "citations": [item.to_dict() for item in self.citations],
            "claims": [item.to_dict() for item in self.claims],
            "missing": [item.to_dict() for item in self.missing],
            "dropped": [item.to_dict() for item in self.dropped],
            "model": self.model,
            "plan": [item.to_dict() for item in self.plan],
            "hidden": dict(self.hidden),
        }


#: Words that a description of a span may start with, which no "in" goes before.
_LED = ("from ", "since ", "until ", "before ", "after ", "between ")
_NAMED = 3
_HEADS = {
    "within": "",
    "topic": "",
    "in_force": "in force then:",
    "vague": "dated more vaguely:",
    "other": "recorded of that time, in other words:",
    "near": "nearest to it:",
}


def describe_gap(period: Span, outcome: Outcome, reach: tuple[Span, Span] | None) -> str:
    """What is said of a time without a record; empty where there is one. `reach` is what the records reach over."""
    window = _name_span(period)
    if outcome == "none_recorded":
        return f"None recorded: the records cover {window}, but hold nothing on this from then."
    if outcome != "not_covered":
        return ""
    if reach is None:
        return f"Not covered: no record has a date, so they say nothing about {window}."
    first, last = map(_name_edge, reach)
    if first == last:
        return f"Not covered: the dated records are all of {first}; they have none of {window}."
    return f"Not covered: the records, which reach from {first} to {last}, have none of {window}."


def describe_as_of(answer: Answer) -> str:
    """As of which day an answer holds, and how new the newest record is; empty where neither is known."""
    prefix = "" if answer.now is None else f"Asked on {answer.now.describe()}"
    if answer.as_of is not None:
        prefix = f"As of {answer.as_of.describe()}"
    if answer.newest is None:
        return f"{prefix}." if prefix else ""
    newest = f"the newest record it could see is of {answer.newest.describe()}."
    return f"{prefix}; {newest}" if prefix else newest[0].upper() + newest[1:]


def describe_times(times: Sequence[AnswerTime]) -> str:
    """The times that answer a question for when; publication dates only as when something was reported."""
    stated = [time.words for time in times if time.is_stated]
    if stated:
        return f"When: {'; or '.join(stated)}"
    return f"No text states when. Reported on {'; '.join(time.words for time in times)}"


def format_claim(answer: Answer, claim: Claim) -> str:
    """A claim with its citations behind it: number, source, date and the words quoted."""
    cited = (f"{answer.citation(item.number).label[:-1]}, “{item.quote}”]" for item in claim.quotes)
    return " ".join((claim.text, *cited))


def group_citations(answer: Answer, part: Part) -> Iterator[tuple[str, list[Citation]]]:
    """The citations of a part that are worth showing, in groups, each with the words above it.

    What lies near is shown only where there is nothing of the time itself.
    """
    citations = [answer.citation(number) for number in part.citations]
    own = any(item.standing in ("within", "in_force", "vague") for item in citations)
    for standing, head in _HEADS.items():
        group = [item for item in citations if item.standing == standing]
        if group and not (own and standing in ("other", "near")):
            yield head, group


def list_displayed_citations(answer: Answer) -> tuple[int, ...]:
    """The numbers of the citations that claims rest on, in their order; all that are shown without a model."""
    if answer.model:
        return tuple(dict.fromkeys(number for claim in answer.claims for number in claim.numbers))
    return tuple(item.number for part in answer.parts for _, group in group_citations(answer, part) for item in group)


def describe_versions(citation: Citation) -> str:
    """What to add to a citation: a newer version, and the documents that it represents; empty where there is neither"""
    notes = [f"a newer version is {citation.superseded_by}"] if citation.superseded_by else []
    if citation.behind:
        more = len(citation.behind) - _NAMED
        notes.append(f"represents {', '.join(citation.behind[:_NAMED])}" + (f" and {more:,} more" if more > 0 else ""))
    return f" ({'; '.join(notes)})" if notes else ""


def format_answer(answer: Answer) -> Iterator[str]:
    """An answer in plain lines."""
    if sentence := describe_as_of(answer):
        yield sentence
    if answer.times:
        yield describe_times(answer.times)
    if answer.model:
        yield from _format_claims(answer)
    else:
        for part in answer.parts:
            yield from _format_part(answer, part)
    gaps = [item.sentence for item in answer.missing if answer.model or item.outcome is None]
    yield from (_clean_line(f"Missing: {sentence}") for sentence in gaps)
    yield from (_clean_line(f"Left out: {item.text} ({item.reason})") for item in answer.dropped)


def _format_claims(answer: Answer) -> Iterator[str]:
    if not answer.claims:
        yield "The evidence does not answer this."
    yield from (_clean_line(format_claim(answer, claim)) for claim in answer.claims)


def _format_part(answer: Answer, part: Part) -> Iterator[str]:
    if part.period is not None:
        yield part.words
    if part.sentence:
        yield f"  {part.sentence}"
    for head, group in group_citations(answer, part):
        if head:
            yield f"  {head}"
        yield from (f"  {line}" for line in _format_citations(group))
    if part.more:
        yield f"  and {part.more:,} more"


def _format_citations(group: Sequence[Citation]) -> Iterator[str]:
    for item in group:
        date = "undated" if item.date is None else item.date.edtf()
        yield f"{date}  {_clean_line(f'“{item.quote}” {item.label}{describe_versions(item)}')}"


def render_answer(answer: Answer) -> str:
    """An answer as HTML for notebooks: its times, a timeline of its citations, quotes part by part, what is missing."""
    shown = [answer.citation(number) for number in list_displayed_citations(answer)]
    dates = [
        (f"[{item.number}] {item.source}", item.date)
        for item in shown
        if item.date is not None and item.standing not in ("near", "other")
    ]
    lines = [render_heading(f"{answer.question} ({answer.outcome.replace('_', ' ')})"), render_timeline(dates)]
    lines += [_paragraph(text) for text in (describe_as_of(answer),) if text]
    lines += [_paragraph(describe_times(answer.times))] if answer.times else []
    if answer.model:
        lines += [_paragraph(format_claim(answer, claim)) for claim in answer.claims]
        lines += [] if answer.claims else [_paragraph("The evidence does not answer this.")]
    else:
        lines += [_render_part(answer, part) for part in answer.parts]
    gaps = [item.sentence for item in answer.missing if answer.model or item.outcome is None]
    lines += [_paragraph(f"Missing: {sentence}") for sentence in gaps]
    lines += [_paragraph(f"Left out: {item.text} ({item.reason})") for item in answer.dropped]
    return "".join(lines)


def _render_part(answer: Answer, part: Part) -> str:
    head = "" if part.period is None else render_heading(part.words)
    gap = _paragraph(part.sentence) if part.sentence else ""
    groups = []
    for label, group in group_citations(answer, part):
        items = "".join(f"<li>{escape(line)}</li>" for line in _format_citations(group))
        groups.append(f"{_paragraph(label) if label else ''}<ul>{items}</ul>")
    more = _paragraph(f"and {part.more:,} more") if part.more else ""
    return f"{head}{gap}{''.join(groups)}{more}"


def _paragraph(text: str) -> str:
    return f"<p>{escape(_clean_line(text))}</p>"


def _clean_line(text: str) -> str:
    """A text on one line, without anything that could steer a terminal."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _name_span(span: Span) -> str:
    words = span.describe()
    return f"the time {words}" if words.startswith(_LED) else words


def _name_edge(span: Span) -> str:
    words = span.describe()
    return words.removeprefix("from ") if span.is_open else words
