from __future__ import annotations

import zlib
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.corpus.word_statistics import crc_table
from foretext.corpus.word_table import WordTable
from foretext.kernels import letters as reading
from foretext.kernels import word_table as tables
from foretext.kernels import words as kernels
from foretext.kernels.letters import ALONE, IGNORED, SEPARATOR, WORD, Letters
from foretext.kernels.word_table import MAX_WORD_BYTES
from foretext.kernels.words import add_lengths, sample_words

# A small alphabet with one to four bytes a character; "Ⱥ" grows when it is lower-cased.
KINDS = dict.fromkeys("abcABCÉéȺⱥж中𝔘", WORD) | {"!": ALONE, "好": ALONE, '"': IGNORED}
SEPARATORS = " \n\u3000"
TEXTS = st.text("".join(KINDS) + SEPARATORS, max_size=60)

WORDS = st.lists(st.text("abcÉж中𝔘", min_size=1, max_size=9), unique=True, max_size=30)


@pytest.fixture(scope="module")
def letters() -> Letters:
    classes = np.full(0x110000, SEPARATOR, np.uint8)
    lower = np.arange(0x110000, dtype=np.int32)
    fast = np.zeros(256, np.uint8)
    for character, kind in KINDS.items():
        classes[ord(character)] = kind
        lower[ord(character)] = ord(character.lower())
        if kind == WORD and character.isascii():
            fast[ord(character)] = ord(character.lower())
    return Letters(classes, lower, fast)


def plain_words(text: str) -> list[str]:
    """The twin of `next_word`: one character after another."""
    words: list[str] = []
    word = ""
    for character in [*text, " "]:
        kind = KINDS.get(character, SEPARATOR)
        if kind == WORD:
            word += character.lower()
        elif kind != IGNORED:
            words += [word] if word else []
            words += [character] if kind == ALONE else []
            word = ""
    return words


def plain_encoding(text: str, ids: dict[str, int]) -> list[list[list[int]]]:
    """The twin of `encode_words`: documents of sentences of ids."""
    documents = []
    for document in text.split("\n\n"):
        sentences = [[ids.get(w, 0) for w in plain_words(line)] for line in document.split("\n")]
        documents.append([sentence for sentence in sentences if sentence])
    return [document for document in documents if document]


