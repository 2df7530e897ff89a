"""Topics against held-out documents: perplexity by document completion, and coherence.

Every second word of a document is seen, and the others are predicted by its topics (Wallach et al.
2009, "Evaluation Methods for Topic Models", section 5.1). Words that are in no topic do not count,
so perplexities compare among models of the same words alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from foretext.base.errors import EvaluationError
from foretext.base.files import temporary_folder
from foretext.base.runtime import Threads, usable_cores
from foretext.corpus import Corpus, CorpusConfig
from foretext.data.token_file import TokenFile
from foretext.data.token_writer import write_tokens
from foretext.evaluation.figures import Evaluation, Measure
from foretext.evaluation.language_model import reading_of
from foretext.topics.bags import ids_of
from foretext.topics.coherence import TOP_WORDS, coherences
from foretext.topics.lda import completion_loss, halved
from foretext.topics.model import TopicModel

__all__ = ["evaluate_topics", "measure_of_topics"]

READ_AT_ONCE = 4096  # documents


def measure_of_topics(run: Path, options: Mapping[str, Any]) -> Measure:
    """Return what measures topics on a text; see `foretext.kinds.Kind.evaluate`."""
    model = TopicModel.load(run)
    corpus = reading_of(run, options.get("documents"), options.get("encoding"))
    return lambda path: evaluate_topics(model, path, corpus).as_dict()


def evaluate_topics(
    model: TopicModel, path: str | Path, corpus: CorpusConfig | None = None
) -> Evaluation:
    """Measure topics on a text.

    Args:
        model: the topics.
        path: a file of text of any kind that pretraining takes.
        corpus: how it is read; as in pretraining, or the figures do not compare.

    Raises:
        CorpusError: the file cannot be read, or there is no text in it.
        EvaluationError: no document has two words of the topics.
    """
    with temporary_folder() as folder:
        tokens = write_tokens(Corpus(path, corpus), model.tokenizer, folder / "tokens").train
        loss, num_words = _loss(model, tokens)
        top = np.argsort(-model.words.probabilities(), axis=0, kind="stable")[:TOP_WORDS].T
        coherent = coherences(model.ids[top], tokens)
        size = tokens.num_documents, tokens.num_tokens
    if not num_words:
        raise EvaluationError(
            f"{path}: no document has two words of the topics, so that one could predict the "
            "other; give text in the language and writing of the model."
        )
    figures = {
        "kind": "topics",
        "loss": loss / num_words,
        "perplexity": math.exp(loss / num_words),
        "coherence": float(coherent.mean()),
        "documents": size[0],
        "tokens": size[1],
        "predicted_words": num_words,
        "coherences": [float(each) for each in coherent],
    }
    return Evaluation(Path(path), figures)


def _loss(model: TopicModel, tokens: TokenFile) -> tuple[float, int]:
    """Return the nats of all words that are predicted, and their number."""
    total, num_words = 0.0, 0
    with Threads(usable_cores()) as pool:
        for first in range(0, tokens.num_documents, READ_AT_ONCE):
            some = np.arange(first, min(first + READ_AT_ONCE, tokens.num_documents))
            seen, hidden = halved(*ids_of(tokens, some), model.row_of)
            if hidden.num_words:
                total += completion_loss(model.words, seen, hidden, pool) * hidden.num_words
                num_words += hidden.num_words
    return total, num_words
