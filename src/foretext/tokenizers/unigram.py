"""Unigram language model (Kudo 2018), learned by the `tokenizers` library."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Self

from pydantic import Field, model_validator

from foretext.config import Config as BaseConfig
from foretext.corpus.blocks import Advance, Blocks
from foretext.errors import ForetextError, SettingError
from foretext.parsing import parse_json
from foretext.tokenizers.subword_tokenizer import (
    DEFAULT_SPECIAL_TOKENS,
    UNKNOWN,
    SubwordTokenizer,
)
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

__all__ = ["Unigram"]

SCORE_DIGITS = 10


class Unigram(SubwordTokenizer):
    """The most likely segmentation of a text; a space is written ``▁`` before the next word."""

    class Config(BaseConfig):
        """Settings of the section `[tokenizer]`."""

        vocab_size: int = Field(default=8_000, ge=1)
        """Tokens, with the special tokens and the alphabet."""
        special_tokens: list[str] = DEFAULT_SPECIAL_TOKENS
        """Tokens that get the first ids."""
        lowercase: bool = False
        """Turn texts to lower case."""
        max_token_length: int = Field(default=16, ge=1)
        """Characters of a token, at most."""

        @model_validator(mode="after")
        def _has_unknown(self) -> Self:
            if UNKNOWN not in self.special_tokens:
                raise ValueError("Unigram needs '[UNK]' among its special_tokens")
            return self

    @classmethod
    def learn(
        cls,
        config: Config,
        corpus: Blocks,
        *,
        workers: int = 1,
        progress: Advance | None = None,
    ) -> Self:
        """Let the library learn from the sentences; it chooses the number of threads itself.

        Raises:
            CorpusError: the corpus contains no text.
            SettingError: the library cannot learn a vocabulary of that size from the text.
        """
        library = Tokenizer(models.Unigram())
        if config.lowercase:
            library.normalizer = normalizers.Lowercase()
        library.pre_tokenizer = pre_tokenizers.Metaspace()
        library.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=config.vocab_size,
            special_tokens=config.special_tokens,
            unk_token=UNKNOWN,
            max_piece_length=config.max_token_length,
            show_progress=False,
        )
        try:
            library.train_from_iterator(_sentences(corpus, progress), trainer)
        except ForetextError:
            raise
        except Exception as error:  # the library raises no subclass
            raise SettingError(
                f"vocab_size = {config.vocab_size} does not suit this text ({error}); raise it."
            ) from error
        return cls(_rounded(library))


def _rounded(library: Tokenizer) -> Tokenizer:
    """The same with scores that a file keeps: the library reads 17 digits back inexactly."""
    content = parse_json(library.to_str(), "The tokenizer", SettingError)
    content["model"]["vocab"] = [
        (piece, round(score, SCORE_DIGITS)) for piece, score in content["model"]["vocab"]
    ]
    return Tokenizer.from_str(json.dumps(content))


def _sentences(corpus: Blocks, progress: Advance | None) -> Iterator[str]:
    read = 0
    for block in corpus.blocks():
        yield from filter(None, block.split("\n"))
        if progress is not None:
            progress.advance(corpus.bytes_read - read)
        read = corpus.bytes_read
