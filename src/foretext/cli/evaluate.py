"""``foretext evaluate RUN DATA...``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from foretext.cli.shared import (
    AsJson,
    RunArgument,
    given_options,
    print_json,
    print_table,
    refuse_options,
)

__all__ = ["evaluate"]


def evaluate(
    run: RunArgument,
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA",
            help="Word pairs with scores, or analogy questions; text for a language model; images "
            "for an autoencoder; rows with right answers for a task.",
        ),
    ],
    restrict_vocab: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Analogies: answer from the most frequent words only (300,000 by default).",
        ),
    ] = None,
    stride: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Causal language models: tokens that a window predicts; the others are context. "
            "Half of the model's length by default.",
        ),
    ] = None,
    documents: Annotated[
        Literal["line", "blank_line"] | None,
        typer.Option(help="Language models: where documents end, if not as in the run."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score vectors, a model or a task on data with known answers."""
    from foretext.artifact import RunFolder
    from foretext.task_models import is_predictor

    for_vectors = given_options(restrict_vocab=restrict_vocab)
    for_models = given_options(stride=stride, documents=documents)
    kind = RunFolder(run).kind
    if kind == "autoencoder":
        refuse_options(run, "an autoencoder", for_vectors | for_models)
        _evaluate_autoencoder(run, data, as_json)
        return
    if is_predictor(kind):
        refuse_options(run, "a trained task", for_vectors | for_models)
        _evaluate_task(run, data, as_json)
        return
    results = _results(run, data, for_vectors, for_models)
    if as_json:
        print_json(
            {str(path): result.as_dict() for path, result in zip(data, results, strict=True)}
        )
        return
    for path, result in zip(data, results, strict=True):
        print_table(["", ""], result.rows(), title=path.name)


def _results(
    run: Path, data: list[Path], for_vectors: dict[str, Any], for_models: dict[str, Any]
) -> Sequence[Any]:
    """Return the figures of word vectors or of a language model for each file."""
    from foretext.artifact import load
    from foretext.vectors.word_vectors import WordVectors

    model = load(run)
    if model.kind == WordVectors.kind:
        from foretext.evaluation import evaluate_vectors

        refuse_options(run, "word vectors", for_models)
        return evaluate_vectors(model, data, **for_vectors)
    from foretext.evaluation.language_model import evaluate_language_model, reading_of

    refuse_options(run, "a language model", for_vectors)
    corpus = reading_of(run, for_models.pop("documents", None))
    return evaluate_language_model(model, data, corpus=corpus, **for_models)


def _evaluate_autoencoder(run: Path, data: list[Path], as_json: bool) -> None:
    from foretext.codec import Codec
    from foretext.evaluation.autoencoders import evaluate_autoencoder

    results = evaluate_autoencoder(Codec.load(run), data)
    if as_json:
        print_json(results)
        return
    columns = ["", "examples", "squared error", "principal components"]
    print_table(columns, [[Path(path).name, *row.values()] for path, row in results.items()])


def _evaluate_task(run: Path, data: list[Path], as_json: bool) -> None:
    from foretext.artifact import load_task
    from foretext.finetuning.rows import rows_of

    model = load_task(run)
    rows = rows_of(run, model)
    results = {str(path): model.evaluate(path, rows=rows) for path in data}
    if as_json:
        print_json(results)
        return
    for path, scores in results.items():
        labels = scores.pop("labels", {})
        print_table(["", ""], list(scores.items()), title=Path(path).name)
        if labels:
            columns = ["label", *next(iter(labels.values()))]
            print_table(columns, [[label, *row.values()] for label, row in labels.items()])
