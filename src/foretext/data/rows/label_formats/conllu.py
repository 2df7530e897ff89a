r"""CoNLL-U: a token a line in ten columns; entities in the last one, as ``NE=B-PER``.

Parts of speech stand in UPOS. What is between two tokens is in the last column, too, if it is not
one blank: ``SpaceAfter=No``, or ``SpacesAfter=\s\n`` as UDPipe writes it. So the text comes back as
it was. https://universaldependencies.org/format.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from foretext.corpus.text_tokens import TextToken
from foretext.data.rows.label_formats.label_format import LabelTask, LineFormat, tasks_with_tabs
from foretext.metrics import detect_notation

__all__ = ["ENTITY", "ConllU", "entity_name", "features_of", "placed_text"]

ENTITY = ("NE", "NER", "ner")  # names in the last column, the first one our own
BEFORE, AFTER, NO_BLANK = "SpacesBefore", "SpacesAfter", "SpaceAfter"
_ESCAPED = {" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r", "|": r"\p", "\\": r"\\"}
_PLAIN = {escaped: plain for plain, escaped in _ESCAPED.items()}
_ESCAPE = re.compile(r"\\[strnp\\]")
_STRANGE = re.compile(r"\\u([0-9a-f]{4})")  # other blanks, which no convention names


class ConllU(LineFormat):
    """Ten columns, of which FORM, UPOS and MISC are filled in."""

    name = "conllu"
    suffixes = (".conllu",)
    holds = frozenset({"spans"})
    why_not: ClassVar[str] = "it has tokens, and no labels of texts; give jsonl or docbin"
    is_of_tokens = True

    def misfits(self, tasks: Sequence[LabelTask]) -> Iterator[tuple[LabelTask, str]]:
        """Yield sentences that would have more columns; see `LabelFormat.misfits`."""
        yield from tasks_with_tabs(tasks)
        for task in tasks:
            if any("|" in tag for tag in task.tags):
                yield task, "a tag holds '|', which parts the last column; rename it, or give tsv"

    def lines(self, tasks: Sequence[LabelTask]) -> Iterator[str]:
        """Yield a line a token, and an empty line after each sentence."""
        are_entities = _are_entities(tasks)
        for number, task in enumerate(tasks, start=1):
            yield f"# sent_id = {number}\n"
            if not re.search(r"[\n\r\t]", task.text):
                yield f"# text = {task.text}\n"
            tags = task.tags or ["O"] * len(task.words)
            ends = _blanks(task)
            for token_id, (word, tag, blank) in enumerate(
                zip(task.words, tags, ends, strict=True), start=1
            ):
                misc = [f"{ENTITY[0]}={tag}"] if are_entities else []
                upos = "_" if are_entities else tag
                shown = "|".join([*misc, *blank]) or "_"
                yield f"{token_id}\t{word}\t_\t{upos}\t_\t_\t_\t_\t_\t{shown}\n"
            yield "\n"


def features_of(misc: str) -> dict[str, str]:
    """Return what the last column says, by name."""
    pairs = (each.partition("=") for each in misc.split("|"))
    return {name: value for name, equal, value in pairs if equal}


def entity_name(misc: str) -> str | None:
    """Return the name under which the last column has tags of entities; None: it has none."""
    features = features_of(misc)
    return next((name for name in ENTITY if name in features), None)


def placed_text(
    words: Sequence[str], features: Sequence[Mapping[str, str]]
) -> tuple[str, list[TextToken]]:
    """Return the text of a sentence, and its tokens with their offsets there.

    Args:
        words: N.
        features: of the last column, of each word.
    """
    pieces, tokens, end = [], [], 0
    for number, (word, own) in enumerate(zip(words, features, strict=True)):
        before = _unescaped(own.get(BEFORE, "")) if number == 0 else ""
        start = end + len(before)
        tokens.append(TextToken(word, start, start + len(word)))
        is_last = number == len(words) - 1
        usual = "" if is_last or own.get(NO_BLANK) == "No" else " "
        after = _unescaped(own[AFTER]) if AFTER in own else usual
        pieces += [before, word, after]
        end = start + len(word) + len(after)
    return "".join(pieces), tokens


def _are_entities(tasks: Sequence[LabelTask]) -> bool:
    """Whether tags are of entities; without one that is not "O" they are."""
    tags = [task.tags for task in tasks]
    return {tag for each in tags for tag in each} <= {"O"} or detect_notation(tags) is not None


def _blanks(task: LabelTask) -> Iterator[list[str]]:
    """Yield what the last column says of the blanks around each token."""
    tokens, text = task.tokens or (), task.text
    for number, token in enumerate(tokens):
        features = []
        if number == 0 and token.start:
            features.append(f"{BEFORE}={_escaped(text[: token.start])}")
        is_last = number == len(tokens) - 1
        gap = text[token.end : len(text) if is_last else tokens[number + 1].start]
        if not gap and not is_last:
            features.append(f"{NO_BLANK}=No")
        elif gap != ("" if is_last else " "):
            features.append(f"{AFTER}={_escaped(gap)}")
        yield features


def _escaped(blanks: str) -> str:
    return "".join(_ESCAPED.get(each, f"\\u{ord(each):04x}") for each in blanks)


def _unescaped(written: str) -> str:
    plain = _STRANGE.sub(lambda found: chr(int(found[1], 16)), written)
    return _ESCAPE.sub(lambda found: _PLAIN[found[0]], plain)
