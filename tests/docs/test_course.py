"""Every lesson of the course runs, prints what it says that it prints, and becomes a notebook.

The blocks of a page run in order in an empty folder, ``python`` in one namespace, ``console`` and
``sh`` command by command. A block ``output`` is what the block before it prints, where ``...``
stands for anything. A block whose first line is ``# needs FORETEXT_DATA`` runs where that variable
names the public data sets, and the blocks that follow do not know its names, as they have to run
without it. A page in another language has the same blocks, and runs without data where something
is printed in that language. `tests/docs/test_translations.py` compares the blocks of both
languages.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import json
import os
import shutil
import symtable
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foretext.demonstration import docstrings
from foretext.demonstration.docstrings import write_docstrings
from tests.docs.commands import ROOT, run_command
from tests.docs.markdown import Block, blocks_of, commands_of, links_of
from tools.notebooks import NEEDS_DATA, SHELLS, lessons, notebook_of, write_notebooks

PAGES = lessons()
LANGUAGES = {"zh": "zh_CN.UTF-8"}
PRINTED = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
RUN = ("python", *SHELLS)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT / "docs"))


def language_of(page: Path) -> str:
    first = page.relative_to(ROOT / "docs").parts[0]
    return first if first in LANGUAGES else "en"


def needs_data(block: Block) -> bool:
    return block.text.startswith(NEEDS_DATA)


class Reader:
    """Who copies the blocks of a page one after the other."""

    def __init__(self, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.page, self.monkeypatch = page, monkeypatch
        self.namespace: dict[str, object] = {"__name__": "__main__"}
        self.of_data: dict[str, object] = {}  # names that blocks with data add

    def run(self, block: Block) -> str:
        """What a block prints."""
        names = self.namespace | self.of_data if needs_data(block) else self.namespace
        printed = io.BytesIO()  # not of text alone: commands guard the bytes that they write
        stream = io.TextIOWrapper(printed, encoding="utf-8", newline="\n", write_through=True)
        with contextlib.redirect_stdout(stream):
            if block.file:
                Path(block.file).write_text(block.text, encoding="utf-8")
            elif block.language == "python":
                lines = "\n" * (block.line - 1) + block.text  # a traceback has the right line
                exec(compile(lines, str(self.page), "exec"), names)
            else:
                for words in commands_of(block):
                    run_command(words, block, self.monkeypatch)
        if needs_data(block):
            self.of_data = {
                name: value
                for name, value in names.items()
                if self.namespace.get(name, self) is not value
            }
        return printed.getvalue().decode("utf-8")

    def read(self, *, with_data: bool) -> None:
        """Run all blocks, and compare what they print."""
        printed = None
        for block in blocks_of(self.page):
            if block.language in RUN:
                skipped = needs_data(block) and not with_data
                printed = None if skipped else self.run(block)
            elif block.language == "output" and printed is not None:
                matches = doctest.OutputChecker().check_output(block.text, printed, PRINTED)
                assert matches, f"{block}: it prints\n{printed}"


def prints_what_no_other_does(page: Path) -> bool:
    """Whether a page is English, or says that it prints something in another language."""
    original = ROOT / "docs" / "course" / page.name
    own, theirs = (
        [block.text for block in blocks_of(path) if block.language == "output"]
        for path in (page, original)
    )
    return page == original or own != theirs


def reads_data(page: Path) -> bool:
    """Whether blocks with data run; those of a page in another language are the same."""
    return language_of(page) == "en" and any(map(needs_data, blocks_of(page)))


def with_cases() -> list[object]:
    cases: list[object] = []
    for page in filter(prints_what_no_other_does, PAGES):
        marks = [pytest.mark.slow, *[pytest.mark.shared_data] * reads_data(page)]
        cases.append(pytest.param(page, id=name_of(page), marks=marks))
    return cases


@pytest.fixture(scope="module")
def write_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., None]:
    """In place of `write_docstrings`: the same text, which is read out of Python once."""
    kept = tmp_path_factory.mktemp("docstrings")

    def write(path: Path, folders: list[Path], **options: Any) -> None:
        copy = kept / "-".join([*(folder.name for folder in folders), *map(str, options.values())])
        if not copy.exists():
            write_docstrings(copy, folders, **options)
        shutil.copyfile(copy, path)

    return write


@pytest.mark.parametrize("page", with_cases())
def test_a_lesson_runs_and_prints_what_it_says(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write_once: Callable[..., None],
) -> None:
    folder = os.environ.get("FORETEXT_DATA", "")
    with_data = bool(folder) and Path(folder).is_dir() and reads_data(page)
    if with_data:
        monkeypatch.setenv("FORETEXT_DATA", str(Path(folder).resolve()))
    monkeypatch.setattr(docstrings, "write_docstrings", write_once)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("FORETEXT_LANG", raising=False)
    for name in ("LC_ALL", "LANG"):
        monkeypatch.setenv(name, LANGUAGES.get(language_of(page), "C.UTF-8"))
    Reader(page, monkeypatch).read(with_data=with_data)
    if reads_data(page) and not with_data:
        pytest.skip(
            "all blocks ran but those with data: FORETEXT_DATA names no folder of data sets"
        )


def names_set_again(blocks: list[Block]) -> dict[str, int]:
    """Names that a block with data changes and a later one reads, with the line of the latter.

    In a notebook all blocks share their names, and so the later one would read another value.
    """
    own: set[str] = set()
    changed: set[str] = set()
    found = {}
    for block in blocks:
        table = symtable.symtable(block.text, str(block.line), "exec")
        bound = {each.get_name() for each in table.get_symbols() if each.is_assigned()}
        if needs_data(block):
            changed |= own & bound - {e.get_name() for e in table.get_symbols() if e.is_imported()}
            continue
        read = {name.id for name in ast.walk(ast.parse(block.text)) if isinstance(name, ast.Name)}
        found |= dict.fromkeys(changed & read - bound, block.line)
        own |= bound
        changed -= bound
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_block_with_data_changes_no_name_of_a_later_block(page: Path) -> None:
    blocks = [block for block in blocks_of(page) if block.language == "python" and not block.file]
    assert names_set_again(blocks) == {}


def test_a_changed_name_is_found(tmp_path: Path) -> None:
    texts = ["a = b = 1\n", f"{NEEDS_DATA}\na = b = c = 2\n", "b = 3\nprint(a, b)\n"]
    blocks = [
        Block(tmp_path / "01-a.md", line, "python", text) for line, text in enumerate(texts, 1)
    ]
    assert names_set_again(blocks) == {"a": 3}


def test_blocks_after_one_with_data_do_not_know_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = [
        "own = 1\n",
        f"{NEEDS_DATA}\nread, own = 2, 3\n",
        "print(own, 'read' in globals())\n",
        f"{NEEDS_DATA}\nprint(own, read)\n",
    ]
    page = tmp_path / "01-a.md"
    reader = Reader(page, monkeypatch)
    printed = [reader.run(Block(page, 1, "python", text)) for text in blocks]
    assert printed == ["", "", "1 False\n", "3 2\n"]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_lesson_is_a_notebook_with_the_same_code(page: Path) -> None:
    cells = notebook_of(page)["cells"]
    code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
    blocks = [block for block in blocks_of(page) if block.language in RUN]
    assert len(code) == len(blocks)
    for source, block in zip(code, blocks, strict=True):
        if block.language == "python":
            assert source.rstrip() == block.text.rstrip()
        else:
            commands = "\n".join(line.removeprefix("!") for line in source.split("\n"))
            shell = block._replace(language="sh", text=commands)
            assert commands_of(shell) == commands_of(block)
    prose = "".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    assert "```python" not in prose


@pytest.mark.skipif(not PAGES, reason="there is no lesson")
def test_all_notebooks_are_of_the_standard_format(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    written = write_notebooks(tmp_path)
    assert len(written) == len(PAGES)
    for path in written:
        nbformat.validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", ["```output\n1\n```\n", "# Title\nProse.\n\n```output\n2\n```\n"])
def test_output_without_code_is_refused(page: str, tmp_path: Path) -> None:
    path = tmp_path / "01-a.md"
    path.write_text(page)
    with pytest.raises(ValueError, match=r"01-a\.md: the block of output .* follows no code"):
        notebook_of(path)


PAGE = """\
# Title
Prose with $x$ and [a guide](../guides/a.md), and [the paper](https://example.org/p).

![A dot](dot.svg)

```python
# needs FORETEXT_DATA
print(1)
```
```output
1
```
```console
$ foretext list --json   # all
{}
$ foretext list
```
```text
stays
```
"""


def test_what_a_page_becomes(tmp_path: Path) -> None:
    (tmp_path / "course").mkdir()
    page = tmp_path / "course" / "01-a.md"
    page.write_text(PAGE)
    (page.parent / "dot.svg").write_text("<svg/>")
    first, code, shell, last = notebook_of(page)["cells"]
    assert "](attachment:dot.svg)" in first["source"]
    assert first["attachments"]["dot.svg"] == {"image/svg+xml": "PHN2Zy8+"}
    assert "a guide, and [the paper](https://example.org/p)" in first["source"]
    assert code["outputs"][0]["text"] == "1\n"
    assert code["metadata"] == {"tags": ["raises-exception"]}
    assert shell["source"] == "!foretext list --json   # all\n!foretext list"
    assert last["source"] == "```text\nstays\n```"
    (written,) = write_notebooks(tmp_path / "made", docs=tmp_path)
    assert written == tmp_path / "made" / "course" / "01-a.ipynb"


@pytest.mark.parametrize("folder", ["course", "zh/course"])
def test_every_lesson_is_in_the_list(folder: str) -> None:
    index = ROOT / "docs" / folder / "index.md"
    names = {page.name for page in index.parent.glob("[0-9]*.md")}
    assert names == {link for link in links_of(index) if link[0].isdigit()}
