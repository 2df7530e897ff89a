"""The loop: it learns, ends when it should, and resumes in the same bits."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.base.errors import Interrupted, OutputError, SettingError
from foretext.data.token_file import Tokens
from foretext.progress import MetricsLog
from foretext.progress.budget import Budget
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.batches import Part
from foretext.training.loop import Training, fit
from foretext.training.model import Model
from foretext.training.optimizer import Optimizer
from foretext.training.settings import TrainingConfig
from foretext.training.state import TrainingState
from foretext.training.validation import HeldOutLoss, Validation
from tests.networks import bert, gpt

NOWHERE = RunContext(Path())
STEPS = {"masked": 250, "pairs": 250, "causal": 80}  # until the text is learned


class Setup:
    """A model of a kind and its examples, made anew each time."""

    def __init__(self, kind: str, request: pytest.FixtureRequest) -> None:
        name = "gpt" if kind == "causal" else "bert"
        tokenizer = request.getfixturevalue("byte_bpe" if kind == "causal" else "wordpiece")
        self.tokens: Tokens = request.getfixturevalue(f"{name}_tokens")
        self.kind, self.tokenizer = kind, tokenizer

    def model(self) -> Model:
        if self.kind == "causal":
            return gpt(self.tokenizer)
        return bert(self.tokenizer, next_sentence=self.kind == "pairs")

    def validation(self, model: Model) -> HeldOutLoss:
        assert self.tokens.valid is not None
        return HeldOutLoss(model.objective.examples(self.tokens.valid, held_out=True), 16)

    def fit(
        self, context: RunContext = NOWHERE, **settings: Any
    ) -> tuple[Model, list[dict[str, Any]]]:
        model = self.model()
        config = TrainingConfig(**{"steps": 12, "batch_examples": 8, **settings})
        examples = model.objective.examples(self.tokens.train)
        return model, fit(model, examples, config, context, self.validation(model))


@pytest.fixture(params=STEPS)
def setup(request: pytest.FixtureRequest) -> Setup:
    return Setup(request.param, request)


@pytest.fixture
def causal(request: pytest.FixtureRequest) -> Setup:
    return Setup("causal", request)


@pytest.mark.quick_cases(1)
def test_it_learns(setup: Setup) -> None:
    precision = "bf16" if setup.kind == "causal" else "fp32"
    steps = STEPS[setup.kind]
    _, history = setup.fit(steps=steps, learning_rate=2e-3, batch_examples=16, precision=precision)
    first = next(record["valid_loss"] for record in history if "valid_loss" in record)
    assert history[-1]["valid_loss"] < 0.7 * first
    assert history[-1]["step"] == steps
    part = "causal_lm" if setup.kind == "causal" else "masked_lm"
    assert history[-1][f"valid_{part}_accuracy"] > 0.1


@pytest.mark.slow
def test_next_sentences_are_told_apart(request: pytest.FixtureRequest) -> None:
    """A document is about one animal, so that a stranger can be told by its animal."""
    setup = Setup("pairs", request)
    _, history = setup.fit(steps=1200, learning_rate=3e-3, batch_examples=16)
    late = [record["next_sentence_accuracy"] for record in history[-40:]]
    assert sum(late) / len(late) > 0.7


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_resumed_training_ends_in_the_same_bits(
    setup: Setup, precision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"precision": precision, "epochs": 1.0, "batch_examples": 32, "valid_steps": 4}
    if setup.kind == "pairs":
        settings |= {"layer_decay": 0.8, "head_rate": 2.0, "freeze_layers": 1}
    if setup.kind == "causal":
        settings |= {"optimizer": "muon"}
    whole, whole_history = _fit_epochs(setup, NOWHERE, settings)
    monkeypatch.setattr(Training, "_step", _stopping_at(5))
    with _context(tmp_path) as context, pytest.raises(Interrupted, match="go on with --resume"):
        _fit_epochs(setup, context, settings)
    monkeypatch.undo()
    torch.manual_seed(99)  # a new process has another generator
    with _context(tmp_path, resume=True) as context:
        resumed, history = _fit_epochs(setup, context, settings)
    for name, weights in whole.state_dict().items():
        assert torch.equal(weights, resumed.state_dict()[name]), name
    assert [_untimed(record) for record in history] == [_untimed(r) for r in whole_history]
    assert MetricsLog(tmp_path / "metrics.jsonl").read() == history


def test_a_run_whose_batches_were_drawn_in_another_way_is_refused(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkpoint of an earlier version does not say in which way: in the first."""
    masked, causal = Setup("masked", request), Setup("causal", request)
    for setup in (masked, causal):
        monkeypatch.setattr(Training, "_step", _stopping_at(2))
        with _context(tmp_path / setup.kind) as context, pytest.raises(Interrupted):
            setup.fit(context)
        monkeypatch.undo()
        (path,) = (tmp_path / setup.kind / "c").glob("step-*/state.json")
        saved = json.loads(path.read_text())
        del saved["state"]["drawing"]
        path.write_text(json.dumps(saved))
    with (
        _context(tmp_path / "masked", resume=True) as context,
        pytest.raises(OutputError, match="draws other batches than this one; finish it with that"),
    ):
        masked.fit(context)
    with _context(tmp_path / "causal", resume=True) as context:  # here nothing is drawn
        _, history = causal.fit(context)
    assert history[-1]["step"] == 12


