"""Duplicates among the documents of all shards, however many there are."""

from __future__ import annotations

import random
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import OutputError
from foretext.cleaning import duplicates as module
from foretext.cleaning import equal_keys, near_duplicates
from foretext.cleaning.duplicates import (
    Documents,
    Duplicates,
    ExactIndex,
    exact_digest,
    find_duplicates,
)
from foretext.cleaning.shard_folder import ShardFacts, ShardFolder, ShardParts, row_bytes
from foretext.cleaning.signatures import signatures

TEXTS = [f"{word} " * 3 + "and twenty other words that make the text a long one" for word in "abc"]


def shard(path: Path, texts: list[str], digests: list[bytes], signed: np.ndarray) -> ShardFolder:
    path.mkdir()
    facts = ShardFacts(
        kept=[*range(len(texts))],
        dropped=[],
        reasons=[],
        lengths=[*map(len, texts)],
        languages=["en"] * len(texts),
        characters=sum(map(len, texts)),
        num_changed=0,
        changes=[],
        masked={},
    )
    rows = [row_bytes({"text": text, "file": "a.txt", "line": 1}) for text in texts]
    folder = ShardFolder(path)
    folder.write(ShardParts(facts, rows, [], digests, signed))
    return folder


def documents(folder: Path, shards: list[list[str]]) -> Documents:
    folders = [
        shard(folder / f"{number}", texts, [*map(exact_digest, texts)], signatures(texts))
        for number, texts in enumerate(shards)
    ]
    return Documents(folders, [*map(len, shards)])


def found(duplicates: Duplicates) -> list[tuple[int, float, str | None]]:
    reasons = [
        duplicates.reason(number) if duplicates.is_dropped(number) else None
        for number in range(len(duplicates.twins))
    ]
    return list(
        zip(duplicates.twins.tolist(), duplicates.similarities.tolist(), reasons, strict=True)
    )


@pytest.mark.parametrize("at_once", [1 << 20, 2])
def test_what_repeats_a_near_duplicate_has_the_twin_of_that(
    tmp_path: Path, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    near = TEXTS[0] + " indeed"
    every = documents(tmp_path, [[TEXTS[0], TEXTS[1], near], [near, TEXTS[1], TEXTS[2]]])
    result = find_duplicates(every, 0.8, check=lambda: None, quiet=True)
    similarity = float(result.similarities[2])
    assert 0.8 < similarity < 1
    assert found(result) == [
        (0, 1.0, None),
        (1, 1.0, None),
        (0, similarity, "near_duplicate"),
        (0, similarity, "exact_duplicate"),
        (1, 1.0, "exact_duplicate"),
        (5, 1.0, None),
    ]


def test_no_document_repeats_another_until_it_is_said(tmp_path: Path) -> None:
    assert found(Duplicates(2, tmp_path)) == [(0, 1.0, None), (1, 1.0, None)]
    assert found(Duplicates(0, tmp_path)) == []


def test_facts_of_a_shard_are_let_go_of(tmp_path: Path) -> None:
    folder = documents(tmp_path, [TEXTS]).folders[0]
    assert folder.facts == folder.facts
    assert folder.facts is not folder.facts


@pytest.mark.slow
def test_numbers_of_documents_stay_in_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Less memory is taken than one number of eight bytes for each document."""
    few = 100  # documents of a shard, and keys that are sorted together
    monkeypatch.setattr(module, "AT_ONCE", few)
    monkeypatch.setattr(near_duplicates, "_AT_ONCE", few)
    monkeypatch.setattr(equal_keys, "_READ", 10 * few)
    monkeypatch.setattr(module, "ExactIndex", partial(ExactIndex, most_sorted=10 * few))
    index = partial(near_duplicates.DuplicateIndex, most_sorted=10 * few)
    monkeypatch.setattr(module, "DuplicateIndex", index)
    rng = np.random.default_rng(1)
    folders, num = [], 200
    for number in range(num):
        signed = rng.integers(1 << 32, size=(few, 112), dtype=np.uint32)
        digests = [rng.bytes(16) for _ in range(few)]
        digests[1] = digests[0]
        folders.append(shard(tmp_path / f"{number}", ["a"] * few, digests, signed))
    every = Documents(folders, [few] * num)
    small = Documents(folders[:1], [few])
    find_duplicates(small, 0.8, check=lambda: None, quiet=True)  # compiles
    tracemalloc.start()
    try:
        result = find_duplicates(every, 0.8, check=lambda: None, quiet=True)
        assert tracemalloc.get_traced_memory()[1] < 8 * few * num
    finally:
        tracemalloc.stop()
    assert (result.twins != np.arange(few * num)).sum() == num
    assert result.twins[few + 1] == few


def found_of_exact_duplicates(index: ExactIndex) -> list[tuple[int, int]]:
    """Return the duplicates with their twins, in the order of their numbers."""
    return sorted(pair for part in index.repeats() for pair in zip(*part.tolist(), strict=True))


@pytest.mark.parametrize(
    "other",
    [" A text\nof 3  words ", "a text of 3 words", "Ａ ｔｅｘｔ of ３ words", "A TEXT of 3 words"],
)
def test_white_space_case_and_width_do_not_count(other: str) -> None:
    assert exact_digest(other) == exact_digest("A text of 3 words")
    assert len(exact_digest(other)) == 16


@pytest.mark.parametrize("other", ["A text of 3 words.", "A text of 4 words", "Atext of 3 words"])
def test_everything_else_counts(other: str) -> None:
    assert exact_digest(other) != exact_digest("A text of 3 words")


def test_half_of_a_surrogate_pair_has_a_digest() -> None:
    assert exact_digest("\ud83d") != exact_digest("\ud83e")


@pytest.mark.parametrize("most_sorted", [1 << 20, 3])
def test_each_document_has_the_first_one_as_twin(tmp_path: Path, most_sorted: int) -> None:
    texts = ["a", "b", "A", "c", "b ", "a", "d", ""]
    calls = [[5, 3, 7], [], [0, 6], [4, 2, 1]]
    index = ExactIndex(tmp_path, most_sorted=most_sorted)
    for numbers in calls:
        index.add([exact_digest(texts[number]) for number in numbers], numbers)
    assert found_of_exact_duplicates(index) == [(2, 0), (4, 1), (5, 0)]


def test_digests_that_agree_in_one_half_are_different(tmp_path: Path) -> None:
    one, two = bytes(8), b"\xff" * 8
    index = ExactIndex(tmp_path)
    index.add([one + one, one + two, two + one, one + two, two + two], [1, 2, 3, 4, 5])
    assert found_of_exact_duplicates(index) == [(4, 2)]


def test_many_documents_are_as_a_table_says(tmp_path: Path) -> None:
    rng = random.Random(1)
    texts = [str(rng.randrange(600)) for _ in range(1000)]
    first: dict[str, int] = {}
    expected = []
    for number, text in enumerate(texts):
        if first.setdefault(text, number) != number:
            expected.append((number, first[text]))
    index = ExactIndex(tmp_path, most_sorted=100)
    index.add([exact_digest(text) for text in texts], range(1000))
    assert found_of_exact_duplicates(index) == expected


def test_an_index_without_documents_finds_nothing(tmp_path: Path) -> None:
    assert found_of_exact_duplicates(ExactIndex(tmp_path)) == []


def test_a_folder_that_vanished_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="gone cannot be written"):
        ExactIndex(tmp_path / "gone").add([exact_digest("a")], [0])
