"""`epochal serve`: what it is told, and what it says of what it cannot do."""

from __future__ import annotations

import argparse
import importlib.util

import pytest

from epochal.cli import main, serve
from epochal.server import Settings


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    serve.add_serve(parser.add_subparsers())
    return parser.parse_args(["serve", *words])


def complaint(capsys, *words: str) -> str:
    assert main(["serve", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_options_become_settings():
    arguments = parsed(
        *("news", "--host", "0.0.0.0", "--port", "9000", "--workers", "3", "--writable", "--searches", "4"),
        *("--cors", "https://a.example", "--cors", "https://b.example", "--allow-host", "news.example"),
        *("--frame", "https://c.example"),
        *("--seconds", "2.5", "--log-questions"),
    )
    assert serve.make_settings(arguments, "0123456789abcdef") == Settings(
        "news",
        host="0.0.0.0",
        port=9000,
        workers=3,
        writable=True,
        token="0123456789abcdef",
        searches=4,
        seconds=2.5,
        cors=("https://a.example", "https://b.example"),
        frames=("https://c.example",),
        hosts=("news.example",),
        log_questions=True,
    )


def test_a_service_is_read_only_and_local_unless_reported_otherwise():
    settings = serve.make_settings(parsed("news"), "a token that is not asked for")
    assert (settings.writable, settings.token, settings.host, settings.cors) == (False, "", "127.0.0.1", ())


@pytest.mark.parametrize(("cores", "workers"), [(1, 1), (3, 3), (96, 8)])
def test_a_service_has_a_process_per_core_unless_it_writes_or_loads_a_model(monkeypatch, cores, workers):
    monkeypatch.setattr(serve.os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)

    def count(*options: str) -> int:
        return serve.make_settings(parsed("news", *options), "0123456789abcdef").workers

    assert count() == count("--llm", "replay:calls.jsonl") == workers
    assert count("--writable") == count("--llm", "gguf:model.gguf") == count("--workers", "1") == 1
    assert count("--writable", "--workers", "2") == 2


def test_a_folder_without_an_index(capsys, tmp_path):
    assert "make an index with: epochal index" in complaint(capsys, str(tmp_path / "none"))


def test_writable_without_a_token(capsys, never_changed, monkeypatch):
    monkeypatch.delenv("EPOCHAL_TOKEN", raising=False)
    assert "in the variable EPOCHAL_TOKEN" in complaint(capsys, never_changed, "--writable")
    monkeypatch.setenv("MINE", "short")
    assert "16 characters or more" in complaint(capsys, never_changed, "--writable", "--token-env", "MINE")


@pytest.mark.parametrize("package", ["fastapi", "pydantic", "uvicorn"])
def test_a_missing_extra_is_one_sentence(capsys, never_changed, monkeypatch, package):
    real = importlib.util.find_spec
    monkeypatch.setattr(serve, "find_spec", lambda name: None if name == package else real(name))
    assert complaint(capsys, never_changed) == (
        f"epochal: serving an index needs the package {package}; install it with: pip install 'epochal[serve]'\n"
    )


@pytest.mark.parametrize(
    "words",
    [("--port", "70000"), ("--workers", "0"), ("--cors", "*"), ("--frame", "https://a.example;"), ("--seconds", "0")],
)
def test_settings_that_cannot_be_kept_to(capsys, never_changed, words):
    assert complaint(capsys, never_changed, *words).startswith("epochal: ")
