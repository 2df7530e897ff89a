"""What is compared: the vector of a text, or the scores of the token that follows it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from foretext.data.framing import Framing
from foretext.exporting.form import Computed
from foretext.exporting.gguf.llama_cpp import Answer
from foretext.language_model import LanguageModel
from foretext.language_model.graph import model_graph

__all__ = ["NEXT", "own_answers", "their_answers"]

VECTOR, NEXT, TOKENS = "embedding", "next_logits", "next tokens"
NOTHING = np.zeros(0, np.float32)
SHORTEST = 1e-12  # vector that has a direction

Values = list[NDArray[np.float32]]


def own_answers(model: LanguageModel, framing: Framing, texts: Sequence[str]) -> Computed:
    """Return what a model makes of texts; nothing of empty ones, and no vector of cut ones.

    Args:
        model: of the run, or another with its classes.
        framing: what stands around a text.
        texts: of N inputs.
    """
    encoded = model.tokenizer.encode_batch(texts)
    rows = [framing.around(ids[: framing.room]) for ids in encoded]
    if model.visibility != "causal":
        fits = [text for text, ids in zip(texts, encoded, strict=True) if _fits(ids, framing)]
        vectors = iter(model.embed(fits)) if fits else iter(())
        return Computed(
            rows, {VECTOR: [next(vectors) if _fits(ids, framing) else NOTHING for ids in encoded]}
        )
    graph = model_graph(model)
    scores = [
        graph.read((text,)).outputs[graph.outputs[0]][-1] if ids else NOTHING
        for text, ids in zip(texts, encoded, strict=True)
    ]
    return Computed(rows, _of_scores(scores))


def their_answers(found: Sequence[Answer], *, writes: bool, normalize: bool) -> Computed:
    """Return what llama.cpp makes of texts.

    Args:
        found: its answers.
        writes: whether they are scores of the next token.
        normalize: whether vectors get length 1, as programs around llama.cpp do.
    """
    values = [each.values for each in found]
    if writes:
        return Computed([each.ids for each in found], _of_scores(values))
    if normalize:
        values = [each / max(float(np.linalg.norm(each)), SHORTEST) for each in values]
    return Computed([each.ids for each in found], {VECTOR: values})


def _fits(ids: Sequence[int], framing: Framing) -> bool:
    return 0 < len(ids) <= framing.room


def _of_scores(scores: Values) -> dict[str, Values]:
    best = [np.array([each.argmax()], np.float32) if each.size else NOTHING for each in scores]
    return {NEXT: scores, TOKENS: best}
