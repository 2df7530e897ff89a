"""A search for good settings under a time budget, measured on held-out texts.

The tree-structured Parzen estimator (Bergstra et al. 2011) of optuna proposes settings; texts are
cut into words once for all trials. What the user has chosen stays as it is.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from foretext.classifiers.fasttext.config import FastTextClassifierConfig
from foretext.classifiers.fasttext.evaluation import evaluate_labels
from foretext.classifiers.fasttext.labelled_texts import TextsWithLabels
from foretext.classifiers.fasttext.model import FastTextModel
from foretext.classifiers.fasttext.training import TrainingTexts, load_pretrained, train
from foretext.errors import CorpusError, MissingExtraError, SettingError

__all__ = ["SearchResult", "held_out_split", "search_settings"]

LIKELY = 0.5  # with one-vs-all, labels at least so likely are predicted
MOST_EPOCHS = 100
HELD_OUT_RATE = 0.1


class SearchResult(NamedTuple):
    """The best settings, and what was tried."""

    config: FastTextClassifierConfig
    score: float
    trials: list[dict[str, Any]]  # score, seconds and settings of each, in order


def search_settings(
    config: FastTextClassifierConfig,
    texts: TextsWithLabels,
    valid: TextsWithLabels,
    seconds: float,
    progress: Callable[[dict[str, Any]], None] = lambda trial: None,
) -> SearchResult:
    """Try settings until the time is used up; the first trial is of `config` itself.

    The score is accuracy, or with loss ``"ova"`` the F1 of labels likelier than not. A trial that
    would take longer than the time that is left gets fewer epochs.

    Raises:
        MissingExtraError: optuna is not installed.
        CorpusError: the texts or their labels will not do.
        SettingError: no trial came to its end.
    """
    optuna = _optuna()
    trials = _Trials(config, texts, valid, seconds, progress)
    sampler = optuna.samplers.TPESampler(seed=config.seed)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.enqueue_trial({name: getattr(config, name) for name in trials.free})
    began = time.monotonic()
    study.optimize(trials.run, n_trials=1)  # however short the time is
    if (left := seconds - (time.monotonic() - began)) > 0:
        study.optimize(trials.run, timeout=left)
    return trials.best()


def held_out_split(
    texts: TextsWithLabels, seed: int, rate: float = HELD_OUT_RATE
) -> tuple[TextsWithLabels, TextsWithLabels]:
    """Return texts to learn from and texts to choose by, drawn at random.

    Raises:
        CorpusError: there are not two texts.
    """
    if len(texts.texts) < 2:
        raise CorpusError("A single text cannot be split to search settings by; give more texts.")
    order = np.random.default_rng(seed).permutation(len(texts.texts)).tolist()
    size = max(1, round(rate * len(order)))
    parts = (sorted(order[size:]), sorted(order[:size]))
    train, valid = (
        TextsWithLabels([texts.texts[i] for i in part], [texts.labels[i] for i in part])
        for part in parts
    )
    return train, valid


class _Trials:
    """What the trials share, and what came of them."""

    def __init__(
        self,
        config: FastTextClassifierConfig,
        texts: TextsWithLabels,
        valid: TextsWithLabels,
        seconds: float,
        progress: Callable[[dict[str, Any]], None],
    ) -> None:
        self.config = config
        self.valid = valid
        self.texts = TrainingTexts.of(texts, config)
        self.pretrained = load_pretrained(config)
        self.progress = progress
        self.free = [name for name in _SPACE if self._is_free(name)]
        self.tried: list[tuple[float, FastTextClassifierConfig]] = []
        self.records: list[dict[str, Any]] = []
        self._end = time.monotonic() + seconds
        self._unit = 0.0  # seconds of an epoch, a unit of cost

    def run(self, trial: Any) -> float:
        """Train once; returns the score, 0 where the loss was no number any more."""
        proposed = {name: _SPACE[name](trial) for name in self.free}
        config = self._with(proposed)
        began = time.monotonic()
        try:
            score = _score(train(config, self.texts, None, self.pretrained).model, self.valid)
        except SettingError:  # a learning rate too high
            score = 0.0
        seconds = time.monotonic() - began
        self._unit = seconds / (config.epochs * _cost(config))
        self.tried.append((score, config))
        changed = {name: getattr(config, name) for name in self.free}
        self.records.append({"score": score, "seconds": round(seconds, 3), **changed})
        self.progress(self.records[-1])
        return score

    def best(self) -> SearchResult:
        """Return the best settings; of equally good ones the first."""
        score, config = max(self.tried, key=lambda each: each[0])
        if score == 0.0:
            raise SettingError("No settings that were tried learned anything; look at the labels.")
        return SearchResult(config, score, self.records)

    def _is_free(self, name: str) -> bool:
        if name == "dim" and self.config.pretrained_vectors is not None:
            return False
        if name == "epochs" and self.config.budget_seconds is not None:
            return False
        return name not in self.config.changed

    def _with(self, proposed: dict[str, Any]) -> FastTextClassifierConfig:
        """Settle what depends on each other: n-grams of characters, and the time that is left."""
        if proposed.get("maxn", 0) > 0:
            proposed["minn"] = min(3, proposed["maxn"])
        config = self.config.model_copy(update=proposed)
        if "epochs" in proposed and self._unit:
            affordable = (self._end - time.monotonic()) / (self._unit * _cost(config))
            epochs = max(1, min(config.epochs, int(affordable)))
            config = config.model_copy(update={"epochs": epochs})
        settings = config.model_dump(exclude=set() if config.has_ngrams else {"bucket"})
        return FastTextClassifierConfig.checked(settings, "classifier")


_SPACE: dict[str, Callable[[Any], Any]] = {
    "lr": lambda trial: trial.suggest_float("lr", 0.02, 2.0, log=True),
    "epochs": lambda trial: trial.suggest_int("epochs", 2, MOST_EPOCHS, log=True),
    "word_ngrams": lambda trial: trial.suggest_int("word_ngrams", 1, 3),
    "maxn": lambda trial: trial.suggest_categorical("maxn", [0, 4, 6]),
    "dim": lambda trial: trial.suggest_int("dim", 16, 256, log=True),
    "min_count": lambda trial: trial.suggest_int("min_count", 1, 5),
}


def _cost(config: FastTextClassifierConfig) -> float:
    """Rows of a word times numbers of a row, about."""
    return (config.word_ngrams + 2 * config.maxn) * (config.dim + 16)


def _score(model: FastTextModel, valid: TextsWithLabels) -> float:
    chances = model.chances(valid.texts)
    classes = np.array(model.dictionary.classes)
    if model.dictionary.config.loss != "ova":
        best: Sequence[Sequence[str]] = [[label] for label in classes[chances.argmax(axis=1)]]
        return float(evaluate_labels(valid.labels, best, 1)["accuracy"])
    likely = [classes[row >= LIKELY].tolist() for row in chances]
    return float(evaluate_labels(valid.labels, likely, None)["micro_f1"])


def _optuna() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import optuna
    except ImportError:
        raise MissingExtraError("optuna", "search", "A search for settings") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
