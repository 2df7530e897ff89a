"""Ids that several processes encode: the same files as those that one encodes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from foretext.base.errors import OutputError
from foretext.corpus import Corpus
from foretext.corpus.text_shards import TextShards
from foretext.data.segmenter import Segmenter
from foretext.data.token_writer import write_tokens
from foretext.shards import LocalEngine
from foretext.shards.portable import Portable
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.tokenizers.word_tokenizer import WordTokenizer

KINDS = ("words", "bpe", "wordpiece", "unigram", "word")


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("corpus.text_shards", "corpus.blocks"):
        monkeypatch.setattr(f"foretext.{module}.BLOCK", 500)


@pytest.fixture
def corpus(animal_text: Path, tmp_path: Path) -> Corpus:
    """A few thousand characters."""
    path = tmp_path / "text.txt"
    path.write_text(animal_text.read_text()[:9000])
    return Corpus(path)


def learned(kind: str, corpus: Corpus, shards: TextShards | None = None) -> Tokenizer:
    """Learn a tokenizer."""
    if kind == "words":
        config = WordTokenizer.Config(min_count=2)
        return WordTokenizer.learn(config, corpus, shards=shards)
    return learn_subwords(kind, {"vocab_size": 300}, corpus, shards=shards)


def shards(folder: Path, workers: int) -> TextShards:
    """Return shards of a block each."""
    return TextShards(LocalEngine(workers), folder, 1)


def written(folder: Path) -> dict[str, bytes]:
    """Return the content of all files."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.*")}


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("kind", KINDS)
def test_files_are_the_same(corpus: Corpus, tmp_path: Path, kind: str) -> None:
    tokenizer = learned(kind, corpus)
    if kind != "unigram":  # which counts no words, and differs from one time to the next
        other = learned(kind, corpus, shards(tmp_path / "counts", 1))
        assert other.fingerprint == tokenizer.fingerprint
        assert any((tmp_path / "counts").glob("*/shard-*"))
    for rate in (0.0, 0.3, 0.999999):
        expected, found = tmp_path / f"a{rate}", tmp_path / f"b{rate}"
        write_tokens(corpus, tokenizer, expected, valid_rate=rate)
        some = shards(tmp_path / "work", 1)
        write_tokens(corpus, tokenizer, found, valid_rate=rate, shards=some)
        assert written(found) == written(expected)
    assert len(list((tmp_path / "work").glob("*/shard-*"))) > 1


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("kind", ["words", "wordpiece"])
def test_processes_give_the_same_files(corpus: Corpus, tmp_path: Path, kind: str) -> None:
    tokenizer = learned(kind, corpus)
    write_tokens(corpus, tokenizer, tmp_path / "expected", valid_rate=0.2)
    for workers in (2, 8):
        folder, some = tmp_path / str(workers), shards(tmp_path / f"work{workers}", workers)
        write_tokens(corpus, tokenizer, folder, valid_rate=0.2, shards=some)
        assert written(folder) == written(tmp_path / "expected")


@pytest.mark.parametrize("kind", KINDS)
def test_a_tokenizer_makes_an_equal_one(corpus: Corpus, kind: str) -> None:
    tokenizer = learned(kind, corpus)
    assert tokenizer.portable is not None
    made = Portable.read(tokenizer.portable.written()).made()
    assert made.fingerprint == tokenizer.fingerprint
    assert made.vocab_size == tokenizer.vocab_size
    text = next(corpus.blocks())
    for mine, other in zip(tokenizer.encode_block(text), made.encode_block(text), strict=True):
        assert mine.tolist() == other.tolist()


def test_a_tokenizer_that_meets_new_words_is_not_made_elsewhere(corpus: Corpus) -> None:
    assert learned("word", corpus).opened().portable is None


def test_marked_text_is_encoded_here(corpus: Corpus, tmp_path: Path) -> None:
    tokenizer = learn_subwords("wordpiece", {"vocab_size": 90}, corpus)
    some = shards(tmp_path / "work", 1)
    tokens = write_tokens(
        corpus, tokenizer, tmp_path / "ids", segmenter=Segmenter(tokenizer), shards=some
    )
    assert tokens.train.units is not None
    assert not (tmp_path / "work").exists()


def test_a_shard_that_vanished_is_encoded_again(corpus: Corpus, tmp_path: Path) -> None:
    tokenizer, some = learned("words", corpus), shards(tmp_path / "work", 1)
    write_tokens(corpus, tokenizer, tmp_path / "a", shards=some)
    shutil.rmtree(min((tmp_path / "work").glob("*/shard-*")))
    write_tokens(corpus, tokenizer, tmp_path / "b", shards=some)
    assert written(tmp_path / "a") == written(tmp_path / "b")


def test_a_damaged_shard_is_one_sentence(corpus: Corpus, tmp_path: Path) -> None:
    tokenizer, some = learned("words", corpus), shards(tmp_path / "work", 1)
    write_tokens(corpus, tokenizer, tmp_path / "a", shards=some)
    path = min((tmp_path / "work").glob("*/shard-*/lengths.json"))
    path.write_text(path.read_text().replace(":", "_"))
    with pytest.raises(OutputError, match=r"lengths\.json"):
        write_tokens(corpus, tokenizer, tmp_path / "b", shards=some)
    assert not (tmp_path / "b").exists()
