"""A linear matcher on a page: what two texts share, and a regression on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.data.rows.pairs import TextPair
from foretext.exporting.learned_files import learned_files
from foretext.exporting.page.character_runs import character_runs
from foretext.exporting.page.check_texts import LONGEST, MOST_TEXTS
from foretext.exporting.page.page_model import Answers, PageModel, label_answers
from foretext.exporting.page.parts import named_part
from foretext.exporting.page.splitting import PageSplitter, of_pre_tokenizer
from foretext.exporting.page.storage import Matrices
from foretext.messages import message
from foretext.tasks.matching.linear import LinearMatcher
from foretext.tokenizers.example_texts import EXAMPLE_TEXTS

__all__ = ["PageLinearMatcher"]


class PageLinearMatcher(PageModel):
    """The weights of overlaps; each text is compared with the one before it.

    Args:
        model: the matcher.
        name: that the page shows.

    Raises:
        SettingError: it cuts texts by jieba, which no browser has.
    """

    kind = "linear matcher"
    abilities = ("predict",)
    model: LinearMatcher

    def __init__(self, model: LinearMatcher, name: str) -> None:
        super().__init__(model, name)
        self._splitter: PageSplitter = of_pre_tokenizer(
            model.overlap.pre_tokenizer,
            remedy="fine-tune a network, such as transformer, with --set task.mode=pair",
        )

    @property
    def labels(self) -> list[Any] | None:  # type: ignore[override]
        """As they came: texts, whole numbers or booleans; None: answers are scores."""
        return None if self.model.has_scores else list(self.model.classes_.tolist())

    @property
    def settings(self) -> dict[str, Any]:
        """What the page's own class has to know; the few weights are there in full."""
        weights, bias = self.model.output_weights
        return {
            "splitter": self._splitter.steps,
            "weights": np.asarray(weights).tolist(),
            "bias": np.asarray(bias).tolist(),
        }

    @property
    def matrices(self) -> Matrices:
        """None: the weights are few."""
        return {}

    @property
    def tensors(self) -> dict[str, NDArray[Any]]:
        """Tables of characters."""
        return {**self._splitter.tensors(), **named_part("digits", character_runs(_is_digit))}

    @property
    def texts(self) -> Mapping[str, Sequence[str]]:
        """None: the model has no vocabulary."""
        return {}

    def texts_of(self, run: Path) -> list[str]:
        """Return both texts of the first rows that it has learned from."""
        train = learned_files(run).train
        rows = self.model.read_rows(train)[: MOST_TEXTS // 2] if train else []
        return [text[:LONGEST] for row in rows for text in (row.text_a, row.text_b)]

    @property
    def remedy(self) -> str:
        """Nothing is needed: the file has tables of characters and few weights."""
        return message("exporting.remedy.matcher")

    def with_matrices(self, matrices: Matrices) -> PageLinearMatcher:
        """Return the model itself, which has no matrices."""
        return self

    def parts(self, text: str) -> list[str]:
        """Return the words of a text."""
        return self.model.overlap.words(text)

    def answers(self, texts: Sequence[str]) -> Answers:
        """Return the probability of each label, or the score, of each text with the one before."""
        pairs: list[TextPair] = list(zip([*texts[:1], *texts], texts, strict=False))
        if self.labels is not None:
            return {"pairs": True, **label_answers(self.model, self.labels, pairs)}
        scores = self.model.pair_values(pairs)
        return {"pairs": True, "labels": None, "probabilities": scores[:, None].tolist()}

    @property
    def frequent_words(self) -> Sequence[str]:
        """Words of sentences in many languages, as the model has no vocabulary."""
        sentences = [text for example in EXAMPLE_TEXTS.values() for text in example.pair]
        return list(dict.fromkeys(" ".join(sentences).split()))


def _is_digit(character: str) -> int:
    return int(character.isdigit())
