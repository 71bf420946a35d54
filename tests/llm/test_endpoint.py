"""The endpoint against a real server on this machine, which speaks the protocol well and badly."""

from __future__ import annotations

import gzip
import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from epochal.errors import EpochalError, MissingExtraError
from epochal.llm.chat import Ledger, LlmError, Message, Usage
from epochal.llm.endpoint import Endpoint, Retries
from openai_server import Answer, Server, Turns, make_reply

RAIN = [Message("system", "Be brief."), Message("user", "Rain?")]


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def start(*answers: Answer | Callable[[], Answer]) -> Server:
        servers.append(Server(Turns(list(answers))))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def endpoint(waits):
    def make(server: Server, **settings: Any) -> Endpoint:
        return Endpoint(server.url, "small-model", sleep=waits.append, **{"timeout": 60.0, **settings})

    return make


def test_a_plain_call(serve, endpoint, waits):
    server = serve(make_reply("Yes."))
    assert endpoint(server).complete(RAIN) == "Yes."
    assert server.paths == ["/v1/chat/completions"]
    assert server.calls == [
        {
            "model": "small-model",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Rain?"}],
            "temperature": 0.0,
        }
    ]
    assert "Authorization" not in server.headers[0]
    assert waits == []


def test_json_mode_settings_and_key(serve, endpoint, monkeypatch):
    monkeypatch.setenv("RAIN_KEY", "s3cret\n")
    server = serve(make_reply("{}"))
    chat = endpoint(server, key_variable="RAIN_KEY", temperature=None, extra={"max_tokens": 9})
    assert chat.complete(RAIN, json=True) == "{}"
    assert server.calls[0]["response_format"] == {"type": "json_object"}
    assert server.calls[0]["max_tokens"] == 9
    assert "temperature" not in server.calls[0]
    assert server.headers[0]["Authorization"] == "Bearer s3cret"
    assert "s3cret" not in repr(chat)


def test_too_many_requests_are_waited_out(serve, endpoint, waits):
    server = serve((429, {"Retry-After": "7"}, b"{}"), make_reply("Yes."))
    assert endpoint(server).complete(RAIN) == "Yes."
    assert waits == [7.0]


def test_a_date_to_wait_for_is_counted_from_the_servers_own(serve, endpoint, waits):
    until = {"Retry-After": "Sun, 15 Nov 2026 10:00:30 GMT"}
    since = {"Date": "Sun, 15 Nov 2026 10:00:00 GMT"}
    server = serve((503, until | since, b"busy"), (503, until, b"busy"), make_reply("Yes."))
    assert endpoint(server).complete(RAIN) == "Yes."
    assert waits[0] == 30.0
    assert waits[1] < 3.0  # no clock of ours is asked how long that is


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504])
def test_passing_failures_are_tried_again_with_growing_waits(serve, endpoint, waits, status):
    server = serve((status, {}, b""), (status, {}, b""), (status, {}, b""), make_reply("Yes."))
    assert endpoint(server, retries=Retries(jitter=(1.0, 1.0))).complete(RAIN) == "Yes."
    assert waits == [0.8, 1.6, 3.2]


def test_waits_are_spread_by_the_call_and_the_same_again(serve, endpoint, waits):
    def run(text: str) -> list[float]:
        waits.clear()
        endpoint(serve((500, {}, b""), (500, {}, b""), make_reply("Yes."))).complete([Message("user", text)])
        return list(waits)

    first = run("a")
    assert run("a") == first != run("b")
    assert 0.56 <= first[0] <= 1.04
    assert 1.12 <= first[1] <= 2.08


def test_tries_come_to_an_end(serve, endpoint, waits):
    server = serve((500, {}, json.dumps({"error": {"message": "out of\n memory"}}).encode()))
    with pytest.raises(LlmError, match=r"gave no reply in 3 tries: status 500, out of memory$"):
        endpoint(server, retries=Retries(most=2)).complete(RAIN)
    assert len(server.calls) == 3
    assert len(waits) == 2


def test_a_server_that_asks_for_too_much_patience_is_left(serve, endpoint, waits):
    server = serve((429, {"Retry-After": "3600"}, b""))
    with pytest.raises(LlmError, match=r"it asks to wait 3600 seconds, and 120 are the most$"):
        endpoint(server).complete(RAIN)
    assert waits == []
    assert len(server.calls) == 1


def test_a_slow_server_is_a_time_out(serve, endpoint, waits):
    def late() -> Answer:
        server.released.wait(120)
        return make_reply("late")

    server = serve(late, make_reply("Yes."))
    # The second reply may be late, too, on a busy machine.
    assert endpoint(server, timeout=0.5, retries=Retries(most=100)).complete(RAIN) == "Yes."
    assert len(waits) >= 1


