"""A tagger of tokens in use: tags, entities with their places in the text, and how good it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from foretext.base.arguments import checked_arguments
from foretext.base.config import Config
from foretext.corpus.text_tokens import TextToken, joined_tokens, split_text
from foretext.data.padded_examples import IGNORED, PaddedExamples, Ragged
from foretext.data.rows import (
    Input,
    TaggedSentence,
)
from foretext.data.rows.given import given_sentences, one_or_each
from foretext.data.rows.in_memory import BLANK_BETWEEN
from foretext.data.rows.label_formats import LabelTask
from foretext.data.rows.spans import aligned_tokens
from foretext.heads.base import TaskBase
from foretext.heads.tagging import TaggingHead, word_places
from foretext.messages import message
from foretext.metrics import UncertaintyMeasure, entropies
from foretext.shown import Note, Part
from foretext.tasks.model import KeptFacts, TaskModel
from foretext.tasks.predictor import Record
from foretext.tasks.tagging.answers import TagAnswers, kind_counts
from foretext.tasks.tagging.learned_rates import LearnedRates, Rate, rate_doubts
from foretext.tasks.tagging.rows import in_own_notation, plain_rows, unknown_tag
from foretext.tasks.tagging.scores import SentenceScores
from foretext.tasks.tagging.showing import sentence_parts
from foretext.tasks.tagging.task import Tagging
from foretext.tasks.tagging.windows import SentenceWindows
from foretext.tasks.top import Top, refuse_options

__all__ = ["TaggedSpan", "Tagger"]


SAMPLE = 2000  # rows that rates are counted in

Texts = Sequence[str | Sequence[str]]  # raw texts, or their tokens


class TaggedSpan(NamedTuple):
    """An entity: the characters from `start` up to `end` of a text."""

    start: int
    end: int
    label: str
    text: str
    probability: float  # of its least probable tag

    def record(self) -> Record:
        """Return it as JSON has it."""
        return {**self._asdict(), "probability": round(self.probability, 6)}


class _Rates(TypedDict):
    tagged: Rate
    unknown: Rate
    capital: Rate


class _Facts(KeptFacts, total=False):
    """What a folder keeps of a tagger."""

    learned: _Rates


class Tagger(TaskModel):
    """Tokens of sentences to one tag each.

    Attributes:
        learned: rates of the rows that it learned from; None: they are not known.
    """

    task: ClassVar = Tagging()
    head: TaggingHead
    facts_type: ClassVar = _Facts
    abilities = ("predict", "tag", "tokenize", "decode")
    learned: LearnedRates | None = None

    @property
    def usage(self) -> str:
        """Lines of Python that show how to ask `model`."""
        return (
            'model.predict(["a sentence"])\n'
            'model.spans(["a sentence"])  # entities with their places'
        )

    def described(self) -> dict[str, Any]:
        """Return what card and report say of the model, with the scheme of its tags."""
        notation = self.head.tags.notation
        return {**super().described(), "scheme": None if notation is None else notation.name}

    @property
    def judged_by(self) -> str:
        """The figure by which one model is better than another."""
        return "f1" if self.finds_entities else "accuracy"

    @property
    def classes_(self) -> NDArray[np.str_]:
        """(C,) tags in the order of `predict_proba`, of the scheme that was learned."""
        return np.array(self.head.tags.written(self.head.tags.labels))

    @property
    def finds_entities(self) -> bool:
        """Whether tags say where entities begin and end."""
        return self.head.tags.scheme is not None

    def examples(self, rows: Sequence[TaggedSentence]) -> PaddedExamples:
        """Return each window of each sentence, with the tags of the tokens that are read there."""
        written, rows = rows, self._plain(rows)
        sentences = [row.tokens for row in rows]
        windows = self._windows(sentences)
        targets = []
        for ids, window in zip(windows.rows, windows.windows, strict=True):
            row, target = rows[window.sentence], np.full(len(ids), IGNORED)
            # Part of an entity is an entity in either window, so that no tags are forbidden.
            places = self.head.tags.places(row.tags[window.answered])
            if -1 in places:
                raise unknown_tag(
                    written[window.sentence], window.answered.start + places.index(-1)
                )
            target[window.positions] = places
            targets.append(target)
        return self._padded(sentences, windows, {"tags": Ragged(targets)})

    @classmethod
    def begin(cls, base: TaskBase, config: Config, rows: Sequence[TaggedSentence]) -> Self:
        """Put an untrained head on a base, and note what the rows look like."""
        model = super().begin(base, config, rows)
        sample = in_own_notation(rows[:: -(-len(rows) // SAMPLE)])
        model.learned = model._rates(
            [row.tokens for row in sample], sum(tag != "O" for row in sample for tag in row.tags)
        )
        return model

    def tokens(self, texts: Texts) -> list[list[TextToken]]:
        """Return the tokens of each text with their places in it.

        A raw text is split. Tokens have the places that they have when blanks join them.

        Raises:
            CorpusError: a single text is given, or something is neither a text nor tokens.
        """
        split = self.head.by_character
        return [
            split_text(text, by_character=split) if isinstance(text, str) else joined_tokens(text)
            for text in given_sentences(texts)
        ]

    @checked_arguments
    def predict(self, texts: Any) -> Any:
        """Return the tag of each of the `tokens` of each text, in the scheme of the user's files.

        Args:
            texts: raw texts, or lists of tokens; a single raw text gets a single answer.

        Raises:
            CorpusError: something is neither a text nor tokens.
        """
        return one_or_each(texts, lambda each: self._scores(_words(self.tokens(each))).tags())

    @checked_arguments
    def predict_proba(self, texts: Any) -> Any:
        """Return (T, C) of each text, a row for each of its `tokens`, that sums to 1.

        A single raw text gets a single answer.

        Raises:
            CorpusError: something is neither a text nor tokens.
        """
        return one_or_each(
            texts,
            lambda each: self._scores(_words(self.tokens(each))).probabilities(self.temperature),
        )

    @checked_arguments
    def spans(self, texts: Any) -> Any:
        """Return the entities of each text with their places in it; blanks join tokens.

        A single raw text gets a single list.

        Raises:
            CorpusError: something is neither a text nor tokens.
        """
        return one_or_each(texts, lambda each: self._entities(given_sentences(each)))

    def _entities(self, texts: Texts) -> list[list[TaggedSpan]]:
        tokens = self.tokens(texts)
        return self._spans(texts, tokens, self._scores(_words(tokens)))

    def answer_rows(self, rows: Sequence[TaggedSentence]) -> TagAnswers:
        """Return the tag of each token, such as "B-PER", in the scheme of the user's files."""
        tags = self._scores([row.tokens for row in rows]).plain_tags()
        return TagAnswers(tags, self.head.tags)

    def label_counts(self, rows: Sequence[TaggedSentence]) -> Counter[str]:
        """Return how many entities of each kind there are, or tokens with each tag."""
        tags = [row.tags for row in self._plain(rows)]
        return kind_counts(tags, of_entities=self.finds_entities)

    def options(self, k: int | None, threshold: float | None) -> Top:
        """Return the least probability of an entity."""
        refuse_options("a tagger", k, None if self.finds_entities else threshold)
        return Top(1, threshold or 0.0)

    def records(self, inputs: Sequence[Input], top: Top) -> list[Record]:
        """Return the entities of each text with their places, or its tokens with their tags.

        Where the tokens of a text are given, both are returned.
        """
        texts = [tokens or text for text, *tokens in inputs]
        tokens = self._input_tokens(inputs)
        scores = self._scores(_words(tokens))
        tags = [
            [[token.text, tag] for token, tag in zip(own, given, strict=True)]
            for own, given in zip(tokens, scores.tags(), strict=True)
        ]
        if not self.finds_entities:
            return [{"tags": own} for own in tags]
        found = [
            {"spans": [span.record() for span in spans if span.probability >= top.threshold]}
            for spans in self._spans(texts, tokens, scores)
        ]
        # Whoever gives tokens expects a tag for each.
        return [
            record if isinstance(text, str) else {**record, "tags": own}
            for record, text, own in zip(found, texts, tags, strict=True)
        ]

    def label_tasks(
        self, inputs: Sequence[Input], measure: UncertaintyMeasure = "margin"
    ) -> list[LabelTask]:
        """Return texts with their tokens and tags as tasks for people who label.

        Args:
            inputs: N texts, each with or without its tokens.
            measure: of the uncertainty: how improbable the best tags are, or the mean entropy of
                the tags of the tokens; a sentence may be of any length.
        """
        tokens = self._input_tokens(inputs)
        scores = self._scores(_words(tokens))
        unsure = 1.0 - scores.confidences()
        if measure == "entropy":
            own = scores.probabilities(self.temperature)
            unsure = np.array([entropies(each).mean() if len(each) else 0.0 for each in own])
        found = zip(inputs, tokens, scores.tags(), scores.places(), unsure.tolist(), strict=True)
        return [self._label_task(*each) for each in found]

    def insight(self, texts: Texts) -> list[Part]:
        """Return what decides on the tags of a text."""
        words = _words(self.tokens(texts))
        scores = self._scores(words)
        (probabilities,) = scores.probabilities()  # of the same paths as the scores
        parts = sentence_parts(self.head, words[0], scores.rows[0], probabilities)
        if self.temperature == 1.0:
            return parts
        said = message("insight.tagging.calibrated", temperature=self.temperature)
        return [parts[0], Note(said), *parts[1:]]

    def input_examples(self, texts: Texts) -> PaddedExamples:
        """Return the windows of a text."""
        words = _words(self.tokens(texts))
        return self._padded(words, self._windows(words), {})

    def _label_task(
        self,
        given: Input,
        tokens: Sequence[TextToken],
        tags: list[str],
        places: list[int],
        uncertainty: float,
    ) -> LabelTask:
        text, words = given[0], [token.text for token in tokens]
        if len(given) > 1:
            text = " ".join(words)
            closed = BLANK_BETWEEN.sub("", text) if self.head.by_character else text
            aligned = aligned_tokens(closed, words)
            text, tokens = (text, tokens) if aligned is None else (closed, aligned)
        spans = [
            (tokens[first].start, tokens[last - 1].end, label)
            for label, first, last in self.head.tags.spans(places)
        ]
        why = f"unsure of its tags ({1 - uncertainty:.2f} a token)"
        return LabelTask({"text": text}, uncertainty, why, tokens=tokens, spans=spans, tags=tags)

    def _input_tokens(self, inputs: Sequence[Input]) -> list[list[TextToken]]:
        return self.tokens([tokens or text for text, *tokens in inputs])

    def shown(self, record: Record) -> str:
        """Return entities or tags, a tab, and the text."""
        if self.finds_entities:
            answer = "  ".join(f"{each['label']}: {each['text']}" for each in record["spans"])
        else:
            answer = " ".join(f"{token}/{tag}" for token, tag in record["tags"])
        return f"{answer}\t{record['text']}"

    def doubts(self, records: Sequence[Record]) -> list[str]:
        """Return whether texts are unlike the rows of the training."""
        if self.learned is None:
            return []
        tokens = self.tokens([record["text"] for record in records])
        ends = [[(span["start"], span["end"]) for span in r.get("spans", ())] for r in records]
        num_tagged = sum(
            any(start <= token.start < end for start, end in spans)
            for own, spans in zip(tokens, ends, strict=True)
            for token in own
        )
        rates = self._rates(_words(tokens), num_tagged)
        return rate_doubts(self.learned, rates, sum(map(len, tokens)))

    def row_doubts(self, rows: Sequence[TaggedSentence]) -> list[str]:
        """Return whether sentences are unlike those of the training; their tags do not count."""
        if self.learned is None:
            return []
        rates = self._rates([row.tokens for row in rows], 0)
        return rate_doubts(self.learned, rates, sum(len(row.tokens) for row in rows))

    def knows(self, row: TaggedSentence) -> bool:
        """Whether all tags of a sentence are known."""
        (plain,) = self._plain([row])
        return -1 not in self.head.tags.places(plain.tags)

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

    def _scores(self, sentences: Sequence[Sequence[str]]) -> SentenceScores:
        windows = self._windows(sentences)
        outputs = self.outputs(self._padded(sentences, windows, {}))
        return SentenceScores(self.head, windows.gathered(outputs, len(sentences)))

    def _plain(self, rows: Sequence[TaggedSentence]) -> Sequence[TaggedSentence]:
        """Return rows with tags such as "B-PER"."""
        return plain_rows(rows, self.head.tags.notation)

    def _spans(
        self, texts: Texts, tokens: Sequence[Sequence[TextToken]], scores: SentenceScores
    ) -> list[list[TaggedSpan]]:
        """Return the entities of each text, of which the scores are known."""
        answers = zip(scores.places(), scores.probabilities(self.temperature), strict=True)
        return [
            list(self._text_spans(text, own, places, probabilities))
            for text, own, (places, probabilities) in zip(texts, tokens, answers, strict=True)
        ]

    def _text_spans(
        self,
        text: str | Sequence[str],
        tokens: Sequence[TextToken],
        places: Sequence[int],
        probabilities: NDArray[np.float64],
    ) -> Iterator[TaggedSpan]:
        whole = text if isinstance(text, str) else " ".join(text)
        for label, first, last in self.head.tags.spans(places):
            start, end = tokens[first].start, tokens[last - 1].end
            chosen = [probabilities[token, places[token]] for token in range(first, last)]
            yield TaggedSpan(start, end, label, whole[start:end], float(min(chosen)))

    def facts(self) -> Mapping[str, Any]:
        """Return what is kept beside weights and settings."""
        if self.learned is None:
            return super().facts()
        return {**super().facts(), "learned": self.learned._asdict()}

    def load_parts(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Take over what the rows of the training looked like."""
        if "learned" in facts:
            self.learned = LearnedRates(**facts["learned"])

    def _rates(self, sentences: Sequence[Sequence[str]], num_tagged: int) -> LearnedRates:
        tagged = num_tagged if self.finds_entities else 0
        return LearnedRates.of(sentences, tagged, self.base.tokenizer)


def _words(tokens: Sequence[Sequence[TextToken]]) -> list[list[str]]:
    return [[token.text for token in own] for own in tokens]
