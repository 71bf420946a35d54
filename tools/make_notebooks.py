"""Writes examples/NAME.ipynb from each tutorial docs/tutorials/NAME.md: its text, and its code without outputs.

    python tools/make_notebooks.py

A test checks that the committed notebooks are current, and runs them.
"""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TUTORIALS = ROOT / "docs" / "tutorials"
NOTEBOOKS = ROOT / "examples"
_CODE = re.compile(r"^```python\n(?P<body>.*?)^```$\n?", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?P<path>\.\./[^)]+)\)")


def make_notebook(text: str) -> str:
    """Turn a tutorial into a notebook."""
    cells: list[dict[str, Any]] = []
    position = 0
    for match in _CODE.finditer(text):
        _add_text(cells, text[position : match.start()])
        _add_code(cells, match["body"])
        position = match.end()
    _add_text(cells, text[position:])
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
        cell["source"] = cell["source"].splitlines(keepends=True)
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _add_text(cells: list[dict[str, Any]], text: str) -> None:
    """Add a cell of text; its links start from the folder of the notebooks."""
    if text.strip():
        source = _LINK.sub(lambda match: f"](../docs/{match['path'][3:]})", text.strip())
        cells.append({"cell_type": "markdown", "metadata": {}, "source": source})


def _add_code(cells: list[dict[str, Any]], body: str) -> None:
    """Add a cell for each output that is shown: a notebook shows the last expression of a cell only."""
    code = ""
    examples = doctest.DocTestParser().get_examples(body)
    for example in examples:
        code += example.source
        if example.want or example is examples[-1]:
            source = code.rstrip()
            cells.append(
                {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
            )
            code = ""


def main() -> None:
    """Write all notebooks."""
    for page in sorted(TUTORIALS.glob("*.md")):
        target = NOTEBOOKS / f"{page.stem}.ipynb"
        target.write_text(make_notebook(page.read_text(encoding="utf-8")), encoding="utf-8")
        print(target)


if __name__ == "__main__":
    main()
