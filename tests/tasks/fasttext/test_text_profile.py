"""What the rows decide: lengths of a training, n-grams, and what a word is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.tasks.fasttext.config import (
    PROGRAM_DEFAULTS,
    FastTextClassifierConfig,
    ResolvedConfig,
)
from foretext.tasks.fasttext.search import chosen_sentence
from foretext.tasks.fasttext.text_profile import TextProfile
from tests.tasks.fasttext.texts import labelled_texts

CHINESE = ["上课时学生手机响个不停", "商赢环球股份有限公司公告", "美吸引一切事物"]
JAPANESE = ["これはとてもよい映画です", "このレストランはおすすめです"]
THAI = ["ร้านนี้อร่อยมาก", "บริการแย่มาก"]


def profile(num_texts: int, num_labels: int = 4, han: float = 0.0, other: float = 0.0) -> Any:
    return TextProfile(num_texts, num_labels, 100 * num_texts, han, other)


def test_a_profile_counts_rows_labels_and_scripts() -> None:
    found = TextProfile.of(["a b", "c d", "甲乙丙丁"], [["x"], ["y"], ["x", "z"]])
    assert found == TextProfile(3, 3, 10, 0.5, 0.0)
    assert TextProfile.of(["...", "12"], [["x"], ["y"]]).han_rate == 0


def test_few_texts_are_read_often_and_a_million_five_times() -> None:
    sizes = [100, 2_000, 10_000, 40_000, 1_000_000]
    assert [profile(size).epochs for size in sizes] == [100, 100, 20, 5, 5]


def test_labels_with_few_texts_need_a_higher_rate() -> None:
    assert profile(3_000, num_labels=60).learning_rate == 1.0
    assert profile(3_000, num_labels=4).learning_rate == 0.5


@pytest.mark.parametrize(
    ("num_texts", "num_labels", "expected"),
    [(1_000, 2, 1), (3_000, 2, 2), (10_000, 20, 2), (10_000, 100, 1)],
)
def test_pairs_of_words_need_texts(num_texts: int, num_labels: int, expected: int) -> None:
    assert profile(num_texts, num_labels).word_ngrams(by_character=True) == expected


@pytest.mark.parametrize(
    ("texts", "kind", "word_ngrams", "letters"),
    [
        (["A ship, a mast", "Die Kuh"], "unicode_words", 1, (4, 6)),
        (CHINESE, "chinese_characters", 3, (0, 0)),
        (["A ship, a mast and a sail in the wind"] * 3 + CHINESE, "chinese_characters", 3, (0, 0)),
        (JAPANESE, "chinese_characters", 1, (1, 3)),
        (THAI, "unicode_words", 1, (1, 3)),
    ],
)
def test_words_are_cut_by_script(
    texts: list[str], kind: str, word_ngrams: int, letters: tuple[int, int]
) -> None:
    config = FastTextClassifierConfig().resolved(TextProfile.of(texts, [["x"]] * len(texts)))
    assert (config.pre_tokenizer, (config.minn, config.maxn)) == (kind, letters)
    assert config.word_ngrams == word_ngrams
    assert config.lowercase


@pytest.mark.parametrize("texts", [CHINESE, JAPANESE, THAI])
def test_scripts_without_blanks_are_learned_by_default(texts: list[str]) -> None:
    """A part of each text decides, which blanks would not separate."""
    rng = np.random.default_rng(0)
    parts, noise = [text[:4] for text in texts], "".join(texts)[6:]
    labels = rng.integers(0, len(parts), 200)
    found = [
        "".join(rng.permutation([parts[label], *rng.choice(list(noise), 6)])) for label in labels
    ]
    classifier = FastTextClassifier(workers=1, dim=16, seed=1).fit(found[:150], labels[:150])
    assert classifier.score(found[150:], labels[150:].tolist()) > 0.9


def test_what_is_given_stays_and_the_rest_is_chosen() -> None:
    given = FastTextClassifierConfig(lr=0.05, word_ngrams=1, pre_tokenizer="blanks")
    config = given.resolved(profile(100_000, 2, han=0.9))
    assert (config.lr, config.word_ngrams, config.pre_tokenizer) == (0.05, 1, "blanks")
    assert (config.epochs, config.lowercase, config.maxn) == (5, False, 0)
    assert given.open == ["epochs", "minn", "maxn", "lowercase"]


def test_the_defaults_of_the_program_are_those_of_resolved_settings() -> None:
    config = FastTextClassifierConfig(**PROGRAM_DEFAULTS, workers=1)
    assert not config.open
    assert config.resolved(profile(200, 60, han=1.0, other=1.0)) == ResolvedConfig(workers=1)


def test_a_time_in_place_of_epochs() -> None:
    config = FastTextClassifierConfig(budget_seconds=2.0).resolved(profile(200))
    assert config.budget_seconds == 2.0
    assert "epochs" not in config.recipe()


@pytest.mark.parametrize(
    "settings", [{}, {"maxn": 4}, {"bucket": 50}, {"budget_seconds": 1.0}, {"word_ngrams": 2}]
)
def test_a_recipe_repeats_what_was_chosen(settings: dict[str, Any]) -> None:
    config = FastTextClassifierConfig(**settings).resolved(profile(5_000, 4, han=0.5))
    again = FastTextClassifierConfig.checked(config.recipe(), "classifier")
    assert again.resolved(profile(10, 2)) == config


def test_parts_of_words_where_pairs_are_too_rare() -> None:
    config = FastTextClassifierConfig()
    few, many_labels, many = profile(500), profile(15_000, 400), profile(15_000)
    for_each = [config.resolved(each) for each in (few, many_labels, many, profile(10**6, 10**5))]
    assert [(each.word_ngrams, each.maxn) for each in for_each] == [(1, 6), (1, 6), (2, 0), (1, 0)]
    pairs = FastTextClassifierConfig(word_ngrams=2).resolved(few)
    assert (pairs.word_ngrams, pairs.maxn) == (2, 0)
    begun = FastTextClassifierConfig(pretrained_vectors="vectors.txt").resolved(few)
    assert (begun.word_ngrams, begun.maxn) == (1, 0)


def test_buckets_grow_with_the_text_unless_ngrams_were_given() -> None:
    config = FastTextClassifierConfig()
    sizes = [config.resolved(profile(size)).bucket for size in (10, 2_000, 30_000)]
    assert sizes == [1 << 14, 1 << 20, 2_000_000]
    given = FastTextClassifierConfig(word_ngrams=2, maxn=0).resolved(profile(10))
    assert given.bucket == 2_000_000


def test_buckets_without_ngrams_are_left_out() -> None:
    config = FastTextClassifierConfig(bucket=50).resolved(profile(10**6, 10**5))
    assert (config.word_ngrams, config.num_buckets) == (1, 0)
    with pytest.raises(SettingError, match="bucket would have no effect"):
        FastTextClassifierConfig.checked({"bucket": 50, "word_ngrams": 1, "maxn": 0}, "classifier")


def test_the_estimator_shows_what_was_chosen_and_copies_what_was_given() -> None:
    texts, labels = labelled_texts(200)
    classifier = FastTextClassifier(workers=1, dim=8)
    assert classifier.config.lr is None
    classifier.fit(texts, labels)
    assert (classifier.config.lr, classifier.config.epochs) == (1.0, 100)
    assert classifier.get_params() == FastTextClassifier(workers=1, dim=8).get_params()
    classifier.fit(texts * 20, labels * 20)
    assert classifier.config.epochs == 50


def test_a_sentence_says_what_was_chosen() -> None:
    given = FastTextClassifierConfig()
    assert chosen_sentence(given, given.resolved(profile(8_000))) == (
        "chosen for these rows: lr 0.5, 25 epochs, pairs of words, words of letters and digits, "
        "lower case"
    )
    chinese = given.resolved(profile(50_000, 15, han=0.9))
    assert "up to 3 words side by side, each Chinese character a word" in str(
        chosen_sentence(given, chinese)
    )
    given = FastTextClassifierConfig(**PROGRAM_DEFAULTS)
    assert chosen_sentence(given, given.resolved(profile(8_000))) is None
