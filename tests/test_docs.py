"""What the documentation shows is what the code does: its examples and commands run, its links lead somewhere."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest

from epochal.cli import main
from epochal.times.calendars import registry
from paths import ROOT

DOCS = sorted((ROOT / "docs").rglob("*.md"))
RUNNABLE = [
    page
    for page in (ROOT / "README.md", *DOCS)
    if re.search(r"^```(python|console)", page.read_text(encoding="utf-8"), re.MULTILINE)
]
WRITTEN = [ROOT / "README.md", *DOCS, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]

_BLOCK = re.compile(r"^```(?P<head>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)|<img[^>]*src=\"(?P<image>[^\"]+)\"")
_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


#: Pages whose examples need packages of an extra; they run with the slow tests.
NEEDED = {
    "docs/how-to/integrate.md": ("langchain_core", "llama_index", "haystack", "mcp"),
    "docs/research/index.md": ("torch",),
}


def each_page(pages, needed=()):
    ids = [page.relative_to(ROOT).as_posix() for page in pages]
    marks = [pytest.mark.slow if name in needed else () for name in ids]
    return pytest.mark.parametrize(
        "page",
        [pytest.param(page, id=name, marks=mark) for page, name, mark in zip(pages, ids, marks, strict=True)],
    )


def blocks(page: Path, language: str) -> list[tuple[str, str, int]]:
    """Head, body and first line of the fenced blocks of a language."""
    text = page.read_text(encoding="utf-8")
    return [
        (match["head"], match["body"], text.count("\n", 0, match.start()) + 1)
        for match in _BLOCK.finditer(text)
        if match["head"].split()[:1] == [language]
    ]


@pytest.fixture
def _beside_its_files(request, tmp_path, monkeypatch):
    """A folder with the files that a page shows, and a registry that forgets what the page registers."""
    page = request.getfixturevalue("page")
    for match in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        if title := re.search(r'title="([^"]+)"', match["head"]):
            (tmp_path / title[1]).write_text(match["body"], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_registered", {})


@each_page(RUNNABLE, NEEDED)
@pytest.mark.usefixtures("_beside_its_files")
def test_python_blocks_run(page):
    for name in NEEDED.get(page.relative_to(ROOT).as_posix(), ()):
        pytest.importorskip(name)
    names: dict[str, object] = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(optionflags=_FLAGS)
    for _, body, line in blocks(page, "python"):
        if ">>>" not in body:
            exec(compile(body, f"{page.name}, line {line}", "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(body, {}, page.name, str(page), line)
        test.globs = names
        report = io.StringIO()
        assert not runner.run(test, out=report.write, clear_globs=False).failed, report.getvalue()


@each_page(RUNNABLE)
@pytest.mark.usefixtures("_beside_its_files")
def test_commands_print_what_is_shown(page):
    for _, body, line in blocks(page, "console"):
        for command in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            call, _, shown = command.partition("\n")
            words = shlex.split(call)
            if words[0] != "epochal":
                continue
            printed = io.StringIO()
            with (
                contextlib.redirect_stdout(printed),
                contextlib.redirect_stderr(printed),
                contextlib.suppress(SystemExit),
            ):
                main(words[1:])
            got, want = (
                "\n".join(row.rstrip() for row in text.strip().splitlines()) for text in (printed.getvalue(), shown)
            )
            same = doctest.OutputChecker().check_output(want + "\n", got + "\n", doctest.ELLIPSIS)
            assert same, f"{page.name}, block at line {line}: {call} prints\n{got}"


def test_every_page_is_in_the_nav_and_no_other():
    listed = set(re.findall(r"[\w./-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    # Decision pages are listed by their own README, so that adding one touches no other file.
    decisions = {page for page in DOCS if page.parent.name == "decisions" and page.name != "README.md"}
    assert listed == {str(page.relative_to(ROOT / "docs")) for page in DOCS if page not in decisions}


def slugs(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", _BLOCK.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


@each_page(WRITTEN)
def test_no_relative_link_is_dead(page):
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    for match in _LINK.finditer(text):
        target = match["target"] or match["image"]
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        assert goal.exists(), f"{page.name} links to {target}, which does not exist"
        if anchor and goal.suffix == ".md":
            assert anchor in slugs(goal), f"{page.name} links to {target}, but there is no such heading"


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_bytes()) <= 8_000


def test_every_example_is_named_on_its_page():
    page = (ROOT / "docs" / "how-to" / "integrate.md").read_text(encoding="utf-8")
    assert [path.name for path in (ROOT / "examples").glob("*.py") if f"`{path.name}`" not in page] == []
