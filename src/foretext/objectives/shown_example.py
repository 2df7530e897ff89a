"""One example of a batch as people read it; every objective can be shown by what is here.

The parts hold what the batch holds: tokens, positions and segments beside each other, each target
beside its token, who sees whom, and what is padding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import reduce
from typing import NamedTuple, cast

import torch
from torch import Tensor

from foretext.data.batch import Batch, Inputs
from foretext.messages import MessageTable, language, messages_of
from foretext.shown import Cell, Grid, Note, Part, Table, TokenLine, TokenLines
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.token_names import marked_token

__all__ = ["ShownExample", "say", "say_all", "shapes_table"]

say = MessageTable("objectives")
NOTHING = "·"  # of a truth value
MORE = "…"
STEPS, STEP_TOKENS = 8, 8  # written out, and tokens of each
TOKEN_TARGETS = frozenset({"original", "next", "previous"})


def say_all(key: str, parts: Iterable[str]) -> str:
    """Join parts by a message with ``left`` and ``right``."""
    return reduce(lambda left, right: say(key, left=left, right=right), parts)


class ShownExample(NamedTuple):
    """An example and the tokenizer of its text.

    Attributes:
        batch: of one example.
        tokenizer: of the text.
    """

    batch: Batch
    tokenizer: Tokenizer

    def parts(self) -> list[Part]:
        """Return everything that any batch has."""
        batch = self.batch
        if len(batch.inputs.ids) > 1:  # an example of several texts
            rows = range(len(batch.inputs.ids))
            texts = [
                TokenLines(say("default.row"), self.lines_of(batch.inputs, row)) for row in rows
            ]
            return [*texts, *self.other_targets()]
        parts: list[Part] = []
        if batch.inputs.source is not None:
            parts.append(TokenLines(say("default.source"), self.lines_of(batch.inputs.source)))
        parts.append(
            TokenLines(say("default.row"), (*self.lines_of(batch.inputs), *self.targets()))
        )
        return [*parts, *self.other_targets(), *self.seen()]

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return ids as people read them."""
        return [self._token(index) for index in ids]

    def _token(self, index: int) -> str:
        names = self.tokenizer.tokens
        if index < 0:  # nothing is predicted there
            return ""
        if index >= len(names):  # a word beyond the vocabulary
            return f"[{index}]"
        if self.tokenizer.kind != "subwords":
            return names[index]
        return marked_token(cast(SubwordTokenizer, self.tokenizer), names[index])

    def line(self, name: str, values: Iterable[object], marks: Iterable[str] = ()) -> TokenLine:
        """Return a line under a name of the catalogue."""
        return TokenLine.of(say(f"lines.{name}"), values, marks)

    def lines_of(
        self, inputs: Inputs, row: int = 0, marks: Iterable[str] = ()
    ) -> tuple[TokenLine, ...]:
        """Return the lines of what a backbone reads: positions, tokens, ids, segments.

        Args:
            inputs: of the example.
            row: of the inputs.
            marks: of the tokens; none: special tokens are marked.
        """
        ids = inputs.ids[row].tolist()
        marks = list(marks) or self.specials(ids)
        places = range(len(ids)) if inputs.positions is None else inputs.positions[row].tolist()
        lines = [
            self.line("position", places),
            self.line("token", self.tokens(ids), marks),
            self.line("id", ids),
        ]
        if inputs.segments is not None:
            lines.append(self.line("segment", inputs.segments[row].tolist()))
        if inputs.token_mask is not None:
            lines.append(self.line("token_mask", _truths(inputs.token_mask[row])))
        return tuple(lines)

    def only(
        self, name: str, ids: Iterable[int], where: Iterable[bool], mark: str = ""
    ) -> TokenLine:
        """Return a line of tokens that has those alone for which `where` is true."""
        pairs = list(zip(self.tokens(ids), where, strict=True))
        marks = [mark if shown else "" for _, shown in pairs] if mark else []
        return self.line(name, (token if shown else "" for token, shown in pairs), marks)

    def masks(self, ids: Sequence[int]) -> list[str]:
        """Return what happened to each token of a row with masks: masked, random or kept."""
        targets, mask = self.batch.targets, self.tokenizer.special.mask
        found = zip(
            ids,
            targets["original"][0].tolist(),
            targets["masked"][0].tolist(),
            self.specials(ids),
            strict=True,
        )
        return [
            special if not chosen else "masked" if index == mask else _became(index, original)
            for index, original, chosen, special in found
        ]

    def cloze(self) -> list[Part]:
        """Return a row with masks: in figures, and with the original below each target."""
        inputs, targets = self.batch.inputs, self.batch.targets
        ids, chosen = inputs.ids[0].tolist(), targets["masked"][0]
        marks = self.masks(ids)
        ordinary = cast(SubwordTokenizer, self.tokenizer).ordinary
        text = int(ordinary[targets["original"][0].numpy()].sum())
        counts = {mark: marks.count(mark) for mark in ("masked", "random", "kept")}
        num, share = int(chosen.sum()), int(chosen.sum()) / max(text, 1)
        key = "cloze.note_one" if num == 1 else "cloze.note"
        note = Note(say(key, chosen=num, tokens=text, share=f"{share:.0%}", **counts))
        originals = self.only(
            "original", targets["original"][0].tolist(), chosen.tolist(), "target"
        )
        return [
            note,
            TokenLines(say("default.row"), (*self.lines_of(inputs, marks=marks), originals)),
        ]

    def shifted(self, names: tuple[str, str] = ("token", "next")) -> TokenLines:
        """Return what is read, and below it the target: the token after it."""
        inputs, following = self.batch.inputs, self.batch.targets["next"][0].tolist()
        position, read, ids, *others = self.lines_of(inputs)
        targets = self.line(names[1], self.tokens(following), self._marks_of_next(following))
        read = self.line(names[0], read.tokens, read.marks)
        return TokenLines(say("default.shifted"), (position, read, ids, *others, targets))

    def _marks_of_next(self, following: list[int]) -> list[str]:
        hidden = self.batch.targets.get("hidden")
        chosen = [each >= 0 for each in following] if hidden is None else hidden[0].tolist()
        return ["target" if each else "" for each in chosen]

    def steps(self) -> Table:
        """Return the first steps one by one: what has been read, and what is predicted from it."""
        read = self.tokens(self.batch.inputs.ids[0].tolist())
        following = self.tokens(self.batch.targets["next"][0].tolist())
        places = [at for at, token in enumerate(following) if token][:STEPS]
        rows = [
            (step, " ".join(_last(read[: at + 1])), following[at])
            for step, at in enumerate(places, 1)
        ]
        columns = (say("steps.step"), say("steps.reads"), say("steps.predicts"))
        return Table.of(say("steps.title", number=len(rows)), columns, rows)

    def specials(self, ids: Sequence[int]) -> list[str]:
        """Return the mark of each token that stands for no text."""
        special = self.tokenizer.special.ids
        return ["special" if index in special else "" for index in ids]

    def targets(self) -> list[TokenLine]:
        """Return a line for each target that has a value at every position."""
        width = self.batch.inputs.ids.shape[1]
        return [
            TokenLine.of(self.target_name(name), self._values(name, target[0]))
            for name, target in self.batch.targets.items()
            if self._is_of_positions(name, target, width)
        ]

    def other_targets(self) -> list[Part]:
        """Return a table of the targets that are of the whole example."""
        width = self.batch.inputs.ids.shape[1]
        rows = [
            (self.target_name(name), _written(target))
            for name, target in self.batch.targets.items()
            if not self._is_of_positions(name, target, width)
        ]
        columns = say("default.target"), say("default.value")
        return [Table.of(say("default.targets"), columns, rows)] if rows else []

    def target_name(self, name: str) -> str:
        """Return what a target is called; one that a new objective made up has its own name."""
        return messages_of("objectives", language()).get(f"targets.{name}", name)

    def seen(self) -> list[Part]:
        """Return who sees whom; a sentence where everybody sees everybody."""
        inputs = self.batch.inputs
        if inputs.visibility == "full":
            return [Note(say("seen.full"))]
        if inputs.visibility == "split":
            left, right = _triangle(inputs), _triangle(inputs).T
            return [
                self.grid(say("seen.left"), left, inputs),
                self.grid(say("seen.right"), right, inputs),
            ]
        if inputs.visible is not None:
            return [Note(say("seen.matrix")), self.grid(say("seen.title"), inputs.visible[0])]
        return [Note(say("seen.causal")), self.grid(say("seen.title"), _triangle(inputs))]

    def grid(self, title: str, visible: Tensor, inputs: Inputs | None = None) -> Grid:
        """Return who sees whom, (T, S); a row looks at the columns."""
        inputs = inputs or self.batch.inputs
        names = self.tokens(inputs.ids[0].tolist())
        columns = names[: visible.shape[1]]
        return Grid.of(title, names, columns, visible.tolist(), is_mask=True)

    def _is_of_positions(self, name: str, target: Tensor, width: int) -> bool:
        is_row = target.ndim == 2 and target.shape[1] == width
        return is_row and name not in self.batch.by_example

    def _values(self, name: str, target: Tensor) -> list[object]:
        if target.dtype == torch.bool:
            return _truths(target)
        if name in TOKEN_TARGETS:
            return [*self.tokens(target.tolist())]
        if target.is_floating_point():
            return [f"{value:.3g}" for value in target.tolist()]
        return [value if value >= 0 else "" for value in target.tolist()]  # -100: nothing is asked


