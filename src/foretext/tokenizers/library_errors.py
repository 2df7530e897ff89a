"""Whatever the `tokenizers` library raises, as one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from foretext.errors import CorpusError, ForetextError

__all__ = ["library_errors"]

PANIC = "PanicException"  # of Rust; no module has it, and it is no Exception


@contextmanager
def library_errors(what: str) -> Iterator[None]:
    """Raise a CorpusError in place of the library's own errors; `what` begins its sentence.

    The library raises nothing narrower than `Exception`. A damaged tokenizer may also make it
    panic, which Python sees as a `BaseException`.
    """
    try:
        yield
    except ForetextError:
        raise
    except Exception as error:
        raise CorpusError(f"{what} ({error}).") from error
    except BaseException as error:
        if type(error).__name__ != PANIC:
            raise
        raise CorpusError(f"{what} ({error}).") from error
