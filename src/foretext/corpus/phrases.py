"""Words that belong together, such as ``new_york``: found by their counts, joined in sentences.

Mikolov et al. 2013, "Distributed Representations of Words and Phrases", section 4; "npmi" is the
normalised pointwise mutual information of Bouma 2009. Counts, scores and joined sentences are those
of gensim.models.phrases.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import islice, pairwise
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, Self

from foretext.base.arguments import checked_arguments, shown_value
from foretext.base.errors import ArgumentError, SettingError
from foretext.base.not_fitted import not_fitted
from foretext.base.parameters import Parameters, estimator_tags, keeping
from foretext.corpus.corpus import Corpus
from foretext.corpus.pre_tokenizers import PreTokenizer, likely_kind
from foretext.corpus.settings import CorpusConfig
from foretext.corpus.texts import TextSource, are_tokens, found_sources, present_texts

__all__ = ["CONNECTOR_WORDS", "Phrases"]

# English words that may stand inside a phrase: bank_of_england. gensim has the same.
CONNECTOR_WORDS = frozenset(
    {"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}
    | {"without"}
)

_KINDS: dict[str, tuple[Any, str]] = {
    "min_count": (Integral, "a whole number"),
    "threshold": (Real, "a number"),
    "scoring": (str, "'default' or 'npmi'"),
    "delimiter": (str, "a text"),
    "connector_words": (Collection, "a set of words"),
    "max_vocab_size": (Integral, "a whole number"),
}

SAMPLE = 1 << 16  # characters that show the script


class Candidate(NamedTuple):
    """Two words of a sentence that may be a phrase, with the connector words between them."""

    first: str
    between: tuple[str, ...]
    last: str

    def joined(self, delimiter: str) -> str:
        """Return the phrase as one word."""
        return delimiter.join((self.first, *self.between, self.last))


class Phrases(Parameters):
    """Pairs of words that stand together more often than chance has it.

    Args:
        min_count: of a phrase, and of its words.
        threshold: phrases with a higher score are joined; of "npmi" from -1 to 1.
        scoring: "default" is (count - min_count) * vocabulary / (count of one * of the other).
        delimiter: stands between the words of a phrase.
        connector_words: may stand inside a phrase, and begin or end none; `CONNECTOR_WORDS`.
        max_vocab_size: of words and pairs in memory; with more, the rarest are forgotten.

    Examples:
        >>> sentences = [["new", "york"], ["new", "york"], ["a"]]
        >>> phrases = Phrases(min_count=1, threshold=1).fit(sentences)
        >>> phrases[["in", "new", "york"]]
        ['in', 'new_york']
    """

    min_count: int
    threshold: float
    scoring: str
    delimiter: str
    connector_words: Collection[str]
    max_vocab_size: int
    _vocab: Counter[str] | None = None  # of words, and of pairs as phrases
    _corpus_word_count = 0
    _least = 1  # what is rarer is forgotten next

    @keeping
    def __init__(
        self,
        *,
        min_count: int = 5,
        threshold: float = 10.0,
        scoring: Literal["default", "npmi"] = "default",
        delimiter: str = "_",
        connector_words: Collection[str] = (),
        max_vocab_size: int = 40_000_000,
    ) -> None: ...

    @property
    def is_fitted(self) -> bool:
        """Whether words and pairs were counted."""
        return self._vocab is not None

    @property
    def vocab(self) -> Counter[str]:
        """How often words occur, and pairs as phrases.

        Raises:
            SettingError: nothing was counted yet.
        """
        if self._vocab is None:
            raise not_fitted("These phrases have counted nothing yet; call fit first.")
        return self._vocab

    @property
    def corpus_word_count(self) -> int:
        """The words of the text that was counted."""
        return self._corpus_word_count

    @checked_arguments
    def fit(self, sentences: TextSource, y: object = None) -> Self:
        """Count words and pairs of a text: files, texts in memory or lists of words.

        Texts are cut into words in lower case; lists of words are taken as they are.

        Raises:
            CorpusError: these are no texts.
            SettingError: a setting is not allowed.
        """
        self._refuse_wrong_settings()
        self._vocab, self._corpus_word_count, self._least = Counter(), 0, 1
        return self.partial_fit(sentences)

    @checked_arguments
    def partial_fit(self, sentences: TextSource, y: object = None) -> Self:
        """Count more text.

        Raises:
            CorpusError: these are no texts.
            SettingError: a setting is not allowed.
        """
        self._refuse_wrong_settings()
        vocab = Counter[str]() if self._vocab is None else self._vocab
        self._vocab, connectors = vocab, frozenset(self.connector_words)
        for sentence in _sentences(sentences):
            self._corpus_word_count += len(sentence)
            vocab.update(word for word in sentence if word not in connectors)
            vocab.update(each.joined(self.delimiter) for each in self._candidates(sentence))
            if len(vocab) > self.max_vocab_size:
                self._vocab = vocab = self._frequent(vocab)
        return self

    @checked_arguments
    def transform(self, sentences: TextSource) -> Iterator[list[str]]:
        """Yield the sentences as lists of words, phrases joined, for the `fit` of word vectors.

        Raises:
            CorpusError: these are no texts.
        """
        _ = self.vocab  # before the first sentence is asked for
        return map(self._joined, _sentences(sentences))

    @checked_arguments
    def fit_transform(self, sentences: TextSource, y: object = None) -> Iterator[list[str]]:
        """Count words and pairs, and yield the same sentences with phrases joined.

        Raises:
            CorpusError: these are no texts.
        """
        held = found_sources(present_texts(sentences))  # a generator can be read once
        return self.fit(held).transform(held)

    def __getitem__(self, sentence: Iterable[str]) -> list[str]:
        """Return a sentence, a list of words, with its phrases joined.

        Raises:
            SettingError: it is a text, or something else.
        """
        words = (
            sentence
            if isinstance(sentence, str) or not isinstance(sentence, Iterable)
            else [*sentence]
        )
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise SettingError("A sentence is a list of words; split the text, or use transform.")
        return self._joined(words)

    def export_phrases(self) -> dict[str, float]:
        """Return every phrase that would be joined, with its score."""
        found = {}
        for joined in self.vocab:
            words = joined.split(self.delimiter)
            if len(words) > 1:
                candidate = Candidate(words[0], tuple(words[1:-1]), words[-1])
                score = self._score_of(candidate)
                if score is not None:
                    found[joined] = score
        return found

    @checked_arguments
    def score(self, candidate: Candidate) -> float | None:
        """Return the score of a phrase; None where it is not above the threshold."""
        return self._score_of(candidate)

    def _score_of(self, candidate: Candidate) -> float | None:
        first, last = self.vocab.get(candidate.first, 0), self.vocab.get(candidate.last, 0)
        both = self.vocab.get(candidate.joined(self.delimiter), 0)
        if not (first and last and both):
            return None
        score = self._score(first, last, both)
        return score if score > self.threshold else None

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show."""
        settings = {"scoring": self.scoring, "threshold": self.threshold}
        number = len(self._vocab) if self._vocab is not None else None
        return {**settings, "min_count": self.min_count, "words and pairs": number}

    def _score(self, first: int, last: int, both: int) -> float:
        if self.scoring == "default":
            return (both - self.min_count) / first / last * len(self.vocab)
        if both < self.min_count:
            return -math.inf
        words = self.corpus_word_count
        together = both / words
        return math.log(together / (first / words * (last / words))) / -math.log(together)

    def _candidates(self, sentence: list[str]) -> Iterator[Candidate]:
        """Yield neighbours with connector words between them."""
        connectors = frozenset(self.connector_words)
        places = [at for at, word in enumerate(sentence) if word not in connectors]
        for here, there in pairwise(places):
            yield Candidate(sentence[here], tuple(sentence[here + 1 : there]), sentence[there])

    def _joined(self, sentence: list[str]) -> list[str]:
        """Join phrases from left to right; a word is part of one phrase only."""
        connectors = frozenset(self.connector_words)
        places = [at for at, word in enumerate(sentence) if word not in connectors]
        joined: list[str] = []
        done = 0  # words of the sentence that have been written
        for here, there in pairwise(places):
            if here < done:
                continue
            candidate = Candidate(
                sentence[here], tuple(sentence[here + 1 : there]), sentence[there]
            )
            if self._score_of(candidate) is not None:
                joined += [*sentence[done:here], candidate.joined(self.delimiter)]
                done = there + 1
        return joined + sentence[done:]

    def _frequent(self, vocab: Counter[str]) -> Counter[str]:
        """Return counts without rare words and pairs, of ever more frequent ones."""
        kept = {word: count for word, count in vocab.items() if count >= self._least}
        self._least += 1
        return Counter(kept)

    def _refuse_wrong_settings(self) -> None:
        """Refuse settings that no fit can use.

        Raises:
            SettingError: there is one.
        """
        for name, (kinds, wanted) in _KINDS.items():
            value = vars(self)[name]
            if not isinstance(value, kinds) or isinstance(value, bool):
                raise ArgumentError(f"{name} = {shown_value(value)}: give {wanted}.")
        if self.scoring not in ("default", "npmi"):
            raise SettingError(f"scoring = '{self.scoring}': there are 'default' and 'npmi'.")
        if self.scoring == "npmi" and not -1 <= self.threshold <= 1:
            raise SettingError(
                f"threshold = {self.threshold}: scores of 'npmi' go from -1 to 1; give one between "
                "them."
            )
        is_low = self.threshold <= 0 and self.scoring == "default"
        if self.min_count < 1 or self.max_vocab_size < 1 or is_low:
            raise SettingError("min_count, threshold and max_vocab_size have to be more than 0.")

    def __sklearn_tags__(self) -> Any:
        return estimator_tags("transformer")


def _sentences(given: TextSource) -> Iterator[list[str]]:
    """Yield the sentences of texts as lists of words."""
    sources = found_sources(present_texts(given))
    if are_tokens(sources):
        corpus = Corpus(sources, CorpusConfig(normalization="none"))
        for document in corpus:
            yield from map(str.split, document.split("\n"))
        return
    corpus = Corpus(sources)
    sample = "\n".join(islice(corpus, 100))[:SAMPLE]
    words = PreTokenizer(likely_kind(sample))
    for document in corpus:
        yield from map(words.words, document.split("\n"))
