"""What the documentation shows is what the code does: its examples run, its tables hold, its links lead somewhere."""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from epochal.bench.metrics.texts import ERROR_CLASSES, TAG_MEASURES, Mistake, TagScores
from epochal.cli import eval_tags, main, tag, understand
from epochal.reading.events import EVENT_KINDS, events
from epochal.reading.questions.question import HALF_LIFE, INTENTS, REASONING_CLASSES, RELATIONS
from epochal.reading.questions.understand import understand as understood
from epochal.reading.tagger import tag as tag_text
from epochal.times import OPEN_END, OPEN_START, Grain, Span, resolve
from epochal.times.calendars import calendars, registry
from epochal.times.calendars.table import CALENDAR_KEYS, REIGN_KEYS
from epochal.times.readings import reading_record
from epochal.times.words import year_words

ROOT = Path(__file__).parent.parent
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]
WRITTEN = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]

_BLOCK = re.compile(r"^```(?P<head>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)|<img[^>]*src=\"(?P<image>[^\"]+)\"")
_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def each_page(pages):
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


def blocks(page: Path, language: str) -> list[tuple[str, str, int]]:
    """Head, body and first line of the fenced blocks of a language."""
    text = page.read_text(encoding="utf-8")
    return [
        (match["head"], match["body"], text.count("\n", 0, match.start()) + 1)
        for match in _BLOCK.finditer(text)
        if match["head"].split()[:1] == [language]
    ]


