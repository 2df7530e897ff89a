"""Rows of files as the inputs of a predictor, with columns that are copied to its answers.

A file is a table where its first line, or the rows of the training, name its columns; else each of
its lines is an input. Columns of labels, scores and targets are no part of an input.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from foretext.base.errors import CorpusError, SettingError
from foretext.base.parsing.json_file import json_object
from foretext.corpus.decoding import normalize
from foretext.data.rows.fasttext_lines import fasttext_records, is_fasttext
from foretext.data.rows.input_columns import (
    InputColumns,
    InputsConfig,
    KeptInput,
    Places,
    absent,
    option,
)
from foretext.data.rows.input_file import InputFile
from foretext.data.rows.inputs import line_input
from foretext.data.rows.record import Record, missing
from foretext.data.rows.records import json_records
from foretext.data.rows.settings import LabelledConfig, RowsConfig, as_columns
from foretext.data.rows.table import (
    cells_of_csv,
    csv_records,
    first_row_of_csv,
    rows_of_csv,
    tsv_records,
)
from foretext.data.rows.trec_lines import are_trec, trec_records
from foretext.messages import message

__all__ = ["InputColumns", "InputsConfig", "KeptInput", "text_inputs"]

ALIKE = 0.9  # share of lines with the columns of the first one, from which a plain file is a table
MOST = 0.5  # share of lines of a form, above which a plain file has this form
KNOWN = 0.5  # share of values that are labels of the model, from which a column is theirs


def text_inputs(file: InputFile, wanted: InputColumns) -> Iterator[KeptInput]:
    """Yield the inputs of a file: of a table, of JSON objects, or of plain lines.

    Raises:
        CorpusError: the file cannot be read, a row is wrong, or a column is missing.
        SettingError: columns are to be kept, and the file has none.
    """
    if file.has_records:
        yield from map(wanted.input_of, file.records())
        return
    form = _form(file, wanted)
    if form == "lines":
        yield from _of_lines(file, wanted)
    elif form == "jsonl":
        yield from map(wanted.input_of, json_records(file.lines(), file.name))
    elif form in ("fasttext", "trec"):
        config = RowsConfig.checked(_without_columns(form, wanted), "rows")
        read_labelled = trec_records if form == "trec" else fasttext_records
        records = read_labelled(file.lines(), file.name, config)
        yield from (wanted.input_of(record, {"text": ("text",)}) for record in records)
    else:
        read = csv_records if form == "csv" else tsv_records
        cells = first_row_of_csv(file.head) if form == "csv" else file.first.split("\t")
        found = _layout(cells, file, wanted, is_csv=form == "csv")
        header, places = found or _no_layout(cells, file, wanted)
        wide = file.config.ragged
        records = read(file.lines(), file.name, () if header else None, ragged=wide)
        yield from (wanted.input_of(record, places) for record in records)


def _form(file: InputFile, wanted: InputColumns) -> str:
    """Return what a file is: "csv", "tsv", "jsonl", "fasttext", "trec" or "lines"."""
    first = file.first
    if file.format in ("csv", "jsonl", "fasttext", "trec"):
        return file.format
    if json_object(first) is not None and _are_mostly(_is_object, file):
        return "jsonl"
    if wanted.fields == ("text",) and not wanted.columns and _is_of_fasttext(file, wanted):
        return "fasttext"
    if wanted.fields == ("text",) and _is_of_trec(file, wanted):
        return "trec"
    if "\t" in first:
        layout = _layout(first.split("\t"), file, wanted)
        if layout is not None or (file.format == "tsv" and _is_table(file)) or wanted.columns:
            return "tsv"
        _doubt_columns(file, wanted)
        return "lines"
    if file.format == "tsv" and _names_all([first], wanted):
        return "tsv"
    if _has_header_of_csv(file, wanted) or _has_commas(file, wanted):
        return "csv"
    return "tsv" if wanted.columns else "lines"


def _are_mostly(has_form: Callable[[str], bool], file: InputFile) -> bool:
    """Whether most of the first lines have a form."""
    lines = [line for line in file.head if line.strip()]
    return sum(map(has_form, lines)) > MOST * len(lines)


def _is_object(line: str) -> bool:
    return json_object(line) is not None


def _is_of_fasttext(file: InputFile, wanted: InputColumns) -> bool:
    config = _fasttext(wanted)
    if not is_fasttext(file.first, config):
        return False
    return _are_mostly(lambda line: is_fasttext(line, config), file)


def _is_of_trec(file: InputFile, wanted: InputColumns) -> bool:
    return file.is_plain and not wanted.columns and are_trec(file.head)


def _layout(
    cells: Sequence[str], file: InputFile, wanted: InputColumns, *, is_csv: bool = False
) -> tuple[bool, Places] | None:
    """Return whether a table has a header, and the columns of the fields; None: nobody knows."""
    if wanted.columns:
        return _chosen(cells, file, wanted)
    if names := _names_all(cells, wanted):
        return True, names
    if file.format == "csv" and len(cells) > 1 and not _is_numbered(wanted):
        return None
    width = len(cells)
    if not is_csv and _share_of_width(file, width) < ALIKE:
        return None
    learned = {name: wanted.learned_columns(name) for name in wanted.fields}
    numbers = [column for each in learned.values() for column in each]
    if numbers and all(isinstance(each, int) and each <= width for each in numbers):
        return False, learned
    return _usual_places(width, file, wanted)


def _chosen(cells: Sequence[str], file: InputFile, wanted: InputColumns) -> tuple[bool, Places]:
    """Return the columns that are named now, by name or by number."""
    named = {
        name: as_columns(wanted.columns[name]) for name in wanted.fields if name in wanted.columns
    }
    numbered = any(isinstance(column, int) for columns in named.values() for column in columns)
    if numbered and (names := _names_all(cells, wanted, usual=True)):
        shown = ", ".join(repr(str(cell)[:40]) for cell in cells[:12])
        name = next(iter(names))
        raise CorpusError(
            f"{file.name}, line 1: columns that have numbers are those of a file without a header, "
            f"but this row looks like one ({shown}); name the column ({option(name)} {name})."
        )
    header = Record({cell: cell for cell in cells}, file.name, 1)
    others = wanted.learned_columns if numbered else lambda name: wanted.named(name, header)
    places = {name: named.get(name) or others(name) for name in wanted.fields}
    every = [column for columns in places.values() for column in columns]
    unnamed = next((name for name in wanted.fields if name not in named), None)
    if unnamed is not None and numbered and not all(isinstance(each, int) for each in every):
        raise SettingError(
            f"name the columns all by name (the file has a header) or all by number (it has none): "
            f"give {option(unnamed)}, too."
        )
    present: Sequence[Any] = range(1, len(cells) + 1) if numbered else cells
    for column in every:
        if column not in present:
            cause = missing(column, present)
            raise CorpusError(message("errors.at_line", file=file.name, line=1, cause=cause))
    return not numbered, places


def _names_all(cells: Sequence[str], wanted: InputColumns, *, usual: bool = False) -> Places | None:
    """Return the columns of the fields, if a row names all of them; None: it does not."""
    learned = {name: wanted.learned_columns(name) for name in wanted.fields}
    if not usual and all(each and {*each} <= {*cells} for each in learned.values()):
        return learned
    return {name: (name,) for name in wanted.fields} if {*wanted.fields} <= {*cells} else None


def _usual_places(width: int, file: InputFile, wanted: InputColumns) -> tuple[bool, Places] | None:
    """Return the columns of a plain file, such as ``label<TAB>text``, or of texts alone."""
    learned = wanted.learned
    usual = learned.headerless if isinstance(learned, LabelledConfig) else {}
    if {*wanted.fields} <= usual.keys() and width == len(usual):
        first = next((name for name, number in usual.items() if number == 1), "")
        if first in wanted.fields or _first_are_labels(file, wanted.labels):
            return False, {name: (usual[name],) for name in wanted.fields}
    if width == len(wanted.fields) > 1:
        return False, {name: (place,) for place, name in enumerate(wanted.fields, 1)}
    return None


def _first_are_labels(file: InputFile, labels: Collection[str] | None) -> bool:
    """Whether the first column holds labels of the model."""
    if labels is None:
        return True
    return _are_labels([line.split("\t")[0] for line in file.head if line.strip()], labels)


def _are_labels(values: Sequence[str], labels: Collection[str]) -> bool:
    """Whether most values of a column are labels of the model."""
    return sum(value.strip() in labels for value in values) >= KNOWN * len(values)


def _share_of_width(file: InputFile, width: int) -> float:
    """Return the share of lines that have so many columns as the first one."""
    if file.format == "csv":
        return 1.0
    lines = [line for line in file.head if line.strip()]
    return sum(line.count("\t") == width - 1 for line in lines) / len(lines)


def _is_table(file: InputFile) -> bool:
    return _share_of_width(file, len(file.first.split("\t"))) >= ALIKE


def _is_numbered(wanted: InputColumns) -> bool:
    return any(
        isinstance(each, int) for name in wanted.fields for each in wanted.learned_columns(name)
    )


def _has_header_of_csv(file: InputFile, wanted: InputColumns) -> bool:
    """Whether the first line names the columns of comma-separated values."""
    cells = cells_of_csv(file.first)
    if wanted.columns and len(cells) > 1:
        return all(
            isinstance(column, int) or column in cells
            for columns in wanted.columns.values()
            for column in as_columns(columns)
        )
    return len(cells) > 1 and all(map(str.strip, cells)) and _names_all(cells, wanted) is not None


def _has_commas(file: InputFile, wanted: InputColumns) -> bool:
    """Whether a plain file is a table without a header, with the columns of the training.

    Its lines have values between commas in all of these columns; and labels of the model stand in
    the column of the labels, or there are several texts, which no plain line has.
    """
    if wanted.columns or not file.is_plain or not (rows := _comma_rows(file.head)):
        return False
    column = _label_column(rows, wanted.labels or ())
    numbers = [each for name in wanted.fields for each in wanted.learned_columns(name)]
    fit = [isinstance(each, int) and 1 <= each <= len(rows[0]) for each in numbers]
    is_known = len(wanted.fields) > 1 or (column,) == wanted.learned_columns("label")
    if _is_numbered(wanted) and all(fit) and is_known:
        return True
    if column is not None and len(wanted.fields) == 1:
        named = f"{option(wanted.fields[0])} {2 if column == 1 else 1}"
        wanted.doubt(
            message("terminal.doubt.comma_values", file=file.name, column=column, named=named)
        )
    return False


def _comma_rows(lines: Sequence[str]) -> list[list[str]]:
    """Return the values of the first lines of a file, [] if they are not comma-separated."""
    rows = list(rows_of_csv(line for line in lines if line.strip()))
    return rows if rows and len(rows[0]) > 1 else []


def _label_column(rows: Sequence[Sequence[str]], labels: Collection[str]) -> int | None:
    """Return the number of the column, from 1, that holds known labels; None: none does."""
    for at in range(len(rows[0]) if rows else 0):
        if _are_labels([row[at] if at < len(row) else "" for row in rows], labels):
            return at + 1
    return None


def _no_layout(cells: Sequence[str], file: InputFile, wanted: InputColumns) -> tuple[bool, Places]:
    """Refuse a table whose columns nobody knows."""
    for name in wanted.fields:
        missed = " ".join(map(str, wanted.learned_columns(name))) or name
        raise CorpusError(f"{file.name}, line 1: {absent(missed, name, cells)}")
    raise AssertionError("a predictor has fields")


def _doubt_columns(file: InputFile, wanted: InputColumns) -> None:
    """Say that every line has the same columns, which are read as one text."""
    width = len(file.first.split("\t"))
    if len(wanted.fields) == 1 and len(file.head) > 1 and _share_of_width(file, width) == 1:
        wanted.doubt(
            message(
                "terminal.doubt.tabs", file=file.name, width=width, option=option(wanted.fields[0])
            )
        )


def _of_lines(file: InputFile, wanted: InputColumns) -> Iterator[KeptInput]:
    if wanted.keep:
        raise SettingError(
            f"--keep copies columns of a table, and {file.name} has none that are known; give a "
            "table with a header, or JSON objects."
        )
    of_texts = len(wanted.fields) == 1 and not _are_mostly(_is_object, file)
    for number, line in enumerate(file.lines(), 1):
        texts = line_input(line, number, wanted.fields, file=file.name, may_be_text=of_texts)
        yield KeptInput(tuple(normalize(text, wanted.normal_form) for text in texts), {})


def _fasttext(wanted: InputColumns) -> LabelledConfig:
    """Return how files of fastText would be read; no columns are chosen."""
    return RowsConfig.checked(wanted.learned.model_dump(include={"label_prefix"}), "rows")


def _without_columns(form: str, wanted: InputColumns) -> dict[str, Any]:
    """Return the settings of files of labels and texts that have no columns."""
    names = {"label_prefix"} if form == "fasttext" else {"trec_labels"}
    return {"format": form, **wanted.learned.model_dump(include=names)}
