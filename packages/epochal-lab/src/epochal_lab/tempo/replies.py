"""Replies with a score and its reason, as language models write them.

The form that is requested is TEMPO's:

    REASON: the reason, in one or more lines
    SCORE: 80

Other numbers may be requested in lines of their own before the reason. Models also send the lines within a code fence,
after a preamble, before a closing sentence, with other labels ("Rating", "Explanation"), as a JSON object, or after a
block of thoughts; all of these are read. A score on a scale that the reply states ("4/5", "8 out of 10", "Score (1-5):
4") is converted to one from 0 to 100. A number from 1 to 9 without a scale may be on any, and a number in prose may be
anything: such replies are requested once more, and then are an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from epochal.errors import EpochalError
from epochal.llm.chat import Chat, Message, StructureError

#: All whole numbers from 0 to 100, and those of them in steps of ten.
HUNDRED: Final = range(101)
TENS: Final = range(0, 101, 10)

_THOUGHTS: Final = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_FENCE: Final = re.compile(r"[ \t]*(?:```|~~~)[\w-]*[ \t]*")
_LINE: Final = re.compile(
    r"[ \t]*(?:[-*+>•][ \t]+|\d+[.)][ \t]+)?[*_#`\"]*[ \t]*(?P<name>[A-Za-z][A-Za-z _-]*?)[ \t]*[*_`\"]*"
    r"[ \t]*(?P<scale>\([^()\n]{1,30}\))?[ \t]*[*_`\"]*[ \t]*[:=][ \t]*[*_`\"]*[ \t]*(?P<rest>.*)"
)
_QUALIFIER: Final = re.compile(r"(?:the|my|final|overall|total|numeric|numerical)\s+", re.IGNORECASE)
#: Other labels of the two lines.
_LABELS: Final[Mapping[str, str]] = {
    "REASONING": "REASON",
    "REASONS": "REASON",
    "RATIONALE": "REASON",
    "EXPLANATION": "REASON",
    "JUSTIFICATION": "REASON",
    "RATING": "SCORE",
    "GRADE": "SCORE",
}
_VALUE: Final = re.compile(r"\[?\(?(?P<value>-?\d{1,6}(?:\.\d{1,6})?)(?![\d.]*\d)(?P<rest>.*)", re.DOTALL)
_RANGE: Final = re.compile(r"(?P<low>\d{1,3})\s*(?:-|–|to|\.\.)\s*(?P<high>\d{1,3})")
_OUT_OF: Final = re.compile(r"[*_\s]*(?:/|\(?\s*out\s+of)\s*(?P<most>\d{1,3})(?!\d)")
_ON_A_SCALE: Final = re.compile(rf"[,\s(]*on\s+a\s+scale\s+(?:of|from)\s+{_RANGE.pattern}")
#: What makes of one number two: "80 or 90", "80-90".
_SECOND: Final = re.compile(r"[*_\s]*(?:or|to|and|-|–|~|,)\s*\d")
#: A number up to this without a scale may be one from 1 to 5 or to 10.
_SMALL: Final = 9


@dataclass(frozen=True, slots=True)
class ScoredReply:
    """A reason and a score; `parts` are the other requested numbers, by name."""

    reason: str
    score: int
    parts: Mapping[str, int] = field(default_factory=dict)


def describe_form(accepted: Sequence[int] = HUNDRED, parts: Sequence[str] = ()) -> str:
    """The instructions of a prompt about the form of the reply."""
    step = f", in steps of {accepted[1] - accepted[0]}" if len(accepted) > 1 and accepted[1] - accepted[0] > 1 else ""
    number = f"a whole number from {accepted[0]} to {accepted[-1]}{step}"
    lines = [f"{part.upper()}: {number}" for part in parts]
    return "\n".join(["Reply with these lines and nothing else:", *lines, "REASON: what speaks for the score",
                      f"SCORE: {number}"])  # fmt: skip


def ask_score(
    chat: Chat, messages: Sequence[Message], accepted: Sequence[int] = HUNDRED, parts: Sequence[str] = ()
) -> ScoredReply:
    """The reason and the score that a model replies with; one that cannot be read is requested once more."""
    first = chat.complete(messages)
    try:
        return read_score(first, accepted, parts)
    except EpochalError as error:
        complaint = f"That cannot be used: {error}.\n{describe_form(accepted, parts)}"
    second = chat.complete([*messages, Message("assistant", first), Message("user", complaint)])
    try:
        return read_score(second, accepted, parts)
    except EpochalError as error:
        raise StructureError(chat.name, str(error), (first, second), "reason and score") from None


def read_score(text: str, accepted: Sequence[int] = HUNDRED, parts: Sequence[str] = ()) -> ScoredReply:
    """Read a reply; a score between two accepted ones is rounded to the nearer, at a tie to the lower.

    >>> read_score("Sure! Here is my grade.\\n```\\nREASON: both dates\\nSCORE: 4/5\\n```", TENS)
    ScoredReply(reason='both dates', score=80, parts={})
    """
    names = {"REASON", "SCORE", *(part.upper() for part in parts)}
    bare = _THOUGHTS.sub("", text)
    fields = _read_object(bare, names)
    if fields is None:
        fields = _read_lines(bare, names)
    numbers = {part: _read_number(fields, part.upper(), accepted) for part in parts}
    score = _read_number(fields, "SCORE", accepted)
    if not fields.get("REASON"):
        raise EpochalError("the reply has no REASON; accepted: a line that starts with REASON:")
    return ScoredReply(fields["REASON"], score, numbers)


def _read_object(text: str, names: set[str]) -> dict[str, str] | None:
    """The fields of a reply that is, or contains, a JSON object with a score; None for another."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        value = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    fields = {_get_label(str(key), names): _format_value(item) for key, item in value.items()}
    return {name: item for name, item in fields.items() if name} if "SCORE" in fields else None


