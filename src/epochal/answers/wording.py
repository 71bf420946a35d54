"""What an answer says, in words: a sentence for each time that has no record, and the whole in plain lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epochal.answers.records import Answer, Citation, Claim, Part
from epochal.engine.response import Outcome
from epochal.times import Span

__all__ = ["answer_lines", "as_of_sentence", "claim_words", "gap_sentence", "headings", "notes_on", "shown_citations"]

#: Words that a description of a span may start with, which no "in" goes before.
_LED = ("from ", "since ", "until ", "before ", "after ", "between ")
_NAMED = 3
_HEADS = {
    "within": "",
    "topic": "",
    "in_force": "in force then:",
    "vague": "dated more vaguely:",
    "other": "recorded of that time, in other words:",
    "near": "nearest to it:",
}


def gap_sentence(period: Span, outcome: Outcome, reach: tuple[Span, Span] | None) -> str:
    """What is said of a time without a record; empty where there is one. `reach` is what the records reach over.

    >>> gap_sentence(Span.year(1995), "not_covered", (Span.year(2002), Span.year(2026)))
    'Not covered: the records, which reach from 2002 to 2026, have none of 1995.'
    >>> gap_sentence(Span.year(2005), "none_recorded", None)
    'None recorded: the records cover 2005, but hold nothing on this from then.'
    """
    asked = _named(period)
    if outcome == "none_recorded":
        return f"None recorded: the records cover {asked}, but hold nothing on this from then."
    if outcome != "not_covered":
        return ""
    if reach is None:
        return f"Not covered: no record has a date, so they cannot speak about {asked}."
    return f"Not covered: the records, which reach from {_edge(reach[0])} to {_edge(reach[1])}, have none of {asked}."


def as_of_sentence(answer: Answer) -> str:
    """From which day an answer speaks, and how new the newest record is; empty where neither is known.

    >>> seen = Answer("Rain?", "no_window", (Part(None, "no_window"),), as_of=Span.year(2019), newest=Span.year(2018))
    >>> as_of_sentence(seen)
    'As of 2019; the newest record it could see is of 2018.'
    """
    told = "" if answer.now is None else f"Asked on {answer.now.describe()}"
    if answer.as_of is not None:
        told = f"As of {answer.as_of.describe()}"
    if answer.newest is None:
        return f"{told}." if told else ""
    newest = f"the newest record it could see is of {answer.newest.describe()}."
    return f"{told}; {newest}" if told else newest[0].upper() + newest[1:]


def claim_words(answer: Answer, claim: Claim) -> str:
    """A claim with its citations behind it: number, source, date and the words quoted.

    >>> from epochal.answers.records import Quoted
    >>> rain = Citation(1, "p1", "", "It rained.", 0, 10, Span.year(1998), "text", "topic")
    >>> claim = Claim("There was rain.", (Quoted(1, "rained", 3, 9),))
    >>> claim_words(Answer("Rain?", "no_window", (Part(None, "no_window"),), (rain,), (claim,)), claim)
    'There was rain. [1: p1, 1998, “rained”]'
    """
    cited = (f"{answer.citation(item.number).label[:-1]}, “{item.quote}”]" for item in claim.quotes)
    return " ".join((claim.text, *cited))


def headings(answer: Answer, part: Part) -> Iterator[tuple[str, list[Citation]]]:
    """The citations of a part that are worth showing, in groups, each with the words above it.

    What lies near is shown only where there is nothing of the time itself.

    >>> rain = Citation(1, "p1", "", "Rain.", 0, 5, Span.year(1998), "text", "near")
    >>> part = Part(Span.year(1999), "none_recorded", "None recorded.", (1,))
    >>> [(head, len(found)) for head, found in headings(Answer("Rain?", "none_recorded", (part,), (rain,)), part)]
    [('nearest to it:', 1)]
    """
    found = [answer.citation(number) for number in part.citations]
    own = any(item.standing in ("within", "in_force", "vague") for item in found)
    for standing, head in _HEADS.items():
        group = [item for item in found if item.standing == standing]
        if group and not (own and standing in ("other", "near")):
            yield head, group


def shown_citations(answer: Answer) -> tuple[int, ...]:
    """The numbers of the citations that claims rest on, in their order; all that are shown without a model.

    >>> shown_citations(Answer("Rain?", "no_window", (Part(None, "no_window"),)))
    ()
    """
    if answer.model:
        return tuple(dict.fromkeys(number for claim in answer.claims for number in claim.numbers))
    return tuple(item.number for part in answer.parts for _, group in headings(answer, part) for item in group)


def notes_on(citation: Citation) -> str:
    """What to add to a citation: a newer version, and the documents that it stands for; empty where there is neither.

    >>> notes_on(Citation(1, "p1", "", "Rain.", 0, 5, None, "", "topic", superseded_by="p2", behind=("p0",)))
    ' (a newer version is p2; stands for p0)'
    """
    notes = [f"a newer version is {citation.superseded_by}"] if citation.superseded_by else []
    if citation.behind:
        more = len(citation.behind) - _NAMED
        notes.append(f"stands for {', '.join(citation.behind[:_NAMED])}" + (f" and {more:,} more" if more > 0 else ""))
    return f" ({'; '.join(notes)})" if notes else ""


def answer_lines(answer: Answer) -> Iterator[str]:
    """An answer in plain lines.

    >>> rain = Citation(1, "p1", "", "It rained.", 0, 10, Span.year(1998), "text", "within")
    >>> part = Part(Span.year(1998), "recorded", "", (1,))
    >>> for line in answer_lines(Answer("Rain in 1998?", "recorded", (part,), (rain,))): print(line)
    1998
      1998  “It rained.” [1: p1, 1998]
    """
    if sentence := as_of_sentence(answer):
        yield sentence
    if answer.model:
        yield from _written(answer)
    else:
        for part in answer.parts:
            yield from _part_lines(answer, part)
    gaps = [item.sentence for item in answer.missing if answer.model or item.outcome is None]
    yield from (_plain(f"Missing: {sentence}") for sentence in gaps)
    yield from (_plain(f"Left out: {item.text} ({item.reason})") for item in answer.dropped)


def _written(answer: Answer) -> Iterator[str]:
    if not answer.claims:
        yield "The evidence does not answer this."
    yield from (_plain(claim_words(answer, claim)) for claim in answer.claims)


def _part_lines(answer: Answer, part: Part) -> Iterator[str]:
    if part.period is not None:
        yield part.words
    if part.sentence:
        yield f"  {part.sentence}"
    for head, group in headings(answer, part):
        if head:
            yield f"  {head}"
        yield from (f"  {line}" for line in _citation_lines(group))
    if part.more:
        yield f"  and {part.more:,} more"


def _citation_lines(group: Sequence[Citation]) -> Iterator[str]:
    for item in group:
        date = "undated" if item.date is None else item.date.edtf()
        yield f"{date}  {_plain(f'“{item.quote}” {item.label}{notes_on(item)}')}"


def _plain(text: str) -> str:
    """A text on one line, without anything that could steer a terminal."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _named(span: Span) -> str:
    words = span.describe()
    return f"the time {words}" if words.startswith(_LED) else words


def _edge(span: Span) -> str:
    words = span.describe()
    return words.removeprefix("from ") if span.is_open else words
