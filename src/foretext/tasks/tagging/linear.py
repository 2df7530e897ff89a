"""Tokens to tags by a linear-chain CRF over words, their spelling and frozen word vectors.

It learns in seconds. With few labels it is the best tagger that is known, above all with vectors of
texts like the rows (docs/results.md, "Few labels, many texts").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.errors import CorpusError, SettingError
from foretext.base.parameters import estimator_tags, keeping
from foretext.corpus.decoding import Form
from foretext.data.rows import TaggedSentence
from foretext.data.rows.given import given_tagged
from foretext.heads.tag_set import TagSet
from foretext.messages import MessageTable
from foretext.progress import Progress
from foretext.progress.run_context import RunContext
from foretext.shown import Part, Table
from foretext.tasks.linear_estimator import LinearEstimator
from foretext.tasks.tagging.chain_regression import Lawful, learn_chain
from foretext.tasks.tagging.chain_scores import ChainScores, ScoredPath
from foretext.tasks.tagging.learned_rates import LearnedRates
from foretext.tasks.tagging.linear_features import FrozenVectors, TokenReader
from foretext.tasks.tagging.linear_storage import (
    FILE,
    KIND,
    LinearTaggerConfig,
    LinearTaggerParts,
    read_parts,
    write_parts,
)
from foretext.tasks.tagging.rows import found_in, in_own_notation
from foretext.tasks.tagging.sentence_tagger import SentenceTagger, Texts, words_of
from foretext.tasks.tagging.showing import ShownChain, sentence_parts
from foretext.tasks.tagging.task import Tagging

__all__ = ["LinearTagger", "idle_length"]

_said = MessageTable("insight.tagging")
MOST_FEATURES = 5  # of a token that are shown
NO_RATES = LearnedRates(0.0, 0.0, 0.0)


class LinearTagger(LinearEstimator, SentenceTagger):
    """A linear-chain CRF over features of words, and over word vectors that stay as they are.

    Vectors are a path of a run or of a vector file, or what `foretext.load` opens; with fastText's
    words that were never met have vectors, too. No draw is random.

    Attributes:
        config: the settings.

    >>> sentences, tags = [["Ada", "met", "Bob"], ["we", "met"]], [["B-P", "O", "B-P"], ["O", "O"]]
    >>> LinearTagger().fit(sentences, tags).predict([["Ada", "met", "us"]])
    [['B-P', 'O', 'O']]
    """

    settings = LinearTaggerConfig
    section = "linear"
    untaught = "The tagger has learned nothing yet; call fit first, or load."
    task: ClassVar = Tagging()
    kind = KIND
    method = "a linear-chain CRF"
    files = f"`{FILE}` holds features, weights and settings, `bases/` a copy of the word vectors."
    abilities = ("predict", "tag")
    vectors: Any
    _num_passes = 0

    @keeping
    def __init__(
        self,
        vectors: Any = None,
        *,
        inverse_penalty: float = 3.0,
        vector_length: float = 3.0,
        min_count: int = 1,
        max_passes: int = 200,
    ) -> None: ...

    @classmethod
    def of_parts(cls, parts: LinearTaggerParts) -> Self:
        """Return the tagger that has learned these."""
        tagger = super().of_parts(parts)
        own = parts.reader.vectors
        tagger.vectors = None if own is None else own.name
        return tagger

    def composing(self, form: Form) -> Self:
        """Bring tokens into a Unicode normal form from now on; NFKC has NFC in it."""
        if form == "NFKC":
            reader = replace(self.parts.reader, form=form)
            self._learned = self.parts._replace(reader=reader)
        return self

    @checked_arguments
    def fit(self, sentences: Any, tags: Any, *, context: RunContext | None = None) -> Self:
        """Learn from N lists of tokens with a list of tags each.

        Args:
            sentences: to learn from.
            tags: of each sentence, a tag for each token.
            context: a title for the progress; None: nothing is shown.

        Raises:
            CorpusError: there is no sentence, or all tokens have the same tag.
            SettingError: features and tags are more than the memory holds.
        """
        return self.fit_rows(self._rows(sentences, tags), context=context)

    def fit_rows(
        self, rows: Sequence[TaggedSentence], *, context: RunContext | None = None
    ) -> Self:
        """Learn from `rows` of a file, in the `context` of a run.

        Raises:
            CorpusError: a row lacks its tags, or nothing can be learned from them.
        """
        config, vectors = self.given, FrozenVectors.of(self.vectors)
        if vectors is None and "vector_length" in config.changed:
            raise idle_length()
        found = found_in(rows)
        tag_set = TagSet(found["labels"], found["scheme"], form=found["form"])
        plain = in_own_notation(rows)
        sentences = [row.tokens for row in plain]
        reader = TokenReader.learn(
            sentences,
            by_character=found["by_character"],
            vectors=vectors,
            length=config.vector_length,
            min_count=config.min_count,
        )
        tags = np.array([*chain(*(tag_set.indices(row.tags) for row in plain))], np.int64)
        if not len(tags):
            raise CorpusError("There is no tagged token; give sentences with tags.")
        lawful = Lawful.of(tag_set.labels, tag_set.learned)
        quiet, title = (True, "") if context is None else (context.quiet, context.title)
        with Progress(title, config.max_passes, "passes", quiet=quiet) as bar:
            learned = learn_chain(
                reader.read(sentences),
                tags,
                lawful,
                config.inverse_penalty,
                config.max_passes,
                report=lambda loss: bar.advance(1, loss=loss),
            )
        self._num_passes = int(bar.done)
        self._learned = LinearTaggerParts(config, tag_set, reader, learned, NO_RATES)
        self._learned = self._learned._replace(learned=self.learned_rates(plain))
        return self

    @checked_arguments
    def score(self, sentences: Any, tags: Any) -> float:
        """Return F1 of entities; without entities in the tags, the share of right tags.

        Args:
            sentences: N lists of tokens.
            tags: a list of tags for each.

        Raises:
            CorpusError: something is no list of tokens or of tags, or they do not go together.
            SettingError: nothing was learned yet.
        """
        return float(self.figures(self._rows(sentences, tags))[self.judged_by])

    @property
    def learned(self) -> LearnedRates | None:
        """Rates of the rows that it learned from; None: it has learned nothing yet."""
        return self.parts.learned if self.is_fitted else None

    @property
    def tag_set(self) -> TagSet:
        """The tags that it answers with."""
        tag_set: TagSet = self.parts.tag_set
        return tag_set

    @property
    def by_character(self) -> bool:
        """Whether each character is a token."""
        return bool(self.parts.reader.by_character)

    @property
    def label_names(self) -> tuple[str, ...]:
        """The tags, such as "B-PER"."""
        return self.tag_set.labels

    @property
    def num_labels(self) -> int | None:
        """Number of tags."""
        return len(self.label_names)

    @property
    def num_parameters(self) -> int:
        """Number of weights that were learned from the rows."""
        return sum(array.size for array in self.parts.chain)

    @property
    def feature_names(self) -> list[str]:
        """(F,) what is read of tokens beside the vectors, in the order in which it was met."""
        return list(self.parts.reader.names)

    @property
    def weights(self) -> NDArray[np.float32]:
        """(F + K D, C) what each feature, and each number of a vector, adds to each tag."""
        return np.asarray(self.parts.chain.weights)

    @property
    def steps(self) -> NDArray[np.float32]:
        """(C, C) what the column's tag after the row's adds; 0 where it is forbidden."""
        return np.asarray(self.parts.chain.steps)

    @property
    def num_passes(self) -> int:
        """Passes over the sentences, of the last `fit`."""
        return self._num_passes

    @property
    def own_embedder(self) -> Any:
        """Its word vectors, which give vectors of texts; None: it has none."""
        own = self.parts.reader.vectors
        return None if own is None else own.model

    def num_unknown(self, sentences: Sequence[Sequence[str]]) -> int:
        """Return how many tokens of sentences have no vector; 0 where it has none."""
        return int(self.parts.reader.num_unknown(sentences))

    def sentence_scores(self, sentences: Sequence[Sequence[str]]) -> ChainScores:
        """Return what it says of the tags of sentences, given as their tokens."""
        parts, features = self.parts, self.parts.reader.read(sentences)
        lawful = self._lawful
        scores = parts.chain.scores(features, lawful)
        return ChainScores(parts.tag_set, scores, parts.chain.transitions(lawful), features.starts)

    def insight(self, texts: Texts) -> list[Part]:
        """Return what decides on the tags of a text: the chain, and the heaviest features."""
        (words,) = words_of(self.tokens(texts))
        scores = self.sentence_scores([words])
        path, (probabilities,) = scores.best(), scores.probabilities()
        names = self.tag_set.written(self.tag_set.labels)
        first, last = (np.where(each, 0.0, np.nan) for each in self._lawful[1:])
        shown = ShownChain(_known(scores.steps), first, last, [path])
        parts = sentence_parts(names, words, _known(scores.scores), probabilities, shown)
        return [*parts, self._features_table(words, path, names)]

    def write_parts(self, folder: Path) -> None:
        """Write ``chain.safetensors``, and a copy of the vectors."""
        write_parts(folder, self.parts)

    @staticmethod
    def read_parts(folder: Path) -> LinearTaggerParts:
        """Read ``chain.safetensors``, and open the vectors."""
        return read_parts(folder)

    def __sklearn_tags__(self) -> Any:
        return estimator_tags(None)

    @property
    def _lawful(self) -> Lawful:
        return Lawful.of(self.tag_set.labels, self.tag_set.learned)

    def _rows(self, sentences: Any, tags: Any) -> list[TaggedSentence]:
        rows: list[TaggedSentence] = self.task.read(
            self.task.source_of(given_tagged(sentences, tags))
        )
        return rows

    def _features_table(
        self, words: Sequence[str], path: ScoredPath, names: Sequence[str]
    ) -> Table:
        """Return the features of each token that speak for its tag most."""
        weighed = self.parts.reader.weights_of(words, self.parts.chain.weights)
        rows = []
        for word, tag, own in zip(words, path.tags, weighed, strict=True):
            best = sorted(own, key=lambda name: -own[name][tag])[:MOST_FEATURES]
            shown = [f"{name} {own[name][tag]:+.2f}" for name in best if own[name][tag] > 0]
            rows.append((word, names[tag], "  ".join(shown)))
        return Table.of(_said("features"), _said.columns("word", "tag", "features"), rows)


def idle_length() -> SettingError:
    """Return the error of a length of vectors where none are given."""
    return SettingError("[linear] vector_length has no effect without word vectors; leave it out.")


def _known(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores with NaN for what is forbidden."""
    return np.where(np.isfinite(scores), scores, np.nan)
