"""Phrases are gensim's: counts, scores, joined sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import SettingError
from foretext.corpus.phrases import CONNECTOR_WORDS
from tests.lazy_import import lazy_import

gensim_phrases = lazy_import("gensim.models.phrases")


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    rng = np.random.default_rng(0)
    words = [f"w{number}" for number in range(30)] + ["of", "the"]
    found = []
    for _ in range(400):
        sentence = rng.choice(words, rng.integers(0, 9)).tolist()
        more = [["new", "york"], ["bank", "of", "england"], ["of"], []][rng.integers(4)]
        found.append(sentence + more + rng.choice(words, 3).tolist())
    return found


SETTINGS: list[dict[str, Any]] = [
    {"min_count": 1, "threshold": 1.0},
    {"min_count": 5, "threshold": 3.0, "delimiter": " "},
    {"min_count": 2, "threshold": 0.2, "scoring": "npmi"},
    {"min_count": 2, "threshold": 1.0, "connector_words": CONNECTOR_WORDS},
    {"min_count": 2, "threshold": 0.1, "scoring": "npmi", "connector_words": CONNECTOR_WORDS},
    {"min_count": 1, "threshold": 1.0, "max_vocab_size": 300},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_scores_and_joined_sentences(sentences: list[list[str]], settings: dict[str, Any]) -> None:
    ours, theirs = (
        ft.Phrases(**settings).fit(["a text"]).fit(sentences),
        gensim_phrases.Phrases(sentences, **settings),
    )
    assert dict(ours.vocab) == theirs.vocab
    assert ours.corpus_word_count == theirs.corpus_word_count
    if settings.get("delimiter") != " ":  # which lists of words cannot hold
        assert list(ours.transform(sentences)) == [theirs[each] for each in sentences]
    assert [ours[each] for each in sentences] == [theirs[each] for each in sentences]
    expected = theirs.export_phrases()
    assert expected
    assert ours.export_phrases() == pytest.approx(expected)


def test_connector_words_are_gensims() -> None:
    assert CONNECTOR_WORDS == gensim_phrases.ENGLISH_CONNECTOR_WORDS


def test_counting_goes_on(sentences: list[list[str]]) -> None:
    half = ft.Phrases().fit(sentences[:200]).partial_fit(iter(sentences[200:]))
    assert half.vocab == ft.Phrases().fit(sentences).vocab
    assert half.fit(sentences).vocab == half.vocab  # begins again


def test_texts_are_cut_into_words(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("In New York.\nNew York again!\n" * 10 + "the quick fox\n" * 9)
    for given in (path, ["In New York.", "New York again!"] * 10 + ["the quick fox"] * 9):
        phrases = ft.Phrases(min_count=2, threshold=0.3, scoring="npmi").fit(given)
        assert list(phrases.transform(["to New York"])) == [["to", "new_york"]]
    vectors = ft.Word2Vec(min_count=1).fit(phrases.transform(path)).vectors_
    assert "new_york" in vectors


@pytest.mark.parametrize(
    "settings", [{"scoring": "pmi"}, {"scoring": "npmi"}, {"min_count": 0}, {"threshold": 0}]
)
def test_settings_that_mean_nothing(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        ft.Phrases(**settings).fit(["a text"])


def test_a_sentence_is_a_list() -> None:
    with pytest.raises(SettingError, match="a list of words"):
        ft.Phrases()["new york"]
    assert repr(ft.Phrases(min_count=2)) == "Phrases(min_count=2)"
