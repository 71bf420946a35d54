"""The prompt of a language model: the question, its query windows, and the evidence, fenced as data and numbered.

Checking what a language model wrote: a claim stays if its citations exist and have the words that it quotes.

Answering: plan the query windows, search each, select the evidence, and cite it; with a model, let it write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from epochal.answers.answer import Answer, Citation, Claim, DroppedText, Missing, Quote
from epochal.answers.evidence import Plan, collect_evidence, find_excerpt, make_plan, spread_plan
from epochal.answers.timeline import EvidenceSet, make_evidence_set, make_timeline
from epochal.errors import EpochalError
from epochal.llm.chat import Chat, Message, data_rule, fence
from epochal.llm.structured import ask
from epochal.ranking.coverage import measure_coverage
from epochal.search.outcome import get_topic_terms
from epochal.search.request import Request, parse_time
from epochal.search.script import adapt_script
from epochal.search.search import Searcher
from epochal.search.where import parse_where
from epochal.storage.protocol import View
from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.span import Span

if TYPE_CHECKING:
    import datetime as dt

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


def list_sent_numbers(evidence_set: EvidenceSet) -> tuple[int, ...]:
    """The numbers of the citations that a model is shown."""
    return tuple(item.number for item in evidence_set.citations if item.standing in _SENT)


def get_excerpt(evidence_set: EvidenceSet, number: int) -> tuple[str, int]:
    """The text of a piece of evidence as a model is shown it, and its place in the document."""
    citation, hit = evidence_set.citations[number - 1], evidence_set.items[number - 1].hit
    start, end = find_excerpt(hit, citation.start_char, citation.end_char)
    return hit.document.text[start:end], start


def build_messages(plan: Plan, evidence_set: EvidenceSet, as_of: Span | None = None) -> list[Message]:
    """The messages that go to a model; nothing else does."""
    lines = [f"Question: {plan.question}"]
    if plan.now is not None:
        lines.append(f"Asked on: {plan.now.edtf()}")
    if as_of is not None:
        lines.append(f"Answer as of: {as_of.edtf()}. Nothing later is known.")
    for part in evidence_set.parts:
        if part.period is not None:
            state = "evidence is given" if _has_evidence(evidence_set, part.citations) else "there is no evidence"
            lines.append(f"Time asked about: {part.words} ({part.period.edtf()}): {state}.")
    fenced = [_fence_excerpt(evidence_set, number) for number in list_sent_numbers(evidence_set)]
    return [Message("system", "\n".join(_RULES)), Message("user", "\n".join([*lines, "", *fenced]))]


def _has_evidence(evidence_set: EvidenceSet, numbers: tuple[int, ...]) -> bool:
    return not set(numbers).isdisjoint(list_sent_numbers(evidence_set))


def _fence_excerpt(evidence_set: EvidenceSet, number: int) -> str:
    citation: Citation = evidence_set.citations[number - 1]
    about = {
        "number": number,
        "source": citation.source,
        "date": "" if citation.date is None else citation.date.edtf(),
        "published": "" if citation.published is None else citation.published.edtf(),
        "newer_version": citation.superseded_by or "",
    }
    return fence(get_excerpt(evidence_set, number)[0], _MARK, about)


#: A quote of fewer letters is found in any text, and proves nothing.
_MIN_QUOTE_LETTERS: Final = 2
_EXCERPT_CHARS: Final = 80


def check_claims(
    evidence_set: EvidenceSet, claims: Sequence[ClaimReply]
) -> tuple[tuple[Claim, ...], tuple[DroppedText, ...]]:
    """The claims that hold up, and what was left out of them. Quotes must occur in the text word for word."""
    accepted: list[Claim] = []
    dropped: list[DroppedText] = []
    sent_numbers = frozenset(list_sent_numbers(evidence_set))
    for claim in claims:
        text = " ".join(claim.text.split())
        quotes: list[Quote] = []
        for citation in claim.citations:
            quote = _locate_quote(evidence_set, sent_numbers, citation.number, citation.quote)
            if isinstance(quote, Quote):
                quotes.append(quote)
            else:
                dropped.append(DroppedText("citation", text, quote))
        if not text or not quotes:
            reason = (
                "it says nothing"
                if not text
                else "no citation of it holds up"
                if claim.citations
                else "it cites nothing"
            )
            dropped.append(DroppedText("claim", text, reason))
            continue
        accepted.append(Claim(text, tuple(dict.fromkeys(quotes))))
    return tuple(accepted), tuple(dropped)


def _locate_quote(evidence_set: EvidenceSet, sent_numbers: frozenset[int], number: int, quote: str) -> Quote | str:
    """The place of a quote in its document, or why there is none."""
    if number not in sent_numbers:
        return f"there is no evidence {number}"
    words = quote.strip()
    if sum(character.isalnum() for character in words) < _MIN_QUOTE_LETTERS:
        return f"the quote “{words}” is too short to prove anything"
    text, start = get_excerpt(evidence_set, number)
    at = text.find(words)
    if at < 0:
        excerpt = words if len(words) <= _EXCERPT_CHARS else f"{words[: _EXCERPT_CHARS - 1]}…"
        return f"evidence {number} does not have the words “{excerpt}”"
    return Quote(number, words, start + at, start + at + len(words))


def answer(
    index: Searcher,
    question: str,
    *,
    now: Span | dt.date | int | str | None = None,
    as_of: Span | dt.date | int | str | None = None,
    k: int = 10,
    where: Mapping[str, Any] | str | Sequence[str] | None = None,
    llm: Chat | None = None,
) -> Answer:
    """The answer of an index to a question, from the times that it asks about; `Index.answer` is the same.

    Without `llm` it is a timeline of quotes. With it the model writes claims from that evidence alone; what it cites
    wrongly is left out and reported, and where there is no evidence it is not called. `k` is how many documents
    are cited for each time, and `where` keeps documents by their metadata, as in `search`.

    >>> from epochal import Document, Index
    >>> import tempfile
    >>> rates = [Document("r98", "The bank raised its rate in May 1998."), Document("r08", "It cut its rate in 2008.")]
    >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
    ...     _ = index.add(rates)
    ...     print(answer(index, "What did the bank do to its rate in 1998?").text)
    ...     answer(index, "What did the bank do to its rate in 1850?").outcome
    1998
      1998-05  “The bank raised its rate in May 1998.” [1: r98, 1998-05]
    'not_covered'
    """
    present = parse_time(now, "now")
    seen = parse_time(as_of, "as_of", present)
    conditions = parse_where(where)
    Request(question, k=k, now=present, as_of=seen, where=conditions)  # complains of what no search could do
    if llm is not None and not isinstance(llm, Chat):
        raise EpochalError(f"llm must have a name and a method complete, but is {llm!r}")
    adapted, _ = adapt_script(index.view(), question)
    plan = spread_plan(index, make_plan(adapted, present), as_of=seen, where=conditions)
    evidence = collect_evidence(index, plan, as_of=seen, k=k, where=conditions)
    view = index.view()
    gaps = any(one.outcome == "not_covered" for one in evidence)
    evidence_set = make_evidence_set(
        evidence, get_topic_terms(view, plan.understanding), _find_range(view) if gaps else None
    )
    timeline = make_timeline(plan, evidence, evidence_set, as_of=seen, newest=_find_newest(view, seen))
    timeline = replace(timeline, question=question)
    if llm is None:
        return timeline
    timeline = replace(timeline, model=llm.name)
    if not list_sent_numbers(evidence_set):
        return timeline
    reply = ask(llm, build_messages(plan, evidence_set, seen), Reply)
    claims, dropped = check_claims(evidence_set, reply.claims)
    lacks = tuple(Missing(" ".join(sentence.split())) for sentence in reply.missing if sentence.strip())
    return replace(timeline, claims=claims, dropped=dropped, missing=(*timeline.missing, *lacks))


def _find_range(view: View) -> tuple[Span, Span] | None:
    """The first and the last period of which there are records."""
    coverage = measure_coverage(view)
    return None if coverage.first is None or coverage.last is None else (coverage.first, coverage.last)


def _find_newest(view: View, as_of: Span | None) -> Span | None:
    """When the newest document appeared that could be seen; None where none says when it appeared."""
    spans = view.published.spans
    ends = np.where(spans.ends <= (OPEN_END - 1 if as_of is None else as_of.end), spans.ends, OPEN_START)
    return None if not len(ends) or ends.max() == OPEN_START else spans[int(ends.argmax())]
