"""What a vector file is: by its first bytes, then by its name."""

from __future__ import annotations

from pathlib import Path

from foretext.base.errors import VectorFileError
from foretext.corpus.compression import without_compression_suffix
from foretext.messages import message
from foretext.vectors.formats.glove_text import num_dimensions
from foretext.vectors.formats.lines import is_number, refuse_carriage_returns
from foretext.vectors.formats.table import open_input
from foretext.vectors.formats.word2vec_text import parse_header

__all__ = ["detect_format", "format_of_name"]

_HEAD_BYTES = 1 << 20  # more than a line of 50,000 numbers
_SAFETENSORS_HEADER_BYTES = 100_000_000  # the longest header the format allows

_FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")

# First bytes that tell a file of another kind; none of them can begin UTF-8 text.
_OTHER_KINDS = {
    b"\x80": (
        "a pickle, perhaps a gensim .model, and pickles can run code, so none is read; in gensim "
        "write `model.wv.save_word2vec_format('vectors.bin', binary=True)` and load that"
    ),
    b"\x93NUMPY": (
        "a NumPy array without words; build it in Python as `WordVectors(words, array)` and save "
        "that"
    ),
}
_SUFFIXES = {
    ".safetensors": "safetensors",
    ".bin": "word2vec-bin",
    ".txt": "word2vec",
    ".vec": "word2vec",
}


def detect_format(path: Path) -> str:
    """Return the name of the format that `path` is in.

    Raises:
        VectorFileError: the file cannot be read, is empty, or is no vector file.
    """
    with open_input(path) as file:
        head = file.read(_HEAD_BYTES)
    if not head.strip():
        raise VectorFileError(message("files.vectors.empty", path=path))
    if _is_safetensors(head):  # first, because its first bytes are a length and may be any
        return "safetensors"
    if head.startswith(_FASTTEXT_MAGIC):
        return "fasttext"
    for magic, kind in _OTHER_KINDS.items():
        if head.startswith(magic):
            raise VectorFileError(f"{path} is {kind}.")
    refuse_carriage_returns(head, path)
    found = _format_of_rows(head) or format_of_name(path)
    if found is None:
        raise VectorFileError(message("files.vectors.none", path=path))
    return found


def format_of_name(path: Path) -> str | None:
    """Return the format that a file's name stands for, or None."""
    name = without_compression_suffix(path.name.lower())
    if name.endswith(".glove.txt") or (name.startswith("glove") and name.endswith(".txt")):
        return "glove"
    return _SUFFIXES.get(Path(name).suffix)


def _format_of_rows(head: bytes) -> str | None:
    first, _, rest = head.partition(b"\n")
    header = parse_header(first)
    row = rest.partition(b"\n")[0].split()
    if header is not None and not (header[1] != 1 and len(row) == 2 and is_number(row[1])):
        return "word2vec" if _is_text_row(row, header[1]) else "word2vec-bin"
    return "glove" if num_dimensions(first) else None


def _is_safetensors(head: bytes) -> bool:
    header_bytes = int.from_bytes(head[:8], "little")
    return head[8:9] == b"{" and header_bytes <= _SAFETENSORS_HEADER_BYTES


def _is_text_row(row: list[bytes], dim: int) -> bool:
    """Whether numbers follow the word; three in a row do not come about in binary by chance."""
    numbers = row[1:][-dim:]
    return len(numbers) >= min(dim, 3) and all(is_number(field) for field in numbers)
