"""Tagged sentences of a page: tokens in runs, entities marked on the side of their tagger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["Run", "tagged_sentence"]

Entity = Sequence[Any]  # kind, first token, the first one after it


class Run(NamedTuple):
    """Tokens of an entity, or between entities."""

    text: str
    kind: str  # "": of no entity
    is_right: bool  # whether the other side has the same entity


def tagged_sentence(sentence: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sentence with its runs on both sides, "right" and "given".

    Where tags are of no entities, there are no sides: each token has its two tags.
    """
    found = {**sentence, "place": sentence["place"].split("/")[-1], "sides": {}}
    spans = sentence.get("spans")
    if spans is not None:
        tokens, pairs = sentence["tokens"], (("right", "given"), ("given", "right"))
        found["sides"] = {
            side: list(_runs(tokens, spans[side], spans[other])) for side, other in pairs
        }
    return found


def _runs(
    tokens: Sequence[str], entities: Sequence[Entity], others: Sequence[Entity]
) -> Iterator[Run]:
    blank = "" if all(len(token) == 1 for token in tokens) else " "  # Chinese, by characters
    known, end = {tuple(other) for other in others}, 0
    for kind, start, stop in entities:
        if end < start:
            yield Run(blank.join(tokens[end:start]), "", True)
        yield Run(blank.join(tokens[start:stop]), kind, (kind, start, stop) in known)
        end = stop
    if end < len(tokens):
        yield Run(blank.join(tokens[end:]), "", True)
