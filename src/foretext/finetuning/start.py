"""What a network starts a task with: pretrained weights, word vectors, or random weights."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import torch

from foretext.backbones import BACKBONES
from foretext.backbones.base import Backbone
from foretext.base.errors import SettingError
from foretext.corpus.decoding import Form
from foretext.finetuning.bases import NamedBackbone, Origin
from foretext.finetuning.checks import RATES
from foretext.finetuning.material import Material
from foretext.finetuning.recipe import BaseModel
from foretext.finetuning.word_start import completed, tokens_of_vectors
from foretext.heads.task_base import TaskBase
from foretext.tasks.model import TaskModel
from foretext.tasks.trainee import visibility_of
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Start", "find_start"]

Settings = Mapping[str, Any]
Sections = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Start:
    """What every training of a run starts with; `new_base` gives each of them its own."""

    origin: Origin
    whole: TaskBase  # is copied for each training, or gives the shape
    sections: Sections  # [backbone] and [tokenizer], resolved
    model: type[TaskModel]  # that is learned, which may read a part of the base
    vectors: np.ndarray | None = None  # (V, E) to start from; NaN in rows of unknown words
    dropout: float | None = None  # of the whole base; None: what its settings say

    @property
    def base(self) -> TaskBase:
        """What the task reads."""
        return self.model.base_for(self.whole)

    def new_base(self, seed: int) -> TaskBase:
        """Return a base that a training may change.

        Args:
            seed: of random weights.
        """
        base = self.base
        tokenizers = base.tokenizer, base.target_tokenizer
        if self.origin == "pretrained":
            return copy.deepcopy(base, {id(each): each for each in tokenizers})
        torch.manual_seed(seed)
        backbone = self.whole.backbone.reinitialised()
        if self.vectors is not None:
            backbone.load_vectors(completed(self.vectors, backbone.embedding))
        objective = base.objective
        if objective is not None:
            own = cast(SubwordTokenizer, base.target_tokenizer or base.tokenizer)
            objective = objective.reinitialised(backbone, own)
        return self.model.base_for(
            TaskBase(
                base.tokenizer,
                backbone,
                self.whole.visibility,
                target_tokenizer=base.target_tokenizer,
                objective=objective,
            )
        )


def find_start(
    opened: tuple[Origin, Any],
    named: BaseModel,
    material: Material,
    sections: Mapping[str, Settings],
    *,
    fresh: bool = False,
) -> Start:
    """Return what the trainings of a run start with.

    Args:
        opened: the base, as `foretext.finetuning.bases.open_base` gives it.
        named: how the user named it.
        material: what is learned, and the texts to learn from.
        sections: the user's.
        fresh: keep the shape of a pretrained model, but not its weights.

    Raises:
        SettingError: a setting does not fit the base.
    """
    start = _start(opened, named, material, sections, fresh=fresh)
    return replace(start, whole=_composing(start.whole, material.form))


def _start(
    opened: tuple[Origin, Any],
    named: BaseModel,
    material: Material,
    sections: Mapping[str, Settings],
    *,
    fresh: bool,
) -> Start:
    """Return the start with tokenizers that may know one form of text alone."""
    origin, base = opened
    if origin == "pretrained":
        return _start_pretrained(base, named, material, sections, fresh=fresh)
    if fresh:
        raise SettingError(
            "[finetuning] fresh would have no effect: it gives a pretrained network random "
            "weights, and this base is not pretrained; leave it out."
        )
    if origin == "vectors":
        return _start_from_vectors(base, named, material, sections)
    return _start_from_scratch(base, material, sections)


def _start_pretrained(
    model: Any,
    named: BaseModel,
    material: Material,
    sections: Mapping[str, Settings],
    *,
    fresh: bool,
) -> Start:
    """Start from a language model, or from a model of another task.

    Args:
        model: that was pretrained.
        named: how the user named it.
        material: what is learned.
        sections: the user's; [backbone] and [tokenizer] can only say what the model has.
        fresh: take the shape of the model, and random weights.

    Raises:
        SettingError: a section says something else, or the model has learned an alphabet.
    """
    base: TaskBase = model.as_base()
    if base.backbone.reads_characters and not material.num_characters:
        raise SettingError(
            f"BASE = '{named}' reads words by their characters too, and this task gives it none; "
            "start from the vectors or the backbone that it was learned on."
        )
    if material.apart is not None:
        raise SettingError(
            f"[task] vocabularies = 'separate' cannot be chosen here: '{named}' has been "
            "pretrained with its own; leave it out."
        )
    resolved = {"backbone": _backbone_section(base.backbone)}
    for section in ("backbone", "tokenizer"):
        for name, value in sections.get(section, {}).items():
            if resolved.get(section, {}).get(name) != value:
                raise SettingError(
                    f"[{section}] {name} cannot be chosen here: the base has been pretrained with "
                    "its own."
                )
    dropout = base.backbone.default_dropout  # its settings are those of its pretraining
    origin: Origin = "scratch" if fresh else "pretrained"
    return Start(origin, base, resolved, material.model, dropout=dropout)


def _start_from_scratch(
    named: NamedBackbone, material: Material, sections: Mapping[str, Settings]
) -> Start:
    """Start from random weights, with a tokenizer that is learned from the rows.

    Args:
        named: the backbone.
        material: what is learned, and the texts of the rows.
        sections: the user's [backbone] and [tokenizer].

    Raises:
        SettingError: a setting does not fit.
    """
    chosen = dict(sections.get("backbone", {}))
    _check_name(named, chosen)
    component: Any = named.component
    config = material.suited(component, {**named.settings, **chosen})
    asked = dict(sections.get("tokenizer", {}))
    tokenizer: Tokenizer
    target_tokenizer = None
    found: dict[str, Any] = {"num_characters": material.num_characters}
    if component.reads_words:
        rows = material.texts
        tokenizer = _learn_words({"min_count": 2, **rows.word_settings(), **asked}, material)
        learned = tokenizer.config.kept()
    else:
        asked = {**material.model.scratch_tokenizer, **asked}
        learned, kind = dict(asked), str(asked.pop("name"))
        texts, *others = material.apart or (material.texts,)
        tokenizer = learn_subwords(kind, asked, texts, form=material.form)
        for targets in others:
            target_tokenizer = learn_subwords(kind, asked, targets, form=material.form)
            found["source_vocab_size"] = tokenizer.vocab_size
    written = target_tokenizer or tokenizer
    backbone = component.build(config, written.vocab_size, **found)
    rates = _usual_rates(backbone, {**named.settings, **chosen})
    if rates:
        config = config.model_copy(update=rates)
        backbone = component.build(config, written.vocab_size, **found)
    backbone.spell(written.tokens)
    base = TaskBase(tokenizer, backbone, visibility_of(backbone), target_tokenizer=target_tokenizer)
    resolved = {"backbone": _backbone_section(backbone), "tokenizer": learned}
    return Start("scratch", base, resolved, material.model)


def _usual_rates(backbone: Backbone, chosen: Mapping[str, Any]) -> dict[str, float]:
    """Return the rates of dropout that learning from labels needs, where the user chose none."""
    rate = backbone.default_dropout
    rates = {name for name in RATES if name in type(backbone.config).model_fields}
    return {} if rate is None or rates & chosen.keys() else dict.fromkeys(rates, rate)


def _start_from_vectors(
    vectors: WordVectors,
    named: BaseModel,
    material: Material,
    sections: Mapping[str, Settings],
) -> Start:
    """Start from word vectors, with a backbone of random weights over them.

    Args:
        vectors: (V, E) that were learned before; words without one get random vectors.
        named: how the user named them.
        material: what is learned, and texts, whose words join those of the vectors.
        sections: the user's [backbone] and [tokenizer].

    Raises:
        SettingError: the backbone cannot start from vectors, or a setting does not fit.
    """
    chosen = dict(sections.get("backbone", {}))
    over = NamedBackbone.of(str(chosen.pop("name", material.over_vectors)))
    component: Any = over.component
    if not component.reads_words:
        raise SettingError(
            f"[backbone] name = '{over.row}' cannot start from word vectors; take one that reads "
            "words, such as textcnn, lstm, gru, rnn or reader."
        )
    start = tokens_of_vectors(vectors, named, material, dict(sections.get("tokenizer", {})))
    learned = {"vector_size": vectors.vector_size}
    config = material.suited(component, {**over.settings, **learned, **chosen})
    if config.vector_size != vectors.vector_size:
        raise SettingError(
            f"[backbone] vector_size = {config.vector_size}: the vectors to begin from have "
            f"{vectors.vector_size} numbers each; leave it out."
        )
    size, characters = start.tokenizer.vocab_size, material.num_characters
    backbone = component.build(config, size, num_characters=characters)
    base = TaskBase(start.tokenizer, backbone, visibility_of(backbone))
    resolved = {"backbone": _backbone_section(backbone), "tokenizer": start.settings}
    return Start("vectors", base, resolved, material.model, start.vectors)


def _check_name(named: NamedBackbone, chosen: dict[str, Any]) -> None:
    """Let [backbone] repeat what the name of the base says, and nothing else."""
    row = chosen.pop("name", named.row)
    if NamedBackbone.of(str(row)).row != named.row:
        raise SettingError(
            f"[backbone] name = '{row}' is not the backbone that BASE names; leave it out."
        )
    for name, value in named.settings.items():
        if chosen.get(name, value) != value:
            raise SettingError(
                f"[backbone] {name} = {chosen[name]!r} is not what BASE names; give BASE = "
                f"'{named.row}' to choose it."
            )


def _backbone_section(backbone: Backbone) -> dict[str, Any]:
    name = BACKBONES.name_of(type(backbone))
    return {"name": name, **backbone.config.kept(mode="json")}


def _learn_words(settings: dict[str, Any], material: Material) -> WordTokenizer:
    config = WordTokenizer.Config.checked(settings, "tokenizer")
    return WordTokenizer.learn(config, material.texts, form=material.form)


def _composing(base: TaskBase, form: Form) -> TaskBase:
    """Return the base with tokenizers that read text in every form as they read the rows."""
    target = base.target_tokenizer
    return base._replace(
        tokenizer=base.tokenizer.composing(form),
        target_tokenizer=None if target is None else target.composing(form),
    )
