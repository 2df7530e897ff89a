"""spaCy's DocBin: tokens with entities, parts of speech, or categories of whole texts.

Entities are `doc.ents`, or the spans of `doc.spans["sc"]` where a document has those alone.
https://spacy.io/api/docbin
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from foretext.base.errors import CorpusError, MissingExtraError
from foretext.base.files import atomic_file
from foretext.corpus.sources import Source
from foretext.corpus.text_tokens import split_text
from foretext.data.rows.label_formats.label_format import LabelFormat, LabelTask
from foretext.data.rows.record import Record

__all__ = ["DocBinFile", "docbin_records"]

LARGEST = 256 << 20  # bytes of a file, unpacked: as of a row of text
PIECE = 1 << 20  # bytes that are unpacked at once, to count them
CHOSEN = 0.5  # from which a category is a label
SPANS_KEY = "sc"  # of spaCy's span categorizer
UPOS = frozenset(
    {
        "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
        "PUNCT", "SCONJ", "SYM", "VERB", "X",
    }
)  # fmt: skip


class DocBinFile(LabelFormat):
    """A file of `spacy train`."""

    name = "docbin"
    suffixes = (".spacy",)
    is_of_tokens = True
    why_not: ClassVar[str] = ""

    def write(self, tasks: Sequence[LabelTask], path: Path) -> None:
        """Write a document a task; see `LabelFormat.write`."""
        spacy = _spacy(f"Writing {path}")
        vocab = spacy.vocab.Vocab()
        found = spacy.tokens.DocBin(store_user_data=False)
        choices = sorted({str(label) for task in tasks for label in (*task.labels, *task.choices)})
        for task in tasks:
            found.add(_doc(task, spacy, vocab, choices))
        with atomic_file(path) as temporary:
            temporary.write_bytes(found.to_bytes())


def docbin_records(source: Source) -> Iterator[Record]:
    """Yield the documents of a file; each is located by its number, from 1.

    Raises:
        MissingExtraError: spaCy is not installed.
        CorpusError: the file is damaged, or no DocBin.
    """
    spacy = _spacy(f"Reading {source.name}")
    with source.open() as file:
        data = file.read(LARGEST + 1)  # packed, it is smaller
    if len(data) > LARGEST or _is_too_large(data):
        raise CorpusError(
            f"{source.name} holds more than {LARGEST:,} bytes; divide its documents among files."
        )
    try:
        found = spacy.tokens.DocBin().from_bytes(data)
        documents = list(found.get_docs(spacy.vocab.Vocab()))
    except Exception as error:  # of spaCy, of msgpack and of zlib, which share no class
        raise CorpusError(
            f"{source.name} is no whole DocBin of spaCy ({type(error).__name__}); write it again "
            "with `DocBin.to_disk`."
        ) from None
    for number, document in enumerate(documents, start=1):
        yield Record(_values(document), source.name, number)


def _is_too_large(data: bytes) -> bool:
    """Whether the unpacked bytes are too many, of which a piece is in memory at once."""
    unpacker, size = zlib.decompressobj(), 0
    try:
        while data and size <= LARGEST:
            piece = unpacker.decompress(data, PIECE)
            size, data = size + len(piece), unpacker.unconsumed_tail
            if not piece and unpacker.eof:
                break
    except zlib.error:  # whoever reads it says that it is damaged
        return False
    return size > LARGEST


def _spacy(purpose: str) -> Any:
    try:
        import spacy
        import spacy.tokens
    except ImportError as error:
        raise MissingExtraError("spacy", "spacy", purpose) from error
    return spacy


def _values(document: Any) -> dict[str, Any]:
    """Return a document as a row of JSON would have it."""
    words = [token for token in document if token.text.strip()]
    values: dict[str, Any] = {"text": document.text, "tokens": [word.text for word in words]}
    if document.cats:
        chosen = [name for name, score in document.cats.items() if score >= CHOSEN]
        values["label"] = chosen
    found = document.ents or document.spans.get(SPANS_KEY, ())
    if not found and not document.has_annotation("ENT_IOB"):
        named = next((name for name in ("TAG", "POS") if document.has_annotation(name)), None)
        if named is not None:
            return {**values, "tags": [getattr(word, f"{named.lower()}_") for word in words]}
    values["spans"] = [
        {"start": span.start_char, "end": span.end_char, "label": span.label_} for span in found
    ]
    return values


def _doc(task: LabelTask, spacy: Any, vocab: Any, choices: Sequence[str]) -> Any:
    words = [token.text for token in split_text(task.text)] if task.tokens is None else task.words
    words, blanks = spacy.util.get_words_and_spaces(words, task.text)
    document = spacy.tokens.Doc(vocab, words=words, spaces=blanks)
    if task.spans is None:
        document.cats = {name: float(name in map(str, task.labels)) for name in choices}
        return document
    if task.spans or not task.tags or {*task.tags} <= {"O"}:
        document.set_ents([document.char_span(*span) for span in task.spans])
        return document
    own = [token for token in document if token.text.strip()]
    for token, tag in zip(own, task.tags, strict=True):
        token.tag_ = tag
        if tag in UPOS:
            token.pos_ = tag
    return document
