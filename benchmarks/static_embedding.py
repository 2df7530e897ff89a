"""Paragraphs to vectors by static vectors of tokens: against model2vec, and against a network."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.harness import Figures, Row, median, paired, ratios, run_program, work_folder
from benchmarks.language_models import make_model, model_folder

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "model2vec", "sentence-transformers", "tokenizers", "numba", "numpy")
PROGRAM = "benchmarks.static_embedding_program"
DIM = 256
MUST = {"model2vec": 2.0, "network": 50.0}


def rows() -> Iterator[Row]:
    """Paragraphs a second of the same vectors and tokenizer; then the largest difference."""
    make_model("minilm")
    _make_vectors()
    ours = partial(run_program, PROGRAM, "foretext")
    work = f"paragraphs of 40 to 800 characters, {DIM} dimensions"
    for peer, named in (
        ("model2vec", "model2vec, encode, its default"),
        ("model2vec-threads", "model2vec, encode, texts in threads"),
        ("sentence-transformers", "sentence-transformers, StaticEmbedding"),
        ("network", "foretext's default of the network 6 × 384"),
    ):
        yield _row(work, named, *paired(ours, partial(run_program, PROGRAM, peer)), MUST.get(peer))
    yield Row("largest difference of a number", "model2vec", f"{_difference():.1e}", "")


def _row(
    work: str, peer: str, ours: list[Figures], theirs: list[Figures], must: float | None
) -> Row:
    own, other = (f"{median(found, 'per_second'):,.0f} texts/CPU-s" for found in (ours, theirs))
    return Row(work, peer, own, other, *ratios(ours, theirs, "cpu_per_text"), must)


def _make_vectors() -> None:
    """Random vectors of the network's tokens: what they are does not change the time."""
    from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
    from foretext.vectors.token_vectors import TokenVectors

    tokenizer = SubwordTokenizer.load(model_folder("minilm") / "tokenizer.json")
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((tokenizer.vocab_size, DIM)).astype(np.float32)
    TokenVectors(tokenizer, rows).save(work_folder() / "static")


def _difference() -> float:
    found = [np.load(work_folder() / f"static-{name}.npy") for name in ("foretext", "model2vec")]
    return float(np.abs(found[0] - found[1]).max())
