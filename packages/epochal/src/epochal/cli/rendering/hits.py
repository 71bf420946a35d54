"""Hits in the terminal: sentences about a response, snippets with marked times, explanations, and the list of hits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from epochal.cli.rendering.terminal import Piece, bar, clean, crop, measure_width, pad
from epochal.search.display import measure_heading
from epochal.search.explain import describe_component, describe_time
from epochal.search.response import ESTIMATED_AXIS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epochal.cli.rendering.terminal import Page, Piece
    from epochal.reading.questions.question import Constraint, Understanding
    from epochal.search.response import Evidence, Hit, Response
    from epochal.times.span import Span

_KNOWN: Final = {
    "published": "the document was published",
    "valid": "the document holds",
    "title": "its title mentions",
}
#: Words at the start of a span's description that take no "in" before them.
_LED: Final = ("from ", "since ", "until ", "before ", "after ", "between ")
_INTENTS: Final = {
    "when": "asks when",
    "duration": "asks how long",
    "order": "asks in which order",
    "before_after": "asks what came before or after",
    "ongoing_status": "asks how things stand",
    "period_definition": "asks what a period was",
    "timeline": "asks for a course of events",
}


def describe_understanding(understanding: Understanding, *, time: bool = True) -> str:
    """Describe in one line what a question asks about time."""
    phrases = []
    if not time:
        phrases.append("time switched off")
    elif not understanding.is_temporal:
        phrases.append("nothing about time")
    else:
        # "What did they decide in 2003?" is about a time and asks for none.
        is_about = understanding.intent == "when" and understanding.answer_kind != "when"
        if understanding.intent in _INTENTS and not is_about:
            phrases.append(_INTENTS[understanding.intent])
        if understanding.temporal_focus == "recency" or understanding.asks_recent:
            phrases.append("wants the newest")
        phrases += [_describe_constraint(item) for item in understanding.constraints]
        named = {item.span for item in understanding.constraints}
        phrases += [f"about {_describe_period(period)}" for period in understanding.periods if period not in named]
        if understanding.cross_period and len(understanding.periods) > 1:
            phrases.append("sets these periods against each other")
        if not phrases:
            phrases.append(f"is about the {understanding.temporal_class}")
    if understanding.topic:
        phrases.append(f"topic “{clean(understanding.topic)}”")
    return "; ".join(phrases)


def _describe_constraint(item: Constraint) -> str:
    words = item.span.describe()
    sentence = f"about {_describe_period(item.span)}"
    if item.axis == "publication":
        sentence = f"published {words if words.startswith(_LED) else f'in {words}'}"
    if item.evidence is None or item.evidence.text == words:
        return sentence
    return f"{sentence} (from “{clean(item.evidence.text)}”)"


def _describe_period(span: Span) -> str:
    words = span.describe()
    return f"the time {words}" if words.startswith(_LED) else words


def describe_outcome(response: Response, first: Span | None, last: Span | None) -> str:
    """Describe an outcome of nothing recorded, not covered or an unknown topic; empty for other outcomes.

    `first` and `last` are the first and the last time of the index.
    """
    if response.outcome == "topic_unknown":
        words = ", ".join(f"“{clean(word)}”" for word in response.unknown_words)
        reason = f": no document has {words}" if words else ""
        return f"Topic unknown: the index has nothing on this at any time{reason}."
    if response.outcome not in ("none_recorded", "not_covered"):
        return ""
    windows = _describe_windows(response)
    if response.outcome == "none_recorded":
        sentence = f"None recorded: the index covers {windows}, but holds nothing on this from then."
    elif first is None or last is None:
        sentence = f"Not covered: the index holds no dated documents, so it says nothing about {windows}."
    else:
        reach = f"which reaches from {_describe_edge(first)} to {_describe_edge(last)}"
        if first == last:
            reach = f"whose dated documents are all of {_describe_edge(first)}"
        sentence = f"Not covered: the index, {reach}, has no records of {windows}."
    return f"{sentence} What comes nearest follows." if response.hits else sentence


def _describe_edge(span: Span) -> str:
    words = span.describe()
    return words.removeprefix("from ") if span.is_open else words


def _describe_windows(response: Response) -> str:
    spans = dict.fromkeys(item.span for item in response.applied if item.span is not None and item.name != "as_of")
    spans = spans or dict.fromkeys(item.span for item in response.understanding.constraints)
    words = [span.describe() for span in spans]
    return ", ".join(words[:-1]) + " and " * bool(words[:-1]) + words[-1] if words else "the time asked about"


def describe_hidden(hidden: Mapping[str, int]) -> str:
    """Describe how many documents were excluded, and why."""
    total = sum(hidden.values())
    reasons = sorted(hidden.items(), key=lambda item: (-item[1], item[0]))
    listed = ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in reasons)
    return f"{total:,} document{'' if total == 1 else 's'}: {listed}"


def describe_evidence(item: Evidence) -> str:
    """Describe a time, how well it fits the query window, and how well the words around it fit the topic."""
    read = f"{item.span.describe()} ({item.span.edtf()})"
    if item.axis == ESTIMATED_AXIS:
        guess = f"estimated by its names and words: {read}, a range that is right half of the time"
        chance = f"{item.match:.1%}".replace("%", " %")
        return f"it states no time; {guess}; the chance that it is from the time asked for is put at {chance}"
    fits = f"it fits the time asked for by {item.match:.0%}".replace("%", " %")
    if item.axis != "content":
        return f"{_KNOWN.get(item.axis, f'the document’s {item.axis} is')} {read}; {fits}"
    around = f"the words around it the topic by {item.local:.0%}".replace("%", " %")
    return f"“{clean(item.text)}” is read as {read}; {fits}, {around}"


#: The style of a time that supports a hit.
MARK = "bold yellow"


def make_snippet(text: str, marks: Iterable[tuple[int, int]], room: int) -> list[tuple[str, bool]]:
    """Make a snippet of a text of at most `room` columns, as pieces that are marked or not.

    It starts at the start of the text if the first mark is near it, and else a little before the mark. Line breaks and
    repeated spaces become one space.
    """
    positions = sorted(marks)
    flagged = _flag_characters(text, positions)
    widths = [measure_width(character) for character, _ in flagged]
    if sum(widths) <= room:
        return _join_pieces(flagged)
    first = next((position for position, (_, marked) in enumerate(flagged) if marked), 0)
    last = next((position for position in range(first, len(flagged)) if not flagged[position][1]), len(flagged))
    start = 0
    if sum(widths[:last]) > room - 1:
        start = first
        before = max(room // 3, room - 2 - sum(widths[first:]))  # near the end of the text there is more room
        while start and widths[start - 1] <= before:
            start -= 1
            before -= widths[start]
        # Begin with a whole word, where there is one between here and the mark.
        start = next((position for position in range(start, first) if flagged[position][0] == " "), start)
    left = room - 1 - (1 if start else 0)  # what is left out is marked
    end = start
    while end < len(flagged) and widths[end] <= left:
        left -= widths[end]
        end += 1
    excerpt = flagged[start:end]
    if end < len(flagged):
        excerpt = [*_drop_partial_word(excerpt, flagged[end][0]), ("…", False)]
    if start:
        excerpt = [("…", False), *excerpt]
    return _join_pieces(excerpt)


def style_marks(pieces: Sequence[tuple[str, bool]], *, brackets: bool) -> list[Piece]:
    """Style the marked pieces; also in brackets, where there are no colours."""
    return [(f"[{text}]" if marked and brackets else text, MARK if marked else "") for text, marked in pieces]


def _flag_characters(text: str, marks: Sequence[tuple[int, int]]) -> list[tuple[str, bool]]:
    """List the displayed characters, each with whether it is within a mark."""
    characters: list[tuple[str, bool]] = []
    pending = iter(marks)
    mark = next(pending, None)
    for position, character in enumerate(text):
        while mark is not None and position >= mark[1]:
            mark = next(pending, None)
        inside = mark is not None and mark[0] <= position
        displayed = clean(character)
        if displayed.isspace():
            displayed = " "
            if not characters or characters[-1][0] == " ":
                continue
        if displayed:
            characters.append((displayed, inside))
    while characters and characters[-1][0] == " ":
        characters.pop()
    return characters


def _drop_partial_word(excerpt: list[tuple[str, bool]], following: str) -> list[tuple[str, bool]]:
    if following == " ":
        return excerpt
    last = next((position for position in range(len(excerpt) - 1, -1, -1) if excerpt[position][0] == " "), -1)
    # A text without spaces, such as Chinese, may be cut anywhere.
    return excerpt[:last] if last >= max(len(excerpt) - 20, 1) else excerpt


def _join_pieces(flagged: Sequence[tuple[str, bool]]) -> list[tuple[str, bool]]:
    pieces: list[tuple[str, bool]] = []
    for character, marked in flagged:
        if pieces and pieces[-1][1] == marked:
            pieces[-1] = (pieces[-1][0] + character, marked)
        else:
            pieces.append((character, marked))
    return pieces


_BAR = 24
_MAX_EVIDENCE = 3


def print_explanation(hits: Sequence[Hit], page: Page) -> None:
    """Print why hits have their ranks. Bars of different hits have the same scale."""
    most = max((abs(value) for hit in hits for value in hit.parts.values()), default=0.0)
    for rank, hit in enumerate(hits, 1):
        name = clean(hit.document.title).strip() or clean(hit.passage)
        head = crop(f"{clean(hit.id)}: {name}", page.width - 4)
        page.line((pad(str(rank), 2, right=True), "bold"), ("  ", ""), (head, "bold"))
        _print_components(hit, most, page)
        for item in hit.evidence[:_MAX_EVIDENCE]:
            _print_evidence(item, page)
        if len(hit.evidence) > _MAX_EVIDENCE:
            page.line((f"    and {len(hit.evidence) - _MAX_EVIDENCE} more times", "dim"))


def _print_components(hit: Hit, most: float, page: Page) -> None:
    width = max([len(part) for part in hit.parts] + [5])
    page.line((f"    {'score':{width}}  {hit.score:6.3f}", ""))
    for part, value in hit.parts.items():
        component_bar = bar(abs(value) / most, _BAR) if most else ""
        page.line(
            (f"    {part:{width}}  ", "cyan"),
            (f"{'−' if value < 0 else '+'}{abs(value):.3f}  ", ""),
            (f"{'▒' * len(component_bar) if value < 0 else component_bar:{_BAR}}", "red" if value < 0 else "blue"),
            (f"  {describe_component(part)}" if value else "", "dim"),
        )


def _print_evidence(item: Evidence, page: Page) -> None:
    for row in page.wrap([(describe_evidence(item), "")], page.width - 6):
        page.line(("    ", ""), *row)
    if item.axis == "content" and item.context.strip() != item.text.strip():
        position = item.context.find(item.text)
        marks = [(position, position + len(item.text))] if position >= 0 else []
        pieces = style_marks(make_snippet(item.context, marks, page.width - 12), brackets=not page.is_terminal)
        page.line(("      “", "dim"), *pieces, ("”", "dim"))


_DATE = 11
_MAX_LINES = 2


def format_hits(response: Response, page: Page) -> list[list[Piece]]:
    """Format the list of hits as lines. A title has its own line above the passage."""
    ranks = len(str(len(response.hits)))
    lines: list[list[Piece]] = []
    for rank, hit in enumerate(response.hits, 1):
        left: list[Piece] = [
            (pad(str(rank), max(ranks, 2), right=True), "bold"),
            ("  ", ""),
            (pad(crop(get_date(hit), _DATE), _DATE), "green"),
            (pad(f"{hit.score:.3f}", 8, right=True), "dim"),
            ("  ", ""),
        ]
        indent = max(ranks, 2) + 2 + _DATE + 8 + 2
        rows = _format_body(hit, page, page.width - indent)
        for number, row in enumerate(rows):
            lines.append([*(left if not number else [(" " * indent, "")]), *row])
    return lines


def _format_body(hit: Hit, page: Page, width: int) -> list[list[Piece]]:
    rows: list[list[Piece]] = []
    if title := clean(hit.document.title).strip():
        rows.append([(crop(title, width), "bold")])
    room = _MAX_LINES * width - 8  # words are not broken, so that some columns stay empty
    skipped = measure_heading(hit.passage, hit.document.title)
    marks = [(start - skipped, end - skipped) for start, end in find_marks(hit) if start >= skipped]
    pieces = style_marks(make_snippet(hit.passage[skipped:], marks, room), brackets=not page.is_terminal)
    rows += page.wrap(pieces, width) if pieces else []
    rows.append([(crop(_format_notes(hit), width), "dim")])
    return rows


def _format_notes(hit: Hit) -> str:
    notes = [clean(hit.id)]
    if hit.times and hit.times[0].provenance in ("stated", "carried"):
        notes.append(clean(describe_time(hit.times[0])))
    notes += [f"time estimated, not stated: {item.span.describe()}" for item in hit.evidence if _is_estimated(item)]
    if hit.period is not None:
        notes.append(f"for {hit.period.describe()}")
    if hit.superseded_by is not None:
        notes.append(f"a newer version is {clean(hit.superseded_by)}")
    if hit.folded:
        others = ", ".join(clean(name) for name in hit.folded[:3]) + (", …" if len(hit.folded) > 3 else "")
        notes.append(f"represents {len(hit.folded)} more: {others}")
    return " · ".join(notes)


def _is_estimated(item: Evidence) -> bool:
    return item.axis == ESTIMATED_AXIS


def find_marks(hit: Hit) -> list[tuple[int, int]]:
    """Find the positions in the passage of the times that support the hit."""
    last = hit.passage_start + len(hit.passage)
    return [
        (item.start_char - hit.passage_start, item.end_char - hit.passage_start)
        for item in hit.evidence
        if item.axis == "content" and hit.passage_start <= item.start_char and item.end_char <= last
    ]


def get_date(hit: Hit) -> str:
    """Get the date to show next to a hit: its publication date, else the time that supports it."""
    span = hit.document.published or hit.document.valid
    if span is not None:
        return span.edtf()
    time = get_time(hit) or hit.date
    return "undated" if time is None else f"({time.edtf()})"


def get_time(hit: Hit) -> Span | None:
    """Get the time of a hit: the time that supports it best, else its date; never an estimate."""
    dated = hit.document.published or hit.document.valid
    stated = [item for item in hit.evidence if not _is_estimated(item)]
    stated_span = max(stated, key=lambda item: item.match * item.local).span if stated else None
    # "Since 1983" has no position on a timeline, and "in 2016" is wide; the document's own date may be better.
    if stated_span is None or (dated is not None and (stated_span.is_open or dated in stated_span)):
        return dated
    return stated_span
