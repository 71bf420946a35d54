"""Generation: an answer from documents, by a language model, and by rules that only quote.

The documents stand before the question, as in TEMPO, each fenced as data. In the short style, that of TMRL, the model
is told to give the answer alone, for answers that are compared word by word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, get_args

from epochal.answers.tempo.texts import content_words, covered, plain
from epochal.errors import UnknownNameError
from epochal.index.records import Document
from epochal.index.splitting import units
from epochal.llm.chat import Chat, LlmError, Message
from epochal.llm.fencing import data_rule, fence
from epochal.reading.questions.understand import understand
from epochal.reading.ranges import stretches
from epochal.reading.tagger import tag
from epochal.times import Span

__all__ = ["STYLES", "Style", "generate_by_model", "generate_by_rules", "generation_messages"]

Style = Literal["full", "short"]
#: Whole answers, as TEMPO has them, or the bare answer, as TMRL has it.
STYLES: tuple[Style, ...] = get_args(Style)
_QUOTES: Final = 3

_FULL: Final = """\
Answer the question in full. {source}
Say when things were, are or will be wherever the question turns on time, and keep apart what was so at different
times."""
_SHORT: Final = """\
Answer the question with the answer alone: a name, a place, a number or a date, in as few words as it takes. No
sentence, no explanation. {source}"""
_FROM: Final = "Rely on the documents below as far as they speak of the matter and of its time."
_ALONE: Final = "No documents are given: rely on what you know."


def generation_messages(
    question: str,
    documents: Sequence[Document],
    *,
    style: Style = "full",
    now: Span | None = None,
    characters: int | None = 2000,
) -> list[Message]:
    """The messages that ask a model for an answer from documents, each cut to so many characters; None cuts none.

    >>> page = Document("a", "Ann won.", published=Span.parse("1998-05-01"))
    >>> print(generation_messages("Who won?", [page], style="short")[-1].content)
    <document number="1" date="1998-05-01">
    Ann won.
    </document>
    <question>
    Who won?
    </question>
    """
    if style not in STYLES:
        raise UnknownNameError("style of answer", style, STYLES)
    rules = (_FULL if style == "full" else _SHORT).format(source=_FROM if documents else _ALONE)
    shown = [
        fence(document.text[:characters], about=_about(number, document))
        for number, document in enumerate(documents, 1)
    ]
    shown.append(fence(plain(question), "question", {"asked": now.edtf()} if now is not None else None))
    return [Message("system", f"{rules}\n\n{data_rule('document')}"), Message("user", "\n".join(shown))]


def generate_by_model(
    chat: Chat,
    question: str,
    documents: Sequence[Document],
    *,
    style: Style = "full",
    now: Span | None = None,
    characters: int | None = 2000,
) -> str:
    """The answer of a language model; an empty one is an `LlmError`.

    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return "Ann"
    >>> generate_by_model(Scripted(), "Who won?", [Document("a", "Ann won.")], style="short")
    'Ann'
    """
    messages = generation_messages(question, documents, style=style, now=now, characters=characters)
    reply = chat.complete(messages).strip()
    if not reply:
        raise LlmError(f"{chat.name} gave an empty answer")
    return reply


def generate_by_rules(
    question: str, documents: Sequence[Document], *, now: Span | None = None, most: int = _QUOTES
) -> str:
    """The sentences of the documents that share most with the question, of its times first, in the order of time.

    Nothing is written that no document says; empty where no sentence shares a word with the question.

    >>> pages = [Document("a", "Bob left in 2003. Ann won the prize in 1998."), Document("b", "It rained.")]
    >>> generate_by_rules("Who won the prize in 1998?", pages, most=1)
    'Ann won the prize in 1998.'
    """
    asked = understand(plain(question), now)
    wanted = content_words(asked.topic)
    found: list[tuple[float, int, str, int]] = []
    for document in documents:
        text = document.text
        placed = stretches(text, tag(text, document.published))
        for start, end in units(text):
            sentence = " ".join(text[start:end].split())
            times = [item.span for item in placed if start <= item.start_char < end]
            share = len(wanted & content_words(sentence)) / len(wanted) if wanted else 0.0
            if share:
                inside = any(covered(asked.periods, times)) if asked.periods else bool(times)
                first = min((span.start for span in times), default=0)
                found.append((share + inside, len(found), sentence, first))
    best = sorted(found, key=lambda item: (-item[0], item[1]))[:most]
    return " ".join(dict.fromkeys(item[2] for item in sorted(best, key=lambda item: (item[3], item[1]))))


def _about(number: int, document: Document) -> dict[str, object]:
    date = document.published.edtf() if document.published is not None else ""
    return {"number": number, "title": document.title, "date": date}
