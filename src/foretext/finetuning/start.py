"""What a network starts a task with: pretrained weights, word vectors, or random weights."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from foretext.backbones import BACKBONES
from foretext.backbones.base import Backbone
from foretext.data.batch import Visibility
from foretext.data.rows.row_texts import RowTexts
from foretext.errors import SettingError
from foretext.finetuning.bases import NamedBackbone, Origin
from foretext.finetuning.recipe import BaseModel
from foretext.finetuning.word_start import completed, vector_matrix, words_of_vectors
from foretext.tasks.task_base import TaskBase
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Start", "find_start"]

SCRATCH_VOCABULARY = 8000  # sub-words, where a network learns them from labelled rows alone

Settings = Mapping[str, Any]
Sections = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Start:
    """What every training of a run starts with; `new_base` gives each of them its own."""

    origin: Origin
    base: TaskBase  # is copied for each training, or gives the shape
    sections: Sections  # [backbone] and [tokenizer], resolved
    vectors: np.ndarray | None = None  # (V, E) to start from; NaN in rows of unknown words

    def new_base(self, seed: int) -> TaskBase:
        """Return a base that a training may change.

        Args:
            seed: of random weights.
        """
        base = self.base
        if self.origin == "pretrained":
            return copy.deepcopy(base, {id(base.tokenizer): base.tokenizer})
        torch.manual_seed(seed)
        backbone = base.backbone.reinitialised()
        if self.vectors is not None:
            backbone.load_vectors(completed(self.vectors, backbone.embedding))
        return TaskBase(base.tokenizer, backbone, base.visibility)


def find_start(
    opened: tuple[Origin, Any],
    named: BaseModel,
    usual: str,
    rows: RowTexts,
    sections: Mapping[str, Settings],
    *,
    num_characters: int = 0,
    fresh: bool = False,
) -> Start:
    """Return what the trainings of a run start with.

    Args:
        opened: the base, as `foretext.finetuning.bases.open_base` gives it.
        named: how the user named it.
        usual: name of the backbone over word vectors where the user names none.
        rows: the texts to learn from.
        sections: the user's.
        num_characters: ids of characters that words are spelled with.
        fresh: keep the shape of a pretrained model, but not its weights.

    Raises:
        SettingError: a setting does not fit the base.
    """
    origin, base = opened
    if origin == "pretrained":
        return _start_pretrained(base, named, sections, fresh=fresh)
    if fresh:
        raise SettingError(
            "[finetuning] fresh would have no effect: it gives a pretrained network random "
            "weights, and this base is not pretrained; leave it out."
        )
    if origin == "vectors":
        return _start_from_vectors(
            base, named, usual, rows, sections, num_characters=num_characters
        )
    return _start_from_scratch(base, rows, sections, num_characters=num_characters)


def _start_pretrained(
    model: Any, named: BaseModel, sections: Mapping[str, Settings], *, fresh: bool
) -> Start:
    """Start from a language model, or from a model of another task.

    Args:
        model: that was pretrained.
        named: how the user named it.
        sections: the user's; [backbone] and [tokenizer] can only say what the model has.
        fresh: take the shape of the model, and random weights.

    Raises:
        SettingError: a section says something else, or the model has learned an alphabet.
    """
    base: TaskBase = model.as_base()
    if base.backbone.reads_characters:
        raise SettingError(
            f"BASE = '{named}' reads the spelling of words by the alphabet of its own rows; start "
            "from the vectors or the backbone that it was learned on."
        )
    resolved = {"backbone": _backbone_section(base.backbone)}
    for section in ("backbone", "tokenizer"):
        for name, value in sections.get(section, {}).items():
            if resolved.get(section, {}).get(name) != value:
                raise SettingError(
                    f"[{section}] {name} cannot be chosen here: the base has been pretrained with "
                    "its own."
                )
    return Start("scratch" if fresh else "pretrained", base, resolved)


def _start_from_scratch(
    named: NamedBackbone,
    rows: RowTexts,
    sections: Mapping[str, Settings],
    *,
    num_characters: int = 0,
) -> Start:
    """Start from random weights, with a tokenizer that is learned from the rows.

    Args:
        named: the backbone.
        rows: their texts.
        sections: the user's [backbone] and [tokenizer].
        num_characters: ids of characters that words are spelled with.

    Raises:
        SettingError: a setting does not fit.
    """
    chosen = dict(sections.get("backbone", {}))
    _check_name(named, chosen)
    component: Any = named.component
    config = component.Config.checked({**named.settings, **chosen}, "backbone")
    asked = dict(sections.get("tokenizer", {}))
    tokenizer: Tokenizer
    if component.reads_words:
        tokenizer = _learn_words({"min_count": 2, **rows.word_settings(), **asked}, rows)
        learned = tokenizer.config.model_dump(exclude_none=True)
    else:
        asked = {"name": "wordpiece", "vocab_size": SCRATCH_VOCABULARY, **asked}
        learned, kind = dict(asked), str(asked.pop("name"))
        tokenizer = learn_subwords(kind, asked, rows)
    backbone = component.build(config, tokenizer.vocab_size, num_characters=num_characters)
    backbone.spell(tokenizer.tokens)
    base = TaskBase(tokenizer, backbone, _visibility(backbone))
    return Start("scratch", base, {"backbone": _backbone_section(backbone), "tokenizer": learned})


def _start_from_vectors(
    vectors: WordVectors,
    named: BaseModel,
    usual: str,
    rows: RowTexts,
    sections: Mapping[str, Settings],
    *,
    num_characters: int = 0,
) -> Start:
    """Start from word vectors, with a backbone of random weights over them.

    Args:
        vectors: (V, E) that were learned before; words without one get random vectors.
        named: how the user named them.
        usual: name of the backbone that the task has where the user names none.
        rows: their texts, whose words join those of the vectors.
        sections: the user's [backbone] and [tokenizer].
        num_characters: ids of characters that words are spelled with.

    Raises:
        SettingError: the backbone cannot start from vectors, or a setting does not fit.
    """
    chosen = dict(sections.get("backbone", {}))
    over = NamedBackbone.of(str(chosen.pop("name", usual)))
    component: Any = over.component
    if not component.reads_words:
        raise SettingError(
            f"[backbone] name = '{over.row}' cannot start from word vectors; take one that reads "
            "words, such as textcnn, lstm, gru or rnn."
        )
    tokenizer = words_of_vectors(vectors, named, rows, dict(sections.get("tokenizer", {})))
    sizes = {"vector_size": vectors.vector_size}
    config = component.Config.checked({**over.settings, **sizes, **chosen}, "backbone")
    if config.vector_size != vectors.vector_size:
        raise SettingError(
            f"[backbone] vector_size = {config.vector_size}: the vectors to begin from have "
            f"{vectors.vector_size} numbers each; leave it out."
        )
    backbone = component.build(config, tokenizer.vocab_size, num_characters=num_characters)
    base = TaskBase(tokenizer, backbone, _visibility(backbone))
    resolved = {
        "backbone": _backbone_section(backbone),
        "tokenizer": tokenizer.config.model_dump(exclude_none=True),
    }
    matrix = vector_matrix(vectors, tokenizer.vocabulary.words)
    return Start("vectors", base, resolved, matrix)


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
    return {"name": name, **backbone.config.model_dump(mode="json", exclude_none=True)}


def _learn_words(settings: dict[str, Any], rows: RowTexts) -> WordTokenizer:
    return WordTokenizer.learn(WordTokenizer.Config.checked(settings, "tokenizer"), rows)


def _visibility(backbone: Backbone) -> Visibility:
    usual: tuple[Visibility, ...] = ("full", "causal", "split")
    return next(each for each in usual if each in backbone.visibilities)
