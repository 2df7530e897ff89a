"""Topics of a text: a kind of run, with what learns, opens, shows and measures it."""

from foretext.base.registry import Registry

__all__ = ["TOPICS"]

TOPICS = Registry("topics", {"lda": "foretext.topics.lda:LDA"})
