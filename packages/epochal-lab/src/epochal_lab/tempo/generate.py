"""Answers from documents and reformulated questions, by rules and by a language model.

In a prompt the documents come before the question, as in TEMPO, each enclosed as data. In the short style, that of
TMRL, the model gives the bare answer, for answers that are compared word by word. A reformulated search is the original
question followed by the reasoning, as in TEMPO.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from epochal.errors import UnknownNameError
from epochal.llm.chat import Chat, LlmError, Message, data_rule, fence
from epochal.reading.expression import stated_ranges
from epochal.reading.questions.understand import understand
from epochal.reading.tagger import tag
from epochal.storage.records import Document
from epochal.storage.text import units
from epochal.times.span import Span
from epochal_lab.tempo.records import check_covered, clean_question, describe_period, get_content_words, get_title

Style = Literal["full", "short"]
#: Full answers, as in TEMPO, or the bare answer, as in TMRL.
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


def make_generation_messages(
    question: str,
    documents: Sequence[Document],
    *,
    style: Style = "full",
    now: Span | None = None,
    characters: int | None = 2000,
) -> list[Message]:
    """The messages that ask a model for an answer from documents, each truncated to `characters`, if given."""
    if style not in STYLES:
        raise UnknownNameError("style of answer", style, STYLES)
    rules = (_FULL if style == "full" else _SHORT).format(source=_FROM if documents else _ALONE)
    prompt = [
        fence(document.text[:characters], about=_describe_document(number, document))
        for number, document in enumerate(documents, 1)
    ]
    prompt.append(fence(clean_question(question), "question", {"asked": now.edtf()} if now is not None else None))
    return [Message("system", f"{rules}\n\n{data_rule('document')}"), Message("user", "\n".join(prompt))]


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
    messages = make_generation_messages(question, documents, style=style, now=now, characters=characters)
    reply = chat.complete(messages).strip()
    if not reply:
        raise LlmError(f"{chat.name} gave an empty answer")
    return reply


def generate_by_rules(
    question: str, documents: Sequence[Document], *, now: Span | None = None, most: int = _QUOTES
) -> str:
    """Quote the sentences that share most words with the question, those of its times first, in chronological order.

    Empty where no sentence shares a word with the question.

    >>> pages = [Document("a", "Bob left in 2003. Ann won the prize in 1998."), Document("b", "It rained.")]
    >>> generate_by_rules("Who won the prize in 1998?", pages, most=1)
    'Ann won the prize in 1998.'
    """
    understanding = understand(clean_question(question), now)
    topic = get_content_words(understanding.topic)
    sentences: list[tuple[float, int, str, int]] = []
    for document in documents:
        text = document.text
        ranges = stated_ranges(text, tag(text, document.published))
        for start, end in units(text):
            sentence = " ".join(text[start:end].split())
            times = [item.span for item in ranges if start <= item.start_char < end]
            share = len(topic & get_content_words(sentence)) / len(topic) if topic else 0.0
            if share:
                periods = understanding.periods
                inside = any(check_covered(periods, times)) if periods else bool(times)
                first = min((span.start for span in times), default=0)
                sentences.append((share + inside, len(sentences), sentence, first))
    best = sorted(sentences, key=lambda item: (-item[0], item[1]))[:most]
    return " ".join(dict.fromkeys(item[2] for item in sorted(best, key=lambda item: (item[3], item[1]))))


def _describe_document(number: int, document: Document) -> dict[str, object]:
    date = document.published.edtf() if document.published is not None else ""
    return {"number": number, "title": document.title, "date": date}


_ASKS: Final = {
    "when": "It asks when",
    "duration": "It asks how long",
    "order": "It asks what came first",
    "before_after": "It asks what came before or after",
    "ongoing_status": "It asks how things stand now",
    "period_definition": "It asks from when to when a period lasts",
    "timeline": "It asks how things developed",
}

_RULES: Final = f"""\
Somebody will search for documents that answer the question below. Help the search:
1. Say in one sentence what is being asked at its core.
2. Think step by step about what an answer rests on: the matters, names and events, and the times that evidence must
come from.
3. Say what a helpful document contains, in the words that it would use.
Write plain prose of at most 200 words. Do not answer the question, and state no date that it does not state or that
you are not sure of.

{data_rule("question")}"""


@dataclass(frozen=True, slots=True)
class Reformulation:
    """A question and the reasoning about what answers it."""

    original: str
    reasoning: str

    @property
    def text(self) -> str:
        """The text to search with: both."""
        return f"{self.original}\n\n{self.reasoning}" if self.reasoning else self.original


def reformulate_by_rules(question: str, now: Span | None = None) -> Reformulation:
    """The question with what the rules understand of it: topic, times, and what to look for.

    >>> print(reformulate_by_rules("How have fees changed since 2017?", Span.year(2021)).reasoning)
    The question is about: How have fees changed. It asks how things developed. Times that matter: 2017, 2021. A helpful
    document speaks of this in 2017, or in 2021, and dates what it says.
    """
    text = clean_question(question)
    understanding = understand(text, now)
    sentences = [f"The question is about: {understand(get_title(question), now).topic}."]
    if understanding.intent in _ASKS and understanding.is_temporal:
        sentences.append(f"{_ASKS[understanding.intent]}.")
    if understanding.anchors:
        sentences.append(f"Times that matter: {', '.join(understanding.anchors)}.")
    if understanding.periods:
        periods = ", or ".join(f"in {describe_period(span)}" for span in understanding.periods)
        sentences.append(f"A helpful document speaks of this {periods}, and dates what it says.")
    elif understanding.is_temporal:
        sentences.append("A helpful document dates what it says.")
    return Reformulation(question, " ".join(sentences))


def make_reformulation_messages(question: str) -> list[Message]:
    """The messages that ask a model for the reasoning."""
    return [Message("system", _RULES), Message("user", fence(clean_question(question), "question"))]


def reformulate_by_model(chat: Chat, question: str) -> Reformulation:
    """The question with a language model's reasoning; an empty reply is an `LlmError`.

    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return " A helpful document names the winner. "
    >>> reformulate_by_model(Scripted(), "Who won in 1998?").reasoning
    'A helpful document names the winner.'
    """
    reply = chat.complete(make_reformulation_messages(question)).strip()
    if not reply:
        raise LlmError(f"{chat.name} gave no reasoning about {get_title(question)!r}: its reply is empty")
    return Reformulation(question, reply)
