"""Whole words with special tokens: what language models of words read (PTB, WikiText)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Literal, Self

from pydantic import Field

from foretext.base.errors import CorpusError, SettingError
from foretext.base.parsing import parse_json
from foretext.corpus.blocks import Advance, Blocks
from foretext.corpus.counts import count_words
from foretext.corpus.pre_tokenizers import PreTokenizer, likely_kind
from foretext.corpus.text_shards import TextShards
from foretext.messages import message
from foretext.tokenizers.library_additions import with_bert_template, with_special_tokens
from foretext.tokenizers.special_tokens import UNKNOWN_NAMES
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import UNKNOWN, SubwordConfig
from tokenizers import Tokenizer, models

__all__ = ["WordLevel", "with_words"]

SAMPLE = 1 << 16  # characters that show the script


class WordLevel(SubwordTokenizer):
    """A vocabulary of whole words; all others are the unknown token.

    The unknown token is ``[UNK]`` or ``<unk>``, whichever is among the special tokens; ``[UNK]`` is
    added where neither is. A text that is tokenised already, such as PTB, where ``<unk>`` stands
    for rare words, needs ``pre_tokenizer = "whitespace"`` and ``special_tokens = ["<unk>", ...]``.
    """

    plans_vocabulary = False  # a word that is left out is unknown, not spelled by pieces

    counts_words = True

    class Config(SubwordConfig):
        """Settings of the section `[tokenizer]`."""

        vocab_size: int = Field(default=30_000, ge=2)
        """Words, with the special tokens; the most frequent stay."""
        min_count: int = Field(default=2, ge=1)
        """Occurrences that a word needs; rarer ones are unknown."""
        pre_tokenizer: Literal[
            "auto", "whitespace", "basic_english", "unicode_words", "chinese_characters"
        ] = "auto"
        """What a word is; auto: by the script of the text."""
        lowercase: bool = True
        """Turn texts to lower case."""

    @staticmethod
    def resolved(config: Config, corpus: Blocks) -> Config:
        """Return the settings with the kind of pre-tokeniser by the beginning of `corpus`.

        The library can cut Chinese text into characters only.
        """
        if config.pre_tokenizer != "auto":
            return config
        kind = likely_kind(next(corpus.blocks(SAMPLE), "")[:SAMPLE])
        kind = "chinese_characters" if kind == "chinese_words" else kind
        return config.model_copy(update={"pre_tokenizer": kind})

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
        """Count the words of a corpus and keep the frequent ones.

        Args:
            config: what the user chose.
            corpus: to learn from.
            workers: threads.
            progress: advances by the bytes read.
            shards: whose processes count, in the place of threads.

        Raises:
            CorpusError: the corpus holds no text, or no word occurs `min_count` times.
            SettingError: `vocab_size` has no room for a word.
        """
        special = _with_unknown(config.reserved)
        if config.vocab_size <= len(special):
            named = {"size": config.vocab_size, "special": len(special)}
            raise SettingError(message("options.vocab_size.words", **named))
        config = cls.resolved(config, corpus)
        assert config.pre_tokenizer != "auto", "resolved() chooses the kind"
        words = PreTokenizer(config.pre_tokenizer, lowercase=config.lowercase, form="none")
        found = count_words(
            corpus,
            words,
            min_count=config.min_count,
            workers=workers,
            progress=progress,
            shards=shards,
        )
        known = [word for word in found.words if word not in special]
        return cls(_library(special, known[: config.vocab_size - len(special)], words))


def with_words(tokenizer: SubwordTokenizer, words: Iterable[str]) -> SubwordTokenizer:
    """Return a tokenizer of whole words with more of them; ids that it has stay as they are."""
    rules = parse_json(tokenizer.library.to_str(), "The tokenizer", CorpusError)
    known, first = set(tokenizer.library.get_vocab()), tokenizer.vocab_size
    new = [word for word in dict.fromkeys(words) if word not in known and word.split() == [word]]
    rules["model"]["vocab"] |= {word: first + number for number, word in enumerate(new)}
    return type(tokenizer)(Tokenizer.from_str(json.dumps(rules)), tokenizer.ends)


def _with_unknown(special_tokens: list[str]) -> list[str]:
    """The special tokens, with an unknown token among them."""
    if any(name in special_tokens for name in UNKNOWN_NAMES):
        return special_tokens
    return [*special_tokens, UNKNOWN]


def _library(special: list[str], words: list[str], pre_tokenizer: PreTokenizer) -> Tokenizer:
    ids = {token: index for index, token in enumerate([*special, *words])}
    unknown = next(name for name in UNKNOWN_NAMES if name in special)
    library = Tokenizer(models.WordLevel(ids, unk_token=unknown))
    library.normalizer = pre_tokenizer.library_normalizer()
    library.pre_tokenizer = pre_tokenizer.library_pre_tokenizer()
    with_bert_template(library)
    return with_special_tokens(library, special)
