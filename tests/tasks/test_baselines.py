from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.data.rows import RowsConfig, read_tagged, read_texts
from foretext.errors import CorpusError
from foretext.metrics import classification_scores, tagging_scores
from foretext.tasks.baselines import LinearBaseline, MajorityBaseline, WordTagBaseline

TEXTS = ["a good film", "a fine film", "bad, very bad", "a bad film", "good and fine"]
LABELS = ["pos", "pos", "neg", "neg", "pos"]


def test_most_frequent_label() -> None:
    baseline = MajorityBaseline().fit(TEXTS, LABELS)
    assert baseline.predict(["x", "y"]) == ["pos", "pos"]
    assert baseline.predict_proba(["x"]).tolist() == [[0.4, 0.6]]
    assert baseline.classes_ == ("neg", "pos")
    assert MajorityBaseline().fit(["x", "y"], ["b", "a"]).predict(["z"]) == ["a"]


def test_most_frequent_set_of_labels() -> None:
    baseline = MajorityBaseline().fit(["x", "y", "z"], [["b", "a"], ["a", "b"], []])
    assert baseline.predict(["x"]) == [("a", "b")]
    assert baseline.predict_proba(["x"])[0] == pytest.approx([2 / 3, 2 / 3])


def test_words_tell_labels_apart() -> None:
    baseline = LinearBaseline().fit(TEXTS, LABELS)
    assert baseline.predict(["a very bad one", "a fine one"]) == ["neg", "pos"]
    probabilities = baseline.predict_proba(TEXTS)
    assert probabilities.shape == (5, 2)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(5))
    assert baseline.predict_proba([]).shape == (0, 2)
    assert baseline.predict([]) == []


def test_rows_with_one_label_each_have_one_answer_each() -> None:
    baseline = LinearBaseline().fit(TEXTS, [(label,) for label in LABELS])
    assert baseline.predict(["bad"]) == ["neg"]


def test_several_labels_a_text() -> None:
    labels = [("film", "pos"), ("film", "pos"), (), ("film",), ("pos",)]
    baseline = LinearBaseline().fit(TEXTS * 4, labels * 4)
    assert baseline.classes_ == ("film", "pos")
    assert baseline.predict(["a good film", "bad"]) == [("film", "pos"), ()]


def test_characters_where_words_are_not_divided() -> None:
    texts = ["今天股市大涨", "股票下跌", "球队赢得比赛", "比赛很精彩"]
    baseline = LinearBaseline().fit(texts, ["finance", "finance", "sports", "sports"])
    assert baseline.predict(["昨日股市", "精彩球赛"]) == ["finance", "sports"]
    words = LinearBaseline(LinearBaseline.Config(features="words")).fit(texts, list("xxyy"))
    assert words._vectorizer.get_feature_names_out().tolist() == sorted(texts)


def test_the_same_seed_gives_the_same_numbers() -> None:
    first, second = (LinearBaseline().fit(TEXTS, LABELS).predict_proba(TEXTS) for _ in range(2))
    assert (first == second).all()


@pytest.mark.parametrize(
    ("texts", "labels", "sentence"),
    [
        ([], [], "There is no text to learn from; give texts with labels."),
        (["a", "b"], ["x", "x"], "The texts have 1 different labels; two are needed to learn a"),
        (["?", "!"], ["x", "y"], "No feature can be had from these texts"),
    ],
)
def test_what_cannot_be_learned_from(texts: list[str], labels: list[str], sentence: str) -> None:
    with pytest.raises(CorpusError) as caught:
        LinearBaseline().fit(texts, labels)
    assert str(caught.value).startswith(sentence)


def test_each_word_has_its_most_frequent_tag() -> None:
    sentences = [["the", "can"], ["can", "can", "go"], ["the"]]
    tags = [["DT", "NN"], ["MD", "MD", "VB"], ["DT"]]
    baseline = WordTagBaseline().fit(sentences, tags)
    assert baseline.classes_ == ("DT", "MD", "NN", "VB")
    assert baseline.predict([["the", "can", "unseen"], []]) == [["DT", "MD", "DT"], []]
    shares, empty = baseline.predict_proba([["can"], []])
    assert shares.tolist() == [[0, pytest.approx(2 / 3), pytest.approx(1 / 3), 0]]
    assert empty.shape == (0, 4)
    with pytest.raises(CorpusError, match="There is no tagged token; give sentences with tags"):
        WordTagBaseline().fit([[]], [[]])


@pytest.mark.slow
@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("train", "test", "settings", "accuracy"),
    [
        ("r8/train.txt.xz", "r8/test.txt.xz", ({}, {}), 0.964),
        (
            "ag_news/train_subset.csv.xz",
            "ag_news/test.csv.xz",
            ({"label": 1, "text": 2}, {"label": 1, "text": (2, 3)}),
            0.896,
        ),
    ],
)
def test_it_reaches_the_figures_of_a_linear_model(
    shared_data: Path, train: str, test: str, settings: tuple[dict[str, Any], ...], accuracy: float
) -> None:
    learned, asked = (
        read_texts(shared_data / name, RowsConfig(**given))
        for name, given in zip((train, test), settings, strict=True)
    )
    baseline = LinearBaseline().fit([row.text for row in learned], [row.labels for row in learned])
    predicted = [str(label) for label in baseline.predict([row.text for row in asked])]
    gold = [row.labels[0] for row in asked]
    assert classification_scores(gold, predicted).accuracy >= accuracy


@pytest.mark.slow
@pytest.mark.shared_data
def test_words_alone_know_some_entities(shared_data: Path) -> None:
    train, test = (
        read_tagged(shared_data / "conll2003" / name) for name in ("eng.train.xz", "eng.testb")
    )
    baseline = WordTagBaseline().fit([row.tokens for row in train], [row.tags for row in train])
    predicted = baseline.predict([row.tokens for row in test])
    assert 0.4 < tagging_scores([row.tags for row in test], predicted).f1 < 0.7
