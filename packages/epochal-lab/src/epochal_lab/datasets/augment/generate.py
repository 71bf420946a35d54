"""Rows by a language model: TMRL's schema, with demonstrations of our own.

A passage is data between marks that it cannot write itself. A reply that does not fit the schema is requested once
more; failures are counted. `Validator` checks replies like any other row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import islice
from json import dumps
from typing import TYPE_CHECKING, Any, Final, Literal

from epochal.errors import EpochalError
from epochal.llm.chat import Chat, LlmError, Message, StructureError, data_rule, fence
from epochal.llm.structured import ask
from epochal_lab.datasets.augment.chunks import Chunk
from epochal_lab.datasets.augment.rows import QUESTION_TYPES, RELATIONS, TemporalRow, parse_row

#: What TMRL sets for its model; pass it to an `Endpoint` as `extra`, with the temperature beside.
SAMPLING: Final = {"top_p": 0.8, "top_k": 20, "min_p": 0.0}

if TYPE_CHECKING:
    QuestionType = str
    Relation = str
else:
    QuestionType = Literal[QUESTION_TYPES]
    Relation = Literal[RELATIONS]


@dataclass(frozen=True, slots=True)
class QuestionReply:
    """A question as the reply to `ask_questions` must have it; its number may be left out."""

    text: str
    temporal: list[str]
    temporal_query_type: QuestionType
    allen_relation: Relation
    docid: int = 0


@dataclass(frozen=True, slots=True)
class GeneratedReply:
    """What the reply to `ask_questions` must be; the passage and its number may be left out."""

    temporal: list[str]
    positive_passages: list[QuestionReply]
    negative_passages: list[QuestionReply]
    query_id: int = 0
    query: str = ""


_RULES: Final = """\
You write questions about time for one passage, to train a search engine. You are given the passage and the time
expression that was found in it. Write {positives} questions that the passage answers (positive_passages) and \
{negatives} that it does
not answer (negative_passages).

Each question has a type:
Explicit: it states exactly one time expression, such as "in May 1998", "before 1998", "from 1990 to 1998".
Implicit: it states no date, and names exactly one event that has one, such as "during World War II".
TemporalAnswer: it asks for a time ("when", "in what year") and states none. At most one of each list.
Prefer Explicit, then Implicit. Copy the expression of a question word for word into its list "temporal"; a
TemporalAnswer has an empty list.

Each question has a relation: how the time of the question (A) lies to the time of the passage (B), by Allen:
Before, After, Meets, MetBy, Overlaps, OverlappedBy, Starts, StartedBy, During, Contains, Finishes, FinishedBy, Equals;
Empty for a TemporalAnswer.

A question that the passage answers is about what the passage says, and its time shares something with that of the
passage. A question that it does not answer is one of these: the same matter at a time that shares nothing with that of
the passage; the same time, but somebody else; a question for the time of something that the passage does not speak of.
Questions stand alone: no "he", "this" or "the passage", no "now", "today" or "last year". No two are alike, and none
is like those between <asked> and </asked>, which were asked before.

Reply with one JSON object: query_id, query (the passage, word for word), temporal (its expression, word for word, in a
list), positive_passages and negative_passages, each a list of objects with docid (0, 1, 2, ...), text, temporal,
temporal_query_type and allen_relation.

