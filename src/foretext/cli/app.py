"""The table of verbs, and what becomes of an error: a sentence and an exit code.

0 done, 1 a defect of foretext, 2 something the user can mend, 130 stopped by a signal.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Annotated

import typer

from foretext._version import __version__
from foretext.cli.align import align
from foretext.cli.analogy import analogy
from foretext.cli.convert import convert
from foretext.cli.demo import demo
from foretext.cli.drift import drift
from foretext.cli.embed import embed
from foretext.cli.evaluate import evaluate
from foretext.cli.fill import fill
from foretext.cli.finetune import finetune
from foretext.cli.generate import generate
from foretext.cli.inspect import inspect
from foretext.cli.listing import show_list
from foretext.cli.neighbors import neighbors
from foretext.cli.plan import plan
from foretext.cli.predict import predict
from foretext.cli.pretrain import pretrain
from foretext.cli.quantize import quantize
from foretext.cli.reduce import reduce
from foretext.cli.tokenizer import tokenizer
from foretext.errors import ForetextError, Interrupted

__all__ = ["app", "main"]

DEFECT, MENDABLE, STOPPED = 1, 2, 130

app = typer.Typer(
    name="foretext",
    help="Pretrain language representations on your own text, on the machine you have.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

for verb in (
    demo,
    inspect,
    tokenizer,
    plan,
    pretrain,
    finetune,
    evaluate,
    predict,
    quantize,
    neighbors,
    analogy,
    embed,
    fill,
    generate,
    convert,
    reduce,
    align,
    drift,
):
    app.command()(verb)
app.command(name="list")(show_list)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"foretext {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Pretrain language representations on your own text, on the machine you have."""


def main() -> None:
    """Run one command; an error is told in a sentence on standard error."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)  # until work that has something to save takes over
    try:
        app()
    except Interrupted as stop:
        _leave(stop, STOPPED)
    except ForetextError as error:
        _leave(error, MENDABLE)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has had enough
        sys.exit(0)
    except Exception as error:
        _leave(error, DEFECT)


def _stop(number: int, frame: FrameType | None) -> None:
    raise Interrupted(f"{signal.Signals(number).name}: stopped before there was anything to keep.")


def _leave(error: BaseException, code: int) -> None:
    if "--debug" in sys.argv:
        raise error
    if code == DEFECT:
        typer.echo(
            f"foretext: a defect: {type(error).__name__}: {error}. "
            "Run it again with `foretext --debug ...` and report what it prints.",
            err=True,
        )
    else:
        typer.echo(f"foretext: {error}", err=True)
    sys.exit(code)
