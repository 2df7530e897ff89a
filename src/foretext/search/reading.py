"""Files become passages: read as a stream, cut, and written as they come."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from typing import Literal

from foretext.base.errors import CorpusError
from foretext.base.files import atomic_file, output_error
from foretext.corpus import Corpus, CorpusConfig
from foretext.corpus.paragraphs import Paragraph, has_rows, paragraphs
from foretext.corpus.sources import Source
from foretext.messages import message
from foretext.progress import Progress
from foretext.search.cutting import Cutter
from foretext.search.folder import IndexFolder, SourceFacts
from foretext.search.passages import Passages, PassageWriter

__all__ = ["read_passages"]

Check = Callable[[], None]


def read_passages(
    corpus: Corpus,
    cutter: Cutter,
    folder: IndexFolder,
    *,
    keep_duplicates: bool,
    before: Passages | None,
    old: IndexFolder,
    check: Check,
    quiet: bool | None,
) -> tuple[int, int]:
    """Write the passages of all files, and return how many there are, and at how many places.

    Args:
        corpus: the files.
        cutter: cuts their documents.
        folder: of the new index.
        keep_duplicates: repeated texts become passages of their own.
        before: the passages of an index that grows.
        old: its folder.
        check: is called between paragraphs, and may raise.
        quiet: show no progress; None: show it on a terminal and in a notebook.

    Raises:
        CorpusError: a file cannot be read, there is no text, or a file that is in the index
            already has changed.
        OutputError: the passages cannot be written.
    """
    known = [] if before is None else list(before.sources)
    if before is not None:
        _copy(old, folder)
    new = _new_sources(corpus, known)
    facts = [*known, *(_facts(source, corpus) for source in new)]
    with (
        PassageWriter(folder, keep_duplicates=keep_duplicates, before=before) as writer,
        Progress(message("progress.reading"), corpus.num_bytes, "bytes", quiet=quiet) as bar,
    ):
        for number, source in enumerate(new, len(known)):
            for passage in cutter.passages(_advancing(source, corpus, bar, check)):
                writer.add(passage, number)
        num_places = writer.finish()
    if writer.num_passages == 0:
        raise CorpusError(message("files.index.no_text", corpus=corpus))
    with atomic_file(folder.sources) as temporary:
        listed = [fact.model_dump() for fact in facts]
        temporary.write_text(json.dumps(listed, ensure_ascii=False), encoding="utf-8", newline="\n")
    return writer.num_passages, num_places


def _advancing(source: Source, corpus: Corpus, bar: Progress, check: Check) -> Iterator[Paragraph]:
    done = 0
    for paragraph, read in paragraphs(source, _passage_reading(source, corpus)):
        yield paragraph
        check()
        if read > done:
            bar.advance(read - done)
            done = read


def _passage_reading(source: Source, corpus: Corpus) -> CorpusConfig:
    """Return how a file is read: as one text where its paragraphs are documents for want of others.

    So short paragraphs, such as those of a dialogue, come together in passages.
    """
    reading = corpus.reading(source)
    if corpus.has_open_end(source):
        return reading.model_copy(update={"documents": "file"})
    return reading


def _new_sources(corpus: Corpus, known: list[SourceFacts]) -> list[Source]:
    """Return the files that are not in the index.

    Raises:
        CorpusError: one of them is, but has changed since.
    """
    states = {fact.name: fact.state for fact in known}
    for source in corpus.sources:
        if states.get(source.name, _state(source)) != _state(source):
            raise CorpusError(message("files.index.changed", name=source.name))
    return [source for source in corpus.sources if source.name not in states]


def _facts(source: Source, corpus: Corpus) -> SourceFacts:
    unit: Literal["line", "row"] = "row" if has_rows(source, corpus.config) else "line"
    return SourceFacts(name=source.name, state=_state(source), unit=unit)


def _state(source: Source) -> str:
    return hashlib.sha256(source.identity.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _copy(old: IndexFolder, folder: IndexFolder) -> None:
    try:
        shutil.copyfile(old.texts, folder.texts)
    except OSError as error:
        raise output_error(folder.texts, error) from error
