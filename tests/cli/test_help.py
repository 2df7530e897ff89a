from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from typer.main import get_command

import foretext
from foretext.cli.app import app
from tests.cli.conftest import Command

VERBS = [command.name or command.callback.__name__ for command in app.registered_commands]  # type: ignore[union-attr]
TYPES = re.compile(r"<(str|int|float|bool|path|list|uuid|datetime)\b", re.IGNORECASE)


def test_every_verb_has_a_line_of_its_own(command: Command) -> None:
    verbs = command("--help").out.partition("Commands:")[2]
    assert [line.split()[0] for line in verbs.splitlines() if line.strip()] == VERBS
    assert "..." not in verbs


@pytest.mark.quick_cases(7)
@pytest.mark.parametrize("verb", [None, *VERBS])
def test_help_fits_a_terminal_and_names_no_types(verb: str | None, command: Command) -> None:
    shown = command(*([verb] if verb else []), "--help").out
    assert max(map(len, shown.splitlines())) <= 80
    assert not TYPES.search(shown)


def test_help_keeps_brackets(command: Command) -> None:
    assert "A text with [MASK] in it." in command("fill", "--help").out
    assert "Predict the tokens at [MASK]" in command("fill", "--help").out


OF_OTHERS = {
    "--max-restarts",
    "--nproc-per-node",
    "--long",
    "--directory",
    "--embeddings",
    "--ignore-scripts",
}  # torchrun, zstd, Python, llama.cpp, npm


def options_in_sentences() -> set[str]:
    """Every option that a text of the package names, docstrings apart."""
    found = set()
    for path in Path(foretext.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in docstrings:
                found |= set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", str(node.value)))
    return found


@pytest.mark.slow
def test_sentences_name_only_options_that_there_are() -> None:
    group = get_command(app)
    known = {"--help", *(option for parameter in group.params for option in parameter.opts)}
    for verb in group.commands.values():  # type: ignore[attr-defined]
        for parameter in verb.params:
            known |= {*parameter.opts, *parameter.secondary_opts}
    assert options_in_sentences() - OF_OTHERS <= known
