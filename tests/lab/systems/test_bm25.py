"""BM25 of the two papers, against formulas written out word by word."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.systems.bm25 import (
    TimePrior,
    count_terms,
    stem,
    tokenise_han,
    tokenise_lucene,
    weigh_lucene,
    weigh_okapi,
)
from epochal_lab.systems.registry import make_system
from tiny_models import ranked

texts = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1, max_size=12)
questions = st.lists(st.sampled_from("abcdefg"), max_size=8)


def scores(weigh, documents, question, **settings):
    counted = count_terms(documents)
    weighed = weigh(counted, **settings)
    known = Counter(counted.vocabulary[word] for word in question if word in counted.vocabulary)
    return weighed.postings.score(weighed.weigh_query(known)).tolist()


def okapi(documents, question):
    """As the package rank_bm25 computes it."""
    size, mean = len(documents), sum(map(len, documents)) / len(documents)
    result = Counter(word for document in documents for word in set(document))
    idf = {word: math.log(size - count + 0.5) - math.log(count + 0.5) for word, count in result.items()}
    floor = 0.25 * sum(idf.values()) / len(idf) if idf else 0.0
    idf = {word: floor if value < 0 else value for word, value in idf.items()}
    return [
        sum(
            idf.get(word, 0) * tf * 2.5 / (tf + 1.5 * (0.25 + 0.75 * len(document) / mean))
            for word in question
            if (tf := document.count(word))
        )
        for document in documents
    ]


def lucene(documents, question):
    """As gensim's LuceneBM25Model does with both sides, k1 0.9 and b 0.4."""
    size, mean = len(documents), sum(map(len, documents)) / len(documents)
    result = Counter(word for document in documents for word in set(document))

    def weights(words):
        known = [word for word in words if word in result]
        return {
            word: math.log(1 + (size - result[word] + 0.5) / (result[word] + 0.5))
            * (tf / (tf + 0.9 * (0.6 + 0.4 * len(known) / mean)))
            for word, tf in Counter(known).items()
        }

    query = weights(question)
    return [
        sum(query[word] * value for word, value in weights(document).items() if word in query) for document in documents
    ]


@given(texts, questions)
def test_okapi_is_that_of_rank_bm25(documents, question):
    assert scores(weigh_okapi, documents, question) == pytest.approx(okapi(documents, question), abs=1e-9)


@given(texts, questions)
def test_lucene_weighs_the_question_too(documents, question):
    assert scores(weigh_lucene, documents, question) == pytest.approx(lucene(documents, question), abs=1e-9)


def test_rarity_counts_twice_or_once():
    documents = [["a", "b"], ["a", "c"], ["a", "d"], ["e", "f"]]
    twice, once = (scores(weigh_lucene, documents, ["b"], twice=twice)[0] for twice in (True, False))
    idf = math.log(1 + 3.5 / 1.5)
    assert twice / once == pytest.approx(idf / (1 + 0.9 * (0.6 + 0.4 * 1 / 2)))


ENGLISH = (
    Document("d1", "The tariffs were raised.", "May 1998"),
    Document("d2", "Raising rain."),
    Document("d3", "Fog."),
)
CHINESE = (
    Document("e", "夏，四月，公會齊侯。", meta={"time_id": 40}),
    Document("n", "魯成公六年四月。《春秋》及三傳皆不載此月之事。", meta={"time_id": 41}),
    Document("o", "魯成公七年五月。《春秋》及三傳皆不載此月之事。", meta={"time_id": 54}),
    Document("x", "1998", meta={"time_id": 90}),
)


def test_english_is_found_by_stems_and_titles_and_nothing_without_a_shared_word(tmp_path):
    answer = ranked(make_system("bm25-official"), tmp_path, "raise the tariff", documents=ENGLISH)
    assert [id for id, _ in answer.hits] == ["d1", "d2"]
    assert [id for id, _ in ranked(make_system("bm25-official"), tmp_path, "in 1998?", documents=ENGLISH).hits] == [
        "d1"
    ]
    assert ranked(make_system("bm25-official"), tmp_path, "the", documents=ENGLISH).hits == ()
    assert ranked(make_system("bm25-official"), tmp_path, "fog", documents=()).hits == ()
    assert not any(tmp_path.iterdir())


def test_chinese_is_found_by_characters_and_pairs(tmp_path):
    answer = ranked(make_system("bm25-okapi-zh"), tmp_path, "魯成公六年四月有何記事？", documents=CHINESE)
    assert answer.hits[0][0] == "n"
    assert "x" not in dict(answer.hits)


def test_the_prior_draws_towards_the_months_of_what_is_found(tmp_path):
    plain, timed = (
        dict(ranked(make_system(name), tmp_path, "魯成公六年四月", documents=CHINESE).hits)
        for name in ("bm25-okapi-zh", "bm25-okapi-zh-timekde(top=1)")
    )
    assert set(timed) == {"e", "n", "o", "x"}, "with a prior every record has a score"
    bell = [math.exp(-((position - 41) ** 2) / 18) for position in range(32, 51)]
    for id, position in (("e", 40), ("n", 41)):
        assert timed[id] == pytest.approx(plain.get(id, 0) + math.log(bell[position - 32] / sum(bell) + 1e-8))
    assert timed["o"] == pytest.approx(plain["o"] + math.log(1e-8))


