"""A laboratory, not a benchmark: one step of masked language modelling, block by block.

    python -m benchmarks.lab_step trial ours          # interleaved, ratio of the two
    python -m benchmarks.lab_step --profile ours

Four layers of width 256, 20,000 words, 32 rows of 128 tokens, 614 of them asked; no dropout.
`trial` is PyTorch as one writes it (autocast, fused AdamW, head at the asked positions alone);
`ours` has the blocks of foretext; `ours-NAME` is without one of them, and `trial-NAME` has that one
alone.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foretext.base.runtime import keep_freed_memory
from foretext.nn.attention import cpu_attention
from foretext.nn.feed_forward import bias_gelu
from foretext.nn.linear_cross_entropy import linear_cross_entropy
from foretext.training.adamw import AdamW
from foretext.training.flat_optimizer import FlatOptimizer
from foretext.training.flat_parameters import FlatParameters

DIM, LAYERS, HEADS, WORDS, ROWS, LENGTH, ASKED = 256, 4, 4, 20_000, 32, 128, 614
BLOCKS = frozenset({"attention", "head", "copies", "heap", "gelu"})


class Layer(nn.Module):
    def __init__(self, blocks: frozenset[str]) -> None:
        super().__init__()
        self.blocks = blocks
        self.query_key_value = nn.Linear(DIM, 3 * DIM)
        self.output = nn.Linear(DIM, DIM)
        self.inner, self.outer = nn.Linear(DIM, 4 * DIM), nn.Linear(4 * DIM, DIM)
        self.norms = nn.ModuleList(nn.LayerNorm(DIM) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        parts = self.query_key_value(x).view(ROWS, LENGTH, 3, HEADS, DIM // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        attend = cpu_attention if "attention" in self.blocks else F.scaled_dot_product_attention
        mixed = attend(query, key, value).transpose(1, 2).flatten(2)
        x = self.norms[0](x + self.output(mixed))
        normed: Tensor = self.norms[1](x + self.outer(self.curve(x)))
        return normed

    def curve(self, x: Tensor) -> Tensor:
        if "gelu" in self.blocks:
            return bias_gelu(F.linear(x, self.inner.weight), self.inner.bias)
        return F.gelu(self.inner(x))


class MaskedModel(nn.Module):
    def __init__(self, blocks: frozenset[str]) -> None:
        super().__init__()
        self.blocks = blocks
        self.tokens, self.positions = nn.Embedding(WORDS, DIM), nn.Embedding(512, DIM)
        self.norm, self.head_norm = nn.LayerNorm(DIM), nn.LayerNorm(DIM)
        self.layers = nn.ModuleList(Layer(blocks) for _ in range(LAYERS))
        self.head = nn.Linear(DIM, DIM)
        self.bias = nn.Parameter(torch.zeros(WORDS))
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, ids: Tensor, places: Tensor, targets: Tensor) -> Tensor:
        x = self.norm(self.tokens(ids) + self.positions.weight[:LENGTH])
        for layer in self.layers:
            x = layer(x)
        states = self.head_norm(F.gelu(self.head(x.flatten(0, 1).index_select(0, places))))
        if "head" in self.blocks:
            return linear_cross_entropy(states, self.tokens.weight, self.bias, targets)[0] / ASKED
        return F.cross_entropy(F.linear(states, self.tokens.weight, self.bias).float(), targets)


def make_step(blocks: frozenset[str]) -> Callable[[], float]:
    """Return a function that takes one step of training and gives its loss."""
    torch.manual_seed(0)
    model = MaskedModel(blocks)
    ids = torch.randint(5, WORDS, (ROWS, LENGTH))
    places = torch.randperm(ROWS * LENGTH)[:ASKED].sort().values
    targets = ids.flatten()[places]
    if "heap" in blocks:
        keep_freed_memory()
    if "copies" in blocks:
        parameters = FlatParameters(model, torch.bfloat16)
        flat = FlatOptimizer(parameters, [AdamW(parameters)], clip_norm=1.0)

        def step() -> float:
            loss = model(ids, places, targets)
            loss.backward()
            flat.gather()
            flat.step(1e-4)
            return float(loss.detach())

        return step
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def plain_step() -> float:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(ids, places, targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return float(loss.detach())

    return plain_step


def blocks_of(variant: str) -> frozenset[str]:
    """Return the blocks of ``ours``, ``ours-NAME`` or ``trial``, ``trial-NAME``."""
    kind, _, name = variant.partition("-")
    named = frozenset({name} - {""})
    return BLOCKS - named if kind == "ours" else named


def measure(variant: str, steps: int) -> dict[str, float]:
    """Time some steps in this process."""
    step = make_step(blocks_of(variant))
    for _ in range(3):
        loss = step()
    times, processor = [], time.process_time()
    for _ in range(steps):
        began = time.perf_counter()
        loss = step()
        times.append(time.perf_counter() - began)
    processor = (time.process_time() - processor) / steps
    seconds = statistics.median(times)
    return {
        "seconds": seconds,
        "fastest": min(times),
        "cpu_seconds": processor,
        "tokens_per_second": ROWS * LENGTH / seconds,
        "loss": loss,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("variants", nargs="+")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--here", action="store_true", help="measure once, in this process")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.profile:
        step = make_step(blocks_of(options.variants[0]))
        step()
        step()
        with torch.profiler.profile() as profile:
            for _ in range(5):
                step()
        print(profile.key_averages().table(sort_by="self_cpu_time_total", row_limit=30))
        return
    if options.here:
        print(json.dumps(measure(options.variants[0], options.steps)))
        return
    runs: dict[str, list[dict[str, float]]] = {variant: [] for variant in options.variants}
    for _ in range(options.pairs):
        for variant, figures in runs.items():
            command = [sys.executable, "-m", "benchmarks.lab_step", "--here", variant]
            command += ["--steps", str(options.steps), "--threads", str(options.threads)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            figures.append(json.loads(done.stdout.splitlines()[-1]))
            print(variant, done.stdout.strip(), file=sys.stderr, flush=True)
    base = runs[options.variants[0]]
    for variant, figures in runs.items():
        ratios = [a["seconds"] / b["seconds"] for a, b in zip(base, figures, strict=True)]
        fastest = min(figures, key=lambda run: run["fastest"])["fastest"]
        print(
            f"{variant:16} {statistics.median(f['seconds'] for f in figures):.3f} s "
            f"fastest {fastest:.3f} s = {ROWS * LENGTH / fastest:,.0f} tokens/s "
            f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) "
            f"CPU {min(run['cpu_seconds'] for run in figures):.3f} s "
            f"loss {figures[-1]['loss']:.4f}"
        )


if __name__ == "__main__":
    main()
