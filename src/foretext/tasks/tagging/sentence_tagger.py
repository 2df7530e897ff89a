"""What all taggers of tokens have in common: how they answer sentences, and how they are judged."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.corpus.text_tokens import TextToken, joined_tokens, split_text
from foretext.data.rows import Input, TaggedSentence
from foretext.data.rows.given import given_sentences, one_or_each
from foretext.data.rows.in_memory import BLANK_BETWEEN
from foretext.data.rows.label_formats import LabelTask
from foretext.data.rows.spans import aligned_tokens
from foretext.heads.tag_set import TagSet
from foretext.messages import message
from foretext.metrics import UncertaintyMeasure, entropies
from foretext.tasks.predictor import Predictor, Record
from foretext.tasks.tagging.answers import TagAnswers, kind_counts
from foretext.tasks.tagging.learned_rates import LearnedRates, rate_doubts
from foretext.tasks.tagging.rows import plain_rows
from foretext.tasks.tagging.task import Tagging
from foretext.tasks.top import Top, refuse_options

__all__ = ["SentenceTagger", "TagScores", "TaggedSpan", "Texts", "words_of"]

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


class TagScores(Protocol):
    """What a model says of the tags of some sentences, of T tokens each and C tags."""

    def tags(self) -> list[list[str]]:
        """Return the best tags of each sentence, as the user's files write them."""
        ...

    def plain_tags(self) -> list[list[str]]:
        """Return the best tags of each sentence, such as "B-PER", in the user's scheme."""
        ...

    def indices(self) -> list[list[int]]:
        """Return the best tags of each sentence as indices."""
        ...

    def probabilities(self, temperature: float = 1.0) -> list[NDArray[np.float64]]:
        """Return each tag's probability at each token, (T, C) of each sentence."""
        ...

    def confidences(self) -> NDArray[np.float64]:
        """Return the probability of the best tags of each sentence, (N,), per token."""
        ...


