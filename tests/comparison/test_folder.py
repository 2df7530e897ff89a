"""How the folder of a comparison begins, is resumed, and replaces another."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import OutputError, SettingError
from foretext.comparison.folder import comparison_folder, finish
from foretext.comparison.ledger import Ledger
from tests.comparison.test_ledger import PLAN


def begin(out: Path, *, overwrite: bool = False, resume: bool = False, end: bool = False) -> Path:
    """Begin a comparison, or go on with it; with `end`, finish it."""
    with comparison_folder(out, overwrite=overwrite, resume=resume) as ledger:
        if not resume:
            ledger.begin(PLAN)
        if end:
            (ledger.path / "compare.json").write_text("{}")
            return finish(ledger)
        return ledger.path


def test_what_fails_before_the_plan_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"

    def fail() -> None:
        with comparison_folder(out, overwrite=False, resume=False) as ledger:
            ledger.rows.mkdir()
            raise SettingError("a wrong setting.")

    with pytest.raises(SettingError):
        fail()
    assert not out.exists()


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(OutputError, match="other files in it"):
        begin(tmp_path)
    assert (tmp_path / "letter.txt").read_text() == "mine"


def test_what_a_process_left_that_died_early_is_removed(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "train.jsonl").write_text("{}")
    assert begin(tmp_path) == tmp_path
    assert not (tmp_path / "rows").exists()


def test_an_unfinished_comparison_is_resumed_or_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(OutputError, match="no comparison to resume"):
        begin(out, resume=True)
    assert not out.exists()
    begin(out)
    with pytest.raises(OutputError, match="an unfinished comparison; go on with --resume"):
        begin(out)
    assert begin(out, resume=True) == out


def test_a_finished_comparison_is_kept_until_the_new_one_is_finished(tmp_path: Path) -> None:
    out = tmp_path / "out"
    begin(out, end=True)
    (out / "best").mkdir()
    with pytest.raises(OutputError, match="a finished comparison; choose another folder"):
        begin(out)
    with pytest.raises(OutputError, match="nothing to resume"):
        begin(out, resume=True)
    assert begin(out, overwrite=True) == out / "replacement"
    assert (out / "best").is_dir()
    assert begin(out, resume=True) == out / "replacement"
    assert begin(out, resume=True, end=True) == out
    assert Ledger(out).plan == PLAN
    assert not (out / "best").exists()
    assert not (out / "replacement").exists()


def test_a_replacement_that_was_finished_before_a_kill_takes_its_place(tmp_path: Path) -> None:
    out = tmp_path / "out"
    begin(out, end=True)
    (begin(out, overwrite=True) / "compare.json").write_text('{"new": true}')
    with pytest.raises(OutputError, match="nothing to resume"):
        begin(out, resume=True)
    assert (out / "compare.json").read_text() == '{"new": true}'


def test_two_processes_cannot_work_in_one_folder(tmp_path: Path) -> None:
    with (
        comparison_folder(tmp_path, overwrite=False, resume=False),
        pytest.raises(OutputError, match="Another process is at work"),
        comparison_folder(tmp_path, overwrite=False, resume=True),
    ):
        pytest.fail("the folder was not locked")
