"""Windows and questions in words, in English and Chinese: several ways for each, all of them exact.

No template takes anything from the text of a document but the topic, which several documents share, or the title of
one that has versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from epochal.audit.facts import hash_choice
from epochal.times.axis import DAY, Grain, civil_date
from epochal.times.span import Span
from epochal.times.words import MONTHS, format_ordinal, format_year
from epochal_lab.datasets.making.corpus import Axis
from epochal_lab.datasets.making.drafts import Draft

_COUNTED: Final = ("first", "second", "third", "fourth")


def names(unit: Span, language: str = "en") -> list[str]:
    """What one unit of a grain is called, in several ways; each names exactly this unit."""
    year, month, day = civil_date(unit.start // DAY)
    modern = 1000 <= year <= 9999
    if language == "zh":
        return _format_chinese(unit.grain, year, month, day)
    words = format_year(year)
    if unit.grain is Grain.DAY:
        iso = [f"{year:04}-{month:02}-{day:02}"] if modern else []
        name = MONTHS[month - 1]
        return [f"{day} {name} {words}", f"{name} {day}, {words}", *iso, f"the {format_ordinal(day)} of {name} {words}"]
    if unit.grain is Grain.MONTH:
        return [f"{MONTHS[month - 1]} {words}", *([f"{MONTHS[month - 1]} of {words}"] if modern else [])]
    if unit.grain is Grain.QUARTER:
        quarter = (month - 1) // 3
        return [f"the {_COUNTED[quarter]} quarter of {words}", *([f"Q{quarter + 1} {words}"] if modern else [])]
    if unit.grain is Grain.YEAR:
        return [words, *([f"the year {words}"] if modern else [])]
    if unit.grain is Grain.DECADE and modern:
        return [f"the {year}s"]
    return [unit.describe()]


def _format_chinese(grain: Grain, year: int, month: int, day: int) -> list[str]:
    words = f"{year}年" if year > 0 else f"公元前{1 - year}年"
    if grain is Grain.DAY:
        return [f"{words}{month}月{day}日"]
    if grain is Grain.MONTH:
        return [f"{words}{month}月"]
    if grain is Grain.QUARTER:
        return [f"{words}第{'一二三四'[(month - 1) // 3]}季度"]
    if grain is Grain.DECADE and year > 0:
        return [f"{year // 100 + 1}世纪{year % 100 // 10 * 10}年代"] if year % 100 else [f"{words}至{year + 9}年"]
    return [words]


def during(first: Span, last: Span, choice: int, language: str = "en") -> str:
    """The words that put something into a unit, or into a range of units of one grain, both of them included."""
    if first == last:
        called = names(first, language)
        words = called[choice % len(called)]
        if language == "zh":
            return words
        return f"{'on' if first.grain is Grain.DAY else 'in'} {words}"
    one, two = names(first, language), names(last, language)
    way = choice // 2 if first.grain is Grain.DAY else 0
    start, end = one[way % len(one)], two[way % len(two)]
    if language == "zh":
        return f"{start}至{end}间" if choice % 2 == 0 else f"从{start}到{end}"
    return f"from {start} to {end}" if choice % 2 == 0 else f"between {start} and {end}"


# {x} is the topic or the document; {t} a time with its preposition ("in 1998"); {n} a time by name ("1998"); {a} and
# {b} those of two periods, as {t}.
_PUBLISHED: Final[Mapping[str, tuple[str, ...]]] = {
    "point": (
        "What was published about {x} {t}?",
        "What do the documents from {n} say about {x}?",
        "Which documents that appeared {t} mention {x}?",
        "{x}: what appeared {t}?",
    ),
    "window": (
        "What was published about {x} {t}?",
        "Everything about {x} that appeared {t}",
        "Which documents about {x} were published {t}?",
        "What did documents published {t} say about {x}?",
    ),
    "before": (
        "What was published about {x} before {n}?",
        "Which documents about {x} appeared earlier than {n}?",
        "What had already been published about {x} before {n}?",
    ),
    "after": (
        "What was published about {x} after {n}?",
        "Which documents about {x} appeared later than {n}?",
        "{x}: everything that appeared after {n}",
    ),
    "comparison": (
        "How does what was published about {x} {a} differ from what was published {b}?",
        "Compare the documents about {x} that appeared {a} with those that appeared {b}.",
        "What was published about {x} {a}, and what {b}?",
    ),
}
#: Where topics were found in texts and not in titles: what is sure is that a document names them early on.
_MENTIONED: Final[Mapping[str, tuple[str, ...]]] = {
    "point": (
        "Which documents that appeared {t} mention {x}?",
        "What do the documents from {n} say of {x}?",
        "What was published {t} that involves {x}?",
        "{x}: where is it mentioned in what appeared {t}?",
    ),
    "window": (
        "Which documents published {t} mention {x}?",
        "Everything that appeared {t} and mentions {x}",
        "What did documents published {t} say of {x}?",
    ),
    "before": (
        "Which documents that appeared before {n} mention {x}?",
        "What did documents earlier than {n} say of {x}?",
    ),
    "after": (
        "Which documents that appeared after {n} mention {x}?",
        "What did documents later than {n} say of {x}?",
    ),
    "comparison": (
        "How does what was said of {x} in documents published {a} differ from what was said {b}?",
        "Compare the documents that mention {x} and appeared {a} with those that appeared {b}.",
    ),
}
_ABOUT: Final[Mapping[str, tuple[str, ...]]] = {
    "point": (
        "What is recorded about {x} for {n}?",
        "What do the documents say about {x} {t}?",
        "{x} {t}: what is known?",
    ),
    "window": (
        "What is recorded about {x} {t}?",
        "Everything about {x} {t}",
        "What do the documents say about {x} {t}?",
    ),
    "before": ("What is recorded about {x} before {n}?", "What do the documents say about {x} earlier than {n}?"),
    "after": ("What is recorded about {x} after {n}?", "What do the documents say about {x} later than {n}?"),
    "comparison": (
        "How does {x} {a} differ from {x} {b}?",
        "Compare what is recorded about {x} {a} with what is recorded {b}.",
    ),
}
_VERSIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "latest": (
        'What does the latest version of "{x}" say?',
        'What is the current text of "{x}"?',
        'Find the newest version of "{x}".',
    ),
    "as_of": (
        'What did "{x}" say {t}?',
        'Which version of "{x}" was in force {t}?',
        '"{x}" as it stood {t}',
    ),
}
_PUBLISHED_ZH: Final[Mapping[str, tuple[str, ...]]] = {
    "point": ("{t}发表的文献怎样说{x}？", "{t}有哪些关于{x}的文献发表？", "关于{x}，{t}发表了什么？"),
    "window": ("{t}发表了哪些关于{x}的文献？", "{t}发表的文献怎样说{x}？"),
    "before": ("{n}之前发表了哪些关于{x}的文献？", "早于{n}的文献怎样说{x}？"),
    "after": ("{n}之后发表了哪些关于{x}的文献？", "晚于{n}的文献怎样说{x}？"),
    "comparison": ("{a}与{b}发表的关于{x}的文献有何不同？", "比较{a}和{b}发表的关于{x}的文献。"),
}
_ABOUT_ZH: Final[Mapping[str, tuple[str, ...]]] = {
    "point": ("{t}，关于{x}有何记载？", "{t}{x}发生了什么事？"),
    "window": ("{t}，关于{x}有何记载？", "{t}{x}有哪些事？"),
    "before": ("{n}之前，关于{x}有何记载？",),
    "after": ("{n}之后，关于{x}有何记载？",),
    "comparison": ("比较{a}和{b}关于{x}的记载。", "{x}在{a}与{b}有何不同？"),
}
_VERSIONS_ZH: Final[Mapping[str, tuple[str, ...]]] = {
    "latest": ("“{x}”的最新版本怎么说？", "“{x}”现行的文本是什么？"),
    "as_of": ("{t}时“{x}”怎么说？", "{t}有效的“{x}”是哪一版？"),
}
#: Silence must not show in the words of a question: it is asked like any other.
_LIKE: Final = {"none_recorded": "point", "not_covered": "point"}


def word_question(draft: Draft, language: str, seed: int, *, titled: bool = True) -> tuple[str, int]:
    """A draft as a question, and the number of the template that it was worded with.

    `titled` says that topics are those of titles, so that documents are about them and do not only mention them.
    """
    kind = _LIKE.get(draft.kind, draft.kind)
    templates = _select_templates(draft, language, titled)[kind]
    number = hash_choice(seed, "template", draft.key()) % len(templates)
    choice = hash_choice(seed, "time", draft.key())
    words = {"x": draft.named}
    if draft.windows:
        first, last = draft.windows[0], draft.windows[-1]
        called = names(first.first, language)
        words |= {
            "t": during(first.first, first.last, choice, language),
            "n": called[choice % len(called)],
            "a": during(first.first, first.last, choice, language),
            "b": during(last.first, last.last, choice, language),
        }
    text = templates[number].format(**words)
    return text[0].upper() + text[1:], number


def _select_templates(draft: Draft, language: str, titled: bool) -> Mapping[str, tuple[str, ...]]:
    if draft.kind in _VERSIONS:
        return _VERSIONS_ZH if language == "zh" else _VERSIONS
    if draft.axis is Axis.PUBLISHED:
        return _PUBLISHED_ZH if language == "zh" else _PUBLISHED if titled else _MENTIONED
    return _ABOUT_ZH if language == "zh" else _ABOUT