def shapes_table(batch: Batch) -> Table:
    """Return the tensors of a batch: name, shape, letters, and what they are."""
    rows = [*_shapes("", _tensors(batch.inputs))]
    if batch.inputs.source is not None:
        rows += _shapes("source.", _tensors(batch.inputs.source))
    rows += _shapes("targets.", batch.targets)
    columns = (say("shapes.tensor"), say("shapes.shape"), say("shapes.dtype"), say("shapes.what"))
    return Table.of(say("shapes.title"), columns, rows)


def _tensors(inputs: Inputs) -> dict[str, Tensor]:
    found = ((field.name, getattr(inputs, field.name)) for field in fields(inputs))
    return {name: value for name, value in found if torch.is_tensor(value)}


def _shapes(before: str, tensors: Mapping[str, Tensor]) -> Iterator[tuple[Cell, ...]]:
    known = messages_of("objectives", language())
    for name, tensor in tensors.items():
        meaning = known.get(f"tensors.{name}") or known.get(f"targets.{name}", "")
        shape = ", ".join(map(str, tensor.shape))
        yield before + name, f"({shape})", str(tensor.dtype).removeprefix("torch."), meaning


def _triangle(inputs: Inputs) -> Tensor:
    T = inputs.ids.shape[1]
    return torch.ones(T, T, dtype=torch.bool).tril()


def _truths(values: Tensor) -> list[object]:
    return ["1" if value else NOTHING for value in values.tolist()]


def _last(tokens: list[str]) -> list[str]:
    cut = tokens[-STEP_TOKENS:]
    return cut if len(cut) == len(tokens) else [MORE, *cut]


def _became(index: int, original: int) -> str:
    """What a masked token that shows no mask became; a random one may be the right one."""
    return "kept" if index == original else "random"


def _written(target: Tensor) -> str:
    values = target.tolist()
    if isinstance(values, list) and len(values) == 1:
        values = values[0]
    return f"{values:.4g}" if isinstance(values, float) else str(values)
