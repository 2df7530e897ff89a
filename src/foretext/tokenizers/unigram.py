"""Unigram language model (Kudo 2018)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from foretext.base.errors import SettingError
from foretext.corpus.blocks import BLOCK, Advance, Blocks
from foretext.tokenizers.character_counts import CharacterCounts
from foretext.tokenizers.library_additions import with_special_tokens
from foretext.tokenizers.line_sample import LineSample
from foretext.tokenizers.piece_trainer import learn_pieces
from foretext.tokenizers.subword_config import SubwordConfig
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

__all__ = ["Unigram"]

SCORE_DIGITS = 10
MARK = "▁"  # a blank, at the beginning of a word


class Unigram(SubwordTokenizer):
    """The most likely segmentation of a text; a space is written ``▁`` before the next word."""

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

    @classmethod
    def learned_bytes(cls, config: Config, sample: str) -> float | None:
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
            progress.stage(f"fitting pieces to {sample.rate:.0%} of the lines")
        counts = _counted(sample, lowercase=config.lowercase)
        special, room = config.reserved, config.vocab_size - len(config.reserved)
        needed = len(set().union(*counts))
        if needed > room:
            raise _too_small(config, f"it needs {needed + len(special)}")
        number = np.fromiter(counts.values(), np.int64, len(counts))
        learned = learn_pieces(list(counts), number, room, config.max_token_length)
        pieces = [piece for piece in learned if piece.text not in set(special)]
        return cls(_library(config, [*((name, 0.0) for name in special), *pieces]))


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