def test_names_and_mistakes(tmp_path):
    for text in ("bm25-official", "bm25-official(query=plain)", "bm25-okapi-zh", "bm25-okapi-zh-timekde(sigma=2)"):
        assert make_system(text).name == text
        assert make_system(make_system(text).name) == make_system(text)
    with pytest.raises(EpochalError, match="query must be weighed or plain"):
        make_system("bm25-official(query=twice)")
    with pytest.raises(EpochalError, match="top of 1 or more, sigma above 0"):
        make_system("bm25-okapi-zh-timekde(sigma=0)")
    with pytest.raises(EpochalError, match=r"'e' has the time_id None; accepted: a number from 0"):
        ranked(make_system("bm25-okapi-zh-timekde"), tmp_path, "四月", documents=(Document("e", "夏，四月。"),))
    with make_system("bm25-okapi-zh-timekde").open((), Path("nowhere")) as ranker:
        assert next(ranker.answer([BenchQuery("q", "四月")], 3)).hits == ()


#: The examples in Porter's paper, step by step, with what all steps together make of them.
STEMS = """
caresses caress  ponies poni  ties ti  caress caress  cats cat  feed feed  agreed agre  plastered plaster  bled bled
motoring motor  sing sing  conflated conflat  troubled troubl  sized size  hopping hop  tanned tan  falling fall
hissing hiss  fizzed fizz  failing fail  filing file  happy happi  sky sky  relational relat  conditional condit
rational ration  valenci valenc  hesitanci hesit  digitizer digit  conformabli conform  radicalli radic
differentli differ  vileli vile  analogousli analog  vietnamization vietnam  predication predic  operator oper
feudalism feudal  decisiveness decis  hopefulness hope  callousness callous  formaliti formal  sensitiviti sensit
sensibiliti sensibl  triplicate triplic  formative form  formalize formal  electriciti electr  electrical electr
hopeful hope  goodness good  revival reviv  allowance allow  inference infer  airliner airlin  gyroscopic gyroscop
adjustable adjust  defensible defens  irritant irrit  replacement replac  adjustment adjust  dependent depend
adoption adopt  homologou homolog  communism commun  activate activ  angulariti angular  homologous homolog
effective effect  bowdlerize bowdler  probate probat  rate rate  cease ceas  controll control  roll roll
archaeology archaeolog  generalizations gener  oscillators oscil  by by  is is  yes ye  s s
""".split()


@pytest.mark.parametrize(("word", "expected"), list(zip(STEMS[::2], STEMS[1::2], strict=True)))
def test_stems_are_porter_s(word, expected):
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("well-known, state/federal", ["well", "known", "state", "feder"]),
        ("don't can’t John's O'Neil’S", ["don't", "can’t", "john", "o'neil"]),
        ("1,024.5 3.14; 10:30 v1.2 a.b", ["1,024.5", "3.14", "10", "30", "v1.2", "a.b"]),
        ("__init__ ___ e_mail", ["__init__", "e_mail"]),
        ("東京 tokyo ひら カタカナ", ["東", "京", "tokyo", "ひ", "ら", "カタカナ"]),
        ("The and of to", []),
        ("", []),
    ],
)
def test_words_are_parted_as_lucene_parts_them(text, expected):
    assert tokenise_lucene(text) == expected


def test_characters_and_pairs():
    assert tokenise_han("元 年\n春") == ["元", "年", "春", "元年", "年春"]
    assert tokenise_han("") == tokenise_han("abc、。") == ["<EMPTY>"]
    assert tokenise_han("年") == ["年"]


records = st.lists(st.tuples(st.sampled_from((0.0, 0.5, 1.0, 2.5)), st.integers(0, 60)), min_size=1, max_size=40)


def word_by_word(scores, positions, prior):
    """The prior as the spec words it, bin by bin."""
    size, bins = len(scores), max(positions) + 1
    if not any(scores):
        return [score + prior.weight * np.log(1 / size + 1e-8) for score in scores]
    width = max(1, int(3 * prior.sigma))
    density = [0.0] * bins
    for row in sorted(range(size), key=lambda row: -scores[row])[: prior.top]:
        for position in range(max(0, positions[row] - width), min(bins - 1, positions[row] + width) + 1):
            density[position] += np.exp(-((position - positions[row]) ** 2) / (2 * prior.sigma**2))
    total = sum(density)
    return [
        score + prior.weight * np.log(density[position] / total + 1e-8)
        for score, position in zip(scores, positions, strict=True)
    ]


@given(records, st.integers(1, 8), st.sampled_from((0.2, 1.0, 3.0)), st.sampled_from((0.5, 1.0)))
def test_it_is_the_formula_of_the_paper(rows, top, sigma, weight):
    scores, positions = (list(column) for column in zip(*rows, strict=True))
    prior = TimePrior(top, sigma, weight)
    result = prior.apply(np.array(scores), np.array(positions))
    assert result == pytest.approx(word_by_word(scores, positions, prior), abs=1e-9)


def test_no_documents():
    assert TimePrior().apply(np.zeros(0), np.zeros(0, np.int64)).tolist() == []
