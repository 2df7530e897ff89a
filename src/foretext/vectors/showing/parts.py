"""Parts that all walks over a text show: frequencies, sub-sampling, windows, and one loss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foretext.kernels.sigmoid import GROUP
from foretext.kernels.simd import LANES
from foretext.messages import MessageTable
from foretext.shown import Cell, Note, Part, Shown, Table, TokenLine, TokenLines
from foretext.vectors.held_out import logistic_losses
from foretext.vectors.output_layer import OutputLayer
from foretext.vectors.showing.walk import ReadSentence, Walk, Window

__all__ = [
    "MOST_WINDOWS",
    "Frequencies",
    "Prediction",
    "best_seen",
    "huffman_table",
    "loss_parts",
    "no_windows",
    "node_names",
    "output_lines",
    "pair_table",
    "said",
    "sentence_lines",
    "vocabulary_shown",
    "window_lines",
    "windows_table",
]

said = MessageTable("vectors", "column.")
MOST_WORDS = 12  # rows of a table of words
MOST_TOKENS = 40  # of a sentence; of a longer one the beginning is shown
MOST_WINDOWS = 8  # rows of a table of windows
WIDE = 6  # words to each side; of a wider window only what was drawn is shown
FORMULAS = {"word2vec": "(√(f/t) + 1) · t/f", "paper": "√(t/f)"}  # of sub-sampling
NOTHING = "·"  # where a window reaches over the end of a sentence


@dataclass(frozen=True, eq=False)
class Frequencies:
    """How often each word is met, kept and drawn as noise.

    Attributes:
        words: V, of which word 0 stands for all that are left out.
        unknown: how often these occur.
        counts: (V,), 0 of word 0.
        keep: (V,) the chance to survive sub-sampling.
        sample: its threshold; 0: there is none.
        formula: of sub-sampling.
        noise: (V,) the chance of each word as a noise word; None: there are none.
        exponent: of counts, in proportion to which noise words are drawn.
    """

    words: Sequence[str]
    unknown: int
    counts: NDArray[np.int64]
    keep: NDArray[np.float64]
    sample: float
    formula: str
    noise: NDArray[np.float64] | None
    exponent: float

    def of(self, ids: NDArray[np.int64]) -> list[str]:
        """Return the words of some ids."""
        return [self.words[number] for number in ids]


@dataclass(frozen=True)
class Prediction:
    """What is predicted from one vector, with the weights as they are.

    Attributes:
        name: of what it is predicted from.
        hidden: (D,).
        outputs: (rows, D).
        rows: (N,) of the outputs.
        labels: (N,) bool.
        names: of the outputs, N.
        layer: which scores them.
    """

    name: str
    hidden: NDArray[np.float32]
    outputs: NDArray[np.float32]
    rows: NDArray[np.int64]
    labels: NDArray[np.bool_]
    names: Sequence[str]
    layer: OutputLayer

    @property
    def loss(self) -> float:
        """The loss, as a training counts it."""
        given = (self.hidden[None], self.outputs, self.rows[None], self.labels[None])
        return float(self.layer.losses(*given)[0])

    def cells(self) -> Iterator[tuple[Cell, ...]]:
        """Yield each output with its label, its score, the sigmoid of it, and its loss."""
        scores = self.outputs[self.rows] @ self.hidden
        for at, name in enumerate(self.names):
            row, label = self.rows[None, at : at + 1], self.labels[None, at : at + 1]
            loss = logistic_losses(self.hidden[None], self.outputs, row, label)
            score = float(scores[at])
            chance = float(1 / (1 + np.exp(-score)))
            yield name, int(self.labels[at]), score, chance, float(loss[0])


def vocabulary_shown(found: Frequencies, walk: Walk) -> Shown:
    """Show the words, and what sub-sampling leaves of them."""
    total, size = int(found.counts.sum()), len(found.words) - 1
    notes = [Note(said("vocabulary.words", words=size, tokens=total))]
    if found.unknown:
        notes.append(Note(said("vocabulary.unknown", unknown=found.unknown)))
    return Shown(
        said("vocabulary.title"),
        (*notes, *_sampling_note(found, walk), _frequency_table(found, walk)),
    )


def _sampling_note(found: Frequencies, walk: Walk) -> Iterator[Note]:
    if found.sample == 0:
        return
    read, left = int(walk.counts_read[1:].sum()), int(walk.counts_left[1:].sum())
    formula = FORMULAS[found.formula]
    yield Note(
        said("vocabulary.sampling", formula=formula, t=f"{found.sample:g}", read=read, left=left)
    )


def _frequency_table(found: Frequencies, walk: Walk) -> Table:
    """The most frequent words, and some of all others: a ladder down to the rarest."""
    order = np.argsort(-found.counts, kind="stable")
    order = order[found.counts[order] > 0]
    some = np.unique(np.geomspace(1, len(order), MOST_WORDS).round().astype(int)) - 1
    chosen = order[: MOST_WORDS // 2 if len(order) > MOST_WORDS else MOST_WORDS].tolist()
    chosen += [word for word in order[some].tolist() if word not in chosen]
    columns = ["word", "count", "share"]
    if found.sample > 0:
        columns += ["keep", "left"]
    if found.noise is not None:
        columns += ["noise"]
    titles = said.columns(*columns, exponent=f"{found.exponent:g}")
    total = found.counts.sum()
    rows = []
    for word in chosen[:MOST_WORDS]:
        cells: dict[str, Cell] = {
            "word": found.words[word],
            "count": int(found.counts[word]),
            "share": float(found.counts[word] / total),
            "keep": float(found.keep[word]),
            "left": int(walk.counts_left[word]),
            "noise": None if found.noise is None else float(found.noise[word]),
        }
        rows.append([cells[name] for name in columns])
    return Table.of(said("vocabulary.table"), titles, rows)


def no_windows() -> Note:
    """Say that nothing can be learned from what sub-sampling left."""
    return Note(said("windows.none"))


def examples_shown(parts: Sequence[tuple[Part, ...]]) -> list[Shown]:
    """Show the examples of some sentences, each with a number; without any say why."""
    return [
        Shown(said("example.title", number=number), of)
        for number, of in enumerate(parts or [(no_windows(),)], 1)
    ]


def sentence_lines(sentence: ReadSentence, found: Frequencies) -> TokenLines:
    """Show a sentence, and what sub-sampling drops of it."""
    ids, is_kept = sentence.ids[:MOST_TOKENS], sentence.is_kept[:MOST_TOKENS]
    known = ["dropped" if word else "unknown" for word in ids]
    marks = ["" if keeps else why for keeps, why in zip(is_kept, known, strict=True)]
    lines = [TokenLine.of(said("sentence.read"), found.of(ids), marks)]
    if found.sample > 0:
        chances = [f"{found.keep[word]:.3f}" if word else NOTHING for word in ids]
        lines.append(TokenLine.of(said("sentence.keep"), chances))
    kept = [word if keeps else "" for word, keeps in zip(found.of(ids), is_kept, strict=True)]
    if not is_kept.all():
        lines.append(TokenLine.of(said("sentence.left"), kept))
    size = len(sentence.ids)
    title = said("sentence.title" if found.sample > 0 else "sentence.plain")
    if size > MOST_TOKENS:
        title = said("sentence.cut", title=title, shown=MOST_TOKENS, size=size)
    return TokenLines(title, tuple(lines))


def windows_table(windows: Sequence[Window], found: Frequencies) -> Table:
    """Show which words each word of a sentence is learned with; noise words that it shares."""
    shown = windows[:MOST_WINDOWS]
    has_noise = any(window.noise.size for window in shown)
    is_shared = has_noise and all(len(window.noise) == 1 for window in shown)
    rows: list[list[Cell]] = []
    for window in shown:
        contexts = " ".join(found.of(window.contexts))
        noise = [" ".join(found.of(window.noise[0]))] if is_shared else []
        rows.append([found.words[window.centre], window.span, contexts, *noise])
    columns = ["center", "span", "contexts", *(["noise_words"] if is_shared else [])]
    return Table.of(said("windows.table"), said.columns(*columns), rows)


def pair_table(window: Window, found: Frequencies) -> Table:
    """Show the context words of a window, each with noise words of its own."""
    words = found.of(window.contexts)
    rows = [
        (word, " ".join(found.of(noise))) for word, noise in zip(words, window.noise, strict=True)
    ]
    columns = said.columns("context", "noise_words")
    return Table.of(said("windows.pairs", word=found.words[window.centre]), columns, rows)


def best_seen(windows: Sequence[Window]) -> Window:
    """Return that of the first windows with the most context words, none of them the centre."""
    return max(windows[:MOST_WINDOWS], key=_context_words)


def _context_words(window: Window) -> tuple[bool, int]:
    return window.centre not in window.contexts, len(window.contexts)


def window_lines(
    window: Window, sentence: ReadSentence, reach: int, found: Frequencies
) -> TokenLines:
    """Show the positions of one window: what stands there, and whether it belongs to the window."""
    reach = reach if reach <= WIDE else min(reach, window.span)
    offsets = range(-reach, reach + 1)
    tokens, marks, mask = [], [], []
    for offset in offsets:
        at = window.at + offset
        is_there = 0 <= at < len(sentence.words)
        is_in = is_there and 0 < abs(offset) <= window.span
        tokens.append(found.words[sentence.words[at]] if is_there else NOTHING)
        outside = "outside" if is_there else ""
        marks.append("center" if offset == 0 else "context" if is_in else outside)
        mask.append(int(is_in))
    title = said("window.title", word=found.words[window.centre], span=window.span)
    return TokenLines(
        title,
        (
            TokenLine.of(
                said("window.offset"), [f"{offset:+d}" if offset else 0 for offset in offsets]
            ),
            TokenLine.of(said("window.word"), tokens, marks),
            TokenLine.of(said("window.mask"), mask),
        ),
    )


def output_lines(
    predicted: int,
    noise: NDArray[np.int64],
    labels: NDArray[np.float32],
    found: Frequencies,
    mark: str = "center",
) -> TokenLines:
    """Show outputs with labels and mask; `labels` are the kernel's, 1/2 for what fills a group."""
    names = [found.words[predicted], *found.of(noise)]
    number = len(labels) - len(names)
    marks = [mark, *["noise"] * len(noise), *["filler"] * number]
    shown = ["1/2" if label == 0.5 else int(label) for label in labels]
    return TokenLines(
        said("outputs.title"),
        (
            TokenLine.of(said("outputs.word"), [*names, *[NOTHING] * number], marks),
            TokenLine.of(said("outputs.label"), shown),
            TokenLine.of(said("outputs.mask"), [int(label != 0.5) for label in labels]),
        ),
    )


