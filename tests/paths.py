"""Where the tests find the repository, the studies, and the real data that some of them measure on."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["DATA", "ROOT", "STUDIES"]

ROOT = Path(__file__).parents[1]
STUDIES = ROOT / "studies"
#: Public data that is not in the repository; tests that need it are skipped where it is absent.
DATA = Path(os.environ.get("EPOCHAL_DATA", ROOT.parent / "shared" / "data"))
