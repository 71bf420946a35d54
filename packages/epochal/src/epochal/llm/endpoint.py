"""Any HTTP endpoint of the OpenAI chat protocol: a vendor's, or a server of your own, over httpx.

What is sent: the messages, the model, the temperature, what `extra` says, and the key that the environment variable
named by `key_variable` holds. It is sent to `base_url` and to nowhere else: redirects are not followed, for they would
take the key with them. Connections are kept open between calls; cookies are not kept.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.cookiejar import DefaultCookiePolicy
from json import dumps, loads
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from epochal.errors import EpochalError, MissingExtraError
from epochal.llm.chat import Ledger, LlmError, Message, Usage
from epochal.llm.recorded import hash_call

if TYPE_CHECKING:
    import httpx

#: Replies that may go better the next time: time-outs, conflicts, too many requests; faults of the server besides.
_PASSING: Final = frozenset((408, 409, 429))
#: No reply of a chat is longer than this, in bytes.
_LONGEST: Final = 1 << 24


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a call is made again, and how long one waits before it.

    Before the n-th retry one waits `base` seconds times 2^(n - 1), at most `cap`, times a number between the two of
    `jitter`, drawn from the `seed` and the call itself. Where the server says how long to wait, that is waited at
    least, and where it asks for more than `patience`, the call fails.

    >>> [Retries(jitter=(1.0, 1.0)).wait(number, "a call") for number in (1, 2, 3, 9)]
    [0.8, 1.6, 3.2, 10.0]
    """

    most: int = 6
    base: float = 0.8
    cap: float = 10.0
    jitter: tuple[float, float] = (0.7, 1.3)
    patience: float = 120.0
    seed: int = 0

    def __post_init__(self) -> None:
        low, high = self.jitter
        if self.most < 0 or not 0 <= low <= high or min(self.base, self.cap, self.patience) < 0:
            raise EpochalError(f"{self} cannot be kept to; accepted: numbers from 0, the jitter from low to high")

    def wait(self, number: int, call: str) -> float:
        """The seconds to wait before the n-th retry of a call; different calls do not wait in step.

        >>> Retries().wait(1, "a call") == Retries().wait(1, "a call") != Retries().wait(1, "another")
        True
        """
        jitter = random.Random(f"{self.seed} {number} {call}").uniform(*self.jitter)
        return min(self.cap, self.base * 2.0 ** min(number - 1, 60)) * jitter


