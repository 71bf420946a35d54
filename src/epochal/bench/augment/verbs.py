"""English past forms and back: "signed" is of "sign", "won" of "win". Rules for regular verbs, a table for others."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["AUXILIARIES", "PARTICIPLES", "base_form", "is_past", "is_present"]

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
    """Whether a word, written small, can be the past of a verb.

    >>> [is_past(word) for word in ("signed", "won", "hundred", "team")]
    [True, True, False, False]
    """
    if word in _IRREGULAR:
        return True
    return word.endswith("ed") and len(word) > 3 and word not in _NOT_VERBS and word.isalpha()


def is_present(word: str) -> bool:
    """Whether a word, written small, is the present of a verb that news are told with.

    >>> [is_present(word) for word in ("launches", "dies", "denies", "teams")]
    [True, True, True, False]
    """
    return word in _PRESENT


def base_form(word: str) -> str | None:
    """The base of a past form, or of a present one that is known; None for other words.

    >>> [base_form(word) for word in ("signed", "moved", "married", "transferred", "won", "operated", "joined")]
    ['sign', 'move', 'marry', 'transfer', 'win', 'operate', 'join']
    >>> base_form("team") is None
    True
    """
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
