"""`python -m epochal.reading.shared.check german`: what is wrong in the words and rules of a language."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module

from epochal.reading.grammar import Rule
from epochal.reading.shared.language import Language
from epochal.reading.shared.tagger import LanguageTagger
from epochal.times.span import Span

__all__ = ["EXAMPLE_DATE", "find_problems"]

#: The date of the texts of the examples, a Thursday.
EXAMPLE_DATE = "1998-03-05"


def find_problems(language: Language) -> Iterator[str]:
    """A sentence for each word in two classes and each example that does not hold."""
    holders: dict[str, str] = {}
    clashes = []
    for name, words in language.words.items():
        for word in words:
            if holders.setdefault(word, name) != name:
                clashes.append(f"{word!r} is in {holders[word]} and in {name}")
    yield from clashes
    if clashes:
        return
    tagger = LanguageTagger(language)
    for layer in language.layers:
        for rule in layer:
            yield from _check_example(tagger, rule)


def _check_example(tagger: LanguageTagger, rule: Rule) -> Iterator[str]:
    text = rule.example.replace("[", "").replace("]", "")
    start, end = rule.example.index("["), rule.example.index("]") - 1
    now = Span.parse(EXAMPLE_DATE)
    found = tagger.tag(text, now)
    read = [(item.text, item.value) for item in found]
    if rule.value is None:
        if any(item.start_char < end and item.end_char > start for item in found):
            yield f"{rule.name}: {rule.example!r} is no time, but is read as {read}"
    elif not any(item.start_char < end and item.end_char > start and item.value == rule.value for item in found):
        yield f"{rule.name}: {rule.example!r} should give {rule.value}, but is read as {read}"
    matched = [(one, words) for one, words in tagger.trace(text, now) if one is rule]
    if not any(text[start:end] in words for _, words in matched):
        yield f"{rule.name}: no match of {rule.pattern!r} in {rule.example!r}"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for problem in find_problems(getattr(import_module(f"epochal.reading.{name}"), name.upper())):
            sys.stdout.write(f"{problem}\n")
