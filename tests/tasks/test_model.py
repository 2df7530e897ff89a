"""What learned a task, as a folder and back: it answers as before, and keeps nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import foretext as ft
from foretext.artifact import RunFolder, load_embedder, load_language_model
from foretext.backbones.base import States
from foretext.backbones.recurrent import Recurrent
from foretext.backbones.transformer import Transformer
from foretext.base.errors import ModelFileError, SettingError, UntrustedError
from foretext.data.batch import Inputs
from foretext.data.padded_examples import PaddedExamples, Ragged
from foretext.data.rows import TaggedSentence
from foretext.heads.base import TaskBase
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.tasks import model
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.classification.task import Classification
from foretext.tasks.matching.network import TextMatcher
from foretext.tasks.model import TaskModel, TaskNetwork, compute_outputs
from foretext.tasks.span_qa.network import SpanReader
from foretext.tasks.tagging.network import Tagger
from foretext.tasks.task import lazily, model_class
from foretext.tokenizers.alphabet import Alphabet
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import GPT, SHAPE, bert
from tests.text_bodies import SIGHTED, bert_body, gpt_body, word_body

TEXTS = ["the dog barks in the morning .", "every cat", ""]
PAIRS = [("the dog barks .", "every dog barks again ."), ("a cat", "the hen clucks at noon .")]
SPELLED = TaggedSentence(("the", "dog"), ("O", "B-ANIMAL"), "tags.txt", (1, 2))
MULTI = {"labels": list(SIGHTED), "multi_label": True}
FOUND: dict[str, dict[str, Any]] = {
    "classification": {"labels": list(SIGHTED)},
    "matching": {"labels": ["no", "yes"]},
    "tagging": Tagger.task.find([SPELLED]),
    "span_qa": {"may_abstain": True},
}
MODELS: dict[str, Any] = {
    "classification": TextClassifier,
    "matching": TextMatcher,
    "tagging": Tagger,
    "span_qa": SpanReader,
}
MakeBody = Callable[[str], TaskBase]

CASES = [
    (task, body)
    for task in FOUND
    for body in ("bert", "gpt", "rotary", "textcnn", "recurrent", "lookup")
    if task != "span_qa" or body in ("bert", "gpt", "rotary")
]

ROWS = [np.arange(length) % 7 + 5 for length in (3, 17, 1, 8, 8, 2)]


@pytest.fixture(scope="module")
def body_of(wordpiece: SubwordTokenizer, byte_bpe: SubwordTokenizer) -> MakeBody:
    """A body of each kind; those over words are of words alone."""

    def make(name: str) -> TaskBase:
        if name == "bert":
            return bert_body(wordpiece)
        if name == "gpt":
            return gpt_body(byte_bpe)
        if name == "rotary":
            config = Transformer.Config(**SHAPE, positions="rotary")
            return TaskBase(wordpiece, Transformer(config, wordpiece.vocab_size), "full")
        return word_body(name)

    return make


def model_of(
    task: str, body: TaskBase, found: dict[str, Any] | None = None, **settings: Any
) -> Any:
    """A model with weights that are drawn, but not near zero."""
    torch.manual_seed(3)
    kind = MODELS[task]
    made = kind.task.head(kind.task.head_config(**settings), body, **(found or FOUND[task]))
    for weight in made.parameters():
        torch.nn.init.normal_(weight, std=0.5)
    return kind(body, made, device="cpu", precision="fp32")


def loaded(folder: Path) -> TaskModel:
    return TaskModel.load(folder, device="cpu", precision="fp32")


def answers(model: Any) -> list[Any]:
    """All that a model says of a few texts or pairs."""
    if isinstance(model, SpanReader):
        return model.answers(PAIRS)
    if isinstance(model, TextMatcher) and model.has_scores:
        return model.predict(PAIRS)
    return list(model.predict_proba(PAIRS if isinstance(model, TextMatcher) else TEXTS))


def assert_same_again(model: Any, folder: Path) -> Any:
    model.save(folder)
    again: Any = loaded(folder)
    assert type(again) is type(model)
    assert again.head.found == model.head.found
    assert again.base.visibility == model.base.visibility
    assert not again.head.training
    for ours, same in zip(answers(model), answers(again), strict=True):
        if isinstance(ours, np.ndarray):
            np.testing.assert_array_equal(ours, same)
        else:
            assert ours == same
    return again


@pytest.mark.quick_cases(10)
@pytest.mark.parametrize(("task", "body"), CASES)
def test_answers_as_before(task: str, body: str, body_of: MakeBody, tmp_path: Path) -> None:
    model = model_of(task, body_of(body), max_length=24)
    again = assert_same_again(model, tmp_path)
    assert again.head.config == model.head.config
    assert {path.suffix for path in tmp_path.iterdir()} <= {".json", ".safetensors", ".tsv"}


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize(
    ("task", "found", "settings"),
    [
        ("classification", MULTI, {}),
        ("classification", None, {"pooling": "mean"}),
        ("classification", None, {"pooling": "attention"}),
        ("classification", None, {"bias": False, "balanced": True, "long_texts": "windows"}),
        ("matching", {"lowest": 0.0, "highest": 5.0}, {}),
        ("matching", {"lowest": 0.0, "highest": 5.0}, {"mode": "siamese"}),
        ("matching", None, {"mode": "siamese", "pooling": "cls"}),
        ("matching", None, {"mode": "both_orders"}),
        ("tagging", None, {"crf": True, "scheme": "BIOES"}),
        ("tagging", None, {"lstm_dim": 6}),
        ("tagging", {"labels": ["noun", "verb"], "scheme": None}, {}),
        ("span_qa", {"may_abstain": False}, {"max_answer_length": 3}),
    ],
)
@pytest.mark.parametrize("body", ["bert", "gpt"])
def test_settings(
    task: str,
    found: dict[str, Any] | None,
    settings: dict[str, Any],
    body: str,
    body_of: MakeBody,
    tmp_path: Path,
) -> None:
    model = model_of(task, body_of(body), found, **settings)
    again = assert_same_again(model, tmp_path)
    assert again.head.config == model.head.config


def test_characters_of_words(tmp_path: Path) -> None:
    alphabet = Alphabet.of(SPELLED.tokens)
    config = Recurrent.Config(vector_size=16, dim=8, dropout=0.0, characters="cnn")
    tokenizer = word_body("lookup").tokenizer
    backbone = Recurrent(config, tokenizer.vocab_size, alphabet.num_ids)
    model = model_of("tagging", TaskBase(tokenizer, backbone, "full"))
    again = assert_same_again(model, tmp_path)
    assert again.head.alphabet.characters == alphabet.characters


def test_head_that_served_training_alone(body_of: MakeBody, tmp_path: Path) -> None:
    model = model_of("classification", body_of("gpt"), language_model_weight=0.5)
    again = assert_same_again(model, tmp_path)
    assert again.head.config.language_model_weight == 0
    assert again.head.next_tokens is None


def test_facts(body_of: MakeBody, tmp_path: Path) -> None:
    model = model_of("span_qa", body_of("bert"))
    model.temperature, model.null_threshold = 1.5, -0.25
    model.write(tmp_path, {"rows": 12, "device": "cpu"})
    again: Any = loaded(tmp_path)
    assert (again.temperature, again.null_threshold) == (1.5, -0.25)
    run = RunFolder(tmp_path)
    assert run.kind == "span_qa"
    assert run.facts()["rows"] == 12


class Elsewhere(Classification):
    """A task from outside of foretext."""

    model = lazily(f"{__name__}:Elsewhere.Model")

    class Model(TextClassifier):
        """Its network."""


Elsewhere.Model.task = Elsewhere()


class Borrowed(Classification):
    """A task from outside without a model of its own."""


def test_a_task_needs_a_model_of_its_own() -> None:
    with pytest.raises(SettingError, match="its model, TextClassifier, is of the task class"):
        model_class(Borrowed())


def test_a_folder_of_something_else_than_a_task(
    body_of: MakeBody, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_of("classification", body_of("textcnn")).save(tmp_path)
    monkeypatch.setattr("foretext.base.registry._trusted", {__name__})
    edit(tmp_path, task={"name": f"{__name__}:Own"})
    with pytest.raises(ModelFileError, match=r"config\.json: '.*:Own' is no Task"):
        loaded(tmp_path)


def test_task_from_outside(
    body_of: MakeBody, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of it opens where the user trusts its module."""
    plain = model_of("classification", body_of("bert"))  # whose own class BERT's folders have
    model = Elsewhere.Model(plain.base, plain.head, device="cpu", precision="fp32")
    model.save(tmp_path)
    with pytest.raises(UntrustedError, match="test_model"):
        loaded(tmp_path)
    monkeypatch.setattr("foretext.base.registry._trusted", {__name__})
    assert_same_again(model, tmp_path)


