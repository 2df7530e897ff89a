"""Trainings that begin with short rows and half of the layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.base.errors import Interrupted, SettingError
from foretext.progress import MetricsLog
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.training.batches import Part
from foretext.training.loop import Training, fit
from foretext.training.model import Model
from foretext.training.optimizer import Optimizer
from foretext.training.progression import Progression
from foretext.training.settings import TrainingConfig
from foretext.training.validation import HeldOutLoss
from tests.networks import bert, gpt

NOWHERE = RunContext(Path())
STEPS = 12
BOTH: dict[str, Any] = {"short_row_rate": 0.25, "stacking_rate": 0.5}


class Setup:
    """A model of a kind, and the text it learns from."""

    def __init__(self, kind: str, request: pytest.FixtureRequest) -> None:
        self.kind = kind
        name = "byte_bpe" if kind == "causal" else "wordpiece"
        self.tokenizer = request.getfixturevalue(name)
        self.tokens = request.getfixturevalue(f"{'gpt' if kind == 'causal' else 'bert'}_tokens")

    def model(self) -> Model:
        if self.kind == "causal":
            return gpt(self.tokenizer)
        return bert(self.tokenizer, next_sentence=self.kind == "pairs")

    def fit(self, context: RunContext = NOWHERE, **settings: Any) -> Model:
        model = self.model()
        config = TrainingConfig(**{"steps": STEPS, "batch_examples": 8, **BOTH, **settings})
        fit(model, model.objective.examples(self.tokens.train), config, context)
        return model


@pytest.fixture(params=["masked", "causal"])
def setup(request: pytest.FixtureRequest) -> Setup:
    return Setup(request.param, request)


class Seen:
    """What each step computed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shapes: list[tuple[int, ...]] = []  # of ids
        self.layers: list[int] = []
        forward = Model.forward

        def noting(model: Model, batch: Any, states: Any = None) -> Any:
            self.shapes.append(tuple(batch.inputs.ids.shape))
            self.layers.append(len(model.backbone.layers))  # type: ignore[arg-type]
            return forward(model, batch, states)

        monkeypatch.setattr(Model, "forward", noting)


