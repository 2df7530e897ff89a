"""Words and entities, marked while a text is encoded: ids alone do not show them.

In Chinese above all, where each character is a token that begins a word for the tokenizer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from foretext.base.errors import CorpusError
from foretext.corpus.chinese_words import jieba_version
from foretext.corpus.entity_list import read_entities
from foretext.corpus.jieba_processes import JiebaHelpers
from foretext.data.entity_tokens import EntityTokens
from foretext.data.token_file import TokenFile
from foretext.data.units import Encode, MarkedBlock, unit_bits
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["Segmenter", "WordSource"]

WordSource = Literal["tokens", "jieba"]


class Segmenter:
    """Finds the words of a text, and the entities of a list.

    Args:
        tokenizer: of the text.
        words: "tokens": what the tokenizer marks; "jieba": jieba joins such words, which are the
            characters of Chinese text.
        entities: a file with one on each line; None: there are none.

    Raises:
        SettingError: the tokenizer does not mark where words begin.
        CorpusError: the file cannot be read, or has no entity.
        MissingExtraError: jieba is not installed.
    """

    def __init__(
        self,
        tokenizer: SubwordTokenizer,
        *,
        words: WordSource = "tokens",
        entities: str | Path | None = None,
    ) -> None:
        self.tokenizer, self.words, self.entities = tokenizer, words, entities
        self._marks = tokenizer.word_marks
        self._names = [] if entities is None else read_entities(Path(entities))
        self._entity_tokens = EntityTokens(self._names, tokenizer)

    @property
    def is_slow(self) -> bool:
        """Whether words take longer to find than a text to encode."""
        return self.words == "jieba"

    @cached_property
    def fingerprint(self) -> str:
        """Hexadecimal digest of what cuts words, and of the list."""
        parts = (self.words, jieba_version() if self.words == "jieba" else "", *self._names)
        return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @contextmanager
    def opened(self, workers: int = 1) -> Iterator[Encode]:
        """Encode and mark blocks within; so many threads may do so."""
        if self.words == "tokens":
            yield lambda text: self._marked(text, None)
        else:
            with JiebaHelpers(workers, "mark") as jieba:
                yield lambda text: self._marked(text, jieba.cut(text))

    def check(self, tokens: TokenFile) -> None:
        """Check that a text was marked by the same words and entities.

        Raises:
            CorpusError: it was not.
        """
        if tokens.segmenter != self.fingerprint:
            sources = [str(self.entities)] if self._names else []
            sources += ["jieba"] if self.words == "jieba" else []
            raise CorpusError(
                f"{' or '.join(sources)} has changed since {tokens.folder} was encoded with it; "
                "bring it back as it was, or begin a run in another folder."
            )

    def _marked(self, text: str, marks: str | None) -> MarkedBlock:
        block = self.tokenizer.encode_block(text)
        may_begin = self._marks.starts(block.ids)  # (N,) bool
        may_begin[block.sentence_starts] = True
        words = may_begin
        if marks is not None:
            words = may_begin & self._begins_piece(text, marks)
            words[block.sentence_starts] = True
        ends = np.append(block.sentence_starts[1:], len(block.ids))
        lengths = self._entity_tokens.lengths(block.ids, ends, may_begin)
        return MarkedBlock(block, unit_bits(words, lengths))

    def _begins_piece(self, text: str, marks: str) -> np.ndarray:
        """(N,) bool, the tokens that are in another piece of the text than the one before.

        Args:
            text: of which the tokens are.
            marks: "1" for each character that begins a piece.
        """
        pieces = np.cumsum(np.frombuffer(marks.encode("ascii"), np.uint8) == ord("1"))
        readable = text.encode("utf-8", "replace").decode()  # the library takes no lone surrogates
        sentences = readable.split("\n")
        encoded = self.tokenizer.encode_with_offsets(sentences)
        bases = np.cumsum([0, *(len(sentence) + 1 for sentence in sentences)])
        places = [
            base + found.offsets[:, 0] for base, found in zip(bases[:-1], encoded, strict=True)
        ]
        of_token = pieces[np.concatenate(places)] if places else pieces[:0]
        begins: np.ndarray = np.diff(of_token, prepend=-1) != 0
        return begins
