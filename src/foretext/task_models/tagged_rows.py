"""What a tagger needs to know of tagged sentences, and which of them it cannot learn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foretext.corpus.pre_tokenizers import mostly_han
from foretext.data.rows import TaggedSentence
from foretext.errors import CorpusError
from foretext.metrics import Scheme, detect_scheme
from foretext.tasks.tag_set import closed_tags, is_entity_tag
from foretext.tokenizers.alphabet import Alphabet

__all__ = ["are_characters", "are_chinese_characters", "check_tags", "found_in", "unknown_tag"]

SAMPLE = 2000  # rows that show the script
BY_CHARACTER = 0.99  # share of one-character tokens from which each character is a token


def found_in(rows: Sequence[TaggedSentence]) -> dict[str, Any]:
    """Return tags, sorted, their scheme, characters of tokens, and whether each is a token.

    Raises:
        CorpusError: rows have no tags, fewer than two, or some that do not fit their scheme.
    """
    labels = sorted({tag for row in rows for tag in row.tags})
    if len(labels) == 1 < 2:
        raise CorpusError(
            f"All tokens to learn from have the tag '{labels[0]}'; two are needed to tell tokens "
            "apart, so name the right column (--tag)."
        )
    scheme = detect_scheme(row.tags for row in rows)
    check_tags(rows, scheme)
    if scheme is not None:
        labels = closed_tags(labels, scheme)
    return {
        "labels": labels,
        "scheme": scheme,
        "characters": Alphabet.of(token for row in rows for token in row.tokens).characters,
        "by_character": are_characters(rows),
    }


def check_tags(rows: Sequence[TaggedSentence], scheme: Scheme | None) -> None:
    """Check that rows can be compared by their tags.

    Raises:
        CorpusError: one has no tags, or a tag that does not fit the scheme.
    """
    for row in rows:
        if not row.tags:
            raise CorpusError(f"{row.place}: the tokens have no tags; name their column (--tag).")
        for line, tag in zip(row.lines, row.tags, strict=True):
            if scheme is not None and not is_entity_tag(tag):
                raise CorpusError(
                    f"{row.file}, line {line}: '{tag}' is not a tag of an entity, and the others "
                    f"are ({scheme}); correct it."
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
