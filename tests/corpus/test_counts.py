from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretext.base.errors import CorpusError
from foretext.corpus import counts as module
from foretext.corpus.counts import WordCounts, count_words
from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.corpus.word_table import WordTable

PLAIN = PreTokenizer("whitespace", lowercase=False)


class Texts:
    """The least a corpus is."""

    fingerprint = "texts"

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self.bytes_read = 0

    def blocks(self, size: int = 0) -> Iterator[str]:
        self.bytes_read = 0
        for text in self.texts:
            self.bytes_read += len(text.encode())
            yield text


def expected(*texts: str, min_count: int = 1) -> list[tuple[str, int]]:
    counts = Counter(word for text in texts for word in text.split())
    return sorted(
        ((word, count) for word, count in counts.items() if count >= min_count),
        key=lambda pair: (-pair[1], pair[0]),
    )


def pairs(found: WordCounts) -> list[tuple[str, int]]:
    return list(zip(found.words, found.counts.tolist(), strict=True))


def random_texts(seed: int, num_texts: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [
        " ".join(chr(0x61 + n % 26) * (1 + n % 3) + "é中𝔘"[n % 3] + str(n) for n in numbers)
        for numbers in rng.zipf(1.3, (num_texts, 500)) % 3000
    ]


def test_worked_example() -> None:
    found = count_words(Texts("b a B\n\na", "c b\n\n"), PreTokenizer("whitespace"))
    assert pairs(found) == [("b", 3), ("a", 2), ("c", 1)]
    assert found.num_tokens == 6
    assert found.counts.dtype == np.int64


@settings(max_examples=50)
@given(st.lists(st.text(st.sampled_from("ab é中𝔘\n\x1d\u3000")), min_size=1))
def test_counts_are_those_of_a_counter(texts: list[str]) -> None:
    if not "".join(texts).split():
        return
    assert pairs(count_words(Texts(*texts), PLAIN)) == expected(*texts)


@pytest.mark.parametrize("most_words", [1, 2, 7, 400, 5000])
@pytest.mark.parametrize("max_distinct", [50, 4_000_000])
def test_the_first_words_are_those_of_all(max_distinct: int, most_words: int) -> None:
    texts = random_texts(1, 20)
    found = count_words(Texts(*texts), PLAIN, max_distinct=max_distinct, most_words=most_words)
    assert pairs(found) == expected(*texts)[:most_words]
    assert found.num_tokens == 20 * 500


def test_few_words_are_held_while_runs_are_written_and_merged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held: list[int] = []

    def words(table: WordTable, indices: np.ndarray, own=WordTable.words) -> list[bytes]:  # type: ignore[no-untyped-def]
        held.append(len(indices))
        return own(table, indices)

    def first(words: list[bytes], counts: list[int], most: int, own=module._first):  # type: ignore[no-untyped-def]
        held.append(len(words))
        return own(words, counts, most)

    monkeypatch.setattr(WordTable, "words", words)
    monkeypatch.setattr(module, "_first", first)
    monkeypatch.setattr(module, "SORTED_AT_ONCE", 16)
    texts = random_texts(2, 40)
    found = count_words(Texts(*texts), PLAIN, max_distinct=600, most_words=10)
    assert pairs(found) == expected(*texts)[:10]
    assert len(expected(*texts)) > 1000
    assert max(held) == 2 * 10 + 1  # however many words there are
    assert held.count(16) > 30


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("max_distinct", [50, 500, 4_000_000])
def test_threads_and_memory_do_not_matter(workers: int, max_distinct: int) -> None:
    texts = random_texts(0, 20)
    found = count_words(
        Texts(*texts), PLAIN, min_count=2, max_distinct=max_distinct, workers=workers
    )
    assert pairs(found) == expected(*texts, min_count=2)
    assert found.num_tokens == 20 * 500


def test_a_table_grows_and_stops_where_it_is_full() -> None:
    words = [f"{n}-{'x' * (n % 900)}" for n in range(70_000)]
    text = np.frombuffer(" ".join(words).encode(), np.uint8)
    table = WordTable()
    assert table.count(text, 0, PLAIN.letters) == text.size
    assert len(table) == 70_000
    assert table.words(np.array([0, 69_999])) == [words[0].encode(), words[-1].encode()]
    small = WordTable(max_words=10)
    stop = small.count(text, 0, PLAIN.letters)
    assert len(small) == 10
    assert text[:stop].tobytes().decode().split() == words[:10]


def test_progress_hears_of_every_byte() -> None:
    class Heard:
        total = 0.0

        def advance(self, amount: float) -> None:
            self.total += amount

        def stage(self, title: str) -> None:
            pass

    heard = Heard()
    texts = random_texts(1, 9)
    corpus = Texts(*texts)
    for _ in range(2):
        heard.total = 0
        count_words(corpus, PLAIN, workers=2, progress=heard)
        assert heard.total == len("".join(texts).encode())


@pytest.mark.parametrize("max_distinct", [1, 100])
def test_too_rare_words_are_refused_with_the_most_frequent(max_distinct: int) -> None:
    with pytest.raises(CorpusError) as error:
        count_words(Texts("x y x y x"), PLAIN, min_count=5, max_distinct=max_distinct)
    assert str(error.value) == (
        "The most frequent word, 'x', occurs 3 times; lower min_count from 5 to 3 or less, or "
        "give more text."
    )
    with pytest.raises(CorpusError, match="'a', occurs once; lower min_count from 2 to 1 or"):
        count_words(Texts("b a c"), PLAIN, min_count=2, max_distinct=max_distinct)


def test_a_corpus_without_words_is_refused() -> None:
    with pytest.raises(CorpusError, match="contains no word; give files with text"):
        count_words(Texts(" \n\n"), PLAIN)
    with pytest.raises(CorpusError, match="no word of at most 1,000 bytes"):
        count_words(Texts("x" * 1001), PLAIN)


def test_an_error_of_the_corpus_comes_through() -> None:
    class Broken(Texts):
        def blocks(self, size: int = 0) -> Iterator[str]:
            yield "a b"
            raise CorpusError("broken.txt, line 7: damaged")

    with pytest.raises(CorpusError, match="line 7"):
        count_words(Broken(), PLAIN, workers=2)


def test_an_error_in_one_block_leaves_no_thread_waiting() -> None:
    """A thread that fails gives its table back: the next one would wait for it forever."""

    class Failing(PreTokenizer):
        def utf8(self, text: str) -> np.ndarray:
            raise MemoryError(text)

    with pytest.raises(MemoryError):
        count_words(Texts(*"abcdefgh"), Failing("whitespace", lowercase=False), workers=2)