class Own(Transformer):
    """A backbone from outside of foretext, made by an argument of its own."""

    def __init__(self, config: Transformer.Config, vocab_size: int, scale: float = 1.0) -> None:
        super().__init__(config, vocab_size)
        self.scale = scale

    @classmethod
    def build(
        cls, config: Any, vocab_size: int, *, num_characters: int = 0, scale: float = 1.0
    ) -> Own:
        """Return a randomly initialised backbone."""
        return cls(config, vocab_size, scale)

    @property
    def arguments(self) -> dict[str, Any]:
        """What `build` needs to know."""
        return {"scale": self.scale}

    def forward(self, *args: Any, **options: Any) -> States:
        """Compute the states, scaled."""
        return States(super().forward(*args, **options).last * self.scale)


def test_backbone_from_outside(
    wordpiece: SubwordTokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder keeps the backbone's arguments, as base of a task and as language model."""
    backbone = Own(Transformer.Config(**SHAPE), wordpiece.vocab_size, scale=2.0)
    model = model_of("classification", TaskBase(wordpiece, backbone, "full"))
    model.save(tmp_path / "task")
    save_hugging_face(tmp_path / "body", wordpiece, backbone, None, {})
    for folder in ("task", "body"):
        with pytest.raises(UntrustedError, match="test_model"):
            ft.load(tmp_path / folder)
    monkeypatch.setattr("foretext.base.registry._trusted", {__name__})
    again = assert_same_again(model, tmp_path / "task")
    assert again.base.backbone.scale == 2.0
    body: Any = load_hugging_face(tmp_path / "body").backbone
    assert (type(body), body.scale) == (Own, 2.0)
    assert body.reinitialised().scale == 2.0


@pytest.mark.parametrize("task", FOUND)
def test_opened_by_load(task: str, body_of: MakeBody, tmp_path: Path) -> None:
    model_of(task, body_of("bert")).save(tmp_path / "theirs")
    model_of(task, body_of("rotary")).save(tmp_path / "own")
    for folder in (tmp_path / "theirs", tmp_path / "own"):
        assert type(ft.load(folder)) is MODELS[task]
        assert RunFolder(folder).kind == task


def test_class_that_is_asked_for(body_of: MakeBody, tmp_path: Path) -> None:
    model_of("classification", body_of("bert")).save(tmp_path)
    assert type(TextClassifier.load(tmp_path)) is TextClassifier
    with pytest.raises(ModelFileError, match=r"holds a TextClassifier, not a Tagger\.$"):
        Tagger.load(tmp_path)


@pytest.mark.parametrize("name", ["bert", "gpt", "rotary"])
def test_base_of_something_else(name: str, body_of: MakeBody, tmp_path: Path) -> None:
    """The body is that of a language model, and the task's weights are told of."""
    body = body_of(name)
    model_of("classification", body, bias=name != "gpt").save(tmp_path)
    found = load_hugging_face(tmp_path)
    assert found.objective is None
    assert found.visibility == body.visibility
    assert found.unused
    for ours, same in zip(body.backbone.parameters(), found.backbone.parameters(), strict=True):
        assert torch.equal(ours, same)
    assert load_language_model(tmp_path).embed(["the dog"]).shape == (1, body.backbone.dim)


@pytest.mark.parametrize("shape", [GPT, {"positions": "rotary"}])
def test_base_that_sees_to_the_left(
    shape: dict[str, Any], wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    """Also where a tokenizer with a mask suggests something else."""
    backbone = Transformer(Transformer.Config(**SHAPE, **shape), wordpiece.vocab_size)
    body = TaskBase(wordpiece, backbone, "causal")
    model_of("classification", body, bias=False).save(tmp_path)
    assert load_language_model(tmp_path).visibility == "causal"


def test_body_over_words_is_no_base(body_of: MakeBody, tmp_path: Path) -> None:
    model_of("classification", body_of("textcnn")).save(tmp_path)
    with pytest.raises(ModelFileError, match=r"contains a network over whole words, which has le"):
        load_language_model(tmp_path)
    with pytest.raises(ModelFileError, match="has learned classification, which gives no vectors"):
        load_embedder(tmp_path)


def edit(folder: Path, **changes: Any) -> None:
    """Change what stands under "foretext"; None takes it out."""
    path = folder / "config.json"
    config = json.loads(path.read_text())
    own = config["foretext"] | changes
    config["foretext"] = {name: value for name, value in own.items() if value is not None}
    path.write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"task": None}, r'config\.json does not describe a task under "foretext"\.$'),
        ({"backbone": None}, r'config\.json does not describe a backbone under "foretext"\.$'),
        ({"task": {"name": "translation"}}, r"\[task\] name = 'translation': there is no such one"),
        (
            {"task": {"name": "os:system"}},
            r"\[task\] is 'os:system', which is none of .+ --trust os",
        ),
        ({"task": {"name": "classification", "droput": 0.1}}, r"droput: .+ mean 'dropout'\?$"),
        ({"found": {}}, r"no task can be built from what was found in the rows \(.+labels.+\)\.$"),
        ({"found": 3}, r"'found' = 3 should be an object"),
        ({"found": {"labels": ["cat", "dog"]}}, r"'task\.classifier\.weight' has the shape \(3, "),
        ({"visibility": "sideways"}, r"'sideways' is not 'causal' or 'full' or 'matrix'\.$"),
        (
            {"facts": {"kind": "classification", "temperature": "warm"}},
            r"'temperature' = 'warm' should",
        ),
        ({"facts": {"temperature": float("nan")}}, r"'temperature' = nan should be a finite"),
        ({"facts": {"temperature": -1}}, r"'temperature' = -1.* should be greater than 0"),
        ({"found": {"labels": ["a", "a", "b"]}}, r"'found' .*contains the same label twice"),
        ({"found": {"labels": []}}, r"'found\.labels' = \[\] "),
        ({"tokenizer": "words"}, r"vocabulary\.tsv is missing"),
    ],
)
def test_config_that_will_not_do(
    changes: dict[str, Any], sentence: str, body_of: MakeBody, tmp_path: Path
) -> None:
    model_of("classification", body_of("rotary")).save(tmp_path)
    edit(tmp_path, **changes)
    with pytest.raises(ft.errors.ForetextError, match=sentence):
        loaded(tmp_path)


