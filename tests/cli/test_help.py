from __future__ import annotations

import re

import pytest

from foretext.cli.app import app
from tests.cli.conftest import Command

VERBS = [command.name or command.callback.__name__ for command in app.registered_commands]  # type: ignore[union-attr]
TYPES = re.compile(r"<(str|int|float|bool|path|list|uuid|datetime)\b", re.IGNORECASE)


def test_every_verb_has_a_line_of_its_own(command: Command) -> None:
    verbs = command("--help").out.partition("Commands:")[2]
    assert [line.split()[0] for line in verbs.splitlines() if line.strip()] == VERBS
    assert "..." not in verbs


@pytest.mark.parametrize("verb", [None, *VERBS])
def test_help_fits_a_terminal_and_names_no_types(verb: str | None, command: Command) -> None:
    shown = command(*([verb] if verb else []), "--help").out
    assert max(map(len, shown.splitlines())) <= 80
    assert not TYPES.search(shown)


def test_help_keeps_brackets(command: Command) -> None:
    assert "A text with [MASK] in it." in command("fill", "--help").out
    assert "Predict the tokens at [MASK]" in command("fill", "--help").out
