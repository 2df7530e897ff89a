"""The tokenizer and the ids of a language model's text, shared by all runs that need the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from foretext.base.runtime import usable_cores
from foretext.corpus import Corpus
from foretext.corpus.text_shards import TextShards
from foretext.data.token_file import TokenFile, Tokens
from foretext.data.token_writer import write_tokens
from foretext.messages import message
from foretext.pretraining.building import objective_class
from foretext.pretraining.shared import SharedFolder
from foretext.progress import Progress
from foretext.recipe import Recipe
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords

__all__ = ["SharedText", "learned_tokenizer"]

FILE = "tokenizer.json"


@dataclass(frozen=True)
class SharedText:
    """A text, and the folder where what is made of it is kept.

    Attributes:
        folder: of the parts.
        text: as the recipes read it; where it ends is decided.
        quiet: show no progress.
    """

    folder: SharedFolder
    text: Corpus
    quiet: bool = True

    def tokenizer(self, recipe: Recipe) -> SubwordTokenizer:
        """Return the tokenizer that a recipe learns of the text, without a frame."""
        kind, config = recipe.parts["tokenizer"]

        def learn(folder: Path) -> None:
            learned_tokenizer(recipe, self.text, quiet=self.quiet).save(folder / FILE)

        of = (self.text.fingerprint, str(kind), config.model_dump_json())
        return SubwordTokenizer.load(self.folder.part("tokenizers", of, learn) / FILE)

    def ids(self, recipe: Recipe, tokenizer: SubwordTokenizer) -> TokenFile:
        """Return the whole text as ids, with the marks that a recipe's objective needs.

        Args:
            recipe: of a language model.
            tokenizer: of the text, with any frame.
        """
        objective = recipe.parts["objective"].config
        segmenter = objective_class(recipe).text_rules.segmenter(objective, tokenizer)

        def encode(folder: Path) -> None:
            text = self.text
            with Progress(
                message("progress.encoding_text"), text.num_bytes, "bytes", quiet=self.quiet
            ) as bar:
                write_tokens(
                    text,
                    tokenizer,
                    folder / "tokens",
                    workers=usable_cores(),
                    progress=bar,
                    segmenter=segmenter,
                )

        marked_by = "" if segmenter is None else segmenter.fingerprint
        of = (self.text.fingerprint, tokenizer.fingerprint, marked_by)
        folder = self.folder.part("ids", of, encode)
        return Tokens.open(folder / "tokens", vocab_size=tokenizer.vocab_size).train

    def prepared(self, recipe: Recipe) -> tuple[SubwordTokenizer, TokenFile]:
        """Return both."""
        tokenizer = self.tokenizer(recipe)
        return tokenizer, self.ids(recipe, tokenizer)


def learned_tokenizer(
    recipe: Recipe, text: Corpus, *, quiet: bool = True, shards: TextShards | None = None
) -> SubwordTokenizer:
    """Learn the tokenizer of a recipe, with a bar; with `shards`, processes count its words.

    Raises:
        CorpusError: there is nothing to learn in the text.
        SettingError: a setting does not suit it.
    """
    kind, config = recipe.parts["tokenizer"]
    with Progress(
        message("progress.learning", kind=kind), text.num_bytes, "bytes", quiet=quiet
    ) as bar:
        return learn_subwords(
            str(kind),
            config.model_dump(),
            text,
            workers=usable_cores(),
            progress=bar,
            shards=shards,
            form=recipe.corpus.normalization,
        )
