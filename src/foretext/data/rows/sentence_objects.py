"""Pairs in the JSON lines of other programs: arrays, sets of texts, a query with its passages.

sentence-transformers has ``["a", "b"]``, ``["a", "b", "negative"]`` and ``{"set": [...]}``,
FlagEmbedding ``{"query": "q", "pos": [...], "neg": [...]}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from foretext.base.parsing.json_file import json_collection
from foretext.corpus.sources import Source
from foretext.data.rows.record import Record, type_name
from foretext.data.rows.records import json_values

__all__ = ["are_sentence_objects", "sentence_objects"]

SET, QUERY, POSITIVES, NEGATIVES = "set", "query", "pos", "neg"


def are_sentence_objects(first: str) -> bool:
    """Whether a file that begins with this line has pairs in one of these forms."""
    value = json_collection(first)
    if value is None:
        return False
    if isinstance(value, list):
        return len(value) > 1 and all(isinstance(text, str) for text in value[:2])
    return isinstance(value.get(SET), list) or (
        QUERY in value and isinstance(value.get(POSITIVES), list)
    )


def sentence_objects(lines: Iterable[str], source: Source) -> Iterator[Record]:
    """Yield rows with the columns `text_a` and `text_b`, and `negative` or `score`.

    Of a set each text is paired with the next one. Of a query each positive and each negative
    stands in one row or more: as many rows as there are of the longer list.

    Raises:
        CorpusError: a line has another form.
    """
    for record, value in json_values(lines, source.name):
        found = [*_columns(value, record)]
        yield from (record._replace(values=values) for values in found)


def _columns(value: Any, record: Record) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        yield _of_array(value, record)
    elif isinstance(value, dict) and SET in value:
        texts = _texts(value, SET, record)
        if len(texts) < 2:
            raise record.error("a set has one text; two or more belong together.")
        yield from ({"text_a": a, "text_b": b} for a, b in pairwise(texts))
    elif isinstance(value, dict) and QUERY in value:
        positives, negatives = (_texts(value, name, record) for name in (POSITIVES, NEGATIVES))
        if not positives:
            raise record.error(f"'{POSITIVES}' holds no text; a query needs a right passage.")
        for place in range(max(len(positives), len(negatives))):
            pair = {"text_a": value[QUERY], "text_b": positives[place % len(positives)]}
            more = {"negative": negatives[place % len(negatives)]} if negatives else {}
            yield {**pair, **more}
    else:
        raise record.error(
            f"{type_name(value)} that is no pair, where the first line has one; write all lines in "
            "the same form."
        )


def _of_array(value: list[Any], record: Record) -> dict[str, Any]:
    """Return the columns of two texts, or of three, or of two and a score."""
    if len(value) not in (2, 3):
        raise record.error(
            f"an array of {len(value)} values; two texts are expected, and perhaps a negative or a "
            "score."
        )
    columns = dict(zip(("text_a", "text_b"), value, strict=False))
    if len(value) == 3:
        columns["negative" if isinstance(value[2], str) else "score"] = value[2]
    return columns


def _texts(value: dict[str, Any], name: str, record: Record) -> list[Any]:
    texts = value.get(name) or []
    if not isinstance(texts, list):
        raise record.error(f"'{name}' holds {type_name(texts)} where an array is expected.")
    return texts
