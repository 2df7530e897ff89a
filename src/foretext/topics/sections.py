"""The sections of a recipe of topics, and who checks each."""

from __future__ import annotations

from foretext.recipe.sections import VECTOR_SECTIONS, Owner, Table
from foretext.topics import TOPICS

__all__ = ["TOPIC_SECTIONS"]

TOPIC_SECTIONS: dict[str, Owner] = {
    name: owner for name, owner in VECTOR_SECTIONS.items() if name != "vectors"
} | {"topics": Table(TOPICS)}
