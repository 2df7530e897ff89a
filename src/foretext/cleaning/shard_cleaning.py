"""A shard becomes what is kept of it and the list of what is not.

What becomes of one document by itself: kept as a text, or dropped for a reason. The steps in
their order: normalise, language, quality rules, text of test sets, personal data. Duplicates come
later, because they are decided by all documents together.

A document as it is kept: one Unicode normal form, no control characters, no stray white space.
Soft hyphens and word joiners go, too: nobody sees them, and they cut words.

With `fix_text`, ftfy (Speer 2019) repairs text that was decoded by the wrong encoding. It leaves
quotation marks, ligatures and wide characters alone: Chinese punctuation is wide, and is meant.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from foretext.base.errors import ForetextError, MissingExtraError
from foretext.base.parsing import parse_json
from foretext.base.terminal import visible
from foretext.cleaning.decontamination import Overlap, TestTexts
from foretext.cleaning.documents import Document
from foretext.cleaning.duplicates import exact_digest
from foretext.cleaning.languages import UNKNOWN, Identified, Means, identifier
from foretext.cleaning.personal_data import mask
from foretext.cleaning.quality_rules import ChineseRules, QualityRules, TextFacts, broken_rule
from foretext.cleaning.settings import CleaningConfig
from foretext.cleaning.shard_folder import Change, ShardFacts, ShardFolder, ShardParts, row_bytes
from foretext.cleaning.signatures import signatures
from foretext.corpus.decoding import normalize
from foretext.messages import message
from foretext.shards.work import Fill

__all__ = [
    "OPENER",
    "Examined",
    "Normalizer",
    "Request",
    "ShardCleaner",
    "SourceName",
    "open_cleaner",
    "refuse_missing_ftfy",
    "shard_data",
]

OPENER = "foretext.cleaning.shard_cleaning:open_cleaner"
BEGINNING = 120  # characters of a document in the list of what was dropped
MOST_EXAMPLES = 3  # of a shard
TOGETHER = 1024  # documents that are examined at once

Row = dict[str, Any]

EMPTY, LANGUAGE, TEST_TEXT = "empty", "language", "test_text"
AROUND = 40  # characters before and after a change

_BLANKS = dict.fromkeys((0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029), " ")
_REMOVED = dict.fromkeys(
    code
    for code in (*range(0x20), *range(0x7F, 0xA0), *range(0xFFF9, 0xFFFC), 0xFFFE, 0xFFFF)
    if chr(code) not in "\t\n"
)
_JOINED = dict.fromkeys(map(ord, "\u00ad\u2060\ufeff"))  # within words, where nobody sees them
_CONTROL: dict[int, str | None] = {**_REMOVED, **_JOINED, **_BLANKS}
_HAS_CONTROL = re.compile("[" + "".join(re.escape(chr(code)) for code in _CONTROL) + "]")


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


Pairs = list[tuple[Document, Examined]]


def open_cleaner(settings: str) -> Fill:
    """Return what cleans shards, for `foretext.shards.ShardWork`.

    Args:
        settings: a `Request` as JSON.

    Raises:
        ForetextError: the model of languages or a test set cannot be read.
    """
    request: Request = parse_json(settings, "the request", ForetextError, Request)
    cleaner = ShardCleaner(request)
    return lambda data, folder: cleaner.clean(_documents(data), folder)


def shard_data(documents: Sequence[Document]) -> bytes:
    """Return the documents of a shard as they are sent to what cleans them."""
    return json.dumps(documents).encode()


def _documents(data: bytes) -> list[Document]:
    found: list[Document] = parse_json(data, "a shard", ForetextError, list[Document])
    return found


class ShardCleaner:
    """Cleans shards; one belongs to each process.

    Args:
        request: what is asked for.

    Raises:
        ForetextError: the model of languages or a test set cannot be read.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._examiner = _Examiner(request)

    def clean(self, documents: Sequence[Document], folder: Path) -> None:
        """Clean a shard, and write its files into an empty folder."""
        examined = self._examined(documents)
        pairs = list(zip(documents, examined, strict=True))
        kept = [pair for pair in pairs if pair[1].reason is None]
        texts = [each.text for _, each in kept]
        is_near = self._request.config.duplicates == "near"
        parts = ShardParts(
            facts=self._facts(pairs),
            kept=[row_bytes(self._kept_row(*pair)) for pair in kept],
            dropped=[row_bytes(self._dropped_row(*pair)) for pair in pairs if pair[1].reason],
            digests=[exact_digest(text) for text in texts],
            signatures=signatures(texts) if is_near else None,
        )
        ShardFolder(folder).write(parts)

    def _examined(self, documents: Sequence[Document]) -> list[Examined]:
        found: list[Examined] = []
        for start in range(0, len(documents), TOGETHER):
            some = documents[start : start + TOGETHER]
            texts = [document.text for document in some]
            are_short = [self._request.sources[each.source].has_short_texts for each in some]
            found += self._examiner.examine(texts, are_short)
        return found

    def _place(self, document: Document) -> Row:
        source = self._request.sources[document.source]
        return {"file": source.name, source.unit: document.line}

    def _kept_row(self, document: Document, examined: Examined) -> Row:
        row = {"text": examined.text, **self._place(document)}
        return row if examined.language == UNKNOWN else row | {"language": examined.language}

    def _dropped_row(self, document: Document, examined: Examined) -> Row:
        row = {
            **self._place(document),
            "reason": examined.reason,
            "figure": None if examined.figure is None else round(examined.figure, 4),
            "threshold": examined.threshold,
            "found": examined.found,
            "twin": examined.twin,
            "beginning": examined.text[:BEGINNING],
        }
        return {name: value for name, value in row.items() if value is not None}

    def _facts(self, pairs: Pairs) -> ShardFacts:
        changed = [pair for pair in pairs if pair[1].change is not None]
        masked: Counter[str] = Counter()
        for _, each in pairs:
            masked.update(each.masked if each.reason is None else {})
        return ShardFacts(
            kept=[at for at, (_, each) in enumerate(pairs) if each.reason is None],
            dropped=[at for at, (_, each) in enumerate(pairs) if each.reason is not None],
            reasons=[each.reason for _, each in pairs if each.reason is not None],
            lengths=[len(each.text) for _, each in pairs if each.reason is None],
            languages=[each.language for _, each in pairs if each.reason is None],
            characters=sum(len(document.text) for document, _ in pairs),
            num_changed=len(changed),
            changes=self._changes(changed),
            masked=dict(sorted(masked.items())),
        )

    def _changes(self, changed: Pairs) -> list[Change]:
        """Return examples of what normalising changed, none with personal data."""
        shown = [pair for pair in changed if not pair[1].masked][:MOST_EXAMPLES]
        return [
            Change(place=self._named(document), before=each.change[0], after=each.change[1])
            for document, each in shown
            if each.change is not None
        ]

    def _named(self, document: Document) -> str:
        source = self._request.sources[document.source]
        return f"{source.name}, {source.unit} {document.line:,}"


