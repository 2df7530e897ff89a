"""Columns of texts and labels that changed places: the labels are texts, the texts labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from foretext.base.errors import CorpusError
from foretext.corpus.sources import STANDARD_INPUT
from foretext.corpus.texts import is_file_or_source
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.reading import first_names
from foretext.data.rows.settings import COLUMNS, Column, LabelledConfig, as_columns

__all__ = ["refuse_exchange"]

ENOUGH = 10  # rows from which columns can be told by their values
OWN = 0.5  # share of different labels, from which nearly every row has one of its own
FEWER = 5  # times as many labels as texts, which are then labels
LONGER = 2  # times as long as the texts are labels that are texts
MANY = 10  # different labels, from which they may be texts


def refuse_exchange(
    path: RowSource, config: LabelledConfig, values: Mapping[str, Sequence[str]]
) -> None:
    """Refuse rows whose labels are surely texts, and one of whose texts is surely the label.

    There are several times as many different labels as different texts, and either most rows have a
    label of their own, or there are many labels that are far longer than texts. Columns that were
    named by other than their usual names are taken at their word.

    Args:
        path: of the rows.
        config: how they were read.
        values: of all rows, by the names of their columns; "label" is one of them.

    Raises:
        CorpusError: there are such rows; the message names the columns in their right places.
    """
    if config.changed & {*COLUMNS}:
        return
    labels = values["label"]
    texts = {name: column for name, column in values.items() if name != "label"}
    name = min(texts, key=lambda each: len({*texts[each]}))
    num_labels, num_texts = len({*labels}), len({*texts[name]})
    if len(labels) < ENOUGH or num_labels < 2 * num_texts:
        return
    lengths = [median(map(len, column)) for column in (labels, texts[name])]
    are_own = num_labels > OWN * len(labels) and num_labels >= FEWER * num_texts
    are_longer = num_labels >= MANY and lengths[0] >= LONGER * max(lengths[1], 1)
    if not are_own and not are_longer:
        return
    number = f"only {num_texts}" if num_texts > 1 else "one"
    raise CorpusError(
        f"{path}: the columns of text and label are exchanged: its {len(labels):,} rows have "
        f"{num_labels:,} different labels, and {number} different values where a text should be; "
        f"name the columns: {_right(path, config, name)}."
    )


def _right(path: RowSource, config: LabelledConfig, wrong: str) -> str:
    """Return the options for columns in their right places.

    Args:
        path: of the rows.
        config: how they were read.
        wrong: the text whose column holds the labels.
    """
    places: dict[str, Column] = {
        name: next(iter(as_columns(getattr(config, name)))) for name in config.headerless
    }
    if not {*places.values()} <= {*_names(path)} and not config.is_numbered:
        places = {**config.headerless}
    texts = [name for name in places if name != "label"]
    others = [places[name] for name in texts if name != wrong] + [places["label"]]
    found = {**dict(zip(texts, _in_order(others), strict=True)), "label": places[wrong]}
    return " ".join(f"--{name.replace('_', '-')} {column}" for name, column in found.items())


def _in_order(columns: Sequence[Column]) -> Sequence[Column]:
    """Return numbers by size, and names as they are."""
    numbers = [column for column in columns if isinstance(column, int)]
    return sorted(numbers) if len(numbers) == len(columns) else columns


def _names(path: RowSource) -> Sequence[Column]:
    if not is_file_or_source(path) or path == STANDARD_INPUT:
        return ()
    return first_names(path)
