"""Whatever the `tokenizers` library raises, as one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from foretext.errors import CorpusError, ForetextError, is_panic

__all__ = ["library_errors"]


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
        if not is_panic(error):
            raise
        raise CorpusError(f"{what} ({error}).") from error
