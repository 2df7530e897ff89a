"""Words and entities, marked while a text is encoded: ids alone do not show them.

In Chinese above all, where each character is a token that begins a word for the tokenizer.

A list of entities as sequences of tokens, found wherever a text has the same tokens. Tokens are
compared, not characters: whatever the tokenizer makes equal, such as the case of letters, is
equal here. A pass over the ids costs less than encoding them, however long the list is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np

from foretext.base.errors import CorpusError
from foretext.corpus.chinese_words import jieba_version
from foretext.corpus.entity_list import read_entities
from foretext.corpus.jieba_processes import JiebaHelpers
from foretext.data.token_file import Encode, MarkedBlock, TokenFile, unit_bits
from foretext.kernels.longest_match import find_longest
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
        self._entity_tokens = _EntityTokens(self._names, tokenizer)

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


class _EntityTokens:
    """The tokens of each entity, sorted, so that a search narrows with each token.

    An entity with an unknown token is left out: it would be found in place of any other such one.

    Args:
        names: of the entities.
        tokenizer: of the text.
    """

    def __init__(self, names: Sequence[str], tokenizer: SubwordTokenizer) -> None:
        written = [*names, *(f" {name}" for name in names)]  # some tokenizers mark the blank
        block = tokenizer.encode_block("\n".join(written))  # one for each line
        ids = block.ids.tolist()
        edges = pairwise([*block.sentence_starts.tolist(), len(ids)])
        found = {tuple(ids[start:end]) for start, end in edges}
        unknown = tokenizer.special.unknown
        sequences = sorted(each for each in found if unknown not in each)
        self.starts = np.cumsum([0, *map(len, sequences)], dtype=np.int64)  # (E + 1,)
        self.tokens = np.array([token for ids in sequences for token in ids], np.uint32)
        first = np.array([ids[0] for ids in sequences], np.int64)
        self.firsts = np.searchsorted(first, np.arange(tokenizer.vocab_size + 1))  # (V + 1,)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def lengths(self, ids: np.ndarray, ends: np.ndarray, may_begin: np.ndarray) -> np.ndarray:
        """Return the tokens of the entity that begins at each place, (N,) int32; 0: none.

        The longest one is taken, from left to right.

        Args:
            ids: (N,) uint32.
            ends: (S,) int64, where each sentence ends; no entity goes beyond.
            may_begin: (N,) bool, where words begin; an entity ends before another such place.
        """
        found = np.zeros(len(ids), np.int32)
        if len(self):
            find_longest(ids, ends, may_begin, self.firsts, self.starts, self.tokens, found)
        return found
