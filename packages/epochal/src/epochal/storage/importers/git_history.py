"""The committed versions of text files in a Git repository as rows: a version of a file is a version of a series.

Versions are those of the checked-out branch along the first parents of its commits, so the newest version of a file is
the one at HEAD, and each version was the current one from its commit to the next. Work on a side branch counts from its
merge. A file that Git takes for renamed keeps its series, which is called by the newest path.
"""

from __future__ import annotations

import datetime as dt
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import IO, Final, NamedTuple

from epochal.errors import EpochalError, InputError
from epochal.storage.importers.fields import span_value
from epochal.storage.importers.pages import make_note_row
from epochal.storage.importers.rows import LONGEST, Meter, Row
from epochal.times.span import Span

#: Settings of a user or a repository that would change what `git log` prints or reach for the network.
_SETTINGS: Final = ("-c", "log.showRoot=true", "-c", "log.showSignature=false", "-c", "diff.relative=false")
_ENVIRONMENT: Final = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
#: What a hook of Git sets, and what would lead to another repository than that of the folder.
_REDIRECTIONS: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
_COMMIT: Final = "\x01"
_FORMAT: Final = f"--format=format:{_COMMIT}%H%x02%cI%x02%an%x02%s"
_REGULAR: Final = ("100644", "100755")
#: Letters of a commit's name in an id: always as many, while Git's own short names grow with a repository.
_SHORT: Final = 12
#: As far as Git looks for a zero byte, by which it takes a file for binary.
_SNIFFED: Final = 8_000


