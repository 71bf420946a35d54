"""The settings of a service, its limits, and the language model of its answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from epochal.errors import EpochalError
from epochal.llm.chat import Chat
from epochal.llm.registry import open_chat

# ---------------------------------------------------------------- limits: requests beyond them are refused

#: Bytes of a request's body, and of one that brings documents.
MAX_BODY: Final = 1 << 20
MAX_DOCUMENTS_BODY: Final = 16 << 20
#: How deeply the lists and objects of a body may be nested.
MAX_DEPTH: Final = 64
#: Characters of a question, of a time, of a name, of a document's id, and of a text to tag.
MAX_QUESTION: Final = 2_000
MAX_TIME: Final = 200
MAX_NAME: Final = 100
MAX_ID: Final = 512
MAX_TEXT: Final = 200_000
#: Hits of a search, and bars of a histogram.
MAX_HITS: Final = 200
MAX_BINS: Final = 1_000
#: Periods that may replace those of a question, and constraints that may be dropped.
MAX_EDITS: Final = 20
#: Problems of one request that are listed; the others are counted.
MAX_ERRORS: Final = 20
#: How many searches may wait for each that may run at once.
QUEUE: Final = 16


# ---------------------------------------------------------------- the language model

_ACCEPTED = "the address of an endpoint such as http://localhost:8080/v1, gguf:FILE or replay:FILE"

#: Signs that no origin has.
_NO_ORIGIN: Final = re.compile(r"[*;,\s]")


@dataclass(frozen=True, slots=True)
class Model:
    """A language model: the URL of an endpoint, `gguf:FILE` or `replay:FILE`.

    `name` is the model of the endpoint, `key` the environment variable with its key.
    """

    which: str
    name: str | None = None
    key: str | None = None

    def __post_init__(self) -> None:
        kind, colon, _ = self.which.partition(":")
        if not colon or kind not in ("http", "https", "gguf", "replay"):
            raise EpochalError(f"{self.which!r} is no language model; accepted: {_ACCEPTED}")
        if kind == "gguf" and self.name is not None:
            raise EpochalError(f"the name {self.name!r} is for an endpoint or a recording; a file holds one model")

    def open(self) -> Chat:
        """Open the model."""
        kind, _, path = self.which.partition(":")
        if kind == "gguf":
            return open_chat(gguf=path)
        if kind == "replay":
            return open_chat(replay=path, model=self.name)
        return open_chat(url=self.which, model=self.name, key=self.key)


# ---------------------------------------------------------------- settings

#: Names of this machine.
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_MIN_TOKEN: Final = 16
_MAX_WORKERS: Final = 64


@dataclass(frozen=True, slots=True)
class Settings:
    """What a service serves, where, to whom, and within which limits.

    Documents can be changed only if it is `writable`, with the `token`. With a `read_token` nothing but `/health` is
    answered without it or the `token`: as a bearer token, or as the password of a browser. `cors` are the origins of
    other sites whose pages may send requests, `frames` those whose pages may show `/embed` in a frame. `hosts` are the
    host names that it answers to; without any, it answers to names of this machine if it listens on this machine only,
    and otherwise to all. `searches` may run at once per process, and 16 times as many may wait. `seconds` limits a
    request, `write_seconds` one that changes documents, `answer_seconds` one that may call a language model, and
    `stop_seconds` the wait for running requests at the end. `log_questions` writes questions to the log. `model` writes
    answers. `reports` is a folder of benchmark results to show, `data` the folder of their test sets, and `metrics` a
    folder in which several processes add up their counters.

    >>> Settings("news").queue, Settings("news").allowed_hosts
    (32, ('127.0.0.1', 'localhost', '::1'))
    >>> Settings("news", writable=True)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: a service that is writable needs a token of 16 characters or more, but none was given
    """

    folder: str
    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 1
    writable: bool = False
    token: str = field(default="", repr=False)
    read_token: str = field(default="", repr=False)
    cors: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    #: One computes while another reads; more take turns at the interpreter, and all of them are slower.
    searches: int = 2
    seconds: float = 10.0
    write_seconds: float = 120.0
    answer_seconds: float = 120.0
    stop_seconds: float = 30.0
    log_questions: bool = False
    model: Model | None = None
    reports: str | None = None
    data: str | None = None
    metrics: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise EpochalError(f"port must be from 1 to 65535, or 0 for any that is free, but is {self.port}")
        if not 1 <= self.workers <= _MAX_WORKERS:
            raise EpochalError(f"workers must be from 1 to {_MAX_WORKERS}, but is {self.workers}")
        if not 1 <= self.searches <= 1_000:
            raise EpochalError(f"searches must be from 1 to 1,000, but is {self.searches}")
        for name in ("seconds", "write_seconds", "answer_seconds", "stop_seconds"):
            if not getattr(self, name) > 0:
                raise EpochalError(f"{name} must be a number above 0, but is {getattr(self, name)}")
        if self.writable and len(self.token) < _MIN_TOKEN:
            actual = f"one of {len(self.token)}" if self.token else "none"
            raise EpochalError(
                f"a service that is writable needs a token of {_MIN_TOKEN} characters or more, but {actual} was given"
            )
        if 0 < len(self.read_token) < _MIN_TOKEN:
            raise EpochalError(
                f"a token for reading must have {_MIN_TOKEN} characters or more, but has {len(self.read_token)}"
            )
        for token in (self.token, self.read_token):
            if not token.isascii() or any(sign.isspace() or not sign.isprintable() for sign in token):
                raise EpochalError("the token must be of visible ASCII characters, for a header has to carry it")
        for origin in (*self.cors, *self.frames):
            if not origin.startswith(("http://", "https://")) or origin.count("/") != 2 or _NO_ORIGIN.search(origin):
                raise EpochalError(f"the origin {origin!r} is none; accepted: such as https://news.example:8443")

    @property
    def queue(self) -> int:
        """How many searches may wait.

        >>> Settings("news", searches=2).queue
        32
        """
        return QUEUE * self.searches

    @property
    def allowed_hosts(self) -> tuple[str, ...]:
        """The host names that the service answers to; empty for any.

        >>> Settings("news", host="0.0.0.0").allowed_hosts, Settings("news", hosts=("news.example",)).allowed_hosts
        ((), ('127.0.0.1', 'localhost', '::1', 'news.example'))
        """
        if self.hosts:
            return () if "*" in self.hosts else (*LOOPBACK, *self.hosts)
        return LOOPBACK if self.host in LOOPBACK else ()
