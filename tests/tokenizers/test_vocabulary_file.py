from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretext.base.errors import CorpusError
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.tokenizers.vocabulary_file import read_vocabulary, write_vocabulary

FORMULAS = ["=1+1", "+a", "-a", "@a", "\ra", '"=1"', "'", "'=1", "''", "a'", "a=b"]
WORDS = st.lists(
    st.one_of(
        st.sampled_from(FORMULAS),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n")),
    ).filter(lambda word: word != "[UNK]"),
    unique=True,
)


def vocabulary_of(words: list[str]) -> Vocabulary:
    return Vocabulary(["[UNK]", *words], np.arange(len(words) + 1))


@settings(deadline=None, max_examples=50)
@given(words=WORDS)
def test_written_and_read_it_is_equal(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    path = tmp_path_factory.mktemp("vocabulary") / "vocabulary.tsv"
    write_vocabulary(path, "{}", vocabulary_of(words))
    assert read_vocabulary(path) == ("{}", vocabulary_of(words))


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    path = tmp_path / "vocabulary.tsv"
    write_vocabulary(path, '{"lowercase":true}', vocabulary_of(FORMULAS))
    for line in path.read_bytes().decode().split("\n"):
        assert not any(cell.startswith(tuple('=+-@\r"')) for cell in line.split("\t"))


def test_a_file_of_an_earlier_version_holds_words_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "vocabulary.tsv"
    lines = ['# {"lowercase":true}', "[UNK]\t0", *(f"{w}\t{n}" for n, w in enumerate(FORMULAS, 1))]
    path.write_bytes("\n".join([*lines, ""]).encode())
    assert read_vocabulary(path) == ('{"lowercase":true}', vocabulary_of(FORMULAS))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "line 2|UNK"),
        (b"# {}\n", "line 2"),
        (b"# {}\t?\n[UNK]\t1\n", "line 1 is damaged: it says '?'"),
        (b"# {}\n[UNK]\t1\na", "line 3 is damaged: a line must have"),
        (b"# {}\n[UNK]\t1\na\t1\t2\n", "line 3"),
        (b"# {}\n[UNK]\t1\na\t-1\n", "line 3"),
        (b"# {}\n[UNK]\t1\na\t\n", "line 3"),
        (b"# {}\n[UNK]\t1\na\t1e3\n", "line 3"),
        (b"# {}\n[UNK]\t1\na\t" + b"1" * 31 + b"\n", "line 3"),
        (b"# {}\n[UNK]\t1\na\t" + b"1" * 10_000 + b"\n", "line 3"),
        ("# {}\n[UNK]\t1\na\t²\n".encode(), "line 3"),
        (b"# {}\n[UNK]\t1\na\t9223372036854775807\n", "counts are too large"),
        (b"# {}\n[UNK]\t1\na\t1\na\t1\n", "line 4 is damaged: 'a' occurs twice"),
        (b"# {}\n[UNK]\t1\n" + b"x" * 1001 + b"\t1\n", "line 3 .*: a word has 1,000 bytes at"),
        (b"# {}\na\t1\n[UNK]\t1\n", r"\[UNK\] must be the first word"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_damage_is_a_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "vocabulary.tsv"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=sentence) as caught:
        read_vocabulary(path)
    assert str(path) in str(caught.value)


def test_a_missing_and_a_huge_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "vocabulary.tsv"
    with pytest.raises(CorpusError, match="is missing"):
        read_vocabulary(path)
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(CorpusError, match="bytes"):
        read_vocabulary(path)


@pytest.mark.parametrize("word", ["a\tb", "a\nb"])
def test_words_that_no_file_could_keep_are_not_taken_over(word: str) -> None:
    with pytest.raises(CorpusError, match="cannot be kept"):
        vocabulary_of(["a"]).extended([word], None)
