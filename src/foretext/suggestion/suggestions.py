"""The texts that are suggested, and the file that people label them in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foretext.base.arguments import checked_arguments
from foretext.base.files import refuse_existing, refuse_name
from foretext.base.representation import represented
from foretext.data.rows.label_formats import LabelTask, TaskFormat, task_format, write_tasks

__all__ = ["Suggestions", "checked_output"]


def checked_output(
    path: Path, format: TaskFormat | None, *, overwrite: bool, tagged: bool
) -> TaskFormat:
    """Return the format of a file of suggestions that can be written.

    Raises:
        SettingError: the suffix does not say the format, or it has no room for these tasks.
        OutputError: there is such a file already.
    """
    refuse_name(path)
    refuse_existing(path, overwrite=overwrite)
    return task_format(path, format, tagged=tagged)


@represented
@dataclass(frozen=True, repr=False)
class Suggestions:
    """Texts to label next, the most useful first.

    Attributes:
        tasks: each a text with the model's answer, its `priority` and `why` it was chosen.
        facts: how many texts were read, repeated, empty and labelled already; `by` what they were
            chosen, and what gave the `vectors`.
    """

    tasks: list[LabelTask]
    facts: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[LabelTask]:
        return iter(self.tasks)

    @property
    def texts(self) -> list[str]:
        """The texts alone, both of a pair with an empty line between them."""
        return [task.text for task in self.tasks]

    @checked_arguments
    def write(
        self, path: str | Path, format: TaskFormat | None = None, *, overwrite: bool = False
    ) -> TaskFormat:
        """Write a file for Label Studio, doccano, Prodigy or a spreadsheet; return its format.

        Args:
            path: of the file.
            format: "csv", "tsv" (a tagged token a line), "jsonl", "label-studio", "doccano",
                "prodigy", "conllu" or "docbin"; None: by the suffix, of which .json is Label
                Studio's.
            overwrite: replace the file, if there is one.

        Raises:
            SettingError: the suffix does not say the format, or it has no room for these tasks.
            OutputError: there is such a file, or it cannot be written.
        """
        file = Path(path)
        tagged = any(task.tokens is not None for task in self)
        chosen = checked_output(file, format, overwrite=overwrite, tagged=tagged)
        write_tasks(self.tasks, file, chosen)
        return chosen

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show of them."""
        return {"suggested": len(self), **self.facts}
