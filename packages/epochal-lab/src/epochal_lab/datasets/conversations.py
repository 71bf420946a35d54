"""Long conversations with questions about them: LoCoMo and LongMemEval in one shape.

A conversation is a list of turns, each with its speaker, its session and the time at which it was said. A question has
the turns that answer it; one that the conversation cannot answer has none that count, and `is_answerable` is false.
"""

from __future__ import annotations

import datetime as dt
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError
from epochal.times.span import Span
from epochal_lab.datasets.sources import MissingSetError, data_folder

#: LoCoMo's conversations in the public half; the first two are for choosing, the rest for reporting.
LOCOMO_CHOOSE: Final = ("26", "43")
LOCOMO_REPORT: Final = ("41", "47", "49")
#: The kinds of LoCoMo's questions, as its paper names them.
KINDS: Final = ("temporal", "single-hop", "multi-hop", "open", "unanswerable")

_SPEAKER: Final = re.compile(r"([^\n:]{1,60}):\s+")
#: "2023/05/20 (Sat) 02:21", as LongMemEval writes times.
_LONGMEM_TIME: Final = re.compile(r"(\d{4})/(\d{2})/(\d{2})[^\d]*(\d{2}):(\d{2})")


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said at a time, in a session."""

    id: str
    speaker: str
    text: str
    at: Span
    session: str


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """A question about a conversation: what kind it is, its answer, and the ids of the turns that give it."""

    id: str
    text: str
    kind: str
    now: Span
    answer: str
    evidence: tuple[str, ...]
    is_answerable: bool = True


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns of a conversation in their order, and the questions about it."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[MemoryQuestion, ...]

    @property
    def speakers(self) -> tuple[str, ...]:
        """The names of those who speak, in the order of their first turns."""
        return tuple(dict.fromkeys(turn.speaker for turn in self.turns))


def load_locomo(names: Iterable[str] | None = None, data: Path | None = None) -> list[Conversation]:
    """LoCoMo's conversations from `locomo` in the data folder: those of the given names, or all that are there.

    >>> import tempfile
    >>> load_locomo(data=Path(tempfile.mkdtemp()))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal_lab.datasets.sources.MissingSetError: the set 'locomo' is not in ...
    """
    folder = _find_folder("locomo", "turns_*.jsonl.gz", data)
    present = {path.name[6:-9] for path in folder.glob("turns_*.jsonl.gz")}
    selected = sorted(present) if names is None else list(names)
    if unknown := [name for name in selected if name not in present]:
        raise EpochalError(
            f"no LoCoMo conversation {unknown[0]!r} in {folder}; there are: {', '.join(sorted(present))}"
        )
    return [_read_locomo(folder, name) for name in selected]


def load_longmemeval(path: Path) -> Iterator[Conversation]:
    """The questions of a LongMemEval file, each with its own haystack of sessions, one conversation for each question.

    Questions whose ids end in `_abs` cannot be answered. Evidence are the turns that are marked `has_answer`.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EpochalError(f"cannot read LongMemEval from {path}: {error}") from error
    for row in rows:
        yield _read_longmemeval(row)


def read_speaker(line: str) -> tuple[str, str]:
    """The speaker and the words of a line of a transcript; no speaker where the line names none.

    >>> read_speaker("Ada: Hello there")
    ('Ada', 'Hello there')
    >>> read_speaker("Hello there")
    ('', 'Hello there')
    """
    found = _SPEAKER.match(line)
    return (found[1], line[found.end() :]) if found else ("", line)


def _find_folder(name: str, pattern: str, data: Path | None) -> Path:
    root = data_folder(data)
    folder = None if root is None else root / name
    if folder is None or not any(folder.glob(pattern)):
        raise MissingSetError(f"the set {name!r} is not in {root}; put its files {pattern} into {name} there")
    return folder


def _read_locomo(folder: Path, name: str) -> Conversation:
    turns = []
    for row in _read_rows(folder / f"turns_{name}.jsonl.gz"):
        speaker, text = read_speaker(row["text"])
        turns.append(Turn(row["id"], speaker, text, _read_time(row["published"]), row["session"]))
    known = {turn.id for turn in turns}
    questions = []
    for row in _read_rows(folder / f"questions_{name}.jsonl.gz"):
        answer = "" if row["answer"] is None else str(row["answer"])
        evidence = tuple(id for id in row["gold"] if id in known)
        questions.append(
            MemoryQuestion(
                row["id"],
                row["text"],
                row["kind"],
                _read_time(row["now"]),
                answer,
                evidence,
                row["kind"] != "unanswerable",
            )
        )
    return Conversation(name, tuple(turns), tuple(questions))


def _read_rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _read_time(text: str) -> Span:
    return Span.of(dt.datetime.fromisoformat(text))


def _read_longmemeval(row: dict[str, Any]) -> Conversation:
    turns, evidence = [], []
    names = _separate(row["haystack_session_ids"])
    sessions = zip(names, row["haystack_dates"], row["haystack_sessions"], strict=True)
    for session, date, said in sorted(sessions, key=lambda item: item[1]):
        for number, turn in enumerate(said):
            if not turn["content"].strip():
                continue
            id = f"{session}/{number}"
            turns.append(Turn(id, turn["role"], turn["content"], _read_longmem_time(date), session))
            if turn.get("has_answer"):
                evidence.append(id)
    question = MemoryQuestion(
        row["question_id"],
        row["question"],
        row["question_type"],
        _read_longmem_time(row["question_date"]),
        str(row["answer"]),
        tuple(evidence),
        not row["question_id"].endswith("_abs"),
    )
    return Conversation(row["question_id"], tuple(turns), (question,))


def _separate(names: Iterable[str]) -> list[str]:
    """The names, those that occurred before with a number: some sessions are in a haystack twice.

    >>> _separate(["a", "b", "a"])
    ['a', 'b', 'a+1']
    """
    counts: Counter[str] = Counter()
    result = []
    for name in names:
        result.append(f"{name}+{counts[name]}" if counts[name] else name)
        counts[name] += 1
    return result


def _read_longmem_time(text: str) -> Span:
    found = _LONGMEM_TIME.match(text)
    if found is None:
        raise EpochalError(f"not a time of LongMemEval: {text!r}; accepted: 2023/05/20 (Sat) 02:21")
    year, month, day, hour, minute = map(int, found.groups())
    return Span.of(dt.datetime(year, month, day, hour, minute))
