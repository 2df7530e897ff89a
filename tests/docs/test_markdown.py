"""The reading of Markdown that the documents are tested by."""

from __future__ import annotations

from pathlib import Path

from tests.docs.markdown import Block, blocks_of, commands_of, links_of

TEXT = """\
# A page
See [the other](other.md#part), [the site](https://example.org) and [below](#below).

```python
x = 1
```
```python model.py
y = 2
```
```console
$ foretext list --json   # all of them
{"recipes": []}
$ cd there && foretext \\
    neighbors run king
```
```
[no](link.md)
```
"""


def test_blocks_and_links(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(TEXT)
    python, file, console, bare = blocks_of(path)
    assert python == Block(path, 5, "python", "x = 1\n")
    assert file == Block(path, 8, "python", "y = 2\n", "model.py")
    assert str(console) == "page.md, line 11"
    assert bare.language == ""
    assert links_of(path) == ["other.md"]


def test_commands(tmp_path: Path) -> None:
    console = [
        ["foretext", "list", "--json"],
        ["cd", "there"],
        ["foretext", "neighbors", "run", "king"],
    ]
    path = tmp_path / "page.md"
    path.write_text(TEXT)
    assert commands_of(blocks_of(path)[2]) == console
    shell = Block(path, 1, "sh", "# first\nFORETEXT_DATA='my data' make bench\n\nmake test\n")
    assert commands_of(shell) == [["make", "bench"], ["make", "test"]]
