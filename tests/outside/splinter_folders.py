"""Folders of Splinter (Ram et al. 2021), whose layers are those of BERT."""

from __future__ import annotations

from typing import ClassVar

from foretext.extend import FAMILIES, Bert


class Splinter(Bert):
    """Opens the network as a backbone; the head that selects spans is left out."""

    model_type = "splinter"  # in config.json
    backbone_class = "SplinterModel"
    required: ClassVar = {"is_decoder": False}  # settings that have one supported value

    prefix = "splinter."  # of the backbone's weights in a folder with a head
    head_marks: ClassVar = frozenset()  # weights of a head that foretext has: there are none
    task_heads = ()
    unused = r"(splinter\.)?embeddings\.position_ids|splinter_qass\..+"


FAMILIES[Splinter.model_type] = Splinter()
