"""A text that does not fit memory, from `inspect` to word vectors, each verb in 1 GB.

``FORETEXT_TEXT_BYTES`` is the size of the text (1 GB; 10_000_000_000 for the full run), and
``FORETEXT_TRAINING_SECONDS`` how long each training may take after its text is read (60; 0: an
epoch). ``FORETEXT_VERBS`` names those that are run, in this order: ``inspect,word2vec`` leaves out
the others; without ``clean`` vectors learn from the text as it is. ``FORETEXT_WORKERS`` (1) is how
many processes or threads a verb has.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Row, work_folder
from benchmarks.limited import Usage, run_limited
from benchmarks.repeated_text import repeated_text

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "numba", "numpy")
LIMIT = 10**9  # bytes
NUM_BYTES = int(os.environ.get("FORETEXT_TEXT_BYTES", 10**9))
SECONDS = float(os.environ.get("FORETEXT_TRAINING_SECONDS", 60))
VERBS = os.environ.get("FORETEXT_VERBS", "inspect,clean,word2vec,fasttext,glove").split(",")
WORKERS = os.environ.get("FORETEXT_WORKERS", "1")
READ_AS = ("--set", "corpus.documents=blank_line")
VECTORS = (
    *("--set", "tokenizer.max_vocab_size=100000"),
    *("--set", f"vectors.workers={WORKERS}"),
    *("--set", f"vectors.budget_seconds={SECONDS}" if SECONDS else "vectors.epochs=1"),
    "--no-report",
)
OWN = {"fasttext": ("--set", "vectors.bucket=500000"), "glove": ("--memory", "256MB")}


def rows() -> Iterator[Row]:
    """Memory, time and disk of each verb."""
    text = repeated_text(NUM_BYTES)
    with tempfile.TemporaryDirectory(dir=work_folder()) as name:
        folder = Path(name)
        for verb in VERBS:
            yield _of_verb(verb, text, folder)


def _of_verb(verb: str, text: Path, folder: Path) -> Row:
    out = folder / verb
    if verb == "inspect":
        processes = ["--workers", WORKERS] if WORKERS != "1" else []  # one is this one itself
        return _row(verb, ["inspect", str(text), *processes, *READ_AS], folder)
    if verb == "clean":
        clean = ["clean", str(text), "-o", str(out), "--workers", WORKERS, *READ_AS]
        return _row(verb, clean, folder, out)
    kept = folder / "clean" / "kept"
    corpus = [str(kept)] if kept.exists() else [str(text), *READ_AS]
    row = _row(
        verb,
        ["pretrain", verb, *corpus, "-o", str(out), *VECTORS, *OWN.get(verb, ())],
        folder,
        out,
    )
    shutil.rmtree(out, ignore_errors=True)
    return row


def _row(work: str, command: list[str], folder: Path, out: Path | None = None) -> Row:
    whole = [sys.executable, "-P", "-m", "foretext", *command, "--quiet"]
    used = run_limited(whole, LIMIT, folder / f"{work}.log")
    if used.code not in (0, None):
        sys.exit(f"{' '.join(whole)} failed:\n{used.errors}")
    size = f"{NUM_BYTES / 1e9:g} GB of text"
    return Row(f"{work}, {size}", "limit", _figures(used, out), f"{LIMIT / 1e6:,.0f} MB")


def _figures(used: Usage, out: Path | None) -> str:
    figures = [
        f"{used.held / 1e6:,.0f} MB" + (", ended" if used.code is None else ""),
        f"{used.mapped / 1e6:,.0f} MB of mapped files",
        f"{used.seconds:,.0f} s",
        f"{used.cpu:,.0f} s of CPU",
    ]
    if out is not None:
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
        figures.append(f"{size / 1e9:.2f} GB on disk")
    return ", ".join(figures)
