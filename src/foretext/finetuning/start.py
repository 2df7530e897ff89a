"""What a task is learned on: a pretrained model, static word vectors, or a network drawn anew."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import torch

from foretext.artifact import RunFolder, load
from foretext.backbones import BACKBONES
from foretext.backbones.base import Backbone
from foretext.data.batch import Visibility
from foretext.data.rows import RowTexts
from foretext.errors import SettingError
from foretext.finetuning.job import BaseModel
from foretext.finetuning.run import BACKBONE_NAMES
from foretext.language_model import LanguageModel
from foretext.nn.vocabulary_head import HeadTransform
from foretext.objectives.causal_lm import CausalLM
from foretext.objectives.masked_lm import MaskedLM
from foretext.task_models.base import TaskModel
from foretext.tasks.task_base import TaskBase
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.tokenizers.vocabulary import UNKNOWN
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Beginning", "begin_with"]

ON_VECTORS = {"tagging": "lstm"}  # the network that a task gets on static vectors; else TextCNN
SCRATCH_VOCABULARY = 8000  # sub-words, where a Transformer learns from labelled rows alone
MAX_WORDS = 200_000  # of a vector file; the most frequent come first in such files

Settings = Mapping[str, Any]
Origin = Literal["pretrained", "vectors", "scratch"]


@dataclass(frozen=True)
class Beginning:
    """What a training begins with; `body` gives as many of it as there are seeds."""

    origin: Origin
    tokenizer: Tokenizer
    backbone: Backbone  # copied for each body, or drawn again where it was drawn
    visibility: Visibility
    model: LanguageModel | TaskModel | None = None  # that was pretrained
    vectors: np.ndarray | None = None  # (V, D) to begin from; what is not a number is drawn
    fresh: bool = False  # draw the weights of a pretrained network anew

    def body(self, seed: int) -> TaskBase:
        """Return a body that a training may change."""
        if self.origin == "pretrained" and not self.fresh:
            return _pretrained_body(self)
        torch.manual_seed(seed)
        backbone = _reinitialised(self.backbone)
        if self.vectors is not None:
            cast(Any, backbone).load_vectors(_completed(self.vectors, backbone.embedding))
        return TaskBase(self.tokenizer, backbone, self.visibility)


def begin_with(
    base: BaseModel,
    task: str,
    rows: RowTexts,
    sections: Mapping[str, Settings],
    *,
    num_characters: int = 0,
    fresh: bool = False,
) -> Beginning:
    """Find or make what a task is learned on.

    Args:
        base: a model, where one is kept, or the name of a backbone.
        task: chooses the network on static vectors.
        rows: the texts to learn from, for the vocabulary of what is drawn anew.
        sections: the user's settings; ``[backbone]`` and ``[tokenizer]`` are of networks that are
            drawn, and refused for others.
        num_characters: ids of characters that words are spelled with.
        fresh: keep the shape of a pretrained model, but not its weights.

    Raises:
        ForetextError: there is no such base, or a setting does not fit it.
    """
    found = _found(base)
    if isinstance(found, LanguageModel | TaskModel):
        _refuse(sections, "the base has been pretrained with its own")
        body = found.base if isinstance(found, TaskModel) else found
        if getattr(body.backbone, "reads_characters", False):
            raise SettingError(
                f"BASE = '{base}' spells words by an alphabet of its own, which other rows do not "
                "have; begin with the vectors or the backbone that it was learned on."
            )
        origin: Origin = "scratch" if fresh else "pretrained"
        return Beginning(origin, body.tokenizer, body.backbone, body.visibility, found, fresh=fresh)
    if fresh:
        raise SettingError(
            "[finetuning] fresh would have no effect: it draws a pretrained network anew, and this "
            "base is none; leave it out."
        )
    if isinstance(found, WordVectors):
        return _on_vectors(found, base, task, rows, sections, num_characters)
    return _from_scratch(found, rows, sections, num_characters)


def _found(base: BaseModel) -> LanguageModel | TaskModel | WordVectors | str:
    if isinstance(base, str | Path) and str(base) in BACKBONE_NAMES:
        return str(base)
    loaded = load(base) if isinstance(base, str | Path) else base
    if not isinstance(loaded, LanguageModel | TaskModel | WordVectors):
        named = f"'{base}' holds" if isinstance(base, str | Path) else "is"
        raise SettingError(
            f"BASE {named} {type(loaded).__name__}, which no task is learned on; give word "
            "vectors, a language model, what learned another task, or the name of a backbone."
        )
    return loaded


def _pretrained_body(beginning: Beginning) -> TaskBase:
    model = beginning.model
    assert model is not None
    if isinstance(model, TaskModel):
        return _of_task(model)
    objective = copy.deepcopy(model.objective, {id(model.tokenizer): model.tokenizer})
    backbone = copy.deepcopy(model.backbone)
    head = objective.head if isinstance(objective, CausalLM) else None
    if head is not None and cast(Any, objective).config.tied:
        head.weight = backbone.embedding
    pair_head = objective.next_sentence if isinstance(objective, MaskedLM) else None
    pooler = None if pair_head is None else pair_head.pooler.state_dict()
    transform = objective.head.transform if isinstance(objective, MaskedLM) else None
    return TaskBase(
        model.tokenizer, backbone, model.visibility, head, pooler, _as_transform(transform)
    )


def _of_task(model: TaskModel) -> TaskBase:
    """The body of another task, as its folder keeps it: with what stands before the last layer."""
    body, head = model.base, getattr(model.task, "head", model.task)
    pooler = getattr(head, "pooler", None)
    return TaskBase(
        body.tokenizer,
        copy.deepcopy(body.backbone),
        body.visibility,
        pooler=None if pooler is None else pooler.state_dict(),
        transform=_as_transform(getattr(head, "transform", None)),
    )


def _as_transform(found: Any) -> HeadTransform | None:
    return found if isinstance(found, HeadTransform) else None


def _reinitialised(backbone: Backbone) -> Backbone:
    """The same shape with other weights."""
    known = cast(Any, backbone)
    more = {"num_characters": known.num_characters} if hasattr(known, "num_characters") else {}
    drawn: Backbone = type(known)(known.config, known.vocab_size, **more)
    return drawn


def _from_scratch(
    name: str, rows: RowTexts, sections: Mapping[str, Settings], num_characters: int
) -> Beginning:
    row, settings = BACKBONE_NAMES[name]
    component = BACKBONES.resolve(row)
    chosen = {**settings, **sections.get("backbone", {})}
    config = component.Config.checked(chosen, "backbone")
    tokenizer: Tokenizer
    if row == "transformer":
        asked = {"vocab_size": SCRATCH_VOCABULARY, **sections.get("tokenizer", {})}
        kind = str(asked.pop("name", "wordpiece"))
        tokenizer = learn_subwords(kind, asked, rows)
        backbone = component(config, tokenizer.vocab_size)
    else:
        asked = {"min_count": 2, **rows.word_settings(), **sections.get("tokenizer", {})}
        tokenizer = WordTokenizer.learn(WordTokenizer.Config.checked(asked, "tokenizer"), rows)
        backbone = component(config, tokenizer.vocab_size, _asked(config, num_characters))
    return Beginning("scratch", tokenizer, backbone, _sight(backbone))


def _on_vectors(
    vectors: WordVectors,
    base: BaseModel,
    task: str,
    rows: RowTexts,
    sections: Mapping[str, Settings],
    num_characters: int,
) -> Beginning:
    """A network over vectors that were learned before; words that have none are drawn."""
    chosen = dict(sections.get("backbone", {}))
    name = str(chosen.pop("name", ON_VECTORS.get(task, "textcnn")))
    if name not in BACKBONE_NAMES or name == "transformer":
        names = [each for each in BACKBONE_NAMES if each != "transformer"]
        raise SettingError(
            f"[backbone] name = '{name}': over word vectors there are {', '.join(names)}."
        )
    row, settings = BACKBONE_NAMES[name]
    component = BACKBONES.resolve(row)
    tokenizer = _word_tokenizer(vectors, base, rows, dict(sections.get("tokenizer", {})))
    config = component.Config.checked(
        {**settings, "vector_size": vectors.vector_size, **chosen}, "backbone"
    )
    if config.vector_size != vectors.vector_size:
        raise SettingError(
            f"[backbone] vector_size = {config.vector_size}: the vectors to begin from have "
            f"{vectors.vector_size} numbers each; leave it out."
        )
    backbone = component(config, tokenizer.vocab_size, _asked(config, num_characters))
    matrix = _matrix(vectors, tokenizer.vocabulary.words)
    return Beginning("vectors", tokenizer, backbone, _sight(backbone), vectors=matrix)


def _word_tokenizer(
    vectors: WordVectors, base: BaseModel, rows: RowTexts, settings: dict[str, Any]
) -> WordTokenizer:
    """Words as the vectors' own run found them, or as the rows suggest; the rows' words join."""
    run = RunFolder(base) if isinstance(base, str | Path) else None
    if run is not None and run.tokenizer.is_file() and not settings:
        config = WordTokenizer.load(run.tokenizer).config
        asked = {**config.model_dump(), "min_count": 2, "max_vocab_size": None}
    else:
        lowercase = not any(word != word.lower() for word in vectors.index_to_key[:10_000])
        asked = {"min_count": 2, "lowercase": lowercase, **settings}
    asked |= rows.word_settings()
    learned = WordTokenizer.learn(WordTokenizer.Config.checked(asked, "tokenizer"), rows)
    known = vectors.index_to_key[:MAX_WORDS]
    return WordTokenizer(learned.config, learned.vocabulary.extended(known, None))


def _matrix(vectors: WordVectors, words: Sequence[str]) -> np.ndarray:
    """(V, D), the vectors of `words`; not a number for those without one."""
    matrix = np.full((len(words), vectors.vector_size), np.nan, np.float32)
    for place, word in enumerate(words):
        if word != UNKNOWN and word in vectors:
            matrix[place] = vectors.get_vector(word)
    return matrix


def _completed(matrix: np.ndarray, drawn: torch.Tensor) -> np.ndarray:
    """(V, D) with numbers that were drawn, scaled like the others, where it has none."""
    values = drawn.detach().cpu().numpy()
    scale = np.nanstd(matrix) / max(float(values.std()), 1e-12)
    return np.where(np.isnan(matrix), values * scale, matrix)


def _sight(backbone: Backbone) -> Visibility:
    return "full" if "full" in backbone.visibilities else "causal"


def _asked(config: Any, num_characters: int) -> int:
    return num_characters if config.characters != "none" else 0


def _refuse(sections: Mapping[str, Settings], why: str) -> None:
    for section in ("backbone", "tokenizer"):
        if sections.get(section):
            setting = next(iter(sections[section]))
            raise SettingError(f"[{section}] {setting} cannot be chosen here: {why}.")
