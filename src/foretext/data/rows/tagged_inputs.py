"""Sentences as the inputs of a tagger: texts, or the tokens of CoNLL, of JSON and of Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from foretext.base.errors import CorpusError, SettingError
from foretext.base.parsing.json_file import json_object
from foretext.corpus.column_lookup import has_column, value_at
from foretext.corpus.compression import without_compression_suffix
from foretext.corpus.decoding import normalize
from foretext.data.rows.input_file import InputFile
from foretext.data.rows.input_rows import InputColumns, KeptInput, text_inputs
from foretext.data.rows.record import Record
from foretext.data.rows.records import json_records
from foretext.data.rows.tagged import TOKENS, TaggedConfig, read_tagged
from foretext.data.rows.token_lines import are_token_lines

__all__ = ["tagged_inputs"]

OF_TOKENS = (".conll", ".conllu", ".bio", ".iob", ".iob2")


def tagged_inputs(file: InputFile, wanted: InputColumns) -> Iterator[KeptInput]:
    """Yield the inputs of a file; behind the text of a sentence of tokens stand its tokens.

    Raises:
        CorpusError: the file cannot be read, or a sentence is wrong.
        SettingError: columns of CoNLL are to be kept.
    """
    if file.has_records:
        yield from (_of_record(record, wanted) for record in file.records())
    elif _holds_tokens(file, wanted):
        yield from _of_columns(file, wanted)
    elif "text" not in wanted.columns and (
        _list_of(json_object(file.first) or {}, wanted) or _is_array(file)
    ):
        records = json_records(file.lines(), file.name)
        yield from (_of_record(record, wanted) for record in records)
    else:
        yield from text_inputs(file, wanted)


def _holds_tokens(file: InputFile, wanted: InputColumns) -> bool:
    """Whether each line is a token: its columns are named, or the suffix or the tags say so."""
    if "text" in wanted.columns or json_object(file.first) is not None:
        return False
    if {"token", "tag"} & wanted.columns.keys():
        return True
    suffix = PurePosixPath(without_compression_suffix(file.name)).suffix.lower()
    return suffix in OF_TOKENS or are_token_lines(file.head, wanted.labels or ())


def _is_array(file: InputFile) -> bool:
    """Whether a file is one JSON array, as Label Studio exports it."""
    return file.format == "jsonl" and file.first.lstrip().startswith("[")


def _of_columns(file: InputFile, wanted: InputColumns) -> Iterator[KeptInput]:
    if wanted.keep:
        raise SettingError(
            f"--keep {wanted.keep[0]}: {file.name} has a token a line, and an answer is of a "
            "sentence; leave it out, or give JSON objects with 'tokens'."
        )
    learned = wanted.learned.model_dump(include={*TaggedConfig.model_fields})
    named: dict[str, Any] = {
        name: wanted.columns[name] for name in ("token",) if name in wanted.columns
    }
    source, encoding = file.whole()
    chosen = {**learned, **named, "tag": None, "encoding": encoding}
    for sentence in read_tagged(source, TaggedConfig.checked(chosen, "rows")):
        yield KeptInput((sentence.text, *sentence.tokens), {})


def _list_of(values: Mapping[Any, Any], wanted: InputColumns) -> str:
    """Return the name of the list of tokens in a row, "" without one.

    It is the one that is named now, that of the training, or a usual one.
    """
    if isinstance(named := wanted.columns.get("token"), str):
        return named
    learned = wanted.learned.model_dump(include={"token"}).get("token")
    names = (learned, *TOKENS) if isinstance(learned, str) else TOKENS
    return next((name for name in names if _may_be_tokens(values, name)), "")


def _may_be_tokens(values: Mapping[Any, Any], name: str) -> bool:
    """Whether there is such a column; of one that is called `words`, whether it holds texts."""
    found = value_at(values, name) if has_column(values, name) else None
    if name != TOKENS[1]:
        return found is not None
    return isinstance(found, list) and all(isinstance(each, str) for each in found)


def _of_record(record: Record, wanted: InputColumns) -> KeptInput:
    """Return the tokens of an object, or else its text."""
    name = "" if "text" in wanted.columns else _list_of(record.values, wanted)
    if not name:
        return wanted.input_of(record)
    tokens = record.value(name)
    if not isinstance(tokens, list) or not all(isinstance(each, str) and each for each in tokens):
        raise record.error(f"'{name}' holds no list of texts; give the words of a sentence.")
    words = [normalize(record.whole(each, name), wanted.normal_form) for each in tokens]
    if not words:
        raise CorpusError(f"{record.place}: the sentence has no tokens; remove it.")
    return KeptInput(
        (" ".join(words), *words), {each: wanted.kept(each, record) for each in wanted.keep}
    )
