"""Folders of ERNIE, opened here: equal states, logits and losses; ours are saved as BERT."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.base.errors import ModelFileError
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.language_model import LanguageModel
from foretext.objectives.masked_lm import MaskedLM
from foretext.tasks.model import TaskModel
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.interop.conftest import MakeFolder, transformers
from tests.interop.test_older_folders import rewrite, weights_of
from tests.interop.test_theirs_here import assert_close, some_inputs
from tests.networks import bert


@pytest.mark.parametrize("head", ["Model", "ForMaskedLM", "ForPreTraining"])
@torch.inference_mode()
def test_states_and_logits(make_folder: MakeFolder, head: str) -> None:
    folder, model = make_folder("ernie", head, hidden_act="relu", layer_norm_eps=1e-5)
    loaded = load_hugging_face(folder)
    ours, theirs = some_inputs(loaded.backbone.vocab_size, segments=True, causal=False)
    states = loaded.backbone(ours)
    body = model if head == "Model" else model.ernie
    assert_close(states.last, body(**theirs).last_hidden_state, ours.token_mask)
    objective: Any = loaded.objective
    if head == "Model":
        assert objective is None
        return
    answer = model(**theirs)
    logits = answer.prediction_logits if head == "ForPreTraining" else answer.logits
    assert_close(objective.head(states.last), logits, ours.token_mask)
    if head == "ForPreTraining":
        pairs = objective.next_sentence(states.last)
        assert_close(pairs.flip(-1), answer.seq_relationship_logits, None)


@pytest.mark.parametrize(
    ("head", "task"),
    [
        ("ForSequenceClassification", "classification"),
        ("ForTokenClassification", "tagging"),
        ("ForQuestionAnswering", "span_qa"),
    ],
)
@torch.inference_mode()
def test_heads_of_tasks(make_folder: MakeFolder, head: str, task: str) -> None:
    folder, model = make_folder("ernie", head)
    loaded: Any = TaskModel.load(folder, device="cpu", precision="fp32")
    assert loaded.head.name == task
    ours, theirs = some_inputs(loaded.base.backbone.vocab_size, segments=True, causal=False)
    found = loaded.head.outputs(loaded.base.backbone(ours), ours)
    answer = model(**theirs)
    if task == "span_qa":
        assert_close(found[..., 0], answer.start_logits, ours.token_mask)
    else:
        mask = ours.token_mask if task == "tagging" else None
        assert_close(found, answer.logits, mask)


def test_vectors_of_tasks_are_refused_by_the_name_of_the_setting(make_folder: MakeFolder) -> None:
    folder, _ = make_folder("ernie", use_task_id=True)
    with pytest.raises(ModelFileError, match="use_task_id = True is not supported, only False is"):
        load_hugging_face(folder)


def test_unused_vectors_of_tasks_are_left_out(make_folder: MakeFolder) -> None:
    folder, _ = make_folder("ernie", "ForMaskedLM")
    weights = weights_of(folder)
    name = "ernie.embeddings.task_type_embeddings.weight"
    rewrite(folder, {**weights, name: torch.zeros(3, 32)})
    assert load_hugging_face(folder).unused == (name,)


def test_old_folders_that_name_a_class_alone(make_folder: MakeFolder) -> None:
    folder, _ = make_folder("ernie", "ForMaskedLM")
    config = json.loads((folder / "config.json").read_text())
    for setting in ("model_type", "use_task_id", "task_type_vocab_size", "type_vocab_size"):
        config.pop(setting)
    (folder / "config.json").write_text(json.dumps(config))
    assert isinstance(load_hugging_face(folder).objective, MaskedLM)


@torch.inference_mode()
def test_an_opened_folder_is_saved_as_bert(make_folder: MakeFolder, tmp_path: Path) -> None:
    folder, model = make_folder("ernie", "ForMaskedLM")
    loaded = LanguageModel.load(folder)
    loaded.save(tmp_path / "ours")
    theirs = transformers.BertForMaskedLM.from_pretrained(tmp_path / "ours").eval()
    ids = torch.arange(5, 15)[None]
    torch.testing.assert_close(theirs(ids).logits, model(ids).logits, atol=1e-4, rtol=1e-4)


@torch.inference_mode()
def test_a_model_that_hides_phrases_is_saved_as_bert(
    wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    model = bert(wordpiece, units=["token", "phrase"], max_ngram=3, entities="names.txt")
    model.eval()
    save_hugging_face(tmp_path, wordpiece, model.backbone, model.objective, {})
    theirs = transformers.AutoModelForMaskedLM.from_pretrained(tmp_path).eval()
    assert type(theirs).__name__ == "BertForMaskedLM"
    ours, inputs = some_inputs(wordpiece.vocab_size, segments=True, causal=False)
    assert isinstance(model.objective, MaskedLM)
    logits = model.objective.head(model.backbone(ours).last)
    assert_close(logits, theirs(**inputs).logits, ours.token_mask)
    again = load_hugging_face(tmp_path).objective
    assert isinstance(again, MaskedLM)
    assert again.config == model.objective.config  # the names themselves are not needed
