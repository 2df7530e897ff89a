"""Tagging against the tagger of `transformers`, and what its CRF and its BiLSTM do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from foretext.backbones.elmo import Elmo
from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Inputs
from foretext.data.padded_examples import IGNORED
from foretext.heads.base import TaskBase
from foretext.heads.shared_tokens import mark_shared_tokens
from foretext.heads.tagging import (
    FIRST,
    INSIDE,
    LAST,
    NUM_PLACES,
    SINGLE,
    TaggingHead,
    mark_word_boundaries,
    word_places,
)
from foretext.interop.hugging_face import load_hugging_face
from foretext.metrics import violations
from foretext.tokenizers.hf_files import save_hf_tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.text_bodies import bert_body, word_body

LENGTHS = (11, 7, 4)
LABELS = ["B-X", "I-X", "O"]
CLOSE = {"atol": 1e-5, "rtol": 1e-5}
SHAPE = {
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "hidden_size": 32,
    "intermediate_size": 48,
    "max_position_embeddings": 32,
}


def tagging(body: TaskBase, labels: list[str] = LABELS, **settings: Any) -> TaggingHead:
    torch.manual_seed(2)
    return TaggingHead(TaggingHead.Config(**settings), body, labels=labels).eval()


def some_batch(vocab_size: int) -> Batch:
    """Rows of three lengths; every other position is asked."""
    generator = torch.Generator().manual_seed(5)
    mask = torch.arange(LENGTHS[0]) < torch.tensor(LENGTHS)[:, None]
    ids = torch.randint(1, vocab_size, mask.shape, generator=generator).masked_fill(~mask, 0)
    tags = torch.randint(0, 3, mask.shape, generator=generator)
    asked = mask & (torch.arange(LENGTHS[0]) % 2 == 1)
    return Batch(Inputs(ids, mask), {"tags": tags.masked_fill(~asked, IGNORED)})


def scored(task: TaggingHead, body: TaskBase, batch: Batch) -> Any:
    return task.scores(body.backbone.eval()(batch.inputs), batch)["tagging"]


@torch.no_grad()
def test_parity_with_bert(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(1)
    config = transformers.BertConfig(vocab_size=wordpiece.vocab_size, num_labels=3, **SHAPE)
    theirs = transformers.BertForTokenClassification(config).eval()
    for weight in theirs.parameters():
        weight.add_(torch.randn(weight.shape) * 0.05)
    theirs.bert.save_pretrained(tmp_path)
    save_hf_tokenizer(wordpiece, tmp_path, 32, "bert")
    loaded = load_hugging_face(tmp_path)
    body = TaskBase(loaded.tokenizer, loaded.backbone, loaded.visibility)
    task = tagging(body)
    task.classifier.load_state_dict(theirs.classifier.state_dict())
    batch = some_batch(wordpiece.vocab_size)
    ids, mask, tags = batch.inputs.ids, batch.inputs.token_mask, batch.targets["tags"]
    assert mask is not None
    answer = theirs(input_ids=ids, attention_mask=mask.long(), labels=tags)
    score = scored(task, body, batch)
    torch.testing.assert_close(score.loss / task.counts(batch)["tagging"], answer.loss, **CLOSE)
    found = task.outputs(body.backbone(batch.inputs), batch.inputs)
    torch.testing.assert_close(found[mask], answer.logits[mask], **CLOSE)
    assert score.num_correct == (answer.logits.argmax(-1) == tags).sum() > 0


def test_tokens_alone_are_counted(wordpiece: SubwordTokenizer) -> None:
    batch = some_batch(wordpiece.vocab_size)
    assert tagging(bert_body(wordpiece)).counts(batch) == {"tagging": 5 + 3 + 2}


@torch.no_grad()
def test_the_loss_of_a_crf_is_that_of_the_tokens(wordpiece: SubwordTokenizer) -> None:
    """A token's later sub-words have no part in the sequence of tags."""
    body, batch = bert_body(wordpiece), some_batch(wordpiece.vocab_size)
    task = tagging(body, labels=["A", "B", "C"], crf=True)
    assert task.crf is not None
    theirs = pytest.importorskip("torchcrf").CRF(3, batch_first=True)
    names = {"transitions": "transitions", "start": "start_transitions", "end": "end_transitions"}
    theirs.load_state_dict({names[name]: value for name, value in task.crf.state_dict().items()})
    logits = task.outputs(body.backbone.eval()(batch.inputs), batch.inputs)
    expected = torch.zeros(())
    num_correct = 0
    for row, tags in zip(logits, batch.targets["tags"], strict=True):
        asked = tags != IGNORED
        own, right = row[asked][None], tags[asked][None]
        real = torch.ones_like(right, dtype=torch.bool)
        expected -= theirs(own, right, mask=real)
        (path,) = theirs.decode(own, mask=real)
        num_correct += sum(int(a == b) for a, b in zip(path, tags[asked].tolist(), strict=True))
    score = scored(task, body, batch)
    torch.testing.assert_close(score.loss, expected)
    assert score.num_correct == num_correct


