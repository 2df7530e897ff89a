"""One embedding of the paragraphs by one of the libraries; figures as JSON.

``python -m benchmarks.embedding_program foretext|peer auto|int8|fp32|bf16|onnx-fp32|... PAIR``
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.embedding_runtimes import RUNTIMES, embedder
from benchmarks.harness import work_folder
from benchmarks.inputs import enwiki_paragraphs
from benchmarks.language_models import model_folder

NUM_PARAGRAPHS = int(os.environ.get("FORETEXT_PARAGRAPHS", "2000"))
Embed = Callable[[list[str]], Any]


def main() -> None:
    program, precision = sys.argv[1:3]
    texts = enwiki_paragraphs(NUM_PARAGRAPHS)
    embed = {"foretext": foretext_of, "peer": peer_of}[program](precision)
    embed(texts[:64])
    wall, cpu = time.perf_counter(), time.process_time()
    vectors = embed(texts)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    np.save(work_folder() / f"embedding-{program}-{precision}.npy", vectors)
    print(json.dumps({"wall": wall, "cpu": cpu}))


def encoder_folder() -> Path:
    """An encoder of the user's, of MiniLM's form; else one with random weights."""
    return Path(os.environ.get("FORETEXT_ENCODER") or model_folder("minilm"))


def foretext_of(precision: Any) -> Embed:
    from foretext.language_model import LanguageModel

    return LanguageModel.load(encoder_folder(), precision=precision).embed


def peer_of(precision: str) -> Embed:
    if precision in RUNTIMES:
        return embedder(encoder_folder(), precision)
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
    body = modules.Transformer(str(encoder_folder()), model_kwargs={"dtype": dtype})
    model = SentenceTransformer(modules=[body, modules.Pooling(384, "mean")], device="cpu")
    return lambda texts: model.encode(texts, show_progress_bar=False)  # sorts by length, 32 a batch


if __name__ == "__main__":
    main()
