"""Unicode normal forms as the first rule of a tokenizer of the `tokenizers` library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foretext.base.errors import CorpusError
from foretext.base.parsing import parse_json
from foretext.corpus.decoding import Form
from foretext.corpus.pre_tokenizers import library_form
from tokenizers import Tokenizer, normalizers

if TYPE_CHECKING:
    from tokenizers.normalizers import Normalizer

__all__ = ["composing", "steps_of", "without_form"]


def composing(library: Tokenizer, form: Form) -> Tokenizer:
    """Return a tokenizer that brings text into a form before its other rules; it, if it does so."""
    if form == "none" or without_form(library.normalizer)[0] in (form, "NFKC"):
        return library
    changed = Tokenizer.from_str(library.to_str())
    changed.normalizer = _joined([library_form(form), *steps_of(library.normalizer)])
    return changed


def without_form(normalizer: Normalizer | None) -> tuple[Form, Normalizer | None]:
    """Return the form that a normaliser begins with, and its other rules."""
    steps = steps_of(normalizer)
    if steps and isinstance(steps[0], normalizers.NFC | normalizers.NFKC):
        form: Form = "NFC" if isinstance(steps[0], normalizers.NFC) else "NFKC"
        return form, _joined(steps[1:])
    return "none", normalizer


def steps_of(normalizer: Normalizer | None) -> list[Normalizer]:
    """Return the rules that a normaliser applies, one after another."""
    if not isinstance(normalizer, normalizers.Sequence):
        return [] if normalizer is None else [normalizer]
    state: dict[str, Any] = parse_json(normalizer.__getstate__(), "a normaliser", CorpusError)
    return [normalizer[index] for index in range(len(state["normalizers"]))]


def _joined(steps: list[Normalizer]) -> Normalizer | None:
    if len(steps) > 1:
        return normalizers.Sequence(steps)
    return steps[0] if steps else None
