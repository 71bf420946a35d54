"""The functions that work out what the rules of the grammar matched, by the name of their rule."""

from __future__ import annotations

from collections.abc import Callable

from epochal.reading.english.context import Context
from epochal.reading.english.found import Found, Meaning

__all__ = ["Rule", "rule", "rule_named"]

Rule = Callable[[Found, Context], Meaning | None]

_RULES: dict[str, Rule] = {}


def rule(function: Rule) -> Rule:
    """Register the function under its own name; a decorator.

    >>> @rule
    ... def never(found, context):
    ...     return None
    >>> rule_named("never") is never
    True
    """
    _RULES[function.__name__] = function
    return function


def rule_named(name: str) -> Rule:
    """The function that works out a rule of the grammar; importing the package makes all of them known.

    >>> from epochal.reading.english import EnglishTagger
    >>> rule_named("full_date").__name__
    'full_date'
    """
    return _RULES[name]
