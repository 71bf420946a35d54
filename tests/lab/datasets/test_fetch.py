"""Fetching public sets: downloads from a server of this machine, wrong checksums, no network, and what lies there."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from epochal.cli import main
from epochal.errors import EpochalError, UnknownNameError
from epochal_lab.datasets import fetch
from epochal_lab.datasets.fetch import PUBLIC_SETS, PublicFile, PublicSet, fetch_set, find_public_set, hash_content
from paths import DATA, needs_data

#: Nothing listens on port 9 (discard) of this machine: a connection is refused at once.
UNREACHABLE = "http://127.0.0.1:9/rain.txt"


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def published(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address of a server that publishes it."""
    folder = tmp_path / "published"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def one(file: PublicFile) -> PublicSet:
    return PublicSet("weather", "Weather", "example.org", "CC0", (file,))


def test_a_file_is_downloaded_once_and_verified_afterwards(tmp_path: Path, published: tuple[Path, str]) -> None:
    folder, address = published
    (folder / "rain.txt").write_bytes(b"rain")
    weather = one(PublicFile("days/rain.txt", sha256(b"rain"), f"{address}/rain.txt"))
    data = tmp_path / "data"
    assert [result.state for result in fetch_set(weather, data)] == ["fetched"]
    assert (data / "weather/days/rain.txt").read_bytes() == b"rain"
    (folder / "rain.txt").unlink()
    assert [result.state for result in fetch_set(weather, data)] == ["as measured"]
    assert sorted(path.name for path in data.iterdir()) == ["weather"]


def test_a_wrong_checksum_writes_nothing(tmp_path: Path, published: tuple[Path, str]) -> None:
    folder, address = published
    (folder / "rain.txt").write_bytes(b"snow")
    (result,) = fetch_set(one(PublicFile("rain.txt", sha256(b"rain"), f"{address}/rain.txt")), tmp_path / "data")
    assert result.state == "failed"
    assert not result.ok
    assert sha256(b"snow") in result.message
    assert sha256(b"rain") in result.message
    assert not list((tmp_path / "data").rglob("*"))


def test_without_a_network_the_sentence_names_address_and_path(tmp_path: Path) -> None:
    (result,) = fetch_set(one(PublicFile("rain.txt", sha256(b"rain"), UNREACHABLE)), tmp_path)
    assert result.state == "failed"
    assert UNREACHABLE in result.message
    assert f"download it elsewhere and save it as {tmp_path / 'weather' / 'rain.txt'}" in result.message


def test_an_address_that_is_gone_is_a_failure(tmp_path: Path, published: tuple[Path, str]) -> None:
    (result,) = fetch_set(one(PublicFile("rain.txt", sha256(b"rain"), f"{published[1]}/rain.txt")), tmp_path / "data")
    assert result.state == "failed"
    assert "404" in result.message


def test_a_file_without_an_address_says_what_to_do(tmp_path: Path) -> None:
    (result,) = fetch_set(one(PublicFile("rain.txt", sha256(b"rain"), by_hand="measure it")), tmp_path)
    assert result.state == "by hand"
    assert result.message == f"measure it; save it as {tmp_path / 'weather' / 'rain.txt'}"


def test_a_dry_run_downloads_nothing(tmp_path: Path) -> None:
    (result,) = fetch_set(one(PublicFile("rain.txt", sha256(b"rain"), UNREACHABLE)), tmp_path, dry_run=True)
    assert (result.state, result.message) == ("to fetch", UNREACHABLE)
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_there_and_differs_is_kept_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "weather" / "rain.txt"
    path.parent.mkdir()
    path.write_bytes(b"snow")
    (result,) = fetch_set(one(PublicFile("rain.txt", sha256(b"rain"), UNREACHABLE)), tmp_path)
    assert result.state == "failed"
    assert "delete it and fetch it again" in result.message
    assert path.read_bytes() == b"snow"
    (result,) = fetch_set(one(PublicFile("rain.txt", sha256(b"rain"), UNREACHABLE, note="of 2020")), tmp_path)
    assert (result.state, result.message, result.ok) == ("as published", "of 2020", True)


def test_a_damaged_gz_file_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "weather" / "rain.txt.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(b"rain" * 100)[:-9])
    (result,) = fetch_set(one(PublicFile("rain.txt.gz", sha256(b"rain"), UNREACHABLE, note="of 2020")), tmp_path)
    assert result.state == "failed"
    assert "cannot be read" in result.message


ROWS = [{"id": 1, "text": "Röntgen"}, {"id": 2, "text": "rain"}]
LINES = '{"id": 1, "text": "Röntgen"}\n{"id": 2, "text": "rain"}\n'.encode()


def zipped(name: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("convert", "content", "expected"),
    [
        ("rows", "".join(json.dumps(row) + "\n" for row in ROWS).encode(), LINES),
        ("list", json.dumps(ROWS).encode(), LINES),
        ("csv", "\ufeffid,text\n1,Röntgen\n".encode(), '{"id": "1", "text": "Röntgen"}\n'.encode()),
        ("zip:weather/rain.jsonl", zipped("weather/rain.jsonl", LINES), LINES),
        ("", LINES, LINES),
    ],
)
@pytest.mark.parametrize("name", ["rain.jsonl", "rain.jsonl.gz"])
def test_what_is_published_in_another_form_is_converted(
    tmp_path: Path, published: tuple[Path, str], convert: str, content: bytes, expected: bytes, name: str
) -> None:
    folder, address = published
    (folder / "download").write_bytes(content)
    file = PublicFile(name, sha256(expected), f"{address}/download", sha256(content), convert)
    (result,) = fetch_set(one(file), tmp_path / "data")
    assert result.state == "fetched", result.message
    path = tmp_path / "data" / "weather" / name
    assert (gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()) == expected


