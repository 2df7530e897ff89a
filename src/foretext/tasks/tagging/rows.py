"""What a tagger needs to know of tagged sentences, and which of them it cannot learn from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from foretext.base.errors import CorpusError
from foretext.corpus.pre_tokenizers import mostly_han
from foretext.data.rows import TaggedSentence
from foretext.heads.tag_set import closed_tags, is_entity_tag
from foretext.metrics import LETTERS, Notation, detect_notation
from foretext.tokenizers.alphabet import Alphabet

__all__ = [
    "are_characters",
    "are_chinese_characters",
    "found_in",
    "in_own_notation",
    "plain_rows",
    "unknown_tag",
]

SAMPLE = 2000  # rows that show the script
BY_CHARACTER = 0.99  # share of one-character tokens from which each character is a token


def found_in(rows: Sequence[TaggedSentence]) -> dict[str, Any]:
    """Return tags, sorted, their scheme and form, characters, and whether each is a token.

    Raises:
        CorpusError: rows have no tags, fewer than two, or some that do not fit their scheme.
    """
    notation = detect_notation(row.tags for row in rows)
    rows = plain_rows(rows, notation)
    if notation is None:
        _refuse_brackets(rows)
    labels = sorted({tag for row in rows for tag in row.tags})
    if len(labels) == 1:
        raise CorpusError(
            f"All tokens to learn from have the tag '{labels[0]}'; two are needed to tell tokens "
            "apart, so name the right column (--tag)."
        )
    if notation is not None and not notation.has_kinds_alone:
        labels = closed_tags(labels, notation.scheme)
    return {
        "labels": labels,
        "scheme": None if notation is None else notation.scheme,
        "form": "B-PER" if notation is None else notation.form,
        "characters": Alphabet.of(token for row in rows for token in row.tokens).characters,
        "by_character": are_characters(rows),
    }


def plain_rows(rows: Sequence[TaggedSentence], own: Notation | None) -> Sequence[TaggedSentence]:
    """Return rows with tags such as "B-PER", which can be compared.

    Args:
        rows: in the notation of a model, or in another one that all of them have.
        own: notation of a model; None: its tags are of no entities, and stay as they are.

    Raises:
        CorpusError: a row has no tags, or a tag that does not fit the scheme of the others.
    """
    for row in rows:
        if not row.tags:
            raise CorpusError(f"{row.place}: the tokens have no tags; name their column (--tag).")
    if own is None:
        return rows
    notation, tags = own, {tag for row in rows for tag in row.tags}
    if own.has_kinds_alone or not all(map(own.has, tags)):
        notation = detect_notation(row.tags for row in rows) or own
        _check_letters(rows, notation)
    if notation.form == "B-PER":
        return rows
    return [row._replace(tags=tuple(notation.read(row.tags))) for row in rows]


def in_own_notation(rows: Sequence[TaggedSentence]) -> Sequence[TaggedSentence]:
    """Return rows with tags such as "B-PER", in the notation that they have themselves."""
    return plain_rows(rows, detect_notation(row.tags for row in rows))


def _refuse_brackets(rows: Sequence[TaggedSentence]) -> None:
    """Refuse tags such as ``(PER*`` and ``*)``."""
    tags = Counter(tag for row in rows for tag in row.tags)
    if sum(number for tag, number in tags.items() if "*" in tag) > tags.total() / 2 and any(
        tag.startswith("(") for tag in tags
    ):
        raise CorpusError(
            f"{rows[0].place}: the tags are brackets, such as '(PER*' and '*)' of CoNLL-2005 and "
            "2012; convert them to B-PER, I-PER and O."
        )


def _check_letters(rows: Sequence[TaggedSentence], notation: Notation) -> None:
    for row in rows:
        for line, tag in zip(row.lines, row.tags, strict=True):
            if not notation.has(tag):
                cause = _cause(tag, notation)
                raise CorpusError(f"{row.file}, line {line}: '{tag[:40]}' {cause}.")


def _cause(tag: str, notation: Notation) -> str:
    """Return why a tag does not fit the others, and what to do."""
    if re.fullmatch(r"(BB|MM|EE|WW)_O(_.+)?|W_OOS", tag):
        return "is a tag of BMEWO+, which divides O by its neighbours; write O for it"
    if not is_entity_tag(notation.read([tag])[0]):
        return f"is not a tag of an entity, and the others are ({notation.name}); correct it"
    letters = ", ".join(LETTERS[notation.scheme])
    return (
        f"does not fit {notation.name}, the scheme of the other tags (letters {letters}); write "
        "all tags in one scheme"
    )


def unknown_tag(row: TaggedSentence, token: int) -> CorpusError:
    """Return the error of a tag that the head does not know."""
    return CorpusError(
        f"{row.file}, line {row.lines[token]}: no row to learn from has the tag "
        f"'{row.tags[token]}'; correct it, or add rows that have it."
    )


def are_chinese_characters(rows: Sequence[TaggedSentence]) -> bool:
    """Whether each character is a token, and most letters are Chinese."""
    sample = "".join(token for row in rows[:SAMPLE] for token in row.tokens)
    return are_characters(rows) and mostly_han(sample)


def are_characters(rows: Sequence[TaggedSentence]) -> bool:
    """Whether each character is a token, as in Chinese rows."""
    lengths = [len(token) for row in rows for token in row.tokens]
    return lengths.count(1) >= BY_CHARACTER * len(lengths)
