"""What decides the settings of a training: how many rows and labels there are, and their script.

The rules come from trainings on 200 to 53,000 rows of four data sets, and on rows of 60 labels; the
guide has the figures (``docs/guides/classification-fasttext.md``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Self

from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.corpus.scripts import WITHOUT_BLANKS, script_rates

__all__ = ["TextProfile"]

SAMPLE = 1_000  # texts that the scripts are found from
READ_TEXTS = 200_000  # that a training reads, each as often as there are epochs
FEWEST_EPOCHS, MOST_EPOCHS = 5, 100
RATE, RATE_OF_RARE_LABELS = 0.5, 1.0
RARE_LABEL = 100  # texts: with fewer a label, twice the learning rate is better
PAIRS_FROM, PAIRS_FROM_OF_LABEL = 3_000, 250  # texts: with fewer, pairs of words are too rare
PARTS_UP_TO = 20_000  # texts: with more, parts of words take too long, and tell less than words
PARTS, UNSPACED_PARTS = (4, 6), (1, 3)  # letters
SOME, MUCH = 0.01, 0.2  # share of the letters
FEWEST_BUCKETS, MOST_BUCKETS = 1 << 14, 2_000_000


class TextProfile(NamedTuple):
    """Labelled texts in a few numbers."""

    num_texts: int
    num_labels: int
    num_characters: int
    han_rate: float  # of the letters
    other_unspaced_rate: float  # kana and Thai: no blanks, and more than one letter a word

    @classmethod
    def of(cls, texts: Sequence[str], labels: Sequence[Sequence[str]]) -> Self:
        """Count texts and labels; the scripts are those of a sample."""
        letters = Counter[str]()
        for text in texts[:: 1 + len(texts) // SAMPLE]:
            letters.update(text)
        rates = script_rates(letters)
        unspaced = {script: rates.get(script, 0.0) for script in WITHOUT_BLANKS}
        han = unspaced.pop("Han")
        num_labels = len({label for each in labels for label in each})
        size = sum(map(len, texts))
        return cls(len(texts), num_labels, size, han, sum(unspaced.values()))

    @property
    def texts_per_label(self) -> float:
        """How many texts a label has on average."""
        return self.num_texts / max(self.num_labels, 1)

    @property
    def learning_rate(self) -> float:
        """Learning rate at the start."""
        return RATE_OF_RARE_LABELS if self.texts_per_label < RARE_LABEL else RATE

    @property
    def epochs(self) -> int:
        """As many as make `READ_TEXTS`: many of few texts, five of a million."""
        wanted = round(READ_TEXTS / max(self.num_texts, 1))
        return min(max(wanted, FEWEST_EPOCHS), MOST_EPOCHS)

    @property
    def pre_tokenizer(self) -> PreTokenizerKind:
        """Runs of letters; where there is some Chinese, with each of its characters a word.

        Other words are the same in both, so that mixed texts are cut properly. Three characters
        side by side are as good as jieba's words, at a tenth of the time.
        """
        return "chinese_characters" if self.han_rate >= SOME else "unicode_words"

    @property
    def bucket(self) -> int:
        """Rows for n-grams: four and more for a character of the texts, a power of two."""
        wanted = 1 << (4 * self.num_characters).bit_length()
        return min(max(wanted, FEWEST_BUCKETS), MOST_BUCKETS)

    def word_ngrams(self, *, by_character: bool) -> int:
        """Longest n-gram of words.

        Args:
            by_character: whether a Chinese character is a word.
        """
        if by_character and self.han_rate >= MUCH:
            return 3
        enough = self.num_texts >= PAIRS_FROM and self.texts_per_label >= PAIRS_FROM_OF_LABEL
        return 2 if enough else 1

    def letter_ngrams(self, word_ngrams: int) -> tuple[int, int]:
        """Shortest and longest n-gram of characters; (0, 0): none.

        Where words are not separated, they find words. Where texts are few and words are read
        alone, they find what rare words have in common.
        """
        if self.other_unspaced_rate >= SOME:
            return UNSPACED_PARTS
        return PARTS if word_ngrams == 1 and self.num_texts <= PARTS_UP_TO else (0, 0)
