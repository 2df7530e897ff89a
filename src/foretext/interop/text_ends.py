"""With which tokens the texts of a published model begin and end.

Tokenizers say it by the names of their tokens, such as ``<|endoftext|>``. A model that writes may
have another's tokenizer, such as GPT-2 with BERT's: then the ids that ``generation_config.json`` or
``config.json`` names count, or what stands around a text there, ``[CLS]`` and ``[SEP]``.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import ConfigDict
from typing_extensions import TypedDict

from foretext.base.errors import ModelFileError
from foretext.base.parsing import check_value, read_json
from foretext.interop.families import FAMILIES
from foretext.interop.family import Settings
from foretext.interop.generation_config import GENERATION
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["with_ends"]

AROUND = {"start": "cls", "end": "sep"}  # what stands for a missing token


class _Ids(TypedDict, total=False):
    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    bos_token_id: int | None
    eos_token_id: int | list[int] | None


def with_ends(tokenizer: SubwordTokenizer, theirs: Settings, folder: Path) -> SubwordTokenizer:
    """Return the tokenizer of a folder, knowing how its model begins and ends a text.

    Args:
        tokenizer: of the folder.
        theirs: its config.json.
        folder: of the model.

    Raises:
        ModelFileError: an id is no number.
    """
    family = FAMILIES.get(theirs.get("model_type") or "")
    if family is None or not family.objective.continues:
        return tokenizer
    said: _Ids = check_value(theirs, str(folder / "config.json"), ModelFileError, _Ids)
    if (folder / GENERATION).is_file():
        said = {**said, **read_json(folder / GENERATION, ModelFileError, _Ids)}
    ends = {
        task: found
        for task, ids in (("start", said.get("bos_token_id")), ("end", said.get("eos_token_id")))
        if (found := _end(tokenizer, task, ids)) is not None
    }
    usual = {task: getattr(tokenizer.special, task) for task in ends}
    return tokenizer if ends == usual else SubwordTokenizer(tokenizer.library, ends)


def _end(tokenizer: SubwordTokenizer, task: str, said: int | list[int] | None) -> int | None:
    """The id that stands at one end of a text; an id of an ordinary token is a forgotten default.

    `transformers` writes the default of a family, 50,256 of GPT-2, where a model has another.
    """
    index = (said[0] if said else None) if isinstance(said, list) else said
    if index is not None and 0 <= index < tokenizer.vocab_size and not tokenizer.ordinary[index]:
        return index
    special = tokenizer.special
    own: int | None = getattr(special, task)
    around: int | None = getattr(special, AROUND[task])
    return around if own is None else own
