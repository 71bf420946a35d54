"""Exact search by prefixes against brute force, the measures by hand, and sets that cannot be read."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
import torch

from epochal.errors import InputError
from epochal_lab.models.tmrl.batches import tokenize_timed
from epochal_lab.models.tmrl.evaluate import (
    MEASURES,
    BeirSet,
    build_text_encoder,
    encode_texts,
    evaluate_prefixes,
    read_beir,
    search_nearest,
)
from epochal_lab.models.tmrl.network import build_network
from tmrl_world import small, tiny


@pytest.mark.parametrize("dim", [1, 3, 8])
def test_search_by_a_prefix_is_search_over_cut_vectors(dim):
    built = np.random.default_rng(dim)
    documents, questions = built.normal(size=(40, 8)), built.normal(size=(5, 8))
    cut, query = documents[:, :dim], questions[:, :dim]
    scores = (query / np.linalg.norm(query, axis=1, keepdims=True)) @ (
        cut / np.linalg.norm(cut, axis=1, keepdims=True)
    ).T
    result = search_nearest(torch.from_numpy(questions), torch.from_numpy(documents), dim, depth=6)
    rows = np.arange(5)[:, None]
    assert np.allclose(scores[rows, result], -np.sort(-scores, axis=1)[:, :6], atol=1e-6)


def test_a_folder_is_read_and_measured(beir):
    bench_set = read_beir(beir)
    assert (len(bench_set.documents), len(bench_set.questions)) == (12, 12)
    assert "none" not in bench_set.questions  # its only answer is not in the corpus
    perfect = {text: number for number, text in enumerate((*bench_set.texts, *bench_set.question_texts))}

    def encode(texts, side):
        return torch.eye(12)[[perfect[text] % 12 for text in texts]]

    outcome = evaluate_prefixes(encode, bench_set, [12, 400])
    assert list(outcome.values) == [12]
    assert all(outcome.mean(12, name) == 1.0 for name in MEASURES)
    record = json.loads(json.dumps(outcome.to_dict()))
    assert record["dims"]["12"]["nDCG@10"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert record["per_question"]["R@10"]["12"] == [1.0] * 12
    assert outcome.line() == f"{beir.name} nDCG@10: 12 1.0000"


def test_a_corpus_may_be_packed_and_have_titles(tmp_path):
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt") as file:
        file.write('{"_id": 3, "title": "A", "text": "b"}\n{"_id": "d4", "text": ""}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "b"}\n')
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq\t3\t2\nq\td4\t0\n")
    bench_set = read_beir(tmp_path, "dev")
    assert bench_set.texts == ("A\nb", "")
    assert bench_set.judged == ({0: 2},)


@pytest.mark.parametrize(
    ("corpus", "qrels", "message"),
    [
        (None, "q\td\t1", "holds no corpus.jsonl"),
        ('{"text": "a"}', "q\td\t1", "the row has no id"),
        ("[1]", "q\td\t1", "the row is a list"),
        ('{"_id": "d"}', "q\te\t1", "holds no question of the split 'test'"),
    ],
)
def test_folders_that_cannot_be_read(tmp_path, corpus, qrels, message):
    if corpus is not None:
        (tmp_path / "corpus.jsonl").write_text(corpus)
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "b"}\n')
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{qrels}\n")
    with pytest.raises(InputError, match=message):
        read_beir(tmp_path)


def test_all_texts_at_once_are_texts_one_by_one():
    network = build_network(tiny(), small("lora")).train()
    texts = ["ann played for leeds in 1998 .", "who ?", "", "in 2001 , in 2004 , in 2007"]
    result = tokenize_timed(network.reader, texts)
    together = encode_texts(network, result, "passage")
    assert network.training  # as it was before
    for row in range(len(texts)):
        alone = encode_texts(network, tokenize_timed(network.reader, texts[row : row + 1]), "passage")
        torch.testing.assert_close(together[row : row + 1], alone, atol=1e-5, rtol=1e-5)
    assert encode_texts(network, tokenize_timed(network.reader, []), "passage").shape == (0, 16)


def test_prefixes_of_settings_go_before_texts():
    settings = small("lora", question_prefix="who ", passage_prefix="the club of ")
    network = build_network(tiny(), settings)
    plain = build_network(tiny(), small("lora"))
    for side, prefix in (("question", "who "), ("passage", "the club of ")):
        torch.testing.assert_close(
            build_text_encoder(network)(["leeds"], side), build_text_encoder(plain)([f"{prefix}leeds"], side)
        )


def test_a_second_encoder_reads_what_the_tagger_finds():
    network = build_network(tiny(), small("tempretriever-fs"))
    (one,) = build_text_encoder(network)(["ann played in 1998 ."], "passage")
    (other,) = build_text_encoder(network)(["ann played in 2001 ."], "passage")
    (none,) = build_text_encoder(network)(["ann played in town ."], "passage")
    assert len({tuple(vector[16:].tolist()) for vector in (one, other, none)}) == 3


def test_no_document_is_too_few():
    beir = BeirSet("one", ("d",), ("a",), ("q",), ("b",), ({0: 1},))
    assert evaluate_prefixes(lambda texts, side: torch.ones(len(texts), 4), beir, [2, 4]).mean(2, "R@100") == 1.0
