"""Unigram language model (Kudo 2018).

A sample of lines whose distinct words have a bounded length together. That length is what the
time of learning a unigram model depends on: every distinct word is cut into pieces dozens of
times. In text with blanks it grows slowly. In text without any, such as Chinese, hardly two
"words" are equal, and it grows with the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from foretext.base.errors import SettingError
from foretext.corpus.blocks import BLOCK, Advance, Blocks
from foretext.messages import message
from foretext.shown import Shown
from foretext.tokenizers.library_additions import with_special_tokens
from foretext.tokenizers.piece_trainer import learn_pieces
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import SubwordConfig
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

__all__ = ["CharacterCounts", "LineSample", "Unigram", "show_unigram"]

SCORE_DIGITS = 10
MARK = "▁"  # a blank, at the beginning of a word

NUM_CODE_POINTS = 0x110000

THINNER = 0.9  # what is kept of the lines where they are too many
GOLDEN = 0.6180339887498949  # multiples of it, less whole numbers, are spread evenly over 0 to 1


class Unigram(SubwordTokenizer):
    """The most likely segmentation of a text; a space is written ``▁`` before the next word."""

    examples = "foretext.tokenizers.unigram:show_unigram"

    class Config(SubwordConfig):
        """Settings of the section `[tokenizer]`."""

        vocab_size: int = Field(default=8_000, ge=1)
        """Tokens, with the special tokens and the alphabet."""
        lowercase: bool = False
        """Turn texts to lower case."""
        limit_alphabet: Annotated[int, Field(ge=1)] | Literal["auto"] | None = "auto"
        """Characters that are kept; auto: three quarters of the vocabulary at most; none: all."""
        max_token_length: int = Field(default=16, ge=1)
        """Characters of a token, at most."""
        sample_characters: int = Field(default=1_500_000, ge=1_000)
        """Characters of all distinct words together; of more, a sample of lines is learned from."""

        @model_validator(mode="after")
        def _has_unknown(self) -> Self:
            if self.unknown is None:
                raise ValueError("Unigram needs '[UNK]' among its special_tokens")
            return self

    @staticmethod
    def learned_bytes(config: Config, sample: str) -> float | None:
        """Return how many bytes have as many distinct words as it learns from, as in `sample`."""
        distinct = sum(map(len, set(sample.split())))
        return len(sample.encode()) * config.sample_characters / max(distinct, 1)

    @classmethod
    def learn(
        cls,
        config: Config,
        corpus: Blocks,
        *,
        workers: int = 1,
        progress: Advance | None = None,
    ) -> Self:
        """Learn from the different words of the sentences, in one thread.

        Of text whose distinct words are long together, it learns from a sample of the sentences and
        from all characters that are kept. Text without blanks, such as Chinese, is sampled from
        five megabytes on, English from about fifteen. A word ends before a character that is not
        kept.

        Raises:
            CorpusError: the corpus contains no text.
            SettingError: `vocab_size` has no room for the special tokens and the characters.
        """
        sample = _sampled(corpus, config, progress)
        if progress is not None:
            progress.stage(message("progress.fitting_pieces", rate=sample.rate))
        counts = _counted(sample, lowercase=config.lowercase)
        special, room = config.reserved, config.vocab_size - len(config.reserved)
        needed = len(set().union(*counts))
        if needed > room:
            raise _too_small(config, f"it needs {needed + len(special)}")
        number = np.fromiter(counts.values(), np.int64, len(counts))
        learned = learn_pieces(list(counts), number, room, config.max_token_length)
        pieces = [piece for piece in learned if piece.text not in set(special)]
        return cls(_library(config, [*((name, 0.0) for name in special), *pieces]))


def show_unigram(
    tokenizer: type[Unigram], config: Unigram.Config, corpus: Blocks, number: int, seed: int
) -> list[Shown]:
    """Show the pieces with their probabilities, and candidate cuts of so many words."""
    from foretext.tokenizers.showing import pieces_shown

    counts = _counted(_sampled(corpus, config, None), lowercase=config.lowercase)
    return pieces_shown(tokenizer.learn(config, corpus), counts, number, seed)


def _counted(sample: LineSample, *, lowercase: bool) -> Counter[str]:
    """Count the words as the library cuts them: each begins with the mark that is a blank."""
    counts: Counter[str] = Counter()
    for line in sample:
        text = normalizers.Lowercase().normalize_str(line) if lowercase else line
        text = text.replace(" ", MARK)
        counts.update(_words(text if text.startswith(MARK) else MARK + text))
    return counts


def _words(text: str) -> Iterator[str]:
    for word in text[1:].split(MARK):
        yield MARK + word


def _library(config: Unigram.Config, vocabulary: list[tuple[str, float]]) -> Tokenizer:
    """A tokenizer of the library with these tokens and the logarithms of their probabilities."""
    unknown = config.reserved.index(str(config.unknown))
    library = Tokenizer(models.Unigram(_rounded(vocabulary), unknown, False))
    if config.lowercase:
        library.normalizer = normalizers.Lowercase()
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    library.decoder = decoders.Metaspace()
    return with_special_tokens(library, config.reserved)


def _too_small(config: Unigram.Config, why: str) -> SettingError:
    return SettingError(
        f"vocab_size = {config.vocab_size} does not suit this text ({why}); raise it."
    )


def _rounded(vocabulary: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """The same with scores that a file keeps: the library reads 17 digits back inexactly."""
    return [(token, round(score, SCORE_DIGITS)) for token, score in vocabulary]


def _sampled(corpus: Blocks, config: Unigram.Config, progress: Advance | None) -> LineSample:
    """Read all of the corpus, and return what of it is learned from."""
    sample, characters, read = LineSample(config.sample_characters), CharacterCounts(), 0
    for block in corpus.blocks(BLOCK):  # as every pass, so that each ends after the same document
        text = block.lower() if config.lowercase else block
        characters.add(text)
        for line in filter(None, text.split("\n")):
            sample.add(line)
        if progress is not None:
            progress.advance(corpus.bytes_read - read)
        read = corpus.bytes_read
    sample.leave_out(characters.rarest(len(characters) - _alphabet_size(config, len(characters))))
    return sample


def _alphabet_size(config: Unigram.Config, number: int) -> int:
    """Return how many of a text's characters are kept; auto leaves a quarter to longer pieces."""
    if config.limit_alphabet == "auto":
        return min(number, max(1, config.vocab_size * 3 // 4))
    return number if config.limit_alphabet is None else min(number, config.limit_alphabet)


class CharacterCounts:
    """Counts of all characters but blanks and line feeds."""

    def __init__(self) -> None:
        self._counts = np.zeros(NUM_CODE_POINTS, np.int64)

    def add(self, text: str) -> None:
        """Count the characters of a text."""
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        found = np.bincount(points)
        self._counts[: len(found)] += found
        self._counts[[ord(" "), ord("\n")]] = 0

    def __len__(self) -> int:
        """Return the number of different characters."""
        return int(np.count_nonzero(self._counts))

    def rarest(self, number: int) -> str:
        """Return so many of the rarest characters; of equally rare ones those that come last."""
        met = np.flatnonzero(self._counts)
        by_count = met[np.argsort(-self._counts[met], kind="stable")]
        return "".join(map(chr, by_count[len(by_count) - min(number, len(by_count)) :].tolist()))


class LineSample:
    """Lines from all of a text, in its order, and all characters that it has.

    Args:
        limit: characters of all distinct words together, at most; one line is always kept.

    Attributes:
        rate: share of the lines that are kept; 1.0: all.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.rate = 1.0
        self._lines: list[tuple[float, str]] = []  # each with its place between 0 and 1
        self._num_read = 0
        self._alphabet: set[str] = set()
        self._left_out: dict[int, str] = {}
        self._forget_words()

    def __iter__(self) -> Iterator[str]:
        """Yield the lines; then, as one word, characters that only other lines have."""
        if self._left_out:
            yield from (line.translate(self._left_out) for _, line in self._lines)
        else:
            yield from (line for _, line in self._lines)
        missing = self._alphabet.difference(*(line for _, line in self._lines))
        if missing:
            yield "".join(sorted(missing)).translate(self._left_out)

    def leave_out(self, characters: str) -> None:
        """Put a blank in the place of some characters."""
        self._left_out = dict.fromkeys(map(ord, characters), " ")

    def add(self, line: str) -> None:
        """Read one more line of the text."""
        place = self._num_read * GOLDEN % 1.0
        self._num_read += 1
        self._alphabet.update(line)
        if place < self.rate:
            self._lines.append((place, line))
            self._count(line)
        while self.num_characters > self.limit and len(self._lines) > 1:
            self._thin()

    def _thin(self) -> None:
        self.rate *= THINNER
        self._lines = [entry for entry in self._lines if entry[0] < self.rate] or self._lines[:1]
        self._forget_words()
        for _, line in self._lines:
            self._count(line)

    def _forget_words(self) -> None:
        self._words: set[str] = set()
        self.num_characters = 0  # of the distinct words

    def _count(self, line: str) -> None:
        for word in line.split(" "):
            if word not in self._words:
                self._words.add(word)
                self.num_characters += len(word)
