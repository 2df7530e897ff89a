"""Verbs that find no room for what they write: one sentence with the place, and nothing half done.

The limit of the size of files stands for a small disk, which only an administrator could make.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
ROOM = "the system lets no file be so large; raise the limit (`ulimit -f`)"


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts of which verbs make files of more than 8 kB."""
    path = tmp_path_factory.mktemp("texts") / "texts.txt"
    draw = random.Random(1)
    words = [f"{first}{last}" for first in ("ship", "sea", "king") for last in "abcdefghijkl"]
    lines = (" ".join(draw.choices(words, k=8)) for _ in range(400))
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ("embed {run} {texts} -o out/v.npy", "out/v.npy"),
        ("embed {run} {texts} -o out/v.parquet", "out/v.parquet"),
        ("index {run} {texts} -o out/index", "out/index"),
        ("pretrain word2vec {texts} -o out/run --quiet", "out/run"),
        ("tokenizer {texts} -o out/tokenizer --kind bpe", "out/tokenizer"),
    ],
)
def test_a_verb_without_room_says_where(
    run: Path, texts: Path, tmp_path: Path, arguments: str, place: str
) -> None:
    words = arguments.format(run=run, texts=texts).split()
    shell = ["sh", "-c", 'ulimit -f 4; exec "$@"', "sh"]  # blocks of 512 or 1,024 bytes
    done = subprocess.run(
        [*shell, sys.executable, "-m", "foretext", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    *_, sentence = (line for line in done.stderr.splitlines() if line.startswith("foretext:"))
    assert place in sentence
    assert ROOM in sentence
    assert not list(tmp_path.rglob("*.partial"))
    if "." in place:
        assert not (tmp_path / place).exists()
