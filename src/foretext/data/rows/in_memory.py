"""Labelled rows that Python holds, written as the file that would say the same.

So rows in memory take the road of files: the same checks, the same errors, "12 rows in memory, line
3" for a place. Rows are tuples, dicts or a table; a pair of texts and labels, as scikit-learn has
them, is a tuple of two.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

from foretext.base.counted import counted
from foretext.base.errors import CorpusError
from foretext.base.files import atomic_file
from foretext.corpus.foreign_tables import column_names, plain_value, table_rows
from foretext.corpus.sources import Source
from foretext.corpus.texts import is_file_or_source, spooled
from foretext.data.rows.parallel_files import ParallelFiles
from foretext.messages import message

__all__ = [
    "NO_TEXT",
    "RowSource",
    "RowTexts",
    "json_lines",
    "row_source",
    "tagged_blocks",
    "text_key",
    "write_rows",
]

RowSource: TypeAlias = str | Path | Source | ParallelFiles  # what rows are read from

TAGS = ("tags", "labels", "ner_tags", "pos_tags", "chunk_tags")  # of tokens; the first one wins

BLOCK = 1 << 18  # characters
SAMPLE = 1_000  # texts that are looked at
HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
SINGLE_RATE = 0.9  # share of Han tokens of one character, from which all of them are meant so
BLANK_BETWEEN = re.compile(
    r"(?<=[^\x00-\x7f]) | (?=[^\x00-\x7f])|(?<=\d) (?=\d)"
)  # Chinese, digits


def row_source(given: Any, lines_of: Callable[[Any], Iterator[str]]) -> RowSource:
    """Return the name of a file as it is, rows in memory as a source; `lines_of` writes them.

    Raises:
        CorpusError: there are no rows, or they are not what the task needs.
        OutputError: the temporary file cannot be written.
    """
    if is_file_or_source(given):
        return cast(RowSource, given)
    source = spooled(lines_of(given), "rows")
    if not source.count:
        raise CorpusError(message("errors.rows.none"))
    return source


def json_lines(given: Any, names: Sequence[str]) -> Iterator[str]:
    """Yield each row as a JSON object.

    Args:
        given: rows.
        names: of the values, where rows are tuples.

    Raises:
        CorpusError: a row is something else, or a tuple of another length.
    """
    for row in _rows(given, names):
        yield json.dumps(row, default=_as_json)


def tagged_blocks(given: Any) -> Iterator[str]:
    """Yield each sentence as lines of ``token<TAB>tag``, with an empty line after it.

    Args:
        given: rows of two lists, the tokens and their tags; as dicts under "tokens" and "tags".

    Raises:
        CorpusError: a row is something else, or its lists have different lengths.
    """
    for number, row in enumerate(_rows(given, ("tokens", "tags")), start=1):
        tokens = row.get("tokens")
        tags = next((row[name] for name in TAGS if name in row), None)
        if not isinstance(tokens, list | tuple) or not isinstance(tags, list | tuple):
            raise CorpusError(
                f"row {number} in memory has no two lists of tokens and tags, but "
                f"{_shown(row)}; give (tokens, tags), or a dict with 'tokens' and 'tags'."
            )
        if len(tokens) != len(tags):
            raise CorpusError(
                f"row {number} in memory has {counted(len(tokens), 'token')} and "
                f"{counted(len(tags), 'tag')}; give a tag "
                "for each token."
            )
        if tokens:
            yield "".join(_tagged_line(*pair, number) for pair in zip(tokens, tags, strict=True))


def _tagged_line(token: Any, tag: Any, number: int) -> str:
    for value in (token, tag):
        if {"\t", "\n"} & set(str(value)):
            raise CorpusError(
                f"row {number} in memory: {_shown(value)} holds a tab or a line end, which no "
                "token and no tag can have; replace it."
            )
    return f"{token}\t{tag}\n"


def _rows(given: Any, names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    if column_names(given) is not None:
        yield from table_rows(given)
        return
    for number, row in enumerate(_listed(given), start=1):
        if isinstance(row, Mapping):
            yield {str(name): plain_value(value) for name, value in row.items()}
        elif isinstance(row, list | tuple) and len(row) == len(names):
            yield dict(zip(names, map(plain_value, row), strict=True))
        else:
            expected = f"({', '.join(names)})"
            raise CorpusError(
                f"row {number} in memory is {_shown(row)} of type {type(row).__name__}; give "
                f"tuples {expected}, dicts, a table, or the two lists of scikit-learn, (X, y)."
            )


def _listed(given: Any) -> Iterable[Any]:
    """Return rows one by one; those of texts and labels side by side are put together."""
    if isinstance(given, tuple) and len(given) == 2:
        inputs, labels = (list(map(plain_value, part)) for part in given)
        if len(inputs) != len(labels):
            known = {"inputs": len(inputs), "labels": len(labels)}
            raise CorpusError(message("errors.rows.not_as_many", **known))
        pairs = zip(inputs, labels, strict=True)
        return ((*x, y) if isinstance(x, tuple) else (x, y) for x, y in pairs)
    try:
        return map(plain_value, given)
    except TypeError:
        raise CorpusError(
            f"{type(given).__name__} is nothing to read rows from; give a file, a list or a table."
        ) from None


def _as_json(value: Any) -> Any:
    plain = plain_value(value)
    return str(value) if plain is value else plain


def _shown(value: Any) -> str:
    text = str(value)
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


class RowTexts:
    """What tokenizers learn from (`foretext.corpus.Blocks`), out of memory.

    Args:
        texts: of the rows.
        are_tokens: whether blanks separate tokens that are given, as in tagged sentences.
        hold_answers: whether spans of them are answers, which words must not be longer than.
    """

    def __init__(
        self, texts: Sequence[str], *, are_tokens: bool = False, hold_answers: bool = False
    ) -> None:
        self.texts = texts
        self.are_tokens = are_tokens
        self.hold_answers = hold_answers
        self.bytes_read = 0

    @property
    def are_characters(self) -> bool:
        """Whether the tokens that are given are single characters, as Chinese is often tagged."""
        if not self.are_tokens:
            return False
        tokens = [token for text in self.texts[:SAMPLE] for token in text.split(" ")]
        han = [token for token in tokens if HAN.match(token)]
        single = sum(len(token) == 1 for token in han)
        return single > len(tokens) / 2 and single > SINGLE_RATE * len(han)

    @property
    def running(self) -> list[str]:
        """The texts as people write them: without blanks between characters that are tagged."""
        if not self.are_characters:
            return [*self.texts]
        return [BLANK_BETWEEN.sub("", text) for text in self.texts]

    @property
    def fingerprint(self) -> str:
        """Digest of the texts."""
        digest = hashlib.sha256()
        for text in self.texts:
            digest.update(text.encode() + b"\n")
        return digest.hexdigest()[:32]

    def blocks(self, size: int = BLOCK) -> Iterator[str]:
        """Yield each text as a document of one sentence, many in a block."""
        self.bytes_read = 0
        block: list[str] = []
        length = 0
        for text in self.texts:
            line = " ".join(text.split("\n"))
            block.append(f"{line}\n\n")
            length += len(line)
            if length >= size:
                yield self._read(block)
                block, length = [], 0
        if block:
            yield self._read(block)

    def word_settings(self) -> dict[str, Any]:
        """Return the settings of a word tokenizer that these texts need."""
        if self.hold_answers:
            return {"pre_tokenizer": "words_and_punctuation"}
        return {"pre_tokenizer": "whitespace"} if self.are_tokens else {}

    def running_settings(self) -> dict[str, Any]:
        """Return those that `running` needs: a character that is tagged is a word."""
        kept = self.word_settings()
        return {"pre_tokenizer": "words_and_punctuation"} if self.are_characters else kept

    def _read(self, block: list[str]) -> str:
        text = "".join(block)
        self.bytes_read += len(text.encode())
        return text


def text_key(text: str) -> bytes:
    """Return a hash of 64 bits, the same for texts that differ in white space, case or width."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return hashlib.blake2b(plain.encode(), digest_size=8).digest()


NO_TEXT = text_key("")


def write_rows(objects: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write a JSON object a line, in UTF-8; the file appears whole or not at all.

    Args:
        objects: rows, as `Task.objects_of` gives them.
        path: of the file, whose name ends with ``.jsonl``.

    Raises:
        OutputError: it cannot be written.
    """
    lines = (f"{json.dumps(each, ensure_ascii=False)}\n" for each in objects)
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(lines)
