"""Writes docs/results/*.md from the JSON files that the studies leave.

    python tools/make_results.py            # write the pages
    python tools/make_results.py --check    # fail when a committed page is not what this command writes

Each page has a template in tools/results: Markdown with two additions.

A fenced block with the language `table` describes one table in TOML:

    file     the JSON file, without its ending, or published/PAPER for the rows that a paper prints
    rows     the list in it; "rows" when left out
    where    {key = value, or a list of values}: only rows that match. A list also sets the order of the rows
    has      keys that a row needs to be shown; "a || b" is either
    columns  a column each, as "KEY | FORMAT | HEADER". FORMAT and HEADER may be left out
    by, across, value, order
             a pivot instead of columns: one line for each value of the keys in `by`, one column for each value of the
             keys in `across` (in `order` where given), and `value` ("KEY | FORMAT") in the cells
    names    {value = text}: how values and headers are shown

A key of a nested object is written "outer > inner"; "a || b" takes `b` where no row has `a`. A figure inside a sentence
is written {{ file > key > key | FORMAT }}, with numbers as keys of lists.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Final

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

ROOT: Final = Path(__file__).resolve().parents[1]
STUDIES: Final = "studies"
"""The folder of the studies; their results lie in its subfolder `results`."""
RESULTS: Final = ROOT / STUDIES / "results"
TEMPLATES: Final = ROOT / "tools" / "results"
PAGES: Final = ROOT / "docs" / "results"
#: Pages that belong to another folder of the documentation.
ELSEWHERE: Final = {"house.md": ROOT / "docs" / "develop", "README.md": ROOT}
ORDER: Final = (
    "retrieval truth memory leaderboard reading languages speed encoders service backends judges re3 ctd tmrl".split()
)
"""The pages in the order of the index; each has a template."""
MISSING: Final = "–"
#: Before the name of a paper in place of a study.
PUBLISHED: Final = "published/"
WEIGHTS: Final = ROOT / "packages" / "epochal" / "src" / "epochal" / "ranking" / "weights"
JUDGE: Final = ROOT / "packages" / "epochal-lab" / "src" / "epochal_lab" / "judges" / "weights" / "spans.json"

Row = Mapping[str, Any]

_TABLE = re.compile(r"^```table\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FIGURE = re.compile(r"\{\{ (.+?) \}\}")


# ---------------------------------------------------------------- cells


def _format_bounds(value: Any, sign: str = "") -> str:
    """A mean with its interval, given as an object or as a list of three."""
    mean, low, high = (value["mean"], value["low"], value["high"]) if isinstance(value, Mapping) else value
    return f"{mean:{sign}.3f} [{low:{sign}.3f}, {high:{sign}.3f}]"


FORMATS: Final[dict[str, Callable[[Any], str]]] = {
    "bounds": _format_bounds,
    "signed": lambda value: _format_bounds(value, "+"),
    "mean": lambda value: f"{value['mean']:.3f}",
    "interval": lambda value: f"{value[0]:.3f} to {value[1]:.3f}",
    "percent": lambda value: f"{100 * value:g} %",
    "percent1": lambda value: f"{100 * value:.1f}",
    "percent2": lambda value: f"{100 * value:.2f}",
    "giga": lambda value: f"{value / 1e9:.1f}",
    "mega": lambda value: f"{value / 1e6:.1f}",
    "seeds": lambda value: ", ".join(f"{one:.3f}" for one in value.values()),
    "list": lambda value: ", ".join(map(str, value)) or "none",
    "pair": lambda value: " / ".join(f"{one:,}" for one in value),
}


def format_value(value: Any, form: str) -> str:
    """A value as a cell shows it, by the name of a format or by a format specification."""
    if value is None:
        return MISSING
    if form in FORMATS:
        return FORMATS[form](value)
    if form:
        return format(value, form)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def look_up(item: Any, path: str) -> Any:
    """The value at "outer > inner", or None."""
    for key in path.split(" > "):
        if isinstance(item, list):
            item = item[int(key)]
        elif isinstance(item, Mapping) and key in item:
            item = item[key]
        else:
            return None
    return item


# ---------------------------------------------------------------- tables


@cache
def read_result(name: str) -> Any:
    """The content of one JSON file of a study; "published/PAPER" are the rows that a paper prints."""
    if name.startswith(PUBLISHED):
        from epochal_lab.runs.tables import list_published

        rows = list_published(name.removeprefix(PUBLISHED))
        return {"rows": [{**asdict(row), **row.measures} for row in rows], "source": rows[0].paper}
    path = RESULTS / f"{name}.json"
    if not path.exists():
        raise SystemExit(f"no result {path.relative_to(ROOT)}; a template of tools/results asks for it")
    return json.loads(path.read_text(encoding="utf-8"))


def select_rows(rows: Iterable[Row], spec: Mapping[str, Any]) -> list[Row]:
    """The rows that a table shows, in the order that lists in `where` give."""
    where: Mapping[str, Any] = spec.get("where", {})
    needed: Sequence[str] = spec.get("has", ())
    selected = [
        row
        for row in rows
        if all(row.get(key) in (value if isinstance(value, list) else [value]) for key, value in where.items())
        and all(any(option in row for option in key.split(" || ")) for key in needed)
    ]
    ordered = [(key, value) for key, value in where.items() if isinstance(value, list)]
    return sorted(selected, key=lambda row: [value.index(row[key]) for key, value in ordered])


def split_column(text: str) -> tuple[str, str, str]:
    """Key, format and header of "KEY | FORMAT | HEADER"."""
    key, form, header = ([part.strip() for part in re.split(r"(?<=\s)\|(?=\s|$)", text)] + ["", ""])[:3]
    return key, form, header or key.split(" || ")[0].split(" > ")[-1]


def choose_key(key: str, rows: Sequence[Row]) -> str:
    """Of alternatives "a || b", the first that some row has."""
    options = key.split(" || ")
    return next((option for option in options if any(look_up(row, option) is not None for row in rows)), options[-1])


def build_columns(rows: Sequence[Row], spec: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Headers and cells of a table with one line for each row."""
    names = spec.get("names", {})
    columns = [split_column(text) for text in spec["columns"]]
    keys = [choose_key(key, rows) for key, _, _ in columns]
    cells = []
    for row in rows:
        output = [format_value(look_up(row, key), form) for key, (_, form, _) in zip(keys, columns, strict=True)]
        cells.append([names.get(cell, cell) for cell in output])
    return [header for _, _, header in columns], cells


