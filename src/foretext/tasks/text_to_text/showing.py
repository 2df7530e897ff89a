"""What a writer of texts expects and looks at, step by step, as parts to show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
import torch

from foretext.backbones.insight import backbone_parts, source_parts
from foretext.data.padded_examples import IGNORED
from foretext.data.rows import ParallelText
from foretext.heads.base import TaskBase
from foretext.heads.text_to_text import TextToTextHead
from foretext.messages import MessageTable
from foretext.objectives.expectation import expectation_parts, target_expectations
from foretext.shown import Grid, Note, Part, Table, TokenLine, TokenLines
from foretext.tasks.text_to_text.alignments import text_alignment
from foretext.tasks.text_to_text.answers import TextAnswer
from foretext.tasks.text_to_text.examples import pair_examples
from foretext.tokenizers.token_names import namer
from foretext.vectors.insight import rounded

if TYPE_CHECKING:
    from foretext.tasks.model import TaskNetwork

__all__ = ["writing_parts"]

_said = MessageTable("insight.writing")
DIGITS = 4
SEED = 20_061_015  # of what is hidden, where tokens are predicted from masks


@torch.inference_mode()
def writing_parts(
    network: TaskNetwork, base: TaskBase, source: str, outputs: Sequence[TextAnswer]
) -> list[Part]:
    """Return the outputs of a beam, and how the best of them follows from the source.

    Args:
        network: in float32.
        base: with the tokenizers.
        source: a text.
        outputs: of the source, the best one first.
    """
    rows = [
        (rank, output.text, _rounded(output.score), _said("ended" if output.ended else "cut"))
        for rank, output in enumerate(outputs, 1)
    ]
    columns = _said.columns("rank", "text", "score", "end")
    beam = Table.of(_said("beam"), columns, rows)
    parts: list[Part] = [Note(_said("note", beams=len(outputs))), beam]
    best = outputs[0].text
    if not best.strip() or not source.strip():  # there is no step to look at
        tokens = map(namer(base.tokenizer), base.tokenizer.encode(source))
        line = TokenLine.of(_said("source"), tokens)
        return [*parts, TokenLines(_said("rows"), (line,))]
    head = cast(TextToTextHead, network.head)
    if head.needs_source and network.backbone.has_cross_attention:
        parts += _alignment(network, base, head, source, best)
    return [*parts, *_steps(network, base, head, ParallelText(source, best, ""))]


def _alignment(
    network: TaskNetwork, base: TaskBase, head: TextToTextHead, source: str, output: str
) -> list[Part]:
    """Return which words of the source each word of the output looks at."""
    found = text_alignment(network.backbone, base, head, source, output)
    if not found.source or not found.output:
        return []
    title = _said("alignment", layer=found.layer)
    return [Grid.of(title, found.output, found.source, rounded(found.weights))]


def _steps(
    network: TaskNetwork, base: TaskBase, head: TextToTextHead, row: ParallelText
) -> list[Part]:
    """Return what is expected at each step of the output, then what the network looks at."""
    backbone, tokenizer = network.backbone, base.target_tokenizer or base.tokenizer
    name = namer(tokenizer)
    batch = pair_examples(base, head, [row]).batch(
        np.zeros(1, np.int64), np.random.default_rng(SEED)
    )
    batch = batch.to(backbone.embedding.device)
    inputs, right = batch.inputs, batch.targets["next"][0].tolist()
    tokens = [*map(name, inputs.ids[0].tolist())]
    is_answer = [token != IGNORED for token in right]
    targets = ["" if token == IGNORED else name(token) for token in right]
    lines = [TokenLine.of(_said("input"), tokens), TokenLine.of(_said("target"), targets)]
    sources: list[str] = []
    if inputs.source is not None:
        sources = [*map(namer(base.tokenizer), inputs.source.ids[0].tolist())]
        lines.insert(0, TokenLine.of(_said("source"), sources))
    parts: list[Part] = [TokenLines(_said("rows"), tuple(lines))]
    states = backbone(inputs).last[0]
    kept = [position for position, is_one in enumerate(is_answer) if is_one]
    expected = target_expectations(head.head, states[kept], 0)
    ids = [right[position] for position in kept]
    parts += expectation_parts(expected, ids, name, tokenizer.vocab_size)
    if inputs.source is None:
        return [*parts, *backbone_parts(backbone, inputs, tokens)]
    return [*parts, *source_parts(backbone, inputs, tokens, sources)]


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, DIGITS)
