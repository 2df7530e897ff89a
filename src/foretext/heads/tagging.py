"""A tag for each token: by softmax (Devlin et al. 2019, 5.3), or by a CRF (Lample et al. 2016).

A token of several sub-words is tagged at its first one. A BiLSTM may stand between the states and
the tags (Huang et al. 2015).

Where a character stands in its word: what a network over Chinese characters hardly finds itself.
The "softword" feature of Zhao and Kit 2008 and of Zhang and Yang 2018 ("Chinese NER Using Lattice
LSTM", 3.1). Words are those of jieba, whose dictionary has far more words than the rows of a
task. A backbone reads the feature in the way in which it reads which text a token is of: as
segments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn

from foretext.backbones.base import States
from foretext.base.config import Config as Settings
from foretext.corpus.chinese_words import mark_words
from foretext.data.batch import Batch, Inputs
from foretext.data.padded_examples import IGNORED
from foretext.heads.base import Head, TaskBase
from foretext.heads.shared_tokens import SCALE, has_small_backbone, refuse_without_segments
from foretext.heads.tag_set import TagSet
from foretext.heads.text_head import (
    Layers,
    Transform,
    default_layers,
    default_transform,
    initialised_linear,
    layer_mix,
    made_transform,
)
from foretext.metrics import Scheme, TagForm
from foretext.nn.crf import CRF
from foretext.nn.dropout import Dropout
from foretext.nn.recurrent import RecurrentLayer, row_lengths
from foretext.nn.vocabulary_head import Score
from foretext.objectives.base import TaskHeads
from foretext.tokenizers.alphabet import Alphabet

__all__ = [
    "NUM_PLACES",
    "TaggingHead",
    "gains_from_boundaries",
    "mark_word_boundaries",
    "word_places",
]

WordBoundaries = Literal["auto"] | bool  # auto: where rows are Chinese and the backbone is small

SINGLE, FIRST, INSIDE, LAST = range(4)  # a word of one token, and the places in a longer one
NUM_PLACES = 4


class TaggingHead(Head):
    """A linear map from each state to tags and, where there is a CRF, scores of their sequence.

    Args:
        config: the user's settings.
        base: tokenizer and backbone.
        labels: tags of the user's files, or of a head that exists.
        scheme: of the user's files, None where tags are not of entities; "auto" reads it off.
        form: of the tags in the user's files.
        characters: that words are spelled with, the most frequent first, where the base reads them.
        by_character: whether every character is a token.

    Raises:
        SettingError: a scheme is chosen, and the tags are of no entities.
    """

    class Config(Settings):
        """Settings of the head."""

        max_length: int = Field(512, ge=8)
        """Positions of a row, if the base allows as many."""
        scheme: Literal["auto"] | Scheme = "auto"
        """Scheme of the tags that is learned; auto: the file's own."""
        word_boundaries: WordBoundaries = "auto"
        """Mark where characters stand in jieba's words; auto: Chinese rows, a small base."""
        crf: bool | None = None
        """Whether a CRF scores sequences of tags; none: as suits the backbone."""
        lstm_dim: int | None = Field(None, ge=1)
        """Width of each direction of a BiLSTM over the states; none: no BiLSTM."""
        layers: Layers | None = None
        """Layers that the head reads; mix: weighted as is learned; none: as suits the base."""
        transform: Transform | None = None
        """Layer before the last one; none: no layer. By itself as suits base and BiLSTM."""
        dropout: float = Field(0.1, ge=0, lt=1)
        """Dropout of the states, and of the BiLSTM's."""

    name = "tagging"
    repeats_inputs = True

    def __init__(
        self,
        config: Config,
        base: TaskBase,
        *,
        labels: list[str],
        scheme: Scheme | Literal["auto"] | None = "auto",
        form: TagForm = "B-PER",
        characters: str = "",
        by_character: bool = False,
    ) -> None:
        super().__init__(config, base)
        # A folder of before this setting says nothing, and its backbone knows no marks.
        self.marks_tokens = config.word_boundaries is True
        if self.marks_tokens:
            mark_word_boundaries(base)
        suited = "none" if config.lstm_dim is not None else default_transform(base)
        # A folder does not show what suits the base, so the choice is kept in it.
        chosen = {
            "transform": config.transform or suited,
            "layers": config.layers or default_layers(base),
            "word_boundaries": self.marks_tokens,
        }
        self.config = config.model_copy(update=chosen)
        self.mix = layer_mix(base, self.config.layers)
        self.tags = TagSet(labels, scheme, config.scheme, form)
        self.alphabet = _alphabet_for(base, base.characters or characters)
        self.characters = "" if self.alphabet is None else self.alphabet.characters
        self.by_character = by_character
        self.found = {
            "labels": list(self.tags.labels),
            "scheme": self.tags.scheme,
            "form": self.tags.form,
            "characters": self.characters,
            "by_character": by_character,
        }
        dim, num_tags = base.head_dim, len(self.tags.labels)
        self.transform = made_transform(base, self.config.transform)
        self.dropout = Dropout(config.dropout)
        self.lstm = None
        if config.lstm_dim is not None:
            self.lstm = RecurrentLayer("lstm", dim, config.lstm_dim, bidirectional=True)
            dim = 2 * config.lstm_dim
        self.classifier = initialised_linear(base, dim, num_tags)
        if self.lstm is not None:  # its states are small
            nn.init.xavier_uniform_(self.classifier.weight)
        has_crf = config.crf
        if has_crf is None:
            has_crf = config.lstm_dim is not None or base.backbone.task_traits.gains_from_crf
        self.crf = CRF(num_tags, self.tags.labels, self.tags.learned) if has_crf else None

    @property
    def for_tasks(self) -> TaskHeads:
        """What stands between the states and the last layer."""
        return TaskHeads(transform=self.transform)

    @property
    def lighter(self) -> str:
        """The setting that leaves the CRF out."""
        return "task.crf=false"

    def table_bytes(self, num_positions: int) -> int:
        """Return what the CRF takes for the tags of so many positions."""
        return 0 if self.crf is None else self.crf.table_bytes(num_positions)

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        """Return the score of each tag at each position, (B, T, C)."""
        x = self.read(states, inputs)
        x = self.dropout(x if self.transform is None else self.transform(x))
        if self.lstm is not None:
            # Ma & Hovy 2016, 3.2: dropout before and after
            x = self.dropout(self.lstm(x, row_lengths(inputs.token_mask)))
        scores: Tensor = self.classifier(x).float()
        return scores

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of tokens."""
        return {self.name: int((batch.targets["tags"] != IGNORED).sum())}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the tags (B, T) of the positions that have one."""
        scores, tags = self.outputs(states, batch.inputs), batch.targets["tags"]
        tagged = tags != IGNORED
        if self.crf is None:
            loss = F.cross_entropy(scores[tagged], tags[tagged], reduction="sum")
            return {self.name: Score(loss, (scores.argmax(-1) == tags).sum())}
        best = torch.tensor([place for path in self.decode(scores, tagged) for place in path])
        num_correct = (best.to(tags.device) == tags[tagged]).sum()
        return {self.name: Score(self.crf.loss(scores, tags, tagged), num_correct)}

    @torch.no_grad()
    def decode(self, scores: Tensor, token_mask: Tensor) -> list[list[int]]:
        """Return the best tags of each sentence as indices.

        Args:
            scores: (B, T, C), of tokens alone.
            token_mask: (B, T) bool, True = a token.
        """
        if self.crf is not None:
            return self.crf.decode(scores, token_mask)
        best = scores.argmax(-1)
        return [row[mask].tolist() for row, mask in zip(best, token_mask, strict=True)]

    @torch.no_grad()
    def best_log_probabilities(self, scores: Tensor, token_mask: Tensor) -> Tensor:
        """Return log P (B,) of the best tags of each sentence, all its tokens together."""
        if self.crf is not None:
            return self.crf.best_log_probabilities(scores, token_mask)
        best: Tensor = scores.log_softmax(-1).amax(-1).masked_fill(~token_mask, 0.0).sum(1)
        return best

    @torch.no_grad()
    def probabilities(self, scores: Tensor, token_mask: Tensor) -> Tensor:
        """Return each tag's probability at each token, (B, T, C), over all paths of a CRF."""
        if self.crf is not None:
            return self.crf.marginals(scores, token_mask)
        return scores.softmax(-1)


