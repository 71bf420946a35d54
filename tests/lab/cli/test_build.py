"""`epochal bench build`: the list, a build from rows of our own, and mistakes in one line."""

import json

import pytest

from epochal.cli import main
from epochal_lab.datasets.folder import read_folder


@pytest.fixture
def source(tmp_path):
    meta = {
        "reign": "建元",
        "era_year": 1,
        "ad_year": 479,
        "season": "春",
        "lunar_month_label": "正月",
        "day_ganzhi": "",
    }
    row = {"id": "a", "title": "大水", "description": "大水。", "source": "资治通鉴·齐纪", "time_meta": meta}
    (tmp_path / "zztj_qiji.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    return tmp_path


def test_the_list_shows_builders_with_their_switches(capsys):
    assert main(["bench", "build", "--list"]) == 0
    output = capsys.readouterr().out
    assert "zztj: Zizhi Tongjian" in output
    assert "  dates=tag  " in output
    assert main(["bench", "build", "--list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["chunqiutr"]["switches"][0]["default"] == 3


def test_a_set_is_written_and_counted(source, capsys):
    out = source / "out"
    assert main(["bench", "build", "zztj", "--from", str(source), "-o", str(out), "--set", "dates=none"]) == 0
    output = capsys.readouterr()
    assert f"{out / 'corpus.jsonl'}: 1 row\n" in output.out
    assert "  records: 1 (published 268)\n" in output.out
    assert output.err == f"{out}: zztj/qi/none, made by zztj\n"
    assert [document.text for document in read_folder(out).documents] == ["大水。"]


def test_the_facts_can_be_had_as_json(source, capsys):
    assert main(["bench", "build", "zztj", "--from", str(source), "-o", str(source / "out"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"]["queries.jsonl"] == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["zztj"], "lacks --from DIR and -o OUT; accepted: NAME --from DIR -o OUT, or --list"),
        (["own", "--from", ".", "-o", "OUT"], "no builder is called 'own'"),
        (["zztj", "--from", "nowhere", "-o", "OUT"], "the folder 'nowhere' to build 'zztj' from is not there"),
        (["zztj", "--from", "FROM", "-o", "FROM"], "which exists; accepted: a new folder"),
        (["zztj", "--from", "FROM", "-o", "OUT", "--set", "dates"], "--set 'dates' sets nothing; accepted: KEY=VALUE"),
        (["zztj", "--from", "FROM", "-o", "OUT", "--set", "day=1"], "no switch is called 'day'; known: dates"),
        (
            ["zztj", "--from", "FROM", "-o", "OUT", "--set", "dates=all"],
            "dates is 'all'; accepted: tag, none, sequence",
        ),
        (["chunqiutr", "--from", "FROM", "-o", "OUT"], "entries.jsonl is missing; the set is built from it"),
    ],
)
def test_mistakes_are_reported_in_one_line(source, capsys, words, message):
    paths = {"FROM": str(source), "OUT": str(source / "out")}
    assert main(["bench", "build", *(paths.get(word, word) for word in words)]) == 2
    output = capsys.readouterr().err
    assert message in output
    assert output.count("\n") == 1
    assert not (source / "out").exists()
