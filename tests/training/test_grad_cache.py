"""A batch in micro-batches: the gradient of the whole, with the same dropout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector

from foretext.data.batch import Batch
from foretext.data.rows import SentenceRow
from foretext.heads.sentence_vectors import SentenceVectorsHead
from foretext.progress.run_context import RunContext
from foretext.tasks.sentence_vectors.network import SentenceEncoder
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.grad_cache import GradCache
from foretext.training.loop import Training
from foretext.training.model import Model
from foretext.training.processes import Processes
from foretext.training.settings import TrainingConfig
from tests.networks import ANIMALS, SOUNDS, TIMES
from tests.text_bodies import bert_body

KINDS = ("texts", "pairs", "triples", "scores")


def rows(kind: str, number: int = 12) -> list[SentenceRow]:
    found = []
    for row in range(number):
        animal, sound, when = ANIMALS[row % 6], SOUNDS[row % 6], TIMES[row % 4]
        first, second = f"the {animal} {sound} in the {when} .", f"a {animal} again ."
        found.append(
            SentenceRow(
                first,
                None if kind == "texts" else second,
                f"every {ANIMALS[(row + 1) % 6]}" if kind == "triples" else None,
                float(row % 3) if kind == "scores" else None,
                f"rows:{row + 1}",
            )
        )
    return found


def model_of(tokenizer: SubwordTokenizer, kind: str, *, dropout: float, **task: Any) -> Any:
    body = bert_body(tokenizer)
    for module in body.backbone.modules():
        if isinstance(module, nn.Dropout):
            module.p = dropout
    torch.manual_seed(0)
    encoder = SentenceEncoder.begin(body, SentenceVectorsHead.Config(**task), rows(kind))
    model = Model(body.backbone, encoder.head).train()
    examples = encoder.examples(rows(kind))
    return model, examples.batch(examples.keys(np.random.default_rng(0)))


def gradient(model: Model) -> Tensor:
    found = parameters_to_vector(
        [torch.zeros_like(p) if p.grad is None else p.grad for p in model.parameters()]
    ).clone()
    model.zero_grad()
    return found


def cached(model: Model, batch: Batch, size: int) -> Tensor:
    torch.manual_seed(7)
    parts = [batch.rows(at, min(at + size, len(batch))) for at in range(0, len(batch), size)]
    processes = Processes(torch.device("cpu"), alone=True)
    cache = GradCache(model, processes, model.vectors, lambda: None)
    cache.backward(batch, parts, model.objective.divisors(model.objective.counts(batch)))
    return gradient(model)


def as_one_graph(model: Model, batch: Batch, size: int) -> Tensor:
    """The same parts and draws, with the graph of all of them in memory."""
    torch.manual_seed(7)
    parts = [batch.rows(at, min(at + size, len(batch))) for at in range(0, len(batch), size)]
    vectors = torch.cat([model.vectors(part) for part in parts])
    (score,) = model.objective.compare(vectors, batch.targets).values()
    (score.loss / len(batch)).backward()
    return gradient(model)


@pytest.mark.parametrize("kind", KINDS)
def test_dropout_is_drawn_again(wordpiece: SubwordTokenizer, kind: str) -> None:
    model, batch = model_of(wordpiece, kind, dropout=0.2)
    expected = as_one_graph(model, batch, 5)
    found = cached(model, batch, 5)
    assert float(expected.abs().max()) > 1e-3
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_gradient_of_the_whole_batch(wordpiece: SubwordTokenizer, kind: str) -> None:
    model, batch = model_of(wordpiece, kind, dropout=0.0, dims=[8])
    whole = cached(model, batch, len(batch))
    for size in (1, 5, 11):
        torch.testing.assert_close(cached(model, batch, size), whole, rtol=1e-4, atol=1e-5)


def test_the_generator_ends_where_one_pass_leaves_it(wordpiece: SubwordTokenizer) -> None:
    model, batch = model_of(wordpiece, "texts", dropout=0.2)
    cached(model, batch, 5)
    after = torch.rand(3)
    as_one_graph(model, batch, 5)
    assert torch.equal(torch.rand(3), after)


def test_a_training_is_the_same_in_micro_batches(
    wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    weights, losses = [], []
    for size in (None, 5):
        model, _ = model_of(wordpiece, "pairs", dropout=0.0)
        encoder_rows = rows("pairs", 20)
        encoder = SentenceEncoder(bert_body(wordpiece), model.objective)
        config = TrainingConfig(
            steps=3, batch_examples=12, micro_batch_examples=size, precision="fp32", device="cpu"
        )
        context = RunContext(tmp_path)
        history = Training(model, encoder.examples(encoder_rows), config, context).run()
        weights.append(parameters_to_vector(model.parameters()).detach().clone())
        losses.append(history[-1]["loss"])
    torch.testing.assert_close(*weights, rtol=1e-4, atol=1e-5)
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_the_texts_of_a_row_are_read_apart(wordpiece: SubwordTokenizer, kind: str) -> None:
    """A short text is not filled up to the length of the one that it belongs to."""
    model, batch = model_of(wordpiece, kind, dropout=0.0)
    together = model.objective.vectors(model.backbone(batch.inputs), batch)
    torch.testing.assert_close(model.vectors(batch), together, rtol=1e-4, atol=1e-5)
    parts = batch.places()
    assert [len(part.inputs.ids) for part in parts] == [len(batch)] * batch.group
    if kind == "triples":
        widths = [part.inputs.ids.shape[1] for part in parts]
        assert max(widths) == batch.inputs.ids.shape[1]
        assert widths[2] < widths[0]
