"""``foretext inspect CORPUS``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foretext.base.counted import number_of
from foretext.base.terminal import say
from foretext.cli.shared import (
    Address,
    AsJson,
    Auto,
    Column,
    Encoding,
    Engine,
    InspectingWorkers,
    Quiet,
    print_json,
    print_table,
    reading,
    titles,
)
from foretext.messages import commas, message

if TYPE_CHECKING:
    from foretext.corpus.findings import CorpusReport

__all__ = ["inspect"]


def inspect(
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS", help="Files, folders, globs or URLs of text; - for standard input."
        ),
    ],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SECTION.NAME=VALUE",
            help="How to read it: a setting of corpus, or tokenizer.pre_tokenizer, .lowercase, "
            ".min_count.",
        ),
    ] = None,
    encoding: Encoding = None,
    column: Column = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="F.html", help="Write a page with figures.")
    ] = None,
    workers: InspectingWorkers = None,
    engine: Engine = "local",
    address: Address = None,
    auto: Auto = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Inspect a corpus: its content, problems and training examples."""
    from foretext.corpus.inspection import inspect_corpus
    from foretext.progress import Progress
    from foretext.progress.budget import tell_of_compiling
    from foretext.recipe.text_settings import corpus_to_inspect
    from foretext.shards.engines import asked_engine

    given = [setting if "." in setting else f"corpus.{setting}" for setting in settings or []]
    given += reading(encoding, column)
    text, words = corpus_to_inspect(corpus, given, auto=auto)
    does = asked_engine(engine, address, workers)
    tell_of_compiling(quiet=quiet)
    with Progress(message("progress.reading"), text.num_bytes, "bytes", quiet=quiet) as bar:
        found = inspect_corpus(text, bar, words, does)
    if report is not None:
        from foretext.report.corpus_report import write_corpus_report

        write_corpus_report(report, found.model_dump(mode="json"), title=", ".join(corpus))
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        _show(found)
    if any(problem.severity == "error" and problem.place for problem in found.problems):
        raise typer.Exit(2)  # a file cannot be read


def _show(found: CorpusReport) -> None:
    print_table(["", ""], _figures(found))
    say()
    columns = ["min_count", *titles("tables.words_kept", "tables.tokens_kept", "tables.share")]
    rows = [(row.min_count, row.words, row.tokens, row.token_rate) for row in found.coverage]
    print_table(columns, rows)
    say()
    for prospect in found.prospects:
        say(message("terminal.of", name=prospect.objective, said=prospect.sentence))
    say()
    for problem in found.problems:
        severity = message(f"page.severity.{problem.severity}")
        say(message("terminal.of", name=severity, said=problem))
    if not found.problems:
        say(message("terminal.no_problem"))
    for line in _settings(found):
        say(line)


def _figures(found: CorpusReport) -> list[tuple[str, str]]:
    """The most important figures."""
    from foretext.tokenizers.alphabet import folding_sentence

    counts = ("num_files", "documents", "sentences", "tokens", "distinct_words", "empty_lines")
    rows = [(_said(f"row.{name}"), f"{getattr(found, name):,}") for name in counts]
    lengths = {
        "tokens_a_document": found.document_lengths,
        "tokens_a_sentence": found.sentence_lengths,
    }
    rows += [
        (
            _said(f"row.{name}"),
            _said("lengths", median=length.median, p95=length.p95, most=length.most),
        )
        for name, length in lengths.items()
    ]
    duplicates = {"exact": found.exact_duplicates, "near": found.near_duplicates}
    rows += [
        (
            _said(f"row.{kind}_duplicates"),
            _said(
                "duplicates",
                percent=100 * some.rate,
                documents=number_of("document", some.documents),
            ),
        )
        for kind, some in duplicates.items()
    ]
    scripts = commas(
        f"{message(f'findings.script.{name}')} {100 * rate:.1f} %"
        for name, rate in found.scripts.items()
    )
    frequent = ", ".join(word.word for word in found.frequent_words[:12])
    read, words = found.reading["corpus"], found.reading["tokenizer"]
    named = ", ".join(f"{name} = {value}" for name, value in read.items())
    kinds = found.kinds if len(found.kinds) > 1 else []
    return [
        *rows,
        (_said("row.scripts"), scripts),
        *([(_said("row.symbols"), _symbols(found))] if found.symbols else []),
        (_said("row.frequent_words"), frequent),
        (_said("row.read_with"), f"{named}, pre_tokenizer = {words['pre_tokenizer']}"),
        *((_said("row.read_as") if at == 0 else "", str(kind)) for at, kind in enumerate(kinds)),
        (_said("row.characters"), folding_sentence(words, str(read["normalization"]))),
    ]


def _said(name: str, **values: object) -> str:
    return message(f"terminal.inspect.{name}", **values)


def _symbols(found: CorpusReport) -> str:
    """The symbols of the sample, and which share of its lines has any."""
    named = ", ".join(f"{name} {count:,}" for name, count in [*found.symbols.items()][:8])
    return _said("symbols", named=named, percent=100 * found.symbol_rate)


def _settings(found: CorpusReport) -> Iterator[str]:
    """The proposed settings as options, those of words on a line of their own."""
    for section in ("corpus", "tokenizer"):
        options = " ".join(
            f"--set {section}.{name}={str(value).lower() if isinstance(value, bool) else value}"
            for name, value in found.settings.get(section, {}).items()
        )
        if options:
            yield _said(f"settings_of_{section}", options=options)
    if found.settings:
        yield _said("auto")
