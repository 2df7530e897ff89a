"""A page for each recipe, task and base with all of its settings, made from their classes."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

import tomli_w

from foretext.finetuning.base_names import base_names
from foretext.finetuning.setting_groups import SECTIONS, SettingGroup, setting_groups
from foretext.messages import in_language
from foretext.messages.help import group_text, setting_text, values_text
from foretext.recipe.sections import DescribedSetting
from foretext.recipes import recipe_names
from foretext.tasks import TASKS
from tools.site.languages import Language

__all__ = ["setting_pages"]

FOLDER = "reference/settings"
ONLY_HERE = ("clean", "rules", "chinese_rules", "reconstruction")  # sections without a recipe


def setting_pages(language: Language) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page; the first lists the others."""
    with in_language(language.code):
        pages = [*_pages(language)]
    yield from pages


def _pages(language: Language) -> Iterator[tuple[str, str]]:
    kinds = {
        language.say("Recipes", "配方"): recipe_names(),
        language.say("Tasks", "任务"): list(TASKS),
        language.say("Bases without weights", "没有权重的基础模型"): _bases(),
        language.say("Sections", "其他部分"): [name for name in SECTIONS if name in ONLY_HERE],
    }
    yield f"{FOLDER}.md", _index(kinds, language)
    for names in kinds.values():
        for name in names:
            yield f"{FOLDER}/{name}.md", _page(name, language)


def _bases() -> list[str]:
    """Return what learns from scratch and is no recipe, whose page it would share."""
    return [name for name in base_names() if name not in (*recipe_names(), *TASKS)]


def _index(kinds: dict[str, list[str]], language: Language) -> str:
    parts = [
        "# " + language.say("Settings", "设置"),
        language.say(
            "Change one with `--set`, such as `--set training.steps=2000`, or several in a file "
            "for `--config`. `foretext list --settings NAME` shows the same in a terminal.",
            "用 `--set` 修改一项，例如 `--set training.steps=2000`；多项写进一个文件，"
            "用 `--config` 读取。每一页都由代码生成；"
            "`foretext list --settings 名称 --lang zh` 在终端里显示同样的内容。",
        ),
    ]
    for kind, names in kinds.items():
        parts += [f"## {kind}", "\n".join(f"- [{name}](settings/{name}.md)" for name in names)]
    return "\n\n".join(parts) + "\n"


def _page(name: str, language: Language) -> str:
    parts = ["# " + language.say(f"Settings of {name}", f"{name} 的设置")]
    for group in setting_groups(name):
        parts += _group(group, language)
    return "\n\n".join(parts) + "\n"


def _group(group: SettingGroup, language: Language) -> Iterator[str]:
    yield language.say(
        f"These are the settings of the {group.title}.", f"（{group_text(group.title)}）"
    )
    if group.note:
        yield group_text(group.note)
    for section, settings in group.sections().items():
        yield f"## {section}"
        entries = [_entry(section, each, language) for each in settings]
        yield "\n".join(['<dl class="named">', *entries, "</dl>"])


def _entry(section: str, setting: DescribedSetting, language: Language) -> str:
    """Return a setting with its default, its values and what it is for."""
    name = f"{section}.{setting.name}"
    default, values = html.escape(_toml(setting.default)), html.escape(values_text(setting.values))
    said = _code(setting_text(setting.description))
    takes = language.say("Values:", "取值：")
    return (
        f'<dt id="{name}"><code>{name} = {default}</code></dt>'
        f"<dd>{said} <small>{takes} {values}</small></dd>"
    )


def _code(text: str) -> str:
    """Return a description as HTML; what stands between back quotes is code."""
    parts = html.escape(text).replace("``", "`").split("`")
    return "".join(f"<code>{part}</code>" if odd % 2 else part for odd, part in enumerate(parts))


def _toml(value: Any) -> str:
    """Return a default as TOML writes it; none stands for a setting that is left out."""
    return "none" if value is None else tomli_w.dumps({"x": value}).partition(" = ")[2].strip()
