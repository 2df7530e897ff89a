"""A tokenizer learned by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foretext.config import Config
from foretext.corpus import Corpus
from foretext.errors import SettingError, did_you_mean
from foretext.progress import Progress
from foretext.progress.compiling import tell_of_compiling
from foretext.runtime import usable_cores
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import SUBWORDS, learn_subwords
from foretext.tokenizers.word_tokenizer import WordTokenizer

__all__ = ["learn_tokenizer", "tokenizer_config"]

WORDS = "words"  # whole words without special tokens


def learn_tokenizer(
    kind: str, settings: dict[str, Any], text: Corpus, path: Path, *, quiet: bool = True
) -> SubwordTokenizer:
    """Learn only a tokenizer, of sub-words or of whole words, and save it as `path`.

    Args:
        kind: a row of `SUBWORDS`, or ``"words"``, which word vectors learn from.
        settings: of the kind's own Config.
        text: what to learn from.
        path: where ``tokenizer.json`` goes.
        quiet: show no progress.

    Raises:
        SettingError: there is no such kind or setting.
        CorpusError: there is nothing to learn in the text.
        OutputError: `path` cannot be written.
    """
    tokenizer_config(kind)
    tell_of_compiling(quiet=quiet)
    with Progress(f"learning {kind}", text.num_bytes, "bytes", quiet=quiet) as bar:
        options: dict[str, Any] = {"workers": usable_cores(), "progress": bar}
        if kind == WORDS:
            config = WordTokenizer.Config.checked(settings, "tokenizer")
            WordTokenizer.learn(config, text, **options).save(path)
        else:
            learn_subwords(kind, settings, text, **options).save(path)
    return SubwordTokenizer.load(path)


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
