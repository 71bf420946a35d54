"""Words of other languages than English and Chinese that bind a time ("seit 1985", "hasta mayo"), or join two.

`expression.py` reads them beside its own. A word binds the time right behind it; articles may come between.
"""

from __future__ import annotations

import re

from epochal.lazy import lazy_regex

__all__ = ["BINDING", "JOINING_AND", "JOINING_TO", "find_binding"]

#: The words by the relation that they give; `between` and `from` need a second time.
BINDING = {
    "since": """seit ab depuis dès partir partire desde dal dall' dalla sinds vanaf с со начиная منذ""",
    "until": """bis jusqu'en jusqu'au jusqu'à jusque hasta fino até tot до по حتى""",
    "before": """vor avant antes prima voor vóór перед قبل""",
    "after": """nach après después despues dopo depois pós na после بعد""",
    "between": """zwischen entre tra fra tussen между بين""",
    "from": """von vom del da de van из من""",
}
#: What may come between a binding word and the time.
_FILLERS = """
dem der den des die das zum zur im jahr jahre ende anfang mitte début fin en au aux le la les l' l'an l'année à de du d'
el los las año a al del di il lo gli anno alla allo all' o os as do da ano ao het de jaar конца начала года عام سنة
""".split()
_TO = r"bis(?:\s+(?:zum|zur|in|den|ins))?|à|au|jusqu['’](?:au|en|à)|hasta(?:\s+el)?|al?|fino\s+al?|até(?:\s+o)?|ao|tot"
#: What joins the two ends of a range, and what joins them only behind "between".
JOINING_TO = rf"(?:{_TO}|tot\s+en\s+met|до|по|إلى|حتى|から|부터)"
JOINING_AND = r"(?:und|et|y|e|en|и|و)"

_RELATION_OF = {word: relation for relation, words in BINDING.items() for word in words.split()}
_LEAD = lazy_regex(
    rf"(?<![\w-])({'|'.join(sorted(map(re.escape, _RELATION_OF), key=len, reverse=True))})"
    rf"(?:\s*(?<!\w)(?:{'|'.join(sorted(map(re.escape, _FILLERS), key=len, reverse=True))})(?!\w))*\s*\Z",
    re.IGNORECASE,
)
#: "Na" is "after" in Dutch and "in the" in Portuguese.
_DUTCH_NA = lazy_regex(
    r"na\s+(?:het\b|de\b|\d{4}\b|\d{1,2}\s+\w+\s+\d{4}\b"
    r"|(?:\d{1,2}\s+)?(?:jan|feb|maart|april|mei|juni|juli|aug|sep|okt|nov|dec)|vorige?\b|volgende?\b)",
    re.IGNORECASE,
)
_KNOWN = frozenset((*_RELATION_OF, *_FILLERS))


def find_binding(text: str, low: int, end: int, last: str) -> tuple[str, int]:
    """Which word of another language binds what starts at an offset, and where it starts; empty where none does.

    `last` is the word right before it, in small letters: most are none of these, and done with.

    >>> find_binding("gebaut seit dem 5. Mai", 0, 16, "dem")
    ('since', 7)
    """
    if last not in _KNOWN:
        return "", end
    match = _LEAD.search(text, low, end)
    if match is not None and match[1].lower() == "na" and _DUTCH_NA.match(text, match.start()) is None:
        return "", end
    return ("", end) if match is None else (_RELATION_OF[match[1].lower()], match.start())