def _untimed(record: dict[str, Any]) -> dict[str, Any]:
    timed = ("time", "tokens_per_second", "mfu", "flops")
    return {name: value for name, value in record.items() if name not in timed}


def test_utilization_is_recorded_where_records_are_kept(causal: Setup, tmp_path: Path) -> None:
    _, history = causal.fit(precision="fp32")
    assert "mfu" not in history[-1]
    with _context(tmp_path) as context:
        model, history = causal.fit(context, valid_steps=4, precision="fp32")
    assert all(0 < record["mfu"] < 1 for record in history)
    tokens, length = history[-1]["tokens"], 24
    matrices = sum(
        p.numel() for block in model.backbone.blocks for p in block.parameters() if p.dim() == 2
    )
    per_token = 6 * (matrices + model.backbone.embedding.numel()) + 12 * 2 * 32 * length
    assert history[-1]["flops"] == tokens * per_token


class Slow(Validation):
    """A validation that takes longer than the steps before it."""

    judged_by = "valid_loss"
    higher_is_better = False

    def measure(self, model: Model) -> dict[str, float]:
        time.sleep(0.2)
        return {"valid_loss": 1.0}


def test_validations_are_no_part_of_the_speed(causal: Setup) -> None:
    model = causal.model()
    config = TrainingConfig(steps=9, valid_steps=2, batch_examples=8, precision="fp32")
    examples = model.objective.examples(causal.tokens.train)
    history = fit(model, examples, config, NOWHERE, Slow())
    assert [record["step"] for record in history] == [2, 4, 6, 8, 9]
    tokens = [0, *(record["tokens"] for record in history)]
    learning = sum(
        (after - before) / record["tokens_per_second"]
        for (before, after), record in zip(pairwise(tokens), history, strict=True)
    )
    assert learning < 1.02 * (history[-1]["time"] - 5 * 0.2)


