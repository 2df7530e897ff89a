"""What is shown is what is trained: learned again from what is shown, the weights are the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from foretext.vectors.doc2vec import Doc2Vec
from foretext.vectors.fasttext import FastText
from foretext.vectors.schedule import step_seed
from foretext.vectors.showing.walk import ReadSentence, Window
from foretext.vectors.word2vec import Word2Vec
from tests.kernels.doc2vec_twin import DocumentTwin
from tests.kernels.fasttext_twin import FastTextTwin
from tests.kernels.word2vec_twin import Twin
from tests.vectors.showing.texts import TEXTS, as_tokens

RATE, D = 0.2, 8
SETTINGS: dict[str, Any] = {"vector_size": D, "workers": 1, "sample": 0.0, "seed": 5}

Outputs = tuple[list[int], list[float]]


def learn_all(model: Any) -> None:
    """One epoch of the training, at one rate."""
    for step in range(len(model.slices)):
        model.learn(step, 0, (RATE, RATE), step_seed(model.config.seed, step))


def begin(matrix: np.ndarray, seed: int) -> np.ndarray:
    """Give a matrix values that no score is 0 with; return a copy for a twin."""
    matrix[...] = np.random.default_rng(seed).normal(size=matrix.shape) / 3
    return np.array(matrix, np.float64)


def outputs_of(window: Window, paths: list[Outputs], noise: list[int]) -> Outputs:
    if paths:
        return paths[window.centre]
    return [window.centre, *noise], [1.0] + [0.0] * len(noise)


def paths_of(targets: Any) -> list[Outputs]:
    """Return nodes and labels of each word of a Huffman tree; nothing where there is none."""
    if not len(targets.path_nodes):
        return []
    ends = zip(targets.path_starts[:-1], targets.path_starts[1:], strict=True)
    return [
        (targets.path_nodes[a:b].tolist(), (1.0 - targets.path_codes[a:b]).tolist())
        for a, b in ends
    ]


def replay(
    twin: Twin, sentences: list[ReadSentence], paths: list[Outputs], *, exact: bool, rows: list[int]
) -> None:
    """Learn from the windows that were shown; `rows` are the documents that join them."""
    for sentence, row in zip(sentences, rows or [None] * len(sentences), strict=True):
        for window in sentence.windows:
            inputs = [*window.contexts.tolist(), *([] if row is None else [row])]
            drawn = window.noise.tolist()
            if not exact:
                twin.learn(window.centre, inputs, *outputs_of(window, paths, drawn[0]), RATE)
                continue
            for word, noise in zip(inputs, drawn, strict=True):
                twin.learn(window.centre, [word], *outputs_of(window, paths, noise), RATE)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"sample": 0.02, "negative": 7},
        {"sample": 0.05, "subsampling": "paper", "window": 2},
        {"model": "cbow"},
        {"model": "cbow", "cbow_mean": False, "noise_outside_context": True},
        {"exact": True},
        {"exact": True, "noise_outside_context": True, "sample": 0.1},
        {"loss": "hs"},
        {"loss": "softmax", "model": "cbow"},
    ],
    ids=str,
)
def test_word2vec_learns_the_windows_that_are_shown(text: str, settings: dict[str, Any]) -> None:
    vocabulary, tokens = as_tokens(TEXTS[text])
    model = Word2Vec(Word2Vec.Config(**{**SETTINGS, **settings}), vocabulary, tokens)
    examples, size = model.examples, len(vocabulary.words)
    inputs, outputs = examples.inputs[:size], examples.outputs[:size]
    config = model.config
    twin = Twin(
        begin(inputs, 0),
        begin(outputs, 1),
        examples.text.keep,
        cbow=config.model == "cbow",
        mean=config.cbow_mean,
        softmax=config.loss == "softmax",
    )
    walk = examples.walk()
    sentences = [walk.sentence(at) for at in range(len(TEXTS[text]))]
    learn_all(model)
    replay(twin, sentences, paths_of(examples.layer.targets), exact=config.exact, rows=[])
    known = slice(1, None)  # row 0 is no word
    np.testing.assert_allclose(inputs[known], twin.inputs[known], atol=2e-3)
    np.testing.assert_allclose(outputs[known], twin.outputs[known], atol=2e-3)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"dbow_words": True, "exact": True, "negative": 3},
        {"dbow_words": True, "window": 2, "sample": 0.1},
        {"model": "dm", "sample": 0.1},
        {"model": "dm", "context": "sum", "loss": "hs"},
        {"model": "dm", "context": "concat", "window": 2},
    ],
    ids=str,
)
def test_doc2vec_learns_the_documents_that_are_shown(text: str, settings: dict[str, Any]) -> None:
    vocabulary, tokens = as_tokens(TEXTS[text])
    model = Doc2Vec(Doc2Vec.Config(**{**SETTINGS, **settings}), vocabulary, tokens)
    network, config, number = model.network, model.config, len(TEXTS[text])
    inputs, outputs = network.input_rows, network.output_rows
    twin = DocumentTwin(
        begin(inputs, 0),
        begin(outputs, 1).reshape(len(outputs), -1),
        np.zeros(0),
        cbow=config.model == "dm" or not config.dbow_words,
        mean=config.context == "mean",
        concatenated=config.is_concatenated,
    )
    walk = model.examples.walk()
    sentences = [walk.sentence(at) for at in range(number)]
    rows = [walk.row(at) for at in range(number)]
    learn_all(model)
    paths = paths_of(network.layer.targets)
    if config.is_concatenated:
        for sentence, row in zip(sentences, rows, strict=True):
            for window in sentence.windows:
                given = outputs_of(window, paths, window.noise[0].tolist())
                twin.learn_side_by_side([row, *window.contexts.tolist()], *given, RATE)
    else:
        replay(twin, sentences, paths, exact=config.exact, rows=rows)
    np.testing.assert_allclose(inputs, twin.inputs, atol=2e-3)
    np.testing.assert_allclose(outputs.reshape(len(outputs), -1), twin.outputs, atol=2e-3)


class Given(Twin):
    """Draws nothing: words, windows and noise words are those that were shown."""

    def take(self, sentences: list[ReadSentence]) -> None:
        self.shown = iter(sentences)
        windows = (window for sentence in sentences for window in sentence.windows)
        self.noise_words = (noise for window in windows for noise in window.noise.tolist())

    def kept(self, sentence: list[int]) -> tuple[list[int], list[int]]:
        shown = next(self.shown)
        assert shown.ids.tolist() == sentence
        assert shown.ids[shown.is_kept].tolist() == shown.words.tolist()
        return shown.words.tolist(), [window.span for window in shown.windows]

    def draw(self, centre: int, hidden: tuple[int, ...] = ()) -> Outputs:
        if self.paths:
            return self.paths[centre]
        noise = next(self.noise_words)
        return [centre, *noise], [1.0] + [0.0] * len(noise)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    "settings",
    [{}, {"model": "cbow", "sample": 0.1}, {"loss": "hs"}, {"negative": 6, "sample": 0.1}],
    ids=str,
)
def test_fasttext_learns_the_windows_that_are_shown(text: str, settings: dict[str, Any]) -> None:
    vocabulary, tokens = as_tokens(TEXTS[text])
    config = FastText.Config(**{**SETTINGS, "window": 3, "maxn": 0, **settings})
    model = FastText(config, vocabulary, tokens)
    weights, size = model.weights, len(vocabulary.words)
    outputs = weights.outputs.reshape(-1, weights.stride)[:size, :D]
    paths = paths_of(model.examples.layer.targets)
    draws = Given(np.zeros(0), np.zeros(0), np.zeros(0), paths=paths)
    units = [[], *([row] for row in weights.table.word_rows.tolist())]
    twin = FastTextTwin(
        begin(weights.rows, 0), begin(outputs, 1), units, draws, cbow=config.model == "cbow"
    )
    walk = model.examples.walk()
    sentences = [walk.sentence(at) for at in range(len(TEXTS[text]))]
    draws.take(sentences)
    learn_all(model)
    twin.train([sentence.ids.tolist() for sentence in sentences], RATE, RATE, 0)
    np.testing.assert_allclose(weights.rows, twin.inputs, atol=2e-3)
    np.testing.assert_allclose(outputs[1:], twin.outputs[1:], atol=2e-3)


def left_of(sentences: Iterator[ReadSentence], size: int) -> np.ndarray:
    words = np.concatenate([sentence.words for sentence in sentences])
    return np.bincount(words, minlength=size)


@pytest.mark.parametrize("kind", [Word2Vec, FastText, Doc2Vec])
def test_counts_before_and_after_are_of_all_sentences(kind: Any) -> None:
    vocabulary, tokens = as_tokens(TEXTS["English"])
    model = kind(kind.Config(**{**SETTINGS, "sample": 0.02}), vocabulary, tokens)
    walk, size = model.examples.walk(), len(vocabulary.words)
    sentences = [walk.sentence(at) for at in range(len(TEXTS["English"]))]
    np.testing.assert_array_equal(walk.counts_left, left_of(iter(sentences), size))
    np.testing.assert_array_equal(walk.counts_read, vocabulary.counts)
    assert 0 < walk.counts_left.sum() < walk.counts_read.sum()


@pytest.mark.parametrize("kind", [Word2Vec, FastText])
def test_a_walk_that_ends_early_has_the_first_sentences(kind: Any) -> None:
    vocabulary, tokens = as_tokens(TEXTS["English"])
    examples = kind(kind.Config(**SETTINGS), vocabulary, tokens).examples
    short, whole = examples.walk(25), examples.walk()
    assert 25 <= short.counts_read.sum() < 40
    first = short.examples(9, seed=0)
    assert 2 <= len(first) <= 4
    known = [whole.sentence(at).ids.tolist() for at in range(4)]
    assert all(sentence.ids.tolist() in known for sentence in first)
