"""Folders of ELECTRA's discriminator (Clark et al. 2020), whose layers are those of BERT."""

from __future__ import annotations

from typing import ClassVar

from foretext.interop.bert import Bert
from foretext.interop.families import FAMILIES
from foretext.interop.family import Settings


class Electra(Bert):
    """Opens the discriminator as a backbone; its own head is left out."""

    model_type = "electra"  # in config.json
    body_class = "ElectraModel"
    required: ClassVar = {"is_decoder": False}  # settings that have one supported value

    prefix = "electra."  # of the backbone's weights in a folder with a head
    head_marks: ClassVar = frozenset()  # weights of a head that foretext has: there are none
    task_heads = ()
    unused = r"(electra\.)?embeddings\.position_ids|discriminator_predictions\..+"

    def further_settings(self, theirs: Settings) -> Settings:
        """Refuse token vectors that are narrower than the states."""
        if theirs.get("embedding_size", 128) != theirs.get("hidden_size", 256):
            raise ValueError("embedding_size differs from hidden_size, which is not supported")
        return super().further_settings(theirs)


FAMILIES[Electra.model_type] = Electra()
