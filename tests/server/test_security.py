"""What comes from outside is data: it opens no file, runs no script, keeps to its bounds, and learns nothing."""

from __future__ import annotations

import base64
import json
import logging
import re

import pytest

from epochal.errors import EpochalError
from epochal.server import routing, state
from epochal.server.settings import MAX_BODY, MAX_DEPTH, Settings
from epochal.server.telemetry import HEADERS, LOGGER
from server.conftest import EVIL, TOKEN

JSON = {"content-type": "application/json"}

# ---------------------------------------------------------------- paths


@pytest.mark.parametrize(
    "path",
    [
        "/static/../settings.py",
        "/static/..",
        "/static//etc/passwd",
        "/static/./api.js/../../settings.py",
        "/static/..\\settings.py",
        "/static/../../../../../../etc/passwd",
        "/static/page/../../settings.py",
        "/static/",
        "/static/__init__.py",
        "/static/api.js\x00.html",
        "/../etc/passwd",
        "/api/v1/documents/../../../etc/passwd",
    ],
)
def test_no_path_leads_out_of_the_page(client, path):
    reply = client.get(path)
    assert (reply.status, reply.kind) == (404, "not-found")
    assert b"root:" not in reply.body
    assert b"import " not in reply.body


# ---------------------------------------------------------------- bodies


def test_a_body_that_says_it_is_too_large_is_not_read(client):
    headers = {**JSON, "content-length": str(MAX_BODY + 1)}
    reply = client.call("POST", "/api/v1/search", headers=headers, body=b'{"question": "steel"}')
    assert (reply.status, reply.kind) == (413, "too-large")
    assert reply.headers["connection"] == "close"


def test_a_body_that_does_not_say_so_is_read_up_to_the_limit(client):
    body = [b" " * 100_000] * (MAX_BODY // 100_000 + 1)
    assert client.call("POST", "/api/v1/search", headers=JSON, body=body).status == 413
    record = json.dumps({"question": "steel"}).encode()
    just = [record, b" " * (MAX_BODY - len(record))]
    assert client.call("POST", "/api/v1/search", headers=JSON, body=just).status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 500_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"question":' * 50_000 + b"1" + b"}" * 50_000,
        b"[" * (MAX_DEPTH + 2) + b"]" * (MAX_DEPTH + 2),
    ],
    ids=["open", "closed", "objects", "just"],
)
def test_deeply_nested_bodies_are_refused(client, body):
    reply = client.call("POST", "/api/v1/search", headers=JSON, body=body)
    assert (reply.status, reply.kind) == (400, "malformed")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        b'{"question": "\\ud800"}',
        b'{"question": NaN}',
        b'{"k": Infinity}',
        b'{"k": 1e999}',
        b'{"k": ' + b"9" * 10_000 + b"}",
        b"{'question': 'steel'}",
        b'{"question": "steel"} {}',
    ],
)
def test_what_is_no_strict_json_is_refused(client, body):
    reply = client.call("POST", "/api/v1/search", headers=JSON, body=body)
    assert (reply.status, reply.kind) == (400, "malformed")
    assert reply.json()["detail"].startswith("the body ")


def test_deeply_nested_meta_is_refused_before_it_is_stored(writable, bearer):
    nested: object = 1
    for _ in range(MAX_DEPTH + 5):
        nested = {"in": nested}
    row = json.dumps({"id": "deep", "text": "Rain.", "meta": nested}).encode()
    for kind, body in (
        ("application/x-ndjson", row),
        ("application/json", b'{"documents": [' + row + b"]}"),
    ):
        reply = writable.call("POST", "/api/v1/documents", headers={"content-type": kind, **bearer}, body=body)
        assert (reply.status, reply.kind) == (400, "malformed")
    assert writable.get("/api/v1/documents/deep").status == 404


@pytest.mark.parametrize(
    "headers",
    [{}, {"content-type": "text/plain"}, {"content-type": "application/x-www-form-urlencoded"}, {"content-type": ""}],
)
def test_forms_of_other_sites_are_no_requests(client, headers):
    """A page of another site can send these types without asking; JSON it cannot."""
    reply = client.call("POST", "/api/v1/search", headers=headers, body=b'{"question": "steel"}')
    assert (reply.status, reply.kind) == (415, "wrong-type")


def test_packed_bodies_are_not_unpacked(client):
    reply = client.call("POST", "/api/v1/search", headers={**JSON, "content-encoding": "gzip"}, body=b"\x1f\x8b")
    assert reply.status == 415


# ---------------------------------------------------------------- headers


@pytest.mark.parametrize("path", ["/", "/health", "/api/v1/search", "/nowhere", "/static/api.js", "/metrics"])
def test_every_answer_tells_the_browser_what_it_may_not(client, path):
    reply = client.get(path)
    sent = {name: reply.headers[name.lower()] for name in HEADERS}
    policy = "Content-Security-Policy"
    # A page adds the hashes of what is within it.
    assert sent[policy].startswith(HEADERS[policy])
    assert {**sent, policy: HEADERS[policy]} == dict(HEADERS)
    policy = reply.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("given", ["abc-1.2_3", "a" * 64])