def _alphabet_for(base: TaskBase, characters: str) -> Alphabet | None:
    """Return as many characters as the backbone has ids for; None: it reads none."""
    if not base.backbone.reads_characters:
        return None
    return Alphabet(characters[: base.backbone.num_characters - Alphabet("").num_ids])


@torch.no_grad()
def mark_word_boundaries(base: TaskBase) -> None:
    """Give a backbone a random vector for each place in a longer word, which it adds to tokens.

    A backbone that has them stays as it is.

    Raises:
        SettingError: the backbone reads no segments.
    """
    backbone = base.backbone
    refuse_without_segments(base, "word_boundaries")
    if backbone.num_segments >= NUM_PLACES:
        return
    tokens = backbone.embedding
    width = tokens.shape[1]
    vectors = torch.randn(NUM_PLACES, width).to(tokens) * SCALE * tokens.std()
    vectors[SINGLE] = 0.0  # as tokens were read before
    if backbone.segment_vectors is not None:
        vectors += backbone.segment_vectors[0]
    backbone.replace_segments(vectors)


def gains_from_boundaries(base: TaskBase) -> bool:
    """Whether a base can read the places, and is too small to know words by itself."""
    return base.backbone.takes_segments and has_small_backbone(base)


def word_places(sentences: Sequence[Sequence[str]]) -> list[NDArray[np.int64]]:
    """Return where each token stands in a word that jieba finds in its sentence, (T,) each.

    A token of several characters is a part of all words that it touches.

    Raises:
        MissingExtraError: jieba is not installed.
    """
    texts = ["".join(tokens) for tokens in sentences]
    marks = np.frombuffer(mark_words("\n".join(texts)).encode(), np.uint8) == ord("1")
    begins = np.append(marks, True)  # (all characters + 1,) whether a word begins there
    places, start = [], 0
    for tokens, text in zip(sentences, texts, strict=True):
        ends = start + np.cumsum([len(token) for token in tokens], dtype=np.int64)  # (T,)
        starts = np.append(start, ends)[: len(tokens)]
        # What follows the last character is a line break, which is a word of its own.
        is_first, is_last = begins[starts], begins[ends]
        places.append(
            np.select([is_first & is_last, is_first, is_last], [SINGLE, FIRST, LAST], INSIDE)
        )
        start += len(text) + 1
    return places
