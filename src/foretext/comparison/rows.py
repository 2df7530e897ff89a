"""The rows of a comparison: read once as the user has them, then the same files for everybody.

Rows that are held out to choose a model by: each kind as often as among all, groups undivided.
Groups are sorted by their kind and then picked at equal distances (systematic sampling of a
sorted list; Cochran 1977, section 8), so that each kind has its share to within a row.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from foretext.base.errors import CorpusError, SettingError
from foretext.base.files import atomic_file
from foretext.comparison.leaks import find_leaks
from foretext.corpus.findings import Problem
from foretext.data.rows import write_rows
from foretext.data.rows.in_memory import RowSource, RowTexts, text_key
from foretext.data.rows.parallel_files import as_parallel_files
from foretext.messages import message
from foretext.tasks.task import Task, task_named

__all__ = [
    "PARTS",
    "ComparisonRows",
    "compared_task",
    "held_out",
    "num_held_out",
    "read_rows",
    "read_written",
]

PARTS = ("train", "valid", "test")
TEXTS = "texts.jsonl"  # of the rows to learn from, as a corpus

USUAL_RATE = 0.1
ENOUGH = 200  # held-out rows, which are worth a fifth of all rows
LARGEST_RATE = 0.2
MOST = 2000  # held-out rows: more are hardly more certain, and each candidate answers them often
FEWEST_ROWS = 20  # that can be divided
FEWEST_GROUPS = 10  # that can be divided; rows of fewer are divided one by one

Parts = tuple[list[Any], list[Any]]


@dataclass(frozen=True)
class ComparisonRows:
    """Rows by what they are for; all candidates get the same ones.

    Attributes:
        task: that reads the rows.
        train: to learn from.
        valid: to choose by: of a file, or held out.
        test: to measure on, once, at the end; empty: figures are of `valid`.
        settings: the section `[rows]` that reads the files which `write` leaves.
        warnings, notes: sentences for a person.
    """

    task: Task
    train: Sequence[Any]
    valid: Sequence[Any]
    test: Sequence[Any]
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def parts(self) -> dict[str, Sequence[Any]]:
        """The rows by the name of their part."""
        return {"train": self.train, "valid": self.valid, "test": self.test}

    @property
    def measured(self) -> str:
        """The part that figures are of: "test" or "valid"."""
        return "test" if self.test else "valid"

    @property
    def texts(self) -> RowTexts:
        """The texts of the rows to learn from."""
        return self.task.texts(self.train)

    def counts(self) -> dict[str, int]:
        """Return the number of rows of each part."""
        return {part: len(rows) for part, rows in self.parts.items()}

    def with_note(self, sentence: str, *, is_grave: bool) -> ComparisonRows:
        """Return the rows with a sentence for a person: a warning, or a note."""
        if is_grave:
            return replace(self, warnings=(*self.warnings, sentence))
        return replace(self, notes=(*self.notes, sentence))

    def write(self, folder: Path) -> dict[str, Path]:
        """Write a file of JSON lines for each part that has rows, and return their paths.

        Raises:
            OutputError: one cannot be written.
        """
        files = {part: folder / f"{part}.jsonl" for part, rows in self.parts.items() if rows}
        for part, path in files.items():
            write_rows(self.task.objects_of(self.parts[part]), path)
        return files

    def write_texts(self, folder: Path, column: str = "text") -> Path:
        """Write the texts of the rows to learn from as a corpus, each line of a text once.

        Passages of many questions and texts of many pairs are not repeated.

        Args:
            folder: to write into.
            column: that holds the text.

        Raises:
            OutputError: it cannot be written.
        """
        path = folder / TEXTS
        with (
            atomic_file(path) as temporary,
            temporary.open("w", encoding="utf-8", newline="\n") as out,
        ):
            seen: set[bytes] = set()
            for text in self.texts.running:
                lines = [line for line in text.split("\n") if _is_new(text_key(line), seen)]
                if document := "\n".join(lines).strip():
                    out.write(f"{json.dumps({column: document}, ensure_ascii=False)}\n")
        return path


def compared_task(name: str) -> Task:
    """Return a task that is compared.

    Raises:
        SettingError: there is no such task, or it is not compared.
    """
    task = task_named(name)
    if not task.is_compared:
        raise SettingError(message("options.compare.not_compared", name=name))
    return task


def read_written(task: Task, path: str, settings: Mapping[str, Any]) -> list[Any]:
    """Read a file of `ComparisonRows.write`.

    Args:
        task: of the rows.
        path: of the file.
        settings: the section `[rows]`.

    Raises:
        CorpusError: it is missing or damaged.
    """
    rows: list[Any] = task.read(path, task.rows_config.checked(dict(settings), "rows"))
    return rows


def read_rows(
    task: str, sources: Mapping[str, Any], settings: Mapping[str, Any], *, seed: int = 0
) -> ComparisonRows:
    """Read the rows that the user has, check them, and hold some out where no others are given.

    Args:
        task: a name of `foretext list`, or ``module:Class``.
        sources: files or rows in memory, by "train", "valid" and "test".
        settings: the section `[rows]`: columns and format of the user's files.
        seed: of the rows that are held out.

    Raises:
        CorpusError: a file cannot be read, or there is nothing to learn or to measure.
        SettingError: the settings do not suit the task.
    """
    own = compared_task(task)
    config = own.rows_config.checked(dict(settings), "rows")
    for part, rows in sources.items():
        _check_parallel(own, part, rows)
    read = {part: own.read(own.source_of(rows), config) for part, rows in sources.items()}
    train, valid, test = (read.get(part, []) for part in PARTS)
    rows = ComparisonRows(own, train, valid, test, own.reading_again(config))
    return _divided(_checked(rows), seed)


def _checked(rows: ComparisonRows) -> ComparisonRows:
    """Warn of what is wrong with rows; refuse those of which nothing can be learned or measured."""
    leaks = find_leaks(rows.parts)
    for leak in leaks:
        rows = rows.with_note(str(leak), is_grave=leak.is_grave)
    known = {text_key(row.text) for row in rows.train} if leaks else set()
    new = [row for row in rows.test if text_key(row.text) not in known]  # the others are reported
    return _with_problems(rows, rows.task.problems(rows.train, new))


def _divided(rows: ComparisonRows, seed: int) -> ComparisonRows:
    """Hold rows out where the user gave no others."""
    if not rows.valid:
        train, valid = held_out(rows.task, rows.train, num_held_out(len(rows.train)), seed)
        rows = replace(rows, train=train, valid=valid)
    rows.task.check_learnable(rows.train)
    rows = _with_problems(rows, rows.task.unseen_problems(rows.train, rows.valid))
    for sentence in _same_answers(rows):
        rows = rows.with_note(sentence, is_grave=True)
    return rows


def _with_problems(rows: ComparisonRows, problems: Sequence[Problem]) -> ComparisonRows:
    """Tell of problems; the first one that prevents learning is an error."""
    for problem in problems:
        if problem.severity == "error":
            raise CorpusError(str(problem))
        rows = rows.with_note(str(problem), is_grave=problem.severity == "warning")
    return rows


def _same_answers(rows: ComparisonRows) -> Iterator[str]:
    """Yield a sentence for each part whose rows are of one kind, where others are to learn from."""
    kinds = {part: {rows.task.stratum_of(row) for row in rows.parts[part]} for part in PARTS}
    for part in ("valid", "test"):
        if len(kinds[part]) == 1 < len(kinds["train"]):
            yield message(
                "findings.rows.one_kind",
                rows=len(rows.parts[part]),
                part=message(f"findings.part.{part}"),
                kind=min(kinds[part]),
            )


def _check_parallel(task: Task, part: str, rows: RowSource) -> None:
    if as_parallel_files(rows) is not None and not task.reads_parallel_files:
        raise SettingError(
            f"--{part}: two parallel files hold a text and what it becomes, which {task.name} does "
            "not learn; give one file of labelled rows."
        )


def _is_new(key: bytes, seen: set[bytes]) -> bool:
    """Whether a key is seen for the first time."""
    is_new = key not in seen
    seen.add(key)
    return is_new


def num_held_out(num_rows: int) -> int:
    """Return how many rows are held out.

    Raises:
        CorpusError: there are too few rows to divide them.
    """
    if num_rows < FEWEST_ROWS:
        raise CorpusError(message("files.rows.too_few", number=num_rows, least=FEWEST_ROWS))
    least = min(ENOUGH, round(LARGEST_RATE * num_rows))
    return min(max(round(USUAL_RATE * num_rows), least), MOST)


def held_out(task: Task, rows: Sequence[Any], number: int, seed: int) -> Parts:
    """Divide rows into those to learn from and about `number` others, both in their order.

    Args:
        task: which knows what rows have in common.
        rows: all of them.
        number: of rows to hold out.
        seed: of the choice.
    """
    groups = _groups(task, rows)
    kinds = {group[0]: task.stratum_of(rows[group[0]]) for group in groups}
    num_groups = Counter(kinds.values())
    groups = [group for group in groups if num_groups[kinds[group[0]]] > 1]  # else never learned
    order = np.random.default_rng(seed).permutation(len(groups))
    shuffled = sorted((groups[index] for index in order), key=lambda group: kinds[group[0]])
    chosen = _at_equal_distances(shuffled, number)
    learned = [row for index, row in enumerate(rows) if index not in chosen]
    return learned, [rows[index] for index in sorted(chosen)]


def _groups(task: Task, rows: Sequence[Any]) -> list[list[int]]:
    """Return the rows of each group, by their places."""
    groups: dict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        groups[task.group_of(row)].append(index)
    if len(groups) < FEWEST_GROUPS:
        return [[index] for index in range(len(rows))]
    return list(groups.values())


def _at_equal_distances(groups: Sequence[Sequence[int]], number: int) -> set[int]:
    """Return the rows of groups that are taken, so that their share is the same everywhere."""
    rate = number / max(sum(map(len, groups)), 1)
    chosen: set[int] = set()
    passed = 0
    for group in groups:
        passed += len(group)
        if len(chosen) + len(group) / 2 <= passed * rate:
            chosen.update(group)
    return chosen
