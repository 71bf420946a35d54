"""TimeQA as passage retrieval: paragraphs, questions with an answer, and the paragraphs where it was marked."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, InputError
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.cards import describe, find_copies
from epochal_lab.datasets.catalogue import open_set
from epochal_lab.datasets.folder import read_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.datasets.sources import LoadedSet
from epochal_lab.datasets.timeqa import build
from paths import DATA, needs_data
from tempo_files import DOCUMENTS, EXAMPLES, IDS, NESTED, write_jsonl

FILES = DATA / "timeqa"


def entry(answers, paras=("Ann", "She was mayor .", "She was governor .")):
    return {
        "index": "/wiki/Ann_Lee#P39",
        "type": "P39",
        "link": "/wiki/Ann_Lee",
        "questions": [["What was Ann Lee from 1990 to 1994?", answers]],
        "paras": list(paras),
    }


def written(folder, *entries, split="train"):
    (folder / f"human_annotated_{split}.json").write_text(json.dumps(entries))
    return folder


def test_the_marked_paragraphs_are_relevant(tmp_path):
    marked = [
        {"para": 1, "from": 8, "end": 13, "answer": "mayor"},
        {"para": 2, "from": 8, "end": 16, "answer": "governor"},
    ]
    result, manifest = build(written(tmp_path, entry(marked), {**entry([{"answer": ""}]), "index": "/wiki/Ann_Lee#P6"}))
    (query,) = result.queries
    assert query.id == "/wiki/Ann_Lee#P39@0"
    assert query.periods == (Span.parse("1990/1994"),)
    assert query.annotations["answers"] == ["mayor", "governor"]
    assert result.qrels == {query.id: {"/wiki/Ann_Lee#1": 1, "/wiki/Ann_Lee#2": 1}}
    assert [item.title for item in result.documents] == ["Ann Lee"] * 3
    assert manifest.facts == {"questions_without_an_answer": 1, "questions_with_a_time_read": 1}


def test_mistakes_are_reported_in_a_sentence(tmp_path):
    written(tmp_path, entry([{"para": 7, "answer": "mayor"}]))
    with pytest.raises(InputError, match="entry 1 marks an answer in '/wiki/Ann_Lee#7', which is no paragraph"):
        build(tmp_path)
    with pytest.raises(EpochalError, match="split is 'dev'; accepted: train"):
        build(tmp_path, split="dev")


@needs_data("timeqa")
def test_the_published_passage_set_comes_out_again():
    result, _ = build(FILES, periods=False)
    published = read_folder(FILES / "human_train_beir")
    assert [(query.id, query.text) for query in result.queries] == [
        (query.id, query.text) for query in published.queries
    ]
    assert result.qrels == published.qrels
    ours, theirs = list(result.documents), list(published.documents)
    assert [(item.id, item.text) for item in ours] == [(item.id, item.text) for item in theirs]
    # Of one page the published title is what stands after the last slash of its name.
    other = {item.title for item, known in zip(ours, theirs, strict=True) if item.title != known.title}
    assert other == {"Escadron de Chasse 1/2 Cigognes"}


def test_everything_is_counted():
    documents = (
        Document("d1", "Ann won.", published=Span.year(1998)),
        Document("d2", "Ann won."),
        Document("d3", "Bob won.", meta={"times": ["1999"]}),
        Document("d4", "Ann won."),
    )
    queries = (
        BenchQuery("q1", "Who?", Span.year(2000), (Span.year(1998),), "point", "dev", ("d3",)),
        BenchQuery("q2", "When?"),
    )
    qrels = {"q1": {"d1": 1, "d2": 1, "gone": 1, "d3": 0}}
    message = describe(
        LoadedSet(BenchSet("own", documents, queries, qrels, {"q1": (frozenset(),)}), (), {"left out": 3})
    )
    assert (message.documents, message.questions, message.judged) == (4, 2, 3)
    assert (dict(message.splits), dict(message.kinds)) == ({"dev": 1, "test": 1}, {"point": 1})
    assert (message.dated_documents, message.with_now, message.with_periods, message.with_exclusions) == (2, 1, 1, 1)
    assert (message.with_period_labels, message.unjudged, message.unreachable) == (1, 1, 1)
    assert (message.copies.documents, message.copies.share) == (2, 0.5)
    assert message.copies.gold == (("q1", "d1", ("d4",)), ("q1", "d2", ("d4",)))
    assert message.facts == {"left out": 3}


@given(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12))
def test_copies_are_what_is_not_distinct(texts):
    result = find_copies([Document(f"d{position}", text) for position, text in enumerate(texts)], {})
    assert result.documents == len(texts) - len(set(texts))
    assert result.of == len(texts)


def test_a_title_belongs_to_the_text():
    assert find_copies([Document("a", "Rain.", "Paris"), Document("b", "Rain.", "Rome")], {}).documents == 0


def test_the_ids_of_tempo_vouch_for_the_texts(tmp_path):
    spoilt = [{**DOCUMENTS[0], "content": "The act of 1912 set the term."}, *DOCUMENTS[1:]]
    for config, rows in (("documents", spoilt), ("examples", EXAMPLES), ("steps", NESTED)):
        write_jsonl(tmp_path / "tempo" / config / "law.jsonl", rows)
    assert describe(open_set("tempo/law", tmp_path)).damaged == 1
    write_jsonl(tmp_path / "tempo" / "documents" / "law.jsonl", DOCUMENTS)
    message = describe(open_set("tempo/law", tmp_path))
    assert message.damaged == 0
    assert message.copies.documents == 1
    assert message.copies.gold == (("10_1", IDS[0], (IDS[3],)),)
    assert [file.name for file in message.files] == ["documents/law.jsonl", "examples/law.jsonl", "steps/law.jsonl"]


@pytest.mark.parametrize(("spoilt", "state"), [(False, "as pinned"), (True, "differs")])
def test_files_are_compared_with_what_is_pinned(tmp_path, spoilt, state):
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(b"{}\n")
    pinned = hashlib.sha256(b"{}\n").hexdigest()
    if spoilt:
        path.write_bytes(b"{} \n")
    record = describe(LoadedSet(BenchSet("own", (), (), {}), (path,)), {"corpus.jsonl": pinned})
    assert [(file.name, file.state) for file in record.files] == [("corpus.jsonl", state)]
    assert record.files[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
