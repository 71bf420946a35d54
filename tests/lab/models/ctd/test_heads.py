"""Places, targets and beliefs of both kinds of heads, by hand and against loops."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.ranking.dating.months import Levels, MonthAxis
from epochal_lab.models.ctd.heads import JointHeads, LevelHeads

LU = MonthAxis.lu()


def one_hot(position: int, size: int) -> torch.Tensor:
    return torch.nn.functional.one_hot(torch.tensor([position]), size).float() * 1e4


@pytest.mark.parametrize(("reign", "year", "month"), [(0, 0, 0), (4, 27, 2), (11, 31, 11)])
def test_the_published_place(reign: int, year: int, month: int) -> None:
    heads = LevelHeads(4, LU, years=32)
    logits = (one_hot(reign, 12), one_hot(year, 32), one_hot(month, 12))
    assert heads.locate(logits).item() == pytest.approx((reign * 384 + year * 12 + month) / 4607, abs=1e-6)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_places_lie_on_the_axis(seed: int) -> None:
    sample = torch.randn(8, 4, generator=torch.Generator().manual_seed(seed)) * 50
    for heads in (LevelHeads(4, LU, years=32), JointHeads(4, LU, spread=4.0)):
        position = heads.locate(heads(sample))
        assert position.min() >= 0
        assert position.max() <= 1 + 1e-6


def test_joint_places_are_months_of_the_axis() -> None:
    heads = JointHeads(4, LU)
    month = LU.index(Levels(4, 27, 2))
    position = heads.locate((one_hot(month // 12, 255), one_hot(month % 12, 12)))
    assert position.item() * (LU.months - 1) == pytest.approx(month, abs=0.01)


def test_joint_logits_against_a_loop() -> None:
    torch.manual_seed(1)
    heads, hidden = JointHeads(6, LU, spread=4.0), torch.randn(2, 6)
    years, months = heads(hidden)
    own = hidden @ heads.own.weight.T + heads.own.bias
    for t in (0, 11, 90, 254):
        reign, year, _ = LU.levels(t * 12)
        want = heads.reign(hidden)[:, reign] + heads.year(hidden)[:, year]
        want = want + sum(own[:, k] * heads.basis[t, k] for k in range(own.shape[1]))
        assert torch.allclose(years[:, t], want, atol=1e-5)
    assert torch.equal(months, heads.month(hidden))


def test_what_is_learned_of_a_year_reaches_its_neighbours() -> None:
    """A year that no text is of rises with those beside it, if the basis has a smooth part, and not without."""
    for spread, rises in ((4.0, True), (0.0, False)):
        torch.manual_seed(0)
        heads = JointHeads(4, MonthAxis.gregorian(2000, 2029), spread=spread)
        with torch.no_grad():
            for parameter in heads.parameters():
                parameter.zero_()
        hidden = torch.ones(1, 4)
        optimiser = torch.optim.SGD(heads.own.parameters(), lr=0.1)
        loss = -(heads(hidden)[0].log_softmax(dim=-1)[0, [9, 11]]).sum()
        loss.backward()
        optimiser.step()
        result = heads(hidden)[0][0].detach()
        assert (result[10] > result[0] + 1e-4).item() is rises


def test_published_targets() -> None:
    heads = LevelHeads(4, LU, years=32, smoothing=0.2)
    month = torch.tensor([LU.index(Levels(4, 27, 2))])
    reign, year, part = heads.targets(month, month)
    assert reign[0, 3:6].tolist() == pytest.approx([0.1, 0.8, 0.1])
    assert year[0, 26:29].tolist() == pytest.approx([0.1, 0.8, 0.1])
    assert part[0, :4].tolist() == pytest.approx([0, 0.1, 0.8, 0.1])
    edge = torch.tensor([LU.index(Levels(11, 0, 11))])
    reign, year, part = heads.targets(edge, edge)
    assert reign[0, -2:].tolist() == pytest.approx([0.2, 0.8])
    assert year[0, :2].tolist() == pytest.approx([0.8, 0.2])
    assert part[0, -2:].tolist() == pytest.approx([0.2, 0.8])


def test_joint_targets_of_windows() -> None:
    heads = JointHeads(4, MonthAxis.gregorian(2000, 2003))
    years, months = heads.targets(
        torch.tensor([9, 12]), torch.tensor([20, 12])
    )  # October 2000 to September 2001; January
    assert years[0].tolist() == pytest.approx([3 / 12, 9 / 12, 0, 0])
    assert months[0].tolist() == pytest.approx([1 / 12] * 12)
    assert years[1].tolist() == [0, 1, 0, 0]
    assert months[1].tolist() == [1] + [0] * 11


def test_spread_targets_sum_to_one_at_the_edges() -> None:
    heads = JointHeads(4, MonthAxis.gregorian(2000, 2009), sigma=1.0)
    years, _ = heads.targets(torch.tensor([0, 66]), torch.tensor([0, 66]))
    assert years.sum(dim=1).tolist() == pytest.approx([1, 1])
    assert years[1].argmax().item() == 5
    assert years[0, 0] > years[0, 1] > years[0, 2]


@pytest.mark.parametrize("kind", ["levels", "joint"])
def test_gradients_reach_every_parameter(kind: str) -> None:
    heads = LevelHeads(4, LU) if kind == "levels" else JointHeads(4, LU, spread=4.0)
    logits = heads(torch.randn(3, 4))
    (heads.locate(logits).sum() + sum(part.square().sum() for part in logits)).backward()
    for name, parameter in heads.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


def test_mistakes_are_reported() -> None:
    with pytest.raises(EpochalError, match="smoothing of labels is 1"):
        LevelHeads(4, LU, smoothing=1.0)
    with pytest.raises(EpochalError, match="spread of years is -1"):
        JointHeads(4, LU, spread=-1)
    with pytest.raises(EpochalError, match="sigma is -1"):
        JointHeads(4, LU, sigma=-1)
    with pytest.raises(EpochalError, match="a reign of 0 years"):
        LevelHeads(4, LU, years=0)


def test_without_years_of_their_own_all_years_of_a_reign_are_read_alike() -> None:
    """A reign and a year that were each taught, but never together, are read together: so questions are."""
    torch.manual_seed(0)
    axis = MonthAxis.reigns("two", [1, 11], 20)
    reign, year = torch.arange(20) // 10, torch.arange(20) % 10
    hidden = torch.cat([torch.eye(2)[reign], torch.eye(10)[year]], dim=1)  # what states its reign and its year
    held = 13
    taught = [number for number in range(20) if number != held]
    result = {}
    for own in (False, True):
        heads = JointHeads(12, axis, own=own)
        optimiser = torch.optim.Adam(heads.parameters(), lr=0.05)
        for _ in range(400):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(heads(hidden)[0][taught], torch.tensor(taught)).backward()
            optimiser.step()
        result[own] = heads(hidden)[0][held].softmax(dim=-1)[held].item()
    assert result[False] > 0.5
    assert result[False] > result[True]
