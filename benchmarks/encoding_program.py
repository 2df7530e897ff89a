"""One encoding of a text into a file of ids by one of the two programs; figures as JSON.

``python -m benchmarks.encoding_program foretext|tokenizers TOKENIZER FILE OUT``
"""

from __future__ import annotations

import hashlib
import json
import resource
import shutil
import sys
import time
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.harness import peak_megabytes

LINES = 2_000  # sentences that the peer encodes at a time, on all cores


def encode_foretext(tokenizer: Path, text: Path, out: Path) -> np.ndarray:
    from foretext.corpus import Corpus, CorpusConfig
    from foretext.data import write_tokens
    from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

    corpus = Corpus(text, CorpusConfig(normalization="none"))  # the peer does not normalise
    shutil.rmtree(out, ignore_errors=True)
    return write_tokens(corpus, SubwordTokenizer.load(tokenizer), out, workers=2).train.ids


def encode_tokenizers(tokenizer: Path, text: Path, out: Path) -> np.ndarray:
    from tokenizers import Tokenizer

    library = Tokenizer.from_file(str(tokenizer))
    with text.open(encoding="utf-8", newline="\n") as source, out.open("wb") as target:
        while lines := [line.rstrip("\n") for line in islice(source, LINES)]:
            encodings = library.encode_batch_fast(lines, add_special_tokens=False)
            ids = [index for encoding in encodings for index in encoding.ids]
            target.write(np.array(ids, np.uint16).data)
    return np.fromfile(out, np.uint16)


def main() -> None:
    program, *paths = sys.argv[1:]
    encode = {"foretext": encode_foretext, "tokenizers": encode_tokenizers}[program]
    began = time.perf_counter()
    ids = encode(*map(Path, paths))
    wall = time.perf_counter() - began
    usage = resource.getrusage(resource.RUSAGE_SELF)
    figures = {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "megabytes": peak_megabytes(),
        "ids": hashlib.sha256(ids.tobytes()).hexdigest(),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
