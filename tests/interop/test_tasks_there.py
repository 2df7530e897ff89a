"""What learned a task here, opened by `transformers`: equal logits, and the same answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from foretext.data.batch import Inputs
from foretext.data.rows import TaggedSentence
from foretext.heads.base import TaskBase
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.matching.network import TextMatcher
from foretext.tasks.matching.pairs import PairRows
from foretext.tasks.span_qa.network import SpanReader
from foretext.tasks.tagging.network import Tagger
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.interop.conftest import LENGTH, shaken, transformers
from tests.interop.test_ours_there import backbone_of, opened
from tests.interop.test_theirs_here import CLOSE

TEXTS = ["the dog barks in the morning .", "every cat", "a hen that clucks is a happy hen ."]
PAIRS = [("the dog barks .", "every dog barks again ."), ("a cat", "the hen clucks at noon .")]
LABELS = ["cat", "dog", "hen"]
SENTENCE = TaggedSentence(("the", "dog"), ("O", "B-ANIMAL"), "tags.txt", (1, 2))
MODELS: dict[str, Any] = {
    "classification": TextClassifier,
    "matching": TextMatcher,
    "tagging": Tagger,
    "span_qa": SpanReader,
}
FOUND: dict[str, dict[str, Any]] = {
    "labels": {"labels": LABELS},
    "label sets": {"labels": LABELS, "multi_label": True},
    "tags": Tagger.task.find([SENTENCE]),
    "score": {"lowest": 0.0, "highest": 5.0},
    "spans": {},
    "spans or none": {"may_abstain": True},
}
PAIR = {"mode": "pair"}
NO_BIAS = {"bias": False}
MEAN = {"pooling": "mean"}
RELU = {"transform": "relu"}
# Shape, task, what its rows told, settings, and the class that has the same form.
THERE = [
    ("bert", "classification", "labels", {}, "BertForSequenceClassification"),
    ("bert", "classification", "labels", NO_BIAS, "BertForSequenceClassification"),
    ("bert", "classification", "label sets", {}, "BertForSequenceClassification"),
    ("bert", "matching", "labels", {}, "BertForSequenceClassification"),
    ("bert", "matching", "score", {}, "BertForSequenceClassification"),
    ("bert", "tagging", "tags", {}, "BertForTokenClassification"),
    ("bert", "span_qa", "spans", {}, "BertForQuestionAnswering"),
    ("bert without segments", "classification", "labels", {}, "BertForSequenceClassification"),
    ("bert without segments", "matching", "labels", {}, "BertForSequenceClassification"),
    ("bert without segments", "span_qa", "spans", {}, "BertForQuestionAnswering"),
    ("roberta", "classification", "labels", {}, "RobertaForSequenceClassification"),
    ("roberta", "classification", "label sets", {}, "RobertaForSequenceClassification"),
    ("roberta", "matching", "score", {}, "RobertaForSequenceClassification"),
    ("roberta", "tagging", "tags", {}, "RobertaForTokenClassification"),
    ("roberta", "span_qa", "spans", {}, "RobertaForQuestionAnswering"),
    ("albert", "classification", "labels", {}, "AlbertForSequenceClassification"),
    ("albert", "classification", "label sets", {}, "AlbertForSequenceClassification"),
    ("albert", "matching", "score", {}, "AlbertForSequenceClassification"),
    ("albert", "tagging", "tags", {}, "AlbertForTokenClassification"),
    ("albert", "span_qa", "spans", {}, "AlbertForQuestionAnswering"),
    ("distilbert", "classification", "labels", {}, "DistilBertForSequenceClassification"),
    ("distilbert", "classification", "label sets", {}, "DistilBertForSequenceClassification"),
    ("distilbert", "matching", "score", {}, "DistilBertForSequenceClassification"),
    ("distilbert", "tagging", "tags", {}, "DistilBertForTokenClassification"),
    ("distilbert", "span_qa", "spans", {}, "DistilBertForQuestionAnswering"),
    ("gpt2", "classification", "labels", NO_BIAS, "GPT2ForSequenceClassification"),
    ("gpt2", "classification", "label sets", NO_BIAS, "GPT2ForSequenceClassification"),
    ("gpt2", "matching", "labels", PAIR | NO_BIAS, "GPT2ForSequenceClassification"),
    ("gpt2", "tagging", "tags", {}, "GPT2ForTokenClassification"),
    ("gpt2", "span_qa", "spans", {}, "GPT2ForQuestionAnswering"),
    ("llama", "classification", "labels", NO_BIAS, "LlamaForSequenceClassification"),
    ("llama", "matching", "score", PAIR | NO_BIAS, "LlamaForSequenceClassification"),
    ("llama", "tagging", "tags", {}, "LlamaForTokenClassification"),
    ("modernbert", "classification", "labels", {}, "ModernBertForSequenceClassification"),
    ("modernbert", "classification", "label sets", MEAN, "ModernBertForSequenceClassification"),
    ("modernbert", "classification", "labels", NO_BIAS, "ModernBertForSequenceClassification"),
    ("modernbert", "matching", "labels", MEAN | RELU, "ModernBertForSequenceClassification"),
    ("modernbert", "matching", "score", {}, "ModernBertForSequenceClassification"),
    ("modernbert", "tagging", "tags", {}, "ModernBertForTokenClassification"),
    ("modernbert", "span_qa", "spans", {"dropout": 0.1}, "ModernBertForQuestionAnswering"),
]
HERE_ALONE = [
    ("bert", "classification", "labels", {"pooling": "mean"}),
    ("bert", "matching", "labels", {"mode": "siamese"}),
    ("bert", "matching", "labels", {"shared_tokens": True}),  # their programs would not tell them
    ("bert", "span_qa", "spans", {"shared_tokens": True}),
    ("bert", "tagging", "tags", {"crf": True}),
    ("bert", "tagging", "tags", {"lstm_dim": 4}),
    ("distilbert", "classification", "labels", {"pooling": "mean"}),
    ("gpt2", "classification", "labels", {"bias": True}),  # theirs has no bias
    ("gpt2", "classification", "labels", {"pooling": "mean", "bias": False}),
    ("gpt2", "matching", "labels", {"bias": False}),  # both orders
    ("llama", "span_qa", "spans", {}),
    ("modernbert", "classification", "labels", {"transform": "none"}),
    ("modernbert", "tagging", "tags", {"lstm_dim": 4}),
]


def saved(
    folder: Path,
    tokenizer: SubwordTokenizer,
    shape: str,
    task: str,
    found: str,
    settings: dict[str, Any],
) -> Any:
    """A model with weights that are drawn, kept in a folder."""
    backbone = backbone_of(shape, tokenizer)
    body = TaskBase(tokenizer, backbone, "full" if "bert" in shape else "causal")
    kind = MODELS[task]
    if task in ("matching", "span_qa"):  # their programs mark no tokens
        settings = {"shared_tokens": False} | settings
    if "bert" in shape and task in ("classification", "matching"):
        settings = {"pooling": "cls"} | settings if "mode" not in settings else settings
    made = kind.task.head(kind.task.head_config(**settings), body, **FOUND[found])
    model = kind(body, shaken(made), device="cpu", precision="fp32")
    model.save(folder)
    return model


def class_of(folder: Path) -> str | None:
    return json.loads((folder / "config.json").read_text()).get("architectures", [None])[0]


def auto_of(their_class: str) -> str:
    return "AutoModelFor" + their_class.partition("For")[2]


def our_logits(model: Any, encoded: Any) -> torch.Tensor:
    """Ours, of the rows that their tokenizer made."""
    segments = encoded.get("token_type_ids")
    inputs = Inputs(
        encoded["input_ids"],
        encoded["attention_mask"].bool(),
        visibility=model.base.visibility,
        segments=segments if model.base.backbone.config.num_segments > 1 else None,
    )
    with torch.inference_mode():
        return model.head.outputs(model.base.backbone(inputs), inputs)


def their_logits(model: Any, encoded: Any) -> torch.Tensor:
    with torch.inference_mode():
        found = model(**encoded)
    if "start_logits" in found:
        return torch.stack([found["start_logits"], found["end_logits"]], -1)
    return found["logits"]


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize(("shape", "task", "found", "settings", "their_class"), THERE)
def test_equal_logits(
    shape: str,
    task: str,
    found: str,
    settings: dict[str, Any],
    their_class: str,
    wordpiece: SubwordTokenizer,
    bpe: SubwordTokenizer,
    roberta_bpe: SubwordTokenizer,
    tmp_path: Path,
) -> None:
    tokenizer = roberta_bpe if shape == "roberta" else wordpiece if "bert" in shape else bpe
    model = saved(tmp_path, tokenizer, shape, task, found, settings)
    assert class_of(tmp_path) == their_class
    theirs = opened(auto_of(their_class), tmp_path)
    assert type(theirs).__name__ == their_class
    tokenize = transformers.AutoTokenizer.from_pretrained(tmp_path)
    texts = list(zip(*PAIRS, strict=True)) if task in ("matching", "span_qa") else [TEXTS]
    encoded = tokenize(*map(list, texts), padding=True, return_tensors="pt")
    ours, same = our_logits(model, encoded), their_logits(theirs, encoded)
    if task in ("tagging", "span_qa"):
        kept = encoded["attention_mask"].bool()
        ours, same = ours[kept], same[kept]
    torch.testing.assert_close(ours, same, **CLOSE)


@pytest.mark.parametrize(("shape", "task", "found", "settings"), HERE_ALONE)
def test_forms_that_they_do_not_have(
    shape: str,
    task: str,
    found: str,
    settings: dict[str, Any],
    wordpiece: SubwordTokenizer,
    bpe: SubwordTokenizer,
    tmp_path: Path,
) -> None:
    tokenizer = wordpiece if "bert" in shape else bpe
    saved(tmp_path, tokenizer, shape, task, found, settings)
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["model_type"] == "foretext"
    assert "architectures" not in config


@pytest.mark.parametrize(
    "shape", ["bert", "bert without segments", "roberta", "distilbert", "gpt2", "llama"]
)
def test_frames(
    shape: str,
    wordpiece: SubwordTokenizer,
    bpe: SubwordTokenizer,
    roberta_bpe: SubwordTokenizer,
    tmp_path: Path,
) -> None:
    """Their tokenizer makes our rows of texts and of pairs."""
    tokenizer = roberta_bpe if shape == "roberta" else wordpiece if "bert" in shape else bpe
    settings = {} if "bert" in shape else {"mode": "pair", "bias": False}
    model = saved(tmp_path, tokenizer, shape, "matching", "labels", settings)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    rows = PairRows.of(model.base, PAIRS, 512, "pair")
    batch = rows.examples(model.base, {}).batch(np.arange(len(PAIRS)))
    encoded = theirs(*map(list, zip(*PAIRS, strict=True)), padding=True, return_tensors="pt")
    mask = encoded["attention_mask"].bool()
    assert torch.equal(batch.inputs.ids[mask], encoded["input_ids"][mask])
    if shape == "bert":
        assert torch.equal(batch.inputs.segments[mask], encoded["token_type_ids"][mask])
    else:
        assert "token_type_ids" not in encoded
    assert theirs(TEXTS[0])["input_ids"] == model.base.framing(512).around(
        tokenizer.encode(TEXTS[0])
    )
    assert theirs.model_max_length == LENGTH


@pytest.mark.parametrize("shape", ["bert", "gpt2"])
def test_their_classifying_pipeline(
    shape: str, wordpiece: SubwordTokenizer, bpe: SubwordTokenizer, tmp_path: Path
) -> None:
    tokenizer = wordpiece if shape == "bert" else bpe
    model = saved(tmp_path, tokenizer, shape, "classification", "labels", NO_BIAS)
    answers = transformers.pipeline("text-classification", model=str(tmp_path))(TEXTS)
    for answer, ((label, probability),) in zip(answers, model.predict_top(TEXTS), strict=True):
        assert answer["label"] == label
        assert answer["score"] == pytest.approx(probability, abs=1e-4)


def test_their_pipeline_for_label_sets(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    model = saved(tmp_path, wordpiece, "bert", "classification", "label sets", {})
    ask = transformers.pipeline("text-classification", model=str(tmp_path), top_k=None)
    for answer, row in zip(ask(TEXTS), model.predict_proba(TEXTS), strict=True):
        assert {each["label"]: each["score"] for each in answer} == pytest.approx(
            dict(zip(LABELS, row.tolist(), strict=True)), abs=1e-4
        )


def test_their_tagging_pipeline(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    """The first sub-word of each word has the same tag."""
    model = saved(tmp_path, wordpiece, "bert", "tagging", "tags", {})
    ask = transformers.pipeline("token-classification", model=str(tmp_path), ignore_labels=[])
    text = TEXTS[2]
    by_start = {each["start"]: each["entity"] for each in ask(text)}
    scores = model.predict_proba([text])[0]
    (tokens,) = model.tokens([text])
    for token, row in zip(tokens, scores, strict=True):
        assert by_start[token.start] == model.classes_[row.argmax()]


def test_labels_of_their_config(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    saved(tmp_path, wordpiece, "bert", "classification", "labels", {"dropout": 0.25})
    config = transformers.AutoConfig.from_pretrained(tmp_path)
    assert config.id2label == dict(enumerate(LABELS))
    assert config.label2id == {label: place for place, label in enumerate(LABELS)}
    assert config.problem_type == "single_label_classification"
    assert config.classifier_dropout == 0.25
