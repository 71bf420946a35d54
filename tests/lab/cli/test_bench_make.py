"""`epochal bench make`: a folder that `epochal run` answers, from documents without labels."""

from __future__ import annotations

import json

import pytest

from epochal.cli import main
from epochal_lab.cli.bench_sets import _KINDS, system_record
from epochal_lab.datasets.folder import read_folder, read_folder_manifest
from epochal_lab.systems.registry import list_system_names, list_systems

NAMES = ("Ann Hay", "Bob Roe")


@pytest.fixture
def source(tmp_path, write_rows):
    rows = [
        {"id": f"{name[0]}{month}", "text": f"They met {name}, again.", "published": f"2001-{month:02}-04"}
        for name in NAMES
        for month in range(1, 13)
    ]
    return write_rows(tmp_path / "meetings.jsonl", rows)


def test_a_set_is_made_and_answered(run, source, tmp_path):
    target = tmp_path / "set"
    code, out, err = run("bench", "make", source, "-o", target, "--per-kind", "4", "--seed", "2")
    assert (code, err) == (0, "")
    assert out.startswith(f"{target}: ")
    assert "about 24 documents (4 point, " in out
    assert "  none of the kind latest: no documents share a series, or a title" in out
    assert "  none of the kind as_of: no documents share a series, or a title" in out
    manifest = read_folder_manifest(target)
    assert manifest.id == "made/meetings"
    assert manifest.parameters["seed"] == 2
    assert manifest.parameters["now"] == "2001-12-04"
    code, _, _ = run("run", target, "-o", tmp_path / "mine.trec", "--encoder", "none")
    assert code == 0


def test_kinds_and_now(run, source, tmp_path):
    words = ("--kinds", "point", "--per-kind", "2", "--now", "2002-01-01")
    assert run("bench", "make", source, "-o", tmp_path / "set", *words)[0] == 0
    bench_set = read_folder(tmp_path / "set")
    assert {query.kind for query in bench_set.queries} == {"point"}
    assert {query.now.edtf() for query in bench_set.queries} == {"2002-01-01"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.jsonl", "-o", "set"], "there is no such file or folder"),
        (["{source}"], "the following arguments are required: -o/--out"),
        (["{source}", "-o", "set", "--kinds", "pont"], "no kind of question is called 'pont'"),
        (["{source}", "-o", "set", "--per-kind", "0"], "per_kind must be at least 1"),
        (["{source}", "-o", "."], "a test set cannot be written to '.'"),
    ],
)
def test_mistakes(complaint, source, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    assert message in complaint("bench", "make", *(word.format(source=source) for word in words))


def test_every_system_is_shown_under_its_kind(capsys):
    assert main(["bench", "systems"]) == 0
    lines = capsys.readouterr().out.splitlines()
    output = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(output) == sorted(list_system_names())
    assert "one vector a text" in lines


def test_json_has_every_system(capsys):
    assert main(["bench", "systems", "--json"]) == 0
    records = {record["name"]: record for record in json.loads(capsys.readouterr().out)}
    assert tuple(records) == list_system_names()
    assert {record["kind"] for record in records.values()} <= set(_KINDS)
    assert records["diver"]["paper"] == "TEMPO"
    assert records["diver"]["setups"] == ["paper", "corrected"]
    assert records["epochal"]["model"] is None


def test_every_key_of_the_json_is_documented(documented_keys):
    assert documented_keys("bench systems") == list(system_record(list_systems()["bge"]))


def test_what_is_made_is_audited_and_so_is_any_set(source, tmp_path, run, documented_keys):
    target = tmp_path / "set"
    code, out, _ = run("bench", "make", source, "-o", target, "--per-kind", "2")
    assert code == 0
    assert "shortcuts, hit@1 of " in out
    code, out, _ = run("bench", "audit", target, "--most", "3", "--json")
    (record,) = json.loads(out)
    assert documented_keys("bench audit") == list(record)
    assert record["questions"] == 3
    code, out, _ = run("bench", "audit", target)
    assert out.startswith("| set | questions | year | newest | longest | first | chance | bm25-plain |\n")
