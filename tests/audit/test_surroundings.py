"""Odd surroundings in their short form; all of them where FORETEXT_AUDIT is set."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.audit.surroundings import Case, cases, short_cases, trial
from tests.audit.surroundings_table import CannotBeHad

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")

CHOSEN = cases() if os.environ.get("FORETEXT_AUDIT") else short_cases()


@pytest.fixture(scope="session")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("surroundings") / "inputs"


@pytest.mark.parametrize("case", CHOSEN, ids=str)
def test_a_command_ends_with_its_work_or_a_sentence(
    case: Case, given: Path, tmp_path: Path
) -> None:
    try:
        problem = trial(case, given, tmp_path / "trial")
    except CannotBeHad as reason:
        pytest.skip(str(reason))
    assert problem is None
