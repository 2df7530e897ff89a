"""The table of sub-word tokenizers, and one verb that learns any of them."""

from __future__ import annotations

from typing import Any

from foretext.corpus.blocks import Advance, Blocks
from foretext.errors import SettingError, did_you_mean
from foretext.tokenizers.bpe import BPE
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.unigram import Unigram
from foretext.tokenizers.wordpiece import WordPiece

__all__ = ["SUBWORDS", "learn_subwords"]

SUBWORDS: dict[str, type[BPE] | type[WordPiece] | type[Unigram]] = {
    "bpe": BPE,
    "wordpiece": WordPiece,
    "unigram": Unigram,
}


def learn_subwords(
    kind: str,
    settings: dict[str, Any],
    corpus: Blocks,
    *,
    workers: int = 1,
    progress: Advance | None = None,
) -> SubwordTokenizer:
    """Learn a tokenizer of a kind of the table, with `settings` as a recipe gives them.

    Raises:
        SettingError: no such kind, or a setting it does not have or cannot use.
        CorpusError: the corpus holds no text.
    """
    if kind not in SUBWORDS:
        hint = did_you_mean(kind, SUBWORDS) or f" There are: {', '.join(SUBWORDS)}."
        raise SettingError(f"'{kind}' is no kind of sub-word tokenizer.{hint}")
    tokenizer = SUBWORDS[kind]
    config = tokenizer.Config.checked(settings, "tokenizer")
    return tokenizer.learn(config, corpus, workers=workers, progress=progress)  # type: ignore[arg-type]
