"""The user's list of entities: names of people, places and things, one a line."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from foretext.base.errors import CorpusError
from foretext.base.parsing import read_bytes
from foretext.base.parsing.json_file import with_line_feeds
from foretext.corpus.decoding import guessed
from foretext.messages import message

__all__ = ["read_entities"]

SAMPLE = 1 << 16  # bytes around a bad one


def read_entities(path: Path) -> list[str]:
    """Return the entities of a UTF-8 file, each once, sorted, in the normal form NFC.

    Empty lines, blanks around an entity, and a byte order mark are ignored.

    Raises:
        CorpusError: the file is missing, not UTF-8, or has no entity.
    """
    lines = with_line_feeds(_text(path)).split("\n")
    names = {" ".join(unicodedata.normalize("NFC", line).split()) for line in lines} - {""}
    if not names:
        raise CorpusError(message("files.text.no_entity", path=path))
    return sorted(names)


def _text(path: Path) -> str:
    data = read_bytes(path, CorpusError)
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise CorpusError(
            f"{path}, line {line}: a NUL byte, which no UTF-8 text has; a list of entities is a "
            "text file with one entity a line: save it again as UTF-8."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        likely = guessed(data[max(error.start - SAMPLE, 0) : error.start + SAMPLE])
        remedy = "correct that line" if likely is None else "save it again as UTF-8"
        if likely:
            names = " or ".join(likely)
            remedy = f"it looks like {names}: convert it with `iconv -f {likely[0]} -t utf-8`"
        raise CorpusError(
            f"{path}, line {line}: byte {error.start:,} (0x{data[error.start]:02x}) is not UTF-8; "
            f"{remedy}."
        ) from None
