"""How much of a text several recipes together have time to prepare, measured on a sample."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from foretext.base.files import temporary_folder
from foretext.base.runtime import usable_cores
from foretext.corpus import Corpus
from foretext.data.token_writer import write_tokens
from foretext.objectives import OBJECTIVES
from foretext.pretraining.job import Sources
from foretext.pretraining.learner import learner_of
from foretext.pretraining.plan.growth import Growth, affordable_bytes, measured_growth
from foretext.pretraining.plan.sample import CorpusSample
from foretext.pretraining.plan.stopwatch import Timer
from foretext.pretraining.shared import LEFT_TO_RUNS
from foretext.pretraining.word_vectors import WordText
from foretext.recipe import Recipe
from foretext.recipe.text_settings import suited
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import SUBWORDS, learn_subwords

__all__ = ["Work", "affordable_text"]

SAMPLE = 1 << 20  # characters that are timed; of less text, all is read


def affordable_text(
    recipes: Sequence[Recipe],
    corpus: Sources,
    seconds: float,
    *,
    timer: Timer = time.monotonic,
) -> int | None:
    """Return how many stored bytes of a corpus these recipes together have time to prepare.

    What several of them need alike counts once. A text of less than a megabyte is not timed, nor
    is one whose length nobody knows, nor a recipe that cannot learn from the text.

    Args:
        recipes: of word vectors and language models.
        corpus: what all of them learn from.
        seconds: for tokenizers and ids, all together, and for this look at them.
        timer: counts seconds.

    Returns:
        The bytes, at least those of a block; None: all.

    Raises:
        CorpusError: the corpus cannot be read, or there is nothing to learn in it.
    """
    began, work = timer(), Work(timer)
    stored, fewest, every = 0, 0, 0
    for recipe in recipes:
        text = Corpus(corpus, recipe.corpus)
        sample = CorpusSample(text, SAMPLE)
        if sample.whole or text.num_bytes is None:
            return None
        stored, every = text.num_bytes, max(every, sample.corpus_bytes)
        fewest = max(fewest, sample.beginning().num_bytes)
        with suppress(*LEFT_TO_RUNS):
            learner_of(recipe).time_reading(work, suited(recipe, text).recipe, sample)
    left = seconds - (timer() - began)
    read = max(affordable_bytes(work.known.values(), left, every), fewest)
    return None if read >= every else round(stored * read / every)


@dataclass
class Work:
    """What the recipes need of a text, each kind of work once."""

    timer: Timer
    known: dict[tuple[str, ...], Growth] = field(default_factory=dict)
    tokenizers: dict[tuple[str, ...], SubwordTokenizer] = field(default_factory=dict)

    def add_words(self, recipe: Recipe, sample: CorpusSample) -> None:
        """Time how words are counted and looked up, unless another recipe does the same."""
        key = (recipe.corpus.model_dump_json(), recipe.tokenizer.model_dump_json())
        if key in self.known:
            return

        def read(text: CorpusSample) -> None:
            with temporary_folder() as folder, WordText.opened(recipe, text, folder) as words:
                words.encoded(words.counted(), folder / "tokens")

        is_cut = recipe.tokenizer.pre_tokenizer == "chinese_words"
        workers = recipe.of_words.workers if is_cut else 1
        self.known[key] = measured_growth(read, sample, workers=workers, timer=self.timer)

    def add_subwords(self, recipe: Recipe, sample: CorpusSample) -> None:
        """Time how a tokenizer is learned and used, unless another recipe does the same."""
        kind, config = recipe.parts["tokenizer"]
        key = (recipe.corpus.model_dump_json(), str(kind), config.model_dump_json())

        def learn(text: CorpusSample) -> None:
            settings, workers = config.model_dump(), usable_cores()
            self.tokenizers[key] = learn_subwords(str(kind), settings, text, workers=workers)

        if key not in self.known:
            most = SUBWORDS.resolve(str(kind)).learned_bytes(config, sample.texts[0])
            self.known[key] = measured_growth(learn, sample, most=most, timer=self.timer)
        self._add_ids(recipe, sample, key)

    def _add_ids(self, recipe: Recipe, sample: CorpusSample, learned: tuple[str, ...]) -> None:
        name, config = recipe.parts["objective"]
        tokenizer = self.tokenizers[learned]
        segmenter = OBJECTIVES.resolve(str(name)).text_rules.segmenter(config, tokenizer)
        key = (*learned, "ids", "" if segmenter is None else segmenter.fingerprint)
        if key in self.known:
            return

        def encode(text: CorpusSample) -> None:
            with temporary_folder() as folder:
                path, workers = folder / "tokens", usable_cores()
                write_tokens(text, tokenizer, path, workers=workers, segmenter=segmenter)

        workers = usable_cores() if segmenter is not None and segmenter.is_slow else 1
        self.known[key] = measured_growth(encode, sample, workers=workers, timer=self.timer)
