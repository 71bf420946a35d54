"""The chat of examples/chat_memory.py remembers from run to run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from paths import ROOT


def run_chat(folder: Path, message: str) -> str:
    command = [sys.executable, str(ROOT / "examples/chat_memory.py"), str(folder / "memory")]
    return subprocess.run(command, input=message, capture_output=True, text=True, check=True).stdout


def test_a_second_run_recalls_what_the_first_was_told(tmp_path: Path) -> None:
    assert "nothing" in run_chat(tmp_path, "I parked my bicycle behind the library.\n")
    assert "behind the library" in run_chat(tmp_path, "Where did I park my bicycle?\n")
