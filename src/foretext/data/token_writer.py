"""From corpus to token files: one streamed pass, split into training and validation text."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from foretext.base.errors import CorpusError, OutputError
from foretext.base.files import atomic_folder
from foretext.base.parsing import map_array, read_json
from foretext.corpus.blocks import Advance, Blocks, map_blocks
from foretext.corpus.text_shards import TextShards, shard_blocks
from foretext.data.token_file import Encode, MarkedBlock, TokenFile, TokenMeta, Tokens
from foretext.shards.portable import Portable
from foretext.shards.work import Fill
from foretext.tokenizers.base import EncodedBlock, Tokenizer

if TYPE_CHECKING:
    from foretext.data.segmenter import Segmenter

__all__ = ["open_encoder", "write_tokens"]

LAYOUT = 1  # version of the files; part of the fingerprint
FILES = ("ids", "sentence_starts", "document_starts")
LENGTHS = ("num_tokens", "num_sentences", "num_documents")
TOKENS_AT_ONCE = 1 << 20  # about, of a text that is encoded already

# From the number of each sentence's document and of the sentence in the corpus, both (S,), to
# whether the sentence is held out, (S,) bool
Chooser = Callable[[np.ndarray, np.ndarray], np.ndarray]

OPENER = "foretext.data.token_writer:open_encoder"
SHARD_LENGTHS = "lengths.json"
SHARD_FILES = dict(zip(EncodedBlock._fields, ("<u4", "<i8", "<i8"), strict=True))


def write_tokens(
    corpus: Blocks,
    tokenizer: Tokenizer,
    folder: Path,
    *,
    valid_rate: float = 0.0,
    seed: int = 0,
    workers: int = 1,
    progress: Advance | None = None,
    segmenter: Segmenter | None = None,
    encoded: TokenFile | None = None,
    shards: TextShards | None = None,
) -> Tokens:
    """Encode a corpus into ``folder/train`` and ``folder/valid``, unless both exist already.

    Existing files are used if they have the same corpus, tokenizer, segmenter, rate and seed. A
    document is held out if the hash of its number and `seed` is below `valid_rate`, so that neither
    threads nor the size of blocks matter. If one side is empty, the last document is held out; of a
    single document the last sentences, as many as the rate says, at least one. A single sentence
    leaves nothing to hold out.

    A `segmenter` marks words and entities; without one there is no file of units. Where the whole
    corpus is `encoded` already, by this tokenizer and segmenter, it is only divided; the files are
    the same.

    With `shards`, processes encode in the place of threads, and what is encoded once is there after
    a kill; the files are the same. They do so without a `segmenter` and for a tokenizer that other
    processes can make; other text is encoded as without them.

    Raises:
        CorpusError: the corpus contains no word.
        OutputError: `folder` cannot be written, or contains other files.
    """
    marked_by = "" if segmenter is None else segmenter.fingerprint
    parts: tuple[Any, ...] = (LAYOUT, corpus.fingerprint, tokenizer.fingerprint, valid_rate, seed)
    parts = (*parts, marked_by) if marked_by else parts
    fingerprint = hashlib.sha256(repr(parts).encode()).hexdigest()[:32]
    meta = {"fingerprint": fingerprint, "vocab_size": tokenizer.vocab_size}
    meta |= {"segmenter": marked_by} if marked_by else {}
    if _is_made(folder, fingerprint):
        return Tokens.open(folder)
    with atomic_folder(folder) as temporary, _encoder(tokenizer, segmenter, workers) as work:

        def blocks(progress: Advance | None) -> Iterator[MarkedBlock]:
            if encoded is not None:
                return _blocks_of(encoded)
            portable = tokenizer.portable if segmenter is None else None
            if shards is not None and portable is not None:
                return _encoded_shards(corpus, portable, shards, progress)
            return map_blocks(work, corpus, workers, progress)

        train, valid = _divide(blocks(progress), temporary, meta, _drawn(valid_rate, seed))
        if valid_rate > 0 and not (train.num_documents and valid.num_documents):
            last = _last(train, valid, valid_rate)
            train, valid = _divide(blocks(None), temporary, meta, last)
        if not valid.num_documents:
            shutil.rmtree(valid.folder)
        if not train.num_documents:
            raise CorpusError("The corpus contains no word; give files with text.")
    return Tokens.open(folder)


def _is_made(folder: Path, fingerprint: str) -> bool:
    if not folder.is_dir() or not any(folder.iterdir()):
        return False
    if not (folder / "train" / "meta.json").is_file():
        raise OutputError(f"{folder} contains other files, not tokens; choose another folder.")
    return TokenMeta.read(folder / "train").fingerprint == fingerprint


def _encoder(
    tokenizer: Tokenizer, segmenter: Segmenter | None, workers: int
) -> AbstractContextManager[Encode]:
    if segmenter is not None:
        return segmenter.opened(workers)
    return nullcontext(lambda text: MarkedBlock(tokenizer.encode_block(text), None))


def _divide(
    blocks: Iterable[MarkedBlock], folder: Path, meta: dict[str, Any], held_out: Chooser
) -> tuple[_Writer, _Writer]:
    """Write all sentences, each to one of two folders; returns the writers, closed."""
    num_documents, num_sentences = 0, 0
    with _Writer(folder / "train", meta) as train, _Writer(folder / "valid", meta) as valid:
        for marked in blocks:
            block = marked.block
            documents = _documents_of_sentences(block)
            sentences = np.arange(len(documents))
            chosen = held_out(num_documents + documents, num_sentences + sentences)
            train.append(marked, documents, ~chosen)
            valid.append(marked, documents, chosen)
            num_documents += len(block.document_starts)
            num_sentences += len(block.sentence_starts)
    return train, valid


def _blocks_of(tokens: TokenFile) -> Iterator[MarkedBlock]:
    """Yield a text that is encoded, in blocks of whole documents."""
    at, num_sentences = 0, 0
    while at < tokens.num_documents:
        begin = tokens.document_starts[at]
        after = np.searchsorted(tokens.document_starts, begin + TOKENS_AT_ONCE)
        after = min(max(int(after), at + 1), tokens.num_documents)
        end = tokens.document_starts[after]
        next_sentence = int(np.searchsorted(tokens.sentence_starts, end))
        block = EncodedBlock(
            tokens.ids[begin:end],
            tokens.sentence_starts[num_sentences:next_sentence] - begin,
            tokens.document_starts[at:after] - begin,
        )
        yield MarkedBlock(block, None if tokens.units is None else tokens.units[begin:end])
        at, num_sentences = after, next_sentence


def _documents_of_sentences(block: EncodedBlock) -> np.ndarray:
    """(S,) the number of each sentence's document within the block."""
    return np.searchsorted(block.document_starts, block.sentence_starts, side="right") - 1


