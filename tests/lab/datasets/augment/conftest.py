"""Passages of our own that the tests of the pipeline share."""

from __future__ import annotations

import pytest

from epochal_lab.datasets.augment.make import SourcePassage

TEXTS = (
    "Ann Hay joined Leeds United in May 1998. She was seventeen then.",
    "Bob Ray left Hull City on 4 March 2004, and the mayor wept.",
    "From 1987 to 1995 Cora Lee was the mayor of Selby. The town grew in her time.",
    "The Eastgate lighthouse was rebuilt in 1867 by Ida Morrow, who had come from Bergen.",
    "Since 2001 Dan Fox has been the organist of the church in Ripon.",
    "Karl Otten opened the bridge of Malton in late November 1903.",
    "In the 1930s Erik Holm wrote for the Morning Post, a paper of Bergen.",
    "Frieda Abel (born 12 June 1921) was a painter from Lübeck.",
    "Gus Moe moved to Oslo until 1976, when the mill was closed.",
    "It was announced that Nora Quist would marry Paul Reed on 9 May 1953.",
)


@pytest.fixture
def passages() -> list[SourcePassage]:
    return [SourcePassage(f"p{number}", text) for number, text in enumerate(TEXTS)]
