"""``foretext predict RUN [INPUT|-]``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from foretext.cli.completion import complete_run
from foretext.cli.decoding_options import (
    LengthPenalty,
    MaxNewTokens,
    NoRepeatNgramSize,
    NumBeams,
    Seed,
    Temperature,
    TopP,
)
from foretext.cli.shared import AsJsonLines, given_options, print_json, read_texts
from foretext.cli.waiting import bar_of_lines
from foretext.terminal import say

if TYPE_CHECKING:
    from foretext.data.rows import KeptInput

__all__ = ["predict"]

SAMPLE = 1000  # answers that are looked at together


def predict(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            autocompletion=complete_run,
            help="A run of finetune, a task's Hugging Face folder, or fastText's .bin or .ftz.",
        ),
    ],
    texts: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="A file with a text a line (pairs: text<TAB>text; questions: "
            "question<TAB>passage; or JSON objects), or a .csv with a header; - reads standard "
            "input.",
        ),
    ] = "-",
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            metavar="N",
            min=1,
            help="Labels, answers or outputs a line; 1, or any number where texts have several.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="P", min=0.0, max=1.0, help="Leave out answers less probable than this."
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS",
            help="Columns of a .csv, .tsv or .jsonl to copy to the answers, such as id,author.",
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Mark the words that decided on a label or score: [+2.31 word] speaks for it, "
            "[-2.31 word] against it.",
        ),
    ] = False,
    precision: Annotated[
        Literal["auto", "bf16", "fp32", "int8"] | None,
        typer.Option(
            help="Numbers that a network computes in; int8, the fastest, needs a processor with "
            "VNNI instructions."
        ),
    ] = None,
    num_beams: NumBeams = None,
    max_new_tokens: MaxNewTokens = None,
    length_penalty: LengthPenalty = None,
    no_repeat_ngram_size: NoRepeatNgramSize = None,
    temperature: Temperature = None,
    top_p: TopP = None,
    seed: Seed = None,
    as_json: AsJsonLines = False,
) -> None:
    """Answer each line with a trained task.

    Answers are labels, scores, tagged spans, spans of a passage, or texts.
    """
    from foretext.artifact import load_task

    model = load_task(run)
    model.answering(
        given_options(
            precision=precision, num_beams=num_beams, max_new_tokens=max_new_tokens,
            length_penalty=length_penalty, no_repeat_ngram_size=no_repeat_ngram_size,
            temperature=temperature, top_p=top_p, seed=seed,
        )
    )  # fmt: skip
    if explain:
        model.explain([])  # refuses what cannot be explained before anything is read
    inputs, kept = tee(_inputs(run, model, texts, keep.split(",") if keep else []))
    answers = model.answered((given.texts for given in inputs), k=k, threshold=threshold)
    sample: list[dict[str, Any]] = []
    with bar_of_lines(texts, "answering") as bar:
        for record, columns, more, line in bar.over(_answered(model, answers, kept, explain)):
            if len(sample) < SAMPLE:
                sample.append(record)
            if as_json:
                print_json({**columns, **record, **more})
            else:
                say("\t".join([*map(_shown, columns.values()), line]))
    for doubt in model.doubts(sample):
        say(f"foretext: {doubt}.", error=True)


def _answered(
    model: Any, answers: Iterable[dict[str, Any]], kept: Iterable[KeptInput], explain: bool
) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any], str]]:
    """Yield each record with its columns, what JSON has beside it, and a line for people."""
    from foretext.cli.explaining import explanations, marked

    both = zip(answers, kept, strict=True)
    if not explain:
        yield from ((record, given.kept, {}, model.shown(record)) for record, given in both)
        return
    for record, given, found in explanations(model, both):
        line = model.shown(marked(record, found))
        yield record, given.kept, {"explanation": found.record()}, line


def _inputs(run: Path, model: Any, source: str, keep: list[str]) -> Iterator[KeptInput]:
    """Yield the texts of each line or row, and the columns that are kept."""
    from foretext.data.rows import KeptInput, is_table, line_input, table_inputs
    from foretext.finetuning.rows import rows_of

    if is_table(source, keep):
        yield from table_inputs(source, model.fields, rows_of(run, model), keep)
        return
    for number, line in enumerate(read_texts(source), 1):
        yield KeptInput(line_input(line, number, model.fields), {})


def _shown(value: Any) -> str:
    return "" if value is None else str(value)
