"""One embedding of paragraphs by one of the libraries, or by a network; figures as JSON.

``python -m benchmarks.static_embedding_program foretext|model2vec|... PAIR``
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

NUM_TEXTS = 20_000
FEW = 500  # that a network embeds
Embed = Callable[[list[str]], Any]


def main() -> None:
    program = sys.argv[1]
    texts = enwiki_paragraphs(NUM_TEXTS)
    if program == "network":
        texts = texts[:: NUM_TEXTS // FEW]
    embed = PROGRAMS[program]()
    embed(texts[:64])
    wall, cpu = time.perf_counter(), time.process_time()
    vectors = embed(texts)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    np.save(work_folder() / f"static-{program}.npy", vectors)
    figures = {"wall": wall, "cpu_per_text": cpu / len(texts), "per_second": len(texts) / cpu}
    print(json.dumps(figures))


def foretext_of() -> Embed:
    import foretext as ft

    embed: Embed = ft.load(work_folder() / "static").embed
    return embed


def model2vec_of(use_threads: bool = False) -> Embed:
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(work_folder() / "static")
    return lambda texts: model.encode(texts, use_multiprocessing=use_threads)


def sentence_transformers_of() -> Embed:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(work_folder() / "static"), device="cpu")
    return lambda texts: model.encode(texts, batch_size=1024, show_progress_bar=False)


def network_of() -> Embed:
    from foretext.language_model import LanguageModel

    return LanguageModel.load(model_folder("minilm")).embed


PROGRAMS: dict[str, Callable[[], Embed]] = {
    "foretext": foretext_of,
    "model2vec": model2vec_of,
    "model2vec-threads": lambda: model2vec_of(use_threads=True),
    "sentence-transformers": sentence_transformers_of,
    "network": network_of,
}

if __name__ == "__main__":
    main()
