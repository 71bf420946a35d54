"""Questions in words: several ways to ask for each kind, in English and Chinese, that say which time they mean.

No template takes anything from the text of a document but the topic, which several documents share, or the title of
one that has versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from epochal.bench.audit.facts import choice_of
from epochal.bench.making.corpus import Axis
from epochal.bench.making.drafts import Draft
from epochal.bench.making.timewords import during, names

__all__ = ["worded"]

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


def worded(draft: Draft, language: str, seed: int, *, titled: bool = True) -> tuple[str, int]:
    """A draft as a question, and the number of the template that it was worded with.

    `titled` says that topics are those of titles, so that documents are about them and do not only mention them.

    >>> from epochal.bench.making.drafts import Window
    >>> from epochal.times import Span
    >>> window = Window(Span.year(1998), Span.year(1998))
    >>> worded(Draft("point", "Ann", (window,), ((1,),), (), ()), "en", seed=0)
    ('What was published about Ann in 1998?', 0)
    """
    kind = _LIKE.get(draft.kind, draft.kind)
    templates = _templates(draft, language, titled)[kind]
    number = choice_of(seed, "template", draft.key()) % len(templates)
    choice = choice_of(seed, "time", draft.key())
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


def _templates(draft: Draft, language: str, titled: bool) -> Mapping[str, tuple[str, ...]]:
    if draft.kind in _VERSIONS:
        return _VERSIONS_ZH if language == "zh" else _VERSIONS
    if draft.axis is Axis.PUBLISHED:
        return _PUBLISHED_ZH if language == "zh" else _PUBLISHED if titled else _MENTIONED
    return _ABOUT_ZH if language == "zh" else _ABOUT
