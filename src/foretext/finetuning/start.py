"""What a network starts a task with: pretrained weights, word vectors, or random weights."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import torch

from foretext.backbones import BACKBONES
from foretext.backbones.base import Backbone
from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.corpus.decoding import Form
from foretext.data.rows.in_memory import RowTexts
from foretext.finetuning.bases import NamedBackbone, Origin
from foretext.finetuning.checks import RATES
from foretext.finetuning.joined_vectors import MAX_WORDS, JoinedVectors, are_lowercase, joined
from foretext.finetuning.recipe import BaseModel
from foretext.heads.base import TaskBase, visibility_of
from foretext.run_folder import RunFolder
from foretext.tasks.task import Task, WordTraits
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.tokenizers.vocabulary import UNKNOWN
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Material", "Start", "TokenStart", "find_start", "tokens_of_vectors"]

Settings = Mapping[str, Any]
Sections = dict[str, dict[str, Any]]

PLAIN = WordTraits()


@dataclass(frozen=True)
class Start:
    """What every training of a run starts with; `new_base` gives each of them its own."""

    origin: Origin
    whole: TaskBase  # is copied for each training, or gives the shape
    sections: Sections  # [backbone] and [tokenizer], resolved
    task: Task  # that is learned, which may read a part of the base
    vectors: np.ndarray | None = None  # (V, E) to start from; NaN in rows of unknown words
    dropout: float | None = None  # of the whole base; None: what its settings say

    @property
    def base(self) -> TaskBase:
        """What the task reads."""
        return self.task.base_for(self.whole)

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
            backbone.load_vectors(_completed(self.vectors, backbone.embedding))
        objective = base.objective
        if objective is not None:
            own = cast(SubwordTokenizer, base.target_tokenizer or base.tokenizer)
            objective = objective.reinitialised(backbone, own)
        return self.task.base_for(
            TaskBase(
                base.tokenizer,
                backbone,
                self.whole.visibility,
                target_tokenizer=base.target_tokenizer,
                objective=objective,
                word_vectors=self.whole.word_vectors,
            )
        )


def find_start(
    opened: tuple[Origin, Any],
    named: BaseModel,
    material: Material,
    sections: Mapping[str, Settings],
    *,
    fresh: bool = False,
    vectors: JoinedVectors | None = None,
) -> Start:
    """Return what the trainings of a run start with.

    Args:
        opened: the base, as `foretext.finetuning.bases.open_base` gives it.
        named: how the user named it.
        material: what is learned, and the texts to learn from.
        sections: the user's.
        fresh: keep the shape of a pretrained model, but not its weights.
        vectors: of words, to be joined with the states of a pretrained model.

    Raises:
        SettingError: a setting does not fit the base.
    """
    start = _start(opened, named, material, sections, fresh=fresh)
    if vectors is not None:
        start = replace(start, whole=joined(start.whole, vectors))
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
    if base.backbone.reads_characters and not material.words.num_characters:
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
    dropout = base.backbone.task_traits.default_dropout  # its settings are those of its pretraining
    origin: Origin = "scratch" if fresh else "pretrained"
    return Start(origin, base, resolved, material.task, dropout=dropout)


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
    wanted = dict(sections.get("tokenizer", {}))
    tokenizer: Tokenizer
    target_tokenizer = None
    found: dict[str, Any] = {"num_characters": material.words.num_characters}
    if component.reads_words:
        rows = material.texts
        tokenizer = _learn_words({"min_count": 2, **rows.word_settings(), **wanted}, material)
        learned = tokenizer.config.kept()
    else:
        wanted = {**material.task.scratch_tokenizer, **wanted}
        learned, kind = dict(wanted), str(wanted.pop("name"))
        texts, *others = material.apart or (material.texts,)
        tokenizer = learn_subwords(kind, wanted, texts, form=material.form)
        for targets in others:
            target_tokenizer = learn_subwords(kind, wanted, targets, form=material.form)
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
    return Start("scratch", base, resolved, material.task)


def _usual_rates(backbone: Backbone, chosen: Mapping[str, Any]) -> dict[str, float]:
    """Return the rates of dropout that learning from labels needs, where the user chose none."""
    rate = backbone.task_traits.default_dropout
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
    size, characters = start.tokenizer.vocab_size, material.words.num_characters
    backbone = component.build(config, size, num_characters=characters)
    base = TaskBase(start.tokenizer, backbone, visibility_of(backbone))
    resolved = {"backbone": _backbone_section(backbone), "tokenizer": start.settings}
    return Start("vectors", base, resolved, material.task, start.vectors)


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


@dataclass(frozen=True)
class Material:
    """The texts to learn from, for a task.

    Attributes:
        task: that is learned.
        texts: of the rows.
        apart: sources and targets, where each side gets a tokenizer of its own; None: one does.
        over_vectors: the name of the network over word vectors, if the user names none.
        words: what a network over words reads of them.
        form: the Unicode normal form of the texts.
    """

    task: Task
    texts: RowTexts
    apart: tuple[RowTexts, RowTexts] | None = None
    over_vectors: str = "textcnn"
    words: WordTraits = PLAIN
    form: Form = "NFC"

    @classmethod
    def of(cls, task: Task, head: Config, rows: Sequence[Any], form: Form = "NFC") -> Material:
        """Return what a task finds in its rows.

        Args:
            task: that is learned.
            head: the section `[task]`.
            rows: to learn from.
            form: the Unicode normal form of their texts.
        """
        return cls(
            task,
            task.texts(rows),
            task.texts_apart(head, rows),
            task.over_vectors(head, rows),
            task.word_traits(rows),
            form,
        )

    def suited(self, backbone: Any, settings: Mapping[str, Any]) -> Any:
        """Return the shape of a new backbone that suits the rows.

        Args:
            backbone: its class, a `Backbone`.
            settings: that were chosen or follow from the base; what they say stays.

        Raises:
            SettingError: they do not fit.
        """
        traits, words = backbone.task_traits, self.words
        spelling = traits.spelling_settings if words.gains_from_spelling else {}
        sees_next = settings.get("bidirectional", True)  # from the left alone no pair can be read
        bigrams = traits.bigram_settings if words.gains_from_bigrams and sees_next else {}
        return backbone.Config.checked({**spelling, **bigrams, **settings}, "backbone")


class TokenStart(NamedTuple):
    """What a network reads texts with, and what it knows of their tokens."""

    tokenizer: Tokenizer
    settings: dict[str, Any]  # of [tokenizer], resolved
    vectors: np.ndarray  # (V, E) float32, with NaN for tokens without a vector


def tokens_of_vectors(
    vectors: WordVectors, named: BaseModel, material: Material, settings: dict[str, Any]
) -> TokenStart:
    """Return the tokenizer that vectors came with, or one of the words of vectors and rows.

    Args:
        vectors: to start from.
        named: how the user named them.
        material: texts whose words join, where the vectors are of words.
        settings: of [tokenizer].

    Raises:
        SettingError: a setting of a tokenizer that the vectors came with.
    """
    if vectors.tokenizer is None:
        words = _words_of_vectors(vectors, named, material, settings)
        matrix = _vector_matrix(vectors, words.vocabulary.words)
        return TokenStart(words, words.config.kept(), matrix)
    if settings:
        raise SettingError(
            f"[tokenizer] {min(settings)} cannot be chosen here: '{named}' has vectors of the "
            "tokens of its own tokenizer."
        )
    return TokenStart(vectors.tokenizer, {}, vectors.vectors)


def _words_of_vectors(
    vectors: WordVectors, named: BaseModel, material: Material, settings: dict[str, Any]
) -> WordTokenizer:
    """Return a tokenizer of the words of vectors and rows.

    Text is split as in the run of the vectors; of other vectors their words show whether they are
    in lower case.

    Args:
        vectors: whose words are known.
        named: how the user named them; a run has the settings of its tokenizer.
        material: texts whose words join.
        settings: of [tokenizer], which go over those of the run.
    """
    run = RunFolder(named) if isinstance(named, str | Path) else None
    if run is not None and run.tokenizer.is_file() and not settings:
        config = WordTokenizer.load(run.tokenizer).config
        wanted = {**config.model_dump(), "min_count": 2, "max_vocab_size": None}
    else:
        wanted = {"min_count": 2, "lowercase": are_lowercase(vectors)}
    wanted |= {**material.texts.word_settings(), **settings}
    config = WordTokenizer.Config.checked(wanted, "tokenizer")
    learned = WordTokenizer.learn(config, material.texts, form=material.form)
    words = vectors.index_to_key[:MAX_WORDS]
    vocabulary = learned.vocabulary.extended(words, None, unknown=learned.unknown)
    return WordTokenizer(learned.config, vocabulary, form=learned.form)


def _vector_matrix(vectors: WordVectors, words: Sequence[str]) -> np.ndarray:
    """Return the vectors of words, (V, E), with NaN for words without one."""
    matrix = np.full((len(words), vectors.vector_size), np.nan, np.float32)
    known = [at for at, word in enumerate(words) if word != UNKNOWN and word in vectors]
    matrix[known] = vectors[[words[at] for at in known]]
    return matrix


def _completed(matrix: np.ndarray, drawn: torch.Tensor) -> np.ndarray:
    """Return a matrix (V, E) with random numbers where it has NaN, as large as the others.

    Args:
        matrix: with NaN in it.
        drawn: random numbers of the same shape; they are scaled.
    """
    values = drawn.detach().cpu().numpy()
    scale = np.nanstd(matrix) / max(float(values.std()), 1e-12)
    return np.where(np.isnan(matrix), values * scale, matrix)
