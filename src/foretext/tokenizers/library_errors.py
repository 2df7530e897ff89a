"""Errors of the `tokenizers` library as one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from foretext.base.errors import CorpusError, ForetextError, is_panic

__all__ = ["library_errors"]


@contextmanager
def library_errors(what: str) -> Iterator[None]:
    """Raise a CorpusError instead of the library's own errors; its message begins with `what`.

    The library raises no subclass of `Exception`. A damaged tokenizer can also make it panic,
    which is a `BaseException` in Python.
    """
    try:
        yield
    except ForetextError:
        raise
    except Exception as error:
        raise CorpusError(f"{what} ({error}).") from error
    except BaseException as error:
        if not is_panic(error):
            raise
        raise CorpusError(f"{what} ({error}).") from error
