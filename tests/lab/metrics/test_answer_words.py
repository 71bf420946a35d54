from __future__ import annotations

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal_lab.metrics.texts import answer_tokens, best_score, exact_match, token_f1


def usual_tokens(text: str) -> list[str]:
    """The normalisation that SQuAD's script made usual, written again."""
    retained = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", retained).split()


@given(st.text(string.ascii_letters + string.digits + string.punctuation + " ", max_size=60))
def test_words_are_the_usual_ones(text):
    assert answer_tokens(text) == usual_tokens(text)


@given(*[st.lists(st.sampled_from("ann hay won the prize in 1998".split()), max_size=8).map(" ".join)] * 2)
def test_f1_is_that_of_precision_and_recall(answer, reference):
    message, target = Counter(usual_tokens(answer)), Counter(usual_tokens(reference))
    common = sum((message & target).values())
    if not message or not target:
        expected = float(message == target)
    elif not common:
        expected = 0.0
    else:
        precision, recall = common / sum(message.values()), common / sum(target.values())
        expected = 2 * precision * recall / (precision + recall)
    assert token_f1(answer, reference) == pytest.approx(expected)
    assert token_f1(answer, reference) == token_f1(reference, answer)
    assert (token_f1(answer, reference) == 1.0) >= (exact_match(answer, reference) == 1.0)


def test_scripts_that_part_no_words_are_compared_by_signs():
    assert token_f1("魯隱公", "魯桓公") == pytest.approx(2 / 3)
    assert exact_match("１９９８年。", "1998年") == 1.0


def test_the_best_reference_counts():
    assert best_score(token_f1, "Ann Hay", ["Bob", "Ann Hay Low"]) == pytest.approx(0.8)
