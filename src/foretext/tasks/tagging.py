"""A tag for each token: by softmax (Devlin et al. 2019, 5.3), or by a CRF (Lample et al. 2016).

Of a token that is several sub-words the first one is asked. A BiLSTM may stand between the body's
states and the tags (Huang et al. 2015).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from foretext.backbones.base import States
from foretext.backbones.transformer import Transformer
from foretext.config import Config
from foretext.data.batch import Batch, Inputs
from foretext.data.padded_examples import IGNORED
from foretext.metrics import Scheme
from foretext.nn.crf import CRF
from foretext.nn.dropout import Dropout
from foretext.nn.recurrent import RecurrentLayer, row_lengths
from foretext.nn.vocabulary_head import Score
from foretext.tasks.base import Task
from foretext.tasks.state_transform import Transform, made_transform, natural_transform
from foretext.tasks.tag_set import TagSet
from foretext.tasks.task_base import TaskBase
from foretext.tasks.text_head import initialised_linear
from foretext.tokenizers.alphabet import Alphabet

__all__ = ["Tagging"]


class Tagging(Task):
    """A linear map from each state to tags and, where there is a CRF, scores of their sequence.

    Args:
        config: the user's settings.
        body: whose states are read.
        labels: tags of the user's files, or those that a head has already.
        scheme: of the user's files, None where tags are not of entities; "auto" reads it off.
        characters: that words are spelled with, the most frequent first, where the body reads them.
        by_character: whether every character is a token.

    Raises:
        SettingError: a scheme is to be taught where tags have none.
    """

    class Config(Config):
        """Settings of the head."""

        max_length: int = Field(512, ge=8)  # positions of a row, if the body has as many
        scheme: Literal["auto"] | Scheme = "auto"  # that is learned; auto: the file's own
        crf: bool | None = None  # None: for all but the states of a Transformer
        lstm_dim: int | None = Field(None, ge=1)  # of each direction; None: no BiLSTM
        transform: Transform | None = None  # of the states; None: as suits body and BiLSTM
        dropout: float = Field(0.1, ge=0, lt=1)  # of the states, and of the BiLSTM's

    name = "tagging"

    def __init__(
        self,
        config: Config,
        body: TaskBase,
        *,
        labels: list[str],
        scheme: Scheme | Literal["auto"] | None = "auto",
        characters: str = "",
        by_character: bool = False,
    ) -> None:
        super().__init__()
        natural = "none" if config.lstm_dim is not None else natural_transform(body)
        # What suits the body is no longer to be seen once it is kept: it is kept, too.
        self.config = config.model_copy(update={"transform": config.transform or natural})
        self.visibility = body.visibility
        self.tags = TagSet(labels, scheme, config.scheme)
        self.alphabet = _alphabet_for(body, characters)
        self.by_character = by_character
        self.found: dict[str, Any] = {
            "labels": list(self.tags.labels),
            "scheme": self.tags.scheme,
            "characters": "" if self.alphabet is None else self.alphabet.characters,
            "by_character": by_character,
        }
        dim, num_tags = body.backbone.dim, len(self.tags.labels)
        self.transform = made_transform(body, self.config.transform)
        self.dropout = Dropout(config.dropout)
        self.lstm = None
        if config.lstm_dim is not None:
            self.lstm = RecurrentLayer("lstm", dim, config.lstm_dim, bidirectional=True)
            dim = 2 * config.lstm_dim
        self.classifier = initialised_linear(body, dim, num_tags)
        if self.lstm is not None:  # whose states are small, too
            nn.init.xavier_uniform_(self.classifier.weight)
        has_crf = _wants_crf(config, body) if config.crf is None else config.crf
        self.crf = CRF(num_tags, self.tags.labels, self.tags.taught) if has_crf else None

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        """Return the score of each tag at each position, (B, T, C)."""
        x = states.last if self.transform is None else self.transform(states.last)
        x = self.dropout(x)
        if self.lstm is not None:
            # Ma & Hovy 2016, 3.2: dropout before and after
            x = self.dropout(self.lstm(x, row_lengths(inputs.token_mask)))
        scores: Tensor = self.classifier(x).float()
        return scores

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of tokens."""
        return {self.name: int((batch.targets["tags"] != IGNORED).sum())}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the tags (B, T) of the positions that are asked."""
        scores, tags = self.outputs(states, batch.inputs), batch.targets["tags"]
        asked = tags != IGNORED
        if self.crf is None:
            loss = F.cross_entropy(scores[asked], tags[asked], reduction="sum")
            return {self.name: Score(loss, (scores.argmax(-1) == tags).sum())}
        best = torch.tensor([place for path in self.decode(scores, asked) for place in path])
        num_correct = (best.to(tags.device) == tags[asked]).sum()
        return {self.name: Score(self.crf.loss(scores, tags, asked), num_correct)}

    @torch.no_grad()
    def decode(self, scores: Tensor, token_mask: Tensor) -> list[list[int]]:
        """Return the best tags of each sentence by their places.

        Args:
            scores: (B, T, C), of tokens alone.
            token_mask: (B, T) bool, True = a token.
        """
        if self.crf is not None:
            return self.crf.decode(scores, token_mask)
        best = scores.argmax(-1)
        return [row[mask].tolist() for row, mask in zip(best, token_mask, strict=True)]

    @torch.no_grad()
    def probabilities(self, scores: Tensor, token_mask: Tensor) -> Tensor:
        """Return each tag's probability at each token, (B, T, C), over all paths of a CRF."""
        if self.crf is not None:
            return self.crf.marginals(scores, token_mask)
        return scores.softmax(-1)


def _wants_crf(config: Tagging.Config, body: TaskBase) -> bool:
    """A Transformer's states know of each other; what else there is gains from a CRF."""
    return config.lstm_dim is not None or not isinstance(body.backbone, Transformer)


def _alphabet_for(body: TaskBase, characters: str) -> Alphabet | None:
    """Return as many characters as the body has ids for."""
    backbone: Any = body.backbone
    if not getattr(backbone, "reads_characters", False):
        return None
    return Alphabet(characters[: backbone.num_characters - Alphabet("").num_ids])
