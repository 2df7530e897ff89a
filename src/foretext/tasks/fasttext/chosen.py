"""Which settings were chosen for the rows, in a sentence for a person."""

from __future__ import annotations

from collections.abc import Callable

from foretext.tasks.fasttext.config import FastTextClassifierConfig, ResolvedConfig

__all__ = ["chosen_sentence"]

KINDS = {
    "unicode_words": "words of letters and digits",
    "chinese_characters": "each Chinese character a word",
}
NGRAMS = {1: "single words", 2: "pairs of words"}


def chosen_sentence(given: FastTextClassifierConfig, config: ResolvedConfig) -> str | None:
    """Return one sentence about the settings that were open; None: there were none.

    Args:
        given: settings as a person gave them.
        config: what became of them.
    """
    chosen = [PHRASES[name](config) for name in given.open if name in PHRASES]
    said = [phrase for phrase in chosen if phrase]
    return f"chosen for these rows: {', '.join(said)}" if said else None


def _ngrams(config: ResolvedConfig) -> str:
    return NGRAMS.get(config.word_ngrams, f"up to {config.word_ngrams} words side by side")


PHRASES: dict[str, Callable[[ResolvedConfig], str]] = {
    "lr": lambda config: f"lr {config.lr:g}",
    "epochs": lambda config: f"{config.epochs} epochs" if config.budget_seconds is None else "",
    "word_ngrams": _ngrams,
    "maxn": lambda config: (
        f"{config.minn} to {config.maxn} letters side by side" if config.maxn else ""
    ),
    "pre_tokenizer": lambda config: KINDS[config.pre_tokenizer],
    "lowercase": lambda config: "lower case" if config.lowercase else "",
}
