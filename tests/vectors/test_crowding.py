"""Vectors that have not left their start are named, and a default rate that lets them leave it."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.data.token_file import TokenFile, Tokens
from foretext.pretraining.word_vectors import _remedy
from foretext.report.run_report import write_report
from foretext.run_folder import RunFolder
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.vectors.crowding import crowding_sentence, longer_learning, mean_cosine
from foretext.vectors.fasttext import FastText
from foretext.vectors.word2vec import Word2Vec
from foretext.vectors.word_vectors import WordVectors

V = 600


def made(shift: float) -> WordVectors:
    """Random vectors that have a direction in common."""
    drawn = np.random.default_rng(0).normal(size=(V, 20))
    return WordVectors([f"w{index}" for index in range(V)], drawn + shift)


def test_the_mean_cosine_is_that_of_all_pairs() -> None:
    vectors = made(0.7)
    unit = vectors.vectors / np.linalg.norm(vectors.vectors, axis=1, keepdims=True)
    exact = ((unit @ unit.T).sum() - V) / (V * (V - 1))
    assert mean_cosine(vectors) == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize(("shift", "is_named"), [(0.0, False), (0.7, False), (3.0, True)])
def test_vectors_on_one_side_are_named(shift: float, is_named: bool) -> None:
    sentence = crowding_sentence(made(shift))
    assert (sentence is not None) is is_named
    if sentence is not None:
        assert "a mean cosine of 0.9" in sentence


def test_where_more_epochs_learn_by_heart_they_are_not_advised() -> None:
    assert "train longer" in str(crowding_sentence(made(3.0)))
    sentence = str(crowding_sentence(made(3.0), went_past_best=True))
    assert "epochs" not in sentence
    assert sentence.endswith("; give more text")
    assert crowding_sentence(made(0.0), went_past_best=True) is None


@pytest.mark.slow
def test_a_run_and_its_page_do_not_contradict_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foretext.vectors.crowding.USUAL", -1.0)  # all vectors are crowded
    text = text_of_groups(tmp_path / "text.txt")
    settings = {
        "vector_size": 16,
        "workers": 1,
        "min_count": 1,
        "alpha": 0.2,
        "budget_seconds": 20.0,
    }
    ft.Word2Vec(**settings).fit(text, out=tmp_path / "run")  # type: ignore[arg-type]
    page = write_report(RunFolder(tmp_path / "run")).read_text(encoding="utf-8")
    for said in ((tmp_path / "run" / "train.log").read_text(encoding="utf-8"), page):
        assert "overfit this text" in said
        assert "neighbours mean little; give more text" in said


@pytest.mark.parametrize(
    ("model", "alpha", "epochs", "learned", "words", "advice"),
    [  # the Penn Treebank in five epochs, a tenth of it, and twice the learning at the least
        (
            "skipgram",
            0.025,
            5,
            1_757_455,
            6719,
            "set vectors.alpha=0.096, or set vectors.epochs=20",
        ),
        ("cbow", 0.05, 5, 1_757_455, 6719, "set vectors.alpha=0.19, or set vectors.epochs=20"),
        ("skipgram", 0.1, 5, 136_290, 2361, "set vectors.epochs=22"),
        ("skipgram", 0.025, 5, 136_290, 2361, "set vectors.alpha=0.1 and set vectors.epochs=22"),
        ("cbow", 0.3, 4, 10**8, 1000, "set vectors.epochs=8"),
        ("skipgram", 0.05, None, 1_757_455, 6719, "set vectors.alpha=0.1, or give 2 times as much"),
    ],
)
def test_the_advice_has_figures(
    model: str, alpha: float, epochs: int | None, learned: float, words: int, advice: str
) -> None:
    found = longer_learning(model, alpha, epochs, learned, words)
    assert found.startswith(advice)
    assert found.endswith(", or give more text")


@pytest.mark.parametrize("config", [Word2Vec.Config, FastText.Config])
def test_a_budget_advises_by_what_was_learned_in_it(config: Any) -> None:
    """Half an epoch in the time needs ten times the time that five epochs need."""
    counts = np.full(1000, 10)
    factors = []
    for epochs in (0.5, 5.0):
        advice = config(budget_seconds=1.0, sample=0.0).remedy(counts, 0.1, epochs)
        found = re.search(r"give (\d+) times as much time", advice)
        assert found is not None
        factors.append(int(found[1]))
    assert factors == [50, 5]  # 25 = rate 0.1 * 10 * 0.5 epochs * 50


def test_the_advice_of_a_run_is_by_the_end_of_its_history() -> None:
    vectors = made(3.0)
    counted = WordVectors(vectors.index_to_key, vectors.vectors, np.full(V, 20))
    config = Word2Vec.Config(budget_seconds=1.0, sample=0.0, model="skipgram")
    for epoch, factor in ((0.25, 50), (2.5, 5)):
        history = [
            {"learning_rate": 0.1, "epoch": share * epoch, "valid_loss": None} for share in (0.1, 1)
        ]
        assert f"give {factor} times as much" in _remedy(config, counted, history)


@pytest.mark.parametrize("alpha", [0.02, 0.2])
def test_a_fit_that_keeps_nothing_warns(alpha: float, tmp_path: Path) -> None:
    text = text_of_groups(tmp_path / "text.txt")
    settings = {"vector_size": 16, "epochs": 4, "workers": 1, "min_count": 1, "sample": 0.0}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ft.Word2Vec(alpha=alpha, **settings).fit(text, quiet=True)
    said = [str(each.message) for each in caught]
    assert any("vectors.alpha=" in each for each in said) is (alpha == 0.02)
    assert len(said) == (alpha == 0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "alpha"), [("skipgram", 0.02), ("cbow", 0.08)])
def test_the_advice_parts_words(model: str, alpha: float, tmp_path: Path) -> None:
    """Made text: groups of words that never meet."""
    text = text_of_groups(tmp_path / "text.txt")
    given = {"vector_size": 16, "workers": 1, "min_count": 1, "sample": 0.0, "model": model}
    with pytest.warns(UserWarning, match="hardly left") as caught:
        ft.Word2Vec(alpha=alpha, epochs=4, **given).fit(text, quiet=True)
    advised = settings_of(str(caught[0].message))
    followed = {"alpha": alpha, "epochs": 4, **given, **advised}
    assert mean_cosine(ft.Word2Vec(**followed).fit(text, quiet=True).vectors_) < 0.5


def settings_of(sentence: str) -> dict[str, Any]:
    """Return what a sentence advises; of two ways the first."""
    advice = sentence.rpartition("; ")[2].partition(", or ")[0]
    found = re.findall(r"vectors\.(alpha|epochs)=([\d.]+)", advice)
    return {name: {"alpha": float, "epochs": int}[name](value) for name, value in found}


def test_few_words_are_not_judged() -> None:
    few = WordVectors([f"w{index}" for index in range(100)], np.ones((100, 4)))
    assert crowding_sentence(few) is None


def test_vectors_of_zeros() -> None:
    assert mean_cosine(WordVectors([f"w{index}" for index in range(V)], np.zeros((V, 3)))) == 0


def alpha_of(num_words: int, **settings: object) -> float:
    """The rate by default, for so many words of a text in all epochs."""
    words = [f"w{index}" for index in range(4)]
    counts = np.full(5, num_words // 4, np.int64)
    ids = np.tile(np.arange(1, 5, dtype=np.uint16), 5)
    text = TokenFile(Path(), ids, np.array([0, 20]), np.array([0, 20]), 5)
    chosen = {"epochs": 1, "sample": 0.0, "workers": 1, "vector_size": 4, **settings}
    if "budget_seconds" in chosen:
        del chosen["epochs"]
    config = Word2Vec.Config(**chosen)  # type: ignore[arg-type]
    return Word2Vec(config, Vocabulary(["[UNK]", *words], counts), Tokens(text, None)).alpha


@pytest.mark.parametrize(
    ("num_words", "alpha"),
    [(1_000, 0.1), (6_000_000, 0.1), (12_500_000, 0.05), (25_000_000, 0.025), (10**9, 0.025)],
)
def test_the_rate_follows_the_updates(num_words: int, alpha: float) -> None:
    assert alpha_of(num_words) == pytest.approx(alpha)
    assert alpha_of(num_words, alpha=0.03) == 0.03
    assert alpha_of(num_words // 5, epochs=5) == pytest.approx(alpha)


def test_what_keeps_its_rate() -> None:
    assert alpha_of(1_000, model="cbow") == 0.05
    assert alpha_of(1_000, loss="hs") == 0.025
    assert alpha_of(1_000, budget_seconds=1.0) == 0.025


def text_of_groups(path: Path) -> Path:
    """Sentences of words of one group each: words of other groups are never near."""
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 40, 1_500)
    lines = [" ".join(f"g{g}w{w}" for w in rng.integers(0, 20, 10)) for g in groups]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(("alpha", "is_named"), [(0.02, True), (0.2, False)])
def test_a_run_and_its_page_say_it(alpha: float, is_named: bool, tmp_path: Path) -> None:
    text = text_of_groups(tmp_path / "text.txt")
    settings = {"vector_size": 16, "epochs": 4, "workers": 1, "min_count": 1, "sample": 0.0}
    vectors = ft.Word2Vec(alpha=alpha, **settings).fit(text, out=tmp_path / "run").vectors_
    page = write_report(RunFolder(tmp_path / "run"))
    said = "a mean cosine of"
    assert (said in (tmp_path / "run" / "train.log").read_text()) is is_named
    assert (said in page.read_text(encoding="utf-8")) is is_named
    assert (mean_cosine(vectors) > 0.6) is is_named
