"""Text to a file of ids against batches of the tokenizers library, WordPiece and byte-level BPE."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.harness import Figures, Row, median, paired, ratios, run_program, work_folder
from benchmarks.inputs import enwiki_text

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "tokenizers", "numba", "numpy")
PROGRAM = "benchmarks.encoding_program"
NUM_BYTES = 100_000_000
KINDS = {"wordpiece": 30_000, "bpe": 32_000}


def rows() -> Iterator[Row]:
    """Wall time, CPU time and peak memory; the two must give the same ids."""
    text = enwiki_text(NUM_BYTES)
    for kind, vocab_size in KINDS.items():
        tokenizer = _tokenizer(kind, vocab_size, text)
        encode = partial(_encode, "foretext", tokenizer, text)
        encode(0)  # compiles
        ours, theirs = paired(encode, partial(_encode, "tokenizers", tokenizer, text))
        work = f"{kind}, {vocab_size:,} tokens, encoding 100 MB"
        for name, unit, must in (("wall", "s", 3), ("cpu", "s", 3), ("megabytes", "MB", None)):
            yield Row(
                f"{work}: {name}",
                "tokenizers, encode_batch_fast",
                f"{median(ours, name):.1f} {unit}",
                f"{median(theirs, name):.1f} {unit}",
                *ratios(ours, theirs, name),
                must,
            )
        same = {run["ids"] for run in (*ours, *theirs)}
        yield Row(f"{work}: the same ids", "", "yes" if len(same) == 1 else "NO", "")


def _encode(program: str, tokenizer: Path, text: Path, _: int) -> Figures:
    return run_program(PROGRAM, program, tokenizer, text, work_folder() / f"encoded-{program}")


def _tokenizer(kind: str, vocab_size: int, text: Path) -> Path:
    from foretext.corpus import Corpus
    from foretext.tokenizers.subwords import learn_subwords

    path = work_folder() / f"encoding-{kind}.json"
    if not path.exists():
        learn_subwords(kind, {"vocab_size": vocab_size}, Corpus(text), workers=2).save(path)
    return path