def _format_value(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def _read_lines(text: str, names: set[str]) -> dict[str, str]:
    """The text after each label. A reason continues until the next label; without one, the preamble is the reason."""
    fields: dict[str, str] = {}
    preamble: list[str] = []
    last = ""
    for line in text.strip().splitlines():
        if _FENCE.fullmatch(line):
            continue
        match = _LINE.fullmatch(line)
        name = _get_label(match["name"], names) if match else ""
        if match and name:
            value = f"{match['rest'].strip()} {match['scale'] or ''}".strip()
            if name == "REASON":
                value = " ".join(filter(None, (fields.get(name), match["rest"].strip())))
            elif fields.get(name, value) != value:
                raise EpochalError(f"the reply has {name} twice; accepted: one line each")
            fields[name], last = value, name
        elif last == "REASON":
            fields["REASON"] = f"{fields['REASON']} {line.strip()}".strip()
        elif not last and line.strip():
            preamble.append(line.strip())
    if "SCORE" in fields and "REASON" not in fields and preamble:
        fields["REASON"] = " ".join(preamble)
    return fields


def _get_label(text: str, names: set[str]) -> str:
    """The name of a line that a label stands for; "" for none."""
    label = _QUALIFIER.sub("", " ".join(text.replace("_", " ").replace("-", " ").split())).upper()
    if label not in names:
        label = _LABELS.get(label, "")
    return label if label in names else ""


def _read_number(fields: Mapping[str, str], name: str, accepted: Sequence[int]) -> int:
    if name not in fields:
        raise EpochalError(f"the reply has no {name}; accepted: a line that starts with {name}:")
    number = _convert_number(fields[name])
    if number is not None and number in accepted:
        return int(number)
    least, most = min(accepted), max(accepted)
    if number is None or not least <= number <= most or not _has_whole_scale(fields[name], number):
        values = ", ".join(map(str, accepted)) if len(accepted) <= 11 else f"{least} to {most}"
        text = fields[name] if len(fields[name]) <= 40 else f"{fields[name][:37]}..."
        raise EpochalError(f"{name} is {text or 'empty'}; accepted: {values}")
    return min(accepted, key=lambda value: (abs(value - number), value))


def _has_whole_scale(text: str, number: float) -> bool:
    """Whether a number is certainly one from 0 to 100: it has a scale, or is a whole number too large for another."""
    return _find_scale(text) is not None or (number > _SMALL and number == int(number))


def _convert_number(text: str) -> float | None:
    """The number that a text starts with, from 0 to 100; None where it starts with none, or with two."""
    match = _VALUE.match(text)
    if match is None:
        return None
    value, scale = float(match["value"]), _find_scale(text)
    if scale is None:
        return None if _SECOND.match(match["rest"]) else value
    low, high = scale
    if not low <= value <= high or low >= high:
        return None
    return round(100 * (value - low) / (high - low), 6)


def _find_scale(text: str) -> tuple[float, float] | None:
    """The scale that is stated with a number: 4/5, 8 out of 10, 4 on a scale of 1 to 5, 4 (1-5), 80 %."""
    match = _VALUE.match(text)
    if match is None:
        return None
    rest = match["rest"]
    if out_of := _OUT_OF.match(rest):
        return 0.0, float(out_of["most"])
    if rest.lstrip(" *_").startswith("%"):
        return 0.0, 100.0
    if stated := _ON_A_SCALE.match(rest) or re.match(rf"[\s.*_]*\({_RANGE.pattern}\)", rest):
        return float(stated["low"]), float(stated["high"])
    if labelled := re.match(r"[\s.*_]*\((?:out of|of|/)\s*(?P<most>\d{1,3})\)", rest):
        return 0.0, float(labelled["most"])
    return None
