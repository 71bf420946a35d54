"""What the documentation shows is what the code does: its examples run, its tables hold, its links lead somewhere."""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epochal.cli import eval_tags, main, tag, understand
from epochal.cli.when import reading_record
from epochal.reading.evaluate import ERROR_CLASSES, MEASURES, Mistake, Scores
from epochal.reading.events import EVENT_KINDS, events
from epochal.reading.questions.question import HALF_LIFE, INTENTS, REASONING_CLASSES, RELATIONS
from epochal.reading.questions.understand import understand as understood
from epochal.reading.tagger import tag as tag_text
from epochal.times import OPEN_END, OPEN_START, Grain, Span, resolve
from epochal.times.calendars import calendars, registry
from epochal.times.calendars.table import CALENDAR_KEYS, REIGN_KEYS
from epochal.times.words import year_words

ROOT = Path(__file__).parent.parent
DOCS = sorted((ROOT / "docs").glob("*.md"))
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
    assert nav_pages() == {page.name for page in DOCS}


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
    record = tag.time_record(tag_text("in 1998")[0])
    assert [row[0] for row in rows("cli.md", "JSON of tag")] == ["file", "field", *record]


def test_every_key_of_the_json_of_eval_tags_is_documented():
    record = Scores().record()
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
        ("evaluation.md", "What is counted", MEASURES),
        ("evaluation.md", "Mistakes", ERROR_CLASSES),
    ],
)
def test_every_name_of_a_closed_list_is_documented(page, heading, names):
    assert [row[0] for row in rows(page, heading)] == list(names)


# ---------------------------------------------------------------- figures


def align_cost_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    for corpus in ("20 years", "130 years", "1,000 years"):
        found = [row for row in result["rows"] if row["corpus"] == corpus]
        cells = []
        for key in ("numpy ms", "align ms", "ratio"):
            values = [row[key] for row in found]
            cells.append(f"{min(values):.1f} to {max(values):.1f}")
        lines.append(f"| {corpus} | {' | '.join(cells)} |")
    return [*lines, f"is {result['median ratio']}, the worst {result['worst ratio']}."]


def span_lookup_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['lengths']} | {row['found']:,} | {row['scan ms']:.1f} | {row['lookup ms']:.2f} "
        f"| {row['scan / lookup']:.0f} | {row['build s']:.1f} |"
        for row in result["rows"]
    ]


def import_time_lines(result: dict[str, Any]) -> list[str]:
    spent = {row["statement"]: row["s beyond the interpreter"] for row in result["rows"]}
    return [
        f"`import epochal` {spent['import epochal']:.2f}, the first span {spent['first span']:.2f} (importing numpy "
        f"alone takes {spent['import numpy']:.2f}), the first regnal date {spent['first regnal date']:.2f}."
    ]


#: What each folder of the quality benchmark is called, and the F1 that was aimed at.
FOLDERS: dict[str, tuple[str, dict[str, int]]] = {
    "tbaq": ("news", {"relaxed": 92, "strict": 87, "value": 82}),
    "wikiwars-train": ("history", {"relaxed": 94, "strict": 84}),
    "tweets-train": ("tweets", {"relaxed": 95, "strict": 92}),
}


def tagger_quality_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    short = []
    for row in result["rows"]:
        name, goals = FOLDERS[row["folder"]]
        whole = " | ".join(f"{row['F1'][measure]:.1f}" for measure in MEASURES)
        aimed = " / ".join(str(goals.get(measure, "–")) for measure in ("relaxed", "strict", "value"))
        gaps = " / ".join(f"{row['gap between folds'][measure]:.1f}" for measure in ("relaxed", "strict", "value"))
        lines.append(f"| {name} | {row['documents']:,} | {whole} | {aimed} | {gaps} |")
        short += [
            f"{name} {measure} ({row['F1'][measure]:.1f}, aimed at {goal})"
            for measure, goal in goals.items()
            if row["F1"][measure] < goal
        ]
    return [*lines, f"Short of what was aimed at: {', '.join(short) or 'none'}."]


def tagger_speed_lines(result: dict[str, Any]) -> list[str]:
    lines = [f"| {row['tagger']} | {row['KB/s']:,.1f} | {row['found']:,} |" for row in result["rows"]]
    even = result["linearity"]
    return [
        *lines,
        f"{result['times dateparser']:g} times dateparser and {result['times recognizers']:g} times recognizers",
        f"10 MB take {even['10 MB / 1 MB']:g} times as long as 1 MB",
    ]


