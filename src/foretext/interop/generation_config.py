"""How the models of a folder write: ``generation_config.json``, or the same in config.json.

Ids of tokens that a text begins and ends with, and settings of the search for it. What foretext
does not do, such as a penalty of repeated words, is listed by its name.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import ConfigDict
from typing_extensions import TypedDict

from foretext.base.errors import ModelFileError, SettingError
from foretext.base.parsing import check_value, read_json
from foretext.generation import Decoding
from foretext.interop.config_file import write_json
from foretext.objectives.reading import Writing
from foretext.objectives.sequence_to_sequence import SequenceToSequence

__all__ = [
    "GENERATION",
    "IN_CONFIG",
    "Generation",
    "generation_keys",
    "read_generation",
    "write_generation",
]

GENERATION = "generation_config.json"
IN_CONFIG = ("decoder_start_token_id", "eos_token_id", "forced_eos_token_id")  # there, too
OURS = {  # settings of `Decoding`, by their names
    "num_beams": "num_beams",
    "length_penalty": "length_penalty",
    "early_stopping": "early_stopping",
    "no_repeat_ngram_size": "no_repeat_ngram_size",
    "min_new_tokens": "min_new_tokens",
    "max_new_tokens": "max_new_tokens",
    "num_return_sequences": "num_best",
}
DRAWING = ("temperature", "top_k", "top_p")  # where `do_sample` says that tokens are drawn
USUAL_TOP_K = 50  # theirs, where a file does not say it
NEUTRAL: dict[str, tuple[Any, ...]] = {  # theirs that foretext lacks: values without effect
    "repetition_penalty": (None, 1, 1.0),
    "encoder_repetition_penalty": (None, 1, 1.0),
    "encoder_no_repeat_ngram_size": (None, 0),
    "num_beam_groups": (None, 1),
    "diversity_penalty": (None, 0, 0.0),
    "penalty_alpha": (None, 0, 0.0),
    "typical_p": (None, 1, 1.0),
    "min_p": (None, 0, 0.0),
    "epsilon_cutoff": (None, 0, 0.0),
    "eta_cutoff": (None, 0, 0.0),
    "guidance_scale": (None, 1, 1.0),
    "exponential_decay_length_penalty": (None,),
    "begin_suppress_tokens": (None, []),
    "forced_decoder_ids": (None, []),
    "force_words_ids": (None, []),
    "sequence_bias": (None, {}, []),
}


class _Found(TypedDict, total=False):
    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    decoder_start_token_id: int | None
    bos_token_id: int | None
    eos_token_id: int | list[int] | None
    forced_bos_token_id: int | None
    forced_eos_token_id: int | list[int] | None
    bad_words_ids: list[list[int]] | None
    suppress_tokens: list[int] | None
    num_beams: int | None
    num_return_sequences: int | None
    length_penalty: float | None
    early_stopping: bool | Literal["never"] | None
    no_repeat_ngram_size: int | None
    min_length: int | None
    max_length: int | None
    min_new_tokens: int | None
    max_new_tokens: int | None
    do_sample: bool | None
    temperature: float | None
    top_k: int | None
    top_p: float | None


class Generation(NamedTuple):
    """How a folder's model searches for texts."""

    decoding: Decoding
    unread: tuple[str, ...]  # names of settings that have no effect here


def read_generation(
    folder: Path, theirs: dict[str, Any], objective: SequenceToSequence, num_ids: int
) -> Generation:
    """Read how a model of two towers writes, and let its objective follow that.

    Args:
        folder: of the model.
        theirs: its config.json, which says the same where there is no other file.
        objective: ours; its start and end tokens count where the folder names none.
        num_ids: ids are below.

    Raises:
        ModelFileError: a value has a wrong type, or is no id of a token.
    """
    path = folder / GENERATION
    if path.is_file():
        found = {**_ids(theirs), **read_json(path, ModelFileError, _Found)}
    else:
        path, found = folder / "config.json", theirs
    said: _Found = check_value(found, str(path), ModelFileError, _Found)
    reading = objective.reading(())
    usual = Writing(reading.opening[0], objective.end, reading.first, reading.last, reading.never)
    writing = _writing(said, usual)
    for name, ids in writing._asdict().items():
        for number in ids if isinstance(ids, tuple) else (ids,):
            if number is not None and not 0 <= number < num_ids:
                raise ModelFileError(
                    f"{path}: the {name} token has the id {number}, and the model has ids up to "
                    f"{num_ids - 1}; take the files that belong together."
                )
    try:
        decoding = Decoding.checked(_decoding(said), "decoding")
    except SettingError as error:
        raise ModelFileError(f"{path}: {str(error).removesuffix('.')}.") from error
    if writing != usual:
        objective.follow(writing)
    return Generation(decoding, _unread(found, path))


