"""The script and the manifests of the guide to torchrun: what they start has these options."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator

import click
import pytest
import typer
import yaml
from torch.distributed.run import get_args_parser

from foretext.cli.app import app
from foretext.recipe import Recipe
from tests.docs.commands import ROOT
from tests.docs.markdown import Block, blocks_of

GUIDE = ROOT / "docs" / "guides" / "torchrun.md"
BLOCKS = blocks_of(GUIDE)


def of(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language]


def containers() -> Iterator[tuple[str, dict[str, object]]]:
    """The container of each manifest, with the manifest's kind."""
    for block in of("yaml"):
        manifest = yaml.safe_load(block.text)
        spec = manifest["spec"]
        if manifest["kind"] == "PyTorchJob":
            worker = spec["pytorchReplicaSpecs"]["Worker"]
            policy = spec["elasticPolicy"]
            assert policy["minReplicas"] == policy["maxReplicas"] == worker["replicas"]
            spec = worker
        pod = spec["template"]["spec"]
        (container,) = pod["containers"]
        mounted = {mount["name"] for mount in container["volumeMounts"]}
        assert mounted == {volume["name"] for volume in pod["volumes"]}
        yield manifest["kind"], container


def commands() -> list[list[str]]:
    """All commands of torchrun, as their words."""
    found = [list(container["command"]) for _, container in containers()]  # type: ignore[call-overload]
    for block in (*of("text"), *of("bash")):
        lines = block.text.replace("\\\n", " ").splitlines()
        found += [
            shlex.split(line.removeprefix("$ ").replace("$resume", ""))
            for line in lines
            if re.match(r"\$ torchrun|srun torchrun", line)
        ]
    return [words[words.index("torchrun") :] for words in found]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_torchrun_and_pretrain_take_the_options(words: list[str]) -> None:
    started = get_args_parser().parse_args(
        [word.replace("$SLURM_NNODES", "2").replace("$", "") for word in words[1:]]
    )
    assert (started.module, started.training_script) == (True, "foretext")
    verb, *arguments = started.training_script_args
    command = typer.main.get_command(app).commands[verb]  # type: ignore[attr-defined]
    assert isinstance(command, click.Command | typer.core.TyperCommand)
    given = command.make_context(verb, arguments).params
    Recipe.load(given["recipe"], given["settings"])


def test_both_kinds_of_manifest_ask_for_a_device_a_process() -> None:
    found = dict(containers())
    assert found.keys() == {"PyTorchJob", "Job"}
    for container in found.values():
        assert container["resources"] == {"limits": {"nvidia.com/gpu": 8}}
        assert "--nproc-per-node=8" in container["command"]  # type: ignore[operator]


def test_the_script_of_slurm_is_a_script() -> None:
    (block,) = of("bash")
    shell = shutil.which("bash")
    if shell is None:
        pytest.skip("there is no bash")
    subprocess.run([shell, "-n"], input=block.text, text=True, check=True)
    assert "#SBATCH --nodes=2" in block.text
