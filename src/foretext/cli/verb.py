"""The classes of the command and its verbs: their help is plain text, and names no Python type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typer.core import TyperCommand, TyperGroup

from foretext.base.terminal import say
from foretext.cli.exit_codes import REPAIRABLE
from foretext.messages import language
from foretext.messages.help import help_text

__all__ = ["Verb", "VerbTable"]


class Verb(TyperCommand):
    """A verb of the command line."""

    def get_help(self, ctx: Any) -> str:
        """Return its help in the reader's language."""
        return super().get_help(ctx) if language() == "en" else _help_page(self, ctx)

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return what it does in one sentence, for a shell that completes the names of verbs."""
        said: str = super().get_short_help_str(limit)
        return said if language() == "en" else help_text(self.help or "").partition("\n\n")[0]

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

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Return the options that a shell offers, with their help in the reader's language."""
        return _translated(super().shell_complete(ctx, incomplete))


class VerbTable(TyperGroup):
    """The command, whose help lists the verbs."""

    def get_help(self, ctx: Any) -> str:
        """Return its help in the reader's language."""
        if language() == "en":
            return super().get_help(ctx)
        return _help_page(self, ctx, self.commands)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what stands before the verb; of no arguments at all show the help."""
        if not args and not ctx.resilient_parsing:
            say(ctx.get_help(), error=True)
            ctx.exit(REPAIRABLE)
        read: list[str] = super().parse_args(ctx, args)
        return read

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Return the verbs and options that a shell offers, likewise."""
        return _translated(super().shell_complete(ctx, incomplete))


def _help_page(command: Any, context: Any, verbs: Mapping[str, Any] | None = None) -> str:
    from foretext.cli.help_page import help_page

    return help_page(command, context, verbs or {})


def _translated(offers: Any) -> Any:
    for offer in offers:
        offer.help = offer.help and help_text(offer.help)
    return offers
