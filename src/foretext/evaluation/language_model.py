"""Language models against files of text.

A model that gives texts a probability, such as a causal one, predicts every token: the figures are
a loss in nats a token, perplexities a token and a word, and bits a byte
(`foretext.language_model.likelihood` defines what is counted). Any other model predicts what it
predicted in pretraining: the examples of its objective, always drawn with the same seed
(`foretext.training.validation`), in batches of 32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.artifact import load_language_model
from foretext.base.errors import EvaluationError
from foretext.base.files import is_regular_file, temporary_folder
from foretext.corpus import Corpus, CorpusConfig
from foretext.data.rows import are_token_lines, found_pairs_config, input_files, names_text_pairs
from foretext.data.rows.guessed_columns import as_number
from foretext.data.rows.input_rows import InputsConfig
from foretext.data.token_writer import write_tokens
from foretext.evaluation.figures import Evaluation, Measure
from foretext.evaluation.text_pairs import evaluate_text_pairs, rows_of_pairs
from foretext.language_model import LanguageModel, Likelihood
from foretext.messages import message
from foretext.objectives.base import Objective
from foretext.recipe import corpus_of_run
from foretext.run_folder import RunFolder
from foretext.training.model import Model
from foretext.training.validation import HeldOutLoss

__all__ = ["evaluate_language_model", "measure_of_model", "reading_of"]

ENOUGH = 5  # lines
FEW = 0.2  # distinct values of a column of labels, to its rows
BATCH_EXAMPLES = 32  # the masks depend on it
Figures = dict[str, float | int | str | None]


def evaluate_language_model(
    model: LanguageModel,
    paths: Sequence[str | Path],
    *,
    corpus: CorpusConfig | None = None,
    stride: int | None = None,
) -> list[Evaluation]:
    """Score a model on each file of text.

    Args:
        model: with the objective that it was pretrained by.
        paths: files of text of any kind that pretraining takes.
        corpus: how they are read; as in pretraining, or the figures do not compare.
        stride: of the windows of a model that gives texts a probability; None: half of its length.

    Raises:
        CorpusError: a file cannot be read, or there is no text in it.
        EvaluationError: the model has no head, a stride has no effect on it, or a text cannot be
            measured.
        SettingError: there is no such stride.
    """
    objective = model.objective
    if objective is None:
        raise EvaluationError(
            "This model has no head, so nothing can be measured on text; evaluate a run of "
            "foretext, or a folder with a head of a language model."
        )
    if stride is not None and not objective.scores_text:
        raise EvaluationError(f"stride has no effect on a {_kind(objective)}; leave it out.")
    evaluations = []
    for path in paths:
        _refuse_rows(path, (corpus or CorpusConfig()).encoding)
        text = Corpus(path, corpus)
        figures = (
            _likelihood(model, text, stride)
            if objective.scores_text
            else _held_out(model, objective, text)
        )
        found: Figures = {"kind": _kind(objective), **figures}
        evaluations.append(Evaluation(Path(path), found))
    return evaluations


def measure_of_model(run: Path, options: Mapping[str, Any]) -> Measure:
    """Return what measures a model, on text or on pairs; see `foretext.kinds.Kind.evaluate`."""
    rows = rows_of_pairs(options)
    model = load_language_model(run)
    corpus = reading_of(run, options.get("documents"), options.get("encoding"))
    stride = options.get("stride")

    def measure(path: Path) -> dict[str, Any]:
        if rows is not None or model.objective is None or names_text_pairs(path):
            return evaluate_text_pairs(model, path, rows or found_pairs_config(path)).as_dict()
        return evaluate_language_model(model, [path], corpus=corpus, stride=stride)[0].as_dict()

    return measure


def reading_of(
    run: str | Path, documents: str | None = None, encoding: str | None = None
) -> CorpusConfig:
    """Return how a run read its text; of a folder without a recipe, how text is read by default.

    Args:
        run: its folder.
        documents: "line" or "blank_line", where a document ends, in place of what the run says.
        encoding: of the text, likewise.

    Raises:
        ModelFileError: the recipe of the run is damaged.
        SettingError: there is no such end of documents, or no such encoding.
    """
    recipe = RunFolder(run).recipe
    config = corpus_of_run(recipe) if is_regular_file(recipe) else CorpusConfig()
    given = {"documents": documents, "encoding": encoding}
    changed = {name: value for name, value in given.items() if value is not None}
    return CorpusConfig.checked({**config.model_dump(), **changed}, "corpus") if changed else config


def _refuse_rows(path: str | Path, encoding: str) -> None:
    """Refuse labelled rows, of which a loss would be that of labels and tabs, too.

    Raises:
        EvaluationError: all lines have the same columns, and one of these holds labels or numbers;
            or each is a token with its tag.
    """
    reading = InputsConfig(encoding=encoding)
    lines = next((file.head for file in input_files(path, reading) if file.is_plain), [])
    rows = [line.split("\t") for line in lines if line.strip()]
    if are_token_lines(lines):
        what = "each line is a token with its tag"
    elif len(rows) >= ENOUGH and len({*map(len, rows)}) == 1 and _have_labels(rows):
        what = f"each line has {len(rows[0])} columns, separated by tabs, with labels or numbers"
    else:
        return
    raise EvaluationError(
        f"{path}: {what}, and a loss of it would say nothing of its text; give the text alone "
        "(such as `cut -f 2`), or name the columns of pairs with --text-a, --text-b and --score or "
        "--label."
    )


def _have_labels(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a column holds few different values, or numbers, and others are texts."""
    columns = list(zip(*rows, strict=True))
    few = [len({*column}) <= max(2, FEW * len(column)) for column in columns]
    numbers = [all(as_number(cell) is not None for cell in column) for column in columns]
    return len(columns) > 1 and any(map(max, few, numbers)) and not all(few)


