"""The block of YAML that many Markdown files begin with.

Read by PyYAML, with fewer types than YAML has: a plain word is a number, true, false or null, and otherwise text. So
dates stay text, as they are read elsewhere, and `NO` is a country. A value that is no YAML because it has a colon or
begins with a sign of YAML (`title: Rain: a history`) is taken as the text that it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

__all__ = ["FrontMatterError", "front_matter"]

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile(r"[-+]?[0-9]{1,17}\.[0-9]{1,17}")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "~": None, "": None}
#: A line `key: value` at the margin whose value may be put in quotes; after `|` and `>` lines are text anyway.
_LINE = re.compile(r"""(?P<key>[^\s'"\[\]{}#&*!|>%@`,-][^:#]*?\s*:)[ \t]+(?P<value>(?![|>]\S{0,2}$)\S.*?)(?:\s+#.*)?""")
#: The most values of one front matter that are put in quotes.
_QUOTED: Final = 50
_DEEPEST: Final = 50


class FrontMatterError(ValueError):
    """A front matter that is not YAML, or not one mapping. Carries the `line` and the `problem`.

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
    return _parse([line.rstrip() for line in lines[1:close]]), "\n".join(lines[close + 1 :])


def _parse(lines: list[str]) -> dict[str, Any]:
    """The mapping that lines hold. A value that YAML cannot read is put in quotes, and the lines are read again."""
    quoted: dict[int, str] = {}
    while True:
        try:
            return _load("\n".join(quoted.get(number, line) for number, line in enumerate(lines)))
        except _YamlError as error:
            for number in error.lines:
                changed = _quote(lines, number)
                if changed and len(quoted) < _QUOTED and not changed.keys() & quoted.keys():
                    quoted.update(changed)
                    break
            else:
                number = min(error.lines[0], len(lines) - 1)
                shown = f"the front matter has the line {lines[number].strip()[:60]!r}: {error}"
                raise FrontMatterError(
                    number + 2, f"{shown}; accepted: YAML with a 'key: value' in each line"
                ) from None


def _quote(lines: list[str], number: int) -> dict[int, str]:
    """The lines of the value that a line belongs to, by number, with that value in quotes; none where it has none."""
    first = min(number, len(lines) - 1)
    while first > 0 and (not lines[first] or lines[first][0].isspace()):
        first -= 1
    match = _LINE.fullmatch(lines[first])
    if match is None:
        return {}
    last = first + 1
    while last < len(lines) and lines[last][:1].isspace():
        last += 1
    value = " ".join([match["value"], *(line.strip() for line in lines[first + 1 : last])])
    if len(value) > 1 and value[0] == value[-1] == '"':  # an escape that YAML does not have, as in "C:\\dir"
        value = value[1:-1].replace('\\"', '"')
    value = value.replace("'", "''")
    return {first: f"{match['key']} '{value}'", **dict.fromkeys(range(first + 1, last), "")}


class _YamlError(ValueError):
    """What PyYAML complains of, and the lines, from 0, that may be at fault, the likeliest first."""

    def __init__(self, problem: str, *lines: int) -> None:
        super().__init__(problem)
        self.lines = lines


def _load(block: str) -> dict[str, Any]:
    import yaml

    try:
        # The parser in C where the package was built with it: ten times faster.
        return _build(yaml.parse(block, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.MarkedYAMLError as error:
        marks = [mark.line for mark in (error.problem_mark, error.context_mark) if mark is not None]
        # A key without its colon and a quote without its end are noticed only further down.
        lines = marks[::-1] if error.context and "scanning" in error.context else marks
        raise _YamlError(str(error.problem or error.context), *(lines or [0])) from None
    except yaml.YAMLError as error:  # a character that no YAML has
        place = getattr(error, "position", 0) or 0
        raise _YamlError("it has a character that YAML does not allow", block.count("\n", 0, place)) from None


def _build(events: Iterable[Any]) -> dict[str, Any]:
    """The mapping of a stream of events. PyYAML's own loaders recurse, and a deep file would end the process."""
    import yaml

    root: dict[str, Any] = {}
    open_values: list[Any] = [[root]]  # the outermost list takes the whole, which must be a mapping
    keys: list[str | None] = [None]
    for event in events:
        line = event.start_mark.line
        if isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            open_values.pop()
            keys.pop()
            continue
        if not isinstance(event, yaml.NodeEvent):
            continue
        if event.anchor is not None or getattr(event, "tag", None) is not None:
            # More often words than YAML, such as "!important" and "*new*"; and aliases make millions of a few values.
            raise _YamlError("it has a tag, an anchor or an alias", line)
        if len(open_values) > _DEEPEST:
            raise _YamlError("it is nested too deeply", line)
        if len(open_values) == 1:
            if not isinstance(event, yaml.MappingStartEvent):
                raise _YamlError("it is not a mapping", line)
            value: Any = root
        elif isinstance(open_values[-1], dict) and keys[-1] is None:
            if not isinstance(event, yaml.ScalarEvent):
                raise _YamlError("it has a key that is not a word", line)
            keys[-1] = event.value
            continue
        else:
            value = _value(event)
            if isinstance(open_values[-1], list):
                open_values[-1].append(value)
            else:
                open_values[-1][keys[-1]] = value
                keys[-1] = None
        if not isinstance(event, yaml.ScalarEvent):
            open_values.append(value)
            keys.append(None)
    return root


def _value(event: Any) -> Any:
    import yaml

    if isinstance(event, yaml.SequenceStartEvent):
        return []
    if isinstance(event, yaml.MappingStartEvent):
        return {}
    if event.style in ("|", ">"):
        return event.value.strip()
    return event.value if event.style else _scalar(event.value)


def _scalar(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text
