"""A candidate: one way from text and rows to a model, which a comparison tries.

What its name stands for:

linear                     what `foretext finetune` learns on by name: a learner or a network
modern-bert                a recipe, or a TOML file: pretrained on the corpus, then fine-tuned
word2vec + bilstm          a recipe of word vectors, and the network over them
doc2vec + linear           any recipe or path: its vectors as they are, under a linear head
doc2vec + linear + words   the same, beside the words
runs/bert, untouched       its vectors alone, without any training, where they answer the rows
bert, not pretrained       the same network with random weights, at size tiny if none is named
modern-bert + words        any network, whose head reads words as the linear classifier does
ibm model 1                the baseline of a task
runs/bert                  a run, a folder of another library or a vector file
my_package.nets:Mixer      a backbone from outside foretext
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from foretext.base.errors import SettingError, did_you_mean
from foretext.base.sizes import SIZES, split_size
from foretext.finetuning.base_names import AUTO, EMBEDDINGS, LEARNERS, base_names
from foretext.finetuning.bases import is_name
from foretext.recipe import Recipe
from foretext.recipe.named_recipe import is_recipe_name, read_recipe
from foretext.recipes import recipe_names
from foretext.tasks.task import Candidates, task_named

__all__ = [
    "BASELINE",
    "GROUPS",
    "OVER",
    "UNTOUCHED",
    "Candidate",
    "Sections",
    "named_candidate",
    "untouched_name",
]

Sections = Mapping[str, Mapping[str, Any]]

BASELINE = "baseline"  # as a base: the task's baseline of seconds, where no learner has its name
UNTOUCHED = "untouched"  # as a base: one that answers by its vectors, without any training
HALF = 0.5
LONGEST = 80  # characters of a folder's name
GROUPS = ("classical", "vectors", "from scratch", "pretrained", "given")  # in the order of the page

NOT_PRETRAINED, OVER, WORDS = ", not pretrained", " + ", "words"
AS_IT_IS = f", {UNTOUCHED}"
FROZEN = "linear"  # over a base that stays as it is

DOCUMENTS = "doc2vec"  # whose vectors are not those of words
NETWORKS = {"bilstm": "lstm"}  # names of the table, and the base that they stand for

# Seconds of two cores that a fair look at a text classifier takes, pretraining included.
LEARNER_SECONDS, NETWORK_SECONDS, VECTOR_SECONDS, GIVEN_SECONDS = 2.0, 10.0, 15.0, 15.0
RECIPE_SECONDS = {
    "modern-bert": 30.0, "bert": 30.0, "ernie": 30.0, "gpt": 30.0, "lstm-lm": 30.0, "unilm": 35.0,
    "electra": 35.0, "xlnet": 45.0, "t5": 45.0, "bart": 45.0, "elmo": 60.0,
}  # fmt: skip
SLOWEST = 60.0  # of any other recipe
WORDS_SECONDS = 3 * LEARNER_SECONDS  # that words take beside a network: two folds at least

UNTOUCHED_RATE = 0.95  # of the time of a recipe whose vectors answer as they are
FROZEN_SECONDS, FROZEN_RATE = 10.0, 0.8  # of vectors under a linear head, which takes seconds

FINETUNING_SECONDS = 60.0  # that a network wants for the rows, before its pretraining gets more


@dataclass(frozen=True)
class Candidate:
    """One way from text and rows to a model.

    Attributes:
        name: of the row in the table; no other candidate has it.
        base: what the task is learned on, as `foretext finetune` has it: a name or a path; None:
            the run of its own pretraining; `BASELINE`: the task's baseline of seconds.
        recipe: of its own pretraining; None: nothing is pretrained.
        pretraining: settings of the pretraining by section, over those of the recipe.
        settings: of the fine-tuning, by section.
        is_frozen: whether a linear head is learned on its base as it is, by the learner
            "embeddings".
        is_untouched: whether the vectors of its base answer the rows, and nothing is learned.
        group: one of `GROUPS`: color and order on the page.
        least_seconds: a fair look at it takes so long at least, on two cores.
        pretraining_rate: share of its time that goes to pretraining, at most.
        finetuning_seconds: that its fine-tuning wants; where its time is short, half of it at most
            goes to pretraining.

    Raises:
        SettingError: these do not go together.
    """

    name: str
    base: str | None
    recipe: str | None = None
    pretraining: Sections = field(default_factory=dict)
    settings: Sections = field(default_factory=dict)
    is_frozen: bool = False
    is_untouched: bool = False
    group: str = "given"
    least_seconds: float = 0.0
    pretraining_rate: float = 0.0
    finetuning_seconds: float = 0.0

    def __post_init__(self) -> None:
        if problem := self._problem():
            raise SettingError(f"The candidate '{self.name}' {problem}.")

    @property
    def folder(self) -> str:
        """The name of its folder: letters of any script, digits and hyphens."""
        return re.sub(r"[\W_]+", "-", self.name.lower()).strip("-")[-LONGEST:].strip("-")

    @property
    def pretrains(self) -> bool:
        """Whether it has a pretraining of its own."""
        return self.recipe is not None

    @property
    def is_measure(self) -> bool:
        """Whether it is no model to keep, but what models are measured against."""
        return self.is_untouched or self.base == BASELINE

    @property
    def needs_network(self) -> bool:
        """Whether it needs PyTorch."""
        return self.group != "classical" and not (self.is_frozen and self.group == "vectors")

    def pretraining_seconds(self, seconds: float) -> float:
        """Return how much of its time goes to pretraining.

        A network that had no time for the rows says nothing about its pretraining, however long
        that was.

        Args:
            seconds: that it has.
        """
        wanted = seconds - self.finetuning_seconds
        return min(self.pretraining_rate * seconds, max(wanted, HALF * seconds))

    def _problem(self) -> str | None:
        if not self.folder:
            return "has no letter or digit in its name; give it another one"
        if self.group not in GROUPS:
            return f"has group = {self.group!r}; the groups are: {', '.join(GROUPS)}"
        if self.pretrains != (self.base is None):
            return "needs either a recipe to pretrain by, or a base; name one of the two"
        if self.pretrains != (0 < self.pretraining_rate < 1):
            return (
                f"has pretraining_rate = {self.pretraining_rate}; give a share between 0 and 1 "
                "where it has a recipe, and 0 where it has none"
            )
        return None


def named_candidate(name: str, task: str) -> Candidate:
    """Return the candidate of a name; nothing is imported for it that is heavy.

    Args:
        name: see above.
        task: that it learns.

    Raises:
        SettingError: nothing has this name.
    """
    if name == AUTO:
        raise SettingError(
            "The candidate 'auto': it chooses by itself what `compare` would try; name what it "
            "chooses from, such as 'doc2vec + linear + words'."
        )
    network, over, words = (part.strip() for part in name.rpartition(OVER.strip()))
    if over and words == WORDS:
        return _with_words(name, named_candidate(network, task), task)
    stem = name.removesuffix(AS_IT_IS)
    if stem != name:
        return _untouched(name, stem, task)
    stem = name.removesuffix(NOT_PRETRAINED)
    if stem != name:
        return _not_pretrained(name, stem, task)
    if name in (BASELINE, _of(task).baseline):
        return _baseline(name, task)
    if over and words == FROZEN:
        return _frozen(network, task)
    recipe, over, network = (part.strip() for part in name.partition(OVER.strip()))
    if over and is_recipe_name(recipe):
        return _over_vectors(recipe, network, task)
    if name in LEARNERS and (task == "classification" or not is_recipe_name(name)):
        return Candidate(name, name, group="classical", least_seconds=LEARNER_SECONDS)
    if is_recipe_name(name):
        return _pretrained(name, task)
    if name in NETWORKS or is_name(name):
        seconds = NETWORK_SECONDS * _of(task).slowness
        base, settings = _network(name, task)
        return Candidate(name, base, settings=settings, group="from scratch", least_seconds=seconds)
    if Path(name).exists():
        return _given(name, task)
    raise _unknown(name, task)


def _of(task: str) -> Candidates:
    """Return what a task says of its candidates."""
    return task_named(task).candidates


def _with_words(name: str, network: Candidate, task: str) -> Candidate:
    """A network whose head reads words, or words beside frozen vectors."""
    if network.is_frozen:
        settings = {**network.settings, EMBEDDINGS: {"words": True}}
        return replace(network, name=f"{network.name}{OVER}{WORDS}", settings=settings)
    features = _of(task).word_features
    if features is None or network.group == "classical":
        raise SettingError(
            f"The candidate '{name}': words are read beside a network that classifies texts or "
            "pairs, and this is none; leave the words out."
        )
    head = {**network.settings.get("task", {}), "word_features": features}
    return replace(
        network,
        name=f"{network.name}{OVER}{WORDS}",
        settings={**network.settings, "task": head},
        least_seconds=network.least_seconds + WORDS_SECONDS,
    )


def _baseline(name: str, task: str) -> Candidate:
    known, base = _of(task).baseline, _of(task).baseline_base or BASELINE
    if known is None:
        instead = " 'linear' is that of classification." if task == "classification" else ""
        raise SettingError(f"The task {task} has no candidate '{name}'.{instead}")
    return Candidate(known, base, group="classical", least_seconds=LEARNER_SECONDS)


def _pretrained(name: str, task: str) -> Candidate:
    """A recipe, a size of it, or a TOML file."""
    sections = read_recipe(name)
    if _learns_words(sections):
        return _over_vectors(name, _of(task).over_vectors, task)
    if "objective" not in sections:
        kind = Recipe.load(name).kind
        learns = f"learns {kind.name}, not words" if kind.reads_text else "does not learn from text"
        raise SettingError(f"The candidate '{name}' {learns}; leave it out.")
    seconds = RECIPE_SECONDS.get(split_size(name)[0], SLOWEST)
    return Candidate(
        name,
        None,
        recipe=name,
        group="pretrained",
        least_seconds=seconds * _of(task).slowness,
        pretraining_rate=_of(task).pretraining_rate,
        finetuning_seconds=FINETUNING_SECONDS,
    )


def _over_vectors(recipe: str, network: str, task: str) -> Candidate:
    """Word vectors of a recipe under a network."""
    if not is_recipe_name(recipe) or not _learns_words(read_recipe(recipe)):
        raise SettingError(
            f"The candidate '{recipe}{OVER}{network}': '{recipe}' is no recipe of word vectors; "
            "take word2vec, glove, fasttext or a TOML file with a section [vectors]."
        )
    base, settings = _network(network, task)
    return Candidate(
        f"{recipe}{OVER}{network}",
        None,
        recipe=recipe,
        settings={**settings, "backbone": {"name": base, **settings.get("backbone", {})}},
        group="vectors",
        least_seconds=VECTOR_SECONDS * _of(task).slowness,
        pretraining_rate=_of(task).vectors_rate,
    )


def _frozen(name: str, task: str) -> Candidate:
    """The vectors of a recipe, or of a given base, under a linear head."""
    whole = f"{name}{OVER}{FROZEN}"
    settings = {EMBEDDINGS: {"words": False}}
    if not is_recipe_name(name):
        if not Path(name).exists():
            raise _unknown(name, task)
        return replace(_given(name, task), name=whole, settings=settings, is_frozen=True)
    sections = read_recipe(name)
    if "vectors" not in sections and "objective" not in sections:
        raise SettingError(
            f"The candidate '{whole}': '{name}' is no recipe of vectors or of a language model; "
            "give the path of its run."
        )
    if "vectors" not in sections:
        network = replace(_pretrained(name, task), finetuning_seconds=0.0)
        return replace(
            network, name=whole, settings=settings, is_frozen=True, pretraining_rate=FROZEN_RATE
        )
    return Candidate(
        whole,
        None,
        recipe=name,
        settings=settings,
        is_frozen=True,
        group="vectors",
        least_seconds=FROZEN_SECONDS,
        pretraining_rate=FROZEN_RATE,
    )


def _network(name: str, task: str) -> tuple[str, dict[str, Mapping[str, Any]]]:
    """Return the base of a network's name, and the settings that suit the task."""
    if name in LEARNERS or not (name in NETWORKS or is_name(name)):
        known = [*NETWORKS, *base_names()]
        raise SettingError(f"There is no network '{name}'.{did_you_mean(name, known)}")
    pooling = _of(task).pooling.get(name)
    return NETWORKS.get(name, name), {} if pooling is None else {"task": {"pooling": pooling}}


