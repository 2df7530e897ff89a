"""A folder of files with layouts of their own, read alike by every way to count and encode it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from foretext.corpus import Corpus
from tests.cli.conftest import Command

SETTINGS = [
    part
    for setting in ("epochs=1", "vector_size=4", "min_count=1", "workers=1")
    for part in ("--set", f"vectors.{setting}" if "min" not in setting else f"tokenizer.{setting}")
]


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    folder = tmp_path / "mixed"
    folder.mkdir()
    paragraph = "\n".join(
        ["The ship left the harbour early, and nobody who saw it from"] * 5 + ["land."]
    )
    (folder / "book.txt").write_text(f"{paragraph}\n\n" * 40, encoding="utf-8")
    reviews = [f"A fine film, number {row}." + " Well made." * (row % 7) for row in range(200)]
    (folder / "reviews.txt").write_text("\n".join(reviews), encoding="utf-8")
    rows = "".join(f'{row},"news of the day, {row}"\n' for row in range(50))
    (folder / "news.csv").write_text(f"id,text\n{rows}", encoding="utf-8")
    with gzip.open(folder / "de.txt.gz", "wt", encoding="utf-8") as file:
        file.write("".join(f"Ein Schiff fährt um {row} Uhr.\n" for row in range(150)))
    return folder


def test_each_file_has_a_layout_of_its_own(mixed: Path) -> None:
    blocks = "".join(Corpus(str(mixed)).blocks())
    assert len([part for part in blocks.split("\n\n") if part.strip()]) == 40 + 200 + 50 + 150


@pytest.mark.slow
def test_processes_read_it_as_threads_do(mixed: Path, tmp_path: Path, command: Command) -> None:
    for name, more in (("threads", []), ("processes", ["--workers", "2"])):
        run = tmp_path / name
        done = command(
            "pretrain", "word2vec", mixed, "-o", run, *SETTINGS, *more, "--no-report", "-q"
        )
        assert done.code == 0, done.err
    first, second = (
        (tmp_path / name / "vectors.safetensors").read_bytes() for name in ("threads", "processes")
    )
    assert first == second
