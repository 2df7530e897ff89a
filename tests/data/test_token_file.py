from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretext.base.errors import CorpusError, OutputError
from foretext.base.parsing import array_file
from foretext.corpus import Corpus
from foretext.data import TokenFile, Tokens, write_tokens
from foretext.tokenizers import Vocabulary, WordTokenizer


class BlocksOf(Corpus):
    """A corpus cut into blocks of another size, which counts its passes."""

    def __init__(self, path: Path, size: int = 4 << 20) -> None:
        super().__init__(path)
        self.size = size
        self.num_passes = 0

    def blocks(self, size: int = 0) -> Iterator[str]:
        self.num_passes += 1
        return super().blocks(self.size)


def tokenizer_of(num_words: int) -> WordTokenizer:
    words = ["[UNK]", *(f"w{n}" for n in range(1, num_words))]
    config = WordTokenizer.Config(pre_tokenizer="whitespace", min_count=1)
    return WordTokenizer(config, Vocabulary(words, np.ones(num_words, np.int64)))


TOKENIZER = tokenizer_of(50)


@pytest.fixture
def corpus(tmp_path: Path) -> Callable[..., BlocksOf]:
    def write(text: str, size: int = 4 << 20) -> BlocksOf:
        path = tmp_path / "corpus.txt"
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)
        return BlocksOf(path, size)

    return write


def documents(tokens: TokenFile | None) -> list[list[list[int]]]:
    """Ids as documents of sentences."""
    assert tokens is not None
    spans = zip(tokens.document_starts[:-1], tokens.document_starts[1:], strict=True)
    return [
        [
            tokens.ids[a:b].tolist()
            for a, b in zip(tokens.sentence_starts[:-1], tokens.sentence_starts[1:], strict=True)
            if first <= a < last
        ]
        for first, last in spans
    ]


def many_documents(num_documents: int) -> str:
    rng = np.random.default_rng(3)
    return "".join(
        "".join(
            f"{' '.join(f'w{n}' for n in rng.integers(1, 60, rng.integers(1, 9)))}\n"
            for _ in range(rng.integers(2, 5))
        )
        + "\n"
        for _ in range(num_documents)
    )


def plain_documents(text: str) -> list[list[list[int]]]:
    ids = TOKENIZER.vocabulary.ids
    return [
        [[ids.get(word, 0) for word in line.split()] for line in document.splitlines()]
        for document in text.rstrip("\n").split("\n\n")
    ]


def test_worked_example(corpus: Callable[..., BlocksOf], tmp_path: Path) -> None:
    tokens = write_tokens(corpus("w1 w2\nw3\n\nw9 x\nw1\n"), TOKENIZER, tmp_path / "tokens")
    assert tokens.valid is None
    train = tokens.train
    assert train.ids.tolist() == [1, 2, 3, 9, 0, 1]
    assert train.sentence_starts.tolist() == [0, 2, 3, 5, 6]
    assert train.document_starts.tolist() == [0, 3, 6]
    assert (train.num_tokens, train.num_sentences, train.num_documents) == (6, 4, 2)
    assert (train.ids.dtype, train.sentence_starts.dtype) == (np.uint16, np.int64)
    assert isinstance(train.ids, np.memmap)
    assert train.counts()[:4].tolist() == [1, 2, 1, 1]
    assert len(train.counts()) == train.vocab_size == 50
    assert len(train.counts(60)) == 60
    assert documents(TokenFile.open(tmp_path / "tokens" / "train")) == documents(train)


@pytest.mark.skipif(not Path("/proc/self/smaps").is_file(), reason="no /proc to look at")
def test_pages_that_were_read_can_be_let_go(tmp_path: Path) -> None:
    ids = np.arange(1 << 20, dtype=np.uint32)
    ids.tofile(tmp_path / "ids.bin")
    pages = np.memmap(tmp_path / "ids.bin", np.uint32, mode="r")
    train = TokenFile(tmp_path, pages, np.array([0, len(ids)]), np.array([0, len(ids)]), len(ids))

    def resident_kilobytes() -> int:
        smaps = Path("/proc/self/smaps").read_text().split(str(tmp_path / "ids.bin"))[1]
        return int(smaps.split("Rss:")[1].split()[0])

    assert train.counts().max() == 1
    assert resident_kilobytes() == 4096
    train.release()
    assert resident_kilobytes() == 0
    assert np.array_equal(train.ids, ids)


