"""A sentence to a clause without its time: a subject and a predicate, by the shape of the words alone.

No parser: the time expression is cut out with the words that bind it, the sentence is split at its commas, and the
segment around the gap is split at its first past verb (rules for regular verbs, a table for others) or auxiliary. A
sentence of another shape gives no clause; then questions are about the names of the chunk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

#: Verbs that go before the subject in a question as they are.
AUXILIARIES: Final = frozenset("was were is are had has have will would could did can may might must should".split())

_IRREGULAR: Final = dict(
    pair.split(":")
    for pair in (
        "became:become began:begin won:win left:leave made:make took:take held:hold went:go came:come got:get "
        "gave:give led:lead met:meet ran:run sold:sell built:build bought:buy brought:bring fought:fight "
        "taught:teach wrote:write lost:lose found:find spent:spend stood:stand sat:sit set:set put:put cut:cut "
        "broke:break chose:choose drove:drive fell:fall felt:feel flew:fly grew:grow kept:keep knew:know lay:lie "
        "laid:lay paid:pay rode:ride rose:rise said:say saw:see sang:sing sank:sink sent:send shot:shoot "
        "spoke:speak swam:swim threw:throw understood:understand withdrew:withdraw drew:draw undertook:undertake "
        "overtook:overtake underwent:undergo oversaw:oversee rebuilt:rebuild beat:beat bore:bear bound:bind "
        "dealt:deal fled:flee forgot:forget froze:freeze hid:hide hit:hit hurt:hurt lent:lend meant:mean quit:quit "
        "sought:seek shook:shake slept:sleep split:split stole:steal struck:strike swore:swear tore:tear told:tell "
        "thought:think upheld:uphold woke:wake wore:wear retook:retake arose:arise awoke:awake bid:bid "
        "broadcast:broadcast cast:cast caught:catch clung:cling dug:dig fed:feed foresaw:foresee gained:gain "
        "heard:hear knelt:kneel leapt:leap shut:shut slid:slide spread:spread sprang:spring stuck:stick swept:sweep "
        "swung:swing wound:wind withheld:withhold withstood:withstand outlived:outlive overcame:overcome "
        "overthrew:overthrow redrew:redraw resold:resell rewrote:rewrite reran:rerun mistook:mistake "
        "foretold:foretell partook:partake befell:befall begot:beget"
    ).split()
)
#: Regular verbs whose base the rules below would miss.
_KNOWN: Final = {
    (f"{base}d" if base.endswith("e") else f"{base}ed"): base
    for base in (
        "invite unite cite ignite excite recite combine define refine confine determine examine imagine dine mine "
        "undermine intertwine postpone phone clone zone hope cope type wipe escape shape scrape tape store score "
        "restore explore ignore adore bore rule schedule console concede precede recede secede supersede erode "
        "explode code delete compete complete deplete note vote devote promote quote denote assume consume resume "
        "presume welcome create theme add debut focus bias age use sue die tie lie agree disagree free decree "
        "guarantee referee guide breathe telephone exile date"
    ).split()
}
#: Stems that need an "e" again: "mov", "produc", "chang", "settl", "declar", "operat", "releas", "includ", "describ".
_E_AGAIN: Final = re.compile(
    r"(?:[cvuz]|(?<![oiu]n)g|[bcdfgkptz]l|(?<!e)ar|(?<![aeo])ir|(?<!o)ur|(?<![eo])at|(?<![io])ut|[aeiou]s|[lnr]s"
    r"|(?<![aeou])ud|(?<![aeou])id|(?<![eo])ad|ib|(?<![aeo])[aio]k|(?<!e)am|lin|(?<![aeo])il)$"
)
_NO_E: Final = re.compile(r"(?:[^aeiou]w|ss)$")
_DOUBLED: Final = re.compile(
    r"([bdgmnprt])\1$|(?:canc|trav|exp|exc|mod|comp|prop|reb|lab|lev|couns|quarr|chann|disp)ell$"
)
_DOUBLED_ALSO: Final = re.compile(r"(?:contr|patr)oll$|(?:sign|tot|riv|equ|marsh)all$")
_NOT_VERBS: Final = frozenset(
    "red bed shed sled need seed speed weed breed deed indeed hundred united limited sacred naked wicked nosebleed "
    "beloved kindred infrared embed succeed proceed exceed ahmed mohamed muhammed mehmed alfred wilfred fred ned ted "
    "used".split()
)

#: What news tell in the present: "launches" and "dies"; other forms in -s are too often plurals of nouns.
_PRESENT: Final = {
    f"{base}es"
    if base.endswith(("s", "sh", "ch", "x"))
    else f"{base[:-1]}ies"
    if base.endswith("ny")
    else f"{base}s": base
    for base in (
        "accept accuse acquire adopt agree allow announce apologise appear appoint approve arrest arrive ask "
        "assassinate attack attend ban beat become begin block break bring build buy cancel capture celebrate claim "
        "clash close collapse collide condemn confirm cross crash cut declare defeat defend demand deny destroy "
        "detain die dismiss drop elect end enter escape execute expel explode extend fail fall file find fire give "
        "grant halt hit hold host impose increase injure introduce invade issue join kill launch lead leave lift "
        "lose make meet merge move open order overturn pardon pass pledge postpone predict protest publish pull "
        "raise reach receive recognise reduce refuse reject release remain remove replace resign resume return "
        "reveal rise say seek seize sell send sentence sign sink strike sue surrender suspend take threaten urge "
        "visit vow warn win withdraw"
    ).split()
}

#: Past participles that "was" and "were" go with, and that are no plain past of another verb.
PARTICIPLES: Final = frozenset(
    "born made held won built sold bought brought taken given led found lost chosen broken written known shown drawn "
    "set put cut sent paid laid left told taught fought struck shot sunk sworn thrown torn worn driven seen "
    "sung spread split cast hit overthrown rebuilt withdrawn undertaken".split()
)


def is_past(word: str) -> bool:
    """Whether a word, written small, can be the past of a verb."""
    if word in _IRREGULAR:
        return True
    return word.endswith("ed") and len(word) > 3 and word not in _NOT_VERBS and word.isalpha()


def is_present(word: str) -> bool:
    """Whether a word, written small, is the present tense of a verb used in news."""
    return word in _PRESENT


def base_form(word: str) -> str | None:
    """The base of a past form, or of a present one that is known; None for other words."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word in _PRESENT:
        return _PRESENT[word]
    if not is_past(word):
        return None
    if word in _KNOWN:
        return _KNOWN[word]
    stem = word[:-2]
    if stem.endswith("i"):
        return f"{stem[:-1]}y"
    if stem.endswith("e"):
        return stem if stem.endswith(("ee", "oe", "ye")) else f"{stem}e"
    if _DOUBLED.search(stem) or _DOUBLED_ALSO.search(stem):
        return stem[:-1]
    return f"{stem}e" if _E_AGAIN.search(stem) and not _NO_E.search(stem) else stem


