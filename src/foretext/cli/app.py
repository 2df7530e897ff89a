"""The table of verbs, and the options that stand before them."""

from __future__ import annotations

from typing import Annotated

import typer

from foretext._version import __version__
from foretext.base.terminal import say
from foretext.cli.align import align
from foretext.cli.analogy import analogy
from foretext.cli.clean import clean
from foretext.cli.compare import compare
from foretext.cli.convert import convert
from foretext.cli.demo import demo
from foretext.cli.distill import distill
from foretext.cli.drift import drift
from foretext.cli.embed import embed
from foretext.cli.evaluate import evaluate
from foretext.cli.export import export
from foretext.cli.extend import extend
from foretext.cli.fill import fill
from foretext.cli.finetune import finetune
from foretext.cli.generate import generate
from foretext.cli.index import index
from foretext.cli.inspect import inspect
from foretext.cli.listing import show_list
from foretext.cli.neighbors import neighbors
from foretext.cli.plan import plan
from foretext.cli.predict import predict
from foretext.cli.pretrain import pretrain
from foretext.cli.quantize import quantize
from foretext.cli.reduce import reduce
from foretext.cli.report import report
from foretext.cli.search import search
from foretext.cli.serve import serve
from foretext.cli.shared import Lang, Trust, with_common_options
from foretext.cli.show import show
from foretext.cli.suggest import suggest
from foretext.cli.tokenizer import tokenizer
from foretext.cli.verb import Verb, VerbTable

__all__ = ["app"]

app = typer.Typer(
    name="foretext",
    cls=VerbTable,
    help="Pretrain language representations on your own text, on the machine you have.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # it would take [corpus] for a colour, and drop it
)

for verb in (
    demo,
    inspect,
    clean,
    tokenizer,
    show,
    plan,
    pretrain,
    finetune,
    compare,
    evaluate,
    predict,
    suggest,
    report,
    quantize,
    neighbors,
    analogy,
    embed,
    index,
    search,
    fill,
    generate,
    serve,
    convert,
    export,
    reduce,
    distill,
    extend,
    align,
    drift,
):
    app.command(cls=Verb)(with_common_options(verb))
app.command(name="list", cls=Verb)(with_common_options(show_list))


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"foretext {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True),
    ] = False,
    lang: Lang = None,
    trust: Trust = [],  # noqa: B006
) -> None:
    """Pretrain language representations on your own text, on the machine you have."""
