"""The file: written by the package `gguf`, and read again as any program would."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.exporting.foreign import foreign_errors
from foretext.exporting.gguf.architecture import Llamas, Weights
from foretext.exporting.gguf.vocabulary import Vocabulary

__all__ = ["Numbers", "ReadFile", "read_gguf", "write_gguf"]

Numbers = Literal["f32", "f16", "q8_0"]

FILE_TYPES: Mapping[Numbers, int] = {"f32": 0, "f16": 1, "q8_0": 7}  # `general.file_type`
EXACT = ("position_embd.weight", "token_types.weight")  # added as they are, so never rounded
ROW = 32  # numbers that share a scale in q8_0; a row has a multiple of them
TOKENS = "tokenizer.ggml."
PACKAGE = "The package gguf"


class ReadFile(NamedTuple):
    """What a file holds."""

    keys: Mapping[str, Any]  # of the network, without the architecture's name
    vocabulary: Vocabulary
    weights: Weights


def write_gguf(path: Path, network: Llamas, vocabulary: Vocabulary, numbers: Numbers) -> None:
    """Write network and tokenizer in one file.

    Args:
        path: of the file.
        network: as llama.cpp has it.
        vocabulary: as llama.cpp has it.
        numbers: of the matrices; vectors are always float32.
    """
    import gguf

    name = network.architecture.name
    with foreign_errors(PACKAGE):
        writer = gguf.GGUFWriter(path, name)
        writer.add_file_type(FILE_TYPES[numbers])
        writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
        _add(writer, f"{name}.", network.keys)
        writer.add_tokenizer_model(vocabulary.model)
        writer.add_tokenizer_pre("default" if vocabulary.model == "bert" else "gpt-2")
        writer.add_token_list(vocabulary.tokens)
        writer.add_token_types(vocabulary.kinds)
        if vocabulary.merges:
            writer.add_token_merges(vocabulary.merges)
        _add(writer, TOKENS, vocabulary.keys)
        for weight, values in network.weights().items():
            if weight == "token_types.weight":
                writer.add_token_type_count(len(values))
            kind = _kind(weight, values, numbers)
            writer.add_tensor(weight, gguf.quants.quantize(values, kind), raw_dtype=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


def _add(writer: Any, prefix: str, keys: Mapping[str, int | float | bool]) -> None:
    adders = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32}
    for key, value in keys.items():
        adders[type(value)](prefix + key, value)


def _kind(name: str, values: NDArray[np.float32], numbers: Numbers) -> Any:
    """Return the type of a weight's numbers in a file."""
    import gguf

    if values.ndim == 1 or name in EXACT:
        return gguf.GGMLQuantizationType.F32
    fits = numbers != "q8_0" or values.shape[-1] % ROW == 0
    return gguf.GGMLQuantizationType[numbers.upper() if fits else "F16"]


def read_gguf(path: Path, known: Vocabulary) -> ReadFile:
    """Read what a file holds, numbers as float32.

    Args:
        path: of the file.
        known: the vocabulary, for what files do not say: form, and the bound of a word.
    """
    import gguf

    with foreign_errors(PACKAGE):
        reader = gguf.GGUFReader(path)
        found = {name: each.contents() for name, each in reader.fields.items()}
        weights = {
            each.name: np.array(gguf.quants.dequantize(each.data, each.tensor_type), np.float32)
            for each in reader.tensors
        }
    name = found["general.architecture"]
    tokens, kinds = found[f"{TOKENS}tokens"], found[f"{TOKENS}token_type"]
    vocabulary = Vocabulary(
        model=found[f"{TOKENS}model"],
        tokens=tokens,
        kinds=kinds,
        merges=found.get(f"{TOKENS}merges", []),
        keys=_part(found, TOKENS),
        form=known.form,
        longest_word=known.longest_word,
        special=known.special,
    )
    return ReadFile(_part(found, f"{name}."), vocabulary, weights)


def _part(found: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {key.removeprefix(prefix): found[key] for key in found if key.startswith(prefix)}
