"""Puts small faults into a copy of the source, one at a time, and counts those that tests catch.

    python -m tools.mutation src/foretext/metrics --tests tests/metrics --faults 20

A fault flips a comparison, adds one to a number, swaps ``and`` and ``or`` or plus and minus, or
drops a ``not`` or a statement. What the quick tests pass over is then tried with the slow ones
too, so that a gap of `make test` is seen beside what `make test-all` finds.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "dist", "demo", "runs", ".*_cache")
QUICK, ALL = "not slow", "not cluster"
LONGEST = 10  # times as long as without a fault, and a minute: then it hangs, and is caught
FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


class Fault(NamedTuple):
    """Where it is, what is done, and the text of the file with it."""

    path: Path
    line: int
    what: str
    text: str


def faults_of(path: Path) -> Iterator[Fault]:
    """Every fault that can be put into a file."""
    source = path.read_text(encoding="utf-8")
    for number in range(len(_Faulty().visited(ast.parse(source)))):
        faulty, tree = _Faulty(number), ast.parse(source)
        line, what = faulty.visited(tree)[number]
        yield Fault(path, line, what, ast.unparse(ast.fix_missing_locations(tree)))


class _Faulty(ast.NodeTransformer):
    """Lists what can be changed, and changes the one with a number."""

    def __init__(self, chosen: int = -1) -> None:
        self.chosen = chosen
        self.found: list[tuple[int, str]] = []

    def visited(self, tree: ast.Module) -> list[tuple[int, str]]:
        self.visit(tree)
        return self.found

    def _takes(self, node: ast.expr | ast.stmt, what: str) -> bool:
        self.found.append((node.lineno, what))
        return len(self.found) - 1 == self.chosen

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if self._takes(node, "comparison flipped"):
            node.ops[0] = FLIPPED[type(node.ops[0])]()
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) in (int, float) and self._takes(node, f"{node.value!r} + 1"):
            return ast.copy_location(ast.Constant(node.value + 1), node)  # type: ignore[operator]
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if self._takes(node, "and, or swapped"):
            node.op = ast.Or() if type(node.op) is ast.And else ast.And()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if type(node.op) in (ast.Add, ast.Sub) and self._takes(node, "plus, minus swapped"):
            node.op = ast.Sub() if type(node.op) is ast.Add else ast.Add()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        is_not = type(node.op) is ast.Not
        return node.operand if is_not and self._takes(node, "not dropped") else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if type(node.value) is ast.Constant:  # a docstring
            return node
        self.generic_visit(node)
        return self._dropped(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        return self._dropped(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return self._dropped(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:  # the annotation says nothing while it runs
            node.value = self.visit(node.value)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node

    def _dropped(self, node: ast.stmt) -> ast.AST:
        return ast.copy_location(ast.Pass(), node) if self._takes(node, "dropped") else node


def run_tests(copy: Path, tests: Sequence[str], marks: str, seconds: float) -> bool:
    """Whether the tests pass in a copy of the repository, in a fork of this process."""
    child = os.fork()
    if child == 0:
        sys.path[:0] = [str(copy), str(copy / "src")]
        os.environ["PYTHONPATH"] = str(copy / "src")
        os.chdir(copy)
        os.setpgid(0, 0)
        quiet = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(quiet, stream)
        import pytest

        options = ["-x", "-q", "-p", "no:cacheprovider", "-m", marks]
        os._exit(int(pytest.main([*options, *tests])))
    ends = time.monotonic() + seconds
    while (done := os.waitpid(child, os.WNOHANG))[0] == 0:
        if time.monotonic() > ends:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.05)
    return os.waitstatus_to_exitcode(done[1]) == 0


def main() -> None:
    """Print each fault and what catches it, and how many are caught."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sources", nargs="+", type=Path, help="files and folders of src/foretext")
    parser.add_argument("--tests", nargs="+", required=True, help="files and folders of tests")
    parser.add_argument("--faults", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    files = [
        file
        for path in given.sources
        for file in ([path] if path.is_file() else sorted(path.rglob("*.py")))
    ]
    faults = [fault for file in files for fault in faults_of(file.resolve())]
    chosen = random.Random(given.seed).sample(faults, min(given.faults, len(faults)))
    import numba  # noqa: F401  each fork has them already
    import torch  # noqa: F401

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(ROOT, Path(folder) / "copy", ignore=LEFT_OUT))
        seconds = cache(lambda marks: _seconds(copy, given.tests, marks))
        seconds(QUICK)
        caught = dict.fromkeys((QUICK, ALL), 0)
        for fault in chosen:
            faulty = copy / fault.path.relative_to(ROOT)
            by = None
            for marks in caught:
                longest = seconds(marks)
                faulty.write_text(fault.text, encoding="utf-8")
                passes = run_tests(copy, given.tests, marks, longest)
                shutil.copy2(fault.path, faulty)
                if not passes:
                    by = marks
                    break
            for marks in caught:
                caught[marks] += by in (QUICK, marks)
            print(f"{fault.path.relative_to(ROOT)}:{fault.line}: {fault.what}: {by or 'SURVIVES'}")
    print(
        f"{caught[QUICK]} of {len(chosen)} faults are caught by quick tests, {caught[ALL]} by all"
    )


def _seconds(copy: Path, tests: Sequence[str], marks: str) -> float:
    """The longest that the tests may take; they have to pass without a fault."""
    began = time.monotonic()
    assert run_tests(copy, tests, marks, 1e4), f"the tests fail without a fault: -m {marks!r}"
    return 60 + LONGEST * (time.monotonic() - began)


if __name__ == "__main__":
    main()
