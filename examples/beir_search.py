"""Epochal in the place of a BEIR retriever: search(corpus, queries, top_k), with time and without.

Needs nothing but epochal. The same object is a search model of MTEB, where that can be installed:

    mteb.evaluate(EpochalSearch(), tasks=mteb.get_tasks(tasks=["SciFact"]))
"""

import json

from epochal.cli.demo import NOW, open_corpus
from epochal.integrations.beir import EpochalSearch

with open_corpus() as news:
    rows = [json.loads(line) for line in news.read_text(encoding="utf-8").splitlines()]
documents = {row["id"]: {"title": "", "text": row["text"], "published": row["published"]} for row in rows}
queries = {
    "literature": "Who won the Nobel Prize in Literature in 2016?",
    "physics": "the latest Nobel Prize in Physics",
}

for name, wishes in (("with time", {}), ("without", {"time": False})):
    with EpochalSearch(encoder="static", now=NOW, **wishes) as model:
        run = model.search(documents, queries, top_k=10)
    for query, scores in run.items():
        best = max(scores, key=scores.get)
        print(f"{query}, {name}: {best} {documents[best]['text'][:80]}")
