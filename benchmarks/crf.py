"""CRF against pytorch-crf: CPU time of loss with gradient, and of decoding, for 32 × 50 tokens."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec

from benchmarks.harness import Figures, Row, median, paired, ratios, run_program

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "numba", "torch")
PEER = "pytorch-crf"
TAGS = (9, 25)
WORK = (("loss", "loss and gradient", 8.0), ("decode", "decoding", 10.0))


def rows() -> Iterator[Row]:
    """Measure each number of tags; one thread, as neither gains from more at this size."""
    if find_spec("torchcrf") is None:
        yield Row("all", PEER, ours="not measured", theirs="not there: pip install pytorch-crf")
        return
    for num_tags in TAGS:
        _run("foretext", num_tags, 0)  # compile
        ours, theirs = paired(partial(_run, "foretext", num_tags), partial(_run, PEER, num_tags))
        assert abs(ours[0]["value"] / theirs[0]["value"] - 1) < 1e-4, "both have the same loss"
        assert ours[0]["path"] == theirs[0]["path"], "both find the same tags"
        for name, work, must in WORK:
            own, other = (f"{median(runs, name):.3f} ms" for runs in (ours, theirs))
            speed = ratios(ours, theirs, name)
            yield Row(f"{num_tags} tags: {work}", PEER, own, other, *speed, must)


def _run(program: str, num_tags: int, seed: int) -> Figures:
    return run_program("benchmarks.crf_program", program, num_tags, seed)