def _kind(objective: Objective) -> str:
    """What the model is: of an objective without a word for it, its class."""
    return f"{objective.kind or type(objective).__name__} language model"


def _likelihood(model: LanguageModel, text: Corpus, stride: int | None) -> Figures:
    found = model.likelihood(list(text), stride=stride)
    figures: Figures = {
        "loss": found.loss,
        "perplexity": found.perplexity,
        "word_perplexity": found.word_perplexity,
        "bits_per_token": found.bits_per_token,
        "bits_per_character": found.bits_per_character,
        "bits_per_byte": found.bits_per_byte,
        "tokens": found.num_tokens,
        "words": found.num_words,
        "characters": found.num_characters,
        "bytes": found.num_bytes,
        "unknown_tokens": found.num_unknown,
    }
    return figures if found.is_complete else {**figures, "note": _note(found)}


def _note(found: Likelihood) -> str:
    """Why some figures are not given."""
    hidden = (
        message("terminal.doubt.unknown", number=found.num_unknown)
        if found.num_unknown
        else message("terminal.doubt.left_out")
    )
    if found.word_perplexity is None:
        return message("terminal.doubt.less", hidden=hidden)
    return message("terminal.doubt.no_figure", hidden=hidden)


def _held_out(model: LanguageModel, objective: Objective, text: Corpus) -> Figures:
    with temporary_folder() as folder:
        segmenter = objective.text_rules.segmenter(objective.config, model.tokenizer, held_out=True)
        tokens = write_tokens(text, model.tokenizer, folder / "tokens", segmenter=segmenter).train
        if (problem := objective.problem(tokens)) is not None:
            raise EvaluationError(f"{text}: {problem}.")
        examples = objective.examples(tokens, held_out=True)
        network = Model(model.backbone, objective).eval()
        continues = objective.carries_state
        measured = HeldOutLoss(examples, BATCH_EXAMPLES, continues=continues).measure(network)
        num_tokens = tokens.num_tokens
    figures = {name.removeprefix("valid_"): value for name, value in measured.items()}
    return {**figures, "tokens": num_tokens}
