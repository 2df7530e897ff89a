"""What word vectors show: figures that a person can check by hand."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.messages import in_language
from foretext.shown import Grid, Note, Part, Shown, Table, TokenLines
from foretext.vectors.doc2vec import Doc2Vec
from foretext.vectors.fasttext import FastText
from foretext.vectors.glove import GloVe
from foretext.vectors.ngrams import CharacterNgrams
from foretext.vectors.showing.fasttext import ngram_table
from foretext.vectors.tiles import HeldOutCells
from foretext.vectors.word2vec import Word2Vec
from tests.vectors.showing.texts import TEXTS, as_tokens


def shown(kind: Any, text: str = "English", number: int = 2, **settings: Any) -> list[Shown]:
    vocabulary, tokens = as_tokens(TEXTS[text])
    config = kind.Config(**{"vector_size": 8, "workers": 1, **settings})
    with in_language("en"):
        found: list[Shown] = kind(config, vocabulary, tokens).show(number, 0)
    return found


def parts_of(found: list[Shown], kind: type) -> list[Any]:
    return [part for each in found for part in each.parts if isinstance(part, kind)]


def said(found: list[Shown]) -> str:
    return " ".join(note.text for note in parts_of(found, Note))


def titled(parts: list[Any], words: str) -> Any:
    return next(part for part in parts if words in part.title)


@pytest.mark.parametrize(("formula", "rate"), [("paper", 0.4), ("word2vec", 0.56)])
def test_frequencies_are_those_of_the_formula(formula: str, rate: float) -> None:
    """A word with a share of 0.1 and t = 0.016: sqrt(0.16), and (sqrt(6.25) + 1) * 0.16."""
    text = ["the " * 10 + " ".join(f"w{number}" for number in range(90))]
    vocabulary, tokens = as_tokens(text)
    config = Word2Vec.Config(vector_size=4, workers=1, sample=0.016, subsampling=formula)
    with in_language("en"):
        found = Word2Vec(config, vocabulary, tokens).show(1, 0)
    table = titled(parts_of(found, Table), "most frequent word")
    word, count, share, keep, left, noise = table.rows[0]
    assert (word, count, share) == ("the", 10, 0.1)
    assert keep == pytest.approx(rate)
    assert 0 <= left <= 10
    assert noise == pytest.approx(10**0.75 / (10**0.75 + 90))


@pytest.mark.parametrize(
    ("settings", "loss"),
    [
        ({}, 6 * math.log(2)),
        ({"negative": 2}, 3 * math.log(2)),
        ({"model": "cbow", "cbow_mean": False}, 6 * math.log(2)),
        ({"loss": "softmax"}, math.log(len(as_tokens(TEXTS["English"])[0].words) - 1)),
    ],
    ids=str,
)
def test_the_first_loss(settings: dict[str, Any], loss: float) -> None:
    assert f"{loss:.4f}" in said(shown(Word2Vec, sample=0.0, **settings))


def test_losses_of_outputs_add_up_to_the_loss() -> None:
    vocabulary, tokens = as_tokens(TEXTS["Chinese"])
    config = Word2Vec.Config(vector_size=8, workers=1, sample=0.0, loss="hs")
    examples = Word2Vec(config, vocabulary, tokens).examples
    rng = np.random.default_rng(0)
    examples.outputs[...] = rng.normal(size=examples.outputs.shape)
    examples.inputs[...] = rng.normal(size=examples.inputs.shape)
    (sentence,) = examples.walk().examples(1, 0)
    prediction = examples.prediction(sentence.windows[0])
    cells = list(prediction.cells())
    assert sum(row[-1] for row in cells) == pytest.approx(prediction.loss, rel=1e-5)  # type: ignore[misc]
    for _, label, score, chance, loss in cells:
        assert chance == pytest.approx(1 / (1 + math.exp(-score)))  # type: ignore[operator]
        assert loss == pytest.approx(-math.log(chance if label else 1 - chance), rel=1e-4)  # type: ignore[operator,arg-type]


def test_a_window_has_a_mask_of_what_is_a_word_of_it() -> None:
    found = shown(Word2Vec, sample=0.0, window=4)
    for lines in (part for part in parts_of(found, TokenLines) if "window of" in part.title):
        offsets, words, mask = lines.lines
        span = int(lines.title.split(":")[1].split()[0])
        for offset, word, mark, is_in in zip(
            offsets.tokens, words.tokens, words.marks, mask.tokens, strict=True
        ):
            assert (is_in == "1") is (mark == "context")
            if mark == "context":
                assert 0 < abs(int(offset)) <= span
                assert word != "·"


def test_outputs_have_labels_and_a_mask() -> None:
    """Outputs come in groups of six; four fill up the second group of eight."""
    (lines, *_) = (
        part
        for part in parts_of(shown(Word2Vec, sample=0.0, negative=7), TokenLines)
        if "Outputs" in part.title
    )
    words, labels, mask = (line.tokens for line in lines.lines)
    assert labels == ("1", *"0" * 7, *["1/2"] * 4)
    assert mask == (*"1" * 8, *"0" * 4)
    assert lines.lines[0].marks == ("center", *["noise"] * 7, *["filler"] * 4)
    assert words[0] not in words[1:]


def test_huffman_codes_are_paths() -> None:
    found = shown(Word2Vec, sample=0.0, loss="hs")
    tables = [part for part in parts_of(found, Table) if "Huffman" in part.title]
    rows = {row[0]: row[1:] for table in tables for row in table.rows}
    codes = [code for _, code, _ in rows.values()]
    for word, (_, code, nodes) in rows.items():
        assert len(code) == len(nodes.split(" → "))
        assert nodes.startswith("root")
        others = [other for other in codes if other != code]
        assert not any(other.startswith(code) for other in others), word
    most = max(rows, key=lambda word: rows[word][0])
    assert len(rows[most][1]) == min(len(code) for code in codes)


def twin_of_ngrams(word: str, minn: int, maxn: int) -> Counter[str]:
    marked = f"<{word}>"
    return Counter(
        part
        for size in range(minn, maxn + 1)
        for at in range(len(marked) - size + 1)
        if (part := marked[at : at + size]) not in ("<", ">")
    )


@pytest.mark.parametrize(("word", "minn", "maxn"), [("where", 3, 6), ("鸟儿", 1, 3), ("a", 2, 4)])
def test_ngrams_of_a_word(word: str, minn: int, maxn: int) -> None:
    table = ngram_table(word, CharacterNgrams(minn, maxn, 1000))
    assert Counter(row[0] for row in table.rows) == twin_of_ngrams(word, minn, maxn)
    assert all(row[1] == len(str(row[0])) and 0 <= int(row[2]) < 1000 for row in table.rows)  # type: ignore[call-overload]


def test_fasttext_shows_ngrams_and_noise_of_each_pair() -> None:
    found = shown(FastText, sample=0.0, minn=3, maxn=4)
    tables = parts_of(found, Table)
    assert "n-grams of" in titled(tables, "n-grams").title
    pairs = titled(tables, "noise words of its own")
    assert all(len(noise.split()) == 5 and word not in noise.split() for word, noise in pairs.rows)
    assert "4.1589" in said(found)


@pytest.mark.parametrize("model", ["dbow", "dm"])
def test_a_document_is_one_more_context_word(model: str) -> None:
    found = shown(Doc2Vec, sample=0.0, model=model)
    assert found[1].title.startswith("document ")
    table = titled(parts_of(found[1:2], Table), "What predicts")
    for _, given, _ in table.rows:
        first, *words = given.split(" + ")
        assert first == found[1].title
        assert bool(words) is (model == "dm")


def pair_twin(sentences: tuple[str, ...], window: int) -> tuple[Counter[Any], Counter[Any]]:
    """Count pairs of words as the definition says, with and without the weight of distance."""
    plain: Counter[Any] = Counter()
    weighted: Counter[Any] = Counter()
    for sentence in sentences:
        words = [word for word in sentence.split() if word not in ("nobody", "窗外")]
        for at, word in enumerate(words):
            for other in range(max(0, at - window), min(len(words), at + window + 1)):
                if other != at:
                    plain[word, words[other]] += 1
                    weighted[word, words[other]] += 1 / abs(other - at)
    return plain, weighted


@pytest.mark.parametrize("text", TEXTS)
def test_glove_shows_multisets_and_ratios(text: str) -> None:
    found = shown(GloVe, text, window=4)
    plain, weighted = pair_twin(TEXTS[text], 4)
    totals: Counter[str] = Counter()
    for (word, _), count in weighted.items():
        totals[word] += count  # type: ignore[assignment]
    tables = parts_of(found, Table)
    contexts = [part for part in tables if "multiset of" in part.title]
    assert len(contexts) == 2
    for table in contexts:
        word = table.title.split("“")[1].split("”")[0]
        for other, count, weight, share in table.rows:
            assert count == plain[word, other]
            assert weight == pytest.approx(weighted[word, other], rel=1e-5)
            assert share == pytest.approx(weighted[word, other] / totals[word], rel=1e-5)
    ratios = titled(tables, "Conditional")
    first, second = (name.split("| ")[1].rstrip(")") for name in ratios.columns[1:3])
    for probe, a, b, ratio in ratios.rows:
        assert a == pytest.approx(weighted[first, probe] / totals[first], rel=1e-5)
        assert b == pytest.approx(weighted[second, probe] / totals[second], rel=1e-5)
        assert ratio == pytest.approx(a / b)
    (grid,) = parts_of(found, Grid)
    for word, row in zip(grid.rows, grid.values, strict=True):
        for other, value in zip(grid.columns, row, strict=True):
            assert value == pytest.approx(weighted[word, other], abs=1e-3)


def test_ratios_tell_ice_from_steam(tmp_path: Path) -> None:
    text = ["ice is solid and cold water"] * 9 + ["steam is a hot gas of water"] * 9
    text += ["ice and steam are fashion"] * 2 + ["solid steam", "ice gas"]
    vocabulary, tokens = as_tokens(text)
    model = GloVe(GloVe.Config(vector_size=4, workers=1, window=6), vocabulary, tokens)
    words = list(vocabulary.words)
    with in_language("en"):
        found = model.examples(tmp_path).ratios(words.index("ice"), words.index("steam"))
    table = titled(parts_of([found], Table), "Conditional")
    assert table.columns[1:3] == ("P(k | ice)", "P(k | steam)")
    ratios = {row[0]: row[3] for row in table.rows}
    assert ratios["solid"] > 2 > ratios["water"] > 0.6 > ratios["gas"]


def test_the_weights_of_glove() -> None:
    found = shown(GloVe, x_max=10.0, exponent=0.5)
    table = titled(parts_of(found, Table), "weight of some counts")
    assert dict(table.rows) == pytest.approx(
        {0.1: 0.1, 1.0: 10**-0.5, 5.0: 0.5**0.5, 10.0: 1.0, 20.0: 1.0}
    )
    vocabulary, tokens = as_tokens(TEXTS["English"])
    model = GloVe(GloVe.Config(vector_size=4, workers=1), vocabulary, tokens)
    cell = HeldOutCells(*(np.array([value]) for value in (1, 2, math.log(7.0), 0.3)))
    product = float(model.weights.words[1] @ model.weights.contexts[2])
    assert model.weights.loss(cell) == pytest.approx(0.3 * (product - math.log(7.0)) ** 2)


def test_a_text_of_single_words_is_said_to_have_no_windows() -> None:
    vocabulary, tokens = as_tokens(["ship", "sea", "tide", "ship"])
    config = Word2Vec.Config(vector_size=4, workers=1, sample=0.0)
    with in_language("en"):
        found = Word2Vec(config, vocabulary, tokens).show(3, 0)
    assert "nothing to learn from" in said(found)


def test_parts_are_one_of_the_kinds_that_are_drawn() -> None:
    assert all(isinstance(part, Part) for each in shown(FastText) for part in each.parts)