def test_a_checkpoint_keeps_the_time_of_steps_without_a_record(
    causal: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = Training._learn

    def stopping(training: Training, batches: Iterator[Part]) -> None:
        learn(training, batches)
        if training.state.step == 6:
            training.state.learning = 50.0
            training._stop("SIGTERM")

    monkeypatch.setattr(Training, "_learn", stopping)
    with _context(tmp_path) as context, pytest.raises(Interrupted):
        causal.fit(context, valid_steps=4)
    monkeypatch.undo()
    with _context(tmp_path, resume=True) as context:
        _, history = causal.fit(context, valid_steps=4)
    by_step = {record["step"]: record for record in history}
    tokens = by_step[8]["tokens"] - by_step[4]["tokens"]
    assert by_step[8]["tokens_per_second"] < tokens / 40
    assert by_step[12]["tokens_per_second"] > tokens / 40


@pytest.mark.slow
def test_the_last_record_is_of_new_steps(causal: Setup) -> None:
    _, history = causal.fit(steps=211)  # no multiple of the steps between two validations
    steps = [record["step"] for record in history]
    assert steps[-1] == 211
    assert len(set(steps)) == len(steps)


@contextmanager
def _context(folder: Path, *, resume: bool = False) -> Iterator[RunContext]:
    folder.mkdir(exist_ok=True)
    with MetricsLog(folder / "metrics.jsonl") as log:
        yield RunContext(folder, log=log, checkpoints=Checkpoints(folder / "c"), resume=resume)


def _stopping_at(last: int) -> Callable[[Training, Part], None]:
    """A step after which, when it is the last, comes what SIGTERM does."""
    step = Training._step

    def stopping(training: Training, part: Part) -> None:
        step(training, part)
        if training.state.step == last:
            training._stop("SIGTERM")

    return stopping


def _fit_epochs(
    setup: Setup, context: RunContext, settings: dict[str, Any]
) -> tuple[Model, list[dict[str, Any]]]:
    model = setup.model()
    model.backbone.embeddings.dropout.p = 0.1  # type: ignore[union-attr]  # draws from the generator
    examples = model.objective.examples(setup.tokens.train)
    config = TrainingConfig(**settings)
    return model, fit(model, examples, config, context, setup.validation(model))


def test_micro_batches_give_the_same_step(setup: Setup) -> None:
    whole, _ = setup.fit(steps=3, precision="fp32", learning_rate=1e-3)
    parts, _ = setup.fit(steps=3, precision="fp32", learning_rate=1e-3, micro_batch_examples=3)
    for name, weights in whole.state_dict().items():
        assert torch.allclose(weights, parts.state_dict()[name], atol=2e-5), name


def test_a_budget_ends_the_training(causal: Setup) -> None:
    _, history = _budgeted(causal, 1.5)
    assert 1.4 < history[-1]["time"] < 4.0
    assert history[-1]["learning_rate"] < 1e-4


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("peak", "is_first"), [(1e3, True), (1e15, False), (None, False)])
def test_a_budget_of_few_steps_is_named_before_the_first_one(
    causal: Setup, monkeypatch: pytest.MonkeyPatch, peak: float | None, is_first: bool
) -> None:
    monkeypatch.setattr(Training, "_peak", lambda self, dtype: peak)
    said: list[str] = []
    context = replace(NOWHERE, warn=said.append, tick=lambda: said.append("a step"))
    model = causal.model()
    config = TrainingConfig(budget_seconds=1.0, batch_examples=8)
    fit(model, model.objective.examples(causal.tokens.train), config, context)
    assert ("enough for about 1 step," in said[0]) is is_first
    assert sum("hardly learns" in each for each in said) <= 1


def _budgeted(setup: Setup, seconds: float) -> tuple[Model, list[dict[str, Any]]]:
    model = setup.model()
    config = TrainingConfig(budget_seconds=seconds, batch_examples=8)
    return model, fit(model, model.objective.examples(setup.tokens.train), config, NOWHERE)


def test_patience_and_the_best_weights(causal: Setup) -> None:
    """A learning rate that ruins the model: the best held-out loss is the one that stays."""
    model, history = causal.fit(
        steps=200,
        learning_rate=0.3,
        schedule="constant",
        warmup_rate=0.0,
        clip_norm=None,
        valid_steps=1,
        patience=3,
        keep="best",
    )
    losses = [record["valid_loss"] for record in history if "valid_loss" in record]
    assert len(history) < 200
    assert causal.validation(model).measure(model)["valid_loss"] == pytest.approx(
        min(losses), abs=0.02
    )


class Rising(Validation):
    """A validation whose figure rises up to step 6 and falls from then on."""

    judged_by = "valid_accuracy"
    higher_is_better = True

    def __init__(self) -> None:
        self.weights: dict[int, torch.Tensor] = {}  # of the embedding at each step

    def measure(self, model: Model) -> dict[str, float]:
        step = 2 * (len(self.weights) + 1)
        self.weights[step] = model.backbone.embedding.detach().float().clone()
        return {"valid_accuracy": 1 - abs(step - 6) / 10}


