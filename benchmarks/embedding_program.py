"""One embedding of the paragraphs by one of the two libraries; figures as JSON.

``python -m benchmarks.embedding_program foretext|peer auto|int8|fp32|bf16 PAIR``
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import work_folder
from benchmarks.inputs import enwiki_paragraphs
from benchmarks.language_models import model_folder

NUM_PARAGRAPHS = 2_000
Embed = Callable[[list[str]], Any]


def main() -> None:
    program, precision = sys.argv[1:3]
    texts = enwiki_paragraphs(NUM_PARAGRAPHS)
    embed = {"foretext": foretext_of, "peer": peer_of}[program](precision)
    embed(texts[:64])
    began = time.perf_counter()
    vectors = embed(texts)
    wall = time.perf_counter() - began
    np.save(work_folder() / f"embedding-{program}-{precision}.npy", vectors)
    print(json.dumps({"wall": wall, "per_second": len(texts) / wall}))


def foretext_of(precision: Any) -> Embed:
    from foretext.language_model import LanguageModel

    return LanguageModel.load(model_folder("minilm"), precision=precision).embed


def peer_of(precision: str) -> Embed:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
    body = modules.Transformer(str(model_folder("minilm")), model_kwargs={"dtype": dtype})
    model = SentenceTransformer(modules=[body, modules.Pooling(384, "mean")], device="cpu")
    return lambda texts: model.encode(texts, show_progress_bar=False)  # sorts by length, 32 a batch


if __name__ == "__main__":
    main()
