"""Vector files that are not quite clean, words that are unknown, numbers of any size."""

import json
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from tests.cli.conftest import Command

REPEATED = "3 2\nship 1 0\nboat 0 1\nship 0.5 0.5\n"


def test_the_command_for_repeated_words_is_named_and_works(
    command: Command, tmp_path: Path
) -> None:
    path, target = tmp_path / "dup.txt", tmp_path / "clean.txt"
    path.write_text(REPEATED)
    refused = command("neighbors", path, "ship")
    assert refused.code == 2
    assert f"`foretext convert {path} clean.safetensors --repeated first`" in refused.err
    assert command("convert", path, target, "--repeated", "first").code == 0
    assert ft.load(target)["ship"].tolist() == [1.0, 0.0]
    assert list(json.loads(command("neighbors", target, "ship", "--json").out)["ship"]) == ["boat"]


def test_words_are_answered_beside_unknown_ones(command: Command, run: Path) -> None:
    found = command("neighbors", run, "ship", "xyzzy", "judge", "qwerty", "-n", 2)
    assert found.code == 2
    assert found.out.count("cosine") == 2
    assert "'xyzzy' is not in the vocabulary." in found.err
    assert "'qwerty' is not in the vocabulary." in found.err
    by_json = command("neighbors", run, "xyzzy", "ship", "-n", 2, "--json")
    answers = json.loads(by_json.out)
    assert (by_json.code, answers["xyzzy"], len(answers["ship"])) == (2, None, 2)
    assert command("neighbors", run, "xyzzy").out == ""
    assert command("neighbors", run, "ship").code == 0


@pytest.mark.parametrize("scale", [3e37, 1e-42])
def test_json_has_numbers_for_vectors_of_any_size(
    command: Command, tmp_path: Path, scale: float
) -> None:
    rows = [(word, *(scale * np.array(row))) for word, row in (("ship", (3, 4)), ("boat", (4, 3)))]
    lines = "".join(" ".join(map(str, row)) + "\n" for row in rows)
    (tmp_path / "vectors.txt").write_text("2 2\n" + lines)
    found = json.loads(command("neighbors", tmp_path / "vectors.txt", "ship", "--json").out)
    assert found["ship"]["boat"] == pytest.approx(0.96, abs=0.02)
