"""One line of JSON an event."""

from __future__ import annotations

import json
import logging
import sys

from epochal.server.telemetry import LOGGER, JsonLines, log_event, logging_settings


def line(record: logging.LogRecord) -> dict:
    text = JsonLines().format(record)
    assert "\n" not in text
    return json.loads(text)


def test_an_event_and_its_fields(caplog):
    with caplog.at_level(logging.INFO, LOGGER):
        log_event("request", status=200, path="/a\nb", client="é")
    told = line(caplog.records[0])
    assert (told["event"], told["level"], told["status"], told["path"]) == ("request", "info", 200, "/a\nb")
    assert told["at"].endswith("+00:00")


def test_an_error_has_its_trace_on_the_same_line(caplog):
    with caplog.at_level(logging.INFO, LOGGER):
        try:
            raise KeyError("x")
        except KeyError:
            log_event("fault", level=logging.ERROR, trace=True)
    told = line(caplog.records[0])
    assert "KeyError: 'x'" in told["traceback"]
    assert told["level"] == "error"


def test_the_server_s_own_lines():
    record = logging.LogRecord("uvicorn.error", logging.INFO, "", 0, "Started %s", ("it",), None)
    assert line(record)["message"] == "Started it"
    failed = logging.LogRecord("uvicorn.error", logging.ERROR, "", 0, "Exception", (), None)
    try:
        raise ValueError("y")
    except ValueError:
        failed.exc_info = sys.exc_info()
    assert "ValueError: y" in line(failed)["traceback"]


def test_both_go_to_stderr():
    loggers = logging_settings()["loggers"]
    assert {LOGGER, "uvicorn.error"} <= set(loggers)
    assert not any(settings["propagate"] for settings in loggers.values())


def test_a_request_leaves_one_line(opened, caplog):
    with caplog.at_level(logging.INFO, LOGGER):
        client = opened()
        client.get("/api/v1/search", q="steel", headers={"x-request-id": "mine"})
        client.get("/nowhere/" + "x" * 500)
    lines = [line(record) for record in caplog.records]
    assert [(told["route"], told["status"], told["method"]) for told in lines] == [
        ("search", 200, "GET"),
        ("other", 404, "GET"),
    ]
    assert lines[0]["id"] == "mine"
    assert lines[0]["bytes"] > 100
    assert lines[0]["ms"] > 0
    assert len(lines[1]["path"]) == 200
