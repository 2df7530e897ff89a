from __future__ import annotations

from pathlib import Path

import pytest

from foretext.corpus import Corpus
from foretext.corpus.blocks import Beginning, first_bytes


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """A hundred documents of a hundred bytes."""
    path = tmp_path / "text.txt"
    path.write_text("".join(f"{number:04} {'a' * 93}\n\n" for number in range(100)))
    return Corpus(path)


def test_without_a_limit_it_is_the_corpus(corpus: Corpus) -> None:
    text = Beginning(corpus)
    assert list(text.blocks(1000)) == list(corpus.blocks(1000))
    assert (text.num_bytes, text.share) == (corpus.num_bytes, 1.0)
    assert text.fingerprint == corpus.fingerprint
    assert str(text) == str(corpus)


def test_a_limit_ends_every_pass_after_the_same_document(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("".join(f"{number:06} {'a' * 91}\n\n" for number in range(20_000)))
    corpus = Corpus(path)
    text = Beginning(corpus, limit=1_000_000)
    passes = [list(text.blocks(1 << 14)) for _ in range(2)]
    assert passes[0] == passes[1]
    assert 1_000_000 <= sum(map(len, passes[0])) < 1_400_000
    assert text.num_bytes == 1_000_000
    assert text.share == 0.5
    assert text.fingerprint != corpus.fingerprint


def test_a_stopped_pass_is_the_limit_of_later_ones(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("".join(f"{number:06} {'a' * 91}\n\n" for number in range(20_000)))
    text = Beginning(Corpus(path))
    looks = iter(range(1000))
    with text.stopped(lambda: next(looks) >= 4):
        first = list(text.blocks(1 << 14))
    assert len(first) == 5
    assert list(text.blocks(1 << 14)) == first
    assert 0 < text.share < 1


def test_a_pass_that_comes_to_its_end_in_time_sets_no_limit(corpus: Corpus) -> None:
    text = Beginning(corpus)
    with text.stopped(lambda: False):
        assert list(text.blocks(1000)) == list(corpus.blocks(1000))
    with_later_stop = list(text.blocks(1000))  # nothing stops passes outside
    assert with_later_stop == list(corpus.blocks(1000))
    assert text.limit is None


@pytest.mark.parametrize("num_bytes", [None, 10_000, 1 << 40])
def test_first_bytes_that_are_all_have_the_digest_of_the_corpus(
    corpus: Corpus, num_bytes: int | None
) -> None:
    assert corpus.num_bytes == 10_000
    assert first_bytes(corpus, num_bytes).fingerprint == corpus.fingerprint
    assert first_bytes(corpus, num_bytes).share == 1.0


def test_fewer_bytes_have_a_digest_of_their_own(corpus: Corpus) -> None:
    found = {first_bytes(corpus, size).fingerprint for size in (5_000, 9_999, None)}
    assert len(found) == 3
