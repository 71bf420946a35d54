"""Irregular English forms: who asks where she "went" is answered by a turn that says "go", and the other way round.

The index reduces regular forms to one token (`painting`, `painted`), and leaves irregular ones as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from epochal.storage.text import analyse

#: Forms of one word each.
_IRREGULAR: Final = """
become became; begin began begun; bend bent; bite bit bitten; blow blew blown; break broke broken; bring brought; build
built; burn burnt; buy bought; catch caught; choose chose chosen; come came; deal dealt; dig dug; draw drew drawn;
dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought;
find found; fly flew flown; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten;
give gave given; go went gone; grow grew grown; hang hung; hear heard; hide hid hidden; hold held; keep kept; know knew
known; lead led; learn learnt; leave left; lend lent; lose lost; make made; mean meant; meet met; pay paid; ride rode
ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; shake shook
shaken; shine shone; shoot shot; show shown; sing sang sung; sink sank sunk; sit sat; sleep slept; speak spoke spoken;
spend spent; stand stood; steal stole stolen; stick stuck; strike struck; swear swore sworn; sweep swept;
swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw
thrown; understand
understood; wake woke woken; wear wore worn; win won; write wrote written; child children; man men; woman women; mouse
mice; foot feet; tooth teeth; life lives; wife wives; knife knives
"""


def get_forms(token: str) -> Sequence[str]:
    """The tokens of the other forms of a word.

    >>> get_forms("went"), get_forms("children"), get_forms("paint")
    (('go', 'gone'), ('child',), ())
    """
    return _index_forms().get(token, ())


@cache
def _index_forms() -> dict[str, tuple[str, ...]]:
    forms: dict[str, tuple[str, ...]] = {}
    for line in _IRREGULAR.split(";"):
        tokens = tuple(dict.fromkeys(token for word in line.split() for token in analyse(word)))
        forms |= {token: tuple(other for other in tokens if other != token) for token in tokens}
    return forms