#: What may bind an expression and goes with it.
_LEAD: Final = re.compile(
    r"(?:\b(?:in|on|at|during|from|since|until|till|by|around|about|circa|throughout|of|for|as of|as early as|"
    r"as late as|early in|late in|later in|starting|beginning|dated|between|over|within|back in|only in|"
    r"(?:in|at|by|from|until|since) the (?:beginning|start|end|middle|spring|summer|autumn|fall|winter|season|year|"
    r"years) of|on the (?:morning|evening|night) of)\s+(?:the\s+)?)+$",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(r",(?!\d)|[;:()\[\]]|\s[-–—]\s")
_BRACKETS: Final = re.compile(r"\s?\([^()]*\)|\s?\[[^\[\]]*\]")
#: A noun that an expression only tells from others: "the 1987 federal election", "his 1998 album".
_DETERMINER: Final = re.compile(r"\b(?:the|a|an|his|her|its|their|this|that)\s+$", re.IGNORECASE)
_NOUN: Final = re.compile(
    r"\s+(?!(?:and|or|but|to|in|on|at|of|for|with|by|from|was|were|is|are|had|has|he|she|it|they|the|a|an|when|while|as|"
    r"after|before|until|that|who|which)\b)\w{3,}"
)
#: Nouns that go with the expression that they follow.
_SEASON: Final = re.compile(r"\s+(?:season|campaign)s?\b")
_BORN: Final = re.compile(r"\b(?P<verb>born|died)\b", re.IGNORECASE)
_NAME_AT_END: Final = re.compile(
    r"(?:^|[\s(“\"])(?P<name>[A-Z][\w'’.-]*(?:\s+(?:(?:of|the|de|von|van|and)\s+)*[A-Z][\w'’.-]*)*)$"
)
#: Words that open another clause.
_OPENERS: Final = frozenset("which who whom whose where when while after before because although though but".split())
#: Words that a predicate cannot end with.
_HANGING: Final = frozenset(
    "a an the and or but of in on at to for from with by as into his her its their that than then also when while "
    "which who where after before until since during between both either not no this these following due including "
    "because against among under over".split()
)
_PRONOUNS: Final = frozenset("he she it they we i you".split())
_PERSONAL: Final = {"he": True, "she": True, "it": False}
_OWNING: Final = {"his": True, "her": True, "its": False}
_ARTICLES: Final = frozenset(("the", "a", "an"))
_NEVER_SUBJECT: Final = frozenset(
    "there this that these those who which what when where why how if as although though while after before during in "
    "on at by from for with to upon following despite since until because under".split()
)
_INSIDE_NAMES: Final = frozenset(
    "of the de da del della di do dos du la le van von der den bin ibn al el y and".split()
)
_LONGEST_SUBJECT: Final = 8
_LONGEST_PREDICATE: Final = 16


@dataclass(frozen=True, slots=True)
class Clause:
    """Who or what did what: "Ann Hay" "joined" "the team in Leeds".

    The subject is empty where the text has only a pronoun for it; `human` is None where nothing tells.
    """

    subject: str
    verb: str
    rest: str
    human: bool | None = None

    @property
    def base(self) -> str | None:
        """The base of the verb, where it is one that asks with "did"; None for auxiliaries."""
        return None if self.verb in AUXILIARIES else base_form(self.verb)

    @property
    def predicate(self) -> str:
        """The verb and what follows it."""
        return f"{self.verb} {self.rest}".strip()


def cut_out(text: str, start: int, end: int) -> tuple[str, int]:
    """A text without the expression at a place and the words that bind it, and where the gap is."""
    if brackets := _find_brackets(text, start, end):
        start, end = brackets
    elif not (_DETERMINER.search(text, 0, start) and _NOUN.match(text, end) and not _SEASON.match(text, end)):
        if season := _SEASON.match(text, end):
            end = season.end()
        if lead := _LEAD.search(text, 0, start):
            start = lead.start()
    before, after = text[:start].rstrip(), text[end:].lstrip()
    if not before:
        after = after.lstrip(",: ")
    if before.endswith(",") and (not after or after[0] in ",.;"):
        before = before[:-1].rstrip()
    gap = len(before)
    joint = "" if not before or not after or after[0] in ",.;:)!?" else " "
    return f"{before}{joint}{after}", gap


def find_clause(sentence: str, start: int, end: int, title: str = "") -> Clause | None:
    """The clause of a sentence that its time expression, at `sentence[start:end]`, belongs to; None where none is seen.

    A pronoun represents the `title`; without one, the clause has no subject.
    """
    brackets = _find_brackets(sentence, start, end)
    if brackets and not _is_dateline(sentence, *brackets):
        return _read_life_dates(sentence[: brackets[0]].rstrip(), sentence[brackets[0] + 1 : brackets[1] - 1])
    text, gap = cut_out(sentence, start, end)
    text, gap = _remove_brackets(text, gap)
    text = text.rstrip(" .;!?")
    gap = min(gap, len(text))
    for before, segment, words_before in _split_at_commas(text, gap):
        clause = _split_clause(segment, title, words_before) or _read_relative_clause(before, segment)
        if clause is not None:
            return clause
    return _read_shared_subject(text, gap, title)


def _find_brackets(text: str, start: int, end: int) -> tuple[int, int] | None:
    opening, closing = text.rfind("(", 0, start), text.find(")", end)
    return (opening, closing + 1) if opening > text.rfind(")", 0, start) and closing >= 0 else None


def _is_dateline(text: str, start: int, end: int) -> bool:
    """Whether brackets end a sentence, and so date all of it; a range there is a life or a term."""
    return not text[end:].strip(" .") and " " in text[:start] and "–" not in text[start:end]


def _read_life_dates(before: str, inside: str) -> Clause | None:
    """What brackets behind a name say of it: when somebody was born or died, or from when to when somebody lived."""
    named = _NAME_AT_END.search(before)
    if named is None:
        return None
    if born := _BORN.search(inside):
        return Clause(named["name"], *(("was", "born") if born["verb"].lower() == "born" else ("died", "")), True)
    # Two full dates are a life; two years alone may be a term of office.
    return Clause(named["name"], "lived", "", True) if len(re.findall(r"[A-Z][a-z]+", inside)) > 1 else None


def _remove_brackets(text: str, gap: int) -> tuple[str, int]:
    """A text without what is in brackets, and where the gap is then."""
    before, after = _BRACKETS.sub("", text[:gap]), _BRACKETS.sub("", text[gap:])
    return before + after, len(before)


def _split_at_commas(text: str, gap: int) -> list[tuple[str, str, int]]:
    """The part of a text between commas that holds the gap, with what is before it; at a comma, both sides.

    The number says how many words of the part come before the gap.
    """
    cuts = [(0, 0), *(match.span() for match in _BREAK.finditer(text)), (len(text), len(text))]
    return [
        (text[: low[0]].strip(), text[low[1] : high[0]].strip(), len(text[low[1] : max(gap, low[1])].split()))
        for low, high in pairwise(cuts)
        if low[1] <= gap <= high[1] + 1 and text[low[1] : high[0]].strip()
    ][:2]


def _read_relative_clause(before: str, segment: str) -> Clause | None:
    """ "Peter Hay, who became chief in": the name before takes the verb."""
    words = segment.split()
    named = _NAME_AT_END.search(before)
    if named is None or len(words) < 3 or words[0] != "who" or not _is_verb(words, 1):
        return None
    rest = _trim_predicate(words[2:])
    return Clause(named["name"], words[1], " ".join(rest), True) if rest else None


def _read_shared_subject(text: str, gap: int, title: str) -> Clause | None:
    """ "The house was sold, and was razed in": a verb without a subject takes that of the sentence."""
    opening = _split_at_commas(text, 0)
    first = _split_clause(opening[0][1], title) if opening else None
    if first is None:
        return None
    for before, segment, _ in _split_at_commas(text, gap):
        words = segment.split()
        while words and words[0] in ("and", "but", "then", "later"):
            words = words[1:]
        if before and words and (words[0] in AUXILIARIES or is_past(words[0])):
            rest = _trim_predicate(words[1:])
            if rest:
                return Clause(first.subject, words[0], " ".join(rest), first.human)
    return None


def _split_clause(segment: str, title: str, words_before: int = 0) -> Clause | None:
    words = segment.split()
    whole = len(words)
    for opener in ("and", "but", "Then", "However", "Later"):
        if words and words[0] == opener:
            words = words[1:]
    at = next(
        (
            position
            for position, word in enumerate(words[: _LONGEST_SUBJECT + 1])
            if position and _is_verb(words, position)
        ),
        0,
    )
    if not at:
        return None
    named = _find_subject(words[:at], title)
    if named is None:
        return None
    verb, rest = words[at], _trim_predicate(words[at + 1 :])
    if words_before > whole - len(words) + at + 1 + len(rest) + 1:  # the time belongs to what was cut off
        return None
    if words[0].lower() == "it" and "that" in rest[:3]:  # "it was announced that": nothing is meant by it
        return None
    if rest and is_past(rest[0]) and verb not in AUXILIARIES:  # "a road built in 1796 helped": the verb comes later
        return None
    if rest and rest[0] in ("also", "then", "later", "subsequently", "first", "finally", "again", "eventually"):
        rest = rest[1:]
    if not rest and verb in AUXILIARIES:
        return None
    return Clause(named[0], verb, " ".join(rest), named[1])


def _is_verb(words: Sequence[str], position: int) -> bool:
    word = words[position]
    if not word.isalpha() or not word.islower():
        return False
    if word in AUXILIARIES or is_present(word):
        return True
    if not is_past(word):
        return False
    # "The appointed minister", "a limited company": a participle before a noun is no verb.
    before = words[position - 1].lower()
    after = words[position + 1].lower() if position + 1 < len(words) else ""
    if before in _ARTICLES or before in _OWNING or after == "by" or (word in PARTICIPLES and after == "in"):
        return False
    return before not in ("was", "were", "been", "newly", "so-called")


def _find_subject(words: Sequence[str], title: str) -> tuple[str, bool | None] | None:
    """A subject in words that are clear by themselves, and whether it is somebody."""
    first = words[0].lower()
    if len(words) == 1 and first in _PERSONAL:
        return title, _PERSONAL[first]
    if (
        first in _NEVER_SUBJECT
        or first in _PRONOUNS
        or any(word.lower() in _OPENERS or is_past(word) for word in words)
    ):
        return None
    if len(words) > _LONGEST_SUBJECT or words[-1].lower() in _HANGING or words[-1].lower() in _PRONOUNS:
        return None
    if first in _OWNING:
        return (f"{title}'s {' '.join(words[1:])}", None) if title and len(words) > 1 else None
    if all(word[0].isupper() or word in _INSIDE_NAMES or word[0].isdigit() for word in words):
        return " ".join(words), None
    if first in _ARTICLES and len(words) > 1 and all(word[0].isalpha() for word in words):
        return f"{first} {' '.join(words[1:])}", None
    return None


def _trim_predicate(words: Sequence[str]) -> list[str]:
    """A predicate up to the next clause, not too long, and without words that hang at its end."""
    trimmed: list[str] = []
    for number, word in enumerate(words):
        small = word.lower()
        if small in _OPENERS and number:
            break
        following = words[number + 1] if small in ("and", "as") and number + 1 < len(words) else ""
        if following and (is_past(following) or following in AUXILIARIES or following in _PRONOUNS):
            break
        trimmed.append(word)
    if len(trimmed) > _LONGEST_PREDICATE:
        trimmed = trimmed[:_LONGEST_PREDICATE]
        # Cut where a phrase begins rather than inside one.
        for position in range(len(trimmed) - 1, 6, -1):
            if trimmed[position].lower() in _HANGING:
                trimmed = trimmed[:position]
                break
    while trimmed and trimmed[-1].lower().strip(".,;") in _HANGING:
        trimmed.pop()
    return [*trimmed[:-1], trimmed[-1].rstrip(".,;")] if trimmed else trimmed
