"""Byte pair encoding, of bytes or of characters (Sennrich et al. 2016; Radford et al. 2019).

How text is split before sub-words are learned: for our counter and for `tokenizers` alike. A
splitter does two things: it gives the counter of `foretext.corpus` a text that it can count
(`utf8` and `letters`), and it names the parts of the `tokenizers` library that split in the same
way when the tokenizer is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, Self

import numpy as np
from pydantic import Field, model_validator

from foretext.corpus.blocks import Advance, Blocks
from foretext.corpus.counts import count_words
from foretext.corpus.text_shards import TextShards
from foretext.kernels.letters import Letters
from foretext.shards.portable import Portable
from foretext.shown import Shown
from foretext.tokenizers.byte_pieces import BytePieces
from foretext.tokenizers.library_additions import with_special_tokens
from foretext.tokenizers.merges import Merges, Rules, Ties, learn_merges
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import SubwordConfig
from foretext.tokenizers.word_encoder import LibraryWords
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

if TYPE_CHECKING:
    from tokenizers.normalizers import Normalizer
    from tokenizers.pre_tokenizers import PreTokenizer

__all__ = ["BPE", "Splitter", "show_bpe"]


class BPE(SubwordTokenizer):
    """Merges the most frequent pair of symbols, again and again.

    * ``level = "byte"``: the symbols are bytes, so that every text has ids and is decoded exactly;
      words are split as by GPT-2.
    * ``level = "character"``: the symbols are characters, and the last one of a word is marked;
      characters outside the alphabet are ``[UNK]``.
    """

    counts_words = True
    examples = "foretext.tokenizers.bpe:show_bpe"

    class Config(SubwordConfig):
        """Settings of the section `[tokenizer]`."""

        level: Literal["byte", "character"] = "byte"
        """Symbols that are merged: bytes or characters."""
        vocab_size: int = Field(default=32_000, ge=1)
        """Tokens, with the special tokens and the alphabet."""
        min_count: int = Field(default=2, ge=1)
        """Occurrences that a pair needs; rarer ones are not merged."""
        lowercase: bool = False
        """Turn texts to lower case."""
        max_token_length: int | None = Field(default=None, ge=2)
        """Bytes or characters of a token, at most; none: no limit."""
        ties: Ties = "smallest_ids"
        """Which of equally frequent pairs is merged, as in `tokenizers`."""
        words: Literal["punctuation", "whitespace"] = "punctuation"
        """Level character: what words are split at."""
        end_of_word: str = "</w>"
        """Level character: mark of the last symbol of a word."""
        limit_alphabet: int | None = Field(default=None, ge=1)
        """Level character: the most frequent characters are kept; none: all."""

        @model_validator(mode="after")
        def _effective(self) -> Self:
            """Refuse settings without effect."""
            of_characters = {"words", "end_of_word", "limit_alphabet"} & self.changed
            if self.level == "byte" and of_characters:
                name = min(of_characters)
                raise ValueError(f"{name} has no effect on level = 'byte'")
            if self.level == "character" and self.unknown is None:
                raise ValueError("level = 'character' needs '[UNK]' among its special_tokens")
            return self

    @classmethod
    def learn(
        cls,
        config: Config,
        corpus: Blocks,
        *,
        workers: int = 1,
        progress: Advance | None = None,
        shards: TextShards | None = None,
    ) -> Self:
        """Count the words of a corpus and merge pairs; `progress` advances by the bytes read.

        Raises:
            CorpusError: the corpus contains no text.
            SettingError: `vocab_size` has no room for the special tokens and the alphabet.
        """
        splitter = _splitter(config)
        rules = _rules(config)
        learned = learn_merges(
            corpus, splitter, rules, workers=workers, progress=progress, shards=shards
        )
        return cls(_library(config, learned, splitter))


def show_bpe(
    tokenizer: type[BPE], config: BPE.Config, corpus: Blocks, number: int, seed: int
) -> list[Shown]:
    """Show the words, the first merges, and how so many words are cut."""
    from foretext.tokenizers.showing import MergeExamples

    found = count_words(corpus, _splitter(config))
    learned = tokenizer.learn(config, corpus)
    examples = MergeExamples(found.words, found.counts, _rules(config), learned, config.unknown)
    return examples.shown(number, seed)


def _splitter(config: BPE.Config) -> Splitter:
    if config.level == "byte":
        return BytePieces(lowercase=config.lowercase)
    return LibraryWords(
        normalizers.Lowercase() if config.lowercase else None,
        pre_tokenizers.BertPreTokenizer()
        if config.words == "punctuation"
        else pre_tokenizers.WhitespaceSplit(),
    )


def _rules(config: BPE.Config) -> Rules:
    byte = config.level == "byte"
    return Rules(
        vocab_size=config.vocab_size,
        min_count=config.min_count,
        special_tokens=config.reserved,
        alphabet=pre_tokenizers.ByteLevel.alphabet() if byte else (),
        limit_alphabet=config.limit_alphabet,
        max_token_length=config.max_token_length,
        suffix="" if byte else config.end_of_word,
        ties=config.ties,
    )


def _library(config: BPE.Config, learned: Merges, splitter: Splitter) -> Tokenizer:
    ids = {token: index for index, token in enumerate(learned.tokens)}
    if config.level == "byte":
        model = models.BPE(ids, learned.pairs)
        decoder: decoders.Decoder = decoders.ByteLevel()
    else:
        suffix = config.end_of_word
        model = models.BPE(ids, learned.pairs, unk_token=config.unknown, end_of_word_suffix=suffix)
        decoder = decoders.BPEDecoder(suffix=suffix)
    library = Tokenizer(model)
    if (normalizer := splitter.library_normalizer()) is not None:
        library.normalizer = normalizer
    library.pre_tokenizer = splitter.library_pre_tokenizer()
    library.decoder = decoder
    return with_special_tokens(library, config.reserved)


class Splitter(Protocol):
    """How text is split; learning sub-words needs this."""

    @property
    def letters(self) -> Letters:
        """Tables of the word counter."""
        ...

    def utf8(self, text: str) -> np.ndarray:
        """(N,) uint8, the text as the word counter reads it."""
        ...

    @property
    def portable(self) -> Portable:
        """What makes an equal one in another process."""
        ...

    def library_normalizer(self) -> Normalizer | None:
        """The library's normaliser; None: characters stay as they are."""
        ...

    def library_pre_tokenizer(self) -> PreTokenizer:
        """The library's pre-tokeniser."""
        ...
