"""Every regular expression of the engine, and texts that make a bad one slow.

A text repeats what the pattern itself mentions (its words, blanks, digits, marks), behind a beginning and before an end
that it cannot match. Patterns of a `Grammar` match codes of tokens, not texts. The lazy patterns of readers get texts
without endless runs (`epochal.reading.long_texts`), and those of times get bounded ones (`epochal.times.catalogue`):
readers are tried as a whole in tests/reading/test_linear.py.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import epochal
from costs import measure_cpu
from epochal.lazy import LazyRegex
from epochal.reading.grammar import Grammar

if sys.version_info >= (3, 11):
    from re import _constants as codes  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
else:
    import sre_constants as codes
    import sre_parse as parser

READERS = ("epochal.reading.", "epochal.times.")
#: What texts for all patterns repeat.
COMMON = (" ", "\n", "0", "a", "A", "é", "年", ".", ",", "-", "(", ":", "/", "'", '"', "1 ", "a ", "a.", "1.", "a, ")
BEGINNINGS = ("", "a", "1")
#: What a pattern that must go on cannot match.
END = "\x00"
METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split", "scanner")
#: Modules that run something when they are imported.
SKIPPED = ("epochal.__main__", "epochal.testing", "epochal.derived")
#: Modules that take seconds to import; of these, only patterns that are written out are found.
HEAVY = ("epochal.integrations", "epochal.backends")


class Used(NamedTuple):
    """A pattern, where it is, and the methods that are called of it."""

    where: str
    pattern: re.Pattern[str]
    methods: tuple[str, ...]


class Growth(NamedTuple):
    """The CPU seconds of a method for a text, and for one of four times its length."""

    where: str
    text: str
    method: str
    short: float
    long: float


def list_patterns() -> list[Used]:
    """The patterns that modules hold, and those that are written where they are used."""
    found: dict[str, Used] = {}
    seen: set[int] = set()
    for name, path in _list_modules():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        uses = _find_uses(tree)
        module = None if name.startswith(HEAVY) else _load(name)
        for key, value in sorted(vars(module).items()) if module else ():
            for item in _walk(value, seen, 5, not name.startswith(READERS)):
                methods = tuple(sorted(uses.get(key, set()))) or ("search",)
                found.setdefault(item.pattern, Used(f"{name}.{key}", item, methods))
        for item, method in _find_literals(tree):
            where = f"{name} {item.pattern[:40]!r}"
            found.setdefault(item.pattern, Used(where, item, (method,)))
    return list(found.values())


def _list_modules() -> Iterator[tuple[str, Path]]:
    root = Path(str(epochal.__file__)).parent
    for path in sorted(root.rglob("*.py")):
        name = ".".join(("epochal", *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
        if not name.startswith(SKIPPED):
            yield name, path


def _load(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:  # an extra that is not installed
        return None


def _find_uses(tree: ast.Module) -> dict[str, set[str]]:
    """The methods that are named of each name in a module."""
    uses: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            of = node.value
            name = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""
            uses.setdefault(name, set()).add(node.attr)
    return uses


def _find_literals(tree: ast.Module) -> Iterator[tuple[re.Pattern[str], str]]:
    """Patterns that are given to functions of `re` as they are."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        of, first = node.func.value, node.args[0]
        is_plain = isinstance(of, ast.Name) and of.id == "re" and isinstance(first, ast.Constant)
        if is_plain and isinstance(first.value, str) and node.func.attr in (*METHODS, "compile"):
            try:
                pattern = re.compile(first.value)
            except re.error:  # needs its flags
                pattern = re.compile(first.value, re.VERBOSE)
            yield pattern, "search" if node.func.attr == "compile" else node.func.attr


def _walk(value: Any, seen: set[int], depth: int, with_lazy: bool) -> Iterator[re.Pattern[str]]:
    if type(value) is re.Pattern:
        if isinstance(value.pattern, str) and id(value) not in seen:
            seen.add(id(value))
            yield value
        return
    if isinstance(value, LazyRegex):
        if with_lazy:
            yield re.compile(value.pattern, value._flags)
        return
    if not depth or id(value) in seen or isinstance(value, Grammar | type | ModuleType):
        return
    inner: Iterable[Any]
    if isinstance(value, dict):
        inner = value.values()
    elif isinstance(value, list | tuple | set | frozenset):
        inner = value
    elif with_lazy and type(value).__module__.startswith("epochal."):
        names = [slot for kind in type(value).__mro__ for slot in getattr(kind, "__slots__", ())]
        inner = vars(value).values() if hasattr(value, "__dict__") else [getattr(value, name, None) for name in names]
    else:
        return
    seen.add(id(value))
    for item in list(inner):
        yield from _walk(item, seen, depth - 1, with_lazy)


def list_units(pattern: re.Pattern[str], most: int = 48) -> list[str]:
    """What to repeat: what all patterns are tried with, and the characters and words of this one."""
    words = [word for word in dict.fromkeys(_list_literals(parser.parse(pattern.pattern, pattern.flags))) if word]
    return list(dict.fromkeys([*COMMON, *words, *(f"{word} " for word in words[:10])]))[:most]


def _list_literals(tree: Any) -> Iterator[str]:
    """Runs of characters that a pattern mentions, and one of each of its classes."""
    run = ""
    for code, value in tree:
        if code is codes.LITERAL:
            run += chr(value)
            continue
        if run:
            yield run
            run = ""
        yield from _list_inner(code, value)
    if run:
        yield run


def _list_inner(code: Any, value: Any) -> Iterator[str]:
    if code is codes.IN:
        yield from (chr(item) for kind, item in value if kind is codes.LITERAL)
        yield from (chr(item[0]) for kind, item in value if kind is codes.RANGE)
    elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, getattr(codes, "POSSESSIVE_REPEAT", None)):
        yield from _list_literals(value[2])
    elif code is codes.SUBPATTERN:
        yield from _list_literals(value[3])
    elif code is codes.BRANCH:
        for branch in value[1]:
            yield from _list_literals(branch)
    elif code in (codes.ASSERT, codes.ASSERT_NOT):
        yield from _list_literals(value[1])
    elif code is getattr(codes, "ATOMIC_GROUP", None):
        yield from _list_literals(value)


def make_call(pattern: re.Pattern[str], method: str) -> Callable[[str], object]:
    """A call that takes a text alone and does all of the work."""
    if method in ("sub", "subn"):
        return lambda text: pattern.sub("", text)
    if method in ("finditer", "findall", "split", "scanner"):
        return pattern.findall
    return getattr(pattern, method)


def find_growth(used: Used, size: int, slow: float, beginnings: Sequence[str] = BEGINNINGS) -> Growth | None:
    """The first text of `size` characters that takes a pattern more than `slow` seconds, and more than linear time.

    Linear time gives a factor of four for four times the length, quadratic time one of sixteen.
    """
    calls = {method: make_call(used.pattern, method) for method in used.methods}
    for unit in list_units(used.pattern):
        for beginning in beginnings:
            short, long = (f"{beginning}{unit * (count // len(unit) + 1)}{END}" for count in (size // 4, size))
            for method, call in calls.items():
                if measure_cpu(partial(call, long), 1) > slow:
                    seconds = measure_cpu(partial(call, short)), measure_cpu(partial(call, long))
                    if seconds[1] > 9 * seconds[0] and seconds[1] > slow:
                        return Growth(used.where, f"{beginning!r} and {unit!r}", method, *seconds)
    return None
