"""``foretext list``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from foretext.base.errors import SettingError
from foretext.base.terminal import say
from foretext.cli.completion import complete_settings_name, complete_task
from foretext.cli.shared import (
    AsJson,
    print_definitions,
    print_json,
    print_table,
    titles,
)
from foretext.messages import language, message
from foretext.messages.help import group_text, setting_text, values_text

if TYPE_CHECKING:
    from foretext.finetuning.setting_groups import SettingGroup
    from foretext.recipe.sections import DescribedSetting

__all__ = ["show_list"]

SHOWN = ("name", "group", "recipe", "base", "least_seconds")  # of a candidate


def show_list(
    settings: Annotated[
        str | None,
        typer.Option(
            "--settings",
            metavar="NAME",
            help="Every setting of a recipe, a task, a base, a component or a section.",
            autocompletion=complete_settings_name,
        ),
    ] = None,
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs",
            help="Which objectives and backbones go together, and what their models do.",
        ),
    ] = False,
    candidates: Annotated[
        str | None,
        typer.Option(
            "--candidates",
            metavar="TASK",
            help="What `foretext compare` tries on a task, the most promising first.",
            autocompletion=complete_task,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show recipes, tasks, bases and formats, and all settings."""
    wanted = {"--pairs": pairs, "--settings": settings, "--candidates": candidates}
    given = [option for option, value in wanted.items() if value]
    if len(given) > 1:
        joint = " and " if language() == "en" else "、"
        raise SettingError(message("options.list.different", options=joint.join(given)))
    if candidates is not None:
        _show_candidates(candidates, as_json=as_json)
        return
    if pairs:
        _show_pairs(as_json=as_json)
        return
    if settings is None:
        _show_names(as_json=as_json)
        return
    from foretext.finetuning.setting_groups import setting_groups

    groups = setting_groups(settings)
    if as_json:
        print_json({group.title: _as_dict(group) for group in groups})
        return
    for group in groups:
        _show_group(group)
    say(f"\n{message('terminal.list.set', example=_example(groups[0]))}")


def _show_names(*, as_json: bool) -> None:
    from foretext.backbones import BACKBONES
    from foretext.base.sizes import SIZES
    from foretext.finetuning.base_names import base_names
    from foretext.objectives import OBJECTIVES
    from foretext.recipes import recipe_names
    from foretext.tasks import TASKS
    from foretext.tokenizers.subwords import SUBWORDS
    from foretext.vectors.formats import FORMATS

    names = {
        "recipes": recipe_names(),
        "sizes of networks": [f"-{size}" for size in SIZES],
        "backbones": list(BACKBONES),
        "objectives": list(OBJECTIVES),
        "tokenizers": list(SUBWORDS),
        "tasks": list(TASKS),
        "bases without weights": base_names(),
        "vector formats": list(FORMATS),
    }
    if as_json:
        print_json(names)
        return
    said = (message(f"terminal.list.kind.{kind.replace(' ', '_')}") for kind in names)
    lists = (", ".join(each) for each in names.values())
    print_table(["", ""], list(zip(said, lists, strict=True)))
    say(f"\n{message('terminal.list.settings')}")
    say(message("terminal.list.pairs"))
    say(message("terminal.list.candidates"))


def _show_pairs(*, as_json: bool) -> None:
    from foretext.base.registry import imported

    pairs = imported("foretext.pretraining.building:lawful_pairs")()
    if as_json:
        print_json([pair._asdict() for pair in pairs])
        return
    print_table(
        titles(
            "tables.objective",
            "tables.backbone",
            "tables.recipes",
            "tables.fills",
            "tables.generates",
            "tables.scores_text",
        ),
        [
            (
                pair.objective,
                pair.backbone,
                ", ".join(pair.recipes) or "-",
                *(
                    message("page.yes") if able else "-"
                    for able in (pair.fills, pair.generates, pair.scores)
                ),
            )
            for pair in pairs
        ],
    )
    say(f"\n{message('terminal.list.try_pair')}")
    say("foretext pretrain RECIPE CORPUS -o RUN --set backbone.name=NAME")


def _show_candidates(task: str, *, as_json: bool) -> None:
    from foretext.comparison.candidate import named_candidate
    from foretext.comparison.candidates import usual_names
    from foretext.comparison.rows import compared_task

    compared_task(task)  # refuses a task that is not compared
    found = [named_candidate(name, task) for name in usual_names(task)]
    if as_json:
        print_json([{name: getattr(each, name) for name in SHOWN} for each in found])
        return
    print_table(
        titles("tables.candidate", "tables.group", "tables.fair_look"),
        [
            (
                each.name,
                message(f"comparison.group.{each.group.replace(' ', '_')}"),
                message("page.duration.seconds", seconds=f"{each.least_seconds:.0f}"),
            )
            for each in found
        ],
    )
    say(f"\n{message('terminal.list.only')}")


def _show_group(group: SettingGroup) -> None:
    say(f"\n{group_text(group.title)}" + (f"\n{group_text(group.note)}" if group.note else ""))
    for section, settings in group.sections().items():
        say(f"\n[{section}]")
        print_definitions(
            (f"{each.name} = {_toml(each.default)}", _said(each)) for each in settings
        )


def _said(setting: DescribedSetting) -> str:
    """What a setting is for, and its values."""
    said = {"said": setting_text(setting.description), "values": values_text(setting.values)}
    return message("terminal.list.setting", **said)


def _toml(value: Any) -> str:
    """Return a default as TOML writes it; none stands for a setting that is left out."""
    import tomli_w

    return "none" if value is None else tomli_w.dumps({"x": value}).partition(" = ")[2].strip()


def _as_dict(group: SettingGroup) -> dict[str, Any]:
    return {
        section: {
            each.name: {
                "default": each.default,
                "values": each.values,
                "description": each.description,
            }
            for each in settings
        }
        for section, settings in group.sections().items()
    }


def _example(group: SettingGroup) -> str:
    """Return the last setting of a group that has a value, with it."""
    section, settings = list(group.sections().items())[-1]
    each = next(each for each in reversed(settings) if each.default is not None)
    return f"{section}.{each.name}={_toml(each.default)}"