def test_rows_are_short_and_layers_few_at_first(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Seen(monkeypatch)
    setup.fit()
    B, T = seen.shapes[-1]
    assert T % 4 == 0
    assert seen.shapes == [(4 * B, T // 4)] * 3 + [(B, T)] * 9
    assert seen.layers == [1] * 6 + [2] * 6


def test_micro_batches_are_cut_too(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Seen(monkeypatch)
    Setup("masked", request).fit(micro_batch_examples=4, steps=4)
    T = seen.shapes[-1][1]
    assert seen.shapes == [(16, T // 4)] * 2 + [(4, T)] * 6


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_new_layers_begin_as_those_below(
    setup: Setup, optimizer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their weights, and what the optimizer remembers of them."""
    found = []

    def stacked(progression: Progression, state: Any) -> None:
        use_layers(progression, state)
        if state.step == STEPS // 2:
            found.append({k: v.clone() for k, v in progression.optimizer.inner.state().items()})

    use_layers = Progression.use_layers
    monkeypatch.setattr(Progression, "use_layers", stacked)
    setup.fit(optimizer=optimizer, precision="bf16")
    (state,) = found
    upper = {name for name in state if ".backbone.blocks.1." in f".{name}"}
    pairs = {name: name.replace(".blocks.1.", ".blocks.0.") for name in upper}
    pairs = {name: source for name, source in pairs.items() if source in state}
    assert len(pairs) > 8
    for name, source in pairs.items():
        assert torch.equal(state[name], state[source]), name
    moments = [state[name] for name in pairs if not name.startswith("weight.")]
    assert any(moment.abs().max() > 0 for moment in moments)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("last", "precision"), [(2, "fp32"), *((step, "bf16") for step in (2, 5, 6, 8))]
)
def test_a_resumed_training_ends_in_the_same_bits(
    setup: Setup, last: int, precision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = setup.fit(precision=precision)
    monkeypatch.setattr(Training, "_step", _stopping_at(last))
    with _context(tmp_path) as context, pytest.raises(Interrupted):
        setup.fit(context, precision=precision)
    monkeypatch.undo()
    torch.manual_seed(99)  # a new process has another generator
    with _context(tmp_path, resume=True) as context:
        resumed = setup.fit(context, precision=precision)
    for name, weights in whole.state_dict().items():
        assert torch.equal(weights, resumed.state_dict()[name]), name


def test_a_training_that_is_over_too_soon_uses_all_layers(request: pytest.FixtureRequest) -> None:
    model = Setup("masked", request).fit(steps=1, stacking_rate=0.9)
    assert len(model.backbone.layers) == 2
    lower, upper = (block.state_dict() for block in model.backbone.blocks)
    for name in lower.keys() & upper.keys():
        assert torch.equal(lower[name], upper[name]), name


def test_the_best_weights_have_all_layers(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A validation of half of the layers says nothing about the network that is kept."""
    setup = Setup("masked", request)
    model = setup.model()
    measured = iter([1.0, 1.0, 1.0, 5.0, 4.0, 6.0])
    validation = HeldOutLoss(model.objective.examples(setup.tokens.valid, held_out=True), 16)
    monkeypatch.setattr(HeldOutLoss, "measure", lambda *_: {"valid_loss": next(measured)})
    kept = []
    keep = Optimizer.keep_weights

    def noting(optimizer: Optimizer) -> None:
        kept.append(len(optimizer.network.backbone.layers))  # type: ignore[arg-type]
        keep(optimizer)

    monkeypatch.setattr(Optimizer, "keep_weights", noting)
    config = TrainingConfig(steps=STEPS, batch_examples=8, valid_steps=2, keep="best", **BOTH)
    fit(model, model.objective.examples(setup.tokens.train), config, NOWHERE, validation)
    assert kept == [1, 2, 2]


def test_what_cannot_be_cut_or_stacked_is_refused(request: pytest.FixtureRequest) -> None:
    pairs = Setup("pairs", request)
    with pytest.raises(SettingError, match="short_row_rate: the rows of MaskedLM cannot be cut"):
        pairs.fit(stacking_rate=0.0)
    pairs.fit(short_row_rate=0.0)
    masked = Setup("masked", request)
    with pytest.raises(ValueError, match="write over layers that freeze keeps"):
        masked.fit(freeze="embeddings")
    with pytest.raises(ValueError, match="which sharding takes apart"):
        masked.fit(sharding="optimizer")
    with pytest.raises(ValueError, match="no effect with a frozen backbone"):
        masked.fit(freeze="backbone", stacking_rate=0.0)


@contextmanager
def _context(folder: Path, *, resume: bool = False) -> Iterator[RunContext]:
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


@pytest.mark.parametrize("resumed", [False, True])
def test_layers_that_do_not_compute_are_not_counted(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, resumed: bool
) -> None:
    setup, done = Setup("masked", request), []
    step = Training._step

    def noting(training: Training, part: Part) -> None:
        before = training.state.flops
        step(training, part)
        done.append(training.state.flops - before)

    if resumed:
        monkeypatch.setattr(Training, "_step", _stopping_at(3))
        with _context(tmp_path) as context, pytest.raises(Interrupted):
            setup.fit(context, short_row_rate=0.0)
        monkeypatch.undo()
    monkeypatch.setattr(Training, "_step", noting)
    with _context(tmp_path, resume=resumed) as context:
        setup.fit(context, short_row_rate=0.0)
    shallow, deep = max(done[: STEPS // 2 - 3 * resumed]), min(done[-STEPS // 2 :])
    assert 0 < shallow < 0.75 * deep  # the head counts in both