def group_labels(labels: NDArray[np.float32], num_groups: int | None = None) -> NDArray[np.float32]:
    """Return the labels of the first groups of outputs, as a kernel keeps them; None: of all."""
    found: NDArray[np.float32] = labels.reshape(-1, LANES)[:num_groups, :GROUP].ravel()
    return found


def drawn_outputs(
    predicted: int, noise: NDArray[np.int64], loss: str, layer: OutputLayer, found: Frequencies
) -> tuple[NDArray[np.int64], NDArray[np.bool_], list[str]]:
    """Return the outputs that a word is scored against: rows, labels and names.

    Args:
        predicted: the word.
        noise: (K,) its noise words, where the loss is "ns".
        loss: "ns", "hs" or "softmax".
        layer: of the outputs.
        found: names of the words.
    """
    if loss == "ns":
        rows = np.array([predicted, *noise])
        return rows, np.arange(len(rows)) == 0, found.of(rows)
    drawn, labels = layer.draw(np.array([predicted]), 0)  # nothing is random
    names = list(found.words[1:]) if loss == "softmax" else node_names(drawn[0], layer)
    return drawn[0], labels[0], names


def loss_parts(prediction: Prediction, *, by_output: bool = True) -> Iterator[Part]:
    """Show the loss of one prediction, worked out."""
    if by_output:
        columns = ("output", "label", "score", "sigmoid", "loss")
        titles = said.columns(*columns)
        title = said("loss.table", given=prediction.name)
        yield Table.of(title, titles, prediction.cells())
    number = len(prediction.names)
    key = "loss.first" if not prediction.outputs.any() else "loss.sum"
    key = key if by_output else "loss.softmax"
    figures = {"loss": f"{prediction.loss:.4f}", "number": number, "given": prediction.name}
    yield Note(said(key, **figures))


def huffman_table(words: NDArray[np.int64], layer: OutputLayer, found: Frequencies) -> Table:
    """Show the path of each word through the Huffman tree, from the root."""
    targets, rows = layer.targets, []
    for word in dict.fromkeys(words.tolist()):
        path = slice(targets.path_starts[word], targets.path_starts[word + 1])
        nodes = " → ".join(node_names(targets.path_nodes[path], layer))
        code = "".join(map(str, targets.path_codes[path]))
        rows.append((found.words[word], int(found.counts[word]), code, nodes))
    columns = said.columns("word", "count", "code", "nodes")
    return Table.of(said("huffman.title"), columns, rows)


def node_names(nodes: NDArray[np.int64], layer: OutputLayer) -> list[str]:
    """Return the names of nodes of a Huffman tree: numbers, of which the root has the highest."""
    root = layer.targets.path_nodes.max(initial=0)
    return [said("huffman.root") if node == root else str(node) for node in nodes]
