"""With which codes a pattern of the grammar can start: what lets the tagger try only the rules that may fit."""

from __future__ import annotations

__all__ = ["first_codes"]


def first_codes(pattern: str) -> frozenset[str]:
    """The characters with which a match of the pattern can start.

    Reads the little of regular expressions that the grammar uses: groups, classes, alternatives, `?`, `*`, `{0,3}`,
    and looks ahead and behind, which take nothing.

    >>> sorted(first_codes(r"(?:t?e-?|c;?)?(?:tU)?YE?"))
    ['Y', 'c', 'e', 't']
    """
    codes, _, rest = _alternatives(pattern)
    if rest:
        raise ValueError(f"{pattern!r} has an unmatched bracket")
    return frozenset(codes)


def _alternatives(text: str) -> tuple[set[str], bool, str]:
    """First characters of alternatives up to the end or a closing bracket, whether they may be empty, and the rest."""
    codes: set[str] = set()
    empty = False
    while True:
        branch, may_be_empty, text = _sequence(text)
        codes |= branch
        empty |= may_be_empty
        if not text.startswith("|"):
            return codes, empty, text
        text = text[1:]


def _sequence(text: str) -> tuple[set[str], bool, str]:
    codes: set[str] = set()
    open_start = True
    while text and text[0] not in "|)":
        item, may_be_empty, text = _item(text)
        if text[:1] in ("?", "*"):
            may_be_empty, text = True, text[1:]
        elif text.startswith("{"):
            may_be_empty |= text.startswith("{0")
            text = text[text.index("}") + 1 :]
        if open_start:
            codes |= item
        open_start &= may_be_empty
    return codes, open_start, text


def _item(text: str) -> tuple[set[str], bool, str]:
    for opening in ("(?<=", "(?<!", "(?=", "(?!"):
        if text.startswith(opening):
            _, _, rest = _alternatives(text[len(opening) :])
            return set(), True, rest[1:]
    if text.startswith("(?:"):
        codes, empty, rest = _alternatives(text[3:])
        return codes, empty, rest[1:]
    if text[0] == "[":
        closing = text.index("]")
        return set(text[1:closing]), False, text[closing + 1 :]
    if text[0] == "\\":
        return {text[1]}, False, text[2:]
    return {text[0]}, False, text[1:]
