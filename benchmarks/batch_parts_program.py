"""The time in which one of many processes makes its rows of a batch; prints JSON.

    python -m benchmarks.batch_parts_program 1024

For each kind of rows and number of processes: microseconds of processor time for a row of the
process, all that is done once a batch included. Rows have 128 tokens, drawn ones.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pretraining_program import LENGTH, MASK, WORDS

PROCESSES = (1, 8, 64, 256)
SPECIAL = 2, 3, 0  # ids of [CLS], [SEP] and [PAD]
STEPS, TRIALS = 8, 5
SENTENCE = 20  # tokens


def main() -> None:
    num_rows = int(sys.argv[1])
    made = {name: seconds_of(examples, num_rows) for name, examples in kinds(num_rows).items()}
    print(json.dumps(made, indent=1))


def kinds(num_rows: int) -> dict[str, Any]:
    """Return examples of some batches of so many rows."""
    from foretext.data.token_file import TokenFile
    from foretext.data.token_stream import TokenStream
    from foretext.objectives.causal_lm import CausalRows
    from foretext.objectives.masked_rows import MaskedRows, Masking
    from foretext.objectives.sentence_pairs import SentencePairs

    rng = np.random.default_rng(1)
    ids = rng.integers(MASK + 1, WORDS, STEPS * (num_rows + 8) * LENGTH).astype(np.uint16)
    documents, sentences = (np.arange(0, len(ids), each) for each in (50 * SENTENCE, SENTENCE))
    documents, sentences = (np.append(starts, len(ids)) for starts in (documents, sentences))
    tokens = TokenFile(Path(), ids, sentences, documents, WORDS)
    cls, sep, _ = SPECIAL
    masking = Masking(0.15, 1, MASK, np.arange(WORDS) > MASK, None)
    return {
        "causal": CausalRows(TokenStream(tokens, sep), LENGTH),
        "masked": MaskedRows(TokenStream(tokens, sep), LENGTH, cls, masking),
        "pairs": SentencePairs(tokens, LENGTH, None, SPECIAL, masking),
    }


def seconds_of(examples: Any, num_rows: int) -> dict[int, float]:
    """Return microseconds for a row, by the number of processes."""
    return {count: round(row_seconds(examples, num_rows, count) * 1e6, 1) for count in PROCESSES}


def row_seconds(examples: Any, num_rows: int, count: int) -> float:
    from foretext.training.batches import Batches

    def share_of(rows: int) -> range:
        return range(rows // 2, rows // 2 + rows // count) if count > 1 else range(rows)

    batches = Batches(examples, num_rows, 1, share_of=share_of)
    least = min(_trial(batches) for _ in range(TRIALS))
    return least / min(STEPS, batches.per_epoch) / (num_rows // count)


def _trial(batches: Any) -> float:
    began = time.process_time()
    for step in range(min(STEPS, batches.per_epoch)):
        batches.part(step)
    return time.process_time() - began


if __name__ == "__main__":
    main()
