"""The command ``foretext`` from its first moment to its exit code.

0 done, 1 a defect of foretext, 2 something the user can repair, 130 stopped by a signal.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from itertools import pairwise, takewhile

from foretext.base.errors import Interrupted, OutputError, SettingError
from foretext.base.interruption import STOPPED, answered_signals, signalled
from foretext.base.runtime import command, refuse_surroundings
from foretext.base.terminal import guarded_streams, say
from foretext.cli.exit_codes import DONE, ending
from foretext.messages import LANGUAGES, Language, choose_language, message

__all__ = ["run"]


def run() -> None:
    """Run one command; an error becomes a sentence on standard error."""
    try:
        with answered_signals(), command(), guarded_streams():
            code = _run()
            if signalled():
                _leave(code)
    except OutputError as error:  # before there was a place to write to
        code = _reported(error)
    gc.freeze()  # or Python looks for garbage in all of PyTorch, half a second, before it ends
    sys.exit(code)


def _run() -> int:
    try:
        refuse_surroundings()
        _refuse_undecoded(sys.argv[1:])
        choose_language(_named_language(sys.argv[1:]))
        from foretext.cli.app import app  # takes a moment, in which a signal may come

        code = app(prog_name="foretext", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit:
        raise
    except BaseException as error:
        return _reported(error)
    if code == STOPPED:  # typer's number for Ctrl-C
        return _reported(KeyboardInterrupt())
    return code or DONE


def _reported(error: BaseException) -> int:
    """Write an error to standard error, and return the exit code."""
    if "--debug" in sys.argv:
        say("".join(traceback.format_exception(error)), end="", error=True)
    if signalled() and not isinstance(error, Interrupted | OutputError):
        error = KeyboardInterrupt()  # or what it has broken would be taken for the cause
    code, sentence = ending(error)
    if sentence:
        say(f"foretext: {sentence}", error=True)
    return code


def _leave(code: int) -> None:
    """End the process without Python's own end, which waits for threads in native calls."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def _refuse_undecoded(arguments: list[str]) -> None:
    """Refuse names and texts of which Python could not make letters: no file or page keeps them."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise SettingError(message("options.general.undecoded", argument=argument)) from None


def _named_language(arguments: list[str]) -> Language | None:
    """Return the language of ``--lang``, which help and errors of other arguments have, too."""
    named = None
    for option, value in pairwise([*takewhile(lambda each: each != "--", arguments), ""]):
        name, _, given = option.partition("=")
        if name == "--lang":
            named = next((each for each in LANGUAGES if each == (given or value)), named)
    return named