def test_a_server_that_stays_slow(serve, endpoint):
    def late() -> Answer:
        server.released.wait(120)
        return make_reply("late")

    server = serve(late)
    with pytest.raises(LlmError, match=r"gave no reply in 1 try: nothing came within 0.2 seconds$"):
        endpoint(server, timeout=0.2, retries=Retries(most=0)).complete(RAIN)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ((200, {}, b'{"choices": [{"mess'), "is not JSON"),
        ((200, {}, b"\xff\xfe"), "is not JSON"),
        ((200, {}, b"[]"), r"without choices\[0\].message.content"),
        ((200, {}, b'{"choices": []}'), r"without choices\[0\].message.content"),
        ((200, {"Content-Length": "5000"}, b'{"choices"'), "the reply of 10 bytes is not JSON"),
    ],
)
def test_a_garbled_or_cut_reply_is_tried_again(serve, endpoint, answer, problem):
    assert endpoint(serve(answer, make_reply("Yes."))).complete(RAIN) == "Yes."
    with pytest.raises(LlmError, match=f"in 2 tries: .*{problem}"):
        endpoint(serve(answer), retries=Retries(most=1)).complete(RAIN)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ((401, {}, b'{"error": "bad key"}'), "refuses the key in RAIN_KEY: status 401, bad key"),
        ((403, {}, b""), "refuses the key in RAIN_KEY: status 403"),
        ((400, {}, b"no such model"), "refuses the call: status 400, no such model"),
        ((404, {}, b"x" * 9000), r"status 404, x{197}\.\.\."),
        ((302, {"Location": "http://example.org/"}, b""), "sends on to http://example.org/, which is not followed"),
        (make_reply(None, "tool_calls"), "gave a reply without text"),
        (make_reply("half a rep", "length"), "cut the reply off"),
    ],
)
def test_what_will_not_get_better_is_not_tried_again(serve, endpoint, waits, monkeypatch, answer, problem):
    monkeypatch.setenv("RAIN_KEY", "s3cret")
    server = serve(answer)
    with pytest.raises(LlmError, match=problem) as caught:
        endpoint(server, key_variable="RAIN_KEY").complete(RAIN)
    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(server.calls) == 1
    assert waits == []


@pytest.mark.parametrize(
    "answer",
    [
        (401, {}, b'{"error": "no such key: s3cret"}'),
        (500, {}, b"s3cret " * 40),
        (302, {"Location": "http://example.org/?key=s3cret"}, b""),
        make_reply("your key is s3cret", "length"),
    ],
)
def test_a_server_that_repeats_the_key(serve, endpoint, monkeypatch, answer):
    monkeypatch.setenv("RAIN_KEY", "s3cret")
    with pytest.raises(LlmError) as caught:
        endpoint(serve(answer), key_variable="RAIN_KEY", retries=Retries(most=0)).complete(RAIN)
    assert "s3cret" not in str(caught.value)
    assert endpoint(serve(make_reply("It is s3cret.")), key_variable="RAIN_KEY").complete(RAIN) == "It is (the key)."


def test_a_reply_that_drips_is_late_as_a_whole(serve, endpoint):
    clock = iter(range(0, 1000, 6))  # each look is six seconds later
    with pytest.raises(LlmError, match="nothing came within 5 seconds"):
        endpoint(
            serve(make_reply("Yes.")), timeout=5.0, retries=Retries(most=0), stopwatch=lambda: next(clock)
        ).complete(RAIN)


def test_without_a_key_nothing_is_sent(serve, endpoint, monkeypatch):
    monkeypatch.delenv("RAIN_KEY", raising=False)
    server = serve(make_reply("Yes."))
    with pytest.raises(LlmError, match="the environment variable RAIN_KEY holds no key"):
        endpoint(server, key_variable="RAIN_KEY").complete(RAIN)
    monkeypatch.setenv("RAIN_KEY", "a\nb")
    with pytest.raises(LlmError, match="it has signs no key has"):
        endpoint(server, key_variable="RAIN_KEY").complete(RAIN)
    assert server.calls == []


def test_nobody_there(waits):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens there, and nobody else can
        port = taken.getsockname()[1]
        nobody = Endpoint(f"http://127.0.0.1:{port}", "small-model", retries=Retries(most=1), sleep=waits.append)
        with pytest.raises(LlmError, match="gave no reply in 2 tries: Connection refused"):
            nobody.complete(RAIN)


@pytest.mark.parametrize("address", ["localhost:8080", "file:///etc/passwd", "http://", "ftp://a", ""])
def test_an_address_is_one_of_http(address):
    with pytest.raises(EpochalError, match="is no endpoint; accepted: an address such as http"):
        Endpoint(address, "small-model")


