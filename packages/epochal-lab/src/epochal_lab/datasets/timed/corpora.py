"""The corpora by name, each read from the data folder with its questions."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Final

from epochal.errors import UnknownNameError
from epochal_lab.datasets.sources import Source, data_folder
from epochal_lab.datasets.timed.annals import load_annals
from epochal_lab.datasets.timed.forecasts import load_forecasts
from epochal_lab.datasets.timed.law import load_law, load_terms
from epochal_lab.datasets.timed.news import load_current_events
from epochal_lab.datasets.timed.news_zh import load_news_zh
from epochal_lab.datasets.timed.nouns import ask_about_absent_things
from epochal_lab.datasets.timed.other_words import OTHER_WORDS, load_collection
from epochal_lab.datasets.timed.passages import load_chronoqa_questions, load_facts, load_scifact, load_timeqa, load_tnp
from epochal_lab.datasets.timed.questions import TimedCorpus
from epochal_lab.datasets.timed.releases import load_changelogs

#: What loads a corpus, by its name; each takes the source of its files and a seed.
CORPORA: Final[dict[str, Callable[[Source, int], TimedCorpus]]] = {
    "changelogs": load_changelogs,
    "changelogs_series": partial(load_changelogs, series=True),
    "current_events": load_current_events,
    "law_asof": load_law,
    "tdbench": load_facts,
    "terms": load_terms,
    "forecasts": load_forecasts,
    "timeqa": load_timeqa,
    "tnp": load_tnp,
    "chronoqa": load_chronoqa_questions,
    "news_zh": load_news_zh,
    "annals": load_annals,
    "scifact": load_scifact,
}


def load_corpus(name: str, *, data: str | os.PathLike[str] | None = None, seed: int = 0) -> TimedCorpus:
    """The documents and questions of a corpus, from the data folder that is given or that EPOCHAL_DATA names.

    Both splits ask about one collection of documents: `select("train")` and `select("report")` part the questions.
    """
    if name.startswith(f"{OTHER_WORDS}_"):
        return load_collection(name.removeprefix(f"{OTHER_WORDS}_"))
    if name not in CORPORA:
        raise UnknownNameError("corpus of timed questions", name, CORPORA)
    corpus = CORPORA[name](Source(data_folder(data)), seed)
    return ask_about_absent_things(corpus, seed) if corpus.language == "en" else corpus
