"""What tokenizers show: merges as a textbook counts them, cuts, and how probable they are."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import ForetextError
from foretext.corpus import Corpus
from foretext.shown import Shown, Table, TokenLines
from foretext.tokenizers.merges import Merging, Rules
from foretext.tokenizers.showing import candidate_cuts, greedy_cutter, piece_scores
from foretext.tokenizers.subwords import learn_subwords

COUNTS = {"fast_": 4, "faster_": 3, "tall_": 5, "taller_": 4}
TEXT = " ".join(f"{word} " * count for word, count in COUNTS.items())
TEXTBOOK = ["level=character", "words=whitespace", 'end_of_word=""', "ties=first_met"]
WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3, "bobbob": 4}
CHINESE = {"深度学习": 5, "机器学习": 4, "学习率": 3, "深度": 2}


def show(kind: str, text: str, **options: Any) -> tuple[Shown, ...]:
    return ft.show(kind, text, lang="en", **options).shown


def table_of(shown: tuple[Shown, ...], words: str) -> Table:
    tables = (part for each in shown for part in each.parts if isinstance(part, Table))
    return next(table for table in tables if words in table.title)


def test_the_ten_merges_of_the_textbook_and_both_cuts() -> None:
    settings = [f"tokenizer.{each}" for each in TEXTBOOK]
    shown = show("bpe", TEXT, settings=settings, examples=4)
    merges = table_of(shown, "first merges")
    assert [row[-1] for row in merges.rows] == [
        *("ta", "tal", "tall", "fa", "fas", "fast", "er", "er_", "tall_", "fast_")
    ]
    assert [row[3] for row in merges.rows] == [9, 9, 9, 7, 7, 7, 7, 7, 5, 4]
    before = {row[0]: row[2] for row in table_of(shown, "as symbols").rows}
    assert before["faster_"] == "f a s t e r _"
    cuts = {row[0]: row[1:3] for row in table_of(shown, "their tokens").rows}
    assert cuts == {
        "fast_": ("fast_", "fast_"),
        "faster_": ("fast er_", "fast er_"),
        "tall_": ("tall_", "tall_"),
        "taller_": ("tall er_", "tall er_"),
    }


def test_a_word_merge_by_merge() -> None:
    settings = [f"tokenizer.{each}" for each in TEXTBOOK]
    shown = show("bpe", TEXT, settings=settings, examples=4)
    (lines,) = (part for part in shown[-1].parts if isinstance(part, TokenLines))
    assert [line.tokens for line in lines.lines[:3]] == [
        tuple("faster_" if "faster_" in lines.title else "taller_"),
        *[line.tokens for line in lines.lines[1:3]],
    ]
    assert all(len(b.tokens) < len(a.tokens) for a, b in pairwise(lines.lines))


def test_the_greedy_cut_of_words_that_were_not_learned() -> None:
    """As the textbook has it: tallest_ and fatter_ after the same ten merges."""
    rules = Rules(vocab_size=38, alphabet="abcdefghijklmnopqrstuvwxyz_", ties="first_met")
    merging = Merging([*COUNTS], np.array([*COUNTS.values()]), rules)
    list(merging.steps(10))
    cut = greedy_cutter(merging.tokens, rules, None)
    assert cut("tallest_") == ["tall", "e", "s", "t", "_"]
    assert cut("fatter_") == ["fa", "t", "t", "er_"]
    assert cut("fäst_") == ["[UNK]"]


def twin_counts(words: list[list[str]], counts: list[int]) -> tuple[Counter[Any], Counter[str]]:
    pairs: Counter[Any] = Counter()
    symbols: Counter[str] = Counter()
    for word, count in zip(words, counts, strict=True):
        for symbol in word:
            symbols[symbol] += count
        for pair in pairwise(word):
            pairs[pair] += count
    return pairs, symbols


@pytest.mark.parametrize("counts", [COUNTS, WORDS, CHINESE], ids=["textbook", "other", "Chinese"])
@pytest.mark.parametrize("prefix", ["", "##"])
def test_counts_of_merges_are_those_of_the_words(counts: dict[str, int], prefix: str) -> None:
    rules = Rules(vocab_size=200, prefix=prefix)
    merging = Merging([*counts], np.array([*counts.values()]), rules)
    before = merging.words()
    for step in merging.steps(9):
        pairs, symbols = twin_counts(before, [*counts.values()])
        assert step.pair_count == pairs[step.left, step.right] == max(pairs.values())
        assert (step.left_count, step.right_count) == (symbols[step.left], symbols[step.right])
        before = merging.words()
        assert ["".join(each).replace("##", "") for each in before] == [*counts]


def test_the_score_by_likelihood_stands_beside_the_count() -> None:
    merges = table_of(show("wordpiece", "ab ab ab cb"), "first merges")
    step, left, right, count, score, token = merges.rows[0]
    assert (step, left, right, count, token) == (1, "a", "##b", 3, "ab")
    assert score == pytest.approx(3 / (3 * 4))


def all_cuts(word: str, scores: dict[str, float]) -> list[tuple[float, tuple[str, ...]]]:
    if not word:
        return [(0.0, ())]
    return [
        (scores[word[:end]] + score, (word[:end], *rest))
        for end in range(1, len(word) + 1)
        if word[:end] in scores
        for score, rest in all_cuts(word[end:], scores)
    ]


@pytest.mark.parametrize("word", ["▁newest", "▁深度学习"])
def test_candidate_cuts_are_the_best_of_all(word: str) -> None:
    rng = np.random.default_rng(0)
    parts = {word[a:b] for a in range(len(word)) for b in range(a + 1, len(word) + 1)}
    scores = {part: -float(rng.exponential(3)) - 1 for part in sorted(parts)}
    found = candidate_cuts(word, scores, 5)
    expected = sorted(all_cuts(word, scores), reverse=True)[:5]
    assert [cut for _, cut in found] == [cut for _, cut in expected]
    assert [score for score, _ in found] == pytest.approx([score for score, _ in expected])
    assert candidate_cuts("x" + word, scores, 5) == []


def test_the_first_candidate_is_what_the_tokenizer_takes(tmp_path: Path) -> None:
    text = " ".join(f"{word} " * count for word, count in {**WORDS, **CHINESE}.items())
    (tmp_path / "text.txt").write_text(text * 3, encoding="utf-8")
    tokenizer = learn_subwords("unigram", {"vocab_size": 60}, Corpus(tmp_path / "text.txt"))
    scores = piece_scores(tokenizer)
    for word in [*WORDS, *CHINESE]:
        (best, *_) = candidate_cuts(f"▁{word}", scores, 3)
        tokens = tokenizer.library.encode(word, add_special_tokens=False).tokens
        assert best[1] == tuple(tokens)
    assert math.fsum(map(math.exp, scores.values())) == pytest.approx(1, abs=0.2)


def test_words_are_cut_by_a_tokenizer_that_is_given(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("new newer newest low lower\n" * 9)
    tokenizer = learn_subwords("wordpiece", {"vocab_size": 40}, Corpus(tmp_path / "text.txt"))
    tokenizer.save(tmp_path / "tokenizer.json")
    shown = show("wordpiece", "newest lowest", examples=2, tokenizer=tmp_path / "tokenizer.json")
    rows = {row[0]: row for row in table_of(shown, "their tokens").rows}
    assert rows["newest"][1] == "newest"
    ids = tokenizer.encode("lowest")
    assert rows["lowest"][2] == " ".join(map(str, ids))


def test_settings_of_other_sections_are_refused() -> None:
    with pytest.raises(ForetextError, match="a tokenizer has no such section"):
        ft.show("bpe", TEXT, settings=["training.steps=3"])
    with pytest.raises(ForetextError, match="examples = 0"):
        ft.show("bpe", TEXT, examples=0)
    with pytest.raises(ForetextError, match="vocab_size"):
        ft.show("wordpiece", TEXT, settings=["tokenizer.vocab_size=7"])
