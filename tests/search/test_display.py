"""What notebooks and tables show of a response: HTML that is well formed, frames, and a plot."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from epochal import Index, Response
from epochal.errors import EpochalError
from epochal.search.display import make_frame, render_timeline
from epochal.times import Span


@pytest.fixture
def response(tmp_path: Path) -> Response:
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add(
            [
                {"id": "a", "text": "The fee is <b>4</b> euros & more.", "published": "2019-03-01", "lang": "en"},
                {"id": "b", "text": "The fee is 12 euros.", "title": "Fees", "published": "2021"},
                {"id": "c", "text": "The fee is secret."},
            ]
        )
        return index.search("fee", k=3, collapse_versions=False)


def test_html_is_well_formed_and_shows_documents_as_text(response: Response) -> None:
    html = response._repr_html_()
    root = ElementTree.fromstring(f"<div>{html.replace('<br>', '<br/>')}</div>")
    assert len(root.findall(".//{http://www.w3.org/2000/svg}rect")) == 2
    assert len(root.findall(".//tbody/tr")) == 3
    assert "&lt;b&gt;4&lt;/b&gt; euros &amp; more" in html
    assert response[0]._repr_html_().startswith("<table>")


def test_a_timeline_has_no_open_spans() -> None:
    assert render_timeline([("a", Span.parse("1998/.."))]) == ""


def test_frames(response: Response) -> None:
    pandas = pytest.importorskip("pandas")
    frame = response.to_pandas()
    assert list(frame.columns[:5]) == ["id", "score", "relevance", "date", "text"]
    assert frame.set_index("id").loc["a", "lang"] == "en"
    assert pandas.isna(frame.set_index("id").loc["c", "date"])
    with pytest.raises(EpochalError, match="pip install no_such_library"):
        make_frame([], "no_such_library")


def test_a_frame_of_polars(response: Response) -> None:
    pytest.importorskip("polars")
    frame = response.to_polars()
    assert frame.columns[:5] == ["id", "score", "relevance", "date", "text"]
    rows = {row["id"]: row for row in frame.iter_rows(named=True)}
    assert (rows["a"]["lang"], rows["a"]["date"], rows["c"]["date"]) == ("en", "2019-03-01", None)


def test_a_plot_has_a_bar_for_each_dated_hit(response: Response) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert len(response.plot().patches) == 2


def test_data_frames_can_be_added(tmp_path: Path) -> None:
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(
        {
            "id": ["a", "b"],
            "text": ["Rain.", "Sun."],
            "date": pandas.to_datetime(["2019-03-01", None]),
            "n": [1.5, float("nan")],
        }
    )
    with Index.create(tmp_path / "index", encoder=None) as index:
        assert index.add(frame).undated == 1
        assert (index["a"].published, index["a"].meta) == (Span.day(2019, 3, 1), {"n": 1.5})
        assert (index["b"].published, index["b"].meta) == (None, {})
        assert index.add(arrow.table({"id": ["c"], "text": ["Hail."], "published": ["14.05.2024"]})).added == 1
        assert index["c"].published == Span.day(2024, 5, 14)