def test_a_large_vocabulary_takes_four_bytes(
    corpus: Callable[..., BlocksOf], tmp_path: Path
) -> None:
    last = 1 << 16
    for num_words, dtype in ((last, np.uint16), (last + 1, np.uint32)):
        text = f"w{num_words - 1} w1"
        train = write_tokens(corpus(text), tokenizer_of(num_words), tmp_path / dtype.__name__).train
        assert (train.ids.tolist(), train.ids.dtype) == ([num_words - 1, 1], dtype)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("size", [1, 700, 4 << 20])
def test_threads_and_blocks_do_not_matter(
    corpus: Callable[..., BlocksOf], tmp_path: Path, workers: int, size: int
) -> None:
    text = many_documents(300)
    wanted = write_tokens(corpus(text), TOKENIZER, tmp_path / "one", valid_rate=0.2, seed=1)
    tokens = write_tokens(
        corpus(text, size), TOKENIZER, tmp_path / "two", valid_rate=0.2, seed=1, workers=workers
    )
    assert documents(tokens.train) == documents(wanted.train)
    assert documents(tokens.valid) == documents(wanted.valid)


@pytest.mark.slow
def test_the_split_is_of_documents_by_the_seed(
    corpus: Callable[..., BlocksOf], tmp_path: Path
) -> None:
    text = many_documents(1000)
    whole = plain_documents(text)
    tokens = write_tokens(corpus(text), TOKENIZER, tmp_path / "tokens", valid_rate=0.1)
    train, valid = documents(tokens.train), documents(tokens.valid)
    assert 70 <= len(valid) <= 130
    assert sorted(train + valid) == sorted(whole)
    assert [document for document in whole if document in valid] == valid
    other = write_tokens(corpus(text), TOKENIZER, tmp_path / "tokens", valid_rate=0.1, seed=1)
    assert documents(other.valid) != valid


@pytest.mark.parametrize("rate", [1e-9, 1 - 1e-9])
def test_both_sides_get_a_document_where_there_are_two(
    corpus: Callable[..., BlocksOf], tmp_path: Path, rate: float
) -> None:
    text = "w1\nw2\n\nw3\nw4\n\nw5\nw6\n"
    tokens = write_tokens(corpus(text), TOKENIZER, tmp_path / "tokens", valid_rate=rate)
    assert documents(tokens.train) == [[[1], [2]], [[3], [4]]]
    assert documents(tokens.valid) == [[[5], [6]]]


def test_of_one_document_the_last_sentences_are_held_out(
    corpus: Callable[..., BlocksOf], tmp_path: Path
) -> None:
    class OneDocument(BlocksOf):
        def blocks(self, size: int = 0) -> Iterator[str]:
            yield "".join(f"w{n}\n" for n in range(1, 11)) + "\n"

    path = tmp_path / "corpus.txt"
    corpus("not read")
    for rate, num_held_out in ((0.01, 1), (0.35, 3), (0.99, 9)):
        tokens = write_tokens(
            OneDocument(path), TOKENIZER, tmp_path / str(rate), valid_rate=rate, seed=5
        )
        ids = list(range(1, 11))
        assert documents(tokens.train) == [[[n] for n in ids[:-num_held_out]]]
        assert documents(tokens.valid) == [[[n] for n in ids[-num_held_out:]]]


def test_one_sentence_leaves_nothing_to_hold_out(
    corpus: Callable[..., BlocksOf], tmp_path: Path
) -> None:
    tokens = write_tokens(corpus("w1 w2"), TOKENIZER, tmp_path / "tokens", valid_rate=0.5)
    assert documents(tokens.train) == [[[1, 2]]]
    assert tokens.valid is None


def test_equal_work_is_done_once(corpus: Callable[..., BlocksOf], tmp_path: Path) -> None:
    folder = tmp_path / "tokens"
    text = corpus(many_documents(20))
    first = write_tokens(text, TOKENIZER, folder, valid_rate=0.2)
    again = write_tokens(text, TOKENIZER, folder, valid_rate=0.2, workers=2)
    assert text.num_passes == 1
    assert documents(again.train) == documents(first.train)
    assert documents(again.valid) == documents(first.valid)
    for changed in ({"valid_rate": 0.3}, {"valid_rate": 0.3, "seed": 1}, {}):
        before = text.num_passes
        write_tokens(text, TOKENIZER, folder, **changed)
        assert text.num_passes > before
    assert not (folder / "valid").exists()
    write_tokens(text, tokenizer_of(51), folder)
    assert Tokens.open(folder).train.vocab_size == 51


def test_progress_hears_of_every_byte(corpus: Callable[..., BlocksOf], tmp_path: Path) -> None:
    heard: list[float] = []

    class Listener:
        advance = staticmethod(heard.append)

    text = corpus(many_documents(50), 200)
    write_tokens(text, TOKENIZER, tmp_path / "tokens", workers=2, progress=Listener())
    assert sum(heard) == text.num_bytes


