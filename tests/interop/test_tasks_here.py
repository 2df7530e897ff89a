"""Heads of `transformers` for tasks, opened here: equal logits, and their names of labels."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch

import foretext as ft
from foretext.artifact import RunFolder
from foretext.base.errors import ModelFileError
from foretext.data.rows import RowTexts
from foretext.finetuning.bases import open_base
from foretext.finetuning.start import Material, find_start
from foretext.heads.text_head import made_transform
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.interop.task_folder import load_task
from foretext.language_model import LanguageModel
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.matching.network import TextMatcher
from foretext.tasks.model import TaskModel, head_class
from foretext.tasks.span_qa.network import SpanReader
from foretext.tasks.tagging.network import Tagger
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.interop.conftest import LENGTH, MakeFolder, transformers
from tests.interop.test_older_folders import edit_config, rewrite, weights_of
from tests.interop.test_ours_there import masked
from tests.interop.test_tasks_there import (
    CLOSE,
    LABELS,
    PAIRS,
    opened,
    our_logits,
    saved,
    their_logits,
)

TAGS = {"id2label": {0: "O", 1: "B-ANIMAL", 2: "I-ANIMAL"}}
NAMED = {"id2label": dict(enumerate(LABELS))}
PADDED = {"pad_token_id": 0}
MEAN = {"classifier_pooling": "mean"}
BIASES = {"classifier_bias": True, "norm_bias": True}
RELU = {"classifier_activation": "relu"}
FORMS = [
    ("bert", "ForSequenceClassification", NAMED, TextClassifier),
    ("bert", "ForTokenClassification", TAGS, Tagger),
    ("bert", "ForQuestionAnswering", {}, SpanReader),
    ("roberta", "ForSequenceClassification", NAMED, TextClassifier),
    ("roberta", "ForTokenClassification", TAGS, Tagger),
    ("roberta", "ForQuestionAnswering", {}, SpanReader),
    ("xlm-roberta", "ForSequenceClassification", NAMED, TextClassifier),
    ("camembert", "ForSequenceClassification", NAMED, TextClassifier),
    ("albert", "ForSequenceClassification", NAMED, TextClassifier),
    ("albert", "ForTokenClassification", TAGS, Tagger),
    ("albert", "ForQuestionAnswering", {}, SpanReader),
    ("electra", "ForSequenceClassification", NAMED, TextClassifier),
    ("electra", "ForTokenClassification", TAGS, Tagger),
    ("electra", "ForQuestionAnswering", {}, SpanReader),
    ("distilbert", "ForSequenceClassification", NAMED, TextClassifier),
    ("distilbert", "ForTokenClassification", TAGS, Tagger),
    ("distilbert", "ForQuestionAnswering", {}, SpanReader),
    ("gpt2", "ForSequenceClassification", NAMED | PADDED, TextClassifier),
    ("gpt2", "ForTokenClassification", TAGS | PADDED, Tagger),
    ("gpt2", "ForQuestionAnswering", PADDED, SpanReader),
    ("llama", "ForSequenceClassification", NAMED | PADDED, TextClassifier),
    ("llama", "ForTokenClassification", TAGS | PADDED, Tagger),
    ("modernbert", "ForSequenceClassification", NAMED, TextClassifier),
    ("modernbert", "ForSequenceClassification", NAMED | MEAN, TextClassifier),
    ("modernbert", "ForTokenClassification", TAGS | BIASES, Tagger),
    ("modernbert", "ForQuestionAnswering", RELU, SpanReader),
]


def some_rows(vocab_size: int, pair: bool) -> dict[str, torch.Tensor]:
    """Rows of tokens that stand for text, with padding."""
    generator = torch.Generator().manual_seed(5)
    ids = torch.randint(5, vocab_size, (3, 11), generator=generator)
    mask = torch.arange(11) < torch.tensor([11, 7, 4])[:, None]
    rows = {"input_ids": ids.masked_fill(~mask, 0), "attention_mask": mask.long()}
    return rows | ({"token_type_ids": (torch.arange(11) > 2).long().expand(3, 11)} if pair else {})


def asked(folder: Path, kind: type[TaskModel] = TaskModel) -> Any:
    return kind.load(folder, device="cpu", precision="fp32")


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize(("family", "head", "settings", "kind"), FORMS)
def test_equal_logits(
    family: str, head: str, settings: dict[str, Any], kind: type[TaskModel], make_folder: MakeFolder
) -> None:
    folder, theirs = make_folder(family, head, **settings)
    model = asked(folder)
    assert type(model) is kind
    rows = some_rows(model.base.backbone.vocab_size, pair=family in ("bert", "albert", "electra"))
    kept = slice(None) if kind is TextClassifier else rows["attention_mask"].bool()
    torch.testing.assert_close(
        our_logits(model, rows)[kept], their_logits(theirs, rows)[kept], **CLOSE
    )
    assert type(ft.load(folder)) is kind
    assert load_task(folder, head_class).unused == ()


def test_what_they_say(make_folder: MakeFolder) -> None:
    settings = {"classifier_dropout": 0.3, "problem_type": "multi_label_classification"}
    folder, _ = make_folder("bert", "ForSequenceClassification", **NAMED, **settings)
    model = asked(folder)
    assert list(model.classes_) == LABELS
    assert model.is_multi_label
    assert model.head.config.dropout == 0.3
    assert model.head.config.max_length == LENGTH


def test_heads_that_theirs_alone_have_are_refused(make_folder: MakeFolder) -> None:
    biased = {"classifier_bias": True}
    folder, _ = make_folder("modernbert", "ForTokenClassification", **TAGS, **biased)
    with pytest.raises(ModelFileError, match="classifier_bias = true is supported only with"):
        asked(folder)
    edit_config(folder, classifier_bias=False, classifier_activation="tanh")
    with pytest.raises(ModelFileError, match="classifier_activation = 'tanh' is not supported"):
        asked(folder)


def test_a_base_begins_with_the_head_that_it_learned(make_folder: MakeFolder) -> None:
    """Of a masked language model, and of another task."""
    for head, more in (("ForMaskedLM", {}), ("ForTokenClassification", TAGS)):
        folder, theirs = make_folder("modernbert", head, **more)
        begun = find_start(open_base(folder), folder, Material(Tagger.task, RowTexts([])), {})
        made = made_transform(begun.new_base(1), "gelu")
        assert made is not None
        assert torch.equal(made.dense.weight, theirs.head.dense.weight)


def test_labels_without_names(make_folder: MakeFolder) -> None:
    folder, _ = make_folder("bert", "ForSequenceClassification")
    assert list(asked(folder).classes_) == ["LABEL_0", "LABEL_1"]
    edit_config(folder, id2label=None)
    assert list(asked(folder).classes_) == ["LABEL_0", "LABEL_1"]


@pytest.mark.parametrize(("family", "more"), [("bert", {}), ("gpt2", PADDED)])
def test_number_is_that_of_a_pair(
    family: str, more: dict[str, Any], make_folder: MakeFolder
) -> None:
    folder, theirs = make_folder(family, "ForSequenceClassification", num_labels=1, **more)
    model = asked(folder)
    assert type(model) is TextMatcher
    tokenize = transformers.AutoTokenizer.from_pretrained(folder)
    for pair, score in zip(PAIRS, model.predict(PAIRS), strict=True):
        first, second = (tokenize(text, add_special_tokens=False)["input_ids"] for text in pair)
        ids = model.base.framing(LENGTH).around_pair(first, second)
        row = {"input_ids": torch.tensor([ids])}
        if family == "bert":
            row |= dict(tokenize(*pair, return_tensors="pt"))
            assert row["input_ids"].tolist() == [ids]
        assert score == pytest.approx(float(their_logits(theirs, row)), abs=1e-4)


def test_labels_of_pairs_where_asked_for(make_folder: MakeFolder) -> None:
    folder, theirs = make_folder("bert", "ForSequenceClassification", **NAMED)
    model: Any = TextMatcher.load(folder, device="cpu", precision="fp32")
    tokenize = transformers.AutoTokenizer.from_pretrained(folder)
    encoded = tokenize(*map(list, zip(*PAIRS, strict=True)), padding=True, return_tensors="pt")
    expected = their_logits(theirs, encoded).softmax(-1).numpy()
    assert model.predict_proba(PAIRS) == pytest.approx(expected, abs=1e-4)


def test_labels_of_a_cross_encoder(make_folder: MakeFolder) -> None:
    folder, _ = make_folder("bert", "ForSequenceClassification", **NAMED)
    (folder / "config_sentence_transformers.json").write_text('{"model_type": "CrossEncoder"}')
    assert type(ft.load(folder)) is TextMatcher
    (folder / "config_sentence_transformers.json").unlink()
    assert type(ft.load(folder)) is TextClassifier
    edit_config(folder, sentence_transformers={"version": "5.0.0"})
    assert type(ft.load(folder)) is TextMatcher


def test_cross_encoder(make_folder: MakeFolder, tmp_path: Path) -> None:
    library = pytest.importorskip("sentence_transformers")
    folder, _ = make_folder("bert", "ForSequenceClassification", num_labels=1)
    encoder = library.CrossEncoder(str(folder), device="cpu")
    encoder.save_pretrained(str(tmp_path / "cross"))
    model = ft.load(tmp_path / "cross")
    assert type(model) is TextMatcher
    expected = encoder.predict(PAIRS, activation_fn=torch.nn.Identity())
    again = asked(tmp_path / "cross")
    assert again.predict(PAIRS) == pytest.approx(expected.tolist(), abs=1e-4)


@pytest.mark.parametrize(("family", "head", "settings", "kind"), FORMS)
def test_base_of_something_else(
    family: str, head: str, settings: dict[str, Any], kind: type[TaskModel], make_folder: MakeFolder
) -> None:
    folder, theirs = make_folder(family, head, **settings)
    found = load_hugging_face(folder)
    assert found.objective is None
    (last,) = {"score", "classifier", "qa_outputs"} & dict(theirs.named_children()).keys()
    assert any(re.fullmatch(rf"{last}\.(out_proj\.)?weight", name) for name in found.unused)


def test_language_model_that_they_trained_further(
    wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    """Their class counts, not what foretext knew of the folder that it came from."""
    backbone, objective = masked("bert", wordpiece)
    save_hugging_face(tmp_path / "ours", wordpiece, backbone, objective, {"kind": "language model"})
    transformers.utils.logging.set_verbosity_error()  # it says that the head is new
    auto = transformers.AutoModelForSequenceClassification
    theirs = auto.from_pretrained(tmp_path / "ours", **NAMED).eval()
    transformers.utils.logging.set_verbosity_warning()
    theirs.save_pretrained(tmp_path / "theirs")
    transformers.AutoTokenizer.from_pretrained(tmp_path / "ours").save_pretrained(
        tmp_path / "theirs"
    )
    assert type(ft.load(tmp_path / "theirs")) is TextClassifier
    assert RunFolder(tmp_path / "theirs").kind == "classification"
    model = asked(tmp_path / "theirs")
    rows = some_rows(wordpiece.vocab_size, pair=True)
    torch.testing.assert_close(our_logits(model, rows), their_logits(theirs, rows), **CLOSE)


def test_task_that_they_trained_further(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    """What foretext knew still holds as long as their labels are the same."""
    ours = saved(
        tmp_path / "ours", wordpiece, "bert", "matching", "labels", {"label_smoothing": 0.1}
    )
    theirs = opened("AutoModelForSequenceClassification", tmp_path / "ours")
    with torch.no_grad():
        theirs.classifier.bias += 1
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "ours")
    for folder in ("again", "renamed"):
        theirs.save_pretrained(tmp_path / folder)
        tokenizer.save_pretrained(tmp_path / folder)
        theirs.config.id2label = dict(enumerate("abc"))
    again = asked(tmp_path / "again")
    assert type(again) is TextMatcher
    assert again.head.config == ours.head.config
    assert torch.equal(again.head.classifier.bias, ours.head.classifier.bias + 1)
    renamed = asked(tmp_path / "renamed")
    assert type(renamed) is TextClassifier
    assert list(renamed.classes_) == ["a", "b", "c"]


def test_task_that_they_made_a_language_model_of(
    wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    saved(tmp_path, wordpiece, "bert", "classification", "labels", {})
    edit_config(tmp_path, architectures=["BertForTokenClassification"])
    assert RunFolder(tmp_path).kind == "tagging"
    edit_config(tmp_path, architectures=["BertModel"])
    assert RunFolder(tmp_path).kind == "language model"
    assert type(ft.load(tmp_path)) is LanguageModel


def test_heads_that_are_refused(make_folder: MakeFolder) -> None:
    sentences = {
        ("bert", "ForMultipleChoice"): "BertForMultipleChoice is of no task that foretext has; "
        "the known classes of bert are BertForSequenceClassification, BertForTokenClassification, ",
        ("modernbert", "ForMultipleChoice"): "ModernBertForMultipleChoice is of no task that "
        "foretext has; the known classes of modernbert are ModernBertForSequenceClassification, "
        "ModernBertForTokenClassification, ",
        ("llama", "ForQuestionAnswering"): "LlamaForQuestionAnswering is of no task that",
    }
    for (family, head), sentence in sentences.items():
        folder, _ = make_folder(family, head)
        with pytest.raises(ModelFileError, match=sentence):
            asked(folder)


def test_other_heads_are_bodies_still(make_folder: MakeFolder) -> None:
    folder, _ = make_folder("bert", "ForMultipleChoice")
    assert type(ft.load(folder)) is LanguageModel


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"id2label": {"0": "a"}}, r"config\.json: id2label does not name the 3 outputs, from 0"),
        ({"id2label": ["a", "b", "c"]}, r"'id2label' = \['a', 'b', 'c'\] should be an object"),
        ({"id2label": {"0": "a", "1": "b", "2": "a"}}, r"id2label gives the same name to two out"),
        ({"problem_type": "regression"}, r"3 numbers for an answer are not supported, only one"),
        ({"classifier_dropout": 2.0}, r"config\.json: \[task\] dropout = 2\.0: .+less than 1\.$"),
        ({"architectures": None}, r"config\.json: None is of no task that foretext has; the known"),
        ({"architectures": ["BertForTokenClassification"]}, None),
    ],
)
def test_settings_that_will_not_do(
    changes: dict[str, Any], sentence: str | None, make_folder: MakeFolder
) -> None:
    folder, _ = make_folder("bert", "ForSequenceClassification", **NAMED)
    edit_config(folder, **changes)
    if sentence is None:  # another class of the same weights: its pooler is left out
        assert load_task(folder, head_class).unused == (
            "bert.pooler.dense.bias",
            "bert.pooler.dense.weight",
        )
        return
    with pytest.raises(ModelFileError, match=sentence):
        asked(folder)


def test_weights_that_will_not_do(make_folder: MakeFolder) -> None:
    folder, _ = make_folder("bert", "ForSequenceClassification", **NAMED)
    weights = weights_of(folder)
    rewrite(folder, weights | {"classifier.weight": torch.ones(3)})
    with pytest.raises(ModelFileError, match=r"the matrix 'classifier\.weight' is missing, from"):
        asked(folder)
    rewrite(folder, weights | {"classifier.bias": torch.ones(4)})
    with pytest.raises(ModelFileError, match=r"'classifier\.bias' has the shape \(4,\), but conf"):
        asked(folder)
    rewrite(folder, {name: w for name, w in weights.items() if "pooler" not in name})
    with pytest.raises(ModelFileError, match=r"missing: bert\.pooler\.dense\.weight, bert\.pool"):
        asked(folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelFileError, match=r"BertForSequenceClassification\.from_pretrained\("):
        ft.load(folder)
