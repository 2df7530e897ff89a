"""``foretext tokenizer CORPUS... -o DIR``."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated, Any

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
    Overwrite,
    Quiet,
    TextWorkers,
    print_json,
    print_table,
    reading,
)
from foretext.messages import commas, message

__all__ = ["tokenizer"]

REPORTED_DOCUMENTS = 2_000


def tokenizer(
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS", help="Files, folders, globs or URLs of text; - for standard input."
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder for tokenizer.json.")
    ],
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="bpe, wordpiece, unigram or word; or words, for word vectors: no special tokens.",
        ),
    ] = "bpe",
    vocab_size: Annotated[
        int | None,
        typer.Option(
            "--vocab-size", metavar="N", min=1, help="Number of tokens, special ones too."
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.NAME=VALUE", help="A setting of corpus, tokenizer."),
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(metavar="CORPUS", help="Text to report on; default: the beginning of CORPUS."),
    ] = None,
    encoding: Encoding = None,
    column: Column = None,
    workers: TextWorkers = None,
    engine: Engine = "local",
    address: Address = None,
    auto: Auto = False,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn a tokenizer, and report how it cuts text."""
    from foretext.base.files import refuse_existing
    from foretext.corpus import Corpus
    from foretext.pretraining.tokenizers import learn_tokenizer, tokenizer_config
    from foretext.recipe import corpus_config, read_overrides
    from foretext.recipe.text_settings import advised_tokenizer
    from foretext.shards.engines import asked_engine
    from foretext.tokenizers.subword_report import subword_report

    written = [*(settings or []), *reading(encoding, column)]
    given = read_overrides(written, ("corpus", "tokenizer"))
    if vocab_size is not None:
        name = "max_vocab_size" if kind == "words" else "vocab_size"
        given.setdefault("tokenizer", {})[name] = vocab_size
    path = output / "tokenizer.json"
    refuse_existing(path, overwrite=overwrite)
    text = Corpus(corpus, corpus_config(given.get("corpus", {})))
    if auto:
        given = advised_tokenizer(tokenizer_config(kind), given, text)
        text = text.reread(corpus_config(given["corpus"]))
        chosen = (
            f"{part}.{name} = {value}" for part in given for name, value in given[part].items()
        )
        said = message("terminal.tokenizer.auto", settings=commas(chosen))
        say(message("terminal.note", said=said), error=True)
    learned = learn_tokenizer(
        kind,
        given.get("tokenizer", {}),
        text,
        path,
        quiet=quiet,
        engine=asked_engine(engine, address, workers),
    )
    texts = islice(Corpus(test, text.config) if test else text, REPORTED_DOCUMENTS)
    report = subword_report(learned, texts)
    result = {"tokenizer": str(path), "kind": kind, **report.to_dict()}
    if as_json:
        print_json(result)
    else:
        _show(result, "given" if test else "own")


def _show(result: dict[str, Any], text: str) -> None:
    """Print the figures, the longest tokens and a few texts as they are cut.

    Args:
        result: of the command.
        text: which one was cut; a name of the messages.
    """
    rows = [
        (
            message(f"terminal.tokenizer.figure.{name}"),
            f"{value:,.3f}" if isinstance(value, float) else f"{value:,}",
        )
        for name, value in result.items()
        if isinstance(value, int | float)
    ]
    print_table(["", ""], rows, title=message(f"terminal.tokenizer.on.{text}"))
    longest = message("terminal.tokenizer.longest", tokens="  ".join(result["longest_tokens"]))
    say(f"\n{longest}\n")
    for example in result["examples"]:
        say(" | ".join(example["tokens"]))
    size = number_of("token", result["vocab_size"])
    say(f"\n{message('terminal.made', what=size, path=result['tokenizer'])}")
