"""TimeQA as passage retrieval: paragraphs, questions with an answer, and the paragraphs where it was marked."""

import json

import pytest

from epochal.errors import EpochalError, InputError
from epochal.times import Span
from epochal_lab.datasets.folder import read_folder
from epochal_lab.datasets.timeqa import build
from paths import DATA

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
    made, manifest = build(written(tmp_path, entry(marked), {**entry([{"answer": ""}]), "index": "/wiki/Ann_Lee#P6"}))
    (query,) = made.queries
    assert query.id == "/wiki/Ann_Lee#P39@0"
    assert query.periods == (Span.parse("1990/1994"),)
    assert query.annotations["answers"] == ["mayor", "governor"]
    assert made.qrels == {query.id: {"/wiki/Ann_Lee#1": 1, "/wiki/Ann_Lee#2": 1}}
    assert [item.title for item in made.documents] == ["Ann Lee"] * 3
    assert manifest.facts == {"questions_without_an_answer": 1, "questions_with_a_time_read": 1}


def test_mistakes_are_told_in_a_sentence(tmp_path):
    written(tmp_path, entry([{"para": 7, "answer": "mayor"}]))
    with pytest.raises(InputError, match="entry 1 marks an answer in '/wiki/Ann_Lee#7', which is no paragraph"):
        build(tmp_path)
    with pytest.raises(EpochalError, match="split is 'dev'; accepted: train"):
        build(tmp_path, split="dev")


@pytest.mark.skipif(not FILES.is_dir(), reason="the data of TimeQA is not at hand")
def test_the_published_passage_set_comes_out_again():
    made, _ = build(FILES, periods=False)
    published = read_folder(FILES / "human_train_beir")
    assert [(query.id, query.text) for query in made.queries] == [(query.id, query.text) for query in published.queries]
    assert made.qrels == published.qrels
    ours, theirs = list(made.documents), list(published.documents)
    assert [(item.id, item.text) for item in ours] == [(item.id, item.text) for item in theirs]
    # Of one page the published title is what stands after the last slash of its name.
    other = {item.title for item, known in zip(ours, theirs, strict=True) if item.title != known.title}
    assert other == {"Escadron de Chasse 1/2 Cigognes"}
