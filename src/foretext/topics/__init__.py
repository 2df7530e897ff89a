"""Topics of a text: a kind of run, with what learns, opens, shows and measures it."""

from __future__ import annotations

from foretext.base.registry import Registry
from foretext.recipe.sections import VECTOR_SECTIONS, Owner, Table

__all__ = ["TOPICS", "TOPIC_SECTIONS"]

TOPICS = Registry("topics", {"lda": "foretext.topics.lda:LDA"})

TOPIC_SECTIONS: dict[str, Owner] = {  # of a recipe, and who checks each
    name: owner for name, owner in VECTOR_SECTIONS.items() if name != "vectors"
} | {"topics": Table(TOPICS)}
