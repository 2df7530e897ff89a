"""Entities as offsets in a text become tags of tokens; what tags cannot say is named.

An offset counts characters, as Python does, or UTF-16 code units, as JavaScript does. In a text
with emoji the two differ, and the text of the entity decides. An entity that begins or ends within
a token is widened to whole tokens; of two that overlap the longer one is kept. Both are misfits,
which `find_tag_problems` reports to the user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from foretext.corpus.text_tokens import TextToken, split_text
from foretext.data.rows.label import Label
from foretext.data.rows.record import Record, type_name
from foretext.messages import ended, message
from foretext.metrics import Scheme, Span, spans_to_tags

__all__ = ["Entity", "Misfit", "RawText", "SpannedText", "aligned_tokens", "spanned_text"]

SCHEME: Scheme = "IOB2"
SHOWN = 40  # characters of an entity that a message repeats
BEYOND = 0xFFFF  # characters after this one are two UTF-16 code units


class Misfit(NamedTuple):
    """An entity that tags cannot say as it was marked."""

    is_lost: bool  # it overlaps a longer one; else it was widened to whole tokens
    entity: str
    other: str  # the longer one, or what it became


class SpannedText(NamedTuple):
    """The tokens of a text, their tags, and the entities that these do not say exactly."""

    tokens: list[str]
    tags: list[str]
    misfits: tuple[Misfit, ...]
    raw: RawText


class Entity(NamedTuple):
    """An entity: the characters from `start` up to `end`."""

    start: int
    end: int
    label: str


class RawText(NamedTuple):
    """A text as the file has it, before it is cut into tokens."""

    text: str
    tokens: tuple[TextToken, ...] | None  # that the file gives
    entities: tuple[Entity, ...] | None  # None: they are those that the tags say
    is_ambiguous: bool = False  # whether offsets may count UTF-16, too; they are read as characters


def spanned_text(record: Record, column: str = "text") -> SpannedText:
    """Return the tagged tokens of a row with `spans`; those of its `tokens`, where it has some.

    Raises:
        CorpusError: a span is not in the text, or has another text than stands there.
    """
    text = record.text(column)
    given = _given_tokens(text, record)
    tokens = split_text(text) if given is None else given
    misfits: list[Misfit] = []
    spans: list[Span] = []
    entities = _entities(text, record)
    for entity in sorted(entities, key=lambda each: each.start - each.end):
        span = _span(entity, tokens, record)
        shown = text[entity.start : entity.end][:SHOWN]
        if any(span == other for other in spans):
            continue
        over = next(
            (each for each in spans if each.start < span.end and span.start < each.end), None
        )
        if over is not None:
            misfits.append(Misfit(True, shown, _written(over, tokens, text)))
            continue
        if (tokens[span.start].start, tokens[span.end - 1].end) != entity[:2]:
            misfits.append(Misfit(False, shown, _written(span, tokens, text)))
        spans.append(span)
    spans.sort(key=lambda span: span.start)
    tags = spans_to_tags(spans, len(tokens), SCHEME)
    given_tokens = None if given is None else tuple(given)
    raw = RawText(text, given_tokens, tuple(entities), _are_ambiguous(text, record.values["spans"]))
    return SpannedText([token.text for token in tokens], tags, tuple(misfits), raw)


def aligned_tokens(text: str, tokens: Sequence[str]) -> list[TextToken] | None:
    """Return where tokens stand in a text that they spell, but for blanks; None: they do not."""
    found, end = [], 0
    for token in tokens:
        start = text.find(token, end)
        if start < 0 or text[end:start].strip():
            return None
        end = start + len(token)
        found.append(TextToken(token, start, end))
    return None if text[end:].strip() else found


def _given_tokens(text: str, record: Record) -> list[TextToken] | None:
    given = record.values.get("tokens")
    if given is None:
        return None
    if not isinstance(given, list) or not all(isinstance(each, str) and each for each in given):
        raise record.error("'tokens' holds no list of texts; correct or remove it.")
    found = aligned_tokens(text, given)
    if found is None:
        raise record.error(
            "the 'tokens' do not spell the text, so that its entities have no tokens; correct or "
            "remove 'tokens'."
        )
    return found


def _entities(text: str, record: Record) -> list[Entity]:
    """Return the entities of a row, without blanks at their ends."""
    given = record.values["spans"]
    if not isinstance(given, list):
        raise record.error(f"'spans' holds {type_name(given)} where an array is expected.")
    if not given:
        return []
    spans = [_checked(each, record) for each in given]
    to_characters = _offsets_of(text, spans)
    return [_entity(text, span, to_characters, record) for span in spans]


class _Given(NamedTuple):
    """A span as the file has it."""

    start: int
    end: int
    label: str
    text: str | None  # what the program says that it reads


def _checked(span: Any, record: Record) -> _Given:
    """Return a span of JSON.

    Raises:
        CorpusError: it has not two offsets and a label.
    """
    if not isinstance(span, dict):
        raise record.error(
            f'a span is {type_name(span)}; write {{"start": 0, "end": 3, "label": "PER"}}.'
        )
    start, end = span.get("start"), span.get("end")
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        raise record.error(
            f"a span has start {start!r:.20} and end {end!r:.20}, where whole numbers from 0 are "
            "expected, the end behind the start; correct or remove it."
        )
    try:
        label = str(Label(span.get("label")))
    except ValueError as error:
        said = message("files.rows.span_cause", start=start, cause=error)
        raise record.translated_error(ended(said)) from None
    text = span.get("text")
    return _Given(
        start, end, record.whole(label, "label"), text if isinstance(text, str) and text else None
    )


def _offsets_of(text: str, spans: Sequence[_Given]) -> Callable[[int], int]:
    """Return what turns the offsets of a file into those of characters.

    They are UTF-16 code units where more spans then have the text that the file says, or lie in it.
    """
    if all(ord(character) <= BEYOND for character in text):
        return lambda offset: offset
    units = [0]
    for character in text:
        units.append(units[-1] + (2 if ord(character) > BEYOND else 1))
    by_unit = {unit: offset for offset, unit in enumerate(units)}

    def of_units(offset: int) -> int:
        return by_unit.get(offset, by_unit.get(offset - 1, len(text) + 1))

    right = sum(_reads(text, span.start, span.end, span.text) for span in spans)
    of_utf16 = sum(
        _reads(text, of_units(span.start), of_units(span.end), span.text) for span in spans
    )
    return of_units if of_utf16 > right else lambda offset: offset


def _are_ambiguous(text: str, spans: Sequence[Any]) -> bool:
    """Whether checked spans lie in the text both as characters and as UTF-16 code units.

    Then only the texts of the spans could decide, and none has one.
    """
    if not spans or any(span.get("text") for span in spans):
        return False
    length = len(text.encode("utf-16-le", "surrogatepass")) // 2
    first = next((at for at, each in enumerate(text) if ord(each) > BEYOND), len(text))
    last = max(span["end"] for span in spans)
    return length > len(text) and first < last <= len(text)


def _reads(text: str, start: int, end: int, said: str | None) -> bool:
    """Whether a span is in the text, and reads what the file says, but for blanks."""
    if not start < end <= len(text):
        return False
    if said is None:
        return True
    return _plain(text[start:end]) == _plain(said)


def _plain(text: str) -> str:
    """Return a text with single blanks; Label Studio writes a line end as two characters."""
    return " ".join(text.replace("\\n", " ").split())


def _entity(text: str, span: _Given, to_characters: Callable[[int], int], record: Record) -> Entity:
    start, end = to_characters(span.start), to_characters(span.end)
    if not _reads(text, start, end, span.text):
        where = f"the entity {span.start}-{span.end} ({span.label[:SHOWN]})"
        if end > len(text):
            raise record.error(
                f"{where} ends behind the text, which has {len(text):,} characters; correct or "
                "remove it."
            )
        raise record.error(
            f"{where} is '{(span.text or '')[:SHOWN]}', but the text reads "
            f"'{text[start:end][:SHOWN]}' there; correct its offsets, or remove it."
        )
    inner = text[start:end]
    start, end = start + len(inner) - len(inner.lstrip()), start + len(inner.rstrip())
    return Entity(start, end, span.label)


def _span(entity: Entity, tokens: Sequence[TextToken], record: Record) -> Span:
    """Return the tokens that an entity touches."""
    touched = list(_touched(entity, tokens))
    if not touched:
        raise record.error(
            f"the entity {entity.start}-{entity.end} ({entity.label[:SHOWN]}) holds no token, but "
            "blanks; remove it."
        )
    return Span(entity.label, touched[0], touched[-1] + 1)


def _touched(entity: Entity, tokens: Sequence[TextToken]) -> Iterator[int]:
    for number, token in enumerate(tokens):
        if token.start < entity.end and entity.start < token.end:
            yield number


def _written(span: Span, tokens: Sequence[TextToken], text: str) -> str:
    return text[tokens[span.start].start : tokens[span.end - 1].end][:SHOWN]
