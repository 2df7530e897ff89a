"""Language models against files of text.

A causal model is asked for every token: the figures are a loss in nats a token, perplexities a
token and a word, and bits a byte (`foretext.language_model.likelihood` says what is counted). A
masked model is asked under the masks that never change (`foretext.training.validation`), in batches
of 32, and for real and false successors where it learned to tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from foretext.corpus import Corpus, CorpusConfig
from foretext.data.token_file import TokenFile
from foretext.data.token_writer import write_tokens
from foretext.errors import EvaluationError
from foretext.files import is_regular_file, temporary_folder
from foretext.language_model import LanguageModel
from foretext.objectives.causal_lm import CausalLM
from foretext.objectives.masked_lm import MaskedLM
from foretext.objectives.sentence_pairs import has_pairs
from foretext.recipe import corpus_of_run
from foretext.run_folder import RunFolder
from foretext.training.model import Model
from foretext.training.validation import HeldOutLoss

__all__ = ["LanguageModelEvaluation", "evaluate_language_model", "reading_of"]

BATCH_EXAMPLES = 32  # what is masked depends on it
Figures = dict[str, float | int | str]


@dataclass(frozen=True)
class LanguageModelEvaluation:
    """The figures of one file, to print or to keep."""

    path: Path
    figures: Figures

    def as_dict(self) -> Figures:
        """Return everything, as JSON takes it."""
        return dict(self.figures)

    def rows(self) -> list[tuple[str, str]]:
        """Return the figures as pairs of name and value."""
        return [(name.replace("_", " "), _shown(value)) for name, value in self.figures.items()]


def evaluate_language_model(
    model: LanguageModel,
    paths: Sequence[str | Path],
    *,
    corpus: CorpusConfig | None = None,
    stride: int | None = None,
) -> list[LanguageModelEvaluation]:
    """Score a model on each file of text.

    Args:
        model: causal or masked.
        paths: files of text of any kind that pretraining takes.
        corpus: how they are read; as in pretraining, or the figures do not compare.
        stride: of a causal model's windows; None: half of its length.

    Raises:
        CorpusError: a file cannot be read, or there is no text in it.
        EvaluationError: the model has no head to be asked, or a text is no text for it.
        SettingError: a stride for a masked model, or one that a causal model does not have.
    """
    measure = _measure_causal if isinstance(model.objective, CausalLM) else _measure_masked
    evaluations = []
    for path in paths:
        text = Corpus(path, corpus)
        evaluations.append(LanguageModelEvaluation(Path(path), measure(model, text, stride)))
    return evaluations


def reading_of(run: str | Path, documents: str | None = None) -> CorpusConfig:
    """Return how a run read its text; of a folder without a recipe, how text is read by default.

    Args:
        run: its folder.
        documents: "line" or "blank_line", where a document ends, in place of what the run says.

    Raises:
        ModelFileError: the recipe of the run is damaged.
        SettingError: there is no such end of documents.
    """
    recipe = RunFolder(run).recipe
    config = corpus_of_run(recipe) if is_regular_file(recipe) else CorpusConfig()
    if documents is None:
        return config
    return CorpusConfig.checked({**config.model_dump(), "documents": documents}, "corpus")


def _measure_causal(model: LanguageModel, text: Corpus, stride: int | None) -> Figures:
    found = model.likelihood(list(text), stride=stride)
    return {
        "kind": "causal language model",
        "loss": found.loss,
        "perplexity": found.perplexity,
        "word_perplexity": found.word_perplexity,
        "bits_per_byte": found.bits_per_byte,
        "tokens": found.num_tokens,
        "words": found.num_words,
        "bytes": found.num_bytes,
        "unknown_tokens": found.num_unknown,
    }


def _measure_masked(model: LanguageModel, text: Corpus, stride: int | None) -> Figures:
    objective = model.objective
    if not isinstance(objective, MaskedLM):
        kind = "has no head" if objective is None else f"learned by {type(objective).__name__}"
        raise EvaluationError(
            f"This model {kind}; what can be measured on text is a causal or a masked language "
            "model."
        )
    if stride is not None:
        raise EvaluationError("stride has no effect on a masked language model; leave it out.")
    with temporary_folder() as folder:
        tokens = write_tokens(text, model.tokenizer, folder / "tokens").train
        _check_pairs(objective, tokens, text)
        examples = objective.examples(tokens, held_out=True)
        network = Model(model.backbone, objective).eval()
        measured = HeldOutLoss(examples, BATCH_EXAMPLES).measure(network)
        num_tokens = tokens.num_tokens
    figures = {name.removeprefix("valid_"): value for name, value in measured.items()}
    return {"kind": "masked language model", **figures, "tokens": num_tokens}


def _check_pairs(objective: MaskedLM, tokens: TokenFile, text: Corpus) -> None:
    if objective.next_sentence is not None and not has_pairs(tokens):
        raise EvaluationError(
            f"{text}: the model is asked whether one text follows another, and here are no two "
            "documents of two sentences or more; say where documents end, or take another text."
        )


def _shown(value: float | int | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
