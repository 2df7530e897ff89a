"""What the networks of tasks compute, as graphs for programs without foretext.

A row of a task names one of these functions. What other programs cannot do, such as read words
beside a network, is refused with a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from foretext.backbones.base import States
from foretext.base.errors import SettingError
from foretext.corpus.scripts import unspaced_ranges
from foretext.data.batch import Inputs
from foretext.data.framing import Framing
from foretext.interop.graph import (
    GraphNetwork,
    NetworkGraph,
    ReadInput,
    Texts,
    TextVector,
    check_base,
    joined_rows,
    one_row,
)
from foretext.interop.text_windows import TextWindows, text_windows
from foretext.messages import message
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.matching.network import TextMatcher
from foretext.tasks.model import TaskModel
from foretext.tasks.sentence_vectors.network import SentenceEncoder
from foretext.tasks.span_qa.network import SpanReader
from foretext.tasks.tagging.network import Tagger
from foretext.tasks.tagging.scores import SentenceScores
from foretext.tasks.tagging.windows import SentenceWindows
from foretext.tokenizers.alphabet import LONGEST_WORD

__all__ = [
    "classifier_graph",
    "encoder_graph",
    "encoder_windows",
    "matcher_graph",
    "reader_graph",
    "tagger_graph",
    "task_graph",
]

LOGITS, STARTS, ENDS = "logits", "start_logits", "end_logits"
STATES, VECTOR = "last_hidden_state", "sentence_embedding"

ROWS: dict[str, Callable[[Texts], list[str | Texts]]] = {  # of a pair, by how a matcher reads it
    "pair": one_row,
    "both_orders": lambda texts: [texts, texts[::-1]],
    "siamese": lambda texts: [*texts],
}
Finish = Callable[[Tensor], tuple[Tensor, ...]]  # outputs of a head to those of a graph


def task_graph(model: TaskModel) -> NetworkGraph:
    """Return the network of a task as a graph.

    Raises:
        SettingError: other programs could not compute what it answers.
    """
    make = model.task.graph
    if make is None:
        raise SettingError(
            f"A model of the task '{model.task.name}' cannot be exported; those of classification, "
            "matching, tagging, questions and sentence vectors can."
        )
    model.use_precision("fp32")
    graph: NetworkGraph = make(model)
    return graph


def classifier_graph(model: TextClassifier) -> NetworkGraph:
    """Return the logits of labels (B, C), divided by the temperature."""
    if model.ensemble is not None or model.head.words is not None:
        raise SettingError(
            "The classifier reads words beside its network, which other programs do not do, so it "
            "cannot be exported; learn it with task.word_features=none and without an ensemble."
        )
    how = model.head.config.long_texts
    if how in ("tail", "head_tail"):
        raise SettingError(
            f"The classifier reads {'the end' if how == 'tail' else 'both ends'} of long texts, "
            "and other programs read the beginning; learn it with task.long_texts=head."
        )
    longer = message("exporting.use.windows") if how == "windows" else ""
    multi = model.is_multi_label
    facts = {
        "labels": list(model.label_names),
        "activation": "sigmoid" if multi else "softmax",
    }
    return _graph(
        model,
        "The classifier",
        "text-classification",
        _divided(1.0 if multi else model.temperature),
        facts=facts,
        longer=longer,
    )


def matcher_graph(model: TextMatcher) -> NetworkGraph:
    """Return the logits of labels (B, C), or scores (B, 1) in the range of the rows."""
    head = model.head
    if head.words is not None:
        raise SettingError(
            "The matcher reads words beside its network, which other programs do not do, so it "
            "cannot be exported; learn it with task.word_features=none."
        )
    if model.label_names:
        finish = _divided(model.temperature)
        facts: dict[str, Any] = {"labels": list(model.label_names), "activation": "softmax"}
    else:
        answers: Any = head.answers
        low = answers.lowest
        finish = _scaled(low, answers.span)
        facts = {"activation": "none", "range": [low, low + answers.span]}
    return _graph(
        model,
        "The matcher",
        "text-classification",
        finish,
        num_texts=2,
        facts=facts | {"mode": head.mode},
        rows_of=ROWS[head.mode],
    )


def reader_graph(model: SpanReader) -> NetworkGraph:
    """Return the logits of the starts and ends of answers, (B, T) each."""
    config = model.head.config
    pair_room = model.base.framing(config.max_length).pair_room
    facts = {
        "pair_room": pair_room,
        "question_room": min(config.max_question_length, pair_room // 2),
        "max_answer_length": config.max_answer_length,
        "may_abstain": model.may_abstain,
        "null_threshold": model.null_threshold,
        "temperature": model.temperature,
        "stride": config.stride,
    }
    return _graph(
        model,
        "The reader",
        "question-answering",
        _both_ends,
        outputs=(STARTS, ENDS),
        of_positions=True,
        num_texts=2,
        cut="only_second",
        facts=facts,
        longer=message("exporting.use.passages"),
    )


def tagger_graph(model: Tagger) -> NetworkGraph:
    """Return the score of each tag at each token, (B, T, C); what decodes them is in the facts."""
    head = model.head
    if head.marks_tokens:
        raise SettingError(
            "The tagger reads where characters stand in jieba's words, which other programs do not "
            "do, so it cannot be exported; learn it with task.word_boundaries=false."
        )
    framing = model.base.framing(head.config.max_length)
    graph = _graph(
        model,
        "The tagger",
        "token-classification",
        _divided(1.0),
        of_positions=True,
        words=lambda text: [token.text for token in model.tokens([text])[0]],
        facts={"labels": list(head.tags.labels), "decoding": _decoding(model, framing)},
        longer=message("exporting.use.sentences"),
    )

    def read(texts: Texts) -> ReadInput:
        own = graph.read(texts)
        words = [token.text for token in model.tokens(texts)[0]]
        encoded = model.base.reader().encode_words([words])
        windows = SentenceWindows.of(encoded, framing, model.base.pad)
        if windows.num_cut or not words:
            return own
        scores = own.outputs[LOGITS][windows.windows[0].positions]
        (indices,) = SentenceScores(head, [scores]).indices()
        return ReadInput(own.ids, {**own.outputs, "tags": np.array(indices, np.float32)})

    return replace(graph, read=read)


def encoder_graph(model: SentenceEncoder) -> NetworkGraph:
    """Return the states (B, T, D), and the vector of each text (B, D)."""
    head, base = model.head, model.base
    tokenizer = check_base(base, "The sentence encoder")
    framing = base.framing(head.config.max_length)
    around = len(framing.prefix) + len(framing.suffix)
    vector = TextVector(head.pool, (), normalize=head.normalizes, num_around=around)

    def answer(states: States, inputs: Inputs) -> tuple[Tensor, ...]:
        return states.last, vector(states.last, inputs.token_mask)

    @torch.inference_mode()
    def read(texts: Texts) -> ReadInput:
        (ids,) = tokenizer.encode_batch([texts[0]])
        row = framing.around(ids[: framing.room]) or [base.pad]
        backbone = model.exact_network().backbone
        rows = torch.tensor([row], device=backbone.embedding.device)
        states = backbone(Inputs(rows, None, base.visibility)).last[0]
        found = {STATES: states.float().cpu().numpy()}
        if len(ids) <= framing.room:
            found[VECTOR] = model.embed(texts[0])
        return ReadInput(row, found)

    network = GraphNetwork(
        base.backbone,
        base.visibility,
        vector,
        answer,
        has_segments=base.backbone.num_segments > 1,
    )
    return NetworkGraph(
        network,
        (STATES, VECTOR),
        frozenset({STATES}),
        "sentence-similarity",
        tokenizer,
        framing.max_length,
        model.save,
        read,
        facts={"pooling": head.pooling, "normalize": head.normalizes},
        longer=message("exporting.use.averages"),
    )


def encoder_windows(model: SentenceEncoder, pooling: None, layers: None) -> TextWindows:
    """Return the vectors that `embed` gives, by windows.

    Args:
        model: that embeds.
        pooling: that of the head.
        layers: those that the head reads.

    Raises:
        SettingError: other programs have no such tokenizer or network.
    """
    model.use_precision("fp32")
    head = model.head
    return text_windows(
        model.base,
        model.base.framing(head.config.max_length),
        head.pooling,
        lambda states, token_mask: head.pool(states.last, token_mask),
        exact=lambda: model.exact_network().backbone,
        save=model.save,
        parts=head.pool,
    )


def _graph(
    model: TaskModel,
    what: str,
    pipeline: str,
    finish: Finish,
    *,
    outputs: tuple[str, ...] = (LOGITS,),
    of_positions: bool = False,
    **more: Any,
) -> NetworkGraph:
    """Return the graph of a backbone and the head of a task.

    Args:
        model: of the task.
        what: it is, for sentences.
        pipeline: of the hub of Hugging Face.
        finish: what is made of the outputs of the head.
        outputs: the names of that.
        of_positions: whether they have a row for each token.
        more: of `NetworkGraph`.
    """
    base, head = model.base, model.head
    tokenizer = check_base(base, what)
    framing = base.framing(head.config.max_length)

    def answer(states: States, inputs: Inputs) -> tuple[Tensor, ...]:
        return finish(head.outputs(states, inputs))

    @torch.inference_mode()
    def read(texts: Texts) -> ReadInput:
        examples = model.input_examples(texts)
        assert examples is not None, f"a {model.kind} that shows no rows"
        own = model.exact_network()
        device = own.backbone.embedding.device
        inputs = examples.batch(np.zeros(1, np.int64)).inputs.to(device)
        states = own.backbone(inputs, keep_layers=head.needs_layers)
        found = finish(own.head.outputs(states, inputs))
        rows = [examples.rows[index].tolist() for index in range(head.group)]
        row = joined_rows(rows)
        values = [each[0].float().cpu().numpy() for each in found]
        if of_positions:  # the others are padding
            values = [each[: len(row)] for each in values]
        return ReadInput(row, dict(zip(outputs, values, strict=True)))

    network = GraphNetwork(
        base.backbone,
        base.visibility,
        head,
        answer,
        needs_layers=head.needs_layers,
        has_segments=base.backbone.num_segments > 1,
        marks_shared=head.marks_tokens,
        special=sorted({*framing.prefix, *framing.between, *framing.suffix}),
        reads_characters=base.backbone.reads_characters,
        group=head.group,
    )
    return NetworkGraph(
        network,
        outputs,
        frozenset(outputs) if of_positions else frozenset(),
        pipeline,
        tokenizer,
        framing.max_length,
        model.save,
        read,
        **more,
    )


def _divided(temperature: float) -> Finish:
    """Return what divides logits by a temperature."""
    return lambda logits: (logits / temperature if temperature != 1.0 else logits,)


def _scaled(lowest: float, span: float) -> Finish:
    """Return what brings numbers from 0 to 1 into the range of the rows."""
    return lambda numbers: (lowest + span * numbers,)


def _both_ends(logits: Tensor) -> tuple[Tensor, ...]:
    """Return the logits (B, T, 2) of starts and ends apart."""
    return logits[..., 0], logits[..., 1]


def _decoding(model: Tagger, framing: Framing) -> dict[str, Any]:
    """Return what words are encoded and scores decoded with, as JSON has it; null is forbidden."""
    head, base = model.head, model.base
    unknown = base.tokenizer.special.unknown
    steps: dict[str, Any] = dict.fromkeys(("transitions", "start", "end"))
    if head.crf is not None:
        found = head.crf.scores._asdict().items()
        steps = {name: _without_nan(scores.tolist()) for name, scores in found}
    return {
        "labels": list(head.tags.labels),
        "scheme": head.tags.learned,
        "before": framing.prefix,
        "behind": framing.suffix,
        "room": framing.room,
        "unknown": base.pad if unknown is None else unknown,
        "pad": base.pad,
        "unspaced": unspaced_ranges(),
        "whole_words": base.tokenizer.word_rules,
        "characters": None if head.alphabet is None else head.alphabet.characters,
        "most_characters": LONGEST_WORD,
        **steps,
    }


def _without_nan(value: Any) -> Any:
    """Return numbers in lists with None in place of NaN."""
    if isinstance(value, list):
        return [_without_nan(each) for each in value]
    return None if np.isnan(value) else value
