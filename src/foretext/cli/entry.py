"""The command ``foretext`` from its first moment to its exit code.

0 done, 1 a defect of foretext, 2 something the user can repair, 130 stopped by a signal.
"""

from __future__ import annotations

import _thread
import gc
import signal
import sys
import threading
import traceback

from foretext.cli.endings import DONE, STOPPED, ending
from foretext.errors import OutputError, SettingError
from foretext.runtime import command, refuse_surroundings
from foretext.terminal import guarded_streams, say

__all__ = ["main"]

REPEATED_AFTER = 0.01  # seconds


def main() -> None:
    """Run one command; an error becomes a sentence on standard error."""
    # Until work that has something to save takes over, SIGTERM is the same as Ctrl-C.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    sys.unraisablehook = _stop_again
    try:
        with command(), guarded_streams():
            code = _run()
    except (OutputError, KeyboardInterrupt) as error:  # before there was a place to write to
        code = _reported(error)
    gc.freeze()  # or Python looks for garbage in all of PyTorch, half a second, before it ends
    sys.exit(code)


def _run() -> int:
    try:
        refuse_surroundings()
        _refuse_undecoded(sys.argv[1:])
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
    code, sentence = ending(error)
    if sentence:
        say(f"foretext: {sentence}", error=True)
    return code


def _stop_again(ignored: sys.UnraisableHookArgs) -> None:
    """Repeat a stop that came while C called Python, where an exception leads nowhere."""
    if ignored.exc_type is KeyboardInterrupt:
        threading.Timer(REPEATED_AFTER, _interrupt).start()
    else:
        sys.__unraisablehook__(ignored)


def _interrupt() -> None:
    """Interrupt the main thread, also where it waits for the system."""
    main_thread = threading.main_thread().ident
    if sys.platform == "win32" or main_thread is None:
        _thread.interrupt_main()
    else:
        signal.pthread_kill(main_thread, signal.SIGINT)


def _refuse_undecoded(arguments: list[str]) -> None:
    """Refuse names and texts of which Python could not make letters: no file or page keeps them."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise SettingError(
                f"'{argument}' is not UTF-8, or the locale has no such letters; choose another "
                "name or text, or set LC_ALL=C.UTF-8."
            ) from None
