"""Answering: plan the times asked about, look each up, choose the evidence, and cite it; with a model, let it write."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from epochal.answers.checking import checked_claims
from epochal.answers.evidence import find_evidence
from epochal.answers.planning import make_plan
from epochal.answers.prompting import Reply, messages_of, sent_numbers
from epochal.answers.records import Answer, Missing
from epochal.answers.timeline import make_pack, timeline
from epochal.engine.coverage import measure_coverage
from epochal.engine.outcome import topic_terms
from epochal.engine.request import Request, parse_time
from epochal.engine.searcher import Searcher
from epochal.errors import EpochalError
from epochal.index.backend import View
from epochal.llm.chat import Chat
from epochal.llm.structured import ask
from epochal.times import OPEN_END, OPEN_START, Span

if TYPE_CHECKING:
    import datetime as dt

__all__ = ["answer"]


def answer(
    index: Searcher,
    question: str,
    *,
    now: Span | dt.date | int | str | None = None,
    as_of: Span | dt.date | int | str | None = None,
    k: int = 10,
    llm: Chat | None = None,
) -> Answer:
    """The answer of an index to a question, from the times that it asks about; `Index.answer` is the same.

    Without `llm` it is a timeline of quotes. With it the model writes claims from that evidence alone; what it cites
    wrongly is left out and reported, and where there is no evidence it is not asked at all. `k` is how many documents
    are cited for each time.

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
    Request(question, k=k, now=present, as_of=seen)  # complains of what no search could do
    if llm is not None and not isinstance(llm, Chat):
        raise EpochalError(f"llm must have a name and a method complete, but is {llm!r}")
    plan = make_plan(question, present)
    found = find_evidence(index, plan, as_of=seen, k=k)
    view = index.view()
    gaps = any(one.outcome == "not_covered" for one in found)
    pack = make_pack(found, topic_terms(view, plan.understanding), _reach(view) if gaps else None)
    made = timeline(plan, found, pack, as_of=seen, newest=_newest(view, seen))
    if llm is None:
        return made
    made = replace(made, model=llm.name)
    if not sent_numbers(pack):
        return made
    reply = ask(llm, messages_of(plan, pack, seen), Reply)
    claims, dropped = checked_claims(pack, reply.claims)
    lacks = tuple(Missing(" ".join(sentence.split())) for sentence in reply.missing if sentence.strip())
    return replace(made, claims=claims, dropped=dropped, missing=(*made.missing, *lacks))


def _reach(view: View) -> tuple[Span, Span] | None:
    """The first and the last period of which there are records."""
    coverage = measure_coverage(view)
    return None if coverage.first is None or coverage.last is None else (coverage.first, coverage.last)


def _newest(view: View, as_of: Span | None) -> Span | None:
    """When the newest document appeared that could be seen; None where none says when it appeared."""
    spans = view.published.spans
    ends = np.where(spans.ends <= (OPEN_END - 1 if as_of is None else as_of.end), spans.ends, OPEN_START)
    return None if not len(ends) or ends.max() == OPEN_START else spans[int(ends.argmax())]
