"""The head of text-to-text: what it reads and predicts on each kind of base."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from foretext.backbones.encoder_decoder import EncoderDecoder
from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.data.batch import Batch, Inputs
from foretext.data.padded_examples import IGNORED
from foretext.heads.base import TaskBase
from foretext.heads.text_to_text import TextToTextHead
from foretext.objectives import OBJECTIVES
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.training.model import Model
from tests.networks import GPT, SHAPE, bert, gpt

SMALL = {**SHAPE, "num_layers": 1, "dropout": 0.0}


@pytest.fixture
def marked(animal_text: Path) -> SubwordTokenizer:
    """A tokenizer with padding and an end."""
    settings = {"vocab_size": 320, "special_tokens": ["<pad>", "[UNK]", "</s>"]}
    return learn_subwords("bpe", settings, Corpus(animal_text))


def two_towers(tokenizer: SubwordTokenizer, objective: str | None = None) -> TaskBase:
    torch.manual_seed(0)
    backbone = EncoderDecoder(EncoderDecoder.Config(**SMALL), tokenizer.vocab_size)
    made = None
    if objective is not None:
        component = OBJECTIVES.resolve(objective)
        made = component(component.Config(), backbone, tokenizer)
    return TaskBase(tokenizer, backbone, "causal", objective=made)


def of_gpt(tokenizer: SubwordTokenizer) -> TaskBase:
    model = gpt(tokenizer)
    return TaskBase(tokenizer, model.backbone, "causal", objective=model.objective)


def task_on(base: TaskBase, longest: int = 4, **settings: Any) -> TextToTextHead:
    return TextToTextHead(TextToTextHead.Config(**settings), base, longest=longest)


def test_an_encoder_reads_the_source_and_its_end(marked: SubwordTokenizer) -> None:
    task = task_on(two_towers(marked))
    special = marked.special
    reading = task.reading([7, 8])
    assert reading.source == (7, 8, special.end)
    assert reading.opening == (special.pad,)
    assert (task.needs_source, task.trains_with, task.end) == (True, {"causal"}, special.end)
    assert (task.source_room, task.target_room) == (31, 32)
    assert task.max_new_tokens == 7  # 1.25 times the longest target, and two


def test_a_decoder_reads_source_and_end_in_the_same_row(byte_bpe: SubwordTokenizer) -> None:
    task = task_on(of_gpt(byte_bpe))
    end = byte_bpe.special.end
    assert task.reading([7, 8]).opening == (7, 8, end)
    assert task.reading([7, 8]).source is None
    assert (task.needs_source, task.trains_with, task.end) == (False, {"causal"}, end)
    assert (task.source_room, task.target_room) == (26, 5)  # of 32, and the end between
    assert task_on(of_gpt(byte_bpe), longest=100).target_room == 15


def test_a_transformer_from_scratch_sees_its_source_as_a_whole(marked: SubwordTokenizer) -> None:
    torch.manual_seed(0)
    backbone = Transformer(Transformer.Config(**SMALL), marked.vocab_size)
    task = task_on(TaskBase(marked, backbone, "full"))
    assert task.found["objective"]["name"] == "prefix_lm"
    assert task.reading([7, 8]).opening == (7, 8, marked.special.end)
    assert (task.sees_prefix, task.trains_with) == (True, {"matrix"})


def test_the_head_of_the_base_is_kept_and_rebuilt_from_what_was_found(
    marked: SubwordTokenizer,
) -> None:
    base = two_towers(marked, "prefix_lm")
    task = task_on(base)
    assert task.objective is base.objective
    assert task.head.weight is base.backbone.embedding
    again = TextToTextHead(task.config, base._replace(objective=None), **task.found)
    assert again.found == task.found
    assert again.head.weight is base.backbone.embedding


def batch_of(tokenizer: SubwordTokenizer) -> Batch:
    source = Inputs(torch.tensor([[5, 6, 1], [7, 1, 0]]), torch.tensor([[1, 1, 1], [1, 1, 0]]) > 0)
    ids = torch.tensor([[0, 9, 8], [0, 7, 0]])
    mask = torch.tensor([[1, 1, 1], [1, 1, 0]]) > 0
    right = torch.tensor([[9, 8, 1], [7, 1, IGNORED]])
    return Batch(Inputs(ids, mask, "causal", source=source), {"next": right})


def test_the_loss_is_the_cross_entropy_of_target_tokens_smoothed_in_training_alone(
    marked: SubwordTokenizer,
) -> None:
    base = two_towers(marked)
    task = task_on(base, label_smoothing=0.1)
    model, batch = Model(base.backbone, task), batch_of(marked)
    logits = task.outputs(base.backbone(batch.inputs), batch.inputs).flatten(0, 1)
    right = batch.targets["next"].flatten()
    assert task.counts(batch) == {"text_to_text": 5}
    for training, smoothing in ((True, 0.1), (False, 0.0)):
        model.train(training)
        score = model(batch)["text_to_text"]
        expected = F.cross_entropy(
            logits, right, ignore_index=IGNORED, reduction="sum", label_smoothing=smoothing
        )
        torch.testing.assert_close(score.loss, expected, rtol=1e-5, atol=1e-4)


def test_a_base_that_writes_no_texts_is_refused(wordpiece: SubwordTokenizer) -> None:
    model = bert(wordpiece)
    base = TaskBase(wordpiece, model.backbone, "full", objective=model.objective)
    with pytest.raises(SettingError, match="Transformer, reads texts and writes none"):
        task_on(base)


def test_two_vocabularies_need_an_encoder(byte_bpe: SubwordTokenizer) -> None:
    torch.manual_seed(0)
    backbone = Transformer(Transformer.Config(**SHAPE, **GPT), byte_bpe.vocab_size)
    with pytest.raises(SettingError, match="'separate' needs an encoder"):
        task_on(TaskBase(byte_bpe, backbone, "causal", target_tokenizer=byte_bpe))


def test_an_adaptive_softmax_smooths_nothing(byte_bpe: SubwordTokenizer) -> None:
    torch.manual_seed(0)
    backbone = Transformer(Transformer.Config(**SHAPE, **GPT), byte_bpe.vocab_size)
    component = OBJECTIVES.resolve("causal_lm")
    config = component.Config(softmax="adaptive", cutoffs=[100], row_length=24)
    base = TaskBase(byte_bpe, backbone, "causal", objective=component(config, backbone, byte_bpe))
    with pytest.raises(SettingError, match="label_smoothing needs the probabilities of all"):
        task_on(base, label_smoothing=0.1)
    assert task_on(base, label_smoothing=0.0).head.smooths is False


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"min_new_tokens": 9, "max_new_tokens": 8}, "min_new_tokens = 9 is more than"),
        ({"judged_by": "accuracy"}, "judged_by"),
        ({"label_smoothing": 1.0}, "label_smoothing"),
    ],
)
def test_settings_that_cannot_work(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        TextToTextHead.Config.checked(settings, "task")
