"""Thresholds of the quality rules: for text with blanks between words, and for Chinese."""

from __future__ import annotations

from pydantic import Field

from foretext.base.config import Config

__all__ = ["ChineseRules", "QualityRules"]


class QualityRules(Config):
    """A document that breaks one of them is dropped; a rate is a share of the document.

    The defaults are those of the papers, which were chosen for web pages (see `quality_rules`).
    """

    min_words: int = Field(default=50, ge=0)
    """Words of a document, at least."""
    max_words: int = Field(default=100_000, ge=1)
    """Words of a document, at most."""
    min_mean_word_length: float = Field(default=3.0, ge=0)
    """Characters of a word on average, at least."""
    max_mean_word_length: float = Field(default=10.0, ge=0)
    """Characters of a word on average, at most."""
    max_symbol_rate: float = Field(default=0.1, ge=0)
    """Hash signs for each word, and ellipses for each word, at most."""
    max_bullet_rate: float = Field(default=0.9, ge=0, le=1)
    """Lines that begin with a bullet point, at most."""
    max_ellipsis_rate: float = Field(default=0.3, ge=0, le=1)
    """Lines that end with an ellipsis, at most."""
    min_alphabetic_rate: float = Field(default=0.8, ge=0, le=1)
    """Words with at least one letter, at least."""
    min_stop_words: int = Field(default=2, ge=0, le=8)
    """Different stop words of its language (English: the, be, to, of, and, that, ...), at least."""
    max_repeated_line_rate: float = Field(default=0.3, ge=0, le=1)
    """Lines that repeat an earlier one, at most."""
    max_repeated_line_characters: float = Field(default=0.2, ge=0, le=1)
    """Characters in lines that repeat an earlier one, at most."""
    max_top_ngrams: tuple[float, float, float] = (0.2, 0.18, 0.16)
    """Characters in the most frequent 2-gram, 3-gram and 4-gram, at most."""
    max_repeated_ngrams: tuple[float, float, float, float, float, float] = (
        0.15,
        0.14,
        0.13,
        0.12,
        0.11,
        0.10,
    )
    """Characters in repeated 5-grams to 10-grams, at most."""
    min_terminal_rate: float = Field(default=0.12, ge=0, le=1)
    """Lines that end with a punctuation mark that ends a sentence, at least."""
    min_sentences: int = Field(default=3, ge=0)
    """Sentences of a document, at least."""
    max_lorem_ipsum: int = Field(default=0, ge=0)
    """Times that "lorem ipsum" occurs, at most."""
    max_braces: int = Field(default=0, ge=0)
    """Curly braces, at most: text for people has none, and code has many."""


class ChineseRules(QualityRules):
    """The same for text without blanks between words: a character stands for a word.

    The papers have no thresholds for it; docs/guides/clean.md says what these drop.
    """

    min_words: int = Field(default=80, ge=0)
    """Characters of a document, at least."""
    max_words: int = Field(default=200_000, ge=1)
    """Characters of a document, at most."""
    min_mean_word_length: float = Field(default=0.0, ge=0)
    """Has no effect: words are not found."""
    max_mean_word_length: float = Field(default=15.0, ge=0)
    """Characters on average of what stands between blanks, each Han character by itself."""
    max_symbol_rate: float = Field(default=0.05, ge=0)
    """Hash signs for each character, and ellipses for each character, at most."""
    min_alphabetic_rate: float = Field(default=0.6, ge=0, le=1)
    """Characters that are letters, at least."""
    min_stop_words: int = Field(default=1, ge=0, le=8)
    """Different function characters (的 是 在 有 和 了 不 这), at least."""
    min_sentences: int = Field(default=2, ge=0)
    """Sentences of a document, at least; those of Chinese are longer."""