def generation_keys(objective: SequenceToSequence) -> dict[str, Any]:
    """Return theirs for the ids that an objective writes with."""
    reading, special = objective.reading(()), objective.tokenizer.special
    never = [[number] for number in reading.never]
    return {
        "pad_token_id": special.pad,
        "bos_token_id": special.cls,
        "decoder_start_token_id": reading.opening[0],
        "eos_token_id": objective.end,
        "forced_bos_token_id": reading.first,
        "forced_eos_token_id": reading.last,
        "bad_words_ids": never or None,
    }


def write_generation(
    folder: Path, objective: SequenceToSequence, decoding: Decoding | None
) -> None:
    """Write what `read_generation` reads.

    Args:
        folder: of the model.
        objective: whose ids it writes with.
        decoding: how its texts are searched for; None: as by default.
    """
    keys = generation_keys(objective)
    content = {name: value for name, value in keys.items() if value is not None}
    if decoding is not None:
        content |= {theirs: getattr(decoding, ours) for theirs, ours in OURS.items()}
        if decoding.temperature > 0:
            drawn = {name: getattr(decoding, name) for name in DRAWING}
            content |= {"do_sample": True, **drawn, "top_k": decoding.top_k or 0}
    write_json(folder / GENERATION, content)


def _ids(theirs: dict[str, Any]) -> dict[str, Any]:
    """The ids of tokens that a config.json says."""
    names = ("pad_token_id", "bos_token_id", *_Found.__annotations__)
    return {
        name: theirs[name] for name in names if name in theirs and name.endswith(("_id", "_ids"))
    }


def _writing(said: _Found, usual: Writing) -> Writing:
    start = said.get("decoder_start_token_id")
    single = [ids[0] for ids in said.get("bad_words_ids") or () if len(ids) == 1]
    never = dict.fromkeys([*single, *(said.get("suppress_tokens") or ())])
    last = _first_of(said.get("forced_eos_token_id"))
    found_end = _first_of(said.get("eos_token_id"))
    return Writing(
        usual.start if start is None else start,
        usual.end if found_end is None else found_end,
        said.get("forced_bos_token_id"),
        last,
        tuple(never),
    )


def _first_of(ids: int | list[int] | None) -> int | None:
    return (ids[0] if ids else None) if isinstance(ids, list) else ids


def _decoding(said: _Found) -> dict[str, Any]:
    """Return settings of `Decoding`; their lengths count the start token."""
    chosen: dict[str, Any] = {
        ours: value for theirs, ours in OURS.items() if (value := said.get(theirs)) is not None
    }
    least, most = said.get("min_length"), said.get("max_length")
    if least is not None:
        chosen.setdefault("min_new_tokens", max(least - 1, 0))
    if most is not None:
        chosen.setdefault("max_new_tokens", most - 1)
    if said.get("do_sample") and chosen.get("num_beams", 1) == 1:
        temperature, top_k = said.get("temperature"), said.get("top_k")
        chosen["temperature"] = 1.0 if temperature is None else temperature
        chosen["top_k"] = (USUAL_TOP_K if top_k is None else top_k) or None
        chosen["top_p"] = said.get("top_p")
    return chosen


def _unread(found: dict[str, Any], path: Path) -> tuple[str, ...]:
    names = [name for name, values in NEUTRAL.items() if found.get(name) not in values]
    if found.get("do_sample") and (found.get("num_beams") or 1) > 1:
        names.append("do_sample")
    if any(len(ids) > 1 for ids in found.get("bad_words_ids") or ()):
        names.append("bad_words_ids")
    names += [
        name
        for name in ("eos_token_id", "forced_eos_token_id")
        if isinstance(found.get(name), list) and len(found[name]) > 1
    ]
    return tuple(f"{path.name}: {name}" for name in names)
