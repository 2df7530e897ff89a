from __future__ import annotations

import random
import zlib
from pathlib import Path

import numpy as np
import pytest

from foretext.cleaning.near_duplicates import DuplicateIndex
from foretext.cleaning.signatures import jaccard, signatures
from foretext.corpus.duplicates import NEAR_SIMILARITY, document_digests
from foretext.corpus.near_duplicate_sample import NearDuplicates
from foretext.corpus.sketches import Sketching
from tests.corpus.test_duplicates import Documents

WORDS = [f"word{number}" for number in range(2000)]


def added(near: NearDuplicates, documents: list[list[str]], most_sampled: int = 4096) -> None:
    """Add documents as one part, in two blocks."""
    sketching = Sketching(most_sampled)
    for block in (documents[:10], documents[10:]):
        hashes = np.array([zlib.crc32(word.encode()) for each in block for word in each], np.uint64)
        ends = np.cumsum([len(each) for each in block], dtype=np.int64)
        sketching.add(hashes, ends, document_digests(map(" ".join, block)))
    near.add(sketching.found(), Documents([*map(" ".join, documents)]))


def random_documents(number: int, length: int = 50) -> list[list[str]]:
    generator = random.Random(0)
    return [generator.choices(WORDS, k=length) for _ in range(number)]


def test_near_duplicates_are_found_and_exact_ones_are_not() -> None:
    documents = random_documents(300, length=100)
    changed = [[*words[:50], "changed", *words[51:]] for words in documents[:60]]
    near = NearDuplicates()
    added(near, documents)
    added(near, [*documents[:100], *changed])
    found = near.found()
    assert found.duplicates > 40
    assert 300 < found.documents <= 360
    assert len(found.examples) == len(found.places) == 5
    assert all(place.line is not None and place.line > 100 for place in found.places)


def test_different_and_short_documents_are_no_near_duplicates() -> None:
    near = NearDuplicates()
    added(near, random_documents(500))
    added(near, [["short", "text"]] * 50)
    added(near, [])
    assert (near.found().documents, near.found().duplicates) == (500, 0)


def test_only_the_beginning_of_a_long_document_counts() -> None:
    near = NearDuplicates()
    [long] = random_documents(1, length=3000)
    added(near, [long, [*long[:1024], *long[:500]]])
    assert (near.found().documents, near.found().duplicates) == (2, 1)


def test_pairs_are_sampled_together() -> None:
    near = NearDuplicates(most_sampled=200)
    documents = random_documents(4000)
    added(near, documents)
    added(near, [[*words[:-1], "end"] for words in documents])
    found = near.found()
    assert found.documents <= 250
    assert found.rate == pytest.approx(0.5, abs=0.1)  # all of the second half are


@pytest.mark.parametrize("size", [30, 200, 1000])
def test_parts_lack_nothing_that_the_whole_samples(size: int) -> None:
    documents = random_documents(700)
    documents += [[*words[:-1], "end"] for words in documents[::2]]
    whole, parts = NearDuplicates(most_sampled=100), NearDuplicates(most_sampled=100)
    added(whole, documents, most_sampled=10_000)
    for first in range(0, len(documents), size):
        added(parts, documents[first : first + size], most_sampled=100)
    one, other = whole.found(), parts.found()
    assert (one.documents, one.duplicates) == (other.documents, other.duplicates)
    assert one.duplicates > 10


def test_one_text_over_and_over_with_a_number_ends() -> None:
    near = NearDuplicates(most_sampled=100)
    template = WORDS[:40]
    added(near, [[*template, str(number)] for number in range(2000)])
    assert near.found().rate > 0.9


@pytest.mark.parametrize("changed", [1, 4])
def test_clean_and_inspect_agree_on_what_nearly_repeats(changed: int, tmp_path: Path) -> None:
    """In 100 words, one change leaves 91 of 101 grams; four, far apart, 76 of 116: below 0.8."""
    documents = random_documents(200, length=100)
    places = {20 * (number + 1) for number in range(changed)}
    again = [
        ["changed" if at in places else word for at, word in enumerate(words)]
        for words in documents
    ]
    near = NearDuplicates()
    added(near, documents + again)
    texts = [" ".join(words) for words in documents + again]
    index = DuplicateIndex(tmp_path)
    index.add(signatures(texts), range(len(texts)))
    dropped = len([*index.found(texts.__getitem__)])
    similar = jaccard(texts[0], texts[200]) >= NEAR_SIMILARITY
    assert similar == (changed == 1)
    assert dropped > 190 if similar else dropped == 0
    sampled = near.found().duplicates  # one pair in ten is not sampled together
    assert sampled > 140 if similar else sampled < 10
