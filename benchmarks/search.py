"""Queries to an index: the graph against all vectors, and BM25 against rank-bm25."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Figures, Row, median, paired, ratios, run_program
from benchmarks.search_program import DIM, NUM_RANKED

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "usearch", "rank-bm25", "numba", "numpy")
PROGRAM = "benchmarks.search_program"
SIZES = (10_000, 100_000)  # passages
EXACT, GRAPH, PEER = (
    "all vectors, one query at a time",
    "a graph of usearch",
    "rank-bm25, BM25Okapi",
)


def rows() -> Iterator[Row]:
    """Processor time of a query and of making what it needs, for a small and a large index."""
    for num in SIZES:
        built = run_program(PROGRAM, "build", num, 0)
        work = f"{built['passages']:,} paragraphs of enwiki"
        yield from _by_vectors(num, f"{work}, {DIM} dimensions", built)
        yield from _by_words(num, work, built)


def _by_vectors(num: int, work: str, built: Figures) -> Iterator[Row]:
    graph, exact = paired(_run("graph", num), _run("exact", num))
    yield Row(
        f"{work}: a query by a graph",
        EXACT,
        _time(graph),
        _time(exact),
        *ratios(graph, exact, "cpu"),
    )
    together = [run_program(PROGRAM, "together", num, 1)]
    yield Row(
        f"{work}: a query of 1,000 that are asked at once", EXACT, _time(together), _time(exact)
    )
    yield Row("recall@10 of the graph against all vectors", GRAPH, f"{built['recall']:.4f}", "")
    yield Row("the graph: to build it", GRAPH, f"{built['graph']:.1f} CPU-s", "")


def _by_words(num: int, work: str, built: Figures) -> Iterator[Row]:
    ours, theirs = paired(_run("words", num), _run("rank-bm25", num))
    yield Row(
        f"{work}: a query by BM25", PEER, _time(ours), _time(theirs), *ratios(ours, theirs, "cpu")
    )
    made = f"{built['words']:.1f} CPU-s"
    yield Row("the same: to count the words", PEER, made, f"{median(theirs, 'made'):.1f} CPU-s")
    common = sum(
        len(set(a) & set(b)) for a, b in zip(ours[0]["found"], theirs[0]["found"], strict=True)
    )
    share = common / sum(len(found) for found in ours[0]["found"])
    yield Row(f"share of the first {NUM_RANKED} that both find", PEER, f"{share:.3f}", "")


def _run(program: str, num: int) -> partial[Figures]:
    return partial(run_program, PROGRAM, program, num)


def _time(found: list[Figures]) -> str:
    return f"{1e3 * median(found, 'cpu'):.2f} CPU-ms"
