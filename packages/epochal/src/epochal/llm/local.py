"""What a GGUF file says of itself: its metadata, read without loading the model.

Layout: the word GGUF, a version, how many tensors and how many entries there are, then the entries, each a name, a type
and a value. All numbers are little-endian.

A model in a GGUF file, run on this machine by llama.cpp (extra `llm`). Nothing leaves the machine.

The conversation is written as the model's own chat template has it. Only the marks of the template are read as marks: a
text that writes "<|im_end|>" is a text that says so, and ends nothing. Replies are greedy unless a temperature is set,
so the same question has the same reply. A model is instructed to reply in JSON by the prompt alone.
"""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Final

from epochal.errors import EpochalError, InputError, MissingExtraError, UnknownNameError
from epochal.llm.chat import Ledger, LlmError, Message, Role, Usage

_TEXT: Final = 8
_ARRAY: Final = 9
#: The numbers of the format by their type codes, as `struct` writes them.
_NUMBERS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
#: No list and no text of a model is longer than this.
_MAX_LENGTH: Final = 1 << 26


def read_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The entries of a GGUF file by name; of lists only how long they are, for a vocabulary is long."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            if file.read(4) != b"GGUF":
                raise InputError(str(name), 0, "the file is no model; accepted: a GGUF file")
            version, _, count = _read_number(file, "I"), _read_number(file, "Q"), _read_number(file, "Q")
            if version not in (2, 3) or count > _MAX_LENGTH:
                raise InputError(str(name), 0, f"the file is of GGUF version {version}; accepted: 2, 3")
            return {_read_text(file): _read_value(file, _read_number(file, "I")) for _ in range(count)}
    except OSError as error:
        raise InputError(str(name), 0, f"the model cannot be read: {error.strerror or error}") from error
    except (struct.error, KeyError, UnicodeDecodeError, OverflowError):
        raise InputError(str(name), 0, "the file is cut off or damaged; accepted: a whole GGUF file") from None


def _read_number(file: BinaryIO, kind: str) -> Any:
    size = struct.calcsize(f"<{kind}")
    return struct.unpack(f"<{kind}", file.read(size))[0]


def _read_text(file: BinaryIO) -> str:
    size = _read_number(file, "Q")
    data = file.read(size) if size <= _MAX_LENGTH else b""
    if len(data) < size:
        raise struct.error("a text is cut off")
    return data.decode("utf-8", "surrogateescape")


def _read_value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _read_text(file)
    if kind == _ARRAY:
        inner, count = _read_number(file, "I"), _read_number(file, "Q")
        if count > _MAX_LENGTH:
            raise struct.error("a list is too long")
        if inner in _NUMBERS:
            file.seek(struct.calcsize(f"<{_NUMBERS[inner]}") * count, os.SEEK_CUR)
        else:
            for _ in range(count):
                _read_value(file, inner)
        return count
    return _read_number(file, _NUMBERS[kind])


_PIECE: Final = 512


@dataclass(frozen=True, slots=True)
class Template:
    """How a family of models writes a conversation: marks before and after what is said, by role.

    `system` is False where the family has no such role; what the system says then goes before the user's first words.
    """

    sign: str
    start: str
    before: str
    after: str
    assistant: str = "assistant"
    system: bool = True

    def written(self, messages: Sequence[Message]) -> list[tuple[str, bool]]:
        """The conversation in pieces, up to where the model is to go on, and whether each is a mark."""
        pieces = [(self.start, True)] if self.start else []
        held = ""
        for message in messages:
            if message.role == "system" and not self.system:
                held += f"{message.content}\n\n"
                continue
            pieces += [(self.before.format(role=self._map_role(message.role)), True), (held + message.content, False)]
            pieces.append((self.after, True))
            held = ""
        return [*pieces, (self.before.format(role=self.assistant), True)]

    def _map_role(self, role: Role) -> str:
        return self.assistant if role == "assistant" else role


#: The families that are known, by name; `sign` is what their templates write and others do not.
TEMPLATES: Final[dict[str, Template]] = {
    "chatml": Template("<|im_start|>", "", "<|im_start|>{role}\n", "<|im_end|>\n"),
    "llama3": Template(
        "<|start_header_id|>",
        "<|begin_of_text|>",
        "<|start_header_id|>{role}<|end_header_id|>\n\n",
        "<|eot_id|>",
    ),
    "gemma": Template(
        "<start_of_turn>", "<bos>", "<start_of_turn>{role}\n", "<end_of_turn>\n", assistant="model", system=False
    ),
}


def find_template(text: str) -> Template | None:
    """The family whose marks a chat template writes; None for one that is not known."""
    return next((known_template for known_template in TEMPLATES.values() if known_template.sign in text), None)


