"""The how-to pages of the frameworks show what happens."""

from __future__ import annotations

import pytest

from docs_pages import FRAMEWORKS, SAMPLE, build_sample, run_page


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    build_sample(folder)
    return folder


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_page_shows_what_happens(name, sample, monkeypatch):
    pytest.importorskip(FRAMEWORKS[name])
    monkeypatch.chdir(sample)
    run_page(SAMPLE.with_name(f"{name}.md"))
