"""Whatever happens to a file of a run or of a model's folder: it opens, or one sentence says why.

``FORETEXT_AUDIT_INPUTS=20000`` reads as many folders; without it some seventy are read.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.audit.readers import Reader
from tests.audit.run_readers import RUN_READERS
from tests.audit.test_damage import MOST_SHOWN, others  # noqa: F401
from tests.audit.trials import failures

NUM_INPUTS = int(os.environ.get("FORETEXT_AUDIT_INPUTS", "75"))

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="children with bounded memory")


@pytest.mark.slow
@pytest.mark.parametrize("reader", RUN_READERS, ids=lambda reader: reader.name)
def test_damaged_runs_open_or_are_refused(
    reader: Reader,
    tmp_path: Path,
    others: Path,  # noqa: F811
) -> None:
    found = failures(reader, NUM_INPUTS // len(RUN_READERS), tmp_path, others)
    assert not found, f"{len(found)} failures:\n" + "\n".join(found[:MOST_SHOWN])
