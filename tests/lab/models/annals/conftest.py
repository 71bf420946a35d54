"""A small text in the manner of annals, made by rule, and a model that has read it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

torch = pytest.importorskip("torch")

SEASONS = ("春", "夏", "秋", "冬")
NUMBERS = "一二三四五六七八九十"
PLACES = "齊魯晉楚宋鄭衛陳"


def made_passages(count: int = 64) -> list[str]:
    """Annals of made-up years: season and month go together, and so do a state and what it does."""
    matches = []
    for number in range(count):
        year, month = NUMBERS[number % 10], number % 4
        one, other = PLACES[number % 8], PLACES[(number * 3 + 1) % 8]
        parts = [
            f"{year}年{SEASONS[(month + step) % 4]}，王{NUMBERS[((month + step) % 4) * 2]}月，"
            f"{one}侯會{other}伯于{one}。{other}人伐{one}，取其田而還。"
            for step in range(3)
        ]
        matches.append("".join(parts))
    return matches


@pytest.fixture(scope="session")
def passages() -> list[str]:
    return made_passages()


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Models this small are slower on several threads, and tests that run side by side have no cores to spare."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
