"""fastText's supervised files: words of a line that begin with ``__label__`` are its labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from foretext.base.errors import SettingError
from foretext.data.rows.record import Record
from foretext.data.rows.settings import LabelledConfig

__all__ = ["fasttext_records", "is_fasttext"]


def is_fasttext(line: str, config: LabelledConfig) -> bool:
    """Whether a file that begins with `line` is of this kind, and no columns were chosen."""
    prefix = config.fasttext_prefix
    return prefix is not None and _labels(prefix).search(line) is not None


def fasttext_records(lines: Iterable[str], name: str, config: LabelledConfig) -> Iterator[Record]:
    """Yield rows with the columns `label`, a list, and `text`; empty lines are skipped.

    Raises:
        CorpusError: a line has no label.
        SettingError: rows of another kind are wanted.
    """
    prefix = config.fasttext_prefix
    if prefix is None:
        raise SettingError("format = 'fasttext': these files hold single texts, not pairs.")
    labels = _labels(prefix)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        values = {"label": labels.findall(line), "text": labels.sub("", line).strip()}
        record = Record(values, name, number)
        if not values["label"]:
            raise record.error(
                f"no word begins with '{prefix}', as in other rows: label or remove this one."
            )
        yield record


def _labels(prefix: str) -> re.Pattern[str]:
    escaped = re.escape(prefix)  # first in the pattern, which makes the search fast
    return re.compile(rf"{escaped}(?<!\S{escaped})(\S+)\s?")
