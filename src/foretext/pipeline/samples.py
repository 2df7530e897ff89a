"""What a language model says while it learns: masks that it fills, texts that it writes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from foretext.data.token_file import TokenFile
from foretext.language_model import LanguageModel
from foretext.nn.device import DeviceName
from foretext.progress import MetricsLog
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.model import Model
from foretext.training.validation import Validation

__all__ = ["SampledValidation"]

NUM_SAMPLES = 3
SHOWN_TOKENS = 24  # of a held-out sentence with a mask
PROMPT_TOKENS = 8
NEW_TOKENS = 32


class SampledValidation(Validation):
    """A validation that also keeps what the model answers to a few held-out texts.

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
        self.rows = _rows(held_out)

    def measure(self, model: Model) -> dict[str, float]:
        """Return the figures of the validation; the answers go to the file."""
        figures = self.inner.measure(model)
        # Made again each time: what a LanguageModel keeps of weights that change would be stale.
        used = LanguageModel(self.tokenizer, model.backbone, model.objective, device=self.device)
        ask = _written_on if self.tokenizer.special.mask is None else _filled
        with MetricsLog(self.path) as log:
            log.append({**figures, "samples": [ask(used, row) for row in self.rows]})
        return figures

    def rewind(self, num_measured: int) -> None:
        """Drop the lines of measurements that a resumed training makes again."""
        self.inner.rewind(num_measured)
        if self.path.is_file():
            MetricsLog(self.path).truncate(num_measured)


def _filled(model: LanguageModel, row: list[int]) -> dict[str, Any]:
    """The middle token hidden, and what the model takes it for."""
    tokenizer = model.tokenizer
    words = np.flatnonzero((tokenizer.ordinary & tokenizer.word_starts)[row])
    hidden = int(words[len(words) // 2]) if len(words) else 0
    parts = [tokenizer.decode(row[:hidden]), "[MASK]", tokenizer.decode(row[hidden + 1 :])]
    text = " ".join(parts).strip()
    answers = model.fill(text, topn=3)[0]
    return {
        "text": text,
        "hidden": tokenizer.tokens[row[hidden]],
        "answers": [[answer.token, round(answer.probability, 4)] for answer in answers],
    }


def _written_on(model: LanguageModel, row: list[int]) -> dict[str, Any]:
    """The first tokens as a prompt, and what the model writes behind them."""
    prompt = model.tokenizer.decode(row[:PROMPT_TOKENS])
    written = model.generate(prompt, max_new_tokens=NEW_TOKENS)[0]
    return {"text": prompt, "answers": [written.text]}


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
