"""What becomes of the error of a job."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import SettingError
from foretext.comparison.failures import described_failure
from foretext.comparison.worker import Pretrain


@pytest.mark.parametrize(
    ("error", "sentence", "cause"),
    [
        (SettingError("No such setting."), "No such setting.", "refused"),
        (MemoryError(), "The memory does not suffice; free memory", "memory"),
        (MemoryError("9 TiB"), "The memory does not suffice (9 TiB); free memory", "memory"),
        (RuntimeError("std::bad_alloc"), "The memory does not suffice (std::bad_alloc)", "memory"),
        (
            FileNotFoundError(2, "No such file", "x.txt"),
            "x.txt cannot be read or written: No such file.",
            "refused",
        ),
        (OSError("connection lost"), "A file or device cannot be read or written", "refused"),
    ],
)
def test_sentence_and_cause(error: Exception, sentence: str, cause: str, tmp_path: Path) -> None:
    job = Pretrain("bert", (), str(tmp_path / "base"))
    found = described_failure(job, error)
    assert found[0].startswith(sentence)
    assert found[1] == cause
    assert not list(tmp_path.iterdir())


def test_the_traceback_of_a_defect_is_kept(tmp_path: Path) -> None:
    job = Pretrain("bert", (), str(tmp_path / "base"))
    sentence, cause = described_failure(job, ValueError("oops"))
    log = tmp_path / "base-traceback.txt"
    assert sentence == f"a defect: ValueError: oops. Report what {log} says."
    assert cause == "defect"
    assert log.read_text() == "ValueError: oops\n"
