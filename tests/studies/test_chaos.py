"""A small run of the study of kills, damaged files and races; `make test-chaos` makes the large one."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from paths import STUDIES


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
def test_a_small_run_finds_no_fault(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(STUDIES / "chaos.py"), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode in (0, 1), done.stderr
    rows = json.loads(done.stdout)
    assert {row["part"] for row in rows} == {"kills", "damage", "creation"}
    assert [row for row in rows if row["faults"]] == []
    assert done.returncode == 0
