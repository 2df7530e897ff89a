"""The container file and the unit of systemd say what is so: commands, options, paths."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
import typer

from foretext.cli.app import app
from foretext.serving.app import create_app
from tests.docs.commands import ROOT

DEPLOY = ROOT / "docs" / "deploy"
UNIT = DEPLOY / "foretext.service"
CONTAINER = DEPLOY / "Containerfile"
GUIDES = ROOT / "docs" / "guides"
SERVING = [GUIDES / f"{name}.md" for name in ("serving", "serving-clients", "serving-operations")]


def options_of(words: list[str]) -> dict[str, object]:
    """What ``foretext serve`` reads of its arguments; a wrong one is an error."""
    verb = typer.main.get_command(app)
    assert isinstance(verb, click.Group | typer.core.TyperGroup)
    command = verb.commands["serve"]
    context = command.make_context("serve", list(words))
    return dict(context.params)


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # names keep their capitals
    parser.read(UNIT, encoding="utf-8")
    return parser


def instructions() -> list[tuple[str, str]]:
    """The instructions of the container file, without comments, continued lines joined."""
    lines = [line for line in CONTAINER.read_text().splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(name, rest.strip()) for name, rest in re.findall(r"^([A-Z]+) (.*)$", joined, re.M)]


# The unit


def test_the_unit_starts_a_real_command_line() -> None:
    binary, verb, *words = shlex.split(unit()["Service"]["ExecStart"])
    assert (Path(binary).name, verb) == ("foretext", "serve")
    found = options_of(words)
    assert (found["host"], found["port"]) == ("127.0.0.1", 8000)
    assert str(found["api_key_file"]).endswith("/keys")


def test_the_unit_waits_as_long_as_the_server_may_take() -> None:
    from foretext.serving import ServingConfig

    service = unit()["Service"]
    assert int(service["TimeoutStopSec"]) > ServingConfig().max_seconds
    assert int(service["LimitNOFILE"]) > ServingConfig().max_connections


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_accepts_the_unit_and_finds_it_hardened(tmp_path: Path) -> None:
    binary = shlex.split(unit()["Service"]["ExecStart"])[0]
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text().replace(binary, sys.executable))
    done = subprocess.run(
        ["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", copy],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    level = re.search(r"exposure level for \S+: ([\d.]+)", found.stdout)
    assert level is not None, found.stderr
    assert float(level[1]) < 2


# The container


def test_the_container_starts_a_real_command_line() -> None:
    found = dict(instructions())
    binary, verb, *words = json.loads(found["ENTRYPOINT"])
    assert (binary, verb) == ("foretext", "serve")
    options = options_of([*words, "/models/topics"])
    assert (options["host"], options["port"]) == ("0.0.0.0", 8000)
    assert found["EXPOSE"] == "8000"


def test_the_container_needs_no_network_and_no_rights() -> None:
    names = [name for name, _ in instructions()]
    found = dict(instructions())
    installs = next(rest for name, rest in instructions() if "pip install" in rest)
    assert "--no-index" in installs
    assert found["USER"] == "10001"
    assert names.index("USER") > max(place for place, name in enumerate(names) if name == "RUN")
    extras = re.findall(r"foretext\[([\w,]+)\]", CONTAINER.read_text())
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {extra for each in extras for extra in each.split(",")} <= set(
        known["optional-dependencies"]
    )


def test_the_health_check_asks_a_route_and_is_valid_python() -> None:
    check = dict(instructions())["HEALTHCHECK"]
    python, option, code = json.loads(check.partition("CMD ")[2])
    assert (python, option) == ("python", "-c")
    compile(code, str(CONTAINER), "exec")
    paths = create_app({}).openapi()["paths"]
    (path,) = re.findall(r"http://127\.0\.0\.1:8000(/\w+)", code)
    assert path in paths


# The guides


@pytest.mark.parametrize("guide", SERVING, ids=lambda path: path.stem)
def test_every_command_of_the_guides_has_options_that_exist(guide: Path) -> None:
    text = guide.read_text(encoding="utf-8").replace("\\\n", " ")
    commands = re.findall(r"^(?:\$ )?foretext serve (.+)$", text, re.M)
    assert commands
    for command in commands:
        options_of(shlex.split(command, comments=True))


def test_every_route_is_in_the_table_of_the_guide() -> None:
    table = (
        (GUIDES / "serving.md")
        .read_text(encoding="utf-8")
        .partition("## Routes")[2]
        .partition("\n## ")[0]
    )
    named = set(re.findall(r"/[\w/-]*", " ".join(re.findall(r"`([^`]+)`", table))))
    paths = {path.partition("/{")[0] for path in create_app({}).openapi()["paths"]}
    refusing = {"/v1/chat/completions", "/v1/responses", "/embed_sparse"}
    assert paths - refusing <= named | {"/models"}
