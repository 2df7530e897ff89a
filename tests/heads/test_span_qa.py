from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from foretext.backbones.base import States
from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Inputs
from foretext.heads.base import TaskBase
from foretext.heads.span_qa import SpanHead
from foretext.interop.hugging_face import load_hugging_face
from foretext.tokenizers.hf_files import save_hf_tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from tests.networks import SHAPE, bert

CLOSE = {"atol": 1e-5, "rtol": 1e-5}


def test_equal_to_transformers(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        vocab_size=wordpiece.vocab_size,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=24,
    )
    theirs = transformers.BertForQuestionAnswering(config).eval()
    theirs.bert.save_pretrained(tmp_path)
    save_hf_tokenizer(wordpiece, tmp_path, 24, "bert")
    backbone = load_hugging_face(tmp_path).backbone.eval()
    task = SpanHead(SpanHead.Config(), TaskBase(wordpiece, backbone, "full")).eval()
    task.span.load_state_dict(theirs.qa_outputs.state_dict())

    generator = torch.Generator().manual_seed(3)
    ids = torch.randint(wordpiece.vocab_size, (3, 12), generator=generator)
    segments = (torch.arange(12) > 4).long().expand_as(ids)
    span = torch.tensor([[5, 7], [0, 0], [11, 11]])  # in the second row there is no answer
    answered = theirs(
        input_ids=ids,
        token_type_ids=segments,
        start_positions=span[:, 0],
        end_positions=span[:, 1],
    )
    batch = Batch(Inputs(ids, segments=segments), {"span": span})
    states = backbone(batch.inputs)
    logits = task.outputs(states, batch.inputs)
    torch.testing.assert_close(logits[..., 0], answered.start_logits, **CLOSE)
    torch.testing.assert_close(logits[..., 1], answered.end_logits, **CLOSE)
    score = task.scores(states, batch)["span_qa"]
    assert task.counts(batch) == {"span_qa": 3}
    torch.testing.assert_close(score.loss / 3, answered.loss, **CLOSE)


def head_that_copies(wordpiece: SubwordTokenizer) -> SpanHead:
    """Whose logits are the first two features of a state."""
    task = SpanHead(SpanHead.Config(), TaskBase(wordpiece, bert(wordpiece).backbone, "full"))
    with torch.no_grad():
        task.span.weight.copy_(torch.eye(2, 32))
    return task


def test_padding_is_no_place_for_an_answer(wordpiece: SubwordTokenizer) -> None:
    task = head_that_copies(wordpiece)
    last = torch.zeros(1, 4, 32)
    last[0, :, :2] = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [9.0, 9.0]])
    mask = torch.tensor([[True, True, True, False]])
    inputs = Inputs(torch.zeros(1, 4, dtype=torch.long), mask)
    batch = Batch(inputs, {"span": torch.tensor([[1, 2]])})
    score = task.scores(States(last, ()), batch)["span_qa"]
    start, end = np.log(2 + np.e) - 1, np.log(2 + np.e**2) - 2
    assert score.loss.item() == pytest.approx((start + end) / 2, rel=1e-5)
    assert score.num_correct is not None
    assert score.num_correct.item() == 1


def test_an_answer_is_right_if_both_ends_are(wordpiece: SubwordTokenizer) -> None:
    task = head_that_copies(wordpiece)
    last = torch.zeros(2, 3, 32)
    last[:, 1, 0], last[:, 2, 1] = 1.0, 1.0
    batch = Batch(
        Inputs(torch.zeros(2, 3, dtype=torch.long)), {"span": torch.tensor([[1, 2], [1, 1]])}
    )
    num_correct = task.scores(States(last, ()), batch)["span_qa"].num_correct
    assert num_correct is not None
    assert num_correct.item() == 1


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"stride": 200},
            "[task] stride = 200 is more than half of max_length = 384, and windows overlap by "
            "half at least.",
        ),
        ({"num_best": 0}, "[task] num_best = 0: should be greater than or equal to 1."),
    ],
)
def test_settings_that_would_not_work(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError) as caught:
        SpanHead.Config.checked(settings, "task")
    assert str(caught.value) == sentence


def test_something_must_stand_between_the_texts(animal_text: Path) -> None:
    from foretext.corpus import Corpus

    settings = {"vocab_size": 300, "special_tokens": []}
    plain = learn_subwords("bpe", settings, Corpus(animal_text))
    backbone = Transformer(Transformer.Config(**SHAPE), plain.vocab_size)
    with pytest.raises(SettingError, match="needs a token between question and passage; use a"):
        SpanHead(SpanHead.Config(), TaskBase(plain, backbone, "causal"))
