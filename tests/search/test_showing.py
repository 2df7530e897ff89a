"""What is shown of a query."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.messages import in_language
from foretext.search.bm25 import BM25
from foretext.search.showing import query_parts
from foretext.shown import Table
from tests.search.indexes import made


@pytest.mark.parametrize("query", ["wave ship wave", "the judge zebra", "zebra"])
def test_each_word_scores_the_passages_once(
    query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = made(tmp_path, settings={"weighting": "mean"})
    results = index.search(query, 4)
    calls, scores = [], index.words.scores

    def counted(words: list[str], settings: BM25) -> np.ndarray:
        calls.append(words)
        return scores(words, settings)

    monkeypatch.setattr(type(index.words), "scores", lambda self, *given: counted(*given))
    with in_language("en"):
        table = query_parts(index, results)[-1]
    words = list(dict.fromkeys(query.split()))
    assert calls == [[word] for word in words]
    assert isinstance(table, Table)
    for hit, row in zip(results.hits, table.rows, strict=True):
        each = [float(scores([word], BM25())[hit.row]) for word in words]
        assert row[4] == (words[int(np.argmax(each))] if max(each) else "")
