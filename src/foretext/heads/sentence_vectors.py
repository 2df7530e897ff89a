"""One vector a text, learned by comparing texts: near each other where they mean the same.

Texts alone, each read twice under different dropout (SimCSE, Gao, Yao and Chen 2021); pairs, and
triples with a hard negative; or pairs with scores, ordered by CoSENT. In-batch negatives need no
labels. With `dims` the first numbers of a vector are a vector, too (Matryoshka representation
learning, Kusupati et al. 2022).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from pydantic import Field, PositiveInt, model_validator
from torch import Tensor, nn

from foretext.backbones.base import States
from foretext.base.config import Config as Settings
from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Inputs
from foretext.heads.base import Head, TaskBase
from foretext.heads.text_head import initialised_linear
from foretext.nn.contrastive import cosent, info_nce, right_answers
from foretext.nn.pooling import Pool
from foretext.nn.vocabulary_head import Score

__all__ = ["SCORES", "TEXTS", "RowKind", "SentencePooling", "SentenceVectorsHead"]

# What the rows are: texts alone, (anchor, positive), (anchor, positive, negative), or two texts
# and a score of their similarity.
RowKind = Literal["texts", "pairs", "triples", "scores"]
SentencePooling = Literal["mean", "cls", "max"]
KINDS: tuple[RowKind, ...] = get_args(RowKind)

TEXTS, SCORES = "texts", "scores"  # targets: (N, group) int64, equal for equal texts; (N,)


class SentenceVectorsHead(Head):
    """Pooled states, compared by their cosines.

    Args:
        config: the user's settings.
        base: tokenizer and backbone.
        kind: of the rows that it learns from.
    """

    class Config(Settings):
        """Settings of the vectors and of their loss."""

        max_length: int = Field(256, ge=8)
        """Positions of a row, if the base allows as many."""
        pooling: SentencePooling | None = None
        """How states become one vector; none: as the base does it, else mean."""
        normalize: bool = True
        """Give vectors of length 1."""
        temperature: float = Field(0.05, gt=0)
        """Number that cosines are divided by in the loss."""
        symmetric: bool = False
        """Find the anchor by its positive, too, not only the positive by its anchor."""
        dims: list[PositiveInt] = Field(default_factory=list)
        """Matryoshka dimensions: shorter vectors that are learned beside the whole one."""
        projection: bool = False
        """Compare what a layer makes of vectors in training; it is dropped afterwards (SimCSE)."""

        @model_validator(mode="after")
        def _has_effect(self) -> SentenceVectorsHead.Config:
            if self.projection and self.dims:
                raise ValueError("dims would teach the layer of projection, not the vectors")
            if len(set(self.dims)) < len(self.dims):
                raise ValueError(f"dims = {self.dims} names one twice")
            return self

    name = "sentence_vectors"
    compares_examples = True

    def __init__(self, config: Config, base: TaskBase, *, kind: RowKind) -> None:
        super().__init__(config, base, kind=kind)
        if kind not in KINDS:
            raise SettingError(f"rows of the kind {kind!r} are none of {', '.join(KINDS)}")
        self.kind: RowKind = kind
        pooling = config.pooling or _pooling_of(base)
        _check(config, base, kind, pooling)
        self.config = config.model_copy(update={"pooling": pooling})
        self.pool = Pool(pooling, base.backbone.dim)
        self.projection = _projection(base) if config.projection else None

    @property
    def pooling(self) -> SentencePooling:  # type: ignore[override]
        """How the states of a row become one vector."""
        found: SentencePooling = self.config.pooling
        return found

    @property
    def sentence_pooling(self) -> SentencePooling:  # type: ignore[override]
        """The same: its vectors are compared by cosine."""
        return self.pooling

    @property
    def normalizes(self) -> bool:  # type: ignore[override]
        """Whether its vectors have length 1."""
        return bool(self.config.normalize)

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        """Return the vector of each row, (B, D) float32, before it is normalised."""
        pooled: Tensor = self.pool(states.last, inputs.token_mask)
        return pooled.float()

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of examples."""
        return {self.name: len(batch)}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Compare the examples of a batch."""
        return self.compare(self.vectors(states, batch), batch.targets)

    def vectors(self, states: States, batch: Batch) -> Tensor:
        """Return the vectors (B, D) that are compared, in training those of the projection."""
        found = self.outputs(states, batch.inputs)
        if self.projection is None or not self.training:
            return found
        weight = next(self.projection.parameters())
        projected: Tensor = self.projection(found.to(weight.dtype))
        return projected.float()

    def compare(self, vectors: Tensor, targets: Mapping[str, Tensor]) -> Mapping[str, Score]:
        """Score vectors (B, D): the mean of the losses of all dimensions."""
        dims = [*self.config.dims, vectors.shape[1]]
        # Rows with scores may measure what is learned from rows of another kind.
        compare = self._compare_scores if SCORES in targets else self._compare_texts
        scores = [compare(vectors[:, :dim], targets) for dim in dims]
        loss = torch.stack([score.loss for score in scores]).mean()
        return {self.name: Score(loss, scores[-1].num_correct)}

    def _compare_texts(self, vectors: Tensor, targets: Mapping[str, Tensor]) -> Score:
        """InfoNCE; an answer is right where no candidate is nearer than the positive."""
        texts = targets[TEXTS]  # (N, group)
        by_place = vectors.reshape(*texts.shape, -1).unbind(1)  # group of (N, D)
        found = [_found(texts, by_place, 0, 1, self.config.temperature)]
        if self.config.symmetric:
            found.append(_found(texts[:, :2], by_place[:2], 1, 0, self.config.temperature))
        losses, correct = zip(*found, strict=True)
        return Score(torch.stack(losses).mean(), correct[0])

    def _compare_scores(self, vectors: Tensor, targets: Mapping[str, Tensor]) -> Score:
        """CoSENT, one loss a batch; it counts for each of its pairs."""
        scores = targets[SCORES]  # (N,)
        first, second = vectors.reshape(len(scores), 2, -1).unbind(1)
        cosines = F.cosine_similarity(first, second)
        return Score(cosent(cosines, scores, self.config.temperature) * len(scores))


def _found(
    texts: Tensor, by_place: tuple[Tensor, ...], anchor: int, answered: int, temperature: float
) -> tuple[Tensor, Tensor]:
    """Find the texts of one place by those of another; texts behind both are negatives."""
    candidates = torch.cat([by_place[answered], *by_place[2:]])
    return info_nce(
        by_place[anchor], candidates, right_answers(texts, anchor, answered), temperature
    )


def _pooling_of(base: TaskBase) -> SentencePooling:
    """Return the pooling of a base that is a sentence encoder already, else the mean."""
    known = get_args(SentencePooling)
    return next((each for each in known if each == base.sentence_pooling), "mean")


def _projection(base: TaskBase) -> nn.Module:
    """Return SimCSE's layer: linear, then tanh."""
    return nn.Sequential(initialised_linear(base, base.backbone.dim, base.backbone.dim), nn.Tanh())


def _check(
    config: SentenceVectorsHead.Config, base: TaskBase, kind: RowKind, pooling: SentencePooling
) -> None:
    """Refuse what has no effect, or cannot work on the base."""
    if config.symmetric and kind in ("texts", "scores"):
        raise SettingError(
            f"[task] symmetric has no effect on rows of {kind}, which have no anchors and "
            "positives; leave it out."
        )
    if pooling == "cls" and base.visibility == "causal":
        raise SettingError(
            "[task] pooling = 'cls': the first position of a causal model sees nothing but "
            "itself; use 'mean' or 'max'."
        )
    if config.dims and max(config.dims) >= base.backbone.dim:
        raise SettingError(
            f"[task] dims = {config.dims}: the vectors of the base have {base.backbone.dim} "
            "numbers, and are learned whole in any case; name smaller dimensions."
        )