def _drawn(rate: float, seed: int) -> Chooser:
    """Hold out documents by a hash of their number (the finaliser of SplitMix64)."""
    key = np.uint64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])

    def chosen(documents: np.ndarray, _: np.ndarray) -> np.ndarray:
        mixed = documents.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + key
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return (mixed ^ (mixed >> np.uint64(31))) * 2.0**-64 < rate

    return chosen


def _last(train: _Writer, valid: _Writer, rate: float) -> Chooser:
    """Hold out the last document; of a single one the last sentences."""
    num_documents = train.num_documents + valid.num_documents
    num_sentences = train.num_sentences + valid.num_sentences
    first = max(1, num_sentences - max(1, int(rate * num_sentences)))
    if num_documents > 1:
        return lambda documents, _: documents == num_documents - 1
    return lambda _, sentences: sentences >= first


class _Writer:
    """Appends to the files of a token file; leaving it writes ``meta.json``."""

    def __init__(self, folder: Path, meta: dict[str, Any]) -> None:
        self.folder = folder
        self.meta = meta
        self.dtype = np.uint16 if meta["vocab_size"] <= 1 << 16 else np.uint32
        self.num_tokens, self.num_sentences, self.num_documents = 0, 0, 0
        self.names = (*FILES, "units") if "segmenter" in meta else FILES
        self.checksums = dict.fromkeys(self.names, 0)

    def __enter__(self) -> Self:
        self.folder.mkdir(exist_ok=True)
        self.files = {name: (self.folder / f"{name}.bin").open("wb") for name in self.names}
        return self

    def append(self, marked: MarkedBlock, documents: np.ndarray, chosen: np.ndarray) -> None:
        """Add the chosen sentences: (S,) bool; `documents` (S,) says which belong together."""
        block = marked.block
        lengths = np.diff(block.sentence_starts, append=len(block.ids))
        tokens = np.repeat(chosen, lengths)
        self._write("ids", block.ids[tokens].astype(self.dtype))
        if marked.units is not None:
            self._write("units", marked.units[tokens])
        starts = self.num_tokens + np.cumsum(lengths[chosen]) - lengths[chosen]
        firsts = np.flatnonzero(np.diff(documents[chosen], prepend=-1))
        self._write("sentence_starts", starts)
        self._write("document_starts", starts[firsts])
        self.num_tokens += int(lengths[chosen].sum())
        self.num_sentences += len(starts)
        self.num_documents += len(firsts)

    def _write(self, name: str, numbers: np.ndarray) -> None:
        self.files[name].write(numbers.data)
        self.checksums[name] = zlib.crc32(numbers.data, self.checksums[name])

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with ExitStack() as files:  # all are closed, even where one has no room for its last bytes
            for file in self.files.values():
                files.enter_context(file)
            if kind is None:
                self._finish()

    def _finish(self) -> None:
        for name in ("sentence_starts", "document_starts"):
            self._write(name, np.array([self.num_tokens], np.int64))
        for file in self.files.values():
            file.flush()
            os.fsync(file.fileno())
        lengths = {name: getattr(self, name) for name in LENGTHS}
        meta = {**self.meta, "dtype": np.dtype(self.dtype).name, **lengths}
        meta["checksums"] = self.checksums
        (self.folder / "meta.json").write_text(
            json.dumps(meta, indent=2) + "\n", encoding="utf-8", newline="\n"
        )


