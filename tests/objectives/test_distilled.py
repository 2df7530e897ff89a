"""A student's loss: what its teacher says of hidden tokens, the text itself, and the states."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from foretext.base.errors import SettingError
from foretext.data.batch import Batch
from foretext.data.token_file import Tokens
from foretext.objectives.distilled import Distilled, DistilledWeights
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.model import Model
from tests.networks import bert, gpt


def first_batch(model: Model, tokens: Tokens) -> Batch:
    examples = model.objective.examples(tokens.train)
    rng = np.random.default_rng(0)
    return examples.batch(examples.keys(rng)[:4], rng)


def taught(student: Model, teacher: Model, **weights: float) -> Model:
    objective = Distilled(
        student.objective, student.backbone, teacher.backbone, teacher.objective,
        DistilledWeights(**weights),
    )  # fmt: skip
    return Model(student.backbone, objective)


def test_the_parts_by_hand(wordpiece: SubwordTokenizer, bert_tokens: Tokens) -> None:
    teacher, student = bert(wordpiece), bert(wordpiece)
    with torch.no_grad():
        teacher.backbone.embedding.mul_(3)
    model = taught(student, teacher)
    batch = first_batch(student, bert_tokens)
    scores, counts = model(batch), model.objective.counts(batch)
    positions = batch.targets["masked"].flatten().nonzero()[:, 0]
    assert counts == {
        "masked_lm": len(positions), "teacher": len(positions), "states": batch.inputs.num_tokens
    }  # fmt: skip
    states, theirs = (each.backbone(batch.inputs).last for each in (student, teacher))
    given, wanted = (
        each.objective.head(found.flatten(0, 1)[positions]) / 2
        for each, found in ((student, states), (teacher, theirs))
    )
    soft = F.softmax(wanted, -1)
    expected = 4 * (soft * (soft.log() - F.log_softmax(given, -1))).sum()
    assert scores["teacher"].loss.item() == pytest.approx(expected.item(), rel=1e-4)
    away = 1 - F.cosine_similarity(states, theirs, dim=-1)
    real = torch.ones_like(away, dtype=torch.bool)
    if batch.inputs.token_mask is not None:
        real = batch.inputs.token_mask
    assert scores["states"].loss.item() == pytest.approx(away[real].sum().item(), rel=1e-4)
    own = student(batch)["masked_lm"].loss
    assert scores["masked_lm"].loss.item() == pytest.approx(own.item())
    assert [scores[part].weight for part in ("teacher", "masked_lm", "states")] == [5.0, 2.0, 1.0]


def test_a_teacher_is_neither_trained_nor_kept(
    wordpiece: SubwordTokenizer, bert_tokens: Tokens
) -> None:
    teacher, student = bert(wordpiece), bert(wordpiece)
    model = taught(student, teacher)
    names = {name for name, _ in model.named_parameters()}
    assert len(names) == len(dict(student.named_parameters()))
    scores = model(first_batch(student, bert_tokens))
    sum(score.loss for score in scores.values()).backward()
    assert student.backbone.embedding.grad is not None
    assert scores["teacher"].loss.item() == pytest.approx(0, abs=1e-3)  # they are equal


def test_a_model_that_fills_no_masks_is_refused(byte_bpe: SubwordTokenizer) -> None:
    model = gpt(byte_bpe)
    with pytest.raises(SettingError, match="predicts no hidden tokens"):
        taught(model, model)
