"""A sentence encoder in use: one vector a text, near those of texts that mean the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.backbones.insight import share_parts
from foretext.base.arguments import checked_arguments
from foretext.base.errors import CorpusError
from foretext.corpus.blocks import Advance
from foretext.corpus.texts import iterate_texts
from foretext.data.padded_examples import PaddedExamples, Ragged
from foretext.data.rows import Input, SentenceRow
from foretext.heads.sentence_vectors import SCORES, TEXTS, SentenceVectorsHead
from foretext.nn.pooling import pool_texts
from foretext.shown import Part, Shown
from foretext.tasks.explanation import Texts
from foretext.tasks.model import TaskModel
from foretext.tasks.predictor import Record
from foretext.tasks.score_answers import scores_of
from foretext.tasks.sentence_vectors.answers import (
    DenseVectors,
    SentenceAnswers,
    sentence_answers,
)
from foretext.tasks.sentence_vectors.task import SentenceVectors
from foretext.tasks.top import Top
from foretext.tasks.windows import Windows
from foretext.tokenizers.token_names import namer
from foretext.vectors.insight import NearText, all_texts, nearest
from foretext.vectors.text_cosines import paired_cosines, text_cosines
from foretext.vectors.text_embedding import shortened

__all__ = ["SentenceEncoder"]

TEXTS_AT_ONCE = 1 << 14  # sorted by length together


class SentenceEncoder(TaskModel):
    """Texts to vectors, and rows of texts to similarities.

    Attributes:
        has_scores: whether the rows that were measured last have scores; None: there are none.
    """

    task: ClassVar = SentenceVectors()
    head: SentenceVectorsHead
    abilities = ("embed", "rerank", "predict", "tokenize", "decode")
    has_scores: bool | None = None
    prompts: ClassVar[Mapping[str, str]] = MappingProxyType({})  # to begin texts with
    weighs_words: ClassVar[bool] = False  # `embed` takes no weights of words
    has_layers: ClassVar[bool] = False  # nor a layer

    @property
    def usage(self) -> str:
        """Lines of Python that show how to ask `model`."""
        return 'vectors = model.embed(["a text", "another text"])  # (2, D)'

    @property
    def own_embedder(self) -> SentenceEncoder:
        """Itself."""
        return self

    @property
    def vector_size(self) -> int:
        """Numbers of a vector, D."""
        return self.base.backbone.dim

    @property
    def text_room(self) -> int:
        """Tokens of a text that are read at once; longer texts are cut into windows."""
        return self.base.framing(self.head.config.max_length).room

    def keep(self, folder: Path) -> str:
        """Write the folder into `folder`; it is opened as a whole.

        Raises:
            OutputError: it cannot be written.
        """
        self.save(folder)
        return ""

    @checked_arguments
    def text_sizes(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has."""
        return list(map(len, self.base.reader().encode_batch(texts)))

    def served_facts(self) -> dict[str, Any]:
        """Return what a server says of the model, as JSON has it."""
        more = {"dimensions": self.vector_size, "pooling": self.head.pooling}
        return {**super().served_facts(), **more}

    @property
    def judged_by(self) -> str:
        """The figure by which one model is better than another, on the rows measured last."""
        has_scores = self.head.kind == "scores" if self.has_scores is None else self.has_scores
        return "spearman" if has_scores else "ndcg@10"

    def examples(self, rows: Sequence[SentenceRow]) -> PaddedExamples:
        """Return the texts of each row as a group; a text alone is read twice."""
        self.check_kind(rows)
        groups = [row.texts * 2 if row.text_b is None else row.texts for row in rows]
        texts = [text for group in groups for text in group]
        windows = Windows.of(self.base, texts, self.head.config.max_length, "head")
        return PaddedExamples(
            windows.rows,
            self._targets(rows, groups),
            pad=self.base.pad,
            visibility=self.base.visibility,
            group=len(groups[0]),
        )

    def num_cut(self, rows: Sequence[SentenceRow]) -> int:
        """Return the number of rows with a text that is longer than the model reads in training."""
        room, reader = self.base.framing(self.head.config.max_length).room, self.base.reader()
        encoded = reader.encode_batch([text for row in rows for text in row.texts])
        lengths = iter([len(ids) for ids in encoded])
        return sum(max(next(lengths) for _ in row.texts) > room for row in rows)

    def check_kind(self, rows: Sequence[SentenceRow]) -> None:
        """Check that rows can measure the model, and note by what figure they do.

        They are of the kind that the model learns from, or pairs with scores, which measure all
        vectors; triples are pairs, too.

        Raises:
            CorpusError: they are of another kind.
        """
        self.has_scores = rows[0].kind == "scores"
        if self.has_scores:
            return
        kinds = {"pairs": "triples"}  # both are measured by a search
        if kinds.get(rows[0].kind, rows[0].kind) != kinds.get(self.head.kind, self.head.kind):
            raise CorpusError(
                f"{rows[0].place}: the rows are {rows[0].kind}, and those of the training are "
                f"{self.head.kind}; give rows of the same kind, or pairs with scores."
            )

    @checked_arguments
    def embed(
        self,
        texts: Any,
        *,
        dim: int | None = None,
        normalize: bool | None = None,
        progress: Advance | None = None,
    ) -> NDArray[np.float32]:
        """Return one vector a text, (N, D) float32; a text of no tokens gets zeros.

        A text that is longer than the model reads is cut into windows that overlap by an eighth,
        whose vectors are averaged by their tokens (with pooling "max": the largest is taken).

        Args:
            texts: N strings in a list, a generator, a column, or a table with a column "text"; a
                single one gets a single vector, (D,).
            dim: numbers to keep, the first ones; None: all. Shorter vectors get length 1.
            normalize: whether vectors get length 1; None: as the model was set up.
            progress: advances by the texts that are done.

        Raises:
            SettingError: the vectors have fewer numbers.
            CorpusError: an element is no text.
        """
        if isinstance(texts, str):
            options: Any = {"dim": dim, "normalize": normalize, "progress": progress}
            single: NDArray[np.float32] = self.embed([texts], **options)[0]
            return single
        if normalize is None:
            normalize = self.head.normalizes or dim is not None
        found = list(iterate_texts(texts))
        vectors = np.zeros((len(found), self.vector_size), np.float32)
        for start in range(0, len(found), TEXTS_AT_ONCE):
            part = slice(start, start + TEXTS_AT_ONCE)
            vectors[part] = self._pooled(found[part])
            if progress is not None:
                progress.advance(len(found[part]))
        return shortened(vectors, dim, normalize=normalize)

    @checked_arguments
    def similarity(self, firsts: Any, seconds: Any) -> Any:
        """Return the cosines of all first texts with all second ones, (N, M).

        Vectors that `embed` has given can stand in place of texts. A single text takes its axis
        away: two texts give a number.

        Raises:
            CorpusError: an element is no text.
            SettingError: vectors are not finite, or of another size.
        """
        return text_cosines(self.embed, self.vector_size, firsts, seconds)

    @checked_arguments
    def similarity_pairwise(self, firsts: Any, seconds: Any) -> Any:
        """Return the cosine of each first text with the second one at the same index, (N,).

        Vectors that `embed` has given can stand in place of texts; two texts give a number.

        Args:
            firsts: N texts, or their vectors (N, D).
            seconds: N texts, or their vectors (N, D).

        Raises:
            CorpusError: an element is no text.
            SettingError: vectors are not finite, or of another size or number.
        """
        return paired_cosines(self.embed, self.vector_size, firsts, seconds)

    def show(self, lines: Sequence[str]) -> list[Shown]:
        """Return how near the lines are to each other, and what each token adds.

        Raises:
            CorpusError: a line is empty.
        """
        vectors = self.embed(list(lines), normalize=False)
        near = nearest(lines, vectors)
        each = [
            Shown(own.title, (*self._shares((line,), other), *own.parts))
            for line, other, own in zip(lines, near, super().show(lines), strict=True)
        ]
        return [*all_texts(lines, vectors), *each]

    def insight(self, texts: Texts) -> list[Part]:
        """Return nothing: what each token adds depends on the other lines."""
        return []

    @torch.inference_mode()
    def _shares(self, texts: Texts, near: NearText | None) -> list[Part]:
        """Return how much of the vector of a text each token gives."""
        examples, network = self.input_examples(texts), self.exact_network()
        if len(examples) > 1:
            return []
        inputs = examples.batch(np.zeros(1, np.int64)).inputs.to(network.backbone.embedding.device)
        states = network.backbone(inputs).last[0].float().cpu().numpy()
        name = namer(self.base.tokenizer, examples.rows.spelling)
        tokens = [*map(name, inputs.ids[0].tolist())]
        return share_parts(tokens, states, self.head.pooling, near)

    def input_examples(self, texts: Texts) -> PaddedExamples:
        """Return the windows of a text."""
        framing, reader = self.base.framing(self.head.config.max_length), self.base.reader()
        [windows] = [
            framing.windows(ids, framing.check_overlap(None)) for ids in reader.encode_batch(texts)
        ]
        if not windows:
            raise CorpusError("The text is empty: there is nothing to look at.")
        ragged = Ragged(windows, reader.spelling)
        return PaddedExamples(ragged, {}, pad=self.base.pad, visibility=self.base.visibility)

    def answer_rows(self, rows: Sequence[SentenceRow]) -> SentenceAnswers:
        """Return how similar the texts of rows are, and where the right ones are found.

        Raises:
            CorpusError: rows have no scores, or no second texts, and those of the training had.
        """
        self.check_kind(rows)
        return sentence_answers(rows, lambda texts: DenseVectors(self.embed(texts)))

    def records(self, inputs: Sequence[Input], top: Top) -> list[Record]:
        """Return the vector of each text."""
        vectors = self.embed([text for (text,) in inputs])
        return [{"vector": [round(float(x), 6) for x in vector]} for vector in vectors]

    def shown(self, record: Record) -> str:
        """Return the text, and its vector as JSON has it."""
        return f"{record['text']}\t{record['vector']}"

    def _pooled(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors (N, D) of texts, of any length, before they are normalised."""
        framing, reader = self.base.framing(self.head.config.max_length), self.base.reader()
        overlap = framing.check_overlap(None)
        windows = [framing.windows(ids, overlap) for ids in reader.encode_batch(texts)]
        rows = [row for text in windows for row in text]
        if not rows:
            return np.zeros((len(texts), self.vector_size), np.float32)
        examples = PaddedExamples(
            Ragged(rows, reader.spelling), {}, pad=self.base.pad, visibility=self.base.visibility
        )
        vectors = np.stack(self.outputs(examples))  # (rows, D)
        owners = np.repeat(np.arange(len(texts)), [*map(len, windows)])
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        return pool_texts(vectors, owners, lengths, len(texts), self.head.pooling)

    def _targets(
        self, rows: Sequence[SentenceRow], groups: Sequence[tuple[str, ...]]
    ) -> dict[str, NDArray[Any]]:
        if rows[0].kind == "scores":
            return {SCORES: np.array(scores_of(rows), np.float32)}
        numbers: dict[str, int] = {}
        every = [[numbers.setdefault(text, len(numbers)) for text in group] for group in groups]
        return {TEXTS: np.array(every, np.int64)}
