"""What becomes of one document by itself: kept as a text, or dropped for a reason.

The steps in their order: normalise, language, quality rules, text of test sets, personal data.
Duplicates come later, because they are decided by all documents together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from foretext.base.terminal import visible
from foretext.cleaning.decontamination import Overlap, TestTexts
from foretext.cleaning.languages import Identified, identifier
from foretext.cleaning.normalizing import Normalizer
from foretext.cleaning.personal_data import mask
from foretext.cleaning.quality_rules import broken_rule
from foretext.cleaning.request import Request
from foretext.cleaning.text_facts import TextFacts

__all__ = ["EMPTY", "LANGUAGE", "TEST_TEXT", "Examined", "Examiner"]

EMPTY, LANGUAGE, TEST_TEXT = "empty", "language", "test_text"
AROUND = 40  # characters before and after a change


class Examined(NamedTuple):
    """A document, and why it is dropped, if it is.

    `text` is normalised and masked, so that it can be shown whatever becomes of the document.
    """

    text: str
    language: str
    masked: Counter[str]
    reason: str | None = None
    figure: float | None = None
    threshold: float | None = None
    twin: str | None = None  # the place in a test set
    found: str | None = None  # the words that it shares, or its language
    change: tuple[str, str] | None = None  # around the first place that normalising changed


class Examiner:
    """Examines documents; one belongs to each process.

    Raises:
        ForetextError: the model of languages or a test set cannot be read.
    """

    def __init__(self, request: Request) -> None:
        config = request.config
        self._config, self._request = config, request
        self.normalize = Normalizer(request.normalization, fix_text=config.fix_text)
        self._identify = identifier(request.language_means, config.languages, config.language_model)
        self._tests = TestTexts.read(request.against) if request.against else None

    def examine(
        self, texts: Sequence[str], are_short: Sequence[bool] | None = None
    ) -> list[Examined]:
        """Return what becomes of each text; the result of one does not depend on the others.

        Args:
            texts: of the documents.
            are_short: whether each is of a file of short texts; None: none is.
        """
        short = are_short or [False] * len(texts)
        normal = [self.normalize(text) for text in texts]
        languages = self._identify(normal)
        found = [
            self._judged(text, language, is_short=is_short)._replace(change=_change(before, text))
            for before, text, language, is_short in zip(
                texts, normal, languages, short, strict=True
            )
        ]
        if self._tests is None:
            return found
        kept = [number for number, each in enumerate(found) if each.reason is None]
        overlaps = self._tests.overlaps([normal[number] for number in kept])
        for number, overlap in zip(kept, overlaps, strict=True):
            if overlap is not None:
                found[number] = self._contaminated(found[number], overlap)
        return found

    def _judged(self, text: str, language: Identified, *, is_short: bool) -> Examined:
        masked, counts = mask(text, self._config.mask)
        kept = Examined(masked, language.language, counts)
        if not text:
            return kept._replace(reason=EMPTY)
        if (wrong := self._wrong_language(language)) is not None:
            return kept._replace(
                reason=LANGUAGE, figure=language.confidence, threshold=wrong, found=kept.language
            )
        if not self._config.rules:
            return kept
        request = self._request
        broken = broken_rule(
            TextFacts(text, language.language),
            request.rules,
            request.chinese,
            (*self._config.without_rules, *(request.without_in_short_texts if is_short else ())),
        )
        if broken is None:
            return kept
        return kept._replace(reason=broken.rule, figure=broken.figure, threshold=broken.threshold)

    def _wrong_language(self, language: Identified) -> float | None:
        """Return the least confidence where a document is of no language that was asked for."""
        wanted, least = self._config.languages, self._config.min_confidence
        if not wanted or (language.language in wanted and language.confidence >= least):
            return None
        return least

    def _contaminated(self, kept: Examined, overlap: Overlap) -> Examined:
        words, _ = mask(overlap.words, self._config.mask)
        return kept._replace(reason=TEST_TEXT, figure=overlap.rate, twin=overlap.place, found=words)


def _change(before: str, after: str) -> tuple[str, str] | None:
    """Return both texts around the first place in which they differ, or None."""
    if before == after:
        return None
    pairs = enumerate(zip(before, after, strict=False))
    shortest = min(len(before), len(after))
    start = max(next((at for at, (x, y) in pairs if x != y), shortest) - AROUND, 0)
    part = slice(start, start + 2 * AROUND)
    return visible(before[part]), visible(after[part])
