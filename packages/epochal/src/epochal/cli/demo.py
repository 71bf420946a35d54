"""`epochal demo`: searches of the bundled corpus, with timelines in the terminal."""

from __future__ import annotations

import argparse
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from epochal.cli.common import format_count, ingest, open_for_adding

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epochal.api import Index
    from epochal.cli.rendering.terminal import Page

#: The reference time of the demo, a few days after the last item of the corpus: the same for everybody.
NOW = "2026-03-28"
_CREDIT = "news from Wikipedia's Portal:Current events, CC BY-SA 4.0, on space, earthquakes, Nobel Prizes and popes"
_EXPRESSIONS = (
    "魯隱公元年十二月",
    "44 BCE",
    "永明三年",
    "12 Henry VIII",
    "5 Thermidor II",
    "Meiji 10",
    "1984~/2004-06",
)


@dataclass(frozen=True, slots=True)
class Scene:
    """A question of the demo with its options, and what it shows."""

    title: str
    question: str
    as_of: str | None = None
    explained: bool = False
    picture: bool = True

    @property
    def command(self) -> str:
        """The command that does the same on an index of your own."""
        words = f'epochal search DIR "{self.question}"'
        words += f" --as-of {self.as_of}" if self.as_of else ""
        return f"{words} --explain" if self.explained else words


SCENES = (
    Scene("A point in time", "Who won the Nobel Prize in Literature in 2016?"),
    Scene("Times in words, and why", "the earthquake in Japan in March 2011", explained=True, picture=False),
    Scene("The latest", "the latest Nobel Prize in Physics"),
    Scene("Two periods, set against each other", "How did the exploration of Mars in 2004 differ from 2021?"),
    Scene("What was known by then", "A new pope is elected", as_of="2012"),
    Scene("The same, as of today", "A new pope is elected", picture=False),
    Scene("A time of which the index has no records", "What happened in July 2014?"),
    Scene("A time that has records, but none of this", "a tsunami in January 2015", picture=False),
    Scene("A question without time: plain hybrid search", "telescopes that discover exoplanets", picture=False),
)


def add_demo(commands: Any) -> None:
    """Add `epochal demo`."""
    parser = commands.add_parser(
        "demo",
        help="search bundled news, with timelines in the terminal",
        description="Index 2,373 news items that come with the package, and search them by time. Takes less than a "
        "minute on two cores, and a few seconds with --encoder static.",
        epilog="example:\n  epochal demo",
    )
    parser.add_argument("--encoder", metavar="NAME", help="the encoder; minilm unless given")
    parser.set_defaults(run=_run)


@contextmanager
def open_corpus() -> Iterator[Path]:
    """Yield the file of the bundled corpus."""
    with resources.as_file(resources.files("epochal.cli") / "demo_data" / "events.jsonl") as path:
        yield path


def _run(arguments: argparse.Namespace) -> int:
    from epochal.cli.rendering.terminal import Page
    from epochal.storage.importers.read import read

    page = Page()
    with (
        tempfile.TemporaryDirectory(prefix="epochal-", ignore_cleanup_errors=True) as folder,
        open_corpus() as path,
        open_for_adding(folder, arguments.encoder) as index,
    ):
        done = ingest(index, read(path), "indexing")
        page.line((f"{format_count(done.added, 'document')}: {_CREDIT}", "bold"))
        for number, scene in enumerate(SCENES, 1):
            _show(number, scene, index, page)
    _show_calendars(page)
    page.line()
    page.line(("Next: epochal index DIR --from FILE.jsonl    epochal search DIR QUESTION    epochal --help", ""))
    return 0


def _show(number: int, scene: Scene, index: Index, page: Page) -> None:
    from epochal.cli.rendering.response import show_response

    response = index.search(scene.question, k=4, now=NOW, as_of=scene.as_of)
    page.line()
    page.line((f"── {number}. {scene.title} ".ljust(page.width, "─"), "bold magenta"))
    page.line((f"$ {scene.command} -k 4 --now {NOW}", "dim"))
    page.line()
    show_response(response, index.coverage, page, explained=int(scene.explained), picture=scene.picture)


def _show_calendars(page: Page) -> None:
    from epochal.cli.rendering.terminal import measure_width, pad
    from epochal.reading.resolve import resolve

    page.line()
    page.line((f"── {len(SCENES) + 1}. Times of any calendar ".ljust(page.width, "─"), "bold magenta"))
    page.line(("$ epochal when EXPRESSION", "dim"))
    page.line()
    width = max(measure_width(text) for text in _EXPRESSIONS)
    for text in _EXPRESSIONS:
        span = resolve(text)[0].span
        page.line((f"{pad(text, width)}  ", ""), (f"{span.edtf():24} ", "green"), (span.describe(), ""))
