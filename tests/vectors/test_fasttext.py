"""fastText as a person uses it: every form learns, unseen words too, and runs can be repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import SettingError
from foretext.vectors.fasttext import FastText
from tests.vectors.texts import share_in_topic, topic_of, write_topics

SMALL: dict[str, Any] = {
    "vector_size": 24,
    "min_count": 1,
    "epochs": 8,
    "sample": 0.0,
    "bucket": 5000,
    "workers": 1,
    "valid_rate": 0.1,
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_topics(tmp_path_factory.mktemp("corpus") / "topics.txt")


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("model", ["skipgram", "cbow"])
@pytest.mark.parametrize("loss", ["ns", "hs"])
def test_every_form_learns(corpus: Path, model: str, loss: str) -> None:
    estimator = ft.FastText(model=model, loss=loss, **SMALL)
    vectors = estimator.fit(corpus).vectors_
    assert share_in_topic(vectors) > 0.9
    first, last = estimator.history[0], estimator.history[-1]
    assert last["loss"] < first["loss"]
    assert last["valid_loss"] < first["valid_loss"]


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    "settings",
    [{"maxn": 0}, {"minn": 2, "maxn": 3}, {"negative": 11}, {"workers": 3}, {"sample": 1e-2}],
)
def test_every_option_learns(corpus: Path, settings: dict[str, Any]) -> None:
    given = SMALL | settings
    if settings.get("maxn") == 0:
        del given["bucket"]
    assert share_in_topic(ft.FastText(**given).fit(corpus).vectors_) > 0.9


def test_held_out_loss_is_like_that_of_training(corpus: Path) -> None:
    for model in ("skipgram", "cbow"):
        estimator = ft.FastText(model=model, **SMALL)
        estimator.fit(corpus)
        last = estimator.history[-1]
        assert last["valid_loss"] == pytest.approx(last["loss"], rel=0.1)


def test_unseen_words_are_near_their_relatives(corpus: Path) -> None:
    vectors = ft.FastText(**SMALL).fit(corpus).vectors_
    for unseen, topic in (("sailors", "sea"), ("harvesting", "farm"), ("lawyers", "court")):
        assert unseen not in vectors
        near = [topic_of(word) for word, _ in vectors.most_similar(unseen, topn=5)]
        assert near.count(topic) >= 4, (unseen, near)


def test_one_worker_and_one_seed_give_the_same_bits(corpus: Path) -> None:
    first, second, other = (
        ft.FastText(**SMALL | {"epochs": 1, "seed": seed}).fit(corpus).vectors_
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.vectors, second.vectors)
    np.testing.assert_array_equal(first["sailors"], second["sailors"])
    assert not np.array_equal(first.vectors, other.vectors)


def test_a_run_keeps_its_ngrams(corpus: Path, tmp_path: Path) -> None:
    vectors = ft.pretrain(ft.Recipe.from_settings("fasttext", SMALL), corpus, tmp_path / "run")
    again = ft.load(tmp_path / "run")
    np.testing.assert_array_equal(again["ship"], vectors["ship"])
    np.testing.assert_array_equal(again["ships"], vectors["ships"])
    np.testing.assert_array_equal(again.embed(["two ships"]), vectors.embed(["two ships"]))


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_resumed_equals_unbroken(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    recipe = ft.Recipe.from_settings("fasttext", SMALL | {"model": model, "checkpoint_seconds": 0})
    unbroken = ft.pretrain(recipe, corpus, tmp_path / "unbroken")
    learn, calls = FastText.learn, iter(range(1000))

    def fails_in_the_middle(self: FastText, *arguments: Any) -> Any:
        if next(calls) == 100:
            raise ZeroDivisionError
        return learn(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(FastText, "learn", fails_in_the_middle)
        with pytest.raises(ZeroDivisionError):
            ft.pretrain(recipe, corpus, tmp_path / "run")
    assert list((tmp_path / "run" / "checkpoints").glob("step-*"))
    resumed = ft.pretrain(recipe, corpus, tmp_path / "run", resume=True)
    np.testing.assert_array_equal(resumed.vectors, unbroken.vectors)
    np.testing.assert_array_equal(resumed["ships"], unbroken["ships"])


def test_a_run_goes_on_from_another(corpus: Path, tmp_path: Path) -> None:
    first = ft.FastText(**SMALL).fit(corpus, out=tmp_path / "run").vectors_
    more = write_topics(tmp_path / "more.txt", documents=20, seed=5)
    still = SMALL | {"alpha": 1e-6, "min_alpha": 1e-7, "epochs": 1}
    estimator = ft.FastText(**still)
    second = estimator.fit(more, base=tmp_path / "run").vectors_
    np.testing.assert_allclose(second["ship"], first["ship"], atol=1e-3)
    np.testing.assert_allclose(second["ships"], first["ships"], atol=1e-3)
    assert estimator.history[0]["valid_loss"] < 4.0  # the outputs went along; 4.16 is chance


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"bucket": 10}, r"fastText goes on from vectors with the same n-grams"),
        ({"vector_size": 8}, r"have 24 dimensions, but vector_size is 8"),
    ],
)
def test_a_base_of_another_kind(corpus: Path, settings: dict[str, Any], sentence: str) -> None:
    base = ft.FastText(**SMALL | {"epochs": 1}).fit(corpus).vectors_
    with pytest.raises(SettingError, match=sentence):
        ft.FastText(**SMALL | settings).fit(corpus, base=base)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"loss": "hs", "negative": 10}, 'negative would have no effect without loss = "ns"'),
        ({"maxn": 0, "bucket": 5}, "bucket would have no effect without n-grams"),
        ({"minn": 4, "maxn": 3}, "maxn = 3 must not be less than minn = 4"),
        ({"loss": "softmax"}, "loss = 'softmax'"),
        ({"maxm": 3}, "maxm: .*Did you mean 'maxn'"),
    ],
)
def test_settings_that_mean_nothing(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        ft.FastText(**settings).fit(["the ship", "the sea"])


def test_defaults_are_those_of_the_program() -> None:
    config = FastText.Config()
    assert (config.vector_size, config.window, config.negative, config.epochs) == (100, 5, 5, 5)
    assert (config.minn, config.maxn, config.bucket) == (3, 6, 2_000_000)
    assert (config.alpha, config.sample, config.ns_exponent) == (0.05, 1e-4, 0.5)