def utf8(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


def scratch(num_bytes: int = MAX_WORD_BYTES) -> reading.Scratch:
    units = np.zeros(num_bytes // 8 + 1, np.uint64)
    return reading.Scratch(units.view(np.uint8), units)


def table(num_words: int, num_units: int) -> tables.Table:
    return tables.Table(
        np.zeros(1 << (2 * num_words).bit_length(), np.uint64),
        np.empty(num_words, np.uint64),
        np.empty(num_words, np.int64),
        np.empty(num_words, np.int64),
        np.empty(num_units, np.uint64),
        np.zeros(3, np.int64),
    )


def contents(filled: tables.Table) -> dict[str, int]:
    found = {}
    for index in range(filled.used[0]):
        start, length = int(filled.spans[index] >> 10) * 8, int(filled.spans[index] & 1023)
        word = filled.arena.view(np.uint8)[start : start + length].tobytes().decode()
        found[word] = int(filled.counts[index])
    assert len(found) == filled.used[0], "a word stands there twice"
    return found


def split(text: str, letters: Letters) -> list[str]:
    data = utf8(text)
    words = np.empty(2 * data.size, np.uint8)
    written = reading.split_words(data, letters, scratch(), words)
    return words[:written].tobytes().decode().split("\n")[:-1]


def encode(text: str, letters: Letters, filled: tables.Table) -> list[list[list[int]]]:
    data = utf8(text)
    ids = np.empty(data.size, np.uint32)
    sentence_starts = np.empty(data.size + 1, np.int64)
    document_starts = np.empty(data.size + 1, np.int64)
    sizes = kernels.encode_words(
        data, letters, filled, scratch(), ids, sentence_starts, document_starts
    )
    sentences = sentence_starts[: sizes[1]]
    documents = np.append(np.searchsorted(sentences, document_starts[: sizes[2]]), sizes[1])
    pieces = [piece.tolist() for piece in np.split(ids[: sizes[0]], sentences[1:])]
    return [pieces[a:b] for a, b in pairwise(documents)]


def test_worked_example(letters: Letters) -> None:
    assert split('Ab!"C"a\u3000中好𝔘 "', letters) == ["ab", "!", "ca", "中", "好", "𝔘"]
    filled = table(8, 64)
    data = utf8("a b A\nab b a")
    assert kernels.count_words(data, 0, letters, filled, scratch()) == data.size
    assert contents(filled) == {"a": 3, "b": 2, "ab": 1}
    assert encode("b a\nab c\n\nC\n\n \nb", letters, filled) == [[[1, 0], [2, 0]], [[0]], [[1]]]


@given(text=TEXTS)
def test_kernels_do_what_plain_python_does(letters: Letters, text: str) -> None:
    words = plain_words(text)
    assert split(text, letters) == words
    filled = table(64, 256)
    assert kernels.count_words(utf8(text), 0, letters, filled, scratch()) == len(text.encode())
    assert contents(filled) == Counter(words)
    ids = {word: index for index, word in enumerate(contents(filled))}
    assert encode(text, letters, filled) == plain_encoding(text, ids)


@given(text=TEXTS, num_words=st.integers(1, 9), num_units=st.integers(1, 9))
def test_a_full_table_loses_nothing(
    letters: Letters, text: str, num_words: int, num_units: int
) -> None:
    total: Counter[str] = Counter()
    data, at = utf8(text), 0
    while at < data.size:
        filled = table(num_words, num_units + 30)  # 30 hold any word
        at = kernels.count_words(data, at, letters, filled, scratch())
        total.update(contents(filled))
    assert total == Counter(plain_words(text))


@given(text=TEXTS, num_words=st.integers(1, 4))
def test_new_words_are_numbered_as_they_are_met(
    letters: Letters, text: str, num_words: int
) -> None:
    counted = table(64, 256)
    data = utf8(text)
    kernels.count_words(data, 0, letters, counted, scratch())
    filled, at, written = table(num_words, 256), 0, np.zeros(3, np.int64)
    ids, starts = np.empty(data.size, np.uint32), np.empty((2, data.size + 1), np.int64)
    found = (ids, starts[0], starts[1], written)
    while (at := kernels.number_words(data, at, letters, filled, scratch(), *found)) < data.size:
        assert filled.used[0] == len(filled.hashes), "it stopped though there was room"
        filled = copied(filled, num_words=2 * len(filled.hashes))
    assert list(contents(filled)) == list(contents(counted))
    wanted = encode(text, letters, counted)
    assert ids[: written[0]].tolist() == [i for d in wanted for sentence in d for i in sentence]
    lengths = [[len(sentence) for sentence in document] for document in wanted]
    ends = np.cumsum([0, *(length for document in lengths for length in document)])
    assert starts[0, : written[1]].tolist() == ends[:-1].tolist()
    ends = np.cumsum([0, *map(sum, lengths)])
    assert starts[1, : written[2]].tolist() == ends[:-1].tolist()


def copied(filled: tables.Table, num_words: int) -> tables.Table:
    """The same words in a table with room for more."""
    wider = table(num_words, filled.arena.size)
    size = filled.used[0]
    for name in ("hashes", "spans", "counts"):
        getattr(wider, name)[:size] = getattr(filled, name)
    wider.arena[:] = filled.arena
    wider.used[:] = filled.used
    tables.place_words(wider)
    return wider


@given(first=TEXTS, second=TEXTS)
def test_merged_tables_count_both_texts(letters: Letters, first: str, second: str) -> None:
    whole, other = table(128, 256), table(64, 256)
    for text, filled in ((first, whole), (second, other)):
        kernels.count_words(utf8(text), 0, letters, filled, scratch())
    merged = tables.merge_words(whole, other, 0)
    assert merged == other.used[0]
    assert contents(whole) == Counter(plain_words(first) + plain_words(second))


def test_placed_anew_all_words_are_found(letters: Letters) -> None:
    filled = table(64, 256)
    text = " ".join(a + b for a in "abcé中" for b in "abcé中")
    kernels.count_words(utf8(text), 0, letters, filled, scratch())
    wider = filled._replace(slots=np.zeros(1024, np.uint64))
    tables.place_words(wider)
    assert encode(text, letters, wider) == [[list(range(25))]]


@pytest.mark.parametrize("letter", ["a", "é", "中"])
def test_a_thousand_bytes_are_a_word_and_more_are_not(letters: Letters, letter: str) -> None:
    longest = letter * (1000 // len(letter.encode()))
    text = f"b {longest} {longest}{letter} b"
    filled = table(8, 512)
    kernels.count_words(utf8(text), 0, letters, filled, scratch())
    assert contents(filled) == {"b": 2, longest: 1}
    assert filled.used[2] == 1
    assert encode(text, letters, filled) == [[[0, 1, 0, 0]]]
    ids, starts, written = np.empty(9, np.uint32), np.empty(9, np.int64), np.zeros(3, np.int64)
    kernels.number_words(
        utf8(text), 0, letters, filled, scratch(), ids, starts, starts.copy(), written
    )
    assert (ids[:4].tolist(), filled.used[2]) == ([0, 1, 0, 0], 2)


def counted(words: list[str], times: int = 1) -> WordTable:
    table = WordTable.of(words) if words else WordTable()
    table.counts[:] = times
    return table


@given(WORDS, WORDS, st.integers(1, 4))
def test_words_are_sampled_as_by_zlib(words: list[str], frequent: list[str], halvings: int) -> None:
    head, tail, shard = counted(frequent, 0), WordTable(), counted(words, 3)
    for _ in range(2):
        assert sample_words(
            shard.arrays, 0, head.arrays, tail.arrays, halvings, crc_table()
        ) == len(words)
    kept = [
        word.encode()
        for word in words
        if word not in frequent and zlib.crc32(word.encode()) >> (32 - halvings) == 0
    ]
    assert tail.words(np.arange(len(tail))) == kept
    assert tail.counts.tolist() == [6] * len(kept)
    assert head.counts.tolist() == [6 * (word in words) for word in frequent]


def test_a_full_tail_stops_at_the_word_that_has_no_room() -> None:
    shard, tail = counted([f"w{number}" for number in range(200)]), WordTable(max_words=2)
    kept = [number for number in range(200) if zlib.crc32(b"w%d" % number) < 1 << 31]
    stopped = sample_words(shard.arrays, 0, WordTable().arrays, tail.arrays, 1, crc_table())
    assert stopped == kept[2]


@given(WORDS)
def test_lengths_are_those_of_characters(words: list[str]) -> None:
    sums = np.zeros(1001, np.int64)
    add_lengths(counted(words, 2).arrays, sums)
    expected = Counter(map(len, words))
    assert {n: sums[n] for n in np.flatnonzero(sums)} == {n: 2 * expected[n] for n in expected}
