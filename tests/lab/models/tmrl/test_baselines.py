"""The baselines: M-Adaptor, Ts-Retriever with its router, TempRetriever and TSM, each against its formula."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.nn import functional

from epochal.errors import EpochalError
from epochal_lab.datasets.augment.rows import TemporalQuestion, TemporalRow
from epochal_lab.models.backbone import pool_states
from epochal_lab.models.tmrl.adapter import SPECIFIERS, average_states, find_specifier, group_by_specifier
from epochal_lab.models.tmrl.batches import tokenize_timed
from epochal_lab.models.tmrl.network import (
    MAdaptor,
    QueryRouter,
    RoutedRetriever,
    TMRLOutput,
    TwoEncoders,
    compute_adaptor_losses,
    fit_router,
    neighbour_loss,
    pair_loss,
    rank_loss,
)
from epochal_lab.models.tmrl.objectives import Groups
from tmrl_world import small, tiny


def texts_of(network, times: bool = False):
    texts = ["ann played for leeds in 1998 .", "who played in 2001 ?", "who ?"]
    positions = [[(24, 28)], [(14, 18)], []]
    return tokenize_timed(network.reader, texts, positions, times=times).batch([0, 1, 2])


def cosine(x, y) -> float:
    return float(x @ y / (np.linalg.norm(x) * np.linalg.norm(y)))


# ---------------------------------------------------------------- M-Adaptor


@pytest.mark.parametrize("pooling", ["mean", "cls", "last"])
def test_the_layer_behind_pooling_is_the_layer_before_it(pooling):
    network = MAdaptor(tiny(pooling), small("m-adaptor")).eval()
    torch.nn.init.normal_(network.adaptor.weight)
    torch.nn.init.normal_(network.adaptor.bias)
    batch = texts_of(network)
    hidden, mask = network.backbone.encode_tokens(batch.texts.ids, batch.texts.mask)
    want = pool_states(hidden + network.adaptor(hidden), mask, pooling)
    torch.testing.assert_close(network.encode(batch, "passage").vectors, want, atol=1e-4, rtol=1e-4)


def test_the_losses_of_m_adaptor_against_loops():
    result = np.random.default_rng(1)
    before, after = result.normal(size=(5, 6)), result.normal(size=(5, 6))
    dims, count = (2, 6), 5
    pairs = near = 0.0
    for dim in dims:
        for i in range(count):
            others = [j for j in range(count) if j != i]
            off = {j: abs(cosine(before[i], before[j]) - cosine(after[i, :dim], after[j, :dim])) for j in others}
            pairs += sum(off.values())
            nearest = sorted(others, key=lambda j: -cosine(before[i], before[j]))[:2]
            near += sum(off[j] for j in nearest)
    old, new = torch.from_numpy(before), torch.from_numpy(after)
    assert pair_loss(old, new, dims).item() == pytest.approx(pairs / (count * 2))
    assert neighbour_loss(old, new, dims, 2).item() == pytest.approx(near / (count * 2))
    assert neighbour_loss(old, new, dims, 5).item() == 0

    owner, targets = [0, 0, 1, 1, 1], [0, 2]
    ranking = 0.0
    for dim in dims:
        each = 0.0
        for row, target in enumerate(targets):
            right = cosine(before[row, :dim], after[target, :dim])
            for n in range(5):
                if n != target:
                    each += math.log1p(math.exp(cosine(before[row, :dim], after[n, :dim]) - right))
        ranking += each / 10
    groups = Groups(torch.tensor(owner), torch.tensor(targets))
    assert rank_loss(old[:2], new, groups, dims).item() == pytest.approx(ranking)


def test_the_whole_loss_of_m_adaptor():
    torch.manual_seed(1)
    sides = [TMRLOutput(torch.randn(n, 16), before=torch.randn(n, 16)) for n in (3, 6)]
    groups = Groups(torch.tensor([0, 0, 1, 1, 2, 2]), torch.tensor([0, 2, 4]))
    message = compute_adaptor_losses(*sides, groups, small("m-adaptor"))
    old, new = (
        [functional.normalize(part, dim=-1) for part in parts]
        for parts in zip(*[(side.before, side.vectors) for side in sides], strict=True)
    )
    dims = (4, 8, 16)
    want = rank_loss(*new, groups, dims)
    for before, after in zip(old, new, strict=True):
        want = want + pair_loss(before, after, dims) + neighbour_loss(before, after, dims, 2)
        want = want + (before - after).abs().mean()
    torch.testing.assert_close(message["loss"], want)
    with pytest.raises(EpochalError, match="need vectors as they were"):
        compute_adaptor_losses(TMRLOutput(torch.eye(2)), TMRLOutput(torch.eye(2)), groups, small("m-adaptor"))


# ---------------------------------------------------------------- TempRetriever


@pytest.mark.parametrize("normalise", [True, False])
def test_two_encoders_are_fused_as_their_names_say(normalise):
    for method in ("tempretriever-ewi", "tempretriever-fs"):
        network = TwoEncoders(tiny(), small(method, normalise=normalise)).eval()
        torch.nn.init.normal_(next(network.time.parameters()))
        batch = texts_of(network, times=True)
        text = network.text(batch.texts.ids, batch.texts.mask)
        time = network.time(batch.times.ids, batch.times.mask)
        if normalise:
            text, time = functional.normalize(text, dim=-1), functional.normalize(time, dim=-1)
        want = text * time if method.endswith("ewi") else torch.cat([text, time], dim=1)
        torch.testing.assert_close(network.encode(batch, "question").vectors, want)
        assert want.shape[1] == network.width
        torch.testing.assert_close(network.encode(texts_of(network), "question").vectors, text)


def test_both_encoders_begin_alike_and_are_trained_apart():
    network = TwoEncoders(tiny(), small("tempretriever-ewi"))
    assert torch.equal(next(network.text.parameters()), next(network.time.parameters()))
    assert next(network.text.parameters()) is not next(network.time.parameters())
    assert {name.partition(".")[0] for name in network.list_trained()} == {"text", "time"}


# ---------------------------------------------------------------- Ts-Retriever with a router


def test_passages_keep_their_vectors_and_questions_go_as_the_router_says():
    network = RoutedRetriever(tiny(), small("ts-retriever", router=True)).eval()
    torch.nn.init.normal_(next(network.tuned.parameters()))
    batch = texts_of(network)
    before = network.vanilla(batch.texts.ids, batch.texts.mask)
    tuned = network.tuned(batch.texts.ids, batch.texts.mask)
    torch.testing.assert_close(network.encode(batch, "passage").vectors, before)
    torch.testing.assert_close(network.encode(batch, "question").vectors, tuned)
    network.router = QueryRouter(16)
    fit_router(network.router, before[:2], before[2:])
    result = network.encode(batch, "question").vectors
    torch.testing.assert_close(result, torch.cat([tuned[:2], before[2:]]))


def test_the_rarer_kind_counts_as_much_and_both_are_needed():
    torch.manual_seed(1)
    timed, plain = torch.randn(60, 8) + 2, torch.randn(4, 8) - 2
    router = QueryRouter(8)
    assert fit_router(router, timed, plain) == 1.0
    assert (router(plain) > 0.5).all()
    with pytest.raises(EpochalError, match="4 questions of a time and 0 of none"):
        fit_router(router, plain, torch.zeros(0, 8))


# ---------------------------------------------------------------- TSM


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Who led it after 1998?", "after"),
        ("Who led it after May 1998?", "after"),
        ("Who led it before 5 May 1998?", "before"),
        ("Who led it between 1998 and 2001?", "between_and"),
        ("Who led it from May 1998 to 2001?", "from_to"),
        ("Who led it in early 1990s?", "in_early"),
        ("Who led it in the late 1990s?", "in_late"),
        ("Who led it in Jun 1998?", "in"),
        ("Who led it in Leeds?", None),
        ("Who looked after Ann?", None),
        ("When did Ann lead it?", None),
    ],
)
def test_specifiers(text, want):
    assert find_specifier(text) == want
    assert want is None or want in SPECIFIERS


def test_rows_are_parted_by_the_specifiers_of_what_they_answer():
    requests = [TemporalQuestion(f"Who led it {text}?") for text in ("in 1998", "after 1997", "in 1999", "well")]
    result = group_by_specifier([TemporalRow("p", "Ann led it.", (), tuple(requests), (requests[3],))])
    assert list(result) == ["after", "in"]
    assert result["in"][0].positives == (requests[0], requests[2])
    assert result["in"][0].negatives == (requests[3],)


def test_the_mean_of_weights():
    states = [
        {"a": torch.tensor([1.0, 2.0]), "b": torch.tensor(3.0)},
        {"a": torch.tensor([3.0, 6.0]), "b": torch.tensor(5.0)},
    ]
    result = average_states(states)
    assert result["a"].tolist() == [2.0, 4.0]
    assert result["b"].item() == 4.0
    with pytest.raises(EpochalError, match="no models to merge"):
        average_states([])
    with pytest.raises(EpochalError, match="parameters of other names"):
        average_states([states[0], {"a": torch.ones(2)}])
