"""The ids of the shards of a text, encoded by several processes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from foretext.base.errors import OutputError
from foretext.base.parsing import map_array, read_json
from foretext.corpus.blocks import Advance, Blocks
from foretext.corpus.text_shards import TextShards, shard_blocks
from foretext.data.units import MarkedBlock
from foretext.shards.portable import Portable
from foretext.shards.work import Fill
from foretext.tokenizers.base import EncodedBlock, Tokenizer

__all__ = ["encoded_shards", "open_encoder"]

OPENER = "foretext.data.shard_ids:open_encoder"
LENGTHS = "lengths.json"
FILES = dict(zip(EncodedBlock._fields, ("<u4", "<i8", "<i8"), strict=True))


def encoded_shards(
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
    for (name, dtype), array in zip(FILES.items(), block, strict=True):
        (folder / f"{name}.bin").write_bytes(array.astype(dtype).tobytes())
    lengths = {name: len(array) for name, array in zip(FILES, block, strict=True)}
    (folder / LENGTHS).write_text(json.dumps(lengths), encoding="utf-8")


def _read_block(folder: Path) -> EncodedBlock:
    """Read what `_write_block` wrote.

    Raises:
        OutputError: a file is missing or damaged.
    """
    lengths: dict[str, int] = read_json(folder / LENGTHS, OutputError, dict[str, int])
    return EncodedBlock(
        *(
            map_array(folder / f"{name}.bin", dtype, lengths.get(name, 0), OutputError)
            for name, dtype in FILES.items()
        )
    )
