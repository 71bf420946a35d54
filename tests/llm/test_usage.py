from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, UnknownNameError
from epochal.llm.chat import Ledger, Prices, Usage

USED = st.builds(Usage, *([st.integers(0, 1000)] * 6))


@given(st.lists(st.tuples(st.sampled_from("ab"), USED)))
def test_a_ledger_adds_up_by_model_and_over_all(entries):
    ledger = Ledger()
    for model, usage in entries:
        ledger.add(model, usage)
    for model in "ab":
        assert ledger.of(model) == sum((usage for name, usage in entries if name == model), Usage())
    assert ledger.total() == ledger.of("a") + ledger.of("b")
    prices = {"a": Prices(1.0, 0.0), "b": Prices(0.0, 3.0)}
    wanted = ledger.of("a").prompt_tokens + 3 * ledger.of("b").completion_tokens
    assert ledger.cost(prices) == pytest.approx(wanted / 1e6)


def test_threads_share_a_ledger():
    ledger = Ledger()
    threads = [
        threading.Thread(target=lambda: [ledger.add("a", Usage(replies=1)) for _ in range(500)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.total().replies == 4000


def test_a_model_without_a_price_is_named():
    ledger = Ledger()
    ledger.add("small-model", Usage(replies=1))
    with pytest.raises(UnknownNameError, match="no model with a price is called 'small-model'; known: large-model"):
        ledger.cost({"large-model": Prices(1.0, 1.0)})


@pytest.mark.parametrize("prices", [(-1.0, 1.0), (1.0, -0.1), (float("nan"), 1.0)])
def test_prices_are_from_nought(prices):
    with pytest.raises(EpochalError, match="a million tokens; accepted: from 0"):
        Prices(*prices)


def test_a_line_tells_what_is_not_counted():
    ledger = Ledger()
    ledger.add("a", Usage(replies=1200, prompt_tokens=34000))
    assert ledger.describe() == "1,200 replies, 0 retries, 0 failures; 34,000 tokens sent, 0 received"
    ledger.add("a", Usage.reported({"prompt_tokens": True, "completion_tokens": 1}))
    assert ledger.describe().endswith(", 1 replies uncounted")
