"""The table of families, and which of them a config.json names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foretext.base.errors import ModelFileError
from foretext.interop.albert import Albert
from foretext.interop.bart import Bart
from foretext.interop.bert import Bert
from foretext.interop.deberta import DebertaV2
from foretext.interop.distilbert import DistilBert
from foretext.interop.electra import Electra
from foretext.interop.ernie import Ernie
from foretext.interop.family import Family, Settings
from foretext.interop.gpt2 import GPT2
from foretext.interop.llama import Llama
from foretext.interop.marian import Marian
from foretext.interop.modernbert import ModernBert
from foretext.interop.roberta import Roberta
from foretext.interop.t5 import T5
from foretext.interop.xlnet import XLNet

__all__ = ["FAMILIES", "family_of"]

FAMILIES: dict[str, Family] = {
    family.model_type: family
    for family in (
        Roberta(),  # before BERT, which has models of the same form
        Roberta("xlm-roberta", "XLMRoberta"),
        Roberta("camembert", "Camembert"),
        Bert(),
        Albert(),
        DistilBert(),
        GPT2(),
        ModernBert(),
        Llama(),
        DebertaV2(),
        XLNet(),
        T5(),
        T5("mt5", "MT5", newer=True),
        Bart(),
        Marian(),
        Electra(),
        Ernie(),  # after BERT, by whose name its models are saved
    )
}


def family_of(theirs: Settings, path: Path) -> Family:
    """Return the family of a config.json; old folders name a class and no ``model_type``.

    Raises:
        ModelFileError: foretext does not have it.
    """
    name = theirs.get("model_type") or _by_class(theirs.get("architectures"))
    if not name and not theirs.get("architectures"):
        raise ModelFileError(
            f"{path} says neither model_type nor architectures; add the one that the model has, "
            'such as "model_type": "bert".'
        )
    if name not in FAMILIES:
        raise ModelFileError(
            f"{path}: model_type = {name!r} is none that foretext has, which are "
            f"{', '.join(FAMILIES)}."
        )
    return FAMILIES[name].variant(theirs)


def _by_class(architectures: Any) -> str | None:
    named = architectures[0] if architectures else ""
    begins = {name: f.backbone_class.removesuffix("Model") for name, f in FAMILIES.items()}
    return next((name for name, begin in begins.items() if named.startswith(begin)), None)
