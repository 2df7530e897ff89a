"""The settings behind a name: of a recipe, a task, a base, a component or a section.

A group names the class that checks each section; nothing is imported before it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from foretext.backbones import BACKBONES
from foretext.base.errors import SettingError, did_you_mean
from foretext.base.registry import imported
from foretext.finetuning.base_names import LEARNERS, SHORT_NAMES, base_names
from foretext.recipe.named_recipe import is_recipe_name, read_recipe
from foretext.recipe.sections import (
    CORPUS,
    DATA,
    TRAINING,
    DescribedSetting,
    described,
    owners_of,
    tables_of_sections,
)
from foretext.recipes import recipe_names
from foretext.tasks import TASKS

__all__ = [
    "SettingGroup",
    "fine_tuning_groups",
    "known_names",
    "recipe_group",
    "setting_groups",
]

TABLES = tables_of_sections()
SECTIONS = {
    "corpus": CORPUS.target,
    "data": DATA.target,
    "training": TRAINING.target,
    "finetuning": "foretext.finetuning.settings:FinetuningConfig",
    "linear": "foretext.tasks.classification.linear_storage:LinearConfig",
    "classifier": "foretext.tasks.fasttext.config:FastTextClassifierConfig",
    "embeddings": "foretext.tasks.classification.embeddings.settings:EmbeddingsConfig",
    "reconstruction": "foretext.objectives.reconstruction:ReconstructionConfig",
    "clean": "foretext.cleaning.settings:CleaningConfig",
    "rules": "foretext.cleaning.quality_rules:QualityRules",
    "chinese_rules": "foretext.cleaning.quality_rules:ChineseRules",
}
SECTION_NAMES = [*SECTIONS, *TABLES, "rows", "task"]
LEARNER_SECTIONS = {
    "auto": "embeddings",
    "embeddings": "embeddings",
    "fasttext": "classifier",
    "linear": "linear",
}
OF_TASKS = {  # by what "auto" and "linear" learn other tasks than classification
    "matching": {"linear": "foretext.tasks.matching.pair_regression:PairRegressionConfig"},
    "tagging": {"linear": "foretext.tasks.tagging.linear_storage:LinearTaggerConfig"},
}
OTHER_LEARNERS = ("auto", "linear")
CHOSEN_LATER = "What you leave out is chosen to suit base and rows; the run's recipe.toml has it."


@dataclass(frozen=True)
class SettingGroup:
    """Settings that belong together.

    Attributes:
        title: what they belong to.
        classes: ``"module:Class"`` by section.
        given: settings by section that differ from the defaults.
        note: a sentence about all of them.
    """

    title: str
    classes: Mapping[str, str]
    given: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    note: str = ""

    def sections(self) -> dict[str, list[DescribedSetting]]:
        """Import the classes, and return their settings by section."""
        return {section: list(self._settings(section)) for section in self.classes}

    def _settings(self, section: str) -> Iterator[DescribedSetting]:
        given = self.given.get(section, {})
        if "name" in given:
            names = ", ".join([*TABLES[section], "module:Class"])
            yield DescribedSetting("name", given["name"], names, f"Which {section}.")
        yield from described(imported(self.classes[section]), given)


def setting_groups(name: str) -> list[SettingGroup]:
    """Return everything that has settings and is called `name`.

    Raises:
        SettingError: nothing is.
    """
    found: list[SettingGroup] = []
    for group in _called(name):
        known = {path for each in found for path in each.classes.values()}
        if not known.issuperset(group.classes.values()):
            found.append(group)
    if found:
        return found
    raise SettingError(
        f"Nothing that has settings is called '{name}'.{did_you_mean(name, known_names())} Name a "
        "recipe, a task, a base or a component of `foretext list`, a .toml file, or a section: "
        f"{', '.join(SECTION_NAMES)}."
    )


def known_names() -> list[str]:
    """Return the names that have settings; recipes of networks have sizes behind their names."""
    components = [row for table in TABLES.values() for row in table]
    return [*recipe_names(), *TASKS, *base_names(), *components, *SECTION_NAMES]


def recipe_group(recipe: str) -> SettingGroup:
    """Return the settings of a recipe, by name or file."""
    given = read_recipe(recipe)
    owners = owners_of(given)
    classes = {name: owner.path(given.get(name, {})) for name, owner in owners.items()}
    return SettingGroup(f"recipe {recipe}", classes, given)


def task_group(task: str) -> SettingGroup:
    """Return the settings of a task that a network learns."""
    target = TASKS.target(task)
    classes = {"rows": f"{target}.rows_config", "task": f"{target}.head.Config"}
    shared = {section: SECTIONS[section] for section in ("finetuning", "training")}
    return SettingGroup(f"task {task}, learned by a network", classes | shared, note=CHOSEN_LATER)


def base_group(base: str, task: str | None = None) -> SettingGroup:
    """Return the settings of what learns from scratch, by its name, as it learns a task."""
    if task in OF_TASKS and base in OTHER_LEARNERS:
        return SettingGroup(f"base {base}, which learns {task}", OF_TASKS[task])
    if base in LEARNERS:
        section = LEARNER_SECTIONS[base]
        return SettingGroup(f"base {base}", {section: SECTIONS[section]}, note=CHOSEN_LATER)
    row, given = SHORT_NAMES.get(base, (base, {}))
    classes = {"backbone": f"{BACKBONES.target(row)}.Config"}
    return SettingGroup(f"base {base}", classes, {"backbone": given}, note=CHOSEN_LATER)


def fine_tuning_groups(task: str, base: str) -> list[SettingGroup]:
    """Return the settings of learning a task on a base, by name or path."""
    if base in LEARNERS:
        rows = {"rows": task_group(task).classes["rows"], "finetuning": SECTIONS["finetuning"]}
        return [base_group(base, task), SettingGroup(f"task {task}", rows)]
    return [task_group(task), *([base_group(base)] if base in base_names() else [])]


def _called(name: str) -> Iterator[SettingGroup]:
    if is_recipe_name(name):
        yield recipe_group(name)
    if name in TASKS:
        yield task_group(name)
    if name in base_names():
        yield base_group(name)
    if name in OTHER_LEARNERS:
        yield from (base_group(name, task) for task in OF_TASKS)
    for section, table in TABLES.items():
        for row in table:
            if name in (row, section):
                classes = {section: f"{table.target(row)}.Config"}
                yield SettingGroup(f"{section} {row}", classes, {section: {"name": row}})
    if name in SECTIONS:
        yield SettingGroup(f"section {name}", {name: SECTIONS[name]})
    if name in ("rows", "task"):
        for task in TASKS:
            yield SettingGroup(f"task {task}", {name: task_group(task).classes[name]})
