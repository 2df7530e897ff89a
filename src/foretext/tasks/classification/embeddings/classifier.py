"""Texts into classes by frozen vectors and by words, each under a logistic regression.

A pretrained model stays as it is: only a linear head is learned, in seconds, whose penalty and
whose weight beside other views cross-validation chooses. So few labels are enough, and what was
learned from texts without labels counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.errors import GivenError, SettingError
from foretext.base.parameters import keeping
from foretext.corpus.decoding import Form, normalize
from foretext.data.rows.given import given_label_sets, given_texts, given_weights, weighed_rows
from foretext.data.rows.label import ordered_labels
from foretext.progress import Progress
from foretext.progress.run_context import RunContext
from foretext.shown import Part
from foretext.tasks.class_answers import ClassAnswers
from foretext.tasks.classification.embeddings.learning import learn_heads
from foretext.tasks.classification.embeddings.logistic_head import Targets
from foretext.tasks.classification.embeddings.material import joined
from foretext.tasks.classification.embeddings.mixture import mixed
from foretext.tasks.classification.embeddings.settings import EmbeddingsConfig
from foretext.tasks.classification.embeddings.storage import (
    BASES,
    FILE,
    KIND,
    EmbeddingParts,
    KeptHead,
    read_parts,
    write_parts,
)
from foretext.tasks.classification.embeddings.unlabelled import EM_WEIGHTS, MOST_TEXTS
from foretext.tasks.classification.embeddings.views import EmbeddedTexts, View, WordFeatures
from foretext.tasks.classification.labeller import TextLabeller, check_same_number
from foretext.tasks.classification.linear import informative_features
from foretext.tasks.classification.linear_storage import LinearConfig
from foretext.tasks.classification.task import Classification
from foretext.tasks.explanation import Texts
from foretext.tasks.linear_estimator import LinearEstimator
from foretext.tasks.showing import views_table

__all__ = ["EmbeddingClassifier", "refuse_idle", "targets_of"]

Probabilities = NDArray[np.float64]

MOST_READ = 20_000  # texts without labels, for the features of words and what all have in common


class EmbeddingClassifier(LinearEstimator, TextLabeller):
    """Logistic regressions on frozen vectors, and on words; their probabilities are mixed.

    Bases are paths of runs, model folders or vector files, or what `foretext.load` opens: document
    vectors, word vectors, static vectors, topics, language models, sentence encoders; one, several
    in a list, or pairs of a name and one of these.

    What was learned (`views`, `heads`, `log_loss`, `accuracy`, `is_multi_label`, `label_names`) is
    there after `fit`; before, a `SettingError` says so.

    Attributes:
        config: the settings.

    >>> EmbeddingClassifier(words=True).fit(["a fine film", "a bad film"], ["good", "bad"])
    <EmbeddingClassifier: task='classification', labels=2, parameters=6, heads='words 1.00'>
    """

    settings = EmbeddingsConfig
    section = "embeddings"
    task: ClassVar = Classification()
    kind = KIND
    method = "frozen vectors and logistic regression"
    files = f"`{FILE}` holds heads and settings, `{BASES}/` copies of what embeds texts."
    bases: Any
    _form: Form = "NFC"

    @keeping
    def __init__(
        self,
        bases: Any = (),
        *,
        words: bool = True,
        weighting: Literal["sif", "mean"] | None = None,
        a: float = 1e-3,
        remove_component: bool = True,
        layer: int | tuple[int, ...] | None = None,
        inverse_penalty: float | None = None,
        folds: int = 5,
        semi_supervised: bool = True,
        seed: int = 0,
    ) -> None: ...

    @classmethod
    def of_parts(cls, parts: EmbeddingParts) -> Self:
        """Return the classifier that has learned these."""
        classifier = super().of_parts(parts)
        classifier.bases = [view.name for view in parts.views if not view.reads_words]
        classifier._form = parts.form
        return classifier

    @property
    def views(self) -> tuple[View, ...]:
        """What is seen of a text."""
        views: tuple[View, ...] = self.parts.views
        return views

    @property
    def heads(self) -> tuple[KeptHead, ...]:
        """On the views, each with its weight and figures of cross-validation."""
        heads: tuple[KeptHead, ...] = self.parts.heads
        return heads

    @property
    def log_loss(self) -> float | None:
        """Of the mixture, on rows held out by cross-validation, in nats.

        None: no class has two rows.
        """
        found: float | None = self.parts.log_loss
        return found

    @property
    def accuracy(self) -> float | None:
        """Likewise."""
        found: float | None = self.parts.accuracy
        return found

    @property
    def is_multi_label(self) -> bool:
        """Whether a text may have any number of labels."""
        return bool(self.parts.is_multi_label)

    def composing(self, form: Form) -> Self:
        """Bring texts into a Unicode normal form from now on; NFKC has NFC in it."""
        self._form = "NFKC" if form == "NFKC" else self._form
        if self.is_fitted:
            self._learned = self.parts._replace(form=self._form)
        return self

    @property
    def own_embedder(self) -> Any:
        """The first of its bases, which gives vectors of texts; None: it has words alone."""
        held: Iterable[Any] = (view for view in self.views if not view.reads_words)
        return next((view.model for view in held), None)

    def opened_views(self) -> list[View]:
        """Return the views, which have learned nothing yet; models are opened.

        Raises:
            ForetextError: a base embeds no texts.
            SettingError: a setting has no effect on the bases, or there is no view at all.
        """
        config = self.given
        views: list[View] = [
            EmbeddedTexts.of(base, config, name) for name, base in _named(self.bases)
        ]
        refuse_idle(config, views)
        if config.words:
            views.append(WordFeatures(LinearConfig()))
        if not views:
            raise SettingError("There is nothing to learn on; give a base, or words = True.")
        return views

    @checked_arguments
    def fit(
        self,
        texts: Any,
        labels: Any,
        sample_weight: Any = None,
        *,
        unlabelled: Any = None,
        context: RunContext | None = None,
    ) -> Self:
        """Learn from N texts with one label each, or with any number of them.

        Args:
            texts: to learn from.
            labels: of each text.
            sample_weight: how much each text counts; one with 0 is left out; None: all the same.
            unlabelled: more texts: they say how rare words are and how vectors are spread; where
                rows are few, heads learn from them, too, by self-training and by naive Bayes with
                EM, and cross-validation says how much these count; None: there are none.
            context: a title for the progress; None: nothing is shown.

        Raises:
            CorpusError: there is no text, no word in them, or a single label alone.
        """
        texts, sets = given_texts(texts), given_label_sets(labels)
        check_same_number(texts, sets)
        weights = given_weights(sample_weight, len(texts))
        if weights is not None:
            [texts, sets], weights = weighed_rows(weights, texts, sets)
        names = ordered_labels(label for own in sets for label in own)
        if len(names) < 2:
            alone = f"the one class '{names[0]}' alone" if names else "no label"
            raise GivenError(f"The texts have {alone}; two are needed to learn a difference.")
        config, targets = self.given, targets_of(sets, names)
        if weights is not None:
            targets = targets._replace(weights=weights)
        known = [normalize(text, self._form) for text in texts]
        more = [normalize(text, self._form) for text in _some(unlabelled, config.seed)]
        views = [view.fitted([*known, *more]) for view in self.opened_views()]
        teaching = more[:MOST_TEXTS] if config.semi_supervised else []
        with _bar(context, len(views) * (len(known) + len(teaching))) as bar:
            features = [view.features(known, bar) for view in views]
            others = [view.features(teaching, bar) for view in views] if teaching else []
        strata = [own[0] if own else "" for own in sets]
        learned = learn_heads(
            features, targets, strata, inverse_penalty=config.inverse_penalty,
            folds=config.folds, seed=config.seed, unlabelled=others,
        )  # fmt: skip
        self._learned = EmbeddingParts(
            config, names, tuple(views), tuple(KeptHead.of(views, head) for head in learned.heads),
            targets.are_sets, self._form, learned.log_loss, learned.accuracy,
        )  # fmt: skip
        return self

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show: settings, and what was learned."""
        if not self.is_fitted:
            return super().summary()
        shown = ", ".join(f"{head.name} {head.weight:.2f}" for head in self.heads)
        return {**super().summary(), "heads": shown}

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels, sorted by their values."""
        return tuple(self.parts.labels)

    @property
    def num_parameters(self) -> int:
        """Number of weights that were learned from the rows."""
        return sum(kept.head.weights.size + kept.head.bias.size for kept in self.heads)

    @property
    def informative_features(self) -> dict[str, list[str]]:
        """By label, the words that speak for it most; {}: words are not read."""
        words = [number for number, view in enumerate(self.views) if view.reads_words]
        heads = [kept for kept in self.heads if kept.views == tuple(words) and kept.weight]
        if not heads:
            return {}
        best = max(heads, key=lambda kept: kept.weight)
        names = cast(WordFeatures, self.views[words[0]]).names
        return informative_features(self.label_names, names, np.asarray(best.head.weights))

    @checked_arguments
    def head_probabilities(self, texts: Any) -> Probabilities:
        """Return (H, N, C), how probable each head makes each label.

        Raises:
            SettingError: nothing was learned yet.
        """
        heads = self.parts.heads
        known = [normalize(text, self._form) for text in given_texts(texts)]
        features = [view.features(known) for view in self.views]
        return np.array([self._answers_of(kept, features) for kept in heads])

    def _answers_of(self, kept: KeptHead, features: Sequence[Any]) -> Probabilities:
        own = joined([features[number] for number in kept.views])
        own = own > 0 if kept.learned_by in EM_WEIGHTS else own
        return kept.head.probabilities(own, are_sets=self.is_multi_label)

    def head_facts(self) -> list[dict[str, Any]]:
        """Return what card and page say of the heads, and of all together."""
        found = [kept.facts() for kept in self.heads]
        if len(found) < 2:
            return found
        figures = {"log_loss": self.log_loss, "accuracy": self.accuracy}
        return [*found, {"view": "all together", "weight": 1.0, "inverse_penalty": None, **figures}]

    def answers_to(self, texts: list[str]) -> ClassAnswers:
        """Return how probable each label is for each text."""
        own = self.head_probabilities(texts)
        weights = np.array([kept.weight for kept in self.heads])
        return ClassAnswers(self.label_names, mixed(own, weights), self.is_multi_label)

    def insight(self, texts: Texts) -> list[Part]:
        """Return what decides on the label of a text, with what each head says and weighs."""
        each = self.head_probabilities(list(texts))[:, 0]
        weights = [(kept.name, kept.weight) for kept in self.heads]
        return [*super().insight(texts), views_table(self.label_names, weights, each)]

    def described(self) -> dict[str, Any]:
        """Return what card and report say of the model, with its views."""
        return {**super().described(), "views": self.head_facts()}

    def write_parts(self, folder: Path) -> None:
        """Write heads and copies of the bases."""
        write_parts(folder, self.parts)

    @staticmethod
    def read_parts(folder: Path) -> EmbeddingParts:
        """Read heads and copies of the bases."""
        return read_parts(folder)


def _some(unlabelled: Any, seed: int) -> list[str]:
    """Return the texts without labels, or as many of them, drawn at random, as are read."""
    texts = [] if unlabelled is None else given_texts(unlabelled)
    drawn = np.random.default_rng(seed).permutation(len(texts))
    return [texts[number] for number in drawn[:MOST_READ].tolist()]


def _named(bases: Any) -> Iterable[tuple[str | None, Any]]:
    """Yield each base with the name that it was given; None: its own."""
    several = bases if isinstance(bases, list | tuple) else [bases]
    return [each if isinstance(each, tuple) else (None, each) for each in several]


def targets_of(sets: Sequence[tuple[str, ...]], names: Sequence[str]) -> Targets:
    """Return what rows should be answered, (N, C).

    Args:
        sets: the labels of each row.
        names: C labels.
    """
    indices = {label: index for index, label in enumerate(names)}
    wanted = np.zeros((len(sets), len(names)))
    for row, own in enumerate(sets):
        wanted[row, [indices[label] for label in own]] = 1.0
    return Targets(wanted, np.ones(len(sets)), any(len(own) != 1 for own in sets))


def refuse_idle(config: EmbeddingsConfig, views: Sequence[Any], *, weighs: bool = False) -> None:
    """Refuse settings that none of the bases obeys.

    Args:
        config: the settings.
        views: of the bases.
        weighs: whether word vectors will be among them.

    Raises:
        SettingError: there is such a setting.
    """
    weighs = weighs or any(view.weighting is not None for view in views)
    idle = [] if weighs else ["weighting", "a", "remove_component"]
    idle += [] if any(view.model.has_layers for view in views) else ["layer"]
    if changed := [name for name in idle if name in config.changed]:
        what = "language models" if changed[0] == "layer" else "word vectors"
        raise SettingError(
            f"[embeddings] {changed[0]} has no effect: it is of {what}, and no base is one; leave "
            "it out."
        )


def _bar(context: RunContext | None, total: int) -> Progress:
    quiet = context is None or context.quiet
    return Progress("" if context is None else context.title, total, "texts", quiet=quiet)
