"""An index of paragraphs, or one round of queries to it or to rank-bm25; figures as JSON.

``python -m benchmarks.search_program build|graph|exact|together|words|rank-bm25 NUM PAIR``
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import work_folder
from benchmarks.inputs import enwiki_paragraphs, enwiki_text

DIM = 256
MODEL_BYTES = 20_000_000  # of text that the word vectors learn from
NUM_QUERIES, NUM_RANKED = 1_000, 10
NUM_BY_WORDS = 50  # queries of BM25
QUERY_WORDS = 10
FIRST = 5  # queries that only open what is needed

Figures = dict[str, Any]


def main() -> None:
    program, num = sys.argv[1], int(sys.argv[2])
    print(json.dumps(PROGRAMS[program](num)))


def index_folder(num: int) -> Path:
    return work_folder() / f"search-{num}"


def queries(num: int) -> list[str]:
    """The first words of paragraphs that are not in the index."""
    paragraphs = enwiki_paragraphs(num + NUM_QUERIES)[num:]
    return [" ".join(text.split()[:QUERY_WORDS]) for text in paragraphs]


def build(num: int) -> Figures:
    """Make the index once; how long its graph and its words take, and what the graph finds."""
    import foretext as ft
    from foretext.search import job

    spent: Figures = {}

    def measured(name: str, work: Callable[..., None]) -> Callable[..., None]:
        def timed(*arguments: Any, **options: Any) -> None:
            began = time.process_time()
            work(*arguments, **options)
            spent[name] = time.process_time() - began

        return timed

    for name, function in (("graph", "build_graph"), ("words", "write_word_index")):
        setattr(job, function, measured(name, getattr(job, function)))
    texts = ft.texts(enwiki_paragraphs(num + NUM_QUERIES)[:num])
    settings = {"approximate": True}
    index = ft.index(
        word_vectors(), texts, index_folder(num), settings=settings, overwrite=True, quiet=True
    )
    asked = queries(num)
    pairs = zip(index.search(asked), index.search(asked, exact=True), strict=True)
    shares = [
        len({hit.row for hit in near} & {hit.row for hit in exact}) / len(exact)
        for near, exact in pairs
    ]
    return spent | {"passages": len(index), "recall": float(np.mean(shares))}


def word_vectors() -> Path:
    """Skip-gram vectors of the first megabytes of enwiki."""
    import foretext as ft

    path = work_folder() / f"search-words-{DIM}.safetensors"
    if not path.exists():
        text = enwiki_text(MODEL_BYTES)
        ft.Word2Vec(vector_size=DIM, epochs=3, valid_rate=0.0).fit(text).vectors_.save(path)
    return path


def ask(num: int, *, together: bool = False, **options: Any) -> Figures:
    """Processor seconds of a query, with the texts of what it finds."""
    import foretext as ft

    index = ft.load(index_folder(num))
    asked = queries(num)
    if options.get("by") == "words":
        asked = asked[: NUM_BY_WORDS + FIRST]
    index.search(asked[:FIRST], NUM_RANKED, **options)
    asked = asked[FIRST:]
    began = time.process_time()
    if together:
        found = index.search(asked, NUM_RANKED, **options)
    else:
        found = [index.search(query, NUM_RANKED, **options) for query in asked]
    cpu = (time.process_time() - began) / len(asked)
    return {"cpu": cpu, "found": [[hit.row for hit in results] for results in found]}


def ask_rank_bm25(num: int) -> Figures:
    """The same passages, words and settings."""
    from rank_bm25 import BM25Okapi

    import foretext as ft

    index = ft.load(index_folder(num))
    began = time.process_time()
    words = [index.words.words(index.passages.text(row)) for row in range(len(index))]
    peer = BM25Okapi(words, k1=1.2, b=0.75)
    made = time.process_time() - began
    asked = [index.words.words(query) for query in queries(num)[FIRST : FIRST + NUM_BY_WORDS]]
    began = time.process_time()
    scores = [peer.get_scores(query) for query in asked]
    found = [np.argpartition(-each, NUM_RANKED)[:NUM_RANKED].tolist() for each in scores]
    cpu = (time.process_time() - began) / len(asked)
    return {"cpu": cpu, "made": made, "found": found}


PROGRAMS: dict[str, Callable[[int], Figures]] = {
    "build": build,
    "graph": ask,
    "exact": lambda num: ask(num, exact=True),
    "together": lambda num: ask(num, exact=True, together=True),
    "words": lambda num: ask(num, by="words"),
    "rank-bm25": ask_rank_bm25,
}

if __name__ == "__main__":
    main()
