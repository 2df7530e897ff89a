"""A tokenizer learned by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foretext.corpus import Corpus
from foretext.progress import Progress
from foretext.runtime import usable_cores
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.tokenizers.word_tokenizer import WordTokenizer

__all__ = ["learn_tokenizer"]


def learn_tokenizer(
    kind: str, settings: dict[str, Any], text: Corpus, path: Path, *, quiet: bool = True
) -> SubwordTokenizer:
    """Learn a tokenizer alone, of sub-words or of whole words, and save it as `path`.

    Args:
        kind: ``"bpe"``, ``"wordpiece"``, ``"unigram"`` or ``"words"``.
        settings: of the kind's own Config.
        text: what to learn from.
        path: where ``tokenizer.json`` goes.
        quiet: show no progress.

    Raises:
        ForetextError: the text or a setting will not do, or `path` cannot be written.
    """
    with Progress(f"learning {kind}", text.num_bytes, "bytes", quiet=quiet) as bar:
        options: dict[str, Any] = {"workers": usable_cores(), "progress": bar}
        if kind == "words":
            config = WordTokenizer.Config.checked(settings, "tokenizer")
            WordTokenizer.learn(config, text, **options).save(path)
        else:
            learn_subwords(kind, settings, text, **options).save(path)
    return SubwordTokenizer.load(path)
