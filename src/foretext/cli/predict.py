"""``foretext predict RUN [INPUT|-]``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from foretext.base.terminal import say
from foretext.cli.completion import complete_run
from foretext.cli.row_options import (
    Label,
    LengthPenalty,
    MaxNewTokens,
    NoRepeatNgramSize,
    NumBeams,
    Reading,
    Score,
    Seed,
    Source,
    Tag,
    TargetColumn,
    Temperature,
    Text,
    TextA,
    TextB,
    Token,
    TopP,
)
from foretext.cli.shared import AsJsonLines, Encoding, bar_of_lines, given_options, print_json
from foretext.messages import message
from foretext.tasks.named_columns import columns_of_texts, reading_options

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
            help="A file of the kinds that finetune reads, with or without right answers: csv, "
            "tsv, jsonl, txt, parquet, CoNLL, SQuAD; or a text a line (pairs: text<TAB>text; "
            "questions: question<TAB>passage); - reads standard input.",
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
            help="Columns of a table or of JSON to copy to the answers, such as id,author.",
        ),
    ] = None,
    text: Text = None,
    label: Label = None,
    text_a: TextA = None,
    text_b: TextB = None,
    score: Score = None,
    source: Source = None,
    target: TargetColumn = None,
    token: Token = None,
    tag: Tag = None,
    encoding: Encoding = None,
    settings: Reading = None,
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
    """Answer each row of a file with a trained task.

    Answers are labels, scores, tagged spans, spans of a passage, or texts. Rows are read as those
    of the training were; options name other columns.
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
    columns = given_options(
        text=text, label=label, text_a=text_a, text_b=text_b, score=score, source=source,
        target=target, token=token, tag=tag,
    )  # fmt: skip
    found = model.inputs(
        texts,
        columns=columns_of_texts(model, columns),
        rows=reading_options(settings or [], encoding),
        keep=keep.split(",") if keep else [],
        doubt=_doubt,
    )
    inputs, kept = tee(found)
    answers = model.answered((given.texts for given in inputs), k=k, threshold=threshold)
    sample: list[dict[str, Any]] = []
    with bar_of_lines(texts, message("progress.answering")) as bar:
        for record, columns, more, line in bar.over(_answered(model, answers, kept, explain)):
            if len(sample) < SAMPLE:
                sample.append(record)
            if as_json:
                print_json({**columns, **record, **more})
            else:
                say("\t".join([*map(_shown, columns.values()), line]))
    for doubt in model.doubts(sample):
        _doubt(doubt)


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


def _doubt(sentence: str) -> None:
    say(f"foretext: {sentence}.", error=True)


def _shown(value: Any) -> str:
    return "" if value is None else str(value)
