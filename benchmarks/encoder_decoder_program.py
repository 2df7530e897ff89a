"""One side of the encoder-decoders' benchmark, in a process of its own; prints its figures as JSON.

Four and four layers of width 256, 32,000 tokens: real training steps on drawn ids, teacher forcing
and the loss of all target tokens, with optimizer and clipping.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.precision import has_bfloat16, native_autocast

LAYERS, DIM, HEADS, WORDS, GATED_DIM = 4, 256, 4, 32_000, 704
WARM, STEPS = 2, 6  # the first ones compile and allocate


class Work(NamedTuple):
    """What a step reads."""

    num_rows: int
    source_length: int
    target_length: int
    ragged: bool
    dropout: float


WORK = {
    "t5": Work(8, 512, 114, ragged=False, dropout=0.0),
    "bart": Work(16, 128, 128, ragged=False, dropout=0.0),
    "marian": Work(64, 32, 32, ragged=True, dropout=0.1),
}
FORMS: dict[str, dict[str, Any]] = {
    "t5": {
        "positions": "relative",
        "norm": "rms",
        "norm_eps": 1e-6,
        "norm_position": "pre",
        "bias": False,
        "scale_scores": False,
        "scale_embeddings": False,
        "activation": "geglu_tanh",
        "feed_forward_dim": GATED_DIM,
    },
    "bart": {
        "positions": "learned",
        "embedding_norm": True,
        "scale_embeddings": False,
        "activation": "gelu",
    },
    "marian": {"sinusoids": "halves"},
}


class Rows(NamedTuple):
    """A batch: ids (B, S) and (B, T), and which of them are real."""

    source: Tensor
    source_mask: Tensor
    target: Tensor
    target_mask: Tensor


def main() -> None:
    side, kind, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
    torch.manual_seed(seed)
    step = {"foretext": our_step, "tuned": their_step}[side](kind)
    times = []
    for number in range(WARM + STEPS):
        batch = drawn(WORK[kind], number)
        began = time.process_time()
        step(batch)
        times.append(time.process_time() - began)
    print(json.dumps({"seconds": statistics.median(times[WARM:])}))


def drawn(work: Work, seed: int) -> Rows:
    """Rows of the same ids for both sides."""
    draws = torch.Generator().manual_seed(seed)

    def side(length: int) -> tuple[Tensor, Tensor]:
        lengths = torch.full((work.num_rows, 1), length)
        if work.ragged:
            lengths = torch.randint(length // 4, length + 1, (work.num_rows, 1), generator=draws)
        ids = torch.randint(5, WORDS, (work.num_rows, length), generator=draws)
        return ids, torch.arange(length) < lengths

    return Rows(*side(work.source_length), *side(work.target_length))


def our_step(kind: str) -> Callable[[Rows], None]:
    """The blocks of the training loop."""
    from foretext.backbones.encoder_decoder import EncoderDecoder
    from foretext.base.runtime import keep_freed_memory
    from foretext.data.batch import Inputs
    from foretext.nn.vocabulary_head import VocabularyHead
    from foretext.training.adamw import AdamW
    from foretext.training.flat_optimizer import FlatOptimizer
    from foretext.training.flat_parameters import FlatParameters

    keep_freed_memory()
    shape: dict[str, Any] = {
        "num_layers": LAYERS,
        "dim": DIM,
        "num_heads": HEADS,
        "dropout": WORK[kind].dropout,
    }
    backbone = EncoderDecoder(EncoderDecoder.Config(**shape, **FORMS[kind]), WORDS)
    head: Any = VocabularyHead(DIM, WORDS, transform=None, tied=backbone.embedding, bias=False)
    network = nn.ModuleList([backbone, head]).train()
    parameters = FlatParameters(network, torch.bfloat16 if has_bfloat16() else torch.float32)
    optimizer = FlatOptimizer(parameters, [AdamW(parameters)], clip_norm=1.0)

    def step(rows: Rows) -> None:
        mask = rows.source_mask if WORK[kind].ragged else None
        read = F.pad(rows.target[:, :-1], (1, 0))
        inputs = Inputs(read, visibility="causal", source=Inputs(rows.source, token_mask=mask))
        states = backbone(inputs).last.flatten(0, 1)
        places = rows.target_mask.flatten().nonzero()[:, 0]
        score = head.score(states.index_select(0, places), rows.target.flatten()[places])
        (score.loss / len(places)).backward()
        optimizer.gather()
        optimizer.step(1e-4)

    return step


def their_step(kind: str) -> Callable[[Rows], None]:
    """Their model at its best: fused attention, bfloat16 if native, fused AdamW."""
    model = their_model(kind).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def step(rows: Rows) -> None:
        labels = rows.target.masked_fill(~rows.target_mask, -100)
        mask = {"attention_mask": rows.source_mask.long()} if WORK[kind].ragged else {}
        with native_autocast():
            loss = model(input_ids=rows.source, labels=labels, **mask).loss
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    return step


def their_model(kind: str) -> Any:
    import transformers

    if kind == "t5":
        config = transformers.T5Config(
            vocab_size=WORDS,
            d_model=DIM,
            d_kv=DIM // HEADS,
            d_ff=GATED_DIM,
            num_layers=LAYERS,
            num_heads=HEADS,
            dropout_rate=WORK[kind].dropout,
            feed_forward_proj="gated-gelu",
            decoder_start_token_id=0,
        )
        return transformers.T5ForConditionalGeneration(config)
    shape: dict[str, Any] = {
        "vocab_size": WORDS,
        "d_model": DIM,
        "encoder_layers": LAYERS,
        "decoder_layers": LAYERS,
        "encoder_attention_heads": HEADS,
        "decoder_attention_heads": HEADS,
        "encoder_ffn_dim": 4 * DIM,
        "decoder_ffn_dim": 4 * DIM,
        "max_position_embeddings": 512,
        "dropout": WORK[kind].dropout,
        "pad_token_id": 0,
        "decoder_start_token_id": 0,
        "attn_implementation": "sdpa",
    }
    if kind == "bart":
        return transformers.BartForConditionalGeneration(transformers.BartConfig(**shape))
    marian = transformers.MarianConfig(**shape, activation_function="relu", scale_embedding=True)
    return transformers.MarianMTModel(marian)


if __name__ == "__main__":
    main()
