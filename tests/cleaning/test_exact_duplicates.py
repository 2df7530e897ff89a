from __future__ import annotations

import random
from pathlib import Path

import pytest

from foretext.base.errors import OutputError
from foretext.cleaning.exact_duplicates import ExactIndex, exact_digest


def found(index: ExactIndex) -> list[tuple[int, int]]:
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
    assert found(index) == [(2, 0), (4, 1), (5, 0)]


def test_digests_that_agree_in_one_half_are_different(tmp_path: Path) -> None:
    one, two = bytes(8), b"\xff" * 8
    index = ExactIndex(tmp_path)
    index.add([one + one, one + two, two + one, one + two, two + two], [1, 2, 3, 4, 5])
    assert found(index) == [(4, 2)]


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
    assert found(index) == expected


def test_an_index_without_documents_finds_nothing(tmp_path: Path) -> None:
    assert found(ExactIndex(tmp_path)) == []


def test_a_folder_that_vanished_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="gone cannot be written"):
        ExactIndex(tmp_path / "gone").add([exact_digest("a")], [0])
