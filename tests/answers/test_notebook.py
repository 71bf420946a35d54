"""What a notebook shows of an answer, and the pictures of it in the documentation."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from epochal import Document, Index
from paths import ROOT

SVG = "{http://www.w3.org/2000/svg}"


def parse(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{html.replace('<br>', '<br/>')}</div>")


def test_an_answer_is_well_formed_and_shows_documents_as_text(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add(
            [
                Document("a", "The fee rose to <b>4</b> euros in May 1998.", "Fees & more"),
                Document("b", "The fee fell to 3 euros in 2003.", published="2003-07-02"),
            ]
        )
        shown = index.answer("What became of the fee in 1998 and in 2001?", now=None)._repr_html_()
        when = index.answer("When did the fee rise to 4 euros?", now=None)._repr_html_()
    root = parse(shown)
    assert "&lt;b&gt;4&lt;/b&gt; euros" in shown
    assert "Fees &amp; more" in shown
    assert len(root.findall(f".//{SVG}rect")) == 1
    assert [element.text for element in root.findall(".//b")][1:] == ["1998", "2001"]
    assert any((element.text or "").startswith("Not covered: ") for element in root.findall(".//p"))
    assert any((element.text or "").startswith("When: May 1998 [1]") for element in parse(when).findall(".//p"))


@pytest.fixture(scope="module")
def pictures() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("make_notebook", ROOT / "docs" / "make_notebook.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: dict[str, str] = module.render_pictures()
    return made


def strip_scores(picture: str) -> str:
    """A picture without the scores, which change whenever the model is fitted anew."""
    return re.sub(r">-?\d+\.\d{3}</td>", "></td>", picture)


@pytest.mark.parametrize("name", ["notebook-search.svg", "notebook-answer.svg"])
def test_pictures_of_the_documentation_are_what_is_shown(pictures: dict[str, str], name: str) -> None:
    ElementTree.fromstring(pictures[name])
    committed = (ROOT / "docs" / "images" / name).read_text(encoding="utf-8")
    assert strip_scores(committed) == strip_scores(pictures[name]), "run: python docs/make_notebook.py"
