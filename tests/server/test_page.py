"""The page and its files, as a browser asks for them."""

from __future__ import annotations

import gzip

import pytest

from epochal.server.app import read_page_files

FILES = sorted(read_page_files())


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_served_with_its_type(client, name):
    reply = client.get(f"/static/{name}", headers={"accept-encoding": "identity"})
    file = read_page_files()[name]
    assert (reply.status, reply.body) == (200, file.body)
    assert reply.headers["content-type"] == file.media_type
    assert reply.headers["etag"] == file.etag
    assert "content-encoding" not in reply.headers


@pytest.mark.parametrize("name", FILES)
def test_text_is_packed_for_those_who_take_it(client, name):
    reply = client.get(f"/static/{name}", headers={"accept-encoding": "br, gzip;q=0.8"})
    packed = reply.headers.get("content-encoding") == "gzip"
    assert packed == (read_page_files()[name].packed is not None)
    assert (gzip.decompress(reply.body) if packed else reply.body) == read_page_files()[name].body
    assert reply.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("header", ["gzip;q=0", "br", "identity, gzip;q=0.0", "xgzip"])
def test_text_is_not_packed_for_those_who_do_not(client, header):
    assert "content-encoding" not in client.get("/static/api.js", headers={"accept-encoding": header}).headers


@pytest.mark.parametrize("known", ["{}", "W/{}", '"other", {}', "*"])
def test_what_has_not_changed_is_not_sent_again(client, known):
    tag = read_page_files()["api.js"].etag
    reply = client.get("/static/api.js", headers={"if-none-match": known.format(tag)})
    assert (reply.status, reply.body) == (304, b"")
    assert reply.headers["etag"] == tag
    assert client.get("/static/api.js", headers={"if-none-match": '"other"'}).status == 200


def test_the_page_is_at_the_root(client):
    reply = client.get("/")
    assert (reply.status, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert reply.headers["cache-control"] == "no-cache"


def test_unknown_files_are_problems(client):
    assert client.get("/static/nothing.js").kind == "not-found"
    assert client.get("/nothing.html").kind == "not-found"


def test_the_files_together_are_light():
    assert sum(len(file.body) for file in read_page_files().values()) < 300_000
