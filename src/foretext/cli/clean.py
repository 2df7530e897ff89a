"""``foretext clean CORPUS... -o DIR``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from foretext.base.counted import number_of
from foretext.base.terminal import say
from foretext.cli.shared import (
    Address,
    AsJson,
    Column,
    Encoding,
    Engine,
    Overwrite,
    Quiet,
    Workers,
    given_options,
    print_json,
    print_table,
    titles,
)
from foretext.messages import commas, message

if TYPE_CHECKING:
    from foretext.cleaning import Cleaned

__all__ = ["clean"]

SECTIONS = ("clean", "rules", "chinese_rules", "corpus")


def clean(
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS", help="Files, folders, globs or URLs of text; - for standard input."
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder of the results.")
    ],
    language: Annotated[
        str | None,
        typer.Option(
            metavar="LANGUAGES",
            help="Languages to keep, such as en,zh; by default all.",
        ),
    ] = None,
    language_model: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A model of languages of fastText, such as lid.176.bin; without one, scripts and "
            "frequent words decide for 43 languages, else lingua.",
        ),
    ] = None,
    near_duplicates: Annotated[
        float | None,
        typer.Option(
            metavar="SIMILARITY",
            help="How similar near duplicates are, from 0.5 to 1; by default 0.8.",
        ),
    ] = None,
    duplicates: Annotated[
        Literal["near", "exact", "kept"] | None,
        typer.Option(help="Which documents that repeat one are dropped; by default near ones too."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEST",
            help="A file of a test set, of which no text is to stay; give it for each file.",
        ),
    ] = None,
    mask: Annotated[
        str | None,
        typer.Option(
            metavar="KINDS",
            help="Personal data to replace by placeholders: email,phone,id (identity numbers of "
            "China and payment cards).",
        ),
    ] = None,
    fix_text: Annotated[
        bool,
        typer.Option("--fix-text", help="Repair text decoded by a wrong encoding, with ftfy."),
    ] = False,
    no_rules: Annotated[
        bool, typer.Option("--no-rules", help="Drop no document for a quality rule.")
    ] = False,
    without_rule: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="A quality rule that is left out; give it for each."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SECTION.NAME=VALUE",
            help="A setting of clean, rules, chinese_rules or corpus, such as rules.min_words=20.",
        ),
    ] = None,
    encoding: Encoding = None,
    column: Column = None,
    workers: Workers = None,
    engine: Engine = "local",
    address: Address = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a cleaning that was stopped.")
    ] = False,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Clean a corpus: language, quality, duplicates, test texts."""
    from foretext.cleaning import clean as clean_corpus
    from foretext.recipe.recipe import read_overrides
    from foretext.shards import chosen_engine

    given = read_overrides(settings or [], SECTIONS)
    chosen: dict[str, Any] = given_options(
        languages=_names(language), language_model=language_model, duplicates=duplicates,
        near_duplicates=near_duplicates, mask=_names(mask),
        without_rules=tuple(without_rule) if without_rule else None,
    )  # fmt: skip
    if fix_text:
        chosen["fix_text"] = True
    if no_rules:
        chosen["rules"] = False
    done = clean_corpus(
        corpus,
        output,
        against=against or (),
        text=given.get("corpus", {}) | given_options(encoding=encoding, column=column),
        settings=given.get("clean", {}) | chosen,
        rules=given.get("rules"),
        chinese_rules=given.get("chinese_rules"),
        engine=chosen_engine(engine, address, workers),
        overwrite=overwrite,
        resume=resume,
        quiet=quiet,
    )
    if as_json:
        facts = done.facts.model_dump(mode="json", exclude={"examples", "changes"})
        print_json({"output": str(output), "corpus": str(done.kept), **facts})
    else:
        _show(done)


def _names(given: str | None) -> tuple[str, ...] | None:
    """Return names that commas separate."""
    if given is None:
        return None
    return tuple(name.strip() for name in given.split(",") if name.strip())


def _show(done: Cleaned) -> None:
    facts = done.facts
    read, kept = facts.read, facts.kept
    say(
        message(
            "terminal.clean.kept",
            kept=kept.documents,
            documents=number_of("document", read.documents),
            rate=kept.characters / max(read.characters, 1),
            path=done.kept,
        )
    )
    if facts.reasons:
        rows = [
            (reason, count, f"{count / read.documents:.1%}")
            for reason, count in facts.reasons.items()
        ]
        print_table(titles("tables.dropped_for", "tables.documents", "tables.share"), rows)
        say(message("terminal.dropped", path=done.dropped))
    if facts.settings["clean"]["languages"]:
        say(message("terminal.clean.languages", by=facts.language_by))
    if facts.masked:
        masked = commas(f"{kind} {count:,}" for kind, count in facts.masked.items())
        say(message("terminal.clean.masked", kinds=masked))
    for note in facts.notes:
        say(message("terminal.note", said=note))
    for warning in facts.warnings:
        say(message("findings.size.warning", said=warning))
    say(message("terminal.page", path=done.report))
