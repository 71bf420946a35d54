"""Rank fusion and z-score fusion by hand, and by ranx where that is installed."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from epochal.api import Index
from epochal.encoders import encoder
from epochal.errors import EpochalError
from epochal.ranking.pool import Pool
from epochal.reading.questions import understand
from epochal.storage.records import Document
from epochal.times import Grain, Span, SpanSet
from epochal_lab.systems.scorer_inputs import MemoisedEncoder, VectorMemory, encode_waves, get_passage_texts
from epochal_lab.systems.scorers import (
    Dense,
    ReciprocalRank,
    Symbolic,
    TimeDecay,
    ZScore,
    ZScoreTime,
    get_reciprocal_ranks,
    standardise,
)
from epochal_lab.systems.temporal_scorers import TaggedDense, TempRALM, TempRetriever
from lab.systems.test_scorers_pool import DAY, PRIZES, Counting, pool_of

SCORES = arrays(np.float64, st.integers(1, 20), elements=st.floats(-100, 100))


def plain_pool(words, meaning) -> Pool:
    rows = np.arange(len(words))
    vector = np.ones(1, dtype=np.float32)
    return Pool(
        "rates", understand("rates"), None, None, (), rows, rows, np.array(words, float), np.array(meaning), vector
    )


def test_rrf_by_hand():
    pool = plain_pool([3.0, 2.0, 0.0, 1.0], [0.2, 0.9, 0.8, 0.1])
    scored = ReciprocalRank().score(pool)
    assert scored.parts["lexical"] == pytest.approx([1 / 61, 1 / 62, 0, 1 / 63])
    assert scored.parts["semantic"] == pytest.approx([1 / 63, 1 / 61, 1 / 62, 1 / 64])
    assert np.argsort(-scored.scores).tolist() == [1, 0, 3, 2]


def test_k_of_rrf_weighs_the_first_ranks():
    pool = plain_pool([3.0, 2.0, 1.0], [0.1, 0.8, 0.9])
    assert ReciprocalRank(k=0).score(pool).scores == pytest.approx([1 + 1 / 3, 1 / 2 + 1 / 2, 1 / 3 + 1])
    with pytest.raises(EpochalError, match="k of scorer 'rrf' must be a number from 0, but is -1"):
        ReciprocalRank(k=-1)


def test_zscore_by_hand():
    # Means 4 and 0.5, deviations sqrt(8/3) and sqrt(0.06/3).
    scored = ZScore().score(plain_pool([2.0, 4.0, 6.0], [0.6, 0.6, 0.3]))
    words, meaning = np.sqrt(8 / 3), np.sqrt(0.06 / 3)
    assert scored.parts["lexical"] == pytest.approx([-2 / words, 0, 2 / words])
    assert scored.parts["semantic"] == pytest.approx([0.1 / meaning, 0.1 / meaning, -0.2 / meaning])
    assert scored.scores == pytest.approx(scored.parts["lexical"] + scored.parts["semantic"])


@pytest.mark.slow  # ranx compiles for minutes; the tests by hand above protect the same values
@pytest.mark.filterwarnings("ignore:.*unsafe cast")
def test_fusions_are_those_of_ranx():
    ranx = pytest.importorskip("ranx")
    words, meaning = [3.0, 2.5, 0.5, 1.0], [0.2, 0.9, 0.8, 0.1]
    runs = [
        ranx.Run({"q": {str(position): value for position, value in enumerate(values)}}, name=name)
        for name, values in (("words", words), ("meaning", meaning))
    ]
    pool = plain_pool(words, meaning)
    theirs = ranx.fuse(runs, norm=None, method="rrf", params={"k": 60}).run["q"]
    assert ReciprocalRank().score(pool).scores == pytest.approx([theirs[str(position)] for position in range(4)])
    theirs = ranx.fuse(runs, norm="zmuv", method="sum").run["q"]
    assert ZScore().score(pool).scores == pytest.approx([theirs[str(position)] for position in range(4)])


@given(SCORES)
def test_reciprocal_ranks_are_a_permutation_in_the_order_of_scores(scores):
    result = get_reciprocal_ranks(scores, 60)
    assert sorted(result, reverse=True) == pytest.approx([1 / (61 + rank) for rank in range(len(scores))])
    assert np.argsort(-result, kind="stable").tolist() == np.argsort(-scores, kind="stable").tolist()


@given(SCORES, st.floats(0.1, 10), st.floats(-5, 5))
def test_standardised_knows_no_scale(scores, factor, shift):
    scores = scores.round(3)
    result = standardise(scores)
    assert result.mean() == pytest.approx(0, abs=1e-6)
    assert result.std() == pytest.approx(1 if len(np.unique(scores)) > 1 else 0)
    assert standardise(factor * scores + shift) == pytest.approx(result, abs=1e-5)


def test_zscore_of_time_by_hand():
    encoder = Counting()
    with pool_of(PRIZES, "Who got the prize in 1903?", encoder=encoder) as pool:
        scored = ZScoreTime(encoder=encoder).score(pool)
        query = encoder.encode_queries(["1903"])[0]
        like = encoder.encode_documents(["1901, 1850", "1903", "2 May 1905"]) @ query
        assert scored.parts["temporal"] == pytest.approx(standardise(np.append(like, 0.0)), abs=1e-5)
        assert int(scored.parts["temporal"].argmax()) == 1
        question = pool.view.score_vectors(encoder.encode_queries([pool.question])[0], pool.rows)
        assert scored.parts["semantic"] == pytest.approx(standardise(question), abs=1e-5)
        untimed = replace(pool, windows=(), question="prize", semantic=pool.lexical)
        assert not ZScoreTime(encoder=encoder).score(untimed).parts["temporal"].any()


QUESTIONS = ["Which steel tariffs did the senate raise?", "Which steel tariffs did the senate raise in 1998?"]
WORDS = "steel tariffs senate raised lowered copper board vote bill trade port wheat rail price union strike".split()


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    rng = random.Random(3)
    documents = [
        Document(f"d{number:03}", f"{' '.join(rng.choices(WORDS, k=9))} in {rng.randint(1990, 2005)}.")
        for number in range(400)
    ]
    with Index.create(tmp_path_factory.mktemp("index") / "news", encoder="static") as result:
        result.add(documents)
        yield result


def ids_of(index, rows) -> list[str]:
    view = index._backend.view()
    return [document.id for document in view.get_documents(view.get_document_rows(rows))]


@pytest.mark.parametrize("question", QUESTIONS)
def test_bm25_ranks_like_the_words_of_the_index(index, question):
    found = index.search(question, k=10, scorer="bm25", collapse_versions=False)
    ranked = index._backend.view().search_words(question, 10)
    assert [hit.id for hit in found] == ids_of(index, ranked.rows)
    assert [hit.score for hit in found] == pytest.approx(ranked.scores)


@pytest.mark.parametrize("question", QUESTIONS)
def test_dense_ranks_like_the_vectors_of_the_index(index, question):
    found = index.search(question, k=10, scorer="dense", collapse_versions=False)
    vector = encoder("static").encode_queries([question])[0]
    ranked = index._backend.view().search_vectors(vector, 10)
    assert [hit.score for hit in found] == pytest.approx(ranked.scores, abs=1e-5)
    assert {hit.id for hit in found} == set(ids_of(index, ranked.rows))


def test_dense_is_not_the_topic_of_a_question_with_a_time(index):
    """What would go unseen if the cosine of the pool were taken."""
    question = QUESTIONS[1]
    found = index.search(question, k=10, scorer="dense", collapse_versions=False)
    topic = encoder("static").encode_queries(["Which steel tariffs did the senate raise"])[0]
    assert not np.allclose(
        [hit.score for hit in found], index._backend.view().search_vectors(topic, 10).scores, atol=1e-3
    )


def test_without_time_the_pool_already_has_the_cosine():
    with pool_of(PRIZES, "prize", encoder=Counting()) as pool:
        # The encoder has no name that the registry knows, and none is needed.
        assert Dense().score(pool).scores == pytest.approx(pool.semantic)


def test_an_encoder_without_a_name_must_be_given():
    with pool_of(PRIZES, "prize in 1901", encoder=Counting()) as pool:
        with pytest.raises(EpochalError, match="whose vectors have 32 dimensions"):
            Dense().score(pool)
        given = Dense(Counting()).score(pool).scores
        assert given == pytest.approx(pool.view.score_vectors(Counting().encode_queries([pool.question])[0], pool.rows))


def test_another_encoder_of_the_same_length_is_refused():
    class Backwards(Counting):
        name = "backwards-1"

        def encode_documents(self, texts):
            return super().encode_documents(texts)[:, ::-1]

        encode_queries = encode_documents

    with (
        pool_of(PRIZES, "prize in 1901", encoder=Counting()) as pool,
        pytest.raises(EpochalError, match="'backwards-1', which did not make the vectors"),
    ):
        Dense(Backwards()).score(pool)


TIMES = ["1901, 1850", "1903", "2 May 1905", ""]
QUESTION = "Who got the prize in 1903?"


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


@pytest.fixture
def parts():
    """The vectors of the question, its time, the texts and their times, and the pool of them."""
    encoder = Counting()
    with pool_of(PRIZES, QUESTION, encoder=encoder) as pool:
        texts = encoder.encode_documents([document.text for document in PRIZES])
        times = encoder.encode_documents(TIMES)
        yield pool, *encoder.encode_queries([QUESTION, "1903"]), texts, times


def test_tags_come_before_the_text(parts):
    pool, *_ = parts
    encoder = Counting()
    result = TaggedDense(encoder=encoder).score(pool).scores
    tagged = [f"{time}: {item.text}" if time else item.text for time, item in zip(TIMES, PRIZES, strict=True)]
    assert set(tagged) <= set(encoder.encoded)
    assert f"1903: {QUESTION}" in encoder.encoded
    expected = Counting().encode_documents(tagged) @ Counting().encode_queries([f"1903: {QUESTION}"])[0]
    assert result == pytest.approx(expected)


def test_the_tag_of_tempretriever_follows_the_text(parts):
    pool, *_ = parts
    encoder = Counting()
    TempRetriever("tag", encoder=encoder).score(pool)
    assert f"{PRIZES[1].text} 1903" in encoder.encoded
    assert f"{QUESTION} 1903" in encoder.encoded


def test_feature_stacking_by_hand(parts):
    pool, question, query, texts, times = parts
    scored = TempRetriever("fs", encoder=Counting()).score(pool)
    assert scored.parts["semantic"] == pytest.approx(texts @ question / 2, abs=1e-6)
    assert scored.parts["temporal"] == pytest.approx(times @ query / 2, abs=1e-6)
    assert scored.parts["temporal"][3] == 0
    stacked = np.concatenate([texts, times], axis=1) @ np.concatenate([question, query])
    assert scored.scores == pytest.approx(stacked / 2, abs=1e-6)


@pytest.mark.parametrize(("fusion", "fuse"), [("vs", np.add), ("ewi", np.multiply)])
def test_merged_vectors_by_hand(parts, fusion, fuse):
    pool, question, query, texts, times = parts
    result = TempRetriever(fusion, encoder=Counting()).score(pool).scores
    timed = texts[:3], times[:3]
    ours = fuse(question, query)
    theirs = fuse(*timed)
    lengths = np.linalg.norm(theirs, axis=1) * np.linalg.norm(ours)
    expected = np.divide(theirs @ ours, lengths, out=np.zeros(3), where=lengths > 0)
    assert result[:3] == pytest.approx(expected, abs=1e-5)
    # A candidate without time is compared by its text alone.
    assert result[3] == pytest.approx(float(texts[3] @ question), abs=1e-6)


@pytest.mark.parametrize("fusion", ["fs", "vs", "ewi"])
def test_without_any_time_texts_alone_are_compared(fusion):
    with pool_of(PRIZES, "Who got the prize?", encoder=Counting()) as pool:
        assert TempRetriever(fusion, encoder=Counting()).score(pool).scores == pytest.approx(pool.semantic)


def test_waves_of_a_candidate_are_the_mean_of_its_times(parts):
    pool, *_ = parts
    scored = TempRetriever("fs", time="waves", encoder=Counting()).score(pool)
    window = encode_waves(SpanSet.of([Span.year(1903)]), 32)[0]
    both = unit(encode_waves(SpanSet.of([Span.year(1901), Span.year(1850)]), 32).sum(axis=0))
    assert 2 * scored.parts["temporal"][0] == pytest.approx(both @ window, abs=1e-6)
    assert 2 * scored.parts["temporal"][1] == pytest.approx(1.0, abs=1e-6)
    assert scored.parts["temporal"][3] == 0


def test_waves_fall_with_the_distance():
    years = encode_waves(SpanSet.of([Span.year(1900 + step) for step in (0, 1, 2, 5, 10, 50, 100)]), 384)
    similarity = years @ years[0]
    assert np.linalg.norm(years, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert (np.diff(similarity) < 0).all()
    assert similarity[1] > 0.8
    assert similarity[-1] < 0.7


def test_waves_of_open_spans_are_those_of_the_end_that_is_stated():
    spans = ["1998/..", "../1998", "1998", "../.."]
    result = encode_waves(SpanSet.of([Span.parse(text) for text in spans]), 33)
    assert result.shape == (4, 33)
    assert result[0] == pytest.approx(result[2])
    assert result[1] == pytest.approx(result[2])
    assert np.isfinite(result[3]).all()


def test_titles_are_part_of_what_is_encoded():
    with pool_of([Document("t", "Carl won the prize.", "Prizes")], "prize", encoder=Counting()) as pool:
        assert get_passage_texts(pool) == ["Prizes\nCarl won the prize."]


def test_nothing_is_encoded_twice(parts):
    pool, *_ = parts
    encoder = Counting()
    scorer = TaggedDense(encoder=encoder)
    first = scorer.score(pool).scores
    count = len(encoder.encoded)
    assert scorer.score(pool).scores == pytest.approx(first)
    assert len(encoder.encoded) == count


def test_a_memory_forgets_the_oldest():
    encoder = Counting()
    known = MemoisedEncoder(encoder, VectorMemory(most=2))
    for text in ("a", "b", "c", "c", "a"):
        known.encode_documents([text])
    assert encoder.encoded == ["a", "b", "c", "a"]
    assert len(known.memory) == 2
    # The role is part of what is remembered.
    known.encode_queries(["a"])
    assert encoder.encoded[-1] == "a"
    assert len(encoder.encoded) == 5
    with pytest.raises(EpochalError, match="most is 0"):
        VectorMemory(most=0)


def test_settings_are_checked():
    with pytest.raises(EpochalError, match="no fusion is called 're'; known: tag, fs, vs, ewi"):
        TempRetriever("re")  # type: ignore[arg-type]
    with pytest.raises(EpochalError, match="no encoding of time is called 'bert'; known: text, waves"):
        TempRetriever("fs", time="bert")  # type: ignore[arg-type]
    with pytest.raises(EpochalError, match=r"template of scorer 'tagged-dense' is 'x'; accepted: a text with \{time\}"):
        TaggedDense("x")


RATES = [
    Document("old", "Rates rise.", published=Span.parse("2026-11-05")),
    Document("new", "Rates fall.", published=Span.parse("2026-11-14")),
    Document("next", "Rates stay.", published=Span.parse("2026-12-01")),
    Document("none", "Rates and rates."),
]
NOW = "2026-11-15"


def tau_by_hand(raw: np.ndarray, meaning: np.ndarray) -> np.ndarray:
    return (raw - raw.mean()) / raw.std() * meaning.std() + meaning.mean()


def test_tempralm_for_a_time_asked_for():
    encoder = Counting()
    with pool_of(PRIZES, "Who got the prize in 1903?", encoder=encoder) as pool:
        scored = TempRALM(encoder=encoder).score(pool)
        meaning = pool.view.score_vectors(encoder.encode_queries([pool.question])[0], pool.rows)
    year = Grain.YEAR.seconds
    # 1901 ends a year before 1903, so it lies two years away; the date of 1905 a year and 121 days, and one year more.
    raw = np.array([1 / (365 * DAY + year), 1 / DAY, 1 / ((366 + 121) * DAY + year), 0.0])
    assert scored.parts["semantic"] == pytest.approx(meaning)
    assert scored.parts["temporal"] == pytest.approx(tau_by_hand(raw, meaning))
    assert int(scored.scores.argmax()) == 1


def test_tempralm_for_the_present_rules_out_the_future():
    encoder = Counting()
    with pool_of(RATES, "rates", NOW, encoder) as pool:
        scored = TempRALM(encoder=encoder).score(pool)
        meaning = pool.semantic
    retained = [0, 1, 3]
    # Nine days lie between the 5th and the 15th, so the 5th is ten days ago, and the 14th one.
    raw = np.array([1 / (10 * DAY), 1 / DAY, 0.0])
    assert scored.parts["temporal"][retained] == pytest.approx(tau_by_hand(raw, meaning[retained]))
    assert np.argsort(-scored.scores)[-1] == 2
    assert scored.scores[2] < -900


def test_tempralm_without_any_time_is_the_semantic_score():
    with pool_of(RATES, "rates", None, Counting()) as pool:
        scored = TempRALM().score(pool)
        assert list(scored.parts) == ["semantic"]
        assert scored.scores == pytest.approx(pool.semantic)


def test_least_must_be_a_length():
    with pytest.raises(EpochalError, match="least of scorer 'tempralm' must be a number of seconds above 0, but is 0"):
        TempRALM(least=0)


def test_decay_by_hand():
    with pool_of(RATES, "rates", NOW) as pool:
        scored = TimeDecay("lexical").score(pool)
        # Ages run from the end of a day to the start of the present one: 9 days, none, and none for the future. The
        # middle of these three is none, and that is what a document without a date has.
        fading = np.exp([-0.01 * 9, 0, 0, 0])
        assert scored.scores == pytest.approx(pool.lexical * fading)
        assert scored.parts["age"] == pytest.approx(pool.lexical * (fading - 1))
        zero = TimeDecay("lexical", future="zero").score(pool)
        assert zero.scores[2] == 0
        assert zero.scores[3] == pytest.approx(pool.lexical[3] * np.exp(-0.09))


def test_decay_of_the_cosine():
    encoder = Counting()
    with pool_of(RATES, "rates", NOW, encoder) as pool:
        scored = TimeDecay(rate=0.1, encoder=encoder).score(pool)
        assert scored.scores == pytest.approx(pool.semantic * np.exp([-0.9, 0, 0, 0]))


@pytest.mark.parametrize("relevance", ["semantic", "lexical"])
def test_decay_needs_a_present(relevance):
    with (
        pool_of(RATES, "rates", None, Counting()) as pool,
        pytest.raises(EpochalError, match="counts ages from the present, but the search has none; accepted: a now"),
    ):
        TimeDecay(relevance).score(pool)


def test_settings_of_decay_are_checked():
    with pytest.raises(EpochalError, match="no relevance is called 'both'; known: semantic, lexical"):
        TimeDecay("both")  # type: ignore[arg-type]
    with pytest.raises(EpochalError, match=r"must be a number above 0 \(parts a day\), but is 0"):
        TimeDecay(rate=0)


def test_the_symbolic_matcher_puts_exact_times_first():
    with pool_of(PRIZES, "Who got the prize before 1902?") as pool:
        scored = Symbolic().score(pool)
        assert scored.parts["symbolic"].tolist() == [1, 0, 0, 0]
        assert (scored.parts["lexical"] < 1).all()
        rest = [1, 2, 3]
        assert np.argsort(-scored.scores[rest]).tolist() == np.argsort(-pool.lexical[rest]).tolist()


@pytest.mark.parametrize(
    ("relation", "retained"),
    [("overlaps", [1, 1, 1]), ("during", [1, 0, 1]), ("contains", [0, 1, 0]), ("equals", [0, 0, 1])],
)
def test_the_symbolic_matcher_knows_relations(relation, retained):
    documents = [
        Document("a", "prize", published=Span.parse("1903-05")),
        Document("b", "prize", published=Span.parse("1902/1904")),
        Document("c", "prize", published=Span.parse("1903")),
    ]
    with pool_of(documents, "prize in 1903") as pool:
        assert Symbolic(relation).score(pool).parts["symbolic"].tolist() == retained


def test_more_windows_satisfied_rank_higher():
    documents = [Document("one", "fees fees fees of 2017"), Document("two", "fees of 2017 and of 2020")]
    with pool_of(documents, "Compare fees in 2017 and in 2020") as pool:
        assert len(pool.windows) == 2
        assert Symbolic().score(pool).parts["symbolic"].tolist() == [1, 2]


def test_without_a_window_the_symbolic_matcher_is_bm25():
    with pool_of(PRIZES, "prize Bert") as pool:
        scored = Symbolic().score(pool)
        assert np.argsort(-scored.scores).tolist() == np.argsort(-pool.lexical).tolist()
    with pytest.raises(EpochalError, match="no relation is called 'near'"):
        Symbolic("near")
