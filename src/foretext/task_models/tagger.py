"""A tagger of tokens in use: tags, entities with their places in the text, and how good it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.config import Config
from foretext.data.padded_examples import IGNORED, PaddedExamples, Ragged
from foretext.data.rows import TaggedConfig, TaggedSentence, read_tagged
from foretext.errors import SettingError
from foretext.task_models.base import TaskModel
from foretext.task_models.computing import TaskNetwork
from foretext.task_models.sentence_scores import SentenceScores
from foretext.task_models.sentence_windows import SentenceWindows
from foretext.task_models.tag_figures import tag_figures
from foretext.task_models.tagged_rows import check_tags, found_in, unknown_tag
from foretext.task_models.text_tokens import TextToken, joined_tokens, split_text
from foretext.tasks.tagging import Tagging
from foretext.tokenizers.alphabet import Alphabet

__all__ = ["TaggedSpan", "Tagger"]

Texts = Sequence[str | Sequence[str]]  # raw ones, or their tokens


class TaggedSpan(NamedTuple):
    """An entity and the characters from `start` up to `end` that it is in the text."""

    start: int
    end: int
    label: str
    text: str
    probability: float  # of the tag that is least certain


class Tagger(TaskModel):
    """Tokens of sentences to one tag each."""

    task: Tagging
    task_class = Tagging
    rows_config: ClassVar = TaggedConfig
    judged_by = "f1"

    def __init__(self, *parts: Any, **options: Any) -> None:
        super().__init__(*parts, **options)
        if self.task.tags.scheme is None:
            self.judged_by = "accuracy"

    @classmethod
    def read(cls, path: str | Path, config: Config | None = None) -> list[TaggedSentence]:
        """Read sentences with a tag a token."""
        assert config is None or isinstance(config, TaggedConfig), config
        return read_tagged(path, config)

    @classmethod
    def find(cls, rows: Sequence[TaggedSentence]) -> dict[str, Any]:
        """Return the tags, sorted, their scheme, and the characters of the tokens.

        Raises:
            CorpusError: the rows have no tags, fewer than two, or some are none of their scheme.
        """
        return found_in(rows)

    @classmethod
    def num_characters(cls, rows: Sequence[TaggedSentence]) -> int:
        """Return the ids of characters that the words of rows are spelled with."""
        return Alphabet.of(token for row in rows for token in row.tokens).num_ids

    @property
    def classes_(self) -> NDArray[np.str_]:
        """(C,) tags in the order of `predict_proba`, of the scheme that was learned."""
        return np.array(self.task.tags.labels)

    def examples(self, rows: Sequence[TaggedSentence]) -> PaddedExamples:
        """Return each window of each sentence, with the tags of the tokens that it answers."""
        check_tags(rows, self.task.tags.scheme)
        sentences = [row.tokens for row in rows]
        windows = self._windows(sentences)
        targets = []
        for ids, window in zip(windows.rows, windows.windows, strict=True):
            row, target = rows[window.sentence], np.full(len(ids), IGNORED)
            # An entity that two windows answer is one in either, so that no tags are forbidden.
            places = self.task.tags.places(row.tags[window.answered])
            if -1 in places:
                raise unknown_tag(row, window.answered.start + places.index(-1))
            target[window.positions] = places
            targets.append(target)
        return self._padded(sentences, windows, {"tags": Ragged(targets)})

    def tokens(self, texts: Texts) -> list[list[TextToken]]:
        """Return the tokens of each text with their places in it.

        A raw text is taken apart; tokens have the places of their join by blanks.

        Raises:
            SettingError: a single text is given, not several.
        """
        if isinstance(texts, str):
            raise SettingError("predict takes several texts; put a single one into a list.")
        split = self.task.by_character
        return [
            split_text(text, by_character=split) if isinstance(text, str) else joined_tokens(text)
            for text in texts
        ]

    def predict(self, texts: Texts) -> list[list[str]]:
        """Return the tag of each of the `tokens` of each text, in the scheme of the user's files.

        Args:
            texts: raw ones, or lists of tokens.
        """
        return self._scores(_words(self.tokens(texts))).tags()

    def predict_proba(self, texts: Texts) -> list[NDArray[np.float64]]:
        """Return (T, C) of each text, a row for each of its `tokens`, that sums to 1."""
        return self._scores(_words(self.tokens(texts))).probabilities(self.temperature)

    def spans(self, texts: Texts) -> list[list[TaggedSpan]]:
        """Return the entities of each text with their places in it.

        Args:
            texts: raw ones, or lists of tokens, which are joined by blanks.
        """
        tokens = self.tokens(texts)
        scores = self._scores(_words(tokens))
        answers = zip(scores.places(), scores.probabilities(self.temperature), strict=True)
        return [
            list(self._text_spans(text, own, places, probabilities))
            for text, own, (places, probabilities) in zip(texts, tokens, answers, strict=True)
        ]

    def answer_rows(
        self, rows: Sequence[TaggedSentence], network: TaskNetwork | None = None
    ) -> list[list[str]]:
        """Return the tag of each token, in the scheme of the user's files."""
        return self._scores([row.tokens for row in rows], network).tags()

    def judge(
        self, rows: Sequence[TaggedSentence], answers: Sequence[Sequence[str]]
    ) -> dict[str, Any]:
        """Return F1, precision and recall of entities, accuracy of tags, and the table of kinds.

        Tags that violate their scheme are read as the same entities by its rules.

        Raises:
            CorpusError: a row has no tags, or has one that is none of an entity among others.
        """
        tags = self.task.tags
        check_tags(rows, tags.scheme)
        gold = [tags.lawful(row.tags) for row in rows]
        return tag_figures(gold, answers, of_entities=tags.scheme is not None)

    def knows(self, row: TaggedSentence) -> bool:
        """Whether all tags of a sentence are known."""
        return -1 not in self.task.tags.places(row.tags)

    def num_cut(self, rows: Sequence[TaggedSentence]) -> int:
        """Return the number of sentences that are longer than the model reads at once."""
        return self._windows([row.tokens for row in rows]).num_cut

    def _windows(self, sentences: Sequence[Sequence[str]]) -> SentenceWindows:
        framing = self.body.framing(self.task.config.max_length)
        ids = self.body.tokenizer.encode_words(sentences)
        return SentenceWindows.of(ids, framing, self.body.pad)

    def _padded(
        self,
        sentences: Sequence[Sequence[str]],
        windows: SentenceWindows,
        targets: dict[str, Ragged],
    ) -> PaddedExamples:
        alphabet = self.task.alphabet
        characters = None
        if alphabet is not None:
            held = (sentences[window.sentence][window.held] for window in windows.windows)
            characters = Ragged([alphabet.spelled(words or [""]) for words in held])
        return PaddedExamples(
            Ragged(windows.rows),
            targets,
            pad=self.body.pad,
            visibility=self.body.visibility,
            characters=characters,
        )

    def _scores(
        self, sentences: Sequence[Sequence[str]], network: TaskNetwork | None = None
    ) -> SentenceScores:
        windows = self._windows(sentences)
        outputs = self.outputs(self._padded(sentences, windows, {}), network)
        task: Any = self.task if network is None else network.task
        return SentenceScores(task, windows.gathered(outputs, len(sentences)))

    def _text_spans(
        self,
        text: str | Sequence[str],
        tokens: Sequence[TextToken],
        places: Sequence[int],
        probabilities: NDArray[np.float64],
    ) -> Iterator[TaggedSpan]:
        whole = text if isinstance(text, str) else " ".join(text)
        for label, first, last in self.task.tags.spans(places):
            start, end = tokens[first].start, tokens[last - 1].end
            chosen = [probabilities[token, places[token]] for token in range(first, last)]
            yield TaggedSpan(start, end, label, whole[start:end], float(min(chosen)))


def _words(tokens: Sequence[Sequence[TextToken]]) -> list[list[str]]:
    return [[token.text for token in own] for own in tokens]