@pytest.mark.parametrize("stop_at", [None, 5, 9])
def test_a_figure_that_is_better_when_higher(
    causal: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop_at: int | None
) -> None:
    """Its best weights stay and patience ends the training, before and after a resume."""
    settings = {"steps": 40, "valid_steps": 2, "patience": 3, "keep": "best", "precision": "fp32"}
    config = TrainingConfig(**settings, batch_examples=8)
    validation = Rising()

    def train(context: RunContext) -> tuple[Model, list[dict[str, Any]]]:
        model = causal.model()
        examples = model.objective.examples(causal.tokens.train)
        return model, fit(model, examples, config, context, validation)

    if stop_at is not None:
        monkeypatch.setattr(Training, "_step", _stopping_at(stop_at))
        with _context(tmp_path) as context, pytest.raises(Interrupted):
            train(context)
        monkeypatch.undo()
    with _context(tmp_path, resume=stop_at is not None) as context:
        model, history = train(context)
    judged = [record["valid_accuracy"] for record in history if "valid_accuracy" in record]
    assert judged == pytest.approx([0.6, 0.8, 1.0, 0.8, 0.6, 0.4])
    assert torch.equal(model.backbone.embedding, validation.weights[6])


def test_a_loss_that_is_no_number_stops_it(causal: Setup) -> None:
    model = causal.model()
    with torch.no_grad():
        model.backbone.embedding[:] = float("nan")
    examples = model.objective.examples(causal.tokens.train)
    with pytest.raises(SettingError, match=r"no longer a number .* choose a lower"):
        fit(model, examples, TrainingConfig(steps=3), NOWHERE)


def test_patience_needs_something_held_out(causal: Setup) -> None:
    model = causal.model()
    examples = model.objective.examples(causal.tokens.train)
    with pytest.raises(SettingError, match="need held-out examples"):
        fit(model, examples, TrainingConfig(steps=3, patience=2), NOWHERE)


