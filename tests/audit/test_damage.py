"""Whatever happens to a file: it opens, or one sentence says why not.

``FORETEXT_AUDIT_INPUTS=20000`` reads as many files; without it some three hundred are read.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from tests.audit.damage import damage_folder
from tests.audit.readers import READERS, Reader
from tests.audit.trials import failures

NUM_INPUTS = int(os.environ.get("FORETEXT_AUDIT_INPUTS", "300"))
MOST_SHOWN = 10
CAUSES = ("KeyError: 'a'", "CorpusError", "MemoryError", "hung")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="children with bounded memory")


@pytest.fixture(scope="session")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of a few kinds, to stand where another kind is expected."""
    folder = tmp_path_factory.mktemp("others")
    for name, content in {
        "pickle": b"\x80\x04K\x01.",
        "zip": b"PK\x03\x04" + bytes(60),
        "text": b"It was a dark and stormy night.\n" * 9,
        "json": b'{"a": [1, 2, {"b": null}]}',
        "safetensors": b"\x10\0\0\0\0\0\0\0{}              ",
        "noise": bytes(range(256)) * 4,
    }.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_damaged_files_open_or_are_refused(reader: Reader, tmp_path: Path, others: Path) -> None:
    found = failures(reader, NUM_INPUTS // len(READERS), tmp_path, others)
    assert not found, f"{len(found)} failures:\n" + "\n".join(found[:MOST_SHOWN])


def test_a_seed_gives_the_same_damage(tmp_path: Path, others: Path) -> None:
    for seed in range(40):
        found = []
        for folder in (tmp_path / f"{seed}a", tmp_path / f"{seed}b"):
            folder.mkdir()
            (folder / "file").write_bytes(b'{"a": [1, 2, 3], "b": "text"}\n' * 9)
            how = damage_folder(folder, seed, others)
            is_file = (folder / "file").is_file()
            found.append((how, (folder / "file").read_bytes() if is_file else None))
        assert found[0] == found[1]


def test_what_counts_as_a_failure(
    tmp_path: Path, others: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.audit.trials.MOST_SECONDS", 1)
    monkeypatch.setattr("tests.audit.trials.FIRST_SEED", 0)
    calls = 0

    def read(folder: Path) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyError("a")
        if calls == 3:
            raise CorpusError("two\nlines.")
        if calls == 4:
            bytearray(1 << 40)
        if calls == 5:
            time.sleep(10)

    reader = Reader("odd", lambda folder: (folder / "file").write_text("text"), read)
    found = failures(reader, 4, tmp_path, others)
    assert [each.split(" (")[0] for each in found] == [f"odd, seed {seed}" for seed in range(4)]
    for failure, cause in zip(found, CAUSES, strict=True):
        assert cause in failure
