"""A language model as a graph: states and vectors of an encoder, next tokens of a GPT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from foretext.backbones.base import States
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.interop.graph import GraphNetwork, NetworkGraph, ReadInput, TextVector, check_base
from foretext.interop.text_windows import TextWindows, text_windows
from foretext.language_model.embedding import Pooling, check_layers, is_last, mean_states
from foretext.language_model.model import LanguageModel
from foretext.nn.pooling import POOLS

__all__ = ["model_graph", "model_windows"]

STATES, VECTOR, LOGITS = "last_hidden_state", "sentence_embedding", "logits"


def model_graph(model: LanguageModel) -> NetworkGraph:
    """Return the states of an encoder, with the vector of a text, or a GPT's scores of next tokens.

    Raises:
        SettingError: other programs have no such tokenizer or network.
    """
    tokenizer = check_base(model.as_base(), "The language model")
    model.use_precision("fp32")
    if model.visibility == "causal":
        return _next_tokens(model, tokenizer)
    if model.visibility != "full":
        raise SettingError(
            "The language model reads its two directions apart, so it cannot be exported; export "
            "a BERT or a GPT."
        )
    return _states(model, tokenizer)


def model_windows(
    model: LanguageModel, pooling: Pooling | None, layers: tuple[int, ...] | None
) -> TextWindows:
    """Return the vectors that `embed` gives, by windows.

    Args:
        model: that embeds.
        pooling: of `embed`.
        layers: of `embed`; None: the last one.

    Raises:
        SettingError: other programs have no such tokenizer or network.
    """
    check_base(model.as_base(), "The language model")
    model.use_precision("fp32")
    base = model.as_base().encoder()
    backbone, chosen = base.backbone, check_layers(layers or -1, base.backbone)
    pooling = pooling or model.pooling
    reads_last, pool = is_last(backbone, chosen), POOLS[pooling]

    def pooled(states: States, token_mask: Tensor | None) -> Tensor:
        return pool(mean_states(states, chosen, backbone.num_layers), token_mask)

    return text_windows(
        base,
        model.text_framing,
        pooling,
        pooled,
        exact=lambda: model.exact_network().backbone.for_tasks,
        save=model.save,
        needs_layers=not reads_last,
        dense=model.dense if reads_last and pooling == model.pooling else (),
    )


def _states(model: LanguageModel, tokenizer: Any) -> NetworkGraph:
    """Return the states of an encoder and, of a sentence encoder, the vector of a text."""
    backbone = model.backbone.for_tasks
    vector = None
    if model.is_sentence_encoder:
        around = model.text_framing.max_length - model.text_room
        vector = TextVector(
            POOLS[model.pooling], model.dense, normalize=model.normalize, num_around=around
        )

    def answer(states: States, inputs: Inputs) -> tuple[Tensor, ...]:
        own = (states.last,)
        return own if vector is None else (*own, vector(states.last, inputs.token_mask))

    names = (STATES, VECTOR) if model.is_sentence_encoder else (STATES,)
    has_segments = backbone.num_segments > 1
    network = GraphNetwork(backbone, model.visibility, vector, answer, has_segments=has_segments)
    return NetworkGraph(
        network,
        names,
        frozenset({STATES}),
        "sentence-similarity" if model.is_sentence_encoder else "feature-extraction",
        tokenizer,
        model.text_framing.max_length,
        model.save,
        lambda texts: _read(model, names, texts[0]),
        facts={
            "pooling": model.pooling,
            "normalize": model.normalize,
            "dense_layers": len(model.dense),
        },
        longer="`embed` of foretext averages the vectors of their windows",
    )


def _next_tokens(model: LanguageModel, tokenizer: Any) -> NetworkGraph:
    """Return the scores of the next token after each position, (B, T, V)."""
    objective: Any = model.objective
    if objective is None:
        raise SettingError(
            "The language model has no head that predicts tokens, so nothing of it can be exported."
        )
    head = objective.for_tasks.vocabulary_head
    if head is None:
        raise SettingError(
            "The language model scores the next token by an objective of its own "
            f"({type(objective).__name__}), so it cannot be exported; export a GPT."
        )

    def answer(states: States, inputs: Inputs) -> tuple[Tensor, ...]:
        return (head(states.last).float(),)

    network = GraphNetwork(model.backbone, model.visibility, head, answer)
    return NetworkGraph(
        network,
        (LOGITS,),
        frozenset({LOGITS}),
        "text-generation",
        tokenizer,
        model.backbone.max_length,
        model.save,
        lambda texts: _read(model, (LOGITS,), texts[0]),
        longer="foretext forgets the oldest tokens, not the newest",
    )


@torch.inference_mode()
def _read(model: LanguageModel, names: Sequence[str], text: str) -> ReadInput:
    """Return the first window of a text, and what the network makes of it.

    Args:
        model: of the graph.
        names: of outputs.
        text: the text.
    """
    framing = model.row_framing if LOGITS in names else model.text_framing
    (ids,) = model.tokenizer.encode_batch([text])
    row = framing.around(ids[: framing.room]) or [model.tokenizer.pad]
    network = model.exact_network()
    device = network.backbone.embedding.device
    inputs = Inputs(torch.tensor([row], device=device), None, model.visibility)
    states = network.backbone.for_tasks(inputs).last
    found: dict[str, Any] = {}
    if LOGITS in names:
        objective: Any = network.objective
        found[LOGITS] = objective.for_tasks.vocabulary_head(states)[0].float().cpu().numpy()
    else:
        found[STATES] = states[0].float().cpu().numpy()
    if VECTOR in names and len(ids) <= framing.room:
        found[VECTOR] = model.embed(text)
    return ReadInput(row, found)
