"""The tags that a head learns, in a scheme of their own, and those of the user's files.

A scheme that marks the ends of entities can give better results than one that marks beginnings only
(Ratinov and Roth 2009, section 4), above all with a CRF, so that the two schemes may differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal

from foretext.base.errors import SettingError
from foretext.metrics import (
    Notation,
    Scheme,
    Span,
    TagForm,
    detect_notation,
    entity_spans,
    spans_to_tags,
    write_tag,
)

__all__ = ["TagSet", "closed_tags", "is_entity_tag"]


class TagSet:
    """Tags as indices, and the conversion from the user's tags and back.

    Tags are "B-PER" here, whatever their form in the user's files.

    Args:
        labels: C tags, of the user's scheme or of the one that is learned.
        scheme: of the user's files, None where tags are not of entities; "auto" finds it, and the
            form of the labels.
        learned: the scheme to learn; "auto" is the user's.
        form: of the tags in the user's files.

    Attributes:
        labels: C' tags in the scheme that is learned.
        scheme: of the user's files.
        form: of the tags in the user's files.
        learned: the scheme that is learned.

    Raises:
        SettingError: a scheme is to be learned, and the tags are of no entities.
    """

    def __init__(
        self,
        labels: Sequence[str],
        scheme: Scheme | Literal["auto"] | None = "auto",
        learned: Scheme | Literal["auto"] = "auto",
        form: TagForm = "B-PER",
    ) -> None:
        if scheme == "auto":  # each tag is a sentence here, since their order is not known
            found = detect_notation([tag] for tag in labels)
            scheme, form = found or (None, form)
            labels = labels if found is None else found.read(labels)
        self.scheme: Scheme | None = scheme
        self.form = form
        if self.scheme is None and learned != "auto":
            raise SettingError(
                f"[task] scheme = '{learned}': tags such as '{labels[0]}' are of no entities; "
                "leave it at 'auto'."
            )
        self.learned: Scheme | None = self.scheme if learned == "auto" else learned
        if self.learned is not None and self.learned != self.scheme:
            labels = closed_tags(labels, self.learned)
        self.labels = tuple(labels)
        self._indices = {label: index for index, label in enumerate(self.labels)}

    @property
    def notation(self) -> Notation | None:
        """How the user's files write entities; None: tags are of no entities."""
        return None if self.scheme is None else Notation(self.scheme, self.form)

    def written(self, tags: Sequence[str]) -> list[str]:
        """Return tags in the form of the user's files."""
        return list(tags) if self.scheme is None else [write_tag(tag, self.form) for tag in tags]

    def indices(self, tags: Sequence[str]) -> list[int]:
        """Return the index of each tag of a sentence, -1 for an unknown one."""
        if self.learned is None:
            return [self._indices.get(tag, -1) for tag in tags]
        written = spans_to_tags(entity_spans(_readable(tags)), len(tags), self.learned)
        return [
            self._indices.get(new, -1) if is_entity_tag(tag) else -1
            for tag, new in zip(tags, written, strict=True)
        ]

    def tags(self, indices: Sequence[int]) -> list[str]:
        """Return the tags of a sentence in the user's scheme, which they never violate."""
        if self.scheme is None:
            return [self.labels[index] for index in indices]
        return spans_to_tags(self.spans(indices), len(indices), self.scheme)

    def spans(self, indices: Sequence[int]) -> list[Span]:
        """Return the entities of a sentence; every token, where tags are of no entities."""
        names = [self.labels[index] for index in indices]
        if self.learned is None:
            return [Span(name, token, token + 1) for token, name in enumerate(names)]
        return entity_spans(_readable(names))

    def lawful(self, tags: Sequence[str]) -> list[str]:
        """Return the user's tags, repaired where they violate their scheme."""
        if self.scheme is None:
            return list(tags)
        return spans_to_tags(entity_spans(tags), len(tags), self.scheme)


def closed_tags(tags: Iterable[str], scheme: Scheme) -> list[str]:
    """Return all tags that a scheme has for the kinds of entities in `tags`, sorted.

    Tags that only other files have, such as the B of IOB1, are among them; O is, if it is given.
    """
    found = set(tags)
    kinds = {span.label for tag in found for span in entity_spans([tag])}
    closed = found & {"O"}
    for kind in kinds:
        for size in (1, 3):  # an entity of one token, and one with a middle
            twins = [Span(kind, 0, size), Span(kind, size, 2 * size)]
            closed.update(spans_to_tags(twins, 2 * size, scheme))
    return sorted(closed)


def _readable(tags: Iterable[str]) -> list[str]:
    """Return tags with O for those of other programs' heads that are of no entity."""
    return [tag if is_entity_tag(tag) else "O" for tag in tags]


@cache
def is_entity_tag(tag: str) -> bool:
    """Whether a tag is of an entity, or O."""
    try:
        entity_spans([tag])
    except ValueError:
        return False
    return True
