"""What does a memory cost? CPU milliseconds of one thread, of `remember` one turn at a time, and of `recall`.

Reads `locomo` from the data folder (EPOCHAL_DATA). A memory of many turns holds those of all conversations again and
again, under other sessions, with static vectors. In the conversations themselves the vectors of MiniLM are known
from before, and so not counted. Of `recall` the least of three rounds is taken for each question: on a machine that has
other work to do the same call takes more CPU time now and then.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence

import numpy as np
from _data import find_data
from _record import VECTOR_CACHE, Row, get_quantiles, save

from epochal.encoders import CachedEncoder, Encoder, encoder
from epochal.encoders.base import Vectors
from epochal.memory import Memory
from epochal_lab.datasets.conversations import LOCOMO_CHOOSE, LOCOMO_REPORT, MemoryQuestion, Turn, load_locomo

SEED = 27
TURNS = 100_000
QUESTIONS = 100
REMEMBERS = 200
ROUNDS = 3


class Known:
    """An encoder that encodes each text once: what is remembered or asked again costs nothing beyond the memory."""

    def __init__(self, encoder: Encoder) -> None:
        self.name, self.dim = encoder.name, encoder.dim
        self._encoder = encoder
        self._vectors: dict[tuple[str, str], Vectors] = {}

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts to be found."""
        return self._look_up("document", texts, self._encoder.encode_documents)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of questions."""
        return self._look_up("query", texts, self._encoder.encode_queries)

    def _look_up(self, role: str, texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors]) -> Vectors:
        missing = [text for text in dict.fromkeys(texts) if (role, text) not in self._vectors]
        if missing:
            self._vectors |= {(role, text): vector for text, vector in zip(missing, encode(missing), strict=True)}
        return np.array([self._vectors[role, text] for text in texts])


def measure_costs() -> list[Row]:
    """CPU milliseconds of remembering and recalling, in the conversations and in a large memory."""
    conversations = load_locomo([*LOCOMO_CHOOSE, *LOCOMO_REPORT])
    turns = [turn for item in conversations for turn in item.turns]
    questions = [question for item in conversations for question in item.questions][:QUESTIONS]
    known = Known(CachedEncoder(encoder("minilm"), VECTOR_CACHE))
    return measure_memory("MiniLM, beyond encoding", known, turns, questions, [len(turns)]) + measure_memory(
        "static", encoder("static"), turns, questions, [len(turns), TURNS]
    )


def measure_memory(
    vectors: str, model: Encoder, turns: Sequence[Turn], questions: Sequence[MemoryQuestion], sizes: Sequence[int]
) -> list[Row]:
    """The costs in memories of some sizes that hold the same turns again and again."""
    rows: list[Row] = []
    stored = 0
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, encoder=model) as memory:
        for size in sizes:
            while stored < size:
                copies = turns[: size - stored]
                memory.remember_many(
                    {"text": turn.text, "at": turn.at, "speaker": turn.speaker, "session": f"{turn.session}/{stored}"}
                    for turn in copies
                )
                stored += len(copies)
            memory.recall(questions[0].text, now=questions[0].now)
            one = [
                time_cpu(lambda turn=turn: memory.remember(turn.text, at=turn.at, speaker=turn.speaker))
                for turn in turns[:REMEMBERS]
            ]
            flush = time_cpu(memory.flush)
            memory.recall(questions[0].text, now=questions[0].now)
            rounds = [
                [time_cpu(lambda q=q: memory.recall(q.text, now=q.now)) for q in questions] for _ in range(ROUNDS)
            ]
            recall = np.min(rounds, axis=0).tolist()
            stored += len(one)
            for what, values in (("remember", one), ("recall", recall), (f"update after {len(one)} turns", [flush])):
                p50, p95 = get_quantiles(values)
                row: Row = {"vectors": vectors, "step": what, "turns": size}
                rows.append(row | {"p50 ms": round(p50, 2), "p95 ms": round(p95, 2)})
    return rows


def time_cpu(run: Callable[[], object]) -> float:
    """CPU milliseconds of a call."""
    start = time.process_time()
    run()
    return 1000 * (time.process_time() - start)


def main() -> None:
    """Measure the costs."""
    find_data("locomo")
    save("memory_cost", "What does a memory cost?", "LoCoMo's turns, up to 100,000 of them", SEED, measure_costs())


if __name__ == "__main__":
    main()
