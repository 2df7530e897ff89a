"""What each objective would learn from in a corpus: figures that follow from the corpus alone."""

from __future__ import annotations

from collections.abc import Mapping

from foretext.corpus.findings import Prospect

__all__ = ["pairs_in_window", "prospects"]

_WINDOW = 5
_MIN_COUNT = 5
_LENGTH = 128  # of a sequence, in sub-words, two of them special
_MASK_RATE = 0.15
_SUBWORDS_A_WORD = 1.3  # of English with some 30,000 sub-words: a rough figure


def prospects(
    sentence_lengths: Mapping[int, int],
    sentences_a_document: Mapping[int, int],
    word_lengths: Mapping[int, int],
    kept: tuple[int, int],
) -> list[Prospect]:
    """Return the figures for each objective.

    Args:
        sentence_lengths: length in tokens -> number of sentences.
        sentences_a_document: number of sentences -> number of documents.
        word_lengths: characters of a word -> number of occurrences.
        kept: words and tokens with min_count = 5.
    """
    tokens = sum(length * number for length, number in sentence_lengths.items())
    return [
        _word2vec(sentence_lengths, kept),
        _glove(sentence_lengths),
        _fasttext(word_lengths),
        _masked(tokens),
        _causal(tokens),
        _next_sentence(sentences_a_document),
    ]


def pairs_in_window(length: int, window: int) -> int:
    """Number of ordered (centre, context) pairs of a sentence of `length` tokens."""
    reach = min(window, length - 1)
    return 2 * reach * length - reach * (reach + 1) if length > 1 else 0


def _word2vec(sentence_lengths: Mapping[int, int], kept: tuple[int, int]) -> Prospect:
    pairs = sum(
        number * sum(pairs_in_window(length, window) for window in range(1, _WINDOW + 1))
        for length, number in sentence_lengths.items()
    )
    pairs = round(pairs / _WINDOW)
    words, tokens = kept
    return Prospect(
        objective="word2vec",
        figures={"pairs": pairs, "words": words, "tokens": tokens},
        sentence=f"{words:,} words occur at least {_MIN_COUNT} times ({tokens:,} tokens); a window "
        f"of random size from 1 to {_WINDOW} gives at most {pairs:,} pairs in an epoch.",
    )


def _glove(sentence_lengths: Mapping[int, int]) -> Prospect:
    pairs = sum(
        number * pairs_in_window(length, _WINDOW) for length, number in sentence_lengths.items()
    )
    return Prospect(
        objective="glove",
        figures={"co_occurrences": pairs},
        sentence=f"{pairs:,} co-occurrences within {_WINDOW} words are counted before they are "
        "added up cell by cell.",
    )


def _fasttext(word_lengths: Mapping[int, int]) -> Prospect:
    ngrams = sum(
        tokens * max(characters + 3 - n, 0)  # with < and > at its ends
        for characters, tokens in word_lengths.items()
        for n in range(3, 7)
    )
    mean = ngrams / max(sum(word_lengths.values()), 1)
    return Prospect(
        objective="fasttext",
        figures={"ngrams_a_token": round(mean, 2)},
        sentence=f"A token is the sum of {mean:.1f} character n-grams of length 3 to 6 on average.",
    )


def _masked(tokens: int) -> Prospect:
    subwords = round(tokens * _SUBWORDS_A_WORD)
    sequences = -(-subwords // (_LENGTH - 2))
    return Prospect(
        objective="masked",
        figures={
            "subwords": subwords,
            "sequences": sequences,
            "predictions": round(subwords * _MASK_RATE),
        },
        sentence=f"Roughly {subwords:,} sub-words fill {sequences:,} sequences of {_LENGTH}, of "
        f"which {round(subwords * _MASK_RATE):,} sub-words are predicted in an epoch.",
    )


def _causal(tokens: int) -> Prospect:
    subwords = round(tokens * _SUBWORDS_A_WORD)
    sequences = -(-subwords // _LENGTH)
    return Prospect(
        objective="causal",
        figures={"subwords": subwords, "sequences": sequences, "predictions": subwords},
        sentence=f"Roughly {subwords:,} sub-words fill {sequences:,} sequences of {_LENGTH}, each "
        "predicted once in an epoch.",
    )


def _next_sentence(sentences_a_document: Mapping[int, int]) -> Prospect:
    documents = sum(sentences_a_document.values())
    several = sum(number for count, number in sentences_a_document.items() if count > 1)
    pairs = sum((count - 1) * number for count, number in sentences_a_document.items())
    sentence = (
        f"{several:,} of {documents:,} documents have two sentences or more, which gives "
        f"{pairs:,} pairs of neighbours"
    )
    if several < 2:
        sentence += "; there must be two, because negative pairs need another document"
    return Prospect(
        objective="next_sentence",
        figures={"documents": several, "pairs": pairs},
        sentence=f"{sentence}.",
    )
