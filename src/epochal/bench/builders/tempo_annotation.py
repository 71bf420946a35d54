"""TEMPO's annotations of questions and passages for sets that are built, by rules or by a language model.

A model that gives no usable reply leaves a gap (None); nothing is put in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

from epochal.answers.tempo.negatives import searches_by_model, searches_by_rules
from epochal.answers.tempo.passage_notes import passage_by_model, passage_by_rules
from epochal.answers.tempo.query_notes import query_by_model, query_by_rules
from epochal.answers.tempo.records import QUERY_KEYS
from epochal.index.records import Document
from epochal.llm.chat import Chat, LlmError
from epochal.times import Span

__all__ = ["GUIDANCE", "Annotator", "ModelAnnotator", "RuleAnnotator"]

Json = dict[str, Any]
Found = TypeVar("Found")
#: The keys of what is said about a question, in TEMPO's order.
GUIDANCE: Final = QUERY_KEYS


class Annotator(Protocol):
    """Says what a question asks of time, what a passage says of it, and how to search for near misses.

    >>> RuleAnnotator().searches("How did fees change between 2017 and 2021?", None)
    ('How did fees change',)
    """

    def guidance(self, question: str, now: Span | None) -> Json | None:
        """The twelve keys of `query_guidance`; None for a gap."""
        ...

    def passage(self, question: str, document: Document) -> Json | None:
        """What a passage says of time; None for a gap."""
        ...

    def searches(self, question: str, now: Span | None) -> tuple[str, ...]:
        """Texts to search with for passages on the topic, without the times of the question."""
        ...


class RuleAnnotator:
    """By the rules that Epochal reads questions and texts with.

    >>> told = RuleAnnotator().guidance("How did fees change between 2017 and 2021?", None)
    >>> told["temporal_reasoning_class_primary"], told["key_time_anchors"], len(told["retrieval_plan"])
    ('trends_changes_and_cross_period', ['2017', '2021'], 3)
    """

    def guidance(self, question: str, now: Span | None) -> Json | None:
        """The twelve keys of `query_guidance`.

        >>> tuple(RuleAnnotator().guidance("Who won in 1998?", None)) == GUIDANCE
        True
        """
        return query_by_rules(question, now).to_dict()

    def passage(self, question: str, document: Document) -> Json | None:
        """What a passage says of time, whatever is asked.

        >>> page = Document("a", "Fees rose in May 2017 and fell in 2018.")
        >>> RuleAnnotator().passage("Fees?", page)["time_scope_guess"]
        {'start_iso': '2017-05', 'end_iso': '2018', 'granularity': 'year'}
        """
        return passage_by_rules(document).to_dict()

    def searches(self, question: str, now: Span | None) -> tuple[str, ...]:
        """The question without its times, and its names.

        >>> RuleAnnotator().searches("Who won in 1998?", None)
        ('Who won',)
        """
        return searches_by_rules(question, now).queries()


class ModelAnnotator:
    """By a language model. `gaps` counts the replies that could not be used.

    >>> class Silent:
    ...     name = "silent"
    ...     def complete(self, messages, *, json=False):
    ...         return "I cannot say."
    >>> annotator = ModelAnnotator(Silent())
    >>> annotator.guidance("Who won in 1998?", None), annotator.gaps
    (None, 1)
    """

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self.gaps = 0

    def guidance(self, question: str, now: Span | None) -> Json | None:
        """The twelve keys of `query_guidance`; None where the model gave none.

        >>> ModelAnnotator.guidance.__name__
        'guidance'
        """
        note = self._found(lambda: query_by_model(self._chat, question, now))
        return None if note is None else note.to_dict()

    def passage(self, question: str, document: Document) -> Json | None:
        """What a passage says of time; None where the model gave nothing.

        >>> ModelAnnotator.passage.__name__
        'passage'
        """
        note = self._found(lambda: passage_by_model(self._chat, question, document))
        return None if note is None else note.to_dict()

    def searches(self, question: str, now: Span | None) -> tuple[str, ...]:
        """A summary and the names in the question, as texts to search with; none where the model gave none.

        >>> ModelAnnotator.searches.__name__
        'searches'
        """
        found = self._found(lambda: searches_by_model(self._chat, question))
        return () if found is None else found.queries()

    def _found(self, asked: Callable[[], Found]) -> Found | None:
        try:
            return asked()
        except LlmError:
            self.gaps += 1
            return None
