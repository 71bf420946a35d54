"""What a language model is asked: the question, its times, and the evidence, fenced as data and numbered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from epochal.answers.planning import Plan
from epochal.answers.quoting import excerpt
from epochal.answers.records import Citation
from epochal.answers.timeline import Pack
from epochal.llm.chat import Message
from epochal.llm.fencing import data_rule, fence
from epochal.times import Span

__all__ = ["CitationReply", "ClaimReply", "Reply", "messages_of", "sent_numbers", "shown_text"]

_MARK: Final = "evidence"
#: What a model is shown. What lies at another time near by could only mislead it.
_SENT: Final = ("within", "in_force", "vague", "other", "topic")
_RULES: Final = (
    "You answer a question from numbered evidence, and from nothing else.",
    data_rule(_MARK),
    "Reply with one JSON object: "
    '{"claims": [{"text": "a sentence", "citations": [{"number": 1, "quote": "words of evidence 1"}]}], '
    '"missing": ["what the evidence does not say"]}.',
    "Every claim has at least one citation. A quote is copied from that evidence letter by letter; do not shorten, "
    "translate or mend it.",
    "Say of each fact when it was so, by the date of its evidence. Where evidence disagrees, say so, and which of it "
    "is newer.",
    "Claim nothing about a time for which no evidence is given. If the evidence does not answer, leave claims empty.",
    "Write in the language of the question.",
)


@dataclass(frozen=True, slots=True)
class CitationReply:
    """What a model cites: the number of a piece of evidence, and words of it."""

    number: int
    quote: str


@dataclass(frozen=True, slots=True)
class ClaimReply:
    """What a model claims, and what it cites for it."""

    text: str
    citations: tuple[CitationReply, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply that is requested of a model."""

    claims: tuple[ClaimReply, ...]
    missing: tuple[str, ...]


def sent_numbers(pack: Pack) -> tuple[int, ...]:
    """The numbers of the citations that a model is shown.

    >>> sent_numbers(Pack((), (), ()))
    ()
    """
    return tuple(item.number for item in pack.citations if item.standing in _SENT)


def shown_text(pack: Pack, number: int) -> tuple[str, int]:
    """The text of a piece of evidence as a model is shown it, and where that stands in the document.

    >>> from epochal.answers.evidence import Item
    >>> from epochal.engine.response import Hit
    >>> from epochal.index.records import Document
    >>> item = Item(Hit(Document("p1", "It rained."), 1.0, {}, "It rained."), None, "topic")
    >>> shown_text(Pack((), (Citation(1, "p1", "", "It rained.", 0, 10, None, "", "topic"),), (item,)), 1)
    ('It rained.', 0)
    """
    citation, hit = pack.citations[number - 1], pack.items[number - 1].hit
    start, end = excerpt(hit, citation.start_char, citation.end_char)
    return hit.document.text[start:end], start


def messages_of(plan: Plan, pack: Pack, as_of: Span | None = None) -> list[Message]:
    """The messages that go to a model; nothing else does.

    >>> from epochal.answers.planning import make_plan
    >>> [message.role for message in messages_of(make_plan("Rain?"), Pack((), (), ()))]
    ['system', 'user']
    """
    asked = [f"Question: {plan.question}"]
    if plan.now is not None:
        asked.append(f"Asked on: {plan.now.edtf()}")
    if as_of is not None:
        asked.append(f"Answer as of: {as_of.edtf()}. Nothing later is known.")
    for part in pack.parts:
        if part.period is not None:
            state = "evidence is given" if _has_evidence(pack, part.citations) else "there is no evidence"
            asked.append(f"Time asked about: {part.words} ({part.period.edtf()}): {state}.")
    fenced = [_fenced(pack, number) for number in sent_numbers(pack)]
    return [Message("system", "\n".join(_RULES)), Message("user", "\n".join([*asked, "", *fenced]))]


def _has_evidence(pack: Pack, numbers: tuple[int, ...]) -> bool:
    return not set(numbers).isdisjoint(sent_numbers(pack))


def _fenced(pack: Pack, number: int) -> str:
    citation: Citation = pack.citations[number - 1]
    about = {
        "number": number,
        "source": citation.source,
        "date": "" if citation.date is None else citation.date.edtf(),
        "published": "" if citation.published is None else citation.published.edtf(),
        "newer_version": citation.superseded_by or "",
    }
    return fence(shown_text(pack, number)[0], _MARK, about)