def understanding_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    for row in result["rows"]:
        if "mean_class_distance" in row:
            lines.append(
                f"| recency | {row['system']} | {row['decision']} | {100 * row['accuracy']:.1f} "
                f"| {row['mean_class_distance']:.2f} |"
            )
        else:
            lines.append(f"| temporal class | {row['system']} | {row['learnt']} | {100 * row['accuracy']:.1f} | |")
    return lines


def chinese_reading_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    for row in result["rows"]:
        if "agree" in row:
            lines.append(f"| {row['what']} | {row['entries']:,} | {100 * row['agree']:.2f} |")
    (asked,) = (row for row in result["rows"] if "recall" in row)
    others = asked["called implicit but with a date"]
    return [
        *lines,
        f"recall {100 * asked['recall']:.1f} %, precision {100 * asked['precision']:.1f} %",
        f"{others['relative date']} have a relative date and {others['names a year']} name a year",
    ]


def temporal_retrieval_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['set']} | {row['what']} | {row['nDCG@10']:.3f} | {row['R@1']:.3f} | {row['R@10']:.3f} |"
        for row in result["rows"]
        if "nDCG@10" in row
    ]


def annals_retrieval_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['what']} | {row['queries of']} | {row['queries']:,} | {row['hit@1']:.3f} | {row['mrr@10']:.3f} |"
        for row in result["rows"]
        if "mrr@10" in row
    ]


def encoder_quality_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['encoder']} | {row['documents']:,} | {row['nDCG@10']:.3f} |"
        for row in result["rows"]
        if "nDCG@10" in row
    ] + [
        f"{row['texts']}: mean {row['mean cosine']:.4f}, least {row['least cosine']:.4f}"
        for row in result["rows"]
        if "mean cosine" in row
    ]


def encoder_speed_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['encoder']} | {row['threads']} | {row['texts/s, best round']:,.0f} "
        f"| {row['texts/s, median round']:,.0f} |"
        for row in result["rows"]
    ]


def narrow_windows_lines(result: dict[str, Any]) -> list[str]:
    shown = ("vectors", "vectors: faiss IVF, selected inside", "words", "strict search")
    return [
        f"| {100 * row['window keeps']:g} % | {row['what']} | {row['recall@50']:.3f} | {row['p50 ms']:.1f} |"
        for row in result["rows"]
        if row.get("what") in shown
    ]


def search_cost_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['what']} | {row['questions']} | {row['temporal p50 ms']:.1f} | {row['plain p50 ms']:.1f} "
        f"| {row['ratio p50']:.2f} |"
        for row in result["rows"]
        if "ratio p50" in row
    ]


def ingest_cost_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['encoder']} | {row['documents']:,} | {row['with times documents/s']:,} "
        f"| {row['without times documents/s']:,} | {row['ratio']:.2f} |"
        for row in result["rows"]
        if "ratio" in row
    ]


def nested_search_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    kinds = ("quality", "vectors"), ("quality", "engine"), ("latency", None)
    by = {
        (*kind, row.get("set", row.get("vectors")), row["dims"], row["shortlist"]): row
        for row in result["rows"]
        for kind in kinds
        if (row["part"], row.get("what")) == kind and row.get("encoder", "minilm") == "minilm"
    }
    kept = [row for row in result["rows"] if row["part"] == "storage" and row["encoder"] == "minilm"]
    room = {(row["set"], row["dims"]): row["disk MB"] for row in kept}
    for dims, shortlist in dict.fromkeys(key[-2:] for key in by):
        found = [by.get((*kind, name, dims, shortlist)) for kind in kinds[:2] for name in ("tnp", "scifact")]
        cells = ["–" if row is None else f"{row['nDCG@10']:.3f}" for row in found]
        cells.append(f"{room['scifact', dims]:.1f}" if shortlist is None else "–")
        cells += [f"{by['latency', None, size, dims, shortlist]['p50 ms']:.1f}" for size in (100_000, 1_000_000)]
        lines.append(f"| {dims}{'' if shortlist is None else f', then {shortlist} by all'} | {' | '.join(cells)} |")
    return lines


def growth_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['documents']:,} | {row['index s']:.0f} | {row['disk MB']:.0f} | {row['search memory MB']:.0f} "
        f"| {row['open ms']:.0f} | {row['temporal p50 ms']:.1f} | {row['plain p50 ms']:.1f} |"
        for row in result["rows"]
        if "disk MB" in row
    ]


def judge_agreement_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    for row in result["rows"]:
        low, high = row["kappa interval"]
        area = f"{row['auroc']:.3f}" if "auroc" in row else "–"
        shown = f"{row['answers']:,} | {row['kappa']:.3f} | {low:.3f} to {high:.3f} | {area}"
        lines.append(f"| {row['set']} | {row['judge']} | {shown} |")
    return lines


