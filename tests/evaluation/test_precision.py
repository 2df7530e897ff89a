"""A network answers by products of integers only where rows show that it answers as well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.backbones.textcnn import TextCNN
from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.evaluation.precision import keep_int8, measure_int8
from foretext.heads.base import TaskBase
from foretext.nn.quantized_linear import QuantizedLinear
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.text_to_text.network import TextWriter
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.text_bodies import SIGHTED, bert_body, labelled_texts

pytestmark = pytest.mark.skipif(
    not torch.cpu._is_vnni_supported(), reason="the processor has no products of integers"
)
ROWS = labelled_texts(24)


@pytest.fixture
def model(wordpiece: SubwordTokenizer) -> TextClassifier:
    torch.manual_seed(3)
    base = bert_body(wordpiece)
    task = TextClassifier.task.head(TextClassifier.task.head_config(), base, labels=list(SIGHTED))
    return TextClassifier(base, task, device="cpu")


def by_precision(model: TextClassifier, monkeypatch: pytest.MonkeyPatch, lost: float) -> None:
    """Have the model's accuracy be 0.9 in float32, and `lost` less by integers."""

    def figures(rows: Any) -> dict[str, float]:
        return {"accuracy": 0.9 - (lost if model.precision == "int8" else 0.0)}

    monkeypatch.setattr(model, "figures", figures)


def test_both_figures_are_those_of_evaluate(model: TextClassifier) -> None:
    found = measure_int8(model, ROWS)
    assert (found.name, model.precision, model.keeps_int8) == ("accuracy", "auto", False)
    for precision, figure in (("fp32", found.before), ("int8", found.after)):
        model.answering({"precision": precision})
        assert model.figures(ROWS)["accuracy"] == figure


def test_it_is_kept_in_the_folder(
    model: TextClassifier, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model.save(tmp_path / "before")
    by_precision(model, monkeypatch, 0.004)
    assert keep_int8(model, ROWS).lost == pytest.approx(0.004)
    model.save(tmp_path / "after")
    assert reads_in_integers(TextClassifier.load(tmp_path / "after", device="cpu"))
    assert not reads_in_integers(TextClassifier.load(tmp_path / "before", device="cpu"))
    exact = TextClassifier.load(tmp_path / "after", device="cpu", precision="fp32")
    assert not reads_in_integers(exact)  # what the user asks for comes first


def reads_in_integers(model: TextClassifier) -> bool:
    backbone = model.reader().backbone
    assert type(backbone) is Transformer
    return type(backbone.layers[0].attention.output) is QuantizedLinear


def test_a_worse_figure_is_refused(model: TextClassifier, monkeypatch: pytest.MonkeyPatch) -> None:
    by_precision(model, monkeypatch, 0.006)
    with pytest.raises(SettingError, match=r"accuracy falls from 0\.9000 .* to 0\.8940"):
        keep_int8(model, ROWS)
    assert (model.keeps_int8, model.precision) == (False, "auto")


def test_a_figure_that_is_no_number_is_refused(
    model: TextClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_precision(model, monkeypatch, float("nan"))
    with pytest.raises(SettingError, match=r"accuracy is not a number .*0\.9000 in float32, nan"):
        keep_int8(model, ROWS)
    assert not model.keeps_int8


def test_a_network_without_products_of_integers_is_refused(wordpiece: SubwordTokenizer) -> None:
    backbone = TextCNN(TextCNN.Config(vector_size=20), wordpiece.vocab_size)
    base = TaskBase(wordpiece, backbone, "full")
    task = TextClassifier.task.head(TextClassifier.task.head_config(), base, labels=list(SIGHTED))
    model = TextClassifier(base, task, device="cpu")
    with pytest.raises(SettingError, match="has no effect on this TextCNN"):
        keep_int8(model, ROWS)
    assert (model.keeps_int8, model.precision) == (False, "auto")


def test_a_device_without_integers_answers_as_before(
    model: TextClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.keeps_int8 = True
    assert reads_in_integers(model)
    monkeypatch.setattr(torch.cpu, "_is_vnni_supported", lambda: False)
    assert not reads_in_integers(model)
    with pytest.raises(SettingError, match="VNNI"):
        TextClassifier(model.base, model.head, device="cpu", precision="int8")


def test_a_task_that_writes_is_refused() -> None:
    assert not TextWriter.answers_in_int8
    writer = object.__new__(TextWriter)
    with pytest.raises(SettingError, match="has no effect on"):
        measure_int8(writer, [])
