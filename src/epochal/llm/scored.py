"""Replies that give a reason and then a score, as judges of answers and of data are asked for them.

    REASON: what speaks for it, in one or more lines
    SCORE: 80

Other numbers may be asked for in lines of their own before the reason. A reply of another form is asked for once more,
and is a failure then: no number is fished out of prose.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from epochal.errors import EpochalError
from epochal.llm.chat import Chat, Message, StructureError

__all__ = ["HUNDRED", "TENS", "Scored", "ask_score", "form", "read_score"]

#: All whole numbers from 0 to 100, and those of them in steps of ten.
HUNDRED: Final = range(101)
TENS: Final = range(0, 101, 10)

_LINE = re.compile(r"[ \t]*[*_#]*[ \t]*(?P<name>[A-Za-z][A-Za-z ]*?)[ \t]*[*_]*[ \t]*:[ \t]*[*_]*[ \t]*(?P<rest>.*)")
_NUMBER = re.compile(r"(-?\d{1,6})(?:[ \t]*/[ \t]*100)?[ \t]*[*_.]*[ \t]*")


@dataclass(frozen=True, slots=True)
class Scored:
    """A reason and a score; `parts` are the other numbers that were asked for, by their names.

    >>> Scored("It names both dates.", 80).score
    80
    """

    reason: str
    score: int
    parts: Mapping[str, int] = field(default_factory=dict)


def form(accepted: Sequence[int] = HUNDRED, parts: Sequence[str] = ()) -> str:
    """What a prompt says of the form of the reply.

    >>> print(form(TENS))
    Reply with these lines and nothing else:
    REASON: what speaks for the score
    SCORE: a whole number from 0 to 100, in steps of 10
    """
    step = f", in steps of {accepted[1] - accepted[0]}" if len(accepted) > 1 and accepted[1] - accepted[0] > 1 else ""
    number = f"a whole number from {accepted[0]} to {accepted[-1]}{step}"
    lines = [f"{part.upper()}: {number}" for part in parts]
    return "\n".join(["Reply with these lines and nothing else:", *lines, "REASON: what speaks for the score",
                      f"SCORE: {number}"])  # fmt: skip


def ask_score(
    chat: Chat, messages: Sequence[Message], accepted: Sequence[int] = HUNDRED, parts: Sequence[str] = ()
) -> Scored:
    """The reason and the score that a model replies with; a reply of another form is asked for once more.

    >>> class Late:
    ...     name = "late"
    ...     def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
    ...         return "REASON: it is dated\\nSCORE: 80" if len(messages) > 1 else "I would say 80."
    >>> ask_score(Late(), [Message("user", "How good is it?")], TENS)
    Scored(reason='it is dated', score=80, parts={})
    """
    first = chat.complete(messages)
    try:
        return read_score(first, accepted, parts)
    except EpochalError as error:
        complaint = f"That cannot be used: {error}.\n{form(accepted, parts)}"
    second = chat.complete([*messages, Message("assistant", first), Message("user", complaint)])
    try:
        return read_score(second, accepted, parts)
    except EpochalError as error:
        raise StructureError(chat.name, str(error), (first, second), "reason and score") from None


def read_score(text: str, accepted: Collection[int] = HUNDRED, parts: Sequence[str] = ()) -> Scored:
    """The reason and the score that a text holds in the form asked for, and nothing else.

    >>> read_score("**REASON:** both dates\\nare there\\n**SCORE:** 90/100").reason
    'both dates are there'
    >>> read_score("REASON: so so\\nSCORE: 85", TENS)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: SCORE is 85; accepted: 0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100
    """
    found = _fields(text, {"REASON", "SCORE", *(part.upper() for part in parts)})
    numbers = {part: _number(found, part.upper(), accepted) for part in parts}
    score = _number(found, "SCORE", accepted)
    if not found.get("REASON"):
        raise EpochalError("the reply has no REASON; accepted: a line that starts with REASON:")
    return Scored(found["REASON"], score, numbers)


def _fields(text: str, names: Collection[str]) -> dict[str, str]:
    """What stands after each name. Lines of a reason go on until a name follows; other text around is no part of it."""
    found: dict[str, str] = {}
    last = ""
    for line in text.strip().splitlines():
        match = _LINE.fullmatch(line)
        name = match["name"].upper() if match else ""
        if match and name in names:
            if name in found:
                raise EpochalError(f"the reply has {name} twice; accepted: one line each")
            found[name], last = match["rest"].strip(), name
        elif last == "REASON":
            found["REASON"] = f"{found['REASON']} {line.strip()}".strip()
        elif line.strip():
            shown = line.strip() if len(line.strip()) <= 40 else f"{line.strip()[:37]}..."
            raise EpochalError(f"the reply says {shown!r} outside of its lines; accepted: the lines asked for alone")
    return found


def _number(found: Mapping[str, str], name: str, accepted: Collection[int]) -> int:
    if name not in found:
        raise EpochalError(f"the reply has no {name}; accepted: a line that starts with {name}:")
    match = _NUMBER.fullmatch(found[name])
    if match is None or int(match[1]) not in accepted:
        told = ", ".join(map(str, accepted)) if len(accepted) <= 11 else f"{min(accepted)} to {max(accepted)}"
        shown = found[name] if len(found[name]) <= 40 else f"{found[name][:37]}..."
        raise EpochalError(f"{name} is {shown or 'empty'}; accepted: {told}")
    return int(match[1])
