"""Which tokens are hidden together: the settings that objectives with masks share.

ERNIE (Sun et al. 2019, section 3.2) hides tokens, phrases and entities in three stages. Here each
row draws one of the kinds, so that a step stays a function of its number, and tokens are not
forgotten while entities are learned. The authors' program draws characters or words for each file.
Where the loss is measured, single tokens are hidden: the figure then compares with BERT's.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator
from torch import Tensor

from foretext.base.errors import SettingError
from foretext.corpus.blocks import Blocks
from foretext.corpus.chinese_words import jieba_version
from foretext.corpus.entity_list import read_entities
from foretext.corpus.pre_tokenizers import likely_kind
from foretext.data.batch import Batch
from foretext.data.segmenter import Segmenter
from foretext.data.token_file import WORD, TokenFile, num_entities
from foretext.messages import message
from foretext.objectives.base import TextRules
from foretext.objectives.cloze import ClozeConfig
from foretext.objectives.masked_rows import Masking, UnitKind
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = [
    "MASKING_RULES",
    "MaskingConfig",
    "check_words",
    "masked_positions",
    "with_masked_positions",
]

POSITIONS = "positions"  # of masked tokens, among the targets

SAMPLE = 1 << 18  # characters that show the script
FEWEST_CONTINUING = 0.02  # of the tokens; a text of English words has five times as many


class MaskingConfig(ClozeConfig):
    """Settings of rows with masks, and of what is hidden together in them."""

    whole_words: bool = False
    """Hide the tokens of a word together."""
    max_ngram: int = Field(1, ge=1, le=10)
    """Words that are hidden together, at most."""
    units: list[Literal["token", "word", "phrase"]] | None = Field(None, min_length=1)
    """What is hidden together, a kind drawn for each row; none: tokens, or by whole_words."""
    entities: str | None = Field(None, min_length=1)
    """File of entities, one a line: one more kind of units to hide."""
    words: Literal["auto", "tokens", "jieba"] = "auto"
    """What finds words: marks of the tokenizer, or jieba for Chinese; auto: by the text."""

    @model_validator(mode="after")
    def _hides_what_it_says(self) -> Self:
        if self.units is not None and self.whole_words:
            raise ValueError("whole_words would have no effect beside units: name 'word' there")
        if self.max_ngram > 1 and "phrase" not in self.kinds:
            raise ValueError("max_ngram counts words: set whole_words = true, too")
        if self.max_ngram == 1 and "phrase" in self.kinds:
            raise ValueError("a phrase has several words: set max_ngram to 2 or more")
        if self.words != "auto" and not self.hides_words:
            raise ValueError("words would have no effect: only single tokens are hidden")
        return self

    @property
    def kinds(self) -> tuple[UnitKind, ...]:
        """What a row may hide together, each as often as another."""
        kinds: list[UnitKind] = []
        if self.units is not None:
            kinds += self.units
        elif self.whole_words:
            kinds.append("phrase" if self.max_ngram > 1 else "word")
        else:
            kinds.append("token")
        if self.entities is not None:
            kinds.append("entity")
        return tuple(kinds)

    @property
    def hides_words(self) -> bool:
        """Whether it matters where words begin."""
        return self.kinds != ("token",)

    def resolved(self, corpus: Blocks) -> Self:
        """Return the settings with a value for `words` that the beginning of the text decides.

        Raises:
            MissingExtraError: the text is Chinese, and jieba is not installed.
            CorpusError: the file of entities cannot be read.
        """
        if self.entities is not None:
            read_entities(Path(self.entities))  # what is wrong with it is said before any work
        if self.words != "auto" or not self.hides_words:
            return self
        sample = next(corpus.blocks(SAMPLE), "")[:SAMPLE]
        is_chinese = likely_kind(sample) != "unicode_words"
        if is_chinese:
            jieba_version()
        return self.model_copy(update={"words": "jieba" if is_chinese else "tokens"})

    def segmenter(self, tokenizer: SubwordTokenizer, *, held_out: bool = False) -> Segmenter | None:
        """Return what has to mark the text; None: the tokens show enough.

        Raises:
            CorpusError: the file of entities cannot be read.
            SettingError: the tokenizer does not mark where words begin.
        """
        kinds = self._measured_kinds if held_out else self.kinds
        if not self._needs_marks(kinds):
            return None
        return Segmenter(
            tokenizer,
            words="jieba" if self.words == "jieba" else "tokens",
            entities=self.entities if "entity" in kinds else None,
        )

    def masking(
        self, tokenizer: SubwordTokenizer, tokens: TokenFile, *, held_out: bool = False
    ) -> Masking:
        """Return how rows of a text are masked, to train on or to measure with.

        Raises:
            SettingError: its words or entities have not been marked.
        """
        kinds = self._measured_kinds if held_out else self.kinds
        if tokens.units is None and self._needs_marks(kinds):
            raise SettingError(
                f"{tokens.folder} was encoded without marks of words and entities; give "
                "write_tokens the segmenter of the objective's settings."
            )
        return Masking(
            self.valid_mask_rate if held_out else self.mask_rate,
            self.max_ngram if "phrase" in kinds else 1,
            tokenizer.special.required("mask"),
            tokenizer.ordinary,
            None if kinds == ("token",) else tokenizer.word_starts,
            self.replacements,
            kinds,
        )

    def cautions(self, tokens: TokenFile, tokenizer: SubwordTokenizer) -> list[str]:
        """Return what the settings cannot do with a text, a sentence each."""
        found = []
        rate = _continuing_rate(tokens, tokenizer) if "word" in self.kinds else 1
        if rate < FEWEST_CONTINUING:
            setting = "whole_words" if self.whole_words else "units"
            found.append(message("findings.network.whole_words", setting=setting, rate=rate))
        if self.entities and tokens.units is not None and not num_entities(tokens.units):
            found.append(message("findings.network.no_entity", entities=self.entities))
        return found

    def _needs_marks(self, kinds: tuple[UnitKind, ...]) -> bool:
        return "entity" in kinds or (self.words == "jieba" and kinds != ("token",))

    @property
    def _measured_kinds(self) -> tuple[UnitKind, ...]:
        """With whole words alone, these; else tokens, which need no list and no other program."""
        return self.kinds if len(self.kinds) == 1 and self.units is None else ("token",)


MASKING_RULES = TextRules(resolved=MaskingConfig.resolved, segmenter=MaskingConfig.segmenter)


def check_words(config: MaskingConfig, tokenizer: SubwordTokenizer) -> None:
    """Refuse a tokenizer that does not mark words, where words are hidden together.

    Raises:
        SettingError: it does not.
    """
    if config.hides_words:
        _ = tokenizer.word_starts


def with_masked_positions(batch: Batch) -> Batch:
    """Return a batch that names the masked positions."""
    targets = {**batch.targets, POSITIONS: masked_positions(batch)}
    return replace(batch, targets=targets, by_example=batch.by_example | {POSITIONS})


def masked_positions(batch: Batch) -> Tensor:
    """Return where tokens of a batch are masked, (M,), through all of its rows."""
    known = batch.targets.get(POSITIONS)
    return batch.targets["masked"].flatten().nonzero()[:, 0] if known is None else known


def _continuing_rate(tokens: TokenFile, tokenizer: SubwordTokenizer) -> float:
    """Return the share of the tokens that do not begin a word."""
    if tokens.units is not None:
        return 1 - np.count_nonzero(tokens.units & WORD) / max(tokens.num_tokens, 1)
    begin = tokens.counts(tokenizer.vocab_size)[tokenizer.word_starts].sum()
    return float(1 - begin / max(tokens.num_tokens, 1))
