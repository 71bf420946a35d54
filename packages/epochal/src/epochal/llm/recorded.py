"""Recordings: what was asked of a model and what it said, by the content of the call, to be replayed without a network.

A recording is a file of JSON Lines, one call a line: its `key`, the `model`, whether `json` was asked for, the
`messages` and the `reply`. The key is a hash of the other three, so an equal question finds its reply whatever was
asked in between. A line goes to the file in one write, and a line that a killed process left unfinished at the end is
no part of the recording. Failures are not kept: they may go well the next time.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from json import dumps, loads
from pathlib import Path
from typing import Any

from epochal.errors import EpochalError, InputError
from epochal.llm.chat import Chat, LlmError, Message, NotRecordedError


def hash_call(name: str, messages: Sequence[Message], json: bool) -> str:
    """The key of a call: equal for equal models, messages and forms of reply, and for no others."""
    pairs = [[message.role, message.content] for message in messages]
    # Half a character, which some texts hold, has no place in UTF-8; escaped it has.
    return hashlib.sha256(dumps([name, pairs, bool(json)]).encode("ascii")).hexdigest()


class Recording:
    """The calls in a file. Threads and processes may add to it side by side; each knows those that were there at
    first.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._replies: dict[str, str] = {}
        self._names: dict[str, None] = {}
        self._torn: tuple[int, int] | None = None
        self._read()

    def __len__(self) -> int:
        return len(self._replies)

    @property
    def names(self) -> tuple[str, ...]:
        """The models that were asked, in the order of their first calls."""
        return tuple(self._names)

    def find(self, name: str, messages: Sequence[Message], json: bool) -> str | None:
        """The reply to a call, or None where it was not recorded."""
        return self._replies.get(hash_call(name, messages, json))

    def add(self, name: str, messages: Sequence[Message], json: bool, reply: str) -> str:
        """Keep a reply; what is kept for that call from now on, which is the first reply where there are two."""
        key = hash_call(name, messages, json)
        dialogue = [{"role": message.role, "content": message.content} for message in messages]
        line = dumps({"key": key, "model": name, "json": bool(json), "messages": dialogue, "reply": reply}) + "\n"
        with self._lock:
            if key not in self._replies:
                self._write(line.encode("ascii"))
                self._replies[key] = reply
                self._names[name] = None
            return self._replies[key]

    def _read(self) -> None:
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise LlmError(f"the recording {self.path} cannot be read: {error.strerror or error}") from error
        whole = data.rfind(b"\n") + 1
        self._torn = (whole, len(data)) if whole < len(data) else None
        for number, line in enumerate(data[:whole].split(b"\n"), 1):
            if line.strip():
                row = _parse_line(line)
                if isinstance(row, str):
                    accepted = "lines that a recording wrote; take this one out, and the call is made again"
                    raise InputError(str(self.path), number, f"{row}; accepted: {accepted}")
                self._replies.setdefault(row["key"], row["reply"])
                self._names[row["model"]] = None

    def _write(self, line: bytes) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            handle = os.open(self.path, flags, 0o644)
            try:
                # What a killed process left unfinished goes, unless another has seen to it since.
                if self._torn is not None and os.fstat(handle).st_size == self._torn[1]:
                    os.ftruncate(handle, self._torn[0])
                self._torn = None
                if (done := os.write(handle, line)) < len(line):
                    raise OSError(f"only {done} of {len(line)} bytes were written")
            finally:
                os.close(handle)
        except OSError as error:
            raise LlmError(f"the recording {self.path} cannot be written: {error.strerror or error}") from error


def _parse_line(line: bytes) -> dict[str, Any] | str:
    """The call of a line, or what is wrong with it."""
    try:
        row = loads(line.decode("utf-8"))
        messages = [Message(item["role"], item["content"]) for item in row["messages"]]
        if not isinstance(row["reply"], str) or not isinstance(row["model"], str):
            return "the line has a reply or a model that is no text"
        key = hash_call(row["model"], messages, row["json"])
    except EpochalError as error:
        return str(error)
    except (ValueError, KeyError, TypeError, RecursionError):
        return "the line is no recorded call"
    return row if row.get("key") == key else "the line was changed: its key is not that of its call"


class RecordedChat:
    """A model whose replies are kept: a call that was made before is answered from the recording.

    >>> import tempfile
    >>> class Counting:
    ...     name, calls = "counting", 0
    ...     def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
    ...         self.calls += 1
    ...         return str(self.calls)
    >>> chat = RecordedChat(Counting(), Path(tempfile.mkdtemp()) / "calls.jsonl")
    >>> [chat.complete([Message("user", "Rain?")]) for _ in range(3)]
    ['1', '1', '1']
    """

    def __init__(self, chat: Chat, path: str | os.PathLike[str]) -> None:
        self._chat = chat
        self.recording = Recording(path)

    @property
    def name(self) -> str:
        """The name of the model that is recorded."""
        return self._chat.name

    def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
        """The recorded reply, or the model's, which is recorded then."""
        recorded = self.recording.find(self.name, messages, json)
        if recorded is not None:
            return recorded
        return self.recording.add(self.name, messages, json, self._chat.complete(messages, json=json))


class Replay:
    """A recording in the place of a model: nothing is sent anywhere. A call that it does not hold is an error.

    The `name` can be left out where the recording is of one model alone.

    >>> import tempfile
    >>> kept = Recording(Path(tempfile.mkdtemp()) / "calls.jsonl")
    >>> _ = kept.add("small-model", [Message("user", "Rain?")], False, "Yes.")
    >>> Replay(kept.path).complete([Message("user", "Rain?")])
    'Yes.'
    """

    def __init__(self, path: str | os.PathLike[str], name: str | None = None) -> None:
        if not Path(path).is_file():
            raise LlmError(f"there is no recording {Path(path)}; accepted: a file that `Recorded` wrote")
        self.recording = Recording(path)
        names = self.recording.names
        if name is None and len(names) != 1:
            listed = ", ".join(names) or "none"
            raise LlmError(f"the recording {Path(path)} is of {len(names)} models; name one of them: {listed}")
        self._name = name if name is not None else names[0]

    @property
    def name(self) -> str:
        """The model whose replies are replayed."""
        return self._name

    def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
        """The recorded reply."""
        recorded = self.recording.find(self.name, messages, json)
        if recorded is None:
            last = messages[-1].content if messages else ""
            excerpt = last if len(last) <= 60 else f"{last[:57]}..."
            raise NotRecordedError(f"{self.recording.path} holds no reply of {self.name} to {excerpt!r}")
        return recorded
