"""How long does `import epochal` take in a fresh interpreter, and how long until the first span is parsed?

    python studies/import_time.py

Makes the table of import times in docs/results/speed.md.
"""

from __future__ import annotations

import subprocess
import sys

from _record import save, time_in_turns

STATEMENTS = {
    "bare interpreter": "pass",
    "import epochal": "import epochal",
    "first span": "import epochal; epochal.Span.parse('1998-03')",
    "first regnal date": "import epochal; epochal.resolve('永明三年')",
    "import numpy": "import numpy",
}


def main() -> None:
    runs = {
        name: lambda code=code: subprocess.run([sys.executable, "-c", code], check=True)
        for name, code in STATEMENTS.items()
    }
    seconds = time_in_turns(runs, rounds=15)
    bare = seconds["bare interpreter"]
    rows = [{"statement": name, "s beyond the interpreter": round(value - bare, 4)} for name, value in seconds.items()]
    save("import_time", "seconds beyond a bare interpreter's start", "none", 0, rows)


if __name__ == "__main__":
    main()
