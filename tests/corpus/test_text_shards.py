"""Shards of a text, and what several processes make of them: the same as one."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import CorpusError, OutputError
from foretext.corpus import Corpus
from foretext.corpus.counts import Cutter, WordCounts, count_words
from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.corpus.text_shards import TextShards, shard_blocks
from foretext.shards import LocalEngine
from foretext.shards.portable import Portable
from foretext.tokenizers.byte_pieces import BytePieces
from foretext.tokenizers.word_encoder import LibraryWords
from tokenizers import normalizers, pre_tokenizers

NUMBERS = (1, 2, 8)
CUTTERS: list[Cutter] = [
    PreTokenizer("unicode_words"),
    PreTokenizer("basic_english", lowercase=False),
    PreTokenizer("chinese_characters"),
    BytePieces(lowercase=True),
    LibraryWords(normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()),
    LibraryWords(None, pre_tokenizers.WhitespaceSplit()),
]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Some documents of several scripts, with words that are too long."""
    rng = np.random.default_rng(0)
    words = ["the", "Ship", "船", "harbour's", "caf\u00e9", "İstanbul", "x" * 1001, "!", "<br />"]
    lines = [" ".join(words[at] for at in rng.integers(0, len(words), 40)) for _ in range(70)]
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(f"{line}\n" * 2 for line in lines), encoding="utf-8")
    return Corpus(path)


def shards(folder: Path, workers: int, num_characters: int = 1) -> TextShards:
    """Return shards of one block each, or more."""
    return TextShards(LocalEngine(workers), folder, num_characters)


def as_lists(found: WordCounts) -> tuple[list[str], list[int], int]:
    """Return counts that can be compared."""
    return found.words, found.counts.tolist(), found.num_tokens


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("corpus.text_shards", "corpus.blocks"):
        monkeypatch.setattr(f"foretext.{module}.BLOCK", 1 << 14)


def test_shards_are_the_whole_text(corpus: Corpus, tmp_path: Path) -> None:
    text = "".join(corpus.blocks())
    numbers: list[int] = []
    for size in (1, 1 << 17, 1 << 23):
        cut = list(TextShards(LocalEngine(1), tmp_path, size)._shards(corpus))
        numbers.append(len(cut))
        assert b"".join(shard.data() for shard in cut).decode() == text
        assert sum(shard.num_bytes for shard in cut) == corpus.num_bytes
        assert all(shard.data().endswith(b"\n\n") for shard in cut)
        blocks = [list(shard_blocks(shard.data())) for shard in cut]
        assert "".join(block for each in blocks for block in each) == text
        assert all(block.endswith("\n\n") for each in blocks for block in each)
    assert numbers[0] > numbers[1] > numbers[2] == 1


def test_halves_of_surrogate_pairs_stay() -> None:
    text = "half \ud800\n\n"
    assert list(shard_blocks(text.encode("utf-8", "surrogatepass"))) == [text]


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("cutter", CUTTERS, ids=lambda cutter: cutter.portable.settings[:40])
def test_counts_are_the_same_for_all_numbers_of_workers(
    corpus: Corpus, tmp_path: Path, cutter: Cutter
) -> None:
    expected = as_lists(count_words(corpus, cutter))
    found = count_words(corpus, cutter, shards=shards(tmp_path / "1", 1))
    assert as_lists(found) == expected
    assert len(list((tmp_path / "1").glob("*/shard-*"))) > 5


@pytest.mark.slow
def test_processes_count_the_same(corpus: Corpus, tmp_path: Path) -> None:
    cutter = CUTTERS[0]
    expected = as_lists(count_words(corpus, cutter))
    contents = []
    for workers in NUMBERS[1:]:
        folder = tmp_path / str(workers)
        assert as_lists(count_words(corpus, cutter, shards=shards(folder, workers))) == expected
        contents.append({path.name: path.read_bytes() for path in folder.rglob("*.*")})
    assert contents[0] == contents[1]


def test_few_words_fit_into_memory(corpus: Corpus, tmp_path: Path) -> None:
    expected = as_lists(count_words(corpus, CUTTERS[3]))
    some = shards(tmp_path / "work", 1)
    assert as_lists(count_words(corpus, CUTTERS[3], max_distinct=3, shards=some)) == expected


def test_a_cutter_makes_an_equal_one(corpus: Corpus) -> None:
    text = next(corpus.blocks())
    for cutter in CUTTERS:
        made = Portable.read(cutter.portable.written()).made()
        assert made.utf8(text).tobytes() == cutter.utf8(text).tobytes()
        for mine, other in zip(cutter.letters, made.letters, strict=True):
            assert np.array_equal(mine, other)


def test_a_shard_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "marks.txt").write_text("! ? !\n")
    with pytest.raises(CorpusError, match="contains no word"):
        count_words(Corpus(tmp_path / "marks.txt"), CUTTERS[0], shards=shards(tmp_path / "work", 1))


def test_other_text_and_settings_have_other_folders(corpus: Corpus, tmp_path: Path) -> None:
    some = shards(tmp_path / "work", 1)
    count_words(corpus, CUTTERS[0], shards=some)
    count_words(corpus, CUTTERS[1], shards=some)
    path = Path(corpus.sources[0].name)
    path.write_text(path.read_text() + "\nmore\n")
    assert "more" in count_words(Corpus(path), CUTTERS[0], shards=some).words
    assert len(list((tmp_path / "work").iterdir())) == 3
    some.remove()
    assert not (tmp_path / "work").exists()


def test_a_shard_that_vanished_or_is_cut_off_is_counted_again(
    corpus: Corpus, tmp_path: Path
) -> None:
    some = shards(tmp_path / "work", 1)
    expected = as_lists(count_words(corpus, CUTTERS[0], shards=some))
    folders = sorted((tmp_path / "work").glob("*/shard-*"))
    shutil.rmtree(folders[2])
    (folders[5] / "words.txt").write_bytes(b"")
    assert as_lists(count_words(corpus, CUTTERS[0], shards=some)) == expected


@pytest.mark.parametrize("name", ["words.txt", "counts.bin"])
def test_a_damaged_shard_is_one_sentence(corpus: Corpus, tmp_path: Path, name: str) -> None:
    some = shards(tmp_path / "work", 1)
    count_words(corpus, CUTTERS[0], shards=some)
    path = sorted((tmp_path / "work").glob(f"*/shard-*/{name}"))[0]
    path.write_bytes(
        b"\n" * path.stat().st_size if name == "words.txt" else bytes(path.stat().st_size)
    )
    with pytest.raises(OutputError, match=r"(words\.txt|counts\.bin)"):
        count_words(corpus, CUTTERS[0], shards=some)
