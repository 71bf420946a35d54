"""Equations 11 to 14 against loops, and which side gradients go through."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from epochal_lab.models.tmrl.objectives import (
    cka,
    cka_by_covariance,
    cka_by_gram,
    cka_loss,
    distillation_loss,
    take_prefixes,
)


def slow_distillation(vectors: dict[int, np.ndarray], top_k: int, include_self: bool) -> float:
    """Equation 11."""

    def sim(dim: int, i: int, j: int) -> float:
        x, y = vectors[dim][i], vectors[dim][j]
        return float(x @ y / np.sqrt((x @ x) * (y @ y)))

    width, total = max(vectors), 0.0
    count = len(vectors[width])
    for dim in vectors:
        if dim == width:
            continue
        for i in range(count):
            others = [j for j in range(count) if include_self or j != i]
            near = sorted(others, key=lambda j: -sim(width, i, j))[:top_k]
            total += sum(abs(sim(width, i, j) - sim(dim, i, j)) for j in near)
    return total


def slow_cka(x: np.ndarray, y: np.ndarray) -> float:
    """Equations 12 and 13, by covariances of centred vectors."""
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)

    def cov(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return sum(np.outer(row, col) for row, col in zip(a, b, strict=True)) / (len(a) - 1)

    def norm(matrix: np.ndarray) -> float:
        return float(np.sqrt((matrix**2).sum()))

    return norm(cov(x, y)) ** 2 / (norm(cov(x, x)) * norm(cov(y, y)))


@given(st.integers(0, 1000), st.integers(3, 9), st.booleans())
def test_neighbours_against_loops(seed, count, include_self):
    whole = torch.randn(count, 6, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    result = take_prefixes(whole, [2, 4, 6])
    want = slow_distillation({dim: part.numpy() for dim, part in result.items()}, 2, include_self)
    assert distillation_loss(result, 2, include_self=include_self, mean=False).item() == pytest.approx(want)
    assert distillation_loss(result, 2, include_self=include_self).item() == pytest.approx(want / (count * 2))


def test_a_small_batch_or_no_prefix_tells_nothing():
    whole = torch.randn(4, 6)
    assert distillation_loss(take_prefixes(whole, [2, 6]), top_k=4).item() == 0
    assert distillation_loss(take_prefixes(whole, [6]), top_k=1).item() == 0
    assert cka_loss(take_prefixes(whole, [6])).item() == 0


def test_itself_as_a_neighbour_takes_the_place_of_another():
    result = take_prefixes(torch.randn(8, 6, generator=torch.Generator().manual_seed(1)), [2, 6])
    assert distillation_loss(result, 1, include_self=True).item() == pytest.approx(0, abs=1e-6)
    assert distillation_loss(result, 1, include_self=False).item() > 0.1


@given(st.integers(0, 1000), st.integers(2, 12), st.integers(1, 6))
def test_alignment_by_inner_products_and_by_covariances(seed, count, dim):
    result = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 6, generator=result, dtype=torch.float64)
    y = torch.randn(count, dim, generator=result, dtype=torch.float64)
    want = slow_cka(x.numpy(), y.numpy())
    for match in (cka_by_gram(x, y), cka_by_covariance(x, y), cka(x, y)):
        assert match.item() == pytest.approx(want)


def test_alignment_does_not_change_with_scale_place_or_turning():
    x = torch.randn(7, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    turn = torch.linalg.qr(torch.randn(4, 4, generator=torch.Generator().manual_seed(2), dtype=torch.float64))[0]
    assert cka(x, 3 * x @ turn + 5).item() == pytest.approx(1)
    assert cka(x, torch.randn(7, 4, generator=torch.Generator().manual_seed(3), dtype=torch.float64)).item() < 0.9


def test_equation_14_is_the_sum_over_prefixes():
    result = take_prefixes(torch.randn(7, 8, dtype=torch.float64), [2, 4, 8])
    want = sum(1 - slow_cka(result[8].numpy(), result[dim].numpy()) for dim in (2, 4))
    assert cka_loss(result).item() == pytest.approx(want)


def test_texts_that_are_all_alike_give_no_nan():
    result = take_prefixes(torch.ones(5, 4, requires_grad=True), [2, 4])
    loss = cka_loss(result)
    assert torch.isfinite(loss)


def test_gradients_pass_the_teacher_of_neighbours_by_and_go_through_that_of_geometry():
    whole = torch.randn(6, 8, generator=torch.Generator().manual_seed(1))
    for loss, reaches in ((lambda result: distillation_loss(result, 2), False), (cka_loss, True)):
        teacher, student = whole.clone().requires_grad_(), whole[:, :4].clone().requires_grad_()
        loss({4: student, 8: teacher}).backward()
        assert (teacher.grad is not None and bool(teacher.grad.abs().sum() > 0)) is reaches
        assert student.grad.abs().sum() > 0
