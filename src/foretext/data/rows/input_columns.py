"""Which texts are wanted of files of inputs, and in which columns they stand."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from foretext.base.config import Config
from foretext.base.errors import SettingError, did_you_mean
from foretext.corpus.decoding import normalize
from foretext.data.rows.inputs import Input
from foretext.data.rows.record import Record
from foretext.data.rows.settings import Column, Columns, LabelledConfig, as_columns

__all__ = ["InputColumns", "InputsConfig", "KeptInput", "Places", "absent", "option"]

OPTIONS = ("text", "text_a", "text_b", "source")  # columns that the verbs have an option for

Places = Mapping[str, tuple[Column, ...]]  # the columns of each field


class KeptInput(NamedTuple):
    """The texts of one row, and the columns that are kept beside the answer."""

    texts: Input
    kept: dict[str, Any]


class InputsConfig(LabelledConfig):
    """How a file is read of which any column may be wanted."""

    headerless: ClassVar[dict[str, int]] = {}


def _nobody(sentence: str) -> None:
    """Tell nobody of a doubt."""


@dataclass(frozen=True)
class InputColumns:
    """What is wanted of files of inputs.

    Args:
        fields: the texts of an input, such as ``("text_a", "text_b")``.
        learned: how the rows of the training were read, which says the names of the columns.
        columns: that are named now, over those of the training.
        keep: columns that are copied to the answers.
        labels: that the model knows, by which a column of labels is recognised; None: any are.
        doubt: is called with a sentence where a file may be meant otherwise.
    """

    fields: Sequence[str]
    learned: Config
    columns: Mapping[str, Columns] = field(default_factory=dict)
    keep: Sequence[str] = ()
    labels: Collection[str] | None = frozenset()
    doubt: Callable[[str], None] = _nobody

    def __post_init__(self) -> None:
        if twice := {*self.keep} & {*self.fields}:
            raise SettingError(
                f"--keep {min(twice)}: the answers contain this text already; leave it out."
            )

    @cached_property
    def _settings(self) -> dict[str, Any]:
        """All settings of the training, read once for all rows."""
        return self.learned.model_dump()

    @cached_property
    def reading(self) -> InputsConfig:
        """How files are read, whatever is in them."""
        known = InputsConfig.model_fields
        chosen = {name: value for name, value in self._settings.items() if name in known}
        return InputsConfig.checked(chosen, "rows")

    @property
    def normal_form(self) -> Any:
        """The Unicode normal form of the texts."""
        return self._settings.get("normalization", "NFC")

    def learned_columns(self, name: str) -> tuple[Column, ...]:
        """Return the columns of a text in the training, () if they were not named."""
        return as_columns(self._settings.get(name))

    def input_of(self, record: Record, places: Places | None = None) -> KeptInput:
        """Return the texts and the kept columns of a row.

        Args:
            record: of a table or of JSON.
            places: columns of the fields; None: by their names.

        Raises:
            CorpusError: one of them is missing.
        """
        found = places or {name: self.named(name, record) for name in self.fields}
        texts = tuple(
            normalize(record.texts(found[name]), self.normal_form) for name in self.fields
        )
        return KeptInput(texts, {name: self.kept(name, record) for name in self.keep})

    def kept(self, name: str, record: Record) -> Any:
        """Return the value of a column that is copied, by its name or its number.

        Args:
            name: of the column, or its number.
            record: a row.

        Raises:
            CorpusError: there is no such column.
        """
        key: Column = int(name) if name.isdecimal() and not record.has(name) else name
        if not record.has(key):
            names = [str(each) for each in record.values]
            raise record.error(
                f"there is no column '{name}' to keep, only {', '.join(map(repr, names[:12]))}."
                f"{did_you_mean(name, names)}"
            )
        return record.value(key)

    def named(self, name: str, record: Record) -> tuple[Column, ...]:
        """Return the columns of a text: those that are named, of the training, or of its name.

        Args:
            name: of the text.
            record: a row.
        """
        if name in self.columns:
            return as_columns(self.columns[name])
        learned = self.learned_columns(name)
        if learned and all(map(record.has, learned)):
            return learned
        if record.has(name):
            return (name,)
        missed = " ".join(map(str, learned)) or name
        raise record.error(absent(missed, name, [str(each) for each in record.values]))


def absent(missed: str, name: str, names: Sequence[str]) -> str:
    """Say that a text is missing, and by which option its column is named."""
    shown = ", ".join(repr(each[:40]) for each in names[:12]) or "none"
    remedy = (
        f"Name the column of the text ({option(name)} COLUMN), by its number from 1 where the "
        "file has no header."
        if name in OPTIONS
        else f"Rename the column of the text to '{name}'."
    )
    other = "" if missed == name else f" as in training, and none is called '{name}'"
    return (
        f"there is no column '{missed}'{other}, only {shown}.{did_you_mean(missed, names)} {remedy}"
    )


def option(name: str) -> str:
    """Return the option that names the column of a text."""
    return f"--{name.replace('_', '-')}"
