"""A shard becomes what is kept of it and the list of what is not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from foretext.base.errors import ForetextError
from foretext.base.parsing import parse_json
from foretext.cleaning.documents import Document
from foretext.cleaning.exact_duplicates import exact_digest
from foretext.cleaning.examining import Examined, Examiner
from foretext.cleaning.languages import UNKNOWN
from foretext.cleaning.request import Request
from foretext.cleaning.shard_folder import (
    Change,
    ShardFacts,
    ShardFolder,
    ShardParts,
    row_bytes,
)
from foretext.cleaning.signatures import signatures
from foretext.shards.work import Fill

__all__ = ["OPENER", "ShardCleaner", "open_cleaner", "shard_data"]

OPENER = "foretext.cleaning.shard_cleaning:open_cleaner"
BEGINNING = 120  # characters of a document in the list of what was dropped
MOST_EXAMPLES = 3  # of a shard
TOGETHER = 1024  # documents that are examined at once

Row = dict[str, Any]
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
        self._examiner = Examiner(request)

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