@pytest.fixture
def _beside_its_tables(request, tmp_path, monkeypatch):
    """A folder with the files that a page shows, and a registry that forgets what the page registers."""
    page = request.getfixturevalue("page")
    for match in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        if title := re.search(r'title="([^"]+)"', match["head"]):
            (tmp_path / title[1]).write_text(match["body"], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_registered", {})


@each_page(PAGES)
@pytest.mark.usefixtures("_beside_its_tables")
def test_python_blocks_run(page):
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


@each_page(PAGES)
@pytest.mark.usefixtures("_beside_its_tables")
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


def nav_pages() -> set[str]:
    return set(re.findall(r"[\w./-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))


def test_every_page_is_in_the_nav_and_no_other():
    assert nav_pages() == {page.relative_to(ROOT / "docs").as_posix() for page in DOCS}


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


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the tables under a heading, code marks taken off."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    section = re.split(r"^#+ ", text.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    cells = [[cell.strip().strip("`") for cell in line.strip("| ").split("|")] for line in section.splitlines()
             if line.startswith("| `")]  # fmt: skip
    assert cells, f"no table under {heading!r} of {page}"
    return cells


def first_and_last_day(span: Span) -> tuple[str, str]:
    first = "open" if span.start == OPEN_START else Span.unit(span.start, Grain.DAY).edtf()
    last = "open" if span.end == OPEN_END else Span.unit(span.end - 1, Grain.DAY).edtf()
    return first, last


@pytest.mark.parametrize("heading", ["EDTF forms", "ISO 8601 forms"])
def test_the_tables_of_text_forms_hold(heading):
    for text, words, first, last, grain, written in rows("spans.md", heading):
        span = Span.parse(text)
        grains = dict.fromkeys((span.grain.label, span.end_grain.label))
        assert [span.describe(), *first_and_last_day(span), " to ".join(grains), span.edtf()] == [
            *(words, first, last, grain),
            written,
        ], text


def test_the_table_of_words_holds():
    for text, edtf in rows("spans.md", "Words"):
        (reading,) = resolve(text, now=Span.parse("2026-11-15"))
        assert (reading.calendar, reading.span.edtf()) == ("gregorian", edtf), text


def test_the_table_of_calendars_holds():
    listed = {row[0]: row[1:] for row in rows("calendars.md", "Every calendar")}
    known = {name: item for name, item in calendars().items() if not name.startswith("civil/")}
    assert list(listed) == list(known)
    for name, (title, covered, example, first_day) in listed.items():
        coverage = known[name].coverage
        assert [title, covered] == [
            known[name].title,
            f"{year_words(coverage.first_year)} to {year_words(coverage.last_year)}",
        ]
        assert first_day in {first_and_last_day(reading.span)[0] for reading in resolve(example)}, example


def test_every_key_of_a_table_is_documented():
    assert {row[0]: row[1] for row in rows("own-calendar.md", "Keys of calendar")} == {
        key: kind.__name__ for key, (kind, _) in CALENDAR_KEYS.items()
    }
    assert {row[0]: row[1] for row in rows("own-calendar.md", "Keys of reign")} == {
        key: kind.__name__ for key, (kind, _) in REIGN_KEYS.items()
    }


def test_every_key_of_the_json_is_documented():
    record = reading_record(resolve("魯隱公元年十二月")[0], Span.year(2026), ["gregorian"], [])
    keys = [row[0] for row in rows("cli.md", "JSON of when")]
    assert keys == [
        *("text", "now", "readings"),
        *(f"readings[].{key}" for key in record if key not in ("date", "ordinal", "in")),
        "readings[].date",
        *(f"readings[].date.{key}" for key in record["date"]),
        "readings[].ordinal",
        *(f"readings[].ordinal.{key}" for key in record["ordinal"]),
        "readings[].in",
        *(f"readings[].in.NAME.{key}" for key in record["in"]["gregorian"]),
    ]


def test_every_floor_that_exists_is_in_the_architecture():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^ EXISTS   (\w+)", text, re.MULTILINE))
    source = ROOT / "src" / "epochal"
    modules = {path.stem for path in source.glob("[a-z]*.py")}
    assert listed == modules | {path.parent.name for path in source.glob("*/__init__.py")}


# ---------------------------------------------------------------- reading


def test_the_table_of_kinds_and_values_holds():
    for text, kind, value, span, mod in rows("reading.md", "Kinds and values"):
        (found,) = tag_text(text, Span.parse("2004-03-05"))
        edtf = "–" if found.span is None else found.span.edtf()
        assert [found.text, found.kind, found.value, edtf, found.mod or "–"] == [text, kind, value, span, mod], text


def test_the_table_of_guards_holds():
    for text, _ in rows("reading.md", "Guards"):
        assert tag_text(text, Span.parse("2004-03-05")) == [], text


def test_the_table_of_event_kinds_holds():
    counts = {kind: sum(event.kind == kind for event in events()) for kind in EVENT_KINDS}
    assert {row[0]: int(row[1]) for row in rows("reading.md", "Named events")} == counts


def test_the_table_of_intents_holds():
    for intent, question in rows("understanding.md", "Intent"):
        assert understood(question, Span.parse("2026-11-15")).intent == intent, question


def options(command: Any) -> set[str]:
    parser = argparse.ArgumentParser()
    command.add(parser.add_subparsers())
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    (own,) = commands.choices.values()
    names = {", ".join(reversed(action.option_strings)) or str(action.metavar) for action in own._actions}
    return names


@pytest.mark.parametrize(
    ("command", "heading"),
    [(tag, "epochal tag"), (eval_tags, "epochal eval-tags"), (understand, "epochal understand")],
    ids=["tag", "eval-tags", "understand"],
)
def test_every_option_is_documented(command, heading):
    listed = set()
    for row in rows("cli.md", heading):
        names = [re.sub(r" [A-Z]+$", "", name.strip(" `")) for name in row[0].split(",")]
        listed.add(", ".join(sorted(names, key=lambda name: (-len(name), name))))
    assert listed == options(command)


def test_every_key_of_the_json_of_tag_is_documented():
    record = tag_text("in 1998")[0].to_dict()
    assert [row[0] for row in rows("cli.md", "JSON of tag")] == ["file", "field", *record]


def test_every_key_of_the_json_of_eval_tags_is_documented():
    record = TagScores().record()
    count = record["overall"]["strict"]
    error = Mistake("missed", "a.tml", tag_text("in 1998")[0], None, "").record()
    assert [row[0] for row in rows("cli.md", "JSON of eval-tags")] == [
        "documents",
        "overall",
        *(f"overall.MEASURE.{key}" for key in count),
        "kinds",
        "mistakes",
        "unscored",
        "errors",
        *(f"errors[].{key}" for key in error),
        *(f"errors[].gold.{key}" for key in error["gold"]),
    ]


def test_every_key_of_the_json_of_understand_is_documented():
    record = understood("How have fees changed since 2017?", Span.parse("2026-11-15")).to_dict()
    keys = []
    for key, value in record.items():
        keys.append(key)
        if isinstance(value, list) and isinstance(value[0], dict):
            keys += [f"{key}[].{inner}" for inner in value[0]]
            for inner, part in value[0].items():
                keys += [f"{key}[].{inner}.{last}" for last in part] if isinstance(part, dict) else []
        if isinstance(value, dict):
            keys += [f"{key}.{inner}" for inner in value]
    assert [row[0] for row in rows("cli.md", "JSON of understand")] == keys


@pytest.mark.parametrize(
    ("page", "heading", "names"),
    [
        ("understanding.md", "Intent", INTENTS),
        ("understanding.md", "Reasoning class", REASONING_CLASSES),
        ("understanding.md", "Recency", tuple(HALF_LIFE)),
        ("understanding.md", "Constraints", RELATIONS),
        ("evaluation.md", "What is counted", TAG_MEASURES),
        ("evaluation.md", "Mistakes", ERROR_CLASSES),
    ],
)
def test_every_name_of_a_closed_list_is_documented(page, heading, names):
    assert [row[0] for row in rows(page, heading)] == list(names)
