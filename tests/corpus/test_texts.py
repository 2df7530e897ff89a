"""Texts in memory or names of files: which of the two, and nothing in between."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest

import foretext as ft
from foretext.base.errors import CorpusError
from foretext.corpus import Corpus, CorpusConfig
from foretext.corpus.inspection import inspect_corpus
from foretext.corpus.texts import are_tokens, found_sources, iterate_texts, texts

TEXTS = ["the ship sails\nin the harbour", "a judge in the court", "", "the tide"]
DOCUMENTS = [TEXTS[0], TEXTS[1], TEXTS[3]]


class Frame:
    """A table as pandas and polars have it."""

    columns = ("text", "stars")

    def __getitem__(self, name: str) -> list[Any]:
        return {"text": TEXTS, "stars": [1, 2, 3, 4]}[name]


class DataSet:
    """Rows as the library datasets has them."""

    column_names = ("text",)

    def __getitem__(self, name: str) -> list[str]:
        return TEXTS


def documents(given: Any, **settings: Any) -> list[str]:
    config = CorpusConfig(**settings)
    return list(Corpus(found_sources(given, config.column), config))


@pytest.mark.parametrize(
    "given",
    [
        TEXTS,
        tuple(TEXTS),
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        [TEXTS[0], TEXTS[1], None, TEXTS[3]],
        [TEXTS[0], TEXTS[1], float("nan"), TEXTS[3]],
        [{"text": text, "stars": 1} for text in TEXTS],
        {"text": TEXTS, "stars": [1, 2, 3, 4]},
        pyarrow.table({"text": TEXTS}),
        pyarrow.array(TEXTS),
        Frame(),
        DataSet(),
    ],
    ids=lambda given: type(given).__name__,
)
def test_every_form_gives_the_same_documents(given: Any) -> None:
    assert documents(given) == DOCUMENTS


def test_a_generator_is_read_once_and_can_be_read_again() -> None:
    seen = []

    def stream() -> Iterator[str]:
        for text in TEXTS:
            seen.append(text)
            yield text

    corpus = Corpus(found_sources(stream()), CorpusConfig())
    assert list(corpus) == list(corpus) == DOCUMENTS
    assert seen == TEXTS
    assert corpus.num_bytes
    assert str(corpus) == "4 texts in memory"


def test_texts_are_what_a_file_of_rows_would_be(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("one two\nthree four\n")
    lines = [" one two", "three  four "]
    file = Corpus(path, CorpusConfig(documents="line"))
    assert len(documents(lines)) == len(list(file)) == 2
    assert documents(["Kaf\u0065\u0301"]) == ["Kaf\u00e9"]  # normalised as files are
    assert documents(["One. Two."], sentences="punctuation") == ["One.\nTwo."]


def test_a_column_of_another_name() -> None:
    assert documents([{"body": "a text"}], column="body") == ["a text"]
    with pytest.raises(CorpusError, match="row 1 in memory: there is no column 'text'"):
        documents([{"body": "a text"}])
    with pytest.raises(CorpusError, match="there is no column 'body', only 'text', 'stars'"):
        documents(Frame(), column="body")


def test_lists_of_words_stay_as_they_are() -> None:
    source = found_sources([["The", "ship-yard", "é"], ("A", " ", "", "tide")])
    assert are_tokens(source)
    assert not are_tokens(found_sources(TEXTS))
    assert list(Corpus(source, CorpusConfig(normalization="none"))) == [
        "The ship-yard é",
        "A tide",
    ]
    with pytest.raises(CorpusError, match="text 1 in memory has the word 'New York', with white"):
        found_sources([["New York"]])
    with pytest.raises(CorpusError, match="text 2 in memory is a str"):
        found_sources([["a"], "b c"])


def test_names_of_files_stay_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.txt").write_text("a\n")
    Path("folder").mkdir()
    Path("folder/two.txt").write_text("b\n")
    files = ["one.txt", "folder", "fold*/*.txt", "https://example.org/three.txt", "-"]
    assert found_sources(files) == files
    assert found_sources(Path("one.txt")) == Path("one.txt")
    assert found_sources(Path().glob("*.txt")) == [Path("one.txt")]
    assert found_sources("nothing.txt") == "nothing.txt"  # `Corpus` says what is wrong with it
    given = texts(["one.txt", "folder"])
    assert list(Corpus(given, CorpusConfig())) == ["one.txt", "folder"]
    assert ft.texts(given) is given
    for mixed in (["one.txt", "a text"], ["a text", "one.txt"]):
        with pytest.raises(
            CorpusError, match=r"correct the name, or write foretext.texts\(\[...]\)"
        ):
            found_sources(mixed)


@pytest.mark.parametrize(
    "given",
    [
        ["corpus.txt"],
        ["corpus.jsonl.gz", "the ship sails"],
        ["the ship sails", "/data/wiki"],
        (name for name in ["a text", "more.parquet"]),
        ["wiki_en", "wiki_zh"],
        ["./*.txt"],
    ],
    ids=["file", "packed file", "path", "generator", "names", "glob"],
)
def test_what_looks_like_a_path_is_never_learned_from(
    given: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CorpusError, match=r"there is no such file or folder.*foretext\.texts"):
        found_sources(given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "No corpus was given"),
        (["a text", 3], "text 2 in memory is '3' of type int"),
        (b"bytes", "a single text"),
        (3, "int is nothing to read texts from"),
        ("a text\nof two lines", "put it into a list"),
        ("this is a whole text of more than eight words", "put it into a list"),
    ],
)
def test_what_is_no_text_is_refused(given: Any, said: str) -> None:
    with pytest.raises(CorpusError, match=said):
        found_sources(given)


def test_a_question_is_a_text_and_no_glob() -> None:
    assert documents(["What is it?", "[sic] and so on"]) == ["What is it?", "[sic] and so on"]


def test_an_error_of_the_users_generator_is_theirs() -> None:
    def broken() -> Iterator[str]:
        yield "a text"
        raise OSError("theirs")

    with pytest.raises(OSError, match="theirs"):
        texts(broken())


def test_half_a_character_is_named_by_its_place() -> None:
    with pytest.raises(CorpusError, match=r"2 texts in memory, line 2.*surrogate"):
        documents(["a text", "half \ud83d of it"])


def test_settings_of_files_have_no_effect() -> None:
    settings = {"format": "csv", "encoding": "latin-1"}
    corpus = Corpus(texts(TEXTS), CorpusConfig(**settings))
    assert list(corpus) == DOCUMENTS
    again = corpus.reread(CorpusConfig(documents="blank_line", lines="wrapped"))
    assert list(again) == DOCUMENTS
    report = inspect_corpus(again)
    assert (report.documents, report.formats) == (3, {"jsonl": 1})


def test_identity_is_that_of_the_content() -> None:
    one, same, other = texts(["a b"]), texts(["a b"]), texts(["a c"])
    assert one.identity == same.identity != other.identity


def test_the_temporary_file_goes_with_the_source() -> None:
    source = texts(["a b"])
    with source.open() as file:
        path = Path(file.name)
    assert path.is_file()
    del source, file
    gc.collect()
    assert not path.exists()


def test_texts_are_iterated_without_a_file() -> None:
    assert list(iterate_texts(TEXTS)) == TEXTS
    assert list(iterate_texts([["a", "b"]])) == ["a b"]
    assert list(iterate_texts(texts(TEXTS))) == TEXTS
    assert list(iterate_texts(["one.txt"])) == ["one.txt"]  # a text: there is no file to embed
