"""The steps of a cleaning: read and examine shards, find duplicates, write the results."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from foretext._version import __version__
from foretext.base.counted import number_of
from foretext.base.errors import CorpusError, Interrupted
from foretext.base.files import atomic_file
from foretext.base.interruption import Interruption
from foretext.cleaning.building import FACTS, REPORT, Building
from foretext.cleaning.cleaned import CleaningFacts, Count
from foretext.cleaning.documents import shards
from foretext.cleaning.duplicates import Documents, Duplicates, find_duplicates
from foretext.cleaning.shard_cleaning import OPENER, Request, shard_data
from foretext.cleaning.shard_folder import Change, ShardFolder
from foretext.cleaning.writing import Written, write_results
from foretext.corpus import Corpus
from foretext.messages import clauses, message
from foretext.progress import Progress
from foretext.report.cleaning_report import write_cleaning_report
from foretext.shards import Shard, ShardEngine, ShardWork

__all__ = ["CleaningJob"]

MUCH = 0.5  # of all documents: what one reason drops without a warning
MOST_EXAMPLES = 12  # of changes


class CleaningJob:
    """One cleaning.

    Args:
        building: the folder.
        corpus: the text.
        request: what is asked for.
        stop: whether a signal asks to stop.
        note: on rules that are left out; None: all apply everywhere.

    Raises:
        OutputError: an unfinished cleaning was begun with something else.
    """

    def __init__(
        self,
        building: Building,
        corpus: Corpus,
        request: Request,
        stop: Interruption,
        note: str | None = None,
    ) -> None:
        self._building, self._corpus, self._request = building, corpus, request
        self._stop, self._note = stop, note
        self._work = building.open(request.digest)
        self._began = time.monotonic()

    def run(self, engine: ShardEngine, *, quiet: bool | None) -> None:
        """Do what is left to do.

        Raises:
            ForetextError: a text cannot be read, a file cannot be written, or nothing is left.
            Interrupted: by a signal; the cleaning can be resumed.
        """
        if not self._building.is_complete:
            folders = self._examined(engine, quiet=quiet)
            self._write(folders, quiet=quiet)
        self._building.finish()

    def _examined(self, engine: ShardEngine, *, quiet: bool | None) -> list[ShardFolder]:
        """Clean the shards that no earlier process has cleaned, and return all of them."""
        work = ShardWork(OPENER, self._request.model_dump_json(), self._work)
        folders: list[ShardFolder] = []
        with Progress(
            message("progress.cleaning"), self._corpus.num_bytes, "bytes", quiet=quiet
        ) as bar:
            for done in engine.run(work, self._shards()):
                folders.append(ShardFolder(done.folder))
                bar.advance(done.num_bytes)
                self._check()
        if not folders:
            raise CorpusError(f"{self._corpus}: there is no text in it; give another corpus.")
        return folders

    def _shards(self) -> Iterator[Shard]:
        for shard in shards(self._corpus, self._request.config.shard_characters):
            self._check()
            yield Shard(shard.number, partial(shard_data, shard.documents), shard.num_bytes)

    def _write(self, folders: list[ShardFolder], *, quiet: bool | None) -> None:
        config = self._request.config
        near = config.near_duplicates if config.duplicates == "near" else None
        documents = Documents(folders, [len(folder.facts.kept) for folder in folders])
        if config.duplicates == "kept":
            duplicates = Duplicates(len(documents), self._work)
        else:
            duplicates = find_duplicates(documents, near, check=self._check, quiet=quiet)
        written = write_results(
            documents, duplicates, near, self._building.folder, check=self._check, quiet=quiet
        )
        facts = self._facts(folders, written)
        if not facts.kept.documents:
            shutil.rmtree(self._work, ignore_errors=True)  # it would come to the same again
            raise _nothing(facts)
        content = facts.model_dump(mode="json")
        write_cleaning_report(self._building.folder / REPORT, content, title=str(self._corpus))
        with atomic_file(self._building.folder / FACTS) as temporary:
            temporary.write_text(
                facts.model_dump_json(indent=2) + "\n", encoding="utf-8", newline="\n"
            )

    def _facts(self, folders: list[ShardFolder], written: Written) -> CleaningFacts:
        masked: Counter[str] = Counter()
        changes: list[Change] = []
        num_read = num_characters = num_changed = 0
        for facts in (folder.facts for folder in folders):
            masked.update(facts.masked)
            changes += facts.changes[: MOST_EXAMPLES - len(changes)]
            num_read += len(facts.kept) + len(facts.dropped)
            num_characters += facts.characters
            num_changed += facts.num_changed
        return CleaningFacts(
            foretext=__version__,
            read=Count(documents=num_read, characters=num_characters),
            kept=Count(documents=written.documents, characters=written.characters),
            reasons=dict(written.reasons.most_common()),
            languages=dict(written.languages.most_common()),
            language_by=self._request.language_means,
            changed=num_changed,
            masked=dict(sorted(masked.items())),
            files=len(self._corpus.sources),
            bytes=self._corpus.num_bytes,
            seconds=round(time.monotonic() - self._began, 1),
            warnings=_warnings(written, num_read),
            notes=[] if self._note is None else [self._note],
            settings=self._settings(),
            examples=written.examples,
            changes=changes,
        )

    def _settings(self) -> dict[str, dict[str, Any]]:
        """Return the settings by section; of rules only where they are used."""
        request = self._request
        sections = {"clean": request.config.model_dump(mode="json")}
        if request.config.rules:
            sections["rules"] = request.rules.model_dump(mode="json")
            sections["chinese_rules"] = request.chinese.model_dump(mode="json")
        return sections

    def _check(self) -> None:
        """Stop where a signal asks for it.

        Raises:
            Interrupted: always then.
        """
        if self._stop.requested:
            named = {"signal": self._stop.requested, "path": self._building.path}
            raise Interrupted(message("files.folder.stopped", **named))


def _warnings(written: Written, num_read: int) -> list[str]:
    """Return a sentence on a reason that drops much of the corpus."""
    return [
        clauses(
            [
                message("findings.cleaning.drops", reason=reason, rate=count / num_read),
                _remedy(reason),
            ]
        )
        for reason, count in written.reasons.most_common(1)
        if count > MUCH * num_read
    ]


def _remedy(reason: str) -> str:
    if reason in ("language", "test_text", "empty") or reason.endswith("_duplicate"):
        return message("findings.cleaning.look")
    return message("findings.cleaning.thresholds", reason=reason)


def _nothing(facts: CleaningFacts) -> CorpusError:
    """Return the error that nothing is left."""
    reason, count = next(iter(facts.reasons.items()))
    remedy = _remedy(reason)
    if remedy == message("findings.cleaning.look"):
        remedy = message("findings.cleaning.other_text")
    documents = number_of("document", facts.read.documents)
    said = message("findings.cleaning.nothing", documents=documents, reason=reason, count=count)
    return CorpusError(clauses([said, remedy]))