class SentenceTagger(Predictor):
    """Tokens of sentences to one tag each.

    Attributes:
        temperature: that scores are divided by before they become probabilities.
    """

    task: ClassVar[Tagging]
    temperature: float = 1.0

    @property
    def learned(self) -> LearnedRates | None:
        """Rates of the rows that it learned from; None: they are not known."""
        return None

    @property
    @abstractmethod
    def tag_set(self) -> TagSet:
        """The tags that it answers with."""

    @property
    @abstractmethod
    def by_character(self) -> bool:
        """Whether each character is a token."""

    @abstractmethod
    def sentence_scores(self, sentences: Sequence[Sequence[str]]) -> TagScores:
        """Return what it says of the tags of sentences, given as their tokens."""

    @abstractmethod
    def num_unknown(self, sentences: Sequence[Sequence[str]]) -> int:
        """Return how many tokens of sentences it does not know."""

    @property
    def usage(self) -> str:
        """Lines of Python that show how to ask `model`."""
        return (
            'model.predict(["a sentence"])\n'
            'model.spans(["a sentence"])  # entities with their offsets'
        )

    def described(self) -> dict[str, Any]:
        """Return what card and report say of the model, with the scheme of its tags."""
        notation = self.tag_set.notation
        return {**super().described(), "scheme": None if notation is None else notation.name}

    @property
    def judged_by(self) -> str:
        """The figure by which one model is better than another."""
        return "f1" if self.finds_entities else "accuracy"

    @property
    def classes_(self) -> NDArray[np.str_]:
        """(C,) tags in the order of `predict_proba`, of the scheme that was learned."""
        return np.array(self.tag_set.written(self.tag_set.labels))

    @property
    def finds_entities(self) -> bool:
        """Whether tags say where entities begin and end."""
        return self.tag_set.scheme is not None

    def tokens(self, texts: Texts) -> list[list[TextToken]]:
        """Return the tokens of each text with their offsets in it.

        A raw text is split. The offsets of given tokens are those in the text that blanks join.

        Raises:
            CorpusError: a single text is given, or something is neither a text nor tokens.
        """
        split = self.by_character
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
        return one_or_each(
            texts, lambda each: self.sentence_scores(words_of(self.tokens(each))).tags()
        )

    @checked_arguments
    def predict_proba(self, texts: Any) -> Any:
        """Return (T, C) of each text, a row for each of its `tokens`, that sums to 1.

        A single raw text gets a single answer.

        Raises:
            CorpusError: something is neither a text nor tokens.
        """
        return one_or_each(
            texts,
            lambda each: self.sentence_scores(words_of(self.tokens(each))).probabilities(
                self.temperature
            ),
        )

    @checked_arguments
    def spans(self, texts: Any) -> Any:
        """Return the entities of each text with their offsets in it; blanks join tokens.

        A single raw text gets a single list.

        Raises:
            CorpusError: something is neither a text nor tokens.
        """
        return one_or_each(texts, lambda each: self._entities(given_sentences(each)))

    def _scores(self, texts: Texts) -> TagScores:
        return self.sentence_scores(words_of(self.tokens(texts)))

    def _entities(self, texts: Texts) -> list[list[TaggedSpan]]:
        tokens = self.tokens(texts)
        return self._spans(texts, tokens, self.sentence_scores(words_of(tokens)))

    def answer_rows(self, rows: Sequence[TaggedSentence]) -> TagAnswers:
        """Return the tag of each token, such as "B-PER", in the scheme of the user's files."""
        tags = self.sentence_scores([row.tokens for row in rows]).plain_tags()
        return TagAnswers(tags, self.tag_set)

    def label_counts(self, rows: Sequence[TaggedSentence]) -> Counter[str]:
        """Return how many entities of each kind there are, or tokens with each tag."""
        tags = [row.tags for row in self.plain(rows)]
        return kind_counts(tags, of_entities=self.finds_entities)

    def options(self, k: int | None, threshold: float | None) -> Top:
        """Return the least probability of an entity, `threshold`; `k` is refused."""
        refuse_options("a tagger", k, None if self.finds_entities else threshold)
        return Top(1, threshold or 0.0)

    def records(self, inputs: Sequence[Input], top: Top) -> list[Record]:
        """Return the entities of each of `inputs` with offsets, or its tokens with their tags.

        Entities below the threshold of `top` are left out. Where the tokens of a text are given,
        both are returned.
        """
        tokens = self._input_tokens(inputs)
        return self.scored_records(inputs, tokens, self.sentence_scores(words_of(tokens)), top)

    def scored_records(
        self,
        inputs: Sequence[Input],
        tokens: Sequence[Sequence[TextToken]],
        scores: TagScores,
        top: Top,
    ) -> list[Record]:
        """Return the records of inputs whose tags have been scored.

        Args:
            inputs: N texts, each with or without its tokens.
            tokens: of each, as of `tokens`.
            scores: of their tags.
            top: see `records`.
        """
        texts = [own or text for text, *own in inputs]
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
        scores = self.sentence_scores(words_of(tokens))
        unsure = 1.0 - scores.confidences()
        if measure == "entropy":
            own = scores.probabilities(self.temperature)
            unsure = np.array([entropies(each).mean() if len(each) else 0.0 for each in own])
        found = zip(inputs, tokens, scores.tags(), scores.indices(), unsure.tolist(), strict=True)
        return [self._label_task(*each) for each in found]

    def _label_task(
        self,
        given: Input,
        tokens: Sequence[TextToken],
        tags: list[str],
        indices: list[int],
        uncertainty: float,
    ) -> LabelTask:
        text, words = given[0], [token.text for token in tokens]
        if len(given) > 1:
            text = " ".join(words)
            closed = BLANK_BETWEEN.sub("", text) if self.by_character else text
            aligned = aligned_tokens(closed, words)
            text, tokens = (text, tokens) if aligned is None else (closed, aligned)
        spans = [
            (tokens[first].start, tokens[last - 1].end, label)
            for label, first, last in self.tag_set.spans(indices)
        ]
        why = message("terminal.doubt.tags", share=1 - uncertainty)
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
        rates = self.rates(words_of(tokens), num_tagged)
        return rate_doubts(self.learned, rates, sum(map(len, tokens)))

    def row_doubts(self, rows: Sequence[TaggedSentence]) -> list[str]:
        """Return whether sentences are unlike those of the training; their tags do not count."""
        if self.learned is None:
            return []
        rates = self.rates([row.tokens for row in rows], 0)
        return rate_doubts(self.learned, rates, sum(len(row.tokens) for row in rows))

    def plain(self, rows: Sequence[TaggedSentence]) -> Sequence[TaggedSentence]:
        """Return rows with tags such as "B-PER"."""
        return plain_rows(rows, self.tag_set.notation)

    def _spans(
        self, texts: Texts, tokens: Sequence[Sequence[TextToken]], scores: TagScores
    ) -> list[list[TaggedSpan]]:
        """Return the entities of each text, of which the scores are known."""
        answers = zip(scores.indices(), scores.probabilities(self.temperature), strict=True)
        return [
            list(self._text_spans(text, own, indices, probabilities))
            for text, own, (indices, probabilities) in zip(texts, tokens, answers, strict=True)
        ]

    def _text_spans(
        self,
        text: str | Sequence[str],
        tokens: Sequence[TextToken],
        indices: Sequence[int],
        probabilities: NDArray[np.float64],
    ) -> Iterator[TaggedSpan]:
        whole = text if isinstance(text, str) else " ".join(text)
        for label, first, last in self.tag_set.spans(indices):
            start, end = tokens[first].start, tokens[last - 1].end
            chosen = [probabilities[token, indices[token]] for token in range(first, last)]
            yield TaggedSpan(start, end, label, whole[start:end], float(min(chosen)))

    def rates(self, sentences: Sequence[Sequence[str]], num_tagged: int) -> LearnedRates:
        """Return what `sentences` look like, of whose tokens `num_tagged` are inside entities."""
        tagged = num_tagged if self.finds_entities else 0
        return LearnedRates.of(sentences, tagged, self.num_unknown(sentences))

    def learned_rates(self, rows: Sequence[TaggedSentence]) -> LearnedRates:
        """Return what rows to learn from look like, by some of them.

        Args:
            rows: with tags such as "B-PER".
        """
        sample = rows[:: -(-len(rows) // SAMPLE)]
        num_tagged = sum(tag != "O" for row in sample for tag in row.tags)
        return self.rates([row.tokens for row in sample], num_tagged)


def words_of(tokens: Sequence[Sequence[TextToken]]) -> list[list[str]]:
    """Return the texts of the tokens of sentences."""
    return [[token.text for token in own] for own in tokens]
