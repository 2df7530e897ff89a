from __future__ import annotations

import sys
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError, OutputError
from foretext.corpus import Corpus
from foretext.demonstration.docstrings import harvest_docstrings, write_docstrings

MODULE = '''
"""The module is documented in a few words. It has a second sentence."""

LONG_TEXTS = {"if": """%s\n\nThe second part of it is here."""}

class Thing:
    """A thing of which there is one."""

    def method(self):
        """The method of a thing is this."""
        raise SystemExit("nothing of this is ever run")

def repeated():
    """A thing of which there is one."""

raise SystemExit("the file is never imported")
''' % ("The statement is in the reference. " * 6)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "packages"
    (folder / "thing" / "tests").mkdir(parents=True)
    (folder / "thing" / "__init__.py").write_text(MODULE)
    (folder / "thing" / "tests" / "test_thing.py").write_text('"""The tests are not a text."""')
    (folder / "python2.py").write_text('"""This is from the old days."""\nprint "hello"\n')
    (folder / "nul.py").write_bytes(b'"""This is not the way to do it."""\0')
    (folder / "escape.py").write_text('"""The escape \\d is not for the parser to warn of."""')
    (folder / "latin.py").write_bytes(
        b'# coding: latin-1\n"""The caf\xe9 is in the old encoding of it."""'
    )
    return folder


def test_documents_in_order_without_repetition(folder: Path) -> None:
    reference = "\n".join(["The statement is in the reference."] * 6)
    assert [document.text for document in harvest_docstrings([folder])] == [
        "The escape \\d is not for the parser to warn of.",
        "The café is in the old encoding of it.",
        "The module is documented in a few words.\nIt has a second sentence.",
        f"{reference}\nThe second part of it is here.",
        "A thing of which there is one.",
        "The method of a thing is this.",
    ]


def test_the_limit_is_kept(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "demo.txt"
    write_docstrings(path, [folder], limit_bytes=150, quiet=True)
    whole = [document.text for document in harvest_docstrings([folder])]
    assert path.stat().st_size <= 150
    assert path.read_text(encoding="utf-8") == "".join(f"{text}\n\n" for text in whole[:2])


def test_the_file_is_a_corpus(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "demo.txt"
    documents = write_docstrings(path, [folder])
    assert "reading docstrings  100 %" in capsys.readouterr().err
    assert len(documents) == 6
    assert documents == list(harvest_docstrings([folder]))
    assert list(Corpus(path)) == [document.text for document in documents]


def test_each_document_knows_its_package(tmp_path: Path) -> None:
    for name, word in (("ships/sail.py", "sails"), ("fields.py", "grows")):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f'"""A thing that {word} in the morning of a day."""\n')
    found = {document.package: document.text for document in harvest_docstrings([tmp_path])}
    assert found == {
        "ships": "A thing that sails in the morning of a day.",
        "fields": "A thing that grows in the morning of a day.",
    }


def test_the_standard_library_alone_is_a_corpus() -> None:
    json = next(Path(name) for name in sys.path if Path(name, "json", "decoder.py").exists())
    text = "\n".join(document.text for document in harvest_docstrings([json / "json"]))
    assert "JavaScript Object Notation" in text
    assert ">>>" not in text


def test_no_docstring_is_no_corpus(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match=r"empty: no docstring was found; use a text of your own"):
        write_docstrings(tmp_path / "demo.txt", [tmp_path / "empty"], quiet=True)
    assert not (tmp_path / "demo.txt").exists()


def test_a_place_that_cannot_be_written_is_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        write_docstrings(tmp_path / "file" / "demo.txt", [folder], quiet=True)
