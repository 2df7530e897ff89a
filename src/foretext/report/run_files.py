"""What a page takes from the files of a run, checked once when they are read.

A folder may come from anybody, or from a disk that failed. Each file has a type here that names
what pages show of it; charts and templates get values of these types only. Other fields of a file
are not checked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from foretext.base.errors import ModelFileError, OutputError
from foretext.base.files import is_regular_file
from foretext.base.parsing import check_value, read_json, read_toml
from foretext.progress import MetricsLog
from foretext.run_folder import RunFolder

__all__ = [
    "AutoencoderFacts",
    "DocumentsFacts",
    "LanguageModelFacts",
    "Moment",
    "NetworkRecord",
    "Record",
    "Sample",
    "Trial",
    "VectorsFacts",
    "read_facts",
    "read_records",
    "read_sections",
    "read_values",
]

Count = Annotated[int, Field(ge=0, lt=1 << 63)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Figure = float  # that may be no number: the correlation of scores that are all alike
Seconds = Annotated[float, Field(ge=0, lt=1e12, allow_inf_nan=False)]
ABSENT: Any = None  # of an optional field, which has its type if it is there
Scalar = str | bool | int | float | None
Setting = Scalar | list[Scalar] | dict[str, Scalar]


class Known(BaseModel):
    """Fields that a page uses; there may be others."""

    model_config = ConfigDict(frozen=True, extra="allow")


class VectorsFacts(Known):
    """Of ``config.json``, for a run of word vectors."""

    recipe: str
    tokens: Count
    documents: Count
    held_out_tokens: Count
    vocab_size: Count
    vector_size: Count
    warnings: list[str] | None = None


class DocumentsFacts(VectorsFacts):
    """Of ``config.json``, for a run of document vectors."""

    found_again_rate: Number


class LanguageModelFacts(Known):
    """Of ``config.json``, for a run of a language model."""

    recipe: str
    parameters: Count
    vocab_size: Count
    tokens: Count | None = None
    documents: Count | None = None
    held_out_tokens: Count | None = None
    steps: Count | None = None
    warnings: list[str] | None = None


class AutoencoderFacts(Known):
    """Of ``config.json``, for a run of an autoencoder."""

    recipe: str
    shape: list[Count]
    code_size: Count
    parameters: Count
    examples: Count
    held_out_examples: Count
    seconds: Seconds
    loss: Figure | None
    valid_loss: Figure | None
    components_loss: Figure | None


class LabelFigures(Known):
    """Figures of one label."""

    support: Count


class Record(Known):
    """A line of ``metrics.jsonl``."""

    __pydantic_extra__: dict[str, str | bool | Count | float | None]  # types that a chart can draw

    epoch: Number
    time: Seconds | None = None
    words: Count | None = None
    cells: Count | None = None
    tokens: Count | None = None
    mfu: Number = 0.0


class NetworkRecord(Record):
    """The same, of a network's training."""

    time: Seconds
    step: Count
    tokens: Count
    tokens_per_second: Number = 0.0


class Trial(Known):
    """A line of ``trials.jsonl``."""

    score: Figure | None  # None: the training failed


class Filled(BaseModel):
    """A text with a masked token, and what a model predicts there, with probabilities."""

    text: str
    hidden: str
    answers: list[tuple[str, Number]]


class Written(BaseModel):
    """A text, and what a model answers; if it generates text, the continuation."""

    text: str
    answers: Annotated[list[str], Field(min_length=1)]


Sample = Filled | Written  # what `Objective.sample` returns


class Moment(Known):
    """A line of ``samples.jsonl``."""

    valid_loss: Figure
    samples: list[Sample]


def read_facts(run: RunFolder, *kinds: type[BaseModel]) -> dict[str, Any]:
    """Return what ``config.json`` keeps of a run.

    Args:
        run: that is finished.
        kinds: what is needed of it, of which a later one counts for facts that several name.

    Raises:
        ModelFileError: the file is damaged.
    """
    facts, found = run.facts(), dict[str, Any]()
    for kind in kinds:
        found |= _plain(check_value(facts, str(run.config), ModelFileError, kind))
    ordered: dict[str, Any] = _in_order_of(facts, found)
    return ordered


def read_sections(path: Path) -> dict[str, dict[str, Any]]:
    """Return the settings of a run by section; the classes that they set up are not imported.

    Raises:
        ModelFileError: the file is damaged.
    """
    sections: dict[str, dict[str, Any]] = check_value(
        read_toml(path, ModelFileError), str(path), ModelFileError, dict[str, dict[str, Setting]]
    )
    return sections


def read_records(path: Path, kind: type[BaseModel]) -> list[dict[str, Any]]:
    """Return the lines of a file of records; none where there is no such file.

    Raises:
        OutputError: a line is damaged.
    """
    return [_plain(record) for record in MetricsLog(path).read(kind)]


def read_values(path: Path, kind: Any = dict[str, Any]) -> dict[str, Any] | None:
    """Return what a JSON file holds, or None where there is no such file.

    Raises:
        OutputError: the file is damaged.
    """
    return _plain(read_json(path, OutputError, kind)) if is_regular_file(path) else None


def _in_order_of(file: Any, found: Any) -> Any:
    """Return values in the order of a file, where a model puts the names that it declares first.

    So a card that is written again has its rows where the training put them.
    """
    if isinstance(file, dict) and isinstance(found, dict):
        names = [name for name in file if name in found]
        return {name: _in_order_of(file[name], found[name]) for name in names} | {
            name: value for name, value in found.items() if name not in file
        }
    return found


def _plain(value: BaseModel | dict[str, Any]) -> dict[str, Any]:
    return (
        value.model_dump(exclude_unset=True, by_alias=True)
        if isinstance(value, BaseModel)
        else value
    )
