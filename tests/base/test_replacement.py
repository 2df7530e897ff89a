"""A run takes the place of another, whatever step of it is the last one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foretext.artifact import opened_run
from foretext.base.errors import OutputError
from foretext.base.files import held_folder
from foretext.base.replacement import complete, is_finished, settle

OLD = {"config.json": "old", "recipe.toml": "old", "only-old": "old", "tokens/ids.bin": "old"}
NEW = {"config.json": "new", "recipe.toml": "new", "only-new": "new", "tokens/ids.bin": "new"}
OPERATIONS = ("rename", "unlink", "rmdir")


class KilledError(BaseException):
    """Stands for the end of the process."""


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def read(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def run_with_replacement(folder: Path) -> Path:
    write(folder, OLD)
    write(folder / "replacement", NEW)
    return folder


def die_before(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the operation with this number of those on files end the process."""
    count = 0

    def counted(operation: Callable[..., Any]) -> Callable[..., Any]:
        def one(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count == number:
                raise KilledError
            return operation(*arguments, **options)

        return one

    for name in OPERATIONS:
        monkeypatch.setattr(os, name, counted(getattr(os, name)))


def test_the_new_run_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    settle(run_with_replacement(tmp_path))
    assert read(tmp_path) == NEW
    assert not (tmp_path / "replacement").exists()
    settle(tmp_path)
    assert read(tmp_path) == NEW


@pytest.mark.parametrize("number", range(1, 12))
def test_every_step_may_be_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    run_with_replacement(tmp_path)
    with monkeypatch.context() as patched:
        die_before(number, patched)
        with pytest.raises(KilledError):
            complete(tmp_path)
    if is_finished(tmp_path):
        assert read(tmp_path).get("config.json") in ("old", "new")
    assert opened_run(tmp_path).finished
    assert read(tmp_path) == NEW


def test_there_are_no_more_steps_than_were_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_with_replacement(tmp_path)
    die_before(12, monkeypatch)
    complete(tmp_path)


def test_an_unfinished_replacement_waits(tmp_path: Path) -> None:
    run_with_replacement(tmp_path)
    (tmp_path / "replacement" / "checkpoints").mkdir()
    settle(tmp_path)
    assert read(tmp_path)["config.json"] == "old"
    assert is_finished(tmp_path)


def test_a_locked_folder_is_left_to_its_process(tmp_path: Path) -> None:
    run_with_replacement(tmp_path)
    with held_folder(tmp_path):
        settle(tmp_path)
        assert read(tmp_path)["config.json"] == "old"


@pytest.mark.parametrize("name", ["replacement", "moving"])
def test_a_link_in_a_folder_from_elsewhere_leads_nowhere(tmp_path: Path, name: str) -> None:
    run, mine = tmp_path / "run", tmp_path / "mine"
    write(run, OLD)
    write(mine, NEW)
    (run / name).symlink_to(mine)
    settle(run)
    assert read(mine) == NEW
    assert read(run)["config.json"] == "old"


def test_the_runs_folder_may_be_a_link(tmp_path: Path) -> None:
    run_with_replacement(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    settle(tmp_path / "link")
    assert read(tmp_path / "real") == NEW
    assert (tmp_path / "link").is_symlink()


def test_a_file_that_cannot_be_moved_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    run_with_replacement(tmp_path)
    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(OutputError, match="cannot be written: you may not write there"):
        complete(tmp_path)