def build_pivot(rows: Sequence[Row], spec: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Headers and cells of a table whose columns are values of a key."""
    names = spec.get("names", {})

    def show(values: Iterable[Any]) -> list[str]:
        texts = (format_value(value, "") for value in values)
        return [names.get(text, text) for text in texts]

    across = [spec["across"]] if isinstance(spec["across"], str) else spec["across"]
    key, form, _ = split_column(spec["value"])
    columns = [tuple(one) if isinstance(one, list) else (one,) for one in spec.get("order", ())]
    columns = columns or list(dict.fromkeys(tuple(row.get(name) for name in across) for row in rows))
    lines: dict[tuple[Any, ...], dict[tuple[Any, ...], str]] = {}
    for row in rows:
        line = lines.setdefault(tuple(row.get(name) for name in spec["by"]), {})
        line[tuple(row.get(name) for name in across)] = format_value(look_up(row, key), form)
    headers = [*show(spec["by"]), *(", ".join(show(column)) for column in columns)]
    cells = [[*show(line), *(match.get(column, MISSING) for column in columns)] for line, match in lines.items()]
    return headers, cells


def build_table(text: str) -> str:
    """The Markdown of one table, with a line that says where its figures come from."""
    spec = tomllib.loads(text)
    result = read_result(spec["file"])
    rows = select_rows(result[spec.get("rows", "rows")], spec)
    if not rows:
        raise SystemExit(f"a table of {spec['file']}.json has no rows: {spec.get('where', spec.get('has'))}")
    headers, cells = build_pivot(rows, spec) if "across" in spec else build_columns(rows, spec)
    lines = [headers, ["---"] * len(headers), *cells]
    table = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    if "source" in result:
        return f'{table}\n\n*As printed in "{result["source"]}".*'
    machine, _, version = result["machine"].rpartition(", epochal")
    machine = machine or version
    return f"{table}\n\n*`{spec['file']}.json`, {result['date']}, {machine}.*"


def fill_figure(text: str) -> str:
    """The figure that represents {{ text }} in a sentence."""
    if text == "STUDIES":
        return STUDIES
    path, form, _ = split_column(text)
    name, _, key = path.partition(" > ")
    value = look_up(read_result(name), key)
    if value is None:
        raise SystemExit(f"{name}.json has nothing at {key!r}; a template of tools/results asks for it")
    return format_value(value, form)


# ---------------------------------------------------------------- pages


def used_files(template: str) -> list[str]:
    """The names of the JSON files that a template uses."""
    named = re.findall(r'^file = "(.+?)"$', template, re.MULTILINE)
    figures = (split_column(match)[0].partition(" > ")[0] for match in _FIGURE.findall(template))
    studies = [*named, *(name for name in figures if name != "STUDIES")]
    return [name for name in dict.fromkeys(studies) if not name.startswith(PUBLISHED)]


@cache
def build_disclosure() -> str:
    """What was tuned on what, by the files beside the weights, which training writes."""
    training, chosen, judge = (
        json.loads(path.read_text(encoding="utf-8"))
        for path in (WEIGHTS / "relevance-training.json", WEIGHTS / "chosen-by-hand.json", JUDGE)
    )
    names = ", ".join(row.get("left_out") or row["corpus"] for row in training["corpora"])
    counts = [row["questions"] for row in training["corpora"]]
    judged = "; ".join(judge["provenance"]["fitted on half of"])
    lines = [
        "## What was tuned on what",
        "",
        f"- **Relevance and order** (`relevance.json`, `epochal train scorer`): fitted to {min(counts)} to "
        f"{max(counts)} questions of the split {training['split']} of each of {names}. Figures of other questions "
        "about the same documents are out of sample as to questions, not as to the kind of text.",
        f"- **The judge without a language model** (`spans.json`): fitted to half of {judged}.",
        *(f"- **By hand**: {row['what']}, with a view of {row['on']}." for row in chosen["chosen"]),
        "",
        "These are the weights of this commit; a table that is older than they are was measured with earlier ones.",
    ]
    return "\n".join(lines)


def build_page(template: str) -> str:
    """A page: its template with tables and figures filled in, what was tuned, and the commands that measure again."""
    text = _TABLE.sub(lambda match: build_table(match[1]), template)
    text = _FIGURE.sub(lambda match: fill_figure(match[1]), text)
    commands = "\n".join(f"python {STUDIES}/{name}.py" for name in used_files(template))
    again = f"\n\n## Measure again\n\n```sh\n{commands}\n```" if commands else ""
    return f"{text.rstrip()}\n\n{build_disclosure()}{again}\n"


def build_index(pages: Mapping[str, str]) -> str:
    """The list of all pages, each with the first sentence of its introduction."""
    intro = _FIGURE.sub(lambda match: fill_figure(match[1]), (TEMPLATES / "index.md").read_text(encoding="utf-8"))
    lines = [intro.rstrip(), "", "## Pages", ""]
    for name, text in pages.items():
        title, first = re.findall(r"^(?:# (.+)|([A-Z].*?\.)(?:\s.*)?)$", text, re.MULTILINE)[:2]
        lines.append(f"- [{title[0]}]({name}): {first[1]}")
    return "\n".join(lines) + "\n"


def build_all() -> dict[str, str]:
    """The text of every page by its name."""
    pages = {}
    for name in ORDER:
        path = TEMPLATES / f"{name}.md"
        pages[path.name] = build_page(path.read_text(encoding="utf-8"))
    house = build_page((TEMPLATES / "house.md").read_text(encoding="utf-8")).replace(f"{build_disclosure()}\n\n", "")
    return {"index.md": build_index(pages), **pages, "house.md": house, "README.md": build_readme()}


#: The table of the README: what is asked, the file, its set, the measure, and the names of the three systems there.
README_ROWS: Final = (
    ("Nobel prizes in, before, after and between years (TNP)", "temporal_retrieval", "tnp", "nDCG@10"),
    (
        "facts of a page in a range of years (TimeQA)",
        "temporal_retrieval",
        "timeqa",
        "nDCG@10",
    ),
    ("the same", "temporal_retrieval", "timeqa", "hit@1"),
    ("the current wording of a clause (Re2Bench rec, rebuilt)", "re3_retrieval", "rec", "hit@1"),
    ("the latest forecast for a day (Re2Bench hyb, rebuilt)", "re3_retrieval", "hyb", "hit@1"),
    ("claims without any time (SciFact)", "temporal_retrieval", "scifact", "nDCG@10"),
)
README_SYSTEMS: Final = {
    "temporal_retrieval": ("what", ("Epochal", "BM25", "MiniLM")),
    "re3_retrieval": ("system", ("gate", "bm25", "dense")),
}
#: The sets of `epochal bench run` by those of the studies.
BENCH_SETS: Final = {"timeqa": "timeqa/human_train", "rec": "re2bench/rec", "hyb": "re2bench/hyb"}
_README_TABLE = re.compile(r"^\| what is asked \|.*?\n\n", re.MULTILINE | re.DOTALL)


def build_readme() -> str:
    """Build the README with its one table filled in from the results; of two BM25 the better is shown."""
    lines = ["| what is asked | measure | Epochal | BM25 | MiniLM |", "|---|---|---|---|---|"]
    for text, file, name, measure in README_ROWS:
        key, systems = README_SYSTEMS[file]
        rows = {row[key]: row for row in reversed(read_result(file)["rows"]) if row["set"] == name}
        values = [_get_mean(rows[system][measure]) for system in systems]
        values[1] = max(values[1], find_plain_bm25(BENCH_SETS.get(name, name), measure))
        cells = [f"{value:.3f}".lstrip("0") for value in values]
        lines.append(f"| {text} | {measure} | **{cells[0]}** | {cells[1]} | {cells[2]} |")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return _README_TABLE.sub(lambda _: "\n".join(lines) + "\n\n", text, count=1)


def find_plain_bm25(name: str, measure: str) -> float:
    """What plain BM25 has on a set, by the results of `epochal bench run`; it is often above that of an index."""
    from epochal_lab.runs.tasks import read_results

    results = [item for item in read_results([RESULTS / "bench"]) if item.task.system == "bm25-plain"]
    return next((item.mean(measure) or 0.0 for item in results if item.task.set == name), 0.0)


def _get_mean(value: Any) -> float:
    return float(value["mean"] if isinstance(value, dict) else value)


def find_place(name: str) -> Path:
    """Find the file of a page."""
    return ELSEWHERE.get(name, PAGES) / name


def main(given: Sequence[str] | None = None) -> int:
    """Write or check the pages; the exit status is 1 where --check finds a page out of date."""
    parser = argparse.ArgumentParser(description="Write docs/results from the results of the studies.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a page is out of date")
    arguments = parser.parse_args(given)
    pages = build_all()
    written = [*PAGES.glob("*.md"), *(path for name in ELSEWHERE if (path := find_place(name)).exists())]
    committed = {path.name: path.read_text(encoding="utf-8") for path in written}
    outdated = sorted(name for name in {*pages, *committed} if pages.get(name) != committed.get(name))
    if arguments.check:
        for name in outdated:
            print(
                f"{find_place(name).relative_to(ROOT)} is not what tools/make_results.py writes; run it",
                file=sys.stderr,
            )
        return 1 if outdated else 0
    PAGES.mkdir(parents=True, exist_ok=True)
    for name in outdated:
        if name in pages:
            find_place(name).write_text(pages[name], encoding="utf-8")
        else:
            find_place(name).unlink()
        print(find_place(name).relative_to(ROOT))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
