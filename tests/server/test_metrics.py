"""Numbers of several processes, and their text."""

from __future__ import annotations

import re
import subprocess
import sys

from epochal.server.telemetry import Metrics, Slot

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
    found = re.findall(r'bucket\{route="search",le="([^"]+)"\} (\d+)', metrics.text({}))
    assert dict(found)["0.005"] == "1"
    assert dict(found)["0.01"] == "3"
    counts = [int(count) for _, count in found]
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