@pytest.mark.parametrize("address", ["http://me:s3cret@localhost", "http://localhost/v1?key=s3cret"])
def test_a_key_in_the_address_is_refused_and_not_shown(address):
    with pytest.raises(EpochalError) as caught:
        Endpoint(address, "small-model")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("wrong", [{"most": -1}, {"jitter": (1.3, 0.7)}, {"base": -1.0}])
def test_retries_that_cannot_be_kept_to(wrong):
    with pytest.raises(EpochalError, match="cannot be kept to"):
        Retries(**wrong)


def test_replies_retries_failures_and_tokens_are_counted(serve, endpoint):
    ledger = Ledger()
    counted = {"prompt_tokens": 11, "completion_tokens": 2, "total_tokens": 13}
    chat = endpoint(serve((500, {}, b""), make_reply("Yes.", usage=counted)), ledger=ledger)
    chat.complete(RAIN)
    assert ledger.of("small-model") == Usage(replies=1, retries=1, prompt_tokens=11, completion_tokens=2)
    cut = endpoint(serve(make_reply("Ye", "length", usage=counted)), ledger=ledger)
    with pytest.raises(LlmError, match="cut the reply off"):
        cut.complete(RAIN)
    used = ledger.total()
    assert (used.failures, used.replies, used.tokens) == (1, 2, 26)  # what was cut off is paid for too


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "11", "completion_tokens": 2}, {"prompt_tokens": -1}])
def test_a_reply_that_tells_no_tokens_is_known_to(serve, endpoint, usage):
    ledger = Ledger()
    endpoint(serve(make_reply("Yes.", usage=usage)), ledger=ledger).complete(RAIN)
    assert ledger.total() == Usage(replies=1, uncounted=1)


def test_a_call_that_is_never_made_counts_for_nothing(serve, endpoint, monkeypatch):
    monkeypatch.delenv("RAIN_KEY", raising=False)
    ledger = Ledger()
    with pytest.raises(LlmError, match="holds no key"):
        endpoint(serve(make_reply("Yes.")), key_variable="RAIN_KEY", ledger=ledger).complete(RAIN)
    assert ledger.total() == Usage()


def test_a_preview_is_what_is_sent_without_the_key(serve, endpoint, monkeypatch):
    monkeypatch.setenv("RAIN_KEY", "s3cret")
    server = serve(make_reply("{}"))
    chat = endpoint(server, key_variable="RAIN_KEY", extra={"max_tokens": 9})
    first, key, body = chat.preview(RAIN, json=True).split("\n")
    assert server.calls == []
    chat.complete(RAIN, json=True)
    assert first == f"POST {server.url}/chat/completions"
    assert key == "Authorization: Bearer (the key in RAIN_KEY)"
    assert json.loads(body) == server.calls[0]


def test_an_endpoint_takes_a_call_at_a_time_at_least():
    with pytest.raises(EpochalError, match="the concurrency of an endpoint is 0; accepted: 1 or more"):
        Endpoint("http://localhost:1/v1", "small-model", concurrency=0)


def test_who_waits_for_a_retry_holds_no_place(serve):
    server = serve((500, {}, b""), make_reply("second"), make_reply("first"))
    matches: list[str] = []

    def wait(_: float) -> None:
        other = threading.Thread(target=lambda: matches.append(chat.complete([Message("user", "Snow?")])), daemon=True)
        other.start()
        other.join(60)

    chat = Endpoint(server.url, "small-model", timeout=60.0, concurrency=1, sleep=wait)
    assert chat.complete(RAIN) == "first"
    assert matches == ["second"]


class Lasting(BaseHTTPRequestHandler):
    """Keeps connections open, sets a cookie, and compresses where the client can read that."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((self.client_address, self.headers.get("Cookie")))
        body = make_reply("Yes.")[2]
        self.send_response(200)
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Set-Cookie", "who=you")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def test_connections_are_used_again_and_cookies_are_not_sent_back():
    with ThreadingHTTPServer(("127.0.0.1", 0), Lasting) as server:
        server.seen = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        chat = Endpoint(f"http://127.0.0.1:{server.server_port}/v1", "small-model", timeout=60.0)
        assert [chat.complete(RAIN) for _ in range(3)] == ["Yes."] * 3
        chat.close()
        assert chat.complete(RAIN) == "Yes."  # opened again
        chat.close()
        server.shutdown()
    first, last = server.seen[0][0], server.seen[-1][0]
    assert [address for address, _ in server.seen] == [first, first, first, last]
    assert {cookie for _, cookie in server.seen} == {None}


def test_without_httpx_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtraError, match=r"epochal\[llm\]"):
        Endpoint("http://localhost:1/v1", "small-model").complete(RAIN)
