from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.cleaning import signatures as module
from foretext.cleaning.signatures import NUM_PERMUTATIONS, jaccard, signatures, split_text
from tests.cleaning.paragraphs import edited, paragraph


def plain_jaccard(text: str, other: str) -> float:
    """By sets of tuples of words."""
    sets = []
    for words in (split_text(text), split_text(other)):
        grams = {tuple(words[at : at + 5]) for at in range(max(len(words) - 4, 1))}
        sets.append(grams - {()})
    one, two = sets
    return len(one & two) / max(len(one | two), 1)


def estimate(text: str, other: str) -> float:
    one, two = signatures([text, other])
    return float((one == two).mean())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Cat, the cat!", ["the", "cat", "the", "cat"]),
        ("今天 hello世界。", ["今", "天", "hello", "世", "界"]),
        ("ですデス", ["で", "す", "デ", "ス"]),
        ("ไทย", ["ไ", "ท", "ย"]),
        ("İ \ud83d", ["i\u0307"]),
        ("...", []),
        ("", []),
    ],
)
def test_words_of_scripts_with_and_without_blanks(text: str, words: list[str]) -> None:
    assert split_text(text) == words


def test_a_jaccard_index_by_hand() -> None:
    """a b c d e f has the 5-grams abcde, bcdef; with g in place of f the second one differs."""
    assert jaccard("a b c d e f", "A, b c d e g!") == pytest.approx(1 / 3)
    assert jaccard("a b c", "a b c") == 1.0
    assert jaccard("a b c", "a b c d") == 0.0
    assert jaccard("", "") == jaccard("", "a") == 0.0


def test_a_jaccard_index_of_chinese_by_hand() -> None:
    """今天天气很好 has two 5-grams of characters, and 今天天气很坏 shares the first."""
    assert jaccard("今天天气很好", "今天天气很坏。") == pytest.approx(1 / 3)


@given(st.lists(st.sampled_from("abc"), max_size=20), st.lists(st.sampled_from("abc"), max_size=20))
def test_the_jaccard_index_is_that_of_sets_of_words(one: list[str], two: list[str]) -> None:
    text, other = " ".join(one), " ".join(two)
    assert jaccard(text, other) == pytest.approx(plain_jaccard(text, other))


def test_signatures_estimate_the_jaccard_index() -> None:
    rng = random.Random(3)
    errors = []
    for rate in np.linspace(0, 0.3, 60):
        text = paragraph(rng)
        other = edited(text, rate, rng)
        errors.append(estimate(text, other) - jaccard(text, other))
    # The standard error of a share of 112 is 0.047 at most.
    assert np.sqrt(np.mean(np.square(errors))) < 0.05
    assert abs(np.mean(errors)) < 0.015


def test_long_chinese_texts_are_estimated_by_characters() -> None:
    rng = random.Random(5)
    text = "".join(chr(rng.randrange(0x4E00, 0x5E00)) for _ in range(2000))
    other = text[:1000] + "变" + text[1000:]
    assert jaccard(text, other) == pytest.approx(1992 / 2001)
    assert estimate(text, other) > 0.95


@pytest.mark.slow
@given(st.lists(st.text(max_size=30), min_size=1, max_size=6))
def test_a_signature_depends_on_its_text_alone(texts: list[str]) -> None:
    together = signatures(texts)
    assert (together == np.concatenate([signatures([text]) for text in texts])).all()


def test_signatures_do_not_depend_on_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [paragraph(random.Random(seed), 30) for seed in range(20)]
    whole = signatures(texts)
    monkeypatch.setattr(module, "_BATCH", 50)
    assert (signatures(texts) == whole).all()


def test_case_punctuation_and_white_space_do_not_count() -> None:
    assert estimate("One two, three four five - six.", "one  TWO three\nfour five six") == 1.0


def test_signatures_stay_the_same_from_version_to_version() -> None:
    """Stored signatures are compared with new ones, so that no change may pass unseen."""
    one, empty = signatures(["the quick brown fox jumps over the lazy dog", " ?! "])
    assert one.shape == (NUM_PERMUTATIONS,)
    assert (empty == 0xFFFFFFFF).all()
    assert one[:3].tolist() == [382095152, 781995246, 495574132]


def test_no_texts_have_no_signatures() -> None:
    assert signatures([]).shape == (0, NUM_PERMUTATIONS)
