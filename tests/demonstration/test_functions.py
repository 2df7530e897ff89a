"""Functions of packages and what their docstrings say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.demonstration.functions import LONGEST_CODE, harvest_functions, write_functions

MODULE = '''
"""The module is documented in a few words."""

class Thing:
    """A thing of which there is one."""

    @property
    def size(self) -> int:
        """The number of parts that it has. They are counted."""
        return len(self.parts)  # a comment

    def copy(self):
        """The number of parts that it has."""
        return self.size

    def twin(self):
        """Give the size of it another name."""
        return len(self.parts)

def outer(x):
    """Return what is left of a number.

    Args:
        x: it.
    """
    def inner():
        """This is a part of the outer one."""
        return x
    return inner()

def abstract():
    """A function that is still to be written by you."""
    raise NotImplementedError

def empty():
    """A function without a body of its own is this."""

def short():
    """Not prose."""
    return 1

def undocumented():
    return 2

def long():
    """A function that is long and is left out."""
    return "%s"
''' % ("x" * LONGEST_CODE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "packages" / "thing"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(MODULE)
    return folder.parent


def test_code_without_docstrings_and_the_first_sentence(folder: Path) -> None:
    found = [(function.code, function.summary) for function in harvest_functions([folder])]
    assert found == [
        (
            "def size(self) -> int:\n    return len(self.parts)",
            "The number of parts that it has.",
        ),
        ("def twin(self):\n    return len(self.parts)", "Give the size of it another name."),
        (
            "def outer(x):\n\n    def inner():\n        return x\n    return inner()",
            "Return what is left of a number.",
        ),
    ]


def test_each_file_is_for_training_or_for_the_test(folder: Path, tmp_path: Path) -> None:
    for number in range(40):
        text = f'def f{number}():\n    """Return the number {number} of it and no other one."""\n'
        (folder / f"module{number}.py").write_text(f"{text}    return {number}\n")
    train, test = tmp_path / "train.jsonl", tmp_path / "test.jsonl"
    counts = write_functions(train, test, [folder])
    rows = [[json.loads(line) for line in path.read_text().splitlines()] for path in (train, test)]
    assert counts == tuple(map(len, rows))
    assert sum(counts) == 43
    assert counts[1] > 0
    assert set(rows[0][0]) == {"source", "target"}
    sources = [{row["source"] for row in part} for part in rows]
    assert not sources[0] & sources[1]


def test_a_limit_of_functions(folder: Path, tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    counts = write_functions(*paths, [str(folder)], limit=2)
    assert sum(counts) == 2


def test_folders_without_functions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="No documented function was found; name folders"):
        write_functions(tmp_path / "a.jsonl", tmp_path / "b.jsonl", [tmp_path])
    assert not (tmp_path / "a.jsonl").exists()
