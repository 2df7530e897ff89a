"""What decides on an answer, as parts to show: the answer, its words, and the network underneath.

Every model of a task begins with `answer_parts`; one with a network goes on with `network_parts`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from foretext.data.rows import line_input
from foretext.messages import MessageTable
from foretext.shown import Cell, Note, Part, Shown, Table, TokenLine, TokenLines
from foretext.tasks.class_answers import ClassAnswers
from foretext.tasks.explanation import Explanation, Texts
from foretext.vectors.insight import shortened_title

if TYPE_CHECKING:
    from foretext.data.padded_examples import PaddedExamples
    from foretext.nn.scalar_mix import ScalarMix
    from foretext.tasks.model import TaskModel
    from foretext.tasks.predictor import Predictor

__all__ = [
    "answer_parts",
    "label_parts",
    "mix_parts",
    "network_parts",
    "shown_inputs",
    "views_table",
    "word_weight_parts",
]

MOST_LABELS = 20
MOST_VIEWED = 6  # labels of a table of views
MOST_WORDS = 30  # of a table
MOST_PREDICTIONS = 64  # for one explanation
MARKED_RATE = 0.2  # of the largest weight; words that weigh less are not marked
DIGITS = 4

LABELS = MessageTable("insight.labels")
VIEWS = MessageTable("insight.views")
DECIDED = MessageTable("insight.decided")
NETWORK = MessageTable("insight.network")
MIX = MessageTable("insight.mix")
ANSWER = MessageTable("insight.answer")


def shown_inputs(
    lines: Sequence[str], fields: Sequence[str], insight: Callable[[Texts], list[Part]]
) -> list[Shown]:
    """Return what is shown of each line, whose texts stand between tabs.

    Raises:
        CorpusError: a line has not as many texts as there are fields.
    """
    found = []
    for number, line in enumerate(lines, 1):
        texts = tuple(map(str, line_input(line, number, fields)))
        found.append(Shown(shortened_title(" | ".join(texts)), tuple(insight(texts))))
    return found


def answer_parts(model: Predictor, texts: Texts) -> list[Part]:
    """Return the answer to one input and, where words explain it, what each of them adds."""
    answers = model.class_answers([texts])
    if answers is not None:
        parts = label_parts(answers)
    else:
        (record,) = model.records([texts], model.options(None, None))
        parts = _record_parts(record)
    if model.explained_by:
        parts += word_weight_parts(model.explain(texts, most=MOST_PREDICTIONS))
    return parts


def label_parts(answers: ClassAnswers) -> list[Part]:
    """Return the probability of each label of one input, the most probable first."""
    row = answers.probabilities[0]
    best = np.argsort(-row, kind="stable")[:MOST_LABELS].tolist()
    rows = [(str(answers.labels[label]), round(float(row[label]), DIGITS)) for label in best]
    several = "several" if answers.is_multi_label else "one"
    return [
        Note(LABELS(f"note_{several}", labels=len(answers.labels))),
        Table.of(LABELS("title"), LABELS.columns("label", "probability"), rows),
    ]


def views_table(
    labels: Sequence[str], weights: Sequence[tuple[str, float]], each: NDArray[np.float64]
) -> Table:
    """Return what each part of a model says alone, and how much it weighs.

    Args:
        labels: C names.
        weights: names of M parts, and how much each weighs.
        each: (M, C) probabilities.
    """
    best = np.argsort(-each.mean(0), kind="stable")[:MOST_VIEWED].tolist()
    rows: list[list[Cell]] = [
        [name, round(weight, DIGITS), *(round(float(own[label]), DIGITS) for label in best)]
        for (name, weight), own in zip(weights, each, strict=True)
    ]
    columns = [*VIEWS.columns("view", "weight"), *(str(labels[label]) for label in best)]
    return Table.of(VIEWS("title"), columns, rows)


def word_weight_parts(explained: Explanation) -> list[Part]:
    """Return the words of an input with what each adds to the value of a label."""
    if not explained.words:
        return []
    most = max(abs(word.weight) for word in explained.words)
    lines = []
    for field in explained.texts:
        words = [word for word in explained.words if word.field == field]
        marks = [_mark(word.weight, most) for word in words]
        lines.append(TokenLine.of(field, [word.text for word in words], marks))
    figures = {"base": explained.base, "value": explained.value, "rest": explained.rest}
    subject = DECIDED("score") if explained.label is None else str(explained.label)
    said = DECIDED("note", label=subject, method=explained.method, **figures)
    rows = [(word.text, round(word.weight, DIGITS)) for word in explained.top(MOST_WORDS)]
    return [
        Note(said),
        TokenLines(DECIDED("title"), tuple(lines)),
        Table.of(DECIDED("table"), DECIDED.columns("word", "weight"), rows),
    ]


def network_parts(model: TaskModel, examples: PaddedExamples) -> list[Part]:
    """Return what the network of a task makes of the rows of one input.

    Args:
        model: whose network it is.
        examples: of one input; of several windows the first one is shown.
    """
    from foretext.backbones.insight import backbone_parts
    from foretext.tokenizers.token_names import namer

    network = model.exact_network()
    name = namer(model.base.tokenizer, examples.rows.spelling)
    batch = examples.batch(np.zeros(1, np.int64)).to(network.backbone.embedding.device)
    parts: list[Part] = []
    if len(examples) > 1:
        parts.append(Note(NETWORK("windows", windows=len(examples))))
    for number in range(examples.group):
        inputs = batch.inputs.rows(number, number + 1)
        tokens = [*map(name, inputs.ids[0].tolist())]
        lines = [TokenLine.of(NETWORK("tokens"), tokens)]
        if inputs.segments is not None:
            segments = inputs.segments[0].tolist()
            lines.append(TokenLine.of(NETWORK("segments"), segments))
        parts.append(TokenLines(NETWORK("row", number=number + 1), tuple(lines)))
        if number == 0 and model.head.mix is not None:
            parts += mix_parts(model.head.mix, list(model.layer_weights))
        if number == 0 and model.head.word_vectors is not None:
            known = model.head.word_vectors.knows(inputs.ids[0])
            figures = {"dim": model.head.word_vectors.dim, "known": int(known.sum())}
            parts.append(Note(NETWORK("joined", tokens=len(tokens), **figures)))
        parts += backbone_parts(network.backbone, inputs, tokens)
    return parts


def mix_parts(mix: ScalarMix, layers: Sequence[str]) -> list[Part]:
    """Return how much of each layer a task reads: s_j, which sum to 1, and γ times s_j."""
    scale, scores = float(mix.scale.detach()), mix.scores.detach().float().tolist()
    rows = [
        (layer, round(score, DIGITS), round(share, DIGITS), round(scale * share, DIGITS))
        for layer, score, share in zip(layers, scores, mix.weights.tolist(), strict=True)
    ]
    columns = MIX.columns("layer", "score", "weight", "scaled")
    kind = "normed" if mix.normed else "plain"
    return [
        Note(MIX(f"note_{kind}", scale=scale)),
        Table.of(MIX("title"), columns, rows),
    ]


def _record_parts(record: Mapping[str, Any]) -> list[Part]:
    """Return an answer that is none of labels, as JSON has it, name by name."""
    rows = [cell for name, value in record.items() for cell in _cells(name, value)]
    return [Table.of(ANSWER("title"), ANSWER.columns("name", "value"), rows)]


def _cells(name: str, value: Any) -> list[tuple[Cell, Cell]]:
    if isinstance(value, Mapping):
        return [cell for key, each in value.items() for cell in _cells(f"{name}.{key}", each)]
    if isinstance(value, list | tuple):
        few = enumerate(value[:MOST_LABELS], 1)
        return [cell for number, each in few for cell in _cells(f"{name} {number}", each)]
    return [(name, value if isinstance(value, str | int | float) else str(value))]


def _mark(weight: float, most: float) -> str:
    if abs(weight) < MARKED_RATE * most or not weight:
        return ""
    return "for" if weight > 0 else "against"
