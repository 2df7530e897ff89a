"""A text as word vectors learn from it: its words are counted, and it is encoded."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from foretext.base.files import atomic_file, temporary_folder
from foretext.corpus import Corpus
from foretext.corpus.blocks import Blocks
from foretext.corpus.segmented import SegmentedCorpus
from foretext.corpus.text_shards import TextShards
from foretext.data.token_file import TokenFile, Tokens
from foretext.data.token_writer import write_tokens
from foretext.pretraining.shared import SharedFolder
from foretext.progress import Progress
from foretext.recipe import Recipe
from foretext.tokenizers.word_tokenizer import COUNTS_FILE, WordTokenizer

__all__ = ["SharedWords", "WordText"]

FILE = "tokenizer.json"


class Measured(Blocks, Protocol):
    """A text whose length may be known, such as a corpus."""

    @property
    def num_bytes(self) -> int | None:
        """Bytes that are read; None: not known."""
        ...


@dataclass(frozen=True)
class WordText:
    """A text, and how a recipe of word vectors reads it.

    Attributes:
        recipe: of word vectors, with nothing open that the text decides.
        text: all that is read.
        words: the same for the tokenizer; Chinese has blanks between its words there.
        quiet: show no progress.
        shards: whose processes read the text, in the place of threads.
    """

    recipe: Recipe
    text: Measured
    words: Blocks
    quiet: bool = True
    shards: TextShards | None = None

    @classmethod
    @contextmanager
    def opened(
        cls,
        recipe: Recipe,
        text: Measured,
        folder: Path,
        *,
        quiet: bool = True,
        shards: TextShards | None = None,
    ) -> Iterator[WordText]:
        """Open a text; within `folder` is room for its words, which are cut once."""
        if recipe.tokenizer.pre_tokenizer != "chinese_words":
            yield cls(recipe, text, text, quiet, shards)
            return
        size, workers = text.num_bytes, recipe.vectors.workers
        with temporary_folder(folder) as temporary:
            words = SegmentedCorpus(text, temporary / "words", num_bytes=size, workers=workers)
            yield cls(recipe, text, words, quiet, shards)

    @property
    def is_cut(self) -> bool:
        """Whether words have blanks between them that the text has not."""
        return self.words is not self.text

    def counted(self) -> WordTokenizer:
        """Count the words of the text.

        Raises:
            CorpusError: no word occurs often enough.
        """
        with Progress("counting words", self.text.num_bytes, "bytes", quiet=self.quiet) as bar:
            tokenizer = WordTokenizer.learn(
                self.recipe.tokenizer,
                self.words,
                workers=self.recipe.vectors.workers,
                progress=bar,
                segmented=self.is_cut,
                shards=self.shards,
                form=self.recipe.corpus.normalization,
            )
            bar.total = self.text.num_bytes  # less than before where the time was over
        return tokenizer

    def encoded(self, tokenizer: WordTokenizer, folder: Path, *, valid_rate: float = 0.0) -> Tokens:
        """Encode the text into a folder."""
        with Progress("encoding text", self.text.num_bytes, "bytes", quiet=self.quiet) as bar:
            return write_tokens(
                self.words,
                tokenizer,
                folder,
                valid_rate=valid_rate,
                seed=self.recipe.vectors.seed,
                workers=self.recipe.vectors.workers,
                progress=bar,
                shards=self.shards,
            )


@dataclass(frozen=True)
class SharedWords:
    """A text as words and ids, which all runs share that count words in the same way.

    Attributes:
        tokenizer: of the text.
        ids: all of the text.
        folder: where both are kept.
    """

    tokenizer: WordTokenizer
    ids: TokenFile
    folder: Path

    @classmethod
    def of(
        cls, shared: SharedFolder, recipe: Recipe, text: Corpus, *, quiet: bool = True
    ) -> SharedWords:
        """Return what is shared of a text, which is made where no run has made it."""

        def read(folder: Path) -> None:
            with WordText.opened(recipe, text, folder, quiet=quiet) as words:
                tokenizer = words.counted()
                tokenizer.save(folder / FILE)
                words.encoded(tokenizer, folder / "tokens")

        of = (text.fingerprint, recipe.tokenizer.model_dump_json())
        folder = shared.part("words", of, read)
        tokenizer = WordTokenizer.load(folder / FILE)
        ids = Tokens.open(folder / "tokens", vocab_size=tokenizer.vocab_size).train
        return cls(tokenizer, ids, folder)

    def save(self, path: Path) -> None:
        """Write the tokenizer as ``tokenizer.json``, with the counts of its words beside it."""
        for name in (COUNTS_FILE, FILE):
            with atomic_file(path.with_name(name)) as temporary:
                shutil.copyfile(self.folder / name, temporary)