def test_a_corpus_without_words_is_refused(corpus: Callable[..., BlocksOf], tmp_path: Path) -> None:
    tokenizer = WordTokenizer(
        WordTokenizer.Config(pre_tokenizer="unicode_words"), TOKENIZER.vocabulary
    )
    with pytest.raises(CorpusError, match="contains no word"):
        write_tokens(corpus("...\n!"), tokenizer, tmp_path / "tokens")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt"]


def test_other_files_are_not_overwritten(corpus: Callable[..., BlocksOf], tmp_path: Path) -> None:
    text = corpus("w1")
    with pytest.raises(OutputError, match="contains other files, not tokens; choose another"):
        write_tokens(text, TOKENIZER, tmp_path)
    assert (tmp_path / "corpus.txt").read_text() == "w1"


def test_damage_is_named(corpus: Callable[..., BlocksOf], tmp_path: Path) -> None:
    folder = tmp_path / "tokens"
    write_tokens(corpus("w1 w2"), TOKENIZER, folder)
    (folder / "train" / "ids.bin").write_bytes(b"abc")
    with pytest.raises(CorpusError, match=r"ids\.bin is damaged: it has 3 bytes instead of 4"):
        Tokens.open(folder)
    (folder / "train" / "meta.json").write_text("{")
    with pytest.raises(CorpusError, match=r"meta\.json is damaged"):
        Tokens.open(folder)


Change = Callable[[Path], object]


def array_of(path: Path, dtype: str, *numbers: int) -> None:
    np.array(numbers, dtype).tofile(path)


def told(folder: Path, **changes: object) -> None:
    """Change what ``meta.json`` says; None: it says nothing of it."""
    meta = json.loads((folder / "meta.json").read_text()) | changes
    meta = {name: value for name, value in meta.items() if value is not None}
    (folder / "meta.json").write_text(json.dumps(meta))


DAMAGE: dict[str, tuple[Change, str]] = {
    "no meta": (lambda f: (f / "meta.json").unlink(), "meta.json is missing"),
    "empty meta": (lambda f: (f / "meta.json").write_bytes(b""), "meta.json is damaged"),
    "binary meta": (lambda f: (f / "meta.json").write_bytes(b"\xff\x00"), "meta.json is damaged"),
    "deep meta": (lambda f: (f / "meta.json").write_text("[" * 100_000), "meta.json is damaged"),
    "meta is a list": (lambda f: (f / "meta.json").write_text("[]"), "meta.json is damaged"),
    "a negative length": (lambda f: told(f, num_tokens=-6), "'num_tokens' = -6"),
    "a huge length": (lambda f: told(f, num_sentences=10**30), "'num_sentences'"),
    "a length as text": (lambda f: told(f, num_documents="2"), "'num_documents' = '2'"),
    "a length in parts": (lambda f: told(f, num_tokens=6.5), "'num_tokens' = 6.5"),
    "objects as ids": (lambda f: told(f, dtype="O"), "'dtype' = 'O'"),
    "no vocabulary": (lambda f: told(f, vocab_size=None), "'vocab_size' is missing"),
    "an empty vocabulary": (lambda f: told(f, vocab_size=0), "'vocab_size' = 0"),
    "ids of another width": (lambda f: told(f, dtype="uint32"), "12 bytes instead of 24"),
    "no ids": (lambda f: (f / "ids.bin").unlink(), "ids.bin is damaged: it has 0 bytes"),
    "ids cut off": (lambda f: os.truncate(f / "ids.bin", 11), "11 bytes instead of 12"),
    "ids are a folder": (lambda f: ((f / "ids.bin").unlink(), (f / "ids.bin").mkdir()), "0 bytes"),
    "an unknown id": (
        lambda f: array_of(f / "ids.bin", "u2", 1, 2, 50, 4, 5, 6),
        "the id 50 is not in a vocabulary of 50",
    ),
    "another id": (
        lambda f: array_of(f / "ids.bin", "u2", 1, 2, 49, 4, 5, 6),
        "ids.bin is damaged: its bytes are not those that were written",
    ),
    "a sentence beyond the end": (
        lambda f: array_of(f / "sentence_starts.bin", "i8", 0, 2, 3, 5, 7),
        "it goes from 0 to 7 instead of 0 to 6",
    ),
    "a negative sentence": (
        lambda f: array_of(f / "sentence_starts.bin", "i8", 0, -2, 3, 5, 6),
        "sentence_starts.bin is damaged: its numbers do not increase",
    ),
    "an empty sentence": (
        lambda f: array_of(f / "sentence_starts.bin", "i8", 0, 2, 2, 5, 6), "do not increase"
    ),
    "another sentence": (
        lambda f: array_of(f / "sentence_starts.bin", "i8", 0, 1, 3, 5, 6), "its bytes"
    ),
    "a document within a sentence": (
        lambda f: array_of(f / "document_starts.bin", "i8", 0, 4, 6), "within a sentence"
    ),
    "a late document": (
        lambda f: array_of(f / "document_starts.bin", "i8", 3, 5, 6), "it goes from 3 to 6"
    ),
    "another document": (
        lambda f: array_of(f / "document_starts.bin", "i8", 0, 5, 6), "its bytes"
    ),
}  # fmt: skip


