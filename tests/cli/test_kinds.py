"""What verbs say of a path before they open what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.mark.parametrize(
    "verb",
    [
        ["embed", "{path}", "texts.txt", "--pooling", "mean"],
        ["evaluate", "{path}", "texts.txt", "--stride", "4"],
    ],
)
def test_a_missing_path_is_named_before_an_option(
    verb: list[str], tmp_path: Path, command: Command
) -> None:
    done = command(*(word.format(path=tmp_path / "nope") for word in verb))
    assert (done.code, "there is no such file" in done.err) == (2, True)