def test_the_id_of_a_request_is_kept(client, given):
    assert client.get("/health", headers={"x-request-id": given}).headers["x-request-id"] == given


@pytest.mark.parametrize("given", ["a" * 65, "a b", "a\r\nset-cookie: x=1", "<script>", "\xe9", ""])
def test_an_id_that_could_do_harm_is_replaced(client, given):
    output = client.get("/health", headers={"x-request-id": given}).headers["x-request-id"]
    assert output != given
    assert len(output) == 16


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "", "localhost.evil.example", "[::2]", "a" * 5000]
)
def test_a_service_of_this_machine_answers_to_its_names_only(client, host):
    reply = client.get("/api/v1/search", headers={"host": host}, q="steel")
    assert (reply.status, reply.kind) == (421, "wrong-host")


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:9", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST", "localhost."]
)
def test_its_own_names(client, host):
    assert client.get("/health", headers={"host": host}).status == 200


def test_other_names_can_be_allowed(opened):
    assert opened(hosts=("news.example",)).get("/health", headers={"host": "news.example:80"}).status == 200
    assert opened(host="0.0.0.0").get("/health", headers={"host": "any.example"}).status == 200
    assert opened(hosts=("*",)).get("/health", headers={"host": "any.example"}).status == 200


def test_other_origins_are_reported_nothing(client):
    for method in ("GET", "OPTIONS"):
        headers = {"origin": "https://evil.example", "access-control-request-method": "GET"}
        reply = client.call(method, "/api/v1/search", query={"q": "steel"}, headers=headers)
        assert not [name for name in reply.headers if name.startswith("access-control")]
    assert client.call("OPTIONS", "/api/v1/search").status == 405


