"""Held-out texts that a language model answers at each validation, beside the figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from foretext.base.errors import CorpusError, SettingError
from foretext.data.token_file import TokenFile
from foretext.language_model import LanguageModel
from foretext.nn.device import DeviceName
from foretext.objectives.base import Objective
from foretext.progress import MetricsLog
from foretext.report.run_files import Sample
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.model import Model
from foretext.training.validation import Validation

__all__ = ["SampledValidation"]

NUM_SAMPLES = 3
SHOWN_TOKENS = 24  # of a held-out document


class SampledValidation(Validation):
    """A validation that also keeps what the model answers to a few held-out texts.

    The objective makes the samples (`Objective.sample`); without any nothing is written.

    Args:
        inner: measures the figures.
        tokenizer: of the model that is trained.
        device: where that model is.
        held_out: where the texts come from.
        path: a JSON-lines file; a line a validation.
    """

    def __init__(
        self,
        inner: Validation,
        tokenizer: SubwordTokenizer,
        device: DeviceName,
        held_out: TokenFile,
        path: Path,
    ) -> None:
        self.inner, self.tokenizer, self.device, self.path = inner, tokenizer, device, path
        self.judged_by, self.higher_is_better = inner.judged_by, inner.higher_is_better
        self.num_examples = inner.num_examples
        self.rows = _rows(held_out)

    def measure(self, model: Model) -> dict[str, float]:
        """Return the figures of the validation; the answers go to the file."""
        figures = self.inner.measure(model)
        # Made again each time: a LanguageModel keeps copies of weights, which would be stale.
        used = LanguageModel(self.tokenizer, model.backbone, model.objective, device=self.device)
        samples = [_answered(model.objective, used, row) for row in self.rows]
        known = [dict(sample) for sample in samples if sample is not None]
        if known:
            _check(known, model)
            with MetricsLog(self.path) as log:
                log.append({**figures, "samples": known})
        return figures

    def sample(self, size: int) -> None:
        """Measure a sample of the held-out examples; the texts that are answered stay."""
        self.inner.sample(size)

    def rewind(self, num_measured: int) -> None:
        """Drop the lines of validations that a resumed training makes again."""
        self.inner.rewind(num_measured)
        if self.path.is_file():
            MetricsLog(self.path).truncate(num_measured)


def _answered(
    objective: Objective, used: LanguageModel, row: list[int]
) -> Mapping[str, Any] | None:
    """The answer to a row, or to its half, and so on, where a model reads few tokens at once.

    None: it reads none of these. A training is not to end because of what is only shown.
    """
    while row:
        try:
            return objective.sample(used, row)
        except CorpusError:
            row = row[: len(row) // 2]
    return None


def _check(samples: list[dict[str, Any]], model: Model) -> None:
    """Refuse samples of another form at the first validation: no page could show them."""
    try:
        TypeAdapter(list[Sample]).validate_python(samples)
    except ValidationError as error:
        raise SettingError(
            f"[objective] {type(model.objective).__name__}.sample returned {samples[0]!r}; return "
            "a dictionary with 'text' and 'answers', a list of texts, or with 'text', 'hidden' and "
            "'answers', a list of pairs of a text and a probability; or None."
        ) from error


def _rows(tokens: TokenFile) -> list[list[int]]:
    """The beginnings of a few documents, the longest of those that stand first."""
    starts = tokens.document_starts[: 20 * NUM_SAMPLES + 1]
    longest = np.sort(np.argsort(-np.diff(starts), kind="stable")[:NUM_SAMPLES])
    return [
        tokens.ids[starts[document] : min(starts[document] + SHOWN_TOKENS, starts[document + 1])]
        .astype(np.int64)
        .tolist()
        for document in longest
    ]
