"""Every ``foretext`` command that a page names exists, in blocks that do not run, too."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest
import typer

from foretext.cli.app import app
from foretext.data.rows.label_formats import LABEL_FORMATS
from foretext.vectors.formats import FORMATS
from tests.docs.commands import ROOT
from tests.docs.markdown import blocks_of

FOLDERS = ("course", "guides", "extending", "zh")
PAGES = [
    *(ROOT / name for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("[bgir]*.md")),
    *(path for name in FOLDERS for path in sorted((ROOT / "docs" / name).rglob("*.md"))),
    *sorted((ROOT / "docs" / "deploy").glob("*")),
]
BEFORE = ("--debug", "--trust", "--version", "--help")  # options of foretext itself
_SPAN = re.compile(r"`(foretext [^`]+)`")
_COMMAND = re.compile(r"^\W*(?:[A-Z_]+=\S+ )*(?:\S+/bin/)?(foretext .*)$")


def commands_named(page: Path) -> Iterator[str]:
    """The commands of a page: the lines of its blocks that begin with one, and its spans."""
    text = page.read_text(encoding="utf-8")
    for block in blocks_of(page):
        if block.language not in ("python", "json", "toml"):
            for line in block.text.replace("\\\n", " ").split("\n"):
                if found := _COMMAND.match(line):
                    yield from found[1].split(" && ")
    yield from (" ".join(span.split()) for span in _SPAN.findall(text))


@cache
def verbs() -> dict[str, dict[str, tuple[str, ...] | None]]:
    """Verb to its options, each with the values that it takes; None: any."""
    group = typer.main.get_command(app)
    found: dict[str, dict[str, tuple[str, ...] | None]] = {}
    for verb, command in group.commands.items():  # type: ignore[attr-defined]
        found[verb] = {"--help": None}
        for parameter in command.params:
            kind = parameter.type_descriptor.annotation
            choices = tuple(map(str, get_args(kind))) if get_origin(kind) is Literal else None
            for name in (*parameter.opts, *parameter.secondary_opts):
                found[verb][name] = choices
    found["convert"]["--to"] = (*FORMATS, *LABEL_FORMATS)
    return found


def problem_of(command: str) -> str | None:
    """What is wrong with a command; None: nothing, or it names no verb."""
    words = command.split()[1:]
    with suppress(ValueError):  # a quotation mark of a sentence
        words = shlex.split(command, comments=True)[1:]
    while words and words[0] in BEFORE:
        words = words[2:] if words[0] == "--trust" else words[1:]
    if not words or not re.fullmatch(r"[a-z]+", words[0]):
        return None  # `foretext VERB`, `foretext --help`
    if words[0] not in verbs():
        return f"there is no verb {words[0]}"
    options = verbs()[words[0]]
    for place, word in enumerate(words):
        name, _, value = word.partition("=")
        if not re.fullmatch(r"--[a-z].*|-[a-z]", name):
            continue
        if name not in options:
            return f"{words[0]} has no {name}"
        choices = options[name]
        given = value or "".join(words[place + 1 : place + 2])
        if choices and re.fullmatch(r"[a-z0-9-]+", given) and given not in choices:
            return f"{words[0]} {name} takes no {given}"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_exists(page: Path) -> None:
    problems = {command: problem_of(command) for command in commands_named(page)}
    assert {command: said for command, said in problems.items() if said} == {}


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("foretext convert --to hf", "convert --to takes no hf"),
        ("foretext convert runs/a b.vec --to=gguf", "convert --to takes no gguf"),
        ("foretext publish runs/a", "there is no verb publish"),
        ("foretext embed runs/a --pooling sum -o a.npy", "embed --pooling takes no sum"),
        ("foretext --trust me serve a --ports 3", "serve has no --ports"),
        ("foretext tokenizer a.txt -x b", "tokenizer has no -x"),
        ("foretext convert RUN FILE --to FORMAT", None),
        ("foretext embed runs/a it's.txt --pooling cls", None),
        ("foretext VERB --json", None),
    ],
)
def test_what_does_not_exist_is_found(command: str, said: str | None) -> None:
    assert problem_of(command) == said


def test_pages_name_commands() -> None:
    assert sum(len(list(commands_named(page))) for page in PAGES) > 300
