"""What `show` reads of a text, and which words it keeps, with notes where a training differs."""

from __future__ import annotations

from collections import Counter
from typing import Any

from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.corpus.texts import TextSource, is_text
from foretext.messages import message
from foretext.pretraining.learner import Draw
from foretext.recipe.sections import Sections

__all__ = ["bytes_read", "least_count", "refuse_without_effect"]

LARGE, BEGINNING = 8 << 20, 4 << 20  # bytes: of a large text only the beginning is read
SMALL = 1 << 18  # bytes of a text in which hardly a word is frequent
OF_FILES = ("format", "column", "encoding")  # settings of [corpus]


def bytes_read(text: Corpus) -> tuple[int | None, list[str]]:
    """Return how many bytes of a text are read, and a note on that; None: all of it."""
    size = text.num_bytes
    if size is None or size <= LARGE:
        return None, []
    return BEGINNING, [message("show.beginning", read=BEGINNING, all=size)]


def least_count(text: Corpus, config: Config, *, is_chosen: bool) -> tuple[int | None, list[str]]:
    """Return how often a word has to occur in a small text, and a note on the setting.

    Args:
        text: as it is read.
        config: of a tokenizer.
        is_chosen: whether the user set `min_count`.

    Returns:
        None: as often as the tokenizer says.
    """
    size, usual = text.num_bytes, config.model_dump().get("min_count", 1)
    if is_chosen or size is None or size >= SMALL or not _has_rarer(text, usual):
        return None, []
    return 1, [message("show.rare", min_count=usual)]


def _has_rarer(text: Corpus, min_count: int) -> bool:
    """Whether something is rarer; what stands between blanks has parts as frequent as it is."""
    if min_count <= 1:
        return False
    counts = Counter(word for document in text for word in document.split())
    return any(count < min_count for count in counts.values())


def refuse_without_effect(text: TextSource, draw: Draw, given: Sections) -> None:
    """Refuse settings that a given text or a given tokenizer leaves without effect.

    Args:
        text: as `foretext.pretraining.showing.show` takes it.
        draw: that may name a tokenizer.
        given: the user's settings.

    Raises:
        SettingError: there is one.
    """
    corpus: dict[str, Any] = given.get("corpus", {})
    for name in OF_FILES:
        if name in corpus and is_text(text):
            raise SettingError(message("options.show.text_itself", name=name))
    if given.get("tokenizer") and draw.tokenizer is not None:
        raise SettingError(
            f"[tokenizer] has no effect, as the tokenizer of {draw.tokenizer} is used; leave out "
            "one of the two."
        )
