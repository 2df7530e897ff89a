"""Which words of a text deserve tokens of their own: those that save most tokens there."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from foretext.base.runtime import usable_cores
from foretext.corpus import Corpus
from foretext.corpus.counts import count_words
from foretext.corpus.pre_tokenizers import PreTokenizer, likely_kind
from foretext.tokenizers.added_words import pieces_of, read_word
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["CutWords", "find_cut_words"]

SAMPLE = 1 << 16  # characters that show the script


class CutWords(NamedTuple):
    """Words that a tokenizer cuts, those first that save most."""

    words: list[str]
    saved_rate: float  # share of the tokens of all words that these save


def find_cut_words(
    corpus: Corpus, tokenizer: SubwordTokenizer, number: int, min_count: int = 5
) -> CutWords:
    """Return the words of a corpus whose own tokens would save most: count * (pieces - 1).

    Args:
        corpus: of the domain.
        tokenizer: that cuts them so far.
        number: of words, at most.
        min_count: occurrences that a word needs.

    Raises:
        CorpusError: there is no text, or no word occurs so often.
    """
    kind = likely_kind(next(corpus.blocks(SAMPLE), "")[:SAMPLE])
    counted = count_words(
        corpus, PreTokenizer(kind, lowercase=False), min_count=min_count, workers=usable_cores()
    )
    counts: Counter[str] = Counter()
    for word, count in zip(counted.words, counted.counts.tolist(), strict=True):
        counts[read_word(tokenizer, word)] += count
    words = [word for word in counts if word.isalpha()]
    num_pieces = dict(zip(words, map(len, pieces_of(tokenizer, words)), strict=True))
    gains = {word: counts[word] * (num_pieces[word] - 1) for word in words}
    best = sorted(
        (word for word in words if gains[word] > 0), key=lambda word: (-gains[word], word)
    )
    total = sum(counts[word] * num_pieces[word] for word in words)
    chosen = best[:number]
    return CutWords(chosen, sum(gains[word] for word in chosen) / max(total, 1))
