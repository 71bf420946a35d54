"""Rows by a language model: asked for each chunk, its JSON asked for once more where it does not fit, failures counted.

What comes back is a claim. `Validator` checks it as it checks any other row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from itertools import islice

from epochal.bench.augment.prompts import Reply, ask_questions
from epochal.bench.augment.splitting import Chunk
from epochal.errors import EpochalError
from epochal.llm.chat import Chat, LlmError, StructureError
from epochal.llm.structured import ask
from epochal.models.tmrl.rows import TemporalRow, row_of

__all__ = ["RowGenerator"]


class RowGenerator:
    """Makes the rows of chunks by a chat. `failed` counts the chunks without a row, by the reason.

    `examples` are questions that were asked of a chunk's source before, which the model is shown.

    >>> from epochal.bench.augment.splitting import Splitter
    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         question = '{"text": "Who left in %d?", "temporal": ["%d"], "temporal_query_type": "Explicit",'
    ...         question += ' "allen_relation": "Equals"}'
    ...         both = (question % (1998, 1998), question % (2001, 2001))
    ...         return '{"temporal": ["1998"], "positive_passages": [%s], "negative_passages": [%s]}' % both
    >>> generator = RowGenerator(Scripted())
    >>> [row.positives[0].text for row in generator.rows(Splitter().chunks("Ann Hay left Leeds in 1998.", "p1"))]
    ['Who left in 1998?']
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
        """The rows in the order of the chunks, those that failed left out; so many calls as `workers` run at once.

        >>> list(RowGenerator.rows.__name__)[:2]
        ['r', 'o']
        """
        numbered = enumerate(chunks)
        if self._workers == 1:
            yield from (row for number, chunk in numbered if (row := self._kept(self._row(number, chunk))) is not None)
            return
        with ThreadPoolExecutor(self._workers, thread_name_prefix="augment") as pool:
            # A window of calls, so that a long collection is not held in memory as futures.
            waiting: list[Future[TemporalRow | str]] = []
            while True:
                waiting += [
                    pool.submit(self._row, *item) for item in islice(numbered, 4 * self._workers - len(waiting))
                ]
                if not waiting:
                    return
                row = self._kept(waiting.pop(0).result())
                if row is not None:
                    yield row

    def _kept(self, found: TemporalRow | str) -> TemporalRow | None:
        if isinstance(found, str):
            self.failed[found] += 1
            return None
        return found

    def _row(self, number: int, chunk: Chunk) -> TemporalRow | str:
        """The row of a chunk, or why there is none. The passage is ours, whatever the model gave back of it."""
        positives, negatives = self._counts
        given = self._examples.get(chunk.source, ())
        messages = ask_questions(chunk, number, positives=positives, negatives=negatives, examples=given)
        try:
            reply = asdict(ask(self._chat, messages, Reply))
        except StructureError:
            return "no JSON of the schema, nor when asked again"
        except LlmError:
            return "no reply"
        try:
            return row_of({**reply, "query_id": chunk.id, "query": chunk.text})
        except EpochalError:
            return "a question without text"