class _Examiner:
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


def refuse_missing_ftfy() -> None:
    """Refuse to repair text where ftfy is not installed.

    Raises:
        MissingExtraError: it is not.
    """
    if find_spec("ftfy") is None:
        raise MissingExtraError("ftfy", "clean", message("errors.purpose.repair"))


class Normalizer:
    """Makes a document what is kept of it.

    Args:
        form: Unicode normal form.
        fix_text: repair text that was decoded by the wrong encoding.
    """

    def __init__(self, form: Literal["none", "NFC", "NFKC"], *, fix_text: bool = False) -> None:
        self._form: Literal["none", "NFC", "NFKC"] = form
        self._fix: Callable[[str], str] | None = _ftfy() if fix_text else None

    def __call__(self, text: str) -> str:
        """Return the text; it is empty where nothing is left."""
        if self._fix is not None:
            text = self._fix(text)
        if _HAS_CONTROL.search(text):
            text = text.translate(_CONTROL)
        lines = map(str.strip, normalize(text, self._form).split("\n"))
        return "\n".join(line for line in lines if line)


def _ftfy() -> Callable[[str], str]:
    from ftfy import TextFixerConfig, fix_text

    config = TextFixerConfig(
        unescape_html="auto",
        fix_latin_ligatures=False,
        fix_character_width=False,
        uncurl_quotes=False,
        normalization=None,
    )
    return lambda text: str(fix_text(text, config))


class SourceName(BaseModel):
    """A file as results name it, and what its places count."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str
    unit: Literal["line", "row"]
    has_short_texts: bool = False


class Request(BaseModel):
    """What is asked for: settings, files, and the identity of everything that is read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    config: CleaningConfig
    rules: QualityRules
    chinese: ChineseRules
    normalization: Literal["none", "NFC", "NFKC"]
    language_means: Means
    against: tuple[str, ...]  # files of test sets
    sources: tuple[SourceName, ...]
    without_in_short_texts: tuple[str, ...] = ()  # rules that are made for pages
    identity: str  # of corpus, tests and model

    @property
    def digest(self) -> str:
        """Return what an unfinished cleaning is known by."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:32]