class Commit(NamedTuple):
    """A commit: its name, its time, its author and the first line of its message."""

    hash: str
    time: Span
    author: str
    subject: str


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a file: its path then, the path of its series, its content by name, and when it was deleted."""

    path: str
    series: str
    blob: str
    commit: Commit
    deleted: Span | None = None


class GitHistory:
    """The versions of the text files at a path of a repository, oldest first. Errors of the path come at once."""

    def __init__(self, path: Path, name: str) -> None:
        self._name = name
        self._folder = path if path.is_dir() else path.parent
        self._only = "." if path.is_dir() else path.name
        # Of ids the part of the paths that the folder has is left out, as with folders that are no repositories.
        self._prefix = self._run("rev-parse", "--show-prefix").decode("utf-8", "surrogateescape").rstrip("\n")
        self._versions: list[Version] | None = None

    @property
    def versions(self) -> list[Version]:
        """All versions, also those of files that turn out to be binary."""
        if self._versions is None:
            log = self._run(
                *("log", "--first-parent", "-m", "-M", "--raw", "--no-abbrev", "-z", "--no-color", _FORMAT),
                *(() if self._only == "." else ("--follow",)),
                *("--", self._only),
            )
            newest_first = _list_versions(log.decode("utf-8", "surrogateescape"))
            commits = [list(group) for _, group in groupby(newest_first, attrgetter("commit"))]
            self._versions = [version for group in reversed(commits) for version in group]
        return self._versions

    def count_bytes(self) -> int:
        """The length of all versions together."""
        names = "".join(f"{version.blob}\n" for version in self.versions)
        sizes = self._run("cat-file", "--batch-check=%(objectsize)", given=names.encode())
        return sum(int(line) for line in sizes.split() if line.isdigit())

    def read_rows(self, meter: Meter, longest: int = LONGEST) -> Iterator[Row]:
        """A row for each version that is text."""
        has_rows = False
        with self._start("cat-file", "--batch") as reader:
            assert reader.stdin is not None
            assert reader.stdout is not None
            try:
                for version in self.versions:
                    reader.stdin.write(f"{version.blob}\n".encode())
                    reader.stdin.flush()
                    content, size = _read_blob(reader.stdout, longest)
                    meter.add(size)
                    if b"\0" not in content[:_SNIFFED] and content.strip():
                        has_rows = True
                        yield self._make_row(version, content, size, longest)
            finally:
                reader.stdin.close()
        if not has_rows:
            raise InputError(self._name, 0, "has no version of a text file; accepted: at least one that is committed")

    def _make_row(self, version: Version, content: bytes, size: int, longest: int) -> Row:
        path = self._shorten(version.path)
        own = f"{path}@{version.commit.hash[:_SHORT]}"
        place = f"{self._name}:{own}"
        if size > longest:
            return Row(place, 0, problem=f"the version is longer than the {longest:,} bytes that are read")
        row = make_note_row(content, place, path, dates_from_text=False)
        if row.problem is not None:
            return row
        commit = version.commit
        values = {
            **row.values,
            "title": row.values.get("title") or row.given.get("title") or path,
            "published": span_value(commit.time),
            "series": self._shorten(version.series),
            "commit": commit.hash,
            "author": commit.author,
            "subject": commit.subject,
        }
        for key in ("valid", "valid_from", "valid_to"):
            values.pop(key, None)
        if version.deleted is not None and version.deleted.start > commit.time.start:
            values["valid"] = span_value(replace(commit.time, end=version.deleted.start))
        return Row(place, 0, values | {"id": own})

    def _shorten(self, path: str) -> str:
        # Only what UTF-8 can write can be stored.
        return path.removeprefix(self._prefix).encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    def _run(self, *arguments: str, given: bytes | None = None) -> bytes:
        with self._start(*arguments) as process:
            output, complaint = process.communicate(given)
        if process.returncode:
            raise self._explain(complaint.decode("utf-8", "replace"))
        return output

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        environment = {key: value for key, value in os.environ.items() if key not in _REDIRECTIONS}
        try:
            return subprocess.Popen(
                ["git", *_SETTINGS, *arguments],
                cwd=self._folder,
                env=environment | _ENVIRONMENT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if arguments[0] != "cat-file" else subprocess.DEVNULL,
            )
        except FileNotFoundError:
            raise EpochalError(
                "the history of a folder is read with the command git, which was not found; install Git, or leave out "
                "the history"
            ) from None

    def _explain(self, complaint: str) -> InputError:
        if "not a git repository" in complaint.lower():
            problem = "is in no Git repository; accepted with its history: a folder or a file that Git keeps"
        elif "does not have any commits" in complaint or "unknown revision" in complaint:
            problem = "is in a Git repository without commits; accepted with its history: at least one commit"
        else:
            first = complaint.strip().partition("\n")[0].removeprefix("fatal: ")
            problem = f"has a history that Git cannot read: {first or 'no reason given'}"
        return InputError(self._name, 0, problem)


def _read_blob(stream: IO[bytes], longest: int) -> tuple[bytes, int]:
    """The content of an object as `git cat-file --batch` writes it, and its length; of a longer one the beginning."""
    header = stream.readline().split()
    if len(header) != 3:  # an object that a partial clone lacks
        return b"", 0
    size = int(header[2])
    content = stream.read(min(size, longest))
    left = size - len(content) + 1  # and a line break
    while left > 0:
        left -= len(stream.read(min(left, 2**20)))
    return content, size


def _list_versions(log: str) -> Iterator[Version]:
    """The versions that the output of `git log --raw -z` names, newest first as there.

    Where a file is renamed, what is older goes by the older path and belongs to the series of the newer one.
    """
    series: dict[str, str] = {}
    deleted: dict[str, Span] = {}
    commit: Commit | None = None
    tokens = iter(log.split("\0"))
    for token in tokens:
        plain = token.lstrip("\n")
        if plain.startswith(_COMMIT):
            header, _, plain = plain.partition("\n")
            hash, time, author, subject = header[1:].split("\x02", 3)
            commit = Commit(hash, _read_time(time), author, subject)
        if not plain.startswith(":"):
            continue
        assert commit is not None
        old_mode, mode, old_blob, blob, status = plain[1:].split(" ")
        path = next(tokens)
        before, path = (path, next(tokens)) if status[0] in "RC" else (path, path)
        if mode not in _REGULAR:
            if old_mode in _REGULAR:
                deleted.setdefault(path, commit.time)
            continue
        name = series.pop(path, path)
        if status[0] == "R":
            series[before] = name
        elif old_mode in _REGULAR:
            series[path] = name
        end = deleted.pop(path, None)
        if blob != old_blob:
            yield Version(path, name, blob, commit, end)
        elif end is not None:  # renamed or given other rights, and then deleted: the content is that of before
            deleted[before] = end


def _read_time(text: str) -> Span:
    return Span.of(dt.datetime.fromisoformat(text.replace("Z", "+00:00")))
