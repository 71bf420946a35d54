"""Draw what notebooks show of a search and of an answer: docs/images/notebook-{search,answer}.svg.

Run it as `python docs/make_notebook.py`. The pictures hold the HTML that `_repr_html_` gives, so that a test can
compare them with what Epochal shows now.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from epochal import Index

IMAGES = Path(__file__).parent / "images"
NOW = "2021-06-01"
NOTES = (
    ("2012-05-04", "Dog fee", "The dog fee is 3 euros a month."),
    ("2014-02-11", "Dog fee", "The dog fee rises to 5 euros a month."),
    ("2014-09-30", "Harbour", "The harbour is closed for ships over 40 metres."),
    ("2017-11-20", "Dog fee", "The dog fee is 6 euros a month; guide dogs are free."),
    ("2020-03-16", "Harbour", "The harbour is open again from April 2020."),
)
SEARCH = "What is the dog fee?"
ANSWER = "How did the dog fee change from 2012 to 2014?"
_STYLE = "font-family:sans-serif;font-size:13px;background:#fff;padding:8px"


def render_pictures() -> dict[str, str]:
    """The pictures by the names of their files."""
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        index.add(
            {"id": f"note-{number}", "title": title, "text": text, "published": date}
            for number, (date, title, text) in enumerate(NOTES, 1)
        )
        search = index.search(SEARCH, now=NOW, k=3, collapse_versions=False)._repr_html_()
        answer = index.answer(ANSWER, now=NOW)._repr_html_()
    return {"notebook-search.svg": wrap(search, 260), "notebook-answer.svg": wrap(answer, 300)}


def wrap(html: str, height: int) -> str:
    """HTML as a picture."""
    body = html.replace("<br>", "<br/>")
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='780' height='{height}'>"
        f"<foreignObject width='780' height='{height}'>"
        f"<div xmlns='http://www.w3.org/1999/xhtml' style='{_STYLE}'>{body}</div></foreignObject></svg>\n"
    )


def main() -> None:
    for name, text in render_pictures().items():
        (IMAGES / name).write_text(text, encoding="utf-8")
        print(IMAGES / name)


if __name__ == "__main__":
    main()
