"""A judge over a language model, which reads whole documents and whose failures are gaps.

A question is asked about once (its intent), a document window by window: long texts are cut where sentences end. One
window that helps makes a document relevant, and one that covers a period makes it cover that. A window that got no
usable reply leaves open what the others do not settle. With a recorded chat every call is kept by its content, and a
replayed one gives the same verdicts without a network.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import Final

from epochal.bench.judges.base import Judgement, gap
from epochal.bench.judges.contracts import (
    Evidence,
    Intent,
    Relevance,
    ask_evidence,
    ask_intent,
    ask_relevance,
    check_covers,
)
from epochal.bench.judges.gate import is_known_temporal, plain_text, read_gate
from epochal.bench.metrics.base import Verdict
from epochal.bench.records import BenchQuery
from epochal.errors import EpochalError
from epochal.index.records import Document
from epochal.index.splitting import split
from epochal.llm.chat import Chat, LlmError
from epochal.llm.structured import ask
from epochal.times import Span

__all__ = ["LlmJudge"]

#: How many characters of a document are judged at once, unless told.
_WINDOW: Final = 6000


class LlmJudge:
    """A judge over any chat. `window` is how many characters of a document go into one call.

    A question is judged when the model, the annotation of its set or its periods say that it asks for time.

    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         said = messages[-1].content
    ...         if "<document>" not in said:
    ...             return '{"has_temporal_intent": true, "temporal_keywords": [], "temporal_focus": "specific_time"}'
    ...         helps = int("1998" in said.partition("<document>")[2])
    ...         return f'{{"verdict": {helps}, "reason": "a date", "temporal_contribution": "none"}}'
    >>> judge = LlmJudge(Scripted())
    >>> judge.judge(BenchQuery("q1", "When did Ann win?"), Document("d1", "Ann won in 1998."))
    Verdict(relevant=True, covers=())
    """

    def __init__(self, chat: Chat, *, window: int = _WINDOW) -> None:
        if window < 200:
            raise EpochalError(f"window is {window}; accepted: 200 characters or more")
        self._chat = chat
        self._window = window
        self._intents: dict[str, Future[Intent]] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The name of the model, with the size of the windows where it is not the usual one.

        >>> LlmJudge.name.fget.__name__
        'name'
        """
        return self._chat.name if self._window == _WINDOW else f"{self._chat.name}, windows of {self._window:,}"

    def judge(self, query: BenchQuery, document: Document) -> Verdict | None:
        """The verdict on a document; None for a question that asks nothing of time.

        >>> LlmJudge.judge.__name__
        'judge'
        """
        found = self.explain(query, document)
        return None if found is None else found.verdict

    def explain(self, query: BenchQuery, document: Document) -> Judgement | None:
        """The verdict with the model's reasons, one a window that was read.

        >>> LlmJudge.explain.__name__
        'explain'
        """
        question = plain_text(query.text)
        try:
            intent = self._intent(question)
        except LlmError as error:
            return Judgement(query.id, document.id, gap(query), self.name, f"no intent: {error}")
        if not intent.has_temporal_intent and not is_known_temporal(query):
            return None
        focus = intent.temporal_focus
        return self._judged(query, document, question, read_gate(query).focus if focus == "none" else focus)

    def _judged(self, query: BenchQuery, document: Document, question: str, focus: str) -> Judgement:
        relevant: list[bool | None] = []
        covers: list[tuple[bool | None, ...]] = []
        reasons: list[str] = []
        for part in _parts(document, self._window):
            try:
                verdict, reason = self._part(question, focus, query.periods, part)
            except LlmError as error:
                verdict, reason = gap(query), f"no verdict: {error}"
            relevant.append(verdict.relevant)
            covers.append(verdict.covers)
            reasons.append(reason)
            if verdict.relevant and all(_any(column) for column in zip(*covers, strict=True)):
                break  # nothing that follows can change the verdict
        whole = Verdict(_any(relevant), tuple(_any(column) for column in zip(*covers, strict=True)))
        numbered = (
            reasons if len(reasons) == 1 else [f"[{number}] {reason}" for number, reason in enumerate(reasons, 1)]
        )
        return Judgement(query.id, document.id, whole, self.name, " ".join(numbered))

    def _part(self, question: str, focus: str, periods: Sequence[Span], part: str) -> tuple[Verdict, str]:
        if not periods:
            reply = ask(self._chat, ask_relevance(question, focus, part), Relevance)
            return Verdict(reply.verdict == 1), reply.reason
        messages = ask_evidence(question, focus, periods, part)
        evidence = ask(self._chat, messages, Evidence, check_covers(len(periods)))
        return Verdict(evidence.verdict == 1, evidence.covers), evidence.reason

    def _intent(self, question: str) -> Intent:
        """What the model says of a question; asked once, however many threads want to know, and also when it fails."""
        with self._lock:
            known = self._intents.get(question)
            mine: Future[Intent] = Future()
            if known is None:
                self._intents[question] = mine
        if known is not None:
            return known.result()
        try:
            mine.set_result(ask(self._chat, ask_intent(question), Intent))
        except LlmError as error:
            mine.set_exception(error)
        finally:
            mine.cancel()  # after any other error, so that nobody waits for ever; otherwise it is done, and stays so
        return mine.result()


def _parts(document: Document, size: int) -> list[str]:
    """The windows of a document, each with its title and its date; one that is empty still has these."""
    head = f"Title: {document.title}\n" if document.title else ""
    if document.published is not None:
        head += f"Published: {document.published.describe()}\n"
    places = split(document.text, size) or [(0, 0)]
    return [head + document.text[start:end] for start, end in places]


def _any(answers: Iterable[bool | None]) -> bool | None:
    """Yes where one says yes; where none does, no if all could be heard, and otherwise nobody knows."""
    heard = list(answers)
    if True in heard:
        return True
    return None if None in heard else False
