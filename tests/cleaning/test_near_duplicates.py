from __future__ import annotations

import lzma
import random
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import OutputError
from foretext.cleaning.near_duplicates import DuplicateIndex, NearDuplicate
from foretext.cleaning.signatures import (
    BAND_ROWS,
    NUM_BANDS,
    NUM_PERMUTATIONS,
    jaccard,
    signatures,
)
from tests.cleaning.paragraphs import edited, paragraph, planted
from tests.lazy_import import lazy_import

datasketch = lazy_import("datasketch")


def find(
    folder: Path,
    texts: list[str],
    threshold: float = 0.8,
    *,
    calls: list[list[int]] | None = None,
    exact: bool = True,
    most_sorted: int = 1 << 20,
) -> list[NearDuplicate]:
    folder.mkdir()
    index = DuplicateIndex(folder, threshold, most_sorted=most_sorted)
    for numbers in calls or [[*range(len(texts))]]:
        index.add(signatures([texts[number] for number in numbers]), numbers)
    assert len(index) <= len(texts)
    return [*index.found(texts.__getitem__ if exact else None)]


def f1(found: list[NearDuplicate], truth: dict[int, int]) -> float:
    right = sum(truth.get(each.document) == each.twin for each in found)
    return 2 * right / (len(found) + len(truth))


def plain_duplicates(texts: list[str], threshold: float) -> list[int]:
    """What every pair says, without bands: the first of those alike is kept."""
    kept: list[str] = []
    dropped = []
    for number, text in enumerate(texts):
        if any(jaccard(text, other) >= threshold for other in kept):
            dropped.append(number)
        else:
            kept.append(text)
    return dropped


@pytest.mark.slow
def test_planted_duplicates_are_found(tmp_path: Path) -> None:
    texts = planted(3000)
    similarity = {n: jaccard(texts[n], texts[n - 3000]) for n in range(3000, 6000)}
    truth = {number: number - 3000 for number, s in similarity.items() if s >= 0.8}
    assert len(truth) > 100
    found = find(tmp_path / "index", texts)
    assert f1(found, truth) >= 0.95
    assert all(each.similarity == similarity[each.document] for each in found)


def test_planted_duplicates_that_are_clear_need_no_texts(tmp_path: Path) -> None:
    """An estimate errs by 0.04: it decides well where nothing is near to the threshold."""
    rng = random.Random(2)
    first = [paragraph(rng) for _ in range(300)]
    copies = [edited(text, rng.choice([0.003, 0.2]), rng) for text in first]
    truth = {300 + n: n for n in range(300) if jaccard(copies[n], first[n]) >= 0.8}
    assert f1(find(tmp_path / "index", first + copies, exact=False), truth) >= 0.95


def test_a_document_is_compared_with_those_that_are_kept_alone(tmp_path: Path) -> None:
    """1 is like 0, and 2 like 1 but not like 0: 1 goes, and 2 stays."""
    words = [f"w{number}" for number in range(64)]
    texts = [" ".join(words[start : start + 50]) for start in (0, 4, 8)]
    near, far = jaccard(texts[0], texts[1]), jaccard(texts[0], texts[2])
    assert near == jaccard(texts[1], texts[2])
    assert far < 0.75 < near
    assert find(tmp_path / "a", texts, 0.75) == [NearDuplicate(1, 0, near)]
    assert find(tmp_path / "b", [texts[1], texts[0], texts[2]], 0.75) == [
        NearDuplicate(1, 0, near),
        NearDuplicate(2, 0, near),
    ]


def test_the_most_similar_of_those_kept_is_the_twin(tmp_path: Path) -> None:
    words = [f"w{number}" for number in range(300)]
    texts = [" ".join(words[start : start + 200]) for start in (0, 16, 14)]
    found = find(tmp_path / "index", texts, 0.86)
    assert [(each.document, each.twin) for each in found] == [(2, 1)]
    equal = [texts[0], texts[0], texts[0]]
    assert [each.twin for each in find(tmp_path / "equal", equal)] == [0, 0]


@pytest.mark.parametrize("exact", [True, False])
def test_neither_calls_nor_their_order_nor_parts_change_what_is_found(
    tmp_path: Path, *, exact: bool
) -> None:
    texts = planted(100, most=0.1)
    expected = find(tmp_path / "one", texts, exact=exact)
    assert len(expected) > 20
    numbers = [*range(200)]
    random.Random(1).shuffle(numbers)
    calls = [numbers[:3], [], numbers[3:120], numbers[120:]]
    for name, most in (("two", 1 << 20), ("three", 7)):
        found = find(tmp_path / name, texts, calls=calls, exact=exact, most_sorted=most)
        assert found == expected


