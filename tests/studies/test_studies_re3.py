"""The load_studys of Re3 can be tried, say what they must, and leave nothing behind."""

from __future__ import annotations

import numpy as np
import pytest

from epochal.api import Index
from epochal.storage.records import Document
from epochal.times import Span


def test_re3_retrieval(run_quick):
    pytest.importorskip("torch")
    rows = run_quick("re3_retrieval")
    assert [row["part"] for row in rows] == ["ablations"] + ["missing"] * 4
    whole = [row["hit@1"]["mean"] for row in rows if row.get("without times") == 0.0]
    assert min(whole) == 1.0
    assert all(row["hit@1"]["low"] <= row["hit@1"]["mean"] <= row["hit@1"]["high"] for row in rows)


def test_every_ablation_changes_one_thing(load_study):
    pytest.importorskip("torch")
    result = load_study("re3_retrieval").get_ablations()
    for head in ("parity", "improved"):
        base = result[head]
        others = [value for name, value in result.items() if name.startswith(f"{head},")]
        assert len(others) == len(set(others))
        assert base not in others


def test_an_undated_view_has_lost_the_times_of_some_documents(load_study, tmp_path):
    pytest.importorskip("torch")
    module = load_study("_re3_material")
    documents = [
        Document(f"d{year}", f"The prize of {year}. It rained in May {year + 1}.", published=Span.year(year))
        for year in range(1900, 1910)
    ]
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add(documents)
        view = index.view()
        torn = module.Undated(view, 0.4)
        gone = set(range(10)) - set(torn.published.rows.tolist())
        assert len(gone) == 4
        assert set(torn.get_document_rows(torn.content.rows).tolist()) == set(range(10)) - gone
        # The words around a time are those of that time, wherever it stands in the shorter table.
        position = np.array([len(torn.content) - 1])
        row = torn.content.rows[position]
        original = np.flatnonzero(
            (view.content.rows == row) & (view.content.start_chars == torn.content.start_chars[-1])
        )
        tokens = view.analyse("prize rained")
        assert (
            torn.match_contexts(row, position, tokens).tolist() == view.match_contexts(row, original, tokens).tolist()
        )
        assert torn.match_contexts(row, np.array([-1]), tokens).tolist() == [[True, True]]
        assert len(module.Undated(view, 0.0).content) == len(view.content)
