"""WordPiece: BERT's tokenizer (Devlin et al. 2019; Wu et al. 2016).

The pieces are learned from counts of pairs, as by `WordPieceTrainer` of the `tokenizers` library,
not from likelihood (Schuster and Nakajima 2012); words are split by greedy longest match.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from foretext.corpus.blocks import Advance, Blocks
from foretext.corpus.case import CASE_SAMPLE, likely_lowercase
from foretext.corpus.counts import count_words
from foretext.corpus.text_shards import TextShards
from foretext.shown import Shown
from foretext.tokenizers.library_additions import with_bert_template, with_special_tokens
from foretext.tokenizers.merges import Rules, Ties, learn_merges
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import SubwordConfig
from foretext.tokenizers.word_encoder import LibraryWords
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

__all__ = ["WordPiece", "show_wordpiece"]

PREFIX = "##"


class WordPiece(SubwordTokenizer):
    """Words and pieces of words; a piece that continues a word begins with ``##``.

    Text is cleaned and split as for BERT: each Chinese character and punctuation mark is a word.
    Unlike BERT's uncased models it keeps accents, which tell words apart (schon, schön).
    """

    counts_words = True
    examples = "foretext.tokenizers.wordpiece:show_wordpiece"

    class Config(SubwordConfig):
        """Settings of the section `[tokenizer]`."""

        vocab_size: int = Field(default=30_000, ge=1)
        """Tokens, with the special tokens and the alphabet."""
        min_count: int = Field(default=2, ge=1)
        """Occurrences that a pair needs; rarer ones are not merged."""
        lowercase: bool | Literal["auto"] = "auto"
        """Turn texts to lower case; auto: unless nouns have a capital letter, as in German."""
        strip_accents: bool = False
        """Remove accents."""
        limit_alphabet: Annotated[int, Field(ge=1)] | Literal["auto"] | None = "auto"
        """Characters that are kept; auto: 1,000, or as the script needs; none: all."""
        max_token_length: int | None = Field(default=None, ge=2)
        """Characters of a token, at most; none: no limit."""
        ties: Ties = "smallest_ids"
        """Which of equally frequent pairs is merged, as in `tokenizers`."""

        @model_validator(mode="after")
        def _has_unknown(self) -> Self:
            if self.unknown is None:
                raise ValueError("WordPiece needs '[UNK]' among its special_tokens")
            return self

    @staticmethod
    def resolved(config: Config, corpus: Blocks) -> Config:
        """Return the settings with `lowercase` by the beginning of `corpus`."""
        if config.lowercase != "auto":
            return config
        sample = next(corpus.blocks(CASE_SAMPLE), "")[:CASE_SAMPLE]
        return config.model_copy(update={"lowercase": likely_lowercase(sample)})

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
        config = cls.resolved(config, corpus)
        splitter = _splitter(config)
        rules = _rules(config)
        learned = learn_merges(
            corpus, splitter, rules, workers=workers, progress=progress, shards=shards
        )
        ids = {token: index for index, token in enumerate(learned.tokens)}
        return cls(_library(config, ids, splitter))


def show_wordpiece(
    tokenizer: type[WordPiece], config: WordPiece.Config, corpus: Blocks, number: int, seed: int
) -> list[Shown]:
    """Show the words, the first merges, and how so many words are cut."""
    from foretext.tokenizers.showing import MergeExamples

    config = WordPiece.resolved(config, corpus)
    found = count_words(corpus, _splitter(config))
    learned = tokenizer.learn(config, corpus)
    examples = MergeExamples(found.words, found.counts, _rules(config), learned, config.unknown)
    return examples.shown(number, seed)


def _splitter(config: WordPiece.Config) -> LibraryWords:
    assert config.lowercase != "auto", "resolved() decides"
    return LibraryWords(
        normalizers.BertNormalizer(lowercase=config.lowercase, strip_accents=config.strip_accents),
        pre_tokenizers.BertPreTokenizer(),
    )


def _rules(config: WordPiece.Config) -> Rules:
    return Rules(
        vocab_size=config.vocab_size,
        min_count=config.min_count,
        special_tokens=config.reserved,
        limit_alphabet=config.limit_alphabet,
        max_token_length=config.max_token_length,
        prefix=PREFIX,
        ties=config.ties,
    )


def _library(config: WordPiece.Config, ids: dict[str, int], splitter: LibraryWords) -> Tokenizer:
    library = Tokenizer(
        models.WordPiece(
            ids,
            unk_token=config.unknown,
            max_input_chars_per_word=100,
            continuing_subword_prefix=PREFIX,
        )
    )
    library.normalizer = splitter.normalizer
    library.pre_tokenizer = splitter.pre_tokenizer
    library.decoder = decoders.WordPiece(prefix=PREFIX)
    if {"[CLS]", "[SEP]"} <= set(config.special_tokens):
        with_bert_template(library)
    return with_special_tokens(library, config.reserved)
