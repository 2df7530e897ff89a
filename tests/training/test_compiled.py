"""Trainings by `torch.compile` find the losses of others: on this processor, and on a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import torch

from foretext.base.errors import SettingError
from foretext.data.token_file import Tokens
from foretext.progress.run_context import RunContext
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training import gradients, records
from foretext.training.loop import fit
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from tests.networks import bert, gpt
from tests.training.gpus import needs_gpus

# torch.compile calls what PyTorch itself deprecates
pytestmark = pytest.mark.filterwarnings("ignore")


def figures(model: Model, tokens: Tokens, **settings: Any) -> list[float]:
    """The mean loss of all steps, and the norm of the last gradient."""
    given = {"steps": 6, "batch_examples": 8, "precision": "fp32", "device": "cpu", **settings}
    config = TrainingConfig.checked(given, "training")
    with patch.object(records, "RECORD_SECONDS", 1e9):  # one record of all steps
        history = fit(model, model.objective.examples(tokens.train), config, RunContext(Path()))
    return [history[0]["loss"], history[0]["gradient_norm"]]


@pytest.mark.slow
def test_compiled_layers_learn_as_others(wordpiece: SubwordTokenizer, bert_tokens: Tokens) -> None:
    plain = figures(bert(wordpiece), bert_tokens)
    assert figures(bert(wordpiece), bert_tokens, compile=True) == pytest.approx(plain, rel=1e-4)


@pytest.mark.cuda
@needs_gpus(1)
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("compiles", [False, True])
def test_a_gpu_finds_the_losses_of_the_processor(
    wordpiece: SubwordTokenizer, bert_tokens: Tokens, precision: str, *, compiles: bool
) -> None:
    plain = figures(bert(wordpiece), bert_tokens, steps=12)
    found = figures(
        bert(wordpiece),
        bert_tokens,
        steps=12,
        device="cuda",
        precision=precision,
        compile=compiles,
    )
    assert found == pytest.approx(plain, rel=1e-3 if precision == "fp32" else 2e-2)


@pytest.mark.cuda
@needs_gpus(1)
def test_a_causal_model_is_compiled_on_a_gpu(
    byte_bpe: SubwordTokenizer, gpt_tokens: Tokens
) -> None:
    plain = figures(gpt(byte_bpe), gpt_tokens)
    found = figures(gpt(byte_bpe), gpt_tokens, device="cuda", compile=True)
    assert found == pytest.approx(plain, rel=1e-3)


def test_a_machine_that_cannot_compile_is_refused(
    monkeypatch: pytest.MonkeyPatch, wordpiece: SubwordTokenizer, bert_tokens: Tokens
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("No working C++ compiler found\nin any folder")

    monkeypatch.setattr(torch, "compile", lambda _: fail)
    gradients.check_compiler.cache_clear()
    with pytest.raises(SettingError, match=r"compile = true: .*No working C\+\+ compiler found\."):
        figures(bert(wordpiece), bert_tokens, compile=True)
    gradients.check_compiler.cache_clear()