def test_the_numbers_are_the_caller_s(tmp_path: Path) -> None:
    text = "a text that is there twice"
    index = DuplicateIndex(tmp_path)
    index.add(signatures([text, "another one", text]), [70, 80, 5_000_000_000])
    assert [*index.found()] == [NearDuplicate(5_000_000_000, 70, 1.0)]


def test_texts_without_words_are_no_duplicates(tmp_path: Path) -> None:
    assert find(tmp_path / "index", ["", "...", "a", "", "a"]) == [NearDuplicate(4, 2, 1.0)]


def test_an_index_without_documents_finds_nothing(tmp_path: Path) -> None:
    assert [*DuplicateIndex(tmp_path).found()] == []
    assert find(tmp_path / "index", ["", "?"]) == []


def test_documents_without_anything_in_common_are_kept(tmp_path: Path) -> None:
    rng = random.Random(4)
    assert find(tmp_path / "index", [paragraph(rng) for _ in range(200)]) == []


def test_chinese_duplicates_are_found(tmp_path: Path) -> None:
    rng = random.Random(5)
    texts = ["".join(chr(rng.randrange(0x4E00, 0x5000)) for _ in range(200)) for _ in range(40)]
    copies = [text[:100] + "，" + text[100:199] for text in texts]
    found = find(tmp_path / "index", texts + copies)
    assert [(each.document, each.twin) for each in found] == [(40 + n, n) for n in range(40)]


def test_bands_choose_as_those_of_datasketch_do(tmp_path: Path) -> None:
    """The candidates of its LSH with 14 bands of 8 are those whose keys are equal here."""
    texts = planted(150, most=0.15)
    signed = signatures(texts)
    lsh = datasketch.MinHashLSH(num_perm=NUM_PERMUTATIONS, params=(NUM_BANDS, BAND_ROWS))
    expected = []
    for number, row in enumerate(signed):
        least = _Signature(row)
        expected.append(sorted(lsh.query(least)))
        lsh.insert(number, least)
    index = DuplicateIndex(tmp_path, threshold=1e-9)
    index.add(signed, range(len(texts)))
    found = {each.document: each for each in index.found()}
    for number, others in enumerate(expected):
        kept = [other for other in others if other not in found]
        assert (number in found) == bool(kept)
        if kept:
            equal = {other: (signed[number] == signed[other]).mean() for other in kept}
            assert found[number].similarity == max(equal.values())
            assert equal[found[number].twin] == max(equal.values())


class _Signature:
    """What datasketch asks of a signature."""

    def __init__(self, row: np.ndarray) -> None:
        self.hashvalues = row

    def __len__(self) -> int:
        return len(self.hashvalues)


def test_bands_find_pairs_with_the_chance_that_the_book_gives(tmp_path: Path) -> None:
    """1 - (1 - s^8)^14 of signatures that agree in each number with chance s."""
    rng = np.random.default_rng(1)
    for s in (0.5, 0.7, 0.8, 0.9):
        first = rng.integers(1 << 32, size=(2000, NUM_PERMUTATIONS), dtype=np.uint32)
        drawn = rng.integers(1 << 32, size=first.shape, dtype=np.uint32)
        second = np.where(rng.random(first.shape) < s, first, drawn)
        folder = tmp_path / str(s)
        folder.mkdir()
        index = DuplicateIndex(folder, threshold=1e-9)
        index.add(np.concatenate((first, second)), range(4000))
        rate = len([*index.found()]) / 2000
        assert rate == pytest.approx(1 - (1 - s**8) ** 14, abs=0.03)


def test_what_is_found_is_what_all_pairs_say(tmp_path: Path) -> None:
    texts = planted(60, most=0.03)
    found = [each.document for each in find(tmp_path / "index", texts, 0.7)]
    expected = plain_duplicates(texts, 0.7)
    assert set(found) <= set(expected)
    assert len(found) >= 0.95 * len(expected) > 40


def test_a_folder_that_vanished_is_one_sentence(tmp_path: Path) -> None:
    index = DuplicateIndex(tmp_path / "gone")
    with pytest.raises(OutputError, match="gone cannot be written"):
        index.add(signatures(["a b"]), [0])


@pytest.mark.slow
@pytest.mark.shared_data
def test_planted_duplicates_of_real_paragraphs_are_found(tmp_path: Path, shared_data: Path) -> None:
    with lzma.open(shared_data / "enwiki" / "enwiki.txt.xz", "rt", encoding="utf-8") as source:
        lines = (line.strip() for line in source)
        first = [*islice((line for line in lines if 300 < len(line) < 900), 2000)]
    rng = random.Random(1)
    texts = first + [edited(text, rng.random() * 0.4, rng) for text in first]
    truth = {2000 + n: n for n in range(2000) if jaccard(texts[n], texts[2000 + n]) >= 0.8}
    assert len(truth) > 50
    assert f1(find(tmp_path / "index", texts), truth) >= 0.95
