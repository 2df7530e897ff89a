"""The class of every verb: its help is plain text, and names no type of Python."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

__all__ = ["Verb"]


class Verb(TyperCommand):
    """A verb of the command line."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments by their names, then the options.

        Typer would write ``RUN <path>`` for an argument; its name and its help say enough.
        """
        shown: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
        for parameter in self.get_params(ctx):
            if (record := parameter.get_help_record(ctx)) is not None:
                name, text = record
                is_argument = parameter.param_type_name == "argument"
                name = name.partition(" ")[0] if is_argument else name
                shown[parameter.param_type_name].append((name, text))
        for kind, rows in shown.items():
            if rows:
                with formatter.section(f"{kind.title()}s"):
                    formatter.write_dl(rows)
