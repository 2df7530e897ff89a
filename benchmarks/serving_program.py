"""A model behind a server, or the same work without one; figures as JSON.

``python -m benchmarks.serving_program vectors|sentences|prepare|offline|serve network|static``
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn

from benchmarks.harness import work_folder
from benchmarks.inputs import enwiki_paragraphs
from benchmarks.language_models import model_folder

DIM = 256  # of static vectors
NUM_REQUESTS = 256
NUM_TEXTS = {"network": 8, "static": 1}  # of a request


def texts_of(kind: str) -> list[str]:
    return enwiki_paragraphs(NUM_REQUESTS * NUM_TEXTS[kind])


def opened(kind: str) -> Any:
    import foretext as ft

    return ft.load(model_folder("minilm") if kind == "network" else work_folder() / "static")


def vectors(kind: str) -> None:
    """Write random vectors of the network's tokens: what they are does not change the time."""
    from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
    from foretext.vectors.token_vectors import TokenVectors

    tokenizer = SubwordTokenizer.load(model_folder("minilm") / "tokenizer.json")
    drawn = np.random.default_rng(0).standard_normal((tokenizer.vocab_size, DIM))
    TokenVectors(tokenizer, drawn.astype(np.float32)).save(work_folder() / kind)
    print("{}")


def sentences(kind: str) -> None:
    """Write the network as a folder of sentence-transformers, for another server."""
    from foretext.data.rows.sentences import SentenceRow
    from foretext.tasks.sentence_vectors.network import SentenceEncoder

    rows = [SentenceRow(text, text, None, None, text) for text in ("one", "two")]
    base = opened(kind).as_base()
    settings = SentenceEncoder.task.head_config()
    SentenceEncoder.begin(base, settings, rows).save(work_folder() / "sentences")
    print("{}")


def prepare(kind: str) -> None:
    """Write the requests, and the vectors that are right."""
    texts, size = texts_of(kind), NUM_TEXTS[kind]
    vectors = np.asarray(opened(kind).embed(texts), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-12)
    np.save(work_folder() / f"serving-{kind}.npy", vectors.reshape(-1, size, vectors.shape[1]))
    bodies = [json.dumps({"inputs": texts[at : at + size]}) for at in range(0, len(texts), size)]
    (work_folder() / f"serving-{kind}.jsonl").write_text("\n".join(bodies))
    print("{}")


def offline(kind: str) -> None:
    """Texts a second of one call of Python with all of them, and its processor time."""
    model, texts = opened(kind), texts_of(kind)
    model.embed(texts[:64])
    began, used = time.perf_counter(), time.process_time()
    model.embed(texts)
    took, used = time.perf_counter() - began, time.process_time() - used
    print(json.dumps({"per_second": len(texts) / took, "ms_per_text": 1000 * used / len(texts)}))


def serve(kind: str) -> None:
    """Serve until standard input ends; the first line that is written says the port."""
    from foretext.serving.running import limit_library_memory

    limit_library_memory()
    from foretext.serving import ServingConfig, create_app
    from foretext.serving.running import listening_config
    from foretext.serving.served_model import Models

    settings = ServingConfig(port=0, access_log="off")
    models = Models({kind: opened(kind)})
    models.load()  # as the command does, before there are requests
    app = create_app(models, settings)
    server = uvicorn.Server(listening_config(app, settings))
    thread = threading.Thread(target=_announce, args=(server,), daemon=True)
    thread.start()
    server.run()


def _announce(server: uvicorn.Server) -> None:
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    Path(work_folder() / f"serving-{port}.pid").write_text(str(os.getpid()))
    print(json.dumps({"port": port}), flush=True)
    sys.stdin.read()
    server.should_exit = True


PROGRAMS = {
    "vectors": vectors,
    "sentences": sentences,
    "prepare": prepare,
    "offline": offline,
    "serve": serve,
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](sys.argv[2])
