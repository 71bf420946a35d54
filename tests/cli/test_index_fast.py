"""`epochal index --fast` and `--vectors`: search works before the vectors are made, which another process makes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from epochal.api import Index
from epochal.cli import vectors
from epochal.cli.vectors import LOG, make_in_background
from epochal.errors import EpochalError
from epochal.storage.pending import wait_for_maker
from epochal.storage.protocol import list_pending


@pytest.fixture
def many_file(tmp_path, write_rows):
    rows = [
        {"id": f"{year}", "text": f"In {year} a storm broke {year - 1000} masts.", "published": f"{year}-03-01"}
        for year in range(1800, 2000)
    ]
    return write_rows(tmp_path / "many.jsonl", rows)


@pytest.fixture
def pending_index(tmp_path, many_file, run, monkeypatch):
    """An index without vectors, and no process that makes them."""
    monkeypatch.setattr("epochal.cli.index.start_in_background", lambda *_: None)
    assert run("index", tmp_path / "storms", "--from", many_file, "--fast")[0] == 0
    return tmp_path / "storms"


def count_pending(folder):
    with Index.open(folder) as index:
        return len(list_pending(index.view()))


def start(*words):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "epochal", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def test_a_process_in_the_background_makes_them(run, tmp_path, rows_file):
    folder = tmp_path / "news"
    code, out, err = run("index", folder, "--from", rows_file, "--fast")
    assert (code, err) == (0, "")
    assert out == (
        f"{folder}: 4 documents added; it holds 4 documents (encoder minilm)\n"
        f"{folder}: search works now; the vectors of 4 passages are made in the background\n"
    )
    assert "Tariffs on steel" in run("search", folder, "steel tariffs in 1998")[1]
    assert vectors._started[-1].wait() == 0
    assert count_pending(folder) == 0
    assert not (folder / LOG).exists()
    assert run("index", folder, "--vectors")[:2] == (0, f"{folder}: all passages have their vectors\n")
    assert "pending" not in run("search", folder, "steel tariffs", "--json")[1]
    started = len(vectors._started)
    assert run("index", folder, "--from", rows_file, "--fast")[1].count("\n") == 1
    assert len(vectors._started) == started


def test_after_a_kill_it_goes_on(run, tmp_path, many_file):
    folder = tmp_path / "storms"
    assert run("index", folder, "--from", many_file, "--fast")[0] == 0
    vectors._started[-1].kill()
    vectors._started[-1].wait()
    assert run("check", folder)[0] == 0
    assert run("index", folder, "--vectors")[0] == 0
    assert count_pending(folder) == 0


def test_searches_and_check_say_how_many(run, pending_index):
    applied = json.loads(run("search", pending_index, "storm in 1850", "--json")[1])["applied"]
    sentence = "200 of 200 passages have no vectors yet: they are found by their words and times alone"
    assert {"name": "pending", "sentence": sentence, "strict": False, "span": None} in applied
    assert sentence in run("search", pending_index, "storm in 1850")[1]
    code, out, _ = run("check", pending_index)
    assert code == 0
    assert out == (
        f"{pending_index}: sound; 200 documents, 200 passages\n"
        f"vectors of 200 passages are not made yet; where no process in the background makes them: epochal index "
        f"{pending_index} --vectors\n"
    )
    assert json.loads(run("check", pending_index, "--json")[1])["pending"] == 200
    assert run("index", pending_index, "--vectors")[1] == f"{pending_index}: vectors of 200 passages made\n"


def test_a_second_process_waits_and_a_third_ends(pending_index):
    with wait_for_maker(pending_index):
        second = start("index", pending_index, "--vectors")
        assert "another process makes the vectors" in second.stderr.readline()
        third = start("index", pending_index, "--vectors")
        out, err = third.communicate()
        assert (third.returncode, out, err) == (
            0,
            f"{pending_index}: another process is waiting to make the vectors\n",
            "",
        )
        assert count_pending(pending_index) == 200
    out, err = second.communicate()
    assert (second.returncode, out, err) == (0, f"{pending_index}: vectors of 200 passages made\n", "")


@pytest.mark.parametrize(
    ("error", "words"),
    [(EpochalError("the encoder does not answer"), "epochal: the encoder does not answer\n"), (KeyError("x"), "Trace")],
)
def test_why_the_background_failed_is_in_the_folder(pending_index, monkeypatch, error, words):
    def fail(*_, **__):
        raise error

    nice = []
    monkeypatch.setattr(os, "nice", nice.append, raising=False)
    with monkeypatch.context() as context:
        context.setattr(Index, "make_vectors", fail)
        with pytest.raises(type(error)):
            make_in_background(str(pending_index))
    assert (pending_index / LOG).read_text(encoding="utf-8").startswith(words)
    make_in_background(str(pending_index))
    assert not (pending_index / LOG).exists()
    assert nice == [10, 10]
    assert count_pending(pending_index) == 0


@pytest.mark.parametrize("encoder", ["static", "none"])
def test_where_nothing_is_delayed_nothing_is_said(run, tmp_path, rows_file, encoder):
    started = len(vectors._started)
    code, out, _ = run("index", tmp_path / "news", "--from", rows_file, "--fast", "--encoder", encoder)
    assert (code, out.count("\n")) == (0, 1)
    assert len(vectors._started) == started


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{news}", "--vectors", "--from", "x.jsonl"], "does not go with 'x.jsonl'"),
        (["{news}", "--vectors", "--fast"], "does not go with --fast"),
        (["nowhere", "--vectors"], "nowhere does not exist"),
        (["cluster.toml", "--from", "x.jsonl", "--fast"], "--fast goes with an index in a folder, not with cluster"),
        (["{news}", "--from", "x.jsonl", "--fast", "--ray"], "leave out one of them"),
    ],
)
def test_refusals(complaint, news, words, message):
    assert message in complaint("index", *[word.format(news=news) for word in words])