@pytest.mark.parametrize(
    ("kind", "settings", "has_crf"),
    [
        ("bert", {}, False),
        ("bert", {"lstm_dim": 8}, True),
        ("bert", {"lstm_dim": 8, "crf": False}, False),
        ("recurrent", {}, True),
        ("lookup", {"crf": False}, False),
    ],
)
def test_a_crf_is_where_it_helps(
    wordpiece: SubwordTokenizer, kind: str, settings: dict[str, Any], has_crf: bool
) -> None:
    body = bert_body(wordpiece) if kind == "bert" else word_body(kind)
    assert (tagging(body, **settings).crf is not None) == has_crf


def test_weights_on_small_states_begin_large(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    spread = [
        float(tagging(body, lstm_dim=size).classifier.weight.detach().std()) for size in (None, 16)
    ]
    assert spread[0] < 0.03
    assert spread[1] > 0.1


def random_scores() -> tuple[Tensor, Tensor]:
    torch.manual_seed(3)
    mask = torch.rand(20, 9) < 0.8
    mask[:, 0] = True
    return torch.randn(20, 9, 5) * 4, mask


def test_a_crf_never_answers_what_a_scheme_forbids(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    labels = ["B-X", "E-X", "I-X", "O", "S-X"]
    wrong = {}
    for crf in (True, False):
        task = tagging(body, labels=labels, crf=crf)
        scores, mask = random_scores()
        paths = task.decode(scores, mask)
        assert [len(path) for path in paths] == mask.sum(1).tolist()
        names = [[labels[place] for place in path] for path in paths]
        wrong[crf] = sum(len(violations(tags, "BIOES")) for tags in names)
    assert wrong[True] == 0 < wrong[False]


@pytest.mark.parametrize("crf", [True, False])
def test_probabilities_sum_to_one(wordpiece: SubwordTokenizer, crf: bool) -> None:
    task = tagging(bert_body(wordpiece), labels=["A", "B", "C", "D", "E"], crf=crf)
    scores, mask = random_scores()
    probabilities = task.probabilities(scores, mask)[mask]
    torch.testing.assert_close(probabilities.sum(-1), torch.ones(len(probabilities)))


@torch.no_grad()
@pytest.mark.parametrize("crf", [True, False])
def test_padding_makes_no_difference(wordpiece: SubwordTokenizer, crf: bool) -> None:
    """Nor does it to the BiLSTM, which reads from the right as well."""
    body, batch = bert_body(wordpiece), some_batch(wordpiece.vocab_size)
    task = tagging(body, lstm_dim=6, crf=crf, labels=["A", "B", "C"])
    alone = sum(scored(task, body, batch.rows(row, row + 1)).loss for row in range(3))
    torch.testing.assert_close(scored(task, body, batch).loss, alone, **CLOSE)


def test_a_crf_learns_in_bfloat16(wordpiece: SubwordTokenizer) -> None:
    """Scores are widened, and gradients come back in the numbers of the weights."""
    body, batch = bert_body(wordpiece), some_batch(wordpiece.vocab_size)
    task = tagging(body, labels=["A", "B", "C"], crf=True, lstm_dim=4)
    losses = []
    for dtype in (torch.float32, torch.bfloat16):
        body.backbone.to(dtype)
        task.to(dtype)
        score = scored(task, body, batch)
        score.loss.backward()
        losses.append(score.loss.detach())
        assert all(weight.grad.dtype == dtype for weight in task.parameters())
        task.zero_grad()
    assert losses[1].dtype == torch.float32
    torch.testing.assert_close(losses[0], losses[1], rtol=0.02, atol=0.0)


def test_places_are_those_of_the_words() -> None:
    pytest.importorskip("jieba")
    sentences = [list("北京大学"), [], list("在北京"), ["北京大", "学"], ["在北", "京"], ["在"]]
    assert [places.tolist() for places in word_places(sentences)] == [
        [FIRST, INSIDE, INSIDE, LAST],
        [],
        [SINGLE, FIRST, LAST],
        [FIRST, LAST],
        [FIRST, LAST],
        [SINGLE],
    ]
    assert word_places([]) == []


@pytest.mark.parametrize("kind", ["bert", "lookup", "textcnn", "recurrent"])
def test_a_single_character_is_read_as_before(kind: str, wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece) if kind == "bert" else word_body(kind)
    inputs = Inputs(torch.tensor([[5, 6, 7]]))
    places = replace(inputs, segments=torch.tensor([[SINGLE, FIRST, LAST]]))
    body.backbone.eval()
    before = body.backbone(inputs).last
    mark_word_boundaries(body)
    body.backbone.eval()
    assert body.backbone.num_segments == body.backbone.config.num_segments == NUM_PLACES
    torch.testing.assert_close(body.backbone(inputs).last, before)
    assert not torch.allclose(body.backbone(places).last, before)
    vectors = body.backbone.segment_vectors
    assert vectors is not None
    kept = vectors.detach().clone()
    mark_word_boundaries(body)  # a second task on the same base
    assert torch.equal(body.backbone.segment_vectors, kept)


@pytest.mark.parametrize("mark", [mark_word_boundaries, mark_shared_tokens])
def test_a_base_that_reads_no_segments(mark: object, wordpiece: SubwordTokenizer) -> None:
    body = TaskBase(wordpiece, Elmo(Elmo.Config(), 10), "full")
    with pytest.raises(SettingError, match="and the base is a Elmo, which reads none"):
        mark(body)  # type: ignore[operator]