def test_an_objective_refuses_a_backbone_without_its_visibility(
    wordpiece: SubwordTokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from foretext.backbones.transformer import Transformer

    monkeypatch.setattr(Transformer, "visibilities", frozenset({"causal"}))
    with pytest.raises(SettingError, match=r"needs full visibility, and .* has causal only"):
        bert(wordpiece)


def test_memory_that_does_not_suffice(causal: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(training: Training, part: Part) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate ...")

    monkeypatch.setattr(Training, "_step", exhausted)
    with pytest.raises(SettingError, match=r"lower training\.micro_batch_examples, now 8"):
        causal.fit()


def test_recomputed_layers_change_nothing(causal: Setup) -> None:
    plain, _ = causal.fit(steps=3, precision="fp32")
    recomputed, _ = causal.fit(steps=3, precision="fp32", gradient_checkpointing=True)
    for name, weights in plain.state_dict().items():
        assert torch.allclose(weights, recomputed.state_dict()[name], atol=1e-5), name


def test_figures_for_tensorboard(causal: Setup, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    causal.fit(RunContext(tmp_path), tensorboard=True, valid_steps=5)
    written = list((tmp_path / "tensorboard").glob("events*"))
    assert len(written) == 1
    assert b"held out/valid_loss" in written[0].read_bytes()


class Ticking(Validation):
    """Rows on a clock of the test: each takes a tenth of a second to measure, and a step one."""

    judged_by = "valid_loss"
    higher_is_better = False
    num_examples = 5000

    def __init__(self) -> None:
        self.now = 0.0
        self.size = self.num_examples
        self.sizes: list[int] = []  # of each measurement
        self.kept = 0  # measurements that were not dropped

    def clock(self) -> float:
        return self.now

    def sample(self, size: int) -> None:
        self.size = size

    def measure(self, model: Model) -> dict[str, float]:
        self.now += 0.1 * self.size
        self.sizes.append(self.size)
        self.kept += 1
        return {"valid_loss": 1.0}

    def rewind(self, num_measured: int) -> None:
        self.kept = num_measured


def _ticking_steps(validation: Ticking) -> Callable[[Training, Part], None]:
    step = Training._step

    def ticking(training: Training, part: Part) -> None:
        validation.now += 1.0
        step(training, part)

    return ticking


def _fit_ticking(
    causal: Setup, context: RunContext, validation: Ticking, **settings: Any
) -> list[dict[str, Any]]:
    model = causal.model()
    config = TrainingConfig(batch_examples=4, precision="fp32", **settings)
    examples = model.objective.examples(causal.tokens.train)
    return fit(model, examples, config, replace(context, clock=validation.clock), validation)


def test_measuring_takes_a_tenth_of_a_budget(
    causal: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    validation, notes = Ticking(), []
    monkeypatch.setattr(Training, "_step", _ticking_steps(validation))
    context = replace(NOWHERE, note=notes.append, warn=notes.append)
    history = _fit_ticking(causal, context, validation, budget_seconds=120.0)
    measured = validation.sizes[-validation.kept :]
    assert len(measured) >= 2
    assert len(set(measured)) == 1  # the same sample, each time
    assert 0.1 * sum(measured) <= 12.0
    assert validation.now == pytest.approx(120.0, abs=1.0)
    assert history[-1]["step"] > 100
    assert history[-1]["learning_rate"] < 2e-5
    assert notes[0].startswith(f"{measured[0]:,} of 5,000 held-out examples are measured")
    assert "in which a network hardly learns" in notes[1]
    assert len(notes) == 2


def test_without_a_budget_every_held_out_example_is_measured(
    causal: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    validation = Ticking()
    monkeypatch.setattr(Training, "_step", _ticking_steps(validation))
    _fit_ticking(causal, NOWHERE, validation, steps=10, valid_steps=2)
    assert validation.sizes == [5000] * 5


def test_a_resumed_training_measures_the_same_sample_to_the_same_end(
    causal: Setup, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = Ticking()
    learn = _ticking_steps(first)

    def stopping(training: Training, part: Part) -> None:
        learn(training, part)
        if training.state.step == 70:
            training._stop("SIGTERM")

    with monkeypatch.context() as patched, _context(tmp_path) as context:
        patched.setattr(Training, "_step", stopping)
        with pytest.raises(Interrupted):
            _fit_ticking(causal, context, first, budget_seconds=120.0)
    second = Ticking()
    monkeypatch.setattr(Training, "_step", _ticking_steps(second))
    with _context(tmp_path, resume=True) as context:
        history = _fit_ticking(causal, context, second, budget_seconds=120.0)
    assert set(second.sizes) == {first.sizes[-1]}  # nothing is tried again
    assert first.now + second.now == pytest.approx(120.0, abs=2.0)
    assert history[-1]["time"] == pytest.approx(120.0, abs=1.0)


def test_a_limit_cuts_a_training_by_steps(causal: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    validation = Ticking()
    validation.size = 10
    monkeypatch.setattr(Training, "_step", _ticking_steps(validation))
    context = replace(NOWHERE, budget=Budget.started(40.0, clock=validation.clock))
    history = _fit_ticking(causal, context, validation, steps=1000)
    assert validation.now == pytest.approx(40.0, abs=1.0)
    assert history[-1]["learning_rate"] < 5e-5
    assert validation.sizes == [10] * len(validation.sizes)
    assert len(validation.sizes) <= 4


def test_the_loss_of_a_sample_is_the_same_each_time(causal: Setup) -> None:
    model = causal.model()
    validation = causal.validation(model)
    whole = validation.measure(model)
    validation.sample(validation.num_examples)
    assert validation.measure(model) == whole
    validation.sample(1)
    part = validation.measure(model)
    assert part != whole
    assert validation.measure(model) == part


def test_a_norm_that_a_gpu_still_computes_is_a_number_in_records_and_checkpoints(
    setup: Setup, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    step = Optimizer.step
    _, known = setup.fit(steps=4)
    monkeypatch.setattr(Optimizer, "step", lambda *given: torch.tensor(step(*given)))
    kept = Checkpoints(tmp_path)
    _, found = setup.fit(RunContext(tmp_path, checkpoints=kept), steps=4)
    assert [record["gradient_norm"] for record in found] == pytest.approx(
        [record["gradient_norm"] for record in known]
    )
    newest = kept.newest(TrainingState)
    assert newest is not None
    assert newest.state.gradient_norm == found[-1]["gradient_norm"]
