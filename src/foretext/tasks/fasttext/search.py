"""A search for good settings under a time budget, measured on held-out texts.

The tree-structured Parzen estimator (Bergstra et al. 2011) of optuna proposes settings; texts are
cut into words once for all trials. What the user has chosen stays as it is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from foretext.base.errors import CorpusError, DivergedError, MissingExtraError, SettingError
from foretext.messages import commas, message, translated
from foretext.progress.budget import Budget
from foretext.progress.run_context import RunContext
from foretext.tasks.fasttext.config import FastTextClassifierConfig, ResolvedConfig
from foretext.tasks.fasttext.labelled_texts import TextsWithLabels
from foretext.tasks.fasttext.learner import TrainingTexts, load_pretrained, train
from foretext.tasks.fasttext.model import FastTextModel
from foretext.tasks.fasttext.text_profile import TextProfile
from foretext.tasks.label_figures import label_figures

__all__ = ["SearchResult", "chosen_sentence", "held_out_split", "search_settings"]

LIKELY = 0.5  # with one-vs-all, labels at least so likely are predicted
MOST_EPOCHS = 100
HELD_OUT_RATE = 0.1
MOST_SKIPPED = 30  # proposals in a row that there is no time for

Suggest = Callable[[Any, ResolvedConfig], Any]  # of a trial, and the settings of the first one
SPACE: dict[str, Suggest] = {
    "lr": lambda trial, _: trial.suggest_float("lr", 0.02, 2.0, log=True),
    "epochs": lambda trial, _: trial.suggest_int("epochs", 2, MOST_EPOCHS, log=True),
    "word_ngrams": lambda trial, _: trial.suggest_int("word_ngrams", 1, 3),
    "maxn": lambda trial, first: trial.suggest_categorical("maxn", sorted({0, 4, 6, first.maxn})),
    "dim": lambda trial, _: trial.suggest_int("dim", 16, 256, log=True),
    "min_count": lambda trial, _: trial.suggest_int("min_count", 1, 5),
}

KINDS = {
    "unicode_words": "words of letters and digits",
    "chinese_characters": "each Chinese character a word",
}
NGRAMS = {1: "single words", 2: "pairs of words"}

MEASURING = 0.5  # of the time beside learning, about
LEAST = 1e-3  # seconds, and epochs, that a training is taken to have


class SearchResult(NamedTuple):
    """The best settings, and what was tried."""

    config: ResolvedConfig
    score: float
    trials: list[dict[str, Any]]  # score, seconds and settings of each, in order


def search_settings(
    config: FastTextClassifierConfig,
    texts: TextsWithLabels,
    valid: TextsWithLabels,
    seconds: float,
    progress: Callable[[dict[str, Any]], None] = lambda trial: None,
) -> SearchResult:
    """Try settings until the time is used up; the first trial is of those chosen for the rows.

    The score is accuracy, or with loss ``"ova"`` the F1 of labels likelier than not. A trial that
    would take longer than the time that is left gets fewer epochs, and ends with the time in any
    case; its record says how many epochs it had.

    Args:
        config: settings; those that are open, or have their default, are tried.
        texts: to learn from.
        valid: to judge by.
        seconds: for all trials, with all that they prepare.
        progress: is called with score, seconds and settings of each trial.

    Raises:
        MissingExtraError: optuna is not installed.
        CorpusError: the texts or their labels will not do.
        SettingError: no trial came to its end.
    """
    optuna = _optuna()
    trials = _Trials(config, texts, valid, Budget.started(seconds), progress)
    sampler = optuna.samplers.TPESampler(seed=config.seed)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.enqueue_trial({name: getattr(trials.config, name) for name in trials.free})
    skipped = 0
    while skipped < MOST_SKIPPED:
        trial = study.ask()
        score = trials.run(trial)
        skipped = 0 if score is not None else skipped + 1
        study.tell(trial, score, optuna.trial.TrialState.PRUNED if score is None else None)
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
        budget: Budget,
        progress: Callable[[dict[str, Any]], None],
    ) -> None:
        self.config = config.resolved(TextProfile.of(*texts))
        self.free = [name for name in SPACE if _is_free(config, name)]
        self.valid = valid
        self.texts = TrainingTexts.of(texts, self.config)
        self.pretrained = load_pretrained(self.config)
        self.progress = progress
        self.tried: list[tuple[float, ResolvedConfig]] = []
        self.records: list[dict[str, Any]] = []
        self._budget = budget
        self._costs = _TrialCosts()

    def run(self, trial: Any) -> float | None:
        """Train once, and judge; None: there is no time for it, and it was not done.

        The score is 0 where the loss was no number any more. The first trial is done in any case.
        """
        config = self._with({name: SPACE[name](trial, self.config) for name in self.free})
        left = self._budget.left
        if self.tried:
            if not self._costs.fits(config, left):
                return None
            config = self._costs.affordable(config, left) if "epochs" in self.free else config
        began = self._budget.elapsed
        score, config = self._score(config, left)
        seconds = self._budget.elapsed - began
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

    def _score(self, config: ResolvedConfig, left: float) -> tuple[float, ResolvedConfig]:
        """Return the score, and the settings with as many epochs as there was time for."""
        began = self._budget.elapsed
        context = RunContext(
            Path(), title="fasttext", budget=Budget.started(self._costs.training(config, left))
        )
        try:
            trained = train(config, self.texts, None, self.pretrained, context)
        except DivergedError:  # a learning rate too high
            return 0.0, config
        done = trained.history[-1]
        score = _score(trained.model, self.valid)
        self._costs.learn(config, done, self._budget.elapsed - began)
        epochs = max(1, round(done["epoch"]))
        if "epochs" in self.free and epochs < config.epochs:
            config = config.model_copy(update={"epochs": epochs})
        return score, config

    def _with(self, proposed: dict[str, Any]) -> ResolvedConfig:
        """Settle what depends on each other: n-grams of characters, and their buckets."""
        if "maxn" in proposed:
            chosen = proposed["maxn"] == self.config.maxn
            proposed["minn"] = self.config.minn if chosen else min(3, proposed["maxn"])
        config = self.config.model_copy(update=proposed)
        settings = config.model_dump(exclude=set() if config.has_ngrams else {"bucket"})
        return ResolvedConfig.checked(settings, "classifier")


def _is_free(config: FastTextClassifierConfig, name: str) -> bool:
    """Whether nobody has chosen a setting, so that values of it are tried."""
    if name == "dim" and config.pretrained_vectors is not None:
        return False
    if name == "epochs" and config.budget_seconds is not None:
        return False
    return name not in config.changed


def _score(model: FastTextModel, valid: TextsWithLabels) -> float:
    chances = model.chances(valid.texts)
    classes = np.array(model.dictionary.classes)
    if model.dictionary.config.loss != "ova":
        best: Sequence[Sequence[str]] = [[label] for label in classes[chances.argmax(axis=1)]]
        return float(label_figures(valid.labels, best, 1)["accuracy"])
    likely = [classes[row >= LIKELY].tolist() for row in chances]
    return float(label_figures(valid.labels, likely, None)["micro_f1"])


def _optuna() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import optuna
    except ImportError:
        raise MissingExtraError("optuna", "search", message("errors.purpose.settings")) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def chosen_sentence(given: FastTextClassifierConfig, config: ResolvedConfig) -> str | None:
    """Return one sentence about the settings that were open; None: there were none.

    Args:
        given: settings as a person gave them.
        config: what became of them.
    """
    chosen = [PHRASES[name](config) for name in given.open if name in PHRASES]
    said = [phrase for phrase in chosen if phrase]
    said = [translated(phrase) for phrase in said]
    return message("findings.chosen.rows", said=commas(said)) if said else None


def _ngrams(config: ResolvedConfig) -> str:
    return NGRAMS.get(config.word_ngrams, f"up to {config.word_ngrams} words side by side")


PHRASES: dict[str, Callable[[ResolvedConfig], str]] = {
    "lr": lambda config: f"lr {config.lr:g}",
    "epochs": lambda config: f"{config.epochs} epochs" if config.budget_seconds is None else "",
    "word_ngrams": _ngrams,
    "maxn": lambda config: (
        f"{config.minn} to {config.maxn} letters side by side" if config.maxn else ""
    ),
    "pre_tokenizer": lambda config: KINDS[config.pre_tokenizer],
    "lowercase": lambda config: "lower case" if config.lowercase else "",
}


class _TrialCosts:
    """Seconds of an epoch, and of all that a trial does beside learning, for a unit of cost."""

    def __init__(self) -> None:
        self._epoch = 0.0  # of the last trial, as a unit
        self._beside = 0.0  # of the slowest: counting features, drawing rows, measuring

    def learn(self, config: ResolvedConfig, last: Mapping[str, Any], seconds: float) -> None:
        """Take note of a trial.

        Args:
            config: its settings.
            last: the last record of its training.
            seconds: of the whole trial.
        """
        learning = max(last["time"], LEAST)
        self._epoch = learning / (max(last["epoch"], LEAST) * _epoch_cost(config))
        beside = (seconds - last["time"]) / _cost_beside(config)
        self._beside = max(self._beside, beside)

    def training(self, config: ResolvedConfig, left: float) -> float:
        """Return the seconds that preparing and learning may take, before measuring."""
        return max(left - MEASURING * self._beside * _cost_beside(config), 1e-3)

    def fits(self, config: ResolvedConfig, left: float) -> bool:
        """Whether there is time for one epoch."""
        one = self._epoch * _epoch_cost(config)
        return one + self._beside * _cost_beside(config) <= left

    def affordable(self, config: ResolvedConfig, left: float) -> ResolvedConfig:
        """Return the settings with as many epochs as there is time for."""
        seconds = left - self._beside * _cost_beside(config)
        most = int(seconds / (self._epoch * _epoch_cost(config)))
        return config.model_copy(update={"epochs": max(1, min(config.epochs, most))})


def _epoch_cost(config: ResolvedConfig) -> float:
    """Rows of a word times numbers of a row, about."""
    return _cost_beside(config) * (config.dim + 16)


def _cost_beside(config: ResolvedConfig) -> float:
    """Rows of a word, about."""
    return config.word_ngrams + 2 * config.maxn
