"""The text of the GPU benchmark as ids, made once where the public data sets are."""

from __future__ import annotations

from pathlib import Path

from benchmarks.harness import work_folder
from benchmarks.inputs import enwiki_text
from foretext.corpus import Corpus
from foretext.data.token_writer import write_tokens
from foretext.tokenizers.subwords import learn_subwords

__all__ = ["VOCABULARY", "material"]

VOCABULARY = 30_000
NUM_BYTES = 30_000_000


def material() -> Path:
    """Return a folder with a WordPiece tokenizer and the ids of 30 MB of English Wikipedia.

    It can be made on one machine and copied to another, with FORETEXT_BENCH naming its parent.
    """
    folder = work_folder() / "gpu-pretraining"
    if not (folder / "tokenizer.json").exists():
        corpus = Corpus(enwiki_text(NUM_BYTES))
        tokenizer = learn_subwords("wordpiece", {"vocab_size": VOCABULARY}, corpus)
        write_tokens(corpus, tokenizer, folder / "tokens", valid_rate=0.01)
        tokenizer.save(folder / "tokenizer.json")
    return folder
