"""Odd surroundings in their short form.

``FORETEXT_AUDIT=1`` tries all of them, ``FORETEXT_AUDIT=200`` as many, drawn by
``FORETEXT_AUDIT_SEED``.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

from tests.audit.surroundings import Case, cases, short_cases, trial
from tests.audit.surroundings_table import CannotBeHad

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")


def chosen() -> list[Case]:
    number = int(os.environ.get("FORETEXT_AUDIT", "0"))
    if number <= 1:
        return list(cases() if number else short_cases())
    rng = random.Random(int(os.environ.get("FORETEXT_AUDIT_SEED", "0")))
    found = list(cases())
    return rng.sample(found, min(number, len(found)))


@pytest.fixture(scope="session")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("surroundings") / "inputs"


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("case", chosen(), ids=str)
def test_a_command_ends_with_its_work_or_a_sentence(
    case: Case, given: Path, tmp_path: Path
) -> None:
    try:
        problem = trial(case, given, tmp_path / "trial")
    except CannotBeHad as reason:
        pytest.skip(str(reason))
    assert problem is None
