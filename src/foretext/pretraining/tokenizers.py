"""A tokenizer learned by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foretext.base.config import Config
from foretext.base.errors import SettingError, did_you_mean
from foretext.base.runtime import usable_cores
from foretext.corpus import Corpus
from foretext.corpus.text_shards import TextShards
from foretext.messages import message
from foretext.progress import Progress
from foretext.progress.budget import tell_of_compiling
from foretext.shards import ShardEngine
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import SUBWORDS, learn_subwords
from foretext.tokenizers.word_tokenizer import WordTokenizer

__all__ = ["learn_tokenizer", "tokenizer_config"]

SHARDS = "shards"  # beside the tokenizer, while it is learned
WORDS = "words"  # whole words without special tokens


def learn_tokenizer(
    kind: str,
    settings: dict[str, Any],
    text: Corpus,
    path: Path,
    *,
    quiet: bool = True,
    engine: ShardEngine | None = None,
) -> SubwordTokenizer:
    """Learn only a tokenizer, of sub-words or of whole words, and save it as `path`.

    Args:
        kind: a row of `SUBWORDS`, or ``"words"``, which word vectors learn from.
        settings: of the kind's own Config.
        text: what to learn from.
        path: where ``tokenizer.json`` goes.
        quiet: show no progress.
        engine: whose processes count words; the result is the same. What they have counted stays
            beside `path` until all is done, so that after a kill the same call goes on. None:
            threads.

    Raises:
        SettingError: there is no such kind or setting, or it counts no words.
        CorpusError: there is nothing to learn in the text.
        OutputError: `path` cannot be written.
    """
    tokenizer_config(kind)
    shards = None if engine is None else _shards(kind, path, engine)
    tell_of_compiling(quiet=quiet)
    with Progress(
        message("progress.learning", kind=kind), text.num_bytes, "bytes", quiet=quiet
    ) as bar:
        options: dict[str, Any] = {
            "workers": usable_cores(),
            "progress": bar,
            "shards": shards,
            "form": text.config.normalization,
        }
        if kind == WORDS:
            config = WordTokenizer.Config.checked(settings, "tokenizer")
            WordTokenizer.learn(config, text, **options).save(path)
        else:
            learn_subwords(kind, settings, text, **options).save(path)
    if shards is not None:
        shards.remove()
    return SubwordTokenizer.load(path)


def _shards(kind: str, path: Path, engine: ShardEngine) -> TextShards:
    """Return the shards that words are counted by.

    Raises:
        SettingError: the kind counts none.
    """
    if kind != WORDS and not SUBWORDS.resolve(kind).counts_words:
        raise SettingError(
            f"'{kind}' learns from a sample of the text and counts no words; leave out --workers "
            "(engine)."
        )
    return TextShards(engine, path.with_name(SHARDS))


def tokenizer_config(kind: str) -> type[Config]:
    """Return the class of the settings of a kind of tokenizer.

    Raises:
        SettingError: there is no such kind.
    """
    kinds = (*SUBWORDS, WORDS)
    if kind not in kinds and ":" not in kind:
        hint = did_you_mean(kind, kinds) or f" There are: {', '.join(kinds)}."
        raise SettingError(f"'{kind}' is no kind of tokenizer.{hint}")
    config: type[Config] = (WordTokenizer if kind == WORDS else SUBWORDS.resolve(kind)).Config
    return config
