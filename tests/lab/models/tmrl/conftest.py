"""The rows of a made world, and the same as a test set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epochal_lab.datasets.augment.rows import TemporalRow
from tmrl_world import make_rows


@pytest.fixture
def rows() -> list[TemporalRow]:
    return make_rows()


@pytest.fixture(scope="session")
def beir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The passages as a test set, each asked for by the question of its year; one question has no answer there."""
    place = tmp_path_factory.mktemp("teams")
    rows = make_rows()
    lines = [json.dumps({"_id": row.id, "title": "", "text": row.passage}) for row in rows]
    (place / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    requests = [json.dumps({"_id": f"q-{row.id}", "text": row.positives[0].text}) for row in rows]
    requests.append(json.dumps({"_id": "none", "text": "who ?"}))
    (place / "queries.jsonl").write_text("\n".join(requests), encoding="utf-8")
    (place / "qrels").mkdir()
    judged = ["query-id\tcorpus-id\tscore", *(f"q-{row.id}\t{row.id}\t1" for row in rows), "none\tgone\t1"]
    (place / "qrels" / "test.tsv").write_text("\n".join(judged) + "\n", encoding="utf-8")
    return place