def test_a_form_that_is_not_the_expected_one_is_a_failure(tmp_path: Path, published: tuple[Path, str]) -> None:
    folder, address = published
    (folder / "download").write_bytes(b"<html>")
    for convert in ("rows", "list", "zip:a", "tar:a"):
        file = PublicFile("rain.jsonl", sha256(LINES), f"{address}/download", convert=convert)
        (result,) = fetch_set(one(file), tmp_path / "data")
        assert result.state == "failed", convert


def test_a_folder_of_an_archive_is_fetched_whole(tmp_path: Path, published: tuple[Path, str]) -> None:
    folder, address = published
    with tarfile.open(folder / "repo.tar.gz", "w:gz") as archive:
        for name, content in {
            "repo-1a2b/gold/a.tml": b"A",
            "repo-1a2b/gold/b.tml": b"B",
            "repo-1a2b/gold/._a.tml": b"?",
            "repo-1a2b/gold/notes.txt": b"?",
            "repo-1a2b/other/c.tml": b"C",
            "repo-1a2b/more/d.tml": b"D",
        }.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    lines = "".join(f"{sha256(text.upper().encode())}  {text}.tml\n" for text in "abd")
    file = PublicFile("gold/", sha256(lines.encode()), f"{address}/repo.tar.gz", convert="tar:gold,more")
    (result,) = fetch_set(one(file), tmp_path / "data")
    assert result.state == "fetched", result.message
    gold = tmp_path / "data" / "weather" / "gold"
    assert {path.name: path.read_bytes() for path in gold.iterdir()} == {"a.tml": b"A", "b.tml": b"B", "d.tml": b"D"}
    assert [result.state for result in fetch_set(one(file), tmp_path / "data")] == ["as measured"]
    (gold / "b.tml").unlink()
    assert [result.state for result in fetch_set(one(file), tmp_path / "data")] == ["failed"]


def test_ids_of_sets_lead_to_their_sources() -> None:
    for id, name in {"zztj/tag": "chunqiu", "re2bench/hyb": "forecasts", "timeqa/human_train": "timeqa"}.items():
        assert find_public_set(id).name == name
    with pytest.raises(UnknownNameError, match="no public set is called 'rain'; known: tnp,"):
        find_public_set("rain")
    with pytest.raises(EpochalError, match="--hub"):
        find_public_set("tempo/history")


def test_every_file_can_be_fetched_or_says_what_to_do() -> None:
    for public_set in PUBLIC_SETS.values():
        assert public_set.licence
        assert public_set.source
        for file in public_set.files:
            assert bool(file.url) != bool(file.by_hand), file
            assert len(file.sha256) == 64
            assert file.url.startswith("https://") or not file.url


@needs_data("tnp")
@pytest.mark.parametrize("name", ["tnp", "timeqa", "tqic", "recencyqa", "chronoqa", "scifact", "tempo_sample"])
def test_checksums_are_those_of_the_measured_files(name: str) -> None:
    for file in PUBLIC_SETS[name].files:
        assert hash_content(DATA / name / file.name) == file.sha256, file.name


def run(*arguments: str) -> int:
    return main(["bench", "fetch", *arguments])


def test_the_command_lists_sets_with_sources_and_licences(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--list") == 0
    out = capsys.readouterr().out
    assert "github.com/wenhuchen/Time-Sensitive-QA" in out
    assert "BSD-3-Clause" in out
    assert run() == 0
    assert capsys.readouterr().out == out


def test_the_command_ends_with_2_and_a_sentence_for_each_missing_file(
    tmp_path: Path, published: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, address = published
    (folder / "rain.txt").write_bytes(b"rain")
    files = (
        PublicFile("rain.txt", sha256(b"rain"), f"{address}/rain.txt"),
        PublicFile("snow.txt", sha256(b"snow"), UNREACHABLE),
        PublicFile("fog.txt", sha256(b"fog"), by_hand="measure it"),
    )
    monkeypatch.setattr(fetch, "PUBLIC_SETS", {"weather": PublicSet("weather", "Weather", "example.org", "CC0", files)})
    monkeypatch.setenv("EPOCHAL_DATA", str(tmp_path / "data"))
    assert run("weather") == 2
    captured = capsys.readouterr()
    assert "fetched       rain.txt" in captured.out
    sentences = captured.err.splitlines()
    assert len(sentences) == 2
    assert sentences[0].startswith("epochal: weather/snow.txt: ")
    assert "could not be downloaded" in sentences[0]
    assert sentences[1] == f"epochal: weather/fog.txt: measure it; save it as {tmp_path / 'data/weather/fog.txt'}"


def test_the_command_needs_a_data_folder(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("EPOCHAL_DATA", raising=False)
    assert run("tnp") == 2
    assert capsys.readouterr().err == "epochal: fetch needs a data folder; name one with --data or EPOCHAL_DATA\n"
