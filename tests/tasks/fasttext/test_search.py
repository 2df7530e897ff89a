"""The search for settings: it keeps to its time and to what the user chose."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest

from foretext.base.errors import CorpusError, MissingExtraError, SettingError
from foretext.tasks.fasttext.config import FastTextClassifierConfig
from foretext.tasks.fasttext.labelled_texts import TextsWithLabels
from foretext.tasks.fasttext.search import held_out_split, search_settings
from foretext.tasks.fasttext.text_profile import TextProfile
from tests.tasks.fasttext.texts import labelled_texts


def texts(size: int, seed: int) -> TextsWithLabels:
    found, labels = labelled_texts(size, seed)
    return TextsWithLabels(found, [(label,) for label in labels])


@pytest.mark.slow
def test_it_finds_better_settings_in_its_time() -> None:
    pytest.importorskip("optuna")
    config = FastTextClassifierConfig(workers=1, dim=12, maxn=3, bucket=1_000, lr=0.05)
    shown: list[float] = []
    found = search_settings(
        config, texts(300, 0), texts(100, 1), 3.0, lambda trial: shown.append(trial["score"])
    )
    assert found.score == max(shown)
    assert [trial["score"] for trial in found.trials] == shown
    assert (found.config.dim, found.config.lr, found.config.maxn) == (12, 0.05, 3)
    assert "dim" not in found.trials[0]


@pytest.mark.slow
def test_the_first_trial_has_the_settings_chosen_for_the_rows() -> None:
    pytest.importorskip("optuna")
    some = texts(300, 0)
    config = FastTextClassifierConfig(workers=1, dim=12, min_count=2)
    chosen = config.resolved(TextProfile.of(*some))
    found = search_settings(config, some, texts(100, 1), 1.0)
    first = found.trials[0]
    assert {name: first[name] for name in ("lr", "epochs", "word_ngrams", "maxn")} == {
        "lr": chosen.lr, "epochs": chosen.epochs, "word_ngrams": chosen.word_ngrams,
        "maxn": chosen.maxn,
    }  # fmt: skip
    assert len({trial["lr"] for trial in found.trials}) == len(found.trials) > 1
    assert found.config.pre_tokenizer == chosen.pre_tokenizer


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("epochs", [None, 1_000_000])
def test_it_ends_in_its_time_however_long_a_trial_would_take(epochs: int | None) -> None:
    """One trial alone would take hours with a million epochs; it ends with the time."""
    pytest.importorskip("optuna")
    some, valid = texts(400, 0), texts(100, 1)
    config = FastTextClassifierConfig(workers=1, dim=200, epochs=epochs)
    search_settings(config, some, valid, 0.1)  # compiles
    began = time.monotonic()
    search_settings(config, some, valid, 2.0)
    assert time.monotonic() - began < 10  # the machine may be busy; a trial would take hours


@pytest.mark.slow
def test_several_labels_are_measured_by_f1() -> None:
    pytest.importorskip("optuna")
    config = FastTextClassifierConfig(workers=1, dim=12, loss="ova", word_ngrams=2, bucket=1_000)
    found = search_settings(config, texts(200, 0), texts(60, 1), 1.5)
    assert 0 < found.score <= 1


def test_a_split_is_of_all_texts() -> None:
    whole = texts(100, 0)
    train, valid = held_out_split(whole, seed=1)
    assert (len(train.texts), len(valid.texts)) == (90, 10)
    assert sorted([*train.texts, *valid.texts]) == sorted(whole.texts)
    assert held_out_split(whole, seed=1)[1].texts == valid.texts
    assert held_out_split(whole, seed=2)[1].texts != valid.texts
    with pytest.raises(CorpusError, match="single text cannot be split"):
        held_out_split(texts(1, 0), seed=1)


def test_labels_that_nothing_tells_say_so() -> None:
    pytest.importorskip("optuna")
    config = FastTextClassifierConfig(workers=1, dim=4, epochs=1, word_ngrams=2, bucket=100)
    valid = TextsWithLabels(["a", "b"], [("never met",), ("nor this",)])
    with pytest.raises(SettingError, match="No settings that were tried learned anything"):
        search_settings(config, texts(50, 0), valid, 0.3)


@pytest.mark.slow
def test_buckets_do_not_force_ngrams() -> None:
    pytest.importorskip("optuna")
    config = FastTextClassifierConfig(workers=1, dim=4, epochs=1, maxn=2, bucket=100)
    config = config.model_copy(update={"maxn": 0})  # buckets chosen, n-grams still free
    found = search_settings(config, texts(60, 0), texts(30, 1), 1.5)
    assert {trial["word_ngrams"] for trial in found.trials} >= {1}


def test_it_needs_optuna(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'foretext\[search\]'"):
        search_settings(FastTextClassifierConfig(), texts(9, 0), texts(9, 1), 1.0)


@pytest.mark.slow
def test_the_search_is_repeatable() -> None:
    """Proposals follow from the seed and the scores; the first two do whatever time there is."""
    pytest.importorskip("optuna")
    config = FastTextClassifierConfig(workers=1, dim=8, epochs=4, maxn=2, bucket=500)
    runs = [search_settings(config, texts(80, 0), texts(40, 1), 1.0).trials for _ in range(2)]
    first, again = ([(t["lr"], t["word_ngrams"]) for t in run[:2]] for run in runs)
    np.testing.assert_array_equal(first, again)


def test_one_trial_is_made_however_short_the_time_is() -> None:
    found = search_settings(FastTextClassifierConfig(), texts(30, 0), texts(9, 1), 1e-9)
    assert len(found.trials) == 1
