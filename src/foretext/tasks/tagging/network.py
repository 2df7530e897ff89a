"""A tagger of tokens by a network: the rows that it reads, and what its head says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from typing_extensions import TypedDict

from foretext.base.config import Config
from foretext.data.padded_examples import IGNORED, PaddedExamples, Ragged
from foretext.data.rows import (
    TaggedSentence,
)
from foretext.heads.base import TaskBase
from foretext.heads.tag_set import TagSet
from foretext.heads.tagging import TaggingHead, word_places
from foretext.messages import message
from foretext.shown import Note, Part
from foretext.tasks.model import KeptFacts, TaskModel
from foretext.tasks.tagging.learned_rates import LearnedRates, Rate
from foretext.tasks.tagging.rows import in_own_notation, unknown_tag
from foretext.tasks.tagging.scores import SentenceScores
from foretext.tasks.tagging.sentence_tagger import SentenceTagger, Texts, words_of
from foretext.tasks.tagging.showing import NUM_PATHS, ShownChain, sentence_parts
from foretext.tasks.tagging.task import Tagging
from foretext.tasks.tagging.windows import SentenceWindows

__all__ = ["Tagger"]


class _Rates(TypedDict):
    tagged: Rate
    unknown: Rate
    capital: Rate


class _Facts(KeptFacts, total=False):
    """What a folder keeps of a tagger."""

    learned: _Rates


class Tagger(SentenceTagger, TaskModel):
    """Tokens of sentences to one tag each, by a network.

    Attributes:
        learned: rates of the rows that it learned from; None: they are not known.
    """

    task: ClassVar = Tagging()
    head: TaggingHead
    facts_type: ClassVar = _Facts
    abilities = ("predict", "tag", "tokenize", "decode")
    learned: LearnedRates | None = None

    @property
    def tag_set(self) -> TagSet:
        """The tags that it answers with."""
        return self.head.tags

    @property
    def by_character(self) -> bool:
        """Whether each character is a token."""
        return self.head.by_character

    def num_unknown(self, sentences: Sequence[Sequence[str]]) -> int:
        """Return how many tokens of sentences have no id of their own."""
        tokenizer = self.base.tokenizer
        unknown = tokenizer.special.unknown
        if unknown is None:
            return 0
        encoded = tokenizer.encode_words(sentences)
        return sum(unknown in ids for sentence in encoded for ids in sentence)

    def examples(self, rows: Sequence[TaggedSentence]) -> PaddedExamples:
        """Return each window of each sentence, with the tags of the tokens that are read there."""
        written, rows = rows, self.plain(rows)
        sentences = [row.tokens for row in rows]
        windows = self._windows(sentences)
        targets = []
        for ids, window in zip(windows.rows, windows.windows, strict=True):
            row, target = rows[window.sentence], np.full(len(ids), IGNORED)
            # Part of an entity is an entity in either window, so that no tags are forbidden.
            indices = self.head.tags.indices(row.tags[window.answered])
            if -1 in indices:
                raise unknown_tag(
                    written[window.sentence], window.answered.start + indices.index(-1)
                )
            target[window.positions] = indices
            targets.append(target)
        return self._padded(sentences, windows, {"tags": Ragged(targets)})

    @classmethod
    def begin(cls, base: TaskBase, config: Config, rows: Sequence[TaggedSentence]) -> Self:
        """Put an untrained head on a base, and note what the rows look like."""
        model = super().begin(base, config, rows)
        model.learned = model.learned_rates(in_own_notation(rows))
        return model

    def insight(self, texts: Texts) -> list[Part]:
        """Return what decides on the tags of a text."""
        words = words_of(self.tokens(texts))
        scores = self.sentence_scores(words)
        (probabilities,) = scores.probabilities()  # of the same paths as the scores
        names = self.tag_set.written(self.tag_set.labels)
        chain = self._shown_chain(scores.rows[0])
        parts = sentence_parts(names, words[0], scores.rows[0], probabilities, chain)
        if self.temperature == 1.0:
            return parts
        said = message("insight.tagging.calibrated", temperature=self.temperature)
        return [parts[0], Note(said), *parts[1:]]

    def _shown_chain(self, scores: NDArray[np.float32]) -> ShownChain | None:
        crf = self.head.crf
        if crf is None:
            return None
        paths = crf.likeliest_paths(torch.from_numpy(scores), NUM_PATHS)
        transitions, start, end = (each.numpy() for each in crf.scores)
        return ShownChain(transitions, start, end, paths)

    def input_examples(self, texts: Texts) -> PaddedExamples:
        """Return the windows of a text."""
        words = words_of(self.tokens(texts))
        return self._padded(words, self._windows(words), {})

    def knows(self, row: TaggedSentence) -> bool:
        """Whether all tags of a sentence are known."""
        (plain,) = self.plain([row])
        return -1 not in self.head.tags.indices(plain.tags)

    def num_cut(self, rows: Sequence[TaggedSentence]) -> int:
        """Return the number of sentences that are longer than the model reads at once."""
        return self._windows([row.tokens for row in rows]).num_cut

    def _windows(self, sentences: Sequence[Sequence[str]]) -> SentenceWindows:
        framing = self.base.framing(self.head.config.max_length)
        reader = self.base.reader()
        windows = SentenceWindows.of(reader.encode_words(sentences), framing, self.base.pad)
        return windows._replace(spelling=reader.spelling)

    def _padded(
        self,
        sentences: Sequence[Sequence[str]],
        windows: SentenceWindows,
        targets: dict[str, Ragged],
    ) -> PaddedExamples:
        alphabet = self.head.alphabet
        characters = None
        if alphabet is not None:
            held = (sentences[window.sentence][window.held] for window in windows.windows)
            characters = Ragged([alphabet.spelled(words or [""]) for words in held])
        return PaddedExamples(
            Ragged(windows.rows, windows.spelling),
            targets,
            pad=self.base.pad,
            visibility=self.base.visibility,
            segments=self._places(sentences, windows) if self.head.marks_tokens else None,
            characters=characters,
        )

    def _places(self, sentences: Sequence[Sequence[str]], windows: SentenceWindows) -> Ragged:
        """Return where the token of each id stands in its word; what is of no token is 0."""
        places = [np.append(own, 0) for own in word_places(sentences)]  # [-1] is of no token
        return Ragged(
            [
                places[window.sentence][tokens]
                for window, tokens in zip(windows.windows, windows.tokens, strict=True)
            ]
        )

    def sentence_scores(self, sentences: Sequence[Sequence[str]]) -> SentenceScores:
        """Return what it says of the tags of sentences, given as their tokens."""
        windows = self._windows(sentences)
        outputs = self.outputs(self._padded(sentences, windows, {}))
        return SentenceScores(self.head, windows.gathered(outputs, len(sentences)))

    def facts(self) -> Mapping[str, Any]:
        """Return what is kept beside weights and settings."""
        if self.learned is None:
            return super().facts()
        return {**super().facts(), "learned": self.learned._asdict()}

    def load_parts(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Take over what the rows of the training looked like."""
        if "learned" in facts:
            self.learned = LearnedRates(**facts["learned"])