def augmentation_lines(result: dict[str, Any]) -> list[str]:
    lines = []
    for row in result["rows"]:
        wrong = sum(count for name, count in row.items() if name.startswith("wrong"))
        checked = row["relations checked by the other grammar"]
        lines.append(
            f"| {row['what']} | {row['statistics']['passages']:,} | {row['pairs']:,} | {row['duplicates']} "
            f"| {row['relations checked on spans']:,} | {checked:,} | {wrong} | {row['pairs a second']} |"
        )
    types, relations = (result["rows"][0]["statistics"][name] for name in ("types", "relations"))
    lines += [f"| {name} | {right:,} | {wrong:,} |" for name, (right, wrong) in {**types, **relations}.items()]
    return lines


def made_sets_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['set']} | {row['what']} | {row['questions']} | {row['nDCG@10']:.3f} | {row['hit@1']:.3f} "
        f"| {row['silent']:.2f} | {row['wrongly silent']:.2f} |"
        for row in result["rows"]
    ]


def re3_retrieval_lines(result: dict[str, Any]) -> list[str]:
    sets = ("rel", "rec", "hyb")
    by = {(row["part"], row["set"], row["system"], row.get("without times")): row["hit@1"] for row in result["rows"]}
    systems = dict.fromkeys(row["system"] for row in result["rows"] if row["part"] == "systems")
    lines = []
    for system in systems:
        found = [by[("systems", name, system, None)] for name in sets]
        told = " | ".join(f"{one['mean']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" for one in found)
        lines.append(f"| {system} | {told} |")
    removed = dict.fromkeys(row["without times"] for row in result["rows"] if row["part"] == "missing")
    curves = dict.fromkeys(row["system"] for row in result["rows"] if row["part"] == "missing")
    for name in sets:
        for system in curves:
            told = " | ".join(f"{by[('missing', name, system, share)]['mean']:.3f}" for share in removed)
            lines.append(f"| {name} | {system} | {told} |")
    return lines


def re3_latency_lines(result: dict[str, Any]) -> list[str]:
    names = ("gate", "Re3 parity", "Re3 improved", "gate + Re3")
    return [
        f"| {row['candidates']:,} | {' | '.join(format(row[name + ' p50 ms'], '.1f') for name in names)} |"
        for row in result["rows"]
    ]


def ctd_search_lines(result: dict[str, Any]) -> list[str]:
    return [
        f"| {row['records']:,} | {row['questions']} | {row['inner product ms a question']:.2f} "
        f"| {row['with the bias ms a question']:.2f} | {row['ratio']:.2f} |"
        for row in result["rows"]
    ]


def ctd_retrieval_lines(result: dict[str, Any]) -> list[str]:
    whole = [row for row in result["rows"] if row["questions"] == "all"]
    by = {(row["model"], row["search"], row["mode"]): row["hit@1"] for row in whole}
    lines = []
    for model, search in dict.fromkeys(key[:2] for key in by):
        found = [by[(model, search, mode)] for mode in ("neg1_ne1_dq0", "neg1_ne0_dq1")]
        told = " | ".join(f"{one['mean']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" for one in found)
        lines.append(f"| {model} | {search} | {told} |")
    trained = {row["model"]: row for row in result["runs"]}
    ours = list(trained.values())[-1]
    lines.append(
        f"{ours['steps']:,} steps in {ours['seconds']:.0f} s with {ours['peak_memory_bytes'] / 1e9:.1f} GB on the GPU"
    )
    return lines


def re3_times_lines(result: dict[str, Any]) -> list[str]:
    texts = ("Rel-question", "Rel-clue", "Hyb-question", "Hyb-clue")
    by = {(row["what"], row["texts of"]): row["exact"] for row in result["rows"]}
    return [
        f"| {what} | {' | '.join(f'{by[(what, name)]:.3f}' for name in texts)} |"
        for what in dict.fromkeys(row["what"] for row in result["rows"])
    ]


def annals_encoder_lines(result: dict[str, Any]) -> list[str]:
    masked, spans, small = result["rows"]
    return [
        f"| {row['what']} | {row['steps']:,} | {row['seconds']:.0f} | {row['tokens_per_second']:,.0f} "
        f"| {row['peak_memory_bytes'] / 1e9:.1f} | {row['best']['loss']:.3f} |"
        for row in (masked, spans)
    ] + [
        f"{small['bytes'] / 1e6:.1f} MB, a mean cosine of {small['mean cosine to float32']:.4f} and a least one of "
        f"{small['least cosine to float32']:.4f} to float32 over {small['compared']} records"
    ]


