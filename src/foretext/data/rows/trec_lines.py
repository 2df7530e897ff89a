"""Lines of the question data of TREC: ``LABEL:fine``, a blank, and the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from foretext.base.errors import CorpusError
from foretext.data.rows.record import Record
from foretext.data.rows.settings import LabelledConfig

__all__ = ["are_trec", "trec_records"]

MOST = 0.9  # share of lines of this form, from which a plain file has it
_ROW = re.compile(r"(([A-Z]+):[a-z]+) (\s*\S.*)")  # such as "LOC:city Where is it ?"


def are_trec(lines: Sequence[str]) -> bool:
    """Whether the first lines of a file begin with labels in capitals and in small letters."""
    found = [line for line in lines if line.strip()]
    return bool(found) and sum(map(_is_row, found)) >= MOST * len(found)


def trec_records(lines: Iterable[str], name: str, config: LabelledConfig) -> Iterator[Record]:
    """Yield rows with the columns `label`, of which `trec_labels` says how fine, and `text`.

    Empty lines are skipped.

    Raises:
        CorpusError: a line has no such label, or rows of another kind are wanted.
    """
    depth = config.trec_depth
    if depth is None:
        raise CorpusError(
            f"{name}: each line is a label, a space and a text, as in TREC, which are rows of "
            "`classification` without column names; use the task classification, or leave out the "
            "columns that you named."
        )
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        found = _ROW.fullmatch(line)
        if found is None:
            raise Record({}, name, number).error(
                "the line does not begin with a label such as 'LOC:city ', as the other lines do; "
                "correct or remove it."
            )
        fine, coarse, text = found.groups()
        yield Record({"label": fine if depth == "fine" else coarse, "text": text}, name, number)


def _is_row(line: str) -> bool:
    return _ROW.fullmatch(line) is not None
