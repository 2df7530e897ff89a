"""A page for each verb of the command line, made from what ``foretext VERB --help`` is made of."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from foretext.cli.app import app
from foretext.cli.help_page import HelpEntry, help_entries, summary, usage_pieces
from foretext.messages import in_language
from foretext.messages.help import help_text
from tools.site.languages import Language

__all__ = ["verb_pages"]

FOLDER = "reference/verbs"


def verb_pages(language: Language) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page; the first lists the others."""
    commands: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
    with in_language(language.code):
        pages = [(f"{FOLDER}.md", _index(commands, language))]
        for name, command in commands.items():
            pages.append((f"{FOLDER}/foretext-{name}.md", _page(name, command, language)))
    yield from pages


def _index(commands: dict[str, Any], language: Language) -> str:
    title = language.say("Verbs of the command line", "命令行的命令")
    note = language.say(
        "`foretext VERB --help` shows the same in a terminal.",
        "每一页都由代码生成；`foretext 命令 --help --lang zh` 在终端里显示同样的内容。",
    )
    rows = [
        f"| [{name}](verbs/foretext-{name}.md) | {_first(command)} |"
        for name, command in commands.items()
    ]
    head = language.say("| verb | what it does |", "| 命令 | 作用 |")
    return "\n".join([f"# {title}", "", note, "", head, "|---|---|", *rows, ""])


def _page(name: str, command: Any, language: Language) -> str:
    context = command.make_context(name, [], resilient_parsing=True)
    usage = usage_pieces(command, context)
    named: dict[str, list[str]] = {"argument": [], "option": []}
    for entry in help_entries(command, context):
        named[entry.kind].append(_entry(entry))
    parts = [
        f"# foretext {name}",
        "```text\n" + f"foretext {name} {usage}" + "\n```",
        _markdown(command.help),
    ]
    titles = {
        "argument": language.say("Arguments", "参数"),
        "option": language.say("Options", "选项"),
    }
    for kind, entries in named.items():
        if entries:
            parts.append(f"## {titles[kind]}")
            parts.append("\n".join(['<dl class="named">', *entries, "</dl>"]))
    return "\n\n".join(parts) + "\n"


def _entry(entry: HelpEntry) -> str:
    """Return an option and its help, with a name to link to."""
    anchor, shown = entry.anchor, html.escape(entry.name)
    return f'<dt id="{anchor}"><code>{shown}</code></dt><dd>{_code(entry.said)}</dd>'


def _code(text: str) -> str:
    """Return a help text as HTML; what stands between back quotes is code."""
    parts = html.escape(text).split("`")
    return "".join(f"<code>{part}</code>" if odd % 2 else part for odd, part in enumerate(parts))


def _first(command: Any) -> str:
    """Return the first sentence of the help of a verb."""
    return _markdown(summary(command)).replace("|", "\\|")


def _markdown(text: str) -> str:
    return help_text(text.replace("\b\n", "")).replace("<", "&lt;").strip()