def tempo_annotations_lines(result: dict[str, Any]) -> list[str]:
    lines = [
        f"| {row['id']} | {row['class']} | {row['periods with gold']} of {row['periods']} "
        f"| {row['gold of a required period']} of {row['gold']} "
        f"| {row['steps whose first hit is gold']} of {row['steps']} "
        f"| {row['gold by steps']} | {row['gold by the question']} |"
        for row in result["rows"]
        if row["part"] == "question"
    ]
    gold, periods = result["gold passages"], result["periods"]
    return [
        *lines,
        f"({result['questions with annotations']} of {result['questions']})",
        f"Of {gold} gold passages {result['gold passages that state a time']} state a time and "
        f"{result['gold passages of a required period']} speak of a required period",
        f"{result['periods with a gold passage']} of {periods} required periods have a gold passage",
        f"{result['years mentioned by the rules']} of the {result['years in passages']} years",
        f"{result['times of answers in a required period']} of {result['times of answers']} times in the gold answers",
    ]


FIGURES: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    "re3_retrieval": re3_retrieval_lines,
    "re3_latency": re3_latency_lines,
    "re3_times": re3_times_lines,
    "ctd_search": ctd_search_lines,
    "ctd_retrieval": ctd_retrieval_lines,
    "annals_encoder": annals_encoder_lines,
    "align_cost": align_cost_lines,
    "span_lookup": span_lookup_lines,
    "import_time": import_time_lines,
    "tagger_quality": tagger_quality_lines,
    "tagger_speed": tagger_speed_lines,
    "understanding": understanding_lines,
    "chinese_reading": chinese_reading_lines,
    "temporal_retrieval": temporal_retrieval_lines,
    "annals_retrieval": annals_retrieval_lines,
    "encoder_quality": encoder_quality_lines,
    "encoder_speed": encoder_speed_lines,
    "narrow_windows": narrow_windows_lines,
    "search_cost": search_cost_lines,
    "ingest_cost": ingest_cost_lines,
    "growth": growth_lines,
    "nested_search": nested_search_lines,
    "judge_agreement": judge_agreement_lines,
    "made_sets": made_sets_lines,
    "augmentation": augmentation_lines,
    "tempo_annotations": tempo_annotations_lines,
}


def test_every_result_is_of_the_machine_named():
    measured = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Measured\n", 1)[1].split("\n## ", 1)[0]
    for path in (ROOT / "benchmarks" / "results").glob("*.json"):
        result = json.loads(path.read_text(encoding="utf-8"))
        machine = result["machine"].rpartition(", epochal")[0]
        assert f"on {result['date']}, on {machine}." in measured, path.name


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_the_figures_are_those_of_the_results(name):
    measured = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Measured\n", 1)[1].split("\n## ", 1)[0]
    path = ROOT / "benchmarks" / "results" / f"{name}.json"
    if not path.exists():
        assert path.name not in measured, f"README has figures of {path.name}, which does not exist"
        return
    assert f"(benchmarks/results/{path.name})" in measured, f"README does not name {path.name}"
    lines = FIGURES[name](json.loads(path.read_text(encoding="utf-8")))
    missing = [line for line in lines if line not in measured]
    assert not missing, f"by {path.name}, README should have:\n" + "\n".join(missing)


def test_the_figures_of_ctd_are_those_of_its_logs():
    page = (ROOT / "docs" / "ctd.md").read_text(encoding="utf-8")
    names = {
        "ft": "FT baseline",
        "tempdate": "TempDate",
        "tempdate-smooth": "TempDate-Smooth",
        "official": "CTD, official",
    }
    for folder, name in names.items():
        printed = (ROOT / "benchmarks" / "results" / "logs" / "ctd" / folder / "printed.txt").read_text(
            encoding="utf-8"
        )
        told = dict(re.findall(r"^test (\S+ \S+): hit@1 0(\.\d{4})", printed, re.MULTILINE))
        for search in {key.split()[1] for key in told}:
            shown = [f"{float(told[f'{mode} {search}']):.3f}"[1:] for mode in ("neg1_ne1_dq0", "neg1_ne0_dq1")]
            assert f"| {name} | {search} | {shown[0]} | {shown[1]} |" in page


def test_every_result_has_its_figures_checked():
    assert {path.stem for path in (ROOT / "benchmarks" / "results").glob("*.json")} <= set(FIGURES)


def test_the_page_of_results_is_what_its_command_makes():
    """`epochal bench report benchmarks/results/bench --notes benchmarks/results/bench/notes.md -o docs/results.md`."""
    from epochal.bench.report.page import markdown_page
    from epochal.bench.running.results import read_results

    folder = ROOT / "benchmarks" / "results" / "bench"
    made = markdown_page(read_results([folder]), notes=(folder / "notes.md").read_text(encoding="utf-8"))
    assert (ROOT / "docs" / "results.md").read_text(encoding="utf-8") == made
