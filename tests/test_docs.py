"""What the documentation shows is what the code does: its examples and commands run, its links lead somewhere."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from docs_pages import BLOCK, DOCS, FRAMEWORKS, SERVERS, build_sample, prepare_folder, run_page
from epochal.times.calendars import registry
from paths import ROOT

RUNNABLE = [
    page
    for page in (ROOT / "README.md", *DOCS)
    if re.search(r"^```(python|console)", page.read_text(encoding="utf-8"), re.MULTILINE)
]
WRITTEN = [ROOT / "README.md", *DOCS, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]

_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)|<img[^>]*src=\"(?P<image>[^\"]+)\"")


#: Pages whose examples need torch.
SLOW = {"docs/research/index.md": "torch"}


def each_page(pages):
    pages = list(pages)
    ids = [page.relative_to(ROOT).as_posix() for page in pages]
    marks = [pytest.mark.slow if name in SLOW else () for name in ids]
    return pytest.mark.parametrize(
        "page",
        [pytest.param(page, id=name, marks=mark) for page, name, mark in zip(pages, ids, marks, strict=True)],
    )


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """A folder with the documents of the how-to pages and the index that is made of them."""
    folder = tmp_path_factory.mktemp("sample")
    build_sample(folder)
    return folder


@pytest.fixture
def _beside_its_files(request, tmp_path, monkeypatch, sample):
    """A folder with the files that a page shows, and a registry that forgets what the page registers."""
    prepare_folder(request.getfixturevalue("page"), tmp_path, sample)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_registered", {})


@each_page(page for page in RUNNABLE if page.stem not in (*FRAMEWORKS, *SERVERS))
@pytest.mark.usefixtures("_beside_its_files")
def test_a_page_shows_what_happens(page):
    if name := SLOW.get(page.relative_to(ROOT).as_posix()):
        pytest.importorskip(name)
    run_page(page)


HOW_TO = [page for page in DOCS if page.parent.name in ("how-to", "tutorials")]


@each_page(HOW_TO)
def test_a_task_shows_what_its_commands_print(page):
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        for command in re.split(r"^\$ ", match["body"], flags=re.MULTILINE)[1:] if "console" in match["head"] else ():
            call, _, shown = command.replace("\\\n", " ").partition("\n")
            assert set(shown.split()) != {"..."}, f"{page.name}: {call} shows nothing of what it prints"


def test_every_page_is_in_the_nav_and_no_other():
    listed = set(re.findall(r"[\w./-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    # Decision pages are listed by their own README, so that adding one touches no other file.
    decisions = {page for page in DOCS if page.parent.name == "decisions" and page.name != "README.md"}
    assert listed == {str(page.relative_to(ROOT / "docs")) for page in DOCS if page not in decisions}


def slugs(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


@each_page(WRITTEN)
def test_no_relative_link_is_dead(page):
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
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


def test_every_command_has_a_page_with_all_its_options():
    tool = runpy.run_path(str(ROOT / "tools" / "make_cli_reference.py"))
    commands = tool["collect_commands"]()
    pages = {page.stem.removeprefix("epochal-"): page for page in (ROOT / "docs" / "reference" / "cli").glob("*.md")}
    assert set(pages) == set(commands)
    for name, parser in commands.items():
        text = pages[name].read_text(encoding="utf-8")
        assert text == tool["make_page"](name, parser, text), "run: python tools/make_cli_reference.py"
