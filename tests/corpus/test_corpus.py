from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path

import fsspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foretext.base.errors import CorpusError
from foretext.corpus import Corpus, CorpusConfig
from tests.corpus.wrapped_texts import book, paragraphs


def corpus_of(folder: Path, text: str | bytes, name: str = "a.txt", **config: object) -> Corpus:
    data = text.encode() if isinstance(text, str) else text
    (folder / name).write_bytes(data)
    return Corpus(folder / name, CorpusConfig(**config))  # type: ignore[arg-type]


@given(
    lines=st.lists(st.text(alphabet="ab .é\r\u3000", max_size=6), max_size=12),
    documents=st.sampled_from(["auto", "line", "blank_line"]),
    sentences=st.sampled_from(["line", "punctuation"]),
    size=st.integers(1, 40),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_blocks_and_documents_are_the_same_text(
    tmp_path: Path, lines: list[str], documents: str, sentences: str, size: int
) -> None:
    text = "\n".join([*lines, "end"])
    corpus = corpus_of(tmp_path, text, documents=documents, sentences=sentences)
    blocks = list(corpus.blocks(size))
    found = list(corpus)
    assert "".join(blocks) == "".join(document + "\n\n" for document in found)
    assert all(block.endswith("\n\n") for block in blocks)
    assert all(line.strip() for document in found for line in document.split("\n"))
    assert list(corpus) == found  # restartable


def test_every_format_gives_the_same_documents(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    files = {
        "a.txt": "one\ntwo\n\nthree\nfour\n",
        "b.jsonl": '{"text": "one\\ntwo"}\n{"text": "three\\nfour"}\n',
        "c.csv": 'id,text\n1,"one\ntwo"\n2,"three\n\nfour"\n',
        "e.txt": "\ufeffone\r\ntwo\r\n \r\nthree\r\nfour",
    }
    for name, text in files.items():
        assert list(corpus_of(tmp_path, text, name)) == ["one\ntwo", "three\nfour"], name
        packed = corpus_of(tmp_path, gzip.compress(text.encode()), name + ".gz")
        assert list(packed) == ["one\ntwo", "three\nfour"], name
    pq.write_table(pa.table({"text": ["one\ntwo", "three\nfour"]}), tmp_path / "f.parquet")
    assert list(Corpus(tmp_path / "f.parquet")) == ["one\ntwo", "three\nfour"]
    assert len(list(Corpus(tmp_path))) == 18
    assert list(corpus_of(tmp_path, "text\na\nb\n", "d.tsv")) == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "text", "documents"),
    [
        ("a.txt", "one\ntwo\n\nthree\nfour\n", ["one\ntwo", "three\nfour"]),
        ("a.csv", 'id,text\n1,"one, two"\n2,three\n', ["one, two", "three"]),
        ("a.tsv", "text\tid\none\t1\n\u2028two\x85\t2\n", ["one", "\u2028two\x85"]),
        ("a.jsonl", '{"text": "one"}\n{"text": "two"}', ["one", "two"]),
    ],
)
@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_line_ends_of_other_systems(
    tmp_path: Path, name: str, text: str, documents: list[str], end: str
) -> None:
    path = tmp_path / name
    path.write_bytes(text.replace("\n", end).encode())
    assert list(Corpus(path)) == documents


def test_blocks_have_about_the_size_that_was_asked_for(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "some words in a line\n" * 100_000)
    sizes = [len(block) for block in corpus.blocks(300_000)]
    assert all(300_000 <= size < 500_000 for size in sizes[:-1])
    assert len(list(corpus.blocks())) == 1


def test_blank_lines_tell_documents_unless_set(tmp_path: Path) -> None:
    text = "a\nb\n\nc\nd\n"
    assert corpus_of(tmp_path, text).resolved.documents == "blank_line"
    assert list(corpus_of(tmp_path, text, documents="line")) == ["a", "b", "c", "d"]


