"""How a corpus is cleaned: the settings of the section ``[clean]``."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from foretext.base.config import Config
from foretext.base.errors import did_you_mean
from foretext.cleaning.personal_data import PersonalData
from foretext.cleaning.quality_rules import RULE_NAMES
from foretext.corpus.duplicates import NEAR_SIMILARITY

__all__ = ["CleaningConfig"]


class CleaningConfig(Config):
    """What is kept of a corpus, and what becomes of it."""

    fix_text: bool = False
    """Repair text that was decoded by the wrong encoding, with ftfy."""
    languages: tuple[str, ...] = ()
    """Languages to keep, by two letters (ISO 639-1) or as the model calls them; none: all."""
    language_model: str | None = None
    """A classifier of languages of fastText, such as lid.176.bin."""
    language_by: Literal["auto", "script", "lingua"] = "auto"
    """What finds languages without a model; auto: script where it knows them all, else lingua."""
    min_confidence: float = Field(default=0.5, ge=0, le=1)
    """How sure the language of a document has to be, where languages are chosen."""
    rules: bool = True
    """Drop documents that break a quality rule."""
    without_rules: tuple[str, ...] = ()
    """Names of quality rules that are left out."""
    mask: tuple[PersonalData, ...] = ()
    """Personal data to replace by placeholders: email, phone, id (identity and card numbers)."""
    duplicates: Literal["near", "exact", "kept"] = "near"
    """Which documents that repeat an earlier one are dropped."""
    near_duplicates: float = Field(default=NEAR_SIMILARITY, ge=0.5, le=1)
    """How similar near duplicates are: the Jaccard similarity of their 5-grams, at least."""
    shard_characters: int = Field(default=1 << 22, ge=1)
    """Characters of the text that are cleaned, and kept when the process dies, together."""

    @model_validator(mode="after")
    def _effective(self) -> Self:
        """Refuse settings without effect."""
        for name in self.without_rules:
            if name not in RULE_NAMES:
                raise ValueError(
                    f"there is no rule '{name}'.{did_you_mean(name, RULE_NAMES)} "
                    f"There are: {', '.join(RULE_NAMES)}"
                )
        if self.without_rules and not self.rules:
            raise ValueError("without_rules has no effect on rules = false")
        if self.duplicates != "near" and "near_duplicates" in self.changed:
            raise ValueError(f"near_duplicates has no effect on duplicates = '{self.duplicates}'")
        if self.language_model is not None and self.language_by != "auto":
            raise ValueError("language_by has no effect with a language_model")
        if not self.languages and "min_confidence" in self.changed:
            raise ValueError("min_confidence has no effect without languages")
        return self