class _PassingError(Exception):
    """A failure that may be over the next time, and how many seconds the server asks to wait."""

    def __init__(self, problem: str, wait: float | None = None) -> None:
        super().__init__(problem)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model behind `base_url`, which ends before `/chat/completions`, often in `/v1`.

    `key_variable` names the environment variable that holds the key, read at each call and shown nowhere; None where
    none is needed. `timeout` is in seconds, for each step and for the whole reply. `temperature` None leaves it to the
    server. `extra` goes into the request as it is. At most `concurrency` requests are under way at once, whatever the
    number of threads; who waits for a retry holds no place. A `ledger` counts replies, retries, failures and tokens.
    `sleep` waits between retries.

    >>> Endpoint("http://localhost:8080/v1", "small-model").name
    'small-model'
    >>> Endpoint("http://localhost:8080/v1", "small-model", extra={"max_tokens": 200}).name
    'small-model {"max_tokens": 200}'
    """

    base_url: str
    model: str
    key_variable: str | None = None
    timeout: float = 60.0
    temperature: float | None = 0.0
    extra: Mapping[str, Any] = field(default_factory=dict)
    retries: Retries = Retries()
    concurrency: int = 8
    ledger: Ledger | None = field(default=None, repr=False, compare=False)
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False, compare=False)
    stopwatch: Callable[[], float] = field(default=time.monotonic, repr=False, compare=False)
    _places: threading.BoundedSemaphore = field(init=False, repr=False, compare=False)
    _lock: threading.Lock = field(init=False, repr=False, compare=False, default_factory=threading.Lock)
    _client: httpx.Client | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            accepted = "an address such as http://localhost:8080/v1"
            raise EpochalError(f"{self.base_url!r} is no endpoint; accepted: {accepted}")
        if parts.username or parts.password or parts.query:
            raise EpochalError("an endpoint's address has a name, a key or a query in it; give the key by key_variable")
        if not self.model or not self.timeout > 0:
            required = "the name of a model, and a time-out above 0"
            raise EpochalError(f"an endpoint has model {self.model!r}, time-out {self.timeout}; accepted: {required}")
        if self.concurrency < 1:
            raise EpochalError(f"the concurrency of an endpoint is {self.concurrency}; accepted: 1 or more")
        object.__setattr__(self, "_places", threading.BoundedSemaphore(self.concurrency))

    @property
    def name(self) -> str:
        """The model, with the settings that change its replies where they are not the usual ones.

        >>> Endpoint("http://localhost:8080/v1", "small-model", temperature=1.0).name
        'small-model {"temperature": 1.0}'
        """
        settings = dict(self.extra) if self.temperature == 0 else {"temperature": self.temperature, **self.extra}
        return f"{self.model} {dumps(settings, sort_keys=True)}" if settings else self.model

    def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
        """The reply of the model; passing failures are tried again, and then one sentence says what went wrong.

        >>> quick = Endpoint("http://127.0.0.1:9", "small-model", retries=Retries(most=0), timeout=1.0)
        >>> quick.complete([Message("user", "Rain?")])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        epochal.llm.chat.LlmError: http://127.0.0.1:9 gave no reply in 1 try: ...
        """
        headers, data = self._make_headers(), dumps(self._make_body(messages, json)).encode("ascii")
        client = self._open_client()
        try:
            return self._send_with_retries(
                lambda: self._send(client, headers, data), hash_call(self.name, messages, json)
            )
        except LlmError:
            self._count(Usage(failures=1))
            raise

    def close(self) -> None:
        """Close the connections that are kept open; a later call opens them again."""
        with self._lock:
            client = self._client
            object.__setattr__(self, "_client", None)
        if client is not None:
            client.close()

    def __del__(self) -> None:
        client = getattr(self, "_client", None)  # None also where the endpoint was refused before it had one
        if client is not None:
            client.close()

    def preview(self, messages: Sequence[Message], *, json: bool = False) -> str:
        """What `complete` would send: the address, where the key would come from, and the body. Nothing is sent.

        >>> print(Endpoint("http://localhost:8080/v1", "small-model").preview([Message("user", "Rain?")]))
        POST http://localhost:8080/v1/chat/completions
        {"model": "small-model", "messages": [{"role": "user", "content": "Rain?"}], "temperature": 0.0}
        """
        key = [] if self.key_variable is None else [f"Authorization: Bearer (the key in {self.key_variable})"]
        body = dumps(self._make_body(messages, json), ensure_ascii=False)
        return "\n".join([f"POST {self._address}", *key, body])

    @property
    def _address(self) -> str:
        return self.base_url.rstrip("/") + "/chat/completions"

    def _open_client(self) -> httpx.Client:
        try:
            import httpx
        except ImportError:
            raise MissingExtraError("an endpoint", "httpx", "llm") from None
        with self._lock:
            if self._client is None:
                limits = httpx.Limits(max_connections=self.concurrency, max_keepalive_connections=self.concurrency)
                try:
                    client = httpx.Client(timeout=self.timeout, limits=limits, headers={"User-Agent": "epochal"})
                except (ImportError, ValueError) as error:  # a proxy in the environment that httpx cannot use
                    raise LlmError(f"{self.base_url} cannot be reached through the proxy: {error}") from None
                client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))
                object.__setattr__(self, "_client", client)
            assert self._client is not None
            return self._client

    def _send_with_retries(self, send: Callable[[], str], call: str) -> str:
        tries = 0
        while True:
            tries += 1
            try:
                with self._places:
                    return send()
            except _PassingError as error:
                wait = max(self.retries.wait(tries, call), error.wait or 0.0)
                if tries > self.retries.most:
                    counted = f"{tries} tr{'y' if tries == 1 else 'ies'}"
                    raise LlmError(f"{self.base_url} gave no reply in {counted}: {error}") from None
                if wait > max(self.retries.patience, self.retries.cap * self.retries.jitter[1]):
                    reason = f"it asks to wait {wait:g} seconds, and {self.retries.patience:g} are the most"
                    raise LlmError(f"{self.base_url} gave no reply: {error}; {reason}") from None
            self._count(Usage(retries=1))
            self.sleep(wait)

    def _count(self, usage: Usage) -> None:
        if self.ledger is not None:
            self.ledger.add(self.model, usage)

    def _make_body(self, messages: Sequence[Message], json: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if json:
            body["response_format"] = {"type": "json_object"}
        return {**body, **self.extra}

    def _make_headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key_variable is not None:
            key = os.environ.get(self.key_variable, "").strip()
            if not key:
                raise LlmError(f"the environment variable {self.key_variable} holds no key for {self.base_url}; set it")
            if not key.isascii() or not key.isprintable():
                raise LlmError(f"the environment variable {self.key_variable} holds no key: it has signs no key has")
            headers["Authorization"] = f"Bearer {key}"
        return headers

    def _send(self, client: httpx.Client, headers: Mapping[str, str], data: bytes) -> str:
        import httpx

        try:
            start = self.stopwatch()
            with client.stream("POST", self._address, headers=headers, content=data) as response:
                body = _read_body(response, lambda: self.stopwatch() - start > self.timeout)
        except httpx.TimeoutException:
            raise _PassingError(f"nothing came within {self.timeout:g} seconds") from None
        except httpx.InvalidURL as error:
            raise LlmError(f"{self.base_url} is no endpoint: {error}") from None
        except httpx.RequestError as error:
            raise _PassingError(_describe_failure(error)) from None
        # A server that repeats the key would have it put into errors, recordings and logs.
        key = headers.get("Authorization", "").removeprefix("Bearer ")
        body = body.replace(key.encode(), b"(the key)") if key else body
        if not response.is_success:
            raise self._refuse(response, body, key)
        if len(body) > _LONGEST:
            raise LlmError(f"{self.base_url} sent more than the {_LONGEST:,} bytes that are read of a reply")
        return self._read_content(body)

    def _refuse(self, response: httpx.Response, body: bytes, key: str) -> _PassingError | LlmError:
        status, message = response.status_code, _read_error_message(body)
        if status in _PASSING or status >= 500:
            return _PassingError(f"status {status}{message}", _read_retry_after(response.headers))
        if status in (401, 403):
            where = f"the key in {self.key_variable}" if self.key_variable else "a call without a key (key_variable)"
            return LlmError(f"{self.base_url} refuses {where}: status {status}{message}")
        if 300 <= status < 400:
            goal = response.headers.get("Location", "elsewhere").replace(key or "\0", "(the key)")
            return LlmError(f"{self.base_url} sends on to {goal}, which is not followed; give the address itself")
        return LlmError(f"{self.base_url} refuses the call: status {status}{message}")

    def _read_content(self, data: bytes) -> str:
        """The text of a reply. A body that is cut or garbled may come whole the next time."""
        try:
            reply = loads(data.decode("utf-8"))
        except (ValueError, RecursionError):
            raise _PassingError(f"the reply of {len(data):,} bytes is not JSON") from None
        try:
            choice = reply["choices"][0]
            content, ended = choice["message"]["content"], choice.get("finish_reason")
        except (KeyError, IndexError, TypeError, AttributeError):
            raise _PassingError("the reply is JSON without choices[0].message.content") from None
        # Counted before it is judged: a reply that was cut off has its price too.
        self._count(Usage.reported(reply.get("usage")))
        if ended == "length":
            raise LlmError(f"{self.base_url} cut the reply off at the most tokens it may have; allow more by extra")
        if not isinstance(content, str):
            raise LlmError(f"{self.base_url} gave a reply without text (finish_reason {ended!r})")
        return content


def _read_body(response: httpx.Response, is_late: Callable[[], bool]) -> bytes:
    """The body, up to the most that is read. One that breaks off is kept as far as it came: it may be whole JSON."""
    import httpx

    body = b""
    try:
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > _LONGEST:
                break
            if is_late():
                raise httpx.ReadTimeout("the reply comes too slowly")
    except httpx.RemoteProtocolError:
        if not body:
            raise
    return body


def _describe_failure(error: BaseException) -> str:
    """The operating system's own words where it has some, such as "Connection refused"."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__cause__ or cause.__context__
    return str(error) or type(error).__name__


def _read_error_message(body: bytes) -> str:
    """What the body of a refusal says, shortened, on one line."""
    text = body[:4096].decode("utf-8", "replace")
    try:
        error = loads(text)["error"]
        text = error["message"] if isinstance(error, dict) else error
    except (ValueError, KeyError, TypeError):
        pass  # not the body that the protocol has; it is shown as it is
    line = " ".join(str(text).split())
    return f", {line if len(line) <= 200 else line[:197] + '...'}" if line else ""


def _read_retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that Retry-After asks for. Of a date, those since the server's own Date: no clock of ours is read."""
    wait = headers.get("Retry-After", "").strip()
    if wait.isascii() and wait.isdigit():
        return float(wait)
    try:
        until, since = parsedate_to_datetime(wait), parsedate_to_datetime(headers.get("Date", ""))
        return max(0.0, (until - since).total_seconds())
    except (ValueError, TypeError, IndexError):
        return None  # no wish that can be read
