"""One training of doc2vec by one of the two programs; figures as JSON.

``python -m benchmarks.doc2vec_program foretext|gensim FILE SETTINGS``; a document a line.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

NUM_INFERRED = 1000


def train_foretext(path: Path, settings: dict[str, Any]) -> tuple[Any, Any, float]:
    """Return all vectors, those inferred of the first texts, and the seconds of the training."""
    import foretext as ft
    from foretext.vectors.hogwild import Hogwild

    spent: list[float] = []
    run = Hogwild.run

    def measured(self: Hogwild) -> Any:
        self.learner.compile()
        cpu = time.process_time()
        state = run(self)
        spent.append(time.process_time() - cpu)
        return state

    Hogwild.run = measured  # type: ignore[method-assign]
    estimator = ft.Doc2Vec(**settings, pre_tokenizer="whitespace", documents="line", valid_rate=0.0)
    documents = estimator.fit(path).documents_
    documents.embed(["to compile"])
    return documents.vectors, documents.embed, spent[0]


def train_gensim(path: Path, settings: dict[str, Any]) -> tuple[Any, Any, float]:
    """The same, in its fastest documented mode, ``corpus_file``."""
    from gensim.models.doc2vec import Doc2Vec

    given = dict(settings)
    given["dm"] = int(given.pop("model") == "dm")
    given["dbow_words"] = int(given.pop("dbow_words", False))
    if given.pop("loss") == "hs":
        given |= {"hs": 1, "negative": 0}
    model = Doc2Vec(**given)
    model.build_vocab(corpus_file=str(path))
    cpu = time.process_time()
    model.train(
        corpus_file=str(path),
        total_examples=model.corpus_count,
        total_words=model.corpus_total_words,
        epochs=model.epochs,
    )
    spent = time.process_time() - cpu

    def embed(texts: list[str]) -> Any:
        return np.array([model.infer_vector(text.split()) for text in texts])

    return model.dv.vectors, embed, spent


def main() -> None:
    """Parse, train, infer, print."""
    program, path, settings = sys.argv[1:]
    train = train_foretext if program == "foretext" else train_gensim
    vectors, embed, train_cpu = train(Path(path), json.loads(settings))
    with Path(path).open(encoding="utf-8") as file:
        texts = [line.rstrip("\n") for line in islice(file, NUM_INFERRED)]
    cpu = time.process_time()
    inferred = embed(texts)
    infer_cpu = time.process_time() - cpu
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    nearest = (inferred @ unit.T).argmax(axis=1)
    rate = float((nearest == np.arange(len(texts))).mean())
    print(json.dumps({"train_cpu": train_cpu, "infer_cpu": infer_cpu, "found_again_rate": rate}))


if __name__ == "__main__":
    main()
