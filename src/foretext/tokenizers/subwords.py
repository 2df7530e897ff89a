"""The table of tokenizers for language models, and the function that learns one."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from foretext.base.config import Config
from foretext.base.errors import SettingError, did_you_mean
from foretext.base.registry import Registry
from foretext.corpus.blocks import Advance, Blocks
from foretext.corpus.decoding import Form
from foretext.corpus.text_shards import TextShards
from foretext.tokenizers.special_tokens import UNKNOWN_NAMES, sentinel_name
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["DEFAULT_SPECIAL_TOKENS", "SUBWORDS", "UNKNOWN", "SubwordConfig", "learn_subwords"]

SUBWORDS = Registry(
    "tokenizer",
    {
        "bpe": "foretext.tokenizers.bpe:BPE",
        "wordpiece": "foretext.tokenizers.wordpiece:WordPiece",
        "unigram": "foretext.tokenizers.unigram:Unigram",
        "word": "foretext.tokenizers.word_level:WordLevel",
    },
)

UNKNOWN = UNKNOWN_NAMES[0]
DEFAULT_SPECIAL_TOKENS = ["[PAD]", UNKNOWN, "[CLS]", "[SEP]", "[MASK]"]


def learn_subwords(
    kind: str,
    settings: dict[str, Any],
    corpus: Blocks,
    *,
    workers: int = 1,
    progress: Advance | None = None,
    shards: TextShards | None = None,
    form: Form = "NFC",
) -> SubwordTokenizer:
    """Learn a tokenizer.

    Args:
        kind: a row of the table, or ``"package.module:Class"``.
        settings: of the kind's own Config, as a recipe gives them.
        corpus: to learn from.
        workers: threads.
        progress: advances by the bytes read.
        shards: whose processes count words, in the place of threads; a kind that counts none learns
            as without them.
        form: the Unicode normal form of the corpus, which the tokenizer brings all texts into.

    Raises:
        SettingError: no such kind, or a setting it does not have or cannot use.
        CorpusError: the corpus contains no text.
    """
    if kind not in SUBWORDS and ":" not in kind:
        hint = did_you_mean(kind, SUBWORDS) or f" There are: {', '.join(SUBWORDS)}."
        raise SettingError(f"'{kind}' is no kind of sub-word tokenizer.{hint}")
    tokenizer = SUBWORDS.resolve(kind)
    config = tokenizer.Config.checked(settings, "tokenizer")
    options = {} if shards is None or not tokenizer.counts_words else {"shards": shards}
    learned: SubwordTokenizer = tokenizer.learn(
        config, corpus, workers=workers, progress=progress, **options
    )
    return learned.composing(form)


class SubwordConfig(Config):
    """Which tokens a tokenizer has that are no text."""

    special_tokens: list[str] = DEFAULT_SPECIAL_TOKENS
    """Tokens that get the first ids."""
    num_sentinels: int = Field(default=0, ge=0, le=10_000)
    """Sentinels, which get the next ids: `<extra_id_0>`, `<extra_id_1>`, ..., for hidden spans."""

    @property
    def reserved(self) -> list[str]:
        """The special tokens and the sentinels, in the order of their ids."""
        return [*self.special_tokens, *map(sentinel_name, range(self.num_sentinels))]

    @property
    def unknown(self) -> str | None:
        """The special token for text that has no token; None: there is none."""
        return next((name for name in UNKNOWN_NAMES if name in self.special_tokens), None)
