"""Hot paths of networks: how fast they are, and how fast the same matrix products are alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from benchmarks.harness import work_folder
from benchmarks.language_models import SHAPES, VOCAB_SIZE, write_model
from benchmarks.limits_measured import Measured, best_seconds, text_file
from benchmarks.limits_needs import encoder_needs, generation_needs, masked_lm_needs
from benchmarks.precision import has_bfloat16
from benchmarks.pretraining_program import DIM, LAYERS, LENGTH, WORDS, drawn_tokens, our_model
from foretext.nn.quantized_linear import has_int8, packed, quantized

__all__ = ["PATHS"]

ROWS, WARM, STEPS, MASK_RATE = 8, 1, 3, 0.15  # of the training
TEXT_BYTES = 2_000_000
ENCODER, GPT = SHAPES["minilm"], SHAPES["gpt"]
NUM_TEXTS, TEXT_CHARACTERS = 32, (200, 400)
NUM_NEW = 80


def masked_lm() -> Measured:
    """Steps of the loop as `foretext pretrain` runs it, after those that compile and allocate."""
    from foretext.progress.run_context import RunContext
    from foretext.training.loop import Training
    from foretext.training.settings import TrainingConfig

    torch.manual_seed(1)
    model = our_model("masked")
    settings = {"steps": WARM + STEPS, "batch_examples": ROWS, "seed": 1}
    examples = model.objective.examples(drawn_tokens(1))
    ends: list[float] = []

    class Timed(Training):
        def _step(self, part: Any) -> None:
            super()._step(part)
            ends.append(time.process_time())

    config = TrainingConfig.checked(settings, "training")
    Timed(model, examples, config, RunContext(Path())).run()
    seconds = (ends[-1] - ends[WARM - 1]) / STEPS
    tokens = ROWS * LENGTH
    dtype = torch.bfloat16 if has_bfloat16() else torch.float32
    matrices = [(3 * DIM, DIM), (DIM, DIM), (4 * DIM, DIM), (DIM, 4 * DIM)]
    alone = LAYERS * sum(_learning_seconds(tokens, *shape, dtype) for shape in matrices)
    alone += _learning_seconds(int(MASK_RATE * tokens), WORDS, DIM, dtype)
    name = "products bfloat16" if has_bfloat16() else "arithmetic float32"
    needs = masked_lm_needs(LAYERS, DIM, LENGTH, WORDS, MASK_RATE, name)
    weights = LAYERS * tokens * 12 * DIM**2 + int(MASK_RATE * tokens) * WORDS * DIM
    between = _products_share(alone, seconds, f"{6 * weights / alone / 1e9:.2g} GFLOP/s")
    return Measured("token", tokens / seconds, needs, between)


def _learning_seconds(rows: int, outputs: int, inputs: int, dtype: torch.dtype) -> float:
    """A matrix forward, and its two products backward."""
    states, weight = torch.rand(rows, inputs).to(dtype), torch.rand(outputs, inputs).to(dtype)
    errors = torch.rand(rows, outputs).to(dtype)

    def products() -> None:
        F.linear(states, weight)
        torch.mm(errors, weight)
        torch.mm(errors.T, states)

    return best_seconds(products, 3)


def encoder(precision: Any) -> Measured | None:
    """Vectors of texts, from the texts; an encoder of MiniLM's form with random weights."""
    if (precision == "bf16" and not has_bfloat16()) or (
        precision == "int8" and not has_int8(torch.device("cpu"))
    ):
        return None
    from foretext.language_model import LanguageModel

    model = LanguageModel.load(_model("minilm"), precision=precision)
    lines = text_file(TEXT_BYTES).read_text("utf-8").split("\n")
    least, most = TEXT_CHARACTERS
    texts = [line for line in lines if least <= len(line) <= most][:NUM_TEXTS]
    lengths = [len(ids) + 2 for ids in model.tokenizer.encode_batch(texts)]
    seconds = best_seconds(lambda: model.embed(texts), 2)
    name = {"fp32": "arithmetic float32", "bf16": "products bfloat16", "int8": "products int8"}
    needs = encoder_needs(ENCODER["num_layers"], ENCODER["dim"], lengths, name[precision])
    of_a_row = _reading_seconds(precision, ENCODER["dim"])
    alone = ENCODER["num_layers"] * of_a_row * sum(lengths)
    speed = f"{24 * ENCODER['dim'] ** 2 / of_a_row / 1e9:.2g} GFLOP/s"
    between = _products_share(alone, seconds, speed)
    return Measured("token", sum(lengths) / seconds, needs, between)


def _reading_seconds(precision: str, dim: int, rows: int = 1024) -> float:
    """Of a row and a layer: the products with its four matrices, forward."""
    make = quantized if precision == "int8" else packed
    dtype = torch.bfloat16 if precision != "fp32" and has_bfloat16() else torch.float32
    seconds = 0.0
    for outputs, inputs in ((3 * dim, dim), (dim, dim), (4 * dim, dim), (dim, 4 * dim)):
        linear = make(nn.Sequential(nn.Linear(inputs, outputs, dtype=dtype))).eval()
        states = torch.rand(rows, inputs).to(dtype)
        with torch.inference_mode():
            seconds += best_seconds(partial(linear, states), 3)
    return seconds / rows


def generation() -> Measured:
    """Tokens of one text, written one after another by a GPT with random weights."""
    from foretext.language_model import LanguageModel
    from foretext.nn.quantized_linear import RowLinear

    model = LanguageModel.load(_model("gpt"))
    prompt = "The history of the town"
    model.generate(prompt, 8, temperature=0)
    seconds = best_seconds(lambda: model.generate(prompt, NUM_NEW, temperature=0), 2) / NUM_NEW
    dim, layers = GPT["dim"], GPT["num_layers"]
    shapes = [(3 * dim, dim), (dim, dim), (4 * dim, dim), (dim, 4 * dim)] * layers
    maps = [RowLinear(torch.rand(shape), None) for shape in [*shapes, (VOCAB_SIZE, dim)]]
    states = {width: torch.rand(1, width) for width in (dim, 4 * dim)}

    def products() -> None:
        for linear in maps:
            linear(states[linear.weight.shape[1]])

    with torch.inference_mode():
        alone = best_seconds(products)
    needs = generation_needs(layers, dim, VOCAB_SIZE, 2)  # weights are kept in bfloat16
    num_bytes = 2 * sum(linear.weight.numel() for linear in maps)
    between = _products_share(alone, seconds, f"{num_bytes / alone / 1e9:.2g} GB/s")
    return Measured("token", 1 / seconds, needs, between)


def _products_share(alone: float, seconds: float, speed: str) -> str:
    return f"products with weights alone: {alone / seconds:.0%} of the time, at {speed}"


def _model(kind: str) -> Path:
    """Return the folder of a model with random weights, and a tokenizer of the text."""
    text = partial(text_file, TEXT_BYTES)
    return write_model(work_folder() / f"limits-{kind}", kind, text)


PATHS: dict[str, Callable[[], Measured | None]] = {
    "BERT, training step": masked_lm,
    "encoder, float32": partial(encoder, "fp32"),
    "encoder, bfloat16": partial(encoder, "bf16"),
    "encoder, int8": partial(encoder, "int8"),
    "GPT, one text token by token": generation,
}
