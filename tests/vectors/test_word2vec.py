"""word2vec as a person uses it: it learns in each of its forms, and its settings mean something."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import CorpusError, SettingError, UnknownWordError
from tests.vectors.texts import share_in_topic, topic_of, write_topics

SMALL: dict[str, Any] = {
    "vector_size": 24,
    "min_count": 1,
    "epochs": 8,
    "sample": 0.0,
    "alpha": 0.05,
    "workers": 1,
    "valid_rate": 0.1,
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_topics(tmp_path_factory.mktemp("corpus") / "topics.txt")


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("model", ["skipgram", "cbow"])
@pytest.mark.parametrize("loss", ["ns", "hs", "softmax"])
def test_every_form_learns(corpus: Path, model: str, loss: str) -> None:
    settings = SMALL | ({"alpha": 0.2, "epochs": 12} if model == "cbow" else {})
    estimator = ft.Word2Vec(model=model, loss=loss, **settings)
    vectors = estimator.fit(corpus).vectors_
    assert share_in_topic(vectors) > 0.9
    first, last = estimator.history[0], estimator.history[-1]
    assert last["loss"] < first["loss"]
    assert last["valid_loss"] < first["valid_loss"]
    walked = last["words"] / settings["epochs"]  # what is not held out
    assert 0.85 < walked / sum(vectors.counts) < 0.95


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(
    "settings",
    [
        {"exact": True},
        {"keep": "mean"},
        {"subsampling": "paper", "sample": 1e-1},
        {"negative": 11},
        {"model": "cbow", "cbow_mean": False},
        {"model": "cbow", "cbow_gradient": "divided", "alpha": 0.5},
        {"workers": 3},
    ],
)
def test_every_option_learns(corpus: Path, settings: dict[str, Any]) -> None:
    given = SMALL | settings
    if settings.get("exact"):
        given.pop("workers")
    assert share_in_topic(ft.Word2Vec(**given).fit(corpus).vectors_) > 0.9


def test_first_losses_are_those_of_chance(corpus: Path) -> None:
    """Fresh outputs are zero: (K + 1) log 2, path length x log 2, log V."""
    still = SMALL | {"alpha": 1e-7, "min_alpha": 1e-8, "epochs": 1}
    for loss, expected in (("ns", 6 * math.log(2)), ("softmax", math.log(30))):
        estimator = ft.Word2Vec(loss=loss, **still)
        estimator.fit(corpus)
        assert estimator.history[0]["loss"] == pytest.approx(expected, abs=2e-3)
        assert estimator.history[0]["valid_loss"] == pytest.approx(expected, rel=0.02)


def test_one_worker_is_reproducible_to_the_bit(corpus: Path) -> None:
    first, second = (ft.Word2Vec(**SMALL).fit(corpus).vectors_ for _ in range(2))
    np.testing.assert_array_equal(first.vectors, second.vectors)
    other = ft.Word2Vec(**SMALL | {"seed": 2}).fit(corpus).vectors_
    assert not np.array_equal(first.vectors, other.vectors)


def test_exact_is_reproducible_to_the_bit(corpus: Path) -> None:
    settings = {key: value for key, value in SMALL.items() if key != "workers"} | {"exact": True}
    first, second = (ft.Word2Vec(**settings).fit(corpus).vectors_ for _ in range(2))
    np.testing.assert_array_equal(first.vectors, second.vectors)


def test_words_come_by_count_and_unknown_words_have_no_vector(corpus: Path) -> None:
    vectors = ft.Word2Vec(**SMALL).fit(corpus).vectors_
    assert "[UNK]" not in vectors
    assert (np.diff(vectors.counts) <= 0).all()
    assert vectors.vectors.shape == (30, 24)


def test_a_word_that_stands_for_unknown_ones_has_no_vector(corpus: Path, tmp_path: Path) -> None:
    """The words are those of a text without it; it is no word either where a base has it."""
    text = corpus.read_text(encoding="utf-8")
    marked, without = tmp_path / "marked.txt", tmp_path / "without.txt"
    marked.write_text(text.replace(" ship ", " <unk> "), encoding="utf-8")
    without.write_text(text.replace(" ship ", " "), encoding="utf-8")
    settings = SMALL | {"workers": 1, "valid_rate": 0.0, "pre_tokenizer": "whitespace"}
    assert "<unk>" in ft.Word2Vec(**settings).fit(marked).vectors_
    vectors = ft.Word2Vec(**settings, unknown_words=["<unk>"]).fit(marked).vectors_
    assert "<unk>" not in vectors
    with pytest.raises(UnknownWordError, match="'<unk>'"):
        vectors.most_similar("<unk>")
    assert vectors.index_to_key == ft.Word2Vec(**settings).fit(without).vectors_.index_to_key
    further = ft.Word2Vec(**settings | {"epochs": 1}, unknown_words=("<unk>", "sail"))
    again = further.fit(marked, base=ft.Word2Vec(**settings).fit(marked).vectors_).vectors_
    assert not {"<unk>", "sail"} & set(again.index_to_key)  # though the base has them


def test_budget_ends_the_training(corpus: Path) -> None:
    settings = {key: value for key, value in SMALL.items() if key != "epochs"}
    estimator = ft.Word2Vec(budget_seconds=4.0, **settings)
    estimator.fit(corpus)
    assert 0 < estimator.history[-1]["time"] < 4.0
    assert estimator.history[-1]["learning_rate"] < 2e-3


def test_patience_ends_the_training(corpus: Path) -> None:
    """The held-out loss of so small a text soon stops falling."""
    estimator = ft.Word2Vec(**SMALL | {"epochs": 200, "patience": 1})
    estimator.fit(corpus)
    assert estimator.history[-1]["epoch"] < 200


def test_going_on_with_new_words(corpus: Path, tmp_path: Path) -> None:
    base = ft.Word2Vec(**SMALL).fit(corpus, out=tmp_path / "base").vectors_
    more = tmp_path / "more.txt"
    more.write_text("ship harbour wave submarine tide sailor submarine anchor\n" * 50)
    further = ft.Word2Vec(**SMALL | {"epochs": 3}).fit(more, base=tmp_path / "base").vectors_
    assert "submarine" in further
    assert set(base.index_to_key) < set(further.index_to_key)
    assert topic_of(further.most_similar("submarine", topn=1)[0][0]) == "sea"
    untouched = "judge"
    np.testing.assert_array_equal(further[untouched], base[untouched])
    assert further.counts[further.key_to_index["ship"]] > base.counts[base.key_to_index["ship"]]


def test_base_of_another_size_is_refused(corpus: Path) -> None:
    base = ft.WordVectors(["ship"], np.ones((1, 3)))
    with pytest.raises(SettingError, match="set vector_size = 3"):
        ft.Word2Vec(**SMALL).fit(corpus, base=base)


def test_a_single_word_is_too_little(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("word " * 100)
    with pytest.raises(CorpusError, match="fewer than two words"):
        ft.Word2Vec(**SMALL).fit(path)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"vector_sise": 10}, "Did you mean 'vector_size'"),
        ({"loss": "hs", "negative": 10}, 'negative would have no effect without loss = "ns"'),
        ({"cbow_mean": False}, 'without model = "cbow"'),
        ({"subsampling": "paper", "sample": 0.0}, "subsampling would have no effect without sub"),
        ({"budget_seconds": 5.0, "epochs": 2}, "epochs would have no effect beside a budget"),
        ({"exact": True, "workers": 3}, "takes one worker"),
        ({"exact": True, "model": "cbow"}, 'exact would have no effect without model = "skipgram"'),
        (
            {"exact": True, "loss": "hs"},
            'exact would have no effect without model = "skipgram" and loss = "ns"',
        ),
        (
            {"model": "cbow", "cbow_mean": False, "cbow_gradient": "divided"},
            'cbow_gradient = "divided" would have no effect on a sum',
        ),
        ({"loss": "hs", "keep": "mean"}, "output vector a word"),
        ({"window": 0}, "greater than or equal to 1"),
        ({"window": 2.5}, "window = 2.5"),
        ({"model": "skip-gram"}, "'skipgram' or 'cbow'"),
        ({"alpha": float("nan")}, "finite"),
    ],
)
def test_settings_that_do_not_hold_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError) as caught:
        ft.Word2Vec(**settings).fit(["the ship", "the sea"])
    assert sentence in str(caught.value)


def test_a_learning_rate_that_explodes_is_told(corpus: Path) -> None:
    with pytest.raises(SettingError, match=r"lower (the )?learning rate"):
        ft.Word2Vec(**SMALL | {"alpha": 1e30}).fit(corpus)
