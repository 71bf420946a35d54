from __future__ import annotations

import numpy as np
import pytest

from epochal_lab.datasets.augment.rows import TemporalQuestion, TemporalRow
from epochal_lab.models.tmrl.batches import (
    MAX_SPANS,
    find_passage_times,
    find_question_times,
    find_time_ranges,
    find_token_span,
    locate,
    tokenize_timed,
)
from tmrl_world import tiny


def said(text: str, positions) -> list[str]:
    return [text[start:end] for start, end in positions]


def test_expressions_are_found_word_for_word_whatever_their_letters():
    text = "In MAY 1998 (not 1998?), and in 2001."
    assert said(text, locate(text, ["May 1998", "1998?", "2001", "2002", " ", ""])) == ["MAY 1998", "1998?", "2001"]


def test_a_letter_that_is_longer_in_small_shifts_nothing():
    text = "İzmir in 1998"
    assert said(text, locate(text, ["1998"])) == ["1998"]


def test_rows_come_before_the_tagger():
    message = TemporalRow("p", "Ann left in 1998 and came in 2001.", ("2001",))
    assert said(message.passage, find_passage_times(message)) == ["2001"]
    untold = TemporalRow("p", message.passage)
    assert said(untold.passage, find_passage_times(untold)) == ["1998", "2001"]


@pytest.mark.parametrize(
    ("question", "want"),
    [
        (TemporalQuestion("Who left after the war?", ("the war",), "Implicit", "After"), ["the war"]),
        (TemporalQuestion("Who left in 1998?"), ["1998"]),
        (TemporalQuestion("In which year after 1998 did she leave?", (), "TemporalAnswer", "Empty"), []),
        (TemporalQuestion("In which year after 1998 did she leave?", (), "", "Empty"), []),
    ],
)
def test_questions_state_what_their_rows_say(question, want):
    assert said(question.text, find_question_times(question)) == want


def test_a_range_is_one_place():
    text = "Ann played for which team from May 1998 to 2001?"
    assert said(text, find_time_ranges(text)) == ["from May 1998 to 2001"]


def test_tokens_of_places():
    offsets = [(0, 0), (0, 3), (3, 5), (6, 10), (10, 12), (0, 0)]
    assert [find_token_span(offsets, position) for position in ((0, 5), (9, 11), (4, 7))] == [(1, 3), (3, 5), (2, 4)]
    assert [find_token_span(offsets, position) for position in ((12, 20), (5, 6))] == [None, None]
    assert find_token_span([(n, n + 1) for n in range(40)], (2, 30)) == (2, 18)


def test_the_tokens_that_are_marked_are_those_of_the_expression():
    backbone = tiny()
    texts = ["ann played for leeds in 1998 .", "who ?", "in 2001 , in 2004 , in 2007"]
    positions = [locate(text, ["1998", "2001", "2004", "2007"]) for text in texts]
    result = tokenize_timed(backbone, texts, positions, prefix="the club of ", spans=2)
    batch = result.batch([2, 0, 1])
    words = backbone.tokenizer.convert_ids_to_tokens
    matches = [
        [words(row[begin:end].tolist()) for begin, end in spans.tolist() if begin >= 0]
        for row, spans in zip(batch.texts.ids, batch.spans, strict=True)
    ]
    assert matches == [[["2001"], ["2004"]], [["1998"]], []]


def test_what_is_cut_off_is_not_marked():
    backbone = tiny()
    result = tokenize_timed(backbone, ["ann played for leeds in 1998 ."], [[(24, 28)]], max_length=6, spans=1)
    assert result.texts.lengths.tolist() == [6]
    assert result.spans.tolist() == [[[-1, -1]]]


def test_lengths_are_padded_to_a_multiple_that_no_token_sees():
    backbone = tiny()
    result = tokenize_timed(backbone, ["who ?", "ann played for leeds in 1998 ."], times=False)
    batch = result.batch([0, 1])
    assert batch.texts.ids.shape[1] % 8 == 0
    assert batch.texts.mask.sum(dim=1).tolist() == result.texts.lengths.tolist()
    assert batch.tokens == int(batch.texts.mask.sum())


def test_times_by_themselves():
    backbone = tiny()
    result = tokenize_timed(backbone, ["in 1998 and in 2001", "who ?"], [[(3, 7), (15, 19)], []], times=True)
    words = [backbone.tokenizer.convert_ids_to_tokens(result.times.row(row).tolist()) for row in (0, 1)]
    assert words == [["[CLS]", "1998", ",", "2001", "[SEP]"], ["[CLS]", "[SEP]"]]
    assert result.batch([1, 0]).times.tokens == 7


def test_many_expressions_are_read_up_to_a_limit():
    text = " ".join(["in 1998 ,"] * 20)
    positions = [(3 + 10 * n, 7 + 10 * n) for n in range(20)]
    result = tokenize_timed(tiny(), [text], [positions], spans=MAX_SPANS)
    assert np.count_nonzero(result.spans[0, :, 0] >= 0) == MAX_SPANS


def test_letters_whose_small_form_is_longer_do_not_move_places():
    text = "İn May 1998 İt rained, and in MAY 2001."
    assert [text[start:end] for start, end in locate(text, ["may 1998", "May 2001"])] == ["May 1998", "MAY 2001"]
    assert locate("In May 1998.", ["may 1998", " ", "june"]) == [(3, 11)]
