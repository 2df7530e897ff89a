"""What a shell offers for a word that is not finished; nothing here imports PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from foretext.base.errors import ForetextError

if TYPE_CHECKING:
    from foretext.finetuning.setting_groups import SettingGroup

__all__ = [
    "complete_base",
    "complete_candidate",
    "complete_recipe",
    "complete_run",
    "complete_setting_of_recipe",
    "complete_setting_of_task",
    "complete_settings_name",
    "complete_task",
]

Offer = tuple[str, str]  # a word, and what it means
DEPTH = 2  # folders below what is typed in which runs are looked for
RUN_FILES = ("recipe.toml", "config.json", "compare.json")  # one is in every run or comparison


def complete_recipe(incomplete: str) -> list[str]:
    """Offer the recipes, and sizes where a name is complete."""
    from foretext.base.sizes import SIZES
    from foretext.recipes import recipe_names

    names = recipe_names()
    begun = [name for name in names if incomplete.startswith(name) and _has_sizes(name)]
    return _beginning([*names, *(f"{name}-{size}" for name in begun for size in SIZES)], incomplete)


def complete_task(incomplete: str) -> list[str]:
    """Offer the tasks."""
    from foretext.tasks import TASKS

    return _beginning(TASKS, incomplete)


def complete_base(incomplete: str) -> list[str]:
    """Offer what learns from scratch, by name, and runs."""
    from foretext.finetuning.base_names import base_names

    return [*_beginning(base_names(), incomplete), *complete_run(incomplete)]


def complete_candidate(ctx: typer.Context, incomplete: str) -> list[str]:
    """Offer the candidates of the task that is named before, groups of them, and runs.

    Names are written without blanks, which a shell would take for the end of a word.
    """
    from foretext.comparison.candidate import GROUPS
    from foretext.comparison.candidates import usual_names

    names = usual_names(ctx.params.get("task") or "classification")
    words = [
        word for word in [*(name.replace(" + ", "+") for name in names), *GROUPS] if " " not in word
    ]
    return [*_beginning(words, incomplete), *complete_run(incomplete)]


def complete_run(incomplete: str) -> list[str]:
    """Offer the folders of runs; where there are none, the shell offers files."""
    begun = Path(incomplete)
    folder = begun if incomplete.endswith("/") else begun.parent
    found = sorted(str(run) for run in _runs(folder, DEPTH))
    return _beginning(found, incomplete.removeprefix("./"))


def complete_settings_name(incomplete: str) -> list[str]:
    """Offer what `foretext list --settings` can show."""
    from foretext.finetuning.setting_groups import known_names

    return _beginning(dict.fromkeys(known_names()), incomplete)


def complete_setting_of_recipe(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Offer the settings of the recipe that is named before."""
    from foretext.finetuning.setting_groups import recipe_group

    recipe, *_ = [*_arguments(ctx), ""]
    return _settings(lambda: [recipe_group(recipe)], incomplete)


def complete_setting_of_task(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Offer the settings of the task and the base that are named before."""
    from foretext.finetuning.setting_groups import fine_tuning_groups

    task, base, *_ = [*_arguments(ctx), "", ""]
    return _settings(lambda: fine_tuning_groups(task, base), incomplete)


def _has_sizes(recipe: str) -> bool:
    """Whether the backbone of a recipe has the settings that a size gives."""
    from foretext.base.sizes import Size
    from foretext.cli.setting_names import settings_in_source
    from foretext.finetuning.setting_groups import recipe_group

    backbone = recipe_group(recipe).classes.get("backbone")
    return backbone is not None and {*Size._fields} <= {*settings_in_source(backbone)}


def _arguments(ctx: typer.Context) -> list[str]:
    """Return the words before that are no options.

    They have no names yet: the parser stopped at ``--set``, whose value is being written.
    """
    return ctx.args


def _settings(groups: Callable[[], list[SettingGroup]], incomplete: str) -> list[Offer]:
    """Offer ``section.name=``; nothing where what is named before is unknown."""
    from foretext.cli.setting_names import settings_in_source

    try:
        classes = [each for group in groups() for each in group.classes.items()]
    except ForetextError:
        return []
    offers = {
        f"{section}.{name}=": sentence
        for section, target in classes
        for name, sentence in settings_in_source(target).items()
    }
    return [(word, offers[word]) for word in _beginning(offers, incomplete)]


def _runs(folder: Path, depth: int) -> Iterator[Path]:
    """Find runs below a folder; what is in a run is not looked at."""
    try:
        inside = [path for path in folder.iterdir() if path.is_dir() and path.name[0] != "."]
    except OSError:
        return  # it cannot be read, or is not there: there is nothing to offer
    for path in inside:
        if any((path / name).is_file() for name in RUN_FILES):
            yield path
        elif depth > 1:
            yield from _runs(path, depth - 1)


def _beginning(words: Any, incomplete: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