def _encoded_shards(
    corpus: Blocks, tokenizer: Portable, shards: TextShards, progress: Advance | None = None
) -> Iterator[MarkedBlock]:
    """Yield the ids of each shard of a text, in order; none has marks of words.

    Raises:
        ForetextError: the text cannot be read, or a shard not be encoded.
    """
    for done in shards.run(corpus, OPENER, tokenizer.written(), progress):
        yield MarkedBlock(_read_block(done.folder), None)


def open_encoder(settings: str) -> Fill:
    """Return what encodes shards, for `foretext.shards.ShardWork`.

    Args:
        settings: a tokenizer, as `Portable.written` returns it.
    """
    tokenizer: Tokenizer = Portable.read(settings).made()

    def fill(data: bytes, folder: Path) -> None:
        _write_block(folder, _joined([tokenizer.encode_block(text) for text in shard_blocks(data)]))

    return fill


def _joined(blocks: list[EncodedBlock]) -> EncodedBlock:
    firsts = np.cumsum([0, *(len(block.ids) for block in blocks)])[:-1]
    pairs = list(zip(firsts, blocks, strict=True))
    return EncodedBlock(
        np.concatenate([block.ids for block in blocks]),
        np.concatenate([first + block.sentence_starts for first, block in pairs]),
        np.concatenate([first + block.document_starts for first, block in pairs]),
    )


def _write_block(folder: Path, block: EncodedBlock) -> None:
    for (name, dtype), array in zip(SHARD_FILES.items(), block, strict=True):
        (folder / f"{name}.bin").write_bytes(array.astype(dtype).tobytes())
    lengths = {name: len(array) for name, array in zip(SHARD_FILES, block, strict=True)}
    (folder / SHARD_LENGTHS).write_text(json.dumps(lengths), encoding="utf-8", newline="\n")


def _read_block(folder: Path) -> EncodedBlock:
    """Read what `_write_block` wrote.

    Raises:
        OutputError: a file is missing or damaged.
    """
    lengths: dict[str, int] = read_json(folder / SHARD_LENGTHS, OutputError, dict[str, int])
    return EncodedBlock(
        *(
            map_array(folder / f"{name}.bin", dtype, lengths.get(name, 0), OutputError)
            for name, dtype in SHARD_FILES.items()
        )
    )