def test_files_that_will_not_do(body_of: MakeBody, tmp_path: Path) -> None:
    model_of("classification", body_of("rotary")).save(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"12345")
    with pytest.raises(ModelFileError, match=r"is no whole safetensors file"):
        loaded(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(ModelFileError, match=r"contains no weights: model\.safetensors is missing"):
        loaded(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelFileError, match=r"config\.json is damaged: invalid JSON"):
        ft.load(tmp_path)
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(ModelFileError, match=r"config\.json is damaged: should be an object"):
        ft.load(tmp_path)
    with pytest.raises(ModelFileError, match=r"config\.json is damaged: should be an object"):
        loaded(tmp_path)


@pytest.mark.parametrize("model", [TextClassifier, TextMatcher])
def test_a_pooler_of_the_body_is_kept_with_the_head(
    model: type[TaskModel], tmp_path: Path, wordpiece: SubwordTokenizer
) -> None:
    body, dim = bert_body(wordpiece), SHAPE["dim"]
    pooler = torch.nn.Linear(dim, dim).state_dict()
    config = model.task.head_config()
    learned = model(
        body._replace(pooler=pooler),
        model.task.head(config, body._replace(pooler=pooler), labels=["a", "b"]),
    )
    asked: Any = PAIRS if model is TextMatcher else TEXTS
    learned.save(tmp_path)
    kept = TaskModel.load(tmp_path)
    assert kept.head.config.pooling == "cls"
    np.testing.assert_array_equal(kept.predict_proba(asked), learned.predict_proba(asked))  # type: ignore[attr-defined]


@pytest.mark.parametrize("task", ["classification", "matching", "tagging"])
def test_products_of_integers_answer_nearly_the_same(
    task: str, body_of: MakeBody, tmp_path: Path
) -> None:
    if not torch.cpu._is_vnni_supported():
        pytest.skip("the processor has no products of integers")
    exact = model_of(task, body_of("bert"))
    exact.save(tmp_path / "model")
    rough = TaskModel.load(tmp_path / "model", device="cpu", precision="int8")
    for found, expected in zip(answers(rough), answers(exact), strict=True):
        np.testing.assert_allclose(found, expected, atol=0.1)
    assert any((a != b).any() for a, b in zip(answers(rough), answers(exact), strict=True))
    rough.answering({"precision": "fp32"})
    for found, expected in zip(answers(rough), answers(exact), strict=True):
        np.testing.assert_array_equal(found, expected)


class PerRow(nn.Module):
    """Answers with the first state of the first row of each group of `group`."""

    needs_layers = False

    def __init__(self, group: int = 1) -> None:
        super().__init__()
        self.group = group

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        assert not states.last.requires_grad
        return states.last[:: self.group, 0]


class PerPosition(nn.Module):
    """Answers with every state."""

    needs_layers = False

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        return states.last


def network(tokenizer: SubwordTokenizer, task: nn.Module) -> TaskNetwork:
    return TaskNetwork(bert(tokenizer).backbone.eval(), task)  # type: ignore[arg-type]


def examples(rows: list[np.ndarray], group: int = 1) -> PaddedExamples:
    return PaddedExamples(Ragged(rows), {}, pad=0, visibility="full", group=group)


@torch.no_grad()
def alone(net: TaskNetwork, ids: np.ndarray) -> np.ndarray:
    """The states of one row."""
    return net.backbone(Inputs(torch.from_numpy(ids)[None])).last[0].numpy()


@pytest.mark.parametrize("batch_tokens", [1, 20, 1000])
def test_each_row_is_answered_as_if_alone(
    wordpiece: SubwordTokenizer, monkeypatch: pytest.MonkeyPatch, batch_tokens: int
) -> None:
    monkeypatch.setitem(model.BATCH_TOKENS, "cpu", batch_tokens)
    net = network(wordpiece, PerRow())
    for ids, output in zip(ROWS, compute_outputs(net, examples(ROWS)), strict=True):
        np.testing.assert_allclose(output, alone(net, ids)[0], atol=1e-5)


def test_positions_that_fill_rows_up_have_no_output(wordpiece: SubwordTokenizer) -> None:
    net = network(wordpiece, PerPosition())
    for ids, output in zip(ROWS, compute_outputs(net, examples(ROWS)), strict=True):
        assert output.shape == (len(ids), 32)
        np.testing.assert_allclose(output, alone(net, ids), atol=1e-5)


def test_rows_of_an_example_stay_together(wordpiece: SubwordTokenizer) -> None:
    net = network(wordpiece, PerRow(group=2))
    outputs = compute_outputs(net, examples(ROWS, group=2))
    assert len(outputs) == 3
    for ids, output in zip(ROWS[::2], outputs, strict=True):
        np.testing.assert_allclose(output, alone(net, ids)[0], atol=1e-5)


@pytest.mark.parametrize(
    ("unpads", "lengths"), [(False, [[17], [8, 8], [3, 2, 1]]), (True, [[17], [8, 8, 3, 2], [1]])]
)
def test_batches_hold_about_as_many_tokens_and_begin_with_the_longest(
    wordpiece: SubwordTokenizer,
    monkeypatch: pytest.MonkeyPatch,
    unpads: bool,
    lengths: list[list[int]],
) -> None:
    backbone = network(wordpiece, PerRow()).backbone
    monkeypatch.setattr(type(backbone), "unpads", unpads)
    monkeypatch.setitem(model.BATCH_TOKENS, "cpu", 20)
    batches = model._batches(examples(ROWS), backbone)
    assert [batch.lengths.tolist() for batch in batches] == lengths
    assert sorted(key for batch in batches for key in batch.keys.tolist()) == list(range(6))
    monkeypatch.setitem(model.BATCH_TOKENS, "cpu", 40)
    pairs = model._batches(examples(ROWS, group=2), backbone)
    assert [batch.lengths.tolist() for batch in pairs] == [[17], [8, 8]]


def test_nothing_asked_nothing_computed(wordpiece: SubwordTokenizer) -> None:
    assert compute_outputs(network(wordpiece, PerRow()), examples([])) == []


def test_threads_share_the_batches(
    wordpiece: SubwordTokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(model.BATCH_TOKENS, "cpu", 1)
    net, before = network(wordpiece, PerPosition()), torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        found = compute_outputs(net, examples(ROWS))
    finally:
        torch.set_num_threads(before)
    for output, row in zip(found, ROWS, strict=True):
        np.testing.assert_allclose(output, alone(net, row), atol=1e-5)
