"""The package's surface, and how little it costs to import it."""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from pathlib import Path

import pytest

import foretext as ft

HEAVY = ("torch", "numba", "pyarrow", "sklearn", "jinja2", "scipy", "transformers")


RARE = ("torch._dynamo", "torch.distributed.fsdp", "torch.distributed.tensor", "sympy")


def loaded_by(statement: str, packages: tuple[str, ...] = HEAVY) -> set[str]:
    """The packages that a fresh interpreter has loaded after the statement."""
    code = f"{statement}\nimport sys; print([name for name in {packages} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(ast.literal_eval(done.stdout.strip()))


WITHOUT_TORCH = """
import sys

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

sys.meta_path.insert(0, NoTorch())
from foretext.cli.app import app

for command in sys.argv[1].split("; "):
    app(command.split(), standalone_mode=False)
"""


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("task", "base"),
    [("classification", "linear"), ("classification", "fasttext"), ("matching", "auto")],
)
def test_what_learns_without_a_network_needs_no_torch(task: str, base: str, tmp_path: Path) -> None:
    rows, run = tmp_path / "rows.tsv", str(tmp_path / "run")
    first, header = ("a cat\t", "text_a\ttext_b") if task == "matching" else ("", "text")
    lines = [f"{first}the {word} in the morning\t{word}" for word in ("cat", "dog")] * 20
    rows.write_text("\n".join([f"{header}\tlabel", *lines]) + "\n")
    commands = (
        f"finetune {task} {base} {rows} --test {rows} -o {run}",
        f"predict {run} {rows}",
        f"evaluate {run} {rows}",
    )
    program = [sys.executable, "-c", WITHOUT_TORCH, "; ".join(commands)]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("statement", ["import foretext", "import foretext.cli.app"])
def test_imports_are_light(statement: str) -> None:
    assert loaded_by(statement) == set()


@pytest.mark.slow
def test_networks_load_no_compiler_and_nothing_for_many_machines() -> None:
    """These take a process two seconds, and few need them."""
    rooms = ("backbones.transformer", "training.loop", "pretraining.building", "finetuning.network")
    statement = f"import {', '.join(f'foretext.{room}' for room in rooms)}"
    assert loaded_by(statement, RARE) == set()


def test_import_takes_less_than_a_second() -> None:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import foretext"], check=True)
    assert time.perf_counter() - began < 5  # a bound for the busiest machine; usually 0.05 s


def test_every_public_name_is_there() -> None:
    for name in ft.__all__:
        assert getattr(ft, name) is not None
    assert dir(ft) == sorted(ft.__all__)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Word3Vec'"):
        _ = ft.Word3Vec
