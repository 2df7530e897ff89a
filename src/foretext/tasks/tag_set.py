"""The tags that a head can give, in the scheme it is taught, and those of the user's files.

A scheme that marks the ends of entities can be learned better than one that marks beginnings alone
(Ratinov and Roth 2009, section 4), above all with a CRF, so that the two need not be the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal

from foretext.errors import SettingError
from foretext.metrics import Scheme, Span, detect_scheme, entity_spans, spans_to_tags

__all__ = ["TagSet", "closed_tags", "is_entity_tag"]


class TagSet:
    """Tags by their places, and the way from the user's tags to them and back.

    Args:
        labels: C tags, of the user's scheme or of the one that is taught.
        scheme: of the user's files, None where tags are not of entities; "auto" reads it off.
        taught: the scheme to learn; "auto" is the user's.

    Attributes:
        labels: C' tags in the scheme that is taught.
        scheme: of the user's files.
        taught: the scheme that is taught.

    Raises:
        SettingError: a scheme is to be taught where tags have none.
    """

    def __init__(
        self,
        labels: Sequence[str],
        scheme: Scheme | Literal["auto"] | None = "auto",
        taught: Scheme | Literal["auto"] = "auto",
    ) -> None:
        # Each tag is a sentence here, as nothing says which one follows which.
        self.scheme = detect_scheme([tag] for tag in labels) if scheme == "auto" else scheme
        if self.scheme is None and taught != "auto":
            raise SettingError(
                f"[task] scheme = '{taught}': tags such as '{labels[0]}' are none of entities; "
                "leave it at 'auto'."
            )
        self.taught: Scheme | None = self.scheme if taught == "auto" else taught
        if self.taught is not None and self.taught != self.scheme:
            labels = closed_tags(labels, self.taught)
        self.labels = tuple(labels)
        self._places = {label: place for place, label in enumerate(self.labels)}

    def places(self, tags: Sequence[str]) -> list[int]:
        """Return the place of each of a sentence's tags, -1 where there is none for it."""
        if self.taught is None:
            return [self._places.get(tag, -1) for tag in tags]
        written = spans_to_tags(entity_spans(_readable(tags)), len(tags), self.taught)
        return [
            self._places.get(new, -1) if is_entity_tag(tag) else -1
            for tag, new in zip(tags, written, strict=True)
        ]

    def tags(self, places: Sequence[int]) -> list[str]:
        """Return a sentence's tags as the user's files have them; they never violate the scheme."""
        if self.scheme is None:
            return [self.labels[place] for place in places]
        return spans_to_tags(self.spans(places), len(places), self.scheme)

    def spans(self, places: Sequence[int]) -> list[Span]:
        """Return a sentence's entities; of tags that are none of entities, every token."""
        names = [self.labels[place] for place in places]
        if self.taught is None:
            return [Span(name, token, token + 1) for token, name in enumerate(names)]
        return entity_spans(_readable(names))

    def lawful(self, tags: Sequence[str]) -> list[str]:
        """Return the user's tags as `tags` would write the same entities."""
        if self.scheme is None:
            return list(tags)
        return spans_to_tags(entity_spans(tags), len(tags), self.scheme)


def closed_tags(tags: Iterable[str], scheme: Scheme) -> list[str]:
    """Return all tags that a scheme has for the kinds of entities in `tags`, sorted.

    Tags that only other files show, such as the B of IOB1, are so among them; O is, if it is given.
    """
    found = set(tags)
    kinds = {span.label for tag in found for span in entity_spans([tag])}
    closed = found & {"O"}
    for kind in kinds:
        for size in (1, 3):  # what is one token long, and what has a middle
            twins = [Span(kind, 0, size), Span(kind, size, 2 * size)]
            closed.update(spans_to_tags(twins, 2 * size, scheme))
    return sorted(closed)


def _readable(tags: Iterable[str]) -> list[str]:
    """Read tags of other people's heads that are none of entities as O."""
    return [tag if is_entity_tag(tag) else "O" for tag in tags]


@cache
def is_entity_tag(tag: str) -> bool:
    """Whether a tag is one of an entity, or O."""
    try:
        entity_spans([tag])
    except ValueError:
        return False
    return True
