"""`auto`: the best known way to learn a task from these rows and texts; it says which and why.

What it knows is measured (docs/results.md, "Few labels, many texts"). Of classification: with few
labels, vectors that were pretrained on texts of the same kind are worth more than any network, and
cross-validation weighs them beside the words, which win once labels are many. Of tagging: a linear
chain over words and their vectors, up to some thousands of sentences; from there on a BiLSTM with a
CRF over vectors of words and their n-grams. Of pairs: the overlap of their words, which vectors of
the texts do not make better.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self, cast

from foretext.base.counted import number_of
from foretext.base.errors import SettingError
from foretext.base.files import atomic_file
from foretext.base.registry import imported
from foretext.base.runtime import command
from foretext.finetuning.base_names import AUTO
from foretext.finetuning.embeddings import EmbeddingLearner
from foretext.finetuning.learner import OF_TRAINING, Learner, Record
from foretext.finetuning.linear import LinearPairLearner, LinearTagLearner
from foretext.finetuning.task_rows import TaskRows
from foretext.messages import clauses, message
from foretext.pretraining.pretraining import run_recipe
from foretext.progress.run_context import RunContext
from foretext.recipe import Recipe
from foretext.run_folder import RunFolder
from foretext.tasks.classification.embeddings.classifier import refuse_idle
from foretext.tasks.classification.embeddings.views import EmbeddedTexts
from foretext.tasks.predictor import Predictor
from foretext.tasks.tagging.linear_features import FrozenVectors
from foretext.tasks.task import task_named

__all__ = ["AutoLearner", "pretraining_seconds", "usual_settings"]

NETWORK = "foretext.finetuning.network:NetworkLearner"  # imports PyTorch
TAGGER = "lstm"  # over word vectors, or from scratch
PRETRAINED = {  # what is pretrained
    "classification": ("doc2vec", "word2vec"),
    "matching": (),
    "tagging": ("fasttext",),  # of a network
}
OF_CHAIN = ("word2vec",)  # of a linear chain: a fraction of the time of fasttext

SECTIONS = {  # of settings, by what is learned
    "classification": ("embeddings", "finetuning", "rows"),
    "matching": ("linear", "finetuning", "rows"),
    "tagging": ("task", "training", "backbone", "tokenizer", "linear", "finetuning", "rows"),
}

AT_ONCE: dict[str, type[Learner]] = {  # what learns a task without steps
    "classification": EmbeddingLearner,
    "matching": LinearPairLearner,
}
MANY_PAIRS = 2000  # labelled ones, from which on a network may be better
MANY_SENTENCES = 5000  # from which on a network may tag better than a linear chain: a guess
OF_TAGGER = ("task", "training", "backbone", "tokenizer")  # sections that a network alone has

TEXTS = "texts.jsonl"  # in the folder of what is pretrained
LEAST_BYTES = 100_000  # of text, below which vectors learn little
WORD_BYTES = 6.0  # of a word and a blank, about
MANY_WORDS = 1_000_000  # from here on a word must occur five times, else twice
WORDS_SEEN, EPOCHS = 30e6, (5, 20)  # in all epochs together; epochs at least and at most
WORDS_A_SECOND = 1e6  # of pretraining, on two slow cores
PRETRAINING_RATE = 0.5  # of the time of the command, for all pretrainings, at most


@dataclass(frozen=True)
class AutoLearner(Learner):
    """Pretrains on the texts, and learns the task by what suits the rows."""

    origin = AUTO
    method = "chosen by the rows"
    sections = ("task", "finetuning", "training", "backbone", "tokenizer", "embeddings", "linear")
    uses = frozenset({"valid_rate", "refit", "baseline", "seeds"})  # seeds are of networks
    has_baseline = True
    learns_from_texts = True
    pretrains = True
    takes_others = True
    usual = OF_TRAINING
    usual_of_tasks = MappingProxyType({task: learner.usual for task, learner in AT_ONCE.items()})

    @classmethod
    def predictor_of(cls, task: str) -> type[Predictor]:
        """Return the class of what is learned.

        Raises:
            SettingError: it is another task than classification, matching or tagging.
        """
        if task not in SECTIONS:
            *first, last = SECTIONS
            raise SettingError(
                f"BASE = 'auto': it learns {', '.join(first)} and {last}, not {task}; give another "
                "BASE."
            )
        if task in AT_ONCE:
            return AT_ONCE[task].predictor_of(task)
        return cast(type[Predictor], task_named(task).model)

    @property
    def needs_held_out_rows(self) -> bool:
        """For figures, or to choose the weights of a network by."""
        return self.job.recipe.test is None or self.job.recipe.task not in AT_ONCE

    def check(self) -> None:
        """Refuse a teacher and a search, which this choice has no use for."""
        super().check()
        recipe = self.job.recipe
        given = {"--search": recipe.search_seconds, "--teacher": recipe.teacher}
        self.refuse_options(given, "'auto'; leave it out.")
        used = SECTIONS[recipe.task]
        if idle := [name for name, own in self.settings.items() if own and name not in used]:
            raise SettingError(
                f"[{idle[0]}] has no effect on 'auto' for {recipe.task}, which reads: "
                f"{', '.join(used)}; leave it out."
            )
        checks = {
            "classification": self._check_frozen,
            "matching": self._check_pairs,
            "tagging": self._check_tagger,
        }
        checks[recipe.task]()

    def _check_frozen(self) -> None:
        """Refuse settings of linear heads, and bases that embed nothing, before any pretraining."""
        learner = EmbeddingLearner(self.job, self.settings)
        self._refuse_idle(learner)
        learner.check_texts()
        views = [EmbeddedTexts.of(base, learner.config, name) for name, base in learner.bases]
        refuse_idle(learner.config, views, weighs=True)

    def _check_pairs(self) -> None:
        """Refuse texts and vectors, which make nothing better, and times."""
        recipe, learner = self.job.recipe, LinearPairLearner(self.job, self.settings)
        self.refuse_options(
            {"--unlabelled": recipe.unlabelled, "--with": recipe.beside or None},
            "'auto' for matching: vectors of the texts added nothing to the words that both share; "
            "leave it out, or give vectors as BASE, for a network over them.",
        )
        self._refuse_idle(learner)
        learner.check()

    def _refuse_idle(self, learner: Learner) -> None:
        if idle := self.finetuning.changed - learner.uses:
            raise SettingError(
                f"[finetuning] {min(idle)} has no effect on 'auto' for {self.job.recipe.task}; "
                "leave it out."
            )

    def _check_tagger(self) -> None:
        """Refuse what the linear chain or the network would refuse, before any pretraining."""
        recipe = self.job.recipe
        if self._wants_network and self._wants_chain:
            raise SettingError(
                f"{self._wants_chain} is of a chain, and {self._wants_network} of a network; "
                "leave one of the two out."
            )
        if len(recipe.beside) > 1:
            raise SettingError(message("options.finetune.one_base", number=len(recipe.beside)))
        if recipe.beside and recipe.unlabelled is not None:
            raise SettingError(message("options.finetune.unlabelled_beside"))
        if self._wants_network:
            self._network([*recipe.beside, self._tagger_name][0], is_pretrained=False)
            return
        _ = self._chain(None).config
        if recipe.beside:
            FrozenVectors.of(recipe.beside[0])

    @property
    def _wants_network(self) -> str:
        """The setting of the user that a network alone has; "": there is none."""
        sections = [f"[{name}]" for name in OF_TAGGER if self.settings.get(name)]
        idle = [f"[finetuning] {name}" for name in self.finetuning.changed - LinearTagLearner.uses]
        return next(iter([*sections, *sorted(idle)]), "")

    @property
    def _wants_chain(self) -> str:
        """Likewise, of a linear chain."""
        idle = [f"[finetuning] {name}" for name in self.finetuning.changed & {"refit"}]
        return next(iter([*(["[linear]"] if self.settings.get("linear") else []), *idle]), "")

    def _chain(self, pretrained: Path | None) -> LinearTagLearner:
        """Return the linear chain over vectors that were pretrained; None: over those of --with."""
        return LinearTagLearner(self.job, self.settings, pretrained)

    def seed_of(self, seed: int) -> int:
        """Return the seed of what is learned, by which rows are held out, too."""
        section, first = {"classification": ("embeddings", 0), "tagging": ("training", 1)}.get(
            self.job.recipe.task, ("", 0)
        )
        return int(self.settings.get(section, {}).get("seed", first)) + seed

    def start(self, rows: TaskRows) -> Self:
        """Pretrain what suits rows and texts, and return what learns on it."""
        choices = {
            "classification": self._over_frozen,
            "matching": self._of_pairs,
            "tagging": self._tagger,
        }
        return cast(Self, choices[self.job.recipe.task](rows).start(rows))

    def _over_frozen(self, rows: TaskRows) -> Learner:
        """Return linear heads on vectors and on words."""
        bases = self._pretrained(rows, [*PRETRAINED["classification"]])
        learner = EmbeddingLearner(self.job, self.settings, pretrained=tuple(bases))
        kinds = ", ".join([*map(str, self.job.recipe.beside), *(base.name for base in bases)])
        key = "notes.auto.heads" if kinds else "notes.auto.heads_on_words"
        self.job.note(message(key, rows=number_of("row", len(rows.train)), kinds=kinds))
        return learner

    def _of_pairs(self, rows: TaskRows) -> Learner:
        """Return a regression on overlaps; with many rows, say which network to compare with."""
        parts = [message("notes.auto.pairs", rows=number_of("row", len(rows.train)))]
        parts += [message("notes.auto.many_pairs")] if len(rows.train) >= MANY_PAIRS else []
        self.job.note(clauses(parts))
        return LinearPairLearner(self.job, self.settings)

    def _tagger(self, rows: TaskRows) -> Learner:
        """Return a linear chain over vectors and words, or of many sentences a network."""
        given, name = self.job.recipe.beside, self._tagger_name
        many = len(rows.train) > MANY_SENTENCES
        is_chain = not self._wants_network and bool(self._wants_chain or not many)
        kinds = OF_CHAIN if is_chain else PRETRAINED["tagging"]
        found = self._pretrained(rows, kinds) if rows.unlabelled else []
        if is_chain:
            with_vectors = given[0] if given else found[0].name if found else None
            key = "chain_on_words" if with_vectors is None else "chain"
            key = f"notes.auto.{key}" if many else f"notes.auto.{key}_of_few"
            known = {"most": MANY_SENTENCES, "vectors": with_vectors}
            self.job.note(message(key, rows=number_of("row", len(rows.train)), **known))
            return self._chain(found[0] if found else None)
        learner = self._network([*given, *found, name][0], is_pretrained=bool(found))
        key = "network_on" if found else "network_over"
        key = key if given or found else "random_network"
        known = {"name": name, "base": given[0] if given else found[0].name if found else None}
        self.job.note(message(f"notes.auto.{key}", rows=number_of("row", len(rows.train)), **known))
        return learner

    @property
    def _tagger_name(self) -> str:
        return str(self.settings.get("backbone", {}).get("name", TAGGER))

    def _network(self, base: Any, *, is_pretrained: bool) -> Learner:
        """Return the network on a base, whose settings are checked.

        Args:
            base: a path, an opened model or a name.
            is_pretrained: whether it is vectors that were pretrained for this run.
        """
        settings = dict(self.settings)
        if is_pretrained:
            settings["backbone"] = {"name": TAGGER, **settings.get("backbone", {})}
        recipe = replace(self.job.recipe, base=base, beside=(), unlabelled=None, settings=settings)
        job = replace(self.job, recipe=recipe, given=self.job.recipe)
        learner: Learner = imported(NETWORK)(job, settings)
        learner.check()
        return learner

    def _pretrained(self, rows: TaskRows, names: Sequence[str]) -> list[Path]:
        """Pretrain vectors on the texts, or take those of an interrupted run, or of another one."""
        texts = self._texts(rows)
        if texts.stat().st_size < LEAST_BYTES:
            self.job.note(message("notes.auto.little", bytes=texts.stat().st_size))
            return []
        own = self.task.texts(rows.train).running_settings()
        return [self._pretrained_by(name, texts, own, len(names)) for name in names]

    def _pretrained_by(self, name: str, texts: Path, own: dict[str, Any], together: int) -> Path:
        """Pretrain by a recipe.

        Args:
            name: of the recipe.
            texts: the file.
            own: settings of the tokenizer, which suit the rows.
            together: pretrainings of the run.
        """
        run = RunFolder(texts.parent / name)
        if run.finished:
            return run.path
        num_bytes, share = texts.stat().st_size, None
        if self.job.budget is not None:
            share = PRETRAINING_RATE * self.job.budget.seconds / together
            share = share if pretraining_seconds(num_bytes) > share else None
        settings = usual_settings(num_bytes)
        settings["tokenizer"] |= own
        if share is not None:
            settings["vectors"] = {}
        self.job.note(message("notes.auto.pretrained", name=name))
        with command():  # whose budget counts from here
            run_recipe(
                Recipe.load(name, settings), [str(texts)], run.path, budget=share,
                resume=run.begun, quiet=self.job.quiet,
            )  # fmt: skip
        return run.path

    def _texts(self, rows: TaskRows) -> Path:
        """Write all texts of the run into one file, a document each, unless that was done."""
        path = self.job.pretrained / TEXTS
        if path.is_file():
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = [*(row.text for row in rows.unlabelled), *self.task.texts(rows.train).running]
        with (
            atomic_file(path) as temporary,
            temporary.open("w", encoding="utf-8", newline="\n") as file,
        ):
            file.writelines(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts)
        return path

    def train(self, rows: TaskRows, seed: int, context: RunContext) -> tuple[Predictor, Record]:
        """Learn by what `start` returns."""
        raise AssertionError("start() returns what learns")

    def resolved(self, model: Any, rows: TaskRows) -> dict[str, dict[str, Any]]:
        """Return the settings of what `start` returns."""
        raise AssertionError("start() returns what learns")


def usual_settings(num_bytes: int) -> dict[str, dict[str, Any]]:
    """Return the settings of a pretraining of vectors on a text of so many bytes, by section."""
    words = num_bytes / WORD_BYTES
    return {
        "vectors": {"epochs": _epochs(words)},
        "tokenizer": {"min_count": 5 if words > MANY_WORDS else 2},
    }


def pretraining_seconds(num_bytes: int) -> float:
    """Return how long that takes, about."""
    words = num_bytes / WORD_BYTES
    return _epochs(words) * words / WORDS_A_SECOND


def _epochs(words: float) -> int:
    fewest, most = EPOCHS
    return min(max(round(WORDS_SEEN / words), fewest), most)