class LocalModel:
    """A model in a GGUF file, loaded at its first reply. Calls are answered one after another.

    `context` is how many tokens it holds at once, question and reply together, and `most` how many a reply may have.
    `template` names the family where the file does not tell it.

    >>> LocalModel("no-such-model.gguf")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no-such-model.gguf: the model cannot be read: No such file or directory
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        context: int = 4096,
        most: int = 512,
        threads: int = 1,
        temperature: float = 0.0,
        template: str | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        if most < 1 or context <= most or threads < 1 or temperature < 0:
            accepted = "a context above most, most and threads from 1, a temperature from 0"
            raise EpochalError(
                f"context, most, threads and temperature are {context}, {most}, {threads}, {temperature}; "
                f"accepted: {accepted}"
            )
        if template is not None and template not in TEMPLATES:
            raise UnknownNameError("chat template", template, TEMPLATES)
        self._path = Path(path)
        template_text = str(read_metadata(self._path).get("tokenizer.chat_template", ""))
        chat_template = TEMPLATES[template] if template is not None else find_template(template_text)
        if chat_template is None:
            raise EpochalError(
                f"the chat template of {self._path} is of no known family; accepted: {', '.join(TEMPLATES)}, given by "
                "template"
            )
        self._template = chat_template
        self._context, self._most, self._threads, self._temperature = context, most, threads, temperature
        self._ledger = ledger
        self._lock = threading.Lock()
        self._loaded: Any = None

    @property
    def name(self) -> str:
        """The name of the file, with the settings that change replies where they are not the usual ones."""
        settings = [f"most={self._most}"] if self._most != 512 else []
        settings += [f"temperature={self._temperature:g}"] if self._temperature else []
        return f"{self._path.name} {' '.join(settings)}".strip()

    def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
        """The reply; one that is not finished within the most tokens is an error."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            try:
                reply, usage = self._generate_reply(self._loaded, messages)
            except LlmError:
                self._count(Usage(failures=1))
                raise
            self._count(usage)
            return reply

    def close(self) -> None:
        """Free the memory of the model; a later call loads it again."""
        with self._lock:
            if self._loaded is not None:
                self._loaded.close()
                self._loaded = None

    def _count(self, usage: Usage) -> None:
        if self._ledger is not None:
            self._ledger.add(self.name, usage)

    def _load(self) -> Any:
        try:
            from ik_llama_cpp import IkLlama
        except ImportError:
            raise MissingExtraError("a local model", "ik-llama-cpp-python", "local-llm") from None
        _silence_llama()
        try:
            return IkLlama(os.fspath(self._path), n_ctx=self._context, n_threads=self._threads, flash_attn=False)
        except RuntimeError as error:
            raise LlmError(f"{self._path} cannot be loaded: {error}") from error

    def _generate_reply(self, model: Any, messages: Sequence[Message]) -> tuple[str, Usage]:
        tokens: list[int] = []
        for text, is_mark in self._template.written(messages):
            tokens += model.tokenize(text, add_bos=False, special=is_mark) if text else []
        if len(tokens) + self._most > self._context:
            room = f"{self._context} hold {self._context - self._most} and a reply of {self._most}"
            raise LlmError(f"{self.name} is asked with {len(tokens)} tokens, and its {room}; allow more by context")
        try:
            generated = model.generate(tokens, max_tokens=self._most, temperature=self._temperature)
        except RuntimeError as error:
            raise LlmError(f"{self.name} gave no reply: {error}") from error
        if len(generated) >= self._most:
            raise LlmError(f"{self.name} was not finished after {self._most} tokens; allow more by most")
        usage = Usage(replies=1, prompt_tokens=len(tokens), completion_tokens=len(generated))
        return _decode_tokens(model, generated).strip(), usage


def _decode_tokens(model: Any, tokens: Sequence[int]) -> str:
    """What tokens say. Their bytes are joined first: a sign outside of ASCII is often spread over several tokens."""
    import ctypes

    from ik_llama_cpp import _ctypes_api as api

    buffer = ctypes.create_string_buffer(_PIECE)
    data = b""
    for token in tokens:
        size = api.llama_token_to_piece(model._model.model, token, buffer, _PIECE, 0, False)
        data += buffer.raw[: max(size, 0)]
    return data.decode("utf-8", "replace")


def _silence_llama() -> None:
    """Have llama.cpp write nothing to the standard error, where it tells every tensor that it loads."""
    import ctypes

    from ik_llama_cpp import _ctypes_api as api

    api._lib.llama_log_set(_make_silent_callback(), ctypes.c_void_p())


@cache
def _make_silent_callback() -> Any:
    """A function that C may call for ever: it is made once and never thrown away."""
    import ctypes

    return ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(lambda level, text, data: None)