def test_wrapped_lines_are_joined_where_there_is_no_doubt(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, book())
    assert (corpus.resolved.lines, corpus.resolved.documents) == ("wrapped", "blank_lines")
    chapters = list(corpus)
    assert [chapter.split("\n")[0] for chapter in chapters] == [f"CHAPTER {n}" for n in range(1, 5)]
    assert chapters[0].split("\n")[1:] == paragraphs(9)
    as_it_is = corpus_of(tmp_path, book(), lines="whole", documents="line")
    assert list(as_it_is) == [line for line in book().split("\n") if line]


def test_rows_have_no_layout(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "one"}\n')
    corpus = Corpus(tmp_path / "a.jsonl")
    assert corpus.resolved == corpus.config


def test_a_line_of_one_hundred_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(100):
            file.write(b"word " * 200_000)
    documents = list(Corpus(path))
    assert sum(len(document) for document in documents) == 100_000_000 - (len(documents) - 1)
    assert max(map(len, documents)) <= 1 << 20


def test_settings_reach_the_text(tmp_path: Path) -> None:
    text = "It rains. We stay.\nﬁne\n"
    corpus = corpus_of(tmp_path, text, sentences="punctuation", normalization="NFKC")
    assert list(corpus) == ["It rains.\nWe stay.", "fine"]
    assert list(corpus_of(tmp_path, "é".encode("latin-1"), encoding="latin-1")) == ["é"]
    assert list(corpus_of(tmp_path, "e\u0301")) == ["é"]
    assert list(corpus_of(tmp_path, '{"body": "x"}', "a.log", format="jsonl", column="body")) == [
        "x"
    ]


def test_bytes_read_and_num_bytes(tmp_path: Path) -> None:
    corpus_of(tmp_path, "a line\n" * 50_000, "a.txt")
    corpus_of(tmp_path, gzip.compress(b"another line\n" * 50_000), "b.txt.gz")
    corpus = Corpus(tmp_path)
    read = [corpus.bytes_read for _ in corpus.blocks(1000)]
    assert read == sorted(read)
    assert 0 < read[0] < 350_000
    assert corpus.bytes_read == corpus.num_bytes == sum(map(os.path.getsize, tmp_path.iterdir()))


def test_fingerprint(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a\n")
    assert corpus.fingerprint == Corpus(str(tmp_path / "a.txt")).fingerprint
    assert corpus.fingerprint != corpus_of(tmp_path, "a\n", sentences="punctuation").fingerprint
    assert corpus.fingerprint != corpus_of(tmp_path, "ab\n").fingerprint


def test_standard_input_can_be_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    data = gzip.compress(b"one\ntwo\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    corpus = Corpus("-")
    assert list(corpus) == list(corpus) == ["one", "two"]
    assert corpus.num_bytes is None
    assert corpus.bytes_read == len(data)


def test_urls() -> None:
    with fsspec.open("memory://corpus/a.txt", "w") as file:
        file.write("one\ntwo\n")
    corpus = Corpus("memory://corpus")
    assert list(corpus) == ["one", "two"]
    assert corpus.bytes_read == corpus.num_bytes == 8


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.txt", ""), ("a.txt", " \n\n\r\n"), ("a.jsonl", '{"text": ""}\n'), ("a.csv", "text\n")],
)
def test_an_empty_corpus_is_refused(tmp_path: Path, name: str, text: str) -> None:
    corpus = corpus_of(tmp_path, text, name)
    with pytest.raises(CorpusError, match=rf"{name}: there is no text in it; give another"):
        list(corpus)


def test_errors_name_file_and_line(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"a\.txt, line 3: byte 4 \(0xff\) is not utf-8"):
        list(corpus_of(tmp_path, b"a\nb\n\xff\n"))
    with pytest.raises(CorpusError, match=r"a\.jsonl, line 2: this is not JSON"):
        list(corpus_of(tmp_path, '{"text": "a"}\n{', "a.jsonl"))


@pytest.mark.shared_data
def test_real_text(shared_data: Path) -> None:
    corpus = Corpus(shared_data / "wikitext-2" / "test.txt.xz")
    text = "".join(corpus.blocks())
    assert len(text.split()) == 241_211
