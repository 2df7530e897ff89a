"""A shard becomes what is kept of it and the list of what is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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

__all__ = ["ShardCleaner", "shard_folder"]

BEGINNING = 120  # characters of a document in the list of what was dropped
MOST_EXAMPLES = 3  # of a shard
TOGETHER = 1024  # documents that are examined at once

Row = dict[str, Any]
Pairs = list[tuple[Document, Examined]]


def shard_folder(work: Path, number: int) -> ShardFolder:
    """Return the folder of a shard."""
    return ShardFolder(work / f"shard-{number:05}")


class ShardCleaner:
    """Cleans shards; one belongs to each process.

    Args:
        request: what is asked for.
        work: where the folders of shards stand.

    Raises:
        ForetextError: the model of languages or a test set cannot be read.
    """

    def __init__(self, request: Request, work: Path) -> None:
        self._request, self._work = request, work
        self._examiner = Examiner(request)

    def clean(self, number: int, documents: Sequence[Document]) -> None:
        """Clean a shard and write its folder.

        Raises:
            OutputError: it cannot be written.
        """
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
        shard_folder(self._work, number).write(parts)

    def _examined(self, documents: Sequence[Document]) -> list[Examined]:
        found: list[Examined] = []
        for start in range(0, len(documents), TOGETHER):
            texts = [document.text for document in documents[start : start + TOGETHER]]
            found += self._examiner.examine(texts)
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
