"""``foretext evaluate RUN DATA...``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from foretext.base.errors import ForetextError, Interrupted, SettingError
from foretext.base.terminal import say
from foretext.cli.row_options import (
    Label,
    LengthPenalty,
    MaxNewTokens,
    Negative,
    NoRepeatNgramSize,
    NumBeams,
    Reading,
    Score,
    Source,
    Tag,
    Text,
    TextA,
    TextB,
    Token,
)
from foretext.cli.shared import (
    AsJson,
    Encoding,
    RunArgument,
    clock_of,
    figure_title,
    given_options,
    print_json,
    print_table,
    refuse_options,
)
from foretext.messages import message, translated
from foretext.tasks.named_columns import has_target_file

if TYPE_CHECKING:
    from foretext.evaluation.figures import Measure

__all__ = ["evaluate"]

Figures = dict[str, Any]


def evaluate(
    run: RunArgument,
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA",
            help="Word pairs with scores, or analogy questions; text for a language model; pairs "
            "of texts with scores or labels for both; images for an autoencoder; rows with right "
            "answers for a task; query<TAB>answer for a search index.",
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
    encoding: Encoding = None,
    text: Text = None,
    label: Label = None,
    text_a: TextA = None,
    text_b: TextB = None,
    negative: Negative = None,
    score: Score = None,
    source: Source = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|COLUMN",
            help="text_to_text: the right output of each line of DATA; of a table, its column.",
        ),
    ] = None,
    token: Token = None,
    tag: Tag = None,
    settings: Reading = None,
    precision: Annotated[
        Literal["auto", "bf16", "fp32", "int8"] | None,
        typer.Option(help="Numbers that a network of a task computes in, as for predict."),
    ] = None,
    num_beams: NumBeams = None,
    max_new_tokens: MaxNewTokens = None,
    length_penalty: LengthPenalty = None,
    no_repeat_ngram_size: NoRepeatNgramSize = None,
    as_json: AsJson = False,
) -> None:
    """Score vectors, a model or a task on data with known answers.

    Rows of a task are read as those of its training were; options name other columns.
    A language model, a sentence encoder and word vectors are measured on pairs without learning:
    by the cosines of their embeddings.
    """
    options = given_options(
        restrict_vocab=restrict_vocab, stride=stride, documents=documents, encoding=encoding,
        text=text, label=label, text_a=text_a, text_b=text_b, negative=negative, score=score,
        source=source, target=target, token=token, tag=tag, set=settings, precision=precision,
        num_beams=num_beams, max_new_tokens=max_new_tokens, length_penalty=length_penalty,
        no_repeat_ngram_size=no_repeat_ngram_size,
    )  # fmt: skip
    if len(data) > 1 and has_target_file(str(data[0]), target):
        raise SettingError(message("options.evaluate.one_file", target=target, number=len(data)))
    measure = _measure_of(run, options)
    results: dict[str, Figures] = {}
    failed: list[ForetextError] = []
    for path in data:
        try:
            with clock_of(message("progress.evaluating", file=path.name)):
                results[str(path)] = measure(path)
        except Interrupted:
            raise
        except ForetextError as error:  # the other files are measured all the same
            failed.append(error)
            results[str(path)] = {"error": str(error)}
    if as_json and len(results) > len(failed):
        print_json(results)
    elif not as_json:
        for name, figures in results.items():
            if "error" not in figures:
                _show(Path(name), figures)
    for other in failed[:-1]:
        say(f"foretext: {other}", error=True)
    if failed:
        raise failed[-1]


def _measure_of(run: Path, options: dict[str, Any]) -> Measure:
    """Return what measures a file by what a run holds."""
    from foretext.artifact import kind_of_run

    kind = kind_of_run(run)
    refuse_options(run, kind.phrase, options.keys() - {*kind.evaluate_options})
    measure: Measure = kind.code("evaluate")(run, options)
    return measure


def _show(path: Path, figures: Figures) -> None:
    """Print figures: single ones, then those of labels or of ways to search as a table."""
    from foretext.evaluation.figures import Evaluation

    found = Evaluation(path, figures)
    rows = [
        (_titled(name), translated(str(value)) if name == "kind" else value)
        for name, value in found.single_figures()
    ]
    sections = [(name.replace("_", " "), value) for name, value in found.sections()]
    print_table(["", ""], [*rows, *sections], title=path.name)
    for sentence in found.sentences():
        say(sentence)
    for column, table in found.tables().items():
        names = list(next(iter(table.values())))
        columns = [translated(column), *map(figure_title, names)]
        print_table(columns, [[name, *row.values()] for name, row in table.items()])


def _titled(name: str) -> str:
    return figure_title(name).replace("_", " ")
