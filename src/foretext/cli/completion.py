"""What a shell offers for a word that is not finished; nothing here imports PyTorch."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from foretext.base.errors import ForetextError
from foretext.messages.help import setting_text

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
    "settings_in_source",
]

Offer = tuple[str, str]  # a word, and what it means
DEPTH = 2  # folders below what is typed in which runs are looked for
RUN_FILES = ("recipe.toml", "config.json", "compare.json")  # one is in every run or comparison

PACKAGE = Path(__file__).parents[1]
BASE = "foretext.base.config"  # the base of all settings has none


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

    try:
        classes = [each for group in groups() for each in group.classes.items()]
    except ForetextError:
        return []
    offers = {
        f"{section}.{name}=": sentence
        for section, target in classes
        for name, sentence in settings_in_source(target).items()
    }
    return [(word, setting_text(offers[word])) for word in _beginning(offers, incomplete)]


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


class _Class(NamedTuple):
    """A class in the source of a module."""

    module: str
    body: ast.ClassDef


def settings_in_source(target: str) -> dict[str, str]:
    """Return the settings of ``"module:Class.Config"`` by name, each with the docstring under it.

    A part of the path may be a class within a class, or an attribute that names another class.
    """
    module, _, path = target.partition(":")
    first, *others = path.split(".")
    found = _named(module, first)
    for name in others:
        found = found and _attribute(found, name)
    return {} if found is None else _settings_of(found)


def _settings_of(owner: _Class) -> dict[str, str]:
    settings: dict[str, str] = {}
    for base in _bases(owner):
        settings |= _settings_of(base)
    for node, following in pairwise([*owner.body.body, None]):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind):
                if not ast.unparse(kind).startswith("ClassVar"):
                    settings[name] = _docstring(following)
    return settings


def _docstring(node: ast.stmt | None) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return text
    return ""


def _named(module: str, name: str) -> _Class | None:
    """Find a class by its name in a module, or where the module imports it from."""
    tree = _tree(module)
    for node in [] if tree is None else tree.body:
        match node:
            case ast.ClassDef() if node.name == name:
                return _Class(module, node)
            case ast.Assign(targets=[ast.Name(id=known)], value=value) if known == name:
                return _meant(module, value)
            case ast.ImportFrom(module=str(source), names=names):
                for alias in names:
                    if name == (alias.asname or alias.name):
                        return _named(source, alias.name)
    return None


def _attribute(owner: _Class, name: str) -> _Class | None:
    """Find a class by its name within another, or within the bases of that."""
    for node in owner.body.body:
        match node:
            case ast.ClassDef() if node.name == name:
                return _Class(owner.module, node)
            case ast.Assign(targets=[ast.Name(id=known)], value=value) if known == name:
                return _meant(owner.module, value)
            case ast.AnnAssign(target=ast.Name(id=known), value=ast.expr() as value) if (
                known == name
            ):
                return _meant(owner.module, value)
    found = (_attribute(base, name) for base in _bases(owner))
    return next((each for each in found if each is not None), None)


def _bases(owner: _Class) -> list[_Class]:
    found = [_meant(owner.module, base) for base in owner.body.bases]
    return [each for each in found if each is not None]


def _meant(module: str, value: ast.expr) -> _Class | None:
    """Find the class that an expression such as ``WordEmbedding.Config`` means."""
    match value:
        case ast.Name(id=name):
            return _named(module, name)
        case ast.Attribute(value=inner, attr=name):
            owner = _meant(module, inner)
            return owner and _attribute(owner, name)
        case ast.Subscript(value=inner):
            return _meant(module, inner)
        case ast.Call(func=ast.Name(id="lazily"), args=[ast.Constant(value=str(target))]):
            source, _, name = target.partition(":")
            return _named(source, name)
    return None


@cache
def _tree(module: str) -> ast.Module | None:
    """Parse a module of foretext, without importing it or a package around it."""
    package, *parts = module.split(".")
    if package != "foretext" or module == BASE:
        return None
    path = PACKAGE.joinpath(*parts)
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text("utf-8"))
