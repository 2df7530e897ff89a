"""Examples of a task's training: rows as the network reads them, and the right answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foretext.base.errors import SettingError
from foretext.finetuning.bases import open_base
from foretext.finetuning.start import Material, find_start
from foretext.messages import language, message
from foretext.pretraining.language_model_examples import shown_batches
from foretext.pretraining.learner import Draw
from foretext.report.showing import Showing
from foretext.shown import Note, Shown
from foretext.tasks.task import model_class, task_named

__all__ = ["show_task"]

SECTIONS = ("rows", "task", "backbone", "tokenizer")
NEW = {"text_to_text": "transformer-2017"}  # what reads the rows where no run does
OTHERS = "transformer"
MOST_ROWS = 2000  # of which a tokenizer is learned, and examples are drawn


def show_task(
    name: str, rows: Any, draw: Draw, sections: Mapping[str, Mapping[str, Any]]
) -> Showing:
    """Show training examples of a task, in the language of messages; nothing is trained.

    Args:
        name: of the task.
        rows: as `finetune` takes them.
        draw: which examples; its `tokenizer` is a run, whose network would be trained further.
        sections: the user's settings.

    Raises:
        ForetextError: rows, settings or run cannot be used.
    """
    for section in sections:
        if section not in SECTIONS:
            raise SettingError(
                f"[{section}] has no effect on the examples of {name}; there are: "
                f"{', '.join(SECTIONS)}."
            )
    task = task_named(name)
    reading = task.rows_config.checked(dict(sections.get("rows", {})), "rows")
    every = task.read(task.source_of(rows), reading)
    found = every[:MOST_ROWS]
    base: str | Path = draw.tokenizer or NEW.get(name, OTHERS)
    config = task.head_config.checked(dict(sections.get("task", {})), "task")
    material = Material.of(task, config, found)
    start = find_start(open_base(base), base, material, sections)
    is_pretrained = start.origin == "pretrained"
    resolved = task.resolve(config, start.base, found, is_pretrained=is_pretrained, is_frozen=False)
    config = resolved.config
    model = model_class(task).begin(start.new_base(draw.seed), config, found)
    tokenizer = model.base.target_tokenizer or model.tokenizer
    about = message("show.rows_of", rows=len(found), task=name, base=base)
    examples = shown_batches(model.head, model.examples(found), tokenizer, draw)
    text = Shown(message("show.text_title"), (Note(about),))
    if len(every) > len(found):
        text = text.noted([message("show.first_rows", read=len(found), all=len(every))])
    return Showing(name, (text, *examples), language())