def test_an_origin_can_be_allowed(opened):
    client = opened(cors=("https://news.example",))
    headers = {"origin": "https://news.example"}
    reply = client.get("/api/v1/search", headers=headers, q="steel")
    assert reply.headers["access-control-allow-origin"] == "https://news.example"
    preflight = {**headers, "access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    assert client.call("OPTIONS", "/api/v1/search", headers=preflight).status == 200
    other = client.get("/api/v1/search", headers={"origin": "https://evil.example"}, q="steel")
    assert "access-control-allow-origin" not in other.headers


def test_headers_of_proxies_are_not_believed(client):
    headers = {"x-forwarded-host": "evil.example", "x-forwarded-for": "6.6.6.6", "x-http-method-override": "DELETE"}
    assert client.get("/api/v1/documents/raised", headers=headers).status == 200


def test_many_headers_and_cookies_change_nothing(client):
    headers = [("host", "localhost"), *((f"x-{position}", "y" * 100) for position in range(200)), ("cookie", EVIL)]
    assert client.call("GET", "/health", headers=headers).status == 200


# ---------------------------------------------------------------- scripts


def test_scripts_in_documents_come_back_as_data(client):
    result = client.get("/api/v1/search", q="the page of 2011 said")
    assert result.headers["content-type"] == "application/json"
    assert result.headers["x-content-type-options"] == "nosniff"
    hit = result.json()["hits"][0]
    assert (hit["document"]["title"], hit["document"]["meta"]["note"]) == (EVIL, EVIL)
    one = client.get("/api/v1/documents/evil")
    assert one.headers["content-type"] == "application/json"
    assert one.json()["document"]["title"] == EVIL


def test_scripts_in_questions_come_back_as_data(client):
    for path, name in (("/api/v1/search", "q"), ("/api/v1/understand", "q"), ("/api/v1/tag", "text")):
        reply = client.get(path, **{name: EVIL})
        assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    assert client.get("/api/v1/search", q=EVIL).json()["question"] == EVIL


@pytest.mark.parametrize(
    ("path", "query"),
    [
        (f"/{EVIL}", {}),
        (f"/api/v1/documents/{EVIL}", {}),
        ("/api/v1/search", {"q": "x", "during": EVIL}),
        ("/api/v1/search", {"q": "x", EVIL: "1"}),
        ("/api/v1/when", {"expr": EVIL}),
        ("/api/v1/search", {"q": "x", "scorer": EVIL}),
    ],
)
def test_scripts_in_problems_come_back_as_data(client, path, query):
    reply = client.get(path, **query)
    assert reply.status in (404, 422)
    assert reply.headers["content-type"] == "application/problem+json"
    assert "<" not in reply.json()["instance"]


def test_the_page_has_no_inline_attributes(client):
    # Its inline scripts and styles are named by the policy: test_pages.py.
    text = re.sub(r"<(script|style)\b.*?</\1>", "", client.get("/").body.decode().lower(), flags=re.DOTALL)
    assert not re.search(r"<[^>]+\s(style|on[a-z]+)=", text)
    assert "javascript:" not in text


# ---------------------------------------------------------------- what is told of the inside


def test_a_fault_tells_nothing_of_the_inside(opened, monkeypatch, folder):
    def fail(*_, **options):
        raise RuntimeError(f"secret of {folder}")

    client = opened()
    monkeypatch.setattr(state, "run_search", fail)
    reply = client.get("/api/v1/search", q="steel")
    assert (reply.status, reply.kind) == (500, "fault")
    assert reply.headers["content-security-policy"]
    for word in ("secret", folder, "Traceback", "RuntimeError", ".py"):
        assert word not in reply.body.decode()
    assert isinstance(reply.raised, RuntimeError)  # the server writes it to its log
    monkeypatch.undo()
    assert client.get("/api/v1/search", q="steel").status == 200


def test_questions_are_not_written_to_the_log(opened, caplog):
    with caplog.at_level(logging.INFO, LOGGER):
        client = opened()
        client.get("/api/v1/search", q="a question about steel")
        client.post("/api/v1/search", {"question": "a question about steel"})
    fields = [record.fields for record in caplog.records if record.getMessage() == "request"]
    assert [item["route"] for item in fields] == ["search", "search_edited"]
    assert "question about steel" not in str([vars(record) for record in caplog.records])


def test_questions_are_written_where_that_is_wanted(opened, caplog):
    with caplog.at_level(logging.INFO, LOGGER):
        client = opened(log_questions=True)
        client.get("/api/v1/search", q="a question about steel")
    assert [record.fields["question"] for record in caplog.records if hasattr(record, "fields")] == [
        "a question about steel"
    ]


def test_the_token_is_in_no_log_and_no_repr(opened, caplog, bearer):
    with caplog.at_level(logging.DEBUG, LOGGER):
        client = opened(writable=True, token=TOKEN)
        client.call("DELETE", "/api/v1/documents/raised", headers=bearer)
        client.call("DELETE", "/api/v1/documents/raised", headers={"authorization": f"Bearer {TOKEN}x"})
    assert TOKEN not in str([vars(record) for record in caplog.records])
    assert TOKEN not in repr(Settings("news", token=TOKEN))


def test_tokens_are_compared_in_constant_time(monkeypatch):
    compared = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((len(one), len(other)))
        return one == other

    monkeypatch.setattr(routing.hmac, "compare_digest", compare)
    settings = Settings("news", writable=True, token=TOKEN)
    routing.check_token(settings, f"Bearer {TOKEN}")
    for given in ("x", TOKEN[:-1], TOKEN * 50):
        with pytest.raises(Exception, match="not the right one"):
            routing.check_token(settings, f"Bearer {given}")
    assert compared == [(32, 32)] * 4


def test_a_name_that_is_given_twice_is_refused(client):
    reply = client.call("POST", "/api/v1/search", headers=JSON, body=b'{"question": "steel", "question": "rain"}')
    assert reply.status == 400
    assert "'question' twice" in reply.json()["detail"]


def test_an_id_with_a_line_break_is_found(writable, bearer):
    assert writable.post("/api/v1/documents", {"documents": [{"id": "a\nb", "text": "Rain."}]}, bearer).status == 200
    assert writable.get("/api/v1/documents/a\nb").json()["document"]["text"] == "Rain."
    assert writable.call("DELETE", "/api/v1/documents/a\nb", headers=bearer).status == 200


@pytest.mark.parametrize(
    "ends", [{"from": "Y200000000000"}, {"from": "1990", "to": "Y200000000000"}, {"to": "Y-200000000000"}]
)
def test_bins_of_far_years_end_after_they_start(client, ends):
    reply = client.get("/api/v1/coverage", bins=3, **ends)
    if reply.status == 200:
        assert all(item["start"] < item["end"] for item in reply.json()["bins"])
    else:
        assert reply.status == 422


# ---------------------------------------------------------------- a token for reading

READ_TOKEN = "a-token-for-readers-0123456789"


def basic(password: str) -> str:
    return f"Basic {base64.b64encode(f'anybody:{password}'.encode()).decode()}"


@pytest.mark.parametrize("header", ["", "Bearer wrong", f"Token {READ_TOKEN}", basic("wrong"), "Basic ?", "Bearer "])
def test_with_a_token_for_reading_nothing_is_answered_without_it(opened, header):
    client = opened(read_token=READ_TOKEN)
    for path in ("/", "/api/v1/info", "/static/api.js", "/metrics", "/openapi.json", "/nowhere"):
        reply = client.call("GET", path, headers={"authorization": header} if header else {})
        assert (reply.status, reply.kind) == (401, "no-token")
        assert reply.headers["www-authenticate"].startswith("Basic")


def test_a_token_for_reading_opens_reading_alone(opened):
    client = opened(read_token=READ_TOKEN, writable=True, token=TOKEN)
    assert client.get("/health").status == 200
    for header in (f"Bearer {READ_TOKEN}", f"bearer {TOKEN}", basic(READ_TOKEN)):
        assert client.call("GET", "/api/v1/info", headers={"authorization": header}).status == 200
    delete = [
        client.call("DELETE", "/api/v1/documents/raised", headers={"authorization": f"Bearer {token}"})
        for token in (READ_TOKEN, TOKEN)
    ]
    assert [reply.status for reply in delete] == [401, 200]


def test_a_token_for_reading_is_long(folder):
    with pytest.raises(EpochalError, match="a token for reading must have 16 characters or more, but has 5"):
        Settings(folder, read_token="short")
