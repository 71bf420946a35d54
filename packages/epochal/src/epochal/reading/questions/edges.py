"""Which end of something a time is of: "the contract ended in 2018" bounds its end, "admitted in May" its beginning."""

from __future__ import annotations

import re
from typing import Final, Literal

Edge = Literal["start", "end"]

#: Verbs and nouns of beginnings and ends, as patterns of whole words.
_START: Final = (
    r"start(?:s|ed|ing)?|beg(?:in|ins|an|un|inning)|commenc(?:e|es|ed|ing)|becom(?:e|es|ing)|became|join(?:s|ed|ing)?|"
    r"admitted|admission|appointed|inaugurated|assumed|t(?:ake|akes|ook|aking)\s+(?:office|over|effect|up)|"
    r"(?:came|comes?|coming|enter(?:s|ed|ing)?|went)\s+in(?:to)?\s+(?:force|effect|office|power)|"
    r"empezó|empezaron|comenzó|comenzaron|inició|(?:entró|entraron)\s+en\s+vigor|commença|commencé|débuté|"
    r"(?:entrée?s?|entra)\s+en\s+vigueur|begann(?:en)?|begonnen|angetreten|in\s+kraft\s+(?:trat|getreten)|"
    r"cominciat[oa]|iniziat[oa]|entrat[oa]\s+in\s+vigore|começou|entrou\s+em\s+vigor|begon"
)
_END: Final = (
    r"end(?:s|ed|ing)?|conclud(?:e|es|ed|ing)|finish(?:es|ed|ing)?|expir(?:e|es|ed|ing)|terminat(?:e|es|ed|ing)|"
    r"ceas(?:e|es|ed|ing)|(?<!the )left|leav(?:e|es|ing)|step(?:s|ped|ping)?\s+down|resign(?:s|ed|ing)?|"
    r"retir(?:e|es|ed|ing)|discharged|repealed|abrogated|revoked|lapsed|"
    r"terminó|terminaron|finalizó|acabó|expiró|concluyó|cesó|derogad[oa]|terminée?|pris\s+fin|finie?|expiré|cessé|"
    r"abrogée?|endete[n]?|beendet|ausgelaufen|terminat[oa]|finit[oa]|scadut[oa]|terminou|acabou|eindigde"
)
#: The words between such a verb and its time: "concluded their leadership one year prior to".
_BETWEEN: Final = r"(?:[^\S\n]+(?!and\b|or\b|who\b|which\b|that\b|when\b)[\w'’.&-]+){0,6}[^\S\n]*\Z"
_CUE: Final = re.compile(rf"(?<![\w-])(?:(?P<start>{_START})|(?P<end>{_END}))(?![\w-]){_BETWEEN}", re.IGNORECASE)
#: "The end of 2016" is a part of the year; "at the beginning of" likewise.
_PART: Final = re.compile(r"(?:the|at|its|their)\s+(?:very\s+)?\Z", re.IGNORECASE)
_PART_OF: Final = re.compile(r"\s+of\b", re.IGNORECASE)


def find_edge(lead: str) -> Edge | None:
    """The end that the words before a time speak of; None where they speak of neither.

    >>> [find_edge(lead) for lead in ("Which team did she join in ", "whose term ended exactly ", "who won in ")]
    ['start', 'end', None]
    """
    found: Edge | None = None
    place = 0
    while (match := _CUE.search(lead, place)) is not None:
        kind: Edge = "start" if match["start"] else "end"
        end = match.end(kind)
        if not (_PART.search(lead, 0, match.start()) and _PART_OF.match(lead, end)):
            found = kind
        place = end
    return found
