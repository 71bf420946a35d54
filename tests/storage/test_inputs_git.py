"""Histories of Git repositories as documents; each test makes its repository, with fixed dates."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import epochal
from epochal.cli import main
from epochal.errors import EpochalError, InputError
from epochal.storage.importers import read
from epochal.storage.records import Document

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

PEOPLE = {
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Bob",
    "GIT_COMMITTER_EMAIL": "bob@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


class Repository:
    """A repository whose commits have the dates that they are given."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, date: str = "2020-01-01") -> str:
        stamp = f"{date}T12:00:00+02:00"
        environment = os.environ | PEOPLE | {"GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_COMMITTER_DATE": stamp}
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def write(self, name: str, content: str | bytes) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, date: str, subject: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject, date=date)
        return self.git("rev-parse", "HEAD")[:12]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def read_history(path: Path) -> list[Document]:
    return list(read(path, format="git", strict=True))


LONG = "".join(f"The {word} line of the page.\n" for word in ("first", "second", "third", "fourth", "fifth", "sixth"))


def test_versions(repository: Repository) -> None:
    repository.write("docs/fees.md", "---\ndate: 1999-01-01\nauthor: Zoe\n---\n# Fees\n\nThe fee is 10 euros.\n")
    repository.write("logo.png", b"\x89PNG\0\0")
    first = repository.commit("2020-03-01", "Write down the fees")
    repository.write("docs/fees.md", "# Fees\n\nThe fee is 12 euros.\n")
    repository.write("run.sh", "echo\n")
    second = repository.commit("2021-05-02", "Raise the fees")
    old, new, script = read_history(repository.path)
    assert (old.id, new.id) == (f"docs/fees.md@{first}", f"docs/fees.md@{second}")
    assert (old.title, old.text.strip()) == ("Fees", "# Fees\n\nThe fee is 10 euros.")
    # Dated by the commit, whatever the front matter or the author's clock say.
    assert [str(document.published) for document in (old, new)] == ["2020-03-01T10:00:00Z", "2021-05-02T10:00:00Z"]
    assert old.series == new.series == "docs/fees.md"
    assert old.valid is None
    assert old.meta["date"] == "1999-01-01"
    assert {key: new.meta[key] for key in ("author", "subject")} == {"author": "Ann", "subject": "Raise the fees"}
    assert new.meta["commit"].startswith(second)
    assert (script.id, script.title) == (f"run.sh@{second}", "run.sh")


def test_renames_and_deletions(repository: Repository) -> None:
    repository.write("old.md", LONG)
    first = repository.commit("2020-01-01", "one")
    repository.git("mv", "old.md", "new.md")
    repository.commit("2020-02-01", "a pure rename is no version")
    repository.write("new.md", LONG + "And one more.\n")
    third = repository.commit("2020-03-01", "three")
    repository.git("rm", "-q", "new.md")
    repository.commit("2020-04-01", "gone")
    repository.write("old.md", "Another page.")
    last = repository.commit("2020-05-01", "another page under the old path")
    versions = [(document.id, document.series, document.valid) for document in read_history(repository.path)]
    assert versions == [
        (f"old.md@{first}", "new.md", None),
        (f"new.md@{third}", "new.md", epochal.Span.parse("2020-03-01T10:00:00Z/2020-04-01T09:59:59Z")),
        (f"old.md@{last}", "old.md", None),
    ]


def test_side_branch_counts_from_its_merge(repository: Repository) -> None:
    repository.write("a.md", LONG)
    repository.commit("2020-01-01", "one")
    repository.git("checkout", "-q", "-b", "side")
    repository.write("a.md", "Top.\n" + LONG)
    repository.commit("2020-01-02", "on the side")
    repository.git("checkout", "-q", "main")
    repository.write("a.md", LONG + "Bottom.\n")
    repository.commit("2020-01-03", "on main")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge side", "side", date="2020-01-04")
    versions = read_history(repository.path)
    assert [document.meta["subject"] for document in versions] == ["one", "on main", "Merge side"]
    assert versions[-1].text == (repository.path / "a.md").read_text()


def test_folder_and_file_of_a_repository(repository: Repository) -> None:
    repository.write("docs/a.md", LONG)
    repository.write("docs/b.md", "B.")
    repository.write("other.md", "Other.")
    first = repository.commit("2020-01-01", "one")
    repository.git("mv", "docs/a.md", "docs/c.md")
    repository.write("docs/c.md", LONG + "More.\n")
    second = repository.commit("2020-02-01", "two")
    ids = {document.id for document in read_history(repository.path / "docs")}
    assert ids == {f"b.md@{first}", f"a.md@{first}", f"c.md@{second}"}
    assert [document.series for document in read_history(repository.path / "docs/c.md")] == ["c.md", "c.md"]


def test_as_of_search(repository: Repository, tmp_path: Path) -> None:
    for date, fee in (("2020-03-01", 10), ("2021-05-02", 12), ("2022-07-03", 15)):
        repository.write("fees.md", f"# Fees\n\nThe fee is {fee} euros.\n")
        repository.commit(date, f"Fee of {fee}")
    with epochal.open(tmp_path / "index", encoder=None) as index:
        assert index.add(repository.path, format="git").added == 3
        assert index.add(repository.path, format="git").unchanged == 3
        texts = [index.search("fee", as_of=day)[0].text for day in ("2020-12-31", "2021-12-31", "2022-12-31")]
        assert [text.split()[-2] for text in texts] == ["10", "12", "15"]
        assert [hit.meta["subject"] for hit in index.search("fee", where={"subject": "Fee of 12"})] == ["Fee of 12"]


def test_bad_version_is_counted(repository: Repository) -> None:
    repository.write("latin.txt", "caf\xe9".encode("latin-1"))
    repository.write("good.txt", "Good.")
    repository.commit("2020-01-01", "one")
    reading = read(repository.path, format="git")
    assert [document.text for document in reading] == ["Good."]
    assert (reading.bad, reading.bytes_read) == (1, reading.bytes_total)
    assert "UTF-8" in str(reading.problems[0])


def test_settings_of_a_repository_change_nothing(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write("docs/ä b.md", "Rain.")
    commit = repository.commit("2020-01-01", "one")
    for name, value in (("log.showRoot", "false"), ("diff.renames", "copies"), ("color.ui", "always")):
        repository.git("config", name, value)
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert [document.id for document in read_history(repository.path)] == [f"docs/ä b.md@{commit}"]


def test_errors(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="without commits"):
        read_history(repository.path)
    repository.write("a.bin", b"\0")
    repository.commit("2020-01-01", "one")
    with pytest.raises(InputError, match="no version of a text file"):
        read_history(repository.path)
    plain = tmp_path / "plain"
    plain.mkdir()
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    with pytest.raises(InputError, match="is in no Git repository"):
        read(plain, format="git")
    monkeypatch.setenv("PATH", str(plain))
    with pytest.raises(EpochalError, match="install Git"):
        read(repository.path, format="git")


def test_command(repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository.write("fees.md", "# Fees\n\nThe fee is 10 euros.\n")
    repository.commit("2020-03-01", "one")
    repository.write("fees.md", "# Fees\n\nThe fee is 12 euros.\n")
    repository.commit("2021-03-01", "two")
    index, source = str(tmp_path / "index"), str(repository.path)
    assert main(["index", index, "--from", source, "--history", "--encoder", "none"]) == 0
    assert "2 documents added" in capsys.readouterr().out
    assert main(["index", index, "--from", source, "--history", "--format", "csv"]) == 2
    assert "--history" in capsys.readouterr().err
