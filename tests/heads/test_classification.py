"""Classification against the classifiers of `transformers`, on the same weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Inputs
from foretext.heads.base import TaskBase
from foretext.heads.classification import ClassificationHead
from foretext.interop.hugging_face import load_hugging_face
from foretext.tokenizers.hf_files import save_hf_tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import random_inputs
from tests.text_bodies import bert_body, gpt_body

LENGTHS = (11, 7, 4)
LABELS = ["a", "b", "c"]
CLOSE = {"atol": 1e-5, "rtol": 1e-5}
BERT = {
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "hidden_size": 32,
    "intermediate_size": 48,
    "max_position_embeddings": 32,
}
GPT2 = {"n_layer": 2, "n_head": 2, "n_embd": 32, "n_positions": 32, "pad_token_id": 0}


def theirs(name: str, body: str, tokenizer: SubwordTokenizer, folder: Path, **settings: Any) -> Any:
    """A classifier of theirs with drawn weights, and its body here."""
    transformers = pytest.importorskip("transformers")
    transformers.utils.logging.disable_progress_bar()
    config = getattr(transformers, f"{name}Config")(
        vocab_size=tokenizer.vocab_size, num_labels=3, **settings
    )
    torch.manual_seed(1)
    model = getattr(transformers, f"{name}ForSequenceClassification")(config).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn(weight.shape) * 0.05)
    getattr(model, body).save_pretrained(folder)
    save_hf_tokenizer(tokenizer, folder, 32, "bert" if name == "Bert" else "gpt")
    loaded = load_hugging_face(folder)
    return model, TaskBase(loaded.tokenizer, loaded.backbone, loaded.visibility)


def some_rows(vocab_size: int) -> tuple[torch.Tensor, torch.Tensor]:
    mask = torch.arange(LENGTHS[0]) < torch.tensor(LENGTHS)[:, None]
    ids = torch.randint(1, vocab_size, mask.shape, generator=torch.Generator().manual_seed(5))
    return ids.masked_fill(~mask, 0), mask


@torch.no_grad()
def assert_parity(task: ClassificationHead, body: TaskBase, inputs: Inputs, answer: Any) -> None:
    """Equal logits, and an equal mean loss."""
    states = body.backbone.eval()(inputs)
    task.eval()
    torch.testing.assert_close(task.outputs(states, inputs), answer.logits, **CLOSE)
    batch = Batch(inputs, {"labels": torch.tensor([2, 0, 1])})
    loss = task.scores(states, batch)["classification"].loss / task.counts(batch)["classification"]
    torch.testing.assert_close(loss, answer.loss, **CLOSE)


def test_parity_with_bert(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    model, body = theirs("Bert", "bert", wordpiece, tmp_path, **BERT)
    pooler = dict(model.bert.pooler.dense.state_dict())
    task = ClassificationHead(
        ClassificationHead.Config(), body._replace(pooler=pooler), labels=LABELS
    )
    task.classifier.load_state_dict(model.classifier.state_dict())
    ids, mask = some_rows(wordpiece.vocab_size)
    answer = model(input_ids=ids, attention_mask=mask.long(), labels=torch.tensor([2, 0, 1]))
    assert_parity(task, body, Inputs(ids, mask), answer)


def test_parity_with_gpt2(byte_bpe: SubwordTokenizer, tmp_path: Path) -> None:
    """The last real token, by a map without bias."""
    model, body = theirs("GPT2", "transformer", byte_bpe, tmp_path, **GPT2)
    task = ClassificationHead(ClassificationHead.Config(bias=False), body, labels=LABELS)
    task.classifier.load_state_dict(model.score.state_dict())
    ids, mask = some_rows(byte_bpe.vocab_size)
    answer = model(input_ids=ids, attention_mask=mask.long(), labels=torch.tensor([2, 0, 1]))
    assert_parity(task, body, Inputs(ids, mask, visibility="causal"), answer)


def test_what_the_rows_told_makes_the_same_task_again(wordpiece: SubwordTokenizer) -> None:
    body, config = bert_body(wordpiece), ClassificationHead.Config(balanced=True)
    task = ClassificationHead(config, body, labels=LABELS, counts=[5, 2, 1])
    again = ClassificationHead(config, body, **task.found)
    assert again.found == task.found == {"labels": LABELS, "multi_label": False}
    again.load_state_dict(task.state_dict())


def test_rare_labels_weigh_more_where_asked(wordpiece: SubwordTokenizer) -> None:
    config = ClassificationHead.Config(balanced=True)
    task = ClassificationHead(config, bert_body(wordpiece), labels=["a", "b"], counts=[9, 1])
    assert task.answers.weights is not None
    torch.testing.assert_close(task.answers.weights, torch.tensor([10 / 18, 5.0]))


@torch.no_grad()
def test_the_auxiliary_loss_is_a_part_of_its_own(byte_bpe: SubwordTokenizer) -> None:
    body = gpt_body(byte_bpe)
    config = ClassificationHead.Config(language_model_weight=0.5)
    task = ClassificationHead(config, body, labels=LABELS)
    inputs = random_inputs(byte_bpe.vocab_size, visibility="causal")
    batch = Batch(inputs, {"labels": torch.tensor([2, 0, 1])})
    states = body.backbone.eval()(inputs)
    assert task.counts(batch) == {"classification": 3, "language_model": 33}
    assert set(task.scores(states, batch)) == {"classification", "language_model"}
    alone = ClassificationHead(ClassificationHead.Config(), body, labels=LABELS)
    assert alone.counts(batch) == {"classification": 3}
    assert set(alone.scores(states, batch)) == {"classification"}


def test_several_labels_a_text_have_an_output_each(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    task = ClassificationHead(ClassificationHead.Config(), body, labels=LABELS, multi_label=True)
    inputs = random_inputs(wordpiece.vocab_size)
    targets = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    score = task.scores(body.backbone(inputs), Batch(inputs, {"labels": targets}))
    assert float(score["classification"].loss.detach()) == pytest.approx(3 * 0.69, abs=0.3)


def test_settings_that_do_not_fit_are_refused(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    with pytest.raises(SettingError, match="language_model_weight needs a causal"):
        ClassificationHead(
            ClassificationHead.Config(language_model_weight=0.5), body, labels=LABELS
        )
    smoothed = ClassificationHead.Config(label_smoothing=0.1)
    with pytest.raises(SettingError, match="label_smoothing would have no effect"):
        ClassificationHead(smoothed, body, labels=LABELS, multi_label=True)
    with pytest.raises(SettingError, match=r"\[task\] pooling = 'middle'"):
        ClassificationHead.Config.checked({"pooling": "middle"}, "task")
