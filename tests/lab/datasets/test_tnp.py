"""TNP from its published files: what they hold, and the times that the questions ask about."""

import json

import pytest

from epochal.errors import EpochalError
from epochal.times import Span
from epochal_lab.datasets.published import build_tnp
from paths import DATA

FILES = DATA / "tnp"


@pytest.fixture
def source(tmp_path):
    cards = [{"_id": f"doc{year}", "title": "", "text": f"Ann\nThe Nobel Peace Prize {year}."} for year in (1901, 1902)]
    asked = {"q1": "Who won the Nobel Prize in Peace between 1901 and 1902?", "q2": "Who won the Peace Prize in 1902?"}
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, cards)))
    (tmp_path / "queries.jsonl").write_text("\n".join(json.dumps({"_id": id, "text": t}) for id, t in asked.items()))
    (tmp_path / "qrels").mkdir()
    rows = ["query-id\tcorpus-id\tscore", "q1\tdoc1901\t1", "q1\tdoc1902\t1", "q2\tdoc1902\t1"]
    (tmp_path / "qrels" / "test.tsv").write_text("\n".join(rows))
    return tmp_path


def test_questions_get_their_times_and_all_else_stays(source):
    made, manifest = build_tnp(source)
    assert [query.periods for query in made.queries] == [(Span.parse("1901/1902"),), (Span.year(1902),)]
    assert [query.kind for query in made.queries] == ["between", "during"]
    assert made.qrels == {"q1": {"doc1901": 1, "doc1902": 1}, "q2": {"doc1902": 1}}
    assert [item.id for item in made.documents] == ["doc1901", "doc1902"]
    assert manifest.facts == {"questions_with_a_time_read": 2}
    assert set(manifest.sources) == {"corpus.jsonl", "queries.jsonl", "qrels/test.tsv"}


def test_without_periods_the_questions_are_as_published(source):
    made, _ = build_tnp(source, periods=False)
    assert {query.periods for query in made.queries} == {()}


def test_a_folder_without_judgements_is_refused(source):
    (source / "qrels" / "test.tsv").unlink()
    with pytest.raises(EpochalError, match=r"has no qrels/test\.tsv; accepted: TNP in BEIR's form"):
        build_tnp(source)


@pytest.mark.skipif(not FILES.is_dir(), reason="the data of TNP is not at hand")
def test_the_published_files_are_read_whole():
    made, manifest = build_tnp(FILES)
    assert len(made.queries) == manifest.facts["questions_with_a_time_read"] == 1671
    assert sum(1 for _ in made.documents) == 989
    assert all(len(query.periods) == 1 for query in made.queries)
