from __future__ import annotations

import json

from epochal.cli import main
from epochal_lab.cli.bench_sets import _KINDS, system_record
from epochal_lab.systems.registry import list_system_names, list_systems


def test_every_system_is_shown_under_its_kind(capsys):
    assert main(["bench", "systems"]) == 0
    lines = capsys.readouterr().out.splitlines()
    shown = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(shown) == sorted(list_system_names())
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