{data}"""
_MARK: Final = "passage"


def _build_demonstration(text: str, temporal: str, type: str, relation: str) -> dict[str, Any]:
    expressions = [temporal] if temporal else []
    return {"text": text, "temporal": expressions, "temporal_query_type": type, "allen_relation": relation}


_DEMONSTRATIONS: Final = (
    (
        "The Eastgate lighthouse was rebuilt in 1867 by the engineer Ida Morrow. It is the tallest on that coast.",
        "1867",
        (
            _build_demonstration("Who rebuilt the Eastgate lighthouse in 1867?", "1867", "Explicit", "Equals"),
            _build_demonstration(
                "What did Ida Morrow build between 1860 and 1870?", "between 1860 and 1870", "Explicit", "Contains"
            ),
            _build_demonstration(
                "Which lighthouse was rebuilt after the American Civil War?",
                "after the American Civil War",
                "Implicit",
                "Contains",
            ),
            _build_demonstration("When was the Eastgate lighthouse rebuilt?", "", "TemporalAnswer", "Empty"),
        ),
        (
            _build_demonstration("Who rebuilt the Eastgate lighthouse in 1868?", "1868", "Explicit", "MetBy"),
            _build_demonstration("What did Ida Morrow build before 1850?", "before 1850", "Explicit", "Before"),
            _build_demonstration("Which bridge did Karl Otten open in 1867?", "1867", "Explicit", "Equals"),
            _build_demonstration("In what year was the Westgate harbour dredged?", "", "TemporalAnswer", "Empty"),
        ),
    ),
    (
        "From March 1998 to 2003 Lena Abe led the Oslo choir, which sang mostly in small halls then.",
        "From March 1998 to 2003",
        (
            _build_demonstration("Who led the Oslo choir in 2001?", "2001", "Explicit", "During"),
            _build_demonstration(
                "Which choir did Lena Abe lead since March 1998?", "since March 1998", "Explicit", "StartedBy"
            ),
            _build_demonstration("Who led the Oslo choir until 2000?", "until 2000", "Explicit", "Overlaps"),
            _build_demonstration("From when to when did Lena Abe lead the Oslo choir?", "", "TemporalAnswer", "Empty"),
        ),
        (
            _build_demonstration("Who led the Oslo choir in February 1998?", "February 1998", "Explicit", "Meets"),
            _build_demonstration("Which choir did Lena Abe lead after 2005?", "after 2005", "Explicit", "After"),
            _build_demonstration("Who led the Oslo choir during World War II?", "World War II", "Implicit", "Before"),
            _build_demonstration(
                "Who led the Bergen choir from 1999 to 2002?", "from 1999 to 2002", "Explicit", "During"
            ),
        ),
    ),
)


def ask_questions(
    chunk: Chunk, number: int = 0, *, positives: int = 5, negatives: int = 5, examples: Sequence[str] = ()
) -> list[Message]:
    """The messages that ask for the questions of a chunk; `examples` are questions that were asked of it before."""
    messages = [
        Message("system", _RULES.format(positives=positives, negatives=negatives, data=data_rule(_MARK, "asked")))
    ]
    for position, (passage, temporal, right, wrong) in enumerate(_DEMONSTRATIONS):
        messages += [
            Message("user", _format_request(position, passage, [temporal], ())),
            Message(
                "assistant", dumps(_make_example_reply(position, passage, temporal, right, wrong), ensure_ascii=False)
            ),
        ]
    expressions = [stated_time.text for stated_time in chunk.stated_times]
    return [*messages, Message("user", _format_request(number, chunk.text, expressions, examples))]


def _make_example_reply(
    number: int, passage: str, temporal: str, right: Sequence[dict[str, Any]], wrong: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "query_id": number,
        "query": passage,
        "temporal": [temporal],
        "positive_passages": [{"docid": position, **question} for position, question in enumerate(right)],
        "negative_passages": [{"docid": position, **question} for position, question in enumerate(wrong)],
    }


def _format_request(number: int, passage: str, temporal: Sequence[str], examples: Sequence[str]) -> str:
    lines = [
        f"query_id: {number}",
        f"Time expression found: {', '.join(dumps(text, ensure_ascii=False) for text in temporal)}",
    ]
    lines += [fence(example, "asked") for example in examples]
    return "\n".join([*lines, fence(passage, _MARK)])


class RowGenerator:
    """Makes the rows of chunks by a chat. `failed` counts the chunks without a row, by the reason.

    `examples` are questions that were asked of a chunk's source before, which the model is shown.
    """

    def __init__(
        self,
        chat: Chat,
        *,
        positives: int = 5,
        negatives: int = 5,
        examples: Mapping[str, Sequence[str]] | None = None,
        workers: int = 1,
    ) -> None:
        if workers < 1:
            raise EpochalError(f"workers is {workers}; accepted: 1 or more")
        self._chat = chat
        self._counts = (positives, negatives)
        self._examples = examples or {}
        self._workers = workers
        self.failed: Counter[str] = Counter()

    def rows(self, chunks: Iterable[Chunk]) -> Iterator[TemporalRow]:
        """The rows in the order of the chunks, those that failed left out; so many calls as `workers` run at once."""
        numbered = enumerate(chunks)
        if self._workers == 1:
            yield from (
                row for number, chunk in numbered if (row := self._check_row(self._make_row(number, chunk))) is not None
            )
            return
        with ThreadPoolExecutor(self._workers, thread_name_prefix="augment") as pool:
            # A window of calls, so that a long collection is not held in memory as futures.
            waiting: list[Future[TemporalRow | str]] = []
            while True:
                waiting += [
                    pool.submit(self._make_row, *item) for item in islice(numbered, 4 * self._workers - len(waiting))
                ]
                if not waiting:
                    return
                row = self._check_row(waiting.pop(0).result())
                if row is not None:
                    yield row

    def _check_row(self, row: TemporalRow | str) -> TemporalRow | None:
        if isinstance(row, str):
            self.failed[row] += 1
            return None
        return row

    def _make_row(self, number: int, chunk: Chunk) -> TemporalRow | str:
        """The row of a chunk, or why there is none. The passage is ours, whatever the model gave back of it."""
        positives, negatives = self._counts
        examples = self._examples.get(chunk.source, ())
        messages = ask_questions(chunk, number, positives=positives, negatives=negatives, examples=examples)
        try:
            reply = asdict(ask(self._chat, messages, GeneratedReply))
        except StructureError:
            return "no JSON of the schema, nor when asked again"
        except LlmError:
            return "no reply"
        try:
            return parse_row({**reply, "query_id": chunk.id, "query": chunk.text})
        except EpochalError:
            return "a question without text"
