from __future__ import annotations

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import CorpusError
from foretext.messages import in_language
from foretext.shown import Grid, Table, TokenLines
from foretext.vectors.insight import nearest, shortened_title
from foretext.vectors.word_vectors import WordVectors
from tests.shown_runs import check_shown, parts_of


def vectors() -> WordVectors:
    """Three words: two that are near each other, and one that is at a right angle to the first."""
    return WordVectors(["cat", "dog", "sea"], [[1, 0], [0.8, 0.6], [0, 1]], [5, 3, 1])


def test_neighbours_and_cosines_are_those_of_the_vectors() -> None:
    (shown,) = check_shown(vectors(), ["the cat and the dog"])
    lines = next(part for part in shown.parts if isinstance(part, TokenLines))
    assert lines.lines[0].marks == ("unknown", "", "unknown", "unknown", "")
    tables = [part for part in shown.parts if isinstance(part, Table)]
    assert tables[0].rows[0][:4] == ("cat", 5, 1.0, "dog 0.800")
    grid = next(part for part in shown.parts if isinstance(part, Grid))
    np.testing.assert_allclose(grid.values, [[1, 0.8], [0.8, 1]], atol=1e-6)


def test_several_lines_are_compared() -> None:
    shown = check_shown(vectors(), ["cat", "dog", "sea"])
    assert len(shown) == 4
    grid = next(part for part in shown[0].parts if isinstance(part, Grid))
    np.testing.assert_allclose(grid.values, [[1, 0.8, 0], [0.8, 1, 0.6], [0, 0.6, 1]], atol=1e-6)


def test_a_text_of_unknown_words_has_no_table() -> None:
    (shown,) = check_shown(vectors(), ["nobody knows"])
    assert parts_of([shown], "table") == []


def test_nothing_is_refused() -> None:
    with pytest.raises(CorpusError, match="no word"):
        vectors().show([" "])


def test_n_grams_lead_somewhere() -> None:
    texts = ["the cat sees the cats", "a dog sees the dogs"] * 20
    model = ft.FastText(vector_size=8, epochs=1, min_count=1, minn=2, maxn=3, bucket=500, seed=1)
    found = model.fit(texts).vectors_
    with in_language("en"):
        (shown,) = found.show(["cats"])
    table = [part for part in shown.parts if isinstance(part, Table)][-1]
    ngrams = {row[1] for row in table.rows}
    assert "cat" in ngrams
    assert all(row[0] == "cats" for row in table.rows)


def test_the_nearest_is_another_text() -> None:
    found = nearest(["a", "b", "c"], np.array([[1.0, 0], [1, 0.1], [0, 1]]))
    assert [each.text for each in found if each is not None] == ["b", "a", "b"]
    assert nearest(["a"], np.ones((1, 2))) == [None]


def test_titles_are_short_lines() -> None:
    assert shortened_title("a\nb") == "a b"
    assert len(shortened_title("word " * 50)) == 60
