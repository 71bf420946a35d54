"""Runs what the pages of the documentation show: Python as doctests, commands of the console in this process.

`epochal serve` does not listen: `curl` on the same page calls the application that the command describes.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from epochal.cli import main
from paths import ROOT

DOCS = sorted((ROOT / "docs").rglob("*.md"))
BLOCK = re.compile(r"^```(?P<head>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
#: The page that shows the documents of all how-to pages; they find the index made of them in their folder.
SAMPLE = ROOT / "docs" / "how-to" / "index.md"
#: Pages whose examples need a framework; they run beside the other tests of integrations.
FRAMEWORKS = {"langchain": "langchain_core", "llamaindex": "llama_index", "haystack": "haystack", "mcp": "mcp"}
#: Pages whose examples need servers; they run beside the other tests of backends.
SERVERS = ("postgres", "shards")
#: Programs that pages call beside `epochal`; they are run as they are.
_PROGRAMS = ("cat", "cp", "git", "ls", "mkdir", "mv", "rm")
_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def write_files(page: Path, folder: Path) -> None:
    """Write the files that a page shows, under the names of their titles."""
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if title := re.search(r'title="([^"]+)"', match["head"]):
            (folder / title[1]).parent.mkdir(parents=True, exist_ok=True)
            (folder / title[1]).write_text(match["body"], encoding="utf-8")


def build_sample(folder: Path) -> None:
    """Build the index of the how-to pages as their first page says."""
    write_files(SAMPLE, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_page(SAMPLE)


def run_page(page: Path, replacements: Mapping[str, str] | None = None) -> None:
    """Run the Python and the commands of a page from top to bottom, in the present folder."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "__main__"}
    with pytest.MonkeyPatch.context() as patch, Console(patch, replacements or {}) as console:
        for match in BLOCK.finditer(text):
            place = f"{page.name}, block at line {text.count(chr(10), 0, match.start()) + 1}"
            language = match["head"].split()[:1]
            if language == ["python"]:
                run_python(replace(match["body"], replacements or {}), names, place)
            elif language == ["console"]:
                for command in re.split(r"^\$ ", match["body"], flags=re.MULTILINE)[1:]:
                    console.run(command, place)


def run_python(body: str, names: dict[str, Any], place: str) -> None:
    """Run a block as doctests, or as code where it has no prompts."""
    if ">>>" not in body:
        exec(compile(body, place, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(body, {}, place, place, 0)
    test.globs = names
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=_FLAGS)
    assert not runner.run(test, out=report.write, clear_globs=False).failed, report.getvalue()


def replace(text: str, replacements: Mapping[str, str]) -> str:
    """Put the values of a test in the place of what a page shows, such as the address of a server."""
    for old, new in replacements.items():
        text = text.replace(old, new)
    return text


class Console:
    """Runs commands in this process and compares what they print."""

    def __init__(self, patch: pytest.MonkeyPatch, replacements: Mapping[str, str]) -> None:
        self.patch = patch
        self.replacements = replacements
        self.service: Any = None
        # Pages show no progress, which depends on how fast the machine is.
        patch.setattr("epochal.cli.common._FIRST_LINE", float("inf"))
        with contextlib.suppress(ImportError):  # without fastapi no page can serve
            patch.setattr("epochal.server.app.serve", self._serve)

    def __enter__(self) -> Console:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def run(self, command: str, place: str) -> None:
        """Run one command; `...` stands for lines of its output that are left out."""
        call, _, shown = command.replace("\\\n", " ").partition("\n")
        call = replace(call, self.replacements)
        got, want = (
            "\n".join(row.rstrip() for row in text.strip().splitlines()) for text in (self._execute(call), shown)
        )
        same = doctest.OutputChecker().check_output(want + "\n", got + "\n", doctest.ELLIPSIS)
        assert same, f"{place}: {call} prints\n{got}"

    def _execute(self, call: str) -> str:
        words = [os.path.expandvars(word) for word in shlex.split(call, comments=True)]
        if words[0] == "export":
            self.patch.setenv(*words[1].split("=", 1))
            return ""
        if words[0] == "curl":
            return self._curl(words[1:])
        if words[0] in _PROGRAMS:
            return subprocess.run(call, shell=True, check=True, capture_output=True, text=True).stdout
        assert words[0] == "epochal", f"no test can run {call!r}"
        target = words[-1] if words[-2] == ">" else None
        words = [word for word in (words[:-2] if target else words) if word != "&"]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), contextlib.suppress(SystemExit):
            main(words[1:])
        if target is None:
            return printed.getvalue()
        Path(target).write_text(printed.getvalue(), encoding="utf-8")
        return ""

    def _serve(self, settings: Any, *, started: Any) -> int:
        """Open the application in place of a server."""
        from starlette.testclient import TestClient

        from epochal.server.app import create_app

        self._stop()
        self.service = TestClient(create_app(settings), base_url=f"http://{settings.host}:{settings.port}")
        self.service.__enter__()
        started(f"http://{settings.host}:{settings.port}/")
        return 0

    def _stop(self) -> None:
        if self.service is not None:
            self.service.__exit__(None, None, None)
            self.service = None

    def _curl(self, words: list[str]) -> str:
        """Do what curl does with the options that the pages use."""
        assert self.service is not None, "curl is called before `epochal serve`"
        method, headers, fields, body, address, shows_head = "", {}, [], b"", "", False
        rest = iter(words)
        for word in rest:
            if word in ("-s", "-G", "-sG"):
                method = "GET" if "G" in word else method
            elif word == "-i":
                shows_head = True
            elif word == "-X":
                method = next(rest)
            elif word == "-H":
                name, _, value = next(rest).partition(":")
                headers[name] = value.strip()
            elif word in ("-d", "--data-urlencode"):
                fields.append(next(rest))
            elif word == "--data-binary":
                body = Path(next(rest).removeprefix("@")).read_bytes()
            else:
                assert word.startswith("http"), f"an option of curl that no test knows: {word}"
                address = word
        if method == "GET":
            query = dict(field.split("=", 1) for field in fields)
            reply = self.service.get(urlsplit(address).path, params=query, headers=headers)
        else:
            content = body or "&".join(fields).encode()
            method = method or ("POST" if content else "GET")
            if address.startswith("http://127.0.0.1"):
                address = urlsplit(address)._replace(scheme="", netloc="").geturl()
            reply = self.service.request(method, address, content=content or None, headers=headers)
        return f"HTTP/1.1 {reply.status_code}\n{reply.text}" if shows_head else reply.text


def prepare_folder(page: Path, folder: Path, sample: Path) -> None:
    """Give a page the folder in which its examples run: its files and, for a how-to page, the sample index."""
    if page.parent.name == "how-to" and page != SAMPLE:
        shutil.copytree(sample, folder, dirs_exist_ok=True)
    write_files(page, folder)