@pytest.mark.quick_cases(20)
@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("part", ["train", "valid"])
def test_every_damage_is_one_sentence(
    corpus: Callable[..., BlocksOf], tmp_path: Path, part: str, damage: str
) -> None:
    folder = tmp_path / "tokens"
    write_tokens(corpus("w1 w2\nw3\n\nw9 x\nw1\n"), TOKENIZER, folder)
    shutil.copytree(folder / "train", folder / "valid")
    change, sentence = DAMAGE[damage]
    change(folder / part)
    with pytest.raises(CorpusError) as caught:
        Tokens.open(folder)
    assert sentence in str(caught.value)


def test_files_without_checksums_open(corpus: Callable[..., BlocksOf], tmp_path: Path) -> None:
    folder = tmp_path / "tokens"
    write_tokens(corpus("w1 w2\nw3\n\nw9 x\nw1\n"), TOKENIZER, folder)
    told(folder / "train", checksums=None)
    assert Tokens.open(folder).train.num_tokens == 6


def test_numbers_are_checked_across_parts(
    corpus: Callable[..., BlocksOf], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(array_file, "CHECKED_AT_ONCE", 2)
    folder = tmp_path / "tokens"
    write_tokens(corpus("w1 w2\nw3\n\nw9 x\nw1\n"), TOKENIZER, folder)
    array_of(folder / "train" / "sentence_starts.bin", "i8", 0, 3, 2, 5, 6)
    with pytest.raises(CorpusError, match="do not increase"):
        Tokens.open(folder)


def test_ids_of_another_tokenizer_are_refused(
    corpus: Callable[..., BlocksOf], tmp_path: Path
) -> None:
    write_tokens(corpus("w1 w2"), TOKENIZER, tmp_path / "tokens")
    assert Tokens.open(tmp_path / "tokens", vocab_size=50).train.vocab_size == 50
    with pytest.raises(CorpusError, match="a vocabulary of 50, but the tokenizer has 49"):
        Tokens.open(tmp_path / "tokens", vocab_size=49)


def test_a_full_disk_is_one_sentence(corpus: Callable[..., BlocksOf], tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    text = corpus(many_documents(3000))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
        with pytest.raises(OutputError, match="tokens cannot be written"):
            write_tokens(text, TOKENIZER, tmp_path / "tokens")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.txt"]


def test_meta_says_what_the_files_hold(corpus: Callable[..., BlocksOf], tmp_path: Path) -> None:
    write_tokens(corpus("w1 w2\nw3"), TOKENIZER, tmp_path / "tokens")
    meta = json.loads((tmp_path / "tokens" / "train" / "meta.json").read_text())
    assert len(meta.pop("fingerprint")) == 32
    train = tmp_path / "tokens" / "train"
    assert meta.pop("checksums") == {
        name: zlib.crc32((train / f"{name}.bin").read_bytes())
        for name in ("ids", "sentence_starts", "document_starts")
    }
    assert meta == {
        "dtype": "uint16",
        "num_tokens": 3,
        "num_sentences": 2,
        "num_documents": 2,
        "vocab_size": 50,
    }


@settings(max_examples=30)
@given(lines=st.lists(st.lists(st.sampled_from(["w1", "w2", "zz"]), max_size=3), min_size=1))
def test_counts_are_those_of_all_tokens(
    tmp_path_factory: pytest.TempPathFactory, lines: list[list[str]]
) -> None:
    if not any(lines):
        return
    folder = tmp_path_factory.mktemp("counts")
    (folder / "corpus.txt").write_text("\n".join(map(" ".join, lines)))
    corpus = BlocksOf(folder / "corpus.txt")
    train = write_tokens(corpus, TOKENIZER, folder / "tokens").train
    flat = [word for line in lines for word in line]
    wanted = [flat.count("zz"), flat.count("w1"), flat.count("w2")]
    assert train.counts()[:3].tolist() == wanted
