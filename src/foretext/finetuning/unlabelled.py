"""Texts without labels, from any file: for a teacher, more pretraining, or consistency."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from foretext.base.config import Config
from foretext.base.errors import CorpusError
from foretext.corpus.foreign_tables import column_names
from foretext.data.rows import InputColumns, InputFile, LabelledText, input_files, text_inputs
from foretext.data.rows.in_memory import RowSource, json_lines, row_source
from foretext.data.rows.settings import RowsConfig
from foretext.data.rows.text_key import NO_TEXT, text_key
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.task_rows import TaskRows

__all__ = ["new_texts", "read_unlabelled", "unlabelled_source"]

NAMES = {"valid": "held-out", "test": "test"}


def unlabelled_source(given: Any) -> RowSource:
    """Return the name of a file as it is, and texts that Python holds as `read_unlabelled` reads.

    Args:
        given: a file, strings, or a table with their column.

    Raises:
        CorpusError: there are no texts, or they are something else.
    """
    return row_source(given, _lines_of)


def read_unlabelled(source: RowSource, config: Config) -> list[LabelledText]:
    """Read texts: one a line, or the column of a table. Labels are not read.

    Args:
        source: of the texts.
        config: of the rows to learn from; the column of a text has the same name, or is "text".

    Raises:
        CorpusError: a file cannot be read, or has no text.
    """
    known = config.model_dump(include={*RowsConfig.model_fields} - {"format"})
    reading = RowsConfig.checked(known, "rows")
    rows = [row for file in input_files(source, reading) for row in _rows(file, reading)]
    if not any(row.text.strip() for row in rows):
        raise CorpusError(f"--unlabelled {source} has no text; give a file with one text a line.")
    return rows


def new_texts(job: FinetuneJob, rows: TaskRows) -> list[LabelledText]:
    """Return the unlabelled texts that are new: each once, without those to learn from.

    Those of held-out and test rows stay, with a warning: figures of known texts say too much.
    """
    known = {text_key(row.text) for row in rows.train} | {NO_TEXT}
    found: dict[bytes, LabelledText] = {}
    for row in rows.unlabelled:
        key = text_key(row.text)
        if key not in known:
            found.setdefault(key, row)
    if dropped := len(rows.unlabelled) - len(found):
        job.note(
            f"{dropped:,} of {len(rows.unlabelled):,} unlabelled rows are left out: they are "
            "empty, repeat another one, or stand among the rows to learn from"
        )
    for part, own in (("valid", rows.valid), ("test", rows.test)):
        if both := [row for row in own if text_key(row.text) in found]:
            job.warn(
                f"{len(both):,} of {len(own):,} {NAMES[part]} rows are among the unlabelled rows, "
                f"such as {both[0].place}; the model learns from these texts, so remove them to "
                "see how good it is at new ones"
            )
    return list(found.values())


def _lines_of(given: Any) -> Iterator[str]:
    is_table = column_names(given) is not None
    return json_lines(given if is_table else list(_as_tuples(given)), ("text",))


def _as_tuples(given: Iterable[Any]) -> Iterator[Any]:
    for each in given:
        yield (each,) if isinstance(each, str) else each


def _rows(file: InputFile, config: RowsConfig) -> Sequence[LabelledText]:
    texts = (
        each.texts[0] for each in text_inputs(file, InputColumns(("text",), config, labels=None))
    )
    return [LabelledText(text, (), f"{file.name}:{line}") for line, text in enumerate(texts, 1)]
