"""Facts that a language model reads from the turns of a memory: optional, beside the turns, and never without them.

A fact has a subject, an attribute, a value, perhaps a validity, and the turns that say so. It is remembered as a turn
of its own (`source` is "facts", `about` is "subject/attribute"), so that `recall`, `history`, `as_of`, `export` and
`forget` work for it as for any other. Of facts with the same subject and attribute the later corrects the earlier one.
With a recorded model (`epochal.llm.recorded`) the same turns give the same facts again, without the model.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from epochal.errors import EpochalError
from epochal.llm.chat import Chat, Message, data_rule, fence
from epochal.llm.structured import ask
from epochal.memory.memory import Memory
from epochal.memory.turns import FACTS, Turn
from epochal.search.request import parse_time
from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.span import Span

_MARK: Final = "turn"
_RULES: Final = (
    "You read turns of a conversation and write down facts about people and things that may be asked for later.",
    data_rule(_MARK),
    'Reply with one JSON object: {"facts": [{"subject": "Ana", "attribute": "home", "value": "Porto", '
    '"since": "2023-06", "until": "", "turns": [1]}]}.',
    "A subject is a name; an attribute is one or two plain words, the same for the same thing. `since` and `until` are "
    "ISO dates as precise as the turns state them, and empty where they state none: count relative times from the date "
    "of the turn. `turns` are the numbers of the turns that say so, at least one. Leave out what is only planned, "
    "asked or denied. Where there are no facts, reply with an empty list.",
)


@dataclass(frozen=True, slots=True)
class FactReply:
    """A fact as a model writes it."""

    subject: str
    attribute: str
    value: str
    turns: tuple[int, ...]
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class FactsReply:
    """The reply that is requested of a model."""

    facts: tuple[FactReply, ...]


@dataclass(frozen=True, slots=True)
class LearnedFacts:
    """The ids of the facts that were remembered, and what was left out, each with why."""

    ids: tuple[str, ...]
    dropped: tuple[str, ...] = ()


def learn_facts(memory: Memory, llm: Chat, *, session: str | None = None, batch: int = 30) -> LearnedFacts:
    """Let a model read the turns of a session, or all turns, in batches, and remember the facts that it finds.

    A fact that cites no turn that was shown, or has an unreadable date, is left out and reported. A fact that is known
    already is not stored twice.
    """
    if not isinstance(llm, Chat):
        raise EpochalError(f"llm must have a name and a method complete, but is {llm!r}")
    if not isinstance(batch, int) or batch < 1:
        raise EpochalError(f"batch must be a number from 1 on, but is {batch!r}")
    turns = [turn for turn in (memory if session is None else memory.list_session(session)) if turn.source != FACTS]
    speakers = {turn.speaker for turn in turns}
    found: dict[str, Turn] = {}
    dropped: list[str] = []
    for low in range(0, len(turns), batch):
        shown = turns[low : low + batch]
        for reply in ask(llm, _build_messages(shown), FactsReply).facts:
            fact = _make_fact(reply, shown, speakers, memory.user)
            if isinstance(fact, str):
                dropped.append(fact)
            else:
                found[fact.id] = _merge(found.get(fact.id), fact)
    known = {turn.id: turn for turn in memory if turn.source == FACTS}
    for id, fact in found.items():
        found[id] = _merge(known.get(id), fact)
    abouts = {fact.about for fact in found.values()}
    others = [turn for id, turn in known.items() if turn.about in abouts and id not in found]
    changed = [turn for turn in _link([*found.values(), *others]) if known.get(turn.id) != turn]
    memory.remember_many({**turn.to_dict(), "at": turn.said, "happened": turn.happened} for turn in changed)
    return LearnedFacts(tuple(found), tuple(dropped))


def _build_messages(turns: Sequence[Turn]) -> list[Message]:
    fenced = [
        fence(turn.text, _MARK, {"number": number, "date": turn.said.edtf()[:10], "speaker": turn.speaker})
        for number, turn in enumerate(turns, 1)
    ]
    return [Message("system", "\n".join(_RULES)), Message("user", "\n".join(fenced))]


def _make_fact(reply: FactReply, shown: Sequence[Turn], speakers: set[str], user: str) -> Turn | str:
    """The fact of a reply as a turn, or why it is left out."""
    subject, attribute, value = (" ".join(part.split()) for part in (reply.subject, reply.attribute, reply.value))
    name = f"{subject}/{attribute}: {value}"
    if not (subject and attribute and value):
        return f"{name}: a part of it is empty"
    cited = [shown[number - 1] for number in reply.turns if 1 <= number <= len(shown)]
    if not cited or len(cited) != len(reply.turns):
        return f"{name}: it cites turns that were not shown"
    said = max((turn.said for turn in cited), key=lambda span: span.start)
    try:
        happened = _join_times(parse_time(reply.since or None, "since"), parse_time(reply.until or None, "until"))
    except EpochalError as error:
        return f"{name}: {error}"
    digest = hashlib.blake2b("\x1f".join((subject, attribute, value)).encode(), digest_size=12).hexdigest()
    return Turn(
        f"fact-{digest}",
        f"{subject} {attribute}: {value}",
        said,
        subject if subject in speakers else "",
        about=f"{subject}/{attribute}",
        source=FACTS,
        happened=happened,
        user=user,
        extra={"turns": sorted({turn.id for turn in cited})},
    )


def _join_times(since: Span | None, until: Span | None) -> Span | None:
    if since is None and until is None:
        return None
    start, end = OPEN_START if since is None else since.start, OPEN_END if until is None else until.end
    if end <= start:
        raise EpochalError("until is before since")
    grains = [span.grain for span in (since, until) if span is not None]
    return Span(start, end, grains[0], grains[-1])


def _merge(known: Turn | None, fact: Turn) -> Turn:
    """A fact with the turns of one that is known, said when the first of them was."""
    if known is None:
        return fact
    turns = sorted({*known.extra["turns"], *fact.extra["turns"]})
    first = min((known, fact), key=lambda turn: turn.said.start)
    happened = fact.happened or known.happened
    return replace(fact, said=first.said, happened=happened, extra={"turns": turns}, corrects=known.corrects)


def _link(facts: Iterable[Turn]) -> list[Turn]:
    """The facts, of which each corrects the one before it on the same subject and attribute."""
    chains: dict[str, list[Turn]] = defaultdict(list)
    for fact in facts:
        chains[fact.about].append(fact)
    linked = []
    for chain in chains.values():
        chain.sort(key=lambda turn: (_get_start(turn), turn.said.start, turn.id))
        before = ""
        for fact in chain:
            linked.append(replace(fact, corrects=before))
            before = fact.id
    return linked


def _get_start(fact: Turn) -> int:
    """When a fact began to hold: by what was stated, else when it was said."""
    happened = fact.happened
    return fact.said.start if happened is None or happened.start == OPEN_START else happened.start
