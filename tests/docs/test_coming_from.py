"""The guide for people from other packages has each public name of theirs, and ours exist."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import foretext as ft
from foretext.cli.app import app

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "coming-from.md"
KINDS = {"same", "other", "no"}


def tables() -> dict[str, list[list[str]]]:
    """Return the rows of the table under each heading."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for line in GUIDE.read_text("utf-8").splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("| `"):
            found.setdefault(heading, []).append([c.strip() for c in line.strip("|").split(" | ")])
    return found


def named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def public(*classes: type, beside: type = object) -> set[str]:
    return {
        name
        for each in classes
        for name in dir(each)
        if not name.startswith("_") and not hasattr(beside, name)
    }


def settings(*classes: Any) -> set[str]:
    return {name for each in classes for name in inspect.signature(each.__init__).parameters} - {
        "self"
    }


def of_keyed_vectors() -> set[str]:
    from gensim.models import KeyedVectors
    from gensim.models.fasttext import FastTextKeyedVectors

    return public(KeyedVectors, FastTextKeyedVectors)


def of_word2vec() -> set[str]:
    from gensim.models import FastText, Word2Vec

    return public(Word2Vec, FastText)


def of_settings() -> set[str]:
    from gensim.models import Doc2Vec, FastText, Word2Vec

    return settings(Word2Vec, FastText, Doc2Vec)


def of_doc2vec() -> set[str]:
    from gensim.models import Doc2Vec

    return public(Doc2Vec)


def of_phrases() -> set[str]:
    from gensim.models.phrases import FrozenPhrases, Phrases

    return public(Phrases, FrozenPhrases)


def of_fasttext() -> set[str]:
    fasttext = pytest.importorskip("fasttext", reason="fasttext is not installed: make clients")
    from fasttext.FastText import _FastText

    futures = {"absolute_import", "division", "print_function", "unicode_literals"}
    return {name for name in dir(fasttext) if name[0] != "_"} - futures | public(_FastText)


def of_sentence_transformer() -> set[str]:
    import torch
    from sentence_transformers import SentenceTransformer

    return public(SentenceTransformer, beside=torch.nn.Sequential)


def of_encode() -> set[str]:
    from sentence_transformers import SentenceTransformer

    return set(inspect.signature(SentenceTransformer.encode).parameters) - {"self"}


def of_util() -> set[str]:
    from sentence_transformers import util

    return {name for name in util.__all__ if not name.startswith("_")}


SECTIONS: dict[str, Callable[[], set[str]]] = {
    "gensim: KeyedVectors and FastTextKeyedVectors": of_keyed_vectors,
    "gensim: Word2Vec and FastText": of_word2vec,
    "Settings": of_settings,
    "gensim: Doc2Vec": of_doc2vec,
    "gensim: Phrases": of_phrases,
    "fastText's Python module": of_fasttext,
    "sentence-transformers: SentenceTransformer": of_sentence_transformer,
    "Arguments of encode": of_encode,
    "sentence-transformers: util": of_util,
}


def test_each_table_has_a_test() -> None:
    assert set(tables()) == set(SECTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("section", SECTIONS)
def test_each_name_of_theirs_is_there(section: str) -> None:
    rows = tables()[section]
    said = [name for row in rows for name in named(row[0])]
    assert len(said) == len(set(said)), "a name stands in two rows"
    theirs = SECTIONS[section]()
    assert theirs - set(said) == set(), "they have it, and the table does not"
    if section != "fastText's Python module":  # `f`, `words` and `labels` are of an instance
        assert set(said) - theirs == set(), "the table has it, and they do not"


@pytest.mark.parametrize("section", SECTIONS)
def test_each_row_says_what_kind_it_is(section: str) -> None:
    for row in tables()[section]:
        assert len(row) == 3, row
        assert row[1] in KINDS, row
        if row[1] == "no":
            assert len(row[2]) > 5 or row[0] == "`kwargs`", f"{row[0]}: no reason"


def ours() -> Iterator[str]:
    for rows in tables().values():
        for _, _, cell in rows:
            for name in named(cell):
                if re.match(r"(ft|foretext)[. ]|[A-Z]\w+\.", name):
                    yield name


@pytest.mark.parametrize("name", sorted(set(ours())))
def test_each_name_of_ours_exists(name: str) -> None:
    first, *rest = re.split(r"[. ]", name)
    if name.startswith("foretext "):
        assert rest[0] in set(typer.main.get_command(app).commands), name
        return
    if first == "foretext":
        module, *last = name.rsplit(".", 1)
        try:
            importlib.import_module(name)
        except ImportError:
            assert hasattr(importlib.import_module(module), last[0]), name
        return
    where = ft if first == "ft" else getattr(ft, first)
    assert hasattr(where, rest[0]) or is_set_in(where, rest[0]), name


def is_set_in(where: type, name: str) -> bool:
    """Whether the constructor of a class sets an attribute."""
    bodies = (inspect.getsource(each) for each in where.__mro__ if each is not object)
    return any(re.search(rf"self\.{name}(,.*)? = |^    {name}: ", body, re.M) for body in bodies)


def test_settings_of_ours_exist() -> None:
    known = {name for each in (ft.Word2Vec, ft.FastText, ft.Doc2Vec) for name in each.defaults()}
    for theirs, kind, cell in tables()["Settings"]:
        if kind == "same":
            assert set(named(theirs)) <= known, theirs
        elif kind == "other" and re.match(r"`\w+`:", cell):
            assert named(cell)[0] in known, cell
