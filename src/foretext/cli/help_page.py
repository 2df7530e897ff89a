"""What ``--help`` shows, in a language other than English: typer's own counts letters as cells."""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from foretext.base.text_lines import cells, text_lines
from foretext.messages import clauses, has_message, message
from foretext.messages.help import help_text

__all__ = ["HelpEntry", "help_entries", "help_page", "summary", "usage_pieces"]

WIDEST, INDENT, GAP = 80, 2, 2
WIDEST_NAME = 30  # a longer one has a line of its own
_EXTRA = re.compile(r"(default|env var): (.*)", re.DOTALL)


class HelpEntry(NamedTuple):
    """An argument or an option in the help of a verb."""

    kind: str
    """``argument`` or ``option``."""
    name: str
    said: str
    anchor: str
    """Its first name alone, to link to it."""


def help_page(command: Any, context: Any, verbs: Mapping[str, Any]) -> str:
    """Return the help of a verb, or of the command with its verbs, for a terminal."""
    width = min(shutil.get_terminal_size().columns, WIDEST) - 2
    parts = [_usage(command, context, width)]
    for paragraph in help_text(command.help or "").split("\n\n"):
        lines = text_lines(paragraph, width - INDENT)
        parts.append("\n".join(f"{' ' * INDENT}{line}" for line in lines))
    entries = help_entries(command, context)
    for kind in ("argument", "option"):
        rows = [(entry.name, entry.said) for entry in entries if entry.kind == kind]
        parts.append(_section(kind, rows, width))
    rows = [(name, summary(verb)) for name, verb in verbs.items()]
    parts.append(_section("command", rows, width))
    return "\n\n".join(filter(None, parts))


def help_entries(command: Any, context: Any) -> list[HelpEntry]:
    """Return what a command takes, with its help in the reader's language."""
    found = []
    for parameter in command.get_params(context):
        bare = copy.copy(parameter)
        bare.help = ""  # so that the record has the default and the bounds alone
        if (record := bare.get_help_record(context)) is not None:
            kind, name = parameter.param_type_name, record[0]
            name = name.partition(" ")[0] if kind == "argument" else name
            said = (help_text(parameter.help or ""), _extra(record[1]))
            anchor = parameter.opts[0].lstrip("-")
            found.append(HelpEntry(kind, name, "  ".join(filter(None, said)), anchor))
    return found


def summary(command: Any) -> str:
    """Return what a verb does, the first paragraph of its help."""
    return help_text(command.help or "").partition("\n\n")[0].replace("\n", " ")


def usage_pieces(command: Any, context: Any) -> str:
    """Return what stands behind the name of a command: options, arguments, a verb."""
    pieces = " ".join(command.collect_usage_pieces(context))
    for word, key in (("[OPTIONS]", "options"), ("COMMAND [ARGS]...", "command")):
        pieces = pieces.replace(word, message(f"terminal.help.usage_{key}"))
    return pieces


def _usage(command: Any, context: Any, width: int) -> str:
    before = message("terminal.help.usage", command=context.command_path) + " "
    lines = text_lines(usage_pieces(command, context), width - cells(before))
    return before + f"\n{' ' * cells(before)}".join(lines)


def _extra(text: str) -> str:
    """Return a default, bounds and whether it is required, which typer writes in brackets."""
    if not text:
        return ""
    return f"[{clauses(_extra_said(each) for each in text.strip()[1:-1].split('; '))}]"


def _extra_said(text: str) -> str:
    if (found := _EXTRA.fullmatch(text)) is not None:
        return message(f"terminal.help.{found[1].replace(' ', '_')}", value=found[2])
    key = f"terminal.help.{text}"
    return message(key) if has_message(key) else text


def _section(kind: str, rows: list[tuple[str, str]], width: int) -> str:
    """Return names with what they mean beside them, under a title."""
    if not rows:
        return ""
    column = INDENT + min(max(cells(name) for name, _ in rows), WIDEST_NAME) + GAP
    lines = [line for name, said in rows for line in _row(name, said, column, width)]
    return "\n".join([message(f"terminal.help.{kind}s"), *lines])


def _row(name: str, said: str, column: int, width: int) -> Iterator[str]:
    first = f"{' ' * INDENT}{name}"
    if cells(first) > column - GAP:
        yield first
        first = ""
    for line in text_lines(said, width - column) or [""]:
        yield (first + " " * (column - cells(first)) + line).rstrip()
        first = ""
