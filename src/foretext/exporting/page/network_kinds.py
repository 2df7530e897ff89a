"""The kinds of networks that a page runs: the data that it needs, and the answers it must give.

``static/engine/network_models.js`` has a class for each kind, too. The graph of a tagger scores
each tag at each token; what decodes the scores is data in ``page.json``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from tokenizers.models import BPE

import tokenizers
from foretext.corpus.text_tokens import TextToken
from foretext.data.rows import as_questions
from foretext.exporting.form import Texts
from foretext.exporting.network import EncodedRow, NetworkExport
from foretext.exporting.page.character_runs import marks_and_blanks, small_letters
from foretext.exporting.page.network_kind import NetworkKind, Wanted
from foretext.exporting.page.network_search import PassagesOfQueries
from foretext.exporting.page.token_tables import token_tables
from foretext.exporting.session import library_of
from foretext.metrics.tag_schemes import tag_mark
from foretext.tasks.span_qa.readings import read_spans
from foretext.tasks.tagging.scores import SentenceScores
from foretext.tasks.tagging.sentence_tagger import words_of
from foretext.tasks.tagging.windows import SentenceWindows

__all__ = [
    "NETWORK_KINDS",
    "AnswersOfQuestions",
    "TagsOfTexts",
    "kind_name",
]


class LabelsOfTexts(NetworkKind):
    """The probability of each label of a text."""

    abilities: ClassVar = ("predict",)
    outputs: ClassVar = ("logits",)

    @property
    def facts(self) -> Mapping[str, Any]:
        """The labels, and whether a text has any number of them."""
        facts = self.form.graph.facts
        return {"labels": facts["labels"], "several": facts["activation"] == "sigmoid"}

    def wanted(self, folder: Path, texts: Texts) -> Wanted:
        """Return the probabilities of a text's labels."""
        row, scores = self.read_whole(folder, texts)
        return Wanted([row], _activated(scores, self.form.graph.facts["activation"]))


class LabelsOfPairs(NetworkKind):
    """The probability of each label of a pair, or its score."""

    abilities: ClassVar = ("predict",)
    outputs: ClassVar = ("logits",)

    @property
    def has_segments(self) -> bool:
        """Whether the graph reads which text of the pair a token is of."""
        return "token_type_ids" in self.form.graph.network.input_names

    @property
    def facts(self) -> Mapping[str, Any]:
        """The labels, None of scores, and what stands between both texts."""
        framing = self.model.text_framing
        return {
            "labels": self.form.graph.facts.get("labels"),
            "several": False,
            "pair": {
                "between": framing.between,
                "room": self.form.graph.max_length - len(framing.around_pair([], [])),
                "has_segments": self.has_segments,
            },
        }

    def wanted(self, folder: Path, texts: Texts) -> Wanted:
        """Return the probabilities of a pair's labels, or its score."""
        (row,) = self.form.encoded(library_of(folder), [texts])
        if not self.has_segments:
            row = row._replace(segments=[0] * len(row.ids))
        ((scores,),) = self.outputs_of(folder, [row])
        return Wanted([row], _activated(scores, self.form.graph.facts["activation"]))


class VectorsOfTexts(NetworkKind):
    """The vector of a text, by a sentence encoder."""

    abilities: ClassVar = ("embed", "search_text")
    outputs: ClassVar = ("sentence_embedding",)

    def wanted(self, folder: Path, texts: Texts) -> Wanted:
        """Return the vector of a text."""
        row, vector = self.read_whole(folder, texts)
        return Wanted([row], _activated(vector, None))


class TagsOfTexts(NetworkKind):
    """The entities of a text with their positions, or the tag of each token.

    Long texts are read in windows, as foretext reads them.
    """

    abilities: ClassVar = ("tag",)
    outputs: ClassVar = ("logits",)

    @property
    def facts(self) -> Mapping[str, Any]:
        """How texts are split, how scores become tags, and how tags become entities."""
        model, decoding = self.model, self.form.graph.facts["decoding"]
        labels = model.tag_set.labels
        marks = None if model.tag_set.learned is None else [tag_mark(label) for label in labels]
        small = None
        if (decoding["whole_words"] or {}).get("lowercase", False):
            small = {name: points.tolist() for name, points in small_letters().items()}
        return {
            "tokens": {**token_tables(), "by_character": model.by_character},
            "small": small,
            "decoding": decoding,
            "marks": marks,
            "temperature": model.temperature,
        }

    def num_tokens(self, library: tokenizers.Tokenizer, texts: Texts) -> int:
        """Return the tokens of all windows of a text."""
        return sum(map(len, self.windows(texts).rows))

    def windows(self, texts: Texts) -> SentenceWindows:
        """Return the windows of a text, as the network reads them."""
        base = self.model.base
        return SentenceWindows.of(
            base.reader().encode_words(words_of(self.model.tokens(texts))),
            base.framing(self.model.head.config.max_length),
            base.pad,
        )

    def rows(
        self, windows: SentenceWindows, sentences: Sequence[Sequence[TextToken]]
    ) -> list[EncodedRow]:
        """Return windows with the characters of words, where the network reads these."""
        alphabet = self.model.head.alphabet
        found = []
        for ids, window in zip(windows.rows, windows.windows, strict=True):
            words = [token.text for token in sentences[window.sentence][window.held]] or [""]
            characters = [] if alphabet is None else alphabet.spelled(words).tolist()
            found.append(EncodedRow(ids, [0] * len(ids), characters))
        return found

    def wanted(self, folder: Path, texts: Texts) -> Wanted:
        """Return the scores of a text's tokens, and the entities or tags that these stand for."""
        model = self.model
        tokens = model.tokens(texts)
        windows = self.windows(texts)
        rows = self.rows(windows, tokens)
        outputs = [np.asarray(each[0]) for each in self.outputs_of(folder, rows)]
        scores = windows.gathered(outputs, 1)
        top = model.options(None, None)
        (record,) = model.scored_records([texts], tokens, SentenceScores(model.head, scores), top)
        numbers: list[float] = scores[0].astype(np.float64).ravel().tolist()
        return Wanted(rows, numbers, {"text": texts[0], **record})


