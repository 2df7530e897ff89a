"""Texts that people shall label, as files of Label Studio, doccano, Prodigy and spreadsheets.

Each text comes with what a model answers, which the programs show before anybody has labelled it.
What they export afterwards is read by `foretext.data.rows.label_exports`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from foretext.base.errors import SettingError
from foretext.base.files import atomic_file
from foretext.corpus.text_tokens import TextToken
from foretext.data.rows.label import LabelValue
from foretext.data.rows.sheet_cells import SHEET_COLUMNS, guarded_cell

__all__ = ["TASK_FORMATS", "LabelTask", "TaskFormat", "task_format", "write_tasks"]

TaskFormat = Literal["csv", "tsv", "jsonl", "label-studio", "doccano", "prodigy"]
TASK_FORMATS: dict[str, TaskFormat] = {  # by suffix
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".json": "label-studio",
}
CONTROL = "label"  # of Label Studio: the name of <Choices> or <Labels>


class LabelTask(NamedTuple):
    """A text, or a pair of texts, that somebody shall label.

    Attributes:
        texts: under the names of their fields.
        priority: how much it is worth to label it, the more the better; None: nobody knows.
        why: it was chosen, as a person reads it.
        labels: what the model answers; (): nothing, or there is no model.
        probability: of this answer; None: the model gives none.
        tokens: of a text to be tagged; None: it is to be classified.
        spans: of tokens, from the first up to the one after the last, with a label.
        tags: of the tokens, as the model's rows write them.
        choices: all labels that the model knows.
    """

    texts: Mapping[str, str]
    priority: float | None = None
    why: str = ""
    labels: tuple[LabelValue, ...] = ()
    probability: float | None = None
    tokens: Sequence[TextToken] | None = None
    spans: Sequence[tuple[int, int, str]] = ()
    tags: Sequence[str] = ()
    choices: Sequence[LabelValue] = ()

    @property
    def text(self) -> str:
        """The text, or both of a pair."""
        return "\n\n".join(self.texts.values())

    @property
    def words(self) -> list[str]:
        """The tokens of a text to be tagged."""
        return [token.text for token in self.tokens or ()]

    def offsets(self) -> Iterator[tuple[int, int, str]]:
        """Yield where each span stands in the text, with its label."""
        tokens = self.tokens or ()
        yield from (
            (tokens[first].start, tokens[last - 1].end, label) for first, last, label in self.spans
        )


def task_format(path: Path, chosen: TaskFormat | None, *, tagged: bool) -> TaskFormat:
    """Return the format of a file of tasks, by its suffix where none is chosen.

    Args:
        path: of the file.
        chosen: by the user; None: by the suffix.
        tagged: whether the tasks have tokens.

    Raises:
        SettingError: neither the user nor the suffix says it, or it has no room for these tasks.
    """
    found = chosen or TASK_FORMATS.get(path.suffix.lower())
    if found is None:
        raise SettingError(
            f"{path}: the name does not say which format is meant; give --format label-studio, "
            "doccano, prodigy, jsonl or csv, or a file that ends with .csv, .jsonl or .json."
        )
    if tagged and found == "csv":
        raise SettingError(
            "format = csv: the entities of a text do not fit into a row of a table; give tsv, with "
            "a token a line, or label-studio, doccano, prodigy or jsonl."
        )
    if not tagged and found == "tsv":
        raise SettingError(
            "format = tsv: a text may hold tabs and line ends, which .tsv cannot have; give csv."
        )
    return found


def write_tasks(tasks: Sequence[LabelTask], path: Path, format: TaskFormat) -> None:
    """Write tasks into a file, which appears whole or not at all.

    Args:
        tasks: all of one kind.
        path: of the file, which is replaced.
        format: that fits them (`task_format`).

    Raises:
        OutputError: it cannot be written.
    """
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as out:
        out.writelines(_WRITERS[format](tasks))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 6)


def _cell(number: float | None) -> str:
    return "" if number is None else f"{number:.4f}"


def _facts(task: LabelTask) -> dict[str, Any]:
    """Return why a task was chosen, as all formats of JSON have it."""
    return {"priority": _rounded(task.priority), "why": task.why}


def _tokens(task: LabelTask) -> dict[str, Any]:
    """Return the tokens, by which an export is read back with the very same ones."""
    return {} if task.tokens is None else {"tokens": task.words}


def _pair(task: LabelTask) -> Mapping[str, str]:
    """Return both texts of a pair, beside the one that a program shows."""
    return task.texts if len(task.texts) > 1 else {}


def _csv(tasks: Sequence[LabelTask]) -> Iterator[str]:
    names = list(tasks[0].texts) if tasks else ["text"]
    yield _csv_line([*names, *SHEET_COLUMNS])
    for task in tasks:
        answer = " | ".join(map(str, task.labels))
        cells = [
            *task.texts.values(),
            "",
            answer,
            _cell(task.probability),
            _cell(task.priority),
            task.why,
        ]
        yield _csv_line(map(guarded_cell, cells))


def _csv_line(cells: Iterable[str]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _tsv(tasks: Sequence[LabelTask]) -> Iterator[str]:
    for task in tasks:
        tags = task.tags or ["O"] * len(task.words)
        yield from (f"{word}\t{tag}\n" for word, tag in zip(task.words, tags, strict=True))
        yield "\n"


def _jsonl(tasks: Sequence[LabelTask]) -> Iterator[str]:
    for task in tasks:
        if task.tokens is not None:
            own: dict[str, Any] = {"tokens": task.words, "tags": list(task.tags) or None}
        else:
            answer = task.labels[0] if len(task.labels) == 1 else [*task.labels] or None
            own = {"label": None, "suggested": answer, "probability": _rounded(task.probability)}
        yield f"{_json({**task.texts, **own, **_facts(task)})}\n"


def _label_studio(tasks: Sequence[LabelTask]) -> Iterator[str]:
    """Yield one array of tasks with predictions, a task a line."""
    yield "["
    for number, task in enumerate(tasks):
        data = {**task.texts, **_tokens(task), **_facts(task)}
        result = [*_label_studio_result(task)]
        made: dict[str, Any] = {"data": data, "predictions": []}
        if result or task.tokens is not None:
            score = {} if task.probability is None else {"score": _rounded(task.probability)}
            made["predictions"] = [{"model_version": "foretext", **score, "result": result}]
        yield (",\n" if number else "\n") + _json(made)
    yield "\n]\n"


def _label_studio_result(task: LabelTask) -> Iterator[dict[str, Any]]:
    control = {"from_name": CONTROL, "to_name": next(iter(task.texts))}
    if task.tokens is None:
        if task.labels:
            value: dict[str, Any] = {"choices": list(map(str, task.labels))}
            yield {"id": "0", **control, "type": "choices", "value": value}
        return
    for number, (start, end, label) in enumerate(task.offsets()):
        value = {"start": start, "end": end, "text": task.text[start:end], "labels": [label]}
        yield {"id": str(number), **control, "type": "labels", "value": value}


def _doccano(tasks: Sequence[LabelTask]) -> Iterator[str]:
    for task in tasks:
        if task.tokens is None:
            label: list[Any] = list(map(str, task.labels))
        else:
            label = [list(each) for each in task.offsets()]
        more = {**_pair(task), **_tokens(task), **_facts(task)}
        yield f"{_json({'text': task.text, 'label': label, **more})}\n"


def _prodigy(tasks: Sequence[LabelTask]) -> Iterator[str]:
    for task in tasks:
        own = _prodigy_choice(task) if task.tokens is None else _prodigy_spans(task)
        yield f"{_json({'text': task.text, **_pair(task), **own, 'meta': _facts(task)})}\n"


def _prodigy_choice(task: LabelTask) -> dict[str, Any]:
    names = list(map(str, task.choices))
    options = {"options": [{"id": name, "text": name} for name in names]} if names else {}
    return {**options, **({"accept": list(map(str, task.labels))} if task.labels else {})}


def _prodigy_spans(task: LabelTask) -> dict[str, Any]:
    tokens = task.tokens or ()
    starts = [token.start for token in tokens]
    return {
        "tokens": [
            {
                "text": token.text, "start": token.start, "end": token.end, "id": number,
                "ws": starts[number + 1 : number + 2] != [token.end],
            }
            for number, token in enumerate(tokens)
        ],
        "spans": [
            {
                "start": start, "end": end, "label": label,
                "token_start": first, "token_end": last - 1,
            }
            for (start, end, label), (first, last, _) in zip(
                task.offsets(), task.spans, strict=True
            )
        ],
    }  # fmt: skip


_WRITERS: dict[str, Callable[[Sequence[LabelTask]], Iterator[str]]] = {
    "csv": _csv,
    "tsv": _tsv,
    "jsonl": _jsonl,
    "label-studio": _label_studio,
    "doccano": _doccano,
    "prodigy": _prodigy,
}
