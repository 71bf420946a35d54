"""Answered: what an index answers with, as far as this floor knows it; `epochal.answers.records.Answer` is one."""

from __future__ import annotations

from typing import Any, Protocol

from epochal.engine.response import Outcome

__all__ = ["Answered"]


class Answered(Protocol):
    """The answer to a question: what is recorded of the times that it asks about, cited, and what is missing.

    >>> Answered.__name__
    'Answered'
    """

    @property
    def question(self) -> str:
        """What was asked."""
        ...

    @property
    def outcome(self) -> Outcome:
        """Whether anything is recorded of the times asked about, or whether they are covered at all."""
        ...

    @property
    def is_refused(self) -> bool:
        """Whether the records do not answer."""
        ...

    @property
    def parts(self) -> tuple[Any, ...]:
        """What is known of each time asked about."""
        ...

    @property
    def citations(self) -> tuple[Any, ...]:
        """The documents that are cited, with the words quoted."""
        ...

    @property
    def claims(self) -> tuple[Any, ...]:
        """What a language model wrote and could bear out."""
        ...

    @property
    def missing(self) -> tuple[Any, ...]:
        """What the answer lacks."""
        ...

    @property
    def text(self) -> str:
        """The answer in plain lines."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        ...
