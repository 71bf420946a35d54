"""The notebooks in examples/ are made from the tutorials, and every cell of them runs."""

from __future__ import annotations

import ast
import json
import runpy

import pytest

from paths import ROOT

TOOL = runpy.run_path(str(ROOT / "tools" / "make_notebooks.py"))
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_notebook_is_current_and_runs(page, tmp_path, monkeypatch):
    text = (ROOT / "examples" / f"{page.stem}.ipynb").read_text(encoding="utf-8")
    assert text == TOOL["make_notebook"](page.read_text(encoding="utf-8")), "run: python tools/make_notebooks.py"
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            run_cell("".join(cell["source"]), names)


def run_cell(code: str, names: dict[str, object]) -> None:
    """Run a cell; its last expression is shown as a notebook shows it."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        if hasattr(value, "_repr_html_"):
            assert value._repr_html_().startswith("<")


def test_there_is_a_notebook_for_each_tutorial_and_no_other():
    assert {path.stem for path in (ROOT / "examples").glob("*.ipynb")} == {page.stem for page in TUTORIALS}
