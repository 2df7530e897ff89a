from __future__ import annotations

import pytest

from foretext.kernels.compile import compiling_began
from foretext.progress.compiling import LINE, tell_of_compiling


def test_one_line_says_what_a_run_waits_for(capsys: pytest.CaptureFixture[str]) -> None:
    tell_of_compiling(quiet=False)
    tell_of_compiling(quiet=False)
    compiling_began()
    compiling_began()
    assert capsys.readouterr().err == f"{LINE}\n"


def test_a_quiet_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    tell_of_compiling(quiet=False)
    tell_of_compiling(quiet=True)
    compiling_began()
    assert capsys.readouterr().err == ""