class AnswersOfQuestions(NetworkKind):
    """The spans of a text that answer a question, with their positions, or that there is none.

    Long texts are read in windows, as foretext reads them.
    """

    abilities: ClassVar = ("answer",)
    outputs: ClassVar = ("start_logits", "end_logits")

    @property
    def facts(self) -> Mapping[str, Any]:
        """How questions become rows, how scores become spans, and how positions are found."""
        model, facts = self.model, self.form.graph.facts
        names = ("question_room", "pair_room", "stride", "max_answer_length", "temperature")
        return {
            "offsets": {"form": model.base.tokenizer.form, **marks_and_blanks()},
            "reading": {
                **{name: facts[name] for name in (*names, "may_abstain", "null_threshold")},
                "num_best": model.head.config.num_best,
                "between": model.text_framing.between,
                "has_segments": self.has_segments,
            },
        }

    @property
    def has_segments(self) -> bool:
        """Whether the graph reads which text a token is of."""
        return "token_type_ids" in self.form.graph.network.input_names

    def unknown_rule(self, library: tokenizers.Tokenizer) -> str:
        """Return a rule by which a page would not find the characters of tokens."""
        added = library.get_added_tokens_decoder().values()
        alone = sorted(token.content for token in added if token.single_word)
        if alone:
            return (
                f"The tokenizer finds its added token {alone[0]!r} only as a whole word "
                "(single_word), which a web page cannot do"
            )
        rules = library.model
        if isinstance(rules, BPE) and rules.continuing_subword_prefix:
            return (
                "The tokenizer is a BPE whose sub-words begin with "
                f"{rules.continuing_subword_prefix!r} inside of words, which "
                "@huggingface/tokenizers does not read"
            )
        return ""

    def num_tokens(self, library: tokenizers.Tokenizer, texts: Texts) -> int:
        """Return the tokens of all windows of a text, each with the question."""
        rows = self.model.windows(as_questions([texts])).rows
        return sum(len(rows[number]) for number in range(len(rows)))

    def wanted(self, folder: Path, texts: Texts) -> Wanted:
        """Return the scores of all windows of a text, and the answers that these stand for."""
        model, config = self.model, self.model.head.config
        questions = as_questions([texts])
        windows = model.windows(questions)
        rows = []
        for number, start in enumerate(windows.passage_starts.tolist()):
            ids: list[int] = windows.rows[number].tolist()
            segments = [int(self.has_segments and at >= start) for at in range(len(ids))]
            rows.append(EncodedRow(ids, segments))
        outputs = self.outputs_of(folder, rows)
        (reading,) = read_spans(
            windows,
            [texts[1]],
            [np.stack(each, axis=-1) for each in outputs],
            max_answer_length=config.max_answer_length,
            num_best=config.num_best,
        )
        answers = [each.record() for each in model.choice.ranked(reading)]
        numbers = np.concatenate([scores for each in outputs for scores in each])
        found: list[float] = numbers.astype(np.float64).tolist()
        return Wanted(rows, found, {"question": texts[0], "context": texts[1], "answers": answers})


NETWORK_KINDS: Mapping[str, type[NetworkKind]] = {
    "text-classification": LabelsOfTexts,
    "text-pair-classification": LabelsOfPairs,
    "sentence-similarity": VectorsOfTexts,
    "token-classification": TagsOfTexts,
    "question-answering": AnswersOfQuestions,
    "search index": PassagesOfQueries,
}


def kind_name(form: NetworkExport) -> str:
    """Return the name that `NETWORK_KINDS` may have for a network: of its model, or of its graph.

    Args:
        form: writes and runs the graph.
    """
    if form.model.kind in NETWORK_KINDS:
        name: str = form.model.kind
        return name
    pipeline = form.graph.pipeline
    is_of_pairs = form.num_texts > 1 and pipeline == "text-classification"
    return "text-pair-classification" if is_of_pairs else pipeline


def _activated(scores: NDArray[np.float32], activation: str | None) -> list[float]:
    """Return probabilities of scores (C,), or the scores as they are.

    Args:
        scores: of the graph.
        activation: "softmax", "sigmoid", or another.
    """
    values = np.asarray(scores, np.float64)
    if activation == "sigmoid":
        values = 1 / (1 + np.exp(-values))
    elif activation == "softmax":
        values = np.exp(values - values.max())
        values /= values.sum()
    found: list[float] = values.tolist()
    return found
