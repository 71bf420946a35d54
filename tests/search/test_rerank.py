"""Times in words, and a cross-encoder that moves the best documents among themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from epochal import Document, Index
from epochal.encoders.base import EncoderError
from epochal.encoders.cross import CrossEncoder, load_cross_encoder
from epochal.ranking.rerank import PassageTime, compare_times, write_passage, write_question
from epochal.times import Span

YEARS = [(Span.year(1916).start, Span.year(1920).end)]


def seconds(text: str) -> tuple[int, int]:
    span = Span.parse(text)
    return span.start, span.end


@pytest.mark.parametrize(
    ("time", "word"),
    [
        ("1915", "earlier"),
        ("1916", "start"),
        ("1918-03", "then"),
        ("1920", "end"),
        ("1916/1920", "start and end"),
        ("1910/1930", "throughout"),
        ("1919/1923", "partly"),
        ("1921", "later"),
    ],
)
def test_a_time_is_compared_with_the_window(time: str, word: str) -> None:
    assert compare_times(seconds(time), YEARS) == word
    assert compare_times(seconds(time), []) == ""
    # Of several windows the one that fits best counts.
    assert compare_times(seconds(time), [*YEARS, seconds(time)]) == "start and end"


def test_a_passage_is_written_with_its_times_in_words() -> None:
    text = "In 1917 he left, and two years later he came back."
    times = [PassageTime(3, 7, *seconds("1917")), PassageTime(21, 36, *seconds("1919"), "1919")]
    assert write_passage("Ann", text, times, YEARS) == (
        "Ann. In 1917 (then) he left, and two years later (1919, then) he came back."
    )
    assert write_passage("", text, times, []) == "In 1917 he left, and two years later (1919) he came back."
    day = PassageTime(-1, -1, *seconds("1950-01-02"), "2 January 1950")
    assert write_passage("", "He died.", [], YEARS, day) == "2 January 1950 (later): He died."


def test_a_question_says_its_times_once() -> None:
    assert write_question("Who won in 1998?", ["1998"]) == "Who won in 1998?"
    assert write_question("Who won last year?", ["1998"]) == "Who won last year? (1998)"


class Longest:
    """Prefers long passages, and remembers what it was given."""

    weight = 100.0

    def __init__(self) -> None:
        self.seen: list[str] = []

    def score(self, question: str, passages: Sequence[str]) -> npt.NDArray[np.float64]:
        self.seen = list(passages)
        return np.array([float(len(text)) for text in passages])


def test_rerank_moves_hits_and_explains_it(filled: Callable[..., Index], monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [
        Document("a", "Steel tariffs were raised in 1998."),
        Document("b", "Steel tariffs were raised in 1998 by a law on metal that few had read before the vote."),
        Document("c", "A cat slept."),
    ]
    index = filled(documents, "static")
    model = Longest()
    monkeypatch.setattr("epochal.encoders.cross.load_cross_encoder", lambda: model)
    question = "Which steel tariffs were raised in 1998?"
    plain, moved = index.search(question), index.search(question, rerank=True)
    assert plain[0].id == "a"
    assert moved[0].id == "b"
    assert all("rerank" not in hit.parts for hit in plain)
    for hit in moved:
        assert hit.score == pytest.approx(sum(hit.parts.values()))
    # The scores stay in the range that they had.
    assert max(hit.score for hit in moved) == pytest.approx(max(hit.score for hit in plain))
    assert min(hit.score for hit in moved) == pytest.approx(min(hit.score for hit in plain))
    assert "rerank" in [item.name for item in moved.applied]
    assert any("1998 (start and end)" in text for text in model.seen)


def test_the_adapter_that_ships_prefers_the_passage_that_answers() -> None:
    model = load_cross_encoder()
    question = "Which team did Ann Lee play for from 2003 to 2006?"
    passages = [
        "Ann Lee. From 2003 to 2006 (start and end) she played for Leeds United.",
        "Ann Lee. From 1990 to 1995 (earlier) she went to school in York.",
        "The recipe needs two eggs and a cup of flour.",
    ]
    scores = model.score(question, passages)
    assert scores.argmax() == 0
    assert scores.argmin() == 2
    # A pair's score does not depend on the others.
    assert model.score(question, passages[1:2])[0] == pytest.approx(scores[1], abs=1e-4)
    assert model.score(question, []).shape == (0,)
    with pytest.raises(EncoderError, match="was given one text"):
        model.score(question, "one text")


def test_a_folder_without_an_adapter_is_refused(tmp_path: object) -> None:
    with pytest.raises(EncoderError, match=r"holds no cross-encoder: adapter\.json is missing; accepted: a folder"):
        CrossEncoder(str(tmp_path))


def test_a_card_of_another_kind_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("adapter")
    (folder / "adapter.safetensors").write_bytes(b"")
    (folder / "adapter.json").write_text('{"kind": "lora", "rank": 4, "alpha": 4}')
    with pytest.raises(EncoderError, match="is no card of a cross-encoder; accepted: JSON with kind"):
        CrossEncoder(folder)