def _not_pretrained(name: str, stem: str, task: str) -> Candidate:
    """The network of a recipe, or that of a given model, with random weights."""
    seconds = NETWORK_SECONDS * _of(task).slowness
    if not is_recipe_name(stem):
        given = named_candidate(stem, task)
        if given.group != "given":
            raise SettingError(f"The candidate '{name}': '{stem}' is not pretrained either.")
        fresh = {"finetuning": {"fresh": True}}
        return Candidate(name, stem, settings=fresh, group="given", least_seconds=GIVEN_SECONDS)
    sections = read_recipe(stem)
    if "backbone" not in sections:
        raise SettingError(
            f"The candidate '{name}': word vectors are all that {stem} learns; name the network "
            "alone, such as textcnn."
        )
    shape = dict(sections["backbone"])
    base = str(shape.pop("name"))
    reads_words = sections.get("tokenizer", {}).get("name") == "word"
    if split_size(stem)[1] is None and not reads_words and "num_layers" not in shape:
        shape |= SIZES["tiny"]._asdict()
    return Candidate(
        name, base, settings={"backbone": shape}, group="from scratch", least_seconds=seconds
    )


def untouched_name(name: str) -> str:
    """Return the name of the candidate that has the base of another one, and learns nothing."""
    return f"{name}{AS_IT_IS}"


