"""What a language model makes of a text, for ``foretext show RUN TEXT``.

How the text is cut, what the model expects at each position, and what its network makes of it:
layers and attention. A tab separates the texts of a pair, or a source from the text after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from foretext.backbones.insight import backbone_parts, share_parts, source_parts
from foretext.base.errors import CorpusError
from foretext.data.batch import Inputs
from foretext.language_model.filling import WRITTEN
from foretext.messages import MessageTable
from foretext.objectives.base import Objective
from foretext.objectives.expectation import Row, expectation_parts, target_expectations
from foretext.shown import Cell, Note, Part, Shown, Table, TokenLine, TokenLines
from foretext.tokenizers.token_names import namer
from foretext.vectors.insight import NearText, all_texts, nearest, shortened_title

if TYPE_CHECKING:
    from foretext.language_model.model import LanguageModel

__all__ = ["TextsInModel"]

SEPARATOR = "\t"
MOST_READ = 512  # tokens of a text
NEW_TOKENS = 24  # that are written where a source comes without a text
NUM_FILLINGS = 5

TEXTS = MessageTable("insight.texts")
FILL = MessageTable("insight.fill")
SOURCE = MessageTable("insight.source")


class _Read(NamedTuple):
    """A text, or a pair, as the network reads it."""

    tokens: list[str]  # T names
    inputs: Inputs  # (1, T)
    num_cut: int  # tokens that were left out


class TextsInModel:
    """Shows texts as a language model reads them.

    Args:
        model: in use.
    """

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.network = model.exact_network()
        self.objective: Objective | None = self.network.objective

    def shown(self, texts: Sequence[str]) -> list[Shown]:
        """Return what is shown of each text and, of a sentence encoder, of all together.

        Raises:
            CorpusError: a text is empty.
        """
        if not self.model.is_sentence_encoder:
            return [self._one(text) for text in texts]
        lines = [text.replace(SEPARATOR, " ") for text in texts]
        vectors = self.model.embed(lines)
        found = [
            self._one(text, near) for text, near in zip(texts, nearest(lines, vectors), strict=True)
        ]
        return [*all_texts(lines, vectors), *found]

    def _one(self, text: str, near: NearText | None = None) -> Shown:
        first, _, second = text.partition(SEPARATOR)
        if self.model.backbone.reads_source:
            parts = self._of_source(first, second)
        else:
            parts = self._of_text(first, second, near)
        return Shown(shortened_title(text), tuple(parts))

    def _of_text(self, first: str, second: str, near: NearText | None) -> list[Part]:
        """Return what is shown of a text or of a pair that one network reads."""
        read = self._read(first, second)
        parts = [*self._reading(read), *self._fillings(first if not second else "")]
        if not second and not self._has_mask(first):
            parts += self._expected(read)
        parts += self._judged(read, is_pair=bool(second))
        if self.model.is_sentence_encoder and not self.model.dense and not second:
            states = self.network.backbone(read.inputs).last[0].float().cpu().numpy()
            parts += share_parts(read.tokens, states, self.model.pooling, near)
        return [*parts, *backbone_parts(self.network.backbone, read.inputs, read.tokens)]

    def _reading(self, read: _Read) -> list[Part]:
        backbone, T = self.network.backbone, len(read.tokens)
        figures = {
            "tokens": T,
            "layers": backbone.num_layers,
            "dim": backbone.dim,
            "visibility": TEXTS(f"{self.model.visibility}"),
        }
        parts: list[Part] = [Note(TEXTS("reading", **figures))]
        if read.num_cut:
            parts.append(Note(TEXTS("cut", left_out=read.num_cut)))
        lines = [TokenLine.of(TEXTS("tokens"), read.tokens)]
        lines.append(TokenLine.of(TEXTS("ids"), read.inputs.ids[0].tolist()))
        if read.inputs.segments is not None:
            segments = read.inputs.segments[0].tolist()
            lines.append(TokenLine.of(TEXTS("segments"), segments))
        parts.append(TokenLines(TEXTS("title"), tuple(lines)))
        return parts

    def _expected(self, read: _Read) -> list[Part]:
        """Return what the head expects at each position."""
        if self.objective is None:
            return []
        ids, V = read.inputs.ids[0], self.model.tokenizer.vocab_size
        if self.objective.scores_text and self.objective.end is not None:
            end = self.objective.end  # a text begins behind one, see `likelihood`
            ids = torch.cat([ids.new_tensor([end]), ids])[: self.network.backbone.max_length]
        ordinary = torch.from_numpy(np.append(self.model.tokenizer.ordinary, False))
        hideable = ordinary[ids.cpu().clamp(max=V)]
        mask = self.model.tokenizer.special.mask or 0
        row = Row(ids, hideable, mask, read.inputs.spelling)
        expected = self.objective.expected(self.network.backbone, row)
        spelling = None if read.inputs.spelling is None else read.inputs.spelling.cpu().numpy()
        name = namer(self.model.tokenizer, spelling)
        return expectation_parts(expected, ids.tolist(), name, V)

    def _judged(self, read: _Read, *, is_pair: bool) -> list[Part]:
        """Return what other heads of the objective say of the row."""
        if self.objective is None:
            return []
        states = self.network.backbone(read.inputs).last
        return self.objective.judged(states, read.tokens, is_pair=is_pair)

    def _fillings(self, text: str) -> list[Part]:
        """Return what stands at each mask, where the text has some and the model fills them."""
        if self.objective is None or not self.objective.fills or not self._has_mask(text):
            return []
        rows: list[tuple[Cell, ...]] = [
            (number, answer.token, round(answer.probability, 4), answer.text)
            for number, answers in enumerate(self.model.fill(text, NUM_FILLINGS), 1)
            for answer in answers
        ]
        names = ("mask", "token", "probability", "text")
        columns = FILL.columns(*names)
        return [Table.of(FILL("title"), columns, rows)]

    def _has_mask(self, text: str) -> bool:
        mask = self.model.tokenizer.special.mask
        names = [WRITTEN] if mask is None else [WRITTEN, self.model.tokenizer.tokens[mask]]
        return any(name in text for name in names)

    def _of_source(self, first: str, second: str) -> list[Part]:
        """Return what is shown of a source and of the text that follows it."""
        objective, backbone = self.objective, self.network.backbone
        if objective is None or not objective.continues_sources or objective.token_head is None:
            read = self._read(first, "")
            parts = self._reading(read)
            return [*parts, *backbone_parts(backbone.for_tasks, read.inputs, read.tokens)]
        tokenizer = self.model.target_tokenizer or self.model.tokenizer
        length = min(self.model.learned_length, MOST_READ)
        ids = self.model.tokenizer.encode(first)[: length - 2]
        if not ids:
            raise _empty()
        if second:
            target, note = tokenizer.encode(second)[: length - 2], "given"
        else:
            target, note = self._written(first, length), "written"
        reading, name = objective.reading(ids), namer(tokenizer)
        assert reading.source is not None, "a backbone that reads a source"
        opening = [*reading.opening, *([] if reading.first is None else [reading.first])]
        device = backbone.embedding.device
        source = Inputs(torch.tensor([list(reading.source)], device=device))
        row = [*opening, *target]
        inputs = Inputs(torch.tensor([row], device=device), visibility="causal", source=source)
        end = () if objective.end is None else (objective.end,)
        right = [*row[1:], *end] if end else row[1:]
        sources = [*map(namer(self.model.tokenizer), reading.source)]
        inputs_read, targets = [*map(name, row)], [*map(name, right)]
        lines = (
            TokenLine.of(SOURCE("source"), sources),
            TokenLine.of(SOURCE("input"), inputs_read),
            TokenLine.of(SOURCE("target"), targets),
        )
        states = backbone(inputs).last[0][: len(right)]
        expected = target_expectations(objective.token_head, states, len(opening) - 1)
        return [
            Note(SOURCE(f"{note}")),
            TokenLines(SOURCE("title"), lines),
            *self._fillings(first),
            *expectation_parts(expected, right, name, tokenizer.vocab_size),
            *source_parts(backbone, inputs, inputs_read, sources),
        ]

    def _written(self, source: str, length: int) -> list[int]:
        """Return the ids that the model writes after a source, taking the likeliest each time."""
        most = min(NEW_TOKENS, length - 2)
        (written,) = self.model.generate(source=source, temperature=0.0, max_new_tokens=most)
        end = None if self.objective is None else self.objective.end
        return [token for token in written.ids if token != end]

    def _read(self, first: str, second: str) -> _Read:
        """Encode a text or a pair, as much of it as is read at once."""
        model = self.model
        framing, reader = model.row_framing, model.as_base().reader()
        ids = reader.encode(first)
        if not ids:
            raise _empty()
        if second:
            others = reader.encode(second)
            room = max(min(framing.pair_room, MOST_READ) // 2, 1)
            kept, beside = ids[:room], others[:room]
            row = framing.around_pair(kept, beside)
            num_cut = len(ids) + len(others) - len(kept) - len(beside)
        else:
            kept = ids[: min(framing.room, MOST_READ)]
            row, num_cut = framing.around(kept), len(ids) - len(kept)
        segments = None
        if second and model.backbone.num_segments > 1:
            segments = (torch.arange(len(row)) >= framing.second_starts(kept)).long()[None]
        spelling = None if reader.spelling is None else torch.from_numpy(reader.spelling)
        inputs = Inputs(
            torch.tensor([row]), visibility=model.visibility, segments=segments, spelling=spelling
        )
        names = [*map(namer(model.tokenizer, reader.spelling), row)]
        return _Read(names, inputs.to(self.network.backbone.embedding.device), num_cut)


def _empty() -> CorpusError:
    return CorpusError("The text is empty: there is nothing to look at.")
