"""The block of `key: value` lines that many Markdown files begin with: values, lists, and blocks within blocks."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["FrontMatterError", "front_matter"]

_KEY = re.compile(r"""(?P<key>[^\s'"\[\]{}#&*!|>%@`,-][^:#]*?|"[^"]*"|'[^']*')\s*:(?:\s+(?P<value>.*))?$""")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile(r"[-+]?[0-9]{1,17}\.[0-9]{1,17}")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "~": None, "": None}


class FrontMatterError(ValueError):
    """A line of a front matter that is none of the forms. Carries the `line` and the `problem`.

    >>> FrontMatterError(3, "has no key").line
    3
    """

    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        self.problem = problem
        super().__init__(f"line {line}: {problem}")


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The values of a text's front matter, and the text after it; no values when it does not begin with `---`.

    >>> front_matter("---\\ntitle: Rain\\ntags: [a, b]\\n---\\nIt rains.")
    ({'title': 'Rain', 'tags': ['a', 'b']}, 'It rains.')
    """
    if not text.startswith("---"):
        return {}, text
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return {}, text
    close = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if close is None:  # a rule across the page, not a front matter
        return {}, text
    block = [(number, line.rstrip()) for number, line in enumerate(lines[1:close], 2)]
    return _mapping(block), "\n".join(lines[close + 1 :])


Block = list[tuple[int, str]]


def _mapping(block: Block) -> dict[str, Any]:
    values: dict[str, Any] = {}
    place = 0
    while place < len(block):
        number, line = block[place]
        place += 1
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _KEY.match(line)
        if match is None or line[0].isspace():
            accepted = "'key: value', '- item' below a key, and '# comment'"
            raise FrontMatterError(number, f"the front matter has the line {line.strip()[:60]!r}; accepted: {accepted}")
        key, value = match["key"].strip("\"'"), (match["value"] or "").strip()
        first = place
        while place < len(block) and _belongs(block[place][1], bool(value)):
            place += 1
        below = block[first:place]
        if value[:1] in ("|", ">"):
            values[key] = _folded(below, value[0])
        elif value and below and any(line.strip() for _, line in below):
            values[key] = _scalar(" ".join([value, *(line.strip() for _, line in below if line.strip())]))
        elif value:
            values[key] = _scalar(value)
        else:
            values[key] = _nested(below)
    return values


def _belongs(line: str, has_value: bool) -> bool:
    """Whether a line goes on with the key above it: it is indented, blank, or an item of a list."""
    return not line or line[0].isspace() or (not has_value and (line.startswith("- ") or line == "-"))


def _nested(below: Block) -> Any:
    """What stands below a key without a value: nothing, a list, or another block."""
    block = [(number, line) for number, line in below if line.strip() and not line.lstrip().startswith("#")]
    if not block:
        return None
    indent = min(len(line) - len(line.lstrip()) for _, line in block)
    block = [(number, line[indent:]) for number, line in block]
    if block[0][1][:1] != "-":
        return _mapping(block)
    items = []
    for number, line in block:
        item = line[1:].strip()
        if line[:2] not in ("- ", "-") or (_KEY.match(item) and item[:1] not in ("'", '"')):
            raise FrontMatterError(number, f"the front matter has the item {line[:60]!r}; accepted: '- plain value'")
        items.append(_scalar(item))
    return items


def _folded(below: Block, mark: str) -> str:
    indent = min((len(line) - len(line.lstrip()) for _, line in below if line.strip()), default=0)
    return ("\n" if mark == "|" else " ").join(line[indent:] for _, line in below).strip()


def _scalar(text: str) -> Any:
    if text[0] in "\"'":
        end = text.find(text[0], 1)
        while text[0] == "'" and text[end : end + 2] == "''":
            end = text.find("'", end + 2)
        while text[0] == '"' and end > 0 and text[end - 1] == "\\":
            end = text.find('"', end + 1)
        if end > 0 and (not text[end + 1 :].strip() or text[end + 1 :].lstrip().startswith("#")):
            inner = text[1:end]
            return inner.replace("''", "'") if text[0] == "'" else inner.replace('\\"', '"').replace("\\\\", "\\")
        return text
    if text[0] == "[" and text.partition(" #")[0].rstrip().endswith("]"):
        inner = text.partition(" #")[0].rstrip()[1:-1].strip()
        return [_scalar(item.strip()) for item in inner.split(",") if item.strip()]
    text = text.partition(" #")[0].rstrip()
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text
