"""Hot paths of text and of sequences of tags, and how long their parts take alone."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.limits_measured import Measured, best_seconds, process_seconds, text_file
from benchmarks.limits_needs import crf_needs, text_needs

__all__ = ["PATHS"]

TEXT_BYTES, LEARNED_BYTES, VOCAB_SIZE = 4_000_000, 1_000_000, 8_000
NUM_TAGS, NUM_SENTENCES, NUM_TOKENS = 25, 32, 50  # of a batch of tagged sentences


def counting() -> Measured:
    """A text file read, brought into its normal form, cut into words and counted."""
    from foretext.corpus import Corpus
    from foretext.corpus.counts import MAX_DISTINCT, count_words
    from foretext.corpus.pre_tokenizers import PreTokenizer
    from foretext.corpus.word_table import WordTable, new_scratch
    from foretext.kernels.letters import split_words

    path = text_file(TEXT_BYTES)
    cut = PreTokenizer("words_and_punctuation", lowercase=True)
    seconds = best_seconds(lambda: count_words(Corpus(path), cut, min_count=5), 2)
    reading = best_seconds(lambda: _read(path), 2)
    data = cut.utf8(path.read_text("utf-8"))
    scratch, words = new_scratch(1 << 10), np.empty(2 * data.size, np.uint8)
    cutting = best_seconds(lambda: split_words(data, cut.letters, scratch, words), 2)
    tabling = best_seconds(lambda: WordTable(MAX_DISTINCT).count(data, 0, cut.letters), 2)
    between = (
        f"reading and normal form alone {reading / seconds:.0%} of the time, "
        f"cutting alone {cutting / seconds:.0%}, cutting and counting alone {tabling / seconds:.0%}"
    )
    return Measured("byte", path.stat().st_size / seconds, text_needs(), between)


def encoding(kind: str, settings: dict[str, Any]) -> Measured:
    """A text file read and written as ids of sub-words."""
    from foretext.corpus import Corpus
    from foretext.data import write_tokens
    from foretext.tokenizers.subwords import learn_subwords

    path = text_file(TEXT_BYTES)
    tokenizer = learn_subwords(
        kind, {"vocab_size": VOCAB_SIZE, **settings}, Corpus(text_file(LEARNED_BYTES))
    )

    def write(text: Path) -> None:
        with tempfile.TemporaryDirectory() as folder:
            write_tokens(Corpus(text), tokenizer, Path(folder, "tokens"))

    write(text_file(LEARNED_BYTES))
    seconds = process_seconds(lambda: write(path))
    again = process_seconds(lambda: write(path))  # all words are known now
    reading = best_seconds(lambda: _read(path), 1)
    between = (
        f"reading and normal form alone {reading / again:.0%} of the time; "
        f"the first time, when words are new, takes {seconds / again:.1f} times as long"
    )
    return Measured("byte", path.stat().st_size / again, text_needs(), between)


def _read(path: Path) -> None:
    from foretext.corpus import Corpus

    for _ in Corpus(path).blocks():
        pass


def crf(*, learns: bool) -> Measured:
    """Sums over all paths of tags: the forward pass alone, or with all that the gradient needs."""
    from foretext.kernels.crf import expectations

    rng = np.random.default_rng(0)
    scores = rng.standard_normal((NUM_SENTENCES * NUM_TOKENS, NUM_TAGS))
    steps = rng.standard_normal((NUM_TAGS, NUM_TAGS))
    starts = np.arange(0, len(scores) + 1, NUM_TOKENS)
    seconds = best_seconds(lambda: expectations(scores, steps, starts, learns=learns), 200)
    powers = best_seconds(lambda: np.exp(scores), 200)
    between = f"powers alone {powers / seconds:.0%} of the time"
    return Measured("token", len(scores) / seconds, crf_needs(NUM_TAGS, learns=learns), between)


PATHS: dict[str, Callable[[], Measured | None]] = {
    "reading, cutting and counting words": counting,
    "WordPiece, file to ids": partial(encoding, "wordpiece", {}),
    "byte-level BPE, file to ids": partial(encoding, "bpe", {}),
    "CRF, 25 tags, forward": partial(crf, learns=False),
    "CRF, 25 tags, forward and backward": partial(crf, learns=True),
}
