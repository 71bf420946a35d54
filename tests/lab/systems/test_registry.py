from __future__ import annotations

import subprocess
import sys

import pytest

from epochal.errors import EpochalError, InputError, UnknownNameError
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.systems.base import System
from epochal_lab.systems.presets import KINDS, Preset, get_preset, load_presets
from epochal_lab.systems.registry import list_system_names, list_systems, make_system

NEEDS = {
    "pqr": "pqr(url=http://localhost:1/v1, llm=small)",
    "reranked": "reranked(base=bm25)",
    "run": "run(path=a.trec)",
}
TEMPO = "bge contriever sbert inst-l e5-mistral sfr gte-qwen1.5 gritlm diver rader reasonir".split()
CHUNQIUTR = (
    "me5-large me5-large-instruct gte-large-zh bge-large-zh bge-m3 gte-qwen2-1.5b e5-mistral-zh qwen3-embedding-0.6b "
    "qwen3-embedding-4b opensearch-sparse splade-l0 colbert-jina colbert-lfm2 pqr"
).split()


def test_the_papers_retrievers_are_there():
    assert set(TEMPO) | {"bm25-official"} <= set(list_system_names())
    assert set(CHUNQIUTR) | {"bm25-okapi-zh", "bm25-okapi-zh-timekde"} <= set(list_system_names())


@pytest.mark.parametrize("name", list_system_names())
def test_every_name_makes_a_system_that_reads_back(name):
    system = make_system(NEEDS.get(name, name))
    assert isinstance(system, System)
    assert system.name == NEEDS.get(name, name)
    assert make_system(system.name) == system
    assert list_systems()[name].line


def test_no_two_systems_that_keep_something_share_a_folder():
    stores = [make_system(NEEDS.get(name, name)).store for name in load_presets()]
    assert len(set(stores)) == len(stores)


def test_listing_loads_nothing_heavy():
    code = (
        "import sys; from epochal_lab.systems.registry import list_systems, make_system; list_systems(); "
        "make_system('bge'); make_system('colbert-jina'); make_system('splade'); "
        "print([name for name in ('torch', 'transformers', 'sentence_transformers', 'pylate') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("item", load_presets().values(), ids=lambda item: item.name)
def test_presets_are_whole(item):
    assert item.kind in KINDS
    assert item.model.count("/") == 1
    if item.corrected:
        corrected = item.get_setup("corrected")
        assert corrected != item
        assert corrected.note != item.note
        assert item.note, "what the paper does otherwise is said"


def test_what_the_papers_did_is_kept():
    general = "Represent this query for retrieving relevant documents: "
    with_it = {name for name in TEMPO if get_preset(name).query.endswith(general)}
    assert with_it == {"bge", "inst-l", "e5-mistral", "sfr", "gte-qwen1.5", "gritlm", "rader", "reasonir"}
    assert (get_preset("diver").query, get_preset("diver").document) == ("", "Represent this text:")
    assert (get_preset("gritlm").query_tokens, get_preset("rader").document_characters) == (256, 8192)
    assert get_preset("contriever").model == "facebook/contriever-msmarco"
    assert get_preset("qwen3-embedding-0.6b").query.endswith("\nQuery:")
    assert {get_preset(name).query_tokens for name in CHUNQIUTR if get_preset(name).kind == "dense"} == {128}


def test_mistakes_are_named():
    for text, words in (
        ("bge(setup=card)", "bge has no setup 'card'; accepted: paper, corrected"),
        ("sbert(setup=corrected)", "sbert has no setup 'corrected'; accepted: paper"),
        ("bge(dtype=int8)", "dtype must be one of float32, float16, bfloat16, auto"),
        ("bge(query_tokens=0)", "query_tokens must be a whole number from 1"),
        ("bge(colour=red)", "bge has no setting 'colour'"),
        ("bm25-okapi-zh(k1=2)", "bm25-okapi-zh has no setting 'k1'; accepted: none"),
        ("run", "run needs a file"),
    ):
        with pytest.raises(EpochalError, match=words):
            make_system(text)
    with pytest.raises(UnknownNameError, match="no pooling is called 'max'; known: mean, cls, last"):
        Preset("mine", "Mine", "none", "me/mine", pooling="max")
    with pytest.raises(EpochalError, match="preset 'mine' corrects 'colour', which is no field of a preset"):
        Preset("mine", "Mine", "none", "me/mine", corrected={"colour": "red"})


ROWS = "q1 Q0 d1 2 0.25 mine\nq1 Q0 d3 1 0.5 mine\nq2 Q0 d1 1 7 mine\n"


def test_a_run_answers_by_id_best_first(tmp_path):
    (tmp_path / "a.trec").write_text(ROWS)
    queries = [BenchQuery(id, "any words") for id in ("q2", "q1", "q3")]
    with make_system(f"run(path={tmp_path / 'a.trec'})").open((), tmp_path) as ranker:
        matches = list(ranker.answer(queries, 1))
    assert [(answer.query, answer.hits) for answer in matches] == [
        ("q2", (("d1", 7.0),)),
        ("q1", (("d3", 0.5),)),
        ("q3", ()),
    ]


def test_a_run_of_another_set_is_no_run_of_zeros(tmp_path):
    (tmp_path / "a.trec").write_text(ROWS)
    with (
        make_system(f"run(path={tmp_path / 'a.trec'})").open((), tmp_path) as ranker,
        pytest.raises(EpochalError, match=r"none of the 1 questions; it has such as 'q1', the set such as 'other'$"),
    ):
        list(ranker.answer([BenchQuery("other", "any")], 3))


def test_a_file_that_is_no_run(tmp_path):
    (tmp_path / "a.trec").write_text("q1 d1\n")
    with pytest.raises(InputError, match="line 1"), make_system(f"run(path={tmp_path / 'a.trec'})").open((), tmp_path):
        pass
