"""One line of JSON an event."""

from __future__ import annotations

import json
import logging
import logging.config
import re
import subprocess
import sys

from epochal.server.telemetry import (
    LOGGER,
    MOST_ALIKE,
    JsonLines,
    LogLimit,
    Metrics,
    Slot,
    log_event,
    logging_settings,
)


def line(record: logging.LogRecord) -> dict:
    text = JsonLines().format(record)
    assert "\n" not in text
    return json.loads(text)


def test_an_event_and_its_fields(caplog):
    with caplog.at_level(logging.INFO, LOGGER):
        log_event("request", status=200, path="/a\nb", client="é")
    record = line(caplog.records[0])
    assert (record["event"], record["level"], record["status"], record["path"]) == ("request", "info", 200, "/a\nb")
    assert record["at"].endswith("+00:00")


def test_an_error_has_its_trace_on_the_same_line(caplog):
    with caplog.at_level(logging.INFO, LOGGER):
        try:
            raise KeyError("x")
        except KeyError:
            log_event("fault", level=logging.ERROR, trace=True)
    record = line(caplog.records[0])
    assert "KeyError: 'x'" in record["traceback"]
    assert record["level"] == "error"


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


def make_records(count: int, level: int, message: str = "out of descriptors", at: float = 0.0) -> list:
    records = []
    for _ in range(count):
        record = logging.LogRecord("asyncio", level, "", 0, message, (), None)
        record.created = at
        records.append(record)
    return records


def test_errors_of_one_kind_are_limited_and_counted():
    limit = LogLimit()
    records = make_records(5_000, logging.ERROR)
    logged = [record for record in records if limit.filter(record)]
    assert logged == records[:MOST_ALIKE]
    assert "left out" in line(logged[-1])["last"]
    assert "last" not in line(logged[-2])
    (other,) = make_records(1, logging.ERROR, "something else")
    assert limit.filter(other)
    (later,) = make_records(1, logging.ERROR, at=61.0)
    assert limit.filter(later)
    assert line(later)["left_out"] == 5_000 - MOST_ALIKE
    assert all(map(limit.filter, make_records(1_000, logging.INFO)))


def test_the_limit_itself_stays_small():
    limit = LogLimit()
    for number in range(5_000):
        limit.filter(*make_records(1, logging.ERROR, f"kind {number}"))
    assert len(limit._counts) <= 1_000


def test_the_log_of_the_service_is_limited(capfd):
    before = logging.getLogger("asyncio").handlers, logging.getLogger("asyncio").propagate
    try:
        logging.config.dictConfig(logging_settings())
        for _ in range(1_000):
            logging.getLogger("asyncio").error("socket.accept() out of system resource")
    finally:
        for name in logging_settings()["loggers"]:
            logging.getLogger(name).handlers, logging.getLogger(name).propagate = [], True
        logging.getLogger("asyncio").handlers, logging.getLogger("asyncio").propagate = before
    lines = [json.loads(text) for text in capfd.readouterr().err.splitlines()]
    assert len(lines) == MOST_ALIKE


def test_a_request_leaves_one_line(opened, caplog):
    with caplog.at_level(logging.INFO, LOGGER):
        client = opened()
        client.get("/api/v1/search", q="steel", headers={"x-request-id": "mine"})
        client.get("/nowhere/" + "x" * 500)
    lines = [line(record) for record in caplog.records]
    assert [(message["route"], message["status"], message["method"]) for message in lines] == [
        ("search", 200, "GET"),
        ("other", 404, "GET"),
    ]
    assert lines[0]["id"] == "mine"
    assert lines[0]["bytes"] > 100
    assert lines[0]["ms"] > 0
    assert len(lines[1]["path"]) == 200


_LINE = re.compile(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[0-9.e+-]+|# (HELP|TYPE) [a-z_]+ .+')


def test_the_text_is_what_prometheus_reads():
    metrics = Metrics(["search", "other"])
    metrics.observe("search", 200, 0.02)
    metrics.observe("search", 200, 20)
    metrics.observe("other", 418, 0.001)
    lines = metrics.text({"documents": 3, "generation": 1}).splitlines()
    assert [line for line in lines if not _LINE.fullmatch(line)] == []
    for name in {line.split()[2] for line in lines if line.startswith("# TYPE")}:
        assert sum(line.startswith(f"# TYPE {name} ") for line in lines) == 1
    assert 'epochal_requests_total{route="other",status="other"} 1' in lines
    assert 'epochal_request_seconds_bucket{route="search",le="10"} 1' in lines
    assert 'epochal_request_seconds_bucket{route="search",le="+Inf"} 2' in lines
    assert 'epochal_request_seconds_sum{route="search"} 20.02' in lines


def test_classes_hold_all_that_is_below_their_bound():
    metrics = Metrics(["search"])
    for seconds in (0.005, 0.0051, 0.01):
        metrics.observe("search", 200, seconds)
    matches = re.findall(r'bucket\{route="search",le="([^"]+)"\} (\d+)', metrics.text({}))
    assert dict(matches)["0.005"] == "1"
    assert dict(matches)["0.01"] == "3"
    counts = [int(count) for _, count in matches]
    assert counts == sorted(counts)


def test_counts_of_several_processes_are_added_up(tmp_path):
    first, second = Metrics(["search"], str(tmp_path)), Metrics(["search"], str(tmp_path))
    first.observe("search", 200, 0.1)
    second.observe("search", 200, 0.1)
    first.gauge("work_running", 3)
    for metrics in (first, second):
        text = metrics.text({})
        assert 'epochal_requests_total{route="search",status="200"} 2' in text
        assert "epochal_work_running 3" in text
    first.close()
    assert "epochal_work_running 0" in second.text({})
    assert 'epochal_requests_total{route="search",status="200"} 2' in second.text({})
    second.close()


def test_the_slot_of_a_process_that_was_killed_is_taken_over(tmp_path):
    code = (
        "import os, sys; from epochal.server.telemetry import Metrics; m = Metrics(['search'], sys.argv[1]); "
        "m.observe('search', 200, 0.1); m.gauge('work_running', 5); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert sorted(path.name for path in tmp_path.glob("*.f8")) == ["0.f8"]
    metrics = Metrics(["search"], str(tmp_path))
    metrics.observe("search", 200, 0.1)
    assert sorted(path.name for path in tmp_path.glob("*.f8")) == ["0.f8"]
    text = metrics.text({})
    assert 'epochal_requests_total{route="search",status="200"} 2' in text
    assert "epochal_work_running 0" in text
    metrics.close()


def test_a_slot_is_one_process_s(tmp_path):
    slots = [Slot(1, str(tmp_path)) for _ in range(3)]
    for slot in slots:
        slot.numbers[0] = 1
    assert [slot.sums().tolist() for slot in slots] == [[3.0]] * 3
    for slot in slots:
        slot.close()
