"""`foretext.distill`: a small, fast model out of a large one, as the verb ``distill`` makes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, overload

from foretext.base.arguments import checked_arguments
from foretext.base.errors import SettingError
from foretext.corpus.texts import TextSource
from foretext.language_model import LanguageModel
from foretext.pretraining.network_distillation import distill_network
from foretext.pretraining.pretraining import Pretrained
from foretext.pretraining.static_distillation import distill_static
from foretext.pretraining.static_vectors import StaticConfig
from foretext.vectors.token_vectors import TokenVectors

__all__ = ["distill"]

OF_NETWORK = ("layers", "width", "budget", "settings", "resume", "report")
OF_STATIC = ("dtype", *StaticConfig.model_fields)


@overload
def distill(
    model: str | Path | LanguageModel,
    out: str | Path | None = None,
    corpus: TextSource | None = None,
    *,
    into: Literal["static"] = "static",
    **options: Any,
) -> TokenVectors: ...


@overload
def distill(
    model: str | Path | LanguageModel,
    out: str | Path | None = None,
    corpus: TextSource | None = None,
    *,
    into: Literal["network"],
    **options: Any,
) -> Pretrained: ...


@checked_arguments
def distill(
    model: str | Path | LanguageModel,
    out: str | Path | None = None,
    corpus: TextSource | None = None,
    *,
    into: Literal["static", "network"] = "static",
    **options: Any,
) -> TokenVectors | Pretrained:
    """Make a small, fast model out of a large one.

    Args:
        model: a language model, or a folder: of a run, of Hugging Face, of sentence-transformers.
        out: the folder to keep the result in; None: it is kept in memory alone.
        corpus: text of the kind that the small model is for; a network needs one.
        into: "static", vectors of the tokens; "network", fewer layers of the same form.
        options: of `distill_static` ("dim", "num_texts", "dtype", ...) or of `distill_network`
            ("layers", "width", "budget", ...); "overwrite" and "quiet" of both.

    Raises:
        SettingError: an option belongs to the other form, or a network lacks text or layers.
        ForetextError: as of these functions.
    """
    _check(into, corpus, options)
    if into == "static":
        return distill_static(model, out, corpus, **options)
    assert corpus is not None
    return distill_network(model, corpus, out, **options)


def _check(into: str, corpus: TextSource | None, options: dict[str, Any]) -> None:
    """Refuse options without effect, and a network without text or layers."""
    for name in OF_STATIC if into == "network" else OF_NETWORK:
        if name in options:
            raise SettingError(f"{name} has no effect on into = '{into}'; leave it out.")
    if into == "network" and (corpus is None or "layers" not in options):
        raise SettingError("into = 'network' needs corpus, a text to learn on, and layers.")
    if into == "static" and corpus is None and "num_texts" in options:
        raise SettingError("num_texts has no effect without corpus; leave it out.")