def _untouched(name: str, stem: str, task: str) -> Candidate:
    """The vectors of a given model, or of what a recipe has pretrained, without any training."""
    whole = named_candidate(stem, task)
    if is_recipe_name(stem):
        return replace(
            whole,
            name=name,
            base=None,
            recipe=stem,
            settings={},
            is_untouched=True,
            pretraining_rate=UNTOUCHED_RATE,
            finetuning_seconds=0.0,
        )
    if whole.group != "given" or whole.base != stem:
        raise SettingError(
            f"The candidate '{name}': '{stem}' is no pretrained model; name a recipe or a path "
            "alone before the comma."
        )
    return replace(whole, name=name, least_seconds=0.0, is_untouched=True)


def _given(name: str, task: str) -> Candidate:
    """A run, a folder of another library, or a vector file."""
    seconds = GIVEN_SECONDS * _of(task).slowness
    return Candidate(name, name, group="given", least_seconds=seconds)


def _learns_words(sections: Sections) -> bool:
    """Whether a recipe learns word vectors, which a network can start from."""
    return sections.get("vectors", {}).get("name") not in (None, DOCUMENTS)


def _unknown(name: str, task: str) -> SettingError:
    known = [*recipe_names(), *NETWORKS, *base_names(), *filter(None, [_of(task).baseline])]
    hint = did_you_mean(name, known)
    return SettingError(
        f"There is no candidate '{name}'.{hint} Give a name of `foretext list --candidates {task}`,"
        " a recipe, a TOML file, or the path of a run, a model folder or a vector file."
    )
