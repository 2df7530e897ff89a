"""What can go wrong that the user can correct.

    ForetextError
    ├── CorpusError          text that cannot be read, or is too little to learn from (also a
    │   │                    ValueError)
    │   └── GivenError       texts or labels that a method does not take
    ├── SettingError         a setting that does not exist, has no effect, or has no such value
    │   │                    (also a ValueError)
    │   ├── ArgumentError    an argument of a kind that a function does not take (also a TypeError)
    │   ├── BudgetError      a time in which nothing can be learned
    │   └── ClusterError     a cluster that does not answer, or has no room; what was done stays
    ├── OutputError          a folder or file that cannot be written, or would be overwritten
    ├── VectorFileError      a vector file that is damaged or not what it says
    ├── ImageFileError       a file of images that is damaged or not what it says
    ├── ModelFileError       a model folder that is damaged, or of a shape that is not supported
    │   └── UntrustedError   a folder that names code from outside foretext
    ├── UnknownWordError     a word the model never met (also a KeyError)
    ├── EvaluationError      an evaluation file that cannot be used with these vectors
    ├── MissingExtraError    a package that an optional part needs (also an ImportError)
    └── Interrupted          Ctrl-C or SIGTERM, after everything worth keeping was saved

Each message is one sentence or two: what, where (file and line), and how to correct it. Anything
else that is raised is a defect of foretext.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from foretext.messages import message, sentences

__all__ = [
    "ArgumentError",
    "ClusterError",
    "CorpusError",
    "EvaluationError",
    "ForetextError",
    "GivenError",
    "ImageFileError",
    "Interrupted",
    "MissingExtraError",
    "ModelFileError",
    "OutputError",
    "SettingError",
    "UnknownWordError",
    "UntrustedError",
    "VectorFileError",
    "bounded",
    "did_you_mean",
    "is_panic",
]


LONGEST_RUN = 300  # letters without a blank that a message repeats; more than most paths have
LONGEST_MESSAGE = 2000
_RUN = re.compile(rf"\S{{{LONGEST_RUN + 1},}}")


class ForetextError(Exception):
    """Something that the user can correct; the command line prints it and exits with 2.

    A sentence may repeat a value of a damaged file, however long that is; `bounded` cuts it.
    """

    def __init__(self, message: object = "", *more: object) -> None:
        super().__init__(bounded(str(message)), *more)


class CorpusError(ForetextError, ValueError):
    """Text that cannot be read, or is too little to learn from."""


class GivenError(CorpusError):
    """Texts or labels that a method was given, and that are not what it takes."""


class SettingError(ForetextError, ValueError):
    """A setting that does not exist, has no effect here, or has no such value."""


class ArgumentError(SettingError, TypeError):
    """An argument of a kind that a function does not take, such as a list where a text is due."""


class BudgetError(SettingError):
    """A time in which nothing can be learned."""


class ClusterError(SettingError):
    """A cluster that does not answer, or has no room; what was done before stays."""


class DivergedError(SettingError):
    """A training whose loss is no longer a number, or whose weights grew without end."""


class OutputError(ForetextError):
    """A folder or file that cannot be written, or that would be overwritten."""


class VectorFileError(ForetextError):
    """A vector file that is damaged or not what it says."""


class ImageFileError(ForetextError):
    """A file of images that is damaged or not what it says."""


class ModelFileError(ForetextError):
    """A model folder that is damaged, or of a shape that foretext does not have."""


class UntrustedError(ModelFileError):
    """A folder that names code from outside foretext, which opening it would run."""

    def __init__(self, name: str, section: str, source: object) -> None:
        module = name.partition(":")[0]
        super().__init__(
            f"{source}: [{section}] is '{name}', which is none of foretext's, and importing it "
            f"would run its code; if you know the module and trust it, give --trust {module} "
            f"(in Python: foretext.trust('{module}'))."
        )


class EvaluationError(ForetextError):
    """An evaluation file that cannot be used with these vectors."""


class UnknownWordError(ForetextError, KeyError):
    """A word that is not in the vocabulary, with close ones suggested."""

    def __init__(self, word: str, vocabulary: Iterable[str] = ()) -> None:
        said = message("errors.unknown_word", word=word)
        super().__init__(sentences([said, suggestion(word, vocabulary)]))
        self.word = word

    def __str__(self) -> str:  # KeyError would show the repr
        return str(self.args[0])


class MissingExtraError(ForetextError, ImportError):
    """A package that an optional part of foretext needs is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        named = {"purpose": purpose, "package": package, "extra": extra}
        super().__init__(message("errors.missing_extra", **named))


class Interrupted(ForetextError):  # noqa: N818  an event, not an error of the user
    """The run was stopped by a signal after its state was saved."""


def bounded(message: str) -> str:
    """Return a message of bounded length: long values lose their middle, and so does the whole.

    Cause and place stand at the beginning of a sentence, the remedy stands at its end.
    """
    if len(message) <= LONGEST_RUN:
        return message
    short = _RUN.sub(lambda found: _ends(found[0], LONGEST_RUN // 2, 20), message)
    return _ends(short, LONGEST_MESSAGE // 2, LONGEST_MESSAGE // 4)


def _ends(text: str, first: int, last: int) -> str:
    return text if len(text) <= first + last + 3 else f"{text[:first]}...{text[-last:]}"


def is_panic(error: BaseException) -> bool:
    """Whether a library written in Rust gave up: such an error belongs to no module of Python."""
    return type(error).__name__ == "PanicException"


def suggestion(word: object, choices: Iterable[str]) -> str:
    """Return the same in the reader's language, without a blank before it."""
    found = close_names(word, choices)
    if not found:
        return ""
    joint = message("errors.or")
    named = f" {joint} ".join(f"'{choice}'" for choice in found)
    return message("errors.did_you_mean", names=named)


def did_you_mean(word: object, choices: Iterable[str]) -> str:
    """Return `` Did you mean 'x' or 'y'?`` with a leading blank, or nothing when none is close."""
    close = close_names(word, choices)
    if not close:
        return ""
    return " Did you mean " + " or ".join(f"'{choice}'" for choice in close) + "?"


def close_names(word: object, choices: Iterable[str]) -> list[str]:
    """Return up to three choices that are nearly a word."""
    word, choices = str(word), list(dict.fromkeys(choices))  # a name may be there twice
    same = [choice for choice in choices if choice.casefold() == word.casefold()]
    return same[:3] or difflib.get_close_matches(word, choices, n=3, cutoff=0.6)
