"""Shapes of the peers' networks, as transformers names their settings."""

from __future__ import annotations

from typing import Any

__all__ = ["encoder_shape"]


def encoder_shape(
    *, vocab_size: int, layers: int, dim: int, heads: int, length: int, dropout: float = 0.0
) -> dict[str, Any]:
    """The settings that its configurations of BERT and of DeBERTa share."""
    return {
        "vocab_size": vocab_size,
        "hidden_size": dim,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": 4 * dim,
        "max_position_embeddings": length,
        "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": dropout,
    }
